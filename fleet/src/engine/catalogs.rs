//! The catalogs of a shard in one object: a stream with a long window, for neighbours have nearly the same. Each is there once, behind a
//! line with its SHA-256 and its length.

use super::job::hex;
use super::shard::WINDOW;
use crate::compile::save::{Folder, Keep, Saved, plain};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::{Mutex, PoisonError};

/// How hard is tried to make it small: what is gained by more is little beside the long window.
const LEVEL: i32 = 1;
/// Bytes that a catalog may have.
const LARGEST: u64 = 1 << 30;

/// Catalogs on their way into an object.
#[derive(Default)]
pub(super) struct Catalogs(Mutex<Packing>);

#[derive(Default)]
struct Packing {
    encoder: Option<zstd::stream::write::Encoder<'static, Vec<u8>>>,
    known: HashSet<String>,
}

impl Packing {
    fn encoder(&mut self) -> io::Result<&mut zstd::stream::write::Encoder<'static, Vec<u8>>> {
        if self.encoder.is_none() {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), LEVEL)?;
            encoder.long_distance_matching(true)?;
            encoder.window_log(WINDOW)?;
            self.encoder = Some(encoder);
        }
        self.encoder.as_mut().ok_or_else(|| io::Error::other("there is no encoder"))
    }
}

fn failed(error: io::Error) -> String {
    format!("Could not pack catalogs: {error}")
}

impl Keep for Catalogs {
    fn keep(&self, catalog: &str) -> Result<Saved, String> {
        let (text, saved) = plain(catalog);
        let mut packing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if packing.known.insert(saved.sha256.clone()) {
            let encoder = packing.encoder().map_err(failed)?;
            let head = format!("{} {}\n", saved.sha256, text.len());
            encoder
                .write_all(head.as_bytes())
                .and_then(|()| encoder.write_all(text.as_bytes()))
                .map_err(failed)?;
        }
        Ok(saved)
    }
}

impl Catalogs {
    /// The object.
    pub fn encode(self) -> Result<Vec<u8>, String> {
        let mut packing = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        packing.encoder().map_err(failed)?;
        packing
            .encoder
            .take()
            .map_or_else(|| Ok(Vec::new()), zstd::stream::write::Encoder::finish)
            .map_err(failed)
    }
}

/// Puts the catalogs of an object into a folder.
///
/// # Errors
/// When the object is damaged, or a catalog can't be written.
pub(super) fn unpack(bytes: &[u8], folder: &Folder) -> Result<(), String> {
    let wrong = |error: io::Error| format!("The catalogs of a shard are damaged: {error}");
    let mut decoder = zstd::stream::read::Decoder::with_buffer(bytes).map_err(wrong)?;
    decoder.window_log_max(WINDOW).map_err(wrong)?;
    let mut reader = BufReader::new(decoder);
    let mut head = String::new();
    while reader.by_ref().take(100).read_line(&mut head).map_err(wrong)? > 0 {
        let invalid = || wrong(io::Error::other("a head is none"));
        let (sha256, length) = head.trim_end().split_once(' ').ok_or_else(invalid)?;
        let length: u64 = length.parse().ok().filter(|length| *length <= LARGEST).ok_or_else(invalid)?;
        let mut text = String::new();
        reader.by_ref().take(length).read_to_string(&mut text).map_err(wrong)?;
        if hex(&Sha256::digest(&text)) != sha256 {
            return Err(wrong(io::Error::other("a catalog has another checksum")));
        }
        folder.put(sha256, &text)?;
        head.clear();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn catalogs_are_there_once_and_are_read_back() {
        let catalogs = Catalogs::default();
        let text = |title: &str| {
            format!(r#"{{"name":"n","version":17,"catalog_uuid":"u","resources":["{title}"]}}"#)
        };
        let one = catalogs.keep(&text("a")).expect("it is kept");
        let other = catalogs.keep(&text("b")).expect("it is kept");
        assert_eq!(catalogs.keep(&text("a")).expect("it is kept"), one);
        let bytes = catalogs.encode().expect("it is packed");
        let work = tempfile::tempdir().expect("a folder");
        let folder = Folder::open(work.path()).expect("it can be made");
        unpack(&bytes, &folder).expect("it is one");
        assert!([&one, &other].iter().all(|saved| folder.catalog(&saved.sha256).is_ok()));
        for at in 0..bytes.len() {
            let mut turned = bytes.clone();
            turned[at] ^= 4;
            // It is an error, or says what it said.
            let _ = unpack(&turned, &folder);
            assert!([&one, &other].iter().all(|saved| folder.catalog(&saved.sha256).is_ok()), "{at}");
        }
        unpack(&Catalogs::default().encode().expect("it is packed"), &folder).expect("there are none");
    }
}
