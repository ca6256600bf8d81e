//! Access on a type: `Integer[1, 10]`, `Array[String]`, `File['/x']`.

use super::access_resource::{class, resource};
use super::{
    CallableType, Range, StructMember, Type, enumeration, generalize, infer, is_callable, pattern, print,
    variant,
};
use crate::error::{Blame, Eval, Flow};
use crate::label;
use crate::scope::Scope;
use crate::time::{timespan, timestamp};
use crate::value::{Hash, Value};
use crate::vm::Vm;

/// `left[keys…]` for a type on the left. Yields a type, an array of resource or class references, or
/// parameter values of a resource.
///
/// # Errors
/// Puppet's, for keys the type does not take.
pub fn access<'c>(vm: &mut Vm<'c>, scope: &'c Scope<'c>, left: &'c Type<'c>, keys: &[Value<'c>]) -> Eval<'c> {
    specialize(vm, Some(scope), left, keys)
}

/// Keys of any depth in one list, as Ruby's `flatten!`.
pub(super) fn flatten<'c>(keys: &[Value<'c>]) -> Vec<Value<'c>> {
    fn add<'c>(keys: &[Value<'c>], out: &mut Vec<Value<'c>>) {
        for key in keys {
            match key {
                Value::Array(items) => add(items, out),
                key => out.push(*key),
            }
        }
    }
    let mut out = Vec::with_capacity(keys.len());
    add(keys, &mut out);
    out
}

/// A type or an alias's own errors where no scope is at hand (types from text).
pub(super) fn specialize<'c>(
    vm: &mut Vm<'c>,
    scope: Option<&'c Scope<'c>>,
    left: &'c Type<'c>,
    keys: &[Value<'c>],
) -> Eval<'c> {
    let arena = vm.arena;
    match left {
        Type::Resource { .. } => return resource(vm, scope, left, keys),
        Type::Class(name) => return class(vm, scope, left, *name, keys),
        _ => {}
    }
    let ty: Type<'c> = match left {
        Type::Struct(_) => structure(vm, left, keys)?,
        Type::Callable(_) => callable(vm, keys)?,
        Type::Init { .. } => init(vm, keys)?,
        _ => {
            let keys = flatten(keys);
            match left {
                Type::Integer(_) => integer(&keys)?,
                Type::Float { .. } => float(&keys)?,
                Type::String { .. } | Type::StringValue(_) => match keys.len() {
                    1 | 2 => Type::String { size: size(&keys, 0)?.as_size() },
                    n => {
                        let message = format!("String supports [] with one or two arguments. Got {n}");
                        return Err(Flow::issue("BAD_STRING_SLICE_ARITY", message));
                    }
                },
                Type::Boolean(_) => {
                    check_keys(vm, left, &keys, Some(1), "TrueClass or FalseClass", |key| {
                        matches!(key, Value::Bool(_))
                    })?;
                    Type::Boolean(Some(matches!(keys[0], Value::Bool(true))))
                }
                Type::Enum { .. } => return enumerate(vm, left, &keys),
                Type::Pattern(_) => return patterns(vm, left, &keys),
                Type::Regexp(_) => {
                    if keys.len() != 1 {
                        return Err(arity(&label::value_an(Value::Type(left)), 1, Some(1), keys.len()));
                    }
                    check_keys(vm, left, &keys, Some(1), "String or Regexp", is_text_or_regexp)?;
                    Type::Regexp(source_of(keys[0]))
                }
                Type::Collection(_) => match keys.len() {
                    1 | 2 => Type::Collection(size(&keys, 0)?.as_size()),
                    n => return Err(arity("Collection-Type", 1, Some(2), n)),
                },
                Type::Array { .. } => array(&keys)?,
                Type::Hash { .. } => hash(&keys)?,
                Type::Tuple { .. } => tuple(vm, left, &keys)?,
                Type::Variant(_) => {
                    check_keys(vm, left, &keys, None, "Any-Type", is_type)?;
                    let types: Vec<_> = keys.iter().filter_map(as_type).collect();
                    return Ok(Value::Type(variant(arena, &types)));
                }
                Type::Optional(_) => Type::Optional(literal_or_type(vm, "Optional-Type", &keys)?),
                Type::NotUndef(_) => not_undef(vm, &keys)?,
                Type::Sensitive(_) => {
                    let inner = single_type("Sensitive-Type", &keys)?;
                    Type::Sensitive(generalize(arena, inner))
                }
                Type::Type(_) => Type::Type(single_type("Type-Type", &keys)?),
                Type::Iterable(_) => Type::Iterable(single_type("Iterable-Type", &keys)?),
                Type::Iterator(_) => Type::Iterator(single_type("Iterator-Type", &keys)?),
                Type::Runtime { .. } => {
                    if keys.len() != 2 {
                        return Err(arity(&label::value_an_uc(Value::Type(left)), 1, Some(2), keys.len()));
                    }
                    check_keys(vm, left, &keys, Some(2), "String or String", |key| {
                        matches!(key, Value::Str(_))
                    })?;
                    Type::Runtime { runtime: keys[0].as_str(), name: keys[1].as_str() }
                }
                Type::SemVer(_) => versions(vm, left, &keys)?,
                Type::Timestamp { .. } => {
                    let (from, to) = times(vm, left, &keys, timestamp_of)?;
                    Type::Timestamp { from, to }
                }
                Type::Timespan { .. } => {
                    let (from, to) = times(vm, left, &keys, timespan_of)?;
                    Type::Timespan { from, to }
                }
                Type::Uri(_) => uri(vm, &keys)?,
                Type::Object { name: None, .. } => match keys[..] {
                    [Value::Hash(init)] => object(init),
                    [other] => {
                        return Err(Flow::raw(format!(
                            "undefined method `empty?' for {}:{}",
                            super::print_value(other),
                            label::ruby_class(other)
                        )));
                    }
                    _ => return Err(arity("Object-Type", 1, None, keys.len())),
                },
                Type::Object { name: Some("Error"), .. } => {
                    // Parameterised by kind and issue code; what it accepts is not narrowed.
                    return Ok(Value::Type(super::infer::error_type(arena, &keys)));
                }
                Type::Object { .. } => {
                    return Err(Flow::raw(format!(
                        "The {}-Type cannot be parameterized using []",
                        print(left)
                    )));
                }
                Type::TypeSet { .. } => match keys[..] {
                    [Value::Hash(init)] => Type::TypeSet { name: None, init: Some(init) },
                    _ => return Err(arity("TypeSet-Type", 1, None, keys.len())),
                },
                Type::Reference(name) => {
                    let message = super::unresolved(name);
                    return Err(Flow::issue("UNKNOWN_RESOURCE_TYPE", message));
                }
                _ => {
                    let message =
                        format!("Operator '[]' is not applicable to {}.", label::value_an(Value::Type(left)));
                    return Err(Flow::issue_at(Blame::Left, "OPERATOR_NOT_APPLICABLE", message));
                }
            }
        }
    };
    Ok(Value::Type(ty.alloc(arena)))
}

