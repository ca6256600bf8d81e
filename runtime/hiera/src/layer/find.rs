//! Finding layers: each is read once a compile, when the first key is looked for in it.

use super::{Layer, LayerKind};
use crate::state::{LayerRead, Lookups};
use bunraku_vm::error::Eval;
use bunraku_vm::vm::Vm;
use std::path::Path;
use std::rc::Rc;

impl<'c> Lookups<'_, 'c> {
    /// The layer that the setting `hiera_config` configures.
    ///
    /// # Errors
    /// Those of its configuration; here as below.
    pub(crate) fn global_layer(&self, vm: &mut Vm<'c>) -> Eval<'c, LayerRead<'c>> {
        self.shared_layer(0, || match self.around.environment().hiera_config {
            Some(file) => self.read_layer(vm, file, LayerKind::Global, None),
            None => Ok(None),
        })
    }

    /// The environment's layer.
    pub(crate) fn environment_layer(&self, vm: &mut Vm<'c>) -> Eval<'c, LayerRead<'c>> {
        self.shared_layer(1, || self.layer_of_environment(vm))
    }

    fn shared_layer(
        &self,
        number: usize,
        read: impl FnOnce() -> Eval<'c, LayerRead<'c>>,
    ) -> Eval<'c, LayerRead<'c>> {
        if let Some(layer) = &self.state.shared_layers.borrow()[number] {
            return Ok(layer.clone());
        }
        let layer = read()?;
        self.state.shared_layers.borrow_mut()[number] = Some(layer.clone());
        Ok(layer)
    }

    /// A module's layer.
    pub(crate) fn module_layer(&self, vm: &mut Vm<'c>, module: &str) -> Eval<'c, LayerRead<'c>> {
        if let Some(layer) = self.state.module_layers.borrow().get(module) {
            return Ok(layer.clone());
        }
        let layer = self.layer_of_module(vm, module)?;
        self.state.module_layers.borrow_mut().insert(module.to_owned(), layer.clone());
        Ok(layer)
    }

    /// The layer that a file configures, or where that is not there Puppet's defaults.
    pub(super) fn read_layer(
        &self,
        vm: &mut Vm<'c>,
        file: &Path,
        kind: LayerKind,
        module: Option<&str>,
    ) -> Eval<'c, LayerRead<'c>> {
        let config = self.read_config(vm, file, kind)?;
        let module = module.map(|module| &*self.arena.alloc_str(module));
        Ok(config.map(|config| Rc::new(Layer::new(kind, module, config))))
    }
}
