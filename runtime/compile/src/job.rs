//! Jobs: one compile from start to end, as the command and `batch` run it. The `batch` protocol is one JSON job a
//! line in, one JSON result a line out.

use crate::compile::Compile;
use crate::functions::Functions;
use crate::inputs::{Code, Finished, Inputs, Node, Settings, Spent};
use crate::settings::{self, Given};
use crate::state::journal::Log;
use crate::stats::Stats;
use crate::threads::{Failure, Threads};
use bunraku_data::rich::string;
use bunraku_environment::snapshot::{EnvironmentSpec, Snapshot};
use bunraku_environment::snapshots::Snapshots;
use bunraku_environment::units::Kept;
use bunraku_erb::KeptTemplates;
use bunraku_files::archive::Opened;
use bunraku_files::read::MAX_FILE;
use bunraku_files::recent::{self, Recent};
use bunraku_hiera::query::{Answer, Query};
use bunraku_nodes::facts::Facts;
use bunraku_ruby::{self as ruby, Ruby, Workers};
use bunraku_stores::{Certificates, Files, PuppetDb, Store};
use bunraku_vm::cause::Cause;
use bunraku_vm::diagnostic::{Diagnostic, Place};
use bunraku_vm::function::Native;
use bunraku_vm::host::Strict;
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A job of `batch`; the fields are those the design names.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// Echoed in the result.
    #[serde(default)]
    pub id: Json,
    /// Manifest text in place of the environment's manifests.
    pub code: Option<String>,
    /// The file that `code` was read from, where it is to be told: a pipe, which can't be read again.
    #[serde(skip)]
    pub code_file: Option<PathBuf>,
    /// Manifest file or folder, likewise.
    pub manifest: Option<PathBuf>,
    /// Environment folder.
    pub environment: Option<PathBuf>,
    /// Its name, if not the folder's.
    pub environment_name: Option<String>,
    /// Module path: a list, or one string with colons.
    pub modulepath: Option<PathList>,
    /// Hiera configuration.
    pub hiera_config: Option<PathBuf>,
    /// Archive of the environment, or of the module path.
    pub archive: Option<PathBuf>,
    /// Whether the archive alone is asked: no source is looked at.
    #[serde(default)]
    pub frozen: bool,
    /// Certname.
    pub node: Option<String>,
    /// Facts: an object, or the path of a file.
    pub facts: Option<Arc<Json>>,
    /// Trusted facts in place of the default.
    pub trusted: Option<Map<String, Json>>,
    /// `$server_facts` in place of the default.
    pub server_facts: Option<Map<String, Json>>,
    /// Top-scope variables of an external node classifier.
    pub parameters: Option<Map<String, Json>>,
    /// Classes of one: a list of names, or an object of parameters by name.
    pub classes: Option<Json>,
    /// The Ruby that runs what modules have in Ruby: a path, or a name to be found on PATH (default `ruby`).
    pub ruby: Option<PathBuf>,
    /// Settings by Puppet's name.
    pub settings: Option<Map<String, Json>>,
    /// Where exported resources go and come from: a folder of catalogs, or the URL of a PuppetDB. A folder takes the
    /// catalog in.
    pub storeconfigs: Option<String>,
    /// Whether a PuppetDB takes the catalog in, too.
    #[serde(default)]
    pub replace_catalog: bool,
    /// Certificates for a PuppetDB.
    pub localcacert: Option<PathBuf>,
    /// The same.
    pub hostcert: Option<PathBuf>,
    /// The same.
    pub hostprivkey: Option<PathBuf>,
    /// Whether dependency cycles are errors.
    #[serde(default)]
    pub check_cycles: bool,
    /// Whether calls of functions and templates are counted.
    #[serde(default)]
    pub stats: bool,
    /// Whether they are told apart by what is around them, too.
    #[serde(default)]
    pub profile: bool,
    /// Names of resource types to describe, in place of a compile.
    pub types: Option<Vec<String>>,
    /// `value`, `catalog`.
    pub want: Option<Vec<String>>,
    /// A look-up at the end of the compile.
    pub lookup: Option<Query>,
}

impl Job {
    /// Whether it says what to compile.
    pub fn is_complete(&self) -> bool {
        self.code.is_some() || self.manifest.is_some() || self.environment.is_some() || self.archive.is_some()
    }

    /// Whether the result is to hold a thing: by default the catalog only.
    fn wants(&self, what: &str) -> bool {
        match &self.want {
            Some(list) => list.iter().any(|wanted| wanted == what),
            None => what == "catalog",
        }
    }
}

