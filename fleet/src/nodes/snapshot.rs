//! A snapshot: the facts of a fleet in one file, a line of JSON for each node in the form of PuppetDB's inventory, compressed.
//! `zstd -dc` shows the lines, for all that is not theirs lies in frames that zstd skips.
//!
//! ```text
//! begin   a frame that zstd skips: "bunraku facts 1"
//! frames  zstd, each with the lines of some nodes, sorted by name, and a checksum of their bytes
//! index   a frame that zstd skips: the compressed index, then a trailer of 48 bytes: the index's SHA-256 and length, "bnkfacts"
//! ```
//!
//! The index has the names and where each frame lies, so that a node is found without the others. It is read from the end;
//! where that is missing the file was cut off. Lengths in a file are not trusted: each is bounded before it is used, and a
//! frame that does not hold what the index says is an error that names the file.

use super::FleetNode;
use super::parts::Parts;
use bunraku::files::read::{self, Pieces};
use bunraku::files::write::{self, Access};
use bunraku::{Data, StoredNode};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What it begins with: the head of a frame that zstd skips, and the form's name with its version.
const NAME: &[u8] = b"bunraku facts ";
const VERSION: &[u8] = b"1\n";
/// The number of a frame that zstd skips, one of sixteen.
const SKIPPED: [u8; 4] = 0x184D_2A50_u32.to_le_bytes();
const BEGIN: u64 = 8 + (NAME.len() + VERSION.len()) as u64;
const END: &[u8; 8] = b"bnkfacts";
const TRAILER: u64 = 32 + 8 + END.len() as u64;
/// Bytes of lines after which a frame ends: small enough to be read for one node, large enough to find what nodes share.
const FRAME: usize = 512 << 10;
/// Bytes that an index may hold: the names of millions of nodes.
const LARGEST_INDEX: u64 = 1 << 30;
/// How hard is tried to make it small. It is written once and kept by CI.
const LEVEL: i32 = 9;

/// An open snapshot.
pub struct Snapshot {
    path: PathBuf,
    file: Pieces,
    names: Vec<String>,
    frames: Vec<Frame>,
    lines: Parts<Vec<String>>,
}

/// Where the lines of some nodes are.
#[derive(Clone, Copy)]
struct Frame {
    offset: u64,
    /// Bytes in the file.
    length: u64,
    /// Bytes of the lines.
    plain: u64,
    /// The number of its first node, and of the first that is no longer in it.
    nodes: (usize, usize),
}

impl Snapshot {
    /// Opens a snapshot; none where the file is something else.
    ///
    /// # Errors
    /// When there is no file, or it is a snapshot of another version, cut off or damaged.
    pub fn open_if_one(path: &Path) -> Result<Option<Snapshot>, String> {
        // What comes out of a pipe can't be looked at twice.
        if read::is_stream_at(path) {
            return Ok(None);
        }
        let file = Pieces::open(path)
            .map_err(|error| format!("Could not read facts {}: {error}", path.display()))?;
        let begin = file.at(0, file.length().min(BEGIN)).unwrap_or_default();
        let named = begin.strip_prefix(&SKIPPED).and_then(|rest| rest.get(4..));
        let Some(version) = named.and_then(|named| named.strip_prefix(NAME)) else { return Ok(None) };
        let failed = |what: &str| unusable(path, what);
        if version != VERSION {
            let version = String::from_utf8_lossy(version);
            return Err(failed(&format!("they are in a form of version {}, and 1 is known", version.trim())));
        }
        let (names, frames) = index(&file).map_err(|what| failed(&what))?;
        Ok(Some(Snapshot { path: path.to_owned(), file, names, frames, lines: Parts::default() }))
    }

    /// The names of its nodes, sorted.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A node.
    ///
    /// # Errors
    /// When it is not in there, or its frame is damaged.
    pub fn node(&self, name: &str) -> Result<StoredNode, String> {
        let node = self.with_line(name, StoredNode::from_json)?;
        let node = node.map_err(|what| self.failed(&format!("those of {name}: {what}")))?;
        match node.name.as_deref() == Some(name) {
            true => Ok(node),
            false => Err(self.failed(&format!("the index is wrong: {name} is not where it says"))),
        }
    }

