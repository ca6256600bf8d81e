//! Where in its file each value stands: the shape of a data file with a line for each key and item. It is read only when
//! somebody asks where a value came from; of HOCON always, for the order of its keys. [`yaml`] and [`hocon`] read it; [`aliases`] says which keys rest on others.

pub(crate) mod aliases;
pub(crate) mod hocon;
mod of_file;
mod yaml;

pub(crate) use of_file::lines;

use std::collections::HashMap;
use std::rc::Rc;

/// What is in a file, line by line.
#[derive(Debug, Default)]
pub enum Lines {
    /// Neither a list nor a map.
    #[default]
    Leaf,
    /// Items, each with its line.
    List(Vec<(u32, Rc<Lines>)>),
    /// Keys as written, each with its line.
    Map(Vec<(String, u32, Rc<Lines>)>),
}

/// Keys in an order of their own: a key that comes again keeps its place, or, merged, goes to the front.
#[derive(Debug)]
pub(super) struct OrderedPairs<T> {
    /// Each key's place, line and value.
    pub all: HashMap<String, (i64, u32, T)>,
    /// The place of what went to the front last.
    pub first: i64,
    last: i64,
}

impl<T> Default for OrderedPairs<T> {
    fn default() -> Self {
        OrderedPairs { all: HashMap::new(), first: 0, last: 0 }
    }
}

impl<T> OrderedPairs<T> {
    /// Sets a key.
    pub fn set(&mut self, key: String, line: u32, value: T) {
        self.last += 1;
        let place = self.all.get(&key).map_or(self.last, |(place, ..)| *place);
        self.all.insert(key, (place, line, value));
    }

    /// The keys in their order.
    pub fn in_order(self) -> Vec<(String, u32, T)> {
        let mut all: Vec<_> = self.all.into_iter().collect();
        all.sort_by_key(|(_, (place, ..))| *place);
        all.into_iter().map(|(key, (_, line, value))| (key, line, value)).collect()
    }
}
