//! Keys that need no asking: what the look-ups before have read tells at once that no layer has a key, as with most of
//! those that class parameters are looked for under, or that a file has it as a plain value.

use crate::Invocation;
use crate::backend::data_source::Source;
use crate::config::version3;
use crate::data_file::encoded::Traits;
use crate::hierarchy::entry::Kind;
use crate::key::is_plain;
use crate::layer::Layer;
use crate::lookup_options::LOOKUP_OPTIONS;
use crate::state::Lookups;
use bunraku_vm::names;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

/// What a layer is known to have.
enum Has<'c> {
    Nothing,
    Value(Value<'c>),
    /// In doubt.
    Unknown,
}

impl<'c> Lookups<'_, 'c> {
    /// What a look-up without a merge of its own gives, where that is known and it does nothing else. None in doubt.
    pub(crate) fn known_at_once(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        hash: u64,
        key: &str,
    ) -> Option<Option<Value<'c>>> {
        let hiera = &self.state;
        if !hiera.stack.borrow().is_empty() || !is_plain(key) || key == LOOKUP_OPTIONS {
            return None;
        }
        let module = names::split_first(key).map(|(module, _)| module);
        if let Some(options) = hiera.options.borrow().of(module)?
            && !matches!(options.matching(hash, key), Ok(None))
        {
            return None;
        }
        let shared = hiera.shared.borrow();
        for kept in &*shared {
            let Some(layer) = kept.as_ref()? else { continue };
            match self.has(vm, inv, layer, hash, key) {
                Has::Nothing => {}
                Has::Value(value) => return Some(Some(value)),
                Has::Unknown => return None,
            }
        }
        let modules = hiera.modules.borrow();
        if let Some(module) = module
            && let Some(layer) = modules.get(module)?
        {
            match self.has(vm, inv, layer, hash, key) {
                Has::Nothing if layer.config.has_default_hierarchy() => return None,
                Has::Nothing => {}
                Has::Value(value) => return Some(Some(value)),
                Has::Unknown => return None,
            }
        }
        Some(None)
    }

    fn has(&self, vm: &mut Vm<'c>, inv: &Invocation<'c>, layer: &Layer<'c>, hash: u64, key: &str) -> Has<'c> {
        let kept = layer.resolved.borrow();
        let Some(kept) = kept.as_ref() else { return Has::Unknown };
        if layer.config.version == version3::VERSION || !self.stands(vm, inv, kept) {
            return Has::Unknown;
        }
        let mut places = kept.places(hash);
        if places == 0 {
            return Has::Nothing;
        }
        if places == u64::MAX {
            return Has::Unknown;
        }
        for entry in &kept.entries {
            for context in &entry.contexts {
                let is_place = places & 1 == 1;
                places >>= 1;
                if !is_place {
                    continue;
                }
                let (Kind::DataHash, Some(Source::File(file))) = (entry.kind, context.data.get()) else {
                    return Has::Unknown;
                };
                let Some(found) = file.find(hash, key) else { continue };
                return match file.value(found) {
                    Ok(value) if found.traits == Traits::default() => Has::Value(value),
                    _ => Has::Unknown,
                };
            }
        }
        Has::Nothing
    }
}
