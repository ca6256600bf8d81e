//! Tags: an insertion-ordered set of lower-case words, qualified ones together with their segments.
//! Source of the rules: puppet-specifications, "Tags"; the oracle for what makes a valid tag.

use bumpalo::{Bump, collections::Vec as List};
use bunraku_data::names::lower;
use bunraku_vm::names::split_first;
use bunraku_vm::scope::ResourceId;
use bunraku_vm::symbol::{Interner, Symbol};
use std::borrow::Cow;

/// Which tags a set has, for a moment: what makes merging large sets cheap.
#[derive(Default)]
pub struct Marks {
    /// By number of the tag, the round it was last seen in.
    seen: Vec<u32>,
    round: u32,
    /// Whose tags the round has marked, and how many: what is declared in one container comes in a row.
    container: Option<(ResourceId, usize)>,
}

impl Marks {
    /// Nothing is marked then.
    fn begin(&mut self) {
        self.round += 1;
        self.container = None;
    }

    fn has(&self, tag: Symbol) -> bool {
        self.seen.get(tag.0 as usize) == Some(&self.round)
    }

    /// Marks a tag; whether it had not been.
    fn mark(&mut self, tag: Symbol) -> bool {
        let at = tag.0 as usize;
        if at >= self.seen.len() {
            self.seen.resize(at + 1, 0);
        }
        std::mem::replace(&mut self.seen[at], self.round) != self.round
    }
}

/// How many tags a resource mostly gets besides its type's.
const ROOM: usize = 22;

/// A set of tags in the order they came.
#[derive(Clone, Debug)]
pub struct Tags<'c>(List<'c, Symbol>);

impl<'c> Tags<'c> {
    /// An empty set, whose tags lie in an arena.
    pub fn new(arena: &'c Bump) -> Self {
        Tags(List::new_in(arena))
    }

    /// The tags in order.
    pub fn iter<'t>(&'t self, words: &'t Interner<'c>) -> impl Iterator<Item = &'c str> + 't {
        self.0.iter().map(|tag| words.text(*tag))
    }

    /// The numbers of the tags in order.
    pub fn symbols(&self) -> &[Symbol] {
        &self.0
    }

    /// The same, once no more are added.
    pub fn into_symbols(self) -> &'c [Symbol] {
        self.0.into_bump_slice()
    }

    /// Whether a tag is there.
    pub fn has(&self, tag: Symbol) -> bool {
        // Eight at a time are compared without a branch.
        let (eights, rest) = self.0.as_chunks::<8>();
        eights.iter().any(|eight| eight.iter().fold(false, |found, t| found | (*t == tag)))
            || rest.contains(&tag)
    }

    /// Whether `tag` (in lower case) is there.
    pub fn contains(&self, words: &Interner<'_>, tag: &str) -> bool {
        words.get(tag).is_some_and(|tag| self.has(tag))
    }

    fn add(&mut self, tag: Symbol) -> bool {
        if self.has(tag) {
            return false;
        }
        self.0.push(tag);
        true
    }

    /// Adds a tag and the segments of a qualified one.
    ///
    /// # Errors
    /// Gives back the lower-cased tag if it is no valid tag.
    pub fn tag(&mut self, words: &Interner<'_>, tag: &str) -> Result<(), String> {
        // Beyond ASCII a word may be a tag, and not be one in lower case.
        let tag = if tag.is_ascii() { Cow::Borrowed(tag) } else { lower(tag) };
        match valid(&tag) {
            Some(tag) => {
                self.add_with_segments(words, &tag);
                Ok(())
            }
            None => Err(lower(&tag).into_owned()),
        }
    }

    /// Adds a tag if it is a valid one.
    pub fn tag_if_valid(&mut self, words: &Interner<'_>, tag: &str) {
        if let Some(tag) = valid(tag) {
            self.add_with_segments(words, &tag);
        }
    }

    fn add_with_segments(&mut self, words: &Interner<'_>, tag: &str) {
        with_segments(words, tag, |tag| self.add(tag));
    }

    /// How many there are; no tag is ever taken away.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Adds all tags of another set.
    pub fn merge(&mut self, other: &Tags<'_>, marks: &mut Marks) {
        self.merge_from(other, 0, marks);
    }

    /// Adds all tags of the container that a resource was declared in.
    pub fn inherit(&mut self, other: &Tags<'_>, container: ResourceId, marks: &mut Marks) {
        let whose = Some((container, other.0.len()));
        if marks.container != whose {
            marks.begin();
            other.0.iter().for_each(|tag| _ = marks.mark(*tag));
            marks.container = whose;
        }
        let own = self.0.len();
        self.0.reserve(other.0.len());
        if !self.0.iter().any(|tag| marks.has(*tag)) {
            self.0.extend_from_slice_copy(&other.0);
            return;
        }
        for tag in &other.0 {
            if !self.0[..own].contains(tag) {
                self.0.push(*tag);
            }
        }
    }

    /// Adds the tags of another set of which it has the first `known`.
    pub fn merge_from(&mut self, other: &Tags<'_>, known: usize, marks: &mut Marks) {
        let others = other.0.get(known..).unwrap_or_default();
        if others.is_empty() {
            return;
        }
        if self.0.is_empty() {
            // What is tagged once is tagged again: by itself, by its container.
            self.0.reserve(others.len() + ROOM);
            self.0.extend_from_slice_copy(others);
            return;
        }
        self.0.reserve(others.len());
        marks.begin();
        self.0.iter().for_each(|tag| _ = marks.mark(*tag));
        for tag in others {
            if marks.mark(*tag) {
                self.0.push(*tag);
            }
        }
    }
}

