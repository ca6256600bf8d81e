//! Compiling: catalogs, values, look-ups.

use crate::bench::Target;
use crate::catalog::Catalog;
use crate::configuration::Configuration;
use crate::configured_jobs::{StoredAt, fill, with_stored};
use crate::environment::Environment;
use crate::function::Function;
use crate::node::Node;
use crate::settings::{Exported, Settings};
use crate::view::CatalogView;
use crate::why_not::DataText;
use bunraku_catalog::graph::CatalogGraph;
use bunraku_compile::Note;
use bunraku_compile::functions::{Embedded, Functions};
use bunraku_compile::inputs::{AgentReport, Newer};
use bunraku_compile::job::{self, JobAnswer};
use bunraku_compile::origins::{About, Origins};
use bunraku_compile::session::{self, Request, Session};
use bunraku_compile::threads;
use bunraku_environment::changes::Change;
use bunraku_environment::lowered::{LoweredFile, lowered_files};
use bunraku_environment::pieces::{Piece, Pieces};
use bunraku_environment::snapshot::Snapshot;
use bunraku_files::archive::OpenArchive;
use bunraku_files::confined::Confinement;
use bunraku_files::reads::{Reads, Touch};
use bunraku_stores::Store;
use bunraku_vm::coverage::{RanUnit, Watches};
use bunraku_vm::diagnostic::Diagnostic;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use bunraku_compile::Log;
pub use bunraku_compile::inputs::Spent;
pub use bunraku_compile::stats::Stats;
pub use bunraku_hiera::query::{Answer, Query};

/// Compiles nodes, from any number of threads, and keeps between compiles what does not change: snapshots of
/// environments, compiled files, threads, Ruby workers, connections.
#[derive(Default)]
pub struct Compiler {
    session: Session,
}

/// What came of a compile.
#[derive(Debug)]
pub struct Compilation<T> {
    /// What was asked for, or what ended the compile: Puppet's message, with its place and its cause.
    pub result: Result<T, Diagnostic>,
    /// Log messages in order.
    pub logs: Vec<Log>,
    /// What was counted, where the settings ask for it.
    pub stats: Option<Stats>,
    /// What was read, where the settings ask for it and the compile was begun.
    pub reads: Option<Reads>,
    /// Where the time went.
    pub spent: Spent,
}

/// A value of the last expression that code has run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluated {
    /// As rich data, in JSON.
    pub json: String,
    /// As `String($value, '%p')` prints it.
    pub text: String,
}

impl Compiler {
    /// A compiler that knows the language's own functions, and whose compiles take as long as they take.
    pub fn new() -> Compiler {
        Compiler::default()
    }

    /// The same with functions of the embedding program.
    ///
    /// # Errors
    /// Names the function whose name is taken, or is none.
    pub fn with_functions(self, functions: Vec<Function>) -> Result<Compiler, String> {
        self.with_embedded(functions.into_iter().map(Function::embedded).collect())
    }

    pub(crate) fn with_embedded(self, functions: Vec<Embedded>) -> Result<Compiler, String> {
        let functions = Functions::default().with_embedded(functions)?;
        Ok(Compiler { session: self.session.with_function_set(functions) })
    }

    /// The same, whose jobs of [`Compiler::answer`] may take so long, unless one says otherwise.
    pub fn with_timeout(self, timeout: Option<Duration>) -> Compiler {
        Compiler { session: self.session.with_timeout(timeout) }
    }

    /// The same for one run: environments stay as they are first seen, so that all nodes are compiled from the same files. Otherwise
    /// it is asked before each compile whether a file has changed, which for many nodes takes as long as to compile them.
    pub fn with_fixed_environments(self) -> Compiler {
        Compiler { session: self.session.with_fixed_environments() }
    }

    /// The same for compiles none of which is asked what it has read: nothing is noted of that.
    pub fn without_reads(self) -> Compiler {
        Compiler { session: self.session.without_reads() }
    }

