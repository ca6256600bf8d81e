//! The node that a catalog is for, and what is known of it before its code runs.

use crate::data::{Data, map};
use bunraku_compile::inputs;
use bunraku_nodes::enc::Classification;
use bunraku_nodes::{facts, stored};
use bunraku_vm::compat::Compat;
use serde_json::{Map, Value as Json};
use std::path::Path;
use std::sync::Arc;

pub use bunraku_nodes::ldap::{Security as LdapSecurity, Server as LdapServer, Settings as LdapSettings};
pub use bunraku_process::Limits as ProgramLimits;

/// Facts of a node. Copies share what they hold.
#[derive(Clone, Debug)]
pub struct Facts(pub(crate) Arc<Json>);

impl Facts {
    /// Reads a file, JSON or YAML: plain, or as `facter --json`, `puppet facts` or PuppetDB print them. It may be a pipe.
    ///
    /// # Errors
    /// When it can't be read or holds no facts.
    pub fn from_file(file: &Path) -> Result<Facts, String> {
        facts::given(file).map(Facts::of)
    }

    /// Reads the facts of a node from a folder with a file for each: `NAME.yaml`, `NAME.yml` or `NAME.json`, there or
    /// below `facts`, as a server keeps them.
    ///
    /// # Errors
    /// When there is none of the node, or it can't be read.
    pub fn from_folder(folder: &Path, node: &str) -> Result<Facts, String> {
        facts::of_node(folder, node).map(Facts::of)
    }

    /// Reads JSON in any of the shapes that [`Facts::from_file`] knows.
    ///
    /// # Errors
    /// When the text is no JSON, or holds no facts.
    pub fn from_json(text: &str) -> Result<Facts, String> {
        let json: Json = serde_json::from_str(text).map_err(|error| error.to_string())?;
        facts::shape(json).map(Facts::of)
    }

    /// One fact by name.
    pub fn get(&self, name: &str) -> Option<Data> {
        self.0.get(name).cloned().map(Data::of)
    }

    /// The same facts with one more, in the place of one of the name.
    pub fn with(&self, name: &str, value: Data) -> Facts {
        let mut all = self.0.as_object().cloned().unwrap_or_default();
        all.insert(name.to_owned(), value.json());
        Facts::of(all)
    }

    /// The same facts with those that an agent adds to what Facter gives, where they are missing: `clientcert`,
    /// `clientversion`, `clientnoop`. Source: Puppet's facts as agents send them.
    pub fn as_an_agent_sends_them(&self, certname: &str, compat: Compat) -> Facts {
        let own = [
            ("clientcert", certname.into()),
            ("clientversion", compat.server_version().into()),
            ("clientnoop", Json::Bool(false)),
        ];
        if own.iter().all(|(name, _)| self.0.get(name).is_some()) {
            return self.clone();
        }
        let mut all = self.0.as_object().cloned().unwrap_or_default();
        for (name, value) in own {
            all.entry(name).or_insert(value);
        }
        Facts::of(all)
    }

    /// The facts as one line of JSON.
    pub fn to_json(&self) -> String {
        self.0.to_string()
    }

    /// The facts as one map.
    pub fn to_data(&self) -> Data {
        Data::of((*self.0).clone())
    }

    /// Facts of a map; of anything else there are none.
    pub fn from_data(all: Data) -> Facts {
        Facts::of_data(all)
    }

    pub(crate) fn of_data(all: Data) -> Facts {
        match all {
            Data::Map(all) => Facts::of(map(&all)),
            _ => Facts::of(Map::new()),
        }
    }

    pub(crate) fn of(all: Map<String, Json>) -> Facts {
        Facts(Arc::new(Json::Object(all)))
    }
}

impl<const N: usize> From<[(&str, Data); N]> for Facts {
    fn from(all: [(&str, Data); N]) -> Facts {
        Facts::of(all.into_iter().map(|(name, value)| (name.to_owned(), value.json())).collect())
    }
}

/// What is stored of a node: its facts, and what is told beside them.
#[derive(Clone, Debug)]
pub struct StoredNode {
    /// Its certname, where it is told.
    pub name: Option<String>,
    /// Its facts; `trusted`, which PuppetDB keeps among them, is not.
    pub facts: Facts,
    /// Its trusted data, a map; none where nothing is told of it.
    pub trusted: Option<Data>,
    /// The environment that its facts were sent for.
    pub environment: Option<String>,
    /// When its facts were taken.
    pub timestamp: Option<String>,
}

