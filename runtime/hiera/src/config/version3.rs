//! `hiera.yaml` version 3, which the global layer alone may have: a list of backends, each of which looks through the
//! whole hierarchy. Sources: `Puppet::Pops::Lookup::HieraConfigV3`, `V3DataHashFunctionProvider`, `Hiera::Scope`.

use crate::config::location::Location;
use crate::config::{Config, has_word};
use crate::fault::lookup_error;
use crate::hierarchy::entry::{BackendKind, ExtraLevels, HierarchyEntry};
use crate::interpolate::Functions;
use crate::invocation::Invocation;
use crate::key::Key;
use crate::merge::MergeStrategy;
use crate::state::Lookups;
use bunraku_vm::error::Eval;
use bunraku_vm::scope::{Scope, ScopeKind};
use bunraku_vm::types::{self, mismatch};
use bunraku_vm::value::{Hash, HashBuilder, Value};
use bunraku_vm::vm::Vm;
use std::path::PathBuf;
use std::rc::Rc;

/// The version.
pub(crate) const VERSION: i64 = 3;

/// The type of the configuration but for what its backends are told, each under its own name.
const TYPE: &str = "Optional['version']=>Integer[3,3],\
    Optional['backends']=>Variant[String[1],Array[String[1]]],Optional['logger']=>String[1],\
    Optional['merge_behavior']=>Enum['deep','deeper','native'],\
    Optional['deep_merge_options']=>Hash[String[1],Variant[String,Boolean]],\
    Optional['hierarchy']=>Variant[String[1],Array[String[1]]]";

/// One text or an array of them.
fn texts<'c>(value: Option<Value<'c>>) -> Vec<&'c str> {
    match value {
        Some(Value::Array(items)) => items.items().iter().filter_map(|item| item.as_str()).collect(),
        Some(other) => other.as_str().into_iter().collect(),
        None => Vec::new(),
    }
}

fn default<'c>(hash: &mut HashBuilder<'c>, before: Hash<'c>, key: &str, value: Value<'c>) {
    if before.get_str(key).is_none_or(|value| !value.truthy()) {
        hash.insert_str(key, value);
    }
}

