//! Heredocs: `@(END)`, the lines up to the end tag, and the places of what is inside.
//!
//! A heredoc's text is lexed by a lexer of its own over the text without margin; [`SubText`] leads back from
//! an offset in that text to the file.

use super::escape::Escapes;
use super::string::TextRules;
use super::token::Tok;
use super::{LexResult, LexStep, Lexer, scan};

/// A heredoc's text within the text around it.
pub(super) struct SubText<'p> {
    /// The heredoc that this one lies in.
    parent: Option<&'p SubText<'p>>,
    /// Where the first line starts in the text around.
    offset: u32,
    /// Where each line starts in the text without margins, and the sum of the margins up to that line's;
    /// empty where there is no margin.
    lines: Vec<(u32, u32)>,
}

impl SubText<'_> {
    /// The offset in the file of an offset in the heredoc's text.
    pub(super) fn to_file(&self, offset: u32) -> u32 {
        // The very start stays in the margin.
        let around = match self.lines.partition_point(|(start, _)| *start <= offset) {
            _ if offset == 0 => self.offset,
            0 => self.offset + offset,
            line => self.offset + offset + self.lines[line - 1].1,
        };
        self.parent.map_or(around, |parent| parent.to_file(around))
    }
}

impl<'a> Lexer<'_, 'a> {
    /// The heredoc that starts with the `@(` here.
    pub(super) fn heredoc(&mut self) -> LexResult<LexStep> {
        let start = self.pos;
        let Some(length) = self.rest().iter().position(|byte| *byte == b')') else {
            let message = format!("Unclosed parenthesis after '@(' followed by '{}'", self.followed_by());
            return Err(self.fault("HEREDOC_UNCLOSED_PARENTHESIS", message));
        };
        self.pos += length + 1;
        let after_spec = self.pos;
        let Ok((_, spec)) = scan::heredoc_spec(&self.bytes[start..after_spec]) else {
            return Err(self.fault(
                "HEREDOC_INVALID_SYNTAX",
                "Invalid syntax in heredoc expected @(endtag[:syntax][/escapes])",
            ));
        };
        let (tag, interpolates) = end_tag(self.slice(start, spec.tag));
        let syntax = spec.syntax.map_or("", |found| self.slice(start, found));
        if tag.is_empty() {
            return Err(self.fault("HEREDOC_EMPTY_ENDTAG", "Heredoc with an empty endtag"));
        }
        let escapes = match spec.escapes {
            None => Escapes::default(),
            Some(letters) => self.heredoc_escapes(self.slice(start, letters))?,
        };
        self.emit(Tok::Heredoc, start, syntax);

        match self.newline_jump {
            Some(jump) => self.pos = jump,
            None => match self.rest().iter().position(|byte| *byte == b'\n') {
                Some(line) => self.pos += line + 1,
                None => {
                    return Err(
                        self.fault("HEREDOC_WITHOUT_TEXT", "Heredoc without any following lines of text")
                    );
                }
            },
        }
        let text_start = self.pos;
        let Some((text_end, end)) = self.find_end(tag) else {
            return Err(self.fault_at(
                text_start,
                "HEREDOC_WITHOUT_END_TAGGED_LINE",
                "Heredoc without end-tagged line",
            ));
        };
        self.newline_jump = Some(self.pos);
        let (text, lines) = self.without_margin(text_start, text_end, &end);
        let sub = SubText { parent: self.sub, offset: text_start as u32, lines };
        let mut inner = Lexer::new(self.arena, text, self.out, self.depth);
        inner.sub = Some(&sub);
        inner.heredoc_text(TextRules { quoted: false, interpolates, escapes })?;
        self.pos = after_spec;
        // The end of the specification was the last thing recognised before the text.
        self.matched = Some((after_spec - 1, after_spec));
        Ok(LexStep::Queued)
    }

    /// The text of something recognised from `start` on.
    fn slice(&self, start: usize, found: &[u8]) -> &'a str {
        let offset = found.as_ptr() as usize - self.bytes[start..].as_ptr() as usize;
        &self.text[start + offset..start + offset + found.len()]
    }

    fn heredoc_escapes(&self, letters: &str) -> LexResult<Escapes> {
        let letters = if letters.is_empty() { "trnsuL$" } else { letters };
        let repeated = letters.char_indices().any(|(at, letter)| letters[..at].contains(letter));
        if repeated {
            let all: Vec<String> = letters.chars().map(String::from).collect();
            return Err(self.fault(
                "HEREDOC_MULTIPLE_AT_ESCAPES",
                format!("An escape char for @() may only appear once. Got '{}'", all.join(", ")),
            ));
        }
        letters.bytes().try_fold(Escapes::default().with(b'\\'), |escapes, letter| match letter {
            b't' | b'r' | b'n' | b's' | b'u' | b'$' => Ok(escapes.with(letter)),
            b'L' => Ok(escapes.with(b'\n')),
            _ => Err(self.fault(
                "HEREDOC_INVALID_ESCAPE",
                format!(
                    "Invalid heredoc escape char. Only t, r, n, s,  u, L, $ allowed. Got '{}'",
                    char::from(letter)
                ),
            )),
        })
    }

    /// Finds the line that ends the heredoc: where the text ends, and what the line says. The lexer then
    /// stands behind that line.
    fn find_end(&mut self, tag: &str) -> Option<(usize, EndLine<'a>)> {
        while self.pos < self.bytes.len() {
            let start = self.pos;
            let length = self.rest().iter().position(|byte| *byte == b'\n');
            self.pos = length.map_or(self.bytes.len(), |length| start + length + 1);
            if let Some(end) = end_line(&self.text[start..self.pos], tag) {
                return Some((start, end));
            }
        }
        None
    }

    /// The text of a heredoc with margin and last line break removed as its end line says, and the sums of
    /// the margins.
    fn without_margin(&self, start: usize, end: usize, line: &EndLine<'_>) -> (&'a str, Vec<(u32, u32)>) {
        let source = &self.text[start..end];
        let mut lines = Vec::new();
        let mut text = source;
        if line.margin && !line.leading.is_empty() {
            let mut stripped = bumpalo::collections::String::with_capacity_in(source.len(), self.arena);
            let mut removed = 0;
            for content in source.split_inclusive('\n') {
                let kept = content.strip_prefix(line.leading).unwrap_or(content);
                removed += content.len() - kept.len();
                lines.push((stripped.len() as u32, removed as u32));
                stripped.push_str(kept);
            }
            text = stripped.into_bump_str();
        }
        if line.trim {
            text = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
        }
        (text, lines)
    }
}

