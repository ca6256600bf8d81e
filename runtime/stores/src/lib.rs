//! Where nodes meet: exported resources go to a store with a node's catalog, and other nodes' collectors ask for them
//! there. The store is a folder of catalogs, or PuppetDB; where catalogs are tried only, what the nodes of the same run export.

mod client;
mod files;
mod meeting;
mod once;
mod puppetdb;
mod wire;

pub use client::{Answered, Certificates, Client};
pub use files::Files;
pub use meeting::{Exports, Meeting, MeetingOver};
pub use once::Once;
pub use puppetdb::PuppetDb;
pub use wire::replace_catalog;

use serde_json::{Map, Value as Json};
use std::fmt::Debug;

/// What a collector asks of a resource.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// `attribute == value`; the attribute may be `title` or `tag`.
    Eq(String, Json),
    /// `attribute != value`
    NotEq(String, Json),
    /// Both.
    And(Box<Filter>, Box<Filter>),
    /// Either.
    Or(Box<Filter>, Box<Filter>),
}

/// A resource that a node exports.
#[derive(Clone, Debug, PartialEq)]
pub struct Exported {
    /// The node.
    pub certname: String,
    /// Type, capitalised.
    pub type_name: String,
    /// Title.
    pub title: String,
    /// Tags.
    pub tags: Vec<String>,
    /// File of its declaration.
    pub file: Option<String>,
    /// Line of it.
    pub line: Option<u32>,
    /// Parameters; references are strings.
    pub parameters: Map<String, Json>,
}

/// Why a store that is made for trials takes in no catalog.
fn not_taken_in(node: &str) -> String {
    format!("The catalog of {node} is a trial: no store takes it in")
}

impl Exported {
    /// Of a resource as catalogs and PuppetDB write it.
    pub fn read(certname: &str, resource: &Json) -> Option<Exported> {
        let text = |name: &str| resource.get(name).and_then(Json::as_str).map(str::to_owned);
        let tags = resource.get("tags").and_then(Json::as_array).into_iter().flatten();
        Some(Exported {
            certname: text("certname").unwrap_or_else(|| certname.to_owned()),
            type_name: text("type")?,
            title: text("title")?,
            tags: tags.filter_map(Json::as_str).map(str::to_owned).collect(),
            file: text("file"),
            line: resource.get("line").and_then(Json::as_u64).and_then(|line| u32::try_from(line).ok()),
            parameters: resource.get("parameters").and_then(Json::as_object).cloned().unwrap_or_default(),
        })
    }

    /// Whether it fits a filter; as in a catalog, an array fits if one of its elements does.
    pub fn fits(&self, filter: &Filter) -> bool {
        let fits = |name: &str, value: &Json| match name {
            "title" => value.as_str() == Some(&self.title),
            "tag" => {
                let wanted: Vec<String> = match value {
                    Json::Array(tags) => {
                        tags.iter().filter_map(Json::as_str).map(str::to_lowercase).collect()
                    }
                    other => other.as_str().map(str::to_lowercase).into_iter().collect(),
                };
                wanted.iter().any(|tag| self.tags.contains(tag))
            }
            name => match self.parameters.get(name) {
                Some(Json::Array(items)) => items.contains(value),
                Some(given) => given == value,
                None => value.is_null(),
            },
        };
        match filter {
            Filter::Eq(name, value) => fits(name, value),
            Filter::NotEq(name, value) => !fits(name, value),
            Filter::And(left, right) => self.fits(left) && self.fits(right),
            Filter::Or(left, right) => self.fits(left) || self.fits(right),
        }
    }
}

/// A store of catalogs.
pub trait Store: Debug + Send + Sync {
    /// The resources of a type that nodes other than `node` export, as far as they fit.
    ///
    /// # Errors
    /// When the store can't be asked.
    fn exported(&self, type_name: &str, node: &str, filter: Option<&Filter>)
    -> Result<Vec<Exported>, String>;

    /// The facts the store has of a node.
    ///
    /// # Errors
    /// When the store can't be asked.
    fn facts(&self, node: &str) -> Result<Option<Map<String, Json>>, String>;

    /// Whether it is one that [`ask`](Self::ask) may be asked of.
    fn is_puppetdb(&self) -> bool {
        false
    }

    /// What PuppetDB answers to a query: a text in PQL, or a syntax tree that begins with `from`. See [`PuppetDb::ask`].
    ///
    /// # Errors
    /// When it can't be asked, or refuses the query; where it is no PuppetDB.
    fn ask(&self, _query: &Json) -> Result<Vec<Json>, String> {
        Err("The store of exported resources is no PuppetDB".to_owned())
    }

    /// Takes a node's catalog, exported resources included, in the place of the one it has.
    ///
    /// # Errors
    /// When it can't be stored.
    fn save(&self, node: &str, catalog: &Json) -> Result<(), String>;
}
