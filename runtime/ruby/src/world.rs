//! What Ruby needs of the compile it runs in: the ports of this crate, by subject. Whatever else the worker asks for
//! (types, functions, texts, files of modules) it asks the machine and its host.

use bunraku_native_ruby::{Called, Function, MissingVariable};
use bunraku_vm::error::Eval;
use bunraku_vm::function::Call;
use bunraku_vm::scope::Scope;
use bunraku_vm::unit::UnitId;
use bunraku_vm::value::{Object, Value};
use bunraku_vm::vm::Vm;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The compile that Ruby runs for.
pub trait RubyWorld<'c>:
    EnvironmentSide<'c> + CodeSide<'c> + CatalogSide<'c> + NativeSide<'c> + CallObserver
{
}

impl<'c, T> RubyWorld<'c> for T where
    T: EnvironmentSide<'c> + CodeSide<'c> + CatalogSide<'c> + NativeSide<'c> + CallObserver
{
}

/// What a worker is told when a compile begins.
pub struct Beginning {
    /// The node's name.
    pub node: String,
    /// The environment's name.
    pub environment: String,
    /// The folders that Ruby is loaded from: the environment's own, then each module's `lib`.
    pub folders: Vec<PathBuf>,
}

/// The file of a function in Ruby.
#[derive(Clone, Copy)]
pub struct FunctionSource<'c> {
    /// The file.
    pub file: &'c Path,
    /// The module it lies in; `environment` for the environment's own, empty for none.
    pub module: &'c str,
    /// Written for the 3.x interface.
    pub old: bool,
}

/// A setting of Puppet's as Ruby reads it.
pub enum SettingValue<'c> {
    /// A symbol in Ruby.
    Symbol(Value<'c>),
    /// What the value is.
    Plain(Value<'c>),
}

/// The environment: where code in Ruby lies, and what it may read of files and settings.
pub trait EnvironmentSide<'c> {
    /// What the worker is told when the compile begins.
    fn beginning(&self) -> Beginning;

    /// Ruby is about to run a function or template, which `subject` names with its file: it may read whatever it likes.
    fn ruby_runs(&self, _subject: &str) {}

    /// A worker has just been started: what has been done without it and has to be known to it is done again.
    ///
    /// # Errors
    /// Those of doing that in Ruby.
    fn worker_started(&self, vm: &mut Vm<'c>) -> Eval<'c, ()>;

    /// Refuses a file that Ruby would wait for, or read without end. That one is missing, Ruby says in its own words.
    ///
    /// # Errors
    /// When it is neither a regular file, of a size that may be read, nor missing.
    fn refuse_irregular(&self, file: &Path) -> Eval<'c, ()>;

    /// The file of the function that code of module `from` gets for a name; none where there is none in Ruby.
    fn function(&self, name: &str, from: &str) -> Option<FunctionSource<'c>>;

    /// Names and folders of all modules, in their order.
    fn modules(&self) -> Vec<(&'c str, &'c Path)>;

    /// The manifest that the environment names.
    fn manifest(&self) -> Option<&'c Path>;

    /// The files by which modules extend the compiler, each with its module's name.
    fn extensions(&self) -> &'c [(String, PathBuf)];

    /// A setting by its name; none where there is no such setting.
    fn setting(&self, name: &str) -> Option<SettingValue<'c>>;
}

/// A variable as it was looked for.
pub struct FoundVariable<'c> {
    /// Its value; none where there is no such variable.
    pub value: Option<Value<'c>>,
    /// How Puppet tells that there is none, where the name is qualified.
    pub missing: Option<MissingVariable>,
}

/// What Puppet's own checker of a syntax says against a text.
pub struct CheckerFault {
    /// Its issue code; none where the checker was asked for another's syntax, or gave up.
    pub code: Option<&'static str>,
    /// Puppet's message.
    pub message: String,
}

