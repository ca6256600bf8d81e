//! Syntax errors, in Puppet's words.

use super::Parser;
use crate::lex::token::{Tok, Token};
use crate::lex::{LexFault, Where};
use crate::source::Places;
use bunraku_vm::diagnostic::{Diagnostic, Place};
use bunraku_vm::regex;
use std::borrow::Cow;

/// The error that ends a parse.
#[derive(Debug)]
pub(super) struct ParseFault {
    message: Cow<'static, str>,
    code: Option<&'static str>,
    place: Where,
    length: u32,
    help: Option<Cow<'static, str>>,
    /// What an error without a place is about, and where that is.
    about: Option<(&'static str, u32)>,
}

impl ParseFault {
    pub(super) fn into_diagnostic(self, places: &mut Places<'_>) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(self.message);
        diagnostic.code = self.code;
        diagnostic.place = place(places, self.place);
        diagnostic.length = self.length;
        diagnostic.help = self.help.map(Cow::into_owned);
        if let Some((what, offset)) = self.about
            && let Place { line: Some(line), column: Some(column), .. } = places.at(offset)
        {
            diagnostic.help = Some(format!("this is about {what} on line {line}, column {column}"));
            diagnostic.unnamed = Some((line, Some(column)));
        } else if diagnostic.place.line.is_none() {
            diagnostic.unnamed =
                Some(if self.place == Where::File { (places.last_line(), None) } else { (1, None) });
        }
        diagnostic
    }
}

/// The place that a fault names.
pub(super) fn place(places: &mut Places<'_>, at: Where) -> Place {
    match at {
        Where::Offset(offset) => places.at(offset),
        Where::File => places.of(None, None),
        Where::Nowhere => Place::default(),
    }
}

impl<'a> Parser<'_, 'a> {
    /// The error that nothing can go on with the current token.
    #[cold]
    pub(super) fn unexpected(&self) -> Box<ParseFault> {
        let token = self.token();
        let code = Some("SYNTAX_ERROR");
        match token.kind {
            Tok::Fault => self.lexer_fault(),
            Tok::End => Box::new(ParseFault {
                message: "Syntax error at end of input".into(),
                code,
                place: Where::File,
                length: 0,
                help: None,
                about: None,
            }),
            _ => Box::new(ParseFault {
                message: format!("Syntax error at '{}'", value(&token)).into(),
                code,
                place: Where::Offset(token.start),
                length: token.end.saturating_sub(token.start),
                help: None,
                about: None,
            }),
        }
    }

    /// An error that is more than a wrong token. It is found when the parser has seen the current token, so
    /// the lexer's error comes first if that is what the token is.
    #[cold]
    pub(super) fn refuse(&self, start: u32, message: impl Into<Cow<'static, str>>) -> Box<ParseFault> {
        if self.kind() == Tok::Fault { self.lexer_fault() } else { self.refuse_now(start, message) }
    }

    /// An error that is found before the parser has seen the current token.
    #[cold]
    pub(super) fn refuse_now(&self, start: u32, message: impl Into<Cow<'static, str>>) -> Box<ParseFault> {
        Box::new(ParseFault {
            message: message.into(),
            code: None,
            place: Where::Offset(start),
            length: 0,
            help: None,
            about: None,
        })
    }

    /// An error of Ruby's making, without a place.
    #[cold]
    pub(super) fn refuse_nowhere(
        &self,
        message: impl Into<Cow<'static, str>>,
        about: &'static str,
        offset: u32,
    ) -> Box<ParseFault> {
        Box::new(ParseFault {
            message: message.into(),
            code: None,
            place: Where::Nowhere,
            length: 0,
            help: None,
            about: Some((about, offset)),
        })
    }

    #[cold]
    pub(super) fn too_deep(&self) -> Box<ParseFault> {
        Box::new(ParseFault {
            message: "Expressions are nested too deeply".into(),
            code: Some("NESTING_LIMIT"),
            place: Where::Offset(self.here()),
            length: 0,
            help: Some("the limit is a setting of the parser".into()),
            about: None,
        })
    }

    fn lexer_fault(&self) -> Box<ParseFault> {
        let unknown =
            LexFault { message: "Unknown error".into(), code: None, place: Where::Nowhere, about: None };
        let LexFault { message, code, place, about } = self.lexed.fault.clone().unwrap_or(unknown);
        Box::new(ParseFault { message, code, place, length: 0, help: None, about })
    }
}

/// A token as syntax errors quote it.
fn value<'a>(token: &Token<'a>) -> Cow<'a, str> {
    match token.kind {
        // What Ruby prints for a regular expression without options.
        Tok::Regex => regex::to_s(token.text).into(),
        _ => token.text.into(),
    }
}
