//! Paths by hash. Entries are sorted, and a search among them needs nothing else; a process that asks often makes a
//! table of them once, which one compile alone would not be worth.

use super::Read;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use xxhash_rust::xxh3::xxh3_64;

/// After how many questions the table is made.
const OFTEN: u32 = 1_000;

/// A table of the paths of entries, or what leads to one.
#[derive(Default)]
pub(super) struct Index {
    asked: AtomicU32,
    /// Numbers of entries, each one up, in an order that their hashes give; a power of two, at most half of them in
    /// use. Empty where a path could not be read.
    slots: OnceLock<Box<[u32]>>,
}

impl Index {
    /// The number of a path among `count`; the outer `None` where the table is not there and has to be searched for.
    ///
    /// # Errors
    /// Those of `path_of`, which gives the path of an entry.
    pub fn find<'a>(
        &self,
        path: &[u8],
        count: u32,
        path_of: impl Fn(u32) -> Read<&'a [u8]>,
    ) -> Option<Read<Option<u32>>> {
        let slots = match self.slots.get() {
            Some(slots) => slots,
            None if self.asked.fetch_add(1, Relaxed) < OFTEN => return None,
            None => self.slots.get_or_init(|| table(count, &path_of).unwrap_or_default()),
        };
        let mask = slots.len().checked_sub(1)?;
        let mut at = xxh3_64(path) as usize & mask;
        loop {
            let number = match slots[at].checked_sub(1) {
                Some(number) => number,
                None => return Some(Ok(None)),
            };
            match path_of(number) {
                Ok(known) if known == path => return Some(Ok(Some(number))),
                Ok(_) => at = (at + 1) & mask,
                Err(fault) => return Some(Err(fault)),
            }
        }
    }
}

fn table<'a>(count: u32, path_of: impl Fn(u32) -> Read<&'a [u8]>) -> Read<Box<[u32]>> {
    let mut slots = vec![0; (2 * count as usize).next_power_of_two().max(2)].into_boxed_slice();
    let mask = slots.len() - 1;
    for number in 0..count {
        let mut at = xxh3_64(path_of(number)?) as usize & mask;
        while slots[at] != 0 {
            at = (at + 1) & mask;
        }
        slots[at] = number + 1;
    }
    Ok(slots)
}

#[cfg(test)]
mod tests {
    use super::super::ArchiveFault;
    use super::*;

    #[test]
    fn every_path_is_found_once_the_table_is_there_and_no_other() {
        let paths: Vec<String> = (0..300).map(|n| format!("m0/module{n}/init.pp")).collect();
        let path_of = |n: u32| Ok(paths[n as usize].as_bytes());
        let index = Index::default();
        for _ in 0..OFTEN {
            assert!(index.find(b"x", 300, path_of).is_none());
        }
        for (n, path) in paths.iter().enumerate() {
            assert_eq!(index.find(path.as_bytes(), 300, path_of).unwrap().unwrap(), Some(n as u32));
        }
        assert_eq!(index.find(b"m0/module300/init.pp", 300, path_of).unwrap().unwrap(), None);
        assert_eq!(Index::default().find(b"", 0, path_of).map(|found| found.unwrap()), None);
    }

    #[test]
    fn where_a_path_is_damaged_there_is_no_table() {
        let index = Index { asked: AtomicU32::new(OFTEN), ..Index::default() };
        let fault = |_| Err(ArchiveFault::Header);
        assert!(index.find(b"x", 3, fault).is_none() && index.find(b"x", 3, fault).is_none());
    }
}
