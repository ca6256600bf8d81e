//! Values outside of a compile: facts, parameters of resources, arguments and results of an embedding program's functions.

use bunraku_hiera::data_file::data::Data as Yaml;
use bunraku_hiera::data_file::hocon;
use bunraku_hiera::data_file::yaml::{self, YamlFault};
use serde_json::{Map, Number, Value as Json};
use std::fmt::{Display, Formatter};

/// A value.
///
/// What JSON has no form for is as catalogs have it: a [`Data::Map`] with `__ptype` and `__pvalue`
/// (puppet-specifications, "Pcore data representation").
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Data {
    /// `undef`, null
    #[default]
    Undef,
    /// `true`, `false`
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Float(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Data>),
    /// Values by name, in order.
    Map(Vec<(String, Data)>),
}

impl Data {
    /// Reads JSON. Whole numbers beyond 64 bits become floats.
    ///
    /// # Errors
    /// What is wrong with the text, with line and column.
    pub fn from_json(text: &str) -> Result<Data, String> {
        serde_json::from_str(text).map(Data::of).map_err(|error| error.to_string())
    }

    /// Reads the first document of a YAML text as Ruby does. Keys that are no texts, and symbols, are told apart from texts.
    ///
    /// # Errors
    /// What is wrong with the text, with line and column.
    pub fn from_yaml(text: &str) -> Result<Data, String> {
        match yaml::parse(text) {
            Ok(data) => Ok(Data::of_yaml(data)),
            Err(YamlFault::Syntax(why) | YamlFault::Alias(why) | YamlFault::Class(why)) => Err(why),
        }
    }

    /// Reads HOCON, the form of Puppet Server's configuration. Includes of other files are refused.
    ///
    /// # Errors
    /// What is wrong with the text, with line and column.
    pub fn from_hocon(text: &str) -> Result<Data, String> {
        hocon::parse(text).map(Data::of_yaml)
    }

    fn of_yaml(data: Yaml) -> Data {
        let key = |key: Yaml| match key {
            Yaml::Text(text) => text,
            other => format!("!{}", Data::of_yaml(other).to_json()),
        };
        match data {
            Yaml::Null => Data::Undef,
            Yaml::Bool(value) => Data::Boolean(value),
            Yaml::Int(whole) => Data::Integer(whole),
            Yaml::Float(number) => Data::Float(number),
            Yaml::Text(text) => Data::Text(text),
            Yaml::Symbol(name) => Data::from([("__symbol", name)]),
            Yaml::Pattern(source) => Data::from([("__pattern", source)]),
            Yaml::List(all) => Data::List(all.into_iter().map(Data::of_yaml).collect()),
            Yaml::Map(all) => {
                Data::Map(all.into_iter().map(|(name, value)| (key(name), Data::of_yaml(value))).collect())
            }
            Yaml::Object(_, inner) | Yaml::Instance(_, inner) => Data::of_yaml(*inner),
        }
    }

    /// Writes JSON, in one line.
    pub fn to_json(&self) -> String {
        self.json().to_string()
    }

    /// Writes YAML as Ruby does, in blocks.
    pub fn to_yaml(&self) -> String {
        yaml::write::dump(&self.yaml())
    }

    fn yaml(&self) -> Yaml {
        match self {
            Data::Undef => Yaml::Null,
            Data::Boolean(value) => Yaml::Bool(*value),
            Data::Integer(whole) => Yaml::Int(*whole),
            Data::Float(number) => Yaml::Float(*number),
            Data::Text(text) => Yaml::Text(text.clone()),
            Data::List(all) => Yaml::List(all.iter().map(Data::yaml).collect()),
            Data::Map(all) => {
                Yaml::Map(all.iter().map(|(name, value)| (Yaml::Text(name.clone()), value.yaml())).collect())
            }
        }
    }

    /// The value of a name in a map.
    pub fn get(&self, name: &str) -> Option<&Data> {
        match self {
            Data::Map(all) => all.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text, where it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The elements, where it is a list.
    pub fn as_list(&self) -> Option<&[Data]> {
        match self {
            Data::List(all) => Some(all),
            _ => None,
        }
    }

    pub(crate) fn of(json: Json) -> Data {
        match json {
            Json::Null => Data::Undef,
            Json::Bool(value) => Data::Boolean(value),
            Json::Number(number) => match number.as_i64() {
                Some(whole) => Data::Integer(whole),
                None => Data::Float(number.as_f64().unwrap_or_default()),
            },
            Json::String(text) => Data::Text(text),
            Json::Array(all) => Data::List(all.into_iter().map(Data::of).collect()),
            Json::Object(all) => Data::of_map(all),
        }
    }

    pub(crate) fn of_map(all: Map<String, Json>) -> Data {
        Data::Map(all.into_iter().map(|(name, value)| (name, Data::of(value))).collect())
    }

    pub(crate) fn json(&self) -> Json {
        match self {
            Data::Undef => Json::Null,
            Data::Boolean(value) => Json::Bool(*value),
            Data::Integer(whole) => Json::from(*whole),
            Data::Float(number) => Number::from_f64(*number).map_or(Json::Null, Json::Number),
            Data::Text(text) => Json::String(text.clone()),
            Data::List(all) => Json::Array(all.iter().map(Data::json).collect()),
            Data::Map(all) => Json::Object(map(all)),
        }
    }
}

/// Values by name as the compile takes them.
pub(crate) fn map(all: &[(String, Data)]) -> Map<String, Json> {
    all.iter().map(|(name, value)| (name.clone(), value.json())).collect()
}

impl Display for Data {
    /// A text as it is, everything else as JSON.
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Data::Text(text) => f.write_str(text),
            other => f.write_str(&other.to_json()),
        }
    }
}

macro_rules! from {
    ($($type:ty => $make:expr;)*) => {
        $(impl From<$type> for Data {
            fn from(value: $type) -> Data {
                $make(value)
            }
        })*
    };
}

from! {
    bool => Data::Boolean;
    i64 => Data::Integer;
    i32 => |whole: i32| Data::Integer(whole.into());
    f64 => Data::Float;
    String => Data::Text;
    &str => |text: &str| Data::Text(text.to_owned());
    Vec<Data> => Data::List;
}

impl<V: Into<Data>, const N: usize> From<[(&str, V); N]> for Data {
    fn from(all: [(&str, V); N]) -> Data {
        Data::Map(all.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_there_and_back() {
        let text = r#"{"b":[1,2.5,null,true],"a":{"x":"ü\n"}}"#;
        let data = Data::from_json(text).unwrap();
        assert_eq!(data.to_json(), text);
        assert_eq!(data.get("a").and_then(|a| a.get("x")).and_then(Data::as_str), Some("ü\n"));
        assert_eq!(Data::from([("a", 1)]), Data::from_json("{\"a\": 1}").unwrap());
        assert!(Data::from_json("{").unwrap_err().contains("line 1"));
    }
}