pub(super) fn is_type(key: Value<'_>) -> bool {
    matches!(key, Value::Type(_))
}

fn as_type<'c>(key: &Value<'c>) -> Option<&'c Type<'c>> {
    match key {
        Value::Type(ty) => Some(ty),
        _ => None,
    }
}

/// "X-Type[] accepts 1 to 3 arguments. Got 4"; `most` is none for "or more".
pub(super) fn arity<'c>(base: &str, least: usize, most: Option<usize>, actual: usize) -> Box<Flow<'c>> {
    let s = if least == 1 { "" } else { "s" };
    let accepts = match most {
        None => format!("{least} or more arguments"),
        Some(most) if most != least => format!("{least} to {most} arguments"),
        Some(_) => format!("{least} argument{s}"),
    };
    Flow::issue("BAD_TYPE_SLICE_ARITY", format!("{base}[] accepts {accepts}. Got {actual}"))
}

fn bad_type<'c>(base: &str, n: usize, key: Value<'c>) -> Box<Flow<'c>> {
    let message = format!("{base}[] arguments must be types. Got {}", label::ruby_class(key));
    Flow::issue_at(Blame::Key(n), "BAD_TYPE_SLICE_TYPE", message)
}

/// "Error creating type specialization of …, Cannot use X where Y is expected"
pub(super) fn bad_key<'c>(
    vm: &mut Vm<'c>,
    left: &'c Type<'c>,
    n: usize,
    key: Value<'c>,
    expected: &str,
) -> Box<Flow<'c>> {
    let actual = key_name(vm, key);
    let base = label::value_an(Value::Type(left));
    let message = format!(
        "Error creating type specialization of {base}, Cannot use {actual} where {expected} is expected"
    );
    Flow::issue_at(Blame::Key(n), "BAD_TYPE_SPECIALIZATION", message)
}

