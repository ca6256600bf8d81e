//! Tags: an insertion-ordered set of lower-case words, qualified ones together with their segments.
//! Source of the rules: the specification's "Tags"; the oracle for what makes a valid tag.

use std::borrow::Cow;
use std::rc::Rc;

/// A set of tags in the order they came. Resources share the words of what contains them.
#[derive(Clone, Debug, Default)]
pub struct Tags(Vec<Rc<str>>);

impl Tags {
    /// The tags in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|tag| &**tag)
    }

    /// Whether `tag` (in lower case) is there.
    pub fn contains(&self, tag: &str) -> bool {
        self.0.iter().any(|t| **t == *tag)
    }

    fn add(&mut self, tag: &str) -> bool {
        if self.contains(tag) {
            return false;
        }
        self.0.push(tag.into());
        true
    }

    fn share(&mut self, tag: &Rc<str>) {
        if !self.contains(tag) {
            self.0.push(Rc::clone(tag));
        }
    }

    /// Adds a tag and the segments of a qualified one.
    ///
    /// # Errors
    /// Gives back the lower-cased tag if it is no valid tag.
    pub fn tag(&mut self, tag: &str) -> Result<(), String> {
        let tag = lower(tag);
        if !is_valid(&tag) {
            return Err(tag.into_owned());
        }
        self.add_with_segments(&tag);
        Ok(())
    }

    /// Adds a tag if it is a valid one.
    pub fn tag_if_valid(&mut self, tag: &str) {
        if is_valid(tag) {
            self.add_with_segments(&lower(tag));
        }
    }

    fn add_with_segments(&mut self, tag: &str) {
        if self.add(tag) && tag.contains("::") {
            // As Ruby splits: no empty segments at the end.
            tag.trim_end_matches("::").split("::").for_each(|segment| {
                self.add(segment);
            });
        }
    }

    /// Adds all tags of another set.
    pub fn merge(&mut self, other: &Tags) {
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
        } else {
            other.0.iter().for_each(|tag| self.share(tag));
        }
    }
}

/// The word in lower case; most are.
fn lower(tag: &str) -> Cow<'_, str> {
    if tag.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        Cow::Borrowed(tag)
    } else {
        Cow::Owned(tag.to_lowercase())
    }
}

/// Whether a word may be a tag: letters, digits and `_` first, then also `:`, `.` and `-`.
pub fn is_valid(tag: &str) -> bool {
    // Ruby's \Z lets one line feed stand at the end.
    let tag = tag.strip_suffix('\n').unwrap_or(tag);
    if tag.is_ascii() {
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let bytes = tag.as_bytes();
        return bytes.first().is_some_and(word)
            && bytes.iter().all(|byte| word(byte) || matches!(byte, b':' | b'.' | b'-'));
    }
    let mut chars = tag.chars();
    let word = |c: char| c.is_alphanumeric() || c == '_';
    chars.next().is_some_and(word) && chars.all(|c| word(c) || matches!(c, ':' | '.' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_qualified_tag_brings_its_segments() {
        let mut tags = Tags::default();
        tags.tag("Apache::Mod::SSL").unwrap();
        tags.tag_if_valid("/tmp/x");
        assert_eq!(tags.iter().collect::<Vec<_>>(), ["apache::mod::ssl", "apache", "mod", "ssl"]);
        assert_eq!(tags.tag("a b"), Err("a b".to_owned()));
    }
}
