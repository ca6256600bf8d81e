//! The key of a look-up in a form that tells nothing but whether hashes have it. A function that does no more with its key than ask
//! hashes for it has nothing for any other key, either, that none of these hashes has, and need not be called for it: a backend
//! that looks through all expressions for a node's name does so for each of some hundred keys.
//!
//! It is a value that only Ruby knows how to treat, so whatever else is done with it leaves the call; it is then made again with
//! the key as it is.

use super::rests::{RestsOn, key_of_text};
use crate::method::Method;
use crate::value::V;
use crate::value::sealed::sealed;
use bunraku_vm::value::{Hash, Object, Value};
use bunraku_vm::vm::Vm;

/// The key that a function is called with.
pub(crate) struct SealedKey<'c> {
    object: &'c Object<'c>,
    text: &'c str,
    /// The hashes that were asked for it and do not have it.
    without: Vec<Hash<'c>>,
    /// Whether one has.
    is_found: bool,
}

impl<'c> SealedKey<'c> {
    /// That of a text.
    pub fn new(vm: &Vm<'c>, text: &'c str) -> SealedKey<'c> {
        SealedKey { object: sealed(vm), text, without: Vec::new(), is_found: false }
    }

    /// The value that stands for it.
    pub fn value(&self) -> V<'c> {
        V::Other(Value::Object(self.object))
    }

    /// The key itself, where a value stands for it.
    pub fn text_of(&self, value: &V<'c>) -> Option<&'c str> {
        matches!(value, V::Other(Value::Object(object)) if std::ptr::eq(*object, self.object))
            .then_some(self.text)
    }

    /// What a hash answers that is asked for it by a method; none for other methods.
    pub fn ask(&mut self, hash: Hash<'c>, method: Method) -> Option<V<'c>> {
        let found = hash.get_str(self.text);
        let answer = match method {
            Method::Include | Method::HasKey => V::Bool(found.is_some()),
            Method::Element => found.map_or(V::Nil, V::from),
            _ => return None,
        };
        match found {
            Some(_) => self.is_found = true,
            None => self.without.push(hash),
        }
        Some(answer)
    }

    /// Whether a call that another compile would not see otherwise has rested on nothing but that no hash has it, and the call's other
    /// arguments.
    pub fn is_all_of(&self, rests: &RestsOn<'_>) -> bool {
        let own = key_of_text(self.text);
        !self.is_found
            && rests.absent.is_empty()
            && rests.cached.is_empty()
            && rests.uncached.iter().all(|key| *key == own)
    }

    /// The hashes that were asked for it and do not have it.
    pub fn without(self) -> Vec<Hash<'c>> {
        self.without
    }
}
