//! Facts of nodes as agents send them, kept where the configuration says: a file a node, PuppetDB, or both.
//!
//! Source: the termini of facts in Puppet 7.23.0 and 8.10.0. Where nobody says anything else, a server keeps them in
//! `server_datadir/facts/NAME.json`.

use crate::environments::Environments;
use crate::exchange::{Failure, Request, Response, server_error};
use crate::files::environment;
use crate::formats;
use crate::reports::{Taker, form, yaml};
use crate::weight;
use bunraku::files::read;
use bunraku::files::write::{self, Access};
use bunraku::{Configuration, Data, Origin};
use http::StatusCode;
use serde_json::{Map, Value as Json};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes that the file of a node may hold.
const MAX_FACTS: u64 = 64 << 20;

/// The facts of all nodes. It may be shared by threads.
pub struct Facts {
    environments: Arc<Environments>,
    /// Where they are asked for and kept.
    terminus: Place,
    /// Where they are kept besides, and asked for before.
    cache: Option<Place>,
}

enum Place {
    Json(PathBuf),
    Yaml(PathBuf),
    PuppetDb(Taker),
}

impl Facts {
    /// Facts in the places that a configuration names by `facts_terminus`, `routes.yaml` and `storeconfigs`.
    ///
    /// # Errors
    /// When it names a place that is not there, by its name.
    pub fn new(configuration: &Configuration) -> Result<Facts, String> {
        Facts::of(Arc::new(Environments::new(configuration.clone())), None)
    }

    /// The same for environments, where `puppetdb` and `store_configs` are this.
    ///
    /// # Errors
    /// As of [`Facts::new`].
    pub fn of(environments: Arc<Environments>, puppetdb: Option<Taker>) -> Result<Facts, String> {
        let configuration = environments.configuration();
        let place = |name: &str| {
            let folder = |setting| Ok(PathBuf::from(configuration.get(setting)?.text).join("facts"));
            match (name, &puppetdb) {
                ("json", _) => folder("server_datadir").map(Place::Json),
                ("yaml", _) => folder("yamldir").map(Place::Yaml),
                ("puppetdb" | "store_configs", Some(taker)) => Ok(Place::PuppetDb(taker.clone())),
                (other, _) => Err(format!("The terminus '{other}' of facts is not supported")),
            }
        };
        let given = configuration.facts_terminus()?;
        let is_default = configuration.get("facts_terminus")?.origin == Origin::Default && given == "facter";
        let terminus = place(if is_default { "json" } else { &given })?;
        let cache = configuration.facts_cache()?.as_deref().map(place).transpose()?;
        Ok(Facts { environments, terminus, cache })
    }

    /// Keeps the facts of a node: `{"name": …, "values": {…}, "timestamp": …, "expiration": …}`.
    ///
    /// # Errors
    /// 400 where it is none of that form, 500 where it is another node's or can't be kept.
    pub fn save(&self, certname: &str, facts: &Json) -> Result<(), Failure> {
        self.save_from(certname, facts, None)
    }

    /// The same, with what PuppetDB is told besides: the environment that the facts are for, and what is trusted of the node
    /// ([`Trusted`](crate::node::Trusted)).
    ///
    /// # Errors
    /// As of [`Facts::save`].
    pub fn save_from(
        &self,
        certname: &str,
        facts: &Json,
        about: Option<(&str, Json)>,
    ) -> Result<(), Failure> {
        let facts = shaped(facts).map_err(|why| {
            let message = format!("The request body is invalid: Could not intern from json: {why}");
            Failure::new(StatusCode::BAD_REQUEST, message)
        })?;
        let name = facts.get("name").and_then(Json::as_str).unwrap_or_default();
        if name != certname {
            let message = format!("Instance name {name:?} does not match requested key {certname:?}");
            return Err(server_error(message));
        }
        check_name(name)?;
        [Some(&self.terminus), self.cache.as_ref()]
            .into_iter()
            .flatten()
            .try_for_each(|place| place.save(name, &facts, about.as_ref()))
    }

    /// The facts of a node as they were kept last, in the form of [`Facts::save`]; none where none are.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn find(&self, certname: &str) -> Result<Option<Json>, Failure> {
        check_name(certname)?;
        for place in self.cache.iter().chain([&self.terminus]) {
            if let Some(found) = place.find(certname, self.environments.configuration())? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// `PUT facts/NAME`. What is `trusted` of who sends them is asked only where PuppetDB is told.
    ///
    /// # Errors
    /// Puppet's, and that of `trusted`; 413 where there are more values than a node's facts may have.
    pub fn put(
        &self,
        request: &Request,
        name: &str,
        trusted: impl FnOnce() -> Result<Json, Failure>,
    ) -> Result<Response, Failure> {
        self.environments.check(environment(request)?)?;
        let data = formats::of_data(self.environments.configuration().compat());
        let format = formats::of_answer_to_sent(request, data)?;
        formats::of_body(request, data)?;
        weight::check(&request.body, weight::OF_FACTS)?;
        let facts = serde_json::from_slice(&request.body).map_err(|why| {
            let message = format!("The request body is invalid: Could not intern from json: {why}");
            Failure::new(StatusCode::BAD_REQUEST, message)
        })?;
        let tells = [Some(&self.terminus), self.cache.as_ref()].into_iter().flatten().any(Place::is_puppetdb);
        let about = tells.then(trusted).transpose()?.map(|trusted| Ok((environment(request)?, trusted)));
        self.save_from(name, &facts, about.transpose()?)?;
        Ok(Response::of(format.content_type(), "0"))
    }
}

impl Place {
    fn is_puppetdb(&self) -> bool {
        matches!(self, Place::PuppetDb(_))
    }

