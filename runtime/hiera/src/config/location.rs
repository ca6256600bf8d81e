//! The files and URIs that entries of a hierarchy look at.

use std::path::PathBuf;

/// What a location is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocationKind {
    /// A file, by its path.
    File,
    /// Anything else, which only the entry's function understands.
    Uri,
}

/// A file or URI that an entry looks at.
#[derive(Clone, Debug)]
pub struct Location {
    /// The path or URI.
    pub text: String,
    /// As it is written, `%{…}` and all; of a glob, the pattern.
    pub original: String,
    /// Whether it was there when the hierarchy was resolved; URIs are always said to be.
    pub exists: bool,
    /// Which it is.
    pub kind: LocationKind,
}

impl Location {
    /// A file that is there.
    pub(crate) fn existing_file(path: PathBuf, original: &str) -> Location {
        let text = path.to_string_lossy().into_owned();
        Location { text, original: original.to_owned(), exists: true, kind: LocationKind::File }
    }

    /// A URI.
    pub(crate) fn uri(text: String, original: &str) -> Location {
        Location { text, original: original.to_owned(), exists: true, kind: LocationKind::Uri }
    }

    /// Whether it is a file.
    pub fn is_file(&self) -> bool {
        self.kind == LocationKind::File
    }
}
