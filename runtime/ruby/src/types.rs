//! What a type is made of, as Ruby asks for it: the readers of Puppet's classes of types, by name.

use bunraku_vm::types::{Range, Type};
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;

/// Readers and their values.
type TypeParts<'c> = Vec<(&'static str, Value<'c>)>;

/// The parts of a type, by the names of their readers; empty for those that have none.
pub(super) fn type_parts<'c>(vm: &mut Vm<'c>, ty: &'c Type<'c>) -> Value<'c> {
    let mut hash = HashBuilder::new(vm.arena);
    for (name, value) in parts(vm, ty) {
        hash.insert_str(name, value);
    }
    Value::Hash(hash.finish())
}

fn parts<'c>(vm: &mut Vm<'c>, ty: &'c Type<'c>) -> TypeParts<'c> {
    let inner = |ty: &'c Type<'c>| match ty {
        Type::Any => Value::Undef,
        ty => Value::Type(ty),
    };
    match ty {
        Type::Integer(range) => bounds(*range),
        Type::Float { min, max } => vec![
            ("from", Value::Float(min.unwrap_or(f64::NEG_INFINITY))),
            ("to", Value::Float(max.unwrap_or(f64::INFINITY))),
        ],
        Type::Boolean(value) => vec![("value", value.map_or(Value::Undef, Value::Bool))],
        Type::String { size } => {
            let size = sizes(vm, *size);
            vec![("value", Value::Undef), ("size_type", size), ("size_type_or_value", size)]
        }
        Type::StringValue(text) => {
            let text = vm.string(text);
            vec![("value", text), ("size_type", Value::Undef), ("size_type_or_value", text)]
        }
        Type::Enum { values, ignore_case } => {
            let values: Vec<_> = values.iter().map(|value| vm.string(value)).collect();
            vec![("values", vm.array(&values)), ("case_insensitive?", Value::Bool(*ignore_case))]
        }
        Type::Pattern(sources) => {
            let patterns: Vec<_> = sources
                .iter()
                .map(|source| Value::Type(Type::Regexp(Some(source)).alloc(vm.arena)))
                .collect();
            vec![("patterns", vm.array(&patterns))]
        }
        Type::Regexp(source) => vec![("pattern", source.map_or(Value::Undef, |source| vm.string(source)))],
        Type::Collection(size) => vec![("size_type", sizes(vm, *size))],
        Type::Array { element, size } => {
            vec![("element_type", Value::Type(element)), ("size_type", sizes(vm, *size))]
        }
        Type::Hash { key, value, size } => {
            vec![
                ("key_type", Value::Type(key)),
                ("value_type", Value::Type(value)),
                ("size_type", sizes(vm, *size)),
            ]
        }
        Type::Tuple { types, size } => {
            let size = size.map_or(Value::Undef, |size| sizes(vm, size));
            vec![("types", list(vm, types)), ("size_type", size)]
        }
        Type::Variant(types) => vec![("types", list(vm, types))],
        Type::Struct(members) => {
            let rows: Vec<_> = members
                .iter()
                .map(|member| {
                    vm.array(&[
                        vm.string(member.name),
                        Value::Type(member.value),
                        Value::Bool(member.optional),
                    ])
                })
                .collect();
            vec![("elements", vm.array(&rows))]
        }
        Type::Optional(ty) => vec![("type", inner(ty)), ("optional_type", inner(ty))],
        Type::NotUndef(ty)
        | Type::Sensitive(ty)
        | Type::Type(ty)
        | Type::Iterable(ty)
        | Type::Iterator(ty) => {
            vec![("type", inner(ty))]
        }
        Type::Alias(alias) => {
            let target = alias.target.get().map_or(Value::Undef, Value::Type);
            vec![("name", vm.string(alias.name)), ("resolved_type", target)]
        }
        _ => Vec::new(),
    }
}

fn list<'c>(vm: &Vm<'c>, types: &[&'c Type<'c>]) -> Value<'c> {
    let types: Vec<_> = types.iter().map(|ty| Value::Type(ty)).collect();
    vm.array(&types)
}

/// Bounds of an integer: an open one is infinite.
fn bounds<'c>(range: Range) -> TypeParts<'c> {
    let bound = |bound: Option<i64>, open: f64| bound.map_or(Value::Float(open), Value::Int);
    vec![("from", bound(range.min, f64::NEG_INFINITY)), ("to", bound(range.max, f64::INFINITY))]
}

/// The type of a size; none where any size will do.
fn sizes<'c>(vm: &Vm<'c>, size: Range) -> Value<'c> {
    match size {
        Range { min: None | Some(0), max: None } => Value::Undef,
        size => Value::Type(Type::Integer(size).alloc(vm.arena)),
    }
}