/// Code in the Puppet language that runs or has run, and its variables.
pub trait CodeSide<'c> {
    /// Compiles and loads code: what the unit defines is known, none of it has been run.
    ///
    /// # Errors
    /// Those of its syntax.
    fn load_code(&self, vm: &mut Vm<'c>, code: &str) -> Eval<'c, UnitId>;

    /// A variable by its simple or qualified name, as a scope sees it.
    ///
    /// # Errors
    /// Those of loading the class that a qualified name names.
    fn variable(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, name: &str) -> Eval<'c, FoundVariable<'c>>;

    /// Ruby asks for variables as a scope sees them, of some names or all: templates that have set any of them without Ruby
    /// are rendered there first.
    ///
    /// # Errors
    /// Those of rendering them.
    fn render_for_variables(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        names: Option<&[&str]>,
    ) -> Eval<'c, ()>;

    /// The variables that a scope sees and that have a value, as a hash: those of these names, or all.
    fn variables(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, names: Option<&[Value<'c>]>) -> Value<'c>;

    /// An array or hash has been changed in place: the variable that holds it has the new value, and so has the parameter
    /// of the resource whose body the scope is.
    fn change_variable(&self, vm: &Vm<'c>, scope: &'c Scope<'c>, name: &str, value: Value<'c>);

    /// The scopes of all classes that have been evaluated, in no order.
    fn class_scopes(&self) -> Vec<&'c Scope<'c>>;

    /// The value as rich data: what has a form of its own is a hash that says so.
    ///
    /// # Errors
    /// When it is nested too deeply.
    fn to_data(&self, vm: &Vm<'c>, value: Value<'c>) -> Eval<'c>;

    /// What one of Puppet's own checkers says of a text.
    ///
    /// # Errors
    /// What is wrong with the text.
    fn check_text(&self, checker: &str, syntax: &str, text: &str) -> Result<(), CheckerFault>;

    /// A number for what the context of a look-up keeps, the same for all contexts that keep it; none for any other object.
    fn context_number(&self, object: &'c Object<'c>) -> Option<i64>;

    /// A method of a look-up's context; none where the first argument is no context or the look-up is over.
    ///
    /// # Errors
    /// Those of the method.
    fn context_method(&self, vm: &mut Vm<'c>, name: &str, call: Call<'c, '_>) -> Eval<'c, Option<Value<'c>>>;

    /// Whether this is asked for the first time in the compile.
    fn first_time(&self, what: String) -> bool;
}

/// A resource of the catalog, as Ruby is told of it.
pub struct ResourceView<'c> {
    /// Type name, capitalised.
    pub type_name: &'c str,
    /// Title.
    pub title: &'c str,
    /// What the title says: names of parameters, with their texts.
    pub titled: Vec<(String, String)>,
    /// Parameters in order of setting.
    pub parameters: Vec<(&'c str, Value<'c>)>,
    /// Not managed unless collected.
    pub is_virtual: bool,
    /// Whether exported; none where Puppet leaves it unset.
    pub exported: Option<bool>,
    /// Tags in order.
    pub tags: Vec<&'c str>,
    /// File of the declaration.
    pub file: Option<&'c str>,
    /// Line, 0 for unknown.
    pub line: u32,
}

/// What a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionKind {
    /// A class, or the code outside all definitions.
    Class,
    /// A defined type.
    Define,
    /// A node.
    Node,
}

/// A class, defined type or node, as Ruby is told of it.
pub struct DefinitionView<'c> {
    /// What it is.
    pub kind: DefinitionKind,
    /// Name in lower case.
    pub name: &'c str,
    /// Module its file lies in; empty for none.
    pub module: &'c str,
    /// File it was defined in.
    pub file: Option<&'c str>,
    /// Line of the definition.
    pub line: u32,
    /// `inherits`, in lower case.
    pub parent: Option<&'c str>,
}

/// What kind of resource type a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceTypeKind {
    /// Puppet's own, or a module's in Ruby.
    InRuby,
    /// A defined type.
    Defined,
}

