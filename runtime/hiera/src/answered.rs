//! Look-ups that have been answered: a compile asks for many a key again and again. An answer is good for as long as
//! the variables that it was made from are what they were, and only where nothing but data had a part in it.

use crate::data_file::touch_of;
use crate::key::Key;
use bumpalo::Bump;
use bunraku_files::reads::{self, Touch};
use bunraku_vm::symbol::Symbol;
use bunraku_vm::value::Value;
use hashbrown::HashTable;
use std::cell::{Cell, RefCell};

/// The name of a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct VariableName {
    /// The name.
    pub symbol: Symbol,
    /// Whether `::` stands in it: it is then one of top scope or of a class, not of the scope that asks.
    pub is_qualified: bool,
}

/// A variable that a look-up has asked for, and what it was.
#[derive(Clone, Copy)]
pub(crate) struct SeenVariable<'c> {
    /// Its name.
    pub name: VariableName,
    /// Its value, where it had one.
    pub value: Option<Value<'c>>,
}

/// What a look-up was asked for.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// The hash of the key: hardly one is looked for with several merges.
    pub hash: u64,
    /// The key.
    pub key: &'a str,
    /// The name of the merge, empty for none.
    pub merge: &'a str,
}

impl PartialEq for Asked<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.merge == other.merge
    }
}

struct AnsweredLookup<'c> {
    asked: Asked<'c>,
    /// The question for its key that is told to those who gather what is read, once it has been: what leads into the key's value is none
    /// of it, and is told from it by looking closely.
    question: Cell<Option<Touch>>,
    variables: &'c [SeenVariable<'c>],
    found: Option<Value<'c>>,
}

impl AnsweredLookup<'_> {
    fn question(&self) -> Touch {
        let question = self.question.get().unwrap_or_else(|| {
            let key = Key::split(self.asked.key);
            key.map_or_else(|| Touch::of_key(self.asked.hash), |key| touch_of(&key.root))
        });
        self.question.set(Some(question));
        question
    }
}

/// A look-up under way.
struct Recorder {
    /// Where the variables begin that it has asked for.
    start: usize,
    /// Whether only data had a part in it.
    is_pure: bool,
}

/// The answers of a compile.
#[derive(Default)]
pub(crate) struct AnsweredLookups<'c> {
    /// Key: that of the look-up and its merge; bound: the keys that code looks for, one answer each; stale when one of
    /// the variables that the answer was made from has another value, which is asked each time.
    /// Test: `tests::an_answer_holds_until_a_variable_changes`.
    table: RefCell<HashTable<AnsweredLookup<'c>>>,
    /// Of the look-ups under way, outermost first.
    recorders: RefCell<Vec<Recorder>>,
    /// The variables they have asked for, those of the innermost at the end.
    variables: RefCell<Vec<SeenVariable<'c>>>,
}

impl<'c> AnsweredLookups<'c> {
    /// The answer to a look-up, if there is one and its variables are unchanged. Whoever gathers what is read is told the key.
    pub fn get(
        &self,
        asked: Asked<'_>,
        is_unchanged: impl FnMut(&SeenVariable<'c>) -> bool,
    ) -> Option<Option<Value<'c>>> {
        let table = self.table.borrow();
        let answered = table.find(asked.hash, |answered| answered.asked == asked)?;
        if !answered.variables.iter().all(is_unchanged) {
            return None;
        }
        reads::note(|| answered.question());
        Some(answered.found)
    }

    /// A look-up begins.
    pub fn begin(&self) {
        let start = self.variables.borrow().len();
        self.recorders.borrow_mut().push(Recorder { start, is_pure: true });
    }

    /// The look-up that began last asked for a variable.
    pub fn asked_for(&self, variable: SeenVariable<'c>) {
        if let Some(recorder) = self.recorders.borrow().last() {
            let mut variables = self.variables.borrow_mut();
            if !variables[recorder.start..].iter().any(|known| known.name.symbol == variable.name.symbol) {
                variables.push(variable);
            }
        }
    }

    /// Something other than data has a part in the look-ups under way (code, what a program gave): their answers are
    /// not kept.
    pub fn spoil(&self) {
        self.recorders.borrow_mut().iter_mut().for_each(|recorder| recorder.is_pure = false);
    }

    /// What the look-up that began last has asked for until now.
    pub fn seen(&self, arena: &'c Bump) -> &'c [SeenVariable<'c>] {
        let start = self.recorders.borrow().last().map_or(0, |recorder| recorder.start);
        arena.alloc_slice_copy(&self.variables.borrow()[start..])
    }

    /// The look-up that began last has ended, with an answer or with an error, which is none.
    pub fn end(&self, arena: &'c Bump, asked: Asked<'c>, answer: Option<Option<Value<'c>>>) {
        let Some(recorder) = self.recorders.borrow_mut().pop() else { return };
        let mut all = self.variables.borrow_mut();
        let variables = arena.alloc_slice_copy(&all[recorder.start..]);
        all.truncate(recorder.start);
        let Some(found) = answer.filter(|_| recorder.is_pure) else { return };
        let answered = AnsweredLookup { asked, question: Cell::new(None), variables, found };
        let mut table = self.table.borrow_mut();
        match table.find_mut(asked.hash, |other| other.asked == asked) {
            Some(old) => *old = answered,
            None => _ = table.insert_unique(asked.hash, answered, |answered| answered.asked.hash),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable<'c>(value: i64) -> SeenVariable<'c> {
        let name = VariableName { symbol: Symbol(1), is_qualified: false };
        SeenVariable { name, value: Some(Value::Int(value)) }
    }

    fn is(now: i64) -> impl FnMut(&SeenVariable<'_>) -> bool {
        move |seen| matches!(seen.value, Some(Value::Int(then)) if then == now)
    }

    #[test]
    fn an_answer_holds_until_a_variable_changes() {
        let arena = Bump::new();
        let answered = AnsweredLookups::default();
        let asked = |key, merge| Asked { hash: 7, key, merge };
        answered.begin();
        answered.asked_for(variable(1));
        answered.end(&arena, asked("a", ""), Some(Some(Value::Bool(true))));
        assert!(matches!(answered.get(asked("a", ""), is(1)), Some(Some(Value::Bool(true)))));
        assert!(answered.get(asked("a", ""), is(2)).is_none());
        // Another key or merge of the same hash is another look-up.
        assert!(answered.get(asked("b", ""), is(1)).is_none());
        assert!(answered.get(asked("a", "unique"), is(1)).is_none());
        // The newer answer takes the place of the old one.
        answered.begin();
        answered.asked_for(variable(2));
        answered.end(&arena, asked("a", ""), Some(None));
        assert!(matches!(answered.get(asked("a", ""), is(2)), Some(None)));
    }

    #[test]
    fn what_code_has_a_part_in_is_not_kept() {
        let arena = Bump::new();
        let answered = AnsweredLookups::default();
        let asked = |key| Asked { hash: 1, key, merge: "" };
        answered.begin();
        answered.begin();
        answered.spoil();
        answered.end(&arena, asked("inner"), Some(None));
        answered.end(&arena, asked("outer"), Some(None));
        answered.begin();
        answered.end(&arena, asked("wrong"), None);
        for key in ["inner", "outer", "wrong"] {
            assert!(answered.get(asked(key), |_| true).is_none(), "{key}");
        }
    }
}
