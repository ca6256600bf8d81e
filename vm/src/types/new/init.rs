//! `Init[T, …]`: what can be made into a `T`. Source: `Puppet::Pops::Types::PInitType`.

use super::construct;
use crate::error::{Eval, Flow};
use crate::scope::Scope;
use crate::types::noted::unsupported;
use crate::types::{Type, generalize, infer_set, is_assignable, is_instance, print, tuple_range};
use crate::value::Value;
use crate::vm::Vm;

/// Types of one signature of a constructor, and how many of them must be given.
#[derive(Clone)]
pub(crate) struct Parameters<'c> {
    pub types: Vec<&'c Type<'c>>,
    pub least: usize,
}

/// What is accepted beside an instance of the type.
pub(crate) struct Accepted<'c> {
    /// As it is.
    pub single: Vec<&'c Type<'c>>,
    /// As an array of arguments.
    pub several: Vec<Parameters<'c>>,
}

impl<'c> Parameters<'c> {
    /// Whether they take these arguments.
    pub fn fit(
        &self,
        items: &[Value<'c>],
        mut is_instance: impl FnMut(&'c Type<'c>, Value<'c>) -> bool,
    ) -> bool {
        let size = crate::types::Range::new(self.least as i64, self.types.len() as i64);
        tuple_range(self.types.len(), Some(size)).contains(items.len() as i64)
            && items.iter().zip(&self.types).all(|(item, ty)| is_instance(ty, *item))
    }
}

/// The signatures of a type's constructor; none for a type that has no constructor.
fn signatures<'c>(vm: &mut Vm<'c>, ty: &'c Type<'c>) -> Vec<Parameters<'c>> {
    let outer = vm.constructor.replace(Vec::new());
    // Without arguments a constructor gets no further than to its signatures.
    let top = vm.top;
    let _ = construct(vm, top, ty, &[]);
    std::mem::replace(&mut vm.constructor, outer).unwrap_or_default()
}

/// Whether an `Init` may be of this type, as far as the type alone tells.
pub(crate) fn is_constructible(ty: &Type<'_>) -> bool {
    fn has_constructor(ty: &Type<'_>) -> bool {
        match ty {
            Type::Integer(_)
            | Type::Float { .. }
            | Type::Numeric
            | Type::Boolean(_)
            | Type::String { .. }
            | Type::StringValue(_)
            | Type::Array { .. }
            | Type::Tuple { .. }
            | Type::Hash { .. }
            | Type::Struct(_)
            | Type::Regexp(_)
            | Type::Sensitive(_)
            | Type::Timestamp { .. }
            | Type::Timespan { .. }
            | Type::SemVer(_)
            | Type::SemVerRange
            | Type::Binary
            | Type::Uri(_)
            | Type::Type(_)
            | Type::NotUndef(Type::Any)
            | Type::ObjectExtension { .. }
            | Type::Init { ty: Some(_), .. } => true,
            Type::Object { name, definition, .. } => {
                definition.is_some() || matches!(name, Some("Error" | "Deferred" | "Puppet::LookupContext"))
            }
            Type::Optional(inner) if !inner.is_unit() => has_constructor(inner),
            Type::NotUndef(inner) => has_constructor(inner),
            // One that is still being resolved is not asked yet.
            Type::Alias(alias) => alias.target.get().is_none_or(has_constructor),
            _ => false,
        }
    }
    !matches!(ty, Type::Init { .. } | Type::Optional(_) | Type::NotUndef(_)) && has_constructor(ty)
}

/// What `Init[ty, args…]` accepts beside instances of `ty`.
///
/// # Errors
/// When `ty` has no constructor, or none that takes the arguments.
pub(crate) fn accepted<'c>(vm: &mut Vm<'c>, ty: &'c Type<'c>, args: &[Value<'c>]) -> Eval<'c, Accepted<'c>> {
    let all = match ty {
        Type::Init { .. } | Type::Optional(_) | Type::NotUndef(_) => Vec::new(),
        ty => signatures(vm, ty),
    };
    if all.is_empty() {
        return Err(Flow::raw(unsupported(ty)));
    }
    let mut single = vec![ty];
    if args.is_empty() {
        let (one, several): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|params| params.types.len() == 1 && params.least == 1);
        single.extend(one.iter().filter_map(|params| params.types.first()));
        return Ok(Accepted { single, several });
    }
    let given: Vec<_> = args.iter().map(|arg| infer_set(vm, *arg)).collect();
    let fitting: Vec<_> = all
        .into_iter()
        .filter(|params| {
            (params.least..=params.types.len()).contains(&(given.len() + 1))
                && params.types[1..].iter().zip(&given).all(|(ty, arg)| is_assignable(vm.arena, ty, arg))
        })
        .collect();
    if fitting.is_empty() {
        let init = Type::Init { ty: Some(ty), args: vm.arena.alloc_slice_copy(args) };
        let (init, name) = (print(&init), crate::types::name(generalize(vm.arena, ty)));
        return Err(Flow::raw(format!(
            "The type '{init}' does not represent a valid set of parameters for {name}.new()"
        )));
    }
    single.extend(fitting.iter().filter_map(|params| params.types.first()));
    Ok(Accepted { single, several: Vec::new() })
}

/// Fails for an `Init` of a type that can't be made, or not with such arguments.
pub fn check_init<'c>(vm: &mut Vm<'c>, ty: &'c Type<'c>) -> Eval<'c, ()> {
    match ty {
        Type::Init { ty: Some(inner), args } => accepted(vm, inner, args).map(|_| ()),
        _ => Ok(()),
    }
}

fn fits<'c>(vm: &mut Vm<'c>, params: &Parameters<'c>, items: &[Value<'c>]) -> bool {
    params.fit(items, |ty, item| is_instance(vm, ty, item))
}

/// `Init[inner, more].new(value)`: an array is taken apart unless it is itself what `inner` is made of.
pub(super) fn init<'c>(
    vm: &mut Vm<'c>,
    scope: &'c Scope<'c>,
    inner: &'c Type<'c>,
    more: &[Value<'c>],
    args: &[Value<'c>],
) -> Eval<'c> {
    super::check(vm, "new_Init", &[], &[&[("Any", "value", true)]], args)?;
    let accepted = accepted(vm, inner, more)?;
    match args[0] {
        Value::Array(items) if more.is_empty() => {
            let alone = accepted.single.iter().any(|ty| is_instance(vm, ty, args[0])) || {
                let several = &accepted.several;
                !several.is_empty()
                    && !several.iter().any(|params| fits(vm, params, items.items()))
                    && several.iter().any(|params| params.least == 1 && fits(vm, params, args))
            };
            let args = if alone { args } else { items.items() };
            super::new_instance(vm, scope, inner, args)
        }
        value => {
            let mut all = vec![value];
            all.extend_from_slice(more);
            super::new_instance(vm, scope, inner, &all)
        }
    }
}