/// A module path as a job gives it.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum PathList {
    /// Folders in order.
    List(Vec<PathBuf>),
    /// Folders joined by colons.
    Joined(String),
}

impl PathList {
    /// The folders.
    pub fn folders(&self) -> Vec<PathBuf> {
        match self {
            PathList::List(folders) => folders.clone(),
            PathList::Joined(text) => text.split(':').filter(|f| !f.is_empty()).map(PathBuf::from).collect(),
        }
    }
}

/// What a job came to.
pub struct Outcome {
    /// The catalog as JSON, or what ended the compile (its message with ` on node NAME`).
    pub result: Result<String, Diagnostic>,
    /// Log messages in order.
    pub logs: Vec<Log>,
    /// The last value, as rich data and as printed.
    pub value: Option<(String, String)>,
    /// The answer to the job's look-up.
    pub lookup: Option<Answer>,
    /// Name of the node.
    pub node: String,
    /// What was called, if the job asked for it and was begun.
    pub stats: Option<Stats>,
    /// Where the time went.
    pub spent: Spent,
}

/// How long a compile of those who run many for others may take: `batch`, servers. A setting says otherwise.
pub const TIMEOUT: Duration = Duration::from_secs(300);

/// What is kept between jobs: units of files, environments, archives; see [`bunraku_files::recent`].
pub struct Session {
    snapshots: Snapshots,
    threads: Threads,
    stores: Mutex<Recent<String, Arc<dyn Store>>>,
    workers: Arc<Workers>,
    functions: Arc<Functions>,
    timeout: Option<Duration>,
}

impl Default for Session {
    fn default() -> Self {
        Session {
            snapshots: Snapshots::default(),
            threads: Threads::default(),
            stores: Mutex::new(Recent::new(recent::STORES)),
            workers: Arc::default(),
            functions: Arc::default(),
            timeout: None,
        }
    }
}

impl Session {
    /// A session whose compiles may take so long, unless a job's settings say otherwise.
    pub fn with_timeout(timeout: Option<Duration>) -> Session {
        Session { timeout, ..Session::default() }
    }

    /// A session whose compiles know functions besides those of the language (see [`crate::functions`]).
    ///
    /// # Errors
    /// Names the function whose name cannot be taken.
    pub fn with_functions(functions: &'static [Native]) -> Result<Session, String> {
        Ok(Session { functions: Arc::new(Functions::new(functions)?), ..Session::default() })
    }

    /// For a process that is about to end: what would outlive it is ended, and the rest left as it is. To free piece by
    /// piece what the system takes back at once would only take time.
    pub fn leave(self) {
        self.workers.end();
        std::mem::forget(self);
    }

