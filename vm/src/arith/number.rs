//! Numbers from text: Puppet's lenient reading, and Ruby's strict one.

use crate::format::inspect::inspect_str;
use crate::value::Value;

fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t'
}

/// The number a string stands for where one is wanted (`'5' + 1`); none where it is no number.
pub fn to_number<'c>(text: &str) -> Option<Value<'c>> {
    let text = text.strip_prefix("::").unwrap_or(text).trim_matches(is_blank);
    let (negative, body) = match text.strip_prefix(['-', '+']) {
        Some(body) => (text.starts_with('-'), body.trim_start_matches(is_blank)),
        None => (false, text),
    };
    let sign = if negative { -1 } else { 1 };
    if let Some(digits) = body.strip_prefix("0x").or_else(|| body.strip_prefix("0X")) {
        let digits = Some(digits).filter(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_hexdigit()))?;
        return i128::from_str_radix(digits, 16)
            .ok()
            .and_then(|n| i64::try_from(sign * n).ok())
            .map(Value::Int);
    }
    let whole = body.bytes().take_while(u8::is_ascii_digit).count();
    if whole == 0 {
        return None;
    }
    let (digits, rest) = body.split_at(whole);
    if rest.is_empty() {
        let n = if digits.len() > 1 && digits.starts_with('0') {
            i128::from_str_radix(digits, 8).ok()?
        } else {
            digits.parse::<i128>().ok()?
        };
        return i64::try_from(sign * n).ok().map(Value::Int);
    }
    let mut tail = rest;
    if let Some(fraction) = tail.strip_prefix('.') {
        let count = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if count == 0 {
            return None;
        }
        tail = &fraction[count..];
    }
    if !tail.is_empty() {
        let exponent = tail.strip_prefix(['e', 'E'])?;
        let exponent = exponent.strip_prefix('-').unwrap_or(exponent);
        if exponent.is_empty() || !exponent.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
    }
    let f: f64 = body.parse().ok().filter(|f: &f64| f.is_finite())?;
    Some(Value::Float(if negative { -f } else { f }))
}

/// Ruby's `Integer(text)` or `Integer(text, radix)`.
///
/// # Errors
/// `invalid value for Integer(): "x"`
pub fn strict_integer(text: &str, radix: Option<u32>) -> Result<i128, String> {
    let fail = || format!("invalid value for Integer(): {}", inspect_str(text));
    let body = text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b');
    let (negative, body) = match body.strip_prefix(['-', '+']) {
        Some(rest) => (body.starts_with('-'), rest),
        None => (false, body),
    };
    let lower = body.to_ascii_lowercase();
    let prefixed = |prefix: &str, of: u32| {
        lower.strip_prefix(prefix).filter(|_| radix.is_none_or(|radix| radix == of)).map(|rest| (rest, of))
    };
    let (digits, radix) = prefixed("0x", 16)
        .or_else(|| prefixed("0b", 2))
        .or_else(|| prefixed("0o", 8))
        .or_else(|| prefixed("0d", 10))
        .or_else(|| {
            let octal = lower.len() > 1 && lower.starts_with('0') && radix.is_none();
            octal.then(|| (lower[1..].strip_prefix('_').unwrap_or(&lower[1..]), 8))
        })
        .unwrap_or((&lower, radix.unwrap_or(10)));
    // An underscore may stand between two digits.
    if digits.is_empty() || digits.starts_with('_') || digits.ends_with('_') || digits.contains("__") {
        return Err(fail());
    }
    let digits: String = digits.chars().filter(|c| *c != '_').collect();
    if !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(fail());
    }
    let n = i128::from_str_radix(&digits, radix).map_err(|_| fail())?;
    Ok(if negative { -n } else { n })
}

/// Ruby's `Float(text)`.
///
/// # Errors
/// `invalid value for Float(): "x"`
pub fn strict_float(text: &str) -> Result<f64, String> {
    let fail = || format!("invalid value for Float(): {}", inspect_str(text));
    let body = text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b');
    let unsigned = body.strip_prefix(['-', '+']).unwrap_or(body);
    if unsigned.starts_with("0x") || unsigned.starts_with("0X") {
        return strict_integer(text, None).map(|n| n as f64).map_err(|_| fail());
    }
    let shaped = {
        let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
            Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
            None => (unsigned, None),
        };
        let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit() || b == b'_');
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        digits(whole)
            && fraction.is_none_or(digits)
            && exponent.is_none_or(|e| digits(e.strip_prefix(['-', '+']).unwrap_or(e)))
            && !unsigned.starts_with('_')
            && !unsigned.ends_with('_')
    };
    if !shaped {
        return Err(fail());
    }
    body.replace('_', "").parse().map_err(|_| fail())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_become_numbers_as_in_puppet() {
        let text = |t: &str| to_number(t).map(crate::format::interpolate::to_interpolated);
        for (given, expected) in [
            ("5", Some("5")),
            (" 12 ", Some("12")),
            ("- 3", Some("-3")),
            ("0x1F", Some("31")),
            ("010", Some("8")),
            ("08", None),
            ("1.5", Some("1.5")),
            ("1e2", Some("100.0")),
            ("1.e2", None),
            ("a", None),
            ("", None),
            ("1 2", None),
        ] {
            assert_eq!(text(given).as_deref(), expected, "{given}");
        }
    }

    #[test]
    fn strict_reading_is_rubys() {
        assert_eq!(strict_integer("0b11", None), Ok(3));
        assert_eq!(strict_integer("-0x_1", None), Err("invalid value for Integer(): \"-0x_1\"".into()));
        assert_eq!(strict_integer("1_000", None), Ok(1000));
        assert_eq!(strict_integer("ff", Some(16)), Ok(255));
        assert_eq!(strict_integer("0xff", Some(16)), Ok(255));
        assert_eq!(strict_integer("017", Some(10)), Ok(17));
        assert_eq!(strict_float("1e3"), Ok(1000.0));
        assert_eq!(strict_float("1."), Err("invalid value for Float(): \"1.\"".into()));
    }
}
