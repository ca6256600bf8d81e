//! The references of all resources of a catalog, by number: one text, since most are never asked for.

use bunraku_catalog::Resource;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    text: String,
    /// Where each ends in the text.
    ends: Vec<usize>,
}

impl Names {
    pub fn of(resources: &[Resource<'_>]) -> Names {
        let mut names = Names { text: String::new(), ends: Vec::with_capacity(resources.len()) };
        for resource in resources {
            // `write!` would take five times as long.
            [resource.type_name, "[", resource.title, "]"].iter().for_each(|part| names.text.push_str(part));
            names.ends.push(names.text.len());
        }
        names
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The reference of the resource of that number.
    ///
    /// # Panics
    /// Where there is no such number.
    pub fn get(&self, number: usize) -> &str {
        let begin = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[begin..self.ends[number]]
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|number| self.get(number))
    }
}
