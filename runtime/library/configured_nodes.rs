//! What a configuration says of nodes: their names, facts, classifiers, trusted data.

use crate::configuration::{Configuration, Origin};
use crate::data::Data;
use crate::node::{Facts, Node, ProgramLimits};
use crate::settings::{Certificates, Exported};
use bunraku_nodes::{facts, trusted_external};
use bunraku_stores::{PuppetDb, Store};
use serde_json::{Map, Value as Json};
use std::path::{Path, PathBuf};

impl Configuration {
    /// The name that the configuration gives its own machine; none where it says nothing.
    ///
    /// # Errors
    /// As of [`Configuration::get`].
    pub fn certname(&self) -> Result<Option<String>, String> {
        let own = self.get("certname")?;
        Ok((own.origin != Origin::Default).then_some(own.text))
    }

    /// The facts of a node, from where the configuration says (`facts_terminus`, `routes.yaml`): a file of `yamldir` (or
    /// `clientyamldir`, see [`Configuration::in_user_mode`]), or PuppetDB. None where they would be those of the machine itself (`facter`), which are not read.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn facts(&self, certname: &str) -> Result<Option<Facts>, String> {
        let found = match self.facts_terminus()?.as_str() {
            "yaml" => self.facts_of_file(certname)?,
            "puppetdb" | "store_configs" => self.facts_of_puppetdb(certname)?.unwrap_or_default(),
            _ => return Ok(None),
        };
        Ok(Some(Facts::of(found)))
    }

    /// The facts of a node as Puppet's commands find them: where they are kept besides (in PuppetDB with `storeconfigs`,
    /// unless `routes.yaml` names another place) goes before where they come from. None where nothing is kept.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn kept_facts(&self, certname: &str) -> Result<Option<Facts>, String> {
        let kept = match self.facts_cache()?.as_deref() {
            Some("yaml") => Some(self.facts_of_file(certname)?).filter(|facts| !facts.is_empty()),
            Some("puppetdb" | "store_configs") => self.facts_of_puppetdb(certname)?,
            _ => None,
        };
        Ok(kept.map(Facts::of))
    }

    /// The values of a node's facts as they are kept in a file of `yamldir`, or else in PuppetDB; none where nothing is kept.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn facts_kept_by(&self, yaml: bool, certname: &str) -> Result<Option<Map<String, Json>>, String> {
        match yaml {
            true => Ok(Some(self.facts_of_file(certname)?).filter(|facts| !facts.is_empty())),
            false => self.facts_of_puppetdb(certname),
        }
    }

    fn facts_of_puppetdb(&self, certname: &str) -> Result<Option<Map<String, Json>>, String> {
        match self.puppetdb()? {
            Exported::PuppetDb { url, certificates, .. } => {
                PuppetDb::new(&url, &certificates)?.facts(certname)
            }
            Exported::Folder(_) | Exported::Lent(_) => Ok(None),
        }
    }

    /// A node without a file has no facts.
    fn facts_of_file(&self, certname: &str) -> Result<Map<String, Json>, String> {
        let folder = self.yaml_folder()?;
        let is_name = !certname.contains(['/', '\0']) && !matches!(certname, "" | "." | "..");
        let file = folder.join(format!("{certname}.yaml"));
        if !is_name || !file.exists() {
            return Ok(Map::new());
        }
        facts::of_file(&file)
    }

    /// The PuppetDB that nodes' facts come from, and what it is shown; none where they come from elsewhere.
    ///
    /// # Errors
    /// As of [`Configuration::facts`].
    pub fn facts_puppetdb(&self) -> Result<Option<(String, Certificates)>, String> {
        match (self.facts_terminus()?.as_str(), self.puppetdb()) {
            ("puppetdb" | "store_configs", Ok(Exported::PuppetDb { url, certificates, .. })) => {
                Ok(Some((url, certificates)))
            }
            ("puppetdb" | "store_configs", Err(error)) => Err(error),
            _ => Ok(None),
        }
    }

    /// The folder of nodes' facts, where they come from one (`facts_terminus` being `yaml`).
    ///
    /// # Errors
    /// As of [`Configuration::facts`].
    pub fn facts_folder(&self) -> Result<Option<PathBuf>, String> {
        let folder = self.yaml_folder()?;
        Ok((self.facts_terminus()? == "yaml").then_some(folder))
    }

    fn yaml_folder(&self) -> Result<PathBuf, String> {
        Ok(Path::new(&self.own().in_force().text(self.facts_setting())?).join("facts"))
    }

    /// Where nodes' facts come from: what `routes.yaml` says, or the setting `facts_terminus`.
    ///
    /// # Errors
    /// As of [`Configuration::facts`].
    pub fn facts_terminus(&self) -> Result<String, String> {
        match self.routes()?.facts {
            Some(terminus) => Ok(terminus),
            None => self.own().in_force().text("facts_terminus"),
        }
    }

    /// Where nodes' facts are kept besides: what `routes.yaml` says, or PuppetDB with `storeconfigs`; none where nowhere.
    ///
    /// # Errors
    /// As of [`Configuration::facts`].
    pub fn facts_cache(&self) -> Result<Option<String>, String> {
        let stores = self.own().in_force().is_on("storeconfigs")?;
        Ok(self.routes()?.facts_cache.or_else(|| stores.then(|| "store_configs".to_owned())))
    }

    /// Where catalogs are kept besides, once they are compiled: what `routes.yaml` says, or PuppetDB with `storeconfigs`; none
    /// where nowhere. `catalog_cache_terminus` is for agents.
    ///
    /// # Errors
    /// As of [`Configuration::facts`].
    pub fn catalog_cache(&self) -> Result<Option<String>, String> {
        let stores = self.own().in_force().is_on("storeconfigs")?;
        Ok(self.routes()?.catalog_cache.or_else(|| stores.then(|| "store_configs".to_owned())))
    }

    /// A node with what the configuration's classifier says of it (`node_terminus`, `external_nodes`), and with trusted
    /// data from outside (`trusted_external_command`). The second answer is the environment that the classifier names.
    ///
    /// # Errors
    /// When a program fails, or prints something else.
    pub fn complete(&self, node: Node, limits: ProgramLimits) -> Result<(Node, Option<String>), String> {
        let (node, environment) = self.classify(node, limits)?;
        Ok((self.with_trusted_external(node, limits)?, environment))
    }

    /// The same without trusted data from outside.
    ///
    /// # Errors
    /// When the classifier fails, or prints something else.
    pub fn classify(&self, node: Node, limits: ProgramLimits) -> Result<(Node, Option<String>), String> {
        if self.node_terminus()? != "exec" {
            return Ok((node, None));
        }
        self.classify_by_program(node, limits)
    }

    /// The same by the program that the configuration names (`external_nodes`), whatever `node_terminus` is.
    ///
    /// # Errors
    /// When none is named; when it fails, or prints something else.
    pub fn classify_by_program(
        &self,
        node: Node,
        limits: ProgramLimits,
    ) -> Result<(Node, Option<String>), String> {
        match self.own().in_force().text("external_nodes")?.as_str() {
            "none" => {
                Err("You must set the 'external_nodes' parameter to use the external node terminus"
                    .to_owned())
            }
            command => node.classified_by(command, limits),
        }
    }

    /// What classifies nodes: what `routes.yaml` says, or the setting `node_terminus`.
    ///
    /// # Errors
    /// As of [`Configuration::facts`].
    pub fn node_terminus(&self) -> Result<String, String> {
        match self.routes()?.node {
            Some(terminus) => Ok(terminus),
            None => self.own().in_force().text("node_terminus"),
        }
    }

    /// Whether a program is asked of each node: a classifier, or for trusted data from outside.
    ///
    /// # Errors
    /// When a setting can't be read.
    pub fn asks_of_nodes(&self) -> Result<bool, String> {
        let external = self.own().in_force().path("trusted_external_command")?;
        Ok(external.is_some() || self.node_terminus()? == "exec")
    }

    /// A node with trusted data from outside (`trusted_external_command`).
    ///
    /// # Errors
    /// As of [`Configuration::trusted_external`].
    pub fn with_trusted_external(&self, node: Node, limits: ProgramLimits) -> Result<Node, String> {
        let external = self.trusted_external(node.name(), limits)?;
        Ok(match external {
            Some(external) => node.with_external(&external),
            None => node,
        })
    }

    /// Trusted data of a node from outside; none where no program is there to ask (`trusted_external_command`).
    ///
    /// # Errors
    /// When the program fails, or prints no JSON.
    pub fn trusted_external(&self, certname: &str, limits: ProgramLimits) -> Result<Option<Data>, String> {
        let command = self.own().in_force().path("trusted_external_command")?;
        let told =
            command.map(|command| trusted_external::retrieve(&command, certname, limits)).transpose()?;
        Ok(told.map(Data::of))
    }

    /// The programs that it names to be asked about a node, each with its setting.
    ///
    /// # Errors
    /// When a setting can't be read.
    pub fn programs(&self) -> Result<Vec<(&'static str, Option<PathBuf>)>, String> {
        let in_force = self.own().in_force();
        let classifier = match self.node_terminus()?.as_str() {
            "exec" => in_force.text("external_nodes")?.split_whitespace().next().map(PathBuf::from),
            _ => None,
        };
        let external = in_force.path("trusted_external_command")?;
        Ok(vec![("external_nodes", classifier), ("trusted_external_command", external)])
    }
}
