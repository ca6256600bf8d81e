//! Reports of agents, handed to what the setting `reports` names: `store`, `log`, `http`, `puppetdb`, and processors in Ruby
//! that modules of the node's environment have, or the folder of `libdir`, or a folder in which Ruby looks for libraries.
//!
//! Two reports of a node within one minute have one name in Puppet, and the second takes the place of the first. Here the
//! second has a number behind its name.

pub mod form;
mod modules;
pub(crate) mod yaml;

use crate::environments::{Environments, Served};
use crate::exchange::{Failure, Request, Response, server_error};
use crate::files::environment;
use crate::formats;
use crate::notices::Notices;
use crate::weight;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bunraku::files::write::{self, Access};
use bunraku::http::Client;
use bunraku::{Certificates, Compiler, Configuration, Node, Settings};
use http::StatusCode;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value as Json};
use std::hash::{BuildHasher as _, RandomState};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// How long a receiver of reports may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How many reports of a node are kept within one minute; more are an error.
const MOST_A_MINUTE: usize = 1000;

/// How many nodes' reports are written at once, each node's one after the other.
const LOCKS: usize = 64;

/// Who takes a report besides those that are built in; it is called with its name and the report in Puppet's one form.
pub type Taker = Arc<dyn Fn(&str, &Map<String, Json>) -> Result<(), Failure> + Send + Sync>;

/// What is done with reports. It may be shared by threads.
pub struct Reports {
    environments: Arc<Environments>,
    /// Where processors in Ruby run.
    compiler: Arc<Compiler>,
    settings: Settings,
    /// Where Ruby looks for libraries, asked once it is wanted.
    load_path: OnceLock<Vec<PathBuf>>,
    processors: Vec<Processor>,
    /// Their names as they are set.
    names: Vec<String>,
    only_changed: bool,
    notices: Notices,
}

enum Processor {
    Store {
        folder: PathBuf,
        locks: Vec<Mutex<()>>,
        hasher: RandomState,
    },
    Log,
    Http {
        url: String,
        headers: Vec<(&'static str, String)>,
        client: Client,
    },
    Taken(Taker),
    /// By its name.
    Ruby(String),
}

impl Reports {
    /// What a configuration's `reports` says.
    ///
    /// # Errors
    /// When a setting of a processor can't be used.
    pub fn new(configuration: &Configuration) -> Result<Reports, String> {
        let environments = Arc::new(Environments::new(configuration.clone()));
        Reports::of(environments, Arc::new(Compiler::new()), None)
    }

    /// The same for environments, where processors in Ruby run by this compiler and the processor `puppetdb` is this.
    ///
    /// # Errors
    /// As of [`Reports::new`].
    pub fn of(
        environments: Arc<Environments>,
        compiler: Arc<Compiler>,
        puppetdb: Option<Taker>,
    ) -> Result<Reports, String> {
        let configuration = environments.configuration();
        let given = configuration.get("reports")?.text;
        let names: Vec<String> = match given.as_str() {
            "none" => Vec::new(),
            given => {
                given.split(',').map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned).collect()
            }
        };
        let of = |name: &String| match name.as_str() {
            "store" => Processor::store(configuration),
            "log" => Ok(Processor::Log),
            "http" => Processor::http(configuration),
            "puppetdb" if let Some(taker) = &puppetdb => Ok(Processor::Taken(Arc::clone(taker))),
            other => Ok(Processor::Ruby(other.to_owned())),
        };
        let processors = names.iter().map(of).collect::<Result<_, _>>()?;
        let only_changed = configuration.get("exclude_unchanged_resources")?.text == "true";
        let settings = configuration.settings()?;
        let notices = Notices::default();
        let load_path = OnceLock::new();
        Ok(Reports { environments, compiler, settings, load_path, processors, names, only_changed, notices })
    }

    /// The same, whose processors in Ruby run within the limits of these settings.
    pub fn with_settings(self, settings: Settings) -> Reports {
        Reports { settings, load_path: OnceLock::new(), ..self }
    }

    fn load_path(&self) -> &[PathBuf] {
        self.load_path.get_or_init(|| modules::load_path(&self.settings.ruby.program))
    }

