//! Lists of plugins as they are sent, kept for the next agent that asks the same.
//!
//! Key: environment, path and parameters, and the archive that they are told of, if it has the files. Bound: 256 lists and 256
//! MB. Stale: those of an archive never; others as the environment's `environment_timeout` says: at once (0), after so many
//! seconds, or when [`Prepared::forget`] is called (`unlimited`).

use crate::exchange::{Request, Shared};
use lru::LruCache;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many lists are kept, those not asked for longest being dropped.
const MOST: NonZeroUsize = NonZeroUsize::new(256).expect("not zero");

/// How many bytes they may have together.
const MOST_BYTES: usize = 256 << 20;

/// What a list is kept by.
pub(super) type Key = Vec<(String, String)>;

/// The lists.
#[derive(Debug)]
pub(super) struct Prepared {
    kept: Mutex<Kept>,
}

#[derive(Debug)]
struct Kept {
    lists: LruCache<Key, (Arc<Shared>, Option<Instant>)>,
    bytes: usize,
}

/// The key of a request, without what makes no difference between nodes; `version` names the code, where that is known.
pub(super) fn key(request: &Request, rest: &str, version: Option<&str>) -> Key {
    let mut key = vec![(version.unwrap_or_default().to_owned(), rest.to_owned())];
    key.extend(request.query.iter().cloned());
    key
}

impl Default for Prepared {
    fn default() -> Prepared {
        Prepared { kept: Mutex::new(Kept { lists: LruCache::new(MOST), bytes: 0 }) }
    }
}

impl Prepared {
    /// A list that is still good.
    pub(super) fn get(&self, key: &Key) -> Option<Arc<Shared>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (list, end) = kept.lists.get(key)?;
        end.is_none_or(|end| Instant::now() < end).then(|| Arc::clone(list))
    }

    /// Keeps a list for so long, if at all; the longest time is for ever.
    pub(super) fn keep(&self, key: Key, list: Arc<Shared>, time: Duration) {
        if time.is_zero() || list.size() > MOST_BYTES / 4 {
            return;
        }
        let end = Instant::now().checked_add(time);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes += list.size();
        if let Some((_, (old, _))) = kept.lists.push(key, (list, end)) {
            kept.bytes -= old.size();
        }
        while kept.bytes > MOST_BYTES
            && let Some((_, (old, _))) = kept.lists.pop_lru()
        {
            kept.bytes -= old.size();
        }
    }

    /// Lets go of all.
    pub(super) fn forget(&self) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.lists.clear();
        kept.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    #[test]
    fn lists_are_kept_as_long_as_they_are_good() {
        let (prepared, key) = (Prepared::default(), |name: &str| vec![(name.to_owned(), String::new())]);
        let bytes = || Bytes::from_static(b"[]");
        let get = |name| prepared.get(&key(name)).map(|list| list.bytes.clone());
        prepared.keep(key("never"), Shared::new(bytes()), Duration::ZERO);
        prepared.keep(key("short"), Shared::new(bytes()), Duration::from_millis(20));
        prepared.keep(key("ever"), Shared::new(bytes()), Duration::MAX);
        assert_eq!(get("never"), None);
        assert_eq!(get("short"), Some(bytes()));
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!(get("short"), None);
        assert_eq!(get("ever"), Some(bytes()));
        prepared.forget();
        assert_eq!(get("ever"), None);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let prepared = Prepared::default();
        for number in 0..2000 {
            let key = vec![(number.to_string(), String::new())];
            prepared.keep(key, Shared::new(Bytes::from(vec![b' '; 8 << 20])), Duration::MAX);
            let kept = prepared.kept.lock().unwrap();
            assert!(kept.bytes <= MOST_BYTES && kept.lists.len() <= MOST.get());
            if number > 40 {
                break;
            }
        }
        let kept = prepared.kept.lock().unwrap();
        assert_eq!(kept.bytes, kept.lists.iter().map(|(_, (list, _))| list.size()).sum::<usize>());
    }

    #[test]
    fn a_list_is_compressed_once() {
        let (list, count) = (Shared::new(Bytes::from_static(b"abc")), std::cell::Cell::new(0));
        let zip = |bytes: &[u8]| {
            count.set(count.get() + 1);
            Bytes::copy_from_slice(&bytes[1..])
        };
        assert_eq!([list.zipped(zip), list.zipped(zip)], ["bc"; 2]);
        assert_eq!(count.get(), 1);
    }
}
