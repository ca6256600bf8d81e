//! The world as the machine sees it: everything a manifest can reach outside its own values.
//!
//! The machine and the functions of the standard library ask through this trait; the runtime answers. All
//! methods take `&self`: a host keeps its state in cells, because evaluating re-enters it.

use crate::closure::Closure;
use crate::diagnostic::{Place, Severity};
use crate::error::Eval;
use crate::function::{Call, Native};
use crate::loaded::Linked;
use crate::scope::Scope;
use crate::types::{Signature, Type};
use crate::unit::ChunkRef;
use crate::value::{Array, Hash, Object, Str, Value};
use crate::vm::Vm;
use bumpalo::Bump;

/// What Puppet does about a dubious construct: the setting `strict`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strict {
    /// Nothing.
    Off,
    /// Logs a warning.
    Warning,
    /// Fails.
    Error,
}

/// How a resource expression marks its resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Managed on this node.
    Regular,
    /// `@`
    Virtual,
    /// `@@`
    Exported,
}

/// `=>` or `+>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttrOp {
    /// `=>`
    Set,
    /// `+>`
    Append,
}

/// An attribute with its evaluated value. Splats (`* =>`) have been spread by the machine.
#[derive(Clone, Copy)]
pub struct Attribute<'c> {
    /// Name.
    pub name: &'c str,
    /// Set or append.
    pub op: AttrOp,
    /// Value.
    pub value: Value<'c>,
    /// Where in the unit the operation stands.
    pub at: Option<Spot<'c>>,
}

/// How many attributes are compared with each other rather than hashed.
const FEW: usize = 16;

impl<'c> Attribute<'c> {
    /// The value an attribute is given: a list of resources to come before or to notify becomes a list of its own. The
    /// resources that one attribute is for share it, and an arrow from one of them adds to it for all
    /// (`Runtime3Converter` copies arrays, `Puppet::Parser::Relationship` appends in place).
    pub fn own_list(arena: &'c Bump, name: &str, value: Value<'c>) -> Value<'c> {
        match value {
            Value::Array(items) if matches!(name, "before" | "notify") => {
                Value::Array(Array::wrap(arena, items.items()))
            }
            other => other,
        }
    }

    /// The first name that attributes have twice.
    pub fn set_twice(attributes: &[Attribute<'c>]) -> Option<&'c str> {
        let name = |n: usize| attributes[n].name;
        if attributes.len() <= FEW {
            let again = |n: &usize| attributes[..*n].iter().any(|a| a.name == name(*n));
            return (0..attributes.len()).find(again).map(name);
        }
        let mut names = hashbrown::HashSet::with_capacity(attributes.len());
        (0..attributes.len()).map(name).find(|name| !names.insert(*name))
    }
}

/// A place in running code that has not been looked up: hardly any attribute's ever is.
#[derive(Clone, Copy)]
pub struct Spot<'c> {
    pub(crate) linked: &'c Linked<'c>,
    pub(crate) pc: u32,
}

impl<'c> Spot<'c> {
    /// The place, looked up.
    pub fn site(self) -> Site<'c> {
        let (line, column) = self.linked.chunk.place(self.pc);
        Site { file: self.linked.unit.file, line, column }
    }
}

/// A place in a loaded unit.
#[derive(Clone, Copy)]
pub struct Site<'c> {
    /// The file as Puppet prints it; none for code given as text.
    pub file: Option<&'c str>,
    /// Line from 1; 0 is unknown.
    pub line: u32,
    /// Column in characters from 1; 0 is unknown.
    pub column: u32,
}

impl Site<'_> {
    /// No place at all.
    pub const NONE: Site<'static> = Site { file: None, line: 0, column: 0 };

    /// The place as diagnostics have it.
    pub fn place(&self) -> Place {
        Place {
            file: self.file.map(Into::into),
            line: (self.line != 0).then_some(self.line),
            column: (self.column != 0).then_some(self.column),
        }
    }
}

/// One body (`title: attributes`) of a resource expression. The machine has checked the titles, spread
/// arrays of them and put the attributes of a `default` body in front.
#[derive(Clone, Copy)]
pub struct Body<'c> {
    /// Titles, in order; none in a `default` body.
    pub titles: &'c [&'c str],
    /// Attributes in order, no name twice.
    pub attributes: &'c [Attribute<'c>],
}