/// The catalog as it stands, and what resources are of.
pub trait CatalogSide<'c> {
    /// A resource by its reference.
    fn resource(&self, type_name: &str, title: &str) -> Option<ResourceView<'c>>;

    /// What a title says of the parameters of a resource of a type, by their names.
    ///
    /// # Errors
    /// When no pattern of the type's takes the title.
    fn titled(&self, type_name: &str, title: &str) -> Eval<'c, Vec<(String, String)>>;

    /// The scope that has declared a resource of the catalog.
    fn scope_of(&self, type_name: &str, title: &str) -> Option<&'c Scope<'c>>;

    /// All resources in order of creation.
    fn resources(&self) -> Vec<ResourceView<'c>>;

    /// The resource whose body runs in a scope: main's at top level.
    fn resource_of(&self, scope: &'c Scope<'c>) -> Option<ResourceView<'c>>;

    /// The class, defined type or node whose code runs in a scope.
    fn definition_of(&self, scope: &'c Scope<'c>) -> Option<DefinitionView<'c>>;

    /// A class by its name in any case, loaded if need be.
    ///
    /// # Errors
    /// Those of loading its file.
    fn class(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<DefinitionView<'c>>>;

    /// A defined type, likewise.
    ///
    /// # Errors
    /// Those of loading its file.
    fn define(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<DefinitionView<'c>>>;

    /// What kind of resource type a name is in any case; none where it is none.
    ///
    /// # Errors
    /// Those of loading a defined type's file.
    fn resource_type(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<ResourceTypeKind>>;

    /// The defaults of a resource type as a scope sees them, with their values: those that Puppet's own `lookupdefaults` of
    /// that scope gives, whatever Ruby has made of it, where `own`.
    ///
    /// # Errors
    /// Those of a `lookupdefaults` in Ruby.
    fn defaults(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        type_name: &str,
        own: bool,
    ) -> Eval<'c, Vec<(&'c str, Value<'c>)>>;

    /// Those that the scope itself has.
    fn own_defaults(&self, scope: &'c Scope<'c>, type_name: &str) -> Vec<(&'c str, Value<'c>)>;

    /// Ruby sets a default of a scope.
    fn set_default(&self, scope: &'c Scope<'c>, type_name: &str, name: &str, value: Value<'c>);

    /// Ruby has written `lookupdefaults` of a scope anew: from now on [`Talk::defaults_of`](crate::Talk::defaults_of) tells
    /// the scope's defaults.
    fn defaults_are_ruby(&self, scope: &'c Scope<'c>);

    /// Names of evaluated classes and nodes, in order.
    fn classes(&self) -> Vec<&'c str>;

    /// The catalog's own tags, in order.
    fn tags(&self) -> Vec<&'c str>;
}

/// Functions in Ruby that are run without Ruby.
pub trait NativeSide<'c> {
    /// The signatures of a function of the 4.x interface, in the form that the worker tells them in; none where its file is
    /// Ruby's.
    fn describe_natively(&self, vm: &mut Vm<'c>, function: Function<'_>) -> Option<Value<'c>>;

    /// Calls the method of a signature of such a function; without one its own `call`, which chooses.
    fn call_natively(
        &self,
        vm: &mut Vm<'c>,
        function: (Function<'_>, Option<usize>),
        call: Call<'c, '_>,
    ) -> Called<'c>;

    /// Files that functions have required which were run without Ruby, since this was asked last.
    fn take_required_files(&self) -> Vec<String> {
        Vec::new()
    }

    /// Calls a function of the 3.x interface that has no file of its own name; none where no file loaded has defined it.
    /// With the file that has.
    fn call_beside_natively(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        call: Call<'c, '_>,
    ) -> Option<(PathBuf, Called<'c>)>;

    /// Calls a block of such a function, by its number.
    ///
    /// # Errors
    /// A stand-in for whatever it ends with that is no value.
    fn call_native_block(&self, vm: &mut Vm<'c>, block: (i64, &[Value<'c>])) -> Eval<'c>;

    /// Calls a function of the 3.x interface.
    fn call_old_natively(&self, vm: &mut Vm<'c>, function: Function<'_>, call: Call<'c, '_>) -> Called<'c>;
}

/// What is counted of Ruby.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// The start of a worker, or its takeover from an earlier compile.
    Start,
    /// A function, or a member of a data type.
    Function,
    /// A template.
    Template,
}

/// Who watches what Ruby is asked for, and what it takes.
pub trait CallObserver {
    /// A call begins.
    fn begins(&self, what: Counted, name: &str);

    /// The call that began last ends.
    fn ends(&self);

    /// Ruby has had this time for a request that no other stood behind: for a template or for something else.
    fn spent(&self, what: Counted, time: Duration);
}
