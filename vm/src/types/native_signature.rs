//! Signatures of native functions: from the texts of their parameters' types.

use crate::error::{Eval, Flow};
use crate::function::{Arity, Dispatch, Native};
use crate::types::alias::set_alias;
use crate::types::build::{callable, optional};
use crate::types::lasting::LastingType;
use crate::types::parse::parse_with;
use crate::types::signature::Signature;
use crate::types::ty::{Alias, Range, Type};
use crate::vm::Vm;
use std::collections::BTreeMap;
use std::sync::RwLock;

/// The signatures of a function's dispatches, and those of its argument mismatches.
type Both<'c> = (Vec<Signature<'c>>, Vec<Signature<'c>>);

/// What the signatures of a native function have been parsed to, in the same order.
type Parsed = (Box<[LastingType]>, Box<[LastingType]>);

/// The native functions met so far, by their addresses: their texts are part of the program.
static PARSED: RwLock<BTreeMap<usize, &'static Parsed>> = RwLock::new(BTreeMap::new());

/// The signatures of a native function's dispatches, then those of its argument mismatches.
///
/// # Errors
/// For a type that does not parse.
pub fn signatures<'c>(vm: &mut Vm<'c>, native: &'static Native) -> Eval<'c, Both<'c>> {
    // Types of a function's own are known by name nowhere else.
    if !native.local_types.is_empty() {
        return parsed(vm, native);
    }
    let key = std::ptr::from_ref(native).addr();
    let known = PARSED.read().ok().and_then(|all| all.get(&key).copied());
    if let Some((dispatches, mismatches)) = known {
        return Ok((made(vm, native.dispatches, dispatches)?, made(vm, native.mismatches, mismatches)?));
    }
    let both = parsed(vm, native)?;
    let lasting = |all: &[Signature<'c>]| {
        all.iter().map(|one| LastingType::of(&Type::Callable(one.callable))).collect::<Option<_>>()
    };
    if let (Some(dispatches), Some(mismatches)) = (lasting(&both.0), lasting(&both.1))
        && let Ok(mut all) = PARSED.write()
    {
        all.entry(key).or_insert_with(|| Box::leak(Box::new((dispatches, mismatches))));
    }
    Ok(both)
}

fn made<'c>(
    vm: &mut Vm<'c>,
    dispatches: &'static [Dispatch],
    types: &'static [LastingType],
) -> Eval<'c, Vec<Signature<'c>>> {
    let pairs = dispatches.iter().zip(types);
    pairs.map(|(dispatch, ty)| named(dispatch, ty.make(vm)?)).collect()
}

fn parsed<'c>(vm: &mut Vm<'c>, native: &'static Native) -> Eval<'c, Both<'c>> {
    let locals = local_types(vm, native.local_types)?;
    let mut both = (Vec::new(), Vec::new());
    for dispatch in native.dispatches {
        both.0.push(signature(vm, dispatch, &locals)?);
    }
    for dispatch in native.mismatches {
        both.1.push(signature(vm, dispatch, &locals)?);
    }
    Ok(both)
}

type Locals<'c> = Vec<(&'static str, &'c Type<'c>)>;

fn local_types<'c>(vm: &mut Vm<'c>, texts: &'static [&'static str]) -> Eval<'c, Locals<'c>> {
    let mut locals: Locals<'c> = Vec::new();
    let mut bodies = Vec::new();
    for text in texts {
        let Some((name, body)) = text.split_once('=') else { continue };
        let name = name.trim();
        let alias: &'c Alias<'c> = vm.arena.alloc(Alias::new(name));
        locals.push((name, Type::Alias(alias).alloc(vm.arena)));
        bodies.push((alias, body));
    }
    for (alias, body) in bodies {
        let body = parse_with(vm, body, &locals)?;
        set_alias(vm.arena, alias, body)?;
    }
    Ok(locals)
}

fn signature<'c>(
    vm: &mut Vm<'c>,
    dispatch: &'static Dispatch,
    locals: &[(&str, &'c Type<'c>)],
) -> Eval<'c, Signature<'c>> {
    let mut types = Vec::with_capacity(dispatch.params.len());
    let (mut least, mut most) = (0, Some(0));
    for param in dispatch.params {
        types.push(parse_with(vm, param.ty, locals)?);
        least += i64::from(matches!(param.arity, Arity::Required | Arity::RequiredRepeated));
        most = match param.arity {
            Arity::Required | Arity::Optional => most.map(|n: i64| n + 1),
            Arity::Repeated | Arity::RequiredRepeated => None,
        };
    }
    let size = (least == 0 || most != Some(least)).then_some(Range { min: Some(least), max: most });
    let block = match dispatch.block {
        None => None,
        Some(spec) => {
            let ty = if spec.ty.is_empty() { "Callable" } else { spec.ty };
            let ty = parse_with(vm, ty, locals)?;
            Some(if spec.optional { optional(vm.arena, ty) } else { ty })
        }
    };
    let returns = match dispatch.returns {
        None => None,
        Some(ty) => Some(parse_with(vm, ty, locals)?),
    };
    named(dispatch, callable(vm.arena, &types, size, block, returns))
}

fn named<'c>(dispatch: &'static Dispatch, ty: &'c Type<'c>) -> Eval<'c, Signature<'c>> {
    let Type::Callable(callable) = ty else {
        return Err(Flow::raw("a signature is no callable"));
    };
    Ok(Signature {
        callable: *callable,
        names: dispatch.params.iter().map(|p| p.name).collect(),
        block_name: dispatch.block.map_or("block", |b| b.name),
    })
}
