//! A disk that is soon full: a file system in memory, of so many kibibytes, mounted for one test.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// See the module. It is unmounted with this value.
pub struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// Mounts one at a folder, which is made; none where this user, or this machine, can't: `what` is skipped then, and that is said.
    ///
    /// # Panics
    /// When the folder can't be made.
    pub fn mount(folder: &Path, kibibytes: usize, what: &str) -> Option<SmallDisk> {
        fs::create_dir_all(folder).expect("a folder can be made");
        let size = format!("size={kibibytes}k");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder).status();
        if mounted.is_ok_and(|status| status.success()) {
            return Some(SmallDisk { folder: folder.to_owned() });
        }
        eprintln!("SKIPPED {what}: no file system can be mounted here");
        None
    }

    /// Fills it: what is left is less than so many kibibytes.
    ///
    /// # Panics
    /// When nothing can be written.
    pub fn fill_but(&self, kibibytes: usize) {
        let mut filler = fs::File::create(self.filler()).expect("something can be written");
        while filler.write_all(&[0; 1024]).is_ok() {}
        let full = filler.metadata().expect("it is there").len();
        filler.set_len(full.saturating_sub((kibibytes as u64) << 10)).expect("it was longer");
    }

    /// Makes room again.
    ///
    /// # Panics
    /// When it was not filled.
    pub fn empty(&self) {
        fs::remove_file(self.filler()).expect("it was filled");
    }

    fn filler(&self) -> PathBuf {
        self.folder.join("filler")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Whoever still has something open there keeps it.
        let _ = Command::new("umount").arg(&self.folder).status();
    }
}
