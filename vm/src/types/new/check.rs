//! Arguments of constructors, checked against signatures as those of functions are.

use crate::error::{Eval, Flow};
use crate::types::alias::set_alias;
use crate::types::build::callable;
use crate::types::context::ConstructorParameters;
use crate::types::generalize::generalize;
use crate::types::infer::infer;
use crate::types::instance::is_instance;
use crate::types::mismatch::signature::describe_arguments;
use crate::types::parse::parse_with;
use crate::types::print::print;
use crate::types::signature::Signature;
use crate::types::ty::{Alias, Range, Type};
use crate::value::Value;
use crate::vm::Vm;

/// One signature of a constructor: type, name, whether it is required.
pub(super) type Params = [(&'static str, &'static str, bool)];

/// Fails unless one of the signatures takes the arguments; yields its number.
pub(super) fn check<'c>(
    vm: &mut Vm<'c>,
    name: &str,
    locals: &[(&'static str, &str)],
    signatures: &[&Params],
    args: &[Value<'c>],
) -> Eval<'c, usize> {
    let mut known: Vec<(&str, &'c Type<'c>)> = Vec::new();
    for (name, body) in locals {
        let body = parse_with(vm, body, &known)?;
        let alias: &'c Alias<'c> = vm.arena.alloc(Alias::new(name));
        set_alias(vm.arena, alias, body)?;
        known.push((name, Type::Alias(alias).alloc(vm.arena)));
    }
    let mut all = Vec::with_capacity(signatures.len());
    for (n, params) in signatures.iter().enumerate() {
        let mut types = Vec::with_capacity(params.len());
        for (ty, _, _) in *params {
            types.push(parse_with(vm, ty, &known)?);
        }
        if let Some(asked) = &mut vm.types.asked_constructor {
            let least = params.iter().filter(|(_, _, required)| *required).count();
            asked.push(ConstructorParameters { types, least });
            continue;
        }
        let least = params.iter().filter(|(_, _, required)| *required).count();
        let fits = (least..=params.len()).contains(&args.len())
            && args.iter().zip(&types).all(|(arg, ty)| is_instance(vm, ty, *arg));
        if fits {
            return Ok(n);
        }
        let size =
            (least == 0 || least != params.len()).then(|| Range::new(least as i64, params.len() as i64));
        if let Type::Callable(callable) = callable(vm.arena, &types, size, None, None) {
            let names = params.iter().map(|(_, name, _)| *name).collect();
            all.push(Signature { callable: *callable, names, block_name: "block" });
        }
    }
    if vm.types.asked_constructor.is_some() {
        return Err(Flow::raw("only the signatures were asked for"));
    }
    Err(Flow::raw(describe_arguments(vm, name, &all, args, None)))
}

/// "Value of type X cannot be converted to Y", or "The string 'x' …".
pub(super) fn cannot_convert<'c>(
    vm: &mut Vm<'c>,
    function: &str,
    value: Value<'c>,
    to: &str,
) -> Box<Flow<'c>> {
    match value {
        Value::Str(text) => {
            let text = text.as_str();
            Flow::raw(format!("'{function}' The string '{text}' cannot be converted to {to}"))
        }
        value => {
            let ty = infer(vm, value);
            let ty = print(generalize(vm.arena, ty));
            Flow::raw(format!("'{function}' Value of type {ty} cannot be converted to {to}"))
        }
    }
}
