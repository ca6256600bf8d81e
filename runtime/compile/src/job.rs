//! Jobs: one compile from start to end, as the command and `batch` run it. The `batch` protocol is one JSON job a
//! line in, one JSON result a line out.

use crate::inputs::{self, Node};
use crate::request_settings::RequestSettings;
use crate::session::{Outcome, Request, StoreAt, StorePlace};
pub use crate::session::{Session, TIMEOUT};
use bunraku_catalog::json::Form;
use bunraku_configuration::configuration::Configuration;
use bunraku_data::rich::string;
use bunraku_environment::snapshot::EnvironmentSpec;
use bunraku_hiera::query::Query;
use bunraku_nodes::facts::Facts;
use bunraku_stores::Certificates;
use bunraku_vm::compat::Compat;
use bunraku_vm::diagnostic::Place;
use bunraku_vm::host::Strict;
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A job of `batch`; the fields are those of `docs/embedding.md`.
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
    /// `$server_facts` in place of the default; `{}`, as rspec-puppet has it, where no server tells anything.
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
    /// Whether it is a warning only where it does not.
    #[serde(skip)]
    pub soft_write_failure: bool,
    /// Certificates for a PuppetDB.
    pub localcacert: Option<PathBuf>,
    /// The same.
    pub hostcert: Option<PathBuf>,
    /// The same.
    pub hostprivkey: Option<PathBuf>,
    /// Whether dependency cycles are errors.
    #[serde(default)]
    pub check_cycles: bool,
    /// Whether the catalog has exported resources, too, as a store takes it.
    #[serde(default)]
    pub exported: bool,
    /// Whether references to resources, as values of parameters, are told from text: they are
    /// `{"__ptype":"ResourceReference","__pvalue":"File[/x]"}`.
    #[serde(default)]
    pub references: bool,
    /// Whether calls of functions and templates are counted.
    #[serde(default)]
    pub stats: bool,
    /// Whether they are told apart by what is around them, too.
    #[serde(default)]
    pub profile: bool,
    /// Names of resource types to describe, in place of a compile.
    pub types: Option<Vec<String>>,
    /// What the result is to hold; by default the catalog.
    pub want: Option<Vec<Want>>,
    /// A look-up at the end of the compile.
    pub lookup: Option<Query>,
    /// The server's configuration, where there is one: what the job does not say has been filled in from there.
    #[serde(skip)]
    pub configuration: Option<Arc<Configuration>>,
}

/// What a result holds.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Want {
    /// The value of the last expression.
    Value,
    /// The catalog.
    Catalog,
}

impl Job {
    /// Whether it says what to compile.
    pub fn is_complete(&self) -> bool {
        self.configuration.is_some()
            || self.code.is_some()
            || self.manifest.is_some()
            || self.environment.is_some()
            || self.archive.is_some()
    }

    /// Name of the node.
    pub fn name(&self) -> &str {
        self.node.as_deref().unwrap_or("localhost")
    }

