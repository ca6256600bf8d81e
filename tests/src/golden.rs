//! Goldens that are whole texts, in files below `tests/goldens`.

use crate::paths;
use std::fs;

/// Holds a text against the golden of this name; where `UPDATE` is set, the text becomes the golden.
///
/// # Panics
/// When they differ, or the golden can't be read or written.
pub fn holds(name: &str, found: &str) {
    let path = paths::root().join("tests/goldens").join(name);
    if std::env::var_os("UPDATE").is_some() {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        }
        fs::write(&path, found).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    let golden = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(
        found == golden,
        "{name} is another one: UPDATE=1 writes it, if that is right. It is now:\n{found}"
    );
}