    /// What is to be said of the processors that [`Reports::missing`] names.
    ///
    /// # Errors
    /// As of that.
    pub fn doubts(&self) -> Result<Vec<String>, String> {
        let ruby = self.settings.ruby.program.display();
        let doubt = |name: &str| {
            format!(
                "The setting reports names '{name}', which no module has, nor libdir, nor the folders where {ruby} looks for libraries: copy \
                 its file to lib/puppet/reports/{name}.rb of a module"
            )
        };
        Ok(self.missing()?.into_iter().map(doubt).collect())
    }

    /// The processors of the setting that are none of the server's own, and that nobody has at this moment.
    ///
    /// # Errors
    /// When the configuration can't be read.
    pub fn missing(&self) -> Result<Vec<&str>, String> {
        let mut missing = Vec::new();
        for processor in &self.processors {
            if let Processor::Ruby(name) = processor
                && !modules::have(self.environments.configuration(), name)?
                && !modules::defined_in(self.load_path(), name)
            {
                missing.push(name.as_str());
            }
        }
        Ok(missing)
    }

    /// The same, which says here what the processor `log` logs, and what went wrong.
    pub fn with_notices(self, notices: Notices) -> Reports {
        Reports { notices, ..self }
    }

    /// `PUT report/NAME`: hands a report to all processors.
    ///
    /// # Errors
    /// Puppet's, where the request is none; 413 where it has more values than a report may have; 500 where the report could not be kept by `store` or `puppetdb`, which Puppet
    /// would only log, and where a processor in Ruby can't be loaded or is ended for its limits. That a receiver of `http` has
    /// not taken it, and what processors in Ruby raise, is logged, as in Puppet.
    pub fn save(&self, request: &Request, name: &str) -> Result<Response, Failure> {
        let served = match self.environments.get(environment(request)?) {
            // Only processors of its modules need what there is in it.
            Err(failure) if !failure.status.is_server_error() => return Err(failure),
            served => served,
        };
        let data = formats::of_data(self.environments.configuration().compat());
        let format = formats::of_answer_to_sent(request, data)?;
        formats::of_body(request, data)?;
        weight::check(&request.body, weight::OF_REPORT)?;
        let report = form::read(&request.body, self.only_changed).map_err(|why| {
            let message = format!("The request body is invalid: Could not intern from json: {why}");
            Failure::new(StatusCode::BAD_REQUEST, message)
        })?;
        let host = report.get("host").and_then(Json::as_str).unwrap_or_default();
        if host != name {
            let message = format!("Instance name {host:?} does not match requested key {name:?}");
            return Err(server_error(message));
        }
        if host.contains(['/', '\0']) || matches!(host, "" | "." | "..") {
            return Err(Failure::new(StatusCode::BAD_REQUEST, format!("Invalid node name {host:?}")));
        }
        let failures: Vec<Failure> = self
            .processors
            .iter()
            .filter_map(|one| self.process(one, (&served, &request.body), host, &report).err())
            .collect();
        for failure in &failures {
            self.notices.say("err", &request.client.source(), &failure.message);
        }
        match failures.into_iter().next() {
            Some(failure) => Err(Failure { is_told: true, ..failure }),
            None => Ok(Response::of(format.content_type(), Json::from(self.names.clone()).to_string())),
        }
    }

    fn process(
        &self,
        processor: &Processor,
        (served, sent): (&Result<Arc<Served>, Failure>, &[u8]),
        host: &str,
        report: &Map<String, Json>,
    ) -> Result<(), Failure> {
        let Processor::Ruby(name) = processor else { return processor.process(host, report, &self.notices) };
        let served = served.as_ref().map_err(Failure::clone)?;
        // These see all of it, and leave out themselves what `exclude_unchanged_resources` says.
        let all = form::read(sent, false).map_err(server_error)?;
        let json = Json::Object(all).to_string();
        let (node, environment) = (Node::new(host), &served.environment);
        let processed =
            self.compiler.process_report(environment, &node, &self.settings, (name, json), self.load_path());
        for log in &processed.logs {
            self.notices.say(log.level.name(), "Puppet", log.message.clone());
        }
        processed.result.map_err(|error| server_error(error.message))
    }
}

impl Processor {
    fn store(configuration: &Configuration) -> Result<Processor, String> {
        let folder = PathBuf::from(configuration.get("reportdir")?.text);
        let locks = (0..LOCKS).map(|_| Mutex::new(())).collect();
        Ok(Processor::Store { folder, locks, hasher: RandomState::new() })
    }

