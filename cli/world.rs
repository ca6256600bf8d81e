//! The arguments that say in which world code runs: environment, node, facts, settings. `compile` and `eval` share
//! them; they become a job of the runtime.

use crate::ldap::Ldap;
use bunraku_compile::enc::{self, Classification};
use bunraku_compile::facts;
use bunraku_compile::files::read;
use bunraku_compile::job::{self, Job, PathList};
use bunraku_compile::ldap;
use bunraku_vm::cause::Cause;
use bunraku_vm::diagnostic::Diagnostic;
use clap::{ArgGroup, Args, ValueEnum};
use serde_json::{Map, Value as Json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Environment, node, facts, settings.
#[derive(Args)]
#[command(group = ArgGroup::new("tls").args(["storeconfigs", "ldapssl", "ldaptls"]).multiple(true))]
pub struct World {
    /// Directory of the environment: with `environment.conf`, `manifests/`, `modules/`.
    #[arg(long, value_name = "DIR")]
    pub environment: Option<PathBuf>,
    /// Name of the environment, if it is not the directory's name.
    #[arg(long = "environment_name", value_name = "NAME")]
    pub environment_name: Option<String>,
    /// Module path in place of the environment's: folders joined by colons.
    #[arg(long, value_name = "DIR[:DIR…]")]
    pub modulepath: Option<String>,
    /// Main manifest in place of the environment's: a file, or a folder of `.pp` files.
    #[arg(long, value_name = "FILE|DIR")]
    pub manifest: Option<PathBuf>,
    /// Configuration of Hiera's global layer.
    #[arg(long = "hiera_config", value_name = "FILE")]
    pub hiera_config: Option<PathBuf>,
    /// Archive of the environment or the module path, as `bunraku build` makes it. What has changed since is
    /// compiled anew.
    #[arg(long, value_name = "FILE")]
    pub archive: Option<PathBuf>,
    /// Take everything from the archive and look at no source.
    #[arg(long, requires = "archive")]
    pub frozen: bool,
    /// Code to run in place of manifests.
    #[arg(short = 'e', long = "execute", value_name = "CODE")]
    pub execute: Option<String>,
    /// Facts, JSON or YAML: plain, or as `facter --json`, `puppet facts` or PuppetDB print them.
    #[arg(long, value_name = "FILE")]
    pub facts: Option<PathBuf>,
    /// Folder with a file of facts for each node, `NAME.yaml` or `NAME.json`; a server's `yamldir` is one.
    #[arg(long, value_name = "DIR", conflicts_with = "facts")]
    pub factpath: Option<PathBuf>,
    /// Where classes and parameters of the node come from beside its manifests.
    #[arg(long = "node_terminus", value_name = "HOW", default_value = "plain")]
    pub node_terminus: Terminus,
    /// Command that prints them as YAML, given the node's name: for `--node_terminus exec`.
    #[arg(long = "external_nodes", value_name = "COMMAND", required_if_eq("node_terminus", "exec"))]
    pub external_nodes: Option<String>,
    /// Where exported resources go and come from: a folder of catalogs, which takes this one in, or the URL of a
    /// PuppetDB, which has facts as well.
    #[arg(long, value_name = "DIR|URL")]
    pub storeconfigs: Option<String>,
    /// Certificates of the authority that signs PuppetDB or the LDAP server.
    #[arg(long, value_name = "FILE", requires = "tls")]
    pub localcacert: Option<PathBuf>,
    /// Certificate that PuppetDB is shown.
    #[arg(long, value_name = "FILE", requires = "hostprivkey")]
    pub hostcert: Option<PathBuf>,
    /// Its key.
    #[arg(long, value_name = "FILE", requires = "hostcert")]
    pub hostprivkey: Option<PathBuf>,
    /// `$trusted`, JSON or YAML, in place of what the node's name gives.
    #[arg(long, value_name = "FILE")]
    pub trusted: Option<PathBuf>,
    /// Certname of the node [default: localhost].
    #[arg(long, value_name = "NAME")]
    pub node: Option<String>,
    /// What dubious constructs do [default: error].
    #[arg(long, value_name = "HOW")]
    pub strict: Option<Strict>,
    /// Sets a limit: max_calls, max_depth, max_file, max_memory, exec_output, exec_timeout, ruby_memory, ruby_timeout.
    #[arg(long = "limit", value_name = "NAME=NUMBER", value_parser = limit)]
    pub limits: Vec<(String, Json)>,
    /// The Ruby that runs functions and templates of modules: a path, or a name to be found on PATH [default: ruby].
    #[arg(long, value_name = "PATH")]
    pub ruby: Option<PathBuf>,
    /// How many seconds a compile may take; 0, the default, is without end.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Unknown variables are errors; this is the default.
    #[arg(long = "strict_variables", overrides_with = "no_strict_variables")]
    pub strict_variables: bool,
    /// Unknown variables are undef.
    #[arg(long = "no-strict_variables", overrides_with = "strict_variables")]
    pub no_strict_variables: bool,
    /// Functions of puppetlabs-stdlib and its like are answered without Ruby; this is the default.
    #[arg(long = "native-stdlib", overrides_with = "no_native_stdlib")]
    pub native_stdlib: bool,
    /// They are run from the module's own Ruby.
    #[arg(long = "no-native-stdlib", overrides_with = "native_stdlib")]
    pub no_native_stdlib: bool,
    /// ERB templates are rendered without Ruby where their code is known; this is the default.
    #[arg(long = "native-templates", overrides_with = "no_native_templates")]
    pub native_templates: bool,
    /// Ruby renders them all.
    #[arg(long = "no-native-templates", overrides_with = "native_templates")]
    pub no_native_templates: bool,
    /// The directory that `--node_terminus ldap` asks.
    #[command(flatten, next_help_heading = "LDAP, for --node_terminus ldap")]
    pub ldap: Ldap,
}

/// The setting `node_terminus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Terminus {
    /// From nowhere.
    Plain,
    /// From an external classifier.
    Exec,
    /// From an LDAP directory.
    Ldap,
}

