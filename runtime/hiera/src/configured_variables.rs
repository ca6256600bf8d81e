//! The variables that a configuration asks for while it is being resolved: it is resolved again when one of them has
//! another value.

use bunraku_vm::value::Value;
use std::cell::RefCell;

/// Names as configurations write them, each with what it gave.
type Noted<'c> = Vec<(String, Value<'c>)>;

/// The variables of the configuration being resolved.
#[derive(Default)]
pub(crate) struct ConfiguredVariables<'c> {
    /// Those it has asked for; none while none is being resolved.
    noted: RefCell<Option<Noted<'c>>>,
    /// The variable of `mapped_paths` and its value, while the paths of one entry are being made.
    local: RefCell<Option<(String, Value<'c>)>>,
}

impl<'c> ConfiguredVariables<'c> {
    /// Runs `resolve` and gives the variables that were asked for by it alone.
    pub fn noting<T>(&self, resolve: impl FnOnce() -> T) -> (T, Noted<'c>) {
        let outer = self.noted.replace(Some(Noted::new()));
        let result = resolve();
        let noted = self.noted.replace(outer).unwrap_or_default();
        (result, noted)
    }

    /// A variable was asked for by a name that begins with `root`.
    pub fn note(&self, name: &str, root: &str, value: Value<'c>) {
        if self.local(root).is_none()
            && let Some(noted) = self.noted.borrow_mut().as_mut()
        {
            noted.push((name.to_owned(), value));
        }
    }

    /// The variable of `mapped_paths`, if it has this name.
    pub fn local(&self, name: &str) -> Option<Value<'c>> {
        self.local.borrow().as_ref().filter(|(local, _)| local == name).map(|(_, value)| *value)
    }

    /// Whether paths of `mapped_paths` are being made.
    pub fn has_local(&self) -> bool {
        self.local.borrow().is_some()
    }

    /// Runs `make` with a variable of `mapped_paths`.
    pub fn with_local<T>(&self, name: &str, value: Value<'c>, make: impl FnOnce() -> T) -> T {
        let outer = self.local.replace(Some((name.to_owned(), value)));
        let result = make();
        self.local.replace(outer);
        result
    }
}
