//! A folder that catalogs are kept in: `catalogs/AB/ABCDEF….json.zst` by the SHA-256 of what is in them, so that what is the
//! same is kept once, over any number of runs; and `index.jsonl`, which says what each node of the last run has got.
//!
//! A compile's own number and UUID are no part of a catalog: they are 0 there, and in the index as they were. Files are put in
//! place whole, so a run that is interrupted leaves some catalogs more and the index of the run before. Catalogs hold what is
//! Sensitive: nobody but the owner may read them.

use super::Node;
use bunraku::Catalog;
use bunraku::files::read::{self, Pieces};
use bunraku::files::write::{self, Access};
use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A folder of catalogs.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

/// A catalog that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// SHA-256 of what is kept, in hexadecimal.
    pub sha256: String,
    /// Bytes of that.
    pub bytes: usize,
    /// The compile's number, as JSON.
    pub version: String,
    /// The compile's UUID, as JSON.
    pub uuid: String,
}

/// Where catalogs are kept.
pub trait Keep: Sync {
    /// Keeps one, unless it is there.
    ///
    /// # Errors
    /// When it can't be written.
    fn keep(&self, catalog: &str) -> Result<Saved, String>;
}

impl Keep for Folder {
    fn keep(&self, catalog: &str) -> Result<Saved, String> {
        let (plain, saved) = plain(catalog);
        self.put(&saved.sha256, &plain)?;
        Ok(saved)
    }
}

/// A catalog as it is kept, and what is told of that.
pub fn plain(catalog: &str) -> (String, Saved) {
    let (plain, version, uuid) = without_own(catalog);
    let sha256 = hex(&Sha256::digest(plain.as_bytes()));
    let saved = Saved { bytes: plain.len(), version, uuid, sha256 };
    (plain, saved)
}

/// Where the index is.
pub const INDEX: &str = "index.jsonl";
/// How hard is tried to make catalogs small: the level at which that costs least.
const LEVEL: i32 = 1;
/// Who may read what is kept.
const MODE: u32 = 0o600;

impl Folder {
    /// Opens a folder, which is made if it is not there.
    ///
    /// # Errors
    /// When it can't be made.
    pub fn open(path: &Path) -> Result<Folder, String> {
        std::fs::create_dir_all(path.join("catalogs"))
            .map_err(|error| format!("Could not make the folder {}: {error}", path.display()))?;
        Ok(Folder(path.to_owned()))
    }

    /// Keeps what is told of a catalog by [`plain`], under its SHA-256, unless it is there and whole.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn put(&self, sha256: &str, plain: &str) -> Result<(), String> {
        let path = self.path_of(sha256);
        if path.is_file() && self.text(sha256).is_ok() {
            return Ok(());
        }
        let written = compressed(plain).and_then(|bytes| {
            let folder = path.parent().unwrap_or(&self.0);
            std::fs::create_dir_all(folder)?;
            write::beside(&path, &bytes, None, MODE)
        });
        written.map_err(|error| format!("Could not write {}: {error}", path.display()))
    }

    /// A catalog that is kept, by its SHA-256.
    ///
    /// # Errors
    /// When it is not there, or damaged.
    pub fn catalog(&self, sha256: &str) -> Result<Catalog, String> {
        let failed = |what: String| format!("Could not use {}: {what}", self.path_of(sha256).display());
        Catalog::from_json(self.text(sha256).map_err(|error| failed(error.to_string()))?).map_err(failed)
    }

    fn text(&self, sha256: &str) -> io::Result<String> {
        let file = Pieces::open(&self.path_of(sha256))?;
        let bytes = file.at(0, file.length())?;
        let plain = read::bounded(zstd::stream::read::Decoder::with_buffer(&bytes[..])?, 0, read::MAX_FILE)?;
        match hex(&Sha256::digest(&plain)) == sha256 {
            true => String::from_utf8(plain).map_err(|_| io::Error::other("it is not UTF-8")),
            false => Err(io::Error::other("it is damaged: its checksum is another one")),
        }
    }

    fn path_of(&self, sha256: &str) -> PathBuf {
        let front = sha256.get(..2).unwrap_or("00");
        self.0.join("catalogs").join(front).join(format!("{sha256}.json.zst"))
    }

    /// Writes the index of a run.
    ///
    /// # Errors
    /// When it can't be written; the one before then still is there.
    pub fn finish(&self, nodes: &[Node]) -> Result<(), String> {
        let path = self.0.join(INDEX);
        let written = write::streamed(&path, Access::Exactly(MODE), |out| {
            nodes.iter().try_for_each(|node| writeln!(out, "{}", entry(node)))
        });
        written.map_err(|error| format!("Could not write {}: {error}", path.display()))
    }

    /// The SHA-256 of each node's catalog, by the index; none where the node has failed.
    ///
    /// # Errors
    /// When it can't be read, or a line is no entry.
    pub fn index(&self) -> Result<Vec<(String, Option<String>)>, String> {
        let path = self.0.join(INDEX);
        let failed = |what: String| format!("Could not use {}: {what}", path.display());
        let text = read::regular_text(&path, read::MAX_FILE).map_err(|error| failed(error.to_string()))?;
        let entry = |(number, line): (usize, &str)| {
            let wrong = || failed(format!("line {} is no entry", number + 1));
            let entry: Json = serde_json::from_str(line).map_err(|_| wrong())?;
            let text = |name: &str| entry[name].as_str().map(str::to_owned);
            Ok((text("node").ok_or_else(wrong)?, text("sha256")))
        };
        text.lines().enumerate().map(entry).collect()
    }
}

