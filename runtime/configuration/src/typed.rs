//! What a value that somebody has written comes to by the type of its setting.
//! Source: Puppet 7.23.0, `puppet config print` and the messages for values that do not fit.

use crate::paths;
use crate::table::{Kind, Setting};
use crate::value::{Raw, Value, inspected};

/// What a value comes to in a setting, all references in it being resolved.
///
/// # Errors
/// Puppet's message where it does not fit.
pub fn typed(setting: &Setting, raw: &Raw) -> Result<Value, String> {
    let name = setting.name;
    let invalid = |what: &str| Err(format!("Invalid value '{}' for parameter {name}. {what}", shown(raw)));
    Ok(match (setting.kind, raw) {
        (Kind::Boolean, Raw::Boolean(value)) => Value::Boolean(*value),
        (Kind::Boolean, Raw::Text(text)) if text == "true" => Value::Boolean(true),
        (Kind::Boolean, Raw::Text(text)) if text == "false" => Value::Boolean(false),
        (Kind::Boolean, _) => {
            return Err(format!("Invalid value '{}' for boolean parameter: {name}", inspect(raw)));
        }
        (Kind::Integer | Kind::Port, _) => {
            let number = number(name, raw)?;
            if setting.kind == Kind::Port && !(0..=65535).contains(&number) {
                return Err(format!("Value '{number}' is not a valid port number for parameter: {name}"));
            }
            Value::Integer(number)
        }
        (Kind::Duration, Raw::Undef) => Value::Undef,
        (Kind::Duration, Raw::Integer(number)) => Value::Integer(*number),
        (Kind::Duration, raw) => Value::Integer(
            seconds(raw)
                .ok_or_else(|| format!("Invalid duration format '{}' for parameter: {name}", inspect(raw)))?,
        ),
        (Kind::TimeToLive, raw) => time_to_live(name, raw)?,
        (Kind::List, raw) => Value::List(listed(raw)?.into_iter().map(Value::Text).collect()),
        (Kind::Servers | Kind::Headers, raw) => {
            let parts = |text: String| split(&text, ":").into_iter().map(Value::Text).collect();
            Value::List(listed(raw)?.into_iter().map(parts).map(Value::List).collect())
        }
        (Kind::OneOf(values) | Kind::SymbolOf(values), raw) => {
            let text = shown(raw);
            if !values.split(',').any(|one| one == text) {
                let allowed = values.replace(',', "', '");
                return invalid(&format!("Allowed values are '{allowed}'"));
            }
            if matches!(setting.kind, Kind::OneOf(_)) { Value::Text(text) } else { Value::Symbol(text) }
        }
        (Kind::Terminus, Raw::Undef) => Value::Undef,
        (Kind::Terminus, Raw::Text(text)) if text.is_empty() => Value::Undef,
        (Kind::Terminus, Raw::Text(text)) => Value::Symbol(text.clone()),
        (Kind::Terminus, raw) => return Err(format!("Invalid terminus setting: {}", shown(raw))),
        (Kind::Priority, raw) => priority(name, raw)?,
        (Kind::Autosign, raw) => autosign(raw)?,
        (Kind::Revocation, raw) => revocation(raw)?,
        (Kind::File, Raw::Text(text)) if text != ":memory:" => Value::Text(paths::from_here(text)),
        (Kind::Path, Raw::Text(text)) => {
            let all: Vec<String> = split(text, ":").iter().map(|one| paths::from_here(one)).collect();
            Value::Text(all.join(":"))
        }
        (Kind::Text | Kind::File | Kind::Path | Kind::Alias(_), raw) => plain(raw),
    })
}

fn plain(raw: &Raw) -> Value {
    match raw {
        Raw::Undef => Value::Undef,
        Raw::Boolean(value) => Value::Boolean(*value),
        Raw::Integer(value) => Value::Integer(*value),
        Raw::Text(text) => Value::Text(text.clone()),
        Raw::List(all) => Value::List(all.iter().cloned().map(Value::Text).collect()),
    }
}

/// As it stands in messages: Ruby's `to_s`.
fn shown(raw: &Raw) -> String {
    plain(raw).to_string()
}

