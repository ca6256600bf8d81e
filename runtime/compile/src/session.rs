//! Compiles one after the other, or side by side, with what is kept between them: snapshots of environments, threads,
//! Ruby workers, connections to stores.

use crate::compile::Compile;
use crate::functions::Functions;
use crate::inputs::{AgentReport, Code, Finished, Inputs, Node, Settings, Spent};
use crate::origins::{About, Origins};
use crate::programs::{Outputs, Programs, PurePrograms};
use crate::request_settings::RequestSettings;
use crate::settings::Given;
use crate::state::journal::Log;
use crate::state::witness::Note;
use crate::stats::Stats;
use crate::threads::{self, Failure, Threads};
use bumpalo::Bump;
use bunraku_catalog::graph::CatalogGraph;
use bunraku_catalog::view::View;
use bunraku_configuration::value::Raw;
use bunraku_environment::snapshot::{EnvironmentSpec, Snapshot};
use bunraku_environment::snapshots::Snapshots;
use bunraku_environment::units::Kept;
use bunraku_files::archive::OpenArchive;
use bunraku_files::confined::Confinement;
use bunraku_files::reads::{self, Reads};
use bunraku_files::recent::{self, Recent};
use bunraku_hiera::query::{Answer, Query};
use bunraku_native_ruby::KeptTemplates;
use bunraku_nodes::facts::Facts;
use bunraku_ruby::{Ruby, Sandbox, WorkerSettings, Workers};
use bunraku_stores::{Certificates, Files, PuppetDb, Store};
use bunraku_vm::cause::{Cause, UNCAUGHT};
use bunraku_vm::coverage::{RanUnit, Watches};
use bunraku_vm::diagnostic::{Diagnostic, Place, Severity};
use bunraku_vm::function::Native;
use bunraku_vm::regex;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Where exported resources go and come from.
#[derive(Clone, Debug)]
pub struct StorePlace {
    /// A folder of catalogs, which takes in the node's, or the URL of a PuppetDB.
    pub place: String,
    /// What a PuppetDB is shown, and who signs it.
    pub certificates: Certificates,
    /// Whether a PuppetDB takes the catalog in, too.
    pub replace_catalog: bool,
    /// Whether it is a warning only where it does not.
    pub soft_write_failure: bool,
}

impl StorePlace {
    /// Whether the catalogs of compiles go there: to folders always.
    fn takes_in(&self) -> bool {
        self.replace_catalog || !is_url(&self.place)
    }
}

/// A store that takes the catalog of a compile in.
struct Taker {
    store: Arc<dyn Store>,
    place: StorePlace,
}

impl Taker {
    /// Hands a node's catalog over; what is to be logged, where it was not taken and that is to be a warning only.
    fn save(&self, node: &str, catalog: &str) -> Result<Option<Log>, String> {
        let catalog = serde_json::from_str(catalog).map_err(|error| error.to_string())?;
        match self.store.save(node, &catalog) {
            Err(message) if self.place.soft_write_failure => {
                Ok(Some(Log { level: Severity::Warning, message, place: Place::default(), source: None }))
            }
            saved => saved.map(|()| None),
        }
    }
}

/// The store of a compile.
#[derive(Clone, Debug)]
pub enum StoreAt {
    /// Of a place; the session keeps it.
    Place(StorePlace),
    /// One that is lent to the compile, which must be a trial.
    Lent(Arc<dyn Store>),
}

