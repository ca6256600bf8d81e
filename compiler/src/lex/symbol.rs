//! Operators and punctuation.

use super::token::Tok;
use super::{LexStep, Lexer, scan};

impl Lexer<'_, '_> {
    /// The operator or punctuation that starts with this byte.
    pub(super) fn symbol(&mut self, byte: u8) -> LexStep {
        let (kind, length) = match (byte, self.byte(1), self.byte(2)) {
            (b'.', ..) => (Tok::Dot, 1),
            (b',', ..) => (Tok::Comma, 1),
            (b'[', ..) => (self.bracket(), 1),
            (b']', ..) => (Tok::RBrack, 1),
            (b'(', ..) => (self.parenthesis(), 1),
            (b')', ..) => (Tok::RParen, 1),
            (b';', ..) => (Tok::Semicolon, 1),
            (b'?', ..) => (Tok::QMark, 1),
            (b'*', ..) => (Tok::Times, 1),
            (b'%', ..) => (Tok::Modulo, 1),
            (b'{', ..) => {
                self.braces += 1;
                (if self.after == Tok::QMark { Tok::SelBrace } else { Tok::LBrace }, 1)
            }
            (b'}', ..) => {
                self.braces -= 1;
                (Tok::RBrace, 1)
            }
            (b'@', Some(b'@'), _) => (Tok::AtAt, 2),
            (b'@', ..) => (Tok::At, 1),
            (b'|', Some(b'>'), Some(b'>')) => (Tok::RRCollect, 3),
            (b'|', Some(b'>'), _) => (Tok::RCollect, 2),
            (b'|', ..) => (Tok::Pipe, 1),
            (b'=', Some(b'='), _) => (Tok::IsEqual, 2),
            (b'=', Some(b'>'), _) => (Tok::FArrow, 2),
            (b'=', Some(b'~'), _) => (Tok::Match, 2),
            (b'=', ..) => (Tok::Equals, 1),
            (b'+', Some(b'='), _) => (Tok::Appends, 2),
            (b'+', Some(b'>'), _) => (Tok::PArrow, 2),
            (b'+', ..) => (Tok::Plus, 1),
            (b'-', Some(b'>'), _) => (Tok::InEdge, 2),
            (b'-', Some(b'='), _) => (Tok::Deletes, 2),
            (b'-', ..) => (Tok::Minus, 1),
            (b'!', Some(b'='), _) => (Tok::NotEqual, 2),
            (b'!', Some(b'~'), _) => (Tok::NoMatch, 2),
            (b'!', ..) => (Tok::Not, 1),
            (b'~', Some(b'>'), _) => (Tok::InEdgeSub, 2),
            (b'~', ..) => (Tok::Other, 1),
            (b'<', Some(b'<'), Some(b'|')) => (Tok::LLCollect, 3),
            (b'<', Some(b'<'), _) => (Tok::LShift, 2),
            (b'<', Some(b'='), _) => (Tok::LessEqual, 2),
            (b'<', Some(b'|'), _) => (Tok::LCollect, 2),
            (b'<', Some(b'-'), _) => (Tok::OutEdge, 2),
            (b'<', Some(b'~'), _) => (Tok::OutEdgeSub, 2),
            (b'<', ..) => (Tok::LessThan, 1),
            (b'>', Some(b'>'), _) => (Tok::RShift, 2),
            (b'>', Some(b'='), _) => (Tok::GreaterEqual, 2),
            (b'>', ..) => (Tok::GreaterThan, 1),
            (b':', ..) => (Tok::Colon, 1),
            _ => {
                let start = self.pos;
                self.matched = None;
                self.pos += 1;
                return self.emit(Tok::Other, start, "");
            }
        };
        self.take(kind, length)
    }

    /// `[` directly after something is an access, otherwise it starts a list.
    fn bracket(&self) -> Tok {
        let before = &self.text[..self.pos];
        match before.as_bytes().last() {
            None | Some(b' ' | b'\t' | b'\r' | b'\n') => Tok::ListStart,
            Some(0x80..) if before.chars().next_back().is_some_and(is_wide_blank) => Tok::ListStart,
            _ => Tok::LBrack,
        }
    }

    /// `(` that is the first on its line does not continue the line before.
    fn parenthesis(&self) -> Tok {
        match scan::white(&self.bytes[self.line_start..self.pos]) {
            Ok(([], _)) => Tok::WsLParen,
            _ => Tok::LParen,
        }
    }
}

fn is_wide_blank(character: char) -> bool {
    scan::blanks(character.encode_utf8(&mut [0; 4]).as_bytes()).is_ok_and(|(rest, _)| rest.is_empty())
}
