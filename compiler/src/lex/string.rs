//! Quoted strings, and interpolation in them and in heredocs.
//!
//! An interpolated string becomes `DqPre`, then the tokens of each expression with a `DqMid` between, then
//! `DqPost`. The first word of an interpolation is a variable if nothing, `.` or `[` follows it.

use super::escape::{self, Escapes};
use super::token::Tok;
use super::{LexFault, LexResult, LexStep, Lexer, scan};
use bumpalo::collections::String as BumpString;
use nom::Parser;
use nom::bytes::complete::take_while;

/// How a text ends and what it knows.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextRules {
    /// Whether `"` ends the text; otherwise it is the whole of a heredoc.
    pub quoted: bool,
    /// Whether `$` interpolates.
    pub interpolates: bool,
    /// The escapes it knows.
    pub escapes: Escapes,
}

impl TextRules {
    const DOUBLE_QUOTED: TextRules =
        TextRules { quoted: true, interpolates: true, escapes: Escapes::DOUBLE_QUOTED };
}

/// What ends a stretch of text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Terminator {
    /// The closing quote, or the end of a heredoc.
    End,
    /// `$`
    Dollar,
    /// `${`
    Brace,
}

impl<'a> Lexer<'_, 'a> {
    /// `'…'`
    pub(super) fn single_quoted(&mut self) -> LexResult<LexStep> {
        let start = self.pos;
        self.pos += 1;
        let Some(end) = quote_end(self.bytes, self.pos, b'\'') else { return Err(self.unclosed("\"'\"")) };
        let raw = &self.text[self.pos..end];
        let value = if raw.contains('\\') { self.arena.alloc_str(&escape::single_quoted(raw)) } else { raw };
        self.matched_text(start + 1, end, 1);
        self.pos = end + 1;
        Ok(self.emit(Tok::String, start, value))
    }

    /// `"…"`
    pub(super) fn double_quoted(&mut self) -> LexResult<LexStep> {
        let start = self.pos;
        self.matched = Some((start, start + 1));
        self.pos += 1;
        self.interpolated(start, TextRules::DOUBLE_QUOTED)
    }

    /// The whole text as a heredoc's.
    pub(super) fn heredoc_text(&mut self, rules: TextRules) -> LexResult<LexStep> {
        self.interpolated(0, rules)
    }

    /// A text with its interpolations; `start` is where its first token starts.
    fn interpolated(&mut self, start: usize, rules: TextRules) -> LexResult<LexStep> {
        if self.depth == 0 {
            return Err(self.fault("NESTING_LIMIT", "Strings are nested too deeply in each other"));
        }
        self.depth -= 1;
        let (mut kind, mut start) = (Tok::DqPre, start);
        loop {
            // A `$` that starts no variable is text.
            let mut value = Joined { slice: "", owned: None };
            let (terminator, variable) = loop {
                let (text, terminator) = self.stretch(rules)?;
                value.push(self, text);
                if terminator != Terminator::Dollar {
                    break (terminator, 0);
                }
                let name = scan::variable_name(self.rest()).map_or(0, |(_, found)| found.len());
                if name > 0 {
                    break (terminator, name);
                }
                self.matched = None;
                value.push(self, &self.text[self.pos - 1..self.pos]);
            };
            let value = value.finish();
            match terminator {
                Terminator::End => {
                    self.depth += 1;
                    let plain = kind == Tok::DqPre;
                    let step = self.emit(if plain { Tok::String } else { Tok::DqPost }, start, value);
                    return Ok(if plain { step } else { LexStep::Interpolated });
                }
                Terminator::Dollar => {
                    // The `$` belongs to the variable.
                    self.pos -= 1;
                    self.emit(kind, start, value);
                    self.matched = Some((self.pos + 1, self.pos + 1 + variable));
                    let dollar = self.pos;
                    self.pos += 1 + variable;
                    self.emit(Tok::Variable, dollar, &self.text[dollar + 1..self.pos]);
                }
                Terminator::Brace => {
                    let open = self.braces;
                    self.braces += 1;
                    self.emit(kind, start, value);
                    self.expression_tokens(open)?;
                }
            }
            kind = Tok::DqMid;
            start = self.pos;
        }
    }

    /// The next stretch of text, escapes resolved, and what ended it. The lexer then stands behind that.
    fn stretch(&mut self, rules: TextRules) -> LexResult<(&'a str, Terminator)> {
        let start = self.pos;
        let end = match text_end(self.bytes, start, rules) {
            Some(end) => end,
            None if rules.quoted => {
                let before = self.matched.map_or("", |(from, to)| &self.text[from..to]);
                return Err(self.unclosed(&escape::quoted(before)));
            }
            // Puppet's lexer fails on this, in Ruby's words.
            None => {
                let message = "undefined method `[]' for nil:NilClass";
                return Err(self.fault_of_ruby(message, "a heredoc that ends in a backslash", start));
            }
        };
        let (terminator, length) = match self.bytes.get(end) {
            Some(b'$') if self.text[end..].starts_with("${") => (Terminator::Brace, 2),
            Some(b'$') if rules.interpolates => (Terminator::Dollar, 1),
            Some(_) => (Terminator::End, 1),
            None => (Terminator::End, 0),
        };
        self.matched_text(start, end, length);
        self.pos = end + length;
        let text = self.unescape(&self.text[start..end], rules.escapes, rules.quoted)?;
        Ok((text, terminator))
    }

    /// The tokens of an interpolation, up to the brace that closes it.
    fn expression_tokens(&mut self, open: i32) -> LexResult<()> {
        self.skip_white();
        let first = self.out.tokens.len();
        while self.pos < self.bytes.len() {
            match self.step()? {
                LexStep::Token(kind) => {
                    self.after = kind;
                    if kind == Tok::RBrace && self.braces == open {
                        self.out.tokens.pop();
                        self.first_word_to_variable(first);
                        return Ok(());
                    }
                }
                LexStep::Interpolated => {}
                LexStep::Nothing | LexStep::Queued => {
                    self.skip_white();
                }
            }
        }
        Ok(())
    }

    fn first_word_to_variable(&mut self, first: usize) {
        let (word, next) = match &mut self.out.tokens[first..] {
            [word] => (word, None),
            [word, next, ..] => (word, Some(next.kind)),
            [] => return,
        };
        let is_word = matches!(word.kind, Tok::Number | Tok::Name | Tok::Word) || word.kind.is_keyword();
        if is_word && matches!(next, None | Some(Tok::Dot | Tok::LBrack)) {
            word.kind = Tok::Variable;
        }
    }

    /// Notes what the pattern for the end of a text would have recognised: the character before, an even
    /// number of backslashes, the end itself.
    fn matched_text(&mut self, start: usize, end: usize, length: usize) {
        let text = &self.text[start..end];
        let before = text.trim_end_matches('\\');
        let first = before.chars().next_back().map_or(0, char::len_utf8);
        self.matched = Some((start + before.len() - first, end + length));
    }

    #[cold]
    fn unclosed(&self, after: &str) -> Box<LexFault> {
        let message = format!("Unclosed quote after {after} followed by '{}'", self.followed_by());
        self.fault("UNCLOSED_QUOTE", message)
    }
}

