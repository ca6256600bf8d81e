//! The arguments that say in which world code runs: environment, node, facts, settings. `compile` and `eval` share
//! them; they become a job of the runtime.

use bunraku_runtime::facts;
use bunraku_runtime::job::{Job, PathList};
use clap::{Args, ValueEnum};
use serde_json::{Map, Value as Json};
use std::path::PathBuf;

/// Environment, node, facts, settings.
#[derive(Args)]
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
    /// Code to run in place of manifests.
    #[arg(short = 'e', long = "execute", value_name = "CODE")]
    pub execute: Option<String>,
    /// Facts, JSON or YAML: plain, or as `facter --json`, `puppet facts` or PuppetDB print them.
    #[arg(long, value_name = "FILE")]
    pub facts: Option<PathBuf>,
    /// `$trusted`, JSON or YAML, in place of what the node's name gives.
    #[arg(long, value_name = "FILE")]
    pub trusted: Option<PathBuf>,
    /// Certname of the node [default: localhost].
    #[arg(long, value_name = "NAME")]
    pub node: Option<String>,
    /// What dubious constructs do [default: error].
    #[arg(long, value_name = "HOW")]
    pub strict: Option<Strict>,
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
    /// The job these arguments describe.
    ///
    /// # Errors
    /// When a file named can't be used.
    pub fn job(&self) -> Result<Job, String> {
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
        let trusted = self.trusted.as_deref().map(|file| facts::object(file, "trusted facts")).transpose()?;
        let facts = self.facts.as_deref().map(facts::read).transpose()?;
        Ok(Job {
            code: self.execute.clone(),
            manifest: self.manifest.clone(),
            environment: self.environment.clone(),
            environment_name: self.environment_name.clone(),
            modulepath: self.modulepath.clone().map(PathList::Joined),
            hiera_config: self.hiera_config.clone(),
            node: self.node.clone(),
            facts: facts.map(Json::Object),
            trusted,
            settings: Some(settings),
            ..Job::default()
        })
    }
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
