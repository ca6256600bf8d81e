//! Random numbers that depend on a seed: `Random.new(seed)`, what Puppet makes of it, and Ruby's own generator from where
//! code seeds it until it gives that up again.

use crate::eval::Run;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::methods::large;
use crate::value::V;
use bunraku_stdlib::Random;
use num_bigint::BigInt;
use std::cell::RefCell;
use std::rc::Rc;

const UNKNOWN: ForRuby = ForRuby("a random number of that kind");
const UNSEEDED: ForRuby = ForRuby("a random number without a seed");

/// Ruby's own generator with the seed that code has given it.
pub(crate) struct Seeded<'c> {
    seed: V<'c>,
    random: Rc<RefCell<Random>>,
}

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
        ("rand", []) => Some(V::Float(random.fraction())),
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

/// `rand` and `srand` of Ruby's own generator; none for what is not known. As long as nobody has seeded it, what it draws is
/// nothing that may be looked at here.
pub(crate) fn of_ruby<'c>(run: &mut Run<'_, 'c>, name: &str, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    match (name, args) {
        ("rand", [] | [V::Int(0) | V::Nil]) => Ok(Some(match &run.seeded {
            Some(seeded) => V::Float(seeded.random.borrow_mut().fraction()),
            None => V::Void,
        })),
        ("rand", args) => match &run.seeded {
            Some(seeded) => method(&seeded.random.clone(), "rand", args),
            None => Err(UNSEEDED),
        },
        ("srand", seed) => {
            let seeded = match seed {
                // From here on it is anybody's again.
                [] | [V::Void] => None,
                [seed @ (V::Int(_) | V::Big(_))] => {
                    let random = Rc::new(RefCell::new(generator(seed)?));
                    Some(Seeded { seed: seed.clone(), random })
                }
                _ => return Err(UNKNOWN),
            };
            let before = std::mem::replace(&mut run.seeded, seeded);
            Ok(Some(before.map_or(V::Void, |before| before.seed)))
        }
        _ => Ok(None),
    }
}

/// The generator that `shuffle` and `sample` draw from.
fn drawn_from(run: &Run<'_, '_>, options: &[V<'_>]) -> OrRuby<Rc<RefCell<Random>>> {
    match options {
        [] => run.seeded.as_ref().map(|seeded| seeded.random.clone()).ok_or(UNSEEDED),
        [options] => match &options.entries()?.unwrap_or_default()[..] {
            [(V::Symbol("random"), V::Random(random))] => Ok(random.clone()),
            _ => Err(UNKNOWN),
        },
        _ => Err(UNKNOWN),
    }
}

/// `shuffle` and `sample` of an array's items.
pub(crate) fn of_items<'c>(
    run: &Run<'_, 'c>,
    mut items: Vec<V<'c>>,
    method: Method,
    options: &[V<'c>],
) -> OrRuby<V<'c>> {
    crate::budget::spend(items.len() as u64)?;
    let random = drawn_from(run, options)?;
    let mut random = random.borrow_mut();
    if method == Method::Sample {
        let place = if items.len() < 2 { 0 } else { random.below(items.len() as u64) as usize };
        return Ok(items.into_iter().nth(place).unwrap_or(V::Nil));
    }
    for count in (1..=items.len()).rev() {
        let place = random.below(count as u64) as usize;
        items.swap(place, count - 1);
    }
    Ok(V::list(items))
}

/// Calls a method of `Puppet::Util` that gives such a number; none for what is not known.
pub(super) fn of_puppet<'c>(name: &str, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let ("deterministic_rand" | "deterministic_rand_int", [seed, V::Int(limit @ 1..)]) = (name, args) else {
        return Ok(None);
    };
    let drawn = generator(seed)?.below(*limit as u64) as i64;
    Ok(Some(if name == "deterministic_rand" { V::made(drawn.to_string()) } else { V::Int(drawn) }))
}
