//! The values of numbers.

use super::{ParseResult, Parser};
use crate::ast::{Expr, ExprKind, Radix, Span};
use crate::lex::token::Token;

impl<'a> Parser<'_, 'a> {
    /// The number that a token is. The lexer has seen to its form.
    pub(super) fn number(&self, token: Token<'a>) -> ParseResult<Expr<'a>> {
        let kind = value(token.text).ok_or_else(|| {
            self.refuse_nowhere(
                format!("Internal Error, NUMBER token does not contain a valid number, {}", token.text),
                "a number that is infinite, or zero with an exponent,",
                token.start,
            )
        })?;
        Ok(Expr { span: Span { start: token.start, end: token.end }, kind })
    }
}

/// The value of a number; none for an infinite one, and for a zero with an exponent.
fn value(text: &str) -> Option<ExprKind<'_>> {
    let integer = |digits: &str, base, radix| match i64::from_str_radix(digits, base) {
        Ok(value) => ExprKind::Int { value, radix },
        Err(_) => ExprKind::IntOverflow(text),
    };
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return Some(integer(digits, 16, Radix::Hex));
    }
    let whole = text.bytes().take_while(u8::is_ascii_digit).count();
    if whole == text.len() {
        return Some(match text.as_bytes() {
            [b'0', _, ..] => integer(text, 8, Radix::Octal),
            _ => integer(text, 10, Radix::Decimal),
        });
    }
    let zero_whole = text[..whole].bytes().all(|digit| digit == b'0');
    let fraction = text[whole..].trim_start_matches('.').trim_start_matches('0');
    if zero_whole && fraction.starts_with(['e', 'E']) {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite()).map(ExprKind::Float)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let shown = |text| format!("{:?}", value(text));
        assert_eq!(shown("0x1F"), "Some(Int { value: 31, radix: Hex })");
        assert_eq!(shown("017"), "Some(Int { value: 15, radix: Octal })");
        assert_eq!(shown("0"), "Some(Int { value: 0, radix: Decimal })");
        assert_eq!(shown("1.5e-3"), "Some(Float(0.0015))");
        assert_eq!(shown("0.0e1"), "None");
        assert_eq!(shown("0.0"), "Some(Float(0.0))");
        assert_eq!(shown("1e999"), "None");
        assert_eq!(shown("9223372036854775808"), "Some(IntOverflow(\"9223372036854775808\"))");
    }
}
