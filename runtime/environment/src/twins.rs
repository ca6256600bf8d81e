//! Which functions of modules have a native twin: those that a twin was compared with. The file that Puppet would
//! load decides, and the version in its module's metadata.

use crate::modules::Modules;
use bunraku_stdlib::module::{self, Api, Twin};

/// The twin of a module's function.
pub fn twin_of(modules: &Modules, name: &str, owner: &str, api: Api) -> Option<Twin> {
    let mut twins = module::twins_of(name, owner, api).peekable();
    twins.peek()?;
    if !module::was_compared(owner, name, modules.version(owner)?) {
        return None;
    }
    // What passes its calls on to the module's name space does so only where that has the function.
    let target = || modules.get(owner).map(|module| module.path.join(api.file(&format!("{owner}::{name}"))));
    twins.find(|twin| !twin.shim || target().is_some_and(|file| modules.tree().is_file(&file)))
}
