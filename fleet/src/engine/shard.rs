//! Shards: nodes of a fleet with all that their compiles are given besides the trees, in one object.
//!
//! ```text
//! zstd with a long window of: a line with the forms of compiles, then a line a node
//! ```
//!
//! How a node is compiled is mostly the same for all, and stands once; what a node is on the second side stands there only where it
//! is something else.

use super::job::{Hash, is_own};
use super::{FORMAT, job};
use bunraku::bench::Target;
use bunraku::files::read;
use bunraku::{Lent, Portable};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How hard is tried to make it small: it is made once, and moved once or twice.
const LEVEL: i32 = 3;
/// What nodes have in common lies this far apart, in powers of two: 128 MiB.
pub(super) const WINDOW: u32 = 27;
/// Bytes that a shard may hold when it is unpacked.
const LARGEST: u64 = 4 << 30;

/// Some nodes, in the order of their names.
#[derive(Debug, Default)]
pub struct Shard {
    hows: Vec<String>,
    nodes: Vec<Line>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    format: u32,
    fingerprint: String,
    hows: Vec<String>,
}

/// A node.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Line {
    name: String,
    /// Why it is not to be compiled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    skipped: Option<String>,
    /// Both sides; the second has nothing of what is as in the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sides: Vec<SideForm>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SideForm {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    node: Option<String>,
    /// Number of how it is compiled.
    how: usize,
}

impl Shard {
    /// Adds a node with its targets on each side, one or two; or why it has none.
    ///
    /// # Errors
    /// When something of it can't go with a job.
    pub fn add(&mut self, name: &str, targets: Result<Vec<Target>, String>) -> Result<(), String> {
        let mut line = Line { name: name.to_owned(), skipped: None, sides: Vec::new() };
        match targets {
            Err(why) => line.skipped = Some(why),
            Ok(targets) => {
                let mut first: Option<String> = None;
                for target in targets {
                    let Portable { node, how } = target.portable().map_err(|why| format!("{name}: {why}"))?;
                    let known = self.hows.iter().position(|known| *known == how);
                    let how = known.unwrap_or_else(|| {
                        self.hows.push(how);
                        self.hows.len() - 1
                    });
                    let is_same = first.as_ref() == Some(&node);
                    first.get_or_insert_with(|| node.clone());
                    line.sides.push(SideForm { node: (!is_same).then_some(node), how });
                }
            }
        }
        self.nodes.push(line);
        Ok(())
    }

    /// Names of the nodes.
    pub fn names(&self) -> Vec<String> {
        self.nodes.iter().map(|line| line.name.clone()).collect()
    }

    /// Both halves, where there is more than one node.
    pub fn halves(&self) -> Option<[Shard; 2]> {
        let middle = self.nodes.len().div_ceil(2);
        let (first, second) = self.nodes.split_at(middle);
        (!second.is_empty())
            .then(|| [first, second].map(|nodes| Shard { hows: self.hows.clone(), nodes: nodes.to_vec() }))
    }

    /// The targets by node, whose environments are archives, one or two, and what was lent besides.
    pub fn targets(self, archives: &[&Path], lent: &Arc<Lent>) -> Targets {
        let archives = archives.iter().map(|path| path.to_path_buf()).collect();
        let nodes = self.nodes.into_iter().map(|line| (line.name.clone(), line)).collect();
        Targets { hows: self.hows, nodes, archives, lent: lent.clone() }
    }

    /// As an object.
    ///
    /// # Errors
    /// When it is too large.
    pub fn encode(&self) -> Result<Vec<u8>, String> {
        let head = Head { format: FORMAT, fingerprint: job::build(), hows: self.hows.clone() };
        let lines = || -> serde_json::Result<Vec<u8>> {
            let mut lines = serde_json::to_vec(&head)?;
            for line in &self.nodes {
                lines.push(b'\n');
                serde_json::to_writer(&mut lines, line)?;
            }
            Ok(lines)
        };
        let lines = lines().map_err(std::io::Error::from);
        let packed = lines.and_then(|lines| packed(&lines));
        packed.map_err(|error| format!("Could not pack a shard: {error}"))
    }

    /// A shard of an object.
    ///
    /// # Errors
    /// When it is none, or one of another build.
    pub fn decode(bytes: &[u8]) -> Result<Shard, String> {
        let wrong = |error: &dyn std::fmt::Display| format!("This is no shard: {error}");
        let text = unpacked(bytes, LARGEST).map_err(|error| wrong(&error))?;
        let mut lines = text.split(|byte| *byte == b'\n');
        let head: Head =
            serde_json::from_slice(lines.next().unwrap_or_default()).map_err(|error| wrong(&error))?;
        is_own(head.format, &head.fingerprint).map_err(|whose| format!("A shard {whose}"))?;
        let nodes: Result<Vec<Line>, _> = lines.map(serde_json::from_slice).collect();
        let nodes = nodes.map_err(|error| wrong(&error))?;
        match nodes.is_sorted_by(|one, other| one.name < other.name) {
            true => Ok(Shard { hows: head.hows, nodes }),
            false => Err(wrong(&"its nodes are not in order")),
        }
    }
}

