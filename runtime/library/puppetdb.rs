//! What a PuppetDB knows of nodes.

use crate::node::StoredNode;
use crate::settings::Certificates;
use bunraku_nodes::stored;
use serde_json::{Value as Json, json};

/// A PuppetDB that is asked about nodes. It may be shared by threads.
#[derive(Debug)]
pub struct PuppetDb(bunraku_stores::PuppetDb);

/// How many names one answer holds.
const NAMES_AT_ONCE: usize = 5000;

impl PuppetDb {
    /// The PuppetDB at `url` (`http://host:8080`, `https://host:8081`), or the first that answers of several, by commas.
    ///
    /// # Errors
    /// When a file of certificates can't be used.
    pub fn new(url: &str, certificates: &Certificates) -> Result<PuppetDb, String> {
        bunraku_stores::PuppetDb::new(url, certificates).map(PuppetDb)
    }

    /// The names of all nodes that are active and have sent facts, sorted; asked for in pages.
    ///
    /// # Errors
    /// When it can't be asked.
    pub fn names(&self) -> Result<Vec<String>, String> {
        let mut names = Vec::new();
        loop {
            let query = json!([
                "from",
                "inventory",
                ["extract", ["certname"]],
                ["order_by", ["certname"]],
                ["limit", NAMES_AT_ONCE],
                ["offset", names.len()],
            ]);
            let page = self.0.ask(&query)?;
            let is_last = page.len() < NAMES_AT_ONCE;
            for entry in &page {
                names.push(certname(entry)?);
            }
            if is_last {
                break;
            }
        }
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// What is stored of these nodes, by one query, in no order; those that are not there any more are left out.
    ///
    /// # Errors
    /// When it can't be asked, or has something else than facts of a node.
    pub fn nodes(&self, names: &[String]) -> Result<Vec<StoredNode>, String> {
        let query = json!(["from", "inventory", ["in", "certname", ["array", names]]]);
        let found = self.0.ask(&query)?;
        found.into_iter().map(|entry| stored::of_json(entry).map(StoredNode::of)).collect()
    }

    /// The names of the nodes that a query in PQL finds (`nodes[certname] { … }`, or of anything else that has a
    /// `certname`), sorted, each once.
    ///
    /// # Errors
    /// When it can't be asked, the query is refused, or what it finds has no certname.
    pub fn find(&self, pql: &str) -> Result<Vec<String>, String> {
        let found = self.0.ask(&Json::from(pql))?;
        let mut names = found.iter().map(certname).collect::<Result<Vec<_>, _>>()?;
        names.sort();
        names.dedup();
        Ok(names)
    }
}

fn certname(entry: &Json) -> Result<String, String> {
    let name = entry.get("certname").and_then(Json::as_str);
    name.map(str::to_owned).ok_or_else(|| "What PuppetDB has found has no certname".to_owned())
}
