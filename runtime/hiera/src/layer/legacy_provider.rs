//! Data providers of old: `environment_data_provider` of `environment.conf`, `data_provider` of a module's
//! `metadata.json`. All are deprecated: `none`, `hiera` (what is there anyway) and `function`, which calls
//! `environment::data` or `MODULE::data` for all data at once. A `hiera.yaml` of version 5 goes before them.

use crate::config::Config;
use crate::layer::{Layer, LayerKind};
use crate::state::{LayerRead, Lookups};
use crate::surroundings::Repeat;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::host::Strict;
use bunraku_vm::vm::Vm;
use std::path::Path;
use std::rc::Rc;

/// A folder that may have a layer.
#[derive(Clone, Copy)]
struct LayerFolder<'a> {
    folder: &'a Path,
    kind: LayerKind,
    module: Option<&'a str>,
}

impl<'c> Lookups<'_, 'c> {
    /// The environment's layer as its `hiera.yaml` and its data provider have it.
    pub(super) fn layer_of_environment(&self, vm: &mut Vm<'c>) -> Eval<'c, LayerRead<'c>> {
        let environment = self.around.environment();
        let Some(root) = environment.folder else { return Ok(None) };
        let of = LayerFolder { folder: root, kind: LayerKind::Environment, module: None };
        let own = self.layer_of_file(vm, of)?;
        let Some(name) = environment.data_provider else { return Ok(own) };
        let conf = root.join("environment.conf");
        let defining =
            format!("Defining environment_data_provider='{name}' in environment.conf is deprecated");
        if own.as_ref().is_some_and(|layer| layer.config.version >= 5) {
            self.warn_of_deprecated("environment.conf#data_provider", defining, Some(&conf));
            if name != "hiera" {
                let config = root.join("hiera.yaml");
                let message = format!(
                    "The environment_data_provider='{name}' setting is ignored since '{}' version >= 5",
                    config.display()
                );
                self.warn_of_deprecated("environment.conf#data_provider_overridden", message, Some(&conf));
            }
            return Ok(own);
        }
        let message = format!("{defining}.{}", instead(&own));
        self.warn_of_deprecated("environment.conf#data_provider", message, Some(&conf));
        match name {
            "none" => Ok(None),
            "hiera" => self.or_default(vm, own, of),
            "function" => Ok(Some(self.layer_of_function(of, "environment::data"))),
            name => {
                let environment = environment.name;
                Err(Flow::raw(format!(
                    "Environment '{environment}', cannot find environment_data_provider '{name}'"
                )))
            }
        }
    }

    /// A module's layer, likewise.
    pub(super) fn layer_of_module(&self, vm: &mut Vm<'c>, module: &str) -> Eval<'c, LayerRead<'c>> {
        let Some(parts) = self.around.module(module) else { return Ok(None) };
        let root = parts.folder;
        let of = LayerFolder { folder: root, kind: LayerKind::Module, module: Some(module) };
        let own = self.layer_of_file(vm, of)?;
        let Some(name) = parts.data_provider else { return Ok(own) };
        let metadata = root.join("metadata.json");
        let key = format!("metadata.json#data_provider-{module}");
        let defining = format!("Defining \"data_provider\": \"{name}\" in metadata.json is deprecated.");
        if own.as_ref().is_some_and(|layer| layer.config.version >= 5) {
            let message =
                format!("{defining} It is ignored since a 'hiera.yaml' with version >= 5 is present");
            self.warn_of_deprecated(&key, message, Some(&metadata));
            return Ok(own);
        }
        self.warn_of_deprecated(&key, format!("{defining}{}", instead(&own)), Some(&metadata));
        match name {
            "none" => Ok(None),
            "hiera" => self.or_default(vm, own, of),
            "function" => {
                let function = format!("{module}::data");
                Ok(Some(self.layer_of_function(of, &function)))
            }
            name => {
                let environment = self.around.environment().name;
                Err(Flow::raw(format!(
                    "Environment '{environment}', cannot find module_data_provider '{name}'"
                )))
            }
        }
    }

    /// The layer that a folder's `hiera.yaml` configures, if it has one.
    fn layer_of_file(&self, vm: &mut Vm<'c>, of: LayerFolder<'_>) -> Eval<'c, LayerRead<'c>> {
        let file = of.folder.join("hiera.yaml");
        match self.tree.exists(&file) {
            true => self.read_layer(vm, &file, of.kind, of.module),
            false => Ok(None),
        }
    }

    /// The layer that a folder has, or where it has none Puppet's default configuration.
    fn or_default(
        &self,
        vm: &mut Vm<'c>,
        own: LayerRead<'c>,
        of: LayerFolder<'_>,
    ) -> Eval<'c, LayerRead<'c>> {
        match own {
            Some(own) => Ok(Some(own)),
            None => self.read_layer(vm, &of.folder.join("hiera.yaml"), of.kind, of.module),
        }
    }

    /// The layer of a function that gives all data.
    fn layer_of_function(&self, of: LayerFolder<'_>, function: &str) -> Rc<Layer<'c>> {
        let message = format!(
            "Using of legacy data provider function '{function}'. Please convert to a 'data_hash' function"
        );
        self.warn_of_deprecated("legacy_provider_function", message, None);
        let config = Config::of_legacy_function(self.arena, self.tree, of.folder, function);
        Rc::new(Layer::new(of.kind, of.module.map(|module| &*self.arena.alloc_str(module)), config))
    }

    /// Warns of something deprecated, once a compile for what `key` names.
    pub(crate) fn warn_of_deprecated(&self, key: &str, message: String, file: Option<&Path>) {
        if self.around.strict() == Strict::Off {
            return;
        }
        let place = file.map(|file| format!("file: {}", file.display()));
        let place = place.unwrap_or_else(|| "file & line not available".to_owned());
        let key = format!("deprecations {key}");
        self.around.warn(Repeat::OncePer(&key), format!("{message}\n   ({place})"));
    }
}

/// What to do about it, where there is no `hiera.yaml`.
fn instead(own: &LayerRead<'_>) -> &'static str {
    if own.is_none() { " A 'hiera.yaml' file should be used instead" } else { "" }
}
