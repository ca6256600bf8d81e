//! `respond_to?` of values of Ruby's own classes, by a table of their methods that Ruby has made
//! (`tests/methods/responds.rb`). Puppet adds a few methods to all of them, and none that one of the others has.

use crate::value::V;

/// The methods of each class, a line each.
const TABLE: &str = include_str!("responds.txt");
/// Libraries that Puppet loads add these to all.
const ADDED: &[&str] = &["to_json", "to_yaml"];
/// None of these classes has one of these.
const NONE: &[&str] = &["unwrap", "call"];

/// What `respond_to?` says of a value; none for names whose answer is not known for sure.
pub(super) fn responds(on: &V<'_>, name: &str) -> Option<bool> {
    let class = on.class().ok()?;
    let mut known = NONE.contains(&name);
    let mut has = None;
    for line in TABLE.lines() {
        let (of, methods) = line.split_once(": ")?;
        let found = methods.split(' ').any(|method| method == name);
        known |= found;
        if of == class.name() {
            has = Some(found);
        }
    }
    match has? {
        true => Some(true),
        false if ADDED.contains(&name) => Some(true),
        false => known.then_some(false),
    }
}
