//! `==`, `eql?`, `===` and `<=>`.

use crate::budget;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::value::entries::same_entries;
use crate::value::large::{self, EXACT, LARGE};
use crate::value::object::{ClassRef, Module};
use crate::value::{Class, V, ranges};
use bunraku_vm::value::Value;
use std::cmp::Ordering;
use std::rc::Rc;

/// Deeper values are Ruby's to compare.
const DEEPEST: usize = 60;

/// How numbers of different classes compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumberEquality {
    /// By their values, as `==` does.
    ByValue,
    /// They differ, as `eql?` says.
    ByClass,
}

/// `==`
pub(crate) fn equal<'c>(a: &V<'c>, b: &V<'c>) -> OrRuby<bool> {
    nested(a, b, NumberEquality::ByValue, 0)
}

/// `eql?`
pub(crate) fn is_eql<'c>(a: &V<'c>, b: &V<'c>) -> OrRuby<bool> {
    nested(a, b, NumberEquality::ByClass, 0)
}

/// Whether two texts, two arrays or two hashes that Ruby has made are one object; none where they are anything else.
pub(crate) fn is_one_made<'c>(a: &V<'c>, b: &V<'c>) -> Option<bool> {
    match (a, b) {
        (V::Made(a), V::Made(b)) => Some(Rc::ptr_eq(a, b)),
        (V::List(a), V::List(b)) => Some(Rc::ptr_eq(a, b)),
        (V::Map(a), V::Map(b)) => Some(Rc::ptr_eq(a, b)),
        _ => None,
    }
}

/// Ruby's `eql?` of keys: whether both are the same key of a hash.
pub(crate) fn is_same_key<'c>(a: &V<'c>, b: &V<'c>) -> OrRuby<bool> {
    Ok(match (a, b) {
        (V::Int(a), V::Int(b)) => a == b,
        (V::Int(_), V::Float(_)) | (V::Float(_), V::Int(_)) => false,
        (V::Float(a), V::Float(_)) if a.is_nan() => return Err(ForRuby("a key that is no number")),
        _ => is_eql(a, b)?,
    })
}

/// Whether a value is one of Ruby's own: text, number, array and the like.
fn is_of_ruby(value: &V<'_>) -> bool {
    matches!(
        value,
        V::Nil
            | V::Bool(_)
            | V::Int(_)
            | V::Big(_)
            | V::Float(_)
            | V::Str(_)
            | V::Made(_)
            | V::Symbol(_)
            | V::Array(_)
            | V::List(_)
            | V::Hash(_)
            | V::Map(_)
            | V::Regexp(_)
    )
}

fn nested<'c>(a: &V<'c>, b: &V<'c>, numbers: NumberEquality, depth: usize) -> OrRuby<bool> {
    budget::spend(1)?;
    if depth > DEEPEST {
        return Err(ForRuby("a deep value"));
    }
    Ok(match (a, b) {
        (V::Other(a @ Value::Type(_)), V::Other(b @ Value::Type(_))) => a.same(*b),
        // Types and hidden values are equal to none of Ruby's own values.
        (V::Other(Value::Type(_) | Value::Sensitive(_)), other)
        | (other, V::Other(Value::Type(_) | Value::Sensitive(_)))
            if is_of_ruby(other) =>
        {
            false
        }
        (V::Void | V::Other(_) | V::Scope, _) | (_, V::Void | V::Other(_) | V::Scope) => {
            return Err(ForRuby("a comparison with a value of Puppet's own"));
        }
        (one, other) if compares_in_its_way(one) || compares_in_its_way(other) => {
            return Err(ForRuby("a comparison with such an object"));
        }
        (V::Module(a), V::Module(b)) => Rc::ptr_eq(a, b),
        (V::Code(a), V::Code(b)) => a == b,
        (V::Code(_), _) | (_, V::Code(_)) => return Err(ForRuby("a comparison with what `hash` gives")),
        (V::Nil, V::Nil) => true,
        (V::Bool(a), V::Bool(b)) => a == b,
        (V::Int(a), V::Int(b)) => a == b,
        (V::Big(a), V::Big(b)) => a == b,
        (V::Big(_), V::Float(_)) | (V::Float(_), V::Big(_)) => return Err(LARGE),
        // An array is equal to one with the same object, even if that is no number.
        (V::Float(a), V::Float(b)) if depth > 0 && (a.is_nan() || b.is_nan()) => {
            return Err(ForRuby("a comparison with what is no number"));
        }
        (V::Float(a), V::Float(b)) => a == b,
        (V::Int(n), V::Float(x)) | (V::Float(x), V::Int(n)) if numbers == NumberEquality::ByValue => {
            same_number(*n, *x)?
        }
        (V::Symbol(a), V::Symbol(b)) => a == b,
        (V::Class(a), V::Class(b)) => a == b,
        (V::Range(a, b, c), V::Range(d, e, f)) => (a, b, c) == (d, e, f),
        (V::Regexp(a), V::Regexp(b)) => a.source() == b.source() && a.options == b.options,
        (V::Span(a), V::Span(b)) => {
            a.2 == b.2 && nested(&a.0, &b.0, numbers, depth + 1)? && nested(&a.1, &b.1, numbers, depth + 1)?
        }
        (V::Str(_) | V::Made(_), V::Str(_) | V::Made(_)) => a.text() == b.text(),
        (V::Array(_) | V::List(_), V::Array(_) | V::List(_)) => {
            if a.size() != b.size() {
                return Ok(false);
            }
            let (Some(a), Some(b)) = (a.items()?, b.items()?) else { return Ok(false) };
            for (a, b) in a.iter().zip(&b) {
                if !nested(a, b, numbers, depth + 1)? {
                    return Ok(false);
                }
            }
            true
        }
        (V::Hash(_) | V::Map(_), V::Hash(_) | V::Map(_)) => {
            if a.size() != b.size() {
                return Ok(false);
            }
            same_entries(a, b, |a, b| nested(a, b, numbers, depth + 1))?
        }
        _ => false,
    })
}

