//! Modules and classes that come with Ruby and with Puppet: their own methods, as far as they are known here.

mod puppet;
mod tree_files;

pub(crate) use puppet::level;

use crate::eval::{Done, Run};
use crate::tree::Block;
use crate::value::{Class, V};

/// Calls a method of a class or module itself, as it stands in a line; none for what is not known.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    class: Class,
    name: &str,
    args: &[V<'c>],
    (block, line): (Option<&'c Block>, usize),
) -> Done<'c, Option<V<'c>>> {
    match class {
        Class::Puppet
        | Class::PuppetSettings
        | Class::Sensitive
        | Class::PuppetStack
        | Class::ParserFunctions
        | Class::FunctionsLoader
        | Class::Env => puppet::call(run, class, name, args, (block, line)),
        Class::File => tree_files::call(run, name, args),
        _ => Ok(None),
    }
}

/// Whether a class or module has a method of its own that is known here.
pub(crate) fn has(class: Class, name: &str) -> bool {
    matches!((class, name), (Class::PuppetStack, "stacktrace"))
}

/// The value of a constant that is no class or module.
pub(crate) fn constant<'c>(name: &str) -> Option<V<'c>> {
    Some(match name {
        "Float::INFINITY" => V::Float(f64::INFINITY),
        "Float::NAN" => V::Float(f64::NAN),
        "File::SEPARATOR" => V::Str("/"),
        _ => return None,
    })
}
