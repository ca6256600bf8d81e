//! Those who gather what is read, one within the other. Most of what a compile asks it has asked before, and in the end all questions
//! are to be there once and sorted: so they are kept in a table that is sorted at any time.

use super::{Reads, Touch};
use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// So many questions need no table: most of those who gather within another are told of one or two.
const SMALL: usize = 16;
/// How many bits of a question say its place in a table that is new.
const LEAST: u32 = 8;
/// A table that has so many times the places that would do is not used again.
const ROOMY: usize = 16;
/// So many questions are looked for one by one sooner than whether all of them have been taken in.
const FEW: usize = 4;

/// Questions, each once and sorted: a few in a list, more in a table by linear probing sort. There a question lies at the place that its
/// first bits say, or behind it where others are that are less. Questions are hashes, so hardly one lies far from its place.
struct Touches {
    /// All of them, as long as none is in the table.
    few: Vec<u32>,
    /// A question's number at each place, 0 for none. Behind those that bits can say there are as many as questions may be in the table:
    /// so there is always an empty one behind the last question.
    places: Vec<u32>,
    /// How many bits say a place.
    bits: u32,
    /// How many questions are in the table.
    count: usize,
    /// Whether the question of number 0 has been asked.
    has_zero: bool,
    /// All questions as they were last told.
    told: Box<[Touch]>,
}

impl Touches {
    fn new() -> Touches {
        Touches {
            few: Vec::new(),
            places: Vec::new(),
            bits: LEAST,
            count: 0,
            has_zero: false,
            told: Box::default(),
        }
    }

    /// Puts a question in, if it is not there.
    #[inline]
    fn insert(&mut self, Touch(number): Touch) {
        match self.is_table() {
            true => self.insert_into_table(number),
            false => self.insert_few(number),
        }
    }

    /// Whether questions are in the table: when it comes to that, they are more than the one of number 0.
    #[inline]
    fn is_table(&self) -> bool {
        self.count > 0
    }

    #[inline]
    fn insert_into_table(&mut self, number: u32) {
        if number == 0 {
            self.has_zero = true;
            return;
        }
        let mut at = (number >> (u32::BITS - self.bits)) as usize;
        while self.places[at] < number && self.places[at] != 0 {
            at += 1;
        }
        if self.places[at] != number {
            self.put(at, number);
        }
    }

    fn insert_few(&mut self, number: u32) {
        let Err(at) = self.few.binary_search(&number) else { return };
        if self.few.len() < SMALL {
            self.few.insert(at, number);
            return;
        }
        if self.places.is_empty() {
            self.places = places(self.bits);
        }
        for at in 0..SMALL {
            self.insert_into_table(self.few[at]);
        }
        self.insert_into_table(number);
    }

    /// Puts a question at a place, and what is there and behind it one further.
    fn put(&mut self, mut at: usize, number: u32) {
        if self.count == most(self.bits) {
            self.grow();
            return self.insert_into_table(number);
        }
        self.count += 1;
        let mut pushed = number;
        while pushed != 0 {
            pushed = std::mem::replace(&mut self.places[at], pushed);
            at += 1;
        }
    }

    #[cold]
    fn grow(&mut self) {
        self.bits += 1;
        self.count = 0;
        let all = std::mem::replace(&mut self.places, places(self.bits));
        all.iter().filter(|number| **number != 0).for_each(|number| self.insert_into_table(*number));
    }

    /// All of them, sorted.
    fn all(&mut self) -> Box<[Touch]> {
        // None is ever taken out.
        let count = if self.is_table() { usize::from(self.has_zero) + self.count } else { self.few.len() };
        if self.told.len() != count {
            self.told = self.sorted();
        }
        self.told.clone()
    }

    fn sorted(&self) -> Box<[Touch]> {
        if !self.is_table() {
            return self.few.iter().map(|number| Touch(*number)).collect();
        }
        let mut all = vec![Touch(0); usize::from(self.has_zero) + self.count + 1];
        let mut end = usize::from(self.has_zero);
        let (own, behind) = self.places.split_at(1 << self.bits);
        // An empty place at the end is written over by the next question: so there is no branch that nobody can foresee.
        own.iter().chain(behind.iter().take_while(|number| **number != 0)).for_each(|number| {
            all[end] = Touch(*number);
            end += usize::from(*number != 0);
        });
        all.truncate(end);
        all.into()
    }

    /// Leaves nothing but memory, of a size that is not much too large for what was in it.
    fn clear(&mut self) {
        match self.places.len() > ROOMY * self.count.max(1 << LEAST) {
            true => *self = Touches::new(),
            false if self.is_table() => self.places.fill(0),
            false => {}
        }
        self.few.clear();
        (self.count, self.has_zero, self.told) = (0, false, Box::default());
    }
}

/// The places of a table of so many bits, all of them empty.
fn places(bits: u32) -> Vec<u32> {
    vec![0; (1 << bits) + most(bits)]
}

