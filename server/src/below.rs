//! What lies below a folder.

use std::path::Path;

/// The paths, from the folder on, of all files below it that are wanted by name and path, sorted. Hidden ones are left out, names
/// that are no text, and what lies in linked folders. A folder that can't be read has none, as in Ruby.
pub fn files_below(folder: &Path, is_wanted: impl Fn(&str, &Path) -> bool) -> Vec<String> {
    let (mut files, mut pending) = (Vec::new(), vec![String::new()]);
    while let Some(start) = pending.pop() {
        for entry in std::fs::read_dir(folder.join(&start)).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with('.') {
                continue;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => pending.push(format!("{start}{name}/")),
                Ok(_) if is_wanted(&name, &entry.path()) => files.push(format!("{start}{name}")),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn hidden_and_linked_folders_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["b/d", ".hidden"] {
            std::fs::create_dir_all(path(name)).unwrap();
        }
        for name in ["z", "b/a.pp", "b/d/c.pp", "b/.e", ".hidden/f"] {
            std::fs::write(path(name), "").unwrap();
        }
        symlink(path("b"), path("linked")).unwrap();
        symlink(path("z"), path("y")).unwrap();
        symlink(path("nowhere"), path("x")).unwrap();
        assert_eq!(files_below(folder.path(), |_, path| path.is_file()), ["b/a.pp", "b/d/c.pp", "y", "z"]);
        assert_eq!(files_below(folder.path(), |name, _| name.ends_with(".pp")), ["b/a.pp", "b/d/c.pp"]);
        assert!(files_below(&path("none"), |_, _| true).is_empty());
    }
}
