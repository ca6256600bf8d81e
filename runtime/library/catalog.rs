//! Catalogs as values.

use crate::data::Data;
use serde_json::{Map, Value as Json};
use std::fmt::{Display, Formatter};
use std::sync::OnceLock;

/// A node's catalog, as an agent gets it: virtual resources, and exported ones that are not for the node, left out.
#[derive(Debug)]
pub struct Catalog {
    json: String,
    values: OnceLock<Values>,
}

#[derive(Debug, Default)]
struct Values {
    resources: Vec<Resource>,
    edges: Vec<Edge>,
    classes: Vec<String>,
    head: Map<String, Json>,
}

/// A resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// The type's name, capitalised: `File`, `Apache::Vhost`, `Class`.
    pub type_name: String,
    /// Its title.
    pub title: String,
    /// Parameters by name, in order.
    pub parameters: Vec<(String, Data)>,
    /// Tags, in order.
    pub tags: Vec<String>,
    /// The manifest that declares it.
    pub file: Option<String>,
    /// The line there, from 1.
    pub line: Option<u32>,
    /// Whether it is exported.
    pub exported: bool,
    /// What it is made of, where the catalog says: `compilable_type`, `defined_type`, `class`, `unknown`.
    pub kind: Option<String>,
    /// Names of parameters whose value was Sensitive.
    pub sensitive: Vec<String>,
}

/// That one resource contains another, each as `Type[title]`. Relationships (`require`, `before`, …) are parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The one that contains.
    pub source: String,
    /// The one that is contained.
    pub target: String,
}

impl Resource {
    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<&Data> {
        self.parameters.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }
}

impl Display for Resource {
    /// `Type[title]`
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]", self.type_name, self.title)
    }
}

impl Catalog {
    pub(crate) fn new(json: String) -> Catalog {
        Catalog { json, values: OnceLock::new() }
    }

    /// A catalog that was written before, in the form that agents take: by this library, or by a server.
    ///
    /// # Errors
    /// When the text is no JSON, or no catalog.
    pub fn from_json(json: impl Into<String>) -> Result<Catalog, String> {
        let json = json.into();
        let whole: Json = serde_json::from_str(&json).map_err(|error| error.to_string())?;
        match whole.get("resources") {
            Some(Json::Array(_)) => Ok(Catalog::new(json)),
            _ => Err("it has no resources".to_owned()),
        }
    }

    /// The catalog as JSON, in the form that agents take.
    pub fn to_json(&self) -> &str {
        &self.json
    }

    /// The same, without a copy.
    pub fn into_json(self) -> String {
        self.json
    }

    /// Certname of the node.
    pub fn name(&self) -> &str {
        self.head("name")
    }

    /// Name of the environment.
    pub fn environment(&self) -> &str {
        self.head("environment")
    }

    /// Resources in the order they were declared.
    pub fn resources(&self) -> &[Resource] {
        &self.values().resources
    }

    /// A resource by its type's name, capitalised, and its title.
    pub fn resource(&self, type_name: &str, title: &str) -> Option<&Resource> {
        self.resources().iter().find(|resource| resource.type_name == type_name && resource.title == title)
    }

    /// What contains what.
    pub fn edges(&self) -> &[Edge] {
        &self.values().edges
    }

    /// Names of the classes, in the order they were evaluated.
    pub fn classes(&self) -> &[String] {
        &self.values().classes
    }

    fn head(&self, name: &str) -> &str {
        self.values().head.get(name).and_then(Json::as_str).unwrap_or_default()
    }

    /// The values are made of the text when they are first asked for: most catalogs are only passed on.
    fn values(&self) -> &Values {
        self.values.get_or_init(|| {
            // It was written by the compile.
            let json = serde_json::from_str(&self.json).unwrap_or_default();
            let Json::Object(mut head) = json else { return Values::default() };
            let mut list = |name: &str| match head.remove(name) {
                Some(Json::Array(all)) => all,
                _ => Vec::new(),
            };
            let (resources, edges) = (list("resources"), list("edges"));
            Values {
                resources: resources.into_iter().filter_map(resource).collect(),
                edges: edges.iter().filter_map(edge).collect(),
                classes: texts(list("classes")),
                head,
            }
        })
    }
}

fn resource(json: Json) -> Option<Resource> {
    let Json::Object(mut all) = json else { return None };
    let mut text = |name: &str| match all.remove(name) {
        Some(Json::String(text)) => Some(text),
        _ => None,
    };
    let (type_name, title, file) = (text("type")?, text("title")?, text("file"));
    let kind = text("kind");
    let parameters = match all.remove("parameters") {
        Some(Json::Object(all)) => all.into_iter().map(|(name, value)| (name, Data::of(value))).collect(),
        _ => Vec::new(),
    };
    let mut list = |name: &str| match all.remove(name) {
        Some(Json::Array(all)) => texts(all),
        _ => Vec::new(),
    };
    let (tags, sensitive) = (list("tags"), list("sensitive_parameters"));
    let line = all.get("line").and_then(Json::as_u64).and_then(|line| u32::try_from(line).ok());
    let exported = all.get("exported").and_then(Json::as_bool).unwrap_or_default();
    Some(Resource { type_name, title, parameters, tags, file, line, exported, kind, sensitive })
}

fn edge(json: &Json) -> Option<Edge> {
    let end = |name: &str| json.get(name)?.as_str().map(str::to_owned);
    Some(Edge { source: end("source")?, target: end("target")? })
}

fn texts(all: Vec<Json>) -> Vec<String> {
    let text = |json| match json {
        Json::String(text) => Some(text),
        _ => None,
    };
    all.into_iter().filter_map(text).collect()
}
