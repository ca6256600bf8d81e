//! A data file as archives have it: a compile takes out of it what is asked for, and leaves the rest where it lies. What
//! can be known of its keys without a compile is found out when it is read.

use super::data::Data;
use super::decode::{self, START, ValueOffset, ValueTraits, holds, scan};
use super::layout::{Item, encode, item};
use super::plain_options::{FileOptions, OptionsOfFile, PlainOptions};
use crate::fault::lookup_error;
use crate::lookup_options::LOOKUP_OPTIONS;
use bumpalo::Bump;
use bunraku_files::reads::Touch;
use bunraku_files::shared_words::SharedWords;
use bunraku_vm::error::Eval;
use bunraku_vm::value::Value;
use hashbrown::HashTable;
use std::cell::Cell;
use std::hash::BuildHasher as _;

/// A data file in its encoded form, with an index of its keys. Compiles share it.
pub struct DataFile {
    words: SharedWords,
    /// All texts of `words` one after the other, known to be UTF-8: strings of compiles point into it.
    texts: String,
    /// Its keys, where the file holds a hash.
    keys: Option<FileKeys>,
}

/// The keys of a file that holds a hash.
struct FileKeys {
    /// Numbers of `entries`, by the hash of their keys.
    table: HashTable<u32>,
    /// The keys that are text, in order.
    entries: Vec<KeyEntry>,
    /// How many keys are no text.
    others: usize,
    /// Whether there are `lookup_options`.
    has_options: bool,
    /// These, where they are plain.
    options: Option<PlainOptions>,
}

/// A key of a file and what is known of its value.
#[derive(Clone, Copy)]
struct KeyEntry {
    hash: u64,
    /// Where in the words the key lies.
    key: u32,
    value: ValueOffset,
    traits: ValueTraits,
}

/// The hash by which keys are looked for in files.
pub fn hash_of(key: &str) -> u64 {
    // A fixed seed: one key is looked for in many files.
    foldhash::fast::FixedState::with_seed(0).hash_one(key)
}

/// The question for a key, as those who gather what is read have it.
pub fn touch_of(key: &str) -> Touch {
    Touch::of_key(hash_of(key))
}

impl DataFile {
    /// The file that some words encode; none if they are not exactly one value.
    pub fn new(words: SharedWords) -> Option<DataFile> {
        let all = words.get();
        // So that 32 bits tell where a text lies.
        u32::try_from(size_of_val(all)).ok()?;
        let mut texts = String::new();
        let mut rest = all;
        let keys = match item(&mut rest)? {
            Item::Map(count) => Some(FileKeys::read(all, &mut rest, count, &mut texts)?),
            _ => {
                rest = all;
                scan(&mut rest, 0, &mut |text| texts.push_str(text))?;
                None
            }
        };
        rest.is_empty().then_some(())?;
        Some(DataFile { words, texts, keys })
    }

    /// The file that holds these data; none if they are too large for the encoded form.
    pub fn of(data: &Data) -> Option<DataFile> {
        DataFile::new(SharedWords::Owned(encode(data)?.into()))
    }

    /// The keys that are text, each with a hash of its value in the encoded form; none where the file holds no hash, or one
    /// with other keys: two files of the same keys and hashes give the same to every look-up.
    pub fn contents(&self) -> Option<Vec<(&str, u64)>> {
        let keys = self.keys.as_ref().filter(|keys| keys.others == 0)?;
        let all = self.words.get();
        let content = |entry: &KeyEntry| {
            let key = match item(&mut all.get(entry.key as usize..)?)? {
                Item::Text(text) | Item::Symbol(text) => text.get()?,
                _ => return None,
            };
            let value = all.get(entry.value.word as usize..)?;
            let mut rest = value;
            scan(&mut rest, 1, &mut |_| ())?;
            let words = value.get(..value.len() - rest.len())?;
            Some((key, foldhash::fast::FixedState::with_seed(0).hash_one(words)))
        };
        keys.entries.iter().map(content).collect()
    }

    /// What a compile reads in it by: values go into `arena`.
    pub fn reader<'c>(&'c self, arena: &'c Bump) -> DataReader<'c> {
        let count = self.keys.as_ref().map_or(0, |keys| keys.entries.len());
        let values = arena.alloc_slice_fill_with(count, |_| Cell::new(None));
        DataReader { file: self, words: self.words.get(), arena, values }
    }
}

