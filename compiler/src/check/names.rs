//! Names of variables, parameters, classes and types; reserved words; numbers out of range.

use super::Checker;
use crate::ast::{Expr, Param};
use crate::label::a_an_uc;
use bunraku_vm::cause::Cause;
use bunraku_vm::names::{is_qualified, split_last};
use num_bigint::BigUint;

impl<'a> Checker<'_, '_> {
    pub(super) fn variable_name(&mut self, expr: &Expr<'a>, name: &'a str) {
        if name.starts_with(|first: char| first.is_ascii_digit()) {
            if !is_numeric_variable(name) {
                self.report.error(
                    "ILLEGAL_NUMERIC_VAR_NAME",
                    expr.span,
                    format!(
                        "Illegal numeric variable name, The given name '{name}' must be a decimal value if it \
                         starts with a digit 0-9"
                    ),
                );
            }
        } else if matches!(name, "true" | "false") && !self.source_at(expr).starts_with('$') {
            self.report.crash(
                Cause::UndefinedMethod,
                &format!(
                    "undefined method `[]' for {name}:{}",
                    if name == "true" { "TrueClass" } else { "FalseClass" }
                ),
                "a boolean is interpolated as if it were the name of a variable",
            );
        } else if !is_variable(name) {
            self.report.error(
                "ILLEGAL_VAR_NAME",
                expr.span,
                format!(
                    "Illegal variable name, The given name '{name}' does not conform to the naming rule \
                     /^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/"
                ),
            );
        }
    }

    /// The source from a node on.
    fn source_at(&self, expr: &Expr<'a>) -> &str {
        self.source.text.get(expr.span.start as usize..).unwrap_or("")
    }

    pub(super) fn param(&mut self, param: &Param<'a>) {
        let name = param.name;
        let digits = name.strip_prefix("0x").unwrap_or(name);
        if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            self.report.error(
                "ILLEGAL_NUMERIC_PARAMETER",
                param.span,
                format!(
                    "The numeric parameter name '${name}' cannot be used (clashes with numeric match result \
                     variables)"
                ),
            );
        }
        if !is_param(name) {
            self.report.error(
                "ILLEGAL_PARAM_NAME",
                param.span,
                format!(
                    "Illegal parameter name. The given name '{name}' does not conform to the naming rule \
                     /^[a-z_]\\w*$/"
                ),
            );
        }
        if let Some(default) = param.default {
            self.no_assignment(default);
        }
    }

    pub(super) fn reserved_word(&mut self, expr: &Expr<'a>, word: &str) {
        self.report.error(
            "RESERVED_WORD",
            expr.span,
            format!("Use of reserved word: {word}, must be quoted if intended to be a String value"),
        );
    }

    pub(super) fn int_overflow(&mut self, expr: &Expr<'a>, text: &str) {
        self.report.error(
            "NUMERIC_OVERFLOW",
            expr.span,
            format!(
                "{} resulted in a value outside of Puppet Integer max range, got '+0x{}'",
                a_an_uc(expr),
                hexadecimal(text)
            ),
        );
    }
}

/// `0` or a decimal number that does not start with 0
pub(super) fn is_numeric_variable(name: &str) -> bool {
    let digits = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    digits && (name == "0" || !name.starts_with('0'))
}

/// Parts of word characters that start with a small letter; only the last may start with `_`.
fn is_variable(name: &str) -> bool {
    // Most have one part.
    if is_param(name) {
        return true;
    }
    let name = name.strip_prefix("::").unwrap_or(name);
    match split_last(name) {
        Some((outer, last)) => is_param(last) && is_definition(outer),
        None => is_param(name),
    }
}

/// Word characters, the first a small letter or `_`.
fn is_param(name: &str) -> bool {
    name.as_bytes().first().is_some_and(|first| first.is_ascii_lowercase() || *first == b'_') && is_word(name)
}

/// Parts of word characters that start with a small letter.
pub(super) fn is_definition(name: &str) -> bool {
    is_qualified(name, u8::is_ascii_lowercase)
}

/// Parts of word characters that start with a capital letter.
pub(super) fn is_type(name: &str) -> bool {
    is_qualified(name, u8::is_ascii_uppercase)
}

fn is_word(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The digits of a number of any size, decimal, octal or hexadecimal, in base 16.
fn hexadecimal(text: &str) -> String {
    let (digits, base) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None if text.starts_with('0') => (text, 8),
        None => (text, 10),
    };
    let digits: String = digits.chars().filter(|digit| digit.is_digit(base)).collect();
    number(digits.as_bytes(), base).to_str_radix(16)
}

/// The number that digits stand for. Half by half: digit by digit would take the square of their number.
fn number(digits: &[u8], base: u32) -> BigUint {
    const AT_ONCE: usize = 256;
    if digits.len() <= AT_ONCE {
        return BigUint::parse_bytes(digits, base).unwrap_or_default();
    }
    let (high, low) = digits.split_at(digits.len() / 2);
    number(high, base) * BigUint::from(base).pow(low.len() as u32) + number(low, base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert!(is_variable("a::b::_c") && is_variable("::a") && is_variable("_x"));
        assert!(!is_variable("_a::b") && !is_variable("A") && !is_variable("") && !is_variable("a::B"));
        assert!(
            is_definition("a::b") && !is_definition("::a") && !is_definition("a-b") && !is_definition("a::")
        );
        assert!(is_type("A::B") && !is_type("::A") && !is_type("a"));
    }

    #[test]
    fn large_numbers() {
        assert_eq!(hexadecimal("9223372036854775808"), "8000000000000000");
        assert_eq!(hexadecimal("0xFfffffffffffffff1"), "ffffffffffffffff1");
        assert_eq!(hexadecimal("01000000000000000000000"), "8000000000000000");
        // 10 to the 1000th is 5 to the 1000th, with 1000 zeros in base 2.
        let long = hexadecimal(&format!("1{}", "0".repeat(1000)));
        assert!(long.len() == 831 && long.ends_with(&"0".repeat(250)) && !long.ends_with(&"0".repeat(251)));
        assert_eq!(hexadecimal(&format!("0x1{}", "0".repeat(1000))), format!("1{}", "0".repeat(1000)));
    }
}
