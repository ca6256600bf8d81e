//! The modules of an environment as folders, for programs that hand out what lies in them.

use crate::configuration::Configuration;
use crate::environment::modulepath;
use bunraku_environment::metadata::Consequence;
use bunraku_environment::modules::Modules;
use bunraku_files::tree::Tree;
use bunraku_vm::compat::Compat;
use bunraku_vm::host::Strict;
use std::path::PathBuf;
use std::sync::Arc;

impl Configuration {
    /// The version of Puppet that it is read as.
    pub fn compat(&self) -> Compat {
        self.own().compat
    }

    /// The folders of an environment's module path that are there, in order.
    ///
    /// # Errors
    /// As of [`Configuration::print`].
    pub fn modulepath(&self, environment: &str) -> Result<Vec<PathBuf>, String> {
        let found = self.print(&["modulepath".to_owned()], crate::SERVER_SECTION, Some(environment))?;
        let text = found.first().map(|setting| setting.text.as_str()).unwrap_or_default();
        Ok(modulepath(text).into_iter().filter(|folder| folder.is_dir()).collect())
    }

    /// The folders of all modules on a module path, in its order, those of one of its folders by name: a module is there if
    /// its metadata lets it be.
    ///
    /// # Errors
    /// Where metadata can't be used at all; it names the module.
    pub fn modules(&self, modulepath: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
        usable(&self.modules_of(modulepath)?)
    }

    /// The folder of the module of a name on a module path.
    ///
    /// # Errors
    /// As of [`Configuration::modules`].
    pub fn module(&self, modulepath: &[PathBuf], name: &str) -> Result<Option<PathBuf>, String> {
        let modules = self.modules_of(modulepath)?;
        Ok(modules.get(name).map(|module| module.path.clone()))
    }

    fn modules_of(&self, modulepath: &[PathBuf]) -> Result<Modules, String> {
        let strict = match self.get("strict")?.text.as_str() {
            "off" => Strict::Off,
            "warning" => Strict::Warning,
            _ => Strict::Error,
        };
        Ok(Modules::of(Arc::<Tree>::default(), modulepath.to_vec(), (self.own().compat, strict)))
    }
}

/// The folders of modules, unless the metadata of one can't be used at all; the error names it.
pub(crate) fn usable(modules: &Modules) -> Result<Vec<PathBuf>, String> {
    let fatal = modules.faults().into_iter().find_map(|fault| match fault {
        Consequence::Fatal(why) => Some(why),
        Consequence::Told(_) | Consequence::Absent(_) => None,
    });
    fatal.map_or_else(|| Ok(modules.iter().map(|module| module.path.clone()).collect()), Err)
}
