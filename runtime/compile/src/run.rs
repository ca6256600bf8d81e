//! A compile from its inputs to what comes of it: within its limits, with everything beside the catalog that somebody asks
//! for, and everything let go of at its end. What is done in between are the [phases](crate::phases).

use crate::compile::{BREAK_IS_ILLEGAL, Compile};
use crate::inputs::{Finished, Inputs, Node, See};
use bumpalo::Bump;
use bunraku_catalog::Catalog;
use bunraku_catalog::json::{self, Header, Version};
use bunraku_catalog::view::View;
use bunraku_data::json as data;
use bunraku_vm::budget;
use bunraku_vm::cause::Cause;
use bunraku_vm::diagnostic::{Diagnostic, Place};
use bunraku_vm::error::{Flow, Stage};
use bunraku_vm::symbol::Interner;
use bunraku_vm::vm::Vm;
use std::sync::atomic::Ordering;
use std::time::Instant;

impl<'c> Compile<'c> {
    /// Compiles a node's catalog. If it comes to its end, `see` gets it while it is in memory; what it does there counts for
    /// no limit of the compile but that of steps and nesting.
    pub fn run(inputs: Inputs<'c>, arena: &'c Bump, see: Option<&mut See<'_>>) -> Finished {
        let Inputs { environment, settings, node, code, want_value, query, report, covers, origins, .. } =
            inputs;
        let names = inputs.kept.keep_names(environment.modules.symbols().current());
        let compile = &*arena.alloc(Compile::new(inputs, arena));
        let mut vm = Vm::with_names(compile, Interner::over(arena, names));
        vm.calls.max_depth = settings.max_depth;
        vm.calls.max_calls = settings.max_calls;
        if settings.stats || settings.profile {
            vm.observer = Some(compile);
        }
        if let Some(watches) = covers {
            vm.cover(watches.clone());
        }
        let finished = budget::guarded(settings.limits, || {
            let outcome = match report {
                Some(report) => compile.process_report(&mut vm, node, report),
                None => compile.phases(&mut vm, node, code),
            };
            compile.witness_types();
            let result = outcome.map_err(|flow| compile.diagnostic(*flow));
            let value = match &result {
                Ok((_, value)) if want_value => Some(data::describe(&mut vm, *value)),
                _ => None,
            };
            let result = result.map(|(catalog, _)| catalog);
            let stored = match &result {
                Ok(_) if compile.options.wants_exported => {
                    let form = json::Form { stored: true, ..json::Form::default() };
                    Some(compile.write_catalog(node, form))
                }
                _ => None,
            };
            let lookup = match (&result, query) {
                (Ok(_), Some(query)) => {
                    Some(compile.answer_query(&mut vm, query).map_err(|flow| compile.diagnostic(*flow)))
                }
                _ => None,
            };
            let origins = origins
                .filter(|_| result.is_ok())
                .and_then(|about| compile.tell_origins(&mut vm, about, (node, code.map(|code| code.text))));
            let graph = (settings.graph && result.is_ok()).then(|| compile.catalog_graph());
            environment.modules.symbols().take_in(&vm.symbols);
            Finished { value, stored, lookup, origins, graph, ..Finished::of(result) }
        });
        let finished = finished.unwrap_or_else(|limit| {
            // Where the machine was when it was left: the innermost code that has said where it is.
            let site = vm.stack().into_iter().find(|site| site.line != 0);
            let place = site.map_or_else(Place::default, |site| site.place());
            let diagnostic = Diagnostic::error(limit.to_string()).at(place).because(Cause::Limit(limit));
            Finished::of(Err(diagnostic))
        });
        if let Some(recorded) = compile.recorded {
            recorded.release();
        }
        compile.ruby.release();
        compile.erb.release();
        compile.hiera.release();
        let catalog = compile.catalog.replace(Catalog::with_capacity(arena, 0));
        environment.resources.store(catalog.resources.len(), Ordering::Relaxed);
        compile.note_sources(&catalog);
        let finished = match see {
            Some(see) if finished.result.is_ok() => {
                let view = View::of(catalog, &compile.tags.names);
                compile.ask_for_values(&view);
                compile.note_asked_data(&vm, node);
                compile.show(view, see, finished)
            }
            _ => {
                compile.note_asked_data(&vm, node);
                finished
            }
        };
        compile.tags.release();
        let (logs, stats) = (compile.journal.messages.take(), compile.accounts.counter.take());
        let (notes, covered) = (compile.witness.take(), vm.covered());
        Finished { logs, stats, notes, covered, spent: compile.accounts.spent.get(), ..finished }
    }

    /// Shows the finished catalog to whoever wants to see it. Other compiles may run meanwhile, so no time is counted.
    fn show(&self, view: View<'c>, see: &mut See<'_>, finished: Finished) -> Finished {
        let limits = budget::Limits { time: None, memory: usize::MAX, ..self.options.settings.limits };
        let mut spent = self.accounts.spent.get();
        spent.resources = view.resources.len();
        self.accounts.spent.set(spent);
        let seen = budget::guarded(limits, || see(view));
        match seen {
            Ok(()) => finished,
            Err(limit) => {
                let diagnostic = Diagnostic::error(limit.to_string()).because(Cause::Limit(limit));
                Finished { result: Err(diagnostic), ..finished }
            }
        }
    }

    /// What a user sees of what ended the compile: ` on node NAME` behind Puppet's message.
    pub(crate) fn diagnostic(&self, flow: Flow<'c>) -> Diagnostic {
        match flow {
            Flow::Fault(fault) => {
                let mut diagnostic = fault.diagnostic;
                if fault.stage != Stage::Formed {
                    diagnostic.place = Place::default();
                }
                diagnostic
            }
            Flow::Break(place) | Flow::Next(_, place) | Flow::Return(_, place) => {
                Diagnostic::error(BREAK_IS_ILLEGAL).at(place).because(Cause::IllegalBreak)
            }
        }
    }

    /// The catalog as JSON, in a form.
    pub(crate) fn write_catalog(&self, node: &Node, form: json::Form) -> String {
        let (uuid, time) = *self.made.get_or_init(|| {
            let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            (uuid::Uuid::new_v4(), seconds.map_or(0, |since| since.as_secs()))
        });
        let version = self.version.borrow().map_or(Version::Time(time), Version::Text);
        let uuid = uuid.to_string();
        let environment = &self.environment.name;
        self.make_bytes_binary();
        let header =
            Header { name: &node.name, version, uuid: &uuid, environment, code_id: node.code_id.as_deref() };
        let (started, catalog) = (Instant::now(), self.catalog.borrow());
        let (text, resources) = json::write(&catalog, &self.tags.names, &header, form);
        let mut spent = self.accounts.spent.get();
        spent.json += started.elapsed();
        spent.resources = resources;
        self.accounts.spent.set(spent);
        text
    }
}
