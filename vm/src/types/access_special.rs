//! Keys in brackets of the types that take more than sizes and types: `Struct`, `Enum`, `Pattern`, times, …

use crate::error::{Eval, Flow};
use crate::label;
use crate::time::{TimeFormats, of_seconds, timespan, timestamp};
use crate::types::access_keys::{arity, bad_type, check_keys};
use crate::types::build::{enumeration, pattern};
use crate::types::context::TypeContext;
use crate::types::generalize::generalize;
use crate::types::infer::infer;
use crate::types::instance::is_instance;
use crate::types::print::print_value;
use crate::types::span_fields::timespan_from_hash;
use crate::types::ty::{StructMember, Type};
use crate::types::undef::accepts_undef;
use crate::value::Value;

pub(super) fn structure<'c>(
    context: &mut dyn TypeContext<'c>,
    left: &'c Type<'c>,
    keys: &[Value<'c>],
) -> Eval<'c, Type<'c>> {
    check_keys(context, left, keys, Some(1), "Hash", |key| matches!(key, Value::Hash(_)))?;
    let Value::Hash(hash) = keys[0] else { return Ok(*left) };
    let mut members: Vec<StructMember<'c>> = Vec::with_capacity(hash.len());
    for (key, value) in hash.entries() {
        let value: &'c Type<'c> = match value {
            Value::Type(ty) => ty,
            // To Puppet a string here is the name of a Ruby class.
            Value::Str(name) => {
                Type::Runtime { runtime: Some("ruby"), name: Some(name.as_str()) }.alloc(context.arena())
            }
            other => {
                let ty = infer(context, *other);
                generalize(context.arena(), ty)
            }
        };
        let accepts_undef = accepts_undef(value);
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
            let key = print_value(*key);
            return Err(Flow::raw(format!(
                "Unable to extract a non-empty literal string from Struct member key type {key}"
            )));
        };
        members.push(StructMember { name, optional, value });
    }
    Ok(Type::Struct(context.arena().alloc_slice_copy(&members)))
}

pub(super) fn enumerate<'c>(
    context: &mut dyn TypeContext<'c>,
    left: &'c Type<'c>,
    keys: &[Value<'c>],
) -> Eval<'c> {
    let (keys, ignore_case) = match keys {
        [rest @ .., Value::Bool(flag)] => (rest, *flag),
        keys => (keys, false),
    };
    check_keys(context, left, keys, None, "String", |key| matches!(key, Value::Str(_)))?;
    let values: Vec<_> = keys.iter().filter_map(|key| key.as_str()).collect();
    Ok(Value::Type(enumeration(context.arena(), &values, ignore_case)))
}

pub(super) fn is_text_or_regexp(key: Value<'_>) -> bool {
    matches!(key, Value::Str(_) | Value::Regexp(_))
}

pub(super) fn source_of<'c>(key: Value<'c>) -> Option<&'c str> {
    match key {
        Value::Str(source) | Value::Regexp(source) => Some(source.as_str()),
        _ => None,
    }
}

pub(super) fn patterns<'c>(
    context: &mut dyn TypeContext<'c>,
    left: &'c Type<'c>,
    keys: &[Value<'c>],
) -> Eval<'c> {
    const EXPECTED: &str = "String or Regexp or Pattern-Type or Regexp-Type";
    let accepts =
        |key| is_text_or_regexp(key) || matches!(key, Value::Type(Type::Pattern(_) | Type::Regexp(_)));
    check_keys(context, left, keys, None, EXPECTED, accepts)?;
    let mut sources = Vec::new();
    for key in keys {
        match key {
            Value::Type(Type::Pattern(inner)) => sources.extend_from_slice(inner),
            Value::Type(Type::Regexp(source)) => sources.push(source.unwrap_or("")),
            key => sources.extend(source_of(*key)),
        }
    }
    for source in &sources {
        crate::regex::check(source).map_err(Flow::raw)?;
    }
    Ok(Value::Type(pattern(context.arena(), &sources)))
}

pub(super) fn versions<'c>(
    context: &mut dyn TypeContext<'c>,
    left: &'c Type<'c>,
    keys: &[Value<'c>],
) -> Eval<'c, Type<'c>> {
    let accepts = |key| matches!(key, Value::Str(_) | Value::SemVerRange(_));
    check_keys(context, left, keys, None, "String or SemanticPuppet::VersionRange", accepts)?;
    let mut ranges = Vec::new();
    for key in keys {
        if let Value::Str(text) | Value::SemVerRange(text) = key {
            ranges.push(&*context.arena().alloc_str(crate::semver::named_range(text).map_err(Flow::raw)?));
        }
    }
    Ok(Type::SemVer(context.arena().alloc_slice_copy(&ranges)))
}

