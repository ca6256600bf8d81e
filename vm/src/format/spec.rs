//! Numbers and padding of `sprintf` directives.

use crate::budget;

/// What stands between `%` and the letter.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Flags {
    pub space: bool,
    pub alt: bool,
    pub plus: bool,
    pub left: bool,
    pub zero: bool,
    pub width: Option<usize>,
    pub precision: Option<usize>,
}

/// Pads with spaces to the width.
pub(super) fn pad(text: &str, flags: Flags) -> String {
    let width = flags.width.unwrap_or(0);
    if flags.left { padded_behind(text, width) } else { padded_before(text, width) }
}

/// A text with spaces before it, as wide as is asked for. (Rust's own formatting ends at 65535.)
pub(super) fn padded_before(text: &str, width: usize) -> String {
    format!("{}{text}", spaces(text, width))
}

/// A text with spaces behind it, as wide as is asked for.
pub(super) fn padded_behind(text: &str, width: usize) -> String {
    format!("{text}{}", spaces(text, width))
}

/// The spaces that a text lacks to be as wide as is asked for.
fn spaces(text: &str, width: usize) -> String {
    repeated(" ", width.saturating_sub(text.chars().count()))
}

/// A text as often as is asked for, if there is room for it and the copies that are made of it, each of which may take twice its length
/// while it grows.
fn repeated(text: &str, times: usize) -> String {
    budget::room(text.len().saturating_mul(times).saturating_mul(4));
    text.repeat(times)
}

/// What `{value:.precision$}` is, for any precision: a double has no digits beyond the 1074th.
fn digits(precision: usize, write: impl FnOnce(usize) -> String) -> String {
    const MOST: usize = 1100;
    let text = write(precision.min(MOST));
    let missing = repeated("0", precision.saturating_sub(MOST));
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{mantissa}{missing}e{exponent}"),
        None => text + &missing,
    }
}

/// Sign, prefix and digits, padded with zeroes where that is asked for.
fn assemble(sign: &str, prefix: &str, digits: &str, flags: Flags) -> String {
    let length = sign.len() + prefix.len() + digits.len();
    let width = flags.width.unwrap_or(0);
    if flags.zero && !flags.left && length < width {
        return format!("{sign}{prefix}{}{digits}", repeated("0", width - length));
    }
    pad(&format!("{sign}{prefix}{digits}"), flags)
}

/// What stands before a number that is not negative.
fn positive_sign(flags: Flags) -> &'static str {
    match (flags.plus, flags.space) {
        (true, _) => "+",
        (_, true) => " ",
        _ => "",
    }
}

fn in_radix(mut n: u128, radix: u128) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit((n % radix) as u32, radix as u32).unwrap_or('0'));
        n /= radix;
        if n == 0 {
            break;
        }
    }
    digits.iter().rev().collect()
}

/// The base of one of the letters `d i u x X o b B`.
fn radix(letter: char) -> u32 {
    match letter {
        'x' | 'X' => 16,
        'o' => 8,
        'b' | 'B' => 2,
        _ => 10,
    }
}

/// Whether a negative number is written in two's complement (`..f`), as it is unless a sign is asked for.
fn is_complement(radix: u32, flags: Flags) -> bool {
    radix != 10 && !flags.plus && !flags.space
}

/// An integer by one of the letters `d i u x X o b B`.
pub(super) fn integer(n: i128, letter: char, flags: Flags) -> String {
    let radix = radix(letter);
    let digits = match n < 0 && is_complement(radix, flags) {
        true => complement_digits(n, radix),
        false => in_radix(n.unsigned_abs(), radix.into()),
    };
    with_digits(digits, n < 0, letter, flags)
}

