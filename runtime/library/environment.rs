//! What is compiled from.

use crate::configuration::Configuration;
use bunraku_environment::snapshot::{EnvironmentSpec, own_conf};
use bunraku_files::lent::Lent;
use bunraku_files::tree::Tree;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What makes a folder an environment's: what compiles read of it, and the list of modules that are to be put into it.
const SIGNS: [&str; 8] = [
    "environment.conf",
    "manifests",
    "modules",
    "hiera.yaml",
    "functions",
    "types",
    "lib/puppet",
    "Puppetfile",
];

/// Refuses a folder of which a compile would read nothing: a wrong one would compile to empty catalogs, and all would look well.
/// Puppet itself compiles such a one; it is refused where somebody names it.
///
/// # Errors
/// Names the folder, what it lacks, and a folder in it that is an environment.
pub fn check_environment(folder: &Path) -> Result<(), String> {
    if has_sign(folder) {
        return Ok(());
    }
    let entries = folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    let below = entries.filter(|path| path.join("environment.conf").is_file()).min();
    let hint = below.map_or_else(String::new, |path| format!("; is {} meant?", path.display()));
    Err(format!(
        "{} is no environment: it has no manifests, no modules, no environment.conf and no hiera.yaml{hint}",
        folder.display()
    ))
}

/// What may not be looked at counts as there: whoever opens it says why it can't be.
fn has_sign(folder: &Path) -> bool {
    SIGNS.iter().any(|sign| match folder.join(sign).symlink_metadata() {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    })
}

/// Where code and data lie: an environment's folder, an archive, a module path, code given as text. Nothing is read
/// before it is used; a [`Compiler`](crate::Compiler) keeps what it has read for as long as the files are the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Environment {
    pub(crate) spec: EnvironmentSpec,
    pub(crate) code: Option<(String, Option<String>)>,
}

impl Environment {
    /// An environment's folder, with `environment.conf`, `manifests/`, `modules/`, `hiera.yaml` as far as they are there.
    pub fn at(folder: impl Into<PathBuf>) -> Environment {
        Environment::default().with(|spec| spec.directory = Some(folder.into()))
    }

    /// Code and nothing else.
    pub fn of_code(text: impl Into<String>) -> Environment {
        Environment::default().with_code(text)
    }

    /// An archive, as [`archive::build`](crate::archive::build) makes it, which is asked alone: no source is looked at.
    pub fn frozen(archive: impl Into<PathBuf>) -> Environment {
        Environment::default().with(|spec| {
            spec.archive = Some(archive.into());
            spec.frozen = true;
        })
    }

    /// The same with an archive of it: what has changed since it was built is compiled anew.
    pub fn with_archive(self, archive: impl Into<PathBuf>) -> Environment {
        self.with(|spec| spec.archive = Some(archive.into()))
    }

    /// The same in this folder: where an archive's environment is to lie.
    pub fn with_folder(self, folder: impl Into<PathBuf>) -> Environment {
        self.with(|spec| spec.directory = Some(folder.into()))
    }

    /// The same under a name that is not the folder's.
    pub fn with_name(self, name: impl Into<String>) -> Environment {
        self.with(|spec| spec.name = Some(name.into()))
    }

    /// The name that it was given; those of a configuration have one.
    pub fn name(&self) -> Option<&str> {
        self.spec.name.as_deref()
    }

    /// The same with these folders of modules in place of its own.
    pub fn with_modulepath(self, folders: impl IntoIterator<Item = PathBuf>) -> Environment {
        self.with(|spec| spec.modulepath = Some(folders.into_iter().collect()))
    }

    /// The same with this main manifest, a file or a folder of `.pp` files, in place of its own.
    pub fn with_manifest(self, path: impl Into<PathBuf>) -> Environment {
        self.with(|spec| spec.manifest = Some(path.into()))
    }

    /// The same with code in place of its main manifest.
    pub fn with_code(mut self, text: impl Into<String>) -> Environment {
        self.code = Some((text.into(), None));
        self
    }

    /// The same, and messages name the file that the code was read from.
    pub fn with_code_of(mut self, text: impl Into<String>, file: impl Into<String>) -> Environment {
        self.code = Some((text.into(), Some(file.into())));
        self
    }

    /// The same with this configuration of Hiera's global layer.
    pub fn with_hiera_config(self, file: impl Into<PathBuf>) -> Environment {
        self.with(|spec| spec.hiera_config = Some(file.into()))
    }

    /// The same as a server's configuration has it: base module path, default manifest, Hiera's global layer, and what code
    /// reads of settings. What is said here goes before.
    pub fn with_configuration(self, configuration: &Configuration) -> Environment {
        self.with(|spec| spec.configuration = Some(configuration.own().clone()))
    }

    /// The same, whose code counts as unchanged until so long after its last use, without a look at it: Puppet's setting
    /// `environment_timeout`. The longest time is for ever; [`Compiler::forget`](crate::Compiler::forget) ends it. Data, templates and
    /// files are looked at as ever, and if one has changed, the code is, too.
    pub fn with_code_timeout(self, timeout: Duration) -> Environment {
        self.with(|spec| spec.code_timeout = timeout)
    }

    /// The code that stands in place of its main manifest.
    pub fn code(&self) -> Option<&str> {
        self.code.as_ref().map(|(text, _)| text.as_str())
    }

    /// Whether its archive alone is asked.
    pub fn is_frozen(&self) -> bool {
        self.spec.frozen
    }

    /// Whether it says what to compile: a folder, an archive, a manifest or code, or a configuration, which does.
    pub fn is_complete(&self) -> bool {
        let EnvironmentSpec { directory, manifest, archive, configuration, .. } = &self.spec;
        configuration.is_some()
            || self.code.is_some()
            || manifest.is_some()
            || directory.is_some()
            || archive.is_some()
    }

    /// Its folder, where it has one.
    pub fn folder(&self) -> Option<&Path> {
        self.spec.directory.as_deref()
    }

    /// What lies outside of it that its compiles read by a machine's configuration: Hiera's global layer, the Ruby that packages bring
    /// along. It is read now; another machine compiles with it as this one would.
    ///
    /// # Errors
    /// When it can't be read, or is too much.
    pub fn lent(&self) -> Result<Lent, String> {
        let modulepath = self.modulepath()?.unwrap_or_default();
        bunraku_environment::lent::lent(&self.spec, &modulepath)
    }

    /// The folders of its module path, as they were given or as a machine's configuration says; none where neither does.
    ///
    /// # Errors
    /// When its own configuration, or the machine's, is wrong.
    pub fn modulepath(&self) -> Result<Option<Vec<PathBuf>>, String> {
        let EnvironmentSpec { directory, modulepath, configuration, name, .. } = &self.spec;
        let (None, Some(directory), Some(configuration)) = (modulepath, directory, configuration) else {
            return Ok(modulepath.clone());
        };
        // A frozen archive's are its own to say.
        if self.spec.frozen {
            return Ok(None);
        }
        let conf = own_conf(&Tree::default(), directory, configuration.compat)?;
        let named = directory.file_name().and_then(|name| name.to_str());
        let name = name.as_deref().or(named).unwrap_or_default();
        configuration.in_force().in_environment(name, Some(&conf)).folders("modulepath").map(Some)
    }

    fn with(mut self, change: impl FnOnce(&mut EnvironmentSpec)) -> Environment {
        change(&mut self.spec);
        self
    }
}

/// The folders of a module path as Puppet writes it, joined by colons.
pub fn modulepath(text: &str) -> Vec<PathBuf> {
    text.split(':').filter(|folder| !folder.is_empty()).map(PathBuf::from).collect()
}
