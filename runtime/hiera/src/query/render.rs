//! Values and explanations as `puppet lookup` prints them: as text, as JSON, as YAML the way Ruby's Psych writes it.

use crate::data_file::data::Data;
use crate::data_file::yaml::write as psych;
use bunraku_vm::budget;
use bunraku_vm::format::inspect::to_ruby_s;
use bunraku_vm::format::{float_to_s, to_interpolated};
use bunraku_vm::value::Value;

/// A form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text.
    Text,
    /// JSON in one line.
    Json,
    /// YAML.
    Yaml,
}

impl Form {
    /// The form of a name as `--render-as` takes it, in lower case.
    pub fn named(name: &str) -> Option<Form> {
        match name {
            "s" => Some(Form::Text),
            "json" => Some(Form::Json),
            "yaml" => Some(Form::Yaml),
            _ => None,
        }
    }
}

/// A value as data; what is no data is its text.
pub fn data(value: Value<'_>) -> Data {
    budget::within(1, || match value {
        Value::Undef => Data::Null,
        Value::Bool(b) => Data::Bool(b),
        Value::Int(n) => Data::Int(n),
        Value::Float(f) => Data::Float(f),
        Value::Str(text) => Data::Text(text.as_str().to_owned()),
        Value::Array(items) => Data::List(items.items().iter().map(|item| data(*item)).collect()),
        Value::Hash(hash) => Data::Map(hash.entries().iter().map(|(k, v)| (data(*k), data(*v))).collect()),
        other => Data::Text(to_interpolated(other)),
    })
}

/// The same, in which lists and maps that are one object are known to be.
pub fn objects(value: Value<'_>) -> Data {
    let object = |address, data| Data::Object(address, Box::new(data));
    budget::within(1, || match value {
        Value::Array(items) if !items.items().is_empty() => object(
            (items.address(), items.items().len()),
            Data::List(items.items().iter().map(|item| objects(*item)).collect()),
        ),
        Value::Hash(hash) if !hash.is_empty() => {
            let pairs = hash.entries().iter().map(|(key, value)| (objects(*key), objects(*value)));
            object((hash.address(), hash.len()), Data::Map(pairs.collect()))
        }
        other => data(other),
    })
}

/// Whether a value is data in all its parts.
fn is_data(value: Value<'_>) -> bool {
    budget::within(1, || match value {
        Value::Undef | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) => true,
        Value::Array(items) => items.items().iter().all(|item| is_data(*item)),
        Value::Hash(hash) => hash.entries().iter().all(|(key, value)| is_data(*key) && is_data(*value)),
        _ => false,
    })
}

/// A value, with the line feed at its end.
///
/// # Errors
/// When YAML or JSON has no way to write it.
pub fn value(form: Form, value: Value<'_>) -> Result<String, String> {
    if form != Form::Text && !is_data(value) {
        return Err(format!("The value {} is no data: only --render-as s can show it", to_ruby_s(value)));
    }
    let text = match form {
        Form::Text => to_ruby_s(value),
        _ => return Ok(render(form, &data(value))),
    };
    Ok(ended(text))
}

/// Data, with the line feed at its end.
pub fn render(form: Form, data: &Data) -> String {
    ended(match form {
        Form::Yaml => psych::dump(data),
        Form::Json | Form::Text => {
            let mut out = String::new();
            json(&mut out, data);
            out
        }
    })
}

fn ended(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Writes a JSON string.
fn string(out: &mut String, text: &str) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

fn json(out: &mut String, data: &Data) {
    match data {
        Data::Null => out.push_str("null"),
        Data::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Data::Int(n) => out.push_str(&n.to_string()),
        Data::Float(f) => out.push_str(&float_to_s(*f)),
        Data::Text(text) | Data::Symbol(text) => string(out, text),
        Data::Object(_, data) => json(out, data),
        Data::List(items) => {
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                json(out, item);
            }
            out.push(']');
        }
        Data::Map(pairs) => {
            out.push('{');
            for (n, (key, item)) in pairs.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                match key {
                    Data::Text(text) | Data::Symbol(text) => string(out, text),
                    Data::Null => string(out, ""),
                    other => {
                        let mut name = String::new();
                        json(&mut name, other);
                        string(out, &name);
                    }
                }
                out.push(':');
                json(out, item);
            }
            out.push('}');
        }
    }
}
