//! Reads an archive where it lies. Opening looks at the header only; a search touches the blocks on its way, and a
//! block's checksum is taken the first time that it is touched.

use super::layout::{
    BLOCK, DEFINITION_WORDS, ENTRY_WORDS, FINGERPRINT, HEADER_SUM, LITERAL_WORDS, MAGIC, PART_WORDS,
    PROVIDED_WORDS, Section, SectionForm, TABLE, VERSION,
};
use super::map::Map;
use super::places;
pub use super::record::{Definition, Entry, Part};
use super::{ArchiveFault, Read, cold};
use serde::de::DeserializeOwned;
use std::cmp::Ordering;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// Where the bytes lie.
enum Store {
    Mapped(Map),
    /// Words, for their alignment, and the length in bytes.
    Owned(Box<[u64]>, usize),
}

/// An opened archive. It may be shared among threads.
pub struct Archive {
    store: Store,
    sections: [Range<usize>; Section::ALL.len()],
    /// Blocks found sound, a bit each; the header's is never set.
    sound: Box<[AtomicU64]>,
}

impl Archive {
    /// Maps an archive and checks its header.
    ///
    /// # Errors
    /// When it can't be opened, is none, or is one of another version.
    pub fn open(path: &Path, fingerprint: &[u8; FINGERPRINT]) -> Read<Archive> {
        let map = Map::open(path).map_err(|error| ArchiveFault::Unreadable(error.to_string()))?;
        Archive::new(Store::Mapped(map), Some(fingerprint))
    }

    /// An archive in memory, likewise.
    ///
    /// # Errors
    /// See [`Archive::open`].
    pub fn from_bytes(bytes: &[u8], fingerprint: &[u8; FINGERPRINT]) -> Read<Archive> {
        let mut words = vec![0u64; bytes.len().div_ceil(8)].into_boxed_slice();
        bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Archive::new(Store::Owned(words, bytes.len()), Some(fingerprint))
    }

    fn new(store: Store, fingerprint: Option<&[u8; FINGERPRINT]>) -> Read<Archive> {
        let mut archive =
            Archive { store, sections: std::array::from_fn(|_| 0..0), sound: Vec::new().into_boxed_slice() };
        let bytes = archive.all();
        if bytes.get(..MAGIC.len()) != Some(&MAGIC[..]) || cfg!(target_endian = "big") {
            return Err(ArchiveFault::NotAnArchive);
        }
        let length = bytes.len() as u64;
        let header = bytes.get(..BLOCK).ok_or(ArchiveFault::Length(length, BLOCK as u64))?;
        let long = |at: usize| {
            let mut eight = [0; 8];
            eight.copy_from_slice(&header[at..at + 8]);
            u64::from_le_bytes(eight)
        };
        let version = long(8) as u32;
        if version != VERSION {
            return Err(ArchiveFault::Version(version));
        }
        if long(HEADER_SUM) != xxh3_64(&header[..HEADER_SUM]) {
            return Err(ArchiveFault::Header);
        }
        if long(16) != length {
            return Err(ArchiveFault::Length(length, long(16)));
        }
        if fingerprint.is_some_and(|wanted| header[24..24 + FINGERPRINT] != wanted[..]) {
            return Err(ArchiveFault::Compiler);
        }
        let mut sections = std::array::from_fn(|_| 0..0);
        for (n, section) in Section::ALL.into_iter().enumerate() {
            let fault = ArchiveFault::Section(section);
            let (start, len) = (long(TABLE + 16 * n) as usize, long(TABLE + 16 * n + 8) as usize);
            let end = start.checked_add(len).ok_or(fault.clone())?;
            let whole = match section.about().0 {
                SectionForm::Records(words) => len % (4 * words) == 0,
                _ => true,
            };
            if start < BLOCK || end > bytes.len() || start % 8 != 0 || !whole {
                return Err(fault);
            }
            sections[n] = start..end;
        }
        let blocks = &sections[Section::Blocks as usize];
        // A checksum for each block in front of them.
        if blocks.start % BLOCK != 0 || blocks.len() != (blocks.start / BLOCK - 1) * 8 {
            return Err(ArchiveFault::Section(Section::Blocks));
        }
        if sections[..Section::Blocks as usize].iter().any(|section| section.end > blocks.start) {
            return Err(ArchiveFault::Section(Section::Blocks));
        }
        let words = (blocks.start / BLOCK).div_ceil(64);
        archive.sound = std::iter::repeat_with(|| AtomicU64::new(0)).take(words).collect();
        archive.sections = sections;
        Ok(archive)
    }

