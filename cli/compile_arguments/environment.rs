//! Which environment the arguments mean: a folder, or a name that a configuration knows.

use super::CompileArguments;
use bunraku::files::read;
use bunraku::{Configuration, Environment, find_environment, is_environment_name, modulepath};
use std::path::{Path, PathBuf};

impl CompileArguments {
    /// The environment that is compiled from: its folder and name as [`CompileArguments::environment_of`] found them, and what
    /// arguments say in its place.
    ///
    /// # Errors
    /// When a manifest that is a pipe can't be read.
    pub fn environment(
        &self,
        folder: Option<PathBuf>,
        name: Option<String>,
        configuration: Option<&Configuration>,
    ) -> Result<Environment, String> {
        let mut environment = match (&self.archive, self.frozen) {
            (Some(archive), true) => Environment::frozen(archive),
            (Some(archive), false) => Environment::default().with_archive(archive),
            (None, _) => Environment::default(),
        };
        if let Some(configuration) = configuration {
            environment = environment.with_configuration(configuration);
        }
        if let Some(folder) = folder {
            environment = environment.with_folder(folder);
        }
        if let Some(name) = name {
            environment = environment.with_name(name);
        }
        if let Some(path) = &self.modulepath {
            environment = environment.with_modulepath(modulepath(path));
        }
        if let Some(file) = &self.hiera_config {
            environment = environment.with_hiera_config(file);
        }
        if let Some(code) = &self.execute {
            environment = environment.with_code(code);
        }
        match &self.manifest {
            Some(manifest) => with_manifest(environment, manifest),
            None => Ok(environment),
        }
    }

    /// The environment's folder, where `--environment` is one: what has a slash or is a folder.
    pub fn folder(&self) -> Option<&Path> {
        let given = self.environment.as_deref()?;
        let is_name = given.to_str().is_some_and(is_environment_name);
        (!is_name || given.is_dir()).then_some(given)
    }

    /// Folder and name of the environment: a classifier's word goes before the folder's, which it moves to the
    /// folder of that name beside it. Without folders, names are looked up in the configuration; code (`has_code`) may do
    /// without any.
    ///
    /// # Errors
    /// Puppet's message where there is no environment of the name.
    pub fn environment_of(
        &self,
        said: Option<String>,
        configuration: Option<&Configuration>,
        has_code: bool,
    ) -> Result<(Option<PathBuf>, Option<String>), String> {
        let Some(given) = self.folder() else {
            return self.environment_by_name(said, configuration, has_code);
        };
        let named = given.file_name().and_then(|name| name.to_str());
        let Some(wanted) = said else { return Ok((Some(given.to_owned()), self.environment_name.clone())) };
        if self.environment_name.as_deref().or(named) == Some(&wanted) {
            return Ok((Some(given.to_owned()), Some(wanted)));
        }
        let path = given.parent().unwrap_or(Path::new("."));
        let folder = path.join(&wanted);
        if wanted.contains('/') || !folder.is_dir() {
            return Err(format!(
                "Could not find a directory environment named '{wanted}' anywhere in the path: {}. Does the directory exist?",
                path.display()
            ));
        }
        Ok((Some(folder), Some(wanted)))
    }

    /// The same where no folder is given: a classifier's word goes before the name that is given, that before the
    /// configured one.
    fn environment_by_name(
        &self,
        said: Option<String>,
        configuration: Option<&Configuration>,
        has_code: bool,
    ) -> Result<(Option<PathBuf>, Option<String>), String> {
        let given = self.environment.as_ref().map(|name| name.to_string_lossy().into_owned());
        let wanted = said.clone().or_else(|| given.clone());
        let alias = || self.environment_name.clone();
        if let (Some(wanted), Some(path), None) = (&wanted, &self.configured.environmentpath, configuration) {
            let folder = find_environment(path, wanted, false)?;
            return Ok((Some(folder), alias().or(Some(wanted.clone()))));
        }
        let Some(configuration) = configuration else {
            // As a folder it is not there; that is said when it is opened.
            return Ok((self.environment.clone(), alias().or(said)));
        };
        if self.frozen && given.is_none() {
            return Ok((None, alias().or(said)));
        }
        let found = configuration.environment_folder(wanted.as_deref().or(self.environment_name.as_deref()));
        match found {
            Ok((folder, name)) => Ok((folder, alias().or(Some(name)))),
            // Code may do without one, unless one was asked for.
            Err(_) if has_code && wanted.is_none() => Ok((None, alias())),
            Err(error) => Err(error),
        }
    }
}

/// The environment with another main manifest. A pipe is read here, once: what is read by others must be a file.
///
/// # Errors
/// When it can't be read.
pub fn with_manifest(environment: Environment, manifest: &Path) -> Result<Environment, String> {
    if !read::is_stream_at(manifest) {
        return Ok(environment.with_manifest(manifest));
    }
    let text = read::given_text(manifest, read::MAX_FILE);
    let text = text.map_err(|error| format!("Could not read {}: {error}", manifest.display()))?;
    match environment.code() {
        None => Ok(environment.with_code_of(text, manifest.to_string_lossy())),
        Some(_) => Ok(environment),
    }
}