impl StoredNode {
    /// Reads JSON: facts in any of the shapes that [`Facts::from_file`] knows, or an entry of PuppetDB's inventory.
    ///
    /// # Errors
    /// When the text is no JSON, or holds no facts.
    pub fn from_json(text: &str) -> Result<StoredNode, String> {
        let json: Json = serde_json::from_str(text).map_err(|error| error.to_string())?;
        stored::of_json(json).map(StoredNode::of)
    }

    /// Reads a file, JSON or YAML; it may be a pipe.
    ///
    /// # Errors
    /// When it can't be read or holds no facts.
    pub fn from_file(file: &Path) -> Result<StoredNode, String> {
        stored::of_file(file).map(StoredNode::of)
    }

    /// Reads what a folder has of a node: see [`Facts::from_folder`].
    ///
    /// # Errors
    /// When there is none of the node, or it can't be read.
    pub fn from_folder(folder: &Path, node: &str) -> Result<StoredNode, String> {
        stored::of_node(folder, node).map(StoredNode::of)
    }

    pub(crate) fn of(stored: stored::Stored) -> StoredNode {
        StoredNode {
            name: stored.name,
            facts: Facts::of(stored.facts),
            trusted: stored.trusted.map(Data::of_map),
            environment: stored.environment,
            timestamp: stored.timestamp,
        }
    }
}

/// The names of the nodes that a folder has facts of (see [`Facts::from_folder`]), sorted.
///
/// # Errors
/// When the folder can't be read.
pub fn nodes_with_facts(folder: &Path) -> Result<Vec<String>, String> {
    facts::nodes(folder)
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    pub(crate) node: inputs::Node,
    pub(crate) has_facts: bool,
    /// Whether a classifier has given a list of classes, without parameters.
    pub(crate) lists_classes: bool,
}

impl Node {
    /// A node of which nothing is known but its certname: `$trusted` is what Puppet makes of it, `$server_facts` what a
    /// server of the version of the language has.
    pub fn new(certname: &str) -> Node {
        Node { node: inputs::Node::new(certname), has_facts: false, lists_classes: false }
    }

    /// Its certname.
    pub fn name(&self) -> &str {
        &self.node.name
    }

    /// Its facts, as one map.
    pub fn facts(&self) -> Data {
        Data::of_map(self.node.facts.map().clone())
    }

    /// Its variables of top scope, as a classifier gave them, as one map.
    pub fn parameters(&self) -> Data {
        Data::of_map(self.node.parameters.clone())
    }

    /// Its classes, as a classifier gave them: a list of names, or a map of names to parameters, or to [`Data::Undef`].
    pub fn classes(&self) -> Data {
        if self.lists_classes {
            let names = self.node.classes.iter().map(|(name, _)| Data::from(name.as_str()));
            return Data::List(names.collect());
        }
        let one = |(name, parameters): &(String, Json)| (name.clone(), Data::of(parameters.clone()));
        Data::Map(self.node.classes.iter().map(one).collect())
    }

    /// A node of another certname of which the same is known, but `$trusted`, which follows from the name.
    pub(crate) fn renamed(&self, certname: &str) -> Node {
        let own = Node::new(certname);
        let (name, trusted) = (own.node.name, own.node.trusted);
        Node { node: inputs::Node { name, trusted, ..self.node.clone() }, ..*self }
    }

    /// Whether facts were given.
    pub fn has_facts(&self) -> bool {
        self.has_facts
    }

    /// The same with facts.
    pub fn with_facts(mut self, facts: Facts) -> Node {
        self.node.facts = facts::Facts::Shared(facts.0);
        self.has_facts = true;
        self
    }

    /// The same as an agent of Puppet 8 or later sends it: without the facts that Facter calls legacy
    /// (`include_legacy_facts`).
    pub fn without_legacy_facts(mut self) -> Node {
        self.node.facts = self.node.facts.without_legacy();
        self
    }

    /// The same with `$trusted` in place of what its name gives.
    pub fn with_trusted(mut self, trusted: &[(String, Data)]) -> Node {
        self.node.trusted = map(trusted);
        self
    }

