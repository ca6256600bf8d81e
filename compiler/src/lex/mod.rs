//! The lexer: source text to tokens.
//!
//! It runs ahead of the parser over the whole file and never fails: an error becomes the last token, so
//! that it is reported if and only if the parser gets there, which is when Puppet would report it. What a
//! token is depends on the tokens before it (a `/`, a `{` after `?`) but never on the parser.
//!
//! A string with interpolation, a heredoc and a step of a template produce several tokens at once; an
//! error in the midst of them takes the place of them all.

mod epp;
mod escape;
mod fault;
mod heredoc;
mod number;
pub(crate) mod regex;
mod scan;
mod string;
mod symbol;
pub(crate) mod token;

use crate::source::SourceKind;
use bumpalo::Bump;
pub(crate) use fault::{LexFault, LexWarning, Where};
use heredoc::SubText;
use token::{Tok, Token};

/// What the lexer made of a file.
pub(crate) struct Lexed<'a> {
    /// All tokens; the last is [`Tok::End`] or [`Tok::Fault`].
    pub tokens: Vec<Token<'a>>,
    /// The error, if the last token is a fault.
    pub fault: Option<LexFault>,
    /// Warnings, each with the number of tokens before it.
    pub warnings: Vec<LexWarning>,
}

/// Lexes a whole file. `depth` bounds how deep strings may nest in the interpolations of strings.
pub(crate) fn lex<'a>(arena: &'a Bump, text: &'a str, kind: SourceKind, depth: u32) -> Lexed<'a> {
    let mut out = Output { tokens: Vec::with_capacity(text.len() / 6 + 8), warnings: Vec::new() };
    let result = match fault::byte_order_mark(text.as_bytes()) {
        Some(fault) => Err(fault),
        None => {
            let mut lexer = Lexer::new(arena, text, &mut out, depth);
            match kind {
                SourceKind::Manifest => lexer.manifest(),
                SourceKind::Epp => lexer.template(),
            }
        }
    };
    let end = text.len() as u32;
    let last = if result.is_ok() { Tok::End } else { Tok::Fault };
    out.tokens.push(Token { kind: last, start: end, end, text: "" });
    Lexed { tokens: out.tokens, fault: result.err().map(|fault| *fault), warnings: out.warnings }
}

type LexResult<T> = Result<T, Box<LexFault>>;

/// Where tokens and warnings go; shared by the lexers of a file and its heredocs.
struct Output<'a> {
    tokens: Vec<Token<'a>>,
    warnings: Vec<LexWarning>,
}

/// What one step of the lexer did.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LexStep {
    /// It passed over white space or a comment.
    Nothing,
    /// It produced one token.
    Token(Tok),
    /// It produced the tokens of an interpolated string.
    Interpolated,
    /// It produced the tokens of a heredoc or of a template's text.
    Queued,
}

/// In which part of a template the lexer is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EppMode {
    /// In no template.
    None,
    /// In text or between `<%` and `%>`.
    Code,
    /// Between `<%=` and `%>`.
    Expression,
}

struct Lexer<'l, 'a> {
    arena: &'a Bump,
    text: &'a str,
    bytes: &'a [u8],
    pos: usize,
    out: &'l mut Output<'a>,
    /// The token before, for what depends on it.
    after: Tok,
    /// Open braces, to find the end of an interpolation.
    braces: i32,
    /// Where the text of the heredocs of this line ends.
    newline_jump: Option<usize>,
    /// Start of the line, as far as the lexer has seen lines end.
    line_start: usize,
    epp: EppMode,
    /// Whether a template's tag is open.
    epp_open: bool,
    /// What was recognised last; an unclosed string's message names it.
    matched: Option<(usize, usize)>,
    /// The heredoc that `text` is taken from.
    sub: Option<&'l SubText<'l>>,
    /// How many strings may still be nested here.
    depth: u32,
    /// Whether no unescaped `/` follows any more, so that looking for one again would be in vain.
    no_regex: bool,
}

