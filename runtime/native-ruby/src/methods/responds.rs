//! `respond_to?` of values of Ruby's own classes, by a table of their methods that Ruby has made
//! (`tests/methods/responds.rb`). Puppet adds a few methods to all of them, and none that one of the others has.

use crate::value::{Class, V};
use std::cmp::Ordering;

/// The classes in a line, then the methods in their order, a line each, with the classes that have it: a bit for each. Searched
/// where it lies: a process asks for few.
const TABLE: &str = include_str!("responds.txt");
/// Libraries that Puppet loads add these to all.
const ADDED: &[&str] = &["to_json", "to_yaml"];
/// None of these classes has one of these.
const NONE: &[&str] = &["unwrap", "call"];

/// What `respond_to?` says of a value; none for names whose answer is not known for sure: files of a library, or modules,
/// may add methods of other names.
pub(crate) fn responds(on: &V<'_>, name: &str) -> Option<bool> {
    let class = on.class().ok()?;
    let (classes, methods) = TABLE.split_once('\n')?;
    let having = having(methods, name).unwrap_or_default();
    let known = having != 0 || NONE.contains(&name);
    let has = match classes.split(' ').position(|of| of == class.name()) {
        Some(number) => having & 1 << number != 0,
        // What hides a value has one method that is not everybody's.
        None if class == Class::Sensitive => {
            having.count_ones() as usize == classes.split(' ').count() || name == "unwrap"
        }
        None => return None,
    };
    match has {
        true => Some(true),
        false if ADDED.contains(&name) && class != Class::Sensitive => Some(true),
        false => known.then_some(false),
    }
}

/// The classes that have a method, by the lines of all methods; none for a name that no line has.
fn having(mut lines: &str, name: &str) -> Option<u32> {
    while !lines.is_empty() {
        // The line in the middle: from the last end of a line before it on.
        let start = lines.as_bytes()[..lines.len() / 2].iter().rposition(|byte| *byte == b'\n');
        let (before, rest) = lines.split_at(start.map_or(0, |end| end + 1));
        let (line, behind) = rest.split_once('\n').unwrap_or((rest, ""));
        let (known, bits) = line.split_once(' ')?;
        match name.cmp(known) {
            Ordering::Equal => return bits.parse().ok(),
            Ordering::Less => lines = before,
            Ordering::Greater => lines = behind,
        }
    }
    None
}

/// Whether a value is known to have no method of a name.
pub(crate) fn lacks(on: &V<'_>, name: &str) -> bool {
    responds(on, name) == Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_vm::value::Value;

    #[test]
    fn every_line_is_found() {
        let (_, methods) = TABLE.split_once('\n').unwrap_or_default();
        for line in methods.lines() {
            let (name, bits) = line.split_once(' ').unwrap_or_default();
            assert_eq!(having(methods, name), bits.parse().ok(), "{name}");
        }
        for name in ["", "a", "zzz", "~~", "!!", "each_"] {
            assert_eq!(having(methods, name), None, "{name}");
        }
    }

    #[test]
    fn values_respond_as_in_ruby() {
        let text = V::Str("x");
        assert_eq!(responds(&text, "upcase"), Some(true));
        assert_eq!(responds(&text, "each"), Some(false));
        assert_eq!(responds(&text, "unwrap"), Some(false));
        assert_eq!(responds(&V::Nil, "to_a"), Some(true));
        assert_eq!(responds(&V::Bool(true), "empty?"), Some(false));
        assert_eq!(responds(&V::Int(1), "to_s"), Some(true));
        assert_eq!(responds(&text, "to_json"), Some(true));
        assert_eq!(responds(&text, "blank?"), None);
        let hidden = V::Other(Value::Sensitive(&Value::Undef));
        assert_eq!(responds(&hidden, "unwrap"), Some(true));
        assert_eq!(responds(&hidden, "upcase"), Some(false));
        assert_eq!(responds(&hidden, "inspect"), Some(true));
    }
}
