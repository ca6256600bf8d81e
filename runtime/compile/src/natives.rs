//! Which functions of modules have a native twin: those that a twin was compared with. The file that Puppet would
//! load decides, found as [`Compile::find_ruby`] finds it, and the version in its module's metadata.

use crate::compile::Compile;
use bunraku_environment::twins::twin_of;
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
        is_old_function_of_puppet(name) || self.has_file_of_old_kind(name)
    }
}

/// Whether Puppet itself has a function of the old kind by that name.
pub fn is_old_function_of_puppet(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "create_resources",
        "defined",
        "digest",
        "epp",
        "fail",
        "file",
        "fqdn_rand",
        "generate",
        "hiera",
        "hiera_array",
        "hiera_hash",
        "hiera_include",
        "inline_epp",
        "inline_template",
        "lookup",
        "realize",
        "regsubst",
        "scanf",
        "sha1",
        "sha256",
        "shellquote",
        "split",
        "sprintf",
        "tag",
        "tagged",
        "template",
        "versioncmp",
        "md5",
        "alert",
        "crit",
        "debug",
        "emerg",
        "err",
        "info",
        "notice",
        "warning",
        "assert_type",
        "binary_file",
        "break",
        "contain",
        "dig",
        "each",
        "filter",
        "find_file",
        "include",
        "lest",
        "map",
        "match",
        "new",
        "next",
        "reduce",
        "require",
        "return",
        "reverse_each",
        "slice",
        "step",
        "strftime",
        "then",
        "type",
        "with",
    ];
    NAMES.contains(&name)
}
