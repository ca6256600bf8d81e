//! The arguments that say what is compiled: environment, node, facts, settings. All commands that compile share them; they
//! become what the library compiles.

mod checks;
mod classifier;
mod environment;
mod hint;
mod settings;

pub use classifier::Terminus;
pub use environment::with_manifest;
pub use hint::with_hint;
pub use settings::{limit, programs, seconds, strict};

use crate::configured::Configured;
use crate::engines::Tls;
use crate::ldap::Ldap;
use bunraku::bench::Target;
use bunraku::files::read;
use bunraku::{Compat, Configuration, Data, Facts, HashNotation, Strict};
use clap::{ArgGroup, Args};
use std::path::PathBuf;

/// Environment, node, facts, settings.
#[derive(Args, Clone)]
#[command(group = ArgGroup::new("tls").args(["storeconfigs", "ldapssl", "ldaptls", "facts"]).multiple(true))]
pub struct CompileArguments {
    /// Environment: its folder, with `environment.conf`, `manifests/`, `modules/`; or its name, to be found in the
    /// configured `environmentpath` [default: the one that is configured].
    #[arg(long, value_name = "DIR|NAME")]
    pub environment: Option<PathBuf>,
    /// Name of the environment, if it is not the folder's name.
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
    /// Facts, JSON or YAML: plain, or as `facter --json`, `puppet facts` or PuppetDB print them; or a place that has those
    /// of many nodes by name: a snapshot as `bunraku facts pull` makes it, or `puppetdb:URL`.
    #[arg(long, value_name = "FILE|puppetdb:URL")]
    pub facts: Option<PathBuf>,
    /// Folder with a file of facts for each node, `NAME.yaml` or `NAME.json`; a server's `yamldir` is one.
    #[arg(long, value_name = "DIR", conflicts_with = "facts")]
    pub factpath: Option<PathBuf>,
    /// Where classes and parameters of the node come from beside its manifests [default: as configured, else plain].
    #[arg(long = "node_terminus", value_name = "HOW")]
    pub node_terminus: Option<Terminus>,
    /// Command that prints them as YAML, given the node's name: `--node_terminus exec` is meant then, unless another is named. Without
    /// it, `exec` asks the configured one.
    #[arg(long = "external_nodes", value_name = "COMMAND")]
    pub external_nodes: Option<String>,
    /// Folder with what the classifier says of each node, in place of the classifier: files `NAME.yaml`.
    #[arg(long = "enc-answers", value_name = "DIR", conflicts_with_all = ["node_terminus", "external_nodes"])]
    pub enc_answers: Option<PathBuf>,
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
    /// Certname of the node [default: the configured certname, or localhost].
    #[arg(long, value_name = "NAME")]
    pub node: Option<String>,
    /// Version of the language whose rules and defaults are in force: those of Puppet 7, of Puppet and OpenVox 8, or of
    /// OpenVox 9.
    #[arg(long, value_name = "7|8|9", default_value_t)]
    pub compat: Compat,
    /// What dubious constructs do [default: as configured, else error, by --compat 7 warning].
    #[arg(long, value_name = "HOW", value_parser = strict())]
    pub strict: Option<Strict>,
    /// Sets a limit: max_calls, max_depth, max_file, max_memory, max_nesting, max_steps, exec_output,
    /// exec_timeout, ruby_memory, ruby_timeout.
    #[arg(long = "limit", value_name = "NAME=NUMBER", value_parser = limit)]
    pub limits: Vec<(String, Data)>,
    /// A program whose output depends on its arguments alone, such as `systemd-analyze calendar`: `generate()` runs it once for the
    /// same arguments, whatever node asks. May be given several times.
    #[arg(long = "pure-program", value_name = "PATH")]
    pub pure_programs: Vec<String>,
    /// A file in which what those print is kept, for the next run.
    #[arg(long = "pure-outputs", value_name = "FILE", requires = "pure_programs")]
    pub pure_outputs: Option<PathBuf>,
    /// The Ruby that runs functions and templates of modules: a path, or a name to be found on PATH [default: ruby].
    #[arg(long, value_name = "PATH")]
    pub ruby: Option<PathBuf>,
    /// How many seconds a compile may take; 0, the default, is without end.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Unknown variables are errors; this is the default, but by --compat 7 and where another one is configured.
    #[arg(long = "strict_variables", overrides_with = "no_strict_variables")]
    pub strict_variables: bool,
    /// Unknown variables are undef where --strict is warning or off; where it is error, the default but by --compat 7, they are errors
    /// all the same, as in Puppet.
    #[arg(long = "no-strict_variables", overrides_with = "strict_variables")]
    pub no_strict_variables: bool,
    /// Facts are taken as they are given, legacy ones included; this is the default unless the configuration says otherwise.
    #[arg(long = "include_legacy_facts", overrides_with = "no_include_legacy_facts")]
    pub include_legacy_facts: bool,
    /// Legacy facts (`osfamily`, `ipaddress_eth0`, …) are left out, as agents of Puppet 8 and later do.
    #[arg(long = "no-include_legacy_facts", overrides_with = "include_legacy_facts")]
    pub no_include_legacy_facts: bool,
    /// Functions of puppetlabs-stdlib and its like are answered without Ruby; this is the default.
    #[arg(long = "native-stdlib", overrides_with = "no_native_stdlib")]
    pub native_stdlib: bool,
    /// They are run from the module's own Ruby.
    #[arg(long = "no-native-stdlib", overrides_with = "native_stdlib")]
    pub no_native_stdlib: bool,
    /// ERB templates and functions in Ruby run without Ruby where their code is known; this is the default.
    #[arg(long = "native-ruby", overrides_with = "no_native_ruby")]
    pub native_ruby: bool,
    /// A Ruby process runs them all.
    #[arg(long = "no-native-ruby", overrides_with = "native_ruby")]
    pub no_native_ruby: bool,
    /// Ruby whose notation of hashes `inspect` has: 3.1 is `{"a"=>1}`, 3.4 (OpenVox 9's server) `{"a" => 1}`.
    #[arg(long, value_name = "3.1|3.4", default_value_t)]
    pub ruby_inspect: HashNotation,
    /// The configuration of Puppet.
    #[command(flatten, next_help_heading = "Configuration")]
    pub configured: Configured,
    /// The directory that `--node_terminus ldap` asks.
    #[command(flatten, next_help_heading = "LDAP, for --node_terminus ldap")]
    pub ldap: Ldap,
    /// Whether environment and module path are those of a tree that was opened, and nobody has named them as they stand here.
    #[arg(skip)]
    pub is_of_tree: bool,
}