/// The setting `strict`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Strict {
    /// Nothing.
    Off,
    /// They warn.
    Warning,
    /// They fail.
    Error,
}

/// A number of seconds, 0 for without end.
///
/// # Errors
/// When the text is none.
pub fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|n| Duration::try_from_secs_f64(*n).is_ok());
    seconds.ok_or_else(|| "not a number of seconds".to_owned())
}

impl Strict {
    fn name(self) -> &'static str {
        match self {
            Strict::Off => "off",
            Strict::Warning => "warning",
            Strict::Error => "error",
        }
    }
}

impl World {
    /// The job these arguments describe, for the node `certname` if that is given.
    ///
    /// # Errors
    /// When a file named can't be used, or the node's classifier fails.
    pub fn job(&self, certname: Option<&str>) -> Result<Job, String> {
        let node = certname.map(str::to_owned).or_else(|| self.node.clone());
        let name = node.as_deref().unwrap_or("localhost");
        let mut settings = Map::new();
        if let Some(strict) = self.strict {
            settings.insert("strict".into(), strict.name().into());
        }
        if self.strict_variables || self.no_strict_variables {
            settings.insert("strict_variables".into(), self.strict_variables.into());
        }
        if self.native_stdlib || self.no_native_stdlib {
            settings.insert("native_stdlib".into(), self.native_stdlib.into());
        }
        if self.native_templates || self.no_native_templates {
            settings.insert("native_templates".into(), self.native_templates.into());
        }
        settings.extend(self.limits.iter().cloned());
        if let Some(timeout) = self.timeout {
            settings.insert("timeout".into(), timeout.into());
        }
        let limits = job::exec_limits(&settings)?;
        let trusted = self.trusted.as_deref().map(|file| facts::object(file, "trusted facts")).transpose()?;
        let facts = match &self.factpath {
            Some(folder) => Some(facts::of_node(folder, name)?),
            None => self.facts.as_deref().map(facts::given).transpose()?,
        };
        let classified = match (self.node_terminus, &self.external_nodes) {
            (Terminus::Exec, Some(command)) => enc::classify(command, name, limits)?,
            (Terminus::Ldap, _) => {
                self.ldap.tell(&mut settings);
                let server = self.ldap.server(self.localcacert.as_deref());
                ldap::classify(&server, &self.ldap.settings()?, name, facts.as_ref(), limits)?
            }
            _ => Classification::default(),
        };
        let (environment, environment_name) = self.environment_of(&classified)?;
        let mut job = Job {
            code: self.execute.clone(),
            environment,
            environment_name,
            modulepath: self.modulepath.clone().map(PathList::Joined),
            hiera_config: self.hiera_config.clone(),
            archive: self.archive.clone(),
            frozen: self.frozen,
            node,
            classes: Some(classified.classes).filter(|classes| !classes.is_null()),
            parameters: Some(classified.parameters).filter(|parameters| !parameters.is_empty()),
            facts: facts.map(|facts| Json::Object(facts).into()),
            trusted,
            storeconfigs: self.storeconfigs.clone(),
            localcacert: self.localcacert.clone(),
            hostcert: self.hostcert.clone(),
            hostprivkey: self.hostprivkey.clone(),
            ruby: self.ruby.clone(),
            settings: Some(settings),
            ..Job::default()
        };
        if let Some(manifest) = &self.manifest {
            take_manifest(&mut job, manifest)?;
        }
        Ok(job)
    }

