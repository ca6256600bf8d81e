//! Checks of versions 4 and 5: the type that Puppet has of the whole, and what that can't say.

use super::{Config, FUNCTIONS, FUNCTIONS_OF_ENTRIES, LOCATIONS, has_word, text_at};
use crate::layer::LayerKind;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::types::{self, Type, mismatch};
use bunraku_vm::value::{Hash, Value};
use bunraku_vm::vm::Vm;
use std::sync::LazyLock;

const OPTIONS: &str = "Hash[Pattern['\\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\\z'], Data]";

static VERSION_5: LazyLock<String> = LazyLock::new(|| {
    let entry = format!(
        "Array[Struct[{{'name'=>String[1],Optional['options']=>{OPTIONS},Optional['data_hash']=>String[1],\
         Optional['lookup_key']=>String[1],Optional['hiera3_backend']=>String[1],\
         Optional['v4_data_hash']=>String[1],Optional['data_dig']=>String[1],Optional['path']=>String[1],\
         Optional['paths']=>Array[String[1],1],Optional['glob']=>String[1],Optional['globs']=>Array[String[1],1],\
         Optional['uri']=>String[1],Optional['uris']=>Array[String[1],1],\
         Optional['mapped_paths']=>Array[String[1],3,3],Optional['datadir']=>String[1]}}]]"
    );
    format!(
        "Struct[{{'version'=>Integer[5,5],Optional['defaults']=>Struct[{{Optional['data_hash']=>String[1],\
         Optional['lookup_key']=>String[1],Optional['data_dig']=>String[1],Optional['datadir']=>String[1],\
         Optional['options']=>{OPTIONS}}}],Optional['hierarchy']=>{entry},Optional['plan_hierarchy']=>{entry},\
         Optional['default_hierarchy']=>{entry}}}]"
    )
});

const VERSION_4: &str = "Struct[{'version'=>Integer[4,4],Optional['datadir']=>String[1],\
    Optional['hierarchy']=>Array[Struct[{'backend'=>String[1],'name'=>String[1],\
    Optional['datadir']=>String[1],Optional['path']=>String[1],Optional['paths']=>Array[String[1]]}]]}]";

/// Words as an English list.
fn list(words: &[&str]) -> String {
    match words {
        [head @ .., last] if !head.is_empty() => format!("{}, or {last}", head.join(", ")),
        _ => words.join(""),
    }
}

impl<'c> Config<'c> {
    /// Checks that need nothing but the content of a configuration of version 4 or 5.
    ///
    /// # Errors
    /// Puppet's for what is wrong with it, as that of a layer of this kind.
    pub(super) fn check(&self, vm: &mut Vm<'c>, layer: LayerKind) -> Eval<'c, ()> {
        if self.version == 4 {
            let ty = types::constant(vm, VERSION_4)?;
            return self.check_type(vm, ty);
        }
        let ty = types::constant(vm, &VERSION_5)?;
        self.check_type(vm, ty)?;
        self.check_defaults(vm)?;
        for key in ["hierarchy", "plan_hierarchy"] {
            self.hierarchy(key).into_iter().try_for_each(|entry| self.check_entry(vm, entry, layer))?;
        }
        if self.has_default_hierarchy() {
            if layer != LayerKind::Module {
                let message = "'default_hierarchy' is only allowed in the module layer".to_owned();
                let line = self.line(0, |line| line.trim_start().starts_with("default_hierarchy:"));
                return Err(self.fail("HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE", message, line));
            }
            for entry in self.hierarchy("default_hierarchy") {
                self.check_entry(vm, entry, layer)?;
            }
        }
        Ok(())
    }

    fn check_entry(&self, vm: &Vm<'c>, entry: Hash<'c>, layer: LayerKind) -> Eval<'c, ()> {
        let name = text_at(entry, "name").unwrap_or_default();
        match count(entry, &FUNCTIONS_OF_ENTRIES) {
            0 if self.defaults().is_none_or(|defaults| count(defaults, &FUNCTIONS) == 0) => {
                let message = format!("One of {} must be defined in hierarchy '{name}'", list(&FUNCTIONS));
                return Err(self.fail("HIERA_MISSING_DATA_PROVIDER_FUNCTION", message, None));
            }
            0 | 1 => {}
            _ => {
                let message =
                    format!("Only one of {} can be defined in hierarchy '{name}'", list(&FUNCTIONS));
                return Err(self.fail("HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS", message, None));
            }
        }
        if let Some(backend) = text_at(entry, "hiera3_backend") {
            self.check_hiera_3(backend, layer)?;
        }
        if count(entry, &LOCATIONS) > 1 {
            let message = format!("Only one of {} can be defined in hierarchy '{name}'", list(&LOCATIONS));
            return Err(self.fail("HIERA_MULTIPLE_LOCATION_SPECS", message, None));
        }
        if let Some(key) = reserved_option(entry) {
            let product = vm.host.compat().product();
            let message = format!("Option key '{key}' used in hierarchy '{name}' is reserved by {product}");
            return Err(self.fail("HIERA_OPTION_RESERVED_BY_PUPPET", message, None));
        }
        Ok(())
    }

