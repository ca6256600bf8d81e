//! The environments that are served, by name: folders, and archives that are deployed beside them.
//!
//! With a folder of archives, `ARCHIVES/ENVIRONMENT/current` is a link to the archive that is in force. A deploy writes a new archive
//! beside the old one and renames a new link over the old: the next request is compiled from the new one, requests under way end with
//! the one they began with. The link is looked at no more than once a second.

use crate::exchange::{Failure, Request, Response, server_error};
use crate::files::Archived;
use crate::files::checksums::Hash;
use bunraku::archive::Contents;
use bunraku::files::read;
use bunraku::{Configuration, Environment, SERVER_SECTION, is_environment_name};
use http::StatusCode;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often a link is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// Hexadecimal digits of an archive's hash in a `code_id`.
const DIGITS: usize = 40;

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
    /// Its archive, where that was built with all files: then it answers for them.
    pub archived: Option<Arc<Archived>>,
}

/// All environments of a configuration.
#[derive(Debug)]
pub struct Environments {
    configuration: Configuration,
    archives: Option<PathBuf>,
    /// What each link leads to; bounded by the environments that have folders.
    current: Mutex<HashMap<String, Current>>,
}

/// An archive that is in force, and the environment that it is served as.
#[derive(Clone, Debug)]
struct Current {
    looked: Instant,
    deployed: Option<(PathBuf, Arc<Served>)>,
}

impl Environments {
    /// Those in the folders of `environmentpath`.
    pub fn new(configuration: Configuration) -> Environments {
        Environments { configuration, archives: None, current: Mutex::default() }
    }

    /// The same, compiled from archives where a folder has them.
    pub fn with_archives(self, archives: Option<PathBuf>) -> Environments {
        Environments { archives, ..self }
    }

    /// The configuration that they are read with.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// One of them, as it is now.
    ///
    /// # Errors
    /// Puppet's message where the name is none (400) or no environment has it (404); 500 where its archive can't be read.
    pub fn get(&self, name: &str) -> Result<Arc<Served>, Failure> {
        let folder = self.folder(name)?;
        if let Some(deployed) = self.deployed(name)? {
            return Ok(deployed);
        }
        let environment = self.configuration.environment(Some(name)).map_err(server_error)?;
        let environment = environment.with_code_timeout(self.timeout(name)?);
        Ok(Arc::new(Served { name: name.to_owned(), folder, environment, code_id: None, archived: None }))
    }

    /// Whether there is one of a name, whatever can be compiled from it.
    ///
    /// # Errors
    /// As of [`Environments::get`], where there is none.
    pub fn check(&self, name: &str) -> Result<(), Failure> {
        self.folder(name).map(drop)
    }

    /// The folder of one of them.
    fn folder(&self, name: &str) -> Result<PathBuf, Failure> {
        if !is_environment_name(name) {
            let message = format!("The environment must be purely alphanumeric, not '{name}'");
            return Err(Failure::new(StatusCode::BAD_REQUEST, message));
        }
        // What fails is that nobody has it.
        let found = self.configuration.environment_folder(Some(name)).ok().and_then(|(folder, _)| folder);
        found.filter(|folder| folder.is_dir()).ok_or_else(|| {
            Failure::new(StatusCode::NOT_FOUND, format!("Could not find environment '{name}'"))
        })
    }

    /// The one that a request names, for routes that are Puppet Server's own and not Puppet's.
    ///
    /// # Errors
    /// The answer where it names none that there is.
    pub fn named(&self, request: &Request) -> Result<Arc<Served>, Response> {
        let refused = |text: String| Response::text(StatusCode::BAD_REQUEST, text);
        let Some(name) = request.query("environment") else {
            return Err(refused("An environment parameter must be specified".to_owned()));
        };
        if !is_environment_name(name) {
            return Err(refused(format!("The environment must be purely alphanumeric, not '{name}'")));
        }
        self.get(name).map_err(|failure| match failure.status {
            StatusCode::NOT_FOUND => absent(failure.message),
            _ => failure.response(),
        })
    }