    fn http(configuration: &Configuration) -> Result<Processor, String> {
        let setting = configuration.get("report_include_system_store")?;
        if setting.text == "true" {
            return Err(format!(
                "The setting report_include_system_store is not supported ({})",
                setting.origin
            ));
        }
        let setting = configuration.get("reporturl")?;
        let (scheme, rest) = setting
            .text
            .split_once("://")
            .filter(|(scheme, _)| matches!(*scheme, "http" | "https"))
            .ok_or_else(|| format!("The setting reporturl is no URL of HTTP: {}", setting.text))?;
        let mut headers = vec![("Content-Type", "application/x-yaml".to_owned())];
        let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        let host = match authority.rsplit_once('@') {
            Some((user, host)) => {
                let user = percent_decode_str(user).decode_utf8_lossy();
                headers.push(("Authorization", format!("Basic {}", STANDARD.encode(user.as_bytes()))));
                host
            }
            None => authority,
        };
        let certificates = match scheme {
            "https" => configuration.certificates()?,
            _ => Certificates::default(),
        };
        let client = Client::new(&certificates, TIMEOUT)?;
        Ok(Processor::Http { url: format!("{scheme}://{host}{path}"), headers, client })
    }

    fn process(&self, host: &str, report: &Map<String, Json>, notices: &Notices) -> Result<(), Failure> {
        match self {
            Processor::Store { folder, locks, hasher } => {
                let number = hasher.hash_one(host) as usize % locks.len();
                let _one_at_a_time = locks[number].lock().unwrap_or_else(PoisonError::into_inner);
                let folder = folder.join(host);
                store(&folder, report).map_err(|error| {
                    server_error(format!(
                        "Could not write report for {host} in {}: {error}",
                        folder.display()
                    ))
                })
            }
            Processor::Log => {
                for log in report.get("logs").and_then(Json::as_array).into_iter().flatten() {
                    let text = |key: &str| log[key].as_str().unwrap_or_default();
                    notices.say(text("level"), &format!("//{host}/{}", text("source")), text("message"));
                }
                Ok(())
            }
            Processor::Http { url, headers, client } => {
                let headers: Vec<(&str, &str)> =
                    headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
                let said =
                    match client.post(url, &headers, &[], yaml::object(yaml::REPORT, report).as_bytes()) {
                        Ok((200..300, _)) => return Ok(()),
                        Ok((code, _)) => format!("Unable to submit report to {url} [{code}]"),
                        Err(error) => format!("Unable to submit report to {url}: {error}"),
                    };
                notices.say("err", "Puppet", said);
                Ok(())
            }
            Processor::Taken(taker) => taker(host, report),
            // These need more than a report: see `Reports::process`.
            Processor::Ruby(_) => Ok(()),
        }
    }
}

/// Writes a report into a node's folder, by the minute.
fn store(folder: &Path, report: &Map<String, Json>) -> std::io::Result<()> {
    if !folder.is_dir() {
        std::fs::create_dir_all(folder)?;
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o750))?;
    }
    let minute = bunraku::time::format(bunraku::time::now(), "%Y%m%d%H%M");
    let free = (1..=MOST_A_MINUTE).map(|number| match number {
        1 => folder.join(format!("{minute}.yaml")),
        number => folder.join(format!("{minute}-{number}.yaml")),
    });
    let mut free = free.filter(|path| path.symlink_metadata().is_err());
    let path = free.next().ok_or_else(|| {
        std::io::Error::other(format!("there are {MOST_A_MINUTE} reports of this minute already"))
    })?;
    // Its text may be several times as long as what was sent: it is there as a whole on the disk alone.
    write::streamed(&path, Access::Exactly(0o640), |out| {
        let mut out = AsText { out, failed: None };
        let written = yaml::write(yaml::REPORT, report, &mut out);
        match (out.failed, written) {
            (Some(error), _) => Err(error),
            (None, written) => written.map_err(std::io::Error::other),
        }
    })
}

/// What takes bytes, as what takes text; what fails is kept, for text has no words for it.
struct AsText<'o> {
    out: &'o mut dyn std::io::Write,
    failed: Option<std::io::Error>,
}

impl std::fmt::Write for AsText<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.failed = Some(error);
            std::fmt::Error
        })
    }
}

#[cfg(test)]
mod tests;
