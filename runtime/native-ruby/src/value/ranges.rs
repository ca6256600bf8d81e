//! Ranges: their ends, what lies between them, and their items, which are counted or follow each other as strings do.

use super::V;
use super::large::TOO_LARGE;
use super::succ::succ;
use crate::budget;
use crate::for_ruby::{ForRuby, OrRuby};

pub(crate) const UNKNOWN: ForRuby = ForRuby("a method of a range");
const LONG: ForRuby = ForRuby("a long range");
/// Longer counts are left to Ruby.
const LONGEST: i64 = 1_000_000;

/// First and last of a range, and whether the last does not belong to it.
pub(crate) fn ends<'c>(range: &V<'c>) -> Option<(V<'c>, V<'c>, bool)> {
    match range {
        V::Range(from, to, open) => Some((V::Int(*from), V::Int(*to), *open)),
        V::Span(ends) => Some((**ends).clone()),
        _ => None,
    }
}

/// The items of a range.
pub(crate) fn items<'c>(range: &V<'c>) -> OrRuby<Vec<V<'c>>> {
    let (from, to, open) = ends(range).ok_or(UNKNOWN)?;
    match (&from, &to) {
        (V::Int(from), V::Int(to)) => {
            let to = if open { to.checked_sub(1).ok_or(UNKNOWN)? } else { *to };
            Ok(steps(*from, to, 1)?.into_iter().map(V::Int).collect())
        }
        (from, to) => match (from.text(), to.text()) {
            (Some(from), Some(to)) => strings(&from, &to, open),
            _ => Err(ForRuby("a range of that kind")),
        },
    }
}

/// The strings from one to another.
pub(crate) fn strings<'c>(from: &str, to: &str, open: bool) -> OrRuby<Vec<V<'c>>> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if from.is_empty() || to.is_empty() || !from.is_ascii() || !to.is_ascii() {
        return Err(ForRuby("a range of such strings"));
    }
    // Ruby goes from one character to the next by its code.
    if let ([first], [last]) = (from.as_bytes(), to.as_bytes()) {
        let codes = *first..last + u8::from(!open);
        return Ok(codes.map(|b| V::made(char::from(b).to_string())).collect());
    }
    if is_number(from) && is_number(to) {
        return numbers(from, to, open);
    }
    let mut made = Vec::new();
    if from > to || (open && from == to) {
        return Ok(made);
    }
    // What follows the last one ends it, too, wherever it is met.
    let behind = succ(to)?;
    let mut next = from.to_owned();
    while next != behind {
        if made.len() as i64 >= LONGEST {
            return Err(LONG);
        }
        budget::spend(1)?;
        made.push(V::made(next.clone()));
        if next == to {
            break;
        }
        next = succ(&next)?;
        if (open && next == to) || next.len() > to.len() || next.is_empty() {
            break;
        }
    }
    Ok(made)
}

/// Strings of digits: as wide as the first one at least.
fn numbers<'c>(from: &str, to: &str, open: bool) -> OrRuby<Vec<V<'c>>> {
    let width = from.len();
    let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>()) else { return Err(UNKNOWN) };
    let numbers = steps(from, to - i64::from(open), 1)?;
    Ok(numbers.into_iter().map(|n| V::made(format!("{n:0width$}"))).collect())
}

/// Integers from one to another by steps.
pub(crate) fn steps(from: i64, to: i64, by: i64) -> Result<Vec<i64>, ForRuby> {
    let far = to.checked_sub(from).and_then(|far| far.checked_div(by)).ok_or(TOO_LARGE)?;
    if far >= LONGEST {
        return Err(LONG);
    }
    let forth = if by > 0 { from <= to } else { from >= to };
    Ok(if forth { (0..=far).map(|n| from + n * by).collect() } else { Vec::new() })
}
