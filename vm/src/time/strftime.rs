//! Ruby's `Time#strftime`.

use super::calendar::{DAYS, DateParts, MONTHS, iso_week};

/// What stands between `%` and the letter.
#[derive(Clone, Copy, Default)]
struct DirectiveFlags {
    /// `-`: no padding.
    bare: bool,
    /// `0`, `_`: what to pad with.
    pad: Option<char>,
    upper: bool,
    swap: bool,
    colons: usize,
    width: Option<usize>,
}

/// TimeFormats a moment. A directive that does not exist stays as it is.
pub fn format(parts: &DateParts, format: &str) -> String {
    let mut out = String::new();
    let chars: Vec<char> = format.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        if chars[at] != '%' {
            out.push(chars[at]);
            at += 1;
            continue;
        }
        let start = at;
        at += 1;
        let mut flags = DirectiveFlags::default();
        while let Some(c) = chars.get(at) {
            match c {
                '-' => flags.bare = true,
                '0' if flags.width.is_none() => flags.pad = Some('0'),
                '_' => flags.pad = Some(' '),
                '^' => flags.upper = true,
                '#' => flags.swap = true,
                ':' => flags.colons += 1,
                c if c.is_ascii_digit() => {
                    let digit = *c as usize - '0' as usize;
                    flags.width = Some((flags.width.unwrap_or(0) * 10 + digit).min(1024));
                }
                _ => break,
            }
            at += 1;
        }
        // `E` and `O` change nothing in Ruby.
        if matches!(chars.get(at), Some('E' | 'O')) && at + 1 < chars.len() {
            at += 1;
        }
        match chars.get(at).and_then(|c| directive(parts, *c, flags)) {
            Some(text) => {
                out.push_str(&text);
                at += 1;
            }
            None => {
                let end = (at + 1).min(chars.len());
                out.extend(&chars[start..end]);
                at = end;
            }
        }
    }
    out
}

fn directive(p: &DateParts, letter: char, flags: DirectiveFlags) -> Option<String> {
    let number = |n: i64, width: usize, pad: char| Some(numeric(n, width, pad, flags));
    let text = |s: &str| Some(textual(s, flags));
    let nested = |f: &str| Some(textual(&format(p, f), flags));
    let twelve = if p.hour.is_multiple_of(12) { 12 } else { p.hour % 12 };
    match letter {
        'Y' => {
            let width = if p.year < 0 { 5 } else { 4 };
            number(p.year, width, '0')
        }
        'C' => number(p.year.div_euclid(100), 2, '0'),
        'y' => number(p.year.rem_euclid(100), 2, '0'),
        'm' => number(p.month.into(), 2, '0'),
        'B' => text(MONTHS[p.month as usize - 1]),
        'b' | 'h' => text(&MONTHS[p.month as usize - 1][..3]),
        'd' => number(p.day.into(), 2, '0'),
        'e' => number(p.day.into(), 2, ' '),
        'j' => number(p.yearday.into(), 3, '0'),
        'H' => number(p.hour.into(), 2, '0'),
        'k' => number(p.hour.into(), 2, ' '),
        'I' => number(twelve.into(), 2, '0'),
        'l' => number(twelve.into(), 2, ' '),
        'P' => text(if p.hour < 12 { "am" } else { "pm" }),
        'p' if flags.swap => {
            let flags = DirectiveFlags { swap: false, ..flags };
            Some(textual(if p.hour < 12 { "am" } else { "pm" }, flags))
        }
        'p' => text(if p.hour < 12 { "AM" } else { "PM" }),
        'M' => number(p.minute.into(), 2, '0'),
        'S' => number(p.second.into(), 2, '0'),
        'L' | 'N' => {
            let width = flags.width.unwrap_or(if letter == 'L' { 3 } else { 9 });
            let mut digits = format!("{:09}", p.nanosecond);
            while digits.len() < width {
                digits.push('0');
            }
            Some(digits[..width].to_owned())
        }
        'z' => Some(zone(p.offset, flags)),
        'Z' => text(if p.offset == 0 { "UTC" } else { "" }),
        'A' => text(DAYS[p.weekday as usize]),
        'a' => text(&DAYS[p.weekday as usize][..3]),
        'u' => number(if p.weekday == 0 { 7 } else { p.weekday.into() }, 1, '0'),
        'w' => number(p.weekday.into(), 1, '0'),
        'G' => number(iso_week(p).0, 4, '0'),
        'g' => number(iso_week(p).0.rem_euclid(100), 2, '0'),
        'V' => number(iso_week(p).1.into(), 2, '0'),
        'U' => number(((p.yearday + 6 - p.weekday) / 7).into(), 2, '0'),
        'W' => number(((p.yearday + 6 - (p.weekday + 6) % 7) / 7).into(), 2, '0'),
        's' => number(p.epoch, 1, '0'),
        'n' => text("\n"),
        't' => text("\t"),
        '%' => text("%"),
        'c' => nested("%a %b %e %H:%M:%S %Y"),
        'D' | 'x' => nested("%m/%d/%y"),
        'F' => nested("%Y-%m-%d"),
        'v' => nested("%e-%^b-%Y"),
        'r' => nested("%I:%M:%S %p"),
        'R' => nested("%H:%M"),
        'T' | 'X' => nested("%H:%M:%S"),
        '+' => nested("%a %b %e %H:%M:%S %Z %Y"),
        _ => None,
    }
}

