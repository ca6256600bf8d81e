//! Keys that no layer has. Most of those that class parameters are looked for under are such: what the look-ups before
//! have read tells so at once, and nothing has to be asked.

use super::layer::Layer;
use super::{Invocation, file, version3};
use crate::compile::Compile;
use bunraku_vm::names;
use bunraku_vm::vm::Vm;

impl<'c> Compile<'c> {
    /// Whether a look-up without a merge of its own is known to find nothing and to do nothing else. In doubt it is not
    /// known.
    pub(super) fn is_nowhere(&self, vm: &mut Vm<'c>, inv: &Invocation<'c>, key: &str) -> bool {
        let hiera = &self.hiera;
        // All bytes at a time: hardly a key has any of these.
        let leads = |found, byte| found | (byte == b'\'') | (byte == b'"') | (byte == b'.');
        if !hiera.stack.borrow().is_empty() || key.bytes().fold(false, leads) {
            return false;
        }
        let module = names::split_first(key).map(|(module, _)| module);
        let hash = file::hash_of(key);
        let mut lacks = |layer: &Layer<'c>| {
            layer.config.version != version3::VERSION
                && layer.resolved().is_some_and(|kept| self.stands(vm, inv, &kept) && kept.places(hash) == 0)
        };
        let shared = hiera.shared.borrow();
        if !shared
            .iter()
            .all(|kept| kept.as_ref().is_some_and(|layer| layer.as_deref().is_none_or(&mut lacks)))
        {
            return false;
        }
        let modules = hiera.modules.borrow();
        match module.map(|module| modules.get(module)) {
            Some(Some(Some(layer))) if layer.config.has_default_hierarchy() || !lacks(layer) => return false,
            Some(None) => return false,
            None | Some(Some(_)) => {}
        }
        match hiera.options.borrow().of(module) {
            Some(None) => true,
            Some(Some(options)) => matches!(options.matching(hash, key), Ok(None)),
            None => false,
        }
    }
}
