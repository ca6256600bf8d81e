//! The forms in which Puppet prints what it was asked for: `--render-as`.
//! Source: Puppet 7.23.0 and 8.10.0, by running them.

use bunraku::{Compat, Data, Rule, Settings};

/// A form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people: JSON of several lines.
    Console,
    /// JSON in one line.
    Json,
    /// The same with rich data.
    RichJson,
    /// Ruby's YAML.
    Yaml,
    /// Ruby's `to_s`.
    Text,
}

impl Form {
    /// The form of a name; the usual one without.
    ///
    /// # Errors
    /// Puppet's message where there is none of that name; names those that are not built here.
    pub fn named(name: Option<&str>, compat: Compat) -> Result<Form, String> {
        Ok(match name {
            None | Some("console" | "flat") => Form::Console,
            Some("json") => Form::Json,
            Some("rich_data_json") => Form::RichJson,
            // Written as JSON is, but for what no JSON has.
            Some("pson") if compat.holds(Rule::PsonIsThere) => Form::Json,
            Some("yaml") => Form::Yaml,
            Some("s") => Form::Text,
            Some(name @ ("pson" | "dot" | "binary" | "msgpack" | "rich_data_msgpack")) => {
                return Err(format!("Rendering as '{name}' is not supported"));
            }
            Some(name) => {
                return Err(format!(
                    "Could not parse application options: I don't know how to render '{name}'"
                ));
            }
        })
    }

    /// Has the compile make the catalog with rich data or without, as it is printed in this form: 7 prints it without in all
    /// forms but one; from 8 on `rich_data` says so, that form left out.
    ///
    /// # Errors
    /// Never: the setting takes what it is given.
    pub fn prepare(self, compat: Compat, settings: &mut Settings) -> Result<(), String> {
        match self {
            // As a text it is not written at all.
            Form::RichJson | Form::Text => settings.set("rich_data", &true.into()),
            _ if compat.holds(Rule::PlainCatalogs) => settings.set("rich_data", &false.into()),
            _ => Ok(()),
        }
    }
}

/// A catalog in a form.
///
/// # Errors
/// When the text is no JSON.
pub fn catalog(json: String, form: Form) -> Result<String, String> {
    match form {
        // Ruby tells the address of the object; there is none.
        Form::Text => Ok("#<Puppet::Resource::Catalog>".to_owned()),
        form => data(&json, form, Some("Puppet::Resource::Catalog")),
    }
}

/// Data in a form; YAML names the Ruby class of the object that it is of.
///
/// # Errors
/// When the text is no JSON.
pub fn data(json: &str, form: Form, class: Option<&str>) -> Result<String, String> {
    Ok(match form {
        Form::Console => indented(json),
        Form::Json | Form::RichJson | Form::Text => json.to_owned(),
        Form::Yaml => {
            let text = Data::from_json(json)?.to_yaml();
            match (class, text.strip_prefix("---")) {
                (Some(class), Some(rest)) => format!("--- !ruby/object:{class}{rest}"),
                _ => text,
            }
        }
    })
}

/// JSON in several lines, as Ruby up to 3.3 writes it: what is empty takes lines, too. Values stay as they were written:
/// numbers are not read.
pub fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut in_text, mut escaped) = (0usize, false, false);
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    let mut rest = json.chars().peekable();
    while let Some(c) = rest.next() {
        if in_text {
            out.push(c);
            in_text = c != '"' || escaped;
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            '"' => {
                in_text = true;
                out.push(c);
            }
            '{' | '[' => {
                out.push(c);
                match rest.peek() {
                    Some(end @ ('}' | ']')) => {
                        if *end == ']' {
                            out.push('\n');
                        }
                        line(&mut out, depth);
                        out.push(*end);
                        rest.next();
                    }
                    _ => {
                        depth += 1;
                        line(&mut out, depth);
                    }
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_indented_without_being_read() {
        assert_eq!(
            indented(r#"{"a":[],"b":{},"c":[1.0e+30,"x:\"{,\\"],"d":null}"#),
            "{\n  \"a\": [\n\n  ],\n  \"b\": {\n  },\n  \"c\": [\n    1.0e+30,\n    \"x:\\\"{,\\\\\"\n  ],\n  \"d\": null\n}"
        );
    }

    #[test]
    fn yaml_names_the_class() {
        let text = data(r#"{"a":[1]}"#, Form::Yaml, Some("Puppet::Node::Facts"));
        assert_eq!(text.as_deref(), Ok("--- !ruby/object:Puppet::Node::Facts\na:\n- 1\n"));
    }
}
