//! The files and folders of a tree, sorted, links followed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Folders that hold the history of a tree, not the tree.
const HISTORY: [&str; 5] = [".git", ".svn", ".hg", ".bzr", "CVS"];

/// Something found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where it lies.
    pub path: PathBuf,
    /// Its name in the archive: the root's, then the segments below it.
    pub name: String,
    /// Whether it is a folder, not a file.
    pub is_folder: bool,
    /// Whether it is a symbolic link to one.
    pub is_link: bool,
}

/// What a walk found.
#[derive(Default)]
pub struct Walk {
    /// Files and folders, the roots themselves included.
    pub found: Vec<Found>,
    /// What was left out, and why.
    pub left_out: Vec<(PathBuf, String)>,
}

impl Walk {
    /// Adds all below `folder` under the name `name`. What is neither file nor folder is left out, and so is a link
    /// that leads back to a folder around it.
    pub fn add(&mut self, folder: &Path, name: &str) {
        self.found.push(Found {
            path: folder.to_path_buf(),
            name: name.to_owned(),
            is_folder: true,
            is_link: false,
        });
        let mut around = BTreeSet::new();
        self.below(folder, name, &mut around);
    }

    fn below(&mut self, folder: &Path, name: &str, around: &mut BTreeSet<PathBuf>) {
        let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let (entries, real) = match entries.and_then(|entries| Ok((entries, folder.canonicalize()?))) {
            Ok(both) => both,
            Err(error) => return self.left_out.push((folder.to_path_buf(), error.to_string())),
        };
        if !around.insert(real.clone()) {
            return self
                .left_out
                .push((folder.to_path_buf(), "a link back to a folder around it".to_owned()));
        }
        let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let Some(segment) = path.file_name().and_then(|segment| segment.to_str()) else {
                self.left_out.push((path, "its name is not UTF-8".to_owned()));
                continue;
            };
            let name = format!("{name}/{segment}");
            let metadata = match std::fs::metadata(&path) {
                Ok(metadata) => metadata,
                Err(error) => {
                    self.left_out.push((path, error.to_string()));
                    continue;
                }
            };
            let is_folder = metadata.is_dir();
            if is_folder && HISTORY.contains(&segment) {
                continue;
            }
            if !is_folder && !metadata.is_file() {
                self.left_out.push((path, "neither a file nor a folder".to_owned()));
                continue;
            }
            let is_link = path.is_symlink();
            self.found.push(Found { path: path.clone(), name: name.clone(), is_folder, is_link });
            if is_folder {
                self.below(&path, &name, around);
            }
        }
        around.remove(&real);
    }
}
