//! Random numbers: `Random.new`, what Puppet makes of a seed, and Ruby's own generator, which code may seed and give up again.
//! What nobody has seeded begins with the system's own; that it was drawn is told to whoever gathers what a compile reads.

use super::random_drawn::{self as drawn, LONGEST, Limit};
use crate::eval::{Done, Run, Unwind};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::random::{self, Generator, UNKNOWN, system_seed};
use crate::value::{Class, V, large};
use crate::world::WorkerState;
use num_bigint::BigInt;
use std::cell::RefCell;
use std::rc::Rc;

/// `Random.new`; none for what is not known.
pub(super) fn new<'c>(run: &mut Run<'_, 'c>, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let seed = match args {
        [] => {
            run.note_chance();
            system_seed()?
        }
        [seed @ (V::Int(_) | V::Big(_))] => large::of(seed).ok_or(UNKNOWN)?,
        // Its whole part.
        [V::Float(seed)] if seed.abs() < 9e18 => BigInt::from(*seed as i64),
        _ => return Ok(None),
    };
    Ok(Some(V::Random(Rc::new(RefCell::new(Generator::new(seed))))))
}

/// `rand` and `srand` of Ruby's own generator, as functions, where `class` is `Kernel`, and as methods of `Random`, with
/// `bytes`, `seed` and `new_seed` of that; none for what is not known.
pub(crate) fn of_ruby<'c>(
    run: &mut Run<'_, 'c>,
    class: Class,
    name: &str,
    args: &[V<'c>],
) -> Done<'c, Option<V<'c>>> {
    match (name, args) {
        ("rand", args) => {
            // What is wrong with them draws nothing.
            let limit = if class == Class::Random { drawn::strict(args)? } else { drawn::lenient(args)? };
            match limit {
                Limit::Unknown => Ok(None),
                Limit::Nothing => Ok(Some(V::Nil)),
                limit => drawn::below(&drawn(run)?.0, &limit).map(Some),
            }
        }
        ("bytes", [V::Int(count @ 0..=LONGEST)]) => Ok(Some(drawn::bytes(&drawn(run)?.0, *count as usize)?)),
        ("seed", []) => {
            let (generator, _) = drawn(run)?;
            let seed = generator.borrow().seed.clone();
            Ok(Some(large::value(seed)?))
        }
        ("new_seed", []) => {
            run.note_chance();
            Ok(Some(large::value(system_seed()?)?))
        }
        ("srand", seed) => {
            let (seed, is_free) = match seed {
                [] => (system_seed()?, true),
                [seed @ (V::Int(_) | V::Big(_))] => (large::of(seed).ok_or(UNKNOWN)?, false),
                // What was drawn before, to give the generator up: no more than its whole part is taken.
                [V::Float(drawn)] if run.has_drawn() && (0.0..1.0).contains(drawn) => (BigInt::from(0), true),
                _ => return Err(UNKNOWN.into()),
            };
            let before = run.engine.random.seed(seed, is_free)?;
            if run.engine.random.is_of_system(&before) {
                run.note_chance();
            }
            run.note_seed();
            Ok(Some(large::value(before)?))
        }
        _ => Ok(None),
    }
}

/// Ruby's own generator, about to be drawn from; whether it is known what it draws.
fn drawn(run: &mut Run<'_, '_>) -> OrRuby<(Rc<RefCell<Generator>>, bool)> {
    let (random, is_free) = run.engine.random.current()?;
    let is_known = !is_free && run.has_seeded();
    if !is_known {
        // What a worker runs may have seeded the generator there.
        if run.world.worker() != WorkerState::None {
            return Err(ForRuby("a random number where there is a worker"));
        }
        run.note_chance();
    }
    Ok((random, is_known))
}

/// What `shuffle` and `sample` draw from.
enum Source {
    Twister(Rc<RefCell<Generator>>),
    System,
}

impl Source {
    fn below(&self, limit: usize) -> OrRuby<usize> {
        Ok(match self {
            Source::Twister(random) => random.borrow_mut().random.below(limit as u64) as usize,
            Source::System => random::below(limit as u64)? as usize,
        })
    }
}

/// What `shuffle` and `sample` draw from, with these options; whether it may be known what that draws.
fn drawn_from(run: &mut Run<'_, '_>, options: &[V<'_>]) -> OrRuby<(Source, bool)> {
    let of_ruby = |(random, is_known)| (Source::Twister(random), is_known);
    match options {
        [] => drawn(run).map(of_ruby),
        [options] => match &options.entries()?.unwrap_or_default()[..] {
            [(V::Symbol("random"), V::Random(random))] => Ok((Source::Twister(random.clone()), true)),
            [(V::Symbol("random"), V::Class(Class::Random))] => drawn(run).map(of_ruby),
            [(V::Symbol("random"), V::Class(Class::SecureRandom))] => {
                run.note_chance();
                Ok((Source::System, false))
            }
            _ => Err(UNKNOWN),
        },
        _ => Err(UNKNOWN),
    }
}

/// `shuffle` and `sample` of an array's items.
pub(crate) fn of_items<'c>(
    run: &mut Run<'_, 'c>,
    mut items: Vec<V<'c>>,
    method: Method,
    args: &[V<'c>],
) -> Done<'c> {
    crate::budget::spend(items.len() as u64)?;
    let (count, options) = match args {
        [V::Int(count), options @ ..] if method == Method::Sample => (Some(*count), options),
        options => (None, options),
    };
    let (source, is_known) = drawn_from(run, options)?;
    if let Some(count) = count {
        let count = usize::try_from(count)
            .map_err(|_| Unwind::error(Class::ArgumentError, "negative sample number"))?;
        // How Ruby draws several depends on how many there are. Where nobody knows what is drawn, that does not matter.
        if is_known {
            return Err(UNKNOWN.into());
        }
        let count = count.min(items.len());
        for place in 0..count {
            let other = place + source.below(items.len() - place)?;
            items.swap(place, other);
        }
        items.truncate(count);
        return Ok(V::list(items));
    }
    if method == Method::Sample {
        let place = if items.len() < 2 { 0 } else { source.below(items.len())? };
        return Ok(items.into_iter().nth(place).unwrap_or(V::Nil));
    }
    for count in (1..=items.len()).rev() {
        let place = source.below(count)?;
        items.swap(place, count - 1);
    }
    Ok(V::list(items))
}

/// Calls a method of `Puppet::Util` that gives such a number; none for what is not known.
pub(super) fn of_puppet<'c>(name: &str, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let ("deterministic_rand" | "deterministic_rand_int", [seed, V::Int(limit @ 1..)]) = (name, args) else {
        return Ok(None);
    };
    let mut generator = Generator::new(large::of(seed).ok_or(UNKNOWN)?);
    let drawn = generator.random.below(*limit as u64) as i64;
    Ok(Some(if name == "deterministic_rand" { V::made(drawn.to_string()) } else { V::Int(drawn) }))
}