    /// What tells its content from any other's: a hash of the header and of the checksums of all that comes behind it,
    /// 8 bytes for each 4,096. None of one that was cut off while it was in use.
    pub fn content(&self) -> Option<u128> {
        // Asked first: to touch what is gone would end the process.
        let all = Some(self.all()).filter(|_| self.is_whole())?;
        let sums = self.sections[Section::Blocks as usize].clone();
        Some(xxh3_128(&[all.get(..BLOCK)?, all.get(sums)?].concat()))
    }

    fn all(&self) -> &[u8] {
        match &self.store {
            Store::Mapped(map) => map.bytes(),
            Store::Owned(words, len) => &bytemuck::cast_slice(words)[..*len],
        }
    }

    /// Whether the file still has all its bytes.
    pub fn is_whole(&self) -> bool {
        match &self.store {
            Store::Mapped(map) => map.is_whole(),
            Store::Owned(..) => true,
        }
    }

    /// Bytes of the whole archive.
    pub fn size(&self) -> usize {
        self.all().len()
    }

    /// Bytes of a section.
    pub fn section_size(&self, section: Section) -> usize {
        self.sections[section as usize].len()
    }

    /// How many bytes have been looked at so far, in whole blocks.
    pub fn touched(&self) -> usize {
        let blocks: u32 = self.sound.iter().map(|word| word.load(Relaxed).count_ones()).sum();
        (blocks as usize + 1) * BLOCK
    }

    /// Bytes of a range of the file, once the checksums of its blocks are found to fit.
    fn bytes(&self, range: Range<usize>) -> Read<&[u8]> {
        let (first, last) = (range.start / BLOCK, range.end.saturating_sub(1) / BLOCK);
        let word = self.sound.get(first / 64).map_or(0, |word| word.load(Relaxed));
        // Most ranges lie in a block that has been seen.
        if first != last || word >> (first % 64) & 1 == 0 {
            self.check(&range)?;
        }
        Ok(&self.all()[range])
    }

    /// Takes the checksums of a range's blocks, as far as they have not been seen.
    fn check(&self, range: &Range<usize>) -> Read<()> {
        let all = self.all();
        if range.end > self.sections[Section::Blocks as usize].start {
            return Err(ArchiveFault::Section(Section::Blocks));
        }
        for block in range.start / BLOCK..range.end.div_ceil(BLOCK) {
            let (word, bit) = (&self.sound[block / 64], 1 << (block % 64));
            if word.load(Relaxed) & bit != 0 {
                continue;
            }
            let at = self.sections[Section::Blocks as usize].start + (block - 1) * 8;
            let sum = xxh3_64(&all[block * BLOCK..(block + 1) * BLOCK]);
            if all[at..at + 8] != sum.to_le_bytes() {
                return Err(ArchiveFault::Block((block * BLOCK) as u64));
            }
            word.fetch_or(bit, Relaxed);
        }
        Ok(())
    }

    /// Bytes of a section, from an offset.
    fn within(&self, section: Section, at: usize, len: usize) -> Option<Range<usize>> {
        let whole = &self.sections[section as usize];
        let start = whole.start.checked_add(at)?;
        let end = start.checked_add(len)?;
        (end <= whole.end).then_some(start..end)
    }

