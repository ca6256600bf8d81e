//! Templates: text with tags of Puppet code in it.
//!
//! Text becomes `RenderString` tokens, `<%=` a `RenderExpr`; the code between tags is lexed like a manifest.

use super::token::Tok;
use super::{EppMode, LexResult, LexStep, Lexer};
use bumpalo::collections::String as BumpString;

/// How a stretch of text ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The template ended.
    End,
    /// `<%`
    Code,
    /// `<%=`
    Expression,
}

impl<'a> Lexer<'_, 'a> {
    /// Lexes a template to its end.
    pub(super) fn template(&mut self) -> LexResult<()> {
        self.epp = EppMode::Code;
        self.emit(Tok::EppStart, 0, "");
        if let Err(fault) = self.text_and_tag(false) {
            self.out.tokens.clear();
            return Err(fault);
        }
        self.after = self.out.tokens.last().map_or(Tok::End, |token| token.kind);
        while self.pos < self.bytes.len() {
            self.top_step()?;
        }
        if self.epp_open {
            return Err(
                self.fault("EPP_UNBALANCED_TAG", "Unbalanced epp tag, reached <eof> without closing tag.")
            );
        }
        Ok(())
    }

    /// `%>` or `-%>`, the text behind it and the next tag.
    pub(super) fn end_tag(&mut self, length: usize) -> LexResult<LexStep> {
        let start = self.pos;
        self.pos += length;
        if self.epp == EppMode::Expression {
            let trims = length == 3;
            self.emit(if trims { Tok::EppEndTrim } else { Tok::EppEnd }, start, &self.text[start..self.pos]);
        }
        if length == 2 {
            self.epp = EppMode::Code;
        }
        self.text_and_tag(length == 3)?;
        Ok(LexStep::Queued)
    }

    /// The text from here to the next tag, and that tag. `trim` removes the rest of a blank line first.
    fn text_and_tag(&mut self, trim: bool) -> LexResult<()> {
        let start = self.pos;
        let (text, next) = self.scan_text(trim)?;
        let text = text.filter(|text| next == Next::End || !text.is_empty());
        if let Some(text) = text {
            self.emit(Tok::RenderString, start, text);
        }
        self.epp_open = next != Next::End;
        match next {
            Next::End => {}
            Next::Code => self.epp = EppMode::Code,
            Next::Expression => {
                // The token lies where the text before it starts.
                let end = std::mem::replace(&mut self.pos, start);
                self.emit(Tok::RenderExpr, start, "");
                self.pos = end;
                self.epp = EppMode::Expression;
            }
        }
        Ok(())
    }

    /// Scans text up to the next tag. Text is lost where the template ends in a comment or in `<%%`.
    fn scan_text(&mut self, mut trim: bool) -> LexResult<(Option<&'a str>, Next)> {
        let mut text = Text { value: BumpString::new_in(self.arena), whole: None };
        while self.pos < self.bytes.len() {
            let rest = &self.text[self.pos..];
            let tag = rest.find("<%");
            let mut part = &rest[..tag.unwrap_or(rest.len())];
            self.pos += part.len() + if tag.is_some() { 2 } else { 0 };
            if trim {
                part = without_blank_line(part);
                trim = false;
            }
            text.push(part);
            if tag.is_none() {
                return Ok((Some(text.finish()), Next::End));
            }
            match self.byte(0) {
                None => {
                    return Err(self.fault(
                        "EPP_UNBALANCED_EXPRESSION",
                        "Unbalanced embedded expression - opening <% and reaching end of input",
                    ));
                }
                Some(b'-') => {
                    self.pos += 1;
                    text.trim_blank_end();
                    return Ok((Some(text.finish()), Next::Code));
                }
                Some(b'%') => {
                    self.pos += 1;
                    text.push("<%");
                }
                Some(b'=') => {
                    self.pos += 1;
                    return Ok((Some(text.finish()), Next::Expression));
                }
                Some(b'#') => {
                    let comment = comment_length(self.rest());
                    let Some(length) = comment else {
                        return Err(self.fault(
                            "EPP_UNBALANCED_COMMENT",
                            "Reaching end after opening <%# without seeing %>",
                        ));
                    };
                    if self.byte(1) == Some(b'-') {
                        text.trim_blank_end();
                    }
                    self.pos += length;
                    trim = self.bytes[..self.pos].ends_with(b"-%>");
                }
                Some(_) => return Ok((Some(text.finish()), Next::Code)),
            }
        }
        Ok((None, Next::End))
    }
}

/// Text being put together; one piece alone is not copied.
struct Text<'a> {
    value: BumpString<'a>,
    whole: Option<&'a str>,
}

impl<'a> Text<'a> {
    /// Adds text, in which `%%>` stands for `%>`.
    fn push(&mut self, part: &'a str) {
        if part.is_empty() {
            return;
        }
        if self.whole.is_none() && self.value.is_empty() && !part.contains("%%>") {
            self.whole = Some(part);
            return;
        }
        self.value.push_str(self.whole.take().unwrap_or(""));
        for (at, piece) in part.split("%%>").enumerate() {
            self.value.push_str(if at > 0 { "%>" } else { "" });
            self.value.push_str(piece);
        }
    }

    /// Removes the blanks at the end.
    fn trim_blank_end(&mut self) {
        let blank = |character: char| matches!(character, ' ' | '\t');
        if let Some(whole) = &mut self.whole {
            *whole = whole.trim_end_matches(blank);
        }
        let kept = self.value.trim_end_matches(blank).len();
        self.value.truncate(kept);
    }

    fn finish(self) -> &'a str {
        self.whole.unwrap_or_else(|| self.value.into_bump_str())
    }
}

/// Text without the blanks at its start and the line break behind them.
fn without_blank_line(text: &str) -> &str {
    let text = text.trim_start_matches([' ', '\t']);
    let text = text.strip_prefix('\r').unwrap_or(text);
    text.strip_prefix('\n').unwrap_or(text)
}

/// How long a comment is, from its `#` to its `%>`, which no `%` precedes.
fn comment_length(bytes: &[u8]) -> Option<usize> {
    bytes.windows(3).position(|window| window[0] != b'%' && window[1..] == *b"%>").map(|at| at + 3)
}