    /// Checks an entry whose function is a backend of Hiera 3.
    fn check_hiera_3(&self, backend: &str, layer: LayerKind) -> Eval<'c, ()> {
        if layer != LayerKind::Global {
            let line = self.line(0, |line| line.contains(" hiera3_backend:"));
            let message = "'hiera3_backend' is only allowed in the global layer".to_owned();
            return Err(self.fail("HIERA_V3_BACKEND_NOT_GLOBAL", message, line));
        }
        if !matches!(backend, "yaml" | "json" | "hocon") {
            return Ok(());
        }
        let named =
            |line: &str| line.split_once(" hiera3_backend:").is_some_and(|(_, rest)| has_word(rest, backend));
        let message = format!("Use \"data_hash: {backend}_data\" instead of \"hiera3_backend: {backend}\"");
        Err(self.fail("HIERA_V3_BACKEND_REPLACED_BY_DATA_HASH", message, self.line(0, named)))
    }

    fn check_defaults(&self, vm: &Vm<'c>) -> Eval<'c, ()> {
        let Some(defaults) = self.defaults() else { return Ok(()) };
        if count(defaults, &FUNCTIONS) > 1 {
            let message = format!("Only one of {} can be defined in defaults", list(&FUNCTIONS));
            return Err(self.fail("HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS_IN_DEFAULT", message, None));
        }
        if let Some(key) = reserved_option(defaults) {
            let product = vm.host.compat().product();
            let message = format!("Option key '{key}' used in defaults is reserved by {product}");
            return Err(self.fail("HIERA_DEFAULT_OPTION_RESERVED_BY_PUPPET", message, None));
        }
        Ok(())
    }

    /// Checks that the configuration is an instance of its version's type.
    ///
    /// # Errors
    /// Puppet's, if it is not.
    pub(super) fn check_type(&self, vm: &mut Vm<'c>, ty: &'c Type<'c>) -> Eval<'c, ()> {
        let file = self.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        let subject = format!("The Lookup Configuration at '{file}'");
        let data = Value::Hash(self.data);
        mismatch::assert_instance(vm, &subject, ty, data).map_err(|mut flow| {
            // What stands for a symbol is a type, the symbol itself is an instance of it.
            if let Flow::Fault(fault) = &mut *flow
                && crate::data_file::data::has_symbol(data)
            {
                let message = &mut fault.diagnostic.message;
                *message = message.replace("Type[Runtime]", "Runtime");
            }
            flow
        })
    }
}

/// How many of some keys a hash has.
fn count(hash: Hash<'_>, keys: &[&str]) -> usize {
    keys.iter().filter(|key| hash.get_str(key).is_some()).count()
}

/// The option of an entry or of the defaults that Puppet sets itself, if there is one.
fn reserved_option(hash: Hash<'_>) -> Option<&'static str> {
    let Some(Value::Hash(options)) = hash.get_str("options") else { return None };
    ["path", "uri"].into_iter().find(|key| options.get_str(key).is_some())
}
