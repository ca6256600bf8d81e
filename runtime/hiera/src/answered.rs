//! Look-ups that have been answered: a compile asks for many a key again and again. An answer is good for as long as
//! the variables that it was made from are what they were, and only where nothing but data had a part in it.

use bumpalo::Bump;
use bunraku_vm::symbol::Symbol;
use bunraku_vm::value::Value;
use hashbrown::HashTable;
use std::cell::RefCell;

/// A variable, and what it was.
#[derive(Clone, Copy)]
pub(crate) struct Variable<'c> {
    /// Its name.
    pub name: Symbol,
    /// Whether `::` stands in that.
    pub is_qualified: bool,
    /// Its value, where it had one.
    pub value: Option<Value<'c>>,
}

/// An answer.
struct Memo<'c> {
    /// The hash of the key: hardly one is looked for with several merges.
    hash: u64,
    key: &'c str,
    merge: &'c str,
    variables: &'c [Variable<'c>],
    found: Option<Value<'c>>,
}

/// A look-up under way.
struct Recorder {
    /// Where the variables begin that it has asked for.
    start: usize,
    /// Whether only data had a part in it.
    pure: bool,
}

/// The answers of a compile.
#[derive(Default)]
pub(crate) struct Memos<'c> {
    table: RefCell<HashTable<Memo<'c>>>,
    /// Of the look-ups under way, outermost first.
    recorders: RefCell<Vec<Recorder>>,
    /// The variables they have asked for, those of the innermost at the end.
    variables: RefCell<Vec<Variable<'c>>>,
}

impl<'c> Memos<'c> {
    /// The answer for a key with this hash and the name of a merge, if there is one and its variables are unchanged.
    pub fn get(
        &self,
        hash: u64,
        key: &str,
        merge: &str,
        is_unchanged: impl FnMut(&Variable<'c>) -> bool,
    ) -> Option<Option<Value<'c>>> {
        let table = self.table.borrow();
        let memo = table.find(hash, |memo| memo.key == key && memo.merge == merge)?;
        memo.variables.iter().all(is_unchanged).then_some(memo.found)
    }

    /// A look-up begins.
    pub fn begin(&self) {
        let start = self.variables.borrow().len();
        self.recorders.borrow_mut().push(Recorder { start, pure: true });
    }

    /// The look-up that began last asked for a variable.
    pub fn asked(&self, variable: Variable<'c>) {
        if let Some(recorder) = self.recorders.borrow().last() {
            let mut variables = self.variables.borrow_mut();
            if !variables[recorder.start..].iter().any(|known| known.name == variable.name) {
                variables.push(variable);
            }
        }
    }

    /// Something other than data has a part in the look-ups under way: code, what a program gave.
    pub fn spoil(&self) {
        self.recorders.borrow_mut().iter_mut().for_each(|recorder| recorder.pure = false);
    }

    /// The look-up that began last has ended, with an answer or with an error, which is none.
    pub fn end(
        &self,
        arena: &'c Bump,
        hash: u64,
        key: &'c str,
        merge: &'c str,
        answer: Option<Option<Value<'c>>>,
    ) {
        let Some(recorder) = self.recorders.borrow_mut().pop() else { return };
        let mut all = self.variables.borrow_mut();
        let variables = arena.alloc_slice_copy(&all[recorder.start..]);
        all.truncate(recorder.start);
        let Some(found) = answer.filter(|_| recorder.pure) else { return };
        let memo = Memo { hash, key, merge, variables, found };
        let mut table = self.table.borrow_mut();
        match table.find_mut(hash, |other| other.key == key && other.merge == merge) {
            Some(old) => *old = memo,
            None => _ = table.insert_unique(hash, memo, |memo| memo.hash),
        }
    }
}
