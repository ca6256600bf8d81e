//! A function that turned out to be Ruby's while it was run without Ruby is run by Ruby from its begin. What it had asked of
//! the compile by then is not done again: it is answered as it was, as long as Ruby asks the same in the same order.

use super::Talk;
use bunraku_native_ruby::{Asked, Journal, only_computes};
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

/// What Ruby asks, as far as it may have been asked before.
pub(super) enum Asks<'a, 'c> {
    Function(&'a str, &'a [Value<'c>]),
    /// A block of Puppet's is called.
    Block(&'a [Value<'c>]),
    Set(&'a str, Value<'c>),
    Log(Severity, &'a str),
}

impl<'c> Talk<'_, 'c> {
    /// Does something in Ruby that has asked by then what the journal says.
    ///
    /// # Errors
    /// Those of what is done; that Ruby has not asked all of it.
    pub(super) fn replaying<T>(
        &self,
        name: &str,
        journal: Journal<'c>,
        run: impl FnOnce() -> Eval<'c, T>,
    ) -> Eval<'c, T> {
        if journal.is_empty() {
            return run();
        }
        let outer = self.ruby.replayed.replace(journal.into_entries().collect());
        let result = run();
        let left = self.ruby.replayed.replace(outer);
        let all = left.iter().all(|(asked, _)| asked.is_optional());
        match all || result.is_err() {
            true => result,
            false => Err(differs(name)),
        }
    }

    /// How the catalog was seen when it was looked at without Ruby, before what is asked next has changed it; none where it
    /// was not. How often Ruby looks is its own affair.
    pub(super) fn replayed_read(&self, question: &str, args: &[Value<'c>]) -> Option<Value<'c>> {
        let replayed = self.ruby.replayed.borrow();
        let reads = replayed.iter().map_while(|(asked, answer)| match (asked, answer) {
            (Asked::Read(name, given), Ok(value)) => Some((name, given, *value)),
            _ => None,
        });
        let mut found = reads.filter(|(name, given, _)| *name == question && all_same(given, args));
        found.next().map(|(.., value)| value)
    }

    /// Whether a scope has a variable that was set without Ruby, and that Ruby has not come to set again.
    pub(super) fn is_yet_to_be_set(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, name: &str) -> bool {
        let sets = |(asked, _): &(Asked<'c>, Eval<'c>)| matches!(asked, Asked::Set(set, _) if set == name);
        self.ruby.replayed.borrow().iter().any(sets) && scope.own(vm.symbols.intern(name)).is_some()
    }

    /// The answer to a question that has been asked before; none where it has not.
    pub(super) fn replayed(&self, asks: &Asks<'_, 'c>) -> Option<Eval<'c>> {
        let mut replayed = self.ruby.replayed.borrow_mut();
        let is_pure = matches!(asks, Asks::Function(name, _) if only_computes(name));
        if is_pure && !is_same(&replayed.front()?.0, asks) {
            return None;
        }
        while replayed.front().is_some_and(|(asked, _)| !is_pure && asked.is_optional()) {
            replayed.pop_front();
        }
        let (asked, answer) = replayed.pop_front()?;
        drop(replayed);
        if let (Asked::Begun(name, args), Asks::Function(other, others)) = (&asked, asks)
            && name == other
            && all_same(args, others)
        {
            // It is called again, for its block.
            return None;
        }
        Some(if is_same(&asked, asks) { answer } else { Err(differs("a function")) })
    }
}

fn is_same<'c>(asked: &Asked<'c>, asks: &Asks<'_, 'c>) -> bool {
    match (asked, asks) {
        (Asked::Function(name, args), Asks::Function(other, others)) => {
            name == other && all_same(args, others)
        }
        (Asked::Block(args), Asks::Block(others)) => all_same(args, others),
        (Asked::Set(name, value), Asks::Set(other, set)) => name == other && value.same(*set),
        (Asked::Log(level, message), Asks::Log(other, text)) => level == other && message == text,
        _ => false,
    }
}

fn all_same<'c>(a: &[Value<'c>], b: &[Value<'c>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(*b))
}

fn differs<'c>(name: &str) -> Box<Flow<'c>> {
    Flow::raw(format!(
        "{name} has asked other things in Ruby than without; --no-native-ruby runs all in Ruby"
    ))
}