impl<'c> Lookups<'_, 'c> {
    /// Fills in what a configuration leaves out, checks it, and finds how the old functions merge hashes.
    pub(crate) fn check_version_3(&self, vm: &mut Vm<'c>, config: &mut Config<'c>) -> Eval<'c, ()> {
        self.warn_of_old_version(config);
        let mut data = HashBuilder::with(self.arena, config.data);
        let hierarchy = ["nodes/%{::trusted.certname}", "common"].map(|level| vm.string(level));
        default(&mut data, config.data, "version", Value::Int(3));
        default(&mut data, config.data, "backends", vm.array(&[vm.string("yaml")]));
        default(&mut data, config.data, "hierarchy", vm.array(&hierarchy));
        default(&mut data, config.data, "merge_behavior", vm.string("native"));
        default(
            &mut data,
            config.data,
            "deep_merge_options",
            Value::Hash(HashBuilder::new(self.arena).finish()),
        );
        config.data = data.finish();

        let mut ty = format!("Struct[{{{TYPE}");
        let mut named: Vec<&str> = Vec::new();
        for backend in texts(config.data.get_str("backends")) {
            // A backend of two names would be two members of the type.
            if !named.contains(&backend) && !backend.is_empty() {
                named.push(backend);
                let quoted = backend.replace('\\', "\\\\").replace('\'', "\\'");
                ty.push_str(&format!(",Optional['{quoted}']=>Hash[String[1],Any]"));
            }
        }
        ty.push_str("}]");
        let ty = types::parse(vm, &ty)?;
        config.check_type(vm, ty)?;

        let strategy = match config.data.get_str("merge_behavior").and_then(Value::as_str) {
            Some("deep") => "reverse_deep",
            Some("deeper") => "unconstrained_deep",
            _ => return Ok(()),
        };
        let mut merge = HashBuilder::new(self.arena);
        merge.insert_str("strategy", vm.string(strategy));
        let mut merge = merge.finish();
        if let Some(Value::Hash(options)) = config.data.get_str("deep_merge_options") {
            merge = merge.merged(self.arena, options.entries());
        }
        config.merge = Some(MergeStrategy::of(vm, Some(Value::Hash(merge)))?);
        Ok(())
    }

    /// The entries, one a backend, as the variables stand now.
    pub(crate) fn resolve_version_3(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        config: &Config<'c>,
    ) -> Eval<'c, Vec<HierarchyEntry<'c>>> {
        let mut entries: Vec<HierarchyEntry<'c>> = Vec::new();
        let hierarchy = texts(config.data.get_str("hierarchy"));
        for backend in texts(config.data.get_str("backends")) {
            if entries.iter().any(|entry| entry.name == backend) {
                let first = config.line(0, |line| has_word(line, backend));
                let second = first.and_then(|first| config.line(first, |line| has_word(line, backend)));
                let mut message = format!("Backend '{backend}' is defined more than once.");
                if let (Some(first), Some(_)) = (first, second) {
                    message.push_str(&format!(" First defined at (line: {first})"));
                }
                return Err(config.fail("HIERA_BACKEND_MULTIPLY_DEFINED", message, second.or(first)));
            }
            let own = match config.data.get_str(backend) {
                Some(own) => self.interpolate(vm, inv, own, Functions::Refused)?,
                None => Value::Undef,
            };
            let own = match own {
                Value::Hash(own) => own,
                _ => HashBuilder::new(self.arena).finish(),
            };
            let datadir = match own.get_str("datadir").filter(|datadir| datadir.truthy()) {
                Some(datadir) => bunraku_vm::format::to_interpolated(datadir),
                None => {
                    let codedir = self.around.default_codedir();
                    let datadir = format!("{codedir}/environments/%{{::environment}}/hieradata");
                    self.interpolate_path(vm, inv, &datadir)?
                }
            };
            let datadir = PathBuf::from(datadir);
            let extension = match own.get_str("extension").filter(|extension| !extension.is_undef()) {
                Some(extension) => format!(".{}", bunraku_vm::format::to_interpolated(extension)),
                None if backend == "hocon" => ".conf".to_owned(),
                None => format!(".{backend}"),
            };
            let levels = ExtraLevels { datadir, extension };
            let locations = self.level_files(vm, inv, &levels, &hierarchy)?;
            let (kind, function) = match backend {
                "yaml" => (BackendKind::DataHash, "yaml_data"),
                "json" => (BackendKind::DataHash, "json_data"),
                "hocon" => (BackendKind::DataHash, "hocon_data"),
                "eyaml" => (BackendKind::LookupKey, "eyaml_lookup_key"),
                other => (BackendKind::Hiera3, other),
            };
            let mut entry = HierarchyEntry::new(backend, kind, function, own, Some(locations));
            entry.levels = Some(Rc::new(ExtraLevels { extension: format!(".{backend}"), ..levels }));
            entries.push(entry);
        }
        Ok(entries)
    }

    /// The files of some levels.
    fn level_files(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        of: &ExtraLevels,
        levels: &[&str],
    ) -> Eval<'c, Vec<Location>> {
        let mut all = Vec::with_capacity(levels.len());
        for level in levels {
            let mut text = self.interpolate_path(vm, inv, level)?;
            if !text.ends_with(&of.extension) {
                text.push_str(&of.extension);
            }
            all.push(self.file_location(&of.datadir, &text, level));
        }
        Ok(all)
    }

    /// An entry with the levels before its own that a call of the old functions names; none where it names none.
    pub(crate) fn with_levels(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        entry: &HierarchyEntry<'c>,
    ) -> Eval<'c, Option<HierarchyEntry<'c>>> {
        let (Some(given), Some(levels)) = (inv.level, &entry.levels) else { return Ok(None) };
        let given = match given {
            Value::Array(items) => items.items().to_vec(),
            one => vec![one],
        };
        if let Some(strange) = given.iter().find(|level| level.as_str().is_none()) {
            let strange = bunraku_vm::format::convert::repr(vm, *strange);
            return Err(lookup_error(format!("A level of Hiera's hierarchy must be a text, got {strange}")));
        }
        let given: Vec<&str> = given.into_iter().filter_map(Value::as_str).collect();
        let before = self.level_files(vm, inv, levels, &given)?;
        Ok(Some(entry.after(before)))
    }

    /// Checks what a version 3 configuration gives to a call of the old functions.
    ///
    /// # Errors
    /// When a hash is wanted and it is none, or the key is dotted.
    pub(crate) fn check_old_call(
        &self,
        vm: &mut Vm<'c>,
        key: &Key<'c>,
        strategy: &MergeStrategy<'c>,
        value: Value<'c>,
    ) -> Eval<'c, ()> {
        if matches!(strategy, MergeStrategy::Hash | MergeStrategy::Deep(_)) {
            let hash = types::constant(vm, "Hash")?;
            mismatch::assert_instance(vm, "value", hash, value)?;
        }
        let kind = match strategy {
            MergeStrategy::Hash => "hash",
            MergeStrategy::Unique => "array",
            _ => return Ok(()),
        };
        if key.segments.is_empty() {
            return Ok(());
        }
        Err(lookup_error(format!(
            "Resolution type :{kind} is illegal when accessing values using dotted keys. Offending key was '{}'",
            key.text
        )))
    }

    /// A name that no scope has, but that a version 3 configuration and its data see as a variable.
    pub(crate) fn variable_of_version_3(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        name: &str,
    ) -> Option<Value<'c>> {
        match name {
            "calling_class" => Some(vm.string(class_of(scope))),
            "calling_class_path" => Some(vm.string(&class_of(scope).replace("::", "/"))),
            "calling_module" => {
                let name = vm.symbols.intern("module_name");
                Some(scope.lookup(name).unwrap_or(Value::Undef))
            }
            _ => None,
        }
    }
}

/// The class that a scope is in.
fn class_of<'c>(scope: &'c Scope<'c>) -> &'c str {
    let mut scope = scope;
    loop {
        let around = match scope.kind {
            ScopeKind::Class => return scope.name,
            // A defined type sees no variables of who declares it, but is in the same class.
            ScopeKind::Define => scope.declared_in,
            _ => scope.parent,
        };
        match around {
            Some(around) => scope = around,
            None => return "",
        }
    }
}