/// A compile that is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where manifests, modules and data lie.
    pub environment: EnvironmentSpec,
    /// Manifest text in place of the environment's manifests, and the file that it was read from, where it is to be
    /// told.
    pub code: Option<(String, Option<String>)>,
    /// The node, its facts included.
    pub node: Node,
    /// Whether its facts come from the store, which then has to be one that has facts.
    pub facts_from_store: bool,
    /// Settings and limits.
    pub settings: RequestSettings,
    /// Where exported resources go and come from.
    pub store: Option<StoreAt>,
    /// Whether the value of the last expression is wanted.
    pub want_value: bool,
    /// A look-up at the end of the compile.
    pub lookup: Option<Query>,
    /// Whether no store takes the catalog in, as it is not to come into force.
    pub is_trial: bool,
    /// Whether it is to be told what was read.
    pub gathers: bool,
    /// Whether the catalog is wanted with what it only exports, too.
    pub wants_exported: bool,
    /// A report that is handed to a processor, in place of all that a compile does.
    pub report: Option<AgentReport>,
    /// Whether it is to be told which code has run, and of which instructions which registers.
    pub covers: Option<Watches>,
    /// Of what it is to be told where it comes from.
    pub origins: Option<About>,
}

/// What a job came to.
pub struct Outcome {
    /// The catalog as JSON, or what ended the compile (its message with ` on node NAME`).
    pub result: Result<String, Diagnostic>,
    /// Log messages in order.
    pub logs: Vec<Log>,
    /// The last value, as rich data and as printed.
    pub value: Option<(String, String)>,
    /// The catalog with what it only exports, where the request wants it.
    pub stored: Option<String>,
    /// The answer to the job's look-up.
    pub lookup: Option<Answer>,
    /// Name of the node.
    pub node: String,
    /// What was called, if the job asked for it and was begun.
    pub stats: Option<Stats>,
    /// What a newer version would do otherwise, where the settings name one.
    pub notes: Vec<Note>,
    /// Where what the request asks about comes from, where there is a catalog.
    pub origins: Option<Origins>,
    /// The catalog's graph, likewise.
    pub graph: Option<CatalogGraph>,
    /// Which code has run, where the request asks for it and the compile was begun.
    pub covered: Vec<RanUnit>,
    /// What was read, where the request asks for it and the compile was begun.
    pub reads: Option<Reads>,
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
    outputs: Arc<Outputs>,
    timeout: Option<Duration>,
    confinement: Option<Confinement>,
    /// Whether what is kept is kept with what was read for it.
    tells_reads: bool,
}

impl Default for Session {
    fn default() -> Self {
        Session {
            snapshots: Snapshots::default(),
            threads: Threads::default(),
            stores: Mutex::new(Recent::new(recent::STORES)),
            workers: Arc::default(),
            functions: Arc::default(),
            outputs: Arc::default(),
            timeout: None,
            confinement: None,
            tells_reads: true,
        }
    }
}

impl Session {
    /// A session whose compiles know functions besides those of the language (see [`crate::functions`]).
    ///
    /// # Errors
    /// Names the function whose name cannot be taken.
    pub fn with_functions(functions: &'static [Native]) -> Result<Session, String> {
        Ok(Session { functions: Arc::new(Functions::new(functions)?), ..Session::default() })
    }

    /// The same session, whose compiles know other functions besides those of the language.
    pub fn with_function_set(self, functions: Functions) -> Session {
        Session { functions: Arc::new(functions), ..self }
    }

    /// The same session, whose compiles may take so long, unless a job's settings say otherwise.
    pub fn with_timeout(self, timeout: Option<Duration>) -> Session {
        Session { timeout, ..self }
    }

    /// The same session, whose compiles run code that is not trusted: it reads what an environment's place and `confinement` name
    /// and nothing else of the disk, runs no programs, and its Ruby runs in a [sandbox](bunraku_ruby::Sandbox) where not natively.
    pub fn confined_to(self, confinement: Confinement) -> Session {
        Session { confinement: Some(confinement), ..self }
    }

    /// The same session, for one run over environments that stay as they are first seen.
    pub fn with_fixed_environments(self) -> Session {
        Session { snapshots: self.snapshots.with_fixed_environments(), ..self }
    }

    /// The same session, none of whose compiles is asked what it has read.
    pub fn without_reads(self) -> Session {
        Session { tells_reads: false, ..self }
    }

    /// How long compiles may take whose request does not say.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// The snapshots of its environments.
    pub fn snapshots(&self) -> &Snapshots {
        &self.snapshots
    }

