//! Files from outside of a tree that another machine has lent, the one whose node is compiled here: what lies at a path that is lent
//! is what lay there, and this machine's own disk is not asked for it. A worker of a fleet has them; see [`Tree::with_lent`].
//!
//! [`Tree::with_lent`]: crate::tree::Tree::with_lent

use crate::found::Child;
use crate::paths::clean;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A folder.
    Folder,
    /// A file, with its content.
    File(Vec<u8>),
    /// Something that is not lent: whoever asks for it is refused, as if nothing had been lent there.
    Withheld,
}

/// See the module. Two are equal if they lend the same.
#[derive(Clone)]
pub struct Lent {
    /// Files and folders that are lent whole: what is not among the items below one is not there.
    places: Vec<PathBuf>,
    items: BTreeMap<PathBuf, Item>,
    /// What lies in each folder.
    children: BTreeMap<PathBuf, Vec<Child>>,
    digest: [u8; 32],
}

impl Lent {
    /// What lies at some places: absolute paths without `.` and `..`.
    pub fn new(mut places: Vec<PathBuf>, items: BTreeMap<PathBuf, Item>) -> Lent {
        places.sort();
        places.dedup();
        let mut children: BTreeMap<PathBuf, Vec<Child>> = BTreeMap::new();
        let mut hash = Sha256::new();
        let mut add = |kind: &[u8], bytes: &[u8]| {
            hash.update(kind);
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        places.iter().for_each(|place| add(b"p", place.as_os_str().as_encoded_bytes()));
        for (path, item) in &items {
            add(b"i", path.as_os_str().as_encoded_bytes());
            match item {
                Item::Folder => add(b"d", b""),
                Item::File(bytes) => add(b"f", bytes),
                Item::Withheld => add(b"w", b""),
            }
            let name = path.file_name().and_then(|name| name.to_str());
            if let (Some(parent), Some(name)) = (path.parent(), name) {
                let child = Child { name: name.to_owned(), is_folder: *item == Item::Folder, is_link: false };
                children.entry(parent.to_owned()).or_default().push(child);
            }
        }
        let digest = hash.finalize().into();
        Lent { places, items, children, digest }
    }

    /// Whether nothing is lent.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The files and folders that are lent whole.
    pub fn places(&self) -> &[PathBuf] {
        &self.places
    }

    /// All that lies there, by path.
    pub fn items(&self) -> &BTreeMap<PathBuf, Item> {
        &self.items
    }

    /// What is at a path, where that is lent: it may be nothing.
    pub(crate) fn at(&self, path: &Path) -> Option<Option<&Item>> {
        let path = clean(path);
        if !self.places.iter().any(|place| path.starts_with(place)) {
            return None;
        }
        // Something withheld may be a folder.
        let withheld = path.ancestors().any(|above| self.items.get(above) == Some(&Item::Withheld));
        (!withheld).then(|| self.items.get(&path))
    }

    /// What lies in a folder that is lent, by name.
    pub(crate) fn list(&self, folder: &Path) -> Option<Vec<Child>> {
        self.at(folder)?;
        Some(self.children.get(&clean(folder)).cloned().unwrap_or_default())
    }
}

impl PartialEq for Lent {
    fn eq(&self, other: &Lent) -> bool {
        self.digest == other.digest
    }
}

impl Eq for Lent {}

impl Hash for Lent {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest.hash(state);
    }
}

impl fmt::Debug for Lent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lent").field("places", &self.places).field("items", &self.items.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confined::Confinement;
    use crate::tree::Tree;
    use std::sync::Arc;

    fn lent(content: &str) -> Lent {
        let items = [
            ("/nowhere/hiera.yaml", Item::File(b"version: 5\n".to_vec())),
            ("/nowhere/data", Item::Folder),
            ("/nowhere/data/common.yaml", Item::File(content.into())),
            ("/nowhere/data/keys", Item::Withheld),
        ];
        let items = items.map(|(path, item)| (PathBuf::from(path), item)).into();
        Lent::new(vec!["/nowhere/hiera.yaml".into(), "/nowhere/data".into()], items)
    }

    #[test]
    fn what_is_lent_is_read_and_nothing_else_of_the_disk() {
        let tree = Tree::default().confined_to(&Confinement::default()).with_lent(Arc::new(lent("a: 1\n")));
        let path = Path::new;
        assert_eq!(tree.read(path("/nowhere/data/common.yaml")).ok().as_deref(), Some(&b"a: 1\n"[..]));
        assert_eq!(
            tree.stamp(path("/nowhere/data/../hiera.yaml")).ok(),
            Some(crate::found::Stamp::sized(11))
        );
        assert!(tree.is_dir(path("/nowhere/data")) && tree.is_file(path("/nowhere/hiera.yaml")));
        assert_eq!(tree.list(path("/nowhere/data")).len(), 2);
        // What is not there is known not to be there; what was not lent is refused.
        let (missing, reads) = crate::reads::gather(|| tree.exists(path("/nowhere/data/nodes/a.yaml")));
        assert!(!missing && reads.refused.is_empty());
        for refused in ["/nowhere", "/nowhere/data/keys/a", "/nowhere/data/keys", "/etc/passwd"] {
            let (there, reads) = crate::reads::gather(|| tree.exists(path(refused)));
            assert!(!there && !reads.refused.is_empty(), "{refused}");
        }
        assert!(tree.read(path("/etc/passwd")).is_err() && tree.stamp(path("/nowhere/data/no")).is_err());
    }

    #[test]
    fn they_are_equal_by_what_they_lend() {
        assert_eq!(lent("a: 1\n"), lent("a: 1\n"));
        assert_ne!(lent("a: 1\n"), lent("a: 2\n"));
    }
}
