//! What changes are called in reports, what they do, and what to write instead.

use bunraku::witness::Change;
use bunraku::{Rule, is_in_mebibytes, structured_fact};

/// What a change is called: words joined by hyphens.
pub(super) fn name(change: Change) -> &'static str {
    match change {
        Change::LegacyFact => "legacy-fact",
        Change::HieraLevel => "hiera-level-without-legacy-fact",
        Change::UnknownVariable => "unknown-variable",
        Change::UndefinedVariable => "undefined-variable",
        Change::NumericCoercion => "numeric-coercion",
        Change::LateOverride => "override-of-evaluated-resource",
        Change::DataIsNoHash => "data-file-without-hash",
        Change::MetadataIsNoJson => "metadata-without-json",
        Change::HieraVersion3 => "hiera-version-3-in-environment-or-module",
        Change::DeprecatedFunction => "deprecated-function",
        Change::Setting => "setting",
        Change::ResourceType => "resource-type",
        Change::Syntax => "static-error",
        Change::Rule(rule) => rule.row().name,
    }
}

/// Whether each subject is a cause of its own; otherwise the change is one cause, whatever it is about.
pub(super) fn is_told_by_subject(change: Change) -> bool {
    !matches!(change, Change::NumericCoercion | Change::LateOverride | Change::Rule(_))
}

/// What the newer version does.
pub(super) fn effect(change: Change, subject: &str) -> String {
    match change {
        Change::LegacyFact => format!("the fact '{subject}' is not sent: reading it fails, or gives undef"),
        Change::HieraLevel => {
            format!("the level {subject} is found by a fact that is not sent, and is not found without it")
        }
        Change::UnknownVariable => format!("reading the unknown variable '{subject}' fails"),
        Change::UndefinedVariable => {
            format!("reading the unknown variable '{subject}' in Hiera's data or in Ruby fails")
        }
        Change::NumericCoercion => "a text that is used as a number fails".to_owned(),
        Change::LateOverride => "setting attributes of a resource that has been evaluated fails".to_owned(),
        Change::DataIsNoHash => format!("the data file {subject} fails: it is no hash"),
        Change::MetadataIsNoJson => {
            format!("the module '{subject}' is not there: its metadata.json is no JSON")
        }
        Change::HieraVersion3 => format!("{subject} fails: it is of version 3"),
        Change::DeprecatedFunction => format!("the deprecated function '{subject}' fails"),
        Change::Setting => {
            format!("the setting '{subject}' is no more, or has another value unless it is set")
        }
        Change::ResourceType => format!("the resource type '{subject}' comes with no package any more"),
        Change::Syntax => format!("the file is not taken: {subject}"),
        Change::Rule(rule) => {
            let row = rule.row();
            let sign = if row.in_7 && !row.in_8 || row.in_8 && !row.in_9 { "no longer: " } else { "" };
            format!("{sign}{}", row.meaning)
        }
    }
}

/// What to write instead in a file, by its kind.
pub(super) fn instead(change: Change, subject: &str, file: Option<&str>) -> String {
    let is = |extension: &str| file.is_some_and(|file| file.ends_with(extension));
    match change {
        Change::LegacyFact => match structured_fact(subject) {
            Some(path) if is(".yaml") || is(".yml") || is(".eyaml") => {
                let unit = if is_in_mebibytes(subject) { ", which are bytes, not MiB" } else { "" };
                format!("%{{facts.{path}}}{unit}")
            }
            Some(path) => {
                let sign = if is(".erb") || is(".rb") { '@' } else { '$' };
                let unit = if is_in_mebibytes(subject) { " / 1048576.0" } else { "" };
                format!("{sign}facts{}{unit}", keys(&path))
            }
            None => format!("the structured fact that says what '{subject}' says"),
        },
        Change::HieraLevel => "the structured fact in the path of hiera.yaml: see the fact itself".to_owned(),
        Change::UnknownVariable => {
            format!("a value for ${subject} before it is read, or getvar('{subject}')")
        }
        Change::UndefinedVariable => format!("a value for '{subject}', or a default where it is read"),
        Change::NumericCoercion => "Integer(…), Float(…) or Numeric(…) around the text".to_owned(),
        Change::LateOverride => "the attributes where the resource is declared".to_owned(),
        Change::DataIsNoHash => "a hash of keys in the file, {} for none".to_owned(),
        Change::MetadataIsNoJson => "a metadata.json that is JSON, or none".to_owned(),
        Change::HieraVersion3 => "a hiera.yaml of version 5".to_owned(),
        Change::DeprecatedFunction => "what the message of its deprecation names".to_owned(),
        Change::Setting => "the value itself, or the setting in puppet.conf".to_owned(),
        Change::ResourceType => format!("the module that has '{subject}', in the module path"),
        Change::Syntax => "code that the newer version takes: see the message".to_owned(),
        Change::Rule(rule) => of_rule(rule).to_owned(),
    }
}

/// A dotted path as Puppet and Ruby both write it; a number is an index.
fn keys(path: &str) -> String {
    let key = |key: &str| match key.bytes().all(|byte| byte.is_ascii_digit()) {
        true => format!("[{key}]"),
        false => format!("['{key}']"),
    };
    path.split('.').map(key).collect()
}

fn of_rule(rule: Rule) -> &'static str {
    match rule {
        Rule::AddedListsAreOfPairs => "pairs of a key and a value in the list that is added",
        Rule::VersionsAreCompared => "a block that says how to compare, if they are to be compared as texts",
        Rule::RegsubstTakesEncoding | Rule::RegsubstEncodingWarns => "regsubst without its fifth argument",
        Rule::EnvironmentDataProvider => "a hiera.yaml of version 5 in the environment",
        Rule::ComputedParameterTypesWarn => "a literal type, or a type alias",
        Rule::NodePatternsSpellLookaround | Rule::NodePatternsInLowerCase => {
            "the node's class by its new name, if anything refers to it"
        }
        Rule::DuplicateKeysOfAnyKind => "each key of a hash once",
        _ => "what fits the newer version",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_legacy_fact_has_its_form_in_each_kind_of_file() {
        let of = |file| instead(Change::LegacyFact, "processor0", Some(file));
        assert_eq!(of("a.pp"), "$facts['processors']['models'][0]");
        assert_eq!(of("a.erb"), "@facts['processors']['models'][0]");
        assert_eq!(of("hiera.yaml"), "%{facts.processors.models.0}");
        let of = |file| instead(Change::LegacyFact, "memorysize_mb", Some(file));
        assert_eq!(of("a.pp"), "$facts['memory']['system']['total_bytes'] / 1048576.0");
        assert_eq!(of("hiera.yaml"), "%{facts.memory.system.total_bytes}, which are bytes, not MiB");
    }
}
