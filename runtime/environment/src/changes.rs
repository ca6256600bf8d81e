//! What differs between two environments' files, as the questions of compiles that the two answer otherwise (see
//! [`bunraku_files::reads`]): a compile on one of them that has asked none of these comes to the same on the other.

use crate::archive::walk::{Found, Kind, Walk};
use crate::modules::METADATA_FILE;
use crate::snapshot::Snapshot;
use bunraku_compiler::bodies::{self, Defined};
use bunraku_compiler::check::Strict;
use bunraku_files::reads::{PathQuestion, Touch};
use bunraku_files::tree::Tree;
use bunraku_hiera::data_file::{DataFormat, touch_of};
use bunraku_hiera::lookup_options::LOOKUP_OPTIONS;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

/// What becomes of a path from the one environment to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Only the second has it.
    Added,
    /// Only the first has it.
    Removed,
    /// What it holds is another.
    Changed,
}

/// A path that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedPath {
    /// As an archive calls it: `e/…` below the environment's folder, `m0/…` and so on below others of the module path.
    pub path: String,
    /// How it differs.
    pub how: How,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Change {
    /// All paths that differ, sorted.
    pub paths: Vec<ChangedPath>,
    /// A hash of all that the first environment has: the same paths with the same content.
    pub before: [u8; 32],
    /// Where the environments lie in other ways: then every compile is touched.
    pub everything: Option<String>,
    /// The number of the path that answers a question otherwise.
    touches: HashMap<Touch, usize>,
    /// Data files that differ in some of their keys.
    data: Vec<ChangedData>,
    /// Bodies that differ of what manifests define whose rest is the same.
    bodies: HashMap<Touch, Body>,
}

/// A body that differs.
#[derive(Debug)]
struct Body {
    /// The number of its manifest's path.
    number: usize,
    /// What is defined: `class a::b`.
    defined: String,
}

/// A data file that differs in some of its keys.
#[derive(Debug)]
struct ChangedData {
    /// The number of its path.
    number: usize,
    /// What everybody has asked who has looked into it.
    file: Touch,
    keys: Vec<(Touch, String)>,
}

/// Why a compile is touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met<'a> {
    /// The path.
    pub path: &'a ChangedPath,
    /// What in it: the key, where it is data; what is defined, where the bodies of definitions alone differ.
    pub part: Option<Part<'a>>,
}

/// A part of a file that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// A key of a data file.
    Key(&'a str),
    /// The body of what a manifest defines: `class a::b`.
    Body(&'a str),
}

/// What lies at a path. Links count, as some of who list a folder do not follow them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listed {
    Folder { is_link: bool },
    File { hash: [u8; 32], is_link: bool },
}

impl Change {
    /// What differs between two environments.
    ///
    /// # Errors
    /// When files of one of them can't be read.
    pub fn between(from: &Snapshot, to: &Snapshot) -> Result<Change, String> {
        let roots = |snapshot: &Snapshot| -> Vec<String> {
            snapshot.tree().roots().iter().map(|(_, name)| name.clone()).collect()
        };
        let mut change = Change::default();
        if roots(from) != roots(to) {
            change.everything = Some("the folders of the module path are others".to_owned());
        }
        let before = listed(from, None)?;
        let after = listed(to, Some((from, &before)))?;
        change.before = hash_of_all(&before);
        let all: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for path in all {
            let (old, new) = (before.get(path), after.get(path));
            let how = match (old, new) {
                (None, _) => How::Added,
                (_, None) => How::Removed,
                (Some(old), Some(new)) if old != new => How::Changed,
                _ => continue,
            };
            let number = change.paths.len();
            change.paths.push(ChangedPath { path: path.clone(), how });
            change.add(number, (old, new));
            if !(is_plain(old, new) && change.add_bodies(number, (from, to))) {
                change.touches.entry(Touch::of(PathQuestion::Outline, path)).or_insert(number);
            }
            change.add_fault(number, (from, to));
            let is_file = |listed: Option<&Listed>| listed.is_none_or(|at| matches!(at, Listed::File { .. }));
            let keys = (is_file(old) && is_file(new)).then(|| changed_keys(path, from, to)).flatten();
            let file = Touch::of(PathQuestion::Data, path);
            match keys {
                Some(keys) if !keys.contains(LOOKUP_OPTIONS) => {
                    let keys = keys.into_iter().map(|key| (touch_of(&key), key)).collect();
                    change.data.push(ChangedData { number, file, keys });
                }
                _ => _ = change.touches.entry(file).or_insert(number),
            }
        }
        Ok(change)
    }

