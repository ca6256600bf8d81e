//! Numbers that stand in strings: `to_i`, `to_f`, `hex`, `oct`, and what `Integer()` and `Float()` take.

use super::errors;
use super::string_patterns::{UNKNOWN, is_space};
use crate::eval::{Done, Unwind};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::value::V;
use crate::value::large::{self, TOO_LARGE};
use bunraku_vm::arith;

/// Texts of more digits are left to Ruby.
const LONGEST: usize = 60;

/// Digits at the start, as `to_i` reads them: underscores may stand between them.
pub(crate) fn to_i<'c>(text: &str, base: u32) -> OrRuby<V<'c>> {
    let text = text.trim_start_matches(is_space);
    let (negative, digits) = signed(text);
    let mut digits = without_prefix(digits, base);
    let mut number = Some(0i64);
    let mut before = '_';
    for (at, c) in digits.char_indices() {
        match c.to_digit(base) {
            Some(digit) => {
                let more = number.and_then(|number| number.checked_mul(base.into()));
                number = more.and_then(|number| number.checked_add(digit.into()));
            }
            None if c == '_' && before != '_' => {}
            None => {
                digits = &digits[..at];
                break;
            }
        }
        before = c;
    }
    match number {
        Some(number) => Ok(V::Int(if negative { -number } else { number })),
        None => large::of_digits(digits, base, negative),
    }
}

fn signed(text: &str) -> (bool, &str) {
    match text.strip_prefix(['-', '+']) {
        Some(digits) => (text.starts_with('-'), digits),
        None => (false, text),
    }
}

/// The digits behind `0x` and the like, where that is the prefix of the base.
fn without_prefix(digits: &str, base: u32) -> &str {
    let letter = match base {
        2 => 'b',
        8 => 'o',
        10 => 'd',
        16 => 'x',
        _ => return digits,
    };
    let rest =
        digits.strip_prefix('0').and_then(|rest| rest.strip_prefix([letter, letter.to_ascii_uppercase()]));
    rest.filter(|rest| rest.chars().next().is_some_and(|c| c.is_digit(base))).unwrap_or(digits)
}

/// `oct`: digits of base 8, or of the base that a prefix says.
pub(crate) fn oct<'c>(text: &str) -> OrRuby<V<'c>> {
    let text = text.trim_start_matches(is_space);
    let (_, digits) = signed(text);
    let base = match digits.strip_prefix('0').and_then(|rest| rest.chars().next()) {
        Some('x' | 'X') => 16,
        Some('b' | 'B') => 2,
        Some('d' | 'D') => 10,
        _ => 8,
    };
    to_i(text, base)
}

/// The number at the start, as `to_f` reads it.
pub(crate) fn to_f(text: &str) -> OrRuby<f64> {
    let text = text.trim_start_matches(is_space);
    let (_, digits) = signed(text);
    let count = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = count(digits);
    if whole == 0 {
        return if digits.starts_with(['.', '_']) { Err(UNKNOWN) } else { Ok(0.0) };
    }
    let mut end = whole;
    if digits[end..].starts_with('.') {
        let fraction = count(&digits[end + 1..]);
        if fraction > 0 {
            end += 1 + fraction;
        }
    }
    if let Some(exponent) = digits[end..].strip_prefix(['e', 'E']) {
        let sign = usize::from(exponent.starts_with(['-', '+']));
        let length = count(&exponent[sign..]);
        if length > 0 {
            end += 1 + sign + length;
        }
    }
    let odd = digits[end..].starts_with(['_', 'x', 'X', '.']) || end > LONGEST;
    if odd && !(digits[end..].starts_with('.') && end == whole) {
        return Err(ForRuby("a number of another form"));
    }
    let number = &text[..text.len() - digits.len() + end];
    number.parse().map_err(|_| UNKNOWN).and_then(finite)
}

fn finite(number: f64) -> OrRuby<f64> {
    if number.is_finite() { Ok(number) } else { Err(ForRuby("a large number")) }
}