/// Ruby's `inspect`.
fn inspect(raw: &Raw) -> String {
    match raw {
        Raw::Undef => "nil".to_owned(),
        Raw::Text(text) => inspected(text),
        other => shown(other),
    }
}

fn number(name: &str, raw: &Raw) -> Result<i64, String> {
    let number = match raw {
        Raw::Integer(number) => Some(*number),
        Raw::Text(text) => integer(text.trim()),
        _ => None,
    };
    number.ok_or_else(|| format!("Cannot convert '{}' to an integer for parameter: {name}", inspect(raw)))
}

/// What Ruby's `Integer()` takes: with `0x`, `0b`, `0o` or `0` before, and underscores between digits.
fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.to_ascii_lowercase();
    let (base, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', b'o', ..] => (8, &lower[2..]),
        [b'0', b'd', ..] => (10, &lower[2..]),
        [b'0', _, ..] => (8, &lower[1..]),
        _ => (10, lower.as_str()),
    };
    let scores = digits.ends_with('_') || digits.contains("__") || (digits.starts_with('_') && base == 10);
    if scores || digits.starts_with(['+', '-']) {
        return None;
    }
    let number = i64::from_str_radix(&digits.replace('_', ""), base).ok()?;
    Some(if negative { -number } else { number })
}

/// A time as `30`, `30m`; Ruby's `^` and `$` look at lines, of which a setting has one.
fn seconds(raw: &Raw) -> Option<i64> {
    let Raw::Text(text) = raw else { return None };
    let digits = text.trim_end_matches(['y', 'd', 'h', 'm', 's']);
    let factor = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        "y" => 365 * 24 * 60 * 60,
        _ => return None,
    };
    let number = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<i64>().ok())??;
    number.checked_mul(factor)
}

fn time_to_live(name: &str, raw: &Raw) -> Result<Value, String> {
    match raw {
        Raw::Integer(number) if *number < 0 => {
            Err(format!("Invalid negative 'time to live' {number} - did you mean 'unlimited'?"))
        }
        Raw::Integer(number) => Ok(Value::Integer(*number)),
        Raw::Text(text) if text == "unlimited" => Ok(Value::Unlimited),
        raw => seconds(raw)
            .map(Value::Integer)
            .ok_or_else(|| format!("Invalid 'time to live' format '{}' for parameter: {name}", inspect(raw))),
    }
}

fn priority(name: &str, raw: &Raw) -> Result<Value, String> {
    Ok(match raw {
        Raw::Undef | Raw::Boolean(false) => Value::Undef,
        Raw::Integer(number) => Value::Integer(*number),
        Raw::Text(text) if text.bytes().any(|b| b.is_ascii_digit()) => {
            let (sign, rest) = match text.trim_start().strip_prefix('-') {
                Some(rest) => (-1, rest),
                None => (1, text.trim_start()),
            };
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            Value::Integer(sign * rest[..end].parse::<i64>().unwrap_or(0))
        }
        Raw::Text(text) => Value::Integer(match text.as_str() {
            "high" => -10,
            "normal" => 0,
            "low" => 10,
            "idle" => 19,
            _ => return Err(format!("Invalid priority format '{}' for parameter: {name}", inspect(raw))),
        }),
        raw => return Err(format!("Invalid priority format '{}' for parameter: {name}", inspect(raw))),
    })
}

fn autosign(raw: &Raw) -> Result<Value, String> {
    Ok(match raw {
        Raw::Boolean(value) => Value::Boolean(*value),
        Raw::Undef => Value::Boolean(false),
        Raw::Text(text) if text == "true" || text == "false" => Value::Boolean(text == "true"),
        Raw::Text(text) if text.starts_with('/') => Value::Text(text.clone()),
        raw => {
            return Err(format!(
                "Invalid autosign value {}: must be 'true'/'false' or an absolute path",
                shown(raw)
            ));
        }
    })
}