    /// A SHA-256 of another hash and all that is known of a node, as it is written here: nothing of it is read.
    ///
    /// # Errors
    /// When it is not in there, or its frame is damaged.
    pub fn digest_with(&self, name: &str, other: [u8; 32]) -> Result<[u8; 32], String> {
        self.with_line(name, |line| Sha256::new_with_prefix(other).chain_update(line).finalize().into())
    }

    fn failed(&self, what: &str) -> String {
        unusable(&self.path, what)
    }

    fn with_line<T>(&self, name: &str, read: impl FnOnce(&str) -> T) -> Result<T, String> {
        let missing = |_| format!("Could not find facts for {name} in {}", self.path.display());
        let at = self.names.binary_search_by(|own| own.as_str().cmp(name)).map_err(missing)?;
        let number = self.frames.partition_point(|frame| frame.nodes.1 <= at);
        let frame = self.frames.get(number).ok_or_else(|| self.failed("the index is wrong"))?;
        let lines = self.lines.get(number, || self.lines(*frame)).map_err(|what| self.failed(&what))?;
        Ok(read(lines.get(at - frame.nodes.0).map(String::as_str).unwrap_or_default()))
    }

    fn lines(&self, frame: Frame) -> Result<Vec<String>, String> {
        let bytes = self.file.at(frame.offset, frame.length).map_err(|error| error.to_string())?;
        let plain = plain(&bytes, frame.plain)?;
        let text = String::from_utf8(plain).map_err(|_| "they are damaged: no UTF-8".to_owned())?;
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        match lines.len() == frame.nodes.1 - frame.nodes.0 {
            true => Ok(lines),
            false => Err("the index is wrong: a frame has other nodes than it says".to_owned()),
        }
    }
}

fn unusable(path: &Path, what: &str) -> String {
    format!("Could not use the facts of {}: {what}", path.display())
}

/// The bytes that were compressed, which are to be so many.
fn plain(bytes: &[u8], length: u64) -> Result<Vec<u8>, String> {
    let damaged = |error: io::Error| format!("they are damaged: {error}");
    let reader = zstd::stream::read::Decoder::with_buffer(bytes).map_err(damaged)?;
    let plain = read::bounded(reader, 0, length).map_err(damaged)?;
    match plain.len() as u64 == length {
        true => Ok(plain),
        false => Err("they are damaged: a frame is too short".to_owned()),
    }
}

/// The names and frames that a snapshot's end tells of.
fn index(file: &Pieces) -> Result<(Vec<String>, Vec<Frame>), String> {
    let cut_off = || "they are cut off: the index at the end is missing".to_owned();
    let at = file.length().checked_sub(TRAILER).filter(|at| *at > BEGIN + 8).ok_or_else(cut_off)?;
    let trailer = file.at(at, TRAILER).map_err(|error| error.to_string())?;
    let (sum, rest) = trailer.split_at(32);
    let (length, end) = rest.split_at(8);
    if end != END {
        return Err(cut_off());
    }
    let length = u64::from_le_bytes(length.try_into().unwrap_or_default());
    let begin = at.checked_sub(length).filter(|begin| *begin >= BEGIN + 8);
    let begin = begin.ok_or_else(|| "they are damaged: the index is longer than the file".to_owned())?;
    let bytes = file.at(begin, length).map_err(|error| error.to_string())?;
    if Sha256::digest(&bytes).as_slice() != sum {
        return Err("they are damaged: the index has another checksum".to_owned());
    }
    let wrong = || "the index is wrong".to_owned();
    let reader = zstd::stream::read::Decoder::with_buffer(&bytes[..]).map_err(|_| wrong())?;
    let bytes =
        read::bounded(reader, 0, LARGEST_INDEX).map_err(|error| format!("the index is wrong: {error}"))?;
    let Ok(Json::Object(mut all)) = serde_json::from_slice(&bytes) else { return Err(wrong()) };
    let names: Vec<String> =
        all.remove("names").and_then(|names| serde_json::from_value(names).ok()).ok_or_else(wrong)?;
    let told: Vec<(u64, u64, u64, usize)> =
        all.remove("frames").and_then(|frames| serde_json::from_value(frames).ok()).ok_or_else(wrong)?;
    let mut frames = Vec::with_capacity(told.len());
    let mut first = 0_usize;
    for (offset, length, plain, count) in told {
        let is_inside = offset.checked_add(length).is_some_and(|end| end <= begin);
        let end =
            first.checked_add(count).filter(|end| *end <= names.len() && is_inside).ok_or_else(wrong)?;
        frames.push(Frame { offset, length, plain, nodes: (first, end) });
        first = end;
    }
    match first == names.len() && names.is_sorted_by(|a, b| a < b) {
        true => Ok((names, frames)),
        false => Err(wrong()),
    }
}

