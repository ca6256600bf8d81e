//! Object types and type sets: from the hash that defines one to the type, and types with values for their type
//! parameters.

pub(crate) mod define;
pub(crate) mod extension;
pub(crate) mod type_set;

pub use crate::types::definition::{
    AttributeKind, Definition, Feature, Member, attributes, constructor, data, definition, foreign_text,
    has_parameters, is_in_ruby, is_made_by, is_named_in_ruby, member, members, same, symbol_text,
    text_in_catalogs, value_of,
};
pub use define::{define, not_a_definition};
pub use extension::{extension, of_instance};
pub use type_set::define_set;
