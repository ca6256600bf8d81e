//! What manifests do to the catalog and ask of it: classes, resources, relationships, tags.

use crate::error::Eval;
use crate::host::collect::Collect;
use crate::host::declaration::{Attribute, Declaration};
use crate::host::request::Include;
use crate::operand::Relation;
use crate::scope::Scope;
use crate::site::Site;
use crate::value::{Hash, Value};
use crate::vm::Vm;

/// Classes of the compile.
pub trait ClassPort<'c> {
    /// The scope of a class that has been evaluated (name in lower case, without leading `::`).
    fn class_scope(&self, name: &str) -> Option<&'c Scope<'c>>;

    /// Whether a class of that name is known or can be loaded.
    fn class_exists(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, bool>;

    /// `include`, `contain`, `require`. Yields the array of class references.
    fn include(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, how: Include, classes: &[Value<'c>])
    -> Eval<'c>;
}

/// Changes of the catalog: resources, collectors, overrides, relationships.
pub trait ResourcePort<'c> {
    /// Exported resources are about to be evaluated: warns at their expression where nothing keeps them.
    fn exporting(&self, at: Site<'c>);

    /// Evaluates a resource expression. Yields the array of references, or `undef` where nobody uses them.
    fn declare(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, declaration: &Declaration<'c>) -> Eval<'c>;

    /// `File { mode => … }`
    fn set_defaults(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        ty: Value<'c>,
        attributes: &'c [Attribute<'c>],
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

    /// Registers a collector; yields a value that [`ResourcePort::relate`] understands.
    fn collect(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, collect: &Collect<'c>) -> Eval<'c>;

    /// `left -> right`; yields what the next arrow of a chain continues from.
    fn relate(&self, vm: &mut Vm<'c>, relation: Relation, left: Value<'c>, right: Value<'c>) -> Eval<'c>;

    /// `realize(…)`
    fn realize(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, references: &[Value<'c>]) -> Eval<'c>;

    /// `create_resources(type, resources, defaults)`
    fn create_resources(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        type_name: &str,
        resources: Hash<'c>,
        defaults: Option<Hash<'c>>,
    ) -> Eval<'c>;
}

/// Questions about what the catalog has so far, and tags.
pub trait CatalogPort<'c> {
    /// `defined(…)`
    fn defined(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, what: &[Value<'c>]) -> Eval<'c, bool>;

    /// `tag(…)`
    fn tag(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, tags: &[Value<'c>]) -> Eval<'c>;

    /// `tagged(…)`
    fn tagged(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, tags: &[Value<'c>]) -> Eval<'c, bool>;

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
}
