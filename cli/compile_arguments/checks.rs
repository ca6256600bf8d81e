//! Refuses files and folders that arguments name and from which nothing would be compiled.

use super::{CompileArguments, Purpose};
use crate::configured::there;
use bunraku::{check_environment, modulepath};
use std::path::PathBuf;

impl CompileArguments {
    /// Refuses a folder as the environment of which nothing would be compiled, unless something else says what is; what lies below it
    /// has not been looked at then. Code of the command itself (`purpose`) does without, and those of trees have been looked at.
    ///
    /// # Errors
    /// Names the folder.
    pub fn check_folder(&self, purpose: Purpose) -> Result<(), String> {
        let does_without = self.does_without_environment()
            || purpose == Purpose::Code
            || purpose == Purpose::Data && self.hiera_config.is_some();
        let is_looked_at = self.frozen || self.archive.is_some() || self.is_of_tree;
        match self.folder().filter(|folder| !does_without && !is_looked_at && folder.is_dir()) {
            Some(folder) => check_environment(folder),
            None => Ok(()),
        }
    }

    /// Refuses files and folders that arguments name and that are not there: where they are passed over, another catalog is compiled.
    ///
    /// # Errors
    /// Names the argument and what is missing.
    pub fn check_named(&self) -> Result<(), String> {
        self.configured.check_named()?;
        there("factpath", self.factpath.as_deref())?;
        there("enc-answers", self.enc_answers.as_deref())?;
        // Those of an archive need not be there, and the folders of a tree are what it says they are.
        if !self.frozen {
            there("hiera_config", self.hiera_config.as_deref())?;
        }
        let given = self.modulepath.as_deref().filter(|_| !self.frozen && !self.is_of_tree);
        let folders = given.map_or_else(Vec::new, modulepath);
        // Of several folders some may be missing, as in Puppet: one path is written for machines that have other ones.
        match folders.iter().any(|folder| folder.exists()) {
            true => Ok(()),
            false => there("modulepath", folders.first().map(PathBuf::as_path)),
        }
    }
}