impl FileKeys {
    fn read<'w>(all: &'w [u32], rest: &mut &'w [u32], count: usize, texts: &mut String) -> Option<FileKeys> {
        let at = |rest: &[u32]| (all.len() - rest.len()) as u32;
        let mut root = FileKeys {
            table: HashTable::with_capacity(count),
            entries: Vec::with_capacity(count),
            others: 0,
            has_options: false,
            options: None,
        };
        for _ in 0..count {
            let key = at(rest);
            let text = match item(rest)? {
                Item::Text(text) | Item::Symbol(text) => text.get()?,
                _ => {
                    *rest = &all[key as usize..];
                    scan(rest, 1, &mut |text| texts.push_str(text))?;
                    scan(rest, 1, &mut |text| texts.push_str(text))?;
                    root.others += 1;
                    continue;
                }
            };
            texts.push_str(text);
            let value = ValueOffset { word: at(rest), text: texts.len() as u32 };
            let traits = scan(rest, 1, &mut |text| texts.push_str(text))?;
            let entry = KeyEntry { hash: hash_of(text), key, value, traits };
            // A symbol and a text may be the same key.
            let known = root.table.find(entry.hash, |n| holds(all, root.entries[*n as usize].key, text));
            if let Some(known) = known {
                let known = &mut root.entries[*known as usize];
                (known.value, known.traits) = (entry.value, entry.traits);
                continue;
            }
            root.entries.push(entry);
            let number = (root.entries.len() - 1) as u32;
            root.table.insert_unique(entry.hash, number, |n| root.entries[*n as usize].hash);
        }
        let options = root.find(all, hash_of(LOOKUP_OPTIONS), LOOKUP_OPTIONS);
        root.has_options = options.is_some();
        root.options = options.and_then(|number| {
            let KeyEntry { value, traits, .. } = root.entries[number as usize];
            PlainOptions::read(all, value, traits)
        });
        Some(root)
    }

    fn find(&self, words: &[u32], hash: u64, key: &str) -> Option<u32> {
        let entry = |n: &u32| &self.entries[*n as usize];
        self.table.find(hash, |n| entry(n).hash == hash && holds(words, entry(n).key, key)).copied()
    }
}

/// What one compile reads in a data file by.
#[derive(Clone, Copy)]
pub struct DataReader<'c> {
    file: &'c DataFile,
    pub(crate) words: &'c [u32],
    pub(crate) arena: &'c Bump,
    /// The values of its keys that have been read, in the order of the keys: each is read once a compile, and never
    /// stale, as files are not. Test: `tests::what_goes_in_comes_out`.
    values: &'c [Cell<Option<Value<'c>>>],
}

/// A key that a file has, and what is known of its value.
#[derive(Clone, Copy)]
pub struct FoundKey {
    number: u32,
    /// What is known of the value.
    pub traits: ValueTraits,
}

impl<'c> DataReader<'c> {
    /// Whether the file holds a hash.
    pub fn is_hash(self) -> bool {
        self.file.keys.is_some()
    }

    /// Looks for a key, whose hash is `hash`.
    pub fn find(self, hash: u64, key: &str) -> Option<FoundKey> {
        let keys = self.file.keys.as_ref()?;
        let number = keys.find(self.words, hash, key)?;
        Some(FoundKey { number, traits: keys.entries[number as usize].traits })
    }

