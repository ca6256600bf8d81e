//! Interned names: variables, classes, types, parameters and tags are compared as numbers. A compile numbers its
//! names above those that the files of its environment have in common.

use crate::names;
use bumpalo::Bump;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::cell::RefCell;
use std::hash::BuildHasher as _;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

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

/// Variables that only the compile itself may set.
const RESERVED: [Symbol; 3] = [known::FACTS, known::TRUSTED, known::SERVER_FACTS];

impl Symbol {
    /// Whether only the compile itself may set a variable of that name.
    pub fn is_reserved(self) -> bool {
        RESERVED.contains(&self)
    }
}

/// The same of a name that is a text.
pub fn is_reserved(name: &str) -> bool {
    RESERVED.iter().any(|reserved| known::TEXTS[reserved.0 as usize] == name)
}

/// Names of files, numbered once for all compiles that read these files. A compile's own numbers start above them. A
/// table never changes; a longer one that replaces it gives the same names the same numbers.
#[derive(Clone)]
pub struct Base {
    /// Which base it is: those that follow each other as one grows are the same.
    id: u32,
    /// Numbers of the names, found by the names' hash codes.
    table: HashTable<(u64, Symbol)>,
    texts: Vec<Arc<str>>,
}

impl Default for Base {
    /// The [`known`] names only.
    fn default() -> Self {
        let mut base = Base { id: 0, table: HashTable::new(), texts: Vec::new() };
        known::TEXTS.iter().for_each(|text| base.add(text, HASHER.hash_one(text)));
        base
    }
}

/// The base of a compile that shares names with no other.
static KNOWN: LazyLock<Base> = LazyLock::new(Base::default);
/// The base of tables that number other things than names.
static NOTHING: Base = Base { id: 0, table: HashTable::new(), texts: Vec::new() };

impl Base {
    fn find(&self, text: &str, code: u64) -> Option<Symbol> {
        let is = |(other, symbol): &(u64, Symbol)| *other == code && *self.texts[symbol.0 as usize] == *text;
        self.table.find(code, is).map(|(_, symbol)| *symbol)
    }

    fn add(&mut self, text: &str, code: u64) {
        let symbol = Symbol(self.texts.len() as u32);
        self.texts.push(text.into());
        self.table.insert_unique(code, (code, symbol), |(code, _)| *code);
    }
}

/// The base of the compiles of environments whose files do not change. It grows by the names of those files that
/// compiles come upon, and by nothing else: no fact, node or value is ever in it.
pub struct GrowingBase(Mutex<State>);

impl Default for GrowingBase {
    fn default() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        // Zero is for those that never grow, the last one for all that come after four thousand millions: names keep no number of it.
        let id =
            MADE.fetch_update(Relaxed, Relaxed, |made| made.checked_add(1)).map_or(u32::MAX, |made| made + 1);
        GrowingBase(Mutex::new(State { base: Arc::new(Base { id, ..Base::default() }), wanted: Vec::new() }))
    }
}

struct State {
    base: Arc<Base>,
    /// Names, with their hash codes, that the base of the next compile will have beside these.
    wanted: Vec<(Box<str>, u64)>,
}

impl GrowingBase {
    /// The base for a compile that begins: all names that compiles before it have come upon.
    pub fn current(&self) -> Arc<Base> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let State { base, wanted } = &mut *state;
        if !wanted.is_empty() {
            // A base that a running compile still reads is copied, not changed.
            let base = Arc::make_mut(base);
            for (text, code) in wanted.drain(..) {
                if base.find(&text, code).is_none() {
                    base.add(&text, code);
                }
            }
        }
        base.clone()
    }

    /// Takes in the names of files that a compile has met and its base did not have: later compiles have numbers for
    /// them.
    pub fn take_in(&self, symbols: &Interner<'_>) {
        let names = symbols.wanted.take();
        if !names.is_empty() {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.wanted.extend(names.iter().map(|name| (name.text.clone(), name.code)));
        }
    }
}

/// The one hash function of all tables, so that a name's hash code can be kept beside it.
static HASHER: LazyLock<DefaultHashBuilder> = LazyLock::new(DefaultHashBuilder::default);

/// A name of a file that outlives compiles, with the code that tables know it by.
#[derive(Debug)]
pub struct KeptName {
    /// Its text.
    pub text: Box<str>,
    code: u64,
    /// The base that it was found in last, in the upper half, and one more than its number there in the lower; zero while it was in
    /// none. It may be one of several environments' files.
    number: AtomicU64,
    /// The last segment of a qualified name.
    leaf: Option<Box<KeptName>>,
}

impl KeptName {
    /// A name that has no number yet.
    pub fn new(text: &str) -> KeptName {
        let leaf = names::split_last(text).map(|(_, leaf)| Box::new(KeptName::new(leaf)));
        KeptName { text: text.into(), code: HASHER.hash_one(text), number: AtomicU64::new(0), leaf }
    }

    /// What stands before the last segment of a qualified name, and the last segment; none for a name without `::`.
    pub(crate) fn split_last(&self) -> Option<(&str, &KeptName)> {
        let leaf = self.leaf.as_deref()?;
        Some((&self.text[..self.text.len() - leaf.text.len() - 2], leaf))
    }

