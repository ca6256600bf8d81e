//! Files that agents ask for: what is said of them and what is in them, by the mounts of modules and of `fileserver.conf`;
//! and those of static catalogs, by a version of the code.
//!
//! An archive that was built with all files answers for them ([`file_root`]): nothing is looked at on the disk, and nothing hashed. Else
//! the disk is asked anew for each request, but contents are hashed only when they have changed ([`checksums`]). The lists
//! of plugins, which every agent asks for in every run, are kept whole ([`prepared`]). Links lead where they lead, as in Puppet: a tree's authors decide what is served. What is neither file,
//! folder nor link is told of and never opened.
//!
//! Not there: keys that are URLs (`puppet:///…`), and answers in YAML.

pub mod checksums;
mod content;
mod entry;
mod file_root;
mod fileserver_conf;
mod fileset;
mod fnmatch;
mod module_lists;
mod mounts;
mod prepared;
mod static_catalog;
mod versions_kept;

pub use entry::{File, MetadataRequest};
pub use file_root::{Archived, Links};

use crate::environments::{Environments, Served};
use crate::exchange::{self, Body, Failure, Request, Response, server_error};
use crate::formats::{self, Format};
use crate::notices::Notices;
use crate::parameters::with_parameters;
use bunraku::files::read;
use checksums::{ChecksumType, Checksums, Status};
use file_root::FileRoot;
use fileserver_conf::FileserverConf;
use fileset::Search;
use http::{HeaderValue, Method, StatusCode, header};
use module_lists::ModuleLists;
use mounts::Mount;
use prepared::Prepared;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use versions_kept::VersionsKept;

/// Bytes that `fileserver.conf` may hold.
const MAX_CONF: u64 = 1 << 20;

/// Hands out files. It may be shared by threads.
#[derive(Debug)]
pub struct Files {
    shared: Shared,
    conf: PathBuf,
    mounts: Mutex<(Option<Status>, Arc<FileserverConf>)>,
    prepared: Prepared,
    notices: Notices,
    content_command: Option<PathBuf>,
    versions_kept: Option<VersionsKept>,
}

/// What all mounts need.
#[derive(Debug)]
pub struct Shared {
    environments: Arc<Environments>,
    modules: ModuleLists,
    checksums: Checksums,
    /// The type of checksums that is used where nobody says.
    digest: ChecksumType,
}

impl Shared {
    fn modules(&self, root: &FileRoot) -> Result<Arc<Vec<PathBuf>>, Failure> {
        if let Some(modules) = root.modules.get() {
            return Ok(Arc::clone(modules));
        }
        let found = self.modules.get(self.environments.configuration(), root.modulepath());
        let found = found.map_err(server_error)?;
        Ok(Arc::clone(root.modules.get_or_init(|| found)))
    }

    /// The folder of the module of a name.
    fn module(&self, root: &FileRoot, name: &str) -> Result<Option<PathBuf>, Failure> {
        match root.modules.get() {
            Some(modules) => {
                let is_it = |path: &&PathBuf| path.file_name().is_some_and(|own| own == name);
                Ok(modules.iter().find(is_it).cloned())
            }
            None => self.environments.configuration().module(root.modulepath(), name).map_err(server_error),
        }
    }
}

impl Files {
    /// The files of these environments, and of the mounts in the `fileserver.conf` at a path, if it is there.
    ///
    /// # Errors
    /// When that file can't be read or is malformed, or `digest_algorithm` is none that there is.
    pub fn new(environments: Arc<Environments>, fileserver_conf: &Path) -> Result<Files, String> {
        let digest = environments.configuration().get("digest_algorithm")?.text;
        let digest = ChecksumType::of(&digest)
            .ok_or_else(|| format!("The setting digest_algorithm has no value '{digest}'"))?;
        let status = std::fs::metadata(fileserver_conf).ok().as_ref().map(Status::of);
        let mounts = Mutex::new((status, Arc::new(read_conf(fileserver_conf)?)));
        let shared =
            Shared { environments, modules: ModuleLists::default(), checksums: Checksums::default(), digest };
        Ok(Files {
            shared,
            conf: fileserver_conf.to_path_buf(),
            mounts,
            prepared: Prepared::default(),
            notices: Notices::default(),
            content_command: None,
            versions_kept: None,
        })
    }

    /// The same, which tells of what is wrong with `fileserver.conf` and of folders with many files.
    pub fn with_notices(mut self, notices: Notices) -> Files {
        for (level, message) in &self.mounted().told {
            notices.say(level, "Puppet", message);
        }
        self.notices = notices;
        self
    }

