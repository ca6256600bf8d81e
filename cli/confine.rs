//! The arguments for code of people one does not trust: a change that somebody proposes, compiled by CI.

use bunraku::Compiler;
use clap::Args;
use std::path::{Path, PathBuf};

/// What code may reach.
#[derive(Args, Clone, Default)]
pub struct Confine {
    /// The code is not trusted: it reads nothing but what the arguments name (environment, module path, manifest, the folder
    /// of --hiera_config), runs no program, and its Ruby has no rights: no files, no network. A compile that tries fails;
    /// but config_version is left out, and the version of catalogs is the time.
    #[arg(long, help_heading = CONFINED)]
    pub confine: bool,
    /// A file or folder that confined code may read besides.
    #[arg(long = "allow", value_name = "PATH", requires = "confine", help_heading = CONFINED)]
    allow: Vec<PathBuf>,
    /// A key of encrypted data, or a folder of keys, that Hiera may read for confined code.
    #[arg(long = "allow-key", value_name = "PATH", requires = "confine", help_heading = CONFINED)]
    allow_key: Vec<PathBuf>,
}

const CONFINED: &str = "Code that is not trusted";

impl Confine {
    /// What compiles under these arguments.
    pub fn compiler(&self) -> Compiler {
        match self.confine {
            true => Compiler::new().confined_to(self.allow.clone(), self.allow_key.clone()),
            false => Compiler::new(),
        }
    }

    /// Refuses programs that would say what a node is: a classifier that is the code's own, and whatever
    /// `trusted_external_command` names.
    ///
    /// # Errors
    /// Names the program.
    pub fn check(
        &self,
        environment: Option<&Path>,
        programs: &[(&str, Option<PathBuf>)],
    ) -> Result<(), String> {
        let folder = environment.and_then(|folder| folder.canonicalize().ok());
        for (setting, program) in programs {
            let Some(program) = program.as_ref().filter(|_| self.confine) else { continue };
            let real = program.canonicalize().unwrap_or_else(|_| program.clone());
            let is_own = folder.as_ref().is_none_or(|folder| real.starts_with(folder));
            if is_own || *setting == "trusted_external_command" {
                return Err(format!("{setting} is {}, which is not run with --confine", program.display()));
            }
        }
        Ok(())
    }
}
