//! The syntax tree as text, in the two forms that `puppet parser dump` has: Puppet's notation ([`Notation`]), and the older
//! one in nested parentheses ([`nested()`]). So what was parsed can be held against what Puppet parses.

mod nested;
mod notation;

pub use nested::nested;
pub use notation::Notation;
