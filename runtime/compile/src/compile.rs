//! One compile: its state, in parts that each own what they need, and how it is run. It conducts: what is done, and
//! when, stands in [`crate::phases`]; what a part does, beside the part.

use crate::asked_data::AskedData;
use crate::functions::Functions;
use crate::inputs::{Inputs, Settings};
use crate::programs::Programs;
use crate::settings::Given;
use crate::state::accounts::Accounts;
use crate::state::aliases::TypeAliases;
use crate::state::definitions::Definitions;
use crate::state::files::KnownFiles;
use crate::state::journal::Journal;
use crate::state::links::Links;
use crate::state::recorded::Recorded;
use crate::state::resources::{Resources, TagNames};
use crate::state::scopes::ClassScopes;
use crate::state::witness::Witness;
use bumpalo::Bump;
use bunraku_catalog::Catalog;
use bunraku_environment::snapshot::Snapshot;
use bunraku_environment::units::{Kept, Units};
use bunraku_files::tree::Tree;
use bunraku_hiera::Hiera;
use bunraku_native_ruby::Templating;
use bunraku_ruby::Ruby;
use bunraku_stores::Store;
use bunraku_vm::cause::Cause;
use bunraku_vm::diagnostic::{Diagnostic, Place};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::scope::{ResourceId, Scope};
use bunraku_vm::vm::Vm;
use std::cell::{OnceCell, RefCell};
use std::path::Path;
use std::sync::atomic::Ordering;

/// What was asked for, and what outlives the compile.
pub(crate) struct CompileOptions<'c> {
    /// Name of the node.
    pub node_name: &'c str,
    pub settings: Settings,
    /// What else of Puppet's settings was set, for code that reads them.
    pub given: &'c Given,
    /// Functions of the language and of the embedding program.
    pub functions: &'c Functions,
    /// Programs that code may run.
    pub programs: Programs<'c>,
    /// Where exported resources come from.
    pub store: Option<&'c dyn Store>,
    /// Units that this compile has reached.
    pub kept: &'c Kept,
    /// Whether the catalog is written as JSON.
    pub wants_json: bool,
    /// Whether it is written with what it only exports, too.
    pub wants_exported: bool,
}

/// One compile's state. The machine reaches it as its host, through shared references: hence the cells. What they hold
/// lies in the arena and goes with it; the little that lies on the heap (Hiera's, Ruby's and ERB's state, the catalog's
/// lists) is let go of by its owner in [`Compile::run`].
pub struct Compile<'c> {
    pub(crate) arena: &'c Bump,
    pub(crate) options: CompileOptions<'c>,
    pub(crate) environment: &'c Snapshot,
    pub(crate) hiera: Hiera<'c>,
    pub(crate) ruby: Ruby<'c>,
    pub(crate) erb: Templating<'c>,
    pub(crate) journal: Journal<'c>,
    pub(crate) accounts: Accounts<'c>,
    pub(crate) definitions: Definitions<'c>,
    pub(crate) types: TypeAliases<'c>,
    pub(crate) files: KnownFiles<'c>,
    pub(crate) scopes: ClassScopes<'c>,
    pub(crate) catalog: RefCell<Catalog<'c>>,
    pub(crate) tags: TagNames<'c>,
    pub(crate) resources: Resources<'c>,
    pub(crate) links: Links<'c>,
    /// Who is told what a newer version would do otherwise.
    pub(crate) witness: Witness<'c>,
    /// What is noted of where things come from, where somebody asks.
    pub(crate) recorded: Option<&'c Recorded<'c>>,
    /// Which of the node's facts and trusted data are asked for.
    pub(crate) asked_data: AskedData<'c>,
    /// The catalog's own number, and when it was made, in seconds since 1970: the same however often it is written.
    pub(crate) made: OnceCell<(uuid::Uuid, u64)>,
    /// The catalog's version, where the environment's configuration says how to find it.
    pub(crate) version: RefCell<Option<&'c str>>,
}

