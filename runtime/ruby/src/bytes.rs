//! Strings of Ruby whose encoding is that of bytes (`base64('decode', …)`): strings to the language, as in Puppet, whose
//! catalogs have Binary in their place.

use super::Ruby;
use bumpalo::Bump;
use bunraku_vm::value::{Array, HashBuilder, Value};

/// Deeper values are not looked into.
const MAX_NESTING: usize = 500;

impl<'c> Ruby<'c> {
    /// Whether the compile has strings of bytes: if not, no value has Binary to be put into it.
    pub fn has_bytes(&self) -> bool {
        self.values.has_bytes()
    }

    /// The value with Binary in the place of strings of bytes; none where there is nothing to change.
    pub fn with_binary(&self, arena: &'c Bump, value: Value<'c>) -> Option<Value<'c>> {
        self.with_binary_at(arena, value, 0)
    }

    fn with_binary_at(&self, arena: &'c Bump, value: Value<'c>, depth: usize) -> Option<Value<'c>> {
        if depth > MAX_NESTING {
            return None;
        }
        match value {
            Value::Str(text) => self.values.bytes_of(text).map(|bytes| Value::Binary(arena.alloc(bytes))),
            Value::Array(items) => {
                let changed: Vec<_> =
                    items.iter().map(|item| self.with_binary_at(arena, *item, depth + 1)).collect();
                changed.iter().any(Option::is_some).then(|| {
                    let all = items.iter().zip(changed).map(|(old, new)| new.unwrap_or(*old));
                    Value::Array(Array::new(arena, &all.collect::<Vec<_>>()))
                })
            }
            Value::Hash(hash) => {
                let entries = hash.entries();
                let changed: Vec<_> =
                    entries.iter().map(|(_, value)| self.with_binary_at(arena, *value, depth + 1)).collect();
                changed.iter().any(Option::is_some).then(|| {
                    let mut out = HashBuilder::new(arena);
                    for ((key, old), new) in entries.iter().zip(changed) {
                        out.insert(*key, new.unwrap_or(*old));
                    }
                    Value::Hash(out.finish())
                })
            }
            Value::Sensitive(inner) => {
                let inner = self.with_binary_at(arena, *inner, depth + 1)?;
                Some(Value::Sensitive(arena.alloc(inner)))
            }
            _ => None,
        }
    }
}