/// A resource expression, evaluated.
pub struct Declaration<'c> {
    /// Regular, virtual or exported.
    pub form: Form,
    /// The type's name in lower case: `file`, `class`, `apache::vhost`.
    pub type_name: &'c str,
    /// The bodies in order.
    pub bodies: &'c [Body<'c>],
    /// Place of the expression.
    pub at: Site<'c>,
    /// Whether somebody asks for the references.
    pub asked: bool,
}

/// A collector's query, with the values of its right-hand sides.
#[derive(Clone, Copy)]
pub enum Query<'c> {
    /// `attribute == value`; the attribute may be `title` or `tag`.
    Eq(&'c str, Value<'c>),
    /// `attribute != value`
    NotEq(&'c str, Value<'c>),
    /// Both.
    And(&'c Query<'c>, &'c Query<'c>),
    /// Either.
    Or(&'c Query<'c>, &'c Query<'c>),
}

/// `Type <| query |> { overrides }`
pub struct Collect<'c> {
    /// The type collected.
    pub ty: Value<'c>,
    /// `<<| |>>` rather than `<| |>`.
    pub exported: bool,
    /// The query; none for all.
    pub query: Option<Query<'c>>,
    /// Overrides.
    pub attributes: &'c [Attribute<'c>],
    /// Place of the expression.
    pub at: Site<'c>,
}

/// The four arrows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `->`
    Before,
    /// `~>`
    Notify,
    /// `<-`
    After,
    /// `<~`
    Subscribe,
}

/// `include`, `contain` and `require`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Include {
    /// Declares the class.
    Include,
    /// Declares it inside the calling class.
    Contain,
    /// Declares it and requires it from the calling container.
    Require,
}

/// Which of a module's folders a file reference points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModuleFolder {
    /// `files/`
    Files,
    /// `templates/`
    Templates,
}

/// An ERB template.
#[derive(Clone, Copy, Debug)]
pub enum Erb<'a> {
    /// A file, and the name it was asked for by.
    File {
        /// `module/name`
        name: &'a str,
        /// Its path.
        file: &'a str,
    },
    /// The template itself.
    Text(&'a str),
}

/// A Hiera look-up.
#[derive(Clone, Copy, Default)]
pub struct Lookup<'c, 'a> {
    /// The key, with dots where it leads into a value.
    pub key: &'a str,
    /// How values of several levels are merged, as `lookup` takes it.
    pub merge: Option<Value<'c>>,
    /// Values that interpolation finds before Hiera's.
    pub overrides: Option<Hash<'c>>,
    /// Values that interpolation finds after Hiera's.
    pub defaults: Option<Hash<'c>>,
    /// Whether one of the old functions asks (`hiera`, `hiera_array`, …).
    pub hiera: bool,
    /// What an old function is to ask before its hierarchy: a level or an array of them.
    pub level: Option<Value<'c>>,
}

/// What is told of where calls are counted.
#[derive(Clone, Copy)]
pub enum Called<'a> {
    /// A native function.
    Native(&'static Native),
    /// A function in the Puppet language, by name.
    Puppet(&'a str),
    /// An EPP template, by the name it was asked for.
    Epp(&'a str),
}

/// How the class that Ruby has for an Object type makes instances.
#[derive(Clone, Copy)]
pub struct ObjectClass<'c> {
    /// Names of the attributes in the order its constructor takes them.
    pub parameters: &'c [&'c str],
    /// Whether it makes an instance from the hash of its attributes as well.
    pub takes_hash: bool,
}

