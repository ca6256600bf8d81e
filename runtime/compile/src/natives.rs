//! What stands behind the name of a function for a compile: a native twin in the place of a module's Ruby, a function of the 3.x
//! interface. The file that Puppet would load decides, found as [`Compile::find_ruby`] finds it.

use crate::compile::Compile;
use bunraku_environment::twins::twin_of;
use bunraku_stdlib::form_3x;
use bunraku_stdlib::module::{self, Api};
use bunraku_vm::function::Native;

impl<'c> Compile<'c> {
    /// The native twin of the function that code of module `from` gets for a name.
    pub(crate) fn twin(&self, name: &str, from: &str) -> Option<&'static Native> {
        if !self.options.settings.native_stdlib || !module::has_twin(name) {
            return None;
        }
        let found = self.find_ruby(name, from)?;
        let api = if found.old { Api::Old } else { Api::New };
        twin_of(&self.environment.modules, name, found.module, api).map(|twin| twin.native)
    }

    /// Whether a module, or the environment, has a function of the 3.x interface by that name.
    pub(crate) fn has_file_of_old_kind(&self, name: &str) -> bool {
        self.environment.functions(name).iter().any(|file| file.api == Api::Old)
    }

    /// Whether there is a function of the 3.x interface by that name.
    pub(crate) fn has_function_of_old_kind(&self, name: &str) -> bool {
        form_3x(name).is_some() || self.has_file_of_old_kind(name)
    }
}