    /// The text of a setting as it is in force in an environment; none where there is no such setting.
    ///
    /// # Errors
    /// When the configuration can't be read.
    pub fn setting(&self, name: &str, environment: &str) -> Result<Option<String>, Failure> {
        let names = [name.to_owned()];
        let found = self.configuration.print(&names, SERVER_SECTION, Some(environment));
        Ok(found.map_err(server_error)?.into_iter().next().map(|setting| setting.text))
    }

    /// How long what has been read of an environment is used without a look at it: `environment_timeout`, where the longest time is
    /// for ever.
    ///
    /// # Errors
    /// When the configuration can't be read.
    pub fn timeout(&self, environment: &str) -> Result<Duration, Failure> {
        Ok(match self.setting("environment_timeout", environment)?.as_deref() {
            Some("unlimited" | "Infinity") => Duration::MAX,
            Some(text) => Duration::from_secs(text.parse().unwrap_or_default()),
            None => Duration::ZERO,
        })
    }

    /// One of them by its archive in force, if it has one.
    ///
    /// # Errors
    /// As of [`Environments::get`].
    pub fn deployed(&self, name: &str) -> Result<Option<Arc<Served>>, Failure> {
        let Some(archives) = self.archives.as_ref().filter(|_| is_environment_name(name)) else {
            return Ok(None);
        };
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let known = current.get(name).cloned();
        if let Some(known) = &known
            && known.looked.elapsed() < LOOK
        {
            return Ok(known.deployed.as_ref().map(|(_, served)| Arc::clone(served)));
        }
        let link = archives.join(name).join("current");
        let deployed = match link.canonicalize() {
            Ok(path) => match known.and_then(|known| known.deployed).filter(|(known, _)| *known == path) {
                Some(same) => Some(same),
                None => Some((path.clone(), Arc::new(self.look_at(&path, name)?))),
            },
            // Without the link it is compiled from its sources; a link to nothing is a deploy that has gone wrong.
            Err(error)
                if error.kind() == std::io::ErrorKind::NotFound
                    && !link.is_symlink()
                    && archives.is_dir() =>
            {
                None
            }
            Err(error) => return Err(server_error(format!("{}: {error}", link.display()))),
        };
        let served = deployed.as_ref().map(|(_, served)| Arc::clone(served));
        current.insert(name.to_owned(), Current { looked: Instant::now(), deployed });
        Ok(served)
    }

    fn look_at(&self, archive: &Path, name: &str) -> Result<Served, Failure> {
        let folder = self.folder(name)?;
        let frozen = Environment::frozen(archive).with_folder(&folder).with_name(name);
        let environment = frozen.with_configuration(&self.configuration);
        let code_id = Some(hash(archive).map_err(server_error)?);
        let contents = Contents::of(&environment).map_err(server_error)?;
        let archived = contents.map(|(contents, modules)| Archived::new(contents, modules, archive));
        let archived = archived.transpose();
        let archived = archived.map_err(|error| server_error(format!("{}: {error}", archive.display())))?;
        let archived = archived.map(Arc::new);
        Ok(Served { name: name.to_owned(), folder, environment, code_id, archived })
    }
}

/// `404` and a text, as Puppet Server's own routes have it: it does not say that it is one.
pub fn absent(text: impl Into<String>) -> Response {
    Response { headers: Vec::new(), ..Response::text(StatusCode::NOT_FOUND, text) }
}

/// The begin of a file's hash.
fn hash(file: &Path) -> Result<String, String> {
    let told = |error: std::io::Error| format!("{}: {error}", file.display());
    let (mut opened, _) = read::opened(file).map_err(told)?;
    let digits = Hash::Sha256.of(&mut opened).map_err(told)?;
    Ok(digits[..DIGITS].to_owned())
}
