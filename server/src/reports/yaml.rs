//! Reports and facts as Puppet keeps them: YAML with the name of Ruby's class in front, which Ruby reads back as one.

use serde_json::{Map, Number, Value as Json};
use std::fmt::{self, Write};

/// The class of reports.
pub const REPORT: &str = "Puppet::Transaction::Report";

/// Levels of values on lines of their own; what lies deeper stands on one line, or its text would be mostly indentation.
const MAX_LINES: usize = 16;

/// The text of an object of a class.
pub fn object(class: &str, entries: &Map<String, Json>) -> String {
    let mut out = String::new();
    // Into memory: it does not fail.
    let _ = write(class, entries, &mut out);
    out
}

/// The same, written to something.
///
/// # Errors
/// When that can't be written to.
pub fn write(class: &str, entries: &Map<String, Json>, out: &mut impl Write) -> fmt::Result {
    write!(out, "--- !ruby/object:{class}")?;
    hash(entries, 0, out)?;
    out.write_char('\n')
}

/// The entries of a hash, each on a line of its own, behind what stands in front of it.
fn hash(map: &Map<String, Json>, depth: usize, out: &mut impl Write) -> fmt::Result {
    if map.is_empty() {
        return out.write_str(" {}");
    }
    for (key, value) in map {
        line(depth, out)?;
        string(key, out)?;
        out.write_char(':')?;
        below(value, depth, out)?;
    }
    Ok(())
}

/// A value behind a key or a dash.
fn below(value: &Json, depth: usize, out: &mut impl Write) -> fmt::Result {
    match value {
        Json::Object(_) | Json::Array(_) if depth >= MAX_LINES => {
            out.write_char(' ')?;
            on_one_line(value, out)
        }
        Json::Object(map) => hash(map, depth + 1, out),
        Json::Array(all) if all.is_empty() => out.write_str(" []"),
        Json::Array(all) => all.iter().try_for_each(|one| {
            line(depth + 1, out)?;
            out.write_char('-')?;
            below(one, depth + 1, out)
        }),
        Json::Null => Ok(()),
        Json::Bool(value) => out.write_str(if *value { " true" } else { " false" }),
        Json::Number(value) => {
            out.write_char(' ')?;
            number(value, out)
        }
        Json::String(text) => {
            out.write_char(' ')?;
            string(text, out)
        }
    }
}

/// A value in brackets, with all that is in it.
fn on_one_line(value: &Json, out: &mut impl Write) -> fmt::Result {
    match value {
        Json::Object(map) => {
            out.write_char('{')?;
            for (place, (key, value)) in map.iter().enumerate() {
                out.write_str(if place == 0 { "" } else { ", " })?;
                quoted(key, out)?;
                out.write_str(": ")?;
                on_one_line(value, out)?;
            }
            out.write_char('}')
        }
        Json::Array(all) => {
            out.write_char('[')?;
            for (place, value) in all.iter().enumerate() {
                out.write_str(if place == 0 { "" } else { ", " })?;
                on_one_line(value, out)?;
            }
            out.write_char(']')
        }
        Json::Null => out.write_str("null"),
        Json::Bool(value) => write!(out, "{value}"),
        Json::Number(value) => number(value, out),
        Json::String(text) => quoted(text, out),
    }
}

fn line(depth: usize, out: &mut impl Write) -> fmt::Result {
    out.write_char('\n')?;
    (0..depth).try_for_each(|_| out.write_str("  "))
}

/// A number in the notation that YAML 1.1 knows for one: floats have a point, exponents a sign.
fn number(value: &Number, out: &mut impl Write) -> fmt::Result {
    if value.is_i64() || value.is_u64() {
        return write!(out, "{value}");
    }
    let text = value.to_string();
    let (mantissa, exponent) = text.split_once(['e', 'E']).map_or((&*text, None), |(m, e)| (m, Some(e)));
    out.write_str(mantissa)?;
    if !mantissa.contains('.') {
        out.write_str(".0")?;
    }
    match exponent {
        Some(exponent) => {
            let sign = if exponent.starts_with(['-', '+']) { "" } else { "+" };
            write!(out, "e{sign}{exponent}")
        }
        None => Ok(()),
    }
}

/// A text: plain where it can be nothing else, in double quotes otherwise.
fn string(text: &str, out: &mut impl Write) -> fmt::Result {
    if is_plain(text) { out.write_str(text) } else { quoted(text, out) }
}

fn quoted(text: &str, out: &mut impl Write) -> fmt::Result {
    out.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\t' => out.write_str("\\t")?,
            '\r' => out.write_str("\\r")?,
            ' '..='~' => out.write_char(c)?,
            '\u{a0}'..='\u{d7ff}' if !matches!(c, '\u{2028}' | '\u{2029}') => out.write_char(c)?,
            '\u{e000}'..='\u{fffd}' if c != '\u{feff}' => out.write_char(c)?,
            '\u{10000}'..='\u{10ffff}' => out.write_char(c)?,
            c if (c as u32) < 0x100 => write!(out, "\\x{:02X}", c as u32)?,
            c => write!(out, "\\u{:04X}", c as u32)?,
        }
    }
    out.write_char('"')
}

/// A word of letters and signs that mean nothing, which no reader takes for anything else than a text.
fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 13] =
        ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "inf", "nan", "infinity", "none"];
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/' | b'.'))
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_lies_deep_stands_on_one_line() {
        let mut value = json!({"a": [null, true, 1.5e300, "yes", {}], "b\n": []});
        for _ in 0..MAX_LINES {
            value = json!([value]);
        }
        let text = object("A", json!({"k": value}).as_object().unwrap());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2 + MAX_LINES);
        let last = r#"- {"a": [null, true, 1.5e+300, "yes", {}], "b\n": []}"#;
        assert_eq!(lines[1 + MAX_LINES].trim_start(), last);
        let wide = object("A", json!({"k": vec![json!([0]); 3]}).as_object().unwrap());
        assert_eq!(wide, "--- !ruby/object:A\nk:\n  -\n    - 0\n  -\n    - 0\n  -\n    - 0\n");
    }
}
