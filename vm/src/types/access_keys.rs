//! Keys in brackets after a type: sizes, ranges, element types, and what is said about wrong ones.

use crate::error::{Blame, Eval, Flow};
use crate::format::float::float_to_s;
use crate::label;
use crate::types::context::TypeContext;
use crate::types::generalize::generalize;
use crate::types::infer::infer;
use crate::types::name::is_callable;
use crate::types::print::print;
use crate::types::ty::{CallableType, Range, Type};
use crate::value::Value;

pub(super) fn is_type(key: Value<'_>) -> bool {
    matches!(key, Value::Type(_))
}

pub(super) fn as_type<'c>(key: &Value<'c>) -> Option<&'c Type<'c>> {
    match key {
        Value::Type(ty) => Some(ty),
        _ => None,
    }
}

/// "X-Type[] accepts 1 to 3 arguments. Got 4"; `most` is none for "or more".
pub(super) fn arity<'c>(base: &str, least: usize, most: Option<usize>, actual: usize) -> Box<Flow<'c>> {
    arity_at(Blame::Whole, base, least, most, actual)
}

/// The same, at a place of its own.
pub(super) fn arity_at<'c>(
    blame: Blame,
    base: &str,
    least: usize,
    most: Option<usize>,
    actual: usize,
) -> Box<Flow<'c>> {
    let s = if least == 1 { "" } else { "s" };
    let accepts = match most {
        None => format!("{least} or more arguments"),
        Some(most) if most != least => format!("{least} to {most} arguments"),
        Some(_) => format!("{least} argument{s}"),
    };
    Flow::issue_at(blame, "BAD_TYPE_SLICE_ARITY", format!("{base}[] accepts {accepts}. Got {actual}"))
}

pub(super) fn bad_type<'c>(base: &str, n: usize, key: Value<'c>) -> Box<Flow<'c>> {
    let message = format!("{base}[] arguments must be types. Got {}", label::ruby_class(key));
    Flow::issue_at(Blame::Key(n), "BAD_TYPE_SLICE_TYPE", message)
}

/// "Error creating type specialization of …, Cannot use X where Y is expected"
pub(super) fn bad_key<'c>(
    context: &mut dyn TypeContext<'c>,
    left: &'c Type<'c>,
    n: usize,
    key: Value<'c>,
    expected: &str,
) -> Box<Flow<'c>> {
    let actual = key_name(context, key);
    let base = label::value_an(Value::Type(left));
    let message = format!(
        "Error creating type specialization of {base}, Cannot use {actual} where {expected} is expected"
    );
    Flow::issue_at(Blame::Key(n), "BAD_TYPE_SPECIALIZATION", message)
}

/// A key as messages name it: its general type.
pub(super) fn key_name<'c>(context: &mut dyn TypeContext<'c>, key: Value<'c>) -> String {
    let ty = infer(context, key);
    print(generalize(context.arena(), ty))
}

pub(super) fn check_keys<'c>(
    context: &mut dyn TypeContext<'c>,
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
        Some(n) => Err(bad_key(context, left, n, keys[n], expected)),
        None => Ok(()),
    }
}

pub(super) fn single_type<'c>(base: &str, keys: &[Value<'c>]) -> Eval<'c, &'c Type<'c>> {
    match keys {
        [Value::Type(ty)] => Ok(ty),
        [key] => Err(bad_type(base, 0, *key)),
        _ => Err(arity(base, 1, Some(1), keys.len())),
    }
}

pub(super) fn literal_or_type<'c>(
    context: &dyn TypeContext<'c>,
    base: &str,
    keys: &[Value<'c>],
) -> Eval<'c, &'c Type<'c>> {
    match keys {
        [Value::Str(text)] => Ok(Type::StringValue(text.as_str()).alloc(context.arena())),
        _ => single_type(base, keys),
    }
}

