//! Interned names: variables, classes, types, parameters and tags compared as numbers.

use bumpalo::Bump;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::cell::RefCell;
use std::hash::BuildHasher as _;
use std::sync::LazyLock;

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
    hasher: DefaultHashBuilder,
    /// Hash codes and numbers.
    table: RefCell<HashTable<(u64, Symbol)>>,
    texts: RefCell<Vec<&'c str>>,
}

/// One for all tables, so that a name's code can be kept beside it.
static HASHER: LazyLock<DefaultHashBuilder> = LazyLock::new(DefaultHashBuilder::default);

/// A name that outlives compiles, with the code that tables know it by.
#[derive(Debug)]
pub(crate) struct KeptName {
    /// Its text.
    pub text: Box<str>,
    code: u64,
}

impl KeptName {
    pub fn new(text: &str) -> KeptName {
        KeptName { text: text.into(), code: HASHER.hash_one(text) }
    }
}

/// How many names there is room for at first: what a small compile needs.
const ROOM: usize = 400;

impl<'c> Interner<'c> {
    /// A table that holds the [`known`] names only.
    pub fn new(arena: &'c Bump) -> Self {
        let names = Interner {
            arena,
            hasher: HASHER.clone(),
            table: RefCell::new(HashTable::with_capacity(ROOM)),
            texts: RefCell::new(Vec::with_capacity(ROOM)),
        };
        known::TEXTS.iter().for_each(|text| _ = names.add(text, names.hasher.hash_one(text)));
        names
    }

    fn find(&self, text: &str, code: u64) -> Option<Symbol> {
        let (table, texts) = (self.table.borrow(), self.texts.borrow());
        let is = |(other, symbol): &(u64, Symbol)| *other == code && texts[symbol.0 as usize] == text;
        table.find(code, is).map(|(_, symbol)| *symbol)
    }

    fn add(&self, text: &'c str, code: u64) -> Symbol {
        let mut texts = self.texts.borrow_mut();
        let symbol = Symbol(texts.len() as u32);
        texts.push(text);
        self.table.borrow_mut().insert_unique(code, (code, symbol), |(code, _)| *code);
        symbol
    }

    /// The symbol of `text`, made if it is new.
    pub fn intern(&self, text: &str) -> Symbol {
        let code = self.hasher.hash_one(text);
        self.find(text, code).unwrap_or_else(|| self.add(self.arena.alloc_str(text), code))
    }

    /// The same for a name that is there as long as the table.
    pub(crate) fn intern_kept(&self, name: &'c KeptName) -> Symbol {
        self.find(&name.text, name.code).unwrap_or_else(|| self.add(&name.text, name.code))
    }

    /// Lets go of what lies outside of the arena; the table is empty then.
    pub fn release(&self) {
        self.table.take();
        self.texts.take();
    }

    /// The symbol of `text` if anything has interned it.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.find(text, self.hasher.hash_one(text))
    }

    /// The text of a symbol of this table.
    pub fn text(&self, symbol: Symbol) -> &'c str {
        self.texts.borrow()[symbol.0 as usize]
    }
}
