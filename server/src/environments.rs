//! The environments that are served, by name.

use crate::exchange::Failure;
use bunraku::{Configuration, Environment, is_environment_name};
use http::StatusCode;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An environment as one request sees it.
#[derive(Clone, Debug)]
pub struct Served {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// What is compiled.
    pub environment: Environment,
    /// Names the version of its code, where that does not change under a request: the hash of an archive.
    pub code_id: Option<String>,
}

/// All environments of a configuration.
#[derive(Debug)]
pub struct Environments {
    configuration: Configuration,
}

impl Environments {
    /// Those in the folders of `environmentpath`.
    pub fn new(configuration: Configuration) -> Environments {
        Environments { configuration }
    }

    /// The configuration that they are read with.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// One of them, as it is now.
    ///
    /// # Errors
    /// Puppet's message where the name is none (400) or no environment has it (404).
    pub fn get(&self, name: &str) -> Result<Arc<Served>, Failure> {
        if !is_environment_name(name) {
            let message = format!("The environment must be purely alphanumeric, not '{name}'");
            return Err(Failure::new(StatusCode::BAD_REQUEST, message));
        }
        let failed = |message: String| Failure::new(StatusCode::INTERNAL_SERVER_ERROR, message);
        let found = self.configuration.environment_folder(Some(name)).ok().and_then(|(folder, _)| folder);
        let Some(folder) = found.filter(|folder: &PathBuf| Path::is_dir(folder)) else {
            let message = format!("Could not find environment '{name}'");
            return Err(Failure::new(StatusCode::NOT_FOUND, message));
        };
        let environment = self.configuration.environment(Some(name)).map_err(failed)?;
        Ok(Arc::new(Served { name: name.to_owned(), folder, environment, code_id: None }))
    }
}
