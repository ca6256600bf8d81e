//! `new`: making values of a type from other values.

mod binary;
mod collection;
mod init;
mod number;
mod object;
pub mod time;
mod version;

pub use init::check_init;
pub(crate) use init::{Parameters, accepted, is_constructible};
pub use object::{from_hash, member};

use super::mismatch::{assert_instance, describe_arguments};
use super::{StructMember, Type, callable, infer, is_instance, parse_with, print};
use crate::error::{Eval, Flow};
use crate::scope::Scope;
use crate::value::Value;
use crate::vm::Vm;
use bumpalo::Bump;

/// `T.new(args…)`, `T(args…)`.
///
/// # Errors
/// For a type that has no `new`, for arguments it does not take, and for a result that is no instance.
pub fn new_instance<'c>(
    vm: &mut Vm<'c>,
    scope: &'c Scope<'c>,
    ty: &'c Type<'c>,
    args: &[Value<'c>],
) -> Eval<'c> {
    if let [only] = args
        && !matches!(ty, Type::Init { .. })
        && is_instance(vm, ty, *only)
    {
        return Ok(*only);
    }
    let value = construct(vm, scope, ty, args)?;
    let subject = format!("Converted value from {}.new()", print(ty));
    assert_instance(vm, &subject, ty, value)?;
    Ok(value)
}

fn construct<'c>(vm: &mut Vm<'c>, scope: &'c Scope<'c>, ty: &'c Type<'c>, args: &[Value<'c>]) -> Eval<'c> {
    match ty {
        Type::Integer(_) => number::integer(vm, args),
        Type::Float { .. } => number::float(vm, args),
        Type::Numeric => number::numeric(vm, args),
        Type::Boolean(_) => number::boolean(vm, args),
        Type::String { .. } | Type::StringValue(_) => string(vm, args),
        Type::Array { .. } | Type::Tuple { .. } => collection::array(vm, args),
        Type::Hash { .. } | Type::Struct(_) => collection::hash(vm, args),
        Type::Optional(inner) if !inner.is_unit() => construct(vm, scope, inner, args),
        Type::NotUndef(Type::Any) => {
            check(vm, "new_unit", &[], &[&[("Any", "from", true)]], args)?;
            Ok(args[0])
        }
        Type::NotUndef(inner) => construct(vm, scope, inner, args),
        Type::Alias(alias) => match alias.target.get() {
            Some(target) => construct(vm, scope, target, args),
            None => Err(Flow::raw(format!("Reference to unresolved type {}", alias.name))),
        },
        Type::Regexp(_) => regexp(vm, args),
        Type::Sensitive(_) => {
            check(
                vm,
                "new_Sensitive",
                &[],
                &[&[("Sensitive", "value", true)], &[("Any", "value", true)]],
                args,
            )?;
            match args[0] {
                value @ Value::Sensitive(_) => Ok(value),
                value => Ok(Value::Sensitive(vm.arena.alloc(value))),
            }
        }
        Type::Timestamp { .. } => time::timestamp(vm, args),
        Type::Timespan { .. } => time::timespan(vm, args),
        Type::SemVer(_) => version::version(vm, args),
        Type::SemVerRange => version::range(vm, args),
        Type::Binary => binary::binary(vm, args),
        Type::Uri(_) => object::uri(vm, args),
        Type::Type(_) => {
            check(vm, "new_type", &[], &[&[("String[1]", "type_string", true)]], args)?;
            let Value::Str(text) = args[0] else { return Ok(Value::Undef) };
            super::parse(vm, &text).map(Value::Type)
        }
        Type::Init { ty: Some(inner), args: more } => init::init(vm, scope, inner, more, args),
        Type::Object { .. } | Type::ObjectExtension { .. } => object::object(vm, ty, args),
        _ => Err(Flow::raw(super::noted::unsupported(ty))),
    }
}

/// One signature of a constructor: type, name, whether it is required.
type Params = [(&'static str, &'static str, bool)];

/// Fails unless one of the signatures takes the arguments; yields its number.
fn check<'c>(
    vm: &mut Vm<'c>,
    name: &str,
    locals: &[(&'static str, &'static str)],
    signatures: &[&Params],
    args: &[Value<'c>],
) -> Eval<'c, usize> {
    let mut known: Vec<(&str, &'c Type<'c>)> = Vec::new();
    for (name, body) in locals {
        let body = parse_with(vm, body, &known)?;
        let alias: &'c super::Alias<'c> = vm.arena.alloc(super::Alias::new(name));
        super::set_alias(vm.arena, alias, body)?;
        known.push((name, Type::Alias(alias).alloc(vm.arena)));
    }
    let mut all = Vec::with_capacity(signatures.len());
    for (n, params) in signatures.iter().enumerate() {
        let mut types = Vec::with_capacity(params.len());
        for (ty, _, _) in *params {
            types.push(parse_with(vm, ty, &known)?);
        }
        if let Some(asked) = &mut vm.constructor {
            let least = params.iter().filter(|(_, _, required)| *required).count();
            asked.push(init::Parameters { types, least });
            continue;
        }
        let least = params.iter().filter(|(_, _, required)| *required).count();
        let fits = (least..=params.len()).contains(&args.len())
            && args.iter().zip(&types).all(|(arg, ty)| is_instance(vm, ty, *arg));
        if fits {
            return Ok(n);
        }
        let size = (least == 0 || least != params.len())
            .then(|| super::Range::new(least as i64, params.len() as i64));
        if let Type::Callable(callable) = callable(vm.arena, &types, size, None, None) {
            let names = params.iter().map(|(_, name, _)| *name).collect();
            all.push(super::Signature { callable: *callable, names, block_name: "block" });
        }
    }
    if vm.constructor.is_some() {
        return Err(Flow::raw("only the signatures were asked for"));
    }
    Err(Flow::raw(describe_arguments(vm, name, &all, args, None)))
}

