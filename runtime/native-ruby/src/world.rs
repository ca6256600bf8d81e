//! What rendering needs of the compile it happens in: the port of this crate. Whatever else a template asks for (calls of
//! functions, how strict names are taken) it asks the machine's host.

use bunraku_files::tree::Tree;
use bunraku_vm::error::Eval;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

/// How the compile stands to its Ruby worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerState {
    /// It has none, and no code in Ruby runs.
    None,
    /// It has one: that remembers variables itself.
    Present,
    /// It has ended while code in Ruby was running, which has not returned yet.
    Ended,
}

/// The compile that a template is rendered for.
pub trait TemplateWorld<'c> {
    /// A variable by its simple or qualified name, as a scope sees it; none where there is no such variable.
    ///
    /// # Errors
    /// Those of loading the class that a qualified name names.
    fn variable(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, name: &str) -> Eval<'c, Option<Value<'c>>>;

    /// All variables that a scope sees and that have a value, as a hash by name.
    fn variables(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>) -> Value<'c>;

    /// The file that `template()` finds by this name; none where there is none.
    ///
    /// # Errors
    /// Those of looking for it.
    fn template_file(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<String>>;

    /// Whether a module or the environment has a function of the 3.x interface by this name: then a template that calls
    /// the name gets that one.
    fn has_old_function(&self, name: &str) -> bool;

    /// How the compile stands to its Ruby worker.
    fn worker(&self) -> WorkerState;

    /// The tree that template files are read from.
    fn tree(&self) -> &'c Tree;

    /// Takes note that a template is Ruby's to render, and why, for statistics. `reason` is asked only where they are
    /// made.
    fn needs_ruby(&self, template: &str, reason: &dyn Fn() -> String);
}
