//! A server's configuration: what its `puppet.conf` and the files beside it say.

use crate::data::Data;
use crate::environment::Environment;
use crate::node::{Facts, Node, ProgramLimits};
use crate::settings::{Certificates, Exported, Settings};
use bunraku_configuration::configuration::{self as own, SERVER};
use bunraku_configuration::in_force::{Given, InForce};
use bunraku_configuration::layout::Layout;
use bunraku_configuration::puppetdb::PuppetDbConf;
use bunraku_configuration::routes::Routes;
use bunraku_configuration::table::is_known;
use bunraku_configuration::value::Value;
use bunraku_environment::archive::build::Options;
use bunraku_environment::snapshot::own_conf;
use bunraku_files::tree::Tree;
use bunraku_nodes::{facts, trusted_external};
use bunraku_stores::{PuppetDb, Store};
use bunraku_vm::compat::Compat;
use serde_json::{Map, Value as Json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use bunraku_configuration::environments::{find as find_environment, is_name as is_environment_name};
pub use bunraku_configuration::in_force::Origin;

/// The settings that are in force for a server, each with where it comes from; and what follows from them: environments,
/// nodes, [`Settings`]. It says what its files said when they were read.
///
/// ```
/// use bunraku::{Compat, Compiler, Configuration, Node};
///
/// let work = tempfile::tempdir()?;
/// let manifests = work.path().join("code/environments/production/manifests");
/// std::fs::create_dir_all(&manifests)?;
/// std::fs::write(manifests.join("site.pp"), "notify { $settings::strict: }")?;
/// let conf = format!("[main]\ncodedir = {}/code\n[server]\nstrict = warning\n", work.path().display());
/// std::fs::write(work.path().join("puppet.conf"), conf)?;
///
/// let confdir = ("confdir".to_owned(), work.path().display().to_string());
/// let configuration = Configuration::read(Compat::V8, &[confdir])?;
/// assert!(configuration.get("strict")?.origin.to_string().ends_with("puppet.conf:4 [server]"));
///
/// let (environment, settings) = (configuration.environment(None)?, configuration.settings()?);
/// let compiled = Compiler::new().compile(&environment, &Node::new("a.example.com"), &settings);
/// let catalog = compiled.result.map_err(|error| error.to_string())?;
/// assert!(catalog.resource("Notify", "warning").is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    own: Arc<own::Configuration>,
    layout: Layout,
    given: Vec<(String, String)>,
}

/// A setting in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// What it is called.
    pub name: &'static str,
    /// Its value.
    pub value: Data,
    /// The same as `puppet config print` writes it.
    pub text: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// Whether any version of Puppet has a setting of a name.
pub fn is_setting(name: &str) -> bool {
    is_known(name)
}

/// The one environment that is there without a folder: with the base module path and no manifest.
const WITHOUT_FOLDER: &str = "production";

/// What Puppet says of it.
fn without_folder(setting: &str, modulepath: &[PathBuf]) -> Option<Value> {
    let present = modulepath.iter().filter(|folder| folder.is_dir()).map(|folder| folder.to_string_lossy());
    match setting {
        "modulepath" => Some(Value::Text(present.collect::<Vec<_>>().join(":"))),
        "manifest" => Some(Value::Text("no_manifest".to_owned())),
        _ => None,
    }
}

impl Configuration {
    /// Reads a configuration. `given` are settings by name, as the command line says them; the folder is `confdir` of
    /// them, or else that of this machine's or this user's Puppet.
    ///
    /// # Errors
    /// When there is no such setting; when `puppet.conf` can't be read: Puppet's message, with file and line.
    pub fn read(compat: Compat, given: &[(String, String)]) -> Result<Configuration, String> {
        Configuration::of(compat, Layout::of_this_machine(), given)
    }

    /// The configuration of this machine's (for root) or this user's Puppet; none where its folder is not there.
    ///
    /// # Errors
    /// As of [`Configuration::read`].
    pub fn of_this_machine(
        compat: Compat,
        given: &[(String, String)],
    ) -> Result<Option<Configuration>, String> {
        let layout = Layout::of_this_machine();
        match layout.folder("confdir").is_some_and(|folder| Path::new(&folder).is_dir()) {
            true => Configuration::of(compat, layout, given).map(Some),
            false => Ok(None),
        }
    }

