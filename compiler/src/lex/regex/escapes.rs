//! Escapes that Ruby reads before its engine does, and whose errors come first.

use super::{Check, RegexReader, wrong};

impl RegexReader<'_> {
    /// Escapes that Ruby reads before its engine does.
    pub(super) fn escapes(&mut self) -> Check {
        while let Some(character) = self.next() {
            if character != '\\' {
                continue;
            }
            match self.next() {
                None => return wrong("too short escape sequence"),
                Some('x') if !self.peek().is_some_and(|next| next.is_ascii_hexdigit()) => {
                    return wrong("invalid hex escape");
                }
                Some('u') => self.unicode_escape()?,
                Some('c') if self.peek().is_none() => return wrong("too short control escape"),
                Some('C') if self.rest().len() < 2 => return wrong("too short control escape"),
                Some('M') if self.rest().len() < 2 => return wrong("too short meta escape"),
                Some(first @ '4'..='7') => {
                    let octal = self.rest().bytes().take_while(|byte| (b'0'..=b'7').contains(byte)).count();
                    if octal >= 2 && first >= '4' {
                        return wrong("invalid escape code");
                    }
                }
                Some(_) => {}
            }
        }
        self.at = 0;
        Ok(())
    }

    pub(super) fn unicode_escape(&mut self) -> Check {
        let in_range = |digits: &str| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32).is_some();
        if !self.eat("{") {
            let digits =
                self.rest().get(..4).filter(|four| four.bytes().all(|byte| byte.is_ascii_hexdigit()));
            let Some(digits) = digits else { return wrong("invalid Unicode escape") };
            self.at += 4;
            return if in_range(digits) { Ok(()) } else { wrong("invalid Unicode range") };
        }
        let Some(end) = self.rest().find('}') else { return wrong("invalid Unicode list") };
        let codes = &self.rest()[..end];
        self.at += end + 1;
        let mut codes = codes.split_ascii_whitespace().peekable();
        if codes.peek().is_none() {
            return wrong("invalid Unicode list");
        }
        for code in codes {
            if !code.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return wrong("invalid Unicode list");
            }
            if !in_range(code) {
                return wrong("invalid Unicode range");
            }
        }
        Ok(())
    }
}
