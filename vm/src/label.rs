//! What Puppet's messages call values: "an Integer", "a Boolean-Type".

use crate::types::name::simple_name;
use crate::types::print::print;
use crate::types::ty::Type;
use crate::value::{Object, Value};

/// The label: `Integer`, `Undef Value`, `Array[String]-Type`.
pub fn value(value: Value<'_>) -> String {
    match value {
        Value::Undef => "Undef Value".into(),
        Value::Default | Value::Closure(_) | Value::Iterator(_) => "Object".into(),
        Value::Bool(_) => "Boolean".into(),
        Value::Int(_) => "Integer".into(),
        Value::Float(_) => "Float".into(),
        Value::Str(_) => "String".into(),
        Value::Array(_) => "Array".into(),
        Value::Hash(_) => "Hash".into(),
        Value::Type(Type::Resource { held: true, .. }) => "Resource Statement".into(),
        Value::Type(ty @ Type::Resource { title: Some(_), .. }) => {
            format!("{} Resource-Reference", print(ty))
        }
        Value::Type(ty) => format!("{}-Type", print(ty)),
        Value::Regexp(_) => "Regexp".into(),
        Value::Sensitive(_) => "Sensitive".into(),
        Value::Timestamp(_) => "Timestamp".into(),
        Value::Timespan(_) => "Timespan".into(),
        Value::SemVer(_) => "Semver".into(),
        Value::SemVerRange(_) => "SemverRange".into(),
        Value::Binary(_) => "Binary".into(),
        Value::Uri(_) | Value::Object(_) => "Object".into(),
    }
}

/// `a` or `an` for a text, quotes skipped.
pub fn article(text: &str) -> &'static str {
    let first = text.chars().find(|c| !matches!(c, '\'' | '"')).unwrap_or(' ');
    if matches!(first.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u' | 'y') { "an" } else { "a" }
}

/// A text with its article.
pub fn a_an(text: &str) -> String {
    format!("{} {text}", article(text))
}

/// The label with its article: "an Integer".
pub fn value_an(of: Value<'_>) -> String {
    a_an(&value(of))
}

/// The label with its article at the start of a sentence: "An Integer".
pub fn value_an_uc(of: Value<'_>) -> String {
    let text = value(of);
    let article = if article(&text) == "an" { "An" } else { "A" };
    format!("{article} {text}")
}

/// The name of the Ruby class that holds such a value in Puppet; some messages show it.
pub fn ruby_class(value: Value<'_>) -> String {
    match value {
        Value::Undef => "NilClass".into(),
        Value::Default => "Symbol".into(),
        Value::Bool(true) => "TrueClass".into(),
        Value::Bool(false) => "FalseClass".into(),
        Value::Int(_) => "Integer".into(),
        Value::Float(_) => "Float".into(),
        Value::Str(_) => "String".into(),
        Value::Array(_) => "Array".into(),
        Value::Hash(_) => "Hash".into(),
        Value::Type(ty) => format!("Puppet::Pops::Types::P{}Type", simple_name(ty)),
        Value::Regexp(_) => "Regexp".into(),
        Value::Sensitive(_) => "Puppet::Pops::Types::PSensitiveType::Sensitive".into(),
        Value::Closure(_) => "Puppet::Pops::Evaluator::PuppetProc".into(),
        Value::Iterator(_) => "Puppet::Pops::Types::Iterator".into(),
        Value::Timestamp(_) => "Puppet::Pops::Time::Timestamp".into(),
        Value::Timespan(_) => "Puppet::Pops::Time::Timespan".into(),
        Value::SemVer(_) => "SemanticPuppet::Version".into(),
        Value::SemVerRange(_) => "SemanticPuppet::VersionRange".into(),
        Value::Binary(_) => "Puppet::Pops::Types::PBinaryType::Binary".into(),
        Value::Uri(uri) => match uri.split(':').next() {
            Some("http") => "URI::HTTP",
            Some("https") => "URI::HTTPS",
            Some("ftp") => "URI::FTP",
            Some("ldap") => "URI::LDAP",
            Some("mailto") => "URI::MailTo",
            Some("file") => "URI::File",
            _ => "URI::Generic",
        }
        .into(),
        Value::Object(Object { plain: Some(plain), .. }) => plain.class.into(),
        Value::Object(object) => format!("Puppet::DataTypes::{}", object.type_name),
    }
}

/// The class with its article, that of a type or an object as Puppet shortens it: "a String", "an Integer-Type".
pub fn class_an(value: Value<'_>) -> String {
    match value {
        Value::Type(ty) => a_an(&format!("{}-Type", simple_name(ty))),
        Value::Object(object @ Object { plain: None, .. }) => a_an(object.type_name),
        value => a_an(&ruby_class(value)),
    }
}