impl<'l, 'a> Lexer<'l, 'a> {
    fn new(arena: &'a Bump, text: &'a str, out: &'l mut Output<'a>, depth: u32) -> Self {
        Lexer {
            arena,
            text,
            bytes: text.as_bytes(),
            pos: 0,
            out,
            after: Tok::End,
            braces: 0,
            newline_jump: None,
            line_start: 0,
            epp: EppMode::None,
            epp_open: false,
            matched: None,
            sub: None,
            depth,
            no_regex: false,
        }
    }

    /// Lexes a manifest to its end.
    fn manifest(&mut self) -> LexResult<()> {
        self.skip_white();
        while let Some(byte) = self.byte(0) {
            match byte {
                b' ' | b'\t' | b'\r' => _ = self.skip_white(),
                b'\n' => _ = self.newline(),
                _ => self.top_step()?,
            }
        }
        Ok(())
    }

    /// One step outside of strings. On an error, what the step produced is withdrawn.
    #[inline]
    fn top_step(&mut self) -> LexResult<()> {
        let before = self.out.tokens.len();
        let warnings = self.out.warnings.len();
        let step = self.step();
        for warning in &mut self.out.warnings[warnings..] {
            // All of a string has been lexed when the parser gets its first token.
            warning.token = before;
        }
        match step {
            Ok(LexStep::Nothing) => Ok(()),
            Ok(_) => {
                if let Some(last) = self.out.tokens.last() {
                    self.after = last.kind;
                }
                Ok(())
            }
            Err(fault) => {
                self.out.tokens.truncate(before);
                Err(fault)
            }
        }
    }

