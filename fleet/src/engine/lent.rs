//! What is lent of the coordinator's disk, as an object: so a worker compiles by the configuration of that machine, not by its own.
//!
//! ```text
//! zstd with a long window of: a line with the places and what lies there, then the bytes of the files
//! ```

use super::FORMAT;
use super::job::{self, is_own};
use super::shard::{packed, unpacked};
use bunraku::{Item, Lent};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Bytes that one may hold when it is unpacked.
const LARGEST: u64 = 1 << 30;

#[derive(Serialize, Deserialize)]
struct Head {
    format: u32,
    fingerprint: String,
    places: Vec<String>,
    items: Vec<(String, Kind)>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Folder,
    /// A file of so many bytes.
    File(usize),
    Withheld,
}

/// What both lend, where they do not say different things of one path.
///
/// # Errors
/// Names the path.
pub fn both(one: Lent, other: &Lent) -> Result<Lent, String> {
    let mut items = one.items().clone();
    for (path, item) in other.items() {
        if items.insert(path.clone(), item.clone()).is_some_and(|before| before != *item) {
            return Err(format!("{} has changed while it was read", path.display()));
        }
    }
    Ok(Lent::new([one.places(), other.places()].concat(), items))
}

/// As an object.
///
/// # Errors
/// When a path is no UTF-8, or all of it is too large.
pub(super) fn encode(lent: &Lent) -> Result<Vec<u8>, String> {
    let text = |path: &Path| {
        let text = path.to_str().map(str::to_owned);
        text.ok_or_else(|| format!("{} can't go with a job: its name is no UTF-8", path.display()))
    };
    let (mut items, mut files) = (Vec::new(), Vec::new());
    for (path, item) in lent.items() {
        let kind = match item {
            Item::Folder => Kind::Folder,
            Item::Withheld => Kind::Withheld,
            Item::File(bytes) => {
                files.extend_from_slice(bytes);
                Kind::File(bytes.len())
            }
        };
        items.push((text(path)?, kind));
    }
    let places = lent.places().iter().map(|path| text(path)).collect::<Result<_, _>>()?;
    let head = Head { format: FORMAT, fingerprint: job::build(), places, items };
    let lines = serde_json::to_vec(&head).map(|head| [&head[..], b"\n", &files].concat());
    let packed = lines.map_err(std::io::Error::from).and_then(|lines| packed(&lines));
    packed.map_err(|error| format!("Could not pack what is lent: {error}"))
}

/// What an object lends.
///
/// # Errors
/// When it is none, or one of another build.
pub(super) fn decode(bytes: &[u8]) -> Result<Lent, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("What is lent is damaged: {error}");
    let all = unpacked(bytes, LARGEST).map_err(|error| wrong(&error))?;
    let end = all.iter().position(|byte| *byte == b'\n').ok_or_else(|| wrong(&"it has no head"))?;
    let (head, mut rest) = (&all[..end], &all[end + 1..]);
    let head: Head = serde_json::from_slice(head).map_err(|error| wrong(&error))?;
    is_own(head.format, &head.fingerprint).map_err(|whose| format!("What is lent {whose}"))?;
    let mut items = BTreeMap::new();
    for (path, kind) in head.items {
        let item = match kind {
            Kind::Folder => Item::Folder,
            Kind::Withheld => Item::Withheld,
            Kind::File(length) => {
                let (own, others) = rest.split_at_checked(length).ok_or_else(|| wrong(&"it is cut off"))?;
                rest = others;
                Item::File(own.to_vec())
            }
        };
        items.insert(PathBuf::from(path), item);
    }
    match rest.is_empty() {
        true => Ok(Lent::new(head.places.into_iter().map(PathBuf::from).collect(), items)),
        false => Err(wrong(&"it is too long")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lent() -> Lent {
        let items = [
            ("/etc/hiera.yaml", Item::File(b"version: 5\n".to_vec())),
            ("/etc/data", Item::Folder),
            ("/etc/data/a.yaml", Item::File(b"a: \xff\n\n".to_vec())),
            ("/etc/data/key", Item::Withheld),
        ];
        let items = items.map(|(path, item)| (PathBuf::from(path), item)).into();
        Lent::new(vec!["/etc/hiera.yaml".into(), "/etc/data".into()], items)
    }

    #[test]
    fn what_is_lent_is_read_back_as_it_was_or_is_an_error() {
        let good = encode(&lent()).expect("it is packed");
        assert_eq!(decode(&good), Ok(lent()));
        for at in 0..good.len() {
            let mut turned = good.clone();
            turned[at] ^= 0x10;
            let _ = decode(&turned);
            assert!(decode(&good[..at]).is_err(), "{at}");
        }
    }

    #[test]
    fn what_two_lend_is_lent_once() {
        let more = Lent::new(
            vec!["/etc/data".into(), "/srv".into()],
            [(PathBuf::from("/etc/data"), Item::Folder), (PathBuf::from("/srv"), Item::Folder)].into(),
        );
        let both_of_them = both(lent(), &more).expect("they agree");
        assert_eq!((both_of_them.places().len(), both_of_them.items().len()), (3, 5));
        let other = [(PathBuf::from("/etc/data/a.yaml"), Item::File(b"a: 2".to_vec()))].into();
        let other = Lent::new(vec!["/etc/data".into()], other);
        assert!(both(lent(), &other).expect_err("they differ").contains("/etc/data/a.yaml has changed"));
    }
}
