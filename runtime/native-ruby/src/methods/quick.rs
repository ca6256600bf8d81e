//! The calls that are met most often, without a block: answered before it is asked what else a method may be.

use super::{hash, list, string, string_patterns};
use crate::eval::{Done, Run};
use crate::method::Method;
use crate::value::V;
use crate::value::compare;

/// Answers a call, if it is one of those; as the other methods of the value would.
#[inline]
pub(super) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
) -> Option<Done<'c>> {
    let one = match (method, on, args) {
        (Method::Element, V::Hash(_) | V::Map(_), [key @ (V::Str(_) | V::Made(_))]) => {
            return Some(hash::element(run, on, key));
        }
        (Method::Append, V::Made(_), [V::Str(_) | V::Made(_)]) => {
            return Some(string::call(run, on, method, args, None));
        }
        (Method::Append, V::List(_), [_]) => return Some(list::call(run, on, method, args, None)),
        (Method::Plus, V::Str(_) | V::Made(_), [V::Str(_) | V::Made(_)]) => joined(on, &args[0])?,
        (Method::Equal, V::Str(_) | V::Made(_), [other @ (V::Str(_) | V::Made(_))]) => {
            V::Bool(on.text() == other.text())
        }
        (Method::NotEqual, V::Str(_) | V::Made(_), [other @ (V::Str(_) | V::Made(_))]) => {
            V::Bool(on.text() != other.text())
        }
        (Method::Equal, V::Bool(a), [V::Bool(b)]) => V::Bool(a == b),
        (Method::Equal, V::Bool(_), [V::Nil | V::Str(_) | V::Made(_) | V::Symbol(_) | V::Int(_)]) => {
            V::Bool(false)
        }
        (Method::Equal, V::Str(_) | V::Made(_), [V::Nil | V::Bool(_) | V::Symbol(_) | V::Int(_)]) => {
            V::Bool(false)
        }
        (
            Method::Equal | Method::Plus | Method::Minus | Method::Less | Method::Greater,
            V::Int(a),
            [V::Int(b)],
        ) => of_integers(method, *a, *b)?,
        (Method::Empty, _, []) => V::Bool(is_empty(on)?),
        (Method::NilIs, V::Nil, []) => V::Bool(true),
        (Method::NilIs, on, []) if is_plain(on) => V::Bool(false),
        (Method::IsA, on, [V::Class(class)]) if is_plain(on) => V::Bool(compare::is_a(on, *class).ok()?),
        (Method::ToS, V::Str(_) | V::Made(_), []) => on.clone(),
        _ => return None,
    };
    Some(Ok(one))
}

/// Values whose classes no code can change, and that have no others behind them.
pub(crate) fn is_plain(value: &V<'_>) -> bool {
    matches!(
        value,
        V::Str(_)
            | V::Made(_)
            | V::Int(_)
            | V::Float(_)
            | V::Symbol(_)
            | V::Array(_)
            | V::List(_)
            | V::Hash(_)
            | V::Map(_)
            | V::Bool(_)
    )
}

fn is_empty(value: &V<'_>) -> Option<bool> {
    Some(match value {
        V::Str(text) => text.is_empty(),
        V::Made(text) => text.borrow().is_empty(),
        V::Array(items) => items.size() == 0,
        V::List(items) => items.try_borrow().ok()?.is_empty(),
        V::Hash(hash) => hash.len() == 0,
        V::Map(map) => map.try_borrow().ok()?.len() == 0,
        _ => return None,
    })
}

fn of_integers<'c>(method: Method, a: i64, b: i64) -> Option<V<'c>> {
    Some(match method {
        Method::Plus => V::Int(a.checked_add(b)?),
        Method::Minus => V::Int(a.checked_sub(b)?),
        Method::Less => V::Bool(a < b),
        Method::Greater => V::Bool(a > b),
        _ => V::Bool(a == b),
    })
}

/// `+` of two texts, unless what comes out is long.
fn joined<'c>(on: &V<'c>, other: &V<'c>) -> Option<V<'c>> {
    let (on, other) = (on.text()?, other.text()?);
    string_patterns::sized(on.len() + other.len()).ok()?;
    Some(V::made([&*on, &*other].concat()))
}
