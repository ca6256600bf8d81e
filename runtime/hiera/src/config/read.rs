//! Reading a `hiera.yaml`: its version, what a layer of its kind may have, what it leaves out filled in.

use super::Config;
use crate::data_file::{DataFault, DataFormat};
use crate::layer::LayerKind;
use crate::state::Lookups;
use crate::surroundings::Repeat;
use bunraku_files::reads::PathQuestion;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::host::{Change, Strict};
use bunraku_vm::value::{Hash, HashBuilder, Value};
use bunraku_vm::vm::Vm;
use std::path::Path;

impl<'c> Lookups<'_, 'c> {
    /// Reads a `hiera.yaml`; where it is not there, Puppet's default configuration. None for one that is ignored.
    pub(crate) fn read_config(
        &self,
        vm: &mut Vm<'c>,
        path: &Path,
        layer: LayerKind,
    ) -> Eval<'c, Option<Config<'c>>> {
        let root = path.parent().unwrap_or(Path::new("/")).to_path_buf();
        let exists = self.tree.exists(path);
        let data = match exists {
            true => self.config_data(path)?,
            false => {
                let mut builder = HashBuilder::new(self.arena);
                builder.insert_str("version", Value::Int(5));
                builder.finish()
            }
        };
        let version = match data.get_str("version") {
            Some(Value::Int(n)) => n,
            Some(Value::Float(f)) => f as i64,
            Some(Value::Str(text)) => text.parse().unwrap_or(0),
            _ => 3,
        };
        let path = exists.then(|| path.to_path_buf());
        let mut config = Config { path, root, version, merge: None, data, tree: self.tree };
        match version {
            4 | 5 => {}
            3 => {
                self.check_version_3(vm, &mut config)?;
                return match layer {
                    LayerKind::Global => Ok(Some(config)),
                    _ => self.ignored_version_3(&config, layer),
                };
            }
            _ => {
                let message = format!("This runtime does not support hiera.yaml version {version}");
                return Err(config.fail("HIERA_UNSUPPORTED_VERSION", message, None));
            }
        }
        self.fill_in(&mut config);
        self.check_once(vm, &config, layer)?;
        if version == 4 && layer == LayerKind::Global {
            let message = "hiera.yaml version 4 cannot be used in the global layer".to_owned();
            return Err(config.fail("HIERA_UNSUPPORTED_VERSION_IN_GLOBAL", message, None));
        }
        Ok(Some(config))
    }

    /// The hash that a `hiera.yaml` holds.
    fn config_data(&self, path: &Path) -> Eval<'c, Hash<'c>> {
        self.tree.note_asked(PathQuestion::Content, path);
        let parsed = self.files.get(self.tree, path, DataFormat::Yaml);
        self.around.file_reached(path);
        let file = parsed.map_err(|fault| match fault {
            DataFault::Unparsable(what) => Flow::raw(what),
            DataFault::Unreadable(message) => Flow::raw(message),
        })?;
        if let Value::Hash(hash) = self.around.keep_data(file).reader(self.arena).whole()? {
            return Ok(hash);
        }
        let message = format!(
            "{}: File exists but does not contain a valid YAML hash. Falling back to Hiera version 3 default config",
            path.display()
        );
        self.around.warn(Repeat::Always, message);
        Ok(HashBuilder::new(self.arena).finish())
    }

    /// Version 3 outside of the global layer is an error, or a warning where the setting `strict` says so.
    fn ignored_version_3(&self, config: &Config<'c>, layer: LayerKind) -> Eval<'c, Option<Config<'c>>> {
        let (used_in, found_at) = match layer {
            LayerKind::Environment => ("an environment", "the environment"),
            _ => ("a module", "module"),
        };
        self.around.witness(Change::HieraVersion3, config.path.as_deref().unwrap_or(Path::new("")), "");
        if self.around.strict() == Strict::Error {
            let message = format!("hiera.yaml version 3 cannot be used in {used_in}");
            return Err(config.fail("HIERA_VERSION_3_NOT_GLOBAL", message, None));
        }
        let file = config.path.as_deref().unwrap_or(Path::new("")).display();
        let message = format!("hiera.yaml version 3 found at {found_at} root was ignored\n   (file: {file})");
        self.around.warn(Repeat::Once, message);
        Ok(None)
    }

    /// Says that a version is deprecated.
    pub(crate) fn warn_of_old_version(&self, config: &Config<'c>) {
        let path = config.path.as_deref().unwrap_or(Path::new(""));
        let (file, version) = (path.display(), config.version);
        let message = format!(
            "{file}: Use of 'hiera.yaml' version {version} is deprecated. It should be converted to version 5"
        );
        self.warn_of_deprecated("hiera.yaml", message, Some(path));
    }

    /// Fills in what a configuration of version 4 or 5 leaves out.
    fn fill_in(&self, config: &mut Config<'c>) {
        let arena = self.arena;
        let hash_of = |pairs: &[(&str, &str)]| {
            let mut hash = HashBuilder::new(arena);
            pairs.iter().for_each(|(key, value)| hash.insert_str(key, Value::str(arena, value)));
            Value::Hash(hash.finish())
        };
        let mut data = HashBuilder::with(arena, config.data);
        let mut default = |key: &str, value: Value<'c>| {
            if config.data.get_str(key).is_none_or(|value| !value.truthy()) {
                data.insert_str(key, value);
            }
        };
        if config.version == 4 {
            self.warn_of_old_version(config);
            default("datadir", Value::str(arena, "data"));
            let common = hash_of(&[("name", "common"), ("backend", "yaml")]);
            default("hierarchy", Value::array(arena, &[common]));
        } else {
            default("defaults", hash_of(&[("datadir", "data"), ("data_hash", "yaml_data")]));
            let common = hash_of(&[("name", "Common"), ("path", "common.yaml")]);
            default("hierarchy", Value::array(arena, &[common]));
        }
        config.data = data.finish();
    }

    /// Checks a configuration, unless the same file has passed the checks of such a layer before.
    fn check_once(&self, vm: &mut Vm<'c>, config: &Config<'c>, layer: LayerKind) -> Eval<'c, ()> {
        let path = config.path.as_deref();
        if path.is_some_and(|path| self.files.config_passed(path, layer)) {
            return Ok(());
        }
        config.check(vm, layer)?;
        if let Some(path) = path {
            self.files.pass_config(self.tree, path, layer);
        }
        Ok(())
    }
}
