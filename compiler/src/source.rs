//! Source text and places in it: what a file is, and how a byte offset becomes a line and a column.
//!
//! Nothing here reads a file; text comes from the caller, who also decides how bytes become text
//! ([`decode`] does it as Puppet does).

use bunraku_vm::diagnostic::{Diagnostic, Place};
use std::sync::Arc;

/// What a source file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceKind {
    /// Puppet code, as in a `.pp` file.
    #[default]
    Manifest,
    /// Text with embedded Puppet code, as in an `.epp` file.
    Epp,
}

/// A file to parse. The tree borrows from `text`.
#[derive(Clone, Copy, Debug)]
pub struct SourceFile<'s> {
    /// The path, as diagnostics shall print it; none for code given as text.
    pub path: Option<&'s str>,
    /// The text.
    pub text: &'s str,
    /// How to read it.
    pub kind: SourceKind,
}

impl<'s> SourceFile<'s> {
    /// A manifest without a path.
    pub fn manifest(text: &'s str) -> Self {
        SourceFile { path: None, text, kind: SourceKind::Manifest }
    }

    /// A template without a path.
    pub fn epp(text: &'s str) -> Self {
        SourceFile { path: None, text, kind: SourceKind::Epp }
    }

    /// The same under a path.
    pub fn at(self, path: &'s str) -> Self {
        SourceFile { path: Some(path), ..self }
    }
}

/// Where the lines of a text start.
///
/// Lines end at `\n` only. Columns count characters from 1, as Puppet counts them.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
    /// Characters in front of every [`STEP`]th byte; nothing where no line is long.
    marks: Vec<u32>,
}

/// Bytes between two marks, and the length from which on a line is long: to count its characters anew for each place
/// would take a time that grows with the square of its length.
const STEP: usize = 1024;

impl LineIndex {
    /// Indexes a text.
    pub fn new(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(text.bytes().zip(1u32..).filter(|(byte, _)| *byte == b'\n').map(|(_, next)| next));
        let ends = starts[1..].iter().copied().chain([text.len() as u32]);
        let is_long = starts.iter().zip(ends).any(|(start, end)| (end - start) as usize > 2 * STEP);
        let mut count = 0;
        let marks = text.as_bytes().chunks(STEP).filter(|_| is_long).map(|bytes| {
            let before = count;
            count += characters(bytes);
            before
        });
        let marks = marks.collect();
        LineIndex { starts, marks }
    }

    /// Line and column, both from 1, of a byte offset into the text that was indexed.
    pub fn line_column(&self, text: &str, offset: u32) -> (u32, u32) {
        let line = self.line(offset);
        let start = self.starts[line as usize - 1] as usize;
        let end = (offset as usize).clamp(start, text.len());
        // An offset inside a character counts that character, as slicing by bytes does in Ruby.
        let column = match end - start > 2 * STEP {
            true => self.before(text, end) - self.before(text, start),
            false => characters(&text.as_bytes()[start..end]),
        };
        (line, column + 1)
    }

    /// Characters that begin in front of an offset into a text with a long line.
    fn before(&self, text: &str, offset: usize) -> u32 {
        let mark = offset / STEP;
        match self.marks.get(mark) {
            Some(count) => count + characters(&text.as_bytes()[mark * STEP..offset]),
            // The text ends at a mark.
            None => characters(text.as_bytes()),
        }
    }

    /// The line, from 1, of a byte offset.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|start| *start <= offset).max(1) as u32
    }
}

/// Characters that begin in some bytes.
fn characters(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|byte| !is_continuation(**byte)).count() as u32
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Makes places from offsets, one index for all of them.
pub(crate) struct Places<'s> {
    file: Option<Arc<str>>,
    text: &'s str,
    index: Option<LineIndex>,
    /// The place given last, with its offset: places come in order, mostly, and lines may be long.
    last: (u32, u32, u32),
}

impl<'s> Places<'s> {
    pub(crate) fn new(source: &SourceFile<'s>) -> Self {
        let file = source.path.filter(|path| !path.is_empty()).map(Arc::from);
        Places { file, text: source.text, index: None, last: (0, 1, 1) }
    }

    /// The place of a byte offset.
    pub(crate) fn at(&mut self, offset: u32) -> Place {
        let text = self.text;
        let index = self.index.get_or_insert_with(|| LineIndex::new(text));
        let (from, last_line, last_column) = self.last;
        let line = index.line(offset);
        let (line, column) = match text.get(from as usize..offset as usize) {
            Some(between) if line == last_line => (line, last_column + between.chars().count() as u32),
            _ => index.line_column(text, offset),
        };
        self.last = (offset, line, column);
        self.of(Some(line), Some(column))
    }

    /// The last line of the text.
    pub(crate) fn last_line(&self) -> u32 {
        self.text.lines().count().max(1) as u32
    }

