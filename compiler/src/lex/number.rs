//! Numbers and their errors.

use super::token::Tok;
use super::{LexFault, LexResult, LexStep, Lexer, scan};

impl Lexer<'_, '_> {
    /// The number that starts here.
    pub(super) fn number(&mut self) -> LexResult<LexStep> {
        let start = self.pos;
        if let Ok((_, found)) = scan::number(self.rest()) {
            let text = &self.text[start..start + found.len()];
            self.assert_number(text, start)?;
            return Ok(self.take_scanned(Tok::Number, found.len()));
        }
        let end = start + scan::word_run(self.rest()).map_or(1, |(_, found)| found.len());
        let first = self.fraction_start(start);
        self.assert_number(&self.text[first..end], first)?;
        self.pos = first + 1;
        Err(self.fault("ILLEGAL_NUMBER", format!("Illegal number '{}'", &self.text[first..end])))
    }

    /// Where a faulty number starts: before the dot, if this is the faulty fraction of one.
    fn fraction_start(&self, start: usize) -> usize {
        if start <= 1 || self.bytes[start - 1] != b'.' {
            return start;
        }
        let digits = self.bytes[..start - 1].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 { start } else { start - 1 - digits }
    }

    /// Refuses what looks like a number and is none.
    fn assert_number(&self, text: &str, offset: usize) -> Result<(), Box<LexFault>> {
        let bytes = text.as_bytes();
        let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let refuse = |code, message: String| Err(self.fault_at(offset, code, message));
        match bytes {
            [b'0', b'x' | b'X', hex @ ..] => {
                if hex.is_empty() || !hex.iter().all(u8::is_ascii_hexdigit) {
                    return refuse("INVALID_HEX_NUMBER", format!("Not a valid hex number {text}"));
                }
            }
            [b'0', next, ..] if *next != b'.' => {
                if !bytes.iter().all(|byte| (b'0'..=b'7').contains(byte)) {
                    return refuse("INVALID_OCTAL_NUMBER", format!("Not a valid octal number {text}"));
                }
            }
            _ if matches!(bytes.get(digits), Some(b'e' | b'E' | b'.')) => {
                if !scan::number(bytes).is_ok_and(|(rest, _)| rest.is_empty()) {
                    return refuse("INVALID_DECIMAL_NUMBER", format!("Not a valid decimal number {text}"));
                }
            }
            _ => {
                if digits < bytes.len() {
                    return refuse("ILLEGAL_NUMBER", format!("Illegal number '{text}'"));
                }
            }
        }
        Ok(())
    }
}
