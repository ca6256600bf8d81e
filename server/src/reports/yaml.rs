//! Reports and facts as Puppet keeps them: YAML with the name of Ruby's class in front, which Ruby reads back as one.

use serde_json::{Map, Number, Value as Json};

/// The class of reports.
pub const REPORT: &str = "Puppet::Transaction::Report";

/// The text of an object of a class.
pub fn object(class: &str, entries: &Map<String, Json>) -> String {
    let mut out = format!("--- !ruby/object:{class}");
    hash(entries, 0, &mut out);
    out.push('\n');
    out
}

/// The entries of a hash, each on a line of its own, behind what stands in front of it.
fn hash(map: &Map<String, Json>, depth: usize, out: &mut String) {
    if map.is_empty() {
        return out.push_str(" {}");
    }
    for (key, value) in map {
        line(depth, out);
        string(key, out);
        out.push(':');
        below(value, depth, out);
    }
}

/// A value behind a key or a dash.
fn below(value: &Json, depth: usize, out: &mut String) {
    match value {
        Json::Object(map) => hash(map, depth + 1, out),
        Json::Array(all) if all.is_empty() => out.push_str(" []"),
        Json::Array(all) => {
            for one in all {
                line(depth + 1, out);
                out.push('-');
                below(one, depth + 1, out);
            }
        }
        Json::Null => {}
        Json::Bool(value) => out.push_str(if *value { " true" } else { " false" }),
        Json::Number(value) => {
            out.push(' ');
            number(value, out);
        }
        Json::String(text) => {
            out.push(' ');
            string(text, out);
        }
    }
}

fn line(depth: usize, out: &mut String) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

/// A number in the notation that YAML 1.1 knows for one: floats have a point, exponents a sign.
fn number(value: &Number, out: &mut String) {
    if value.is_i64() || value.is_u64() {
        return out.push_str(&value.to_string());
    }
    let text = value.to_string();
    let (mantissa, exponent) = text.split_once(['e', 'E']).map_or((&*text, None), |(m, e)| (m, Some(e)));
    out.push_str(mantissa);
    if !mantissa.contains('.') {
        out.push_str(".0");
    }
    if let Some(exponent) = exponent {
        let sign = if exponent.starts_with(['-', '+']) { "" } else { "+" };
        out.push_str(&format!("e{sign}{exponent}"));
    }
}

/// A text: plain where it can be nothing else, in double quotes otherwise.
fn string(text: &str, out: &mut String) {
    if is_plain(text) {
        return out.push_str(text);
    }
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            ' '..='~' => out.push(c),
            '\u{a0}'..='\u{d7ff}' if !matches!(c, '\u{2028}' | '\u{2029}') => out.push(c),
            '\u{e000}'..='\u{fffd}' if c != '\u{feff}' => out.push(c),
            '\u{10000}'..='\u{10ffff}' => out.push(c),
            c if (c as u32) < 0x100 => out.push_str(&format!("\\x{:02X}", c as u32)),
            c => out.push_str(&format!("\\u{:04X}", c as u32)),
        }
    }
    out.push('"');
}

/// A word of letters and signs that mean nothing, which no reader takes for anything else than a text.
fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 13] =
        ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "inf", "nan", "infinity", "none"];
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/' | b'.'))
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}
