//! Answers without asking: where earlier look-ups have read all that a key could be found in, an index of their keys
//! says at once that no layer has the key (as with most of those that class parameters are looked for under), or that
//! a file has it as a value that needs nothing done to it.

use crate::backend::location_cache::LocationData;
use crate::config::version3;
use crate::hierarchy::entry::BackendKind;
use crate::hierarchy::resolved::LocationSet;
use crate::invocation::Invocation;
use crate::layer::Layer;
use crate::lookup_options::LOOKUP_OPTIONS;
use crate::state::Lookups;
use bunraku_vm::names;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

/// What a layer is known to have under a key.
enum InLayer<'c> {
    Nothing,
    Value(Value<'c>),
    /// It has to be asked.
    Unknown,
}

impl<'c> Lookups<'_, 'c> {
    /// What a look-up of a plain key without a merge of its own gives, where that is known and the look-up would do nothing else;
    /// none where it has to be made.
    pub(crate) fn quick_answer(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        hash: u64,
        key: &str,
    ) -> Option<Option<Value<'c>>> {
        let state = &self.state;
        if !state.under_way.is_empty() || key == LOOKUP_OPTIONS {
            return None;
        }
        let module = names::split_first(key).map(|(module, _)| module);
        if let Some(options) = state.options.borrow().of(module)?
            && !matches!(options.matching(hash, key), Ok(None))
        {
            return None;
        }
        for layer in &*state.shared_layers.borrow() {
            let Some(layer) = layer.as_ref()? else { continue };
            match self.known_in(vm, inv, layer, hash, key) {
                InLayer::Nothing => {}
                InLayer::Value(value) => return Some(Some(value)),
                InLayer::Unknown => return None,
            }
        }
        if let Some(module) = module
            && let Some(layer) = state.module_layers.borrow().get(module)?
        {
            match self.known_in(vm, inv, layer, hash, key) {
                InLayer::Nothing if layer.config.has_default_hierarchy() => return None,
                InLayer::Nothing => {}
                InLayer::Value(value) => return Some(Some(value)),
                InLayer::Unknown => return None,
            }
        }
        Some(None)
    }

    fn known_in(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        layer: &Layer<'c>,
        hash: u64,
        key: &str,
    ) -> InLayer<'c> {
        let resolved = layer.resolved.borrow();
        let Some(resolved) = resolved.as_ref() else { return InLayer::Unknown };
        if layer.config.version == version3::VERSION || !self.still_holds(vm, inv, resolved) {
            return InLayer::Unknown;
        }
        let locations = resolved.locations_of(hash);
        if locations.is_empty() {
            return InLayer::Nothing;
        }
        if locations == LocationSet::ALL {
            return InLayer::Unknown;
        }
        let mut number = 0;
        for entry in &resolved.entries {
            for cache in &entry.caches {
                number += 1;
                if !locations.has(number - 1) {
                    continue;
                }
                let (BackendKind::DataHash, Some(LocationData::File(file))) = (entry.kind, cache.data.get())
                else {
                    return InLayer::Unknown;
                };
                let Some(found) = file.find(hash, key) else { continue };
                return match file.value(found) {
                    Ok(value) if found.traits.is_plain() => InLayer::Value(value),
                    _ => InLayer::Unknown,
                };
            }
        }
        InLayer::Nothing
    }
}
