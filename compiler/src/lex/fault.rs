//! The lexer's errors and warnings.

use super::Lexer;
use crate::source::{ILLEGAL_BOM, illegal_mark};
use std::borrow::Cow;

/// Where a fault lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// At a byte offset of the file.
    Offset(u32),
    /// Nowhere in particular; the file is known.
    File,
    /// Nowhere, not even a file.
    Nowhere,
}

/// The lexer's error.
#[derive(Clone, Debug)]
pub(crate) struct LexFault {
    pub message: Cow<'static, str>,
    pub code: Option<&'static str>,
    pub place: Where,
    /// What a fault without a place is about, and where that is.
    pub about: Option<(&'static str, u32)>,
}

/// A warning, which counts only if the parser gets past the token it was made for.
#[derive(Clone, Debug)]
pub(crate) struct LexWarning {
    pub message: String,
    pub code: &'static str,
    pub place: Where,
    /// Number of tokens before it.
    pub token: usize,
}

impl Lexer<'_, '_> {
    /// An error where the lexer stands.
    #[cold]
    pub(super) fn fault(&self, code: &'static str, message: impl Into<Cow<'static, str>>) -> Box<LexFault> {
        self.fault_at(self.pos, code, message)
    }

    /// An error at an offset of the text.
    #[cold]
    pub(super) fn fault_at(
        &self,
        offset: usize,
        code: &'static str,
        message: impl Into<Cow<'static, str>>,
    ) -> Box<LexFault> {
        Box::new(LexFault {
            message: message.into(),
            code: Some(code),
            place: self.place(offset),
            about: None,
        })
    }

    /// An error of Ruby's making: Puppet knows no place of it, only we do.
    #[cold]
    pub(super) fn fault_of_ruby(
        &self,
        message: impl Into<Cow<'static, str>>,
        about: &'static str,
        offset: usize,
    ) -> Box<LexFault> {
        let place = match self.place(offset) {
            Where::Offset(offset) => offset,
            _ => 0,
        };
        Box::new(LexFault {
            message: message.into(),
            code: None,
            place: Where::Nowhere,
            about: Some((about, place)),
        })
    }

    /// A warning where the lexer stands.
    #[cold]
    pub(super) fn warn(&mut self, code: &'static str, message: String) {
        let place = self.place(self.pos);
        let token = self.out.tokens.len();
        self.out.warnings.push(LexWarning { message, code, place, token });
    }

    fn place(&self, offset: usize) -> Where {
        let offset = offset as u32;
        Where::Offset(self.sub.map_or(offset, |sub| sub.to_file(offset)))
    }

    /// The next five characters, as messages quote them.
    pub(super) fn followed_by(&self) -> String {
        if self.pos >= self.bytes.len() {
            return "<eof>".to_owned();
        }
        let mut next: String = self.text[self.pos..].chars().take(5).collect();
        next.push_str("...");
        next.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
    }
}

/// The error for a text that starts with a byte order mark. Only UTF-8's own can start valid text.
pub(super) fn byte_order_mark(bytes: &[u8]) -> Option<Box<LexFault>> {
    let message = illegal_mark(bytes)?;
    Some(Box::new(LexFault {
        message: message.into(),
        code: Some(ILLEGAL_BOM),
        place: Where::Nowhere,
        about: None,
    }))
}