    /// For a process that is about to end: what would outlive it is ended, and the rest left as it is. To free piece by
    /// piece what the system takes back at once would only take time.
    pub fn end_without_freeing(self) {
        self.workers.end();
        self.snapshots.remember();
        self.outputs.remember();
        std::mem::forget(self);
    }

    /// Runs a compile. Everything that goes wrong, panics included, is in the outcome.
    pub fn compile(&self, request: Request) -> Outcome {
        let name = request.node.name.clone();
        self.try_to_compile(request, None).unwrap_or_else(|message| Outcome::failed(name, message))
    }

    /// Runs a compile on this thread and lets `see` look at the finished catalog while it is in memory, and at what the compile has
    /// read, where that is gathered; it may run other compiles. No JSON is written, and no store takes the catalog in. Where
    /// something goes wrong `see` is not called.
    pub fn compile_and_see(&self, request: Request, see: &mut SeeAll<'_>) -> Outcome {
        let name = request.node.name.clone();
        self.try_to_compile(request, Some(see)).unwrap_or_else(|message| Outcome::failed(name, message))
    }

    fn try_to_compile(&self, request: Request, see: Option<&mut SeeAll<'_>>) -> Result<Outcome, String> {
        let Request { mut environment, code, mut node, settings, store: place, .. } = request;
        let RequestSettings { compile: mut settings, mut ruby, given, max_file, pure_programs } = settings;
        if let Some(confinement) = &self.confinement {
            environment.confinement = Some(confinement.clone());
            settings.is_confined = true;
        }
        environment.max_file = Some(max_file);
        environment.compat = settings.compat;
        environment.strict = settings.strict;
        let name = node.name.clone();
        if request.gathers && !self.tells_reads {
            return Err("A session without reads was asked what a compile has read".to_owned());
        }
        if environment.frozen && environment.archive.is_none() {
            return Err("'frozen' needs an archive".to_owned());
        }
        let store = place.as_ref().map(|place| self.store(place)).transpose()?;
        if let (Some(store), true) = (&store, request.facts_from_store) {
            node.facts = Facts::Own(store.facts(&name)?.unwrap_or_default());
        }
        // An agent's setting: as it would have sent them.
        if given.get("include_legacy_facts") == Some(&Raw::Boolean(false)) {
            node.facts = node.facts.without_legacy();
        }
        let taker = match (&store, place) {
            (Some(store), Some(StoreAt::Place(place))) if !request.is_trial && place.takes_in() => {
                Some(Taker { store: store.clone(), place })
            }
            _ => None,
        };
        let snapshot = self.snapshots.current(environment)?;
        if let Some(fault) = snapshot.tree().fault() {
            return Err(fault);
        }
        if let (Some(file), false) = (&pure_programs.outputs, settings.is_confined) {
            self.outputs.open(file)?;
        }
        if settings.is_confined {
            ruby.sandbox = Some(Sandbox { readable: readable_for_ruby(&snapshot) });
        }
        let work = Work {
            snapshot: snapshot.clone(),
            functions: self.functions.clone(),
            outputs: self.outputs.clone(),
            pure_programs,
            workers: self.workers.clone(),
            settings,
            given,
            ruby,
            node,
            code,
            store,
            query: request.lookup,
            want_value: request.want_value,
            gathers: request.gathers || settings.is_confined,
            reads_for: match (request.gathers, self.tells_reads) {
                (true, _) => ReadsFor::Asker,
                (false, true) => ReadsFor::Others,
                (false, false) => ReadsFor::Nobody,
            },
            wants_exported: request.wants_exported || taker.is_some(),
            report: request.report,
            covers: request.covers,
            origins: request.origins,
        };
        let finished = match see {
            None => self.threads.run(settings.limits, move |arena| work.run(arena, None)),
            Some(see) => threads::here(settings.limits, |arena| work.run(arena, Some(see))),
        };
        if let Some(archive) = snapshot.tree().archive() {
            archive.remember(false);
        }
        let (mut finished, mut reads) = finished.map_err(|failure| match failure {
            Failure::Start(error) => format!("Could not start a thread: {error}"),
            Failure::Limit(limit) => limit.to_string(),
            Failure::Panic(_) => "Internal error: the compiler panicked; please report this".to_owned(),
        })?;
        if let Some(fault) = snapshot.tree().fault() {
            return Err(fault);
        }
        if let Some(refused) = reads.as_ref().and_then(|reads| reads.refused.first()) {
            let logs = finished.logs;
            let message = format!(
                "{refused} is outside of what a confined compile may read; --allow, and --allow-key of a key, name more"
            );
            return Ok(Outcome { logs, ..Outcome::failed(name, message) });
        }
        if !request.gathers {
            reads = None;
        }
        if let (Some(taker), Some(stored)) = (&taker, &finished.stored) {
            let saved = taker.save(&name, stored)?;
            finished.logs.extend(saved);
        }
        Ok(Outcome { reads, ..Outcome::of(name, finished) })
    }

