//! Strings of Ruby whose encoding is that of bytes (`base64('decode', …)`): strings to the language, as in Puppet, whose
//! catalogs have Binary in their place.

use super::Ruby;
use crate::compile::Compile;
use bunraku_vm::value::{Array, HashBuilder, Str, Value};
use bunraku_vm::vm::Vm;

/// Deeper values are left as they are.
const MAX_NESTING: usize = 500;

impl<'c> Ruby<'c> {
    /// A string of bytes: what of it is no text is shown as such.
    pub(crate) fn string_of_bytes(&self, vm: &Vm<'c>, bytes: &[u8]) -> Str<'c> {
        let text = Str::new(vm.arena, &String::from_utf8_lossy(bytes));
        let bytes = &*vm.arena.alloc_slice_copy(bytes);
        self.bytes.borrow_mut().insert(address(text), bytes);
        text
    }

    /// The bytes of a string that is one of bytes.
    pub(super) fn bytes_of(&self, text: Str<'c>) -> Option<&'c [u8]> {
        let all = self.bytes.borrow();
        if all.is_empty() {
            return None;
        }
        all.get(&address(text)).copied()
    }
}

fn address(text: Str<'_>) -> usize {
    std::ptr::from_ref(text.0).addr()
}

impl<'c> Compile<'c> {
    /// Puts Binary in the place of strings of bytes in all resources.
    pub(crate) fn make_bytes_binary(&self) {
        if self.ruby.bytes.borrow().is_empty() {
            return;
        }
        let mut catalog = self.catalog.borrow_mut();
        for resource in &mut catalog.resources {
            for param in resource.params.iter_mut() {
                if let Some(value) = self.with_binary(param.value, 0) {
                    param.value = value;
                }
            }
        }
    }

    /// The value with Binary in it; none where there is nothing to change.
    fn with_binary(&self, value: Value<'c>, depth: usize) -> Option<Value<'c>> {
        if depth > MAX_NESTING {
            return None;
        }
        match value {
            Value::Str(text) => self.ruby.bytes_of(text).map(|bytes| Value::Binary(self.arena.alloc(bytes))),
            Value::Array(items) => {
                let changed: Vec<_> = items.iter().map(|item| self.with_binary(*item, depth + 1)).collect();
                changed.iter().any(Option::is_some).then(|| {
                    let all = items.iter().zip(changed).map(|(old, new)| new.unwrap_or(*old));
                    Value::Array(Array::new(self.arena, &all.collect::<Vec<_>>()))
                })
            }
            Value::Hash(hash) => {
                let entries = hash.entries();
                let changed: Vec<_> =
                    entries.iter().map(|(_, value)| self.with_binary(*value, depth + 1)).collect();
                changed.iter().any(Option::is_some).then(|| {
                    let mut out = HashBuilder::new(self.arena);
                    for ((key, old), new) in entries.iter().zip(changed) {
                        out.insert(*key, new.unwrap_or(*old));
                    }
                    Value::Hash(out.finish())
                })
            }
            Value::Sensitive(inner) => {
                let inner = self.with_binary(*inner, depth + 1)?;
                Some(Value::Sensitive(self.arena.alloc(inner)))
            }
            _ => None,
        }
    }
}
