//! What a module's `metadata.json` says, and whether the module is there with it: one whose metadata lacks something is
//! not; whether one is whose metadata is no JSON depends on the setting `strict`.
//! Source: `Puppet::Module#load_metadata` of the oracles; `spec/autoloading.md`, "Modules' metadata".

use bunraku_compiler::check::json;
use bunraku_data::json::inspect;
use bunraku_vm::compat::{Compat, Rule};
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::host::Strict;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// What a compile wants of a module's metadata.json.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Metadata {
    /// The module's version.
    pub version: Option<String>,
    /// Who gives its data, by the way of old.
    pub data_provider: Option<String>,
    /// Names of the modules that it depends on; none if it lists none at all, and then it sees every module.
    pub dependencies: Option<Vec<String>>,
    /// What is wrong with it: then it says nothing else.
    pub fault: Option<MetadataFault>,
}

/// What is wrong with a module's metadata.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MetadataFault {
    /// It is no JSON, in the words of Ruby's parser.
    Unparsable(String),
    /// A key has no value.
    Missing(String),
    /// The dependencies are no list but this, as Ruby writes it.
    DependenciesAreNoList(String),
    /// Puppet fails with some error of Ruby's that names no module; what is wrong is said in our words.
    Unusable(String),
}

/// What follows from a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consequence {
    /// The module is there, as if it had no metadata; a message may say so.
    Told(Option<(Severity, String)>),
    /// The module is not there, and this is logged.
    Absent(String),
    /// No compile can be made with the environment.
    Fatal(String),
}

impl MetadataFault {
    /// What follows for the module of a name, by the setting `strict`.
    pub fn consequence(&self, module: &str, strict: Strict) -> Consequence {
        match self {
            MetadataFault::Unparsable(error) => {
                let message = format!(
                    "{module} has an invalid and unparsable metadata.json file. The parse error: {error}"
                );
                match strict {
                    // A debug message of Puppet's.
                    Strict::Off => Consequence::Told(None),
                    Strict::Warning => Consequence::Told(Some((Severity::Warning, message))),
                    Strict::Error => Consequence::Absent(message),
                }
            }
            MetadataFault::Missing(key) => {
                Consequence::Absent(format!("No {key} module metadata provided for {module}"))
            }
            MetadataFault::DependenciesAreNoList(value) => Consequence::Absent(format!(
                "The value for the key dependencies in the file metadata.json of the module {module} must be an array, not: '{value}'"
            )),
            MetadataFault::Unusable(why) => {
                Consequence::Fatal(format!("The metadata.json of the module {module} can't be used: {why}"))
            }
        }
    }
}

/// The keys without which a module is not there.
const REQUIRED: [&str; 5] = ["source", "author", "version", "license", "dependencies"];

/// The name of a module without that of its author (`us-ntp`, `us/ntp`).
pub(crate) fn own_name(full: &str) -> &str {
    full.rsplit(['/', '-']).next().unwrap_or_default()
}

impl Metadata {
    /// Reads the content of a metadata.json as a version does.
    pub fn of(content: &[u8], compat: Compat) -> Metadata {
        Metadata::read(content, compat).unwrap_or_else(Metadata::with_fault)
    }

    /// Metadata with which something is wrong.
    pub fn with_fault(fault: MetadataFault) -> Metadata {
        Metadata { fault: Some(fault), ..Metadata::default() }
    }

    fn read(content: &[u8], compat: Compat) -> Result<Metadata, MetadataFault> {
        if content.is_empty() && compat.holds(Rule::EmptyMetadataIsNone) {
            return Ok(Metadata::default());
        }
        let text = String::from_utf8_lossy(content);
        let json = json::without_comments(&text, compat).map_err(MetadataFault::Unparsable)?;
        let json: Json =
            serde_json::from_str(&json).map_err(|error| MetadataFault::Unusable(error.to_string()))?;
        match &json {
            Json::Object(keys) if !keys.is_empty() => Metadata::of_keys(&json),
            Json::Object(_) => Ok(Metadata::default()),
            Json::Array(items) if items.is_empty() => Ok(Metadata::default()),
            Json::String(text) if text.is_empty() => Ok(Metadata::default()),
            // Ruby finds none of the keys in it.
            Json::String(_) => Err(MetadataFault::Missing(REQUIRED[0].to_owned())),
            _ => Err(MetadataFault::Unusable("it is no hash".to_owned())),
        }
    }

    fn of_keys(json: &Json) -> Result<Metadata, MetadataFault> {
        let value = |key: &str| json.get(key).filter(|value| !value.is_null());
        if value("name").is_some_and(|name| !name.is_string() && *name != false) {
            return Err(MetadataFault::Unusable("its name is no string".to_owned()));
        }
        if let Some(missing) = REQUIRED.iter().find(|key| value(key).is_none()) {
            return Err(MetadataFault::Missing((*missing).to_owned()));
        }
        let dependencies = value("dependencies").unwrap_or(&Json::Null);
        let Json::Array(listed) = dependencies else {
            return Err(MetadataFault::DependenciesAreNoList(inspect(dependencies)));
        };
        let is_usable = |one: &Json| {
            one.is_object() && one.get("name").is_none_or(|name| name.is_string() || name.is_null())
        };
        if let Some(other) = listed.iter().find(|one| !is_usable(one)) {
            return Err(MetadataFault::Unusable(format!("{} is no dependency", inspect(other))));
        }
        let text = |key: &str| value(key).and_then(Json::as_str).map(str::to_owned);
        let name = |entry: &Json| Some(own_name(entry.get("name")?.as_str()?).to_owned());
        Ok(Metadata {
            version: text("version"),
            data_provider: text("data_provider"),
            dependencies: Some(listed.iter().filter_map(name).collect()),
            fault: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn consequence(text: &str, strict: Strict) -> Option<Consequence> {
        Metadata::of(text.as_bytes(), Compat::V8).fault.map(|fault| fault.consequence("m", strict))
    }

    #[test]
    fn what_ends_in_an_error_of_rubys_names_the_module() {
        for text in ["5", "null", "[1]", "{\"name\": 1}"] {
            let Some(Consequence::Fatal(message)) = consequence(text, Strict::Off) else { panic!("{text}") };
            assert!(message.starts_with("The metadata.json of the module m can't be used: it"), "{message}");
        }
        let rest = r#""author": "a", "license": "l", "source": "s", "version": "1""#;
        for dependency in ["1", "\"stdlib\"", "{\"name\": 1}", "null"] {
            let text = format!("{{{rest}, \"dependencies\": [{dependency}]}}");
            assert!(matches!(consequence(&text, Strict::Off), Some(Consequence::Fatal(_))), "{text}");
        }
    }

    #[test]
    fn strict_decides_only_what_is_no_json() {
        assert_eq!(consequence("{", Strict::Off), Some(Consequence::Told(None)));
        assert!(matches!(consequence("{", Strict::Warning), Some(Consequence::Told(Some(_)))));
        assert!(matches!(consequence("{", Strict::Error), Some(Consequence::Absent(_))));
        assert!(matches!(consequence("{\"a\": 1}", Strict::Off), Some(Consequence::Absent(_))));
        assert_eq!(consequence("{}", Strict::Error), None);
    }
}
