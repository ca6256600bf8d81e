//! Taking `lookup_options` out of files without merging them, where layers are nothing but files with plain options: a
//! look-up then makes values of those options alone that it finds.

use super::is_of_module;
use super::table::{Options, OptionsTable, SharedOptions};
use crate::backend::location_cache::LocationData;
use crate::config::location::Location;
use crate::data_file::plain_options::{FileOptions, OptionsOfFile};
use crate::hierarchy::asked_location::AskedLocation;
use crate::hierarchy::entry::{BackendKind, HierarchyEntry};
use crate::invocation::Invocation;
use crate::layer::Layer;
use crate::state::Lookups;
use bunraku_vm::vm::Vm;

impl<'c> Lookups<'_, 'c> {
    /// The options for the keys of a module, where the layers they come from are such. None where there is more to
    /// them or something is wrong: they are then gathered by asking the layers, which says what.
    pub(super) fn options_of_files(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        module: Option<&str>,
    ) -> Option<Options<'c>> {
        if inv.explain.is_on() || inv.global_only || inv.old_scope || inv.level.is_some() {
            return None;
        }
        let known = self.state.options.borrow().shared_files;
        let shared = match known {
            Some(known) => known?,
            None => {
                let mut files = Vec::new();
                let layers = [self.global_layer(vm).ok()?, self.environment_layer(vm).ok()?];
                let mut layers = layers.iter().flatten();
                let all = layers.try_for_each(|layer| self.add_options(vm, inv, layer, &mut files));
                let files = &*self.arena.alloc_slice_copy(&files);
                let shared =
                    all.map(|()| SharedOptions { table: OptionsTable::of_files(self.arena, files), files });
                self.state.options.borrow_mut().shared_files = Some(shared);
                shared?
            }
        };
        let Some(module) = module else { return Some(shared.table) };
        let Some(layer) = self.module_layer(vm, module).ok()? else { return Some(shared.table) };
        let mut all = shared.files.to_vec();
        self.add_options(vm, inv, &layer, &mut all)?;
        let own = &all[shared.files.len()..];
        let is_own = |key: &str| is_of_module(key.strip_prefix('^').unwrap_or(key), module);
        match own.iter().all(|file| file.keys().all(is_own)) {
            true if own.is_empty() => Some(shared.table),
            true => Some(OptionsTable::of_files(self.arena, &all)),
            false => None,
        }
    }

    /// Adds the options of a layer's files; none if there is more to the layer than plain files with plain options, or
    /// something is wrong.
    fn add_options(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        layer: &Layer<'c>,
        all: &mut Vec<FileOptions<'c>>,
    ) -> Option<()> {
        let resolved = self.resolve(vm, inv, layer).ok()?;
        if !resolved.entries.iter().all(is_of_files) {
            return None;
        }
        for entry in &resolved.entries {
            let exists = |(_, location): &(usize, &Location)| location.exists;
            for (number, _) in entry.locations.iter().flatten().enumerate().filter(exists) {
                let at = AskedLocation { inv, layer, entry, number };
                if let LocationData::File(file) = self.data_of(vm, at).ok()? {
                    match file.options() {
                        OptionsOfFile::Nothing => {}
                        OptionsOfFile::Plain(options) => all.push(options),
                        OptionsOfFile::Other => return None,
                    }
                }
            }
        }
        Some(())
    }
}

/// Whether an entry is nothing but files.
fn is_of_files(entry: &HierarchyEntry<'_>) -> bool {
    entry.kind == BackendKind::DataHash
        && entry.format().is_some()
        && !entry.has_surplus_options()
        && entry.levels.is_none()
        && entry.locations.as_ref().is_some_and(|all| all.iter().all(Location::is_file))
}
