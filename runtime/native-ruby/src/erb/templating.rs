//! ERB of one compile: which templates it has met, what they have set, and how deep they render each other.

use crate::erb::defined::DefinedByTemplates;
use crate::erb::lowered::Lowered;
use crate::erb::set_variables::{Replay, SetByTemplates};
use crate::erb::templates::Templates;
use crate::eval::{self, Rendered, Stack, Stopped, Waiting};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::functions::Journal;
use crate::functions::raised::RaisedErrors;
use crate::functions::rests::CertainCall;
use crate::random::OwnGenerator;
use crate::space::Space;
use crate::tree::Unsupported;
use crate::value::V;
use crate::world::{NativeWorld, WorkerState};
use bunraku_vm::host::Erb;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Object;
use bunraku_vm::vm::Vm;
use elsa::FrozenVec;
use hashbrown::HashMap;
use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The templates that a compile uses, kept for as long as it runs and lent to it where they lie.
#[derive(Default)]
pub struct KeptTemplates(FrozenVec<Arc<Lowered>>);

/// What a compile has of ERB.
pub struct Templating<'c> {
    /// The templates of all compiles.
    templates: &'c Templates,
    kept: &'c KeptTemplates,
    met: Met<'c>,
    /// Variables that templates have set.
    pub(crate) set_by_templates: SetByTemplates<'c>,
    /// Templates that have defined methods.
    pub(crate) defined_by_templates: DefinedByTemplates<'c>,
    /// Global variables that templates have set.
    pub(crate) globals: RefCell<HashMap<&'c str, V<'c>>>,
    /// How many templates are being rendered, each within the one before.
    depth: Cell<usize>,
    /// What the Ruby of the compile has defined.
    space: Space<'c>,
    /// Exceptions that functions have raised.
    pub(crate) raised: RaisedErrors<'c>,
    /// The module whose function is being loaded.
    pub(crate) owner: RefCell<String>,
    /// A stack that is used again and again, for runs one after the other.
    pub(crate) spare_stack: Cell<Stack<'c>>,
    /// Runs that wait for a function of Puppet's, which may call a block of theirs.
    pub(crate) waiting: RefCell<Vec<Waiting<'c>>>,
    /// Ruby's own generator of random numbers.
    pub(crate) random: OwnGenerator,
    /// What is certain of the last call of a look-up's function, and the context that it was given.
    pub(crate) certain: Cell<Option<(&'c Object<'c>, CertainCall<'c>)>>,
}

/// The templates that the compile has met: the second rendering of one asks neither the disk nor a lock.
///
/// Key: the file's path, or the text. Bound: the templates that the compile renders. Stale: never, for a compile sees
/// each file once; they go when it ends. Held by `tests/tests/erb.rs`, where templates are rendered again and again.
#[derive(Default)]
struct Met<'c> {
    files: RefCell<HashMap<String, &'c Lowered>>,
    texts: RefCell<HashMap<String, &'c Lowered>>,
    ruby: RefCell<HashMap<PathBuf, &'c Lowered>>,
}

/// What statistics call a template.
pub fn name_of<'t>(erb: &Erb<'t>) -> &'t str {
    match erb {
        Erb::File { name, .. } => name,
        Erb::Text(_) => "inline_template",
    }
}

impl<'c> Templating<'c> {
    /// Nothing has been rendered yet. `templates` outlives the compile, `kept` goes with it.
    pub fn new(templates: &'c Templates, kept: &'c KeptTemplates) -> Self {
        Templating {
            templates,
            kept,
            met: Met::default(),
            set_by_templates: SetByTemplates::default(),
            defined_by_templates: DefinedByTemplates::default(),
            globals: RefCell::default(),
            depth: Cell::new(0),
            space: Space::default(),
            raised: RaisedErrors::default(),
            owner: RefCell::default(),
            spare_stack: Cell::default(),
            waiting: RefCell::default(),
            random: OwnGenerator::default(),
            certain: Cell::default(),
        }
    }

    /// Renders a template. What it gives is to be done by the caller: nothing of it can be seen before, but for functions that it
    /// calls.
    ///
    /// # Errors
    /// Where Ruby has to do it: what it has called by then.
    pub fn render(
        &self,
        world: &dyn NativeWorld<'c>,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        erb: &Erb<'_>,
    ) -> Result<Rendered<'c>, Journal<'c>> {
        self.set_by_templates.begin();
        let rendered = self.try_to_render(world, vm, scope, erb);
        let was_used = self.set_by_templates.was_used();
        let calls = match rendered {
            // It would have to be rendered again, should a worker ask for what it has set or defined.
            Ok(rendered) if rendered.called.is_some() && (was_used || rendered.defines()) => {
                rendered.called.unwrap_or_default()
            }
            Ok(rendered)
                if was_used && (rendered.has_effects() || rendered.has_drawn || rendered.defines())
                    || rendered.defines() && !rendered.logs.is_empty() =>
            {
                Journal::default()
            }
            Ok(rendered) => {
                match was_used {
                    true => self.set_by_templates.note(scope, erb),
                    false => self.note_defined(scope, erb, &rendered),
                }
                return Ok(rendered);
            }
            Err((_, calls)) => calls,
        };
        self.set_by_templates.take_back();
        Err(calls)
    }