/// The bytes that were packed with a long window, of which there may be so many.
pub(super) fn unpacked(bytes: &[u8], most: u64) -> std::io::Result<Vec<u8>> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(bytes)?;
    decoder.window_log_max(WINDOW)?;
    read::bounded(decoder, 0, most)
}

/// Packs bytes with a long window.
pub(super) fn packed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), LEVEL)?;
    encoder.long_distance_matching(true)?;
    encoder.window_log(WINDOW)?;
    encoder.include_checksum(true)?;
    // For few bytes the tables of a long window would take longer to make than all else.
    encoder.set_pledged_src_size(Some(bytes.len() as u64))?;
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// The targets of a shard.
pub struct Targets {
    hows: Vec<String>,
    nodes: BTreeMap<String, Line>,
    archives: Vec<PathBuf>,
    lent: Arc<Lent>,
}

impl Targets {
    /// All that is said of how nodes are compiled.
    pub fn hows(&self) -> &[String] {
        &self.hows
    }

    /// A node's target on a side, 0 or 1.
    ///
    /// # Errors
    /// Why it has none.
    pub fn get(&self, side: usize, name: &str) -> Result<Target, String> {
        let line = self.nodes.get(name).ok_or_else(|| format!("There is no node {name} in the shard"))?;
        if let Some(why) = &line.skipped {
            return Err(why.clone());
        }
        let wrong = || format!("The shard has nothing of side {side} of {name}");
        let (form, archive) = line.sides.get(side).zip(self.archives.get(side)).ok_or_else(wrong)?;
        let node = form.node.as_ref().or_else(|| line.sides.first()?.node.as_ref()).ok_or_else(wrong)?;
        let how = self.hows.get(form.how).ok_or_else(wrong)?;
        Portable { node: node.clone(), how: how.clone() }.target(archive, &self.lent)
    }
}

/// An object's hash and how many nodes it has: a part of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The shard.
    pub facts: Hash,
    /// How many nodes.
    pub nodes: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku::{Environment, Facts, Node, Settings};

    fn target(name: &str, folder: &str, fact: i64) -> Target {
        Target {
            environment: Environment::at(folder),
            node: Node::new(name).with_facts(Facts::from([("x", fact.into())])),
            settings: Settings::default(),
        }
    }

    #[test]
    fn shards_are_read_back_whole_and_in_halves() {
        let mut shard = Shard::default();
        for name in ["a", "b", "d"] {
            shard
                .add(name, Ok(vec![target(name, "/from", 1), target(name, "/to", 1)]))
                .expect("it goes with");
        }
        shard.add("e", Ok(vec![target("e", "/from", 1), target("e", "/to", 2)])).expect("it goes with");
        shard.add("f", Err("no facts".to_owned())).expect("it goes with");
        assert_eq!(shard.hows.len(), 2);
        let read = Shard::decode(&shard.encode().expect("it is packed")).expect("it is one");
        assert_eq!(read.names(), ["a", "b", "d", "e", "f"]);
        let [first, second] = read.halves().expect("there is more than one");
        assert_eq!(
            (first.names(), second.names()),
            (vec!["a".into(), "b".into(), "d".into()], vec!["e".into(), "f".into()])
        );
        assert!(second.halves().expect("two").iter().all(|one| one.halves().is_none()));
        let lent = Arc::new(Lent::new(Vec::new(), BTreeMap::new()));
        let targets = second.targets(&[Path::new("/1.bnr"), Path::new("/2.bnr")], &lent);
        let both = [0, 1].map(|side| targets.get(side, "e").expect("it is there"));
        assert_eq!(both.each_ref().map(|one| one.node.facts().to_json()), ["{\"x\":1}", "{\"x\":2}"]);
        assert_eq!(targets.get(0, "f").err(), Some("no facts".to_owned()));
        assert!(targets.get(2, "e").is_err() && targets.get(0, "a").is_err());
    }

    #[test]
    fn whatever_the_bytes_it_is_a_shard_or_an_error() {
        let mut shard = Shard::default();
        shard.add("a", Ok(vec![target("a", "/from", 1)])).expect("it goes with");
        let good = shard.encode().expect("it is packed");
        for at in 0..good.len() {
            let mut turned = good.clone();
            turned[at] ^= 0x10;
            let _ = Shard::decode(&turned);
            assert!(Shard::decode(&good[..at]).is_err(), "{at}");
        }
        let text = format!(r#"{{"format":{FORMAT},"fingerprint":"ab","hows":[]}}"#);
        let other = Shard::decode(&packed(text.as_bytes()).expect("it is packed"));
        assert!(other.expect_err("another build").contains("another build"));
    }
}