    /// Runs a job. Everything that goes wrong, panics included, is in the outcome.
    pub fn run(&self, job: &Job) -> Outcome {
        let name = job.node.clone().unwrap_or_else(|| "localhost".to_owned());
        let failed = |message: String| Outcome {
            result: Err(Diagnostic::error(message)),
            logs: Vec::new(),
            value: None,
            lookup: None,
            node: name.clone(),
            stats: None,
            spent: Spent::default(),
        };
        let run = || -> Result<Outcome, String> {
            let (settings, ruby, given) = settings(job, self.timeout)?;
            if job.frozen && job.archive.is_none() {
                return Err("'frozen' needs an archive".to_owned());
            }
            let store = self.store(job)?;
            let mut node = node(job, &name)?;
            if let (Some(store), None) = (&store, &job.facts) {
                node.facts = Facts::Own(store.facts(&name)?.unwrap_or_default());
            }
            let node = node;
            let environment = self.snapshot(job)?;
            if let Some(fault) = environment.tree().fault() {
                return Err(fault);
            }
            let query = job.lookup.clone();
            let functions = self.functions.clone();
            let (code, want_value, workers) = (job.code.clone(), job.wants("value"), self.workers.clone());
            let code_file = job.code_file.as_ref().map(|file| file.to_string_lossy().into_owned());
            let (environment_of_thread, store_of_thread) = (environment.clone(), store.clone());
            let finished = self.threads.run(settings.limits, move |arena| {
                let inputs = Inputs {
                    environment: &environment_of_thread,
                    kept_templates: &KeptTemplates::default(),
                    kept: &Kept::default(),
                    functions: &functions,
                    settings,
                    given: &given,
                    node: &node,
                    code: code.as_deref().map(|text| Code { text, file: code_file.as_deref() }),
                    want_value,
                    store: store_of_thread.as_deref(),
                    ruby: Ruby::new(&workers, &ruby),
                    query: query.as_ref(),
                };
                Compile::run(inputs, arena)
            });
            let Finished { result, logs, value, stored, lookup, stats, spent } =
                finished.map_err(|failure| match failure {
                    Failure::Start(error) => format!("Could not start a thread: {error}"),
                    Failure::Limit(limit) => limit.to_string(),
                    Failure::Panic(_) => {
                        "Internal error: the compiler panicked; please report this".to_owned()
                    }
                })?;
            if let Some(fault) = environment.tree().fault() {
                return Err(fault);
            }
            if let (Some(store), Some(stored)) = (&store, stored)
                && (job.replace_catalog || !is_url(job.storeconfigs.as_deref().unwrap_or_default()))
            {
                let catalog = serde_json::from_str(&stored).map_err(|error| error.to_string())?;
                store.save(&name, &catalog)?;
            }
            let result = result.map_err(|mut diagnostic| {
                // Errors of Ruby that are none of Puppet's: nobody adds the node's name.
                if diagnostic.cause == Cause::StackTooDeep {
                    return diagnostic;
                }
                if diagnostic.code == Some(ruby::UNCAUGHT) {
                    diagnostic.code = None;
                    return diagnostic;
                }
                let full = format!("{diagnostic} on node {name}");
                diagnostic.message = full;
                diagnostic
            });
            // What goes wrong in a look-up is no fault of the node's.
            let (result, lookup) = match lookup.transpose() {
                Ok(lookup) => (result, lookup),
                Err(diagnostic) => (Err(diagnostic), None),
            };
            Ok(Outcome { result, logs, value, lookup, node: name.clone(), stats, spent })
        };
        run().unwrap_or_else(failed)
    }

    /// Lends the session an archive: jobs that name its path use it, whatever lies there.
    pub fn add_archive(&self, opened: Arc<Opened>) {
        self.snapshots.add_archive(opened);
    }

    /// The store a job names; one is kept for all jobs that name the same.
    fn store(&self, job: &Job) -> Result<Option<Arc<dyn Store>>, String> {
        let Some(place) = &job.storeconfigs else { return Ok(None) };
        let certificates = Certificates {
            authorities: job.localcacert.clone(),
            certificate: job.hostcert.clone(),
            key: job.hostprivkey.clone(),
        };
        let key = format!("{place} {certificates:?}");
        if let Some(kept) = self.stores.lock().ok().and_then(|mut all| all.get(&key).cloned()) {
            return Ok(Some(kept));
        }
        let store: Arc<dyn Store> = match is_url(place) {
            true => Arc::new(PuppetDb::new(place, &certificates)?),
            false => Arc::new(Files::new(Path::new(place))),
        };
        if let Ok(mut all) = self.stores.lock() {
            all.insert(key, store.clone());
        }
        Ok(Some(store))
    }

    fn snapshot(&self, job: &Job) -> Result<Arc<Snapshot>, String> {
        self.snapshots.current(EnvironmentSpec {
            directory: job.environment.clone(),
            name: job.environment_name.clone(),
            modulepath: job.modulepath.as_ref().map(PathList::folders),
            manifest: job.manifest.clone(),
            hiera_config: job.hiera_config.clone(),
            archive: job.archive.clone(),
            frozen: job.frozen,
            max_file: Some(max_file(job)),
        })
    }

