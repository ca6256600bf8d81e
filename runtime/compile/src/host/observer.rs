//! Counts the calls of functions and templates, for `--stats` and `--profile`.

use crate::compile::Compile;
use crate::stats::Kind;
use bunraku_vm::observer::{Called, Observer};

impl Observer for Compile<'_> {
    fn call_begins(&self, callee: Called<'_>) {
        let (kind, name) = match callee {
            Called::Puppet(name) => (Kind::Puppet, name),
            Called::Epp(name) => (Kind::Epp, name),
            Called::Native(native) if !self.options.functions.has(native) => (Kind::Native, native),
            Called::Native(native) => (Kind::Language, native),
        };
        self.accounts.counter.begin(kind, name);
    }

    fn call_ends(&self) {
        self.accounts.counter.end();
    }
}
