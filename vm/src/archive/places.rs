//! Paths by hash: a table of slots with numbers of entries, made when an archive is written, so that a look-up touches one
//! entry or two, whatever their number.

use super::writer::EntrySpec;
use xxhash_rust::xxh3::xxh3_64;

/// The slots in which a path may be found, in order, of a table of `slots`, a power of two: from what its hash gives on,
/// around to the one before.
pub(super) fn walk(path: &str, slots: usize) -> impl Iterator<Item = usize> + use<> {
    let first = xxh3_64(path.as_bytes()) as usize;
    (0..slots).map(move |step| first.wrapping_add(step) & (slots - 1))
}

/// The table of some entries: numbers, each one up, 0 in slots that are free; at most half of them are taken.
pub(super) fn table(entries: &[EntrySpec]) -> Vec<u32> {
    let mut slots = vec![0; (2 * entries.len()).next_power_of_two().max(2)];
    for (entry, number) in entries.iter().zip(1..) {
        if let Some(free) = walk(&entry.path, slots.len()).find(|slot| slots[*slot] == 0) {
            slots[free] = number;
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
            let mut met =
                walk(&entry.path, slots.len()).map(|slot| slots[slot]).take_while(|slot| *slot != 0);
            assert!(met.any(|slot| slot as usize == number + 1), "{}", entry.path);
        }
        assert_eq!(walk("x", 4).count(), 4);
    }
}