    /// The same, where a program says what a file held in a version of the code: Puppet Server's `code-content-command`.
    pub fn with_content_command(mut self, command: Option<PathBuf>) -> Files {
        self.content_command = command;
        self
    }

    /// The same, which keeps in this folder what static catalogs name.
    pub fn with_versions_kept(mut self, folder: PathBuf) -> Files {
        self.versions_kept = Some(VersionsKept::new(folder));
        self
    }

    /// `file_metadata`: what is said of one file.
    ///
    /// # Errors
    /// Puppet's.
    pub fn metadata(&self, request: &Request, rest: &str) -> Result<Response, Failure> {
        let root = self.root(environment(request)?)?;
        let (found, format) = (self.find(&root, request, rest, "file_metadata")?, self.data_format(request));
        let path = found.ok_or_else(|| absent("file_metadata", rest))?;
        let metadata = MetadataRequest::of(request, self.shared.digest)?;
        let mut out = Vec::new();
        let file = File { base: &path, relative: None, folder: None };
        file.write(&metadata, (&root, &self.shared.checksums), &mut out)?;
        Ok(Response::of(format?.content_type(), out))
    }

    /// `file_metadatas`: what is said of all files below a folder, or below the same folder of all modules.
    ///
    /// # Errors
    /// Puppet's.
    pub fn metadatas(&self, request: &Request, rest: &str) -> Result<Response, Failure> {
        let name = environment(request)?;
        let deployed = self.shared.environments.deployed(name)?.filter(|served| served.archived.is_some());
        let version = deployed.as_ref().and_then(|served| served.code_id.as_deref());
        // A list of plugins is the same for all; those of other mounts may be a client's.
        let key = matches!(mounts::split(rest), Ok(("plugins" | "pluginfacts" | "locales", _)))
            .then(|| prepared::key(request, rest, version));
        if let Some(key) = &key
            && request.method == Method::GET
            && let Some(ready) = self.prepared.get(key)
        {
            return Ok(sent(Body::Shared(ready), self.data_format(request)?));
        }
        let mount = self.allowed(request, rest, "file_metadata", "search")?;
        let root = self.root(name)?;
        let (mount, path) = mount;
        let found = mount.search(&self.shared, &root, path.as_deref(), request)?;
        let Some((folders, may_recurse)) = found else {
            let message = format!("Could not find instances in file_metadata with '{rest}'");
            return Err(Failure::not_found(message));
        };
        let folders: Vec<String> = folders
            .into_iter()
            .map(|folder| {
                folder.strip_suffix('/').filter(|rest| !rest.is_empty()).unwrap_or(&folder).to_owned()
            })
            .collect();
        let (files, warnings) = Search::of(request, may_recurse)?.files(&root, &folders)?;
        warnings
            .into_iter()
            .for_each(|warning| self.notices.say("warning", &request.client.source(), warning));
        let metadata = MetadataRequest::of(request, self.shared.digest)?;
        let mut out = vec![b'['];
        let mut times: Vec<Option<String>> = vec![None; folders.len()];
        for (number, found) in files.iter().enumerate() {
            if number > 0 {
                out.push(b',');
            }
            let (base, time) = (&folders[found.folder], &mut times[found.folder]);
            if found.is_folder && time.is_none() {
                *time = Some(entry::time_of_base(&root, base)?);
            }
            let folder = time.as_deref().filter(|_| found.is_folder);
            let file = File { base, relative: Some(&found.relative), folder };
            file.write(&metadata, (&root, &self.shared.checksums), &mut out)?;
        }
        out.push(b']');
        let list = exchange::Shared::new(out.into());
        if let Some(key) = key {
            let time = match version {
                Some(_) => Duration::MAX,
                None => self.shared.environments.timeout(name)?,
            };
            self.prepared.keep(key, Arc::clone(&list), time);
        }
        Ok(sent(Body::Shared(list), self.data_format(request)?))
    }

    /// `file_content`: what is in a file; nothing is in a folder.
    ///
    /// # Errors
    /// Puppet's; what is neither file nor folder is refused by its kind.
    pub fn content(&self, request: &Request, rest: &str) -> Result<Response, Failure> {
        let root = self.root(environment(request)?)?;
        let path = self.find(&root, request, rest, "file_content")?;
        let path = path.ok_or_else(|| absent("file_content", rest))?;
        Links::of(request)?;
        let format = formats::of_answer(request, &[Format::Binary])?;
        self.of_path(&root, Path::new(&path), format)
    }