fn revocation(raw: &Raw) -> Result<Value, String> {
    Ok(match raw {
        Raw::Boolean(true) => Value::Symbol("chain".to_owned()),
        Raw::Boolean(false) | Raw::Undef => Value::Boolean(false),
        Raw::Text(text) if text == "chain" || text == "true" => Value::Symbol("chain".to_owned()),
        Raw::Text(text) if text == "leaf" => Value::Symbol("leaf".to_owned()),
        Raw::Text(text) if text == "false" => Value::Boolean(false),
        raw => {
            return Err(format!(
                "Invalid certificate revocation value {}: must be one of 'true', 'chain', 'leaf', or 'false'",
                shown(raw)
            ));
        }
    })
}

/// The parts of a list: commas with blanks around them divide it.
fn listed(raw: &Raw) -> Result<Vec<String>, String> {
    Ok(match raw {
        Raw::List(all) => all.clone(),
        Raw::Text(text) => {
            let mut all = split(text, ",");
            let last = all.len();
            for (n, part) in all.iter_mut().enumerate() {
                let kept = if n > 0 { part.trim_ascii_start() } else { part.as_str() };
                *part = if n + 1 < last { kept.trim_ascii_end() } else { kept }.to_owned();
            }
            all
        }
        other => {
            let class = match other {
                Raw::Boolean(true) => "TrueClass",
                Raw::Boolean(false) => "FalseClass",
                Raw::Integer(_) => "Integer",
                _ => "NilClass",
            };
            return Err(format!("Expected an Array or String, got a {class}"));
        }
    })
}

/// As Ruby's `split`: empty parts at the end are none.
fn split(text: &str, by: &str) -> Vec<String> {
    let mut all: Vec<String> = text.split(by).map(str::to_owned).collect();
    while all.last().is_some_and(String::is_empty) {
        all.pop();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Table;
    use bunraku_vm::compat::Compat;

    fn value(name: &str, text: &str) -> Result<Value, String> {
        let setting = Table::of(Compat::V7).find(name).expect("it is a setting");
        typed(setting, &Raw::written(text))
    }

    fn printed(name: &str, text: &str) -> String {
        let kind = Table::of(Compat::V7).find(name).expect("it is a setting").kind;
        value(name, text).expect("it fits").printed(kind)
    }

    #[test]
    fn quotes_and_blanks_at_the_ends_go() {
        assert_eq!(Raw::written("'a b' "), Raw::Text("a b'".to_owned()));
        assert_eq!(Raw::written("\"a\""), Raw::Text("a".to_owned()));
        assert_eq!(Raw::written("TRUE"), Raw::Boolean(true));
        assert_eq!(Raw::written("''"), Raw::Text(String::new()));
    }

    #[test]
    fn values_are_shown_as_puppet_shows_them() {
        assert_eq!(printed("disable_warnings", "a , b,c,,"), r#"["a", "b", "c"]"#);
        assert_eq!(printed("environment_timeout", "unlimited"), "unlimited");
        assert_eq!(printed("environment_timeout", "3m"), "180");
        assert_eq!(printed("server_list", "a:1,b"), "a:1,b");
        assert_eq!(printed("http_extra_headers", "a:1,b"), r#"[["a", "1"], ["b"]]"#);
        assert_eq!(printed("rundir", "/a/../b/./c/"), "/b/c");
        assert_eq!(printed("basemodulepath", "/a/:/b/../c"), "/a:/c");
        assert_eq!(printed("certificate_revocation", "false"), "false");
        assert_eq!(printed("priority", "low"), "10");
        assert_eq!(printed("ldapport", "0x10"), "16");
    }

    #[test]
    fn what_does_not_fit_is_said_in_puppets_words() {
        let error = |name, text| value(name, text).unwrap_err();
        assert_eq!(
            error("storeconfigs", "maybe"),
            "Invalid value '\"maybe\"' for boolean parameter: storeconfigs"
        );
        assert_eq!(
            error("strict", "maybe"),
            "Invalid value 'maybe' for parameter strict. Allowed values are 'off', 'warning', 'error'"
        );
        assert_eq!(error("runinterval", "1x"), "Invalid duration format '\"1x\"' for parameter: runinterval");
        assert_eq!(
            error("max_errors", "many"),
            "Cannot convert '\"many\"' to an integer for parameter: max_errors"
        );
        assert_eq!(
            error("ca_port", "70000"),
            "Value '70000' is not a valid port number for parameter: ca_port"
        );
    }
}
