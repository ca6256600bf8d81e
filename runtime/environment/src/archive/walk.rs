//! The files and folders of a tree, sorted, links followed.

use std::ffi::OsString;
use std::fs::{DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Folders that hold the history of a tree, not the tree; but what lies in a module's `files` is what agents get.
const HISTORY: [&str; 5] = [".git", ".svn", ".hg", ".bzr", "CVS"];

/// Something found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Where it lies.
    pub path: PathBuf,
    /// Its name in the archive: the root's, then the segments below it.
    pub name: String,
    /// What it is, links followed.
    pub kind: Kind,
    /// What the symbolic link says that it leads to, where it is one.
    pub target: Option<String>,
    /// What the system says of it, links followed; none where there is nothing.
    pub metadata: Option<Metadata>,
}

/// What lies at a path, links followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// Nothing: the link leads nowhere.
    Nothing,
}

impl Found {
    /// Permission bits of the file or folder, links followed.
    pub fn mode(&self) -> u32 {
        self.metadata.as_ref().map_or(0, permissions)
    }

    /// Whether it is a symbolic link.
    pub fn is_link(&self) -> bool {
        self.target.is_some()
    }
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
            kind: Kind::Folder,
            target: None,
            metadata: std::fs::metadata(folder).ok(),
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
            let (kind, target, metadata) = match look(&entry, &path) {
                Ok(found) => found,
                Err(error) => {
                    self.left_out.push((path, error.to_string()));
                    continue;
                }
            };
            let is_folder = kind == Kind::Folder;
            if is_folder && HISTORY.contains(&segment) && !name.contains("/files/") {
                continue;
            }
            let is_link = target.is_some();
            self.found.push(Found { path: path.clone(), name: name.clone(), kind, target, metadata });
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

/// What is at a path, links followed; what the link says that it leads to, where it is one; and what the system says of it.
fn look(entry: &DirEntry, path: &Path) -> io::Result<(Kind, Option<String>, Option<Metadata>)> {
    let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
    let metadata = if is_link { std::fs::metadata(path) } else { entry.metadata() };
    let target = if is_link { Some(target(path)?) } else { None };
    let metadata = match metadata {
        // A link that leads nowhere is handed out all the same.
        Err(error) if is_link && error.kind() == io::ErrorKind::NotFound => {
            return Ok((Kind::Nothing, target, None));
        }
        other => other?,
    };
    let kind = match () {
        () if metadata.is_dir() => Kind::Folder,
        () if metadata.is_file() => Kind::File,
        () => return Err(io::Error::other("neither a file nor a folder")),
    };
    Ok((kind, target, Some(metadata)))
}

/// What a symbolic link says that it leads to.
fn target(link: &Path) -> io::Result<String> {
    let target = std::fs::read_link(link)?;
    let not_utf8 =
        |target: OsString| io::Error::other(format!("it leads to {}, which is not UTF-8", target.display()));
    target.into_os_string().into_string().map_err(not_utf8)
}

#[cfg(unix)]
fn permissions(metadata: &Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o7777
}

#[cfg(not(unix))]
fn permissions(metadata: &Metadata) -> u32 {
    if metadata.permissions().readonly() { 0o444 } else { 0o644 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What has the name of a history below `files` is what agents get.
    #[test]
    fn histories_are_left_out_but_where_agents_get_them() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["m/files/tree/.git/config", "m/files/CVS/x", "m/.git/config", ".git/config"] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let mut walk = Walk::default();
        walk.add(folder.path(), "e");
        let names: Vec<&str> = walk.found.iter().map(|found| &*found.name).collect();
        let wanted = [
            "e",
            "e/m",
            "e/m/files",
            "e/m/files/CVS",
            "e/m/files/CVS/x",
            "e/m/files/tree",
            "e/m/files/tree/.git",
            "e/m/files/tree/.git/config",
        ];
        assert_eq!(names, wanted);
    }
}