/// What arguments are read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A node's catalog.
    Catalog,
    /// Code that the subcommand has: it may do without an environment.
    Code,
    /// Hiera's data, of a node that the configured classifier is not asked for: as `puppet lookup` without `--compile`.
    Data,
}

impl CompileArguments {
    /// What these arguments describe, for the node `certname` if that is given; `warn` is told what the configuration says
    /// to no effect.
    ///
    /// # Errors
    /// When the configuration, or a file that is named, can't be used, or the node's classifier fails.
    pub fn target(&self, certname: Option<&str>, warn: &mut dyn FnMut(&str)) -> Result<Target, String> {
        let has_code = self.execute.is_some() || self.manifest.is_some();
        self.target_for(certname, if has_code { Purpose::Code } else { Purpose::Catalog }, warn)
    }

    /// The same for a purpose.
    ///
    /// # Errors
    /// As of [`CompileArguments::target`].
    pub fn target_for(
        &self,
        certname: Option<&str>,
        purpose: Purpose,
        warn: &mut dyn FnMut(&str),
    ) -> Result<Target, String> {
        let prepared = self.prepare(purpose)?;
        let target = prepared.target(certname)?;
        prepared.warnings().iter().for_each(|warning| warn(warning));
        Ok(target)
    }

    /// The configuration, with what arguments say in its place.
    ///
    /// # Errors
    /// Puppet's message, with file and line, where it can't be read.
    pub fn configuration(&self) -> Result<Option<Configuration>, String> {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.to_string_lossy().into_owned());
        // A folder is called as its environment is, but that of a tree, which may lie anywhere.
        let named = match self.folder() {
            Some(_) if self.is_of_tree => None,
            Some(folder) => folder.file_name().and_then(|name| name.to_str()).map(str::to_owned),
            None => path(&self.environment),
        };
        let environment = self.environment_name.clone().or(named);
        let manifest = self.manifest.as_deref().filter(|manifest| !read::is_stream_at(manifest));
        let more = [
            ("environment", environment),
            ("modulepath", self.modulepath.clone()),
            ("manifest", manifest.map(|path| path.to_string_lossy().into_owned())),
            ("hiera_config", path(&self.hiera_config)),
            ("external_nodes", self.external_nodes.clone()),
            ("localcacert", path(&self.localcacert)),
            ("hostcert", path(&self.hostcert)),
            ("hostprivkey", path(&self.hostprivkey)),
        ];
        self.configured.read(self.compat, &more)
    }

    /// The folder of stored facts, where the configuration names it (`facts_terminus = yaml`) and no argument goes before.
    ///
    /// # Errors
    /// When the configuration can't be read.
    pub fn facts_folder(&self) -> Result<Option<PathBuf>, String> {
        let none = self.facts.is_some() || self.node.is_some();
        match self.configuration()?.filter(|_| !none) {
            Some(configuration) => configuration.facts_folder(),
            None => Ok(None),
        }
    }

    /// The facts of a node: from the file or folder that is named, or from where the configuration says.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn facts(&self, name: &str, configuration: Option<&Configuration>) -> Result<Option<Facts>, String> {
        let facts = match (&self.factpath, &self.facts, configuration) {
            (Some(folder), ..) => Facts::from_folder(folder, name)?,
            (None, Some(file), _) => Facts::from_file(file)?,
            (None, None, Some(configuration)) => return configuration.facts(name),
            (None, None, None) => return Ok(None),
        };
        Ok(Some(facts.as_an_agent_sends_them(name, self.compat)))
    }

    /// Whether something besides an environment's folder says what to compile: manifest, code, module path.
    pub fn does_without_environment(&self) -> bool {
        self.execute.is_some() || self.manifest.is_some() || self.modulepath.is_some()
    }

    /// The certificates that arguments name, for an engine.
    pub fn tls(&self) -> Tls {
        let certificate = self.hostcert.clone().zip(self.hostprivkey.clone());
        Tls { authorities: self.localcacert.clone(), certificate }
    }
}
