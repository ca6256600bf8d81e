//! What nodes' compiles have read, kept in the cache for the next question: a file for each state of a tree.
//!
//! ```text
//! zstd of "bnkread2", then for each node, sorted by name: a SHA-256 of what follows, its length, and
//!   name, key, what was given: text, 32 bytes, 32 bytes (zeros where that is not known)
//!   whether the compile failed, 4 bytes; the touches, 4 bytes each; what may have read anything, texts
//! ```
//!
//! Numbers are of 32 bits, little-endian; a text or list has its length before it.
//!
//! Key: the content of the tree's files and the build of this program, by the file's name; the node's facts, classes and
//! settings, by the node's key in it. Bound: one record a node; how many files there are is the cache's to bound. Stale:
//! never, for another content has another name. A file that is damaged or cut off counts as absent from there on: what it
//! lacks is compiled again. Test: `tests/tests/affected_command.rs`.

use bunraku::files::read::{self, Pieces};
use bunraku::files::write::{self, Access};
use bunraku::{Reads, Touch};
use sha2::{Digest as _, Sha256};
use std::io::{self, Read, Write};
use std::path::Path;

const NAME: &[u8; 8] = b"bnkread2";
/// How hard is tried to make it small: it is written while others wait.
const LEVEL: i32 = 1;
/// The longest text, and the longest list, that is read back.
const LONGEST: u32 = 1 << 24;

/// What is kept of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Certname.
    pub node: String,
    /// A hash of all that its compile was given besides the tree.
    pub key: [u8; 32],
    /// The same as it was told before anything of that was read (see [`super::GivenOf`]), where it was.
    pub given: Option<[u8; 32]>,
    /// Whether its compile failed.
    pub fails: bool,
    /// What was read.
    pub reads: Reads,
}

/// The records of a file, one after the other.
pub struct Records {
    reader: Option<Box<dyn Read>>,
    next: Option<Record>,
}

impl Records {
    /// Opens a file; one that is not there, or none of these, has no records.
    pub fn open(path: &Path) -> Records {
        let mut records = Records { reader: reader(path), next: None };
        records.advance();
        records
    }

    fn advance(&mut self) {
        self.next = self.reader.as_mut().and_then(|reader| record(reader).ok());
        if self.next.is_none() {
            self.reader = None;
        }
    }

    /// The record of a node; those before it are handed to `passed`, so nodes are to be asked for in the order of their names.
    pub fn find(&mut self, node: &str, passed: &mut dyn FnMut(Record)) -> Option<Record> {
        while let Some(next) = self.next.take_if(|next| next.node.as_str() <= node) {
            self.advance();
            if next.node == node {
                return Some(next);
            }
            passed(next);
        }
        None
    }
}

impl Iterator for Records {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let next = self.next.take()?;
        self.advance();
        Some(next)
    }
}

fn reader(path: &Path) -> Option<Box<dyn Read>> {
    let pieces = Pieces::open(path).ok()?;
    let mut decoder = zstd::stream::read::Decoder::new(InOrder { pieces, at: 0 }).ok()?;
    let mut name = [0; NAME.len()];
    decoder.read_exact(&mut name).ok()?;
    (name == *NAME).then(|| Box::new(decoder) as Box<dyn Read>)
}

/// A file from its begin to its end.
struct InOrder {
    pieces: Pieces,
    at: u64,
}

impl Read for InOrder {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = self.pieces.length().saturating_sub(self.at);
        let piece = self.pieces.at(self.at, rest.min(buffer.len() as u64))?;
        buffer[..piece.len()].copy_from_slice(&piece);
        self.at += piece.len() as u64;
        Ok(piece.len())
    }
}