pub(super) type Bounds = (Option<i128>, Option<i128>);

pub(super) fn times<'c>(
    left: &'c Type<'c>,
    keys: &[Value<'c>],
    convert: fn(Value<'c>) -> Eval<'c, Option<i128>>,
    shown: fn(i128) -> String,
) -> Eval<'c, Bounds> {
    if keys.len() > 2 {
        return Err(arity(&label::value_an_uc(Value::Type(left)), 0, Some(2), keys.len()));
    }
    let mut ends = [None, None];
    for (n, key) in keys.iter().enumerate() {
        ends[n] = convert(*key)?;
    }
    if let [Some(from), Some(to)] = ends
        && from > to
    {
        // The parenthesis stays open in Puppet, too.
        let (from, to) = (shown(from), shown(to));
        return Err(Flow::raw(format!("'from' must be less or equal to 'to'. Got ({from}, {to}")));
    }
    Ok((ends[0], ends[1]))
}

pub(super) fn timestamp_of<'c>(key: Value<'c>) -> Eval<'c, Option<i128>> {
    Ok(Some(match key {
        Value::Timestamp(n) => *n,
        Value::Default | Value::Undef => return Ok(None),
        Value::Int(_) | Value::Float(_) => return of_seconds(key),
        Value::Str(text) => timestamp::parse(&text, TimeFormats::Default, None).map_err(Flow::raw)?,
        other => return Err(bad_time("Timestamp", other)),
    }))
}

pub(super) fn timespan_of<'c>(key: Value<'c>) -> Eval<'c, Option<i128>> {
    Ok(Some(match key {
        Value::Timespan(n) => *n,
        Value::Default | Value::Undef => return Ok(None),
        Value::Int(_) | Value::Float(_) => return of_seconds(key),
        Value::Str(text) => timespan::parse(&text, TimeFormats::Default).map_err(Flow::raw)?,
        Value::Hash(hash) => timespan_from_hash(hash)?,
        other => return Err(bad_time("Timespan", other)),
    }))
}

pub(super) fn bad_time<'c>(name: &str, value: Value<'c>) -> Box<Flow<'c>> {
    let class = label::ruby_class(value);
    Flow::raw(format!("Unable to create a Puppet::Pops::Time::{name} from a {class}"))
}

/// What a `URI` type may ask of a part of a URI that is text.
macro_rules! uri_text {
    () => {
        "Optional[Variant[String[1], Regexp, Type[Pattern], Type[Enum], Type[NotUndef], Type[Undef]]]"
    };
}

/// What it may ask of all parts.
const URI_PARTS: &str = concat!(
    "Struct[{",
    "Optional[scheme] => ",
    uri_text!(),
    ", ",
    "Optional[userinfo] => ",
    uri_text!(),
    ", ",
    "Optional[host] => ",
    uri_text!(),
    ", ",
    "Optional[path] => ",
    uri_text!(),
    ", ",
    "Optional[query] => ",
    uri_text!(),
    ", ",
    "Optional[fragment] => ",
    uri_text!(),
    ", ",
    "Optional[opaque] => ",
    uri_text!(),
    ", ",
    "Optional[port] => Optional[Variant[Integer[0], Type[NotUndef], Type[Undef]]]}]",
);

pub(super) fn uri<'c>(context: &mut dyn TypeContext<'c>, keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
    match keys {
        [Value::Str(text) | Value::Uri(text)] if crate::uri::parse(text).is_err() => {
            Err(Flow::raw(crate::uri::parse(text).err().unwrap_or_default()))
        }
        [Value::Str(text) | Value::Uri(text)] => {
            Ok(Type::Uri(Some(crate::uri::to_hash(context.arena(), text))))
        }
        [key @ Value::Hash(hash)] => {
            let shape = context.parsed_type(URI_PARTS)?;
            if !is_instance(context, shape, *key) {
                return Err(bad_type("URI-Type", 0, *key));
            }
            Ok(Type::Uri(Some(*key).filter(|_| !hash.is_empty())))
        }
        [key] => Err(bad_type("URI-Type", 0, *key)),
        _ => Err(arity("URI-Type", 1, Some(1), keys.len())),
    }
}