    /// Lets go of the environments of a name, or of all: they are read anew when they are next compiled from, whatever
    /// [`Environment::with_code_timeout`] says.
    pub fn forget(&self, name: Option<&str>) {
        self.session.snapshots().forget(name);
    }

    /// The same for code that is not trusted: it reads what an environment names (its folder, the module path and manifest that
    /// were asked for) and `folders` besides, and nothing else of the disk, whatever path or link it tries; Hiera alone reads
    /// `keys`. It runs no programs. Ruby that is not run natively runs in a process without rights (Linux: Landlock, and
    /// namespaces of its own; elsewhere it is refused).
    pub fn confined_to(self, folders: Vec<PathBuf>, keys: Vec<PathBuf>) -> Compiler {
        Compiler { session: self.session.confined_to(Confinement { folders, keys }) }
    }

    /// Compiles a node's catalog. Panics and limits that are reached are errors of this compile; the next one is
    /// unharmed.
    pub fn compile(
        &self,
        environment: &Environment,
        node: &Node,
        settings: &Settings,
    ) -> Compilation<Catalog> {
        let outcome = self.session.compile(request(environment, node, settings));
        compilation(outcome, |made| Catalog::new(made.catalog))
    }

    /// The same; beside the catalog that the node gets the one that stores take in, which has what the node only exports, too.
    pub fn compile_with_exported(
        &self,
        environment: &Environment,
        node: &Node,
        settings: &Settings,
    ) -> Compilation<(Catalog, Catalog)> {
        let request = Request { wants_exported: true, ..request(environment, node, settings) };
        compilation(self.session.compile(request), |made| {
            (Catalog::new(made.catalog), Catalog::new(made.stored.unwrap_or_default()))
        })
    }

    /// Runs the environment's code, and gives the value of its last expression. `None` where it has none.
    pub fn evaluate(
        &self,
        environment: &Environment,
        node: &Node,
        settings: &Settings,
    ) -> Compilation<Option<Evaluated>> {
        let request = Request { want_value: true, ..request(environment, node, settings) };
        compilation(self.session.compile(request), |made| {
            made.value.map(|(json, text)| Evaluated { json, text })
        })
    }

    /// Asks Hiera as the node's code would at the end of its compile.
    pub fn look_up(
        &self,
        environment: &Environment,
        node: &Node,
        settings: &Settings,
        query: Query,
    ) -> Compilation<Answer> {
        let request = Request { lookup: Some(query), ..request(environment, node, settings) };
        compilation(self.session.compile(request), |made| made.lookup.unwrap_or_default())
    }

    /// Hands the report of a node's run, as JSON in Puppet's one form, to a processor in Ruby: the one of that name that a module of
    /// the environment has, or the folder of the setting `libdir`, or else one of the folders `further`. What the processor logs is in
    /// the logs, what it raises as well, and that nobody has it: Puppet's words.
    ///
    /// The result is an error where its file can't be loaded, or the limits of Ruby ended it.
    pub fn process_report(
        &self,
        environment: &Environment,
        node: &Node,
        settings: &Settings,
        (processor, json): (&str, String),
        further: &[PathBuf],
    ) -> Compilation<()> {
        let report = AgentReport { processor: processor.to_owned(), json, further: further.to_vec() };
        let request = Request { report: Some(report), store: None, ..request(environment, node, settings) };
        compilation(self.session.compile(request), |_| ())
    }

    /// Compiles a node's catalog, which no store takes in.
    pub fn trial(&self, target: &Target) -> Compilation<Catalog> {
        compilation(self.session.compile(trial(target)), |made| Catalog::new(made.catalog))
    }

