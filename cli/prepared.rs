//! What the arguments say for all nodes alike, read once: so thousands of nodes can be made of them, by any number of threads.

use crate::compile_arguments::{CompileArguments, Purpose};
use crate::machine;
use bunraku::bench::Target;
use bunraku::{Configuration, Data, Environment, Facts, Node, Settings, find_environment};
use bunraku_fleet::affected::GivenOf;
use bunraku_fleet::nodes::{FleetNode, Nodes, is_of_many};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

/// The environment of nodes of which nobody says another: Puppet's.
const DEFAULT: &str = "production";

/// What node and server are called of which nobody says a name.
const LOCALHOST: &str = "localhost";

/// Arguments with the configuration that they name.
pub struct Prepared<'w> {
    inputs: &'w CompileArguments,
    configuration: Option<Configuration>,
    settings: Settings,
    purpose: Purpose,
    warnings: Mutex<Vec<String>>,
    /// The place that `--facts` names, where that has facts of many nodes.
    nodes: OnceLock<Result<Nodes, String>>,
}

impl CompileArguments {
    /// Reads what is the same for all nodes.
    ///
    /// # Errors
    /// When the configuration can't be read, or a setting has a value that does not fit.
    pub fn prepare(&self, purpose: Purpose) -> Result<Prepared<'_>, String> {
        self.check_named()?;
        self.check_folder(purpose)?;
        let configuration = self.configuration()?;
        let mut settings = Settings::of_compat(self.compat);
        let mut warnings = Vec::new();
        if let Some(configuration) = &configuration {
            settings = configuration.settings()?;
            warnings = configuration.warnings()?;
        }
        self.change(&mut settings)?;
        let (warnings, nodes) = (Mutex::new(warnings), OnceLock::new());
        Ok(Prepared { inputs: self, configuration, settings, purpose, warnings, nodes })
    }

    /// The same for catalogs.
    ///
    /// # Errors
    /// As of [`CompileArguments::prepare`].
    pub fn prepare_catalogs(&self) -> Result<Prepared<'_>, String> {
        let has_code = self.execute.is_some() || self.manifest.is_some();
        self.prepare(if has_code { Purpose::Code } else { Purpose::Catalog })
    }
}