    /// Whether the result is to hold a thing: by default the catalog only.
    fn wants(&self, what: Want) -> bool {
        match &self.want {
            Some(list) => list.contains(&what),
            None => what == Want::Catalog,
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

impl Session {
    /// Runs a job. Everything that goes wrong, panics included, is in the outcome.
    pub fn run(&self, job: &Job) -> Outcome {
        match self.request(job) {
            Ok(request) => self.compile(request),
            Err(message) => Outcome::failed(job.name().to_owned(), message),
        }
    }

    /// What a job asks for.
    ///
    /// # Errors
    /// When a setting, the facts or the classes make no sense.
    fn request(&self, job: &Job) -> Result<Request, String> {
        let settings = settings(job, self.timeout())?;
        let store = job.storeconfigs.as_ref().map(|place| StorePlace {
            place: place.clone(),
            certificates: Certificates {
                authorities: job.localcacert.clone(),
                certificate: job.hostcert.clone(),
                key: job.hostprivkey.clone(),
            },
            replace_catalog: job.replace_catalog,
            soft_write_failure: job.soft_write_failure,
        });
        let code_file = job.code_file.as_ref().map(|file| file.to_string_lossy().into_owned());
        Ok(Request {
            environment: environment(job, settings.compile.compat),
            code: job.code.clone().map(|text| (text, code_file)),
            node: node(job, job.name())?,
            facts_from_store: job.facts.is_none(),
            settings,
            store: store.map(StoreAt::Place),
            want_value: job.wants(Want::Value),
            lookup: job.lookup.clone(),
            is_trial: false,
            gathers: false,
            wants_exported: false,
            report: None,
            covers: None,
            origins: None,
        })
    }

    /// Answers one line of `batch`: the result as one line of JSON, without a line feed.
    pub fn answer(&self, line: &str) -> String {
        match parse(line) {
            Ok(job) => self.answer_job(job).to_string(),
            Err(answer) => answer,
        }
    }

    /// The same of a job that has been read.
    pub fn answer_job(&self, job: Job) -> JobAnswer {
        if let Some(names) = &job.types {
            let environment = settings(&job, None)
                .and_then(|settings| self.snapshot(environment(&job, settings.compile.compat)));
            return match environment {
                Ok(environment) => format!(
                    "{{\"id\":{},\"ok\":true,\"types\":{},\"logs\":[]}}",
                    job.id,
                    environment.types.describe(names)
                )
                .into(),
                Err(message) => failure(&job.id, &message).into(),
            };
        }
        if !job.is_complete() {
            return failure(
                &job.id,
                "Not a job: one of 'code', 'manifest', 'environment' and 'archive' is required",
            )
            .into();
        }
        let outcome = self.run(&job);
        let mut catalog = None;
        let mut out = String::from("{\"id\":");
        out.push_str(&job.id.to_string());
        match outcome.result {
            Ok(text) => {
                out.push_str(",\"ok\":true");
                if job.wants(Want::Catalog) {
                    out.push_str(",\"catalog\":");
                    catalog = Some((out.len(), text));
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
            out.push_str(&stats.to_json());
        }
        out.push_str(",\"logs\":[");
        for (n, log) in outcome.logs.iter().enumerate() {
            out.push_str(if n > 0 { ",{\"level\":" } else { "{\"level\":" });
            string(&mut out, log.level.name());
            out.push_str(",\"message\":");
            string(&mut out, &log.message);
            place(&mut out, &log.place);
            if let Some(source) = &log.source {
                out.push_str(",\"source\":");
                string(&mut out, source);
            }
            out.push('}');
        }
        out.push_str("]}");
        JobAnswer { text: out, catalog }
    }
}

/// The answer to a job: one line of JSON, without a line feed. The catalog, nearly all of it, is as the compile has written it.
pub struct JobAnswer {
    /// All but the catalog.
    text: String,
    /// Where that stands in it, and the catalog.
    catalog: Option<(usize, String)>,
}

impl JobAnswer {
    /// Its parts in order.
    pub fn parts(&self) -> [&str; 3] {
        match &self.catalog {
            Some((at, catalog)) => [&self.text[..*at], catalog, &self.text[*at..]],
            None => [&self.text, "", ""],
        }
    }
}

impl From<String> for JobAnswer {
    fn from(text: String) -> Self {
        JobAnswer { text, catalog: None }
    }
}

impl fmt::Display for JobAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts().into_iter().try_for_each(|part| f.write_str(part))
    }
}

/// The job that a line of `batch` is.
///
/// # Errors
/// The answer to what is none.
pub fn parse(line: &str) -> Result<Job, String> {
    // Of an array it would make a job, field by field.
    let is_array = line.trim_start().starts_with('[');
    let parsed = if is_array { Err(None) } else { serde_json::from_str(line).map_err(Some) };
    parsed.map_err(|error| {
        let json = serde_json::from_str::<Json>(line).ok();
        let what = match (&json, error) {
            (Some(Json::Object(_)) | None, Some(error)) => error.to_string(),
            _ => "a job is a JSON object".to_owned(),
        };
        // Whatever the line was, its id is echoed if it has one.
        let id = json.and_then(|json| json.get("id").cloned());
        failure(&id.unwrap_or_default(), &format!("Not a job: {what}"))
    })
}

/// The environment that a job names.
fn environment(job: &Job, compat: Compat) -> EnvironmentSpec {
    EnvironmentSpec {
        directory: job.environment.clone(),
        name: job.environment_name.clone(),
        modulepath: job.modulepath.as_ref().map(PathList::folders),
        manifest: job.manifest.clone(),
        hiera_config: job.hiera_config.clone(),
        archive: job.archive.clone(),
        frozen: job.frozen,
        usual: None,
        max_file: None,
        configuration: job.configuration.clone(),
        compat,
        confinement: None,
        lent: None,
        strict: Strict::default(),
        code_timeout: Duration::ZERO,
    }
}

/// The answer to a job that can't be run.
pub fn failure(id: &Json, message: &str) -> String {
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

fn settings(job: &Job, timeout: Option<Duration>) -> Result<RequestSettings, String> {
    let mut settings = RequestSettings::default();
    settings.compile.check_cycles = job.check_cycles;
    settings.compile.form = Form { with_exported: job.exported, references: job.references, stored: false };
    settings.compile.stats = job.stats;
    settings.compile.profile = job.profile;
    settings.compile.limits.time = timeout;
    if let Some(program) = &job.ruby {
        settings.ruby.program = program.clone();
    }
    let given = || job.settings.iter().flatten();
    // Other settings go before what the version has for them.
    let (first, others) =
        (given().filter(|(name, _)| *name == "compat"), given().filter(|(name, _)| *name != "compat"));
    for (name, value) in first.chain(others) {
        settings.set(name, value)?;
    }
    Ok(settings)
}

fn node(job: &Job, name: &str) -> Result<Node, String> {
    let mut node = Node::new(name);
    if let Some(facts) = &job.facts {
        node.facts = Facts::of(facts)?;
    }
    if let Some(trusted) = &job.trusted {
        node.trusted = trusted.clone();
    }
    if let Some(server_facts) = &job.server_facts {
        node.server_facts = Some(server_facts.clone());
    }
    node.parameters = job.parameters.clone().unwrap_or_default();
    if let Some(classes) = &job.classes {
        node.classes = inputs::classes(classes)?;
    }
    Ok(node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_files::recent;

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
        assert_eq!(session.snapshots().len(), recent::ENVIRONMENTS);
    }
}