/// The same for a number without a fraction that may be beyond all integers of the machine.
pub(super) fn whole_float(value: f64, letter: char, flags: Flags) -> String {
    const LARGEST: f64 = (1_u128 << 126) as f64;
    if value.abs() < LARGEST {
        return integer(value as i128, letter, flags);
    }
    let radix = radix(letter);
    let digits = match radix {
        10 => format!("{:.0}", value.abs()),
        _ => {
            // What is that large is a number of 53 bits, and zeroes behind it.
            let bits = value.to_bits();
            let mantissa = i128::from(bits & ((1 << 52) - 1) | 1 << 52);
            let zeroes = (bits >> 52 & 0x7ff) as u32 - 1075;
            let each = radix.trailing_zeros();
            let first = mantissa << (zeroes % each);
            let digits = match value < 0.0 && is_complement(radix, flags) {
                true => complement_digits(-first, radix),
                false => in_radix(first.unsigned_abs(), radix.into()),
            };
            digits + &"0".repeat((zeroes / each) as usize)
        }
    };
    with_digits(digits, value < 0.0, letter, flags)
}

/// The digits of an integer with all that is asked for besides.
fn with_digits(mut digits: String, is_negative: bool, letter: char, flags: Flags) -> String {
    let radix = radix(letter);
    let upper = letter.is_ascii_uppercase();
    let complement = is_negative && is_complement(radix, flags);
    let is_zero = digits == "0";
    let prefix = match (flags.alt && !is_zero, radix, upper) {
        (true, 16, false) => "0x",
        (true, 16, true) => "0X",
        (true, 2, false) => "0b",
        (true, 2, true) => "0B",
        // A zero that stands there for another reason will do.
        (true, 8, _) if !complement && flags.precision.is_none_or(|precision| precision <= digits.len()) => {
            "0"
        }
        _ => "",
    };
    if upper {
        digits = digits.to_uppercase();
    }
    if complement {
        let fill = digits.chars().next().unwrap_or('f');
        // The dots count among the digits that are asked for.
        let zeroes =
            (flags.zero && !flags.left).then(|| flags.width.unwrap_or(0).saturating_sub(prefix.len()));
        if let Some(wanted) = flags.precision.or(zeroes) {
            let missing = wanted.saturating_sub(digits.len() + 2);
            return pad(
                &format!("{prefix}..{}{digits}", repeated(fill.encode_utf8(&mut [0; 4]), missing)),
                flags,
            );
        }
        return pad(&format!("{prefix}..{digits}"), flags);
    }
    if is_zero && flags.precision == Some(0) && !(flags.alt && radix == 8) {
        digits.clear();
    }
    if let Some(precision) = flags.precision
        && digits.len() < precision
    {
        digits = format!("{}{digits}", repeated("0", precision - digits.len()));
    }
    let sign = if is_negative { "-" } else { positive_sign(flags) };
    let zero = flags.zero && flags.precision.is_none();
    assemble(sign, prefix, &digits, Flags { zero, ..flags })
}

/// The digits of a negative number that differ from the endless ones before them, and one of those.
fn complement_digits(n: i128, radix: u32) -> String {
    let bits = radix.trailing_zeros();
    let top = char::from_digit(radix - 1, radix).unwrap_or('f');
    let mut digits = Vec::new();
    let mut rest = n;
    loop {
        digits.push(char::from_digit((rest & i128::from(radix - 1)) as u32, radix).unwrap_or('0'));
        rest >>= bits;
        if rest == -1 {
            break;
        }
    }
    if digits.last() != Some(&top) {
        digits.push(top);
    }
    while digits.len() > 1 && digits[digits.len() - 2] == top && digits[digits.len() - 1] == top {
        digits.pop();
    }
    digits.iter().rev().collect()
}

