//! Inference: the type a value has.

use super::{
    CallableType, Range, StructMember, Type, data, enumeration, generalize, is_assignable, pattern,
    rich_data, variant,
};
use crate::budget;
use crate::closure::Closure;
use crate::error::Eval;
use crate::value::{Hash, Value};
use crate::vm::Vm;
use bumpalo::Bump;

/// The type of a value, the types of a collection's elements reduced to one they have in common.
pub fn infer<'c>(vm: &mut Vm<'c>, value: Value<'c>) -> &'c Type<'c> {
    let arena = vm.arena;
    match value {
        Value::Array(items) if items.is_empty() => &Type::Array { element: &Type::Unit, size: Range::EMPTY },
        Value::Array(items) => {
            let element = budget::within(items.len(), || reduce(vm, items.items().iter().copied()));
            Type::Array { element, size: Range::exactly(items.len() as i64) }.alloc(arena)
        }
        Value::Hash(hash) if hash.is_empty() => {
            &Type::Hash { key: &Type::Unit, value: &Type::Unit, size: Range::EMPTY }
        }
        Value::Hash(hash) => {
            let (key, value) = budget::within(2 * hash.len(), || {
                let key = reduce(vm, hash.entries().iter().map(|(k, _)| *k));
                (key, reduce(vm, hash.entries().iter().map(|(_, v)| *v)))
            });
            Type::Hash { key, value, size: Range::exactly(hash.len() as i64) }.alloc(arena)
        }
        _ => infer_single(vm, value),
    }
}

/// The type of a value in full detail: an array is a `Tuple`, a hash with string keys a `Struct`.
pub fn infer_set<'c>(vm: &mut Vm<'c>, value: Value<'c>) -> &'c Type<'c> {
    let arena = vm.arena;
    match value {
        Value::Array(items) if !items.is_empty() => {
            let types: Vec<_> = budget::within(items.len(), || {
                items.items().iter().map(|item| infer_set(vm, *item)).collect()
            });
            Type::Tuple { types: arena.alloc_slice_copy(&types), size: None }.alloc(arena)
        }
        Value::Hash(hash) if !hash.is_empty() => {
            budget::within(2 * hash.len(), || infer_set_of_hash(vm, hash))
        }
        Value::SemVer(version) => {
            let exactly = format!("{0} - {0}", version.as_str());
            Type::SemVer(arena.alloc_slice_copy(&[&*arena.alloc_str(&exactly)])).alloc(arena)
        }
        _ => infer(vm, value),
    }
}

fn infer_set_of_hash<'c>(vm: &mut Vm<'c>, hash: Hash<'c>) -> &'c Type<'c> {
    let arena = vm.arena;
    let entries = hash.entries();
    let mut members = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        match key {
            Value::Str(key) if !key.is_empty() => {
                let value = infer_set(vm, *value);
                members.push(StructMember { name: key.as_str(), optional: false, value });
            }
            _ => break,
        }
    }
    if members.len() == entries.len() {
        return Type::Struct(arena.alloc_slice_copy(&members)).alloc(arena);
    }
    let keys: Vec<_> = entries.iter().map(|(k, _)| infer_set(vm, *k)).collect();
    let values: Vec<_> = entries.iter().map(|(_, v)| infer_set(vm, *v)).collect();
    let (key, value) = (variant(arena, &keys), variant(arena, &values));
    Type::Hash { key, value, size: Range::exactly(entries.len() as i64) }.alloc(arena)
}

fn infer_single<'c>(vm: &mut Vm<'c>, value: Value<'c>) -> &'c Type<'c> {
    let arena = vm.arena;
    match value {
        Value::Undef => &Type::Undef,
        Value::Default => &Type::Default,
        Value::Bool(true) => &Type::Boolean(Some(true)),
        Value::Bool(false) => &Type::Boolean(Some(false)),
        Value::Int(n) => Type::Integer(Range::exactly(n)).alloc(arena),
        Value::Float(f) => Type::Float { min: Some(f), max: Some(f) }.alloc(arena),
        Value::Str(s) => Type::StringValue(s.as_str()).alloc(arena),
        Value::Type(ty) => Type::Type(ty).alloc(arena),
        Value::Regexp(source) => Type::Regexp(Some(source.as_str())).alloc(arena),
        Value::Sensitive(hidden) => {
            let inner = budget::within(1, || infer(vm, *hidden));
            Type::Sensitive(generalize(arena, inner)).alloc(arena)
        }
        Value::Closure(closure) => of_closure(vm, closure).unwrap_or(&Type::Callable(CallableType::ANY)),
        Value::Iterator(iter) => Type::Iterator(iter.element).alloc(arena),
        Value::Timestamp(n) => Type::Timestamp { from: Some(*n), to: Some(*n) }.alloc(arena),
        Value::Timespan(n) => Type::Timespan { from: Some(*n), to: Some(*n) }.alloc(arena),
        Value::SemVer(_) => &Type::SemVer(&[]),
        Value::SemVerRange(_) => &Type::SemVerRange,
        Value::Binary(_) => &Type::Binary,
        Value::Uri(uri) => Type::Uri(Some(crate::uri::to_hash(arena, &uri))).alloc(arena),
        Value::Object(object) => super::object::of_instance(vm, object),
        Value::Array(_) | Value::Hash(_) => infer(vm, value),
    }
}