/// Writes a snapshot. `give` gets what takes each node, and gives them in the order of their names.
///
/// # Errors
/// When the file can't be written; what was there before then still is. Those of `give`.
pub fn write(
    path: &Path,
    give: impl FnOnce(&mut dyn FnMut(&FleetNode) -> Result<(), String>) -> Result<(), String>,
) -> Result<(), String> {
    // What goes wrong on the way to the file, told apart from what the file itself says.
    let mut given = Ok(());
    let written = write::streamed(path, Access::Kept, |out| {
        let mut writer =
            Writer { out, at: 0, lines: Vec::new(), count: 0, names: Vec::new(), frames: Vec::new() };
        writer.begin()?;
        let mut failure = None;
        given = give(&mut |node| {
            writer.add(node).map_err(|error| {
                let message = error.to_string();
                failure = Some(error);
                message
            })
        });
        match (failure, &given) {
            (Some(error), _) => {
                given = Ok(());
                Err(error)
            }
            (None, Err(_)) => Err(io::Error::other("the nodes are not complete")),
            (None, Ok(())) => writer.finish(),
        }
    });
    given.and_then(|()| written.map_err(|error| format!("Could not write {}: {error}", path.display())))
}

struct Writer<'w> {
    out: &'w mut dyn Write,
    at: u64,
    /// Lines of the frame that is being filled, and how many.
    lines: Vec<u8>,
    count: usize,
    names: Vec<String>,
    frames: Vec<(u64, u64, u64, usize)>,
}

impl Writer<'_> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// A frame that zstd skips.
    fn put_skipped(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        let length = u32::try_from(length).map_err(|_| io::Error::other("there are too many nodes"))?;
        self.put(&SKIPPED)?;
        self.put(&length.to_le_bytes())?;
        parts.iter().try_for_each(|part| self.put(part))
    }

    fn begin(&mut self) -> io::Result<()> {
        self.put_skipped(&[NAME, VERSION])
    }

    fn add(&mut self, node: &FleetNode) -> io::Result<()> {
        if self.names.last().is_some_and(|last| *last >= node.name) {
            return Err(io::Error::other(format!("{} is not given in order", node.name)));
        }
        self.names.push(node.name.clone());
        self.lines.extend_from_slice(line(node).as_bytes());
        self.lines.push(b'\n');
        self.count += 1;
        if self.lines.len() >= FRAME { self.end_frame() } else { Ok(()) }
    }

    fn end_frame(&mut self) -> io::Result<()> {
        let bytes = compressed(&self.lines)?;
        self.frames.push((self.at, bytes.len() as u64, self.lines.len() as u64, self.count));
        (self.count, self.lines) = (0, Vec::new());
        self.put(&bytes)
    }

    fn finish(mut self) -> io::Result<()> {
        if self.count > 0 {
            self.end_frame()?;
        }
        let index = json!({ "names": self.names, "frames": self.frames }).to_string();
        let index = compressed(index.as_bytes())?;
        let (sum, length) = (Sha256::digest(&index), (index.len() as u64).to_le_bytes());
        self.put_skipped(&[&index, &sum, &length, END])
    }
}

/// Bytes as one frame of zstd, with a checksum in it.
fn compressed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), LEVEL)?;
    encoder.include_checksum(true)?;
    encoder.set_pledged_src_size(Some(bytes.len() as u64))?;
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// A node as PuppetDB's inventory has it.
pub fn line(node: &FleetNode) -> String {
    let text = |text: &Option<String>| Json::from(text.clone()).to_string();
    let trusted = node.trusted.as_ref().map_or_else(|| "null".to_owned(), Data::to_json);
    format!(
        "{{\"certname\":{},\"timestamp\":{},\"environment\":{},\"facts\":{},\"trusted\":{trusted}}}",
        Json::from(node.name.as_str()),
        text(&node.timestamp),
        text(&node.environment),
        node.facts.to_json(),
    )
}

#[cfg(test)]
mod tests;
