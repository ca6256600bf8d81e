//! What lies at a path or in a folder, as the disk or an archive says it.

use std::path::Path;
use std::time::SystemTime;

/// Size and time of change of a file: what it has to keep for it to count as unchanged. There is no time where an
/// archive says the size.
pub type Stamp = (u64, Option<SystemTime>);

/// Something in a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Child {
    /// Its name.
    pub name: String,
    /// Whether it is a folder, links followed.
    pub is_folder: bool,
    /// Whether it is a symbolic link.
    pub is_link: bool,
}

/// What lies in a folder of the disk, in no order.
pub(crate) fn children(folder: &Path) -> Vec<Child> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let child = |entry: std::fs::DirEntry| {
        let kind = entry.file_type().ok()?;
        let is_folder = if kind.is_symlink() { entry.path().is_dir() } else { kind.is_dir() };
        Some(Child { name: entry.file_name().into_string().ok()?, is_folder, is_link: kind.is_symlink() })
    };
    entries.filter_map(child).collect()
}
