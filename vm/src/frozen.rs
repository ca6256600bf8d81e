//! Texts that Ruby may not change: what code has in single quotes or as a bare word, and titles.

use crate::value::Str;
use bumpalo::Bump;
use bumpalo::collections::Vec;
use std::cell::RefCell;

/// Where the texts of a compile lie that are frozen in Ruby. A text made of the same bytes is another one.
///
/// Real Puppet's own parser freezes them; what it makes of texts is not frozen. They are only noted here, as most
/// compiles ask nobody: whoever does asks for those that are [new](FrozenTexts::since).
#[derive(Debug)]
pub struct FrozenTexts<'c>(RefCell<Vec<'c, usize>>);

impl<'c> FrozenTexts<'c> {
    pub(crate) fn new(arena: &'c Bump) -> Self {
        FrozenTexts(RefCell::new(Vec::new_in(arena)))
    }

    /// The text, which is frozen from now on.
    pub fn with(&self, text: Str<'c>) -> Str<'c> {
        self.0.borrow_mut().push(text.address());
        text
    }

    /// The addresses of those behind the first so many, some more than once.
    pub fn since(&self, count: usize) -> std::vec::Vec<usize> {
        self.0.borrow().get(count..).unwrap_or_default().to_vec()
    }
}
