//! Puppet's settings, as code reads them: `$settings::…` in manifests, `Puppet[:…]` in Ruby. Their names and defaults are
//! those of a real Puppet 7 run as root and stand in `settings.tsv`, which `tests/oracle/settings.rb` has written; a job
//! may set each of them.

use serde_json::Value as Json;
use std::collections::HashMap;
use std::sync::LazyLock;

/// What a setting's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A string in which `$name` and `${name}` are other settings.
    Text,
    /// A string likewise, which is a number in the end.
    Number,
    /// A symbol in Ruby, a string in the language.
    Symbol,
    /// What its JSON says.
    Value,
}

/// One setting and its default value.
#[derive(Debug)]
pub struct Setting {
    /// What it is called.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Its value where nobody has set it.
    pub default: Json,
}

static TABLE: LazyLock<Vec<Setting>> =
    LazyLock::new(|| include_str!("settings.tsv").lines().filter_map(row).collect());

static PLACES: LazyLock<HashMap<&'static str, usize>> =
    LazyLock::new(|| TABLE.iter().enumerate().map(|(n, setting)| (setting.name, n)).collect());

fn row(line: &'static str) -> Option<Setting> {
    let mut cells = line.split('\t');
    let name = cells.next()?;
    let kind = match cells.next()? {
        "text" => Kind::Text,
        "number" => Kind::Number,
        "symbol" => Kind::Symbol,
        _ => Kind::Value,
    };
    Some(Setting { name, kind, default: serde_json::from_str(cells.next()?).ok()? })
}

/// All settings, in Puppet's order.
pub fn all() -> &'static [Setting] {
    &TABLE
}

/// The setting of a name, if there is one.
pub fn find(name: &str) -> Option<&'static Setting> {
    PLACES.get(name).map(|place| &TABLE[*place])
}

/// A setting's default value as text; empty for what is none.
pub fn default_of(name: &str) -> &'static str {
    find(name).and_then(|setting| setting.default.as_str()).unwrap_or_default()
}

/// What a job has set, by name.
pub type Given = HashMap<String, Json>;

/// Takes a setting's value from a job.
///
/// # Errors
/// Says which setting there is not, or which value does not fit the one there is.
pub fn give(given: &mut Given, name: &str, value: &Json) -> Result<(), String> {
    let Some(setting) = find(name) else {
        return Err(format!("The setting '{name}' is not supported yet"));
    };
    let taken = match (&setting.default, value) {
        (Json::Bool(_), Json::Bool(_))
        | (Json::Number(_) | Json::Null, Json::Number(_))
        | (_, Json::Null) => Some(value.clone()),
        (Json::Bool(_), Json::String(text)) => text.parse().ok().map(Json::Bool),
        (Json::Number(_), Json::String(text)) => seconds(text).map(Json::from),
        (Json::Array(_), Json::Array(_)) => Some(value.clone()),
        (Json::Array(_), Json::String(text)) => {
            Some(text.split(',').map(str::trim).filter(|word| !word.is_empty()).collect())
        }
        (Json::String(_), Json::Number(number)) => Some(Json::String(number.to_string())),
        (Json::String(_) | Json::Null, Json::String(_) | Json::Bool(_)) => Some(value.clone()),
        _ => None,
    };
    let taken = taken.ok_or_else(|| format!("The setting '{name}' can't be {value}"))?;
    given.insert(name.to_owned(), taken);
    Ok(())
}

/// A whole number, or a time as `30m`, in seconds.
fn seconds(text: &str) -> Option<i64> {
    let factor = match text.chars().last()? {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 60 * 60 * 24,
        'y' => 60 * 60 * 24 * 365,
        _ => return text.parse().ok(),
    };
    text[..text.len() - 1].parse::<i64>().ok()?.checked_mul(factor)
}

/// Settings that a compile knows better than the table and the job.
pub type Own<'a> = &'a dyn Fn(&str) -> Option<Json>;

/// The value of a setting; none where there is no such setting.
pub fn value(name: &str, given: &Given, own: Own<'_>) -> Option<Json> {
    valued(name, given, own, 0)
}

/// Puppet's own settings refer to each other four deep at most; those of a job might for ever.
const MAX_REFERENCES: usize = 16;

fn valued(name: &str, given: &Given, own: Own<'_>, depth: usize) -> Option<Json> {
    let setting = find(name)?;
    if let Some(value) = own(name) {
        return Some(value);
    }
    let value = given.get(name).unwrap_or(&setting.default);
    let (Json::String(text), true) = (value, depth < MAX_REFERENCES) else { return Some(value.clone()) };
    let text = interpolated(text, given, own, depth);
    Some(match setting.kind {
        Kind::Number => match text.parse::<i64>() {
            Ok(number) => Json::from(number),
            Err(_) => Json::String(text),
        },
        _ => Json::String(text),
    })
}

fn interpolated(text: &str, given: &Given, own: Own<'_>, depth: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let braced = after.strip_prefix('{');
        let word = braced.unwrap_or(after);
        let end = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(word.len());
        let name = &word[..end];
        let closing = if braced.is_some() { word[end..].strip_prefix('}') } else { Some(&word[end..]) };
        let value = match (name, closing) {
            (_, None) | ("", _) => None,
            // What a process that compiles is run as.
            ("run_mode", _) => Some(Json::from("user")),
            _ => valued(name, given, own, depth + 1),
        };
        match (value, closing) {
            (Some(value), Some(closing)) => {
                match value {
                    Json::String(text) => out.push_str(&text),
                    Json::Null => {}
                    other => out.push_str(&other.to_string()),
                }
                rest = closing;
            }
            _ => {
                out.push('$');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(name: &str, given: &[(&str, Json)]) -> Option<Json> {
        let mut all = Given::default();
        for (name, value) in given {
            give(&mut all, name, value).expect("it can be set");
        }
        value(name, &all, &|_| None)
    }

    #[test]
    fn every_line_is_a_setting() {
        assert_eq!(all().len(), include_str!("settings.tsv").lines().count());
        assert_eq!(all().len(), 232);
    }

    #[test]
    fn settings_refer_to_others() {
        assert_eq!(get("statedir", &[]), Some("/var/cache/puppet/state".into()));
        assert_eq!(get("statedir", &[("vardir", "/v".into())]), Some("/v/state".into()));
        assert_eq!(get("splaylimit", &[("runinterval", "1h".into())]), Some(3600.into()));
        assert_eq!(get("pidfile", &[]), Some("/run/puppet/user.pid".into()));
        assert_eq!(get("nothing", &[]), None);
    }

    #[test]
    fn references_in_a_circle_come_to_an_end() {
        let circle = [("vardir", Json::from("$logdir")), ("logdir", Json::from("$vardir/x"))];
        assert!(get("vardir", &circle).is_some());
    }

    #[test]
    fn values_that_do_not_fit_are_named() {
        let mut given = Given::default();
        let error = give(&mut given, "storeconfigs", &Json::from("maybe")).unwrap_err();
        assert_eq!(error, "The setting 'storeconfigs' can't be \"maybe\"");
        assert!(give(&mut given, "nothing", &Json::Null).unwrap_err().contains("'nothing'"));
    }
}