    /// Takes in the questions that a path answers otherwise, but for those of data.
    fn add(&mut self, number: usize, (old, new): (Option<&Listed>, Option<&Listed>)) {
        let path = &self.paths[number].path;
        let mut touch = |touch: Touch| _ = self.touches.entry(touch).or_insert(number);
        touch(Touch::of(PathQuestion::Content, path));
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        above.chain([path.as_str()]).for_each(|folder| touch(Touch::of(PathQuestion::Below, folder)));
        // Whoever loads a type loads its providers, of whichever module they are.
        for (at, _) in path.match_indices("/lib/puppet/provider/") {
            let folder = path[at + 1..].rsplit_once('/').map_or("", |(folder, _)| folder);
            touch(Touch::of(PathQuestion::Provided, &folder.to_lowercase()));
        }
        if is_plain(old, new) {
            return;
        }
        touch(Touch::of(PathQuestion::Kind, path));
        touch(Touch::of(PathQuestion::Names, path));
        if let Some((parent, _)) = path.rsplit_once('/') {
            touch(Touch::of(PathQuestion::Names, parent));
        }
        for (at, _) in path.match_indices("/lib/") {
            touch(Touch::of(PathQuestion::Provided, &path[at + 1..].to_lowercase()));
        }
    }

    /// The same of a manifest of which bodies of definitions alone differ, or nothing that counts. Whether that is so.
    fn add_bodies(&mut self, number: usize, (from, to): (&Snapshot, &Snapshot)) -> bool {
        let path = &self.paths[number].path;
        let Some(changed) = changed_bodies(path, from, to) else { return false };
        let outline = Touch::of(PathQuestion::Outline, path);
        for (kind, name) in changed {
            let defined = bodies::key(kind, &name);
            self.bodies.insert(Touch::of_body(outline, (&defined, "")), Body { number, defined });
        }
        true
    }

    /// The same of whether something is wrong with a module's metadata: every compile asks that of all modules, and of
    /// those that it uses.
    fn add_fault(&mut self, number: usize, (from, to): (&Snapshot, &Snapshot)) {
        let path = &self.paths[number].path;
        let Some(module) = path.strip_suffix(METADATA_FILE).and_then(|module| module.strip_suffix('/'))
        else {
            return;
        };
        let (folder, name) = module.rsplit_once('/').unwrap_or(("", module));
        if from.modules.fault(name) != to.modules.fault(name) {
            for touch in [Touch::of(PathQuestion::Fault, path), Touch::of(PathQuestion::Fault, folder)] {
                self.touches.entry(touch).or_insert(number);
            }
        }
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.everything.is_none()
    }

    /// Which of the changes a compile that has asked these questions (sorted) is touched by. Where that is none, it comes to
    /// the same; [`Change::everything`] is for the caller to ask.
    pub fn met_by(&self, touches: &[Touch]) -> Vec<Met<'_>> {
        let asked = |touch: &Touch| touches.binary_search(touch).is_ok();
        let numbers: BTreeSet<usize> = match self.touches.len() < touches.len() {
            true => {
                self.touches.iter().filter(|(touch, _)| asked(touch)).map(|(_, number)| *number).collect()
            }
            false => touches.iter().filter_map(|touch| self.touches.get(touch).copied()).collect(),
        };
        let files = numbers.into_iter().map(|number| Met { path: &self.paths[number], part: None });
        let bodies = self.bodies.iter().filter(|(touch, _)| asked(touch));
        let mut bodies: Vec<&Body> = bodies.map(|(_, body)| body).collect();
        bodies.sort_by_key(|body| (body.number, &body.defined));
        let bodies = bodies
            .into_iter()
            .map(|body| Met { path: &self.paths[body.number], part: Some(Part::Body(&body.defined)) });
        let data = self.data.iter().filter(|data| asked(&data.file)).flat_map(|data| {
            let keys = data.keys.iter().filter(|(touch, _)| asked(touch));
            keys.map(|(_, key)| Met { path: &self.paths[data.number], part: Some(Part::Key(key)) })
        });
        files.chain(bodies).chain(data).collect()
    }
}

/// Whether a path is a file, or a link to one, in both, and nothing but what it holds differs.
fn is_plain(old: Option<&Listed>, new: Option<&Listed>) -> bool {
    matches!(
        (old, new),
        (Some(Listed::File { is_link: a, .. }), Some(Listed::File { is_link: b, .. })) if a == b
    )
}

/// Where a path that an archive calls so lies in an environment.
fn place(path: &str, snapshot: &Snapshot) -> Option<PathBuf> {
    let (root, below) = path.split_once('/')?;
    let (folder, _) = snapshot.tree().roots().iter().find(|(_, name)| name == root)?;
    Some(folder.join(below))
}

/// What a manifest defines whose body is another in the second environment; none where more than bodies differs, where its text is
/// not there (a frozen archive may have none), or where one of the two is not right: then whoever loads it may see that.
fn changed_bodies(path: &str, from: &Snapshot, to: &Snapshot) -> Option<Vec<Defined>> {
    if !path.ends_with(".pp") {
        return None;
    }
    let text = |snapshot: &Snapshot| -> Option<String> {
        let file = place(path, snapshot)?;
        // A warning of a compile may be an error of another, which is stricter.
        let in_module = snapshot.modules.place(&file).map(|(path, _)| path);
        let found = snapshot.units.file(snapshot.tree(), &file, Strict::Error, in_module.as_deref());
        found.is_ok().then(|| snapshot.tree().read_to_string(&file).ok()).flatten()
    };
    bodies::changed_bodies(&text(from)?, &text(to)?)
}

