//! What a compile starts from, and what it leaves.

use crate::functions::Functions;
use crate::origins::{About, Origins};
use crate::programs::Programs;
use crate::settings::Given;
use crate::state::journal::Log;
use crate::state::witness::Note;
use crate::stats::Stats;
use bunraku_catalog::graph::CatalogGraph;
use bunraku_catalog::json::Form;
use bunraku_catalog::view::View;
use bunraku_data::json as data;
use bunraku_environment::snapshot::Snapshot;
use bunraku_environment::units::Kept;
use bunraku_hiera::query::{Answer, Query};
use bunraku_native_ruby::KeptTemplates;
use bunraku_nodes::facts::Facts;
use bunraku_ruby::Ruby;
use bunraku_stores::Store;
use bunraku_vm::budget::Limits;
use bunraku_vm::calls::{MAX_CALLS, MAX_DEPTH};
use bunraku_vm::compat::{Compat, Rule};
use bunraku_vm::coverage::{RanUnit, Watches};
use bunraku_vm::diagnostic::Diagnostic;
use bunraku_vm::format::ruby_hashes::HashNotation;
use bunraku_vm::host::Strict;
use serde_json::{Map, Value as Json, json};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Settings of a compile, by Puppet's names where Puppet has them, with the defaults of a version; and its limits.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The version of the language whose rules are in force: `compat`.
    pub compat: Compat,
    /// `strict`
    pub strict: Strict,
    /// `strict_variables`
    pub strict_variables: bool,
    /// Whether native twins stand in for functions of puppetlabs-stdlib and its like: `native_stdlib`.
    pub native_stdlib: bool,
    /// Whether ERB templates and functions in Ruby run without Ruby where that is possible: `native_ruby`.
    pub native_ruby: bool,
    /// How Ruby's `inspect` writes hashes: `ruby_inspect`.
    pub hashes: HashNotation,
    /// Whether dependency cycles are errors.
    pub check_cycles: bool,
    /// What the catalog's JSON has beside what an agent wants.
    pub form: Form,
    /// The newer version of which the compile notes what it would do otherwise; its own rules stay in force.
    pub newer: Option<Newer>,
    /// Whether the catalog's graph is wanted.
    pub graph: bool,
    /// Whether calls are counted.
    pub stats: bool,
    /// Whether they are told apart by what is around them.
    pub profile: bool,
    /// How deep calls may nest: `max_depth`.
    pub max_depth: usize,
    /// How many bodies of functions, lambdas, classes and defined types may be run: `max_calls`.
    pub max_calls: u64,
    /// What else is limited: `max_nesting`, `max_steps`, `max_memory`, `timeout`.
    pub limits: Limits,
    /// Whether code is not trusted: it runs no programs.
    pub is_confined: bool,
    /// What a program that code runs may print, and how long it may take: `exec_output`, `exec_timeout`.
    pub exec: bunraku_process::Limits,
}

/// A version that a compile is to be made by later, and its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Newer {
    /// The version.
    pub compat: Compat,
    /// `strict`
    pub strict: Strict,
    /// `strict_variables`
    pub strict_variables: bool,
    /// Whether agents will send legacy facts: `include_legacy_facts`.
    pub legacy_facts: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings::of(Compat::default())
    }
}

impl Settings {
    /// The defaults of a version.
    pub fn of(compat: Compat) -> Self {
        let strict = if compat.holds(Rule::StrictByDefault) { Strict::Error } else { Strict::Warning };
        Settings {
            compat,
            strict,
            strict_variables: compat.holds(Rule::StrictByDefault),
            native_stdlib: true,
            native_ruby: true,
            hashes: HashNotation::default(),
            check_cycles: false,
            form: Form::default(),
            newer: None,
            graph: false,
            stats: false,
            profile: false,
            max_depth: MAX_DEPTH,
            max_calls: MAX_CALLS,
            limits: Limits { clock, ..Limits::default() },
            is_confined: false,
            exec: bunraku_process::Limits::default(),
        }
    }
}

impl Settings {
    /// The same settings by the rules of a version, with its defaults for what they say: `strict`, `strict_variables`.
    pub fn with_compat(self, compat: Compat) -> Self {
        let Settings { strict, strict_variables, .. } = Settings::of(compat);
        Settings { compat, strict, strict_variables, ..self }
    }
}

/// The time since a moment of this process.
fn clock() -> Duration {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed()
}

/// Code that is given as text.
#[derive(Clone, Copy)]
pub struct Code<'c> {
    /// The text.
    pub text: &'c str,
    /// The file that it came from, where it is to be named.
    pub file: Option<&'c str>,
}

