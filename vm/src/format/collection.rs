//! Arrays and hashes as text in brackets, whatever notation their items are in.

use crate::budget;
use crate::value::{Array, Hash, Value};

/// Appends a value in some notation.
type Write = for<'c> fn(&mut String, Value<'c>);

/// Appends `[a, b]`.
pub(super) fn array(out: &mut String, items: Array<'_>, write: Write) {
    budget::within(items.len(), || {
        budget::push_str(out, "[");
        for (n, item) in items.iter().enumerate() {
            if n > 0 {
                budget::push_str(out, ", ");
            }
            write(out, *item);
        }
        budget::push_str(out, "]");
    });
}

/// Appends `{a => 1, b => 2}`: each key with the sign behind it, then its value.
pub(super) fn hash(out: &mut String, hash: Hash<'_>, write_key: Write, write: Write) {
    budget::within(hash.len(), || {
        budget::push_str(out, "{");
        for (n, (key, value)) in hash.entries().iter().enumerate() {
            if n > 0 {
                budget::push_str(out, ", ");
            }
            write_key(out, *key);
            write(out, *value);
        }
        budget::push_str(out, "}");
    });
}