/// What an end line says.
struct EndLine<'t> {
    /// The space before the `|`.
    leading: &'t str,
    /// Whether a `|` marks the margin.
    margin: bool,
    /// Whether a `-` removes the last line break.
    trim: bool,
}

/// Whether a line ends with the tag, and with what before it. Text before the tag is no hindrance.
fn end_line<'t>(line: &'t str, tag: &str) -> Option<EndLine<'t>> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    let before = trim_blank(line).strip_suffix(tag)?;
    let mut end = EndLine { leading: "", margin: false, trim: false };
    let mut rest = trim_blank(before);
    if let Some(dashed) = rest.strip_suffix('-') {
        end.trim = true;
        rest = trim_blank(dashed);
    }
    if let Some(piped) = rest.strip_suffix('|') {
        end.margin = true;
        end.leading = &piped[trim_blank(piped).len()..];
    }
    Some(end)
}

fn trim_blank(text: &str) -> &str {
    text.trim_end_matches(|character: char| {
        let mut buffer = [0; 4];
        scan::blanks(character.encode_utf8(&mut buffer).as_bytes()).is_ok_and(|(rest, _)| rest.is_empty())
    })
}

/// The end tag without space and quotes, and whether it was quoted.
fn end_tag(tag: &str) -> (&str, bool) {
    let space = |character: char| matches!(character, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r' | '\0');
    let tag = tag.trim_end_matches(space).trim_start_matches(space);
    match tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')) {
        Some(quoted) => (quoted.trim_matches(space), true),
        None => (tag, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_lines() {
        let read = |line| end_line(line, "END").map(|end| (end.leading, end.margin, end.trim));
        assert_eq!(read("  END\n"), Some(("", false, false)));
        assert_eq!(read("  | END\r\n"), Some(("  ", true, false)));
        assert_eq!(read(" \t|-END  "), Some((" \t", true, true)));
        assert_eq!(read("  - END"), Some(("", false, true)));
        assert_eq!(read("text END\n"), Some(("", false, false)));
        assert_eq!(read("ENDE\n"), None);
    }
}