    fn of(compat: Compat, layout: Layout, given: &[(String, String)]) -> Result<Configuration, String> {
        let own = Arc::new(own::Configuration::read(compat, layout.clone(), given)?);
        Ok(Configuration { own, layout, given: given.to_vec() })
    }

    /// The same as its files are now.
    ///
    /// # Errors
    /// As of [`Configuration::read`].
    pub fn again(&self) -> Result<Configuration, String> {
        Configuration::of(self.own.compat, self.layout.clone(), &self.given)
    }

    /// The same, where this is said of settings, too; what is said before stays.
    ///
    /// # Errors
    /// As of [`Configuration::read`].
    pub fn with(&self, given: &[(String, String)]) -> Result<Configuration, String> {
        let more = given.iter().filter(|(name, _)| self.given.iter().all(|(known, _)| known != name));
        let all: Vec<_> = self.given.iter().chain(more).cloned().collect();
        Configuration::of(self.own.compat, self.layout.clone(), &all)
    }

    /// A setting in force for a server, outside of environments.
    ///
    /// # Errors
    /// Puppet's message when there is none of that name, when its value does not fit or refers to what there is not.
    pub fn get(&self, name: &str) -> Result<Setting, String> {
        self.setting(name, &self.own.in_force())
    }

    /// Settings as a section of `puppet.conf` has them in force, and an environment of the name, if it has a folder: those of
    /// `names` in their order, or all of them by name.
    ///
    /// # Errors
    /// As of [`Configuration::get`], for the first that fails; when the environment's `environment.conf` is malformed.
    pub fn print(
        &self,
        names: &[String],
        section: &str,
        environment: Option<&str>,
    ) -> Result<Vec<Setting>, String> {
        let in_force = self.own.within(section);
        let name = match environment {
            Some(name) => name.to_owned(),
            None => in_force.text("environment")?,
        };
        let path = in_force.text("environmentpath")?;
        let tree = Tree::default();
        let conf = match find_environment(&path, &name, false) {
            Ok(folder) => Some(own_conf(&tree, &folder, self.own.compat)?),
            Err(_) => None,
        };
        let modulepath = in_force.folders("basemodulepath")?;
        let is_without = conf.is_none() && name == WITHOUT_FOLDER;
        let of_none = |name: &str| without_folder(name, &modulepath).filter(|_| is_without);
        let nothing = Given::default();
        let in_force = in_force.in_environment(&name, conf.as_ref()).of_compile(&of_none, &nothing);
        let mut all: Vec<&str> = names.iter().map(String::as_str).collect();
        if all.is_empty() {
            all = self.own.table().all().iter().map(|setting| setting.name).collect();
            all.sort_unstable();
        }
        all.into_iter().map(|name| self.setting(name, &in_force)).collect()
    }

    fn setting(&self, name: &str, in_force: &InForce<'_>) -> Result<Setting, String> {
        let found = in_force.get(name)?;
        let setting = self.own.table().find(name);
        let name = setting.map(|one| one.name).ok_or("there is no such setting")?;
        Ok(Setting { name, text: found.printed, value: Data::of(found.value.json()), origin: found.origin })
    }

    /// Why nothing of its `puppet.conf` is in force: the file is malformed. Puppet logs that as an error and goes on with its
    /// defaults.
    pub fn fault(&self) -> Option<&str> {
        self.own.fault()
    }

    /// What is to be said of it: settings that Puppet does not know, and those that are not honoured here.
    ///
    /// # Errors
    /// When `puppetdb.conf` or `routes.yaml` are to be used and malformed.
    pub fn warnings(&self) -> Result<Vec<String>, String> {
        let mut all = self.own.warnings();
        if self.own.in_force().is_on("storeconfigs")? {
            let conf = PuppetDbConf::read(&self.own)?;
            all.extend(conf.warnings);
            if let [first, _, ..] = &conf.server_urls[..] {
                all.push(format!("Of several PuppetDBs only the first is asked: {first}"));
            }
        }
        let routes = Routes::read(&self.own)?;
        if let Some(terminus) = routes.catalog.filter(|one| one != "compiler") {
            all.push(format!("The terminus {terminus} of catalogs is not supported: catalogs are compiled"));
        }
        Ok(all)
    }