/// A key as messages name it: its general type.
pub(super) fn key_name<'c>(vm: &mut Vm<'c>, key: Value<'c>) -> String {
    let ty = infer(vm, key);
    print(generalize(vm.arena, ty))
}

fn check_keys<'c>(
    vm: &mut Vm<'c>,
    left: &'c Type<'c>,
    keys: &[Value<'c>],
    most: Option<usize>,
    expected: &str,
    accepts: impl Fn(Value<'c>) -> bool,
) -> Eval<'c, ()> {
    if keys.is_empty() || most.is_some_and(|most| keys.len() > most) {
        return Err(arity(&label::value_an_uc(Value::Type(left)), 1, most, keys.len()));
    }
    match keys.iter().position(|key| !accepts(*key)) {
        Some(n) => Err(bad_key(vm, left, n, keys[n], expected)),
        None => Ok(()),
    }
}

fn single_type<'c>(base: &str, keys: &[Value<'c>]) -> Eval<'c, &'c Type<'c>> {
    match keys {
        [Value::Type(ty)] => Ok(ty),
        [key] => Err(bad_type(base, 0, *key)),
        _ => Err(arity(base, 1, Some(1), keys.len())),
    }
}

fn literal_or_type<'c>(vm: &Vm<'c>, base: &str, keys: &[Value<'c>]) -> Eval<'c, &'c Type<'c>> {
    match keys {
        [Value::Str(text)] => Ok(Type::StringValue(text.as_str()).alloc(vm.arena)),
        _ => single_type(base, keys),
    }
}

fn not_undef<'c>(vm: &Vm<'c>, keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
    match keys {
        [] => Ok(Type::NotUndef(&Type::Any)),
        [Value::Str(_) | Value::Type(_)] => Ok(Type::NotUndef(literal_or_type(vm, "NotUndef-Type", keys)?)),
        [key] => {
            let class = label::ruby_class(*key);
            let message = format!("NotUndef-Type[] argument must be a Type or a String. Got {class}");
            Err(Flow::issue_at(Blame::Key(0), "BAD_NOT_UNDEF_SLICE_TYPE", message))
        }
        _ => Err(arity("NotUndef-Type", 0, Some(1), keys.len())),
    }
}

/// A range of one or two ends, or an `Integer` type.
fn size<'c>(keys: &[Value<'c>], first: usize) -> Eval<'c, Range> {
    if let [Value::Type(Type::Integer(range))] = keys {
        return Ok(*range);
    }
    for (n, key) in keys.iter().enumerate() {
        if !matches!(key, Value::Int(_) | Value::Default) {
            let class = label::class_an(*key);
            let message = format!(
                "A Type's size constraint arguments must be a single Integer type, or 1-2 integers (or default). \
                 Got {class}"
            );
            return Err(Flow::issue_at(Blame::Key(first + n), "BAD_COLLECTION_SLICE_TYPE", message));
        }
    }
    range(keys)
}

fn range<'c>(keys: &[Value<'c>]) -> Eval<'c, Range> {
    let end = |n: usize| match keys.get(n) {
        Some(Value::Int(n)) => Some(*n),
        _ => None,
    };
    let range = Range { min: end(0), max: end(1) };
    if let (Some(min), Some(max)) = (range.min, range.max)
        && min > max
    {
        let message = format!("'from' must be less or equal to 'to'. Got ({min}, {max}");
        return Err(Flow::raw(message));
    }
    Ok(range)
}

fn integer<'c>(keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
    if !(1..=2).contains(&keys.len()) {
        let message =
            format!("Integer-Type supports [] with one or two arguments (from, to). Got {}", keys.len());
        return Err(Flow::issue("BAD_INTEGER_SLICE_ARITY", message));
    }
    for (n, key) in keys.iter().enumerate() {
        if !matches!(key, Value::Int(_) | Value::Default) {
            let class = label::ruby_class(*key);
            let message =
                format!("Integer-Type [] requires all arguments to be integers (or default). Got {class}");
            return Err(Flow::issue_at(Blame::Key(n), "BAD_INTEGER_SLICE_TYPE", message));
        }
    }
    Ok(Type::Integer(range(keys)?))
}

