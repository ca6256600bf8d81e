//! What the language itself asks of its surroundings: the log, settings, functions, types.

use crate::compat::{Compat, Rule};
use crate::diagnostic::{Place, Severity};
use crate::error::Eval;
use crate::function::{Call, Native};
use crate::host::request::{ObjectClass, Strict};
use crate::scope::{Closure, Scope};
use crate::types::signature::Signature;
use crate::types::ty::Type;
use crate::value::{Object, Value};
use crate::vm::Vm;

/// The log of the compile.
pub trait LogPort<'c> {
    /// Writes to the log. `place` is appended by the log's reader, not by the caller.
    fn log(&self, severity: Severity, message: &str, place: Option<Place>);

    /// Writes what code says itself (`notice` and its like): the log has the scope as its source.
    fn log_from(&self, scope: &'c Scope<'c>, severity: Severity, message: &str);

    /// Whether the log keeps messages of a level (the setting `log_level`).
    fn is_logged(&self, severity: Severity) -> bool;

    /// How many messages the log has.
    fn log_length(&self) -> usize;

    /// Writes a warning to the log, once a compile however often it is asked to.
    fn warn_once(&self, message: &str);

    /// Writes a warning to the log, only the first of all that have the same key. Says whether this one was written.
    fn warn_once_for(&self, key: &str, message: &str) -> bool;

    /// Writes that something is deprecated, likewise once; nothing where such warnings are switched off
    /// (`disable_warnings`).
    fn warn_of_deprecated(&self, message: &str);
}

/// Settings, by Puppet's names.
pub trait SettingsPort<'c> {
    /// The version of the language that is in force. Code that decides something by it asks [`SettingsPort::holds`].
    fn compat(&self) -> Compat;

    /// Whether a rule that not all versions have is in force.
    fn holds(&self, rule: Rule) -> bool {
        self.compat().holds(rule)
    }

    /// The setting `strict`.
    fn strict(&self) -> Strict;

    /// The setting `strict_variables`.
    fn strict_variables(&self) -> bool;

    /// The value of a setting by Puppet's name.
    fn setting(&self, name: &str) -> Option<Value<'c>>;

    /// Name of the environment.
    fn environment(&self) -> &'c str;
}

/// Functions, wherever they come from: the language, a manifest, a module, Ruby.
pub trait FunctionPort<'c> {
    /// A function that comes with the language, or the native twin of a module's function as code of module `from`
    /// sees it.
    fn native(&self, name: &str, from: &str) -> Option<&'static Native>;

    /// Whether a function of any kind is known by that name: what Ruby's `Puppet::Parser::Functions.function`
    /// finds for functions of the old kind.
    fn has_old_function(&self, name: &str) -> bool;

    /// A function that a manifest loaded so far has defined.
    fn manifest_function(&self, name: &str) -> Option<&'c Closure<'c>>;

    /// A function written in Puppet, found as the autoloader of `module` finds it.
    fn function(&self, vm: &mut Vm<'c>, name: &str, module: &str) -> Eval<'c, Option<&'c Closure<'c>>>;

    /// A function that only Ruby has (or nothing has): calls it or fails by name. `None` when no such
    /// function exists at all.
    fn foreign(&self, vm: &mut Vm<'c>, name: &str, call: Call<'c, '_>) -> Eval<'c, Option<Value<'c>>>;

    /// What the host calls a function that only Ruby has, as code of `module` sees the name, for [`call_foreign`](Self::call_foreign);
    /// none where each call has to look for it.
    fn foreign_number(&self, name: &str, module: &str) -> Option<u32>;

    /// Calls the function of such a number.
    fn call_foreign(&self, vm: &mut Vm<'c>, number: u32, call: Call<'c, '_>) -> Eval<'c>;

    /// The signatures of a function that only Ruby has; none where there is no such function. One of the old kind takes
    /// anything.
    fn foreign_signatures(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<Vec<Signature<'c>>>>;
}

/// What capitalised names mean, and the instances that Ruby has of Object types.
pub trait TypePort<'c> {
    /// What a capitalised name that is no built-in type means: an alias (as [`Type::Alias`]) or, for a
    /// defined or resource type, none.
    fn type_alias(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<&'c Type<'c>>>;

    /// Whether `name` (lower case) is a resource type: built in, from a module's Ruby, or a defined type.
    fn is_resource_type(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, bool>;

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
}
