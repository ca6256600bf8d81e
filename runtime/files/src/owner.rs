//! Whose a file is that this process may not have, in words: what has to change is its owner, its mode, or who this process is.

use std::io;
use std::path::Path;

/// Why a file or folder can't be had, with whose it is and who this process is where that is why.
pub fn refusal(path: &Path, error: &io::Error) -> String {
    match whose(path).filter(|_| error.kind() == io::ErrorKind::PermissionDenied) {
        Some(whose) => format!("{error}: {whose}"),
        None => error.to_string(),
    }
}

/// Whose a path is, or the folder on the way to it that this process may not enter, and who this process is.
#[cfg(unix)]
pub fn whose(path: &Path) -> Option<String> {
    use rustix::process::{getegid, geteuid, getgroups};
    use std::os::unix::fs::MetadataExt;

    let (at, about) = path.ancestors().find_map(|at| Some((at, at.metadata().ok()?)))?;
    let names =
        |file: &str| super::read::regular_text(Path::new(file), super::read::MAX_FILE).unwrap_or_default();
    let (users, groups) = (names("/etc/passwd"), names("/etc/group"));
    let mut own = vec![getegid().as_raw()];
    own.extend(getgroups().unwrap_or_default().into_iter().map(|group| group.as_raw()));
    own.dedup();
    let own: Vec<String> = own.into_iter().map(|group| named(&groups, group)).collect();
    Some(format!(
        "{} belongs to {}:{} (mode {:04o}), and this is run by {}, of the group{} {}",
        at.display(),
        named(&users, about.uid()),
        named(&groups, about.gid()),
        about.mode() & 0o7777,
        named(&users, geteuid().as_raw()),
        if own.len() == 1 { "" } else { "s" },
        own.join(", ")
    ))
}

/// Elsewhere the system does not say whose a file is.
#[cfg(not(unix))]
pub fn whose(_path: &Path) -> Option<String> {
    None
}

/// The name of a user or group by its number, in the text of `/etc/passwd` or `/etc/group`; the number where it is not there.
#[cfg(unix)]
fn named(text: &str, number: u32) -> String {
    let wanted = number.to_string();
    let mut all = text.lines().map(|line| line.split(':'));
    let found = all.find_map(|mut parts| {
        let name = parts.next()?;
        (parts.nth(1)? == wanted).then_some(name)
    });
    found.map_or(wanted.clone(), str::to_owned)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn users_are_told_by_name_where_there_is_one() {
        let text = "root:x:0:0:root:/root:/bin/sh\n\nodd\nwww:x:33:33::/:/bin/false\n";
        assert_eq!([named(text, 0), named(text, 33), named(text, 7)], ["root", "www", "7"]);
    }

    #[test]
    fn only_what_is_refused_is_told_with_its_owner() {
        let missing = io::Error::from(io::ErrorKind::NotFound);
        assert_eq!(refusal(Path::new("/nonexistent/x"), &missing), missing.to_string());
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let told = refusal(Path::new("/nonexistent/x"), &denied);
        assert!(
            told.contains(": / belongs to root:root (mode 0") && told.contains("and this is run by"),
            "{told}"
        );
    }
}