fn numeric(n: i64, width: usize, pad: char, flags: DirectiveFlags) -> String {
    if flags.bare {
        return n.to_string();
    }
    let width = flags.width.unwrap_or(width);
    match flags.pad.unwrap_or(pad) {
        ' ' => format!("{n:>width$}"),
        _ => format!("{n:0>width$}"),
    }
}

fn textual(text: &str, flags: DirectiveFlags) -> String {
    let text = match (flags.upper, flags.swap) {
        (true, _) => text.to_uppercase(),
        (false, true) if text.chars().all(|c| !c.is_lowercase()) => text.to_lowercase(),
        (false, true) => text.to_uppercase(),
        _ => text.to_owned(),
    };
    let width = flags.width.unwrap_or(0);
    match flags.pad {
        Some('0') => format!("{text:0>width$}"),
        _ => format!("{text:>width$}"),
    }
}

fn zone(offset: i32, flags: DirectiveFlags) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    let offset = offset.unsigned_abs();
    let (hours, minutes, seconds) = (offset / 3600, offset / 60 % 60, offset % 60);
    let (hour_digits, rest) = match flags.colons {
        0 => (hours, format!("{minutes:02}")),
        1 => (hours, format!(":{minutes:02}")),
        _ => (hours, format!(":{minutes:02}:{seconds:02}")),
    };
    let width = flags.width.unwrap_or(0).saturating_sub(rest.len() + 1).max(2);
    match (flags.bare, flags.pad) {
        (true, _) => format!("{sign}{hour_digits}{rest}"),
        (_, Some(' ')) => format!("{:>w$}{rest}", format!("{sign}{hour_digits}"), w = width + 1),
        _ => format!("{sign}{hour_digits:0width$}{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::calendar::parts;

    #[test]
    fn formats_as_ruby_does() {
        // Time.at(1583298367, 123456789, :nsec).utc
        let p = parts(1_583_298_367_123_456_789, 0);
        for (format, expected) in [
            ("%Y-%m-%d %H:%M:%S.%N %Z", "2020-03-04 05:06:07.123456789 UTC"),
            ("%e|%k|%l|%j|%-d|%_m|%03d", " 4| 5| 5|064|4| 3|004"),
            ("%B %b %^a %A %p %P %#p", "March Mar WED Wednesday AM am am"),
            ("%z %:z %::z", "+0000 +00:00 +00:00:00"),
            ("%U %W %V %G %u %w", "09 09 10 2020 3 3"),
            ("%s %L %3N %6N %C %y", "1583298367 123 123 123456 20 20"),
            ("%D %F %T %R %r %x %X", "03/04/20 2020-03-04 05:06:07 05:06 05:06:07 AM 03/04/20 05:06:07"),
            ("%c | %v | 100%% | %Q", "Wed Mar  4 05:06:07 2020 |  4-MAR-2020 | 100% | %Q"),
            ("%10Y|%-H|%10B", "0000002020|5|     March"),
        ] {
            assert_eq!(super::format(&p, format), expected);
        }
    }
}