    /// Folder and name of the environment: a classifier's word goes before the folder's, which it moves to the
    /// folder of that name beside it.
    fn environment_of(&self, said: &Classification) -> Result<(Option<PathBuf>, Option<String>), String> {
        let named = self.environment.as_deref().and_then(Path::file_name).and_then(|name| name.to_str());
        let (Some(wanted), Some(given)) = (&said.environment, &self.environment) else {
            return Ok((
                self.environment.clone(),
                self.environment_name.clone().or(said.environment.clone()),
            ));
        };
        if self.environment_name.as_deref().or(named) == Some(wanted) {
            return Ok((Some(given.clone()), Some(wanted.clone())));
        }
        let path = given.parent().unwrap_or(Path::new("."));
        let folder = path.join(wanted);
        if wanted.contains('/') || !folder.is_dir() {
            return Err(format!(
                "Could not find a directory environment named '{wanted}' anywhere in the path: {}. Does the directory exist?",
                path.display()
            ));
        }
        Ok((Some(folder), Some(wanted.clone())))
    }
}

/// Names the manifest of a job. A pipe is read here, once: what is read by others must be a file.
///
/// # Errors
/// When it can't be read.
pub fn take_manifest(job: &mut Job, manifest: &Path) -> Result<(), String> {
    if !read::is_stream_at(manifest) {
        job.manifest = Some(manifest.to_path_buf());
        return Ok(());
    }
    let text = read::given_text(manifest, read::MAX_FILE);
    let text = text.map_err(|error| format!("Could not read {}: {error}", manifest.display()))?;
    if job.code.is_none() {
        (job.code, job.code_file) = (Some(text), Some(manifest.to_path_buf()));
    }
    Ok(())
}

/// An error with a word of help, where it may be that facts were forgotten.
pub fn with_hint(mut diagnostic: Diagnostic, job: &Job) -> Diagnostic {
    let fits = matches!(diagnostic.cause, Cause::UnknownVariable | Cause::UndefAccessed);
    if fits && diagnostic.help.is_none() && job.facts.is_none() && job.storeconfigs.is_none() {
        diagnostic.help = Some("no facts were given: --facts FILE, or --factpath DIR, names them".to_owned());
    }
    diagnostic
}

fn limit(text: &str) -> Result<(String, Json), String> {
    let (name, number) = text.split_once('=').ok_or("it takes NAME=NUMBER")?;
    let number = serde_json::from_str::<serde_json::Number>(number).map_err(|_| "it takes a number")?;
    Ok((name.to_owned(), number.into()))
}

impl From<Strict> for bunraku_compiler::check::Strict {
    fn from(strict: Strict) -> Self {
        match strict {
            Strict::Off => Self::Off,
            Strict::Warning => Self::Warning,
            Strict::Error => Self::Error,
        }
    }
}