/// Adds a tag in lower case and the segments of a qualified one that was not there.
fn with_segments(words: &Interner<'_>, tag: &str, mut add: impl FnMut(Symbol) -> bool) {
    if add(words.intern(tag)) && split_first(tag).is_some() {
        // As Ruby splits: no empty segments at the end.
        let mut rest = tag.trim_end_matches("::");
        while let Some((segment, after)) = split_first(rest) {
            add(words.intern(segment));
            rest = after;
        }
        add(words.intern(rest));
    }
}

/// A set of tags that grows large: a whole catalog's.
pub struct ManyTags<'c> {
    tags: Tags<'c>,
    /// By number, which are there.
    there: Vec<bool>,
}

impl<'c> ManyTags<'c> {
    /// An empty set, whose tags lie in an arena.
    pub fn new(arena: &'c Bump) -> Self {
        ManyTags { tags: Tags::new(arena), there: Vec::new() }
    }

    /// The tags in order.
    pub fn tags(&self) -> &Tags<'c> {
        &self.tags
    }

    /// Whether a tag is there.
    pub fn has(&self, tag: Symbol) -> bool {
        self.there.get(tag.0 as usize) == Some(&true)
    }

    fn add(&mut self, tag: Symbol) -> bool {
        let at = tag.0 as usize;
        if at >= self.there.len() {
            self.there.resize(at + 1, false);
        }
        let new = !std::mem::replace(&mut self.there[at], true);
        if new {
            self.tags.0.push(tag);
        }
        new
    }

    /// Adds some tags.
    pub fn add_each(&mut self, tags: &[Symbol]) {
        tags.iter().for_each(|tag| _ = self.add(*tag));
    }

    /// Adds a tag if it is a valid one.
    pub fn tag_if_valid(&mut self, words: &Interner<'_>, tag: &str) {
        if let Some(tag) = valid(tag) {
            with_segments(words, &tag, |tag| self.add(tag));
        }
    }
}

/// What a byte means for a word that is to be a tag.
mod of {
    /// It is in no tag.
    pub const NONE: u8 = 1;
    /// It is no tag's first.
    pub const INSIDE: u8 = 2;
    /// It is a part of a character beyond ASCII.
    pub const UNKNOWN: u8 = 4;
    /// It is a capital letter.
    pub const CAPITAL: u8 = 8;
}

const OF_TAGS: [u8; 256] = {
    let mut table = [of::NONE; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' | b'0'..=b'9' | b'_' => 0,
            b'A'..=b'Z' => of::CAPITAL,
            b':' | b'.' | b'-' => of::INSIDE,
            0x80.. => of::UNKNOWN,
            _ => of::NONE,
        };
        byte += 1;
    }
    table
};

/// The tag that a word is, in lower case: letters, digits and `_` first, then also `:`, `.` and `-`.
fn valid(word: &str) -> Option<Cow<'_, str>> {
    let first = OF_TAGS[usize::from(*word.as_bytes().first()?)];
    if first & (of::NONE | of::INSIDE) != 0 {
        return None;
    }
    // Ruby's \Z lets one line feed stand at the end.
    let tag = word.strip_suffix('\n').unwrap_or(word);
    let all = tag.bytes().fold(0, |all, byte| all | OF_TAGS[usize::from(byte)]);
    if all & of::UNKNOWN != 0 {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let fits =
            tag.starts_with(is_word) && tag.chars().all(|c| is_word(c) || matches!(c, ':' | '.' | '-'));
        return fits.then(|| lower(word));
    }
    match all & (of::NONE | of::CAPITAL) {
        0 => Some(Cow::Borrowed(word)),
        of::CAPITAL => Some(Cow::Owned(word.to_ascii_lowercase())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_qualified_tag_brings_its_segments() {
        let arena = bumpalo::Bump::new();
        let (words, mut tags) = (Interner::new(&arena), Tags::new(&arena));
        tags.tag(&words, "Apache::Mod::SSL").unwrap();
        tags.tag_if_valid(&words, "/tmp/x");
        assert_eq!(tags.iter(&words).collect::<Vec<_>>(), ["apache::mod::ssl", "apache", "mod", "ssl"]);
        assert_eq!(tags.tag(&words, "a b"), Err("a b".to_owned()));
        assert!(tags.contains(&words, "mod") && !tags.contains(&words, "mods"));
        // In lower case it has a dot of its own, which is no letter.
        assert!(tags.tag(&words, "İ").is_err());
    }

    #[test]
    fn tags_are_words_in_lower_case() {
        for (word, tag) in [
            ("a.b-c_1", Some("a.b-c_1")),
            ("A::B", Some("a::b")),
            ("1", Some("1")),
            ("_", Some("_")),
            ("a\n", Some("a\n")),
            ("É-ß.Ω", Some("é-ß.ω")),
            ("éA", Some("éa")),
            ("", None),
            ("\n", None),
            ("-a", None),
            (":a", None),
            ("a b", None),
            ("a\n\n", None),
            ("é b", None),
            ("…", None),
        ] {
            assert_eq!(valid(word).as_deref(), tag, "{word:?}");
        }
    }
}