    /// Compiles a node's catalog, which no store takes in and which is not written as JSON, and lets `see` look at it while it
    /// is in memory. It may compile, too: so two catalogs can be there at once. It is not called where the compile fails.
    ///
    /// It is for threads that [`threads::spawn`] makes: on another the result is an error that says so.
    pub fn see<T>(&self, target: &Target, see: impl FnOnce(&CatalogView<'_>) -> T) -> Compilation<T> {
        self.see_with_reads(target, |catalog, _| see(catalog))
    }

    /// The same; `see` is told what the compile has read, too, where its settings ask for that.
    pub fn see_with_reads<T>(
        &self,
        target: &Target,
        see: impl FnOnce(&CatalogView<'_>, Option<&Reads>) -> T,
    ) -> Compilation<T> {
        if !threads::is_own() {
            let message = "Internal error: catalogs are seen on threads that are made for compiles";
            let result = Err(Diagnostic::error(message));
            return Compilation {
                result,
                logs: Vec::new(),
                stats: None,
                reads: None,
                spent: Spent::default(),
            };
        }
        let (mut see, mut seen) = (Some(see), None);
        let outcome = self.session.compile_and_see(trial(target), &mut |view, read| {
            seen = see.take().map(|see| see(&CatalogView::live(view), read));
        });
        let session::Outcome { result, logs, stats, reads, spent, .. } = outcome;
        let result = match (result, seen) {
            (Err(error), _) => Err(error),
            (Ok(_), Some(seen)) => Ok(seen),
            (Ok(_), None) => {
                Err(Diagnostic::error("Internal error: the catalog was not shown; please report this"))
            }
        };
        Compilation { result, logs, stats, reads, spent }
    }

    pub(crate) fn told(&self, target: &Target, about: About) -> Compilation<Origins> {
        let request = Request { origins: Some(about), ..trial(target) };
        let session::Outcome { result, logs, stats, reads, spent, origins, .. } =
            self.session.compile(request);
        let result = result.map(|_| origins.unwrap_or_default());
        Compilation { result, logs, stats, reads, spent }
    }

    pub(crate) fn graphed(&self, target: &Target) -> Compilation<CatalogGraph> {
        let mut request = trial(target);
        request.settings.compile.graph = true;
        let session::Outcome { result, logs, stats, reads, spent, graph, .. } = self.session.compile(request);
        let result = result.map(|_| graph.unwrap_or_default());
        Compilation { result, logs, stats, reads, spent }
    }

    /// Compiles a node's catalog, which no store takes in, and tells which code has run, whether or not it comes to its end. Of the
    /// registers that `watches` names the values are told.
    pub fn covered(&self, target: &Target, watches: Watches) -> (Compilation<Catalog>, Vec<RanUnit>) {
        let request = Request { covers: Some(watches), ..trial(target) };
        let mut outcome = self.session.compile(request);
        let covered = std::mem::take(&mut outcome.covered);
        (compilation(outcome, |made| Catalog::new(made.catalog)), covered)
    }

    /// The source of each file of code of an environment, as it is now, and where what is written there is in its unit.
    ///
    /// # Errors
    /// When the environment can't be opened, or its files can't be listed.
    pub fn lowered(
        &self,
        environment: &Environment,
        settings: &Settings,
    ) -> Result<Vec<LoweredFile>, String> {
        lowered_files(&*self.snapshot(environment, settings)?, settings.strict)
    }

    /// The texts of files of data, and whether a compile that has asked these questions (sorted) has read them.
    pub(crate) fn data_texts<'p>(
        &self,
        target: &Target,
        files: impl Iterator<Item = &'p Piece>,
        touches: &[Touch],
    ) -> Result<Vec<DataText>, String> {
        let snapshot = self.snapshot(&target.environment, &target.settings)?;
        let text = |piece: &Piece| {
            let text = snapshot.tree().read_to_string(&piece.file).ok()?;
            Some(DataText { file: piece.file.clone(), text, is_read: piece.uses.met_by(touches) })
        };
        Ok(files.filter_map(text).collect())
    }

    /// Compiles a node by the version of its settings to the end, and notes every place at which a newer version would fail
    /// or do otherwise. The catalog is thrown away. The second answer is what ended the compile, if something did.
    pub fn witness(&self, target: &Target, newer: Newer) -> (Vec<Note>, Option<Diagnostic>) {
        let mut request = trial(target);
        request.settings.compile.newer = Some(newer);
        let outcome = self.session.compile(request);
        (outcome.notes, outcome.result.err())
    }

    /// What differs between the files of two environments, as they are now: what a compile may be touched by that has read
    /// one of them. Code in place of manifests is not looked at.
    ///
    /// # Errors
    /// When one of them can't be opened, or files of it can't be read.
    pub fn change(
        &self,
        from: &Environment,
        to: &Environment,
        settings: &Settings,
    ) -> Result<Change, String> {
        Change::between(&*self.snapshot(from, settings)?, &*self.snapshot(to, settings)?)
    }

    /// What the files of an environment consist of, as they are now, piece by piece. Code in place of manifests is not looked at.
    ///
    /// # Errors
    /// When it can't be opened, or its files can't be listed.
    pub fn pieces(&self, environment: &Environment, settings: &Settings) -> Result<Pieces, String> {
        Pieces::of(&*self.snapshot(environment, settings)?)
    }

    fn snapshot(&self, environment: &Environment, settings: &Settings) -> Result<Arc<Snapshot>, String> {
        let mut spec = environment.spec.clone();
        (spec.max_file, spec.compat) = (Some(settings.limits.file), settings.compat);
        spec.strict = settings.strict;
        self.session.snapshot(spec)
    }

    /// Answers a job of the `batch` protocol: one line of JSON in, one out, without a line feed. What is no job is
    /// answered with an error.
    pub fn answer(&self, line: &str) -> String {
        self.session.answer(line)
    }

    /// The same. What the job does not say of its environment, facts, classes and settings comes from a server's configuration,
    /// where one is given, as the files are at this moment. `stored` is asked for a node where the job names a place of facts:
    /// none where it knows no such place, which is a file of facts then.
    pub fn answer_with(
        &self,
        line: &str,
        configuration: Option<&Configuration>,
        stored: &StoredAt<'_>,
    ) -> JobAnswer {
        let mut job = match job::parse(line) {
            Ok(job) => job,
            Err(answer) => return answer.into(),
        };
        let filled = with_stored(&mut job, stored).and_then(|()| match configuration {
            Some(configuration) => fill(&mut job, &configuration.reread()?),
            None => Ok(()),
        });
        match filled {
            Ok(()) => self.session.answer_job(job),
            Err(message) => job::failure(&job.id, &message).into(),
        }
    }

    /// Lends an archive: environments that name its path use it, whatever lies there.
    pub fn add_archive(&self, archive: Arc<OpenArchive>) {
        self.session.add_archive(archive);
    }

    pub(crate) fn store(&self, place: &Exported) -> Result<Arc<dyn Store>, String> {
        self.session.store(&place.store())
    }

    /// For a process that is about to end: what would outlive it is ended, and the rest left as it is.
    pub fn end_without_freeing(self) {
        self.session.end_without_freeing();
    }
}

fn trial(target: &Target) -> Request {
    Request { is_trial: true, ..request(&target.environment, &target.node, &target.settings) }
}

fn request(environment: &Environment, node: &Node, settings: &Settings) -> Request {
    Request {
        environment: environment.spec.clone(),
        code: environment.code.clone(),
        node: node.node.clone(),
        facts_from_store: !node.has_facts,
        settings: settings.request(),
        store: settings.store(),
        want_value: false,
        lookup: None,
        is_trial: false,
        gathers: settings.reads,
        wants_exported: false,
        report: None,
        covers: None,
        origins: None,
    }
}

/// What a compile that has come to its end has made.
struct Made {
    catalog: String,
    stored: Option<String>,
    value: Option<(String, String)>,
    lookup: Option<Answer>,
}

fn compilation<T>(outcome: session::Outcome, take: impl FnOnce(Made) -> T) -> Compilation<T> {
    let session::Outcome { result, logs, value, stored, lookup, stats, reads, spent, .. } = outcome;
    let result = result.map(|catalog| take(Made { catalog, stored, value, lookup }));
    Compilation { result, logs, stats, reads, spent }
}