/// "Value of type X cannot be converted to Y", or "The string 'x' …".
fn cannot_convert<'c>(vm: &mut Vm<'c>, function: &str, value: Value<'c>, to: &str) -> Box<Flow<'c>> {
    match value {
        Value::Str(text) => {
            let text = text.as_str();
            Flow::raw(format!("'{function}' The string '{text}' cannot be converted to {to}"))
        }
        value => {
            let ty = infer(vm, value);
            let ty = print(super::generalize(vm.arena, ty));
            Flow::raw(format!("'{function}' Value of type {ty} cannot be converted to {to}"))
        }
    }
}

fn string<'c>(vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
    const FORMAT: &str = "Pattern[/^%([\\s\\[+#0{<(|-]*)([1-9][0-9]*)?(?:\\.([0-9]+))?([a-zA-Z])$/]";
    let locals = [
        ("Format", FORMAT),
        (
            "ContainerFormat",
            "Struct[{Optional[format] => Format, Optional[separator] => String, Optional[separator2] => String, \
             Optional[string_formats] => Hash[Type, Format]}]",
        ),
        ("TypeMap", "Hash[Type, Variant[Format, ContainerFormat]]"),
        ("Convertible", "Any"),
        ("Formats", "Variant[Default, String[1], TypeMap]"),
    ];
    let formats = match args {
        [_] => Value::Default,
        [_, formats @ (Value::Default | Value::Str(_))] if !matches!(formats, Value::Str(s) if s.is_empty()) => {
            *formats
        }
        _ => {
            let params: &Params = &[("Convertible", "from", true), ("Formats", "string_formats", false)];
            check(vm, "new_string", &locals, &[params], args)?;
            args[1]
        }
    };
    let text = crate::format::convert::convert(vm, args[0], formats)?;
    Ok(vm.string(&text))
}

