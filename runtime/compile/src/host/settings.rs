//! Answers about settings.

use crate::compile::Compile;
use bunraku_vm::compat::Compat;
use bunraku_vm::host::{SettingsPort, Strict};
use bunraku_vm::value::Value;

impl<'c> SettingsPort<'c> for Compile<'c> {
    fn compat(&self) -> Compat {
        self.options.settings.compat
    }

    fn strict(&self) -> Strict {
        self.options.settings.strict
    }

    fn strict_variables(&self) -> bool {
        self.options.settings.strict_variables
    }

    fn setting(&self, name: &str) -> Option<Value<'c>> {
        self.setting_variable(name)
    }

    fn environment(&self) -> &'c str {
        &self.environment.name
    }
}
