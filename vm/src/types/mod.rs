//! The Pcore type system: what a type is. Parsing, printing, inference, assignability, instance checks and
//! mismatch descriptions are this folder's other files.

use crate::value::Value;
use std::cell::OnceCell;

/// Inclusive bounds of a size or an integer; `None` is unbounded (`default`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Least value.
    pub min: Option<i64>,
    /// Greatest value.
    pub max: Option<i64>,
}

impl Range {
    /// No bound at either end.
    pub const ANY: Range = Range { min: None, max: None };
    /// `[0, default]`, the size of any collection.
    pub const SIZE: Range = Range { min: Some(0), max: None };
}

/// A member of a `Struct`.
#[derive(Clone, Copy)]
pub struct StructMember<'c> {
    /// The key.
    pub name: &'c str,
    /// Whether the key itself is optional (`Optional['k']`, or a plain key whose type accepts `undef`).
    pub optional: bool,
    /// The type of its value.
    pub value: &'c Type<'c>,
}

/// A named type: an alias from a `type` statement, a `types/*.pp` file or Puppet itself (`Data`, `RichData`).
/// The target is set once the body has been evaluated, so an alias may refer to itself.
pub struct Alias<'c> {
    /// Name as declared: `Stdlib::Absolutepath`.
    pub name: &'c str,
    /// What it stands for; unset only while the alias is being resolved.
    pub target: OnceCell<&'c Type<'c>>,
}

/// Signature of a `Callable`.
#[derive(Clone, Copy)]
pub struct CallableType<'c> {
    /// Parameter types in order.
    pub params: &'c [&'c Type<'c>],
    /// How many arguments may be given; the last parameter type repeats.
    pub size: Range,
    /// The block's type (a `Callable`, or `Optional` of one).
    pub block: Option<&'c Type<'c>>,
    /// The return type.
    pub returns: Option<&'c Type<'c>>,
    /// Whether parameters were given at all: a bare `Callable` accepts every callable.
    pub unspecified: bool,
}

/// A type of the language.
#[allow(missing_docs)]
pub enum Type<'c> {
    Any,
    /// The type of "nothing given"; internal, as in `Callable[0,0]`.
    Unit,
    Undef,
    Default,
    Scalar,
    ScalarData,
    Numeric,
    Integer(Range),
    Float {
        min: Option<f64>,
        max: Option<f64>,
    },
    Boolean(Option<bool>),
    /// With a size range; or one exact value, as inference yields.
    String {
        size: Range,
    },
    StringValue(&'c str),
    Enum {
        values: &'c [&'c str],
        ignore_case: bool,
    },
    Pattern(&'c [&'c str]),
    Regexp(Option<&'c str>),
    Collection(Range),
    Array {
        element: &'c Type<'c>,
        size: Range,
    },
    /// `size` is none when it follows from the number of types.
    Tuple {
        types: &'c [&'c Type<'c>],
        size: Option<Range>,
    },
    Hash {
        key: &'c Type<'c>,
        value: &'c Type<'c>,
        size: Range,
    },
    /// The type of the empty hash `{}` and array `[]` come as `Hash`/`Array` of `Unit` with size 0.
    Struct(&'c [StructMember<'c>]),
    Optional(&'c Type<'c>),
    NotUndef(&'c Type<'c>),
    Variant(&'c [&'c Type<'c>]),
    Sensitive(&'c Type<'c>),
    /// `Type[T]`
    Type(&'c Type<'c>),
    Iterable(&'c Type<'c>),
    Iterator(&'c Type<'c>),
    Callable(CallableType<'c>),
    CatalogEntry,
    /// `Class['name']`; bare `Class` has no name.
    Class(Option<&'c str>),
    /// `File['/x']`, `File`, `Resource`: type name (as capitalised for print, `Apache::Vhost`) and title.
    Resource {
        type_name: Option<&'c str>,
        title: Option<&'c str>,
    },
    Binary,
    Timestamp {
        from: Option<i128>,
        to: Option<i128>,
    },
    Timespan {
        from: Option<i128>,
        to: Option<i128>,
    },
    /// Ranges by their text; empty for any version.
    SemVer(&'c [&'c str]),
    SemVerRange,
    Uri(Option<Value<'c>>),
    /// `Runtime['ruby', 'Name']`
    Runtime {
        runtime: Option<&'c str>,
        name: Option<&'c str>,
    },
    Init {
        ty: Option<&'c Type<'c>>,
        args: &'c [Value<'c>],
    },
    /// `Object[{…}]` and the Object types Puppet predefines (`Error`, `Deferred`): name and definition hash.
    Object {
        name: Option<&'c str>,
        parent: Option<&'c Type<'c>>,
        init: Option<crate::value::Hash<'c>>,
    },
    TypeSet {
        name: Option<&'c str>,
        init: Option<crate::value::Hash<'c>>,
    },
    Alias(&'c Alias<'c>),
    /// A name nothing resolves: `TypeReference['Foo[1]']`.
    Reference(&'c str),
}

/// Type equality: the same type whatever its spelling (the order of a `Variant`'s members does not count).
pub fn equal<'c>(a: &'c Type<'c>, b: &'c Type<'c>) -> bool {
    std::ptr::eq(a, b)
}
// STUBS
use crate::{error::*, scope::Scope, vm::Vm};
use bumpalo::Bump;
pub fn builtin<'c>(_: &'c Bump, _: &str) -> Option<&'c Type<'c>> {
    todo!()
}
pub fn resolve_name<'c>(_: &mut Vm<'c>, _: &str, _: &str) -> Eval<'c, &'c Type<'c>> {
    todo!()
}
pub fn access<'c>(_: &mut Vm<'c>, _: &'c Scope<'c>, _: &'c Type<'c>, _: &[Value<'c>]) -> Eval<'c> {
    todo!()
}
pub fn parse<'c>(_: &mut Vm<'c>, _: &str) -> Eval<'c, &'c Type<'c>> {
    todo!()
}
pub fn print(_: &Type<'_>) -> String {
    todo!()
}
pub fn is_instance<'c>(_: &mut Vm<'c>, _: &'c Type<'c>, _: Value<'c>) -> Eval<'c, bool> {
    todo!()
}
pub fn generalized_name<'c>(_: &mut Vm<'c>, _: Value<'c>) -> String {
    todo!()
}
pub mod mismatch {
    use super::*;
    use crate::closure::Closure;
    use crate::signature::Signature;
    pub fn describe_parameter<'c>(
        _: &mut Vm<'c>,
        _: &str,
        _: &'c Type<'c>,
        _: Value<'c>,
    ) -> Eval<'c, String> {
        todo!()
    }
    pub fn describe_value<'c>(_: &mut Vm<'c>, _: &str, _: &'c Type<'c>, _: Value<'c>) -> Eval<'c, String> {
        todo!()
    }
    pub fn describe_signatures<'c>(
        _: &mut Vm<'c>,
        _: &str,
        _: &[Signature<'c>],
        _: &[Value<'c>],
        _: Option<&'c Closure<'c>>,
    ) -> Eval<'c, String> {
        todo!()
    }
}
pub fn is_assignable<'c>(_: &'c Type<'c>, _: &'c Type<'c>) -> bool {
    todo!()
}
pub fn infer<'c>(_: &mut Vm<'c>, _: Value<'c>) -> &'c Type<'c> {
    todo!()
}
