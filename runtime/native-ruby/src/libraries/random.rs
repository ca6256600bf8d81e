//! Random numbers that depend on a seed: `Random.new(seed)`, and what Puppet makes of it.

use crate::for_ruby::{ForRuby, OrRuby};
use crate::methods::large;
use crate::value::V;
use bunraku_stdlib::Random;
use num_bigint::BigInt;
use std::cell::RefCell;
use std::rc::Rc;

const UNKNOWN: ForRuby = ForRuby("a random number of that kind");

/// The generator of a seed. A negative one is one without its sign.
fn generator(seed: &V<'_>) -> OrRuby<Random> {
    let seed: BigInt = large::of(seed).ok_or(UNKNOWN)?;
    Ok(Random::new(&seed.to_bytes_be().1))
}

/// `Random.new`; none without a seed.
pub(super) fn seeded<'c>(args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    Ok(match args {
        [seed @ (V::Int(_) | V::Big(_))] => Some(V::Random(Rc::new(RefCell::new(generator(seed)?)))),
        _ => None,
    })
}

/// Calls a method of a generator; none for what is not known.
pub(crate) fn method<'c>(random: &RefCell<Random>, name: &str, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    crate::budget::spend(1)?;
    let mut random = random.borrow_mut();
    Ok(match (name, args) {
        ("rand", [V::Int(limit @ 1..)]) => Some(V::Int(random.below(*limit as u64) as i64)),
        ("rand", [V::Range(from, to, open)]) => {
            let last = if *open { to.checked_sub(1) } else { Some(*to) };
            let count =
                last.and_then(|last| last.checked_sub(*from)).filter(|count| (0..i64::MAX).contains(count));
            Some(V::Int(from + random.below(count.ok_or(UNKNOWN)? as u64 + 1) as i64))
        }
        _ => None,
    })
}

/// Calls a method of `Puppet::Util` that gives such a number; none for what is not known.
pub(super) fn of_puppet<'c>(name: &str, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let ("deterministic_rand" | "deterministic_rand_int", [seed, V::Int(limit @ 1..)]) = (name, args) else {
        return Ok(None);
    };
    let drawn = generator(seed)?.below(*limit as u64) as i64;
    Ok(Some(if name == "deterministic_rand" { V::made(drawn.to_string()) } else { V::Int(drawn) }))
}
