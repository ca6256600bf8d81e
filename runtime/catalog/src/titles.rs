//! Resources by type and title: eight bytes for each, since catalogs are large and every reference is sought here.

use super::Resource;
use bunraku_vm::scope::ResourceId;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher as _;

/// Set in the number of an alias; the others are resources'.
const ALIAS: u32 = 1 << 31;

/// A part of a name's hash, and what it is the name of.
#[derive(Clone, Copy)]
struct Entry {
    hash: u32,
    number: u32,
}

/// The hash that the table goes by, which takes bits from both ends.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A further title of a resource.
struct Alias<'c> {
    of_type: u32,
    title: &'c str,
    id: ResourceId,
}

/// The titles and aliases of a catalog's resources. What a title is of is told by the number of its type.
#[derive(Default)]
pub struct Titles<'c> {
    table: HashTable<Entry>,
    aliases: Vec<Alias<'c>>,
    hasher: DefaultHashBuilder,
}

impl<'c> Titles<'c> {
    /// With room for so many.
    pub fn with_capacity(count: usize) -> Self {
        Titles { table: HashTable::with_capacity(count), ..Titles::default() }
    }

    /// The resource of a title or alias.
    pub fn find(&self, resources: &[Resource<'c>], of_type: u32, title: &str) -> Option<ResourceId> {
        let hash = self.hash(of_type, title);
        let found = self.table.find(spread(hash), |entry| {
            entry.hash == hash
                && match self.alias(entry.number) {
                    Some(alias) => alias.of_type == of_type && alias.title == title,
                    None => {
                        let resource = &resources[entry.number as usize];
                        resource.of_type == of_type && resource.title == title
                    }
                }
        })?;
        Some(self.alias(found.number).map_or(ResourceId(found.number), |alias| alias.id))
    }

    /// Enters a resource under its title, which nothing has.
    pub fn add(&mut self, resource: &Resource<'c>, id: ResourceId) {
        self.enter(resource.of_type, resource.title, id.0);
    }

    /// Enters a resource under a further title, which nothing has.
    pub fn add_alias(&mut self, of_type: u32, title: &'c str, id: ResourceId) {
        let number = self.aliases.len() as u32 | ALIAS;
        self.aliases.push(Alias { of_type, title, id });
        self.enter(of_type, title, number);
    }

    fn enter(&mut self, of_type: u32, title: &str, number: u32) {
        let hash = self.hash(of_type, title);
        self.table.insert_unique(spread(hash), Entry { hash, number }, |entry| spread(entry.hash));
    }

    fn alias(&self, number: u32) -> Option<&Alias<'c>> {
        (number & ALIAS != 0).then(|| &self.aliases[(number & !ALIAS) as usize])
    }

    fn hash(&self, of_type: u32, title: &str) -> u32 {
        self.hasher.hash_one((of_type, title)) as u32
    }
}
