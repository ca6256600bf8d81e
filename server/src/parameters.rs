//! The parameters of requests as Puppet's routes read them: texts that look like numbers and truth values become these, and
//! a key that comes more than once is a list. Messages show them as Ruby does.

use crate::exchange::Request;
use std::fmt::{self, Display, Formatter};

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// `true` or `false`.
    Boolean(bool),
    /// Digits and nothing else; what no number of 64 bits holds is the largest one.
    Integer(i64),
    /// Digits with a point between them.
    Float(f64),
    /// Anything else.
    Text(String),
    /// All values of a key that comes more than once.
    List(Vec<Parameter>),
}

/// What Puppet takes out of the query before anybody sees it.
const TAKEN_OUT: [&str; 8] = [
    "node",
    "ip",
    "authenticated",
    "environment",
    "bucket_path",
    "ignore_terminus",
    "ignore_cache",
    "ignore_cache_save",
];

impl Parameter {
    /// The parameter of a name.
    pub fn of(request: &Request, name: &str) -> Option<Parameter> {
        let mut all: Vec<Parameter> = request.queries(name).map(Parameter::read).collect();
        match all.len() {
            0 | 1 => all.pop(),
            _ => Some(Parameter::List(all)),
        }
    }

    fn read(text: &str) -> Parameter {
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text {
            "true" => Parameter::Boolean(true),
            "false" => Parameter::Boolean(false),
            _ if is_digits(text) => Parameter::Integer(text.parse().unwrap_or(i64::MAX)),
            _ => match text.split_once('.') {
                Some((whole, rest)) if is_digits(whole) && is_digits(rest) => {
                    text.parse().map_or_else(|_| Parameter::Text(text.to_owned()), Parameter::Float)
                }
                _ => Parameter::Text(text.to_owned()),
            },
        }
    }

    /// Whether Ruby takes it for true.
    pub fn is_true(&self) -> bool {
        *self != Parameter::Boolean(false)
    }

    /// Its text, where it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Parameter::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The class of it in Ruby, as errors of comparisons name it.
    pub fn class(&self) -> &'static str {
        match self {
            Parameter::Boolean(true) => "true",
            Parameter::Boolean(false) => "false",
            Parameter::Integer(_) => "Integer",
            Parameter::Float(_) => "Float",
            Parameter::Text(_) => "String",
            Parameter::List(_) => "Array",
        }
    }

    /// As Ruby's `inspect` writes it.
    fn inspect(&self) -> String {
        match self {
            Parameter::Text(text) => inspect(text),
            other => other.to_string(),
        }
    }
}

/// As Ruby's `to_s` writes it.
impl Display for Parameter {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Parameter::Boolean(value) => value.fmt(out),
            Parameter::Integer(number) => number.fmt(out),
            Parameter::Float(number) if number.fract() == 0.0 => write!(out, "{number:.1}"),
            Parameter::Float(number) => number.fmt(out),
            Parameter::Text(text) => text.fmt(out),
            Parameter::List(all) => {
                let all: Vec<String> = all.iter().map(Parameter::inspect).collect();
                write!(out, "[{}]", all.join(", "))
            }
        }
    }
}

/// A text as Ruby's `inspect` writes it.
pub(crate) fn inspect(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{1b}' => out.push_str("\\e"),
            c if c.is_ascii_control() => out.push_str(&format!("\\x{:02X}", c as u32)),
            c => out.push(c),
        }
    }
    out + "\""
}

/// What a message says of a request that has parameters besides those that Puppet takes out: ` with {:recurse=>true}`.
pub fn with_parameters(request: &Request) -> String {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in &request.query {
        if !name.is_empty() && !TAKEN_OUT.contains(&name.as_str()) && !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let pairs: Vec<String> = names
        .into_iter()
        .filter_map(|name| {
            let value = Parameter::of(request, name)?.inspect();
            let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                && !name.starts_with(|first: char| first.is_ascii_digit());
            let key = if is_plain { name.to_owned() } else { inspect(name) };
            Some(format!(":{key}=>{value}"))
        })
        .collect();
    match pairs.is_empty() {
        true => String::new(),
        false => format!(" with {{{}}}", pairs.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::get;

    #[test]
    fn parameters_are_read_and_shown_as_puppet_does() {
        let request = get("/x?a=true&b=007&c=1.50&d=&e=-1&f=1&f=x%22&environment=production&g-h=1");
        let of = |name: &str| Parameter::of(&request, name).unwrap();
        assert_eq!(of("a"), Parameter::Boolean(true));
        assert_eq!(of("b"), Parameter::Integer(7));
        assert_eq!(of("c"), Parameter::Float(1.5));
        assert_eq!(of("d"), Parameter::Text(String::new()));
        assert_eq!(of("e"), Parameter::Text("-1".to_owned()));
        assert_eq!(of("f").to_string(), r#"[1, "x\""]"#);
        assert_eq!(Parameter::of(&request, "z"), None);
        let shown = r#" with {:a=>true, :b=>7, :c=>1.5, :d=>"", :e=>"-1", :f=>[1, "x\""], :"g-h"=>1}"#;
        assert_eq!(with_parameters(&request), shown);
        assert_eq!(Parameter::read("99999999999999999999"), Parameter::Integer(i64::MAX));
    }
}