fn float<'c>(keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
    if !(1..=2).contains(&keys.len()) {
        let message =
            format!("Float-Type supports [] with one or two arguments (from, to). Got {}", keys.len());
        return Err(Flow::issue("BAD_INTEGER_SLICE_ARITY", message));
    }
    let mut ends = [None, None];
    for (n, key) in keys.iter().enumerate() {
        ends[n] = match key {
            Value::Int(i) => Some(*i as f64),
            Value::Float(f) => Some(*f),
            Value::Default => None,
            _ => {
                let class = label::ruby_class(*key);
                let message = format!(
                    "Float-Type [] requires all arguments to be floats, or integers (or default). Got {class}"
                );
                return Err(Flow::issue_at(Blame::Key(n), "BAD_INTEGER_SLICE_TYPE", message));
            }
        };
    }
    let [min, max] = ends;
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        let (min, max) = (crate::format::float_to_s(min), crate::format::float_to_s(max));
        return Err(Flow::raw(format!("'from' must be less or equal to 'to'. Got ({min}, {max}")));
    }
    Ok(Type::Float { min, max })
}

fn array<'c>(keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
    const BASE: &str = "Array-Type";
    let (element, bounds): (&'c Type<'c>, Range) = match keys {
        [Value::Type(ty)] => (ty, Range::ANY),
        [Value::Type(ty), rest @ ..] if rest.len() <= 2 => (ty, size(rest, 1)?.as_size()),
        [_, _] => (&Type::Any, size(keys, 0)?.as_size()),
        [key] | [key, _, _] => return Err(bad_type(BASE, 0, *key)),
        _ => return Err(arity(BASE, 1, Some(3), keys.len())),
    };
    let element = if bounds == Range::exactly(0) { &Type::Unit } else { element };
    Ok(Type::Array { element, size: bounds })
}

fn hash<'c>(keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
    const BASE: &str = "Hash-Type";
    if let [Value::Int(_), Value::Int(_)] = keys {
        let size = range(keys)?.as_size();
        let inner: &'c Type<'c> = if size == Range::exactly(0) { &Type::Unit } else { &Type::Any };
        return Ok(Type::Hash { key: inner, value: inner, size });
    }
    if let Some(n) = keys.iter().take(2).position(|key| !is_type(*key)) {
        return Err(bad_type(BASE, n, keys[n]));
    }
    match keys {
        [Value::Type(key), Value::Type(value), rest @ ..] if rest.len() <= 2 => {
            let size = match rest {
                [] => Range::ANY,
                rest => size(rest, 2)?.as_size(),
            };
            if size == Range::exactly(0) {
                return Ok(Type::Hash { key: &Type::Unit, value: &Type::Unit, size });
            }
            Ok(Type::Hash { key, value, size })
        }
        _ => Err(arity(BASE, 2, Some(4), keys.len())),
    }
}

fn is_range_parameter(key: Option<&Value<'_>>) -> bool {
    match key {
        Some(Value::Int(_) | Value::Default) => true,
        Some(Value::Str(s)) => s.as_str() == "default",
        _ => false,
    }
}

/// Splits a trailing size (one or two numbers) off.
fn split_size<'k, 'c>(keys: &'k [Value<'c>]) -> Eval<'c, (&'k [Value<'c>], Option<Range>)> {
    let count = keys.len();
    let size_keys =
        if count >= 2 && is_range_parameter(keys.get(count - 2)) && is_range_parameter(keys.last()) {
            2
        } else {
            usize::from(is_range_parameter(keys.last()))
        };
    let (types, ends) = keys.split_at(count - size_keys);
    let size = if ends.is_empty() { None } else { Some(range(ends)?) };
    Ok((types, size))
}

fn tuple<'c>(vm: &mut Vm<'c>, left: &'c Type<'c>, keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
    let (keys, size) = split_size(keys)?;
    check_keys(vm, left, keys, None, "Any-Type", is_type)?;
    let types: Vec<_> = keys.iter().filter_map(as_type).collect();
    Ok(Type::Tuple { types: vm.arena.alloc_slice_copy(&types), size: size.map(Range::as_size) })
}

