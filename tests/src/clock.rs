//! The wall clock as a program is made to see it: Debian's `faketime` (its library is loaded before the program) reads from a file
//! how far the clock is off, each time it is asked. Clocks that only count what has passed go on as they are, as they do on a machine
//! whose time is set.

use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Where Debian has it, by the kind of machine.
const LIBRARIES: [&str; 2] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
];

/// A clock that steps while programs run by it.
pub struct Clock {
    folder: TempDir,
    library: &'static str,
}

impl Clock {
    /// One that is right; none, with the reason, where the library is not installed.
    ///
    /// # Errors
    /// When its file can't be written.
    pub fn new() -> Result<Result<Clock, String>, String> {
        let Some(library) = LIBRARIES.into_iter().find(|path| Path::new(path).is_file()) else {
            return Ok(Err("libfaketime is not installed (Debian: faketime)".to_owned()));
        };
        let clock = Clock { folder: tempfile::tempdir().map_err(|error| error.to_string())?, library };
        clock.step("+0")?;
        Ok(Ok(clock))
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("time")
    }

    /// Variables of the environment of a program that goes by it.
    pub fn variables(&self) -> Vec<(String, String)> {
        [
            ("LD_PRELOAD", self.library),
            ("FAKETIME_TIMESTAMP_FILE", &self.file().display().to_string()),
            ("FAKETIME_NO_CACHE", "1"),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
            // What the disk says of files is true.
            ("NO_FAKE_STAT", "1"),
            ("TZ", "UTC"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
    }

    /// From now on it is so much off (`+90`, `-3h`, `+40d`), or stands still at a moment in UTC
    /// (`2026-11-24 12:00:00`).
    ///
    /// # Errors
    /// When its file can't be written.
    pub fn step(&self, time: &str) -> Result<(), String> {
        // Renamed: nobody reads half of it.
        let beside = self.folder.path().join("next");
        let written = fs::write(&beside, format!("{time}\n")).and_then(|()| fs::rename(&beside, self.file()));
        written.map_err(|error| error.to_string())
    }
}
