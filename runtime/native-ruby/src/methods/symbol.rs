//! Methods of symbols: those of their text, and those that make another symbol of it.

use super::string;
use crate::eval::{Done, Run};
use crate::for_ruby::ForRuby;
use crate::method::Method;
use crate::value::{V, compare};

/// Calls a method of a symbol.
pub(crate) fn call<'c>(run: &mut Run<'_, 'c>, name: &'c str, method: Method, args: &[V<'c>]) -> Done<'c> {
    use Method::{
        Capitalize, Downcase, Element, Empty, EndsWith, MatchIs, Size, Slice, StartsWith, Succ, Swapcase,
        Upcase,
    };
    let text = V::Str(name);
    match (method, args) {
        (Method::ToSym, []) => Ok(V::Symbol(name)),
        (Method::IdToName, []) => Ok(V::made(name.to_owned())),
        (Method::Compare, [other @ V::Symbol(_)]) => {
            let order = compare::order(&V::Symbol(name), other)?;
            Ok(order.map_or(V::Nil, |order| V::Int(order as i64)))
        }
        (Upcase | Downcase | Capitalize | Swapcase | Succ, []) => {
            let made = string::call(run, &text, method, args, None)?;
            let made = made.text().ok_or(ForRuby("a method of a symbol"))?;
            Ok(run.symbol(&made))
        }
        (Size | Empty, []) | (Element | Slice | StartsWith | EndsWith | MatchIs, _) => {
            string::call(run, &text, method, args, None)
        }
        _ => Err(ForRuby("a method of a symbol").into()),
    }
}
