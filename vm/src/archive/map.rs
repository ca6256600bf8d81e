//! A file mapped into memory: the project's only `unsafe`.
//!
//! What can go wrong with a map, and what is done about it:
//!
//! - The file is changed in place. Archives are never written in place, only replaced by renaming another over them,
//!   which leaves the mapped file as it was. Whoever writes into one anyway changes bytes that were checked; they
//!   are plain words, used with checked indices, so the worst is a wrong catalog or a panic that ends one compile.
//! - The file is cut off. [`Map::is_whole`] asks for its length, and the runtime asks before each compile. If it
//!   happens in the middle, the system raises SIGBUS; [`guard`] lets the process then say which archive it was
//!   and leave with a status, rather than die without a word. A program calls it once, a library does not on its
//!   own.
#![allow(unsafe_code)]
#![deny(clippy::undocumented_unsafe_blocks)]
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the one place of this layer that opens a file: the archive"
)]

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// A mapped file.
pub struct Map {
    map: memmap2::Mmap,
    file: File,
    #[cfg(unix)]
    slot: Option<usize>,
}

impl Map {
    /// Maps a file for reading. No byte of it is read.
    ///
    /// # Errors
    /// When it can't be opened, is empty or no file.
    pub fn open(path: &Path) -> io::Result<Map> {
        // Looked at before: to open a device can have effects. And opened without waiting, for it may have become a FIFO since.
        let is_file = |metadata: Metadata| match metadata.is_file() {
            true => Ok(()),
            false => Err(io::Error::other("it is not a regular file")),
        };
        is_file(std::fs::metadata(path)?)?;
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
        let file = options.read(true).open(path)?;
        is_file(file.metadata()?)?;
        // SAFETY: the map is private and read-only, and is only ever handed out as plain bytes. Another process that
        // writes into the file or shortens it is answered above: no reference to it has a validity beyond `u8`
        // and `u32`, of which every pattern is valid.
        let map = unsafe { memmap2::MmapOptions::new().map_copy_read_only(&file)? };
        #[cfg(unix)]
        let slot = bus::register(map.as_ptr() as usize, map.len(), path);
        Ok(Map {
            map,
            file,
            #[cfg(unix)]
            slot,
        })
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Whether the file still has all the bytes that were mapped.
    pub fn is_whole(&self) -> bool {
        self.file.metadata().is_ok_and(|metadata| metadata.len() >= self.map.len() as u64)
    }
}

#[cfg(unix)]
impl Drop for Map {
    fn drop(&mut self) {
        if let Some(slot) = self.slot {
            bus::forget(slot);
        }
    }
}

/// Status a process leaves with when an archive was cut off while it was in use.
pub const CUT_OFF_STATUS: i32 = 74;

/// From now on, a process that touches a mapped archive beyond the end that its file has been given meanwhile
/// says so on stderr and leaves with [`CUT_OFF_STATUS`]. Other causes of SIGBUS do what they did.
///
/// # Errors
/// When the handler can't be put in place.
#[cfg(unix)]
pub fn guard() -> io::Result<()> {
    bus::guard()
}

/// See the other; here there is no such signal.
///
/// # Errors
/// Never.
#[cfg(not(unix))]
pub fn guard() -> io::Result<()> {
    Ok(())
}

/// What the signal's handler may look at: no locks, no allocation.
#[cfg(unix)]
mod bus {
    use super::CUT_OFF_STATUS;
    use std::collections::HashSet;
    use std::io;
    use std::path::Path;
    use std::ptr;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::SeqCst};

    /// Where a map lies, and what to say of it. The text is never freed: the handler may be reading it.
    struct Slot {
        start: AtomicUsize,
        len: AtomicUsize,
        text: AtomicPtr<String>,
    }

    /// Archives beyond these are mapped all the same; their loss is only not described.
    const SLOTS: usize = 64;
    static MAPS: [Slot; SLOTS] = [const {
        Slot { start: AtomicUsize::new(0), len: AtomicUsize::new(0), text: AtomicPtr::new(ptr::null_mut()) }
    }; SLOTS];
    /// One text a path, however often it is mapped.
    static TEXTS: Mutex<Option<HashSet<&'static String>>> = Mutex::new(None);

    fn text(path: &Path) -> Option<&'static String> {
        let text = format!("Error: Archive {} was cut off while it was in use\n", path.display());
        let mut all = TEXTS.lock().ok()?;
        let all = all.get_or_insert_default();
        if let Some(kept) = all.get(&text) {
            return Some(kept);
        }
        let kept: &'static String = Box::leak(Box::new(text));
        all.insert(kept);
        Some(kept)
    }

    pub fn register(start: usize, len: usize, path: &Path) -> Option<usize> {
        let text = text(path)?;
        let free = |slot: &Slot| slot.start.compare_exchange(0, start, SeqCst, SeqCst).is_ok();
        let number = MAPS.iter().position(free)?;
        MAPS[number].text.store(ptr::from_ref(text).cast_mut(), SeqCst);
        MAPS[number].len.store(len, SeqCst);
        Some(number)
    }

    pub fn forget(slot: usize) {
        MAPS[slot].len.store(0, SeqCst);
        MAPS[slot].start.store(0, SeqCst);
    }

    pub fn guard() -> io::Result<()> {
        // SAFETY: the handler only reads atomics and texts that are never freed, and calls write, _exit and signal,
        // which may be called from a handler.
        unsafe { signal_hook_registry::register_sigaction(libc::SIGBUS, handle) }?;
        Ok(())
    }

    fn handle(info: &libc::siginfo_t) {
        // SAFETY: the system filled `info` for a SIGBUS, which has an address.
        let address = unsafe { info.si_addr() } as usize;
        for slot in &MAPS {
            let (start, len) = (slot.start.load(SeqCst), slot.len.load(SeqCst));
            let text = slot.text.load(SeqCst);
            if address.wrapping_sub(start) >= len || text.is_null() {
                continue;
            }
            // SAFETY: a text that is not null was leaked, so it is there and unchanged for ever.
            let bytes = unsafe { &*text }.as_bytes();
            // SAFETY: the pointer and the length are of one slice; _exit does not return.
            unsafe {
                libc::write(2, bytes.as_ptr().cast(), bytes.len());
                libc::_exit(CUT_OFF_STATUS);
            }
        }
        // SAFETY: giving the signal its default back; the access is then made again and ends the process as it would
        // have.
        unsafe {
            libc::signal(libc::SIGBUS, libc::SIG_DFL);
        }
    }
}
