//! `respond_to?` of values of Ruby's own classes, by a table of their methods that Ruby has made
//! (`tests/methods/responds.rb`). Puppet adds a few methods to all of them, and none that one of the others has.

use crate::value::{Class, V};
use hashbrown::HashMap;
use std::sync::LazyLock;

/// The methods of each class, a line each.
const TABLE: &str = include_str!("responds.txt");
/// The classes of the table, and for each method those that have it: a bit for each, by their places.
static HAVING: LazyLock<(Vec<&str>, HashMap<&str, u32>)> = LazyLock::new(|| {
    let lines = TABLE.lines().filter_map(|line| line.split_once(": "));
    let mut having: HashMap<&str, u32> = HashMap::new();
    for (number, (_, methods)) in lines.clone().enumerate() {
        methods.split(' ').for_each(|method| *having.entry(method).or_default() |= 1 << number);
    }
    (lines.map(|(class, _)| class).collect(), having)
});
/// Libraries that Puppet loads add these to all.
const ADDED: &[&str] = &["to_json", "to_yaml"];
/// None of these classes has one of these.
const NONE: &[&str] = &["unwrap", "call"];

/// What `respond_to?` says of a value; none for names whose answer is not known for sure: files of a library, or modules,
/// may add methods of other names.
pub(crate) fn responds(on: &V<'_>, name: &str) -> Option<bool> {
    let class = on.class().ok()?;
    let having = HAVING.1.get(name).copied().unwrap_or_default();
    let known = having != 0 || NONE.contains(&name);
    let has = match HAVING.0.iter().position(|of| *of == class.name()) {
        Some(number) => having & 1 << number != 0,
        // What hides a value has one method that is not everybody's.
        None if class == Class::Sensitive => {
            having.count_ones() as usize == HAVING.0.len() || name == "unwrap"
        }
        None => return None,
    };
    match has {
        true => Some(true),
        false if ADDED.contains(&name) && class != Class::Sensitive => Some(true),
        false => known.then_some(false),
    }
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