/// A node and all that is known of it before its code runs.
#[derive(Clone, Debug)]
pub struct Node {
    /// Certname.
    pub name: String,
    /// Facts.
    pub facts: Facts,
    /// Trusted facts.
    pub trusted: serde_json::Map<String, serde_json::Value>,
    /// `$server_facts`, to which the environment's name is added unless there are none at all; none where they are what the
    /// version's server has.
    pub server_facts: Option<serde_json::Map<String, serde_json::Value>>,
    /// Top-scope variables of an external node classifier.
    pub parameters: serde_json::Map<String, serde_json::Value>,
    /// Classes of an external node classifier: names, each with parameters or null.
    pub classes: Vec<(String, serde_json::Value)>,
    /// Names the version of the code that its catalog is compiled from, where a server knows one.
    pub code_id: Option<String>,
}

impl Node {
    /// A node of which nothing is known but its name: `$trusted` as Puppet has it then.
    pub fn new(name: &str) -> Node {
        let (host, domain) = name.split_once('.').map_or((name, None), |(host, domain)| (host, Some(domain)));
        let trusted = json!({
            "authenticated": "local",
            "certname": name,
            "extensions": {},
            "hostname": host,
            "domain": domain,
            "external": {},
        });
        let map = |json: Json| json.as_object().cloned().unwrap_or_default();
        Node {
            name: name.to_owned(),
            facts: Facts::Own(Map::new()),
            trusted: map(trusted),
            server_facts: None,
            parameters: Map::new(),
            classes: Vec::new(),
            code_id: None,
        }
    }
}

/// What a server of a version says of itself to the nodes it compiles for.
pub fn server_facts(compat: Compat) -> Map<String, Json> {
    let mut facts = Map::new();
    if compat.holds(Rule::ServersTellTheirImplementation) {
        facts.insert("serverimplementation".to_owned(), compat.product().to_lowercase().into());
    }
    facts.insert("serverversion".to_owned(), compat.server_version().into());
    facts.insert("servername".to_owned(), "localhost".into());
    facts.insert("serverip".to_owned(), "127.0.0.1".into());
    facts
}

/// Classes as an external node classifier gives them: a list of names, or parameters by name. A number or a hash in a list has the
/// name that Puppet takes it for, which no class has.
///
/// # Errors
/// When it is neither; when something in it is no name, or no parameters, and would be lost.
pub fn classes(given: &Json) -> Result<Vec<(String, Json)>, String> {
    match given {
        Json::Null => Ok(Vec::new()),
        Json::Array(names) => {
            let name = |name: &Json| match name {
                Json::String(name) => Ok((name.clone(), Json::Null)),
                Json::Number(_) | Json::Object(_) => Ok((data::inspect(name), Json::Null)),
                other => Err(format!("'classes' has {other} in its list, which is no name of a class")),
            };
            names.iter().map(name).collect()
        }
        Json::Object(map) => {
            let given = |(name, params): (&String, &Json)| match params {
                Json::Object(_) => Ok((name.clone(), params.clone())),
                // What is empty is none.
                Json::Null | Json::Bool(false) => Ok((name.clone(), Json::Null)),
                Json::String(text) if text.is_empty() => Ok((name.clone(), Json::Null)),
                Json::Array(items) if items.is_empty() => Ok((name.clone(), Json::Null)),
                other => Err(format!("The parameters of class {name} are no hash: {other}")),
            };
            map.iter().map(given).collect()
        }
        _ => Err("'classes' must be a list of names or an object of parameters by name".to_owned()),
    }
}

/// What a compile leaves.
pub struct Finished {
    /// The catalog as JSON, empty where none is wanted; or what ended the compile.
    pub result: Result<String, Diagnostic>,
    /// Log messages in order.
    pub logs: Vec<Log>,
    /// The catalog with exported resources, where it is wanted.
    pub stored: Option<String>,
    /// The value of the main manifest's last expression, as rich data and as `%p` prints it.
    pub value: Option<(String, String)>,
    /// What was called, where that was to be counted.
    pub stats: Option<Stats>,
    /// What a newer version would do otherwise, where one was named.
    pub notes: Vec<Note>,
    /// Where what was asked about comes from, where something was and the compile came to its end.
    pub origins: Option<Origins>,
    /// The catalog's graph, likewise.
    pub graph: Option<CatalogGraph>,
    /// Which code has run, where that was asked for.
    pub covered: Vec<RanUnit>,
    /// The answer to the query, if there was one.
    pub lookup: Option<Result<Answer, Diagnostic>>,
    /// Where its time went.
    pub spent: Spent,
}

