//! A server's configuration: what its `puppet.conf` and the files beside it say.

use crate::data::Data;
use crate::environment::Environment;
use bunraku_configuration::configuration::{self as own, SERVER};
use bunraku_configuration::in_force::{Given, InForce};
use bunraku_configuration::layout::Layout;
use bunraku_configuration::puppetdb::PuppetDbConf;
use bunraku_configuration::routes::{Routes, SERVER as ROUTES_OF_SERVER};
use bunraku_configuration::table::{Kind, Table, is_known};
use bunraku_configuration::typed::typed;
use bunraku_configuration::value::{Raw, Value};
use bunraku_environment::archive::build::Options;
use bunraku_environment::snapshot::own_conf;
use bunraku_files::tree::Tree;
use bunraku_vm::compat::Compat;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use bunraku_configuration::environments::{find as find_environment, is_name as is_environment_name};
pub use bunraku_configuration::origin::Origin;

/// The settings that are in force for a server, each with where it comes from; and what follows from them: environments,
/// nodes, [`Settings`](crate::Settings). It says what its files said when they were read.
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
    /// The application whose routes count.
    application: &'static str,
    /// Whether it is for a command that runs in Puppet's mode `user`, not as a server.
    in_user_mode: bool,
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

/// Whether a value fits a setting, where that can be said without the others: `$name` in it stands for another's value. What fits in
/// one version fits.
///
/// # Errors
/// Puppet's message.
pub fn check_setting(name: &str, value: &str) -> Result<(), String> {
    let tables = [Compat::V7, Compat::V8, Compat::V9].map(Table::of);
    let mut fits = tables.iter().filter_map(|table| table.find(name));
    let Some(setting) = fits.next().filter(|_| !value.contains('$')) else { return Ok(()) };
    let raw = Raw::written(value);
    let wrong = typed(setting, &raw);
    match wrong.is_ok() || fits.any(|setting| typed(setting, &raw).is_ok()) {
        true => Ok(()),
        false => wrong.map(|_| ()),
    }
}

/// Whether a version of Puppet has a setting of a name.
pub fn is_setting_of(compat: Compat, name: &str) -> bool {
    Table::of(compat).find(name).is_some()
}

/// The same, and it is true or false.
pub fn is_boolean_setting(compat: Compat, name: &str) -> bool {
    Table::of(compat).find(name).is_some_and(|setting| setting.kind == Kind::Boolean)
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
        Configuration::if_here(compat, Layout::of_this_machine(), given)
    }

    /// As [`Configuration::read`] for a service: what is not said of folders is the machine's, whichever user the service runs as.
    ///
    /// # Errors
    /// As of [`Configuration::read`].
    pub fn read_for_service(compat: Compat, given: &[(String, String)]) -> Result<Configuration, String> {
        Configuration::of(compat, Layout::of_service(), given)
    }

    /// The configuration of this machine's Puppet, whichever user asks; none where its folder is not there.
    ///
    /// # Errors
    /// As of [`Configuration::read`].
    pub fn of_service(compat: Compat, given: &[(String, String)]) -> Result<Option<Configuration>, String> {
        Configuration::if_here(compat, Layout::of_service(), given)
    }

    fn if_here(
        compat: Compat,
        layout: Layout,
        given: &[(String, String)],
    ) -> Result<Option<Configuration>, String> {
        match layout.folder("confdir").is_some_and(|folder| Path::new(&folder).is_dir()) {
            true => Configuration::of(compat, layout, given).map(Some),
            false => Ok(None),
        }
    }

    fn of(compat: Compat, layout: Layout, given: &[(String, String)]) -> Result<Configuration, String> {
        let own = Arc::new(own::Configuration::read(compat, layout.clone(), given)?);
        Ok(Configuration {
            own,
            layout,
            given: given.to_vec(),
            application: ROUTES_OF_SERVER,
            in_user_mode: false,
        })
    }

    /// The same as one of Puppet's commands has it, by its name: in `routes.yaml` its section counts, not a server's.
    pub fn of_application(self, application: &'static str) -> Configuration {
        Configuration { application, ..self }
    }

    /// The same for a command that runs in Puppet's mode `user`: facts of files are those of `clientyamldir`, not of `yamldir`.
    pub fn in_user_mode(self) -> Configuration {
        Configuration { in_user_mode: true, ..self }
    }

    /// The setting that names the folder of facts in files.
    pub(crate) fn facts_setting(&self) -> &'static str {
        if self.in_user_mode { "clientyamldir" } else { "yamldir" }
    }

    /// The same configuration read anew, for what this one is for.
    fn like(self, other: &Configuration) -> Configuration {
        Configuration { application: other.application, in_user_mode: other.in_user_mode, ..self }
    }

    pub(crate) fn routes(&self) -> Result<Routes, String> {
        Routes::read(&self.own, self.application)
    }

    /// What the command line says of settings to no effect, each by its setting.
    pub fn refused(&self) -> Vec<(String, String)> {
        self.own.warnings_of_command_line()
    }

    /// What Puppet says of the settings of `puppet.conf`, and which of them would be honoured by Puppet only. Of settings that
    /// there are not, Puppet says nothing.
    pub fn warnings_of_known(&self) -> Vec<String> {
        self.own.warnings_of_known()
    }

    /// Those of [`Configuration::warnings`] that are of settings which Puppet does not know.
    pub fn warnings_of_unknown(&self) -> Vec<String> {
        self.own.warnings_of_unknown()
    }

    /// The same as its files are now.
    ///
    /// # Errors
    /// As of [`Configuration::read`].
    pub fn reread(&self) -> Result<Configuration, String> {
        let again = Configuration::of(self.own.compat, self.layout.clone(), &self.given)?;
        Ok(again.like(self))
    }

    /// The same, where this is said of settings, too; what is said before stays.
    ///
    /// # Errors
    /// As of [`Configuration::read`].
    pub fn with(&self, given: &[(String, String)]) -> Result<Configuration, String> {
        let more = given.iter().filter(|(name, _)| self.given.iter().all(|(known, _)| known != name));
        let all: Vec<_> = self.given.iter().chain(more).cloned().collect();
        let more = Configuration::of(self.own.compat, self.layout.clone(), &all)?;
        Ok(more.like(self))
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
        // What the command line says goes before.
        let is_given = |name: &str| self.own.given().any(|(given, _)| given == name);
        let of_none =
            |name: &str| without_folder(name, &modulepath).filter(|_| is_without && !is_given(name));
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
        }
        let routes = self.routes()?;
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

    /// The names of all environments that have a folder, sorted.
    ///
    /// # Errors
    /// As of [`Configuration::get`], for `environmentpath`.
    pub fn environment_names(&self) -> Result<Vec<String>, String> {
        Ok(bunraku_configuration::environments::names(&self.own.in_force().text("environmentpath")?))
    }

    /// How an archive is built by it: with the modules for all environments.
    pub fn of_archive(&self, options: Options) -> Options {
        Options { configuration: Some(self.own.clone()), ..options }
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
        let mut options = self.of_archive(options);
        if options.directory.is_none() && options.modulepath.is_none() {
            let (folder, name) = self.environment_folder(environment)?;
            options.directory = Some(folder.ok_or_else(|| format!("The environment {name} has no folder"))?);
        }
        Ok(options)
    }

    pub(crate) fn own(&self) -> &Arc<own::Configuration> {
        &self.own
    }
}

/// The section of what compiles catalogs.
pub const SERVER_SECTION: &str = SERVER;
