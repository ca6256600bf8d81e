//! Settings of a compile by arguments: how they are read, and what they change.

use super::CompileArguments;
use bunraku::{Certificates, Data, Exported, Settings, Strict};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::time::Duration;

/// Takes the setting `strict`.
pub fn strict() -> impl TypedValueParser<Value = Strict> {
    PossibleValuesParser::new(["off", "warning", "error"]).map(|name| match name.as_str() {
        "off" => Strict::Off,
        "warning" => Strict::Warning,
        _ => Strict::Error,
    })
}

/// Programs by their paths, as the setting `pure_programs`.
pub fn programs(paths: &[String]) -> Data {
    Data::List(paths.iter().cloned().map(Data::from).collect())
}

/// Limits of a compile, by their settings.
const LIMITS: [&str; 10] = [
    "exec_output",
    "exec_timeout",
    "max_calls",
    "max_depth",
    "max_file",
    "max_memory",
    "max_nesting",
    "max_steps",
    "ruby_memory",
    "ruby_timeout",
];

/// A number of seconds, 0 for without end.
///
/// # Errors
/// When the text is none.
pub fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|n| Duration::try_from_secs_f64(*n).is_ok());
    seconds.ok_or_else(|| "not a number of seconds".to_owned())
}

/// Takes a limit by its name.
///
/// # Errors
/// When there is none of the name, or the value is no number that it takes.
pub fn limit(text: &str) -> Result<(String, Data), String> {
    let (name, number) = text.split_once('=').ok_or("it takes NAME=NUMBER")?;
    if !LIMITS.contains(&name) {
        return Err(format!("there is no limit '{name}'; there are {}", LIMITS.join(", ")));
    }
    match Data::from_json(number) {
        Ok(number @ (Data::Integer(_) | Data::Float(_))) => {
            Settings::default().set(name, &number)?;
            Ok((name.to_owned(), number))
        }
        _ => Err("it takes a number".to_owned()),
    }
}

impl CompileArguments {
    /// Settings with what arguments say of them.
    ///
    /// # Errors
    /// When a value does not fit.
    pub fn change(&self, settings: &mut Settings) -> Result<(), String> {
        if let Some(strict) = self.strict {
            settings.strict = strict;
        }
        if self.strict_variables || self.no_strict_variables {
            settings.strict_variables = self.strict_variables;
        }
        if self.include_legacy_facts || self.no_include_legacy_facts {
            settings.set("include_legacy_facts", &self.include_legacy_facts.into())?;
        }
        settings.native_stdlib = !self.no_native_stdlib;
        settings.native_ruby = !self.no_native_ruby;
        settings.hashes = self.ruby_inspect;
        for (name, value) in &self.limits {
            settings.set(name, value)?;
        }
        if !self.pure_programs.is_empty() {
            settings.set("pure_programs", &programs(&self.pure_programs))?;
        }
        if let Some(file) = &self.pure_outputs {
            let whole = std::path::absolute(file);
            settings.pure_outputs = Some(whole.map_err(|error| format!("{}: {error}", file.display()))?);
        }
        if let Some(timeout) = self.timeout {
            settings.set("timeout", &timeout.into())?;
        }
        if let Some(ruby) = &self.ruby {
            settings.ruby.program = ruby.clone();
        }
        if let Some(place) = &self.storeconfigs {
            settings.exported = Some(self.exported(place));
        }
        Ok(())
    }

    fn exported(&self, place: &str) -> Exported {
        if !place.starts_with("http://") && !place.starts_with("https://") {
            return Exported::Folder(place.into());
        }
        let certificates = Certificates {
            authorities: self.localcacert.clone(),
            certificate: self.hostcert.clone(),
            key: self.hostprivkey.clone(),
        };
        Exported::PuppetDb {
            url: place.to_owned(),
            certificates,
            replace_catalog: false,
            soft_write_failure: false,
        }
    }
}
