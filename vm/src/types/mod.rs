//! The Pcore type system. [`ty`] is what a type is; each other file is one thing that is asked of types. What they
//! need of a running machine is [`context::TypeContext`]. This file names them for other crates; within the crate
//! everything is imported from where it is defined.

pub(crate) mod accept;
pub(crate) mod access;
mod access_keys;
mod access_resource;
mod access_special;
pub(crate) mod alias;
pub(crate) mod assign;
mod assign_leaf;
pub(crate) mod build;
pub(crate) mod check_fault;
mod common;
pub mod context;
pub(crate) mod conversion;
pub(crate) mod definition;
pub(crate) mod equal;
pub(crate) mod general_text;
pub(crate) mod generalize;
mod guard;
pub(crate) mod held;
pub(crate) mod infer;
pub(crate) mod instance;
pub(crate) mod iterable;
pub(crate) mod kept;
pub(crate) mod lasting;
pub mod mismatch;
pub(crate) mod name;
pub(crate) mod named;
pub(crate) mod native_signature;
pub mod new;
mod normalize;
pub mod object;
mod object_text;
pub(crate) mod parse;
pub(crate) mod print;
pub(crate) mod quote;
pub(crate) mod signature;
mod span_fields;
pub mod ty;
mod undef;
mod walk;

pub use accept::accepts;
pub use access::access;
pub use alias::{set_alias, settle};
pub use assign::{equivalent, is_assignable};
pub use build::{
    builtin, callable, data, enumeration, is_core, optional, pattern, reference, resource, rich_data, variant,
};
pub use check_fault::{raise as raise_check_fault, take as take_check_fault};
pub use common::common;
pub use equal::{equal, feed};
pub use general_text::general_text;
pub use generalize::generalize;
pub use held::{held, is_held, written};
pub use infer::{infer, infer_set};
pub use instance::is_instance;
pub use iterable::{is_iterable, iterable_element};
pub use kept::KeptTypes;
pub use lasting::LastingType;
pub use name::{is_callable, name, simple_name};
pub use named::by_name;
pub use native_signature::signatures;
pub use normalize::normalize;
pub use parse::{constant, parse, parse_with};
pub use print::{print, print_expanded, print_value, print_value_indented};
pub use quote::{capitalize, capitalize_segments, quote, quote_double};
pub use signature::Signature;
pub use ty::{Alias, CallableType, Range, StructMember, Type, resolved, tuple_range};