/// Pieces of text as one; not copied while they lie side by side in the source.
struct Joined<'a> {
    slice: &'a str,
    owned: Option<BumpString<'a>>,
}

impl<'a> Joined<'a> {
    fn push(&mut self, lexer: &Lexer<'_, 'a>, part: &'a str) {
        if part.is_empty() {
            return;
        }
        if let Some(owned) = &mut self.owned {
            owned.push_str(part);
            return;
        }
        if self.slice.is_empty() {
            self.slice = part;
            return;
        }
        let range = self.slice.as_bytes().as_ptr_range();
        if range.end == part.as_ptr() {
            let start = (range.start as usize).checked_sub(lexer.text.as_ptr() as usize);
            let both = start.and_then(|start| lexer.text.get(start..start + self.slice.len() + part.len()));
            if let Some(both) = both {
                self.slice = both;
                return;
            }
        }
        let mut owned = BumpString::with_capacity_in(self.slice.len() + part.len(), lexer.arena);
        owned.push_str(self.slice);
        owned.push_str(part);
        self.owned = Some(owned);
    }

    fn finish(self) -> &'a str {
        self.owned.map_or(self.slice, BumpString::into_bump_str)
    }
}

/// Where the quote is that ends the text from `start`.
fn quote_end(bytes: &[u8], start: usize, quote: u8) -> Option<usize> {
    if bytes.get(start) == Some(&quote) {
        let next = after_backslashes(bytes, start + 1);
        if next.is_some_and(|next| bytes.get(next) == Some(&quote)) {
            return next;
        }
    }
    let mut at = start;
    loop {
        at += plain(&bytes[at..], |byte| byte != quote && byte != b'\\');
        match bytes.get(at)? {
            b'\\' => at += 2,
            _ => return Some(at),
        }
        if at > bytes.len() {
            return None;
        }
    }
}

/// Where the text from `start` is interrupted or ends.
fn text_end(bytes: &[u8], start: usize, rules: TextRules) -> Option<usize> {
    if !rules.interpolates {
        return Some(bytes.len());
    }
    // A heredoc without the escape `\$` interpolates after a backslash, too.
    let escaped = rules.quoted || rules.escapes.has('$');
    let ends = |byte: u8| byte == b'$' || rules.quoted && byte == b'"';
    if escaped && bytes.get(start).is_some_and(|first| ends(*first)) {
        let next = after_backslashes(bytes, start + 1);
        if next.is_some_and(|next| bytes.get(next).map_or(!rules.quoted, |byte| ends(*byte))) {
            return next;
        }
    }
    let mut at = start;
    loop {
        at += plain(&bytes[at..], |byte| !(ends(byte) || escaped && byte == b'\\'));
        match bytes.get(at) {
            None if rules.quoted => return None,
            Some(b'\\') => at += 2,
            None | Some(_) => return Some(at),
        }
        if at > bytes.len() {
            return None;
        }
    }
}

/// Where an even number of backslashes ends. Puppet looks for a character, an even number of backslashes and
/// an end; thus the first character of a text is never its end if another end follows it: `"""` is the
/// string `"`.
fn after_backslashes(bytes: &[u8], start: usize) -> Option<usize> {
    let count = bytes.get(start..)?.iter().take_while(|byte| **byte == b'\\').count();
    (count % 2 == 0).then_some(start + count)
}

/// How many bytes at the start satisfy a condition.
fn plain(bytes: &[u8], condition: impl Fn(u8) -> bool) -> usize {
    take_while::<_, &[u8], ()>(condition).parse(bytes).map_or(0, |(_, found)| found.len())
}
