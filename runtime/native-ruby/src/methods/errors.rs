//! Errors that methods raise, in Ruby's words, where it is certain that Ruby raises them.

use crate::eval::Unwind;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::value::{Class, V, text};

/// How Ruby names a value that it cannot convert: nil and booleans as they are, others by their classes.
fn named(value: &V<'_>) -> OrRuby<String> {
    Ok(match value {
        V::Nil => "nil".to_owned(),
        V::Bool(b) => b.to_string(),
        V::Int(_)
        | V::Float(_)
        | V::Str(_)
        | V::Made(_)
        | V::Symbol(_)
        | V::Array(_)
        | V::List(_)
        | V::Hash(_)
        | V::Map(_) => value.class()?.name().to_owned(),
        _ => return Err(ForRuby("an error of such a value")),
    })
}

/// How it shows a value in other messages: small ones as they are.
fn shown(value: &V<'_>) -> OrRuby<String> {
    match value {
        V::Nil | V::Bool(_) | V::Int(_) | V::Float(_) | V::Symbol(_) => text::inspected(value),
        value => named(value),
    }
}

fn raised<'c>(class: Class, message: OrRuby<String>) -> Unwind<'c> {
    match message {
        Ok(message) => Unwind::error(class, message),
        Err(why) => why.into(),
    }
}

/// `fetch` of a key there is not.
pub(super) fn no_key<'c>(key: &V<'c>) -> Unwind<'c> {
    raised(Class::KeyError, text::inspected(key).map(|key| format!("key not found: {key}")))
}

/// `fetch` of a place outside of an array.
pub(super) fn outside<'c>(at: i64, count: usize) -> Unwind<'c> {
    let message = format!("index {at} outside of array bounds: {}...{count}", -(count as i64));
    Unwind::error(Class::IndexError, message)
}

/// A division by 0.
pub(super) fn divided_by_zero<'c>() -> Unwind<'c> {
    Unwind::error(Class::ZeroDivisionError, "divided by 0")
}

/// A text that is no number to `Integer()` or `Float()`.
pub(super) fn no_number<'c>(function: &str, given: &str) -> Unwind<'c> {
    // Ruby shows the bytes of other letters.
    if !given.is_ascii() {
        return Unwind::unsaid(Class::ArgumentError);
    }
    let shown = text::inspected(&V::made(given.to_owned()));
    raised(Class::ArgumentError, shown.map(|shown| format!("invalid value for {function}(): {shown}")))
}

/// What cannot be converted at all.
pub(super) fn cannot_convert<'c>(value: &V<'c>, class: &str) -> Unwind<'c> {
    raised(Class::TypeError, named(value).map(|name| format!("can't convert {name} into {class}")))
}

/// The error of an operator with a value of the wrong kind; none where there is none for sure.
pub(super) fn of_operator<'c>(on: &V<'c>, method: Method, other: &V<'c>) -> Option<Unwind<'c>> {
    use Method::{Divide, Greater, GreaterOrEqual, Less, LessOrEqual, Minus, Modulo, Plus, Power, Times2};
    let operators = [Divide, Greater, GreaterOrEqual, Less, LessOrEqual, Minus, Modulo, Plus, Power, Times2];
    if !operators.contains(&method) {
        return None;
    }
    let is_number = |value: &V<'c>| matches!(value, V::Int(_) | V::Big(_) | V::Float(_));
    let class = on.class().ok()?.name();
    if is_number(on) == is_number(other) && (is_number(on) || on.text().is_some() == other.text().is_some()) {
        return None;
    }
    match method {
        Plus if on.text().is_some() => {
            let message = named(other).map(|name| format!("no implicit conversion of {name} into String"));
            Some(raised(Class::TypeError, message))
        }
        Plus | Minus | Times2 | Divide | Modulo | Power if is_number(on) => {
            let message = shown(other).map(|shown| format!("{shown} can't be coerced into {class}"));
            Some(raised(Class::TypeError, message))
        }
        Less | LessOrEqual | Greater | GreaterOrEqual if is_number(on) || on.text().is_some() => {
            let message = shown(other).map(|shown| format!("comparison of {class} with {shown} failed"));
            Some(raised(Class::ArgumentError, message))
        }
        _ => None,
    }
}
