//! What lies at a path decides what writing to it does. Devices here are nodes of the test's own, never the machine's.

use super::*;
use crate::read;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::process::Command;

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A device of the test's own; none where it may not make any.
fn device(path: &Path, minor: &str) -> bool {
    let made = Command::new("mknod").arg(path).args(["c", "1", minor]).output();
    made.is_ok_and(|made| made.status.success()) && OpenOptions::new().write(true).open(path).is_ok()
}

#[test]
fn a_file_is_replaced_and_keeps_its_mode() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    replace(&file, b"one", Access::AtMost(0o640)).unwrap();
    assert_eq!(mode(&file) & !0o640, 0);
    set_mode(&file, 0o600);
    replace(&file, b"two", Access::Kept).unwrap();
    assert_eq!((std::fs::read(&file).unwrap(), mode(&file)), (b"two".to_vec(), 0o600));
    replace(&file, b"three", Access::Exactly(0o644)).unwrap();
    assert_eq!(mode(&file), 0o644);
    replace(&file, b"four", Access::AtMost(0o600)).unwrap();
    assert_eq!(mode(&file), 0o600);
    assert_eq!(names(folder.path()), ["file"]);
}

#[test]
fn a_link_is_followed_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("there")).unwrap();
    std::fs::write(path("there/file"), "old").unwrap();
    symlink("there/file", path("link")).unwrap();
    replace(&path("link"), b"new", Access::Kept).unwrap();
    assert!(path("link").is_symlink());
    assert_eq!(std::fs::read(path("there/file")).unwrap(), b"new");
    symlink("nowhere", path("broken")).unwrap();
    let error = replace(&path("broken"), b"new", Access::Kept).unwrap_err();
    assert_eq!(error.to_string(), "it is a link to nothing");
    let error = replace(&path("there"), b"new", Access::Kept).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
}

#[test]
fn devices_and_fifos_are_written_into() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    assert!(Command::new("mkfifo").arg(path("fifo")).status().unwrap().success());
    let reader = std::thread::spawn({
        let fifo = path("fifo");
        move || read::given(&fifo, 100).unwrap()
    });
    replace(&path("fifo"), b"all of it", Access::Kept).unwrap();
    assert_eq!(reader.join().unwrap(), b"all of it");
    assert!(std::fs::symlink_metadata(path("fifo")).unwrap().file_type().is_fifo());
    // Major 1: minor 3 takes all, 7 is always full.
    if device(&path("null"), "3") && device(&path("full"), "7") {
        replace(&path("null"), b"all of it", Access::Exactly(0o600)).unwrap();
        let error = replace(&path("full"), b"all of it", Access::Kept).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        for name in ["null", "full"] {
            let kind = std::fs::symlink_metadata(path(name)).unwrap().file_type();
            assert!(kind.is_char_device(), "{name}");
        }
    }
}

#[test]
fn what_has_the_name_of_a_temporary_file_stops_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("other"), "kept").unwrap();
    assert!(Command::new("mkfifo").arg(path(".file.1-0.tmp")).status().unwrap().success());
    symlink("other", path(".file.2-0.tmp")).unwrap();
    std::fs::write(path(".file.3-0.tmp"), "abandoned").unwrap();
    replace(&path("file"), b"new", Access::Kept).unwrap();
    assert_eq!(names(folder.path()), [".file.1-0.tmp", ".file.2-0.tmp", "file", "other"]);
    assert_eq!(std::fs::read(path("other")).unwrap(), b"kept");
}
