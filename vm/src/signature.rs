//! Signatures ready to be checked: a native function's parameter types parsed once a compile.

use crate::closure::Closure;
use crate::error::Eval;
use crate::function::{Arity, Native};
use crate::types::{self, Range, Type};
use crate::value::Value;
use crate::vm::Vm;

/// A parameter of a signature.
#[derive(Clone, Copy)]
pub struct SignatureParam<'c> {
    /// Name, as messages show it.
    pub name: &'c str,
    /// Its type.
    pub ty: &'c Type<'c>,
}

/// The block a signature accepts.
#[derive(Clone, Copy)]
pub struct SignatureBlock<'c> {
    /// Name, as messages show it.
    pub name: &'c str,
    /// A `Callable`.
    pub ty: &'c Type<'c>,
    /// Whether it may be left out.
    pub optional: bool,
}

/// One signature of a callable.
#[derive(Clone, Copy)]
pub struct Signature<'c> {
    /// Parameters in order; where `size.max` exceeds their number, the last one repeats.
    pub params: &'c [SignatureParam<'c>],
    /// How many arguments are accepted.
    pub size: Range,
    /// The block.
    pub block: Option<SignatureBlock<'c>>,
    /// Type of the result.
    pub returns: Option<&'c Type<'c>>,
}

/// All signatures of a native function.
pub struct Signatures<'c> {
    /// Its dispatches.
    pub dispatches: &'c [Signature<'c>],
    /// Its argument mismatches.
    pub mismatches: &'c [Signature<'c>],
}

impl<'c> Signature<'c> {
    /// Whether a call with these arguments is accepted.
    ///
    /// # Errors
    /// Those of resolving a type.
    pub fn accepts(
        &self,
        vm: &mut Vm<'c>,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
    ) -> Eval<'c, bool> {
        let count = args.len() as i64;
        if count < self.size.min.unwrap_or(0) || self.size.max.is_some_and(|max| count > max) {
            return Ok(false);
        }
        match (self.block, block) {
            (None, Some(_)) => return Ok(false),
            (Some(wanted), None) if !wanted.optional => return Ok(false),
            (Some(wanted), Some(block)) => {
                if !block_fits(vm, wanted.ty, block)? {
                    return Ok(false);
                }
            }
            _ => {}
        }
        for (n, arg) in args.iter().enumerate() {
            let Some(param) = self.params.get(n).or(self.params.last()) else { return Ok(false) };
            if !matches!(param.ty, Type::Any) && !types::is_instance(vm, param.ty, *arg)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether a lambda may be called as the `Callable` says: it accepts as few and as many arguments, and their types.
fn block_fits<'c>(vm: &mut Vm<'c>, wanted: &'c Type<'c>, block: &'c Closure<'c>) -> Eval<'c, bool> {
    let callable = match wanted {
        Type::Callable(callable) => callable,
        Type::Optional(inner) => return block_fits(vm, inner, block),
        Type::Variant(types) => {
            for ty in *types {
                if block_fits(vm, ty, block)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        _ => return Ok(true),
    };
    if callable.unspecified {
        return Ok(true);
    }
    let own = vm.signature_of(block)?;
    let enough = own.size.min.unwrap_or(0) <= callable.size.min.unwrap_or(0)
        && own.size.max.is_none_or(|own| callable.size.max.is_some_and(|wanted| wanted <= own));
    if !enough {
        return Ok(false);
    }
    for (n, ty) in callable.params.iter().enumerate() {
        let Some(param) = own.params.get(n).or(own.params.last()) else { break };
        if !matches!(param.ty, Type::Any) && !types::is_assignable(param.ty, ty) {
            return Ok(false);
        }
    }
    Ok(true)
}

impl<'c> Vm<'c> {
    /// The signatures of a native function, its types parsed on first need.
    ///
    /// # Errors
    /// When a type of it does not parse.
    pub(crate) fn native_signatures(&mut self, native: &'static Native) -> Eval<'c, &'c Signatures<'c>> {
        if let Some(known) = self.signatures.get(&(native as *const Native)) {
            return Ok(known);
        }
        let locals = self.local_types(native)?;
        let mut lists: [Vec<Signature<'c>>; 2] = Default::default();
        for (list, dispatches) in lists.iter_mut().zip([native.dispatches, native.mismatches]) {
            for dispatch in dispatches {
                let mut params = Vec::new();
                let mut size = Range { min: Some(0), max: Some(0) };
                for param in dispatch.params {
                    let ty = self.signature_type(param.ty, &locals)?;
                    params.push(SignatureParam { name: param.name, ty });
                    let (least, most) = match param.arity {
                        Arity::Required => (1, Some(1)),
                        Arity::Optional => (0, Some(1)),
                        Arity::Repeated => (0, None),
                        Arity::RequiredRepeated => (1, None),
                    };
                    size.min = size.min.map(|n| n + least);
                    size.max = size.max.zip(most).map(|(n, m)| n + m);
                }
                let block = match dispatch.block {
                    Some(spec) => Some(SignatureBlock {
                        name: spec.name,
                        ty: self.signature_type(spec.ty, &locals)?,
                        optional: spec.optional,
                    }),
                    None => None,
                };
                let returns = match dispatch.returns {
                    Some(text) => Some(self.signature_type(text, &locals)?),
                    None => None,
                };
                list.push(Signature { params: self.arena.alloc_slice_copy(&params), size, block, returns });
            }
        }
        let [dispatches, mismatches] = lists.map(|list| &*self.arena.alloc_slice_copy(&list));
        let signatures = &*self.arena.alloc(Signatures { dispatches, mismatches });
        self.signatures.insert(native, signatures);
        Ok(signatures)
    }

    fn local_types(&mut self, native: &'static Native) -> Eval<'c, Vec<(&'static str, &'static str)>> {
        Ok(native
            .local_types
            .iter()
            .filter_map(|line| line.split_once('='))
            .map(|(name, ty)| (name.trim(), ty.trim()))
            .collect())
    }

    fn signature_type(&mut self, text: &str, locals: &[(&str, &str)]) -> Eval<'c, &'c Type<'c>> {
        match text {
            "Any" => return Ok(&Type::Any),
            "Callable" => {}
            _ => {}
        }
        let local = locals.iter().find(|(name, _)| *name == text);
        types::parse(self, local.map_or(text, |(_, ty)| ty))
    }
}
