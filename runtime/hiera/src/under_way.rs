//! Look-ups under way: no key is looked up while it is being looked up, and what one look-up leads to has limits.

use crate::fault::lookup_error;
use bunraku_vm::cause::Cause;
use bunraku_vm::error::{Eval, Flow, Stage};
use std::cell::{Cell, RefCell};

/// Look-ups that one look-up may lead to: texts that name each other can double at every step.
const MAX_ASKED: u32 = 100_000;

/// How deep they may nest; Ruby's stack ends before.
const MAX_NESTED: usize = 2_000;

/// The look-ups under way in a compile.
#[derive(Default)]
pub(crate) struct UnderWay<'c> {
    /// Their keys, outermost first.
    stack: RefCell<Vec<&'c str>>,
    /// How many the outermost one has led to.
    asked: Cell<u32>,
}

impl<'c> UnderWay<'c> {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.stack.borrow().is_empty()
    }

    /// Looks up a key by `ask`. What goes wrong inside is an error of look-ups, unless Ruby would have raised it on
    /// its own.
    ///
    /// # Errors
    /// Those of `ask`; when the key is being looked up already, and when one of the limits is reached.
    pub fn run<T>(&self, key: &'c str, ask: impl FnOnce() -> Eval<'c, T>) -> Eval<'c, T> {
        self.begin(key)?;
        let result = ask();
        self.stack.borrow_mut().pop();
        result.map_err(|mut flow| {
            if let Flow::Fault(fault) = &mut *flow
                && fault.stage == Stage::Raw
                && fault.diagnostic.code.is_none()
                && !is_of_ruby_alone(&fault.diagnostic.cause)
            {
                fault.stage = Stage::Formed;
                fault.diagnostic.cause = Cause::LookUp;
                fault.raised = None;
            }
            flow
        })
    }

    fn begin(&self, key: &'c str) -> Eval<'c, ()> {
        let mut stack = self.stack.borrow_mut();
        if stack.contains(&key) {
            let names = stack.join(", ");
            return Err(lookup_error(format!("Recursive lookup detected in [{names}]")));
        }
        let outermost = stack.first().copied().unwrap_or_default();
        if stack.len() >= MAX_NESTED {
            let message = format!("The look-up of '{outermost}' nests more than {MAX_NESTED} others");
            return Err(lookup_error(message));
        }
        self.asked.set(if stack.is_empty() { 0 } else { self.asked.get() + 1 });
        if self.asked.get() > MAX_ASKED {
            let message = format!("The look-up of '{outermost}' leads to more than {MAX_ASKED} others");
            return Err(lookup_error(message));
        }
        stack.push(key);
        Ok(())
    }
}

/// Whether an error is one that Ruby raises on its own: no error of Puppet's, and left as it is.
fn is_of_ruby_alone(cause: &Cause) -> bool {
    matches!(
        cause,
        Cause::UndefinedVariable(_)
            | Cause::FunctionLoad
            | Cause::UndefinedMethod
            | Cause::UnfitArguments
            | Cause::Incomparable
            | Cause::UnknownMergeStrategy
            | Cause::NoDataFile
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message<T>(result: Eval<'_, T>) -> (String, Stage) {
        match result {
            Err(flow) => match *flow {
                Flow::Fault(fault) => (fault.diagnostic.message, fault.stage),
                _ => panic!("it is a fault"),
            },
            Ok(_) => panic!("it fails"),
        }
    }

    #[test]
    fn no_key_leads_to_itself() {
        let under_way = UnderWay::default();
        let inner = |key: &'static str| under_way.run(key, || Ok(()));
        let (text, _) = message(under_way.run("a", || under_way.run("b", || inner("a"))));
        assert_eq!(text, "Recursive lookup detected in [a, b]");
        assert!(under_way.is_empty());
        assert!(under_way.run("a", || inner("b")).is_ok());
    }

    #[test]
    fn what_one_look_up_leads_to_is_limited() {
        let under_way = UnderWay::default();
        let many = || (0..=MAX_ASKED).try_for_each(|_| under_way.run("b", || Ok(())));
        let (text, _) = message(under_way.run("a", many));
        assert_eq!(text, format!("The look-up of 'a' leads to more than {MAX_ASKED} others"));
        // The next one begins anew.
        assert!(under_way.run("a", || under_way.run("b", || Ok(()))).is_ok());
    }

    #[test]
    fn what_ruby_raises_alone_is_left_as_it_is() {
        let under_way = UnderWay::default();
        let fail = |cause| under_way.run("a", || Err::<(), _>(Flow::caused(cause, "no")));
        assert!(message(fail(Cause::Other)).1 == Stage::Formed);
        assert!(message(fail(Cause::NoDataFile)).1 == Stage::Raw);
        assert!(message(fail(Cause::UndefinedVariable("x".into()))).1 == Stage::Raw);
    }
}