    /// Its symbol, where the base is known to have one for it.
    #[inline]
    pub(crate) fn symbol(&self, symbols: &Interner<'_>) -> Option<Symbol> {
        let found = self.number.load(Relaxed);
        let symbol = Symbol((found as u32).wrapping_sub(1));
        ((found >> 32) as u32 == symbols.base.id && symbols.is_shared(symbol)).then_some(symbol)
    }

    fn found_in(&self, base: &Base, symbol: Symbol) {
        if base.id != u32::MAX {
            self.number.store((u64::from(base.id) << 32) | u64::from(symbol.0 + 1), Relaxed);
        }
    }
}

/// A table of names of a compile: its own beside those of its base. Interning is a hash look-up; the text of a symbol
/// is an array access.
pub struct Interner<'c> {
    arena: &'c Bump,
    base: &'c Base,
    /// Hash codes and numbers, of names that the base does not have.
    table: RefCell<HashTable<(u64, Symbol)>>,
    texts: RefCell<Vec<&'c str>>,
    /// Names of files that the base should have.
    wanted: RefCell<Vec<&'c KeptName>>,
}

/// How many names there is room for at first: what a small compile needs.
const ROOM: usize = 400;

impl<'c> Interner<'c> {
    /// A table that holds the [`known`] names only.
    pub fn new(arena: &'c Bump) -> Self {
        Interner::over(arena, &KNOWN)
    }

    /// A table that holds nothing, for words that are numbered apart from a compile's names.
    pub fn empty(arena: &'c Bump) -> Self {
        Interner::over(arena, &NOTHING)
    }

    /// A table that holds the names of a base.
    pub fn over(arena: &'c Bump, base: &'c Base) -> Self {
        Interner {
            arena,
            base,
            table: RefCell::new(HashTable::with_capacity(ROOM)),
            texts: RefCell::new(Vec::with_capacity(ROOM)),
            wanted: RefCell::default(),
        }
    }

    pub(crate) fn arena(&self) -> &'c Bump {
        self.arena
    }

    /// Whether a symbol comes from the base, and so means the same name in every compile over that base.
    #[inline]
    pub(crate) fn is_shared(&self, symbol: Symbol) -> bool {
        (symbol.0 as usize) < self.base.texts.len()
    }

    fn find(&self, text: &str, code: u64) -> Option<Symbol> {
        self.base.find(text, code).or_else(|| self.find_own(text, code))
    }

    fn find_own(&self, text: &str, code: u64) -> Option<Symbol> {
        let (table, texts, first) = (self.table.borrow(), self.texts.borrow(), self.base.texts.len());
        let is = |(other, symbol): &(u64, Symbol)| *other == code && texts[symbol.0 as usize - first] == text;
        table.find(code, is).map(|(_, symbol)| *symbol)
    }

    fn add(&self, text: &'c str, code: u64) -> Symbol {
        let mut texts = self.texts.borrow_mut();
        let symbol = Symbol((self.base.texts.len() + texts.len()) as u32);
        texts.push(text);
        self.table.borrow_mut().insert_unique(code, (code, symbol), |(code, _)| *code);
        symbol
    }

    /// The symbol of `text`, made if it is new.
    pub fn intern(&self, text: &str) -> Symbol {
        let code = HASHER.hash_one(text);
        self.find(text, code).unwrap_or_else(|| self.add(self.arena.alloc_str(text), code))
    }

    /// The symbol of a name that lies in a file of an environment of the base, made if it is new.
    #[inline]
    pub(crate) fn intern_kept(&self, name: &'c KeptName) -> Symbol {
        name.symbol(self).unwrap_or_else(|| self.number(name))
    }

    #[inline(never)]
    fn number(&self, name: &'c KeptName) -> Symbol {
        match self.base.find(&name.text, name.code) {
            Some(symbol) => {
                name.found_in(self.base, symbol);
                symbol
            }
            None => {
                self.wanted.borrow_mut().push(name);
                self.find_own(&name.text, name.code).unwrap_or_else(|| self.add(&name.text, name.code))
            }
        }
    }

    /// Frees what lies outside of the arena; the table's own names are gone then.
    pub fn release(&self) {
        self.table.take();
        self.texts.take();
        self.wanted.take();
    }

    /// The symbol of `text` if anything has interned it.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.find(text, HASHER.hash_one(text))
    }

    /// The symbol of a name if anything has interned it.
    pub fn get_kept(&self, name: &KeptName) -> Option<Symbol> {
        if let Some(symbol) = name.symbol(self) {
            return Some(symbol);
        }
        match self.base.find(&name.text, name.code) {
            Some(symbol) => {
                name.found_in(self.base, symbol);
                Some(symbol)
            }
            None => self.find_own(&name.text, name.code),
        }
    }

    /// The text of a symbol of this table.
    pub fn text(&self, symbol: Symbol) -> &'c str {
        let at = symbol.0 as usize;
        match self.base.texts.get(at) {
            Some(text) => text,
            None => self.texts.borrow()[at - self.base.texts.len()],
        }
    }
}