    /// Passes over white space, or produces what starts here.
    fn step(&mut self) -> LexResult<LexStep> {
        let Some(byte) = self.byte(0) else { return Ok(LexStep::Nothing) };
        match byte {
            b' ' | b'\t' | b'\r' => Ok(self.skip_white()),
            b'\n' => Ok(self.newline()),
            b'a'..=b'z' | b'_' => self.word(),
            b'A'..=b'Z' => self.class_ref(1),
            b'0'..=b'9' => self.number(),
            b'$' => Ok(self.variable()),
            b'\'' => self.single_quoted(),
            b'"' => self.double_quoted(),
            b'#' => {
                let comment = scan::line_comment(self.rest()).map_or(0, |(_, found)| found.len());
                self.matched = Some((self.pos, self.pos + comment));
                self.pos += comment;
                Ok(LexStep::Nothing)
            }
            b'@' if self.byte(1) == Some(b'(') => self.heredoc(),
            b'%' if self.epp != EppMode::None && self.byte(1) == Some(b'>') => self.end_tag(2),
            b'-' if self.epp != EppMode::None && self.bytes[self.pos + 1..].starts_with(b"%>") => {
                self.end_tag(3)
            }
            b':' if self.byte(1) == Some(b':') => self.absolute_name(),
            b'/' if self.byte(1) == Some(b'*') => {
                let (_, comment) = scan::block_comment(self.rest())
                    .map_err(|_| self.fault("UNCLOSED_MLCOMMENT", "Unclosed multiline comment"))?;
                self.matched = Some((self.pos, self.pos + comment.len()));
                self.pos += comment.len();
                Ok(LexStep::Nothing)
            }
            b'/' => self.regex_or_division(),
            0x80.. => Ok(self.beyond_ascii()),
            _ => Ok(self.symbol(byte)),
        }
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.pos..]
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.pos + ahead).copied()
    }

    fn newline(&mut self) -> LexStep {
        self.pos = self.newline_jump.take().unwrap_or(self.pos + 1);
        self.line_start = self.pos;
        LexStep::Nothing
    }

    fn skip_white(&mut self) -> LexStep {
        let length = scan::white(self.rest()).map_or(0, |(_, found)| found.len());
        // A scan that finds nothing leaves nothing behind.
        self.matched = (length > 0).then_some((self.pos, self.pos + length));
        self.pos += length;
        LexStep::Nothing
    }

    /// Produces a token that ends where the lexer stands.
    fn emit(&mut self, kind: Tok, start: usize, text: &'a str) -> LexStep {
        let (start, end) = match self.sub {
            None => (start as u32, self.pos as u32),
            Some(sub) => (sub.to_file(start as u32), sub.to_file(self.pos as u32)),
        };
        self.out.tokens.push(Token { kind, start, end, text });
        LexStep::Token(kind)
    }

    /// Produces the token of the next `length` bytes.
    fn take(&mut self, kind: Tok, length: usize) -> LexStep {
        let start = self.pos;
        self.pos += length;
        self.emit(kind, start, &self.text[start..start + length])
    }

    /// The same for what a scanner recognised.
    fn take_scanned(&mut self, kind: Tok, length: usize) -> LexStep {
        self.matched = Some((self.pos, self.pos + length));
        self.take(kind, length)
    }

    fn word(&mut self) -> LexResult<LexStep> {
        let Ok((_, (found, kind))) = scan::bare_word(self.rest()) else {
            return Ok(self.take(Tok::Other, 1));
        };
        let text = &self.text[self.pos..self.pos + found.len()];
        let kind = match kind {
            scan::WordKind::Name => token::keyword(text).unwrap_or(Tok::Name),
            scan::WordKind::Word => Tok::Word,
        };
        Ok(self.take_scanned(kind, found.len()))
    }

    /// A capitalised word; `advance` is how far past the fault its error is placed.
    fn class_ref(&mut self, advance: usize) -> LexResult<LexStep> {
        if let Ok((rest, found)) = scan::class_ref(self.rest()) {
            if !rest.starts_with(b"::") {
                return Ok(self.take_scanned(Tok::ClassRef, found.len()));
            }
            self.pos += found.len();
        }
        self.pos += advance;
        Err(match advance {
            1 => self.fault("ILLEGAL_CLASS_REFERENCE", "Illegal class reference"),
            _ => self
                .fault("ILLEGAL_FULLY_QUALIFIED_CLASS_REFERENCE", "Illegal fully qualified class reference"),
        })
    }

    /// A word that starts with `::`.
    fn absolute_name(&mut self) -> LexResult<LexStep> {
        match self.byte(2) {
            Some(b'A'..=b'Z') => self.class_ref(3),
            Some(_) if scan::bare_word(self.rest()).is_ok() => self.word(),
            _ => {
                self.pos += 2;
                Err(self.fault("ILLEGAL_FULLY_QUALIFIED_NAME", "Illegal fully qualified name"))
            }
        }
    }

    fn variable(&mut self) -> LexStep {
        let start = self.pos;
        let length = scan::variable_name(&self.bytes[start + 1..]).map_or(0, |(_, found)| found.len());
        self.matched = (length > 0).then_some((start, start + 1 + length));
        self.pos += 1 + length;
        self.emit(Tok::Variable, start, &self.text[start + 1..start + 1 + length])
    }

    fn regex_or_division(&mut self) -> LexResult<LexStep> {
        if !self.no_regex && self.after.allows_regex() {
            let Ok((_, found)) = scan::regex(self.rest()) else {
                self.no_regex = true;
                return Ok(self.take(Tok::Div, 1));
            };
            let start = self.pos;
            self.pos += found.len();
            self.matched = Some((start, self.pos));
            let mut source = &self.text[start + 1..self.pos - 1];
            if source.contains("\\/") {
                source = self.arena.alloc_str(&source.replace("\\/", "/"));
            }
            if let Some(message) = regex::fault(source) {
                return Err(self.fault_of_ruby(message, "the regular expression", start));
            }
            return Ok(self.emit(Tok::Regex, start, source));
        }
        Ok(self.take(Tok::Div, 1))
    }

    /// White space of another alphabet, or a character that starts no token.
    fn beyond_ascii(&mut self) -> LexStep {
        if scan::white(self.rest()).is_ok_and(|(_, found)| !found.is_empty()) {
            return self.skip_white();
        }
        let start = self.pos;
        let length = self.text[start..].chars().next().map_or(1, char::len_utf8);
        self.matched = None;
        self.pos += length;
        self.emit(Tok::Other, start, "")
    }
}
