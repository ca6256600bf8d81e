//! Facts that are told otherwise than they are: what would happen if.

use bunraku::{Data, Facts};

/// A fact in place of the node's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// Names from the top, one for each level.
    path: Vec<String>,
    value: Data,
}

impl Override {
    /// Reads `fact=value` as octocatalog-diff does: numbers, `true` and `false` are such, all else is text, unless a type stands
    /// before it in parentheses: `(string)`, `(integer)`, `(float)`, `(boolean)`, `(json)`, `(nil)`. A name with dots is that of a
    /// fact within others.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Override, String> {
        let (name, value) = text
            .trim()
            .split_once('=')
            .ok_or_else(|| format!("Fact override '{text}' is not in 'key=(data type)value' format"))?;
        let path: Vec<String> = name.trim().split('.').map(str::to_owned).collect();
        match path.iter().any(String::is_empty) {
            true => Err(format!("Fact override '{text}' names no fact")),
            false => Ok(Override { path, value: value_of(value.trim())? }),
        }
    }

    /// The facts with this one in place of their own.
    pub fn apply(&self, facts: &Facts) -> Facts {
        let Some((first, rest)) = self.path.split_first() else { return facts.clone() };
        facts.with(first, within(facts.get(first), rest, &self.value))
    }
}

fn within(own: Option<Data>, path: &[String], value: &Data) -> Data {
    let Some((first, rest)) = path.split_first() else { return value.clone() };
    let mut all = match own {
        Some(Data::Map(all)) => all,
        _ => Vec::new(),
    };
    match all.iter_mut().find(|(name, _)| name == first) {
        Some((_, inner)) => *inner = within(Some(inner.clone()), rest, value),
        None => all.push((first.clone(), within(None, rest, value))),
    }
    Data::Map(all)
}

fn value_of(text: &str) -> Result<Data, String> {
    let typed = text.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let is_word =
        |(name, _): &(&str, &str)| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let Some((name, value)) = typed.filter(is_word) else { return Ok(guessed(text)) };
    let illegal = |what: &str| format!("Illegal {what} '{value}'");
    match name.to_lowercase().as_str() {
        "string" => Ok(value.into()),
        "json" => Data::from_json(value)
            .map_err(|error| format!("Failed to parse JSON: input={value} error={error}")),
        "nil" => Ok(Data::Undef),
        "fixnum" | "integer" => value.parse().map(Data::Integer).map_err(|_| illegal("integer")),
        "float" => value.parse().map(Data::Float).map_err(|_| illegal("float")),
        "boolean" => value.to_lowercase().parse().map(Data::Boolean).map_err(|_| illegal("boolean")),
        _ => Err(format!("Unknown data type '{name}'")),
    }
}

fn guessed(text: &str) -> Data {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_float = digits.split_once('.').is_some_and(|(whole, part)| {
        !part.is_empty() && whole.bytes().chain(part.bytes()).all(|byte| byte.is_ascii_digit())
    });
    let number = if is_number { text.parse().ok().map(Data::Integer) } else { None };
    let float = if is_float { text.parse().ok().map(Data::Float) } else { None };
    let truth = text.to_lowercase().parse().ok().map(Data::Boolean);
    number.or(float).or(truth).unwrap_or_else(|| text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_octocatalog_diffs_types() {
        let of = |text: &str| Override::parse(text).map(|one| one.value.to_json());
        let cases = [
            ("a=1", "1"),
            ("a=-1.5", "-1.5"),
            ("a=TRUE", "true"),
            ("a=x", "\"x\""),
            ("a=(string)1", "\"1\""),
            ("a=(json)[1]", "[1]"),
            ("a=(nil)", "null"),
            ("a=1.2.3", "\"1.2.3\""),
        ];
        for (text, json) in cases {
            assert_eq!(of(text), Ok(json.to_owned()), "{text}");
        }
        for text in ["a", "=1", "a..b=1", "a=(integer)x", "a=(no)x"] {
            assert!(of(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_fact_within_others_leaves_them() {
        let facts = Facts::from_json(r#"{"os": {"family": "Debian", "name": "x"}}"#).expect("facts");
        let one = Override::parse("os.family=RedHat").expect("an override");
        let other = one.apply(&facts).get("os").map(|os| os.to_json());
        assert_eq!(other.as_deref(), Some(r#"{"family":"RedHat","name":"x"}"#));
    }
}
