//! Where a fleet's nodes and their facts come from: a snapshot, a folder with a file for each, one file, PuppetDB. Opening
//! reads the names alone; what is known of a node is read when it is asked for, so memory does not grow with the fleet.

mod parts;
mod puppetdb;
pub mod snapshot;

use bunraku::{Certificates, Data, Facts, StoredNode, nodes_with_facts};
use puppetdb::Database;
use snapshot::Snapshot;
use std::path::{Path, PathBuf};

/// A node as a fleet's facts have it.
#[derive(Clone, Debug)]
pub struct FleetNode {
    /// Its certname.
    pub name: String,
    /// Its facts.
    pub facts: Facts,
    /// Its trusted data, a map; none where nothing is told of it, and it follows from the name.
    pub trusted: Option<Data>,
    /// The environment that its facts were sent for, where it is told.
    pub environment: Option<String>,
    /// When its facts were taken, where it is told.
    pub timestamp: Option<String>,
}

impl FleetNode {
    /// What is stored of a node, under the name that it was asked for by.
    pub fn of(name: &str, stored: StoredNode) -> FleetNode {
        let StoredNode { name: _, facts, trusted, environment, timestamp } = stored;
        FleetNode { name: name.to_owned(), facts, trusted, environment, timestamp }
    }
}

/// Where nodes are known from.
pub struct Nodes {
    names: Vec<String>,
    source: Source,
    from: String,
}

enum Source {
    Snapshot(Snapshot),
    Folder(PathBuf),
    /// One file: it was read when it was opened, for the name in it. Whoever is asked for by another name has its facts.
    File(Box<StoredNode>),
    PuppetDb(Database),
}

/// What stands before the URL of a PuppetDB.
const PUPPETDB: &str = "puppetdb:";

/// Whether a place has facts of many nodes by name, and is no folder: a snapshot, or a PuppetDB.
pub fn is_of_many(from: &str) -> bool {
    from.starts_with(PUPPETDB) || !matches!(Snapshot::open_if_one(Path::new(from)), Ok(None))
}

impl Nodes {
    /// Opens a place that nodes are known from: the file of a snapshot, a folder with a file for each node (as a server's
    /// cache), a file with the facts of one node, or `puppetdb:URL`, which is shown the certificates. The one node of a
    /// file has the name that stands in it, or that its facts say, or that of the file.
    ///
    /// # Errors
    /// When it can't be read, or has no nodes.
    pub fn open(from: &str, certificates: &Certificates) -> Result<Nodes, String> {
        let path = Path::new(from);
        let (names, source) = if let Some(url) = from.strip_prefix(PUPPETDB) {
            let database = Database::open(url, certificates)?;
            (database.names()?, Source::PuppetDb(database))
        } else if path.is_dir() {
            (nodes_with_facts(path)?, Source::Folder(path.to_owned()))
        } else if let Some(snapshot) = Snapshot::open_if_one(path)? {
            (snapshot.names().to_vec(), Source::Snapshot(snapshot))
        } else {
            let stored = StoredNode::from_file(path)?;
            (vec![name_of(&stored, path)], Source::File(Box::new(stored)))
        };
        match names.is_empty() {
            true => Err(format!("There are no nodes in {from}")),
            false => Ok(Nodes { names, source, from: from.to_owned() }),
        }
    }

    /// Where they are known from, as it was named.
    pub fn from(&self) -> &str {
        &self.from
    }

    /// The names, sorted.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What is known of a node. Nodes that are near each other by name are read together where that is cheaper: ask for
    /// them in their order.
    ///
    /// # Errors
    /// When there is no such node, or what is known of it can't be read.
    pub fn node(&self, name: &str) -> Result<FleetNode, String> {
        let stored = match &self.source {
            Source::Snapshot(snapshot) => snapshot.node(name),
            Source::Folder(folder) => StoredNode::from_folder(folder, name),
            Source::File(stored) => Ok((**stored).clone()),
            Source::PuppetDb(database) => database.node(&self.names, name),
        };
        stored.map(|stored| FleetNode::of(name, stored))
    }

    /// A SHA-256 of all that is known of a node and of another hash, where it can be had without reading the first: of a snapshot's
    /// nodes. It differs where anything of either differs; the same may be written in two ways.
    pub fn digest_with(&self, name: &str, other: [u8; 32]) -> Option<[u8; 32]> {
        match &self.source {
            Source::Snapshot(snapshot) => snapshot.digest_with(name, other).ok(),
            Source::Folder(_) | Source::File(_) | Source::PuppetDb(_) => None,
        }
    }

    /// Whether a query in PQL can be asked: the names that it finds.
    ///
    /// # Errors
    /// When nodes are not known from a PuppetDB, or it refuses the query.
    pub fn find(&self, pql: &str) -> Result<Vec<String>, String> {
        match &self.source {
            Source::PuppetDb(database) => database.find(pql),
            _ => Err(format!("A query can be asked of puppetdb:URL only, and nodes come from {}", self.from)),
        }
    }

    /// Keeps those nodes only.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.names.retain(|name| keep(name));
        if let Source::PuppetDb(database) = &mut self.source {
            database.forget();
        }
    }
}

/// The name of the one node of a file.
fn name_of(stored: &StoredNode, path: &Path) -> String {
    let fact = |name: &str| stored.facts.get(name).and_then(|value| value.as_str().map(str::to_owned));
    let networking = || Some(stored.facts.get("networking")?.get("fqdn")?.as_str()?.to_owned());
    let of_file = || path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let told = stored.name.clone().or_else(|| fact("clientcert")).or_else(networking);
    told.or_else(|| fact("fqdn")).unwrap_or_else(of_file)
}

#[cfg(test)]
mod tests;
