//! Environments by name: folders below those of `environmentpath`.
//! Source: Puppet 7.23.0, messages included.

use crate::paths;
use std::path::{Path, PathBuf};

/// Whether an environment may be called so: letters, digits and underscores.
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The folder of an environment; where `follow`, and it is a link, what that points to.
///
/// # Errors
/// Puppet's message where there is none.
pub fn find(environmentpath: &str, name: &str, follow: bool) -> Result<PathBuf, String> {
    let folders = environmentpath.split(':').filter(|one| !one.is_empty()).map(paths::from_here);
    let found = folders.map(|folder| Path::new(&folder).join(name)).find(|one| is_name(name) && one.is_dir());
    let Some(found) = found else {
        return Err(format!(
            "Could not find a directory environment named '{name}' anywhere in the path: {environmentpath}. Does the directory exist?"
        ));
    };
    match std::fs::read_link(&found) {
        Ok(target) if follow => Ok(paths::absolute(&target).into()),
        _ => Ok(found),
    }
}

/// The names of all environments, sorted.
pub fn names(environmentpath: &str) -> Vec<String> {
    let folders = environmentpath.split(':').filter(|one| !one.is_empty());
    let entries = folders.filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    let named =
        entries.filter(|entry| entry.path().is_dir()).filter_map(|e| e.file_name().into_string().ok());
    let mut all: Vec<String> = named.filter(|name| is_name(name)).collect();
    all.sort();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environments_are_found_by_name() {
        let work = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| work.path().join(name));
        std::fs::create_dir_all(b.join("test")).unwrap();
        std::fs::create_dir_all(a.join("no-name")).unwrap();
        let path = format!("{}:{}", a.display(), b.display());
        assert_eq!(find(&path, "test", false), Ok(b.join("test")));
        let error = find(&path, "no-name", false).unwrap_err();
        assert!(
            error.starts_with(
                "Could not find a directory environment named 'no-name' anywhere in the path: /"
            )
        );
        assert!(error.ends_with("/b. Does the directory exist?"), "{error}");
        assert_eq!(names(&path), ["test"]);
    }
}