/// The world around a compile.
pub trait Host<'c> {
    /// Writes to the log. `place` is appended by the log's reader, not by the caller.
    fn log(&self, severity: Severity, message: &str, place: Option<Place>);

    /// How many messages the log has.
    fn log_length(&self) -> usize;

    /// A string that is one of bytes to Ruby, and Binary in a catalog; what of it is no text is shown as such.
    fn string_of_bytes(&self, vm: &Vm<'c>, bytes: &[u8]) -> Str<'c>;

    /// Writes a warning to the log, once a compile however often it is asked to.
    fn warn_once(&self, message: &str);

    /// The same for all messages of one key: only the first is written. Says whether this one was.
    fn warn_once_for(&self, key: &str, message: &str) -> bool;

    /// The setting `strict`.
    fn strict(&self) -> Strict;

    /// The setting `strict_variables`.
    fn strict_variables(&self) -> bool;

    /// A function that comes with the language, or the native twin of a module's function as code of module `from`
    /// sees it.
    fn native(&self, name: &str, from: &str) -> Option<&'static Native>;

    /// Checks the text of a heredoc, at a place, by what is known of its syntax; what nobody knows is any text.
    fn check_syntax(&self, vm: &mut Vm<'c>, syntax: &str, text: &str, place: Place) -> Eval<'c, ()>;

    /// Whether a function of any kind is known by that name: what Ruby's `Puppet::Parser::Functions.function`
    /// finds for functions of the old kind.
    fn has_old_function(&self, name: &str) -> bool;

    /// Something is about to be called: told where [`crate::vm::Vm::counts_calls`] is set.
    fn call_begins(&self, _callee: Called<'_>) {}

    /// The call told of last, and not ended yet, ends.
    fn call_ends(&self) {}

    /// A function that a manifest loaded so far has defined.
    fn manifest_function(&self, name: &str) -> Option<&'c Closure<'c>>;

    /// A function written in Puppet, found as the autoloader of `module` finds it.
    fn function(&self, vm: &mut Vm<'c>, name: &str, module: &str) -> Eval<'c, Option<&'c Closure<'c>>>;

    /// A function that only Ruby has (or nothing has): calls it or fails by name. `None` when no such
    /// function exists at all.
    fn foreign(&self, vm: &mut Vm<'c>, name: &str, call: Call<'c, '_>) -> Eval<'c, Option<Value<'c>>>;

    /// The signatures of a function that only Ruby has; none where there is no such function. One of the old kind takes
    /// anything.
    fn foreign_signatures(&self, _vm: &mut Vm<'c>, _name: &str) -> Eval<'c, Option<Vec<Signature<'c>>>> {
        Ok(None)
    }

    /// The class of an Object type whose instances are Ruby's.
    ///
    /// # Errors
    /// Those of Ruby, and for a class that does not fit the type.
    fn object_class(&self, vm: &mut Vm<'c>, ty: &'c Type<'c>) -> Eval<'c, ObjectClass<'c>>;

    /// Makes an instance of such a type: from its constructor's arguments, or from a hash, the only argument.
    ///
    /// # Errors
    /// Those of Ruby.
    fn make_object(&self, vm: &mut Vm<'c>, ty: &'c Type<'c>, args: &[Value<'c>], from_hash: bool)
    -> Eval<'c>;

    /// What a member of such an instance yields.
    ///
    /// # Errors
    /// Those of Ruby.
    fn object_member(
        &self,
        vm: &mut Vm<'c>,
        object: &'c Object<'c>,
        name: &str,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
    ) -> Eval<'c>;

    /// What a capitalised name that is no built-in type means: an alias (as [`Type::Alias`]) or, for a
    /// defined or resource type, none.
    fn type_alias(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<&'c Type<'c>>>;

    /// Whether `name` (lower case) is a resource type: built in, from a module's Ruby, or a defined type.
    fn is_resource_type(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, bool>;

    /// The scope of a class that has been evaluated (name in lower case, without leading `::`).
    fn class_scope(&self, name: &str) -> Option<&'c Scope<'c>>;

    /// Whether a class of that name is known or can be loaded.
    fn class_exists(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, bool>;

    /// Exported resources are about to be evaluated: warns at their expression where nothing keeps them.
    fn exporting(&self, at: Site<'c>);

    /// Evaluates a resource expression. Yields the array of references, or `undef` where nobody asks for them.
    fn declare(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, declaration: &Declaration<'c>) -> Eval<'c>;

    /// `File { mode => … }`
    fn set_defaults(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        ty: Value<'c>,
        attributes: &'c [Attribute<'c>],
        at: Site<'c>,
    ) -> Eval<'c>;

    /// `File['x'] { mode => … }`; `resources` is a reference or an array of them.
    fn override_resources(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        resources: Value<'c>,
        attributes: &'c [Attribute<'c>],
        at: Site<'c>,
    ) -> Eval<'c>;

    /// Registers a collector; yields a value that [`Host::relate`] understands.
    fn collect(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, collect: &Collect<'c>) -> Eval<'c>;

    /// `left -> right`; yields what the next arrow of a chain continues from.
    fn relate(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        relation: Relation,
        left: Value<'c>,
        right: Value<'c>,
        at: Site<'c>,
    ) -> Eval<'c>;

    /// `include`, `contain`, `require`. Yields the array of class references.
    fn include(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, how: Include, classes: &[Value<'c>])
    -> Eval<'c>;

    /// `defined(…)`
    fn defined(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, what: &[Value<'c>]) -> Eval<'c, bool>;

    /// `realize(…)`
    fn realize(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, references: &[Value<'c>]) -> Eval<'c>;

    /// `tag(…)`
    fn tag(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, tags: &[Value<'c>]) -> Eval<'c>;

    /// `tagged(…)`
    fn tagged(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, tags: &[Value<'c>]) -> Eval<'c, bool>;

    /// `create_resources(type, resources, defaults)`
    fn create_resources(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        type_name: &str,
        resources: Hash<'c>,
        defaults: Option<Hash<'c>>,
    ) -> Eval<'c>;

    /// A parameter of a declared resource: `File['/x']['mode']`; none where it is not set.
    fn resource_parameter(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        type_name: &str,
        title: &str,
        parameter: &str,
    ) -> Eval<'c, Option<Value<'c>>>;

    /// Titles of all resources of a type (capitalised) declared so far, in order.
    fn titles(&self, type_name: &str) -> Vec<&'c str>;

    /// The type and title of a resource declared so far, found by any title it goes by, and its parameters as they
    /// stand; none where there is no such resource.
    fn declared(
        &self,
        vm: &mut Vm<'c>,
        type_name: &str,
        title: &str,
    ) -> Eval<'c, Option<(&'c str, &'c str, Hash<'c>)>>;

    /// The type and title of the resource whose body `scope` is.
    fn resource_of(&self, scope: &'c Scope<'c>) -> Option<(&'c str, &'c str)>;

    /// The bytes of `module/path` under a module's folder, or of an absolute path; none where absent.
    fn read_file(&self, vm: &mut Vm<'c>, folder: ModuleFolder, path: &str) -> Eval<'c, Option<Vec<u8>>>;

    /// Where `module/path` lies on disk, if it does.
    fn find_file(&self, vm: &mut Vm<'c>, folder: ModuleFolder, path: &str) -> Eval<'c, Option<String>>;

    /// A module's folder, if the module is there.
    fn module_directory(&self, name: &str) -> Option<String>;

    /// The chunk of the EPP template `module/name.epp`.
    fn template(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, ChunkRef>;

    /// Compiles EPP source given as text.
    fn inline_template(&self, vm: &mut Vm<'c>, source: &str) -> Eval<'c, ChunkRef>;

    /// The text an ERB template gives with the variables seen from `scope`.
    fn erb(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, template: Erb<'_>) -> Eval<'c>;

    /// A Hiera look-up in all layers; none where nothing defines the key.
    fn lookup(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        lookup: &Lookup<'c, '_>,
    ) -> Eval<'c, Option<Value<'c>>>;

    /// Runs a command (its path and arguments) and gives what it wrote.
    ///
    /// # Errors
    /// Why it could not be run, in Puppet's words.
    fn generate(&self, command: &[String]) -> Result<String, String>;

    /// The value of a setting by Puppet's name.
    fn setting(&self, name: &str) -> Option<Value<'c>>;

    /// The value of a variable as Ruby code finds it (`lookupvar`): an unknown one fails, warns or is undef, as the
    /// setting `strict` says.
    fn variable(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, name: &str) -> Eval<'c>;

    /// What a text in JSON says; none where it is no JSON.
    fn parse_json(&self, vm: &Vm<'c>, text: &str) -> Option<Value<'c>>;

    /// What a text in YAML says, `name` being that of its file in messages.
    ///
    /// # Errors
    /// What is wrong with it.
    fn parse_yaml(&self, vm: &Vm<'c>, text: &str, name: &str) -> Result<Value<'c>, String>;

    /// What a text in HOCON says.
    ///
    /// # Errors
    /// What is wrong with it.
    fn parse_hocon(&self, vm: &Vm<'c>, text: &str) -> Result<Value<'c>, String>;

    /// Whether a text without quotes is that text in YAML, not a number or the like.
    fn is_plain_yaml_text(&self, text: &str) -> bool;

    /// The value as plain data: what is not, as hashes with `__ptype`.
    fn plain_data(&self, vm: &Vm<'c>, value: Value<'c>) -> Value<'c>;

    /// The files that a pattern stands for.
    ///
    /// # Errors
    /// When it has too many alternatives.
    fn glob(&self, pattern: &str) -> Result<Vec<String>, String>;

    /// Name of the environment.
    fn environment(&self) -> &'c str;
}
