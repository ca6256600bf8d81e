//! Collectors, evaluated: what [`ResourcePort::collect`](crate::host::ResourcePort::collect) is handed.

use crate::host::declaration::Attribute;
use crate::operand::CollectorKind;
use crate::site::Site;
use crate::value::Value;

/// A collector's query, with the values of its right-hand sides.
#[derive(Clone, Copy)]
pub enum CollectorQuery<'c> {
    /// `attribute == value`; the attribute may be `title` or `tag`.
    Eq(&'c str, Value<'c>),
    /// `attribute != value`
    NotEq(&'c str, Value<'c>),
    /// Both.
    And(&'c CollectorQuery<'c>, &'c CollectorQuery<'c>),
    /// Either.
    Or(&'c CollectorQuery<'c>, &'c CollectorQuery<'c>),
    /// A value that stands where a query should.
    Lone(Value<'c>),
}

/// `Type <| query |> { overrides }`
pub struct Collect<'c> {
    /// The type collected.
    pub ty: Value<'c>,
    /// Which resources it takes.
    pub kind: CollectorKind,
    /// The query; none for all.
    pub query: Option<CollectorQuery<'c>>,
    /// Overrides.
    pub attributes: &'c [Attribute<'c>],
    /// Place of the expression.
    pub at: Site<'c>,
}
