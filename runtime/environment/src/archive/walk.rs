//! The files and folders of a tree, sorted, links followed.

use std::ffi::OsString;
use std::fs::DirEntry;
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
        match folder.canonicalize() {
            Ok(real) => self.below(folder, name, &mut vec![real]),
            Err(error) => self.left_out.push((folder.to_path_buf(), error.to_string())),
        }
    }

    /// The same below a folder; `around` are the folders around what lies in it, itself last, without links.
    fn below(&mut self, folder: &Path, name: &str, around: &mut Vec<PathBuf>) {
        let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let mut entries: Vec<(OsString, DirEntry)> = match entries {
            Ok(entries) => entries.into_iter().map(|entry| (entry.file_name(), entry)).collect(),
            Err(error) => return self.left_out.push((folder.to_path_buf(), error.to_string())),
        };
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (segment, entry) in entries {
            let path = entry.path();
            let Some(segment) = segment.to_str() else {
                self.left_out.push((path, "its name is not UTF-8".to_owned()));
                continue;
            };
            let name = format!("{name}/{segment}");
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            let metadata = if is_link { std::fs::metadata(&path) } else { entry.metadata() };
            let metadata = match metadata {
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
            self.found.push(Found { path: path.clone(), name: name.clone(), is_folder, is_link });
            if is_folder {
                self.inner((&path, segment), &name, is_link, around);
            }
        }
    }

    /// The same below a folder in another, which may be a link.
    fn inner(
        &mut self,
        (path, segment): (&Path, &str),
        name: &str,
        is_link: bool,
        around: &mut Vec<PathBuf>,
    ) {
        let real = match (is_link, around.last()) {
            (false, Some(outer)) => Ok(outer.join(segment)),
            _ => path.canonicalize(),
        };
        let real = match real {
            Ok(real) => real,
            Err(error) => return self.left_out.push((path.to_path_buf(), error.to_string())),
        };
        if around.contains(&real) {
            return self.left_out.push((path.to_path_buf(), "a link back to a folder around it".to_owned()));
        }
        around.push(real);
        self.below(path, name, around);
        around.pop();
    }
}
