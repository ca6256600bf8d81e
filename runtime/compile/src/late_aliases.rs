//! Aliases that overrides gave: when the catalog is complete, each must be free of what came before it.
//! Source: the oracle (`Catalog#to_resource` of 7.23, which adds all resources to a new catalog).

use crate::compile::Compile;
use crate::declare::{flatten, is_declared, is_taken};
use bunraku_vm::error::Eval;
use bunraku_vm::scope::ResourceId;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

impl<'c> Compile<'c> {
    /// Checks the titles and aliases of all resources that go into the catalog, where aliases came to any after it was declared.
    ///
    /// # Errors
    /// Puppet's, of the first resource whose title or alias is taken.
    pub(crate) fn check_late_aliases(&self) -> Eval<'c, ()> {
        if !self.resources.late_aliases.get() {
            return Ok(());
        }
        let catalog = self.catalog.borrow();
        let mut taken: HashMap<(u32, &'c str), ResourceId> = HashMap::new();
        for id in (0..catalog.resources.len() as u32).map(ResourceId) {
            let resource = &catalog[id];
            if resource.is_virtual && resource.exported != Some(true) {
                continue;
            }
            if let Some(other) = taken.insert((resource.of_type, resource.title), id) {
                let message = is_declared(resource, &catalog[other]);
                return Err(self.placed_error(message, resource.file, resource.line));
            }
            let mut aliases = Vec::new();
            if let Some(value) = resource.param("alias") {
                flatten(value, &mut aliases);
            }
            for alias in aliases {
                let alias = self.interpolated(alias);
                match taken.entry((resource.of_type, alias)) {
                    Entry::Vacant(free) => _ = free.insert(id),
                    Entry::Occupied(other) if *other.get() == id => {}
                    Entry::Occupied(other) => {
                        let (shown, other) = (format!("{alias:?}"), &catalog[*other.get()]);
                        let message = is_taken(resource, &shown, &shown);
                        return Err(self.placed_error(message, other.file, other.line));
                    }
                }
            }
        }
        Ok(())
    }
}
