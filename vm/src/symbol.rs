//! Interned names: variables, classes, types, parameters and tags compared as numbers.

use bumpalo::Bump;
use hashbrown::HashMap;
use std::cell::RefCell;

/// An interned name; valid for the [`Interner`] that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// Names that the machine itself needs, at fixed numbers.
macro_rules! known_symbols {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// Names with fixed numbers, the same in every interner.
        #[allow(missing_docs)]
        pub mod known {
            use super::Symbol;
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            #[repr(u32)]
            enum Index { $($name),* }
            $(pub const $name: Symbol = Symbol(Index::$name as u32);)*
            pub(super) const TEXTS: &[&str] = &[$($text),*];
        }
    };
}

known_symbols! {
    TITLE = "title",
    NAME = "name",
    MODULE_NAME = "module_name",
    CALLER_MODULE_NAME = "caller_module_name",
    FACTS = "facts",
    TRUSTED = "trusted",
    SERVER_FACTS = "server_facts",
    ENVIRONMENT = "environment",
    EMPTY = "",
}

/// A table of names. Interning is a hash look-up; the text of a symbol is an array access.
pub struct Interner<'c> {
    arena: &'c Bump,
    map: RefCell<HashMap<&'c str, Symbol>>,
    texts: RefCell<Vec<&'c str>>,
}

impl<'c> Interner<'c> {
    /// A table that holds the [`known`] names only.
    pub fn new(arena: &'c Bump) -> Self {
        let table = Interner { arena, map: RefCell::default(), texts: RefCell::default() };
        for text in known::TEXTS {
            table.add(text);
        }
        table
    }

    fn add(&self, text: &'c str) -> Symbol {
        let mut texts = self.texts.borrow_mut();
        let symbol = Symbol(texts.len() as u32);
        texts.push(text);
        self.map.borrow_mut().insert(text, symbol);
        symbol
    }

    /// The symbol of `text`, made if it is new.
    pub fn intern(&self, text: &str) -> Symbol {
        if let Some(symbol) = self.map.borrow().get(text) {
            return *symbol;
        }
        self.add(self.arena.alloc_str(text))
    }

    /// Lets go of what lies outside of the arena; the table is empty then.
    pub fn release(&self) {
        self.map.take();
        self.texts.take();
    }

    /// The symbol of `text` if anything has interned it.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.map.borrow().get(text).copied()
    }

    /// The text of a symbol of this table.
    pub fn text(&self, symbol: Symbol) -> &'c str {
        self.texts.borrow()[symbol.0 as usize]
    }
}
