//! Nodes of a PuppetDB: their names by one query, their facts in pages of some nodes by name.

use super::parts::Parts;
use bunraku::{Certificates, PuppetDb, StoredNode};
use std::collections::HashMap;

/// How many nodes are asked for together: their facts are a few megabytes.
const AT_ONCE: usize = 50;

/// A PuppetDB and the pages that were read last.
pub struct Database {
    database: PuppetDb,
    url: String,
    pages: Parts<HashMap<String, StoredNode>>,
}

impl Database {
    /// The PuppetDB at a URL.
    ///
    /// # Errors
    /// When the URL is none, or a file of certificates can't be used.
    pub fn open(url: &str, certificates: &Certificates) -> Result<Database, String> {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(format!(
                "Could not ask PuppetDB at {url:?}: it takes puppetdb:http://HOST:8080 or puppetdb:https://HOST:8081"
            ));
        }
        let database = PuppetDb::new(url, certificates)?;
        Ok(Database { database, url: url.to_owned(), pages: Parts::default() })
    }

    /// The names of all nodes that have facts.
    ///
    /// # Errors
    /// When it can't be asked.
    pub fn names(&self) -> Result<Vec<String>, String> {
        self.database.names()
    }

    /// A node, and with it those near it among `names`, which are sorted.
    ///
    /// # Errors
    /// When it can't be asked, or has no such node (any more).
    pub fn node(&self, names: &[String], name: &str) -> Result<StoredNode, String> {
        let missing = || format!("Could not find facts for {name} in PuppetDB at {}", self.url);
        let at = names.binary_search_by(|own| own.as_str().cmp(name)).map_err(|_| missing())?;
        let page = self.pages.get(at / AT_ONCE, || {
            let begin = at / AT_ONCE * AT_ONCE;
            let found = self.database.nodes(&names[begin..names.len().min(begin + AT_ONCE)])?;
            Ok(found.into_iter().filter_map(|node| Some((node.name.clone()?, node))).collect())
        })?;
        page.get(name).cloned().ok_or_else(missing)
    }

    /// The names that a query in PQL finds.
    ///
    /// # Errors
    /// When it can't be asked, or refuses the query.
    pub fn find(&self, pql: &str) -> Result<Vec<String>, String> {
        self.database.find(pql)
    }

    /// To be called where names are no longer those that pages were counted by.
    pub fn forget(&mut self) {
        self.pages = Parts::default();
    }
}
