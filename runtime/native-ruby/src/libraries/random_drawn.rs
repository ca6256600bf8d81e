//! What is drawn from one of Ruby's generators: numbers below a limit or of a range, and bytes.

use crate::eval::{Done, Unwind};
use crate::for_ruby::OrRuby;
use crate::random::{Generator, UNKNOWN};
use crate::value::{Class, V, large, text};
use num_bigint::{BigInt, BigUint};
use std::cell::RefCell;

/// More bytes are left to Ruby.
pub(super) const LONGEST: i64 = 1 << 16;

/// What a number is drawn for.
pub(super) enum Limit {
    /// From 0 to below 1.
    Fraction,
    /// The same, times this.
    Times(f64),
    /// From 0 to this, with it, and so much more.
    UpTo(BigInt, BigInt),
    /// From 0 to this, and so much more; whether that is left out.
    Within(f64, f64, bool),
    /// A range that is empty.
    Nothing,
    Unknown,
}

/// Calls a method of a generator; none for what is not known.
pub(crate) fn method<'c>(
    generator: &RefCell<Generator>,
    name: &str,
    args: &[V<'c>],
) -> Done<'c, Option<V<'c>>> {
    crate::budget::spend(1)?;
    match (name, args) {
        ("rand", args) => match strict(args)? {
            Limit::Unknown => Ok(None),
            limit => below(generator, &limit).map(Some),
        },
        ("bytes", [V::Int(count @ 0..=LONGEST)]) => Ok(Some(bytes(generator, *count as usize)?)),
        ("seed", []) => Ok(Some(large::value(generator.borrow().seed.clone())?)),
        _ => Ok(None),
    }
}

/// What `rand` of `Random` and of generators is given.
///
/// # Errors
/// Ruby's, for what no number can be drawn for.
pub(super) fn strict<'c>(args: &[V<'c>]) -> Done<'c, Limit> {
    let limit = match args {
        [] => Limit::Fraction,
        [V::Float(0.0)] => Limit::Fraction,
        [V::Float(limit)] if *limit > 0.0 && limit.is_finite() => Limit::Times(*limit),
        [V::Float(limit)] if limit.is_finite() => Limit::Nothing,
        [limit @ (V::Int(_) | V::Big(_))] => {
            let limit = large::of(limit).ok_or(UNKNOWN)?;
            if limit > BigInt::ZERO { Limit::UpTo(limit - 1, BigInt::ZERO) } else { Limit::Nothing }
        }
        [V::Nil] => Limit::Nothing,
        [range @ (V::Range(..) | V::Span(_))] => of_range(range)?,
        _ => Limit::Unknown,
    };
    match (limit, args) {
        (Limit::Nothing, [limit]) => Err(match text::to_s(limit) {
            Ok(limit) => Unwind::error(Class::ArgumentError, format!("invalid argument - {limit}")),
            Err(left) => left.into(),
        }),
        (limit, _) => Ok(limit),
    }
}

/// What `rand` as a function is given: what no number can be drawn for makes it a fraction, or nothing.
pub(super) fn lenient(args: &[V<'_>]) -> OrRuby<Limit> {
    let whole = match args {
        [] | [V::Nil] => BigInt::ZERO,
        [V::Float(limit)] if limit.abs() < 9e18 => BigInt::from(*limit as i64),
        [limit @ (V::Int(_) | V::Big(_))] => large::of(limit).ok_or(UNKNOWN)?,
        [range @ (V::Range(..) | V::Span(_))] => return of_range(range),
        _ => return Ok(Limit::Unknown),
    };
    if whole == BigInt::ZERO {
        return Ok(Limit::Fraction);
    }
    Ok(Limit::UpTo(BigInt::from(whole.into_parts().1) - 1, BigInt::ZERO))
}

fn of_range(range: &V<'_>) -> OrRuby<Limit> {
    let (from, to, open) = match range {
        V::Range(from, to, open) => {
            let most = BigInt::from(*to) - *from - i64::from(*open);
            return Ok(if most < BigInt::ZERO { Limit::Nothing } else { Limit::UpTo(most, (*from).into()) });
        }
        V::Span(span) => match (number(&span.0), number(&span.1)) {
            (Some(from), Some(to)) => (from, to, span.2),
            _ => return Ok(Limit::Unknown),
        },
        _ => return Ok(Limit::Unknown),
    };
    let wide = to - from;
    Ok(match wide {
        wide if !wide.is_finite() => Limit::Unknown,
        wide if wide < 0.0 || wide == 0.0 && open => Limit::Nothing,
        wide => Limit::Within(wide, from, open),
    })
}

/// A number that a float has all digits of.
fn number(value: &V<'_>) -> Option<f64> {
    match value {
        V::Float(n) => Some(*n),
        V::Int(n) if n.unsigned_abs() <= 1 << 53 => Some(*n as f64),
        _ => None,
    }
}

/// Draws a number.
pub(super) fn below<'c>(generator: &RefCell<Generator>, limit: &Limit) -> Done<'c> {
    let random = &mut generator.borrow_mut().random;
    Ok(match limit {
        Limit::Fraction => V::Float(random.fraction()),
        Limit::Times(limit) => V::Float(random.fraction() * limit),
        Limit::UpTo(most, more) => match u64::try_from(most) {
            Ok(most) if most < u64::MAX => large::value(random.below(most + 1) + more)?,
            _ => {
                let words = most.to_u32_digits().1;
                crate::budget::spend(words.len() as u64)?;
                large::value(BigInt::from(BigUint::new(random.up_to(&words))) + more)?
            }
        },
        // Of one number nothing is drawn.
        Limit::Within(0.0, from, _) => V::Float(0.0 + from),
        Limit::Within(wide, from, true) => V::Float(random.fraction() * wide + from),
        Limit::Within(wide, from, false) => V::Float(random.closed_fraction() * wide + from),
        Limit::Nothing | Limit::Unknown => return Err(UNKNOWN.into()),
    })
}

/// Draws bytes.
pub(super) fn bytes<'c>(generator: &RefCell<Generator>, count: usize) -> OrRuby<V<'c>> {
    crate::budget::spend(count as u64)?;
    let mut bytes = vec![0; count];
    generator.borrow_mut().random.fill(&mut bytes);
    Ok(V::bytes(bytes))
}

/// The first of the numbers of a range, and how many there are; none for a range without any.
pub(super) fn span(range: &V<'_>) -> OrRuby<Option<(i64, u64)>> {
    let V::Range(from, to, open) = range else { return Err(UNKNOWN) };
    let last = if *open { to.checked_sub(1) } else { Some(*to) };
    let count = last.and_then(|last| last.checked_sub(*from)).filter(|count| *count < i64::MAX);
    let count = count.ok_or(UNKNOWN)?;
    Ok((count >= 0).then(|| (*from, count as u64 + 1)))
}