/// Whether a value says itself what it is equal to.
fn compares_in_its_way(value: &V<'_>) -> bool {
    matches!(
        value,
        V::Bytes(_)
            | V::Random(_)
            | V::Match(_)
            | V::Enumerator(_)
            | V::Address(_)
            | V::Object(_)
            | V::Error(_)
            | V::Proc(_)
            | V::Main
    )
}

fn same_number(n: i64, x: f64) -> OrRuby<bool> {
    Ok(order_numbers(n, x)? == Some(Ordering::Equal))
}

fn order_numbers(n: i64, x: f64) -> OrRuby<Option<Ordering>> {
    if n.unsigned_abs() > EXACT {
        return Err(LARGE);
    }
    Ok((n as f64).partial_cmp(&x))
}

/// `<=>`; none where the values have no order.
pub(crate) fn order<'c>(a: &V<'c>, b: &V<'c>) -> OrRuby<Option<Ordering>> {
    ordered(a, b, 0)
}

/// The order of two texts, by their bytes.
pub(crate) fn order_texts(a: &V<'_>, b: &V<'_>) -> Ordering {
    a.text().unwrap_or_default().as_bytes().cmp(b.text().unwrap_or_default().as_bytes())
}

fn ordered<'c>(a: &V<'c>, b: &V<'c>, depth: usize) -> OrRuby<Option<Ordering>> {
    budget::spend(1)?;
    if depth > DEEPEST {
        return Err(ForRuby("a deep value"));
    }
    Ok(match (a, b) {
        (V::Int(a), V::Int(b)) => Some(a.cmp(b)),
        (V::Big(_), V::Int(_) | V::Big(_)) | (V::Int(_), V::Big(_)) => Some(large::order(a, b)?),
        (V::Big(_), V::Float(_)) | (V::Float(_), V::Big(_)) => return Err(LARGE),
        (V::Float(a), V::Float(b)) => a.partial_cmp(b),
        (V::Int(n), V::Float(x)) => order_numbers(*n, *x)?,
        (V::Float(x), V::Int(n)) => order_numbers(*n, *x)?.map(Ordering::reverse),
        (V::Str(_) | V::Made(_), V::Str(_) | V::Made(_)) => Some(order_texts(a, b)),
        (V::Symbol(a), V::Symbol(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (V::Nil, V::Nil) => Some(Ordering::Equal),
        (V::Bool(a), V::Bool(b)) if a == b => Some(Ordering::Equal),
        (V::Array(_) | V::List(_), V::Array(_) | V::List(_)) => {
            let sizes = [a, b].map(|list| list.size().unwrap_or_default());
            sizes.iter().try_for_each(|size| budget::spend(1 + *size as u64 / 8))?;
            for at in 0..sizes[0].min(sizes[1]) {
                let (Some(a), Some(b)) = (a.item(at)?, b.item(at)?) else { return Ok(None) };
                match ordered(&a, &b, depth + 1)? {
                    Some(Ordering::Equal) => {}
                    other => return Ok(other),
                }
            }
            Some(sizes[0].cmp(&sizes[1]))
        }
        _ => return Err(ForRuby("an order of such values")),
    })
}

/// Sorts as Ruby does. Of what is equal but not the same Ruby's order is not defined: that is left to Ruby.
pub(crate) fn sort<T, E: From<ForRuby>>(
    items: Vec<T>,
    order: &mut impl FnMut(&T, &T) -> Result<Ordering, E>,
    same: &impl Fn(&T, &T) -> OrRuby<bool>,
) -> Result<Vec<T>, E> {
    if items.len() < 2 {
        return Ok(items);
    }
    let mut left = items;
    let right = left.split_off(left.len() / 2);
    let mut left = sort(left, order, same)?.into_iter().peekable();
    let mut right = sort(right, order, same)?.into_iter().peekable();
    let mut sorted = Vec::with_capacity(left.len() + right.len());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let order = order(a, b)?;
        if order.is_eq() && !same(a, b)? {
            return Err(ForRuby("an order of values that are equal in it").into());
        }
        sorted.extend(if order.is_gt() { right.next() } else { left.next() });
    }
    sorted.extend(left.chain(right));
    Ok(sorted)
}