fn regexp<'c>(vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
    let params: &Params = &[("String", "pattern", true), ("Boolean", "escape", false)];
    check(vm, "new_float", &[], &[params], args)?;
    let Value::Str(source) = args[0] else { return Ok(Value::Undef) };
    let source = match args.get(1) {
        Some(Value::Bool(true)) => crate::regex::escape(&source),
        _ => source.as_str().to_owned(),
    };
    crate::regex::check(&source).map_err(Flow::raw)?;
    Ok(Value::Regexp(crate::value::Str::new(vm.arena, &source)))
}

type Types<'c> = Vec<&'c Type<'c>>;

/// What `new` of a type takes as a single argument, or as an array of several: what `Init[T]` accepts beside
/// `T` itself.
pub(super) fn init_types<'c>(arena: &'c Bump, ty: &'c Type<'c>) -> Vec<&'c Type<'c>> {
    use crate::types::Type::*;
    const NUMBER: &str = "\\A[+-]?\\s*(?:(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE]-?\\d+)?|(?:0[xX][0-9A-Fa-f]+)|\
                          (?:0[0-7]+)|(?:0[bB][01]+))\\z";
    const INTEGER: &str = "\\A[+-]?\\s*(?:(?:\\d+)|(?:0[xX][0-9A-Fa-f]+)|(?:0[bB][01]+))\\z";
    // What a number is made of, and the same by name.
    let convertible = |pattern: &'static str, more: &[StructMember<'c>]| -> Types<'c> {
        let mut all: Types<'c> = vec![
            &Numeric,
            &Boolean(None),
            Pattern(arena.alloc_slice_copy(&[pattern])).alloc(arena),
            &Timespan { from: None, to: None },
            &Timestamp { from: None, to: None },
        ];
        let from = Variant(arena.alloc_slice_copy(&all)).alloc(arena);
        let mut members = vec![StructMember { name: "from", optional: false, value: from }];
        members.extend_from_slice(more);
        members.push(StructMember { name: "abs", optional: true, value: &Boolean(None) });
        all.push(Struct(arena.alloc_slice_copy(&members)).alloc(arena));
        all
    };
    const fn exactly<'c>(n: i64) -> crate::types::Type<'c> {
        Integer(super::Range::exactly(n))
    }
    let radix = Variant(arena.alloc_slice_copy(&[
        &Default,
        exactly(2).alloc(arena),
        exactly(8).alloc(arena),
        exactly(10).alloc(arena),
        exactly(16).alloc(arena),
    ]));
    let radix = StructMember { name: "radix", optional: true, value: radix.alloc(arena) };
    match super::resolved(ty) {
        Integer(_) => convertible(INTEGER, &[radix]),
        Float { .. } | Numeric => convertible(NUMBER, &[]),
        Boolean(_) => {
            vec![&Numeric, super::enumeration(arena, &["false", "true", "yes", "no", "y", "n"], true)]
        }
        String { .. } | StringValue(_) | Sensitive(_) => vec![&Any],
        Array { .. } | Tuple { .. } => vec![
            &Array { element: &Any, size: super::Range::ANY },
            &Hash { key: &Any, value: &Any, size: super::Range::ANY },
            &Binary,
            &Iterable(&Unit),
        ],
        Hash { .. } | Struct(_) => vec![&Any],
        Timestamp { .. } | Timespan { .. } => {
            vec![
                &Integer(super::Range::ANY),
                &Float { min: None, max: None },
                &String { size: super::Range { min: Some(1), max: None } },
            ]
        }
        Type(_) | SemVerRange | Uri(_) | SemVer(_) => {
            vec![&String { size: super::Range { min: Some(1), max: None } }]
        }
        Binary | Regexp(_) => vec![&String { size: super::Range::ANY }],
        Object { definition: Some(_), .. } => {
            let members = crate::types::object::constructor(super::resolved(ty));
            let members = members.into_iter();
            let members: Vec<_> = members
                .map(|(name, value, default)| StructMember { name, optional: default.is_some(), value })
                .collect();
            vec![Struct(arena.alloc_slice_copy(&members)).alloc(arena)]
        }
        _ => Vec::new(),
    }
}