/// The keys of a data file that are not the same in both; none where one of the two is there and is no hash of texts.
fn changed_keys(path: &str, from: &Snapshot, to: &Snapshot) -> Option<BTreeSet<String>> {
    let format = match path.rsplit_once('.')?.1 {
        "yaml" | "yml" | "eyaml" => DataFormat::Yaml,
        "json" => DataFormat::Json,
        "conf" | "hocon" => DataFormat::Hocon,
        _ => return None,
    };
    let keys = |snapshot: &Snapshot| -> Option<HashMap<String, u64>> {
        let file = place(path, snapshot)?;
        if !snapshot.tree().exists(&file) {
            return Some(HashMap::new());
        }
        let data = snapshot.data_files.get(snapshot.tree(), &file, format).ok()?;
        Some(data.contents()?.into_iter().map(|(key, hash)| (key.to_owned(), hash)).collect())
    };
    let (old, new) = (keys(from)?, keys(to)?);
    let all = old.keys().chain(new.keys());
    Some(all.filter(|key| old.get(*key) != new.get(*key)).cloned().collect())
}

/// The files that an environment has, as an archive calls them, and where they lie.
///
/// # Errors
/// When they can't be read.
pub(crate) fn listed_files(snapshot: &Snapshot) -> Result<Vec<(String, PathBuf)>, String> {
    let tree = snapshot.tree();
    if tree.is_frozen() {
        let is_file = |listed: &Listed| matches!(listed, Listed::File { .. });
        let files = listed(snapshot, None)?.into_iter().filter(|(_, listed)| is_file(listed));
        return Ok(files.filter_map(|(name, _)| Some((name.clone(), place(&name, snapshot)?))).collect());
    }
    let mut walk = Walk::default();
    tree.roots().iter().for_each(|(folder, name)| walk.add(folder, name));
    if let Some((folder, fault)) = walk.left_out.first().filter(|_| walk.found.len() <= tree.roots().len()) {
        return Err(format!("Could not read {}: {fault}", folder.display()));
    }
    Ok(walk.found.into_iter().filter(|one| one.kind == Kind::File).map(|one| (one.name, one.path)).collect())
}

/// All that an environment has, by path: what its archive says, where that alone is asked, or what lies on the disk. What lies in a
/// folder that another environment has as well is what was found there for that.
fn listed(
    snapshot: &Snapshot,
    other: Option<(&Snapshot, &BTreeMap<String, Listed>)>,
) -> Result<BTreeMap<String, Listed>, String> {
    let tree = snapshot.tree();
    let mut all = BTreeMap::new();
    if let Some(opened) = tree.archive().filter(|_| tree.is_frozen()) {
        let archive = opened.archive();
        for number in 0..archive.entries() {
            let entry = archive.entry(number).map_err(|fault| opened.explain(&fault))?;
            let is_link = entry.is_link();
            let listed = match (entry.is_folder(), entry.is_file()) {
                (true, _) => Listed::Folder { is_link },
                (_, true) => Listed::File { hash: entry.hash, is_link },
                // A link that leads nowhere.
                _ => continue,
            };
            all.insert(entry.path.to_owned(), listed);
        }
        return Ok(all);
    }
    let mut walk = Walk::default();
    for root in tree.roots() {
        let other =
            other.filter(|(other, _)| !other.tree().is_frozen() && other.tree().roots().contains(root));
        let Some((_, found)) = other else {
            walk.add(&root.0, &root.1);
            continue;
        };
        let below = format!("{}/", root.1);
        let found = found.range(root.1.clone()..).take_while(|(path, _)| path.starts_with(&root.1));
        let found = found.filter(|(path, _)| **path == root.1 || path.starts_with(&below));
        all.extend(found.map(|(path, listed)| (path.clone(), *listed)));
    }
    for found in walk.found {
        let is_link = found.is_link();
        let listed = match found.kind {
            Kind::Folder => Listed::Folder { is_link },
            Kind::File => Listed::File { hash: hash_of(tree, &found)?, is_link },
            Kind::Nothing => continue,
        };
        all.insert(found.name, listed);
    }
    Ok(all)
}

fn hash_of_all(all: &BTreeMap<String, Listed>) -> [u8; 32] {
    let mut hash = Sha256::new();
    for (path, listed) in all {
        hash.update(path);
        let (kind, content, is_link) = match listed {
            Listed::Folder { is_link } => (0, [0; 32], *is_link),
            Listed::File { hash, is_link } => (1, *hash, *is_link),
        };
        // No path has the zero byte.
        hash.update([0, kind, u8::from(is_link)]);
        hash.update(content);
    }
    hash.finalize().into()
}

fn hash_of(tree: &Tree, found: &Found) -> Result<[u8; 32], String> {
    let gone = || std::io::Error::from(std::io::ErrorKind::NotFound);
    let hash = found.metadata.as_ref().ok_or_else(gone);
    let hash = hash.and_then(|metadata| tree.hash((&found.name, &found.path), metadata));
    hash.map_err(|error| format!("Could not read {}: {error}", found.path.display()))
}