/// The order of two values, where they have one.
pub(crate) fn must_order<'c>(a: &V<'c>, b: &V<'c>) -> OrRuby<Ordering> {
    order(a, b)?.ok_or(ForRuby("values without an order"))
}

/// `===`, with which `case` and `grep` choose.
pub(crate) fn case_equal<'c>(pattern: &V<'c>, subject: &V<'c>) -> OrRuby<bool> {
    Ok(match (pattern, subject) {
        (V::Class(class), subject) => is_a(subject, *class)?,
        (V::Module(module), subject) => is_own(subject, module)?,
        (V::Regexp(source), V::Str(_) | V::Made(_)) => {
            let text = subject.text().unwrap_or_default();
            source.is_match(&text).map_err(|_| ForRuby("a match"))?
        }
        (V::Regexp(_), V::Nil | V::Bool(_) | V::Int(_) | V::Float(_) | V::Array(_) | V::List(_)) => false,
        (V::Regexp(_), _) => return Err(ForRuby("a match of such a value")),
        (V::Range(from, to, open), V::Int(n)) => n >= from && if *open { n < to } else { n <= to },
        (V::Range(..) | V::Span(_), subject) => covers(pattern, subject)?,
        (pattern, subject) => equal(pattern, subject)?,
    })
}

/// Whether a value lies between the ends of a range.
pub(crate) fn covers<'c>(range: &V<'c>, value: &V<'c>) -> OrRuby<bool> {
    let (from, to, open) = ranges::ends(range).ok_or(ranges::UNKNOWN)?;
    let kind = |value: &V<'c>| match value {
        V::Int(_) | V::Float(_) => Some(0),
        V::Str(_) | V::Made(_) => Some(1),
        V::Nil | V::Bool(_) | V::Symbol(_) | V::Array(_) | V::List(_) | V::Hash(_) | V::Map(_) => Some(2),
        _ => None,
    };
    let wanted = if matches!(from, V::Nil) { kind(&to) } else { kind(&from) };
    match (kind(value).ok_or(ranges::UNKNOWN)?, wanted.ok_or(ranges::UNKNOWN)?) {
        (_, 2) => return Err(ranges::UNKNOWN),
        (is, wanted) if is != wanted => return Ok(false),
        _ => {}
    }
    let behind = matches!(from, V::Nil) || order(&from, value)?.is_some_and(|order| order.is_le());
    let in_front = matches!(to, V::Nil)
        || order(value, &to)?.is_some_and(|order| if open { order.is_lt() } else { order.is_le() });
    Ok(behind && in_front)
}

/// `is_a?`
pub(crate) fn is_a(value: &V<'_>, class: Class) -> OrRuby<bool> {
    Ok(match value {
        V::Object(object) => {
            class.covers(object.class.builtin())
                || class == Class::Enumerable && object.class.is_enumerable()
                || class == Class::Comparable && object.class.is_comparable()
        }
        V::Other(value) if is_of_puppet(value) && NOT_OF_PUPPET.contains(&class) => false,
        value => class.covers(value.class()?),
    })
}

/// Whether a value is of a class of Puppet's own for sure: a type, a version, a call that is put off.
fn is_of_puppet(value: &Value<'_>) -> bool {
    match value {
        Value::Type(_) | Value::SemVer(_) | Value::Uri(_) | Value::Binary(_) => true,
        Value::Object(object) => matches!(object.type_name, "Deferred" | "Error"),
        _ => false,
    }
}

/// Classes that none of these values is of.
const NOT_OF_PUPPET: &[Class] = &[
    Class::String,
    Class::Symbol,
    Class::Integer,
    Class::Float,
    Class::Numeric,
    Class::Array,
    Class::Hash,
    Class::Nil,
    Class::True,
    Class::False,
    Class::Range,
    Class::Regexp,
    Class::Proc,
];

/// `is_a?` of a class or module that code defines.
pub(crate) fn is_own<'c>(value: &V<'c>, module: &Rc<Module<'c>>) -> OrRuby<bool> {
    Ok(match value {
        V::Object(object) => object.class.is(module),
        V::Error(error) => matches!(&error.class, ClassRef::Own(own) if own.is(module)),
        // They are versions and ranges in Ruby.
        V::Other(value) if module.name().starts_with("SemanticPuppet::") => match value {
            Value::SemVer(_) => module.name() == "SemanticPuppet::Version",
            _ => return Err(ForRuby("the class of a value")),
        },
        V::Other(value) if is_of_puppet(value) => false,
        // Such a value may be one of a class in Ruby.
        V::Void | V::Main | V::Scope | V::Other(Value::Object(_)) => {
            return Err(ForRuby("the class of a value"));
        }
        V::Map(_) if module.extends_hashes.get() => {
            return Err(ForRuby("whether a hash is extended"));
        }
        _ => false,
    })
}
