//! `respond_to?` of values of Ruby's own classes, by a table of their methods that Ruby has made
//! (`tests/methods/responds.rb`). Puppet adds a few methods to all of them, and none that one of the others has.

use crate::value::{Class, V};

/// The methods of each class, a line each.
const TABLE: &str = include_str!("responds.txt");
/// Libraries that Puppet loads add these to all.
const ADDED: &[&str] = &["to_json", "to_yaml"];
/// None of these classes has one of these.
const NONE: &[&str] = &["unwrap", "call"];

/// What `respond_to?` says of a value; none for names whose answer is not known for sure: files of a library, or modules,
/// may add methods of other names.
pub(crate) fn responds(on: &V<'_>, name: &str) -> Option<bool> {
    of_class(on.class().ok()?, name)
}

/// Whether values of a class are known to have no method of a name.
pub(crate) fn lacks(class: Class, name: &str) -> bool {
    of_class(class, name) == Some(false)
}

fn of_class(class: Class, name: &str) -> Option<bool> {
    let mut known = NONE.contains(&name);
    let mut of_all = true;
    let mut has = None;
    for line in TABLE.lines() {
        let (of, methods) = line.split_once(": ")?;
        let found = methods.split(' ').any(|method| method == name);
        known |= found;
        of_all &= found;
        if of == class.name() {
            has = Some(found);
        }
    }
    if class == Class::Sensitive {
        // What hides a value has one method that is not everybody's.
        has = Some(of_all || name == "unwrap");
    }
    match has? {
        true => Some(true),
        false if ADDED.contains(&name) && class != Class::Sensitive => Some(true),
        false => known.then_some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_vm::value::Value;

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
