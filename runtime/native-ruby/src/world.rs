//! What rendering needs of the compile it happens in: the port of this crate. Whatever else a template asks for (calls of
//! functions, how strict names are taken) it asks the machine's host.

use crate::functions::copies::Changes;
use bunraku_files::tree::Tree;
use bunraku_vm::closure::Closure;
use bunraku_vm::error::Eval;
use bunraku_vm::function::Call;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::{Object, Value};
use bunraku_vm::vm::Vm;
use std::path::PathBuf;

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

/// How Puppet tells of a variable there is not.
pub struct MissingVariable {
    /// The name that is told, which need not be the one that was asked for.
    pub name: String,
    /// Why there is none, where it is of a class that has not been evaluated; empty otherwise.
    pub reason: String,
}

/// The compile that code runs for: the sum of its sides.
pub trait NativeWorld<'c>: ScopeSide<'c> + FileSide<'c> + CallSide<'c> {}

impl<'c, T: ScopeSide<'c> + FileSide<'c> + CallSide<'c>> NativeWorld<'c> for T {}

/// Variables and settings that code sees, and how the compile stands to its worker.
pub trait ScopeSide<'c> {
    /// A variable by its simple or qualified name, as a scope sees it; none where there is no such variable.
    ///
    /// # Errors
    /// Those of loading the class that a qualified name names.
    fn variable(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, name: &str) -> Eval<'c, Option<Value<'c>>>;

    /// How Puppet tells of a variable there is not.
    ///
    /// # Errors
    /// Those of loading the class that a qualified name names.
    fn missing_variable(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, MissingVariable>;

    /// All variables that a scope sees and that have a value, as a hash by name.
    fn variables(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>) -> Value<'c>;

    /// A setting of Puppet's, and whether it is a symbol in Ruby; none where there is no such setting.
    fn setting(&self, name: &str) -> Option<(Value<'c>, bool)>;

    /// A variable of the process, as `ENV` has it.
    fn process_variable(&self, name: &str) -> Option<String>;

    /// Whether this is asked for the first time in the compile.
    fn first_time(&self, what: &str) -> bool;

    /// How the compile stands to its Ruby worker.
    fn worker(&self) -> WorkerState;

    /// Takes note that a template, function or file is Ruby's, and why, for statistics. `reason` is asked only where they are
    /// made.
    fn needs_ruby(&self, name: &str, reason: &dyn Fn() -> String);
}

/// Files that code reads and loads.
pub trait FileSide<'c> {
    /// The file that `template()` finds by this name; none where there is none.
    ///
    /// # Errors
    /// Those of looking for it.
    fn template_file(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<String>>;

    /// Whether a module or the environment has a function of the 3.x interface by this name: then a template that calls
    /// the name gets that one.
    fn has_old_function(&self, name: &str) -> bool;

    /// The tree that template files are read from.
    fn tree(&self) -> &'c Tree;

    /// The file in the environment's own `lib`, or a module's, that `require` of this name loads; none where there is none.
    fn ruby_file(&self, name: &str) -> Option<PathBuf>;

    /// The file of the function of the 3.x interface of this name; none where there is none.
    fn old_function_file(&self, name: &str) -> Option<PathBuf>;

    /// The text of a file of the environment, as its snapshot has it; none where the file lies elsewhere or is no text.
    fn file_text(&self, path: &str) -> Option<String>;

    /// What a text is as YAML, as Psych loads it; with regular expressions where `patterns` says so. None where Psych
    /// would load it otherwise or not at all.
    fn yaml(&self, text: &str, patterns: bool) -> Option<Value<'c>>;

    /// What a text is as HOCON, or what Ruby's gem says of it where it is none. None where that depends on more than the text.
    fn hocon(&self, text: &str) -> Option<Result<Value<'c>, String>>;
}

/// What code calls of the compile: functions, and the methods of a look-up's context.
pub trait CallSide<'c> {
    /// Calls a function of whatever kind by its name, as code of a module sees it; `from` is the function that does.
    ///
    /// # Errors
    /// Those of the function; that there is none.
    fn call_function(
        &self,
        vm: &mut Vm<'c>,
        function: (&str, &str),
        from: Option<&str>,
        given: (&[Value<'c>], Option<&'c Closure<'c>>),
        scope: &'c Scope<'c>,
    ) -> Eval<'c>;

    /// A lambda of Puppet's that calls [`Templating::call_block`](crate::Templating::call_block) with a number and its
    /// arguments; the kinds of its parameters as letters: `?` optional, `*` the rest.
    ///
    /// # Errors
    /// Limits of the compile.
    fn lambda(&self, vm: &mut Vm<'c>, block: (i64, &str), scope: &'c Scope<'c>) -> Eval<'c, &'c Closure<'c>>;

    /// Answers a question of the protocol of the Ruby worker by its name, or `node` and `environment`; none for what code
    /// without Ruby does not ask: questions that change something, or that give what only Ruby can hold.
    ///
    /// # Errors
    /// Those of what is asked for.
    fn answer(&self, vm: &mut Vm<'c>, question: &str, args: &[Value<'c>]) -> Eval<'c, Option<Value<'c>>>;

    /// The number that questions call a scope by.
    fn scope_number(&self, scope: &'c Scope<'c>) -> i64;

    /// Arrays and hashes of the compile have been changed in place: whatever holds one of them, as far as a scope sees it,
    /// holds from now on what it has become. So does the worker.
    ///
    /// # Errors
    /// How the worker ended that was to be told.
    fn spread_changes(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, changed: Changes<'c>) -> Eval<'c, ()>;

    /// A number for what the context of a look-up keeps, the same for all contexts that keep it; none for any other object.
    fn context_number(&self, object: &'c Object<'c>) -> Option<i64>;

    /// A method of a look-up's context; none where the look-up is over.
    ///
    /// # Errors
    /// Those of the method.
    fn context_method(&self, vm: &mut Vm<'c>, name: &str, call: Call<'c, '_>) -> Eval<'c, Option<Value<'c>>>;
}