/// A node in the index.
fn entry(node: &Node) -> Json {
    let mut entry = Map::new();
    entry.insert("node".to_owned(), node.name.as_str().into());
    if let Some(saved) = &node.saved {
        let parsed = |text: &str| serde_json::from_str::<Json>(text).unwrap_or_default();
        entry.insert("sha256".to_owned(), saved.sha256.as_str().into());
        entry.insert("bytes".to_owned(), saved.bytes.into());
        entry.insert("version".to_owned(), parsed(&saved.version));
        entry.insert("catalog_uuid".to_owned(), parsed(&saved.uuid));
    }
    if let Some(failure) = &node.failure {
        entry.insert("error".to_owned(), json!(failure.message));
    }
    Json::Object(entry)
}

/// A catalog without what is new in each compile: its number and UUID, which are given beside it. In texts quotes are escaped,
/// so the first of each name is the catalog's own.
fn without_own(catalog: &str) -> (String, String, String) {
    let (text, version) = replaced(catalog, ",\"version\":", |value| match value.starts_with('"') {
        true => "\"\"".to_owned(),
        false => "0".to_owned(),
    });
    let zero = |_: &str| "\"00000000-0000-0000-0000-000000000000\"".to_owned();
    let (text, uuid) = replaced(&text, ",\"catalog_uuid\":", zero);
    (text, version, uuid)
}

/// A text with another value behind the first `name`, and the value that was there.
fn replaced(text: &str, name: &str, other: impl Fn(&str) -> String) -> (String, String) {
    let Some(at) = text.find(name).map(|at| at + name.len()) else {
        return (text.to_owned(), "null".to_owned());
    };
    let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Json>();
    let value = values.next().and_then(Result::ok).unwrap_or_default();
    let end = at + values.byte_offset();
    (format!("{}{}{}", &text[..at], other(&text[at..end]), &text[end..]), value.to_string())
}

fn compressed(text: &str) -> io::Result<Vec<u8>> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), LEVEL)?;
    encoder.set_pledged_src_size(Some(text.len() as u64))?;
    encoder.write_all(text.as_bytes())?;
    encoder.finish()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn catalog(version: &str, uuid: &str, title: &str) -> String {
        format!(
            r#"{{"tags":["a,\"version\":7"],"name":"n","version":{version},"code_id":null,"catalog_uuid":"{uuid}","resources":[{{"type":"Notify","title":"{title}","parameters":{{"version":3}}}}]}}"#
        )
    }

    #[test]
    fn what_is_the_same_is_kept_once_and_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Folder::open(folder.path()).unwrap();
        let one = kept.keep(&catalog("1763", "u1", "x")).unwrap();
        let again = kept.keep(&catalog("\"v2\"", "u2", "x")).unwrap();
        assert_eq!((again.version.as_str(), again.uuid.as_str()), ("\"v2\"", "\"u2\""));
        let third = kept.keep(&catalog("1764", "u3", "x")).unwrap();
        assert_eq!(third.sha256, one.sha256);
        assert_ne!(kept.keep(&catalog("1763", "u1", "y")).unwrap().sha256, one.sha256);
        let read = kept.catalog(&one.sha256).unwrap();
        assert_eq!(read.to_json(), catalog("0", "00000000-0000-0000-0000-000000000000", "x"));
        assert!(kept.catalog("ab").unwrap_err().contains("No such file"));
    }

    #[test]
    fn a_damaged_catalog_is_noticed_and_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Folder::open(folder.path()).unwrap();
        let one = kept.keep(&catalog("1", "u", "x")).unwrap();
        let path = kept.path_of(&one.sha256);
        for damaged in [&b"no"[..], &compressed("{}").unwrap()] {
            std::fs::write(&path, damaged).unwrap();
            assert!(kept.catalog(&one.sha256).is_err());
            kept.keep(&catalog("1", "u", "x")).unwrap();
            assert!(kept.catalog(&one.sha256).is_ok());
        }
    }

    #[test]
    fn the_index_says_what_each_node_has_got() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Folder::open(folder.path()).unwrap();
        let saved = kept.keep(&catalog("1", "u", "x")).unwrap();
        let node = |name: &str, saved: Option<Saved>| Node {
            name: name.to_owned(),
            time: Duration::ZERO,
            resources: 1,
            failure: saved.is_none().then(|| "no".to_owned().into()),
            saved,
        };
        kept.finish(&[node("a", Some(saved.clone())), node("b", None)]).unwrap();
        let index = kept.index().unwrap();
        assert_eq!(index, [("a".to_owned(), Some(saved.sha256)), ("b".to_owned(), None)]);
        std::fs::write(folder.path().join(INDEX), "{}\n").unwrap();
        assert!(kept.index().unwrap_err().ends_with("line 1 is no entry"));
    }
}
