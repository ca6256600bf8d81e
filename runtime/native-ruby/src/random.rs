//! What random numbers are drawn from: generators with a seed, the one that all Ruby code of a compile shares, and the system.

use crate::for_ruby::{ForRuby, OrRuby};
use bunraku_stdlib::Random;
use num_bigint::{BigInt, Sign};
use std::cell::RefCell;
use std::rc::Rc;

pub(crate) const UNKNOWN: ForRuby = ForRuby("a random number of that kind");

/// A generator with the seed it began with.
pub(crate) struct Generator {
    pub seed: BigInt,
    pub random: Random,
}

impl Generator {
    /// The generator of a seed. A negative one seeds as one without its sign.
    pub fn new(seed: BigInt) -> Generator {
        let random = Random::new(&seed.to_bytes_be().1);
        Generator { seed, random }
    }
}

/// Ruby's own generator, which all code of a compile draws from.
#[derive(Default)]
pub(crate) struct OwnGenerator {
    now: RefCell<Option<Seeded>>,
    /// Seeds that came from the system. Code may have been told of them.
    of_system: RefCell<Vec<BigInt>>,
}

struct Seeded {
    generator: Rc<RefCell<Generator>>,
    /// Whether code has not chosen the seed.
    is_free: bool,
}

impl OwnGenerator {
    /// Seeds it anew; gives the seed it had.
    pub fn seed(&self, seed: BigInt, is_free: bool) -> OrRuby<BigInt> {
        self.begin()?;
        let is_free = is_free || self.is_of_system(&seed);
        let generator = Rc::new(RefCell::new(Generator::new(seed)));
        let before = self.now.replace(Some(Seeded { generator, is_free }));
        before.map(|before| before.generator.borrow().seed.clone()).ok_or(UNKNOWN)
    }

    /// Seeds it from the system, if it has no seed yet.
    fn begin(&self) -> OrRuby<()> {
        if self.now.borrow().is_some() {
            return Ok(());
        }
        let seed = system_seed()?;
        self.of_system.borrow_mut().push(seed.clone());
        let generator = Rc::new(RefCell::new(Generator::new(seed)));
        self.now.replace(Some(Seeded { generator, is_free: true }));
        Ok(())
    }

    /// The generator, and whether code has not chosen its seed.
    pub fn current(&self) -> OrRuby<(Rc<RefCell<Generator>>, bool)> {
        self.begin()?;
        self.now.borrow().as_ref().map(|now| (now.generator.clone(), now.is_free)).ok_or(UNKNOWN)
    }

    /// Whether a seed came from the system.
    pub fn is_of_system(&self, seed: &BigInt) -> bool {
        self.of_system.borrow().contains(seed)
    }

    /// Whether code has left it with a seed of its choice.
    pub fn is_seeded(&self) -> bool {
        self.now.borrow().as_ref().is_some_and(|now| !now.is_free)
    }

    /// Takes its seed away.
    pub fn release(&self) {
        self.now.take();
        self.of_system.take();
    }
}

/// A seed such as Ruby takes itself.
pub(crate) fn system_seed() -> OrRuby<BigInt> {
    let mut bytes = [0; 16];
    fill(&mut bytes)?;
    Ok(BigInt::from_bytes_be(Sign::Plus, &bytes))
}

/// Fills bytes with what the system draws.
fn fill(bytes: &mut [u8]) -> OrRuby<()> {
    getrandom::fill(bytes).map_err(|_| ForRuby("random numbers that the system does not give"))
}

/// So many bytes.
pub(crate) fn bytes(length: usize) -> OrRuby<Vec<u8>> {
    let mut bytes = vec![0; length];
    fill(&mut bytes)?;
    Ok(bytes)
}

fn word() -> OrRuby<u64> {
    let mut bytes = [0; 8];
    fill(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// A number from 0 to below `limit`, all of them as likely.
pub(crate) fn below(limit: u64) -> OrRuby<u64> {
    let most = limit.saturating_sub(1);
    let mask = u64::MAX.checked_shr(most.leading_zeros()).unwrap_or(0);
    loop {
        let drawn = word()? & mask;
        if drawn <= most {
            return Ok(drawn);
        }
    }
}

/// A number from 0 to below 1.
pub(crate) fn fraction() -> OrRuby<f64> {
    Ok((word()? >> 11) as f64 / (1u64 << 53) as f64)
}
