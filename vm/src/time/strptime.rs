//! Ruby's `DateTime._strptime`, as far as timestamps are read with it.

use super::calendar::{DAYS, MONTHS};

/// What was read.
#[derive(Default, Debug)]
pub struct Parsed {
    /// Year.
    pub year: Option<i64>,
    /// Month from 1.
    pub month: Option<u32>,
    /// Day from 1.
    pub day: Option<u32>,
    /// Hour.
    pub hour: Option<u32>,
    /// Minute.
    pub minute: Option<u32>,
    /// Second.
    pub second: Option<u32>,
    /// Fraction.
    pub nanosecond: u32,
    /// Zone as written.
    pub zone: Option<String>,
    /// `%s`
    pub epoch: Option<i64>,
    afternoon: Option<bool>,
}

/// Reads `text` by `format`; none where it does not fit or something is left over.
pub fn parse(text: &str, format: &str) -> Option<Parsed> {
    let mut parsed = Parsed::default();
    let rest = read(text, format, &mut parsed)?;
    if !rest.is_empty() {
        return None;
    }
    if let (Some(afternoon), Some(hour)) = (parsed.afternoon, parsed.hour) {
        parsed.hour = Some(hour % 12 + if afternoon { 12 } else { 0 });
    }
    Some(parsed)
}

fn read<'t>(mut text: &'t str, format: &str, parsed: &mut Parsed) -> Option<&'t str> {
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            text = text.trim_start();
            continue;
        }
        if c != '%' {
            text = text.strip_prefix(c)?;
            continue;
        }
        let mut letter = chars.next()?;
        while matches!(letter, '-' | '0' | '^' | '#' | '_' | ':' | 'E' | 'O') {
            letter = chars.next()?;
        }
        text = directive(text, letter, parsed)?;
    }
    Some(text)
}

fn directive<'t>(text: &'t str, letter: char, parsed: &mut Parsed) -> Option<&'t str> {
    let small = |most: usize, least: u32, greatest: u32| -> Option<(u32, &'t str)> {
        let (n, rest) = digits(text.trim_start_matches(' '), most)?;
        let n = u32::try_from(n).ok()?;
        (least..=greatest).contains(&n).then_some((n, rest))
    };
    Some(match letter {
        'Y' => {
            let (sign, body) = match text.strip_prefix('-') {
                Some(body) => (-1, body),
                None => (1, text.strip_prefix('+').unwrap_or(text)),
            };
            let (n, rest) = digits(body, 4)?;
            parsed.year = Some(sign * n);
            rest
        }
        'y' => {
            let (n, rest) = small(2, 0, 99)?;
            parsed.year = Some(i64::from(n) + if n < 69 { 2000 } else { 1900 });
            rest
        }
        'm' => {
            let (n, rest) = small(2, 1, 12)?;
            parsed.month = Some(n);
            rest
        }
        'B' | 'b' | 'h' => {
            let (n, rest) = name(text, &MONTHS)?;
            parsed.month = Some(n as u32 + 1);
            rest
        }
        'd' | 'e' => {
            let (n, rest) = small(2, 1, 31)?;
            parsed.day = Some(n);
            rest
        }
        'H' | 'k' => {
            let (n, rest) = small(2, 0, 24)?;
            parsed.hour = Some(n);
            rest
        }
        'I' | 'l' => {
            let (n, rest) = small(2, 1, 12)?;
            parsed.hour = Some(n);
            rest
        }
        'p' | 'P' => {
            let mark = text.get(..2)?.to_ascii_lowercase();
            parsed.afternoon = Some(match mark.as_str() {
                "am" => false,
                "pm" => true,
                _ => return None,
            });
            &text[2..]
        }
        'M' => {
            let (n, rest) = small(2, 0, 59)?;
            parsed.minute = Some(n);
            rest
        }
        'S' => {
            let (n, rest) = small(2, 0, 60)?;
            parsed.second = Some(n);
            rest
        }
        'N' | 'L' => {
            let count = text.bytes().take_while(u8::is_ascii_digit).count();
            if count == 0 {
                return None;
            }
            let mut value: String = text[..count].chars().take(9).collect();
            while value.len() < 9 {
                value.push('0');
            }
            parsed.nanosecond = value.parse().ok()?;
            &text[count..]
        }
        'Z' | 'z' => {
            let rest = skip_zone(text)?;
            parsed.zone = Some(text[..text.len() - rest.len()].to_owned());
            rest
        }
        'A' | 'a' => name(text, &DAYS)?.1,
        'j' => digits(text, 3)?.1,
        'u' | 'w' => digits(text, 1)?.1,
        's' => {
            let (sign, body) = match text.strip_prefix('-') {
                Some(body) => (-1, body),
                None => (1, text),
            };
            let (n, rest) = digits(body, 18)?;
            parsed.epoch = Some(sign * n);
            rest
        }
        'n' | 't' => text.trim_start(),
        '%' => text.strip_prefix('%')?,
        'F' => read(text, "%Y-%m-%d", parsed)?,
        'T' | 'X' => read(text, "%H:%M:%S", parsed)?,
        'R' => read(text, "%H:%M", parsed)?,
        'r' => read(text, "%I:%M:%S %p", parsed)?,
        'D' | 'x' => read(text, "%m/%d/%y", parsed)?,
        'c' => read(text, "%a %b %e %H:%M:%S %Y", parsed)?,
        'v' => read(text, "%e-%b-%Y", parsed)?,
        '+' => read(text, "%a %b %e %H:%M:%S %Z %Y", parsed)?,
        _ => return None,
    })
}