fn number(reader: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    reader.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

fn length(reader: &mut impl Read) -> io::Result<u32> {
    number(reader).and_then(|length| match length <= LONGEST {
        true => Ok(length),
        false => Err(io::Error::other("it is too long")),
    })
}

fn bytes(reader: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let bytes = read::bounded(reader.take(length), 0, length)?;
    if (bytes.len() as u64) < length { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(bytes) }
}

fn text(reader: &mut impl Read) -> io::Result<String> {
    let length = length(reader)?;
    String::from_utf8(bytes(reader, length.into())?).map_err(|_| io::Error::other("it is not UTF-8"))
}

fn hash(reader: &mut impl Read) -> io::Result<[u8; 32]> {
    let mut hash = [0; 32];
    reader.read_exact(&mut hash)?;
    Ok(hash)
}

/// The next record of a file.
fn record(reader: &mut impl Read) -> io::Result<Record> {
    let (sum, length) = (hash(reader)?, length(reader)?);
    let bytes = bytes(reader, length.into())?;
    match Sha256::digest(&bytes).as_slice() == sum {
        true => decoded(&mut &bytes[..]),
        false => Err(io::Error::other("it is damaged")),
    }
}

fn decoded(reader: &mut &[u8]) -> io::Result<Record> {
    let (node, key, given, fails) = (text(reader)?, hash(reader)?, hash(reader)?, number(reader)? != 0);
    let given = Some(given).filter(|given| *given != [0; 32]);
    let touches = length(reader)?;
    let touches = bytes(reader, 4 * u64::from(touches))?;
    let touch = |bytes: &[u8]| Touch(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    let touches = touches.chunks_exact(4).map(touch).collect();
    let unknown = length(reader)?;
    let unknown = (0..unknown).map(|_| text(reader)).collect::<io::Result<_>>()?;
    Ok(Record { node, key, given, fails, reads: Reads { touches, unknown, refused: Box::default() } })
}

/// Puts records, sorted by node, among those of a file, in the place of those of the same nodes.
///
/// # Errors
/// When the file can't be written: then it is as it was.
pub fn put(path: &Path, records: &[Record]) -> io::Result<()> {
    let mut kept = Records::open(path);
    write::streamed(path, Access::Kept, |out| {
        let mut encoder = zstd::stream::write::Encoder::new(out, LEVEL)?;
        // Neighbours have read nearly the same: what they have in common lies a record apart.
        encoder.long_distance_matching(true)?;
        encoder.write_all(NAME)?;
        let mut failed = Ok(());
        let mut add = |record: &Record| {
            if failed.is_ok() {
                failed = encoded(record).and_then(|bytes| encoder.write_all(&bytes));
            }
        };
        for record in records {
            kept.find(&record.node, &mut |passed| add(&passed));
            add(record);
        }
        kept.for_each(|record| add(&record));
        failed?;
        encoder.finish()?.flush()
    })
}

/// A record with its checksum and its length before it.
fn encoded(record: &Record) -> io::Result<Vec<u8>> {
    let Record { node, key, given, fails, reads } = record;
    let mut out = Vec::with_capacity(128 + 4 * reads.touches.len());
    let text = |out: &mut Vec<u8>, text: &str| -> io::Result<()> {
        out.extend(length_of(text.len())?);
        out.extend(text.as_bytes());
        Ok(())
    };
    text(&mut out, node)?;
    out.extend(key);
    out.extend(given.unwrap_or_default());
    out.extend(u32::from(*fails).to_le_bytes());
    out.extend(length_of(reads.touches.len())?);
    reads.touches.iter().for_each(|Touch(number)| out.extend(number.to_le_bytes()));
    out.extend(length_of(reads.unknown.len())?);
    reads.unknown.iter().try_for_each(|what| text(&mut out, what))?;
    let sum = Sha256::digest(&out);
    Ok([sum.as_slice(), &length_of(out.len())?, &out].concat())
}

fn length_of(length: usize) -> io::Result<[u8; 4]> {
    let length = u32::try_from(length).ok().filter(|length| *length <= LONGEST);
    length.map(u32::to_le_bytes).ok_or_else(|| io::Error::other("there is too much to be kept"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(node: &str, first: u32) -> Record {
        let touches = (first..first + 200).map(Touch).collect();
        let unknown = Box::new([format!("ruby of {node}")]);
        Record {
            node: node.to_owned(),
            key: [1; 32],
            given: (first != 7).then_some([2; 32]),
            fails: first == 9,
            reads: Reads { touches, unknown, refused: Box::default() },
        }
    }

    #[test]
    fn records_are_put_among_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("reads");
        put(&file, &["a", "c", "e"].map(|node| record(node, 7))).unwrap();
        put(&file, &["b", "c", "f"].map(|node| record(node, 9))).unwrap();
        let all: Vec<(String, u32)> =
            Records::open(&file).map(|record| (record.node, record.reads.touches[0].0)).collect();
        let wanted = [("a", 7), ("b", 9), ("c", 9), ("e", 7), ("f", 9)];
        assert_eq!(all, wanted.map(|(node, first)| (node.to_owned(), first)));
        let (mut records, mut passed) = (Records::open(&file), Vec::new());
        let mut pass = |record: Record| passed.push(record.node);
        assert_eq!(records.find("c", &mut pass), Some(record("c", 9)));
        assert_eq!(records.find("d", &mut pass), None);
        assert_eq!(passed, ["a", "b"]);
        assert!(Records::open(&folder.path().join("none")).next().is_none());
    }

    #[test]
    fn whatever_the_bytes_records_are_the_ones_that_were_written_or_none() {
        let all = ["a", "b"].map(|node| record(node, 3));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("reads");
        put(&file, &all).unwrap();
        let good = std::fs::read(&file).unwrap();
        let holds = |what: &str, bytes: &[u8]| {
            std::fs::write(&file, bytes).unwrap();
            assert!(Records::open(&file).all(|found| all.contains(&found)), "{what}");
        };
        for at in 0..good.len() {
            holds(&format!("cut off at {at}"), &good[..at]);
            let mut turned = good.clone();
            turned[at] ^= 0x10;
            holds(&format!("damaged at {at}"), &turned);
        }
    }
}