    /// Lets go of all that is kept of lists and modules: after a deploy, where `environment_timeout` is `unlimited`.
    pub fn forget(&self) {
        self.prepared.forget();
        self.shared.modules.forget();
    }

    fn data_format(&self, request: &Request) -> Result<Format, Failure> {
        formats::of_answer(request, formats::of_data(self.shared.environments.configuration().compat()))
    }

    /// The path that a request for one file means.
    fn find(
        &self,
        root: &FileRoot,
        request: &Request,
        rest: &str,
        indirection: &str,
    ) -> Result<Option<String>, Failure> {
        let (mount, path) = self.allowed(request, rest, indirection, "find")?;
        mount.find(&self.shared, root, path.as_deref(), request)
    }

    /// The mount of a path, where the method is one that files have.
    fn allowed(
        &self,
        request: &Request,
        rest: &str,
        indirection: &str,
        call: &str,
    ) -> Result<(Mount, Option<String>), Failure> {
        if rest.is_empty() {
            let message = format!("No request key specified in {}", request.path);
            return Err(Failure::new(StatusCode::BAD_REQUEST, message));
        }
        let call = match (&request.method, call) {
            (&Method::GET, call) | (&Method::POST, call @ "find") => call,
            (&Method::HEAD, "find") => "head",
            (&Method::DELETE, "find") => "destroy",
            (method, "search") => {
                let message = format!("No support for plurality singular for {method} operations");
                return Err(Failure::new(StatusCode::BAD_REQUEST, message));
            }
            (method, _) => {
                let message = format!("No support for http method {method}");
                return Err(Failure::new(StatusCode::METHOD_NOT_ALLOWED, message));
            }
        };
        let (name, path) = mounts::split(rest)?;
        let mount = mounts::find(name, &self.mounted()).filter(|_| matches!(call, "find" | "search"));
        mount.map(|mount| (mount, path)).ok_or_else(|| {
            let with = with_parameters(request);
            server_error(format!("Not authorized to call {call} on /{indirection}/{rest}{with}"))
        })
    }

    fn root(&self, environment: &str) -> Result<FileRoot, Failure> {
        self.root_of(&*self.shared.environments.get(environment)?)
    }

    fn root_of(&self, served: &Served) -> Result<FileRoot, Failure> {
        if let Some(archive) = &served.archived {
            return Ok(FileRoot::archived(archive));
        }
        let configuration = self.shared.environments.configuration();
        configuration.modulepath(&served.name).map(FileRoot::on_disk).map_err(server_error)
    }

    /// What `fileserver.conf` says, read again when it has changed; what can't be used leaves what was before.
    fn mounted(&self) -> Arc<FileserverConf> {
        let status = std::fs::metadata(&self.conf).ok().as_ref().map(Status::of);
        let mut mounts = self.mounts.lock().unwrap_or_else(PoisonError::into_inner);
        if mounts.0 != status {
            mounts.0 = status;
            match read_conf(&self.conf) {
                Ok(conf) => {
                    conf.told.iter().for_each(|(level, message)| self.notices.say(level, "Puppet", message));
                    mounts.1 = Arc::new(conf);
                }
                Err(error) => {
                    let message =
                        format!("Error parsing fileserver configuration: {error}; using old configuration");
                    self.notices.say("err", "Puppet", message);
                }
            }
        }
        Arc::clone(&mounts.1)
    }
}

fn read_conf(path: &Path) -> Result<FileserverConf, String> {
    match read::regular_text(path, MAX_CONF) {
        Ok(text) => FileserverConf::parse(&path.to_string_lossy(), &text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(FileserverConf::default()),
        Err(error) => Err(format!("Could not read {}: {error}", path.display())),
    }
}

/// The name of the environment that a request must have.
///
/// # Errors
/// Puppet's 400 without one.
pub fn environment(request: &Request) -> Result<&str, Failure> {
    let missing = || Failure::new(StatusCode::BAD_REQUEST, "An environment parameter must be specified");
    request.query("environment").ok_or_else(missing)
}

fn absent(indirection: &str, rest: &str) -> Failure {
    Failure::not_found(format!("Could not find {indirection} {rest}"))
}

/// `200 OK` with a body.
fn sent(body: Body, format: Format) -> Response {
    Response {
        status: StatusCode::OK,
        headers: vec![(header::CONTENT_TYPE, HeaderValue::from_static(format.content_type()))],
        body,
    }
}

#[cfg(test)]
mod tests;
