//! What is compiled for a node: its facts, what its classifier says, its environment, from where the configuration says.

use super::Call;
use super::handed::real_puppet;
use super::identity::REAL_PUPPET;
use crate::machine;
use bunraku::bench::Target;
use bunraku::process::{self, Errors};
use bunraku::{Data, Facts, Node, Settings};
use std::process::Command;

/// What is asked of a node's classifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Classified {
    /// All that it knows.
    Yes,
    /// Nothing: look-ups do without, unless they compile.
    No,
}

impl Call {
    /// The certname that is meant: the one given, or the configured one.
    ///
    /// # Errors
    /// When neither is known.
    pub fn certname(&self, given: Option<&str>) -> Result<String, String> {
        let named = match given {
            Some(name) => Some(name.to_owned()),
            None => self.configuration.certname()?,
        };
        named.ok_or_else(|| "Which node? Give its certname, or set certname in puppet.conf".to_owned())
    }

    /// What is compiled for a node. `more` are facts beside those that are stored of it.
    ///
    /// # Errors
    /// Puppet's messages where the configuration does not fit, facts can't be read, the classifier fails or there is no such
    /// environment.
    pub fn target(&self, name: &str, classified: Classified, more: Option<Facts>) -> Result<Target, String> {
        let configuration = &self.configuration;
        let settings = configuration.settings()?;
        let failed = |error: String| bunraku::search_failed(name, &error);
        let facts = self.facts(name, &settings, more.is_some());
        let mut facts = facts.map_err(|error| failed(format!("{}{name}: {error}", NO_FACTS)))?;
        if let Some(Data::Map(more)) = more.map(|more| more.to_data()) {
            facts = more.into_iter().fold(facts, |facts, (fact, value)| facts.with(&fact, value));
        }
        // The command has no certificate of the node: what it is called is what its agent has said of itself.
        let certname = facts.get("clientcert").and_then(|name| name.as_str().map(str::to_owned));
        let server = machine::name().unwrap_or_else(|| "localhost".to_owned());
        let node = Node::new(name).with_facts(facts).with_trusted(&trusted(certname.as_deref())).with_server(
            self.identity.compat,
            &server,
            machine::addresses(),
        );
        let (node, said) = match classified {
            Classified::Yes => {
                self.check_terminus().map_err(failed)?;
                configuration.classify(node, settings.programs).map_err(failed)?
            }
            Classified::No => (node, None),
        };
        let node = configuration.with_trusted_external(node, settings.programs)?;
        let environment = match &said {
            Some(said) => configuration.environment(Some(said)).map_err(failed)?,
            None => configuration.environment(None)?,
        };
        Ok(Target { environment, node, settings })
    }

    fn check_terminus(&self) -> Result<(), String> {
        let terminus = self.configuration.get("node_terminus")?.text;
        match terminus.as_str() {
            "plain" | "exec" | "" => Ok(()),
            other => Err(format!("Could not find terminus {other} for indirection node")),
        }
    }

    /// The facts of a node, from where the configuration says. Those of the machine itself, which no other node has, are asked
    /// of a real Puppet, but where `others` are given.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn facts(&self, name: &str, settings: &Settings, others: bool) -> Result<Facts, String> {
        match self.configuration.kept_facts(name) {
            Ok(Some(kept)) => return Ok(kept),
            Ok(None) => {}
            // Puppet goes on with those that it can find.
            Err(error) => self.console.error(&format!("Cached facts for {name} failed: {error}")),
        }
        let terminus = self.configuration.facts_terminus()?;
        match terminus.as_str() {
            "yaml" | "puppetdb" | "store_configs" => {
                Ok(self.configuration.facts(name)?.unwrap_or_else(|| Facts::from([])))
            }
            // What a process keeps for itself is nothing in the beginning.
            "memory" => Ok(Facts::from([])),
            "facter" if others => Ok(Facts::from([])),
            "facter" => self.facts_of_machine(settings),
            other => Err(format!("Could not find terminus {other} for indirection facts")),
        }
    }

    /// What Facter says of this machine, with what Puppet adds.
    fn facts_of_machine(&self, settings: &Settings) -> Result<Facts, String> {
        let Some(puppet) = real_puppet(&self.identity)? else {
            return Err(format!(
                "facts_terminus = facter: the machine's own facts are a real Puppet's matter, which {REAL_PUPPET} in the \
                 environment or {} may name; facts from files are --facts_terminus=yaml",
                self.identity.file.display()
            ));
        };
        let mut command = Command::new(&puppet);
        command.args(["facts", "find", "--terminus", "facter", "--render-as", "json", "--color=false"]);
        for (name, value) in self.given.settings.iter().filter(|(name, _)| FOLDERS.contains(&name.as_str())) {
            command.arg(format!("--{name}={value}"));
        }
        let failed = |error: String| format!("{} facts find: {error}", puppet.display());
        let ended = process::run(&mut command, Errors::Passed, settings.programs);
        let ended = ended.map_err(|error| failed(error.to_string()))?;
        if !ended.status.success() {
            return Err(failed(ended.status.to_string()));
        }
        let text = String::from_utf8_lossy(&ended.output);
        // Notices go before it.
        let begin = text.find('{').ok_or_else(|| failed("it printed no facts".to_owned()))?;
        Facts::from_json(&text[begin..]).map_err(failed)
    }
}

/// `$trusted` where there is no certificate.
fn trusted(certname: Option<&str>) -> [(String, Data); 6] {
    let (hostname, domain) = match certname.map(|name| name.split_once('.').unwrap_or((name, ""))) {
        Some((hostname, "")) => (Some(hostname), None),
        Some((hostname, domain)) => (Some(hostname), Some(domain)),
        None => (None, None),
    };
    let text = |text: Option<&str>| text.map_or(Data::Undef, Data::from);
    [
        ("authenticated", "local".into()),
        ("certname", text(certname)),
        ("extensions", Data::Map(Vec::new())),
        ("hostname", text(hostname)),
        ("domain", text(domain)),
        ("external", Data::Map(Vec::new())),
    ]
    .map(|(name, value)| (name.to_owned(), value))
}

/// What an error of facts begins with; Puppet shows behind it the error that it is about once more.
pub const NO_FACTS: &str = "Could not retrieve facts for ";

/// The settings that say where custom facts lie.
const FOLDERS: [&str; 7] =
    ["codedir", "confdir", "environment", "environmentpath", "factpath", "modulepath", "vardir"];

/// An error as Puppet tells it where no catalog is asked for: without the node.
pub fn without_node<'m>(message: &'m str, node: &str) -> &'m str {
    message.strip_suffix(&format!(" on node {node}")).unwrap_or(message)
}
