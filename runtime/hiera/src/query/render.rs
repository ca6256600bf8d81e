//! Values and explanations as `puppet lookup` prints them: as text, as JSON, as YAML the way Ruby's Psych writes it.

use crate::data_file::data::Data;
use crate::data_file::from_value;
use crate::data_file::yaml::write as psych;
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

/// A value, with the line feed at its end.
///
/// # Errors
/// When YAML has no way to write it.
pub fn value(format: OutputFormat, value: Value<'_>) -> Result<String, String> {
    Ok(match format {
        OutputFormat::Text => ended(to_ruby_s(value)),
        OutputFormat::Json => render(format, &in_json(value)),
        OutputFormat::Yaml => render(format, &in_yaml(value)?),
    })
}

/// A value as Ruby writes it in JSON: what that has no form for is its text.
fn in_json(value: Value<'_>) -> Data {
    from_value::with(value, &mut |other| Ok::<_, std::convert::Infallible>(Data::Text(to_ruby_s(other))))
        .unwrap_or_else(|never| match never {})
}

/// A value as Ruby writes it in YAML: what that has no form for is an object with its instance variables.
///
/// # Errors
/// For objects whose instance variables are Ruby's own.
fn in_yaml(value: Value<'_>) -> Result<Data, String> {
    from_value::with(value, &mut |other| {
        let of = |class, variables: Vec<(&str, Data)>| {
            let variables = variables.into_iter().map(|(name, data)| (Data::Text(name.to_owned()), data));
            Ok(Data::Instance(class, Box::new(Data::Map(variables.collect()))))
        };
        let nanoseconds = |n: i128| i64::try_from(n).map(Data::Int).map_err(|_| no_yaml(other));
        match other {
            Value::Sensitive(inner) => {
                of("Puppet::Pops::Types::PSensitiveType::Sensitive", vec![("value", in_yaml(*inner)?)])
            }
            Value::Timestamp(n) => of("Puppet::Pops::Time::Timestamp", vec![("nsecs", nanoseconds(*n)?)]),
            Value::Timespan(n) => of("Puppet::Pops::Time::Timespan", vec![("nsecs", nanoseconds(*n)?)]),
            Value::Regexp(source) => Ok(Data::Pattern(source.as_str().to_owned())),
            Value::Default => Ok(Data::Symbol("default".to_owned())),
            Value::SemVer(text) => {
                let numbers: Vec<_> = text.split('.').map(str::parse).collect();
                let [Ok(major), Ok(minor), Ok(patch)] = numbers[..] else { return Err(no_yaml(other)) };
                let numbers = [("major", major), ("minor", minor), ("patch", patch)];
                let numbers = numbers.map(|(name, number)| (name, Data::Int(number)));
                let rest = [("prerelease", Data::Null), ("build", Data::Null)];
                of("SemanticPuppet::Version", numbers.into_iter().chain(rest).collect())
            }
            other => Err(no_yaml(other)),
        }
    })
}

fn no_yaml(value: Value<'_>) -> String {
    format!("The value {} has no form in YAML: --render-as json and s can show it", to_ruby_s(value))
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
        Data::Object(_, data) | Data::Instance(_, data) => json(out, data),
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

#[cfg(test)]
mod tests {
    use super::{OutputFormat, value};
    use bumpalo::Bump;
    use bunraku_vm::value::{HashBuilder, Str, Value};

    /// As `puppet lookup` of 7.23, 8.10 and OpenVox 9 prints what `convert_to` makes.
    #[test]
    fn what_is_no_data_is_shown_as_ruby_shows_it() {
        let arena = Bump::new();
        let text = |text| Value::Str(Str::new(&arena, text));
        let mut keys = HashBuilder::new(&arena);
        keys.insert_str("k", text("secret"));
        let sensitive = |inner| Value::Sensitive(arena.alloc(inner));
        let (version, source) = (Str::new(&arena, "1.2.3"), Str::new(&arena, "a.c"));
        let hidden = "\"Sensitive [value redacted]\"\n";
        let class = "--- !ruby/object:Puppet::Pops::Types::PSensitiveType::Sensitive\nvalue:";
        let all = [
            (sensitive(text("secret")), format!("{class} secret\n"), hidden),
            (sensitive(text("multi\nline")), format!("{class} |-\n  multi\n  line\n"), hidden),
            (sensitive(text("")), format!("{class} ''\n"), hidden),
            (sensitive(Value::Hash(keys.finish())), format!("{class}\n  k: secret\n"), hidden),
            (
                sensitive(Value::array(&arena, &[Value::Int(1), text("two")])),
                format!("{class}\n- 1\n- two\n"),
                hidden,
            ),
            (
                Value::SemVer(version),
                "--- !ruby/object:SemanticPuppet::Version\nmajor: 1\nminor: 2\npatch: 3\nprerelease:\nbuild:\n".to_owned(),
                "\"1.2.3\"\n",
            ),
            (
                Value::Timestamp(arena.alloc(1_577_934_245_500_000_000)),
                "--- !ruby/object:Puppet::Pops::Time::Timestamp\nnsecs: 1577934245500000000\n".to_owned(),
                "\"2020-01-02T03:04:05.500000000 UTC\"\n",
            ),
            (
                Value::Timespan(arena.alloc(93_784_000_000_000)),
                "--- !ruby/object:Puppet::Pops::Time::Timespan\nnsecs: 93784000000000\n".to_owned(),
                "\"1-02:03:04.0\"\n",
            ),
            (Value::Regexp(source), "--- !ruby/regexp /a.c/\n".to_owned(), "\"(?-mix:a.c)\"\n"),
        ];
        for (given, yaml, json) in all {
            assert_eq!(value(OutputFormat::Yaml, given), Ok(yaml));
            assert_eq!(value(OutputFormat::Json, given).as_deref(), Ok(json));
        }
        let uri = Value::Uri(Str::new(&arena, "http://a.b/c"));
        assert!(
            value(OutputFormat::Yaml, uri).is_err_and(|why| why.contains("http://a.b/c has no form in YAML"))
        );
    }
}