/// What `Integer()` makes of a text.
pub(crate) fn strict_integer<'c>(text: &str, base: Option<u32>) -> Done<'c, i64> {
    if text.len() > LONGEST || !text.is_ascii() || text.contains('\0') {
        return Err(no_number_or("Integer", text, ForRuby("Integer() of a text of another form")));
    }
    match arith::strict_integer(text, base) {
        Ok(number) => Ok(i64::try_from(number).map_err(|_| TOO_LARGE)?),
        Err(_) if text.bytes().filter(u8::is_ascii_digit).count() > 18 => Err(TOO_LARGE.into()),
        Err(_) => Err(errors::no_number("Integer", text)),
    }
}

/// The error of what begins with no digit, however it goes on; else what Ruby is asked for.
fn no_number_or<'c>(function: &str, text: &str, other: ForRuby) -> Unwind<'c> {
    let begin = signed(text.trim_start_matches(is_space)).1.chars().next();
    match begin {
        Some('0'..='9' | '.' | '_' | '+' | '-') | None => other.into(),
        Some(_) if text.contains('\0') => other.into(),
        Some(_) => errors::no_number(function, text),
    }
}

/// How many digits of base 16 a float holds exactly.
const LONGEST_EXACT: usize = 13;

/// What `Float()` makes of a text.
pub(crate) fn strict_float<'c>(text: &str) -> Done<'c, f64> {
    let other = ForRuby("Float() of a text of another form");
    if text.len() > LONGEST {
        return Err(no_number_or("Float", text, other));
    }
    let body = text.trim_matches(is_space);
    let (_, digits) = signed(body);
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let all = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if all(whole) && all(fraction) && all(signed(exponent).1) {
        return Ok(finite(body.parse().map_err(|_| UNKNOWN)?)?);
    }
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let exact = hexadecimal.filter(|digits| digits.len() <= LONGEST_EXACT && !digits.starts_with('+'));
    if let Some(number) = exact.and_then(|digits| u64::from_str_radix(digits, 16).ok()) {
        return Ok(if body.starts_with('-') { -(number as f64) } else { number as f64 });
    }
    // A letter that is no digit stands in no number.
    let is_of_none =
        |c: char| c.is_ascii_alphabetic() && !c.is_ascii_hexdigit() && !matches!(c, 'x' | 'X' | 'p' | 'P');
    match hexadecimal {
        Some(_) if body.chars().any(is_of_none) => Err(errors::no_number("Float", text)),
        Some(_) => Err(other.into()),
        None if text.contains('\0') || ends_in_point(mantissa) => Err(other.into()),
        None if is_decimal(digits) => {
            let number = body.replace('_', "");
            Ok(finite(number.parse().map_err(|_| UNKNOWN)?)?)
        }
        None => Err(errors::no_number("Float", text)),
    }
}

/// Whether nothing follows the point of a number: newer versions of Ruby take it for one.
fn ends_in_point(mantissa: &str) -> bool {
    mantissa.strip_suffix('.').is_some_and(|whole| after_digits(whole) == Some(""))
}

/// Whether `Float()` takes a text for a number: digits, between which one `_` may stand, with a point and an exponent.
fn is_decimal(text: &str) -> bool {
    let text = match text.starts_with('.') {
        true => Some(text),
        false => after_digits(text),
    };
    let text = text.and_then(|text| match text.strip_prefix('.') {
        Some(fraction) => after_digits(fraction),
        None => Some(text),
    });
    let text = text.and_then(|text| match text.strip_prefix(['e', 'E']) {
        Some(exponent) => after_digits(signed(exponent).1),
        None => Some(text),
    });
    text == Some("")
}

/// What follows the digits that a text begins with, between which one `_` may stand; none where it begins with no digit.
fn after_digits(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut end = 0;
    while is_digit(end) || bytes.get(end) == Some(&b'_') && end > 0 && is_digit(end - 1) && is_digit(end + 1)
    {
        end += 1;
    }
    (end > 0).then(|| &text[end..])
}