impl Prepared<'_> {
    /// The machine's configuration, where one is read.
    pub fn configuration(&self) -> Option<&Configuration> {
        self.configuration.as_ref()
    }

    /// Whether exported resources are kept somewhere.
    pub fn has_store(&self) -> bool {
        self.settings.exported.is_some()
    }

    /// What is to be compiled for a node of a name, or the one that arguments or configuration name. With a configuration the server
    /// tells of itself what one on this machine would; targets of fleets ([`Prepared::target_of`]) are the same on all machines.
    ///
    /// # Errors
    /// When a file that is named can't be used, or the node's classifier fails.
    pub fn target(&self, certname: Option<&str>) -> Result<Target, String> {
        let mut name = certname.or(self.inputs.node.as_deref()).map(str::to_owned);
        if let Some(configuration) = &self.configuration {
            name = name.map_or_else(|| configuration.certname(), |name| Ok(Some(name)))?;
        }
        let name = name.as_deref().unwrap_or(LOCALHOST);
        let place = self.inputs.facts.as_ref().and_then(|place| place.to_str());
        let target = match place.is_some_and(is_of_many) {
            true => {
                let nodes = self.nodes.get_or_init(|| self.inputs.nodes()).as_ref().map_err(String::clone)?;
                self.target_of(&nodes.node(name)?)?
            }
            false => {
                let facts = self.inputs.facts(name, self.configuration.as_ref())?;
                self.made(Node::new(name), facts, None)?
            }
        };
        let Some(configuration) = &self.configuration else { return Ok(target) };
        let own = match machine::name() {
            None => configuration.certname()?,
            name => name,
        };
        let own = own.as_deref().unwrap_or(LOCALHOST);
        let node = target.node.with_server(self.inputs.compat, own, machine::addresses());
        Ok(Target { node, ..target })
    }

    /// What is to be compiled for a node as a fleet's facts have it.
    ///
    /// # Errors
    /// When the node's classifier fails, or the environment that it names is not there.
    pub fn target_of(&self, fleet_node: &FleetNode) -> Result<Target, String> {
        let mut node = Node::new(&fleet_node.name);
        if let Some(Data::Map(trusted)) = &fleet_node.trusted {
            node = node.with_trusted(trusted);
        }
        let facts = fleet_node.facts.as_an_agent_sends_them(&fleet_node.name, self.inputs.compat);
        self.made(node, Some(facts), Some(fleet_node))
    }

    /// A hash of all that a node's compile is given besides the tree, told by its name before what is known of it is read: of what is
    /// known of it, as it is written, and of what all nodes are given alike. None for nodes of which that can't be told.
    ///
    /// # Errors
    /// When a setting can't be read.
    pub fn given<'n>(&self, nodes: &'n Nodes) -> Result<Box<GivenOf<'n>>, String> {
        let inputs = self.inputs;
        let alike = match inputs.asks_of_nodes(self.configuration())? {
            true => None,
            false => {
                let node = Node::new("");
                let node =
                    inputs.trusted.iter().try_fold(node, |node, file| node.with_trusted_from(file)).ok();
                let environment = Environment::default();
                let environment = inputs.environment_name.iter().fold(environment, Environment::with_name);
                node.map(|node| Target { environment, node, settings: self.settings.clone() }.digest())
            }
        };
        Ok(Box::new(move |name: &str| nodes.digest_with(name, alike?)))
    }

    fn made(&self, node: Node, facts: Option<Facts>, own: Option<&FleetNode>) -> Result<Target, String> {
        let (inputs, configuration) = (self.inputs, self.configuration.as_ref());
        let (has_code, mut settings) = (self.purpose == Purpose::Code, self.settings.clone());
        let mut node = match &inputs.trusted {
            Some(file) => node.with_trusted_from(file)?,
            None => node,
        };
        if let Some(facts) = facts {
            node = node.with_facts(facts);
        }
        // Those of a file or folder that arguments name may be PuppetDB's; those of a fleet have been told apart.
        if own.is_none() && inputs.trusted.is_none() && (inputs.facts.is_some() || inputs.factpath.is_some())
        {
            node = node.with_trusted_of_facts();
        }
        let (node, said) = inputs.classified(node, &mut settings, (configuration, self.purpose))?;
        let (folder, name) = match own {
            Some(own) => self.environment_of_fleet(said, own.environment.as_deref(), has_code)?,
            None => inputs.environment_of(said, configuration, has_code)?,
        };
        let of_archive = inputs.archive.is_some();
        if let (Some(_), None, Some(name), false) = (configuration, &folder, &name, has_code || of_archive) {
            self.warn(format!(
                "There is no environment {name}: there are the modules of basemodulepath, and no manifest"
            ));
        }
        Ok(Target { environment: inputs.environment(folder, name, configuration)?, node, settings })
    }

    /// Folder and name of the environment of one of many nodes. What a node's environment is called is told by its classifier,
    /// else by `--environment_name`, else by its facts (`own`), else it is Puppet's default one, [`DEFAULT`]: one rule for all
    /// commands. The code is that of the folder or archive that arguments name, whatever that is called itself; where they name
    /// none, it is found by the environment's name. Who is in another environment by the classifier's word is compiled there, if it
    /// is found.
    fn environment_of_fleet(
        &self,
        said: Option<String>,
        own: Option<&str>,
        has_code: bool,
    ) -> Result<(Option<PathBuf>, Option<String>), String> {
        let (inputs, configuration) = (self.inputs, self.configuration.as_ref());
        let named = inputs.environment_name.as_deref().or(own);
        let Some(folder) = inputs.folder() else {
            let is_given = inputs.environment.is_some() || inputs.environment_name.is_some();
            // Where there is a configuration, it says which is the default one.
            let by_path = configuration.is_none() && inputs.configured.environmentpath.is_some();
            let own = own.or(by_path.then_some(DEFAULT)).filter(|_| !is_given);
            let said = said.or_else(|| own.map(str::to_owned));
            let (folder, name) = inputs.environment_of(said, configuration, has_code)?;
            let of_archive = || inputs.archive.as_ref().map(|_| named.unwrap_or(DEFAULT).to_owned());
            return Ok((folder, name.or_else(of_archive)));
        };
        let called = named.unwrap_or(DEFAULT);
        let Some(said) = said.filter(|said| said != called) else {
            return Ok((Some(folder.to_owned()), Some(called.to_owned())));
        };
        if let Some(path) = &inputs.configured.environmentpath {
            return Ok((Some(find_environment(path, &said, false)?), Some(said)));
        }
        match (inputs.environment_of(Some(said.clone()), configuration, has_code), named) {
            (Ok(found), _) => Ok(found),
            (Err(_), None) => Ok((Some(folder.to_owned()), Some(said))),
            (Err(_), Some(named)) => Err(format!(
                "The classifier puts it into the environment {said}, and what is compiled is {named}: \
                 --environmentpath names the folders of both"
            )),
        }
    }

    fn warn(&self, warning: String) {
        let mut warnings = self.warnings.lock().unwrap_or_else(|held| held.into_inner());
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// What the configuration says to no effect, in its order, each once; what was told before is not told again unless a
    /// node brings it up anew.
    pub fn warnings(&self) -> Vec<String> {
        std::mem::take(&mut *self.warnings.lock().unwrap_or_else(|held| held.into_inner()))
    }
}
