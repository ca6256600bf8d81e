//! Nodes in an LDAP directory (`node_terminus = ldap`): classes, top-scope parameters and environment of a node are
//! attributes of its entry and of its parents'. Puppet had this up to version 5; names of settings, rules and messages
//! are that version's. One thing differs: names of attributes are compared without regard to case, as LDAP says,
//! while Puppet's bindings to LDAP missed `puppetClass` where the setting said `puppetclass`.
//!
//! Binary values, like pictures, are no variables: a catalog could not hold them.

mod ber;
mod directory;
mod wire;

use crate::enc::Classification;
use bunraku_process::Limits;
use directory::{Directory, Entry};
use serde_json::{Map, Value as Json};
use std::path::PathBuf;

/// Where the directory is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// `ldapserver`
    pub host: String,
    /// `ldapport`
    pub port: u16,
    /// `ldaptls`, `ldapssl`
    pub security: Security,
}

/// Whether and when a connection is by TLS, and the file of the authorities that sign the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Security {
    /// Not.
    None,
    /// From the begin: `ldapssl`.
    Tls(Option<PathBuf>),
    /// It begins plain: `ldaptls`.
    StartTls(Option<PathBuf>),
}

/// What is asked of a directory. There is no `Debug`: nothing prints the password.
#[derive(Clone)]
pub struct Settings {
    /// `ldapbase`
    pub base: String,
    /// `ldapuser`: a distinguished name; none binds as nobody.
    pub user: String,
    /// `ldappassword`
    pub password: String,
    /// `ldapstring`: the filter, with `%s` in place of a name.
    pub filter: String,
    /// `ldapclassattrs`: attributes that hold classes, separated by commas.
    pub class_attributes: String,
    /// `ldapparentattr`: the attribute that names the parent.
    pub parent_attribute: String,
    /// `ldapattrs`: the attributes that become variables, or `all`.
    pub attributes: String,
    /// `ldapstackedattrs`: attributes that hold variables, each as `name=value`.
    pub stacked_attributes: String,
}

/// Asks a directory for a node: by its name, by the name's first part, then for `default`. `facts` are those that are
/// known of the node.
///
/// # Errors
/// When the directory can't be asked, has no such node, or what it says makes no sense.
pub fn classify(
    server: &Server,
    settings: &Settings,
    node: &str,
    facts: Option<&Map<String, Json>>,
    limits: Limits,
) -> Result<Classification, String> {
    let failed = |error: String| crate::search_failed(node, &error);
    let mut directory = Directory::open(server, settings, limits).map_err(failed)?;
    let mut names = vec![node];
    // A dot at the begin or at the end leaves nothing to cut.
    names.extend(node.split_once('.').filter(|(_, rest)| !rest.is_empty()).map(|(short, _)| short));
    names.push("default");
    for name in names {
        let mut find = |name: &str| search(&mut directory, settings, name);
        if let Some(info) = find(name).map_err(failed)? {
            let info = with_parents(info, find).map_err(failed)?;
            return info.classification(facts).map_err(|error| format!("{error} on node {node}"));
        }
    }
    Err(crate::unknown_node(node))
}

/// The last entry that fits a name, if any does.
fn search(directory: &mut Directory, settings: &Settings, name: &str) -> Result<Option<Info>, String> {
    let filter = settings.filter.replace("%s", &ldap3::ldap_escape(name));
    let found = directory.search(&settings.base, &filter, &settings.wanted())?;
    match found.entries.last() {
        Some(entry) => Info::of(entry, settings).map(Some),
        None if found.elsewhere.is_empty() => Ok(None),
        None => Err(format!(
            "LDAP Search failed: the server refers to {}, and referrals are not followed",
            found.elsewhere.join(", ").escape_debug()
        )),
    }
}

impl Settings {
    /// The attributes to ask for; none for all.
    fn wanted(&self) -> Vec<String> {
        if self.attributes == "all" {
            return Vec::new();
        }
        let mut wanted: Vec<String> = listed(&self.class_attributes).map(str::to_owned).collect();
        wanted.extend(listed(&self.attributes).map(str::to_owned));
        wanted.extend(Some(self.parent_attribute.clone()).filter(|name| !name.is_empty()));
        wanted
    }
}

fn listed(setting: &str) -> impl Iterator<Item = &str> {
    setting.split(',').map(str::trim).filter(|name| !name.is_empty())
}

/// What an entry, and those of its parents, say of a node.
#[derive(Clone, Debug, Default, PartialEq)]
struct Info {
    /// The common name within the distinguished name.
    name: Option<String>,
    parent: Option<String>,
    classes: Vec<String>,
    environment: Option<String>,
    /// Attributes by name, in lower case.
    attributes: Map<String, Json>,
    /// What stacked attributes say.
    stacked: Map<String, Json>,
}

