//! A layer: the global one, the environment's, a module's. [`find`] reads each once a compile; [`legacy_provider`] are
//! those that no `hiera.yaml` configures.

mod find;
mod legacy_provider;

use crate::config::Config;
use crate::explain::Step;
use crate::hierarchy::resolved::ResolvedHierarchies;
use std::cell::RefCell;
use std::rc::Rc;

/// Which layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerKind {
    /// That of `hiera_config`.
    Global,
    /// The environment's.
    Environment,
    /// A module's.
    Module,
}

/// A layer with its configuration.
pub struct Layer<'c> {
    /// The module it belongs to.
    pub module: Option<&'c str>,
    /// The configuration.
    pub config: Config<'c>,
    kind: LayerKind,
    /// Its hierarchies as they were resolved last, one at a time. Stale when a variable that they name has another
    /// value, which `Lookups::still_holds` finds out. Test: `spec/hiera.md`,
    /// "Paths, globs and mapped paths".
    pub(crate) resolved: RefCell<Option<Rc<ResolvedHierarchies<'c>>>>,
}

impl<'c> Layer<'c> {
    /// A layer of this configuration.
    pub fn new(kind: LayerKind, module: Option<&'c str>, config: Config<'c>) -> Layer<'c> {
        Layer { kind, module, config, resolved: RefCell::new(None) }
    }

    /// Its hierarchies as they were resolved last.
    pub(crate) fn resolved(&self) -> Option<Rc<ResolvedHierarchies<'c>>> {
        self.resolved.borrow().clone()
    }

    /// What explanations call it.
    pub(crate) fn explained(&self) -> Step<'c> {
        let name = match (self.module, self.kind) {
            (Some(module), _) => format!("Module \"{module}\""),
            (None, LayerKind::Global) => "Global".to_owned(),
            (None, _) => "Environment".to_owned(),
        };
        let version = self.config.version;
        Step::Layer {
            name: format!("{name} Data Provider (hiera configuration version {version})"),
            config: self.config.path.as_ref().map(|path| path.display().to_string()),
            module: self.module.map(str::to_owned),
        }
    }
}
