//! What of a hash has been asked for: a compile that is to tell what it has looked at of its node's facts gets them as hashes
//! that are watched, each with those within it. All code asks hashes by their methods, so nothing that looks at one is missed,
//! whatever the way by which it came to it.

use super::{Hash, Value};
use bumpalo::Bump;
use hashbrown::{DefaultHashBuilder, HashMap};
use std::cell::{Cell, RefCell};

/// What was asked of one hash.
pub(super) struct Watch<'c> {
    /// Of each entry, by its place, whether its key was looked up.
    asked: &'c [Cell<bool>],
    /// Whether all entries were asked for, or how many there are.
    whole: Cell<bool>,
    /// Keys that were looked up in vain.
    missed: RefCell<HashMap<&'c str, (), DefaultHashBuilder, &'c Bump>>,
}

impl<'c> Watch<'c> {
    pub fn new(arena: &'c Bump, entries: usize) -> &'c Watch<'c> {
        arena.alloc(Watch {
            asked: arena.alloc_slice_fill_with(entries, |_| Cell::new(false)),
            whole: Cell::new(false),
            missed: RefCell::new(HashMap::new_in(arena)),
        })
    }

    /// Notes that all of it was asked for.
    #[cold]
    pub fn whole(&self) {
        self.whole.set(true);
    }

    /// Notes a look-up: the place of the entry that it found, and its key.
    #[cold]
    pub fn asked(&self, found: Option<usize>, key: Option<&str>) {
        match (found.and_then(|at| self.asked.get(at)), key) {
            (Some(asked), _) => asked.set(true),
            (None, Some(key)) => {
                let mut missed = self.missed.borrow_mut();
                if !missed.contains_key(key) {
                    let arena: &'c Bump = missed.allocator();
                    missed.insert(arena.alloc_str(key), ());
                }
            }
            // Keys of watched hashes are texts: nothing else is ever found.
            (None, None) => {}
        }
    }
}

/// How much of a value was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it; where it is missing, that it is.
    Whole,
    /// That it is a hash; what within it was asked for is told by itself.
    Form,
}

impl<'c> Hash<'c> {
    /// The same hash, watched, and so are those within it, but for those in arrays: whoever asks for an array has asked for all
    /// of it. Its keys are texts.
    pub fn watched(self, arena: &'c Bump) -> Hash<'c> {
        let entries = self.entries_unasked().iter().map(|(key, value)| {
            let value = match value {
                Value::Hash(within) => Value::Hash(within.watched(arena)),
                other => *other,
            };
            (*key, value)
        });
        Hash::made_unique(arena, entries).with_watch(arena)
    }

    /// Tells what was asked for of a watched hash that lies at `path`, the keys that lead to it: each value's path, with how much
    /// of it that was.
    pub fn tell_asked<'p>(self, path: &mut Vec<&'p str>, tell: &mut dyn FnMut(&[&'p str], Part))
    where
        'c: 'p,
    {
        let Some(watch) = self.watch() else { return };
        if watch.whole.get() {
            tell(path, Part::Whole);
        }
        for ((key, value), asked) in self.entries_unasked().iter().zip(watch.asked) {
            let Value::Str(key) = key else { continue };
            path.push(key.as_str());
            match value {
                Value::Hash(within) if within.watch().is_some() => {
                    if asked.get() {
                        tell(path, Part::Form);
                    }
                    // There are other ways to it: a variable, an iteration.
                    within.tell_asked(path, tell);
                }
                _ if asked.get() => tell(path, Part::Whole),
                _ => {}
            }
            path.pop();
        }
        for key in watch.missed.borrow().keys() {
            path.push(key);
            tell(path, Part::Whole);
            path.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(hash: Hash<'_>) -> Vec<String> {
        let mut all = Vec::new();
        hash.tell_asked(&mut Vec::new(), &mut |path, part| all.push(format!("{} {part:?}", path.join("."))));
        all.sort();
        all
    }

    #[test]
    fn what_is_asked_for_is_told_and_nothing_else() {
        let arena = Bump::new();
        let text = |text: &str| Value::str(&arena, text);
        let within =
            Hash::from_unique(&arena, &[(text("family"), text("Debian")), (text("major"), text("12"))]);
        let mut entries = vec![(text("os"), Value::Hash(within)), (text("other"), Value::Hash(within))];
        entries.extend((0..20).map(|n| (text(&format!("fact{n}")), Value::Int(n))));
        let plain = Hash::from_unique(&arena, &entries);
        let hash = plain.watched(&arena);
        assert!(told(hash).is_empty());
        assert!(plain.get_str("fact3").is_some() && plain.len() == 22 && told(plain).is_empty());
        let Some(Value::Hash(os)) = hash.get_str("os") else { panic!("it is there") };
        assert_eq!(told(hash), ["os Form"]);
        assert!(os.get(text("family")).is_some() && os.get_str("nothing").is_none());
        assert!(hash.get(text("fact7")).is_some() && hash.get(Value::Int(7)).is_none());
        let few = ["fact7 Whole", "os Form", "os.family Whole", "os.nothing Whole"];
        assert_eq!(told(hash), few);
        // What is made of one is all of it when it is looked at.
        let merged = hash.merged(&arena, &[(text("more"), text("1"))]);
        assert_eq!(told(hash), few);
        assert!(merged.get_str("more").is_some());
        assert!(told(hash).contains(&" Whole".to_owned()));
    }
}