fn callable<'c>(vm: &mut Vm<'c>, keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
    let (keys, returns) = match keys {
        [Value::Array(params), Value::Type(returns)] => (params.items(), Some(*returns)),
        [Value::Array(_), key] => return Err(bad_type("Callable-Type", 1, *key)),
        [Value::Array(_), ..] => {
            return Err(arity(
                &label::value_an_uc(Value::Type(&Type::Callable(CallableType::ANY))),
                2,
                Some(2),
                keys.len(),
            ));
        }
        keys => (keys, None),
    };
    let (keys, block) = match keys {
        [rest @ .., Value::Type(last)] if is_callable(last, true) => (rest, Some(*last)),
        keys => (keys, None),
    };
    let (keys, size) = split_size(keys)?;
    let mut types = Vec::with_capacity(keys.len());
    for key in keys {
        types.push(match key {
            Value::Type(ty) => *ty,
            Value::Str(name) => {
                Type::Runtime { runtime: Some("ruby"), name: Some(name.as_str()) }.alloc(vm.arena)
            }
            key => {
                let ty = infer(vm, *key);
                generalize(vm.arena, ty)
            }
        });
    }
    if types.is_empty() && size.is_some_and(|size| size.max != Some(0)) {
        types.push(&Type::Unit);
    }
    Ok(Type::Callable(CallableType {
        params: vm.arena.alloc_slice_copy(&types),
        size: size.map(Range::as_size),
        block,
        returns: returns.filter(|ty| !matches!(ty, Type::Any)),
        unspecified: false,
    }))
}

fn init<'c>(vm: &Vm<'c>, keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
    match keys {
        [Value::Type(ty), args @ ..] => {
            Ok(Type::Init { ty: Some(ty), args: vm.arena.alloc_slice_copy(args) })
        }
        [key, ..] => Err(bad_type("Init-Type", 0, *key)),
        [] => Err(arity("Init-Type", 1, None, 0)),
    }
}

fn structure<'c>(vm: &mut Vm<'c>, left: &'c Type<'c>, keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
    check_keys(vm, left, keys, Some(1), "Hash", |key| matches!(key, Value::Hash(_)))?;
    let Value::Hash(hash) = keys[0] else { return Ok(*left) };
    let mut members: Vec<StructMember<'c>> = Vec::with_capacity(hash.len());
    for (key, value) in hash.entries() {
        let Value::Type(value) = value else {
            return Err(Flow::raw("Struct element value_type must be a Type"));
        };
        let accepts_undef = super::assign::accepts_undef(value);
        let exact = |ty: &'c Type<'c>| match ty {
            Type::StringValue(name) => Some(*name),
            Type::Enum { values: [name], .. } => Some(*name),
            _ => None,
        };
        let (name, optional) = match key {
            Value::Str(name) if name.is_empty() => {
                return Err(Flow::raw("Struct element key cannot be an empty String"));
            }
            Value::Str(name) => (Some(name.as_str()), accepts_undef),
            Value::Type(Type::NotUndef(inner)) => (exact(inner), false),
            Value::Type(Type::Optional(inner)) => (exact(inner), true),
            Value::Type(ty @ (Type::StringValue(_) | Type::Enum { .. } | Type::String { .. })) => {
                (exact(ty), false)
            }
            key => {
                let class = label::ruby_class(*key);
                return Err(Flow::raw(format!(
                    "Illegal Struct member key type. Expected NotUndef, Optional, String, or Enum. Got: {class}"
                )));
            }
        };
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            let key = super::print_value(*key);
            return Err(Flow::raw(format!(
                "Unable to extract a non-empty literal string from Struct member key type {key}"
            )));
        };
        members.push(StructMember { name, optional, value });
    }
    Ok(Type::Struct(vm.arena.alloc_slice_copy(&members)))
}

fn enumerate<'c>(vm: &mut Vm<'c>, left: &'c Type<'c>, keys: &[Value<'c>]) -> Eval<'c> {
    let (keys, ignore_case) = match keys {
        [rest @ .., Value::Bool(flag)] => (rest, *flag),
        keys => (keys, false),
    };
    check_keys(vm, left, keys, None, "String", |key| matches!(key, Value::Str(_)))?;
    let values: Vec<_> = keys.iter().filter_map(|key| key.as_str()).collect();
    Ok(Value::Type(enumeration(vm.arena, &values, ignore_case)))
}

fn is_text_or_regexp(key: Value<'_>) -> bool {
    matches!(key, Value::Str(_) | Value::Regexp(_))
}

fn source_of<'c>(key: Value<'c>) -> Option<&'c str> {
    match key {
        Value::Str(source) | Value::Regexp(source) => Some(source.as_str()),
        _ => None,
    }
}

