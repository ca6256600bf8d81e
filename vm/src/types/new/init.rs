//! `Init[T, …]`: what can be made into a `T`. Source: `Puppet::Pops::Types::PInitType`.

use crate::error::{Eval, Flow};
use crate::types::assign::is_assignable;
use crate::types::context::{Accepted, ConstructorParameters};
use crate::types::conversion::unsupported;
use crate::types::generalize::generalize;
use crate::types::infer::infer_set;
use crate::types::instance::is_instance;
use crate::types::name::name as name_of;
use crate::types::new::check::check;
use crate::types::new::construct::{construct, new_instance};
use crate::types::print::print;
use crate::types::ty::Type;
use crate::value::Value;
use crate::vm::Vm;

/// The signatures of a type's constructor; none for a type that has no constructor.
fn signatures<'c>(vm: &mut Vm<'c>, ty: &'c Type<'c>) -> Vec<ConstructorParameters<'c>> {
    let outer = vm.types.asked_constructor.replace(Vec::new());
    // Without arguments a constructor gets no further than to its signatures.
    let _ = construct(vm, ty, &[]);
    std::mem::replace(&mut vm.types.asked_constructor, outer).unwrap_or_default()
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
        let (init, name) = (print(&init), name_of(generalize(vm.arena, ty)));
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

fn fits<'c>(vm: &mut Vm<'c>, params: &ConstructorParameters<'c>, items: &[Value<'c>]) -> bool {
    params.fit(items, |ty, item| is_instance(vm, ty, item))
}

/// `Init[inner, more].new(value)`: an array is taken apart unless it is itself what `inner` is made of.
pub(super) fn init<'c>(
    vm: &mut Vm<'c>,
    inner: &'c Type<'c>,
    more: &[Value<'c>],
    args: &[Value<'c>],
) -> Eval<'c> {
    check(vm, "new_Init", &[], &[&[("Any", "value", true)]], args)?;
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
            new_instance(vm, inner, args)
        }
        value => {
            let mut all = vec![value];
            all.extend_from_slice(more);
            new_instance(vm, inner, &all)
        }
    }
}