    /// The value of a key, in a compile's arena. Keys that are symbols become strings; texts stay where they are.
    ///
    /// # Errors
    /// When an archive has been changed while it is in use.
    pub fn value(self, found: FoundKey) -> Eval<'c> {
        let number = found.number as usize;
        if let Some(known) = self.values[number].get() {
            return Ok(known);
        }
        let offset = self.file.keys.as_ref().map_or(START, |keys| keys.entries[number].value);
        let value = self.read(offset)?;
        self.values[number].set(Some(value));
        Ok(value)
    }

    /// All that the file holds.
    ///
    /// # Errors
    /// As [`DataReader::value`].
    pub fn whole(self) -> Eval<'c> {
        self.read(START)
    }

    /// The value at a place.
    pub(crate) fn read(self, at: ValueOffset) -> Eval<'c> {
        let mut rest = self.words.get(at.word as usize..).unwrap_or_default();
        let mut texts = self.file.texts.get(at.text as usize..).unwrap_or_default();
        let changed = || lookup_error("A data file of the archive has changed while it was in use");
        decode::value(&mut rest, &mut texts, self.arena).ok_or_else(changed)
    }

    /// The hashes of its keys.
    pub fn hashes(self) -> impl Iterator<Item = u64> {
        let entries = self.file.keys.as_ref().map_or(&[][..], |keys| &keys.entries);
        entries.iter().map(|entry| entry.hash)
    }

    /// How many keys are something else than a text that `fits`.
    pub fn keys_unlike(self, fits: impl Fn(&str) -> bool) -> usize {
        let Some(keys) = &self.file.keys else { return 0 };
        let unlike = |entry: &&KeyEntry| self.text(entry.key).is_none_or(|key| !fits(key));
        keys.others + keys.entries.iter().filter(unlike).count()
    }

    /// What `lookup_options` of the file say.
    pub fn options(self) -> OptionsOfFile<'c> {
        match &self.file.keys {
            Some(FileKeys { options: Some(options), .. }) => {
                OptionsOfFile::Plain(FileOptions::new(self, options))
            }
            Some(FileKeys { has_options: true, .. }) => OptionsOfFile::Other,
            _ => OptionsOfFile::Nothing,
        }
    }

    pub(crate) fn text(self, at: u32) -> Option<&'c str> {
        match item(&mut self.words.get(at as usize..)?)? {
            Item::Text(text) | Item::Symbol(text) => text.get(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Data {
        let text = |text: &str| Data::Text(text.to_owned());
        Data::Map(vec![
            (text("a"), Data::List(vec![Data::Int(-1), Data::Float(1.5), Data::Null, Data::Bool(true)])),
            (Data::Symbol("symbol".into()), text("four %{facts}")),
            (Data::Int(7), text("no text")),
            (text("odd"), Data::Map(vec![(Data::Int(1), Data::Null)])),
            (text(LOOKUP_OPTIONS), Data::Map(vec![(text("^a.*"), text("b")), (text("c"), text("d"))])),
            (text(""), Data::Map(vec![])),
        ])
    }

    #[test]
    fn what_goes_in_comes_out() {
        let arena = Bump::new();
        let file = DataFile::of(&sample()).expect("it is small");
        let reader = file.reader(&arena);
        let find = |key: &str| reader.find(hash_of(key), key);
        for key in ["a", "symbol", "odd", "", LOOKUP_OPTIONS] {
            let found = find(key).unwrap_or_else(|| panic!("{key} is there"));
            let Data::Map(pairs) = sample() else { panic!("it is a hash") };
            let is_it = |other: &Data| matches!(other, Data::Text(t) | Data::Symbol(t) if t == key);
            let expected = pairs.iter().find(|(other, _)| is_it(other)).expect("it is there").1.value(&arena);
            assert!(reader.value(found).is_ok_and(|value| value.same(expected)), "{key}");
            assert_eq!(found.traits.interpolates, key == "symbol");
            assert_eq!(found.traits.is_odd, key == "odd");
        }
        assert!(find("b").is_none() && find("7").is_none());
        assert!(reader.whole().is_ok_and(|value| value.same(sample().value(&arena))));
        assert_eq!(reader.keys_unlike(|key| key == "a"), 5);
        let OptionsOfFile::Plain(options) = reader.options() else { panic!("they are plain") };
        let patterns: Vec<_> =
            options.patterns().map(|pattern| (pattern.text, pattern.fits("ab"), pattern.fits("b"))).collect();
        assert_eq!(patterns, [("^a.*", true, false)]);
        assert!(
            matches!(options.find(hash_of("c"), "c"), Ok(Some(Value::Str(_))))
                && matches!(options.find(hash_of("a"), "a"), Ok(None))
        );
    }

    #[test]
    fn a_symbol_and_a_text_are_one_key() {
        let arena = Bump::new();
        let pairs = || vec![(Data::Symbol("k".into()), Data::Int(1)), (Data::Text("k".into()), Data::Int(2))];
        for data in [Data::Map(pairs()), Data::List(vec![Data::Map(pairs())])] {
            let file = DataFile::of(&data).expect("it is small");
            assert!(file.reader(&arena).whole().is_ok_and(|value| value.same(data.value(&arena))));
        }
        let file = DataFile::of(&Data::Map(pairs())).expect("it is small");
        let found = file.reader(&arena).find(hash_of("k"), "k").expect("it is there");
        assert!(matches!(file.reader(&arena).value(found), Ok(Value::Int(2))));
    }

    #[test]
    fn what_is_broken_is_no_file() {
        let arena = Bump::new();
        let words = encode(&sample()).expect("it is small");
        let file = |words: &[u32]| DataFile::new(SharedWords::Owned(words.into()));
        for at in 0..words.len() {
            assert!(file(&words[..at]).is_none());
            for bit in 0..32 {
                let mut broken = words.clone();
                broken[at] ^= 1 << bit;
                if let Some(file) = file(&broken) {
                    assert!(file.reader(&arena).whole().is_ok(), "what was passed over can be read");
                }
            }
        }
        assert!(file(&vec![7 | 1 << 4; 100_000]).is_none(), "it nests without end");
        assert!(file(&[7 | u32::MAX << 4]).is_none());
    }
}