impl Finished {
    /// A result with nothing beside it.
    pub(crate) fn of(result: Result<String, Diagnostic>) -> Self {
        Finished {
            result,
            logs: Vec::new(),
            stored: None,
            value: None,
            stats: None,
            notes: Vec::new(),
            origins: None,
            graph: None,
            covered: Vec::new(),
            lookup: None,
            spent: Spent::default(),
        }
    }
}

/// Where the time of a compile went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// In ERB templates that Ruby rendered, with what they ask of the compile.
    pub templates: Duration,
    /// In ERB templates rendered without it.
    pub native_templates: Duration,
    /// In functions in Ruby and in what loads them, likewise.
    pub functions: Duration,
    /// In writing the catalog as JSON.
    pub json: Duration,
    /// Resources of the catalog, virtual ones left out.
    pub resources: usize,
}

impl std::ops::AddAssign for Spent {
    /// Times add up; of resources the last count stands.
    fn add_assign(&mut self, other: Spent) {
        self.templates += other.templates;
        self.native_templates += other.native_templates;
        self.functions += other.functions;
        self.json += other.json;
        self.resources = other.resources;
    }
}

/// Sees a finished catalog in memory.
pub type See<'s> = dyn for<'c> FnMut(View<'c>) + 's;

/// What a compile starts from; all of it outlives the compile.
pub struct Inputs<'c> {
    /// Where manifests, modules and data lie.
    pub environment: &'c Snapshot,
    /// ERB templates that this compile has reached.
    pub kept_templates: &'c KeptTemplates,
    /// Units that this compile has reached.
    pub kept: &'c Kept,
    /// Functions of the language and of the embedding program.
    pub functions: &'c Functions,
    /// Programs that code may run.
    pub programs: Programs<'c>,
    /// Settings.
    pub settings: Settings,
    /// What else of Puppet's settings the job has set, for code that reads them.
    pub given: &'c Given,
    /// The node.
    pub node: &'c Node,
    /// A manifest in place of the environment's.
    pub code: Option<Code<'c>>,
    /// Whether the last expression's value is to be described: that can cost more than the compile.
    pub want_value: bool,
    /// Where exported resources come from.
    pub store: Option<&'c dyn Store>,
    /// How code in Ruby is run.
    pub ruby: Ruby<'c>,
    /// A look-up at the end of the compile.
    pub query: Option<&'c Query>,
    /// Whether the catalog is written as JSON.
    pub wants_json: bool,
    /// Whether it is written with what it only exports, too.
    pub wants_exported: bool,
    /// A report that is handed to a processor, in place of all that a compile does.
    pub report: Option<&'c AgentReport>,
    /// Whether it is to be told which code has run, and of which instructions which registers.
    pub covers: Option<&'c Watches>,
    /// Of what it is to be told where it comes from.
    pub origins: Option<&'c About>,
}

/// What an agent tells of a run, for a processor in Ruby.
#[derive(Clone, Debug)]
pub struct AgentReport {
    /// The processor's name.
    pub processor: String,
    /// The report in Puppet's one form, as JSON.
    pub json: String,
    /// Folders of Ruby that may have the processor if no module has, nor `libdir`.
    pub further: Vec<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source: Puppet 7.23 and 8.10, whose errors of Ruby's own are told in words here.
    #[test]
    fn what_is_no_class_is_not_passed_over() {
        let names = |given: Json| -> Result<Vec<String>, String> {
            Ok(classes(&given)?.into_iter().map(|(name, _)| name).collect())
        };
        assert_eq!(
            names(json!(["a", 5, {"b": {}}])),
            Ok(["a", "5", "{\"b\"=>{}}"].map(str::to_owned).to_vec())
        );
        for (item, text) in [(json!(null), "null"), (json!(true), "true"), (json!(["b"]), "[\"b\"]")] {
            let error = format!("'classes' has {text} in its list, which is no name of a class");
            assert_eq!(names(json!(["a", item])), Err(error));
        }
        let empty = json!({"a": null, "b": false, "c": "", "d": []});
        assert!(
            classes(&empty).is_ok_and(|all| all.len() == 4 && all.iter().all(|(_, given)| given.is_null()))
        );
        for (params, text) in [(json!(7), "7"), (json!("x"), "\"x\""), (json!(["x"]), "[\"x\"]")] {
            let error = format!("The parameters of class a are no hash: {text}");
            assert_eq!(names(json!({"a": params})), Err(error));
        }
    }
}