fn digits(text: &str, most: usize) -> Option<(i64, &str)> {
    let count = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    Some((text[..count].parse().ok()?, &text[count..]))
}

/// A name or its first three letters, whatever the case; the number of the name.
fn name<'t>(text: &'t str, names: &[&str]) -> Option<(usize, &'t str)> {
    for (n, name) in names.iter().enumerate() {
        for candidate in [*name, &name[..3]] {
            if text.get(..candidate.len()).is_some_and(|t| t.eq_ignore_ascii_case(candidate)) {
                return Some((n, &text[candidate.len()..]));
            }
        }
    }
    None
}

/// What is left after a zone: a name, or an offset with an optional `GMT` or `UTC` before it.
fn skip_zone(text: &str) -> Option<&str> {
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let mut rest = &text[letters..];
    if let Some(body) = rest.strip_prefix(['+', '-']) {
        let count = body.bytes().take_while(|b| b.is_ascii_digit() || *b == b':').count();
        if count > 0 {
            rest = &body[count..];
        }
    }
    (rest.len() < text.len()).then_some(rest)
}

/// Seconds east of UTC of a zone as Ruby's date library knows it.
pub fn zone_offset(zone: &str) -> Option<i32> {
    let zone = zone.trim();
    let upper = zone.to_ascii_uppercase();
    let body = upper.strip_prefix("GMT").or_else(|| upper.strip_prefix("UTC")).unwrap_or(&upper);
    if body.is_empty() {
        return (!upper.is_empty()).then_some(0);
    }
    if let Some(digits) = body.strip_prefix(['+', '-']) {
        let sign = if body.starts_with('-') { -1 } else { 1 };
        let parts: Vec<&str> = if digits.contains(':') {
            digits.split(':').collect()
        } else {
            match digits.len() {
                1 | 2 => vec![digits],
                3 => vec![&digits[..1], &digits[1..]],
                4 => vec![&digits[..2], &digits[2..]],
                6 => vec![&digits[..2], &digits[2..4], &digits[4..]],
                _ => return None,
            }
        };
        let mut seconds = 0;
        for (part, scale) in parts.iter().zip([3600, 60, 1]) {
            seconds += part.parse::<i32>().ok()? * scale;
        }
        return Some(sign * seconds);
    }
    let hours = match upper.as_str() {
        "Z" | "WET" | "UT" => 0,
        "EST" | "CDT" => -5,
        "EDT" | "AST" => -4,
        "CST" | "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" | "AKDT" => -8,
        "AKST" => -9,
        "HST" => -10,
        "CET" | "BST" | "MET" | "WEST" => 1,
        "CEST" | "EET" | "SAST" | "MEST" => 2,
        "EEST" | "MSK" | "EAT" => 3,
        "JST" | "KST" => 9,
        "AEST" => 10,
        "NZST" => 12,
        military if military.len() == 1 => match military.as_bytes()[0] {
            letter @ b'A'..=b'I' => i32::from(letter - b'A') + 1,
            letter @ b'K'..=b'M' => i32::from(letter - b'K') + 10,
            letter @ b'N'..=b'Y' => -i32::from(letter - b'N') - 1,
            _ => return None,
        },
        "IST" => return Some(19_800),
        "NST" => return Some(-12_600),
        _ => return None,
    };
    Some(hours * 3600)
}