fn patterns<'c>(vm: &mut Vm<'c>, left: &'c Type<'c>, keys: &[Value<'c>]) -> Eval<'c> {
    const EXPECTED: &str = "String or Regexp or Pattern-Type or Regexp-Type";
    let accepts =
        |key| is_text_or_regexp(key) || matches!(key, Value::Type(Type::Pattern(_) | Type::Regexp(_)));
    check_keys(vm, left, keys, None, EXPECTED, accepts)?;
    let mut sources = Vec::new();
    for key in keys {
        match key {
            Value::Type(Type::Pattern(inner)) => sources.extend_from_slice(inner),
            Value::Type(Type::Regexp(source)) => sources.push(source.unwrap_or("")),
            key => sources.extend(source_of(*key)),
        }
    }
    for source in &sources {
        crate::regex::compile(source).map_err(Flow::raw)?;
    }
    Ok(Value::Type(pattern(vm.arena, &sources)))
}

fn versions<'c>(vm: &mut Vm<'c>, left: &'c Type<'c>, keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
    let accepts = |key| matches!(key, Value::Str(_) | Value::SemVerRange(_));
    check_keys(vm, left, keys, None, "String or SemanticPuppet::VersionRange", accepts)?;
    let mut ranges = Vec::new();
    for key in keys {
        if let Value::Str(text) | Value::SemVerRange(text) = key {
            crate::semver::check_range(text).map_err(Flow::raw)?;
            ranges.push(text.as_str());
        }
    }
    Ok(Type::SemVer(vm.arena.alloc_slice_copy(&ranges)))
}

type Bounds = (Option<i128>, Option<i128>);

fn times<'c>(
    vm: &mut Vm<'c>,
    left: &'c Type<'c>,
    keys: &[Value<'c>],
    convert: fn(&mut Vm<'c>, Value<'c>) -> Eval<'c, Option<i128>>,
) -> Eval<'c, Bounds> {
    if keys.len() > 2 {
        return Err(arity(&label::value_an_uc(Value::Type(left)), 0, Some(2), keys.len()));
    }
    let mut ends = [None, None];
    for (n, key) in keys.iter().enumerate() {
        ends[n] = convert(vm, *key)?;
    }
    Ok((ends[0], ends[1]))
}

fn timestamp_of<'c>(_: &mut Vm<'c>, key: Value<'c>) -> Eval<'c, Option<i128>> {
    Ok(Some(match key {
        Value::Timestamp(n) => *n,
        Value::Default | Value::Undef => return Ok(None),
        Value::Int(n) => i128::from(n) * crate::time::SECOND,
        Value::Float(f) => crate::time::from_f(f),
        Value::Str(text) => timestamp::parse(&text, None, false, None).map_err(Flow::raw)?,
        other => return Err(bad_time("Timestamp", other)),
    }))
}

fn timespan_of<'c>(vm: &mut Vm<'c>, key: Value<'c>) -> Eval<'c, Option<i128>> {
    Ok(Some(match key {
        Value::Timespan(n) => *n,
        Value::Default | Value::Undef => return Ok(None),
        Value::Int(n) => i128::from(n) * crate::time::SECOND,
        Value::Float(f) => crate::time::from_f(f),
        Value::Str(text) => timespan::parse(&text, &timespan::DEFAULTS, false).map_err(Flow::raw)?,
        Value::Hash(hash) => super::new::time::timespan_from_hash(vm, hash)?,
        other => return Err(bad_time("Timespan", other)),
    }))
}

fn bad_time<'c>(name: &str, value: Value<'c>) -> Box<Flow<'c>> {
    let class = label::ruby_class(value);
    Flow::raw(format!("Unable to create a Puppet::Pops::Time::{name} from a {class}"))
}

fn uri<'c>(vm: &mut Vm<'c>, keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
    match keys {
        [Value::Str(text) | Value::Uri(text)] => Ok(Type::Uri(Some(crate::uri::to_hash(vm.arena, text)))),
        [Value::Hash(hash)] => Ok(Type::Uri(Some(Value::Hash(*hash)).filter(|_| !hash.is_empty()))),
        [key] => Err(bad_type("URI-Type", 0, *key)),
        _ => Err(arity("URI-Type", 1, Some(1), keys.len())),
    }
}

fn object<'c>(init: Hash<'c>) -> Type<'c> {
    let parent = match init.get_str("parent") {
        Some(Value::Type(ty)) => Some(ty),
        _ => None,
    };
    let name = init.get_str("name").and_then(Value::as_str);
    if init.is_empty() {
        return Type::Object { name: None, parent: None, init: None };
    }
    Type::Object { name, parent, init: Some(init) }
}