    /// Folder and name of an environment: that of a name, or the one that is configured. Where that is `production` and
    /// has no folder, there is one without: with the base module path and no manifest.
    ///
    /// # Errors
    /// Puppet's message where there is no such environment.
    pub fn environment_folder(&self, name: Option<&str>) -> Result<(Option<PathBuf>, String), String> {
        let configured = self.own.in_force().text("environment")?;
        let name = name.map_or_else(|| configured.clone(), str::to_owned);
        match self.own.environment(&name) {
            Ok(folder) => Ok((Some(folder), name)),
            Err(_) if name == WITHOUT_FOLDER && configured == name => Ok((None, name)),
            Err(error) => Err(error),
        }
    }

    /// An environment: that of a name, or the one that is configured. It knows this configuration.
    ///
    /// # Errors
    /// Puppet's message where there is no such environment.
    pub fn environment(&self, name: Option<&str>) -> Result<Environment, String> {
        let (folder, name) = self.environment_folder(name)?;
        let environment = folder.map_or_else(Environment::default, Environment::at);
        Ok(environment.with_name(name).with_configuration(self))
    }

    /// What an archive is built from, with the modules for all environments. Where `options` name no folder, it is that of
    /// the environment of the name, or of the one that is configured.
    ///
    /// # Errors
    /// Puppet's message where there is no such environment.
    pub fn archive_options(&self, options: Options, environment: Option<&str>) -> Result<Options, String> {
        let mut options = Options { configuration: Some(self.own.clone()), ..options };
        if options.directory.is_none() && options.modulepath.is_none() {
            let (folder, name) = self.environment_folder(environment)?;
            options.directory = Some(folder.ok_or_else(|| format!("The environment {name} has no folder"))?);
        }
        Ok(options)
    }

    /// The settings of compiles: how strict they are, where exported resources go and come from.
    ///
    /// # Errors
    /// When any setting of it has a value that does not fit, or refers to what there is not: Puppet, too, looks at all of
    /// them before it compiles.
    pub fn settings(&self) -> Result<Settings, String> {
        let in_force = self.own.in_force();
        for setting in self.own.table().all() {
            in_force.get(setting.name)?;
        }
        self.check_disabled_warnings()?;
        let certname = self.get("certname")?;
        if certname.text != certname.text.to_lowercase() {
            return Err(format!("Certificate names must be lower case ({})", certname.origin));
        }
        let mut settings = Settings::of_compat(self.own.compat);
        settings.set("strict", &self.get("strict")?.value)?;
        settings.strict_variables = in_force.is_on("strict_variables")?;
        if in_force.is_on("storeconfigs")? {
            settings.exported = Some(self.puppetdb()?);
        }
        Ok(settings)
    }

    fn check_disabled_warnings(&self) -> Result<(), String> {
        const KINDS: [&str; 3] = ["deprecations", "undefined_variables", "undefined_resources"];
        let given = self.get("disable_warnings")?;
        let all = given.value.as_list().unwrap_or_default().iter().filter_map(Data::as_str);
        let unknown: Vec<&str> = all.filter(|one| !KINDS.contains(one)).collect();
        match unknown.is_empty() {
            true => Ok(()),
            false => Err(format!(
                "Cannot disable unrecognized warning types '{}'. Valid values are '{}'. ({})",
                unknown.join(","),
                KINDS.join(", "),
                given.origin
            )),
        }
    }

    fn puppetdb(&self) -> Result<Exported, String> {
        let conf = PuppetDbConf::read(&self.own)?;
        let soft_write_failure = conf.soft_write_failure;
        let url = conf.server_urls.into_iter().next().unwrap_or_default();
        let certificates = match url.starts_with("https://") {
            true => self.certificates()?,
            false => Certificates::default(),
        };
        Ok(Exported::PuppetDb { url, certificates, replace_catalog: false, soft_write_failure })
    }

