//! Those who gather what is read, one within the other. Most of what a compile asks it has asked before, and in the end all questions
//! are sorted: so they are appended to a list, past a table of a fixed size that keeps out most of those that are in it.

use super::{Reads, Touch};
use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// How many places the table of recent questions has.
const RECENT: usize = 1024;
/// That table without a question: what is at each place does not belong there.
static NONE: [Touch; RECENT] = {
    let mut table = [Touch(0); RECENT];
    let mut place = 0;
    while place < RECENT {
        table[place] = Touch(!(place as u32));
        place += 1;
    }
    table
};
/// With so many questions in the list, those that are in it twice are taken out.
const MOST: usize = 1 << 15;

fn place_of(touch: Touch) -> usize {
    touch.0 as usize % RECENT
}

/// Addresses are those of boxes: multiples of at least eight.
fn place_of_address(address: usize) -> usize {
    address / 8 % RECENT
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
    /// The questions, some of them more than once.
    touches: Vec<Touch>,
    /// The length of that list at which it is looked through.
    limit: usize,
    /// Questions that are in the list, each at the place that its last bits say; at the others none that belongs there.
    recent: Box<[Touch; RECENT]>,
    pub(super) unknown: BTreeSet<String>,
    pub(super) refused: BTreeSet<String>,
    /// Those [`Reads`] of memos that have been taken in, by their addresses: memos let go of nothing while a compile lasts.
    taken_in: HashSet<usize, BuildHasherDefault<AsItIs>>,
    /// Some of them, each at the place that its address says.
    recently_taken_in: Box<[usize; RECENT]>,
}

impl Gatherer {
    fn new() -> Gatherer {
        Gatherer {
            touches: Vec::new(),
            limit: MOST,
            recent: Box::new(NONE),
            unknown: BTreeSet::new(),
            refused: BTreeSet::new(),
            taken_in: HashSet::default(),
            recently_taken_in: Box::new([0; RECENT]),
        }
    }

    /// Notes a question.
    #[inline]
    pub fn touch(&mut self, touch: Touch) {
        let recent = &mut self.recent[place_of(touch)];
        if *recent != touch {
            *recent = touch;
            if self.touches.len() >= self.limit {
                self.look_through();
            }
            self.touches.push(touch);
        }
    }

    /// Takes out of the list what is in it twice: it takes as much memory as twice the questions.
    #[cold]
    fn look_through(&mut self) {
        self.touches.sort_unstable();
        self.touches.dedup();
        self.limit = (2 * self.touches.len()).max(MOST);
    }

    /// Notes what was gathered before and lasts as long as this.
    #[inline]
    pub fn take_in(&mut self, reads: &Reads) {
        let address = std::ptr::from_ref(reads) as usize;
        let recent = &mut self.recently_taken_in[place_of_address(address)];
        if std::mem::replace(recent, address) != address && self.taken_in.insert(address) {
            self.add(reads);
        }
    }

    /// Notes what was gathered before.
    pub fn add(&mut self, reads: &Reads) {
        reads.touches.iter().for_each(|touch| self.touch(*touch));
        if !(reads.unknown.is_empty() && reads.refused.is_empty()) {
            self.unknown.extend(reads.unknown.iter().cloned());
            self.refused.extend(reads.refused.iter().cloned());
        }
    }

    /// What has been gathered.
    pub fn finish(&mut self) -> Reads {
        self.look_through();
        let touches = Box::from(&*self.touches);
        let [unknown, refused] = [&self.unknown, &self.refused].map(|all| all.iter().cloned().collect());
        Reads { touches, unknown, refused }
    }

    /// Leaves nothing but memory, of a size that most need. What is in a table is in its list, too, and most gather little: then its
    /// places alone are emptied, not the whole table.
    fn clear(&mut self) {
        self.limit = MOST;
        match self.touches.len() < RECENT {
            true => self.touches.iter().for_each(|touch| {
                let place = place_of(*touch);
                self.recent[place] = NONE[place];
            }),
            false => self.recent.copy_from_slice(&NONE),
        }
        match self.taken_in.len() < RECENT {
            true => self
                .taken_in
                .iter()
                .for_each(|address| self.recently_taken_in[place_of_address(*address)] = 0),
            false => self.recently_taken_in.fill(0),
        }
        self.touches.clear();
        self.touches.shrink_to(MOST);
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

    #[test]
    fn each_question_is_there_once_and_none_is_lost() {
        let mut all = Gatherers::new();
        for _ in 0..2 {
            all.enter();
            let gatherer = all.innermost().unwrap();
            // So many that the list is looked through, with others at the same places in between, and those that are all bits or none.
            for round in 0..3 {
                (0..MOST as u32).for_each(|n| gatherer.touch(Touch(n.wrapping_sub(9 * round))));
            }
            let touches = gatherer.finish().touches;
            let wanted: BTreeSet<u32> =
                (0..3).flat_map(|round| (0..MOST as u32).map(move |n| n.wrapping_sub(9 * round))).collect();
            assert!(touches.iter().map(|touch| touch.0).eq(wanted));
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
