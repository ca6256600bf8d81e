//! What a type is: data only. What is asked of types (names, printing, assignability, …) is this folder's other files.
//!
//! A type that Puppet keeps without its parameter (`Optional`, `Type`, `Iterable`, `Iterator` with nothing in
//! brackets) has [`Type::Unit`] in the parameter's place.

use crate::types::definition::Definition;
use crate::value::{Hash, Value};
use bumpalo::Bump;
use std::cell::Cell;

/// Inclusive bounds of a size or an integer; `None` is unbounded (`default`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

    /// From `min` to `max`, both given.
    pub const fn new(min: i64, max: i64) -> Range {
        Range { min: Some(min), max: Some(max) }
    }

    /// The size of what is empty.
    pub const EMPTY: Range = Range::new(0, 0);

    /// Exactly `n`.
    pub const fn exactly(n: i64) -> Range {
        Range::new(n, n)
    }

    /// Whether there is no bound at either end.
    pub fn is_unbounded(self) -> bool {
        self.min.is_none() && self.max.is_none()
    }

    /// Whether `n` lies in it.
    pub fn contains(self, n: i64) -> bool {
        self.min.is_none_or(|min| min <= n) && self.max.is_none_or(|max| n <= max)
    }

    /// Whether all of `other` lies in it.
    pub fn covers(self, other: Range) -> bool {
        self.min.is_none_or(|min| other.min.is_some_and(|o| min <= o))
            && self.max.is_none_or(|max| other.max.is_some_and(|o| o <= max))
    }

    /// As a size: never below zero, "not given" being `[0, default]`.
    pub fn as_size(self) -> Range {
        let min = self.min.unwrap_or(0);
        if min >= 0 {
            Range { min: Some(min), max: self.max }
        } else {
            Range { min: Some(0), max: self.max.map(|m| m.max(0)) }
        }
    }

    /// The least range that holds both.
    pub fn hull(self, other: Range) -> Range {
        Range {
            min: self.min.zip(other.min).map(|(a, b)| a.min(b)),
            max: self.max.zip(other.max).map(|(a, b)| a.max(b)),
        }
    }
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

impl<'c> CallableType<'c> {
    /// A bare `Callable`.
    pub const ANY: Self =
        CallableType { params: &[], size: None, block: None, returns: None, unspecified: true };

    /// How many arguments may be given.
    pub fn range(&self) -> Range {
        tuple_range(self.params.len(), self.size)
    }
}

/// The size of a tuple of `count` types whose size is given or follows from them.
pub fn tuple_range(count: usize, size: Option<Range>) -> Range {
    match size {
        Some(size) => size,
        None if count == 0 => Range::SIZE,
        None => Range::exactly(count as i64),
    }
}

/// Signature of a `Callable`.
#[derive(Clone, Copy)]
pub struct CallableType<'c> {
    /// Parameter types in order.
    pub params: &'c [&'c Type<'c>],
    /// How many arguments may be given, where that does not follow from the number of types; the last
    /// parameter type repeats.
    pub size: Option<Range>,
    /// The block's type (a `Callable`, or `Optional` of one).
    pub block: Option<&'c Type<'c>>,
    /// The return type.
    pub returns: Option<&'c Type<'c>>,
    /// Whether parameters were given at all: a bare `Callable` accepts every callable.
    pub unspecified: bool,
}

/// A type of the language. `Copy`: everything in it is a reference into the arena.
#[derive(Clone, Copy)]
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
        /// Whether it is the value of a resource's parameter, which Puppet's Ruby holds as another kind of object:
        /// [`mod@super::held`].
        held: bool,
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
    /// `Object[{…}]`; and the Object types Puppet predefines (`Error`, `Deferred`), which have no definition.
    Object {
        name: Option<&'c str>,
        parent: Option<&'c Type<'c>>,
        definition: Option<&'c Definition<'c>>,
    },
    /// An Object type with values for some of its type parameters; `order` names all of these.
    ObjectExtension {
        base: &'c Type<'c>,
        order: &'c [&'c str],
        parameters: &'c [(&'c str, Value<'c>)],
    },
    TypeSet {
        name: Option<&'c str>,
        init: Option<Hash<'c>>,
    },
    Alias(&'c Alias<'c>),
    /// A name nothing resolves: `TypeReference['Foo[1]']`.
    Reference(&'c str),
}

impl<'c> Type<'c> {
    /// Puts the type into the arena.
    pub fn alloc(self, arena: &'c Bump) -> &'c Type<'c> {
        arena.alloc(self)
    }

    /// Whether this stands for a parameter that was not given.
    pub fn is_unit(&self) -> bool {
        matches!(self, Type::Unit)
    }
}

/// A named type: an alias from a `type` statement, a `types/*.pp` file or Puppet itself (`Data`, `RichData`).
/// The target is set once the body has been evaluated, so an alias may refer to itself.
pub struct Alias<'c> {
    /// Name as declared: `Stdlib::Absolutepath`.
    pub name: &'c str,
    /// What it stands for; unset only while the alias is being resolved.
    pub target: Cell<Option<&'c Type<'c>>>,
    recursion: Cell<Recursion>,
}

/// Whether an alias leads back to itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Recursion {
    None,
    /// It leads back to itself, each time through an element of a collection: a check of a value ends by itself.
    Founded,
    /// It leads back to itself, and a check of a value may come back to it with the same value.
    Free,
}

impl<'c> Alias<'c> {
    /// An alias that stands for nothing yet.
    pub fn new(name: &'c str) -> Self {
        Alias { name, target: Cell::new(None), recursion: Cell::new(Recursion::None) }
    }

    /// An alias of a type that does not lead back to it.
    pub fn of(name: &'c str, target: &'c Type<'c>) -> Self {
        let alias = Alias::new(name);
        alias.target.set(Some(target));
        alias
    }

    /// The Object type that this stands for in that type's own definition, before which it was met.
    pub fn itself(&self) -> Option<&'c Type<'c>> {
        self.target
            .get()
            .filter(|target| matches!(target, Type::Object { name: Some(name), .. } if *name == self.name))
    }

    /// Gives one of Puppet's own aliases its target, which leads back to it through elements of collections.
    pub(super) fn found(&self, target: &'c Type<'c>) {
        self.target.set(Some(target));
        self.recursion.set(Recursion::Founded);
    }

    /// Notes whether it leads back to itself.
    pub(super) fn set_recursion(&self, recursion: Recursion) {
        self.recursion.set(recursion);
    }

    /// Whether it leads back to itself.
    pub fn is_recursive(&self) -> bool {
        self.recursion.get() != Recursion::None
    }

    /// Whether a check of a value may come back to it with the same value.
    pub(super) fn may_stand_still(&self) -> bool {
        self.recursion.get() == Recursion::Free
    }
}

/// The type an alias stands for, through any number of aliases; the type itself otherwise. An alias that is
/// still being resolved stays as it is.
pub fn resolved<'c>(mut ty: &'c Type<'c>) -> &'c Type<'c> {
    // It ends: an alias of nothing but aliases gets no target.
    while let Type::Alias(alias) = ty {
        match alias.target.get() {
            Some(target) => ty = target,
            None => break,
        }
    }
    ty
}