/// The `Callable` a lambda or a function of the language is.
///
/// # Errors
/// Those of evaluating the parameters' types.
pub fn of_closure<'c>(vm: &mut Vm<'c>, closure: &'c Closure<'c>) -> Eval<'c, &'c Type<'c>> {
    let arena = vm.arena;
    let infos = vm.params(closure.chunk)?;
    let mut types = Vec::with_capacity(infos.len());
    let (mut from, mut to) = (0, Some(0));
    for (n, info) in infos.iter().enumerate() {
        let mut ty = vm.param_type(closure.chunk, n)?;
        let (least, most) = match (info.captures_rest, ty) {
            (true, Type::Array { element, size }) => {
                ty = element;
                let size = size.as_size();
                (size.min.unwrap_or(0), size.max)
            }
            (true, _) => (0, None),
            (false, _) => (i64::from(!info.has_default), Some(1)),
        };
        from += least;
        to = to.zip(most).map(|(a, b)| a + b);
        types.push(ty);
    }
    let size = Range { min: Some(from), max: to };
    Ok(super::callable(arena, &types, Some(size), None, None))
}

fn reduce<'c>(vm: &mut Vm<'c>, values: impl Iterator<Item = Value<'c>> + Clone) -> &'c Type<'c> {
    // Puppet joins type after type; of strings or integers only, the result is known at once.
    if values.clone().all(|value| matches!(value, Value::Int(_))) {
        let numbers = values.filter_map(|value| if let Value::Int(n) = value { Some(n) } else { None });
        if let Some(range) = numbers.map(Range::exactly).reduce(Range::hull) {
            return Type::Integer(range).alloc(vm.arena);
        }
        return &Type::Undef;
    }
    if values.clone().all(|value| matches!(value, Value::Str(_))) {
        let texts: Vec<&'c str> = values.filter_map(Value::as_str).collect();
        return match texts[..] {
            [first, ref rest @ ..] if rest.iter().all(|text| *text == first) => {
                Type::StringValue(first).alloc(vm.arena)
            }
            _ => enumeration(vm.arena, &texts, false),
        };
    }
    let mut result: Option<&'c Type<'c>> = None;
    for value in values {
        let ty = infer(vm, value);
        result = Some(match result {
            None => ty,
            Some(so_far) => common(vm.arena, so_far, ty),
        });
    }
    result.unwrap_or(&Type::Undef)
}

/// The narrowest type Puppet names that both are assignable to.
pub fn common<'c>(arena: &'c Bump, a: &'c Type<'c>, b: &'c Type<'c>) -> &'c Type<'c> {
    budget::within(2, || common_of(arena, a, b))
}

fn common_of<'c>(arena: &'c Bump, a: &'c Type<'c>, b: &'c Type<'c>) -> &'c Type<'c> {
    use super::Type::*;
    match (a, b) {
        (Undef | Unit, _) => return b,
        (_, Undef | Unit) => return a,
        _ => {}
    }
    if is_assignable(arena, a, b) {
        return a;
    }
    if is_assignable(arena, b, a) {
        return b;
    }
    let special = match (a, b) {
        (Array { element: a, .. }, Array { element: b, .. }) => {
            Array { element: common(arena, a, b), size: Range::ANY }
        }
        (Hash { key: a, value: c, .. }, Hash { key: b, value: d, .. }) => {
            Hash { key: common(arena, a, b), value: common(arena, c, d), size: Range::ANY }
        }
        (Class(_), Class(_)) => Class(None),
        (Resource { type_name: a, .. }, Resource { type_name: b, .. }) => {
            Resource { type_name: if a == b { *a } else { None }, title: None }
        }
        (Integer(a), Integer(b)) => Integer(a.hull(*b)),
        (Float { min: a, max: c }, Float { min: b, max: d }) => {
            Float { min: a.zip(*b).map(|(a, b)| a.min(b)), max: c.zip(*d).map(|(c, d)| c.max(d)) }
        }
        (StringValue(a), StringValue(b)) => return enumeration(arena, &[a, b], false),
        (StringValue(a), Enum { values, .. }) | (Enum { values, .. }, StringValue(a)) => {
            let mut all = values.to_vec();
            all.push(a);
            return enumeration(arena, &all, false);
        }
        (String { .. }, Enum { .. }) | (Enum { .. }, String { .. }) => {
            Enum { values: &[], ignore_case: false }
        }
        (Enum { values: a, .. }, Enum { values: b, .. }) => {
            return enumeration(arena, &[*a, *b].concat(), false);
        }
        (String { size: a }, String { size: b }) if !a.is_unbounded() && !b.is_unbounded() => {
            String { size: a.hull(*b) }
        }
        (String { .. } | StringValue(_), String { .. } | StringValue(_)) => String { size: Range::ANY },
        (Pattern(a), Pattern(b)) => return pattern(arena, &[*a, *b].concat()),
        (Variant(a), Variant(b)) => return variant(arena, &[*a, *b].concat()),
        (Regexp(_), Regexp(_)) => Regexp(None),
        (Callable(_), Callable(_)) => Callable(CallableType::ANY),
        _ => return common_general(arena, a, b),
    };
    special.alloc(arena)
}

fn common_general<'c>(arena: &'c Bump, a: &'c Type<'c>, b: &'c Type<'c>) -> &'c Type<'c> {
    let both = |ty: &'c Type<'c>| is_assignable(arena, ty, a) && is_assignable(arena, ty, b);
    for ty in [&Type::Numeric, &Type::ScalarData, &Type::Scalar] {
        if both(ty) {
            return ty;
        }
    }
    let data = data(arena);
    if both(data) {
        return data;
    }
    if let (Type::Type(a), Type::Type(b)) = (a, b) {
        return Type::Type(common(arena, a, b)).alloc(arena);
    }
    let rich = rich_data(arena);
    if both(rich) {
        return rich;
    }
    &Type::Any
}