impl Info {
    fn of(entry: &Entry, settings: &Settings) -> Result<Info, String> {
        let texts = |wanted: &str| {
            let fits = |name: &str| name.eq_ignore_ascii_case(wanted);
            let values = entry.attributes.iter().filter(move |(name, _)| fits(name));
            let texts = values.flat_map(|(_, values)| values.iter().map(|value| utf8(value)));
            texts.collect::<Option<Vec<String>>>().ok_or_else(|| {
                format!("Node entry {} has a value of {wanted} that is no text", entry.dn.escape_debug())
            })
        };
        let mut info = Info { name: common_name(&entry.dn), ..Info::default() };
        if !settings.parent_attribute.is_empty() {
            info.parent = match texts(&settings.parent_attribute)?.as_slice() {
                [] => None,
                [one] => Some(one.clone()),
                several => {
                    return Err(format!(
                        "Node entry {} specifies more than one parent: {several:?}",
                        entry.dn.escape_debug()
                    ));
                }
            };
        }
        for name in listed(&settings.class_attributes) {
            info.add_classes(texts(name)?);
        }
        for (name, values) in &entry.attributes {
            if let Some(values) = values.iter().map(|value| utf8(value)).collect::<Option<Vec<_>>>() {
                info.attributes.insert(name.to_lowercase(), value(values));
            }
        }
        info.attributes.insert("dn".to_owned(), entry.dn.as_str().into());
        info.environment = match info.attributes.remove("environment") {
            None => None,
            Some(Json::String(name)) => Some(name),
            Some(_) => {
                return Err(format!(
                    "Node entry {} specifies more than one environment",
                    entry.dn.escape_debug()
                ));
            }
        };
        for name in listed(&settings.stacked_attributes) {
            for text in texts(name)? {
                let (name, value) = match text.split_once('=') {
                    Some((name, value)) => (name, converted(value.to_owned())),
                    None => (text.as_str(), Json::Null),
                };
                info.stacked.insert(name.to_owned(), value);
            }
        }
        Ok(info)
    }

    fn add_classes(&mut self, classes: Vec<String>) {
        for class in classes {
            if !self.classes.contains(&class) {
                self.classes.push(class);
            }
        }
    }

    /// Takes from a parent what is not there yet; the name of the parent's own.
    fn merge(&mut self, parent: Info) -> Option<String> {
        self.add_classes(parent.classes);
        for (own, parents) in [(&mut self.attributes, parent.attributes), (&mut self.stacked, parent.stacked)]
        {
            for (name, value) in parents {
                own.entry(name).or_insert(value);
            }
        }
        self.environment = self.environment.take().or(parent.environment);
        parent.parent
    }

    /// Facts give way to stacked variables, and to nothing else: Puppet sets the variable of an attribute that has the
    /// name of a fact or of a stacked variable twice, which fails.
    fn classification(mut self, facts: Option<&Map<String, Json>>) -> Result<Classification, String> {
        // The node's environment is what it is.
        self.stacked.remove("environment");
        let taken = |name: &&String| {
            self.stacked.contains_key(*name) || facts.is_some_and(|facts| facts.contains_key(*name))
        };
        if let Some(name) = self.attributes.keys().find(taken) {
            return Err(format!("Cannot reassign variable '${name}'"));
        }
        let mut parameters = self.attributes;
        parameters.extend(self.stacked);
        let classes = if self.classes.is_empty() { Json::Null } else { self.classes.into() };
        Ok(Classification { classes, parameters, environment: self.environment })
    }
}

/// What an entry says, with what its parents say.
fn with_parents(
    mut info: Info,
    mut find: impl FnMut(&str) -> Result<Option<Info>, String>,
) -> Result<Info, String> {
    let mut parents: Vec<String> = info.name.clone().into_iter().collect();
    let mut next = info.parent.clone();
    while let Some(parent) = next {
        if parents.contains(&parent) {
            return Err(format!("Found loop in LDAP node parents; {parent} appears twice"));
        }
        let found = find(&parent)?.ok_or_else(|| format!("Could not find parent node '{parent}'"))?;
        parents.push(parent);
        next = info.merge(found);
    }
    Ok(info)
}

/// The first common name of a distinguished name, up to a blank.
fn common_name(dn: &str) -> Option<String> {
    let lower = dn.to_ascii_lowercase();
    let begins = lower.match_indices("cn").map(|(place, _)| &dn[place + 2..]);
    let mut values = begins.filter_map(|rest| rest.trim_start().strip_prefix('=')).map(str::trim_start);
    let end = |value: &str| value.find(|c: char| c == ',' || c.is_ascii_whitespace()).unwrap_or(value.len());
    values.find(|value| end(value) > 0).map(|value| value[..end(value)].to_owned())
}

fn utf8(value: &[u8]) -> Option<String> {
    std::str::from_utf8(value).ok().map(str::to_owned)
}

/// One value, or a list of several.
fn value(values: Vec<String>) -> Json {
    let mut values: Vec<Json> = values.into_iter().map(converted).collect();
    match values.len() {
        1 => values.remove(0),
        _ => Json::Array(values),
    }
}

fn converted(text: String) -> Json {
    match text.as_str() {
        "true" => true.into(),
        "false" => false.into(),
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests;