    /// What a PuppetDB is shown: the agent's own certificate and its authority.
    ///
    /// # Errors
    /// As of [`Configuration::get`].
    pub fn certificates(&self) -> Result<Certificates, String> {
        let in_force = self.own.in_force();
        Ok(Certificates {
            authorities: in_force.path("localcacert")?,
            certificate: in_force.path("hostcert")?,
            key: in_force.path("hostprivkey")?,
        })
    }

    /// The name that the configuration gives its own machine; none where it says nothing.
    ///
    /// # Errors
    /// As of [`Configuration::get`].
    pub fn certname(&self) -> Result<Option<String>, String> {
        let own = self.get("certname")?;
        Ok((own.origin != Origin::Default).then_some(own.text))
    }

    /// The facts of a node, from where the configuration says (`facts_terminus`, `routes.yaml`): a file of `yamldir`, or
    /// PuppetDB. None where they would be those of the machine itself (`facter`), which are not read.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn facts(&self, certname: &str) -> Result<Option<Facts>, String> {
        let found = match self.facts_terminus()?.as_str() {
            "yaml" => self.facts_of_file(certname)?,
            "puppetdb" | "store_configs" => {
                let Exported::PuppetDb { url, certificates, .. } = self.puppetdb()? else { return Ok(None) };
                PuppetDb::new(&url, &certificates)?.facts(certname)?.unwrap_or_default()
            }
            _ => return Ok(None),
        };
        Ok(Some(Facts::of(found)))
    }

    /// A node without a file has no facts.
    fn facts_of_file(&self, certname: &str) -> Result<Map<String, Json>, String> {
        let Some(folder) = self.facts_folder()? else { return Ok(Map::new()) };
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
        let folder = Path::new(&self.own.in_force().text("yamldir")?).join("facts");
        Ok((self.facts_terminus()? == "yaml").then_some(folder))
    }

    fn facts_terminus(&self) -> Result<String, String> {
        match Routes::read(&self.own)?.facts {
            Some(terminus) => Ok(terminus),
            None => self.own.in_force().text("facts_terminus"),
        }
    }

    /// A node with what the configuration's classifier says of it (`node_terminus`, `external_nodes`), and with trusted
    /// data from outside (`trusted_external_command`). The second answer is the environment that the classifier names.
    ///
    /// # Errors
    /// When a program fails, or prints something else.
    pub fn complete(&self, node: Node, limits: ProgramLimits) -> Result<(Node, Option<String>), String> {
        let in_force = self.own.in_force();
        let terminus = match Routes::read(&self.own)?.node {
            Some(terminus) => terminus,
            None => in_force.text("node_terminus")?,
        };
        let (node, environment) = match terminus.as_str() {
            "exec" => match in_force.text("external_nodes")?.as_str() {
                "none" => {
                    return Err(
                        "You must set the 'external_nodes' parameter to use the external node terminus"
                            .to_owned(),
                    );
                }
                command => node.classified_by(command, limits)?,
            },
            _ => (node, None),
        };
        Ok((self.with_trusted_external(node, limits)?, environment))
    }

    /// A node with trusted data from outside (`trusted_external_command`).
    ///
    /// # Errors
    /// When the program fails, or prints no JSON.
    pub fn with_trusted_external(&self, mut node: Node, limits: ProgramLimits) -> Result<Node, String> {
        if let Some(command) = self.own.in_force().path("trusted_external_command")? {
            let external = trusted_external::retrieve(&command, node.name(), limits)?;
            node.node.trusted.insert("external".to_owned(), external);
        }
        Ok(node)
    }

    /// The programs that it names to be asked about a node, each with its setting.
    ///
    /// # Errors
    /// When a setting can't be read.
    pub fn programs(&self) -> Result<Vec<(&'static str, Option<PathBuf>)>, String> {
        let in_force = self.own.in_force();
        let classifier = match in_force.text("node_terminus")?.as_str() {
            "exec" => in_force.text("external_nodes")?.split_whitespace().next().map(PathBuf::from),
            _ => None,
        };
        let external = in_force.path("trusted_external_command")?;
        Ok(vec![("external_nodes", classifier), ("trusted_external_command", external)])
    }

    pub(crate) fn own(&self) -> &Arc<own::Configuration> {
        &self.own
    }
}

/// The section of what compiles catalogs.
pub const SERVER_SECTION: &str = SERVER;
