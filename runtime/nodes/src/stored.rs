//! What is stored of a node beside its facts: its name, its trusted data, its environment. As `puppet facts` and a server's
//! cache write it (`name`, `values`), as PuppetDB does (`certname`, `facts`: its inventory and its factsets), or facts
//! alone.

use crate::facts::shape;
use serde_json::{Map, Value as Json};
use std::path::Path;

/// What is stored of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stored {
    /// Its certname, where it is told.
    pub name: Option<String>,
    /// Its facts.
    pub facts: Map<String, Json>,
    /// Its trusted data: told beside the facts, or by a fact `trusted`, as PuppetDB keeps it; it is no fact then.
    pub trusted: Option<Map<String, Json>>,
    /// The environment that its facts were sent for.
    pub environment: Option<String>,
    /// When its facts were taken.
    pub timestamp: Option<String>,
}

/// What JSON says of a node, in any of the shapes.
///
/// # Errors
/// When it has no facts.
pub fn of_json(json: Json) -> Result<Stored, String> {
    let mut all = match json {
        Json::Object(all) => all,
        list => return Ok(taking_trusted(Stored { facts: shape(list)?, ..Stored::default() })),
    };
    let is_told = |all: &Map<String, Json>, name: &str, facts: &str| {
        all.get(name).is_some_and(Json::is_string) && all.get(facts).is_some_and(Json::is_object)
    };
    let (name, facts) = match () {
        () if is_told(&all, "certname", "facts") => ("certname", "facts"),
        () if is_told(&all, "name", "values") => ("name", "values"),
        () => return Ok(taking_trusted(Stored { facts: shape(Json::Object(all))?, ..Stored::default() })),
    };
    let facts = match all.remove(facts) {
        // A factset keeps a list below `data`, beside where it came from.
        Some(Json::Object(mut set))
            if set.contains_key("href") && set.get("data").is_some_and(Json::is_array) =>
        {
            shape(set.remove("data").unwrap_or_default())?
        }
        Some(Json::Object(facts)) => facts,
        _ => Map::new(),
    };
    let mut text = |name: &str| match all.remove(name) {
        Some(Json::String(text)) => Some(text),
        _ => None,
    };
    let (name, environment, timestamp) = (text(name), text("environment"), text("timestamp"));
    let trusted = match all.remove("trusted") {
        Some(Json::Object(trusted)) => Some(trusted),
        _ => None,
    };
    Ok(taking_trusted(Stored { name, facts, trusted, environment, timestamp }))
}

/// A node's fact `trusted` is PuppetDB's way to keep its trusted data: no agent sends one.
fn taking_trusted(mut stored: Stored) -> Stored {
    if stored.facts.get("trusted").is_some_and(Json::is_object)
        && let Some(Json::Object(trusted)) = stored.facts.shift_remove("trusted")
    {
        stored.trusted.get_or_insert(trusted);
    }
    stored
}

/// What a file that the user has named says of a node; it may be a pipe.
///
/// # Errors
/// When it can't be read or holds no facts.
pub fn of_file(path: &Path) -> Result<Stored, String> {
    crate::facts::given_data(path).and_then(|json| usable(path, json))
}

/// What a folder with a file for each node says of one: see [`crate::facts::of_node`].
///
/// # Errors
/// When there is none of the node, or it can't be used.
pub fn of_node(folder: &Path, node: &str) -> Result<Stored, String> {
    let file = crate::facts::file_of_node(folder, node)?;
    crate::facts::regular_data(&file).and_then(|json| usable(&file, json))
}

fn usable(path: &Path, json: Json) -> Result<Stored, String> {
    of_json(json).map_err(|error| format!("Could not use facts {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_node_is_told_of_in_several_shapes() {
        let trusted = json!({"certname": "a", "extensions": {"pp_role": "web"}});
        let inventory = json!({
            "certname": "a", "environment": "test", "timestamp": "now", "facts": {"n": 1}, "trusted": trusted,
        });
        let told = of_json(inventory).unwrap();
        assert_eq!(told.name.as_deref(), Some("a"));
        assert_eq!(told.environment.as_deref(), Some("test"));
        assert_eq!(told.timestamp.as_deref(), Some("now"));
        assert_eq!(Json::Object(told.trusted.clone().unwrap()), trusted);
        let factset = json!({
            "certname": "a", "environment": "test", "timestamp": "now",
            "facts": {"href": "/pdb", "data": [{"name": "n", "value": 1}, {"name": "trusted", "value": trusted}]},
        });
        assert_eq!(of_json(factset).unwrap(), told);
        let cached = json!({"name": "a", "values": {"n": 1, "trusted": trusted}, "expiration": "never"});
        let cached = of_json(cached).unwrap();
        assert_eq!((&cached.facts, &cached.trusted), (&told.facts, &told.trusted));
        let plain = of_json(json!({"n": 1, "certname": "a"})).unwrap();
        assert_eq!((plain.name, plain.facts.len()), (None, 2));
        assert!(of_json(json!([1])).is_err());
    }

    #[test]
    fn a_fact_named_trusted_that_is_no_map_stays_one() {
        assert_eq!(of_json(json!({"trusted": "no"})).unwrap().facts.len(), 1);
    }
}