    /// Lends the session an archive: jobs that name its path use it, whatever lies there.
    pub fn add_archive(&self, opened: Arc<OpenArchive>) {
        self.snapshots.add_archive(opened);
    }

    /// A snapshot of an environment as it is now.
    ///
    /// # Errors
    /// When it can't be opened.
    pub fn snapshot(&self, environment: EnvironmentSpec) -> Result<Arc<Snapshot>, String> {
        self.snapshots.current(environment)
    }

    /// The store of a place; one is kept for all compiles that name the same.
    ///
    /// # Errors
    /// When it can't be opened.
    pub fn store(&self, at: &StoreAt) -> Result<Arc<dyn Store>, String> {
        let StorePlace { place, certificates, .. } = match at {
            StoreAt::Place(place) => place,
            StoreAt::Lent(store) => return Ok(store.clone()),
        };
        let key = format!("{place} {certificates:?}");
        if let Some(kept) = self.stores.lock().ok().and_then(|mut all| all.get(&key).cloned()) {
            return Ok(kept);
        }
        let store: Arc<dyn Store> = match is_url(place) {
            true => Arc::new(PuppetDb::new(place, certificates)?),
            false => Arc::new(Files::new(Path::new(place))),
        };
        if let Ok(mut all) = self.stores.lock() {
            all.insert(key, store.clone());
        }
        Ok(store)
    }
}

/// Sees a finished catalog in memory, and what its compile has read, where that is gathered.
pub type SeeAll<'s> = dyn for<'c> FnMut(View<'c>, Option<&Reads>) + 's;

/// All that a compile needs, for the thread that runs it.
struct Work {
    snapshot: Arc<Snapshot>,
    functions: Arc<Functions>,
    outputs: Arc<Outputs>,
    pure_programs: PurePrograms,
    workers: Arc<Workers>,
    settings: Settings,
    given: Given,
    ruby: WorkerSettings,
    node: Node,
    code: Option<(String, Option<String>)>,
    store: Option<Arc<dyn Store>>,
    query: Option<Query>,
    want_value: bool,
    gathers: bool,
    reads_for: ReadsFor,
    wants_exported: bool,
    report: Option<AgentReport>,
    covers: Option<Watches>,
    origins: Option<About>,
}

/// Who may ask what a compile has read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReadsFor {
    /// Whoever has asked for this compile.
    Asker,
    /// Those who ask for other compiles of the session, by what is kept of this one.
    Others,
    /// Nobody asks any compile of the session.
    Nobody,
}

impl Work {
    /// What comes of it, and what it has read where that is gathered.
    fn run(&self, arena: &Bump, see: Option<&mut SeeAll<'_>>) -> (Finished, Option<Reads>) {
        self.settings.hashes.set_for_thread();
        if !self.gathers && !self.settings.is_confined {
            // It may run while another one is looked at that gathers.
            let compile = || self.compile(arena, see);
            let finished = match self.reads_for {
                ReadsFor::Nobody => reads::unasked(compile),
                ReadsFor::Others | ReadsFor::Asker => reads::unheard(compile),
            };
            return (finished, None);
        }
        let (finished, reads) = reads::gather(|| {
            reads::take_in(self.snapshot.reads_at_open());
            self.compile(arena, see)
        });
        (finished, Some(reads))
    }