    /// The same with the `$trusted` that its facts hold, as PuppetDB and files of its facts have it: a fact `trusted` with
    /// `authenticated`. Source: `puppet lookup --facts`, 7, 8 and 9.
    pub fn with_trusted_of_facts(mut self) -> Node {
        if let Some(Json::Object(trusted)) = self.node.facts.map().get("trusted")
            && trusted.contains_key("authenticated")
        {
            self.node.trusted = trusted.clone();
        }
        self
    }

    /// The same, `$trusted` read from a file, JSON or YAML.
    ///
    /// # Errors
    /// When it can't be read or holds no map.
    pub fn with_trusted_from(mut self, file: &Path) -> Result<Node, String> {
        self.node.trusted = facts::object(file, "trusted facts")?;
        Ok(self)
    }

    /// The same with `$server_facts` of a server of a version, by its name and its addresses of either kind.
    pub fn with_server(mut self, compat: Compat, name: &str, [ip, ip6]: [Option<String>; 2]) -> Node {
        let mut facts = inputs::server_facts(compat);
        for (fact, value) in [("servername", Some(name.to_owned())), ("serverip", ip), ("serverip6", ip6)] {
            match value {
                Some(value) => _ = facts.insert(fact.to_owned(), value.into()),
                None => _ = facts.remove(fact),
            }
        }
        self.node.server_facts = Some(facts);
        self
    }

    /// The same for code of a version, by which its catalog calls it: `code_id`.
    pub fn with_code_id(mut self, id: Option<&str>) -> Node {
        self.node.code_id = id.map(str::to_owned);
        self
    }

    /// The same with a variable of top scope, as external node classifiers give them.
    pub fn with_parameter(mut self, name: &str, value: impl Into<Data>) -> Node {
        self.node.parameters.insert(name.to_owned(), value.into().json());
        self
    }

    /// The same with a class to be declared, with these parameters.
    pub fn with_class(mut self, name: &str, parameters: &[(String, Data)]) -> Node {
        let parameters = if parameters.is_empty() { Json::Null } else { Json::Object(map(parameters)) };
        self.node.classes.push((name.to_owned(), parameters));
        self
    }

    /// The same with what an external node classifier prints of it: classes and parameters. The second answer is the
    /// environment that it names.
    ///
    /// # Errors
    /// When the program fails, goes beyond its limits, or prints something else.
    pub fn classified_by(
        self,
        command: &str,
        limits: ProgramLimits,
    ) -> Result<(Node, Option<String>), String> {
        let said = bunraku_nodes::enc::classify(command, self.name(), limits)?;
        self.classified(said)
    }

    /// The same with what a folder has of it, in place of a classifier: a file `NAME.yaml`, `NAME.yml`, `NAME.json` or `NAME`
    /// with what that would print.
    ///
    /// # Errors
    /// When there is no file of the node, or it holds something else.
    pub fn classified_from(self, folder: &Path) -> Result<(Node, Option<String>), String> {
        let said = bunraku_nodes::enc::of_folder(folder, self.name())?;
        self.classified(said)
    }

    /// The same with what an LDAP directory has of it.
    ///
    /// # Errors
    /// When the directory can't be asked, or has no such node.
    pub fn classified_by_ldap(
        self,
        server: &LdapServer,
        settings: &LdapSettings,
        limits: ProgramLimits,
    ) -> Result<(Node, Option<String>), String> {
        let facts = self.has_facts.then(|| self.node.facts.map());
        let said = bunraku_nodes::ldap::classify(server, settings, self.name(), facts, limits)?;
        self.classified(said)
    }

    /// The same with the classes and parameters that another has.
    pub fn classified_as(mut self, other: &Node) -> Node {
        self.node.parameters = other.node.parameters.clone();
        self.node.classes = other.node.classes.clone();
        self.lists_classes = other.lists_classes;
        self
    }

    /// The same with trusted data from outside: `$trusted['external']`.
    pub fn with_external(mut self, external: &Data) -> Node {
        self.node.trusted.insert("external".to_owned(), external.json());
        self
    }

    fn classified(mut self, said: Classification) -> Result<(Node, Option<String>), String> {
        self.node.parameters = said.parameters;
        self.node.classes = inputs::classes(&said.classes)?;
        self.lists_classes = said.classes.is_array() && !self.node.classes.is_empty();
        Ok((self, said.environment))
    }
}
