//! The arguments that say which configuration of Puppet is read, and what goes before it. Every subcommand that compiles
//! takes them.

use crate::output;
use bunraku::{Compat, Configuration, check_setting, is_setting, modulepath};
use clap::Args;
use std::path::{Path, PathBuf};

/// Without it, `--no-config` need not be given in each command of a CI: where this variable is set, no configuration of
/// the machine is read.
const NO_CONFIG: &str = "BUNRAKU_NO_CONFIG";

/// A configuration of Puppet.
#[derive(Args, Clone, Default)]
pub struct Configured {
    /// Folder of `puppet.conf` [default: /etc/puppetlabs/puppet or /etc/puppet, or the user's own, if it is there].
    #[arg(long, value_name = "DIR", conflicts_with = "no_config")]
    pub confdir: Option<PathBuf>,
    /// Folder of environments and modules, if the configuration does not say.
    #[arg(long, value_name = "DIR", conflicts_with = "no_config")]
    pub codedir: Option<PathBuf>,
    /// Folder of what a server stores, facts of nodes among it.
    #[arg(long, value_name = "DIR", conflicts_with = "no_config")]
    pub vardir: Option<PathBuf>,
    /// Folders in which environments are by name, joined by colons.
    #[arg(long, value_name = "DIR[:DIR…]")]
    pub environmentpath: Option<String>,
    /// Sets any setting of Puppet's, in place of the configuration.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting, conflicts_with = "no_config")]
    pub set: Vec<(String, String)>,
    /// Read no configuration. So it is, too, where BUNRAKU_NO_CONFIG is set, unless arguments ask for one.
    #[arg(long = "no-config")]
    pub no_config: bool,
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("it takes NAME=VALUE")?;
    if !is_setting(name) {
        return Err(format!("Puppet has no setting '{name}'"));
    }
    check_setting(name, value)?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Refuses a file or folder that an argument names and that is not there.
///
/// # Errors
/// Names both.
pub fn there(argument: &str, path: Option<&Path>) -> Result<(), String> {
    match path.filter(|path| !path.exists()) {
        Some(path) => Err(format!("--{argument} {}: there is no such file or folder", path.display())),
        None => Ok(()),
    }
}

/// What is said where a command needs a configuration and there is none.
pub const NONE: &str = "There is no configuration: name one by --confdir";

impl Configured {
    /// Whether arguments ask for a configuration.
    fn is_asked_for(&self) -> bool {
        self.confdir.is_some() || self.codedir.is_some() || self.vardir.is_some() || !self.set.is_empty()
    }

    /// The configuration, if there is one; `more` are settings that other arguments say.
    ///
    /// # Errors
    /// When a folder that is named is not there; Puppet's message, with file and line, where the configuration can't be read.
    pub fn read(
        &self,
        compat: Compat,
        more: &[(&str, Option<String>)],
    ) -> Result<Option<Configuration>, String> {
        let read = self.read_untold(compat, more)?;
        read.iter().for_each(output::note_fault);
        Ok(read)
    }

    /// The same for who tells what is wrong with the configuration's text.
    ///
    /// # Errors
    /// As of [`Configured::read`].
    pub fn read_untold(
        &self,
        compat: Compat,
        more: &[(&str, Option<String>)],
    ) -> Result<Option<Configuration>, String> {
        there("confdir", self.confdir.as_deref())?;
        let Some(given) = self.given(more) else { return Ok(None) };
        match self.is_asked_for() {
            true => Configuration::read(compat, &given).map(Some),
            false => Configuration::of_this_machine(compat, &given),
        }
    }

    /// The same for a service: what is not said is the machine's, whichever user the service runs as. What is wrong with the
    /// configuration's text is told by whoever asks. Who serves compiles, so all folders that are named have to be there.
    ///
    /// # Errors
    /// As of [`Configured::read`] and [`Configured::check_named`].
    pub fn read_for_service(&self, compat: Compat) -> Result<Option<Configuration>, String> {
        there("confdir", self.confdir.as_deref())?;
        self.check_named()?;
        let Some(given) = self.given(&[]) else { return Ok(None) };
        match self.is_asked_for() {
            true => Configuration::read_for_service(compat, &given).map(Some),
            false => Configuration::of_service(compat, &given),
        }
    }

    /// Refuses folders of settings that are named and not there, for who compiles: settings can be printed without them. `vardir` is
    /// made where it is needed, as by Puppet.
    ///
    /// # Errors
    /// Names the argument and the folder.
    pub fn check_named(&self) -> Result<(), String> {
        there("codedir", self.codedir.as_deref())?;
        let folders = self.environmentpath.as_deref().map_or_else(Vec::new, modulepath);
        // `$codedir/environments` is told by the configuration.
        let is_whole = |folder: &&PathBuf| !folder.as_os_str().as_encoded_bytes().contains(&b'$');
        folders.iter().filter(is_whole).try_for_each(|folder| there("environmentpath", Some(folder)))
    }

    /// What the command line says of settings; none where no configuration is to be read.
    fn given(&self, more: &[(&str, Option<String>)]) -> Option<Vec<(String, String)>> {
        if self.no_config || !self.is_asked_for() && std::env::var_os(NO_CONFIG).is_some() {
            return None;
        }
        let folder =
            |folder: &Option<PathBuf>| folder.as_ref().map(|path| path.to_string_lossy().into_owned());
        let own = [
            ("confdir", folder(&self.confdir)),
            ("codedir", folder(&self.codedir)),
            ("vardir", folder(&self.vardir)),
            ("environmentpath", self.environmentpath.clone()),
        ];
        let said =
            own.iter().chain(more).filter_map(|(name, value)| Some(((*name).to_owned(), value.clone()?)));
        Some(said.chain(self.set.iter().cloned()).collect())
    }
}