    /// A place whose line and column are known, or not.
    pub(crate) fn of(&self, line: Option<u32>, column: Option<u32>) -> Place {
        Place { file: self.file.clone(), line, column }
    }
}

/// The code of the error for a text that begins with a byte order mark.
pub const ILLEGAL_BOM: &str = "ILLEGAL_BOM";

/// Byte order marks that Puppet's lexer knows, the longer before what they begin with.
const MARKS: &[(&str, &[u8])] = &[
    ("UTF-8", &[0xef, 0xbb, 0xbf]),
    ("UTF-32", &[0, 0, 0xfe, 0xff]),
    ("UTF-32", &[0xff, 0xfe, 0, 0]),
    ("UTF-16", &[0xfe, 0xff]),
    ("UTF-16", &[0xff, 0xfe]),
    ("UTF-1", &[0xf7, 0x64, 0x4c]),
    ("UTF-EBCDIC", &[0xdd, 0x73, 0x66, 0x73]),
    ("SCSU", &[0x0e, 0xfe, 0xff]),
    ("BOCU", &[0xfb, 0xee, 0x28]),
    ("GB-18030", &[0x84, 0x31, 0x95, 0x33]),
];

/// What is said of a source that begins with a byte order mark; none of one that does not.
pub(crate) fn illegal_mark(bytes: &[u8]) -> Option<String> {
    let (name, mark) = MARKS.iter().find(|(_, mark)| bytes.starts_with(mark))?;
    let mark: Vec<String> = mark.iter().map(|byte| format!("{byte:X}")).collect();
    Some(format!(
        "Illegal {name} Byte Order mark at beginning of input: [{}] - remove these from the puppet source",
        mark.join(" ")
    ))
}

/// Source bytes as text.
///
/// # Errors
/// Puppet reads sources as UTF-8 and dies of anything else with Ruby's words, which name no place; the
/// same words are given here, with the place of the first faulty byte as help. What begins with the byte order mark of another encoding is
/// told so, as by Puppet's lexer.
pub fn decode<'s>(path: Option<&str>, bytes: &'s [u8]) -> Result<&'s str, Box<Diagnostic>> {
    std::str::from_utf8(bytes).map_err(|error| {
        if let Some(message) = illegal_mark(bytes) {
            let mut diagnostic = Diagnostic::error(message).with_code(ILLEGAL_BOM);
            diagnostic.unnamed = Some((1, None));
            return Box::new(diagnostic);
        }
        let valid = &bytes[..error.valid_up_to()];
        let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
        let mut diagnostic = Diagnostic::error("invalid byte sequence in UTF-8");
        diagnostic.place.file = path.map(Arc::from);
        diagnostic.unnamed = Some((line as u32, None));
        diagnostic.help =
            Some(format!("byte {} of the file, on line {line}, is not UTF-8", error.valid_up_to() + 1));
        Box::new(diagnostic)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let text = "$å = 'ö'\n$x";
        let index = LineIndex::new(text);
        assert_eq!(index.line_column(text, 0), (1, 1));
        assert_eq!(index.line_column(text, 4), (1, 4));
        assert_eq!(index.line_column(text, text.find("$x").unwrap() as u32), (2, 1));
        assert_eq!(index.line_column(text, text.len() as u32), (2, 3));
    }

    #[test]
    fn columns_of_a_long_line_are_counted_from_marks() {
        for end in ["", "\nlast", &"å".repeat(STEP / 2)] {
            let text = format!("first å\n{}{end}", "aåö ".repeat(STEP));
            let index = LineIndex::new(&text);
            for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let before = &text[..offset];
                let line = before.matches('\n').count() as u32 + 1;
                let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u32 + 1;
                assert_eq!(index.line_column(&text, offset as u32), (line, column), "{offset}");
            }
        }
    }

    #[test]
    fn bytes_that_are_no_text() {
        let error = decode(Some("a.pp"), b"notice(1)\n\xff").unwrap_err();
        assert_eq!(error.to_string(), "invalid byte sequence in UTF-8 (file: a.pp)");
        for (bytes, name) in [
            (&b"\xff\xfe$\0x\0"[..], "UTF-16 Byte Order mark at beginning of input: [FF FE]"),
            (b"\0\0\xfe\xff", "UTF-32 Byte Order mark at beginning of input: [0 0 FE FF]"),
            (b"\xff\xfe\0\0", "UTF-32 Byte Order mark at beginning of input: [FF FE 0 0]"),
        ] {
            let error = decode(Some("a.pp"), bytes).unwrap_err();
            assert_eq!(error.to_string(), format!("Illegal {name} - remove these from the puppet source"));
        }
        assert_eq!(error.help.as_deref(), Some("byte 11 of the file, on line 2, is not UTF-8"));
    }
}
