//! Paths by hash: a table of slots with numbers of entries, made when an archive is written, so that a look-up touches one
//! entry, whatever their number, and none at all for a path that is not there.

use super::writer::EntrySpec;
use xxhash_rust::xxh3::xxh3_64;

/// Words of a slot: the number of an entry, one up, 0 in slots that are free; and the upper half of its path's hash.
pub(super) const WORDS: usize = 2;

/// The upper half of a path's hash, and the slots in which the path may be found, in order, of a table of `slots`, a power of two: from
/// what the lower half gives on, around to the one before.
pub(super) fn walk(path: &str, slots: usize) -> (u32, impl Iterator<Item = usize> + use<>) {
    let hash = xxh3_64(path.as_bytes());
    let first = hash as usize;
    ((hash >> 32) as u32, (0..slots).map(move |step| first.wrapping_add(step) & (slots - 1)))
}

/// The table of some entries; at most half of its slots are taken.
pub(super) fn table(entries: &[EntrySpec]) -> Vec<[u32; WORDS]> {
    let mut slots = vec![[0; WORDS]; (2 * entries.len()).next_power_of_two().max(2)];
    for (entry, number) in entries.iter().zip(1..) {
        let (upper, mut walk) = walk(&entry.path, slots.len());
        if let Some(free) = walk.find(|slot| slots[*slot][0] == 0) {
            slots[free] = [number, upper];
        }
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_has_a_slot_that_its_walk_meets() {
        let named = |n| EntrySpec { path: format!("m0/module{n}/init.pp"), ..EntrySpec::default() };
        let entries: Vec<_> = (0..300).map(named).collect();
        let slots = table(&entries);
        assert_eq!((slots.len(), table(&[]).len()), (1024, 2));
        for (number, entry) in entries.iter().enumerate() {
            let (upper, walk) = walk(&entry.path, slots.len());
            let mut met = walk.map(|slot| slots[slot]).take_while(|slot| slot[0] != 0);
            assert!(met.any(|slot| slot == [number as u32 + 1, upper]), "{}", entry.path);
        }
        assert_eq!(walk("x", 4).1.count(), 4);
    }
}