/// A float by one of the letters `f e E g G a A`.
pub(super) fn float(letter: char, value: f64, flags: Flags) -> String {
    let magnitude = value.abs();
    let negative = value.is_sign_negative() && !value.is_nan();
    let sign = if negative { "-" } else { positive_sign(flags) };
    if !value.is_finite() {
        let text = if value.is_nan() { "NaN" } else { "Inf" };
        return assemble(sign, "", text, Flags { zero: false, ..flags });
    }
    let precision = flags.precision.unwrap_or(6);
    let digits = match letter {
        'f' => fixed(magnitude, precision, flags),
        'e' | 'E' => exponential(magnitude, precision, flags),
        'g' | 'G' => general(magnitude, precision.max(1), flags),
        _ => {
            return assemble(sign, "0x", &hex(magnitude, flags), flags).cased(letter);
        }
    };
    assemble(sign, "", &digits, flags).cased(letter)
}

/// An integer by the letter `f`: all of its digits, though a float has fewer; Ruby passes `#` over.
pub(super) fn fixed_integer(n: i64, flags: Flags) -> String {
    let precision = flags.precision.unwrap_or(6);
    let mut digits = n.unsigned_abs().to_string();
    if precision > 0 {
        digits.push('.');
    }
    digits += &repeated("0", precision);
    assemble(if n < 0 { "-" } else { positive_sign(flags) }, "", &digits, flags)
}

trait Cased {
    fn cased(self, letter: char) -> String;
}

impl Cased for String {
    fn cased(self, letter: char) -> String {
        if letter.is_ascii_uppercase() { self.to_uppercase() } else { self }
    }
}

fn fixed(value: f64, precision: usize, flags: Flags) -> String {
    let text = digits(precision, |precision| format!("{value:.precision$}"));
    if flags.alt && precision == 0 { format!("{text}.") } else { text }
}

fn exponential(value: f64, precision: usize, flags: Flags) -> String {
    let text = digits(precision, |precision| format!("{value:.precision$e}"));
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = if flags.alt && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{point}e{sign}{:02}", exponent.abs())
}

fn general(value: f64, precision: usize, flags: Flags) -> String {
    let exponent = if value == 0.0 {
        0
    } else {
        let text = format!("{value:.*e}", (precision - 1).min(1100));
        text.split_once('e').and_then(|(_, e)| e.parse::<i32>().ok()).unwrap_or(0)
    };
    let text = if exponent < -4 || exponent >= precision as i32 {
        exponential(value, precision - 1, flags)
    } else {
        fixed(value, (precision as i32 - 1 - exponent).max(0) as usize, flags)
    };
    if flags.alt {
        return text;
    }
    let (mantissa, rest) = match text.split_once('e') {
        Some((mantissa, _)) => (mantissa, &text[mantissa.len()..]),
        None => (&text[..], ""),
    };
    if mantissa.contains('.') {
        let trimmed = mantissa.trim_end_matches('0').trim_end_matches('.');
        return format!("{trimmed}{rest}");
    }
    text
}

fn hex(value: f64, flags: Flags) -> String {
    let bits = value.to_bits();
    let raw = (bits >> 52 & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (mut lead, mut exponent) = match raw {
        0 if fraction == 0 => (0, 0),
        0 => (0, -1022),
        raw => (1, raw - 1023),
    };
    let digits = match flags.precision {
        // Rounded half to even; what is carried over doubles the number.
        Some(n) if n < 13 => {
            let cut = 4 * (13 - n as u32);
            let (kept, dropped, half) =
                ((lead << 52 | fraction) >> cut, fraction & ((1 << cut) - 1), 1u64 << (cut - 1));
            let up = dropped > half || (dropped == half && kept & 1 == 1);
            let mut kept = kept + u64::from(up);
            if kept >> (52 - cut) > 1 {
                kept >>= 1;
                exponent += 1;
            }
            lead = kept >> (52 - cut);
            let rest = kept & ((1 << (52 - cut)) - 1);
            if n == 0 { String::new() } else { format!("{rest:0n$x}") }
        }
        Some(n) => format!("{fraction:013x}{}", repeated("0", n - 13)),
        None => format!("{fraction:013x}").trim_end_matches('0').to_owned(),
    };
    let point = if digits.is_empty() && !flags.alt { "" } else { "." };
    format!("{lead}{point}{digits}p{exponent:+}")
}
