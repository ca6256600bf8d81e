//! Ruby's conversions that look like functions, and `format`.

use super::errors;
use super::string_numbers::{strict_float, strict_integer};
use crate::eval::{Done, Unwind};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::value::{HashValue, V, entries, ranges, text};

/// Calls such a function; none where it is another one.
pub(crate) fn call<'c>(method: Method, args: &[V<'c>]) -> Done<'c, Option<V<'c>>> {
    Ok(Some(match (method, args) {
        (Method::ToArray, [value]) => array(value)?,
        (Method::ToHashOf, [value]) => hash(value)?,
        (Method::ToString, [value]) => V::made(text::to_s(value)?),
        (Method::ToInteger | Method::ToFloat, [args @ .., options @ (V::Hash(_) | V::Map(_))])
            if !args.is_empty() =>
        {
            quiet(options)?;
            return call(method, args).or_else(or_nil);
        }
        (Method::ToInteger, [value, base @ ..]) if base.len() < 2 => integer(value, base)?,
        (Method::ToFloat, [value]) => float(value)?,
        (Method::Format | Method::Sprintf, [format, args @ ..]) => {
            let format = format.text().ok_or(ForRuby("a format that is no string"))?;
            V::made(super::format::format(&format, args)?)
        }
        _ => return Ok(None),
    }))
}

/// `exception: false`
fn quiet(options: &V<'_>) -> OrRuby<()> {
    match &options.entries()?.unwrap_or_default()[..] {
        [(V::Symbol("exception"), V::Bool(false))] => Ok(()),
        _ => Err(ForRuby("an option of a conversion")),
    }
}

/// What was raised comes to nil.
fn or_nil<'c>(stop: Unwind<'c>) -> Done<'c, Option<V<'c>>> {
    if stop.exception().is_some() { Ok(Some(V::Nil)) } else { Err(stop) }
}

fn array<'c>(value: &V<'c>) -> OrRuby<V<'c>> {
    Ok(match value {
        V::Nil => V::list(Vec::new()),
        V::Array(_) | V::List(_) => value.clone(),
        V::Hash(_) | V::Map(_) => entries::pairs(value)?,
        V::Range(..) | V::Span(_) => V::list(ranges::items(value)?),
        V::Bool(_) | V::Int(_) | V::Big(_) | V::Float(_) | V::Str(_) | V::Made(_) | V::Symbol(_) => {
            V::list(vec![value.clone()])
        }
        _ => return Err(ForRuby("Array() of such a value")),
    })
}

fn hash<'c>(value: &V<'c>) -> OrRuby<V<'c>> {
    match value {
        V::Nil => Ok(V::hash(HashValue::default())),
        V::Array(_) | V::List(_) if value.size() == Some(0) => Ok(V::hash(HashValue::default())),
        V::Hash(_) | V::Map(_) => Ok(value.clone()),
        _ => Err(ForRuby("Hash() of such a value")),
    }
}

fn integer<'c>(value: &V<'c>, base: &[V<'c>]) -> Done<'c> {
    let base = match base {
        [] => None,
        [V::Int(base @ (2 | 8 | 10 | 16))] => Some(*base as u32),
        _ => return Err(ForRuby("Integer() of another base").into()),
    };
    match (value, value.text()) {
        (V::Int(n), _) if base.is_none() => Ok(V::Int(*n)),
        (V::Float(n), _) if base.is_none() && n.abs() < 9e18 => Ok(V::Int(n.trunc() as i64)),
        (_, Some(text)) => strict_integer(&text, base).map(V::Int),
        (value, _) if base.is_none() && is_no_number(value) => Err(errors::cannot_convert(value, "Integer")),
        _ => Err(ForRuby("Integer() of such a value").into()),
    }
}

fn float<'c>(value: &V<'c>) -> Done<'c> {
    match (value, value.text()) {
        (V::Float(n), _) => Ok(V::Float(*n)),
        (V::Int(n), _) if n.unsigned_abs() <= 1 << 53 => Ok(V::Float(*n as f64)),
        (_, Some(text)) => strict_float(&text).map(V::Float),
        (value, _) if is_no_number(value) => Err(errors::cannot_convert(value, "Float")),
        _ => Err(ForRuby("Float() of such a value").into()),
    }
}

/// Whether Ruby refuses to make a number of a value of that kind.
fn is_no_number(value: &V<'_>) -> bool {
    matches!(value, V::Nil | V::Bool(_) | V::Array(_) | V::List(_) | V::Hash(_) | V::Map(_) | V::Symbol(_))
}