impl<'c> Compile<'c> {
    /// A compile that has not begun.
    pub(crate) fn new(inputs: Inputs<'c>, arena: &'c Bump) -> Compile<'c> {
        let Inputs {
            environment,
            kept_templates,
            kept,
            functions,
            programs,
            settings,
            given,
            node,
            store,
            ruby,
            wants_json,
            wants_exported,
            origins,
            ..
        } = inputs;
        Compile {
            arena,
            options: CompileOptions {
                node_name: &node.name,
                settings,
                given,
                functions,
                programs,
                store,
                kept,
                wants_json,
                wants_exported,
            },
            environment,
            hiera: Hiera::new(arena, environment.modules.tree(), &environment.data_files),
            ruby,
            erb: Templating::new(&environment.templates, kept_templates),
            journal: Journal::new(arena),
            accounts: Accounts::new(arena, &settings),
            definitions: Definitions::new(arena),
            types: TypeAliases::new(arena),
            files: KnownFiles::new(arena),
            scopes: ClassScopes::new(arena),
            catalog: Catalog::with_capacity(arena, environment.resources.load(Ordering::Relaxed)).into(),
            tags: TagNames::new(arena),
            resources: Resources::new(arena),
            links: Links::new(arena),
            witness: Witness::new(settings.newer),
            recorded: origins.map(|_| &*arena.alloc(Recorded::default())),
            asked_data: AskedData::default(),
            made: OnceCell::new(),
            version: RefCell::new(None),
        }
    }

    /// The tree that files are read from.
    pub(crate) fn tree(&self) -> &'c Tree {
        self.environment.modules.tree()
    }

    /// The scopes of all classes that have been evaluated, in no order.
    pub(crate) fn scopes_of_classes(&self) -> Vec<&'c Scope<'c>> {
        self.scopes.of_classes.borrow().values().copied().collect()
    }

    /// The units of the environment's files.
    pub(crate) fn units(&self) -> &'c Units {
        &self.environment.units
    }

    /// Copies text into the compile's arena.
    pub(crate) fn text(&self, text: &str) -> &'c str {
        self.arena.alloc_str(text)
    }

    /// Copies a path into the compile's arena: its bytes, which are compared and hashed all at once.
    pub(crate) fn bytes_of(&self, path: &Path) -> &'c [u8] {
        self.arena.alloc_slice_copy(path.as_os_str().as_encoded_bytes())
    }

    /// Joins texts in the compile's arena.
    pub(crate) fn joined(&self, parts: &[&str]) -> &'c str {
        let length = parts.iter().map(|part| part.len()).sum();
        let mut text = bumpalo::collections::String::with_capacity_in(length, self.arena);
        parts.iter().for_each(|part| text.push_str(part));
        text.into_bump_str()
    }

    /// The class, defined type or node whose code runs in `scope`.
    pub(crate) fn source_of(&self, scope: &'c Scope<'c>) -> u32 {
        scope.container().source.get().unwrap_or(0)
    }

    /// Name of the node.
    pub(crate) fn node_name(&self) -> &'c str {
        self.options.node_name
    }

    /// The resource whose body runs in `scope`: main's at top level.
    pub(crate) fn resource_of(&self, scope: &'c Scope<'c>) -> Option<ResourceId> {
        scope.container().resource.get()
    }

    /// An error of the catalog that names the place it belongs to itself: no evaluation error is put around it.
    pub(crate) fn placed_error(&self, message: String, file: Option<&str>, line: u32) -> Box<Flow<'c>> {
        let place = Place {
            file: file.filter(|f| !f.is_empty()).map(Into::into),
            line: (line != 0).then_some(line),
            column: None,
        };
        Flow::formed(Diagnostic::error(message).at(place))
    }
}

/// What Puppet says of a `break` outside of iterations.
pub(crate) const BREAK_IS_ILLEGAL: &str = "break() from context where this is illegal";

/// Which code is kept from leaving what it stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contained {
    /// The code outside all definitions.
    Main,
    /// The body of a class, a defined type or a node.
    Body,
}

/// Runs `evaluate` and turns what must not leave a body (`break`, `next`, `return` at the wrong place) into Puppet's
/// error; `return` and `next` end the body of a definition.
pub(crate) fn contain<'c>(
    vm: &mut Vm<'c>,
    code: Contained,
    evaluate: impl FnOnce(&mut Vm<'c>) -> Eval<'c>,
) -> Eval<'c> {
    use bunraku_vm::value::Value;
    let flow = match evaluate(vm) {
        Ok(value) => return Ok(value),
        Err(flow) => flow,
    };
    let (word, place) = match *flow {
        Flow::Fault(_) => return Err(flow),
        Flow::Return(..) | Flow::Next(..) if code == Contained::Body => return Ok(Value::Undef),
        Flow::Break(place) => ("break", place),
        Flow::Next(_, place) => ("next", place),
        Flow::Return(_, place) => ("return", place),
    };
    let mut place = Place { column: None, ..place };
    // Puppet's call stack says so of code given as text.
    place.file.get_or_insert_with(|| "unknown".into());
    let cause = if word == "break" { Cause::IllegalBreak } else { Cause::Other };
    let message = format!("{word}() from context where this is illegal");
    Err(Flow::formed(Diagnostic::error(message).at(place).because(cause)))
}