    /// Answers one line of `batch`: the result as one line of JSON, without a line feed.
    pub fn answer(&self, line: &str) -> String {
        let job: Job = match serde_json::from_str(line) {
            Ok(job) => job,
            Err(error) => {
                // Whatever the line was, its id is echoed if it has one.
                let id = serde_json::from_str::<Json>(line).ok().and_then(|json| json.get("id").cloned());
                return failure(&id.unwrap_or_default(), &format!("Not a job: {error}"));
            }
        };
        if let Some(names) = &job.types {
            return match self.snapshot(&job) {
                Ok(environment) => {
                    format!(
                        "{{\"id\":{},\"ok\":true,\"types\":{},\"logs\":[]}}",
                        job.id,
                        environment.types.describe(names)
                    )
                }
                Err(message) => failure(&job.id, &message),
            };
        }
        if !job.is_complete() {
            return failure(
                &job.id,
                "Not a job: one of 'code', 'manifest', 'environment' and 'archive' is required",
            );
        }
        let outcome = self.run(&job);
        let mut out = String::from("{\"id\":");
        out.push_str(&job.id.to_string());
        match &outcome.result {
            Ok(catalog) => {
                out.push_str(",\"ok\":true");
                if job.wants("catalog") {
                    out.push_str(",\"catalog\":");
                    out.push_str(catalog);
                }
                if let Some((value, repr)) = outcome.value.as_ref() {
                    out.push_str(",\"value\":");
                    out.push_str(value);
                    out.push_str(",\"repr\":");
                    string(&mut out, repr);
                }
                if let Some(answer) = &outcome.lookup {
                    out.push_str(",\"lookup\":{\"found\":");
                    out.push_str(if answer.found { "true" } else { "false" });
                    out.push_str(",\"text\":");
                    string(&mut out, &answer.text);
                    if let Some(error) = &answer.error {
                        out.push_str(",\"error\":");
                        string(&mut out, error);
                    }
                    out.push('}');
                }
            }
            Err(diagnostic) => {
                out.push_str(",\"ok\":false,\"error\":{\"message\":");
                string(&mut out, &diagnostic.message);
                place(&mut out, &diagnostic.place);
                if let Some(code) = diagnostic.code {
                    out.push_str(",\"code\":");
                    string(&mut out, code);
                }
                out.push('}');
            }
        }
        if let Some(stats) = &outcome.stats {
            out.push_str(",\"stats\":");
            out.push_str(&stats.json().to_string());
        }
        out.push_str(",\"logs\":[");
        for (n, log) in outcome.logs.iter().enumerate() {
            out.push_str(if n > 0 { ",{\"level\":" } else { "{\"level\":" });
            string(&mut out, log.level.name());
            out.push_str(",\"message\":");
            string(&mut out, &log.message);
            place(&mut out, &log.place);
            out.push('}');
        }
        out.push_str("]}");
        out
    }
}

fn is_url(place: &str) -> bool {
    place.starts_with("http://") || place.starts_with("https://")
}

fn failure(id: &Json, message: &str) -> String {
    let mut out = format!("{{\"id\":{id},\"ok\":false,\"error\":{{\"message\":");
    string(&mut out, message);
    out.push_str("},\"logs\":[]}");
    out
}

fn place(out: &mut String, place: &Place) {
    if let Some(file) = &place.file {
        out.push_str(",\"file\":");
        string(out, file);
    }
    if let Some(line) = place.line {
        out.push_str(&format!(",\"line\":{line}"));
    }
    if let Some(column) = place.column {
        out.push_str(&format!(",\"column\":{column}"));
    }
}

fn settings(job: &Job, timeout: Option<Duration>) -> Result<(Settings, ruby::WorkerSettings, Given), String> {
    let mut given = Given::default();
    let mut settings = Settings {
        check_cycles: job.check_cycles,
        stats: job.stats,
        profile: job.profile,
        ..Settings::default()
    };
    settings.limits.time = timeout;
    let mut ruby = ruby::WorkerSettings::default();
    if let Some(program) = &job.ruby {
        ruby.program = program.clone();
    }
    for (name, value) in job.settings.iter().flatten() {
        match (name.as_str(), value) {
            ("strict", Json::String(text)) => {
                settings.strict = match text.as_str() {
                    "off" => Strict::Off,
                    "warning" => Strict::Warning,
                    "error" => Strict::Error,
                    other => {
                        return Err(format!(
                            "Invalid value '{other}' for parameter strict. Allowed values are 'off', 'warning', 'error'"
                        ));
                    }
                };
            }
            ("strict_variables", Json::Bool(value)) => settings.strict_variables = *value,
            ("native_stdlib", Json::Bool(value)) => settings.native_stdlib = *value,
            ("native_templates", Json::Bool(value)) => settings.native_templates = *value,
            ("max_depth", Json::Number(limit)) => settings.max_depth = whole(name, limit)?,
            ("max_calls", Json::Number(limit)) => settings.max_calls = whole(name, limit)? as u64,
            ("max_memory", Json::Number(limit)) => settings.limits.memory = whole(name, limit)?,
            ("max_nesting", Json::Number(limit)) => {
                settings.limits.nesting = u32::try_from(whole(name, limit)?).unwrap_or(u32::MAX);
            }
            ("max_steps", Json::Number(limit)) => settings.limits.steps = whole(name, limit)? as u64,
            // 0, as for Puppet's own settings of this kind, is without end.
            ("timeout", Json::Number(limit)) if limit.as_f64() == Some(0.0) => settings.limits.time = None,
            ("timeout", Json::Number(limit)) => settings.limits.time = Some(seconds(name, limit)?),
            ("exec_output", Json::Number(limit)) => settings.exec.bytes = whole(name, limit)?,
            ("exec_timeout", Json::Number(limit)) => settings.exec.time = seconds(name, limit)?,
            // Of the environment, whose files it is about.
            ("max_file", Json::Number(limit)) => _ = whole(name, limit)?,
            ("ruby_timeout", Json::Number(limit)) => ruby.timeout = seconds(name, limit)?,
            ("ruby_memory", Json::Number(limit)) => ruby.memory = whole(name, limit)? as u64,
            (name, value) => settings::give(&mut given, name, value)?,
        }
    }
    Ok((settings, ruby, given))
}

