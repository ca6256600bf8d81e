//! Values and explanations as `puppet lookup` prints them: as text, as JSON, as YAML the way Ruby's Psych writes it.

use crate::data_file::data::Data;
use crate::data_file::from_value;
use crate::data_file::yaml::write as psych;
use bunraku_vm::budget;
use bunraku_vm::format::float_to_s;
use bunraku_vm::format::inspect::to_ruby_s;
use bunraku_vm::value::Value;

/// A format of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// Text.
    Text,
    /// JSON in one line.
    Json,
    /// YAML.
    Yaml,
}

impl OutputFormat {
    /// The format of a name as `--render-as` takes it, in lower case.
    pub fn named(name: &str) -> Option<OutputFormat> {
        match name {
            "s" => Some(OutputFormat::Text),
            "json" => Some(OutputFormat::Json),
            "yaml" => Some(OutputFormat::Yaml),
            _ => None,
        }
    }
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
pub fn value(format: OutputFormat, value: Value<'_>) -> Result<String, String> {
    if format != OutputFormat::Text && !is_data(value) {
        return Err(format!("The value {} is no data: only --render-as s can show it", to_ruby_s(value)));
    }
    let text = match format {
        OutputFormat::Text => to_ruby_s(value),
        _ => return Ok(render(format, &from_value::plain(value))),
    };
    Ok(ended(text))
}

/// Data, with the line feed at its end.
pub fn render(format: OutputFormat, data: &Data) -> String {
    ended(match format {
        OutputFormat::Yaml => psych::dump(data),
        OutputFormat::Json | OutputFormat::Text => {
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
        Data::Text(text) | Data::Symbol(text) | Data::Pattern(text) => string(out, text),
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
                    Data::Text(text) | Data::Symbol(text) | Data::Pattern(text) => string(out, text),
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