    fn compile(&self, arena: &Bump, see: Option<&mut SeeAll<'_>>) -> Finished {
        let archive = self.snapshot.tree().archive().cloned();
        regex::with_ahead(archive.map(|archive| archive as _), || self.compile_all(arena, see))
    }

    fn compile_all(&self, arena: &Bump, see: Option<&mut SeeAll<'_>>) -> Finished {
        let inputs = Inputs {
            environment: &self.snapshot,
            kept_templates: &KeptTemplates::default(),
            kept: &Kept::default(),
            functions: &self.functions,
            programs: Programs { pure: &self.pure_programs, outputs: &self.outputs },
            settings: self.settings,
            given: &self.given,
            node: &self.node,
            code: self.code.as_ref().map(|(text, file)| Code { text, file: file.as_deref() }),
            want_value: self.want_value,
            store: self.store.as_deref(),
            ruby: Ruby::new(&self.workers, &self.ruby),
            query: self.query.as_ref(),
            wants_json: see.is_none(),
            wants_exported: self.wants_exported && see.is_none(),
            report: self.report.as_ref(),
            covers: self.covers.as_ref(),
            origins: self.origins.as_ref(),
        };
        let Some(see) = see else { return Compile::run(inputs, arena, None) };
        // What was read from a broken archive is not shown, nor what tried to read what it may not.
        let mut see = |view: View<'_>| {
            if self.snapshot.tree().fault().is_none() && !reads::was_refused() {
                let read = (self.reads_for == ReadsFor::Asker).then(reads::so_far);
                reads::unnoted(|| see(view, read.as_ref()));
            }
        };
        Compile::run(inputs, arena, Some(&mut see))
    }
}

impl Outcome {
    /// A compile that could not begin, or not be ended.
    pub(crate) fn failed(node: String, message: String) -> Outcome {
        let (spent, logs) = (Spent::default(), Vec::new());
        let result = Err(Diagnostic::error(message));
        Outcome {
            result,
            logs,
            value: None,
            stored: None,
            lookup: None,
            node,
            stats: None,
            notes: Vec::new(),
            origins: None,
            graph: None,
            covered: Vec::new(),
            reads: None,
            spent,
        }
    }

    fn of(node: String, finished: Finished) -> Outcome {
        let Finished {
            mut result,
            logs,
            value,
            stored,
            lookup,
            stats,
            notes,
            origins,
            graph,
            covered,
            spent,
        } = finished;
        // What goes wrong in a look-up is no fault of the node's; errors of Ruby that are none of Puppet's neither:
        // nobody adds its name.
        if let Err(diagnostic) = &mut result {
            if diagnostic.code == Some(UNCAUGHT) {
                diagnostic.code = None;
            } else if diagnostic.cause != Cause::StackTooDeep {
                diagnostic.message = format!("{diagnostic} on node {node}");
            }
        }
        let (result, lookup) = match lookup.transpose() {
            Ok(lookup) => (result, lookup),
            Err(diagnostic) => (Err(diagnostic), None),
        };
        Outcome {
            result,
            logs,
            value,
            stored,
            lookup,
            node,
            stats,
            notes,
            origins,
            graph,
            covered,
            reads: None,
            spent,
        }
    }
}

/// What a worker in a sandbox may read of an environment: its modules and its own Ruby and templates, as far as a confined
/// compile may. Keys that lie beside them it may not.
fn readable_for_ruby(environment: &Snapshot) -> Vec<PathBuf> {
    let own = environment.directory.iter().flat_map(|folder| [folder.join("lib"), folder.join("templates")]);
    let modules = environment.modules.path().iter().cloned();
    own.chain(modules).filter(|folder| environment.tree().may_read(folder)).collect()
}

fn is_url(place: &str) -> bool {
    place.starts_with("http://") || place.starts_with("https://")
}