fn whole(name: &str, number: &serde_json::Number) -> Result<usize, String> {
    let whole = number.as_u64().and_then(|n| usize::try_from(n).ok());
    whole.ok_or_else(|| format!("The setting '{name}' takes a whole number, not {number}"))
}

fn seconds(name: &str, number: &serde_json::Number) -> Result<Duration, String> {
    let seconds = number.as_f64().and_then(|n| Duration::try_from_secs_f64(n).ok());
    let seconds = seconds.filter(|limit| !limit.is_zero());
    seconds.ok_or_else(|| format!("The setting '{name}' takes a number of seconds, not {number}"))
}

/// What programs may use that are run before a job begins, by its settings.
///
/// # Errors
/// When a setting makes no sense.
pub fn exec_limits(given: &Map<String, Json>) -> Result<bunraku_process::Limits, String> {
    let job = Job { settings: Some(given.clone()), ..Job::default() };
    settings(&job, None).map(|(settings, ..)| settings.exec)
}

/// Bytes that a file of the environment may hold.
fn max_file(job: &Job) -> u64 {
    let given = job.settings.as_ref().and_then(|settings| settings.get("max_file")?.as_u64());
    given.unwrap_or(MAX_FILE)
}

fn node(job: &Job, name: &str) -> Result<Node, String> {
    let facts = job.facts.as_ref().map(Facts::of).transpose()?.unwrap_or(Facts::Own(Map::new()));
    let trusted = job.trusted.clone().unwrap_or_else(|| {
        let (host, domain) = name.split_once('.').map_or((name, None), |(host, domain)| (host, Some(domain)));
        let mut map = Map::new();
        map.insert("authenticated".into(), "local".into());
        map.insert("certname".into(), name.into());
        map.insert("extensions".into(), Json::Object(Map::new()));
        map.insert("hostname".into(), host.into());
        map.insert("domain".into(), domain.map_or(Json::Null, Json::from));
        map.insert("external".into(), Json::Object(Map::new()));
        map
    });
    let server_facts = job.server_facts.clone().unwrap_or_else(|| {
        let mut map = Map::new();
        map.insert("serverversion".into(), "7.23.0".into());
        map.insert("servername".into(), "localhost".into());
        map.insert("serverip".into(), "127.0.0.1".into());
        map
    });
    let classes = match &job.classes {
        None => Vec::new(),
        Some(Json::Array(names)) => {
            names.iter().filter_map(|name| Some((name.as_str()?.to_owned(), Json::Null))).collect()
        }
        Some(Json::Object(map)) => map.iter().map(|(name, params)| (name.clone(), params.clone())).collect(),
        Some(_) => {
            return Err("'classes' must be a list of names or an object of parameters by name".to_owned());
        }
    };
    let parameters = job.parameters.clone().unwrap_or_default();
    Ok(Node { name: name.to_owned(), facts, trusted, server_facts, parameters, classes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_environments_do_not_pile_up() {
        let session = Session::default();
        let job = |n: usize| Job {
            code: Some("notice($environment)".to_owned()),
            environment_name: Some(format!("e{n}")),
            ..Job::default()
        };
        for n in 0..2 * recent::ENVIRONMENTS {
            let outcome = session.run(&job(n));
            assert!(outcome.result.is_ok());
            assert_eq!(outcome.logs.len(), 1);
        }
        assert_eq!(session.snapshots.len(), recent::ENVIRONMENTS);
    }
}
