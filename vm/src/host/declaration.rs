//! Resource expressions, evaluated: what [`ResourcePort`](crate::host::ResourcePort) is handed.

use crate::operand::ResourceForm;
use crate::site::{Site, Spot};
use crate::value::{Array, Value};
use bumpalo::Bump;

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
    pub form: ResourceForm,
    /// The type's name in lower case: `file`, `class`, `apache::vhost`.
    pub type_name: &'c str,
    /// The bodies in order.
    pub bodies: &'c [Body<'c>],
    /// Place of the expression.
    pub at: Site<'c>,
    /// Whether somebody uses the references.
    pub references: bool,
}
