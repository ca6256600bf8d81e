//! Values of settings: as they are written, and as Puppet shows them.
//! Source: Puppet 7.23.0, `puppet config print`.

use crate::table::Kind;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::fmt;

/// A value as it is written, before `$name` in it is another setting's.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Raw {
    /// None.
    Undef,
    /// True or false, in any case.
    Boolean(bool),
    /// A number that code gives.
    Integer(i64),
    /// Anything else.
    Text(String),
    /// Strings that code gives.
    List(Vec<String>),
}

impl Raw {
    /// What stands behind `=`, or on the command line: `true` and `false` in any case are no text; quotes at the begin and
    /// the end of a line go, and blanks at its end.
    pub fn written(text: &str) -> Raw {
        if text.eq_ignore_ascii_case("false") {
            return Raw::Boolean(false);
        }
        if text.eq_ignore_ascii_case("true") {
            return Raw::Boolean(true);
        }
        let text = text.strip_prefix(['"', '\'']).unwrap_or(text);
        let text = text.strip_suffix(['"', '\'']).unwrap_or(text);
        Raw::Text(text.trim_end_matches(|c: char| c.is_ascii_whitespace()).to_owned())
    }

    /// What a JSON value is as a setting; none for objects and fractions.
    pub fn of_json(json: &Json) -> Option<Raw> {
        Some(match json {
            Json::Null => Raw::Undef,
            Json::Bool(value) => Raw::Boolean(*value),
            Json::Number(number) => Raw::Integer(number.as_i64()?),
            Json::String(text) => Raw::Text(text.clone()),
            Json::Array(all) => {
                Raw::List(all.iter().map(|one| one.as_str().map(str::to_owned)).collect::<Option<_>>()?)
            }
            Json::Object(_) => return None,
        })
    }
}

/// A setting's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// None.
    Undef,
    /// True or false.
    Boolean(bool),
    /// A number.
    Integer(i64),
    /// A time without end.
    Unlimited,
    /// A string.
    Text(String),
    /// A symbol in Ruby, a string in the language.
    Symbol(String),
    /// Several.
    List(Vec<Value>),
}

impl Value {
    /// The text of one that is a text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) | Value::Symbol(text) => Some(text),
            _ => None,
        }
    }

    /// As JSON; a time without end is the word `unlimited`.
    pub fn json(&self) -> Json {
        match self {
            Value::Undef => Json::Null,
            Value::Boolean(value) => (*value).into(),
            Value::Integer(value) => (*value).into(),
            Value::Unlimited => "unlimited".into(),
            Value::Text(text) | Value::Symbol(text) => text.as_str().into(),
            Value::List(all) => all.iter().map(Value::json).collect(),
        }
    }

    /// As `puppet config print` shows it.
    pub fn printed(&self, kind: Kind) -> String {
        match (kind, self) {
            (Kind::TimeToLive, Value::Unlimited) => "unlimited".to_owned(),
            (Kind::Servers, Value::List(all)) => {
                let one = |server: &Value| match server {
                    Value::List(parts) => parts.iter().map(Value::to_string).collect::<Vec<_>>().join(":"),
                    other => other.to_string(),
                };
                all.iter().map(one).collect::<Vec<_>>().join(",")
            }
            _ => self.to_string(),
        }
    }
}

impl fmt::Display for Value {
    /// As it stands within another setting's value: Ruby's `to_s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Undef => Ok(()),
            Value::Boolean(value) => value.fmt(f),
            Value::Integer(value) => value.fmt(f),
            Value::Unlimited => f.write_str("Infinity"),
            Value::Text(text) | Value::Symbol(text) => f.write_str(text),
            Value::List(all) => {
                f.write_str("[")?;
                for (n, value) in all.iter().enumerate() {
                    f.write_str(if n > 0 { ", " } else { "" })?;
                    match value {
                        Value::Text(text) => f.write_str(&inspected(text))?,
                        other => other.fmt(f)?,
                    }
                }
                f.write_str("]")
            }
        }
    }
}

/// A string as Ruby's `inspect` writes it, as far as settings have such characters.
pub(crate) fn inspected(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out + "\""
}