/// How many questions may be in a table of so many bits: with more, they would lie far from their places.
fn most(bits: u32) -> usize {
    (1 << bits) / 4 * 3
}

/// Spreads addresses.
#[derive(Default)]
pub(super) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_usize(&mut self, number: usize) {
        // All bits count in a table, and the low ones of addresses are all alike.
        self.0 = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

/// Somebody who gathers.
pub(super) struct Gatherer {
    touches: Touches,
    pub(super) unknown: BTreeSet<String>,
    pub(super) refused: BTreeSet<String>,
    /// Those [`Reads`] of memos that have been taken in and hold many questions, by their addresses: memos let go of nothing while a
    /// compile lasts.
    taken_in: HashSet<usize, BuildHasherDefault<AsItIs>>,
}

impl Gatherer {
    fn new() -> Gatherer {
        Gatherer {
            touches: Touches::new(),
            unknown: BTreeSet::new(),
            refused: BTreeSet::new(),
            taken_in: HashSet::default(),
        }
    }

    /// Notes a question.
    #[inline]
    pub fn touch(&mut self, touch: Touch) {
        self.touches.insert(touch);
    }

    /// Notes what was gathered before and lasts as long as this.
    #[inline]
    pub fn take_in(&mut self, reads: &Reads) {
        if reads.touches.len() <= FEW || self.taken_in.insert(std::ptr::from_ref(reads).addr()) {
            self.add(reads);
        }
    }

    /// Notes what was gathered before.
    #[inline]
    pub fn add(&mut self, reads: &Reads) {
        reads.touches.iter().for_each(|touch| self.touch(*touch));
        if !(reads.unknown.is_empty() && reads.refused.is_empty()) {
            self.unknown.extend(reads.unknown.iter().cloned());
            self.refused.extend(reads.refused.iter().cloned());
        }
    }

    /// What has been gathered.
    pub fn finish(&mut self) -> Reads {
        let [unknown, refused] = [&self.unknown, &self.refused].map(|all| all.iter().cloned().collect());
        Reads { touches: self.touches.all(), unknown, refused }
    }

    /// Leaves nothing but memory.
    fn clear(&mut self) {
        self.touches.clear();
        self.unknown.clear();
        self.refused.clear();
        self.taken_in.clear();
    }
}

/// Those who gather on a thread, outermost first: the last is told. Whoever comes after them takes the memory of one that is gone.
pub(super) struct Gatherers {
    all: Vec<Gatherer>,
    /// How many of them gather.
    depth: usize,
}

impl Gatherers {
    pub const fn new() -> Gatherers {
        Gatherers { all: Vec::new(), depth: 0 }
    }

    pub fn enter(&mut self) {
        if self.depth == self.all.len() {
            self.all.push(Gatherer::new());
        }
        self.depth += 1;
    }

    pub fn leave(&mut self) {
        if let Some(innermost) = self.innermost() {
            innermost.clear();
        }
        self.depth = self.depth.saturating_sub(1);
    }

    pub fn innermost(&mut self) -> Option<&mut Gatherer> {
        self.all.get_mut(self.depth.checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANY: u32 = 2000;

    #[test]
    fn each_question_is_there_once_and_none_is_lost() {
        let mut all = Gatherers::new();
        for _ in 0..2 {
            all.enter();
            let gatherer = all.innermost().unwrap();
            // So many that the table grows; whose places are all one, the first or the last, or none's; those that are all bits or none.
            let spread = |n: u32| n.wrapping_mul(0x9E37_79B9);
            let numbers = (0..3).flat_map(|round: u32| {
                (0..MANY).flat_map(move |n| [n.wrapping_sub(9 * round), u32::MAX - n, spread(n)])
            });
            numbers.clone().for_each(|number| gatherer.touch(Touch(number)));
            let wanted: BTreeSet<u32> = numbers.collect();
            assert!(gatherer.finish().touches.iter().map(|touch| touch.0).eq(wanted));
            all.leave();
            // As many as need no table, and one or two more; each told of before the next comes.
            all.enter();
            let (gatherer, mut wanted) = (all.innermost().unwrap(), BTreeSet::new());
            for number in (0..SMALL as u32 + 2).map(|n| spread(7 * n)).chain([0, spread(7)]) {
                gatherer.touch(Touch(number));
                wanted.insert(number);
                assert!(gatherer.finish().touches.iter().map(|touch| touch.0).eq(wanted.iter().copied()));
            }
            all.leave();
            assert!(all.innermost().is_none());
        }
    }

    #[test]
    fn nothing_is_left_for_the_next() {
        let mut all = Gatherers::new();
        all.enter();
        let kept = Reads { unknown: Box::new(["x".to_owned()]), ..Reads::of(Touch(1)) };
        all.innermost().unwrap().take_in(&kept);
        all.leave();
        all.enter();
        let next = all.innermost().unwrap();
        assert_eq!(next.finish(), Reads::default());
        next.take_in(&kept);
        assert_eq!(next.finish(), kept);
    }
}