    /// What a worker has to render again that asks for variables as a scope sees them, for some names or all, where templates
    /// have set any of them: from now on these are Ruby's.
    pub fn take_replays(&self, scope: &'c Scope<'c>, names: Option<&[&str]>) -> Vec<Replay<'c>> {
        match self.set_by_templates.are_among(scope, names) {
            true => self.set_by_templates.take_replays(),
            false => Vec::new(),
        }
    }

    /// What a worker has to render again before it renders a template: those of before that have defined methods which it
    /// may call. `text` gives its text, and is asked only where there are any.
    pub fn take_definitions(&self, text: impl FnOnce() -> Option<String>) -> Vec<Replay<'c>> {
        match self.defined_by_templates.is_any() {
            true => self.defined_by_templates.take_replays(text().as_deref()),
            false => Vec::new(),
        }
    }

    /// Drops all that lies on the heap: the compile is over.
    pub fn release(&self) {
        // A part that is added has to be named here.
        let Templating {
            templates: _,
            kept: _,
            met,
            set_by_templates,
            defined_by_templates,
            globals,
            depth: _,
            space,
            raised,
            owner,
            spare_stack,
            waiting,
            random,
            certain,
        } = self;
        random.release();
        certain.take();
        globals.take();
        spare_stack.take();
        let Met { files, texts, ruby } = met;
        space.release();
        raised.release();
        owner.take();
        waiting.take();
        ruby.take();
        files.take();
        texts.take();
        set_by_templates.release();
        defined_by_templates.release();
    }

    /// What the Ruby of the compile has defined.
    pub(crate) fn space(&self) -> &Space<'c> {
        &self.space
    }

    /// Files that have been loaded since this was asked last, and that a worker has to load, too: it would not find the
    /// functions in them by their names.
    pub fn take_files_for_ruby(&self) -> Vec<PathBuf> {
        self.space.take_beside()
    }

    /// Files that code has required since this was asked last: a worker would miss what they define.
    pub fn take_required_files(&self) -> Vec<String> {
        self.space.take_required()
    }

    /// A file of Ruby, lowered; none where it can't be read.
    pub(crate) fn file_of_ruby(&self, world: &dyn NativeWorld<'c>, file: &Path) -> Option<&'c Lowered> {
        if let Some(lowered) = self.met.ruby.borrow().get(file) {
            return Some(lowered);
        }
        let lowered = self.kept.0.push_get(self.templates.ruby(world.tree(), file)?);
        self.met.ruby.borrow_mut().insert(file.to_owned(), lowered);
        Some(lowered)
    }

    /// How many templates are around the one that is about to be rendered.
    pub(crate) fn depth(&self) -> usize {
        self.depth.get()
    }

    /// The text of the template that `template()` finds by this name, rendered within another that has `depth` around it.
    pub(crate) fn render_nested(
        &self,
        world: &dyn NativeWorld<'c>,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        (name, depth): (&str, usize),
    ) -> OrRuby<Rendered<'c>> {
        let outer = self.depth.replace(depth + 1);
        let found = world.template_file(vm, name).ok().flatten();
        let rendered = found.ok_or(ForRuby("a template there is not")).and_then(|file| {
            let erb = Erb::File { name, file: &file };
            let rendered = self.try_to_render(world, vm, scope, &erb).map_err(|(ask, _)| ask)?;
            if rendered.defines() && !rendered.logs.is_empty() {
                return Err(ForRuby("a template that defines methods and logs"));
            }
            self.note_defined(scope, &erb, &rendered);
            Ok(rendered)
        });
        self.depth.set(outer);
        rendered
    }

    /// Takes note of what a rendered template has defined.
    fn note_defined(&self, scope: &'c Scope<'c>, erb: &Erb<'_>, rendered: &Rendered<'c>) {
        self.globals.borrow_mut().extend(rendered.globals.iter().cloned());
        self.defined_by_templates.note(scope, erb, rendered);
    }

    fn try_to_render(
        &self,
        world: &dyn NativeWorld<'c>,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        erb: &Erb<'_>,
    ) -> Result<Rendered<'c>, (ForRuby, Journal<'c>)> {
        let nothing = |why| (ForRuby(why), Journal::default());
        let lowered = self.lowered(world, erb).ok_or_else(|| nothing("a file that cannot be read"))?;
        // A witness sees what is rendered here only, so it does not matter how often Ruby was needed before.
        let known = if vm.host.is_witness() { lowered.program().ok() } else { lowered.template() };
        let Some(template) = known else {
            world.needs_ruby(name_of(erb), &|| lowered.reason());
            return Err(nothing("the template"));
        };
        let file = match erb {
            Erb::File { file, .. } => Some(*file),
            Erb::Text(_) => None,
        };
        let rendered = eval::render(self, world, vm, scope, (template, file));
        if let Err(Stopped { ask, reason, .. }) = &rendered {
            let known = reason.and_then(|number| template.reasons.get(number as usize));
            world
                .needs_ruby(name_of(erb), &|| known.map_or_else(|| ask.0.to_owned(), Unsupported::to_string));
        }
        match rendered {
            Ok(_) => lowered.count_rendered(),
            // While a worker runs some templates are left to it that are rendered natively otherwise.
            Err(_) if world.worker() == WorkerState::Present => {}
            Err(_) => lowered.count_for_ruby(),
        }
        rendered.map_err(|stopped| (stopped.ask, stopped.calls))
    }

    /// The template, kept for as long as the compile runs; none where its file can't be read.
    fn lowered(&self, world: &dyn NativeWorld<'c>, erb: &Erb<'_>) -> Option<&'c Lowered> {
        let (met, key) = match erb {
            Erb::File { file, .. } => (&self.met.files, *file),
            Erb::Text(text) => (&self.met.texts, *text),
        };
        if let Some(lowered) = met.borrow().get(key) {
            return Some(lowered);
        }
        let lowered = match erb {
            Erb::File { file, .. } => self.templates.file(world.tree(), Path::new(file))?,
            Erb::Text(text) => self.templates.text(world.tree(), text),
        };
        let lowered = self.kept.0.push_get(lowered);
        met.borrow_mut().insert(key.to_owned(), lowered);
        Some(lowered)
    }
}
