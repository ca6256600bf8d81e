//! Spans of time: Puppet's own format language for them.

use crate::time::TimeFormats;

/// A piece of a format.
#[derive(Clone, Debug)]
enum Segment {
    Literal(String),
    Value { unit: Unit, pad: Pad, width: Option<usize>, total: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Nanosecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pad {
    None,
    Zero,
    Space,
}

impl Unit {
    fn nanoseconds(self) -> i128 {
        match self {
            Unit::Nanosecond => 1,
            Unit::Millisecond => 1_000_000,
            Unit::Second => super::SECOND,
            Unit::Minute => 60 * super::SECOND,
            Unit::Hour => 3600 * super::SECOND,
            Unit::Day => 86_400 * super::SECOND,
        }
    }

    fn default_width(self) -> usize {
        match self {
            Unit::Nanosecond => 9,
            Unit::Millisecond => 3,
            Unit::Day => 1,
            _ => 2,
        }
    }

    fn is_fraction(self) -> bool {
        matches!(self, Unit::Nanosecond | Unit::Millisecond)
    }
}

/// The formats that a span is read with when none is given.
pub const DEFAULTS: [&str; 8] =
    ["%D-%H:%M:%S.%-N", "%H:%M:%S.%-N", "%M:%S.%-N", "%S.%-N", "%D-%H:%M:%S", "%H:%M:%S", "%D-%H:%M", "%S"];

/// As Puppet prints a span: `0-01:00:00.0`.
pub fn to_s(nanoseconds: i128) -> String {
    format(nanoseconds, DEFAULTS[0]).unwrap_or_default()
}

/// Writes a span.
///
/// # Errors
/// Puppet's message for a bad format.
pub fn format(nanoseconds: i128, format: &str) -> Result<String, String> {
    let mut out = String::from(if nanoseconds < 0 { "-" } else { "" });
    let span = nanoseconds.abs();
    for segment in parse_format(format)? {
        match segment {
            Segment::Literal(text) => out.push_str(&text),
            Segment::Value { unit, pad, width, total } => write(&mut out, span, unit, pad, width, total),
        }
    }
    Ok(out)
}

fn write(out: &mut String, span: i128, unit: Unit, pad: Pad, width: Option<usize>, total: bool) {
    let size = width.unwrap_or(unit.default_width());
    let whole = |modulus: i128| {
        let n = span / unit.nanoseconds();
        if total { n } else { n % modulus }
    };
    let mut n = match unit {
        Unit::Day => span / unit.nanoseconds(),
        Unit::Hour => whole(24),
        Unit::Minute | Unit::Second => whole(60),
        Unit::Millisecond => whole(1000),
        Unit::Nanosecond => {
            let scale = 10i128.pow(9usize.saturating_sub(size) as u32);
            let n = span / scale;
            if total { n } else { n % (super::SECOND / scale) }
        }
    };
    if !unit.is_fraction() {
        match pad {
            Pad::None => out.push_str(&n.to_string()),
            Pad::Space => out.push_str(&format!("{n:>size$}")),
            Pad::Zero => out.push_str(&format!("{n:0>size$}")),
        }
        return;
    }
    if !total && pad != Pad::Zero {
        while n != 0 && n % 10 == 0 {
            n /= 10;
        }
    }
    match pad {
        Pad::None => out.push_str(&n.to_string()),
        // Ruby's `%-3d`: fractions are padded on the right.
        _ => out.push_str(&format!("{n:<size$}")),
    }
}

/// Reads a span.
///
/// # Errors
/// Puppet's message where no format fits.
pub fn parse(text: &str, formats: TimeFormats<'_>) -> Result<i128, String> {
    let formats = match formats {
        TimeFormats::One(format) => return parse_one(text, format),
        TimeFormats::Default => &DEFAULTS[..],
        TimeFormats::AnyOf(formats) => formats,
    };
    formats
        .iter()
        .find_map(|format| parse_one(text, format).ok())
        .ok_or_else(|| format!("Unable to parse '{text}' using any of the formats {}", formats.join(", ")))
}

fn parse_one(text: &str, format: &str) -> Result<i128, String> {
    let segments = parse_format(format)?;
    let fail = || format!("Unable to parse '{text}' using format '{format}'");
    let mut source = String::from("\\A-?");
    for segment in &segments {
        match segment {
            Segment::Literal(literal) => source.push_str(&format!("({})", crate::regex::escape(literal))),
            Segment::Value { unit, pad, width, total } => {
                let size = width.unwrap_or(unit.default_width());
                source.push_str(&match (width, pad) {
                    (None, Pad::None | Pad::Zero) if *total => "([0-9]+)".to_owned(),
                    (None, Pad::Space) if *total => "\\s*([0-9]+)".to_owned(),
                    (None, Pad::Space) => format!("([0-9\\s]{{1,{size}}})"),
                    (None, _) | (Some(_), Pad::None) => format!("([0-9]{{1,{size}}})"),
                    (Some(_), Pad::Zero) => format!("([0-9]{{{size}}})"),
                    (Some(_), Pad::Space) => format!("([0-9\\s]{{{size}}})"),
                });
            }
        }
    }
    source.push_str("\\z");
    let groups = crate::regex::captures(&source, text)?.ok_or_else(fail)?;
    let mut sum = 0i128;
    for (segment, group) in segments.iter().zip(&groups[1..]) {
        let Segment::Value { unit, width, total, .. } = segment else { continue };
        let digits = group.unwrap_or_default().trim_start();
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(fail());
        }
        let n: i128 = digits.parse().map_err(|_| fail())?;
        sum += if unit.is_fraction() {
            if *total {
                return Err(
                    "Format specifiers %L and %N denotes fractions and must be used together with a \
                            specifier of higher magnitude"
                        .into(),
                );
            }
            let _ = width;
            n * 10i128.pow(9usize.saturating_sub(digits.len()) as u32)
        } else {
            n * unit.nanoseconds()
        };
    }
    Ok(if text.starts_with('-') { -sum } else { sum })
}

fn parse_format(format: &str) -> Result<Vec<Segment>, String> {
    #[derive(PartialEq)]
    enum State {
        Literal,
        Pad,
        Width,
    }
    let chars: Vec<char> = format.chars().collect();
    let mut segments: Vec<Segment> = Vec::new();
    let mut state = State::Literal;
    let (mut pad, mut width, mut start) = (Pad::Zero, None, 0);
    let mut highest = None;
    let bad = |start: usize, position: usize| {
        let part: String = chars[start..position].iter().collect();
        format!("Bad format specifier '{part}' in '{format}', at position {position}")
    };
    let literal = |segments: &mut Vec<Segment>, c: char| match segments.last_mut() {
        Some(Segment::Literal(text)) => text.push(c),
        _ => segments.push(Segment::Literal(c.to_string())),
    };
    for (position, c) in chars.iter().copied().enumerate() {
        if state == State::Literal {
            if c == '%' {
                (state, start, pad, width) = (State::Pad, position, Pad::Zero, None);
            } else {
                literal(&mut segments, c);
            }
            continue;
        }
        let unit = match c {
            '%' => {
                literal(&mut segments, c);
                state = State::Literal;
                continue;
            }
            '-' | '_' => {
                if state != State::Pad {
                    return Err(bad(start, position));
                }
                pad = if c == '-' { Pad::None } else { Pad::Space };
                state = State::Width;
                continue;
            }
            'D' => Unit::Day,
            'H' => Unit::Hour,
            'M' => Unit::Minute,
            'S' => Unit::Second,
            'L' => Unit::Millisecond,
            'N' => Unit::Nanosecond,
            '0'..='9' => {
                if state == State::Pad && c == '0' {
                    pad = Pad::Zero;
                } else {
                    let digit = c as usize - '0' as usize;
                    width = Some((width.unwrap_or(0) * 10 + digit).min(1024));
                }
                state = State::Width;
                continue;
            }
            _ => return Err(bad(start, position)),
        };
        highest = highest.max(Some(unit));
        segments.push(Segment::Value { unit, pad, width, total: false });
        state = State::Literal;
    }
    if state != State::Literal {
        return Err(bad(start, chars.len().saturating_sub(1)));
    }
    for segment in &mut segments {
        if let Segment::Value { unit, total, .. } = segment
            && Some(*unit) == highest
        {
            *total = true;
            break;
        }
    }
    Ok(segments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_and_reads() {
        for (text, nanoseconds) in [
            ("0-01:00:00.0", 3600 * super::super::SECOND),
            ("1-02:03:04.5", 93_784 * super::super::SECOND + 500_000_000),
            ("-0-00:00:01.0", -super::super::SECOND),
        ] {
            assert_eq!(to_s(nanoseconds), text);
            assert_eq!(parse(text, TimeFormats::Default), Ok(nanoseconds), "{text}");
        }
        assert_eq!(parse("10", TimeFormats::Default), Ok(10 * super::super::SECOND));
        assert!(parse("x", TimeFormats::Default).is_err());
    }

    #[test]
    fn formats_totals_and_parts() {
        let span = 93_784_123_456_789;
        assert_eq!(format(span, "%H:%M:%S").unwrap(), "26:03:04");
        assert_eq!(format(span, "%D %-H %_M %L %N").unwrap(), "1 2  3 123 123456789");
        assert_eq!(format(span, "%x").unwrap_err(), "Bad format specifier '%' in '%x', at position 1");
    }
}
