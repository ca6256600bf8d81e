//! `lookup_options` of a data file, where they are a plain hash as nearly all are. Their keys are indexed when the file
//! is read; a compile makes values of those options alone that it finds.

use super::decode::{ValueOffset, ValueTraits, holds, scan};
use super::indexed::{DataReader, hash_of};
use super::layout::{Item, item};
use crate::lookup_options::patterns::{self, literal_ends, literal_start};
use bunraku_vm::error::Eval;
use bunraku_vm::regex;
use bunraku_vm::value::Value;
use hashbrown::HashTable;
use std::cell::Cell;

/// What `lookup_options` of a file say, where they are a hash without anything odd or to interpolate.
pub(crate) struct PlainOptions {
    /// Numbers of `entries`, by the hash of their keys.
    table: HashTable<u32>,
    entries: Vec<OptionEntry>,
    patterns: Vec<PatternEntry>,
}

/// A key of options.
#[derive(Clone, Copy)]
struct OptionEntry {
    hash: u64,
    /// Where in the words the key lies.
    key: u32,
    /// Where its options lie.
    value: ValueOffset,
}

/// A key of options that is a pattern.
struct PatternEntry {
    /// Its number among the entries.
    entry: u32,
    /// How many bytes behind its `^` every text begins with that fits.
    start: usize,
    /// With one of these every such text ends, if there is any here.
    ends: Vec<Box<str>>,
}

impl PlainOptions {
    /// Those that lie in some words, where they are plain.
    pub fn read(all: &[u32], of: ValueOffset, traits: ValueTraits) -> Option<PlainOptions> {
        if traits != ValueTraits::default() {
            return None;
        }
        let mut rest = &all[of.word as usize..];
        let mut passed = of.text;
        let Item::Map(count) = item(&mut rest)? else { return None };
        let mut options = PlainOptions {
            table: HashTable::with_capacity(count),
            entries: Vec::with_capacity(count),
            patterns: Vec::new(),
        };
        for _ in 0..count {
            let key = (all.len() - rest.len()) as u32;
            let (Item::Text(text) | Item::Symbol(text)) = item(&mut rest)? else { return None };
            let text = text.get()?;
            passed += text.len() as u32;
            let value = ValueOffset { word: (all.len() - rest.len()) as u32, text: passed };
            scan(&mut rest, 2, &mut |text| passed += text.len() as u32)?;
            let hash = hash_of(text);
            if options.table.find(hash, |n| holds(all, options.entries[*n as usize].key, text)).is_some() {
                return None;
            }
            let number = options.entries.len() as u32;
            if text.starts_with('^') {
                // One that is no regular expression is an error for who looks anything up.
                patterns::check(text).ok()?;
                let ends = literal_ends(text).into_iter().map(Box::from).collect();
                options.patterns.push(PatternEntry { entry: number, start: literal_start(text).len(), ends });
            }
            options.entries.push(OptionEntry { hash, key, value });
            options.table.insert_unique(hash, number, |n| options.entries[*n as usize].hash);
        }
        Some(options)
    }
}

/// What a file has of `lookup_options`.
pub enum OptionsOfFile<'c> {
    /// There are none.
    Nothing,
    /// A hash as nearly all are, with nothing odd and nothing to interpolate.
    Plain(FileOptions<'c>),
    /// Something else.
    Other,
}

/// Plain `lookup_options` of a file, as a compile reads them.
#[derive(Clone, Copy)]
pub struct FileOptions<'c> {
    reader: DataReader<'c>,
    options: &'c PlainOptions,
    /// The options of its keys that have been read, in the order of the keys; as the values of [`DataReader`].
    values: &'c [Cell<Option<Value<'c>>>],
}

/// A key of `lookup_options` that is a pattern.
#[derive(Clone, Copy)]
pub struct KeyPattern<'c> {
    /// The pattern.
    pub text: &'c str,
    /// The hash of that.
    pub hash: u64,
    /// What every text begins with that fits.
    pub start: &'c str,
    /// With one of these every such text ends, unless it has several lines; nothing is known where there is none.
    ends: &'c [Box<str>],
}

impl KeyPattern<'_> {
    /// Whether it fits a text.
    pub fn fits(&self, text: &str) -> bool {
        let has_end = || self.ends.is_empty() || self.ends.iter().any(|end| text.ends_with(&**end));
        let may_fit = text.starts_with(self.start) && (has_end() || text.contains('\n'));
        may_fit && regex::is_match(self.text, text) == Ok(true)
    }
}

impl<'c> FileOptions<'c> {
    pub(crate) fn new(reader: DataReader<'c>, options: &'c PlainOptions) -> FileOptions<'c> {
        let values = reader.arena.alloc_slice_fill_with(options.entries.len(), |_| Cell::new(None));
        FileOptions { reader, options, values }
    }

    /// What they say under a key, whose hash is `hash`.
    ///
    /// # Errors
    /// As [`DataReader::value`].
    pub fn find(self, hash: u64, key: &str) -> Eval<'c, Option<Value<'c>>> {
        let entries = &self.options.entries;
        let entry = |n: &u32| entries[*n as usize];
        let found = self.options.table.find(hash, |n| {
            let OptionEntry { hash: other, key: at, .. } = entry(n);
            other == hash && holds(self.reader.words, at, key)
        });
        let Some(number) = found else { return Ok(None) };
        let known = &self.values[*number as usize];
        if known.get().is_none() {
            known.set(Some(self.reader.read(entry(number).value)?));
        }
        Ok(known.get())
    }

    /// The keys.
    pub fn keys(self) -> impl Iterator<Item = &'c str> {
        self.options.entries.iter().map(move |entry| self.reader.text(entry.key).unwrap_or_default())
    }

    /// The keys that are patterns.
    pub fn patterns(self) -> impl Iterator<Item = KeyPattern<'c>> {
        self.options.patterns.iter().map(move |PatternEntry { entry, start, ends }| {
            let OptionEntry { hash, key, .. } = self.options.entries[*entry as usize];
            let text = self.reader.text(key).unwrap_or_default();
            let start = text.get(1..=*start).unwrap_or_default();
            KeyPattern { text, hash, start, ends }
        })
    }
}
