//! YAML as Puppet reads it of classifiers and of facts that it has kept: by the rules of Ruby's Psych, which are those of
//! Hiera's data, too. `0644` is a number in base eight, `7e21` and `y` are texts, of several documents the first counts.

use bunraku_hiera::data_file::data::Data;
use bunraku_hiera::data_file::yaml::{self, Patterns, YamlFault};
use serde_json::{Map, Number, Value as Json};

/// What a classifier printed.
///
/// # Errors
/// Psych's words; what no JSON can say.
pub(crate) fn of_classifier(text: &str) -> Result<Json, String> {
    yaml::load(text, Patterns::Refused).map_err(|fault| told(&fault)).and_then(json)
}

/// What Puppet, or a person, has written of a node's facts: objects are what they hold.
///
/// # Errors
/// As of [`of_classifier`].
pub(crate) fn of_facts(text: &str) -> Result<Json, String> {
    yaml::load_kept(text).map_err(|fault| told(&fault)).and_then(json)
}

fn told(fault: &YamlFault) -> String {
    format!("(<unknown>): {fault}")
}

fn json(data: Data) -> Result<Json, String> {
    Ok(match data {
        Data::Null => Json::Null,
        Data::Bool(is) => Json::Bool(is),
        Data::Int(number) => Json::from(number),
        Data::Float(number) => match Number::from_f64(number) {
            Some(number) => Json::Number(number),
            None => return Err(format!("{number} is a number that can't be passed on")),
        },
        Data::Text(text) | Data::Symbol(text) | Data::Pattern(text) => Json::String(text),
        Data::Object(_, data) | Data::Instance(_, data) => json(*data)?,
        Data::List(items) => Json::Array(items.into_iter().map(json).collect::<Result<_, _>>()?),
        Data::Map(pairs) => {
            let pair = |(key, value)| Ok((name(key)?, json(value)?));
            Json::Object(pairs.into_iter().map(pair).collect::<Result<Map<_, _>, String>>()?)
        }
    })
}

/// A key, which JSON has as a text.
fn name(key: Data) -> Result<String, String> {
    Ok(match json(key)? {
        Json::String(text) => text,
        Json::Null => String::new(),
        other => other.to_string(),
    })
}