pub(super) fn not_undef<'c>(context: &dyn TypeContext<'c>, keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
    match keys {
        [] => Ok(Type::NotUndef(&Type::Any)),
        [Value::Str(_) | Value::Type(_)] => {
            Ok(Type::NotUndef(literal_or_type(context, "NotUndef-Type", keys)?))
        }
        [key] => {
            let class = label::ruby_class(*key);
            let message = format!("NotUndef-Type[] argument must be a Type or a String. Got {class}");
            Err(Flow::issue_at(Blame::Key(0), "BAD_NOT_UNDEF_SLICE_TYPE", message))
        }
        _ => Err(arity("NotUndef-Type", 0, Some(1), keys.len())),
    }
}

/// A range of one or two ends, or an `Integer` type.
pub(super) fn size<'c>(keys: &[Value<'c>], first: usize) -> Eval<'c, Range> {
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

pub(super) fn range<'c>(keys: &[Value<'c>]) -> Eval<'c, Range> {
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

pub(super) fn integer<'c>(keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
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

pub(super) fn float<'c>(keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
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
        let (min, max) = (float_to_s(min), float_to_s(max));
        return Err(Flow::raw(format!("'from' must be less or equal to 'to'. Got ({min}, {max}")));
    }
    Ok(Type::Float { min, max })
}

pub(super) fn array<'c>(keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
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

pub(super) fn hash<'c>(keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
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

pub(super) fn is_range_parameter(key: Option<&Value<'_>>) -> bool {
    match key {
        Some(Value::Int(_) | Value::Default) => true,
        Some(Value::Str(s)) => s.as_str() == "default",
        _ => false,
    }
}

/// Splits a trailing size (one or two numbers) off.
pub(super) fn split_size<'k, 'c>(keys: &'k [Value<'c>]) -> Eval<'c, (&'k [Value<'c>], Option<Range>)> {
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

pub(super) fn tuple<'c>(
    context: &mut dyn TypeContext<'c>,
    left: &'c Type<'c>,
    keys: &[Value<'c>],
) -> Eval<'c, Type<'c>> {
    let (keys, size) = split_size(keys)?;
    check_keys(context, left, keys, None, "Any-Type", is_type)?;
    let types: Vec<_> = keys.iter().filter_map(as_type).collect();
    Ok(Type::Tuple { types: context.arena().alloc_slice_copy(&types), size: size.map(Range::as_size) })
}

pub(super) fn callable<'c>(context: &mut dyn TypeContext<'c>, keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
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
        [rest @ .., Value::Type(last)] if is_callable(last) => (rest, Some(*last)),
        keys => (keys, None),
    };
    let (keys, size) = split_size(keys)?;
    let mut types = Vec::with_capacity(keys.len());
    for key in keys {
        types.push(match key {
            Value::Type(ty) => *ty,
            Value::Str(name) => {
                Type::Runtime { runtime: Some("ruby"), name: Some(name.as_str()) }.alloc(context.arena())
            }
            key => {
                let ty = infer(context, *key);
                generalize(context.arena(), ty)
            }
        });
    }
    if types.is_empty() && size.is_some_and(|size| size.max != Some(0)) {
        types.push(&Type::Unit);
    }
    Ok(Type::Callable(CallableType {
        params: context.arena().alloc_slice_copy(&types),
        size: size.map(Range::as_size),
        block,
        returns: returns.filter(|ty| !matches!(ty, Type::Any)),
        unspecified: false,
    }))
}

pub(super) fn init<'c>(context: &dyn TypeContext<'c>, keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
    match keys {
        [Value::Type(ty), args @ ..] => {
            Ok(Type::Init { ty: Some(ty), args: context.arena().alloc_slice_copy(args) })
        }
        [key, ..] => Err(bad_type("Init-Type", 0, *key)),
        [] => Err(arity("Init-Type", 1, None, 0)),
    }
}

/// Keys of any depth in one list, as Ruby's `flatten!`.
pub(super) fn flatten<'c>(keys: &[Value<'c>]) -> Vec<Value<'c>> {
    let mut out = Vec::with_capacity(keys.len());
    crate::value::flatten(keys, &mut out);
    out
}