    fn save(
        &self,
        name: &str,
        facts: &Map<String, Json>,
        about: Option<&(&str, Json)>,
    ) -> Result<(), Failure> {
        match self {
            Place::Json(folder) => {
                keep(folder, &format!("{name}.json"), &Json::Object(facts.clone()).to_string())
            }
            Place::Yaml(folder) => {
                keep(folder, &format!("{name}.yaml"), &yaml::object("Puppet::Node::Facts", facts))
            }
            Place::PuppetDb(taker) => {
                let mut facts = facts.clone();
                if let Some((environment, trusted)) = about {
                    facts.insert("environment".to_owned(), Json::from(*environment));
                    facts.insert("trusted".to_owned(), trusted.clone());
                }
                taker(name, &facts)
            }
        }
    }

    fn find(&self, name: &str, configuration: &Configuration) -> Result<Option<Json>, Failure> {
        match self {
            Place::Json(folder) => {
                let path = folder.join(format!("{name}.json"));
                let failed = |what: &str, error: &dyn std::fmt::Display| {
                    server_error(format!("Could not {what} JSON data for facts {name}: {error}"))
                };
                match read::regular(&path, MAX_FACTS) {
                    Ok(bytes) => {
                        serde_json::from_slice(&bytes).map(Some).map_err(|error| failed("parse", &error))
                    }
                    Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                    Err(error) => Err(failed("read", &error)),
                }
            }
            Place::Yaml(_) | Place::PuppetDb(_) => {
                let found = configuration.facts_kept_by(matches!(self, Place::Yaml(_)), name);
                let values = found.map_err(server_error)?;
                Ok(values.map(|values| serde_json::json!({"name": name, "values": values})))
            }
        }
    }
}

/// The values of facts as they are sent and kept.
pub fn values(facts: &Json) -> bunraku::Facts {
    let mut values = facts["values"].clone();
    if let Some(values) = values.as_object_mut() {
        values.shift_remove("_timestamp");
    }
    // What has been read is written, and read again, without loss.
    bunraku::Facts::from_data(Data::from_json(&values.to_string()).unwrap_or_default())
}

/// Name, values without their time, and times: what Puppet keeps of what was sent.
fn shaped(facts: &Json) -> Result<Map<String, Json>, String> {
    let given = facts.as_object().ok_or("it is no hash")?;
    let name = given.get("name").filter(|name| name.is_string()).ok_or("it has no name")?;
    let mut values = given.get("values").and_then(Json::as_object).ok_or("it has no values")?.clone();
    let inside = values.shift_remove("_timestamp");
    let timestamp = inside.filter(|time| !time.is_null()).or_else(|| given.get("timestamp").cloned());
    let mut shaped = Map::new();
    shaped.insert("name".to_owned(), name.clone());
    shaped.insert("values".to_owned(), Json::Object(values));
    for (key, value) in [("timestamp", timestamp), ("expiration", given.get("expiration").cloned())] {
        if let Some(value) = value.filter(|value| !matches!(value, Json::Null | Json::Bool(false))) {
            shaped.insert(key.to_owned(), form::time(value));
        }
    }
    Ok(shaped)
}

/// Refuses names that lead out of a folder.
fn check_name(name: &str) -> Result<(), Failure> {
    let is_drive = name.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && name[1..].starts_with(':');
    let leads_out =
        name.is_empty() || name == "." || name.starts_with("..") || name.contains(['/', '\\', '\0']);
    if is_drive || leads_out { Err(server_error("invalid key")) } else { Ok(()) }
}

fn keep(folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let path = folder.join(name);
    std::fs::create_dir_all(folder)
        .and_then(|()| write::replace(&path, text.as_bytes(), Access::Exactly(0o660)))
        .map_err(|error| server_error(format!("Could not write {}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku::Compat;
    use serde_json::json;

    fn facts(folder: &Path, settings: &[(&str, &str)]) -> Result<Facts, String> {
        let root = folder.display().to_string();
        let mut given = ["confdir", "codedir", "vardir"].map(|name| (name.to_owned(), root.clone())).to_vec();
        given.extend(settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        Facts::new(&Configuration::read(Compat::V7, &given).unwrap())
    }

    #[test]
    fn facts_are_found_as_they_were_kept_last() {
        for terminus in ["json", "yaml"] {
            let folder = tempfile::tempdir().unwrap();
            let facts = facts(folder.path(), &[("facts_terminus", terminus)]).unwrap();
            assert_eq!(facts.find("a").unwrap(), None);
            for number in 1..3 {
                facts.save("a", &json!({"name": "a", "values": {"n": number, "s": "yes: no"}})).unwrap();
                let found = facts.find("a").unwrap().unwrap();
                assert_eq!(found["values"], json!({"n": number, "s": "yes: no"}), "{terminus}");
            }
        }
    }

    #[test]
    fn names_that_lead_out_and_places_that_are_not_there_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let kept = facts(folder.path(), &[]).unwrap();
        for name in ["", ".", "..", "../a", "a/b", "a\\b", "a\0", "C:a"] {
            assert_eq!(
                kept.save(name, &json!({"name": name, "values": {}})).unwrap_err().status,
                500,
                "{name:?}"
            );
            assert!(kept.find(name).is_err());
        }
        assert_eq!(kept.save("a", &json!({"name": "b", "values": {}})).unwrap_err().status, 500);
        assert_eq!(kept.save("a", &json!({"name": "a"})).unwrap_err().status, 400);
        assert!(!folder.path().join("server_data").exists());
        for terminus in ["memory", "puppetdb", "network_device"] {
            let error = facts(folder.path(), &[("facts_terminus", terminus)]).err().unwrap();
            assert_eq!(error, format!("The terminus '{terminus}' of facts is not supported"));
        }
    }
}