    fn record<const N: usize>(&self, section: Section, number: u32) -> Read<[u32; N]> {
        let range = self
            .within(section, (number as usize).saturating_mul(4 * N), 4 * N)
            .ok_or(ArchiveFault::Record(section, number))?;
        let words: &[u32] = bytemuck::cast_slice(self.bytes(range)?);
        Ok(std::array::from_fn(|n| words[n]))
    }

    fn text(&self, at: u32, len: u32, of: Section, number: u32) -> Read<&str> {
        let range =
            self.within(Section::Text, at as usize, len as usize).ok_or(ArchiveFault::Record(of, number))?;
        std::str::from_utf8(self.bytes(range)?).map_err(|_| ArchiveFault::Text(Section::Text))
    }

    fn count(&self, section: Section, words: usize) -> u32 {
        (self.section_size(section) / (4 * words)) as u32
    }

    /// How many entries there are.
    pub fn entries(&self) -> u32 {
        self.count(Section::Entries, ENTRY_WORDS)
    }

    /// The n-th entry.
    ///
    /// # Errors
    /// When it or its path is damaged.
    pub fn entry(&self, number: u32) -> Read<Entry<'_>> {
        let r = self.record::<ENTRY_WORDS>(Section::Entries, number)?;
        let path = self.text(r[0], r[1], Section::Entries, number)?;
        let mut hash = [0; 32];
        for (bytes, word) in hash.chunks_exact_mut(4).zip(&r[7..15]) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        let module_at = r[15].checked_sub(1).map(|at| at as usize);
        if module_at.is_some_and(|at| !path.is_char_boundary(at)) {
            return Err(ArchiveFault::Record(Section::Entries, number));
        }
        let size = u64::from(r[3]) | u64::from(r[4]) << 32;
        let target = if r[18] == 0 { "" } else { self.text(r[17], r[18], Section::Entries, number)? };
        Ok(Entry {
            number,
            path,
            bits: r[2],
            size,
            hash,
            module_at,
            mode: r[16],
            target,
            parts: (r[5], r[6]),
        })
    }

    /// The path of an entry; a search compares bytes and takes none for text before it has found it.
    fn entry_path(&self, number: u32) -> Read<&[u8]> {
        let fault = || ArchiveFault::Record(Section::Entries, number);
        let range = self.within(Section::Entries, number as usize * 4 * ENTRY_WORDS, 8).ok_or_else(fault)?;
        let words: &[u32] = bytemuck::cast_slice(self.bytes(range)?);
        let range = self.within(Section::Text, words[0] as usize, words[1] as usize).ok_or_else(fault)?;
        self.bytes(range)
    }

    /// The first of `count` records that is not less than what `order` compares with.
    fn lower_bound(&self, count: u32, order: impl Fn(u32) -> Read<Ordering>) -> Read<u32> {
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            if order(middle)? == Ordering::Less { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }

    /// The first entry at or behind `from` whose path is not less than `path`: looked for in steps that double.
    fn entry_from(&self, from: u32, path: &str) -> Read<u32> {
        let order = |n| Ok(self.entry_path(n)?.cmp(path.as_bytes()));
        let (mut low, mut step) = (from, 1);
        while let Some(next) = low.checked_add(step).filter(|next| *next < self.entries())
            && order(next)? == Ordering::Less
        {
            (low, step) = (next, step.saturating_mul(2));
        }
        let high = low.saturating_add(step).saturating_add(1).min(self.entries());
        Ok(low + self.lower_bound(high.saturating_sub(low), |n| order(low + n))?)
    }

    /// The number of a path's entry.
    fn number_of(&self, path: &str) -> Read<Option<u32>> {
        let fault = || ArchiveFault::Section(Section::Places);
        let range = self.sections[Section::Places as usize].clone();
        const SIZE: usize = 4 * places::WORDS;
        let slots = range.len() / SIZE;
        if !slots.is_power_of_two() {
            return Err(fault());
        }
        let (upper, walk) = places::walk(path, slots);
        for slot in walk {
            let at = range.start + SIZE * slot;
            let words: &[u32] = bytemuck::cast_slice(self.bytes(at..at + SIZE)?);
            let Some(number) = words[0].checked_sub(1) else { return Ok(None) };
            if words[1] == upper && self.entry_path(number)? == path.as_bytes() {
                return Ok(Some(number));
            }
        }
        Err(fault())
    }

    /// The entry of a path.
    ///
    /// # Errors
    /// When what the search meets is damaged.
    pub fn find(&self, path: &str) -> Read<Option<Entry<'_>>> {
        self.number_of(path)?.map(|number| self.entry(number)).transpose()
    }

    /// What lies directly in a folder, sorted by path. A search for each, whatever lies below them.
    ///
    /// # Errors
    /// When what the search meets is damaged.
    pub fn list(&self, folder: &str) -> Read<Vec<Entry<'_>>> {
        let prefix = format!("{folder}/");
        let mut found = Vec::new();
        let mut number = self.entry_from(self.number_of(folder)?.unwrap_or_default(), &prefix)?;
        while number < self.entries() {
            let path = std::str::from_utf8(self.entry_path(number)?);
            let path = path.map_err(|_| ArchiveFault::Text(Section::Text))?;
            let Some(rest) = path.strip_prefix(&prefix) else { break };
            let next = match rest.split_once('/') {
                None => {
                    found.push(self.entry(number)?);
                    number + 1
                }
                // `0` comes behind `/`: past all that lies below.
                Some((name, _)) => self.entry_from(number, &format!("{prefix}{name}0"))?,
            };
            // Sorted paths only go on; damaged ones may not turn back.
            number = next.max(number + 1);
        }
        Ok(found)
    }

    /// The parts of an entry.
    ///
    /// # Errors
    /// When a record is damaged.
    pub fn parts(&self, entry: &Entry<'_>) -> Read<Vec<Part>> {
        let (first, count) = entry.parts;
        let fault = ArchiveFault::Record(Section::Entries, entry.number);
        let end = first.checked_add(count).filter(|end| *end <= self.count(Section::Parts, PART_WORDS));
        (first..end.ok_or(fault)?).map(|number| self.part(number)).collect()
    }

    fn part(&self, number: u32) -> Read<Part> {
        let r = self.record::<PART_WORDS>(Section::Parts, number)?;
        let fault = ArchiveFault::Record(Section::Parts, number);
        let section = *Section::ALL.get(r[0] as usize).ok_or(fault.clone())?;
        let range = self.within(section, r[1] as usize * 4, r[2] as usize).ok_or(fault)?;
        Ok(Part { section, variant: r[3], range })
    }

    /// The part of an entry that lies in a section.
    ///
    /// # Errors
    /// When a record is damaged.
    pub fn part_in(&self, entry: &Entry<'_>, section: Section) -> Read<Option<Part>> {
        Ok(self.parts(entry)?.into_iter().find(|part| part.section == section))
    }

    /// The bytes of a part.
    ///
    /// # Errors
    /// When they do not fit their checksums.
    pub fn part_bytes(&self, part: &Part) -> Read<&[u8]> {
        self.bytes(part.range.clone())
    }

    /// The words of a part, where they lie.
    ///
    /// # Errors
    /// When they do not fit their checksums, or it is no whole number of words.
    pub fn part_words(&self, part: &Part) -> Read<&[u32]> {
        let bytes = self.bytes(part.range.clone())?;
        bytemuck::try_cast_slice(bytes).map_err(|_| ArchiveFault::Section(part.section))
    }

    /// A cold part, decoded.
    ///
    /// # Errors
    /// When it does not fit its checksum or can't be decoded.
    pub fn decode<T: DeserializeOwned>(&self, part: &Part) -> Read<T> {
        cold::decode(self.part_bytes(part)?).ok_or(ArchiveFault::Cold(part.section))
    }

    /// The part that is a whole section.
    pub fn whole(&self, section: Section) -> Part {
        Part { section, variant: 0, range: self.sections[section as usize].clone() }
    }

    /// How many definitions there are.
    pub fn definitions(&self) -> u32 {
        self.count(Section::Definitions, DEFINITION_WORDS)
    }

    /// The n-th definition.
    ///
    /// # Errors
    /// When it is damaged.
    pub fn definition(&self, number: u32) -> Read<Definition<'_>> {
        let r = self.record::<DEFINITION_WORDS>(Section::Definitions, number)?;
        let name = self.text(r[0], r[1], Section::Definitions, number)?;
        Ok(Definition { name, kind: r[2], entry: r[3], line: r[4], number: r[5] })
    }

    /// The definitions of a name.
    ///
    /// # Errors
    /// When what the search meets is damaged.
    pub fn defined(&self, name: &str) -> Read<Vec<Definition<'_>>> {
        let count = self.definitions();
        let mut number = self.lower_bound(count, |n| Ok(self.definition(n)?.name.cmp(name)))?;
        let mut found = Vec::new();
        while number < count {
            let definition = self.definition(number)?;
            if definition.name != name {
                break;
            }
            found.push(definition);
            number += 1;
        }
        Ok(found)
    }

    /// The n-th literal: its text, as bytes, and the number of the section that has what was made of it.
    fn literal(&self, number: u32) -> Read<(&[u8], u32)> {
        let fault = || ArchiveFault::Record(Section::Literals, number);
        let [at, len, section, ..] = self.record::<LITERAL_WORDS>(Section::Literals, number)?;
        let range = self.within(Section::Text, at as usize, len as usize).ok_or_else(fault)?;
        Ok((self.bytes(range)?, section))
    }

    /// What was made of a text that stands in code or data, and lies in `section`; none where nothing was.
    ///
    /// # Errors
    /// When what the search meets is damaged.
    pub fn made_of(&self, text: &str, section: Section) -> Read<Option<Part>> {
        let wanted = (text.as_bytes(), section as u32);
        let count = self.count(Section::Literals, LITERAL_WORDS);
        let number = self.lower_bound(count, |n| Ok(self.literal(n)?.cmp(&wanted)))?;
        if number == count || self.literal(number)? != wanted {
            return Ok(None);
        }
        let [.., at, len] = self.record::<LITERAL_WORDS>(Section::Literals, number)?;
        let range = self.within(section, (at as usize).saturating_mul(4), len as usize);
        let range = range.ok_or(ArchiveFault::Record(Section::Literals, number))?;
        Ok(Some(Part { section, variant: 0, range }))
    }

    /// The automaton of a regular expression, as bytes: none at all of one without.
    ///
    /// # Errors
    /// When what the search meets is damaged.
    pub fn automaton(&self, source: &str) -> Read<Option<&[u8]>> {
        let part = self.made_of(source, Section::Automata)?;
        part.map(|part| self.part_bytes(&part)).transpose()
    }

    /// The entries of the files that modules have at a path under their `lib`, that path included
    /// (`lib/puppet/type/x.rb`): those of modules in their order, the environment's own last.
    ///
    /// # Errors
    /// When what the search meets is damaged.
    pub fn provided(&self, path: &str) -> impl Iterator<Item = Read<Entry<'_>>> {
        let name = |number| -> Read<(&str, u32)> {
            let r = self.record::<PROVIDED_WORDS>(Section::Provided, number)?;
            Ok((self.text(r[0], r[1], Section::Provided, number)?, r[2]))
        };
        let count = self.count(Section::Provided, PROVIDED_WORDS);
        let first = self.lower_bound(count, |n| Ok(name(n)?.0.cmp(path)));
        let (numbers, fault) = match first {
            Ok(first) => (first..count, None),
            Err(fault) => (0..0, Some(Err(fault))),
        };
        let found = numbers.map_while(move |number| match name(number) {
            Ok((found, entry)) => (found == path).then(|| self.entry(entry)),
            Err(fault) => Some(Err(fault)),
        });
        fault.into_iter().chain(found)
    }
}
