//! All settings of a compile that is asked for: its own, those of Ruby workers, and Puppet's others, which code reads.

use crate::inputs::Settings;
use crate::programs::PurePrograms;
use crate::settings::{self, Given};
use bunraku_files::read::MAX_FILE;
use bunraku_ruby::WorkerSettings;
use bunraku_vm::host::Strict;
use serde_json::{Number, Value as Json};
use std::time::Duration;

/// See the module.
#[derive(Clone, Debug)]
pub struct RequestSettings {
    /// Those of the compile, with its limits.
    pub compile: Settings,
    /// How code in Ruby is run.
    pub ruby: WorkerSettings,
    /// Puppet's others.
    pub given: Given,
    /// Bytes that a file of the environment may hold: `max_file`.
    pub max_file: u64,
    /// Programs whose output depends on their arguments alone: `pure_programs`, `pure_outputs`.
    pub pure_programs: PurePrograms,
}

impl Default for RequestSettings {
    fn default() -> Self {
        RequestSettings {
            compile: Settings::default(),
            ruby: WorkerSettings::default(),
            given: Given::default(),
            max_file: MAX_FILE,
            pure_programs: PurePrograms::default(),
        }
    }
}

impl RequestSettings {
    /// Sets one by its name: Puppet's where Puppet has it.
    ///
    /// # Errors
    /// When there is none of that name, or the value is not of its kind.
    pub fn set(&mut self, name: &str, value: &Json) -> Result<(), String> {
        match (name, value) {
            // Sets what the version's defaults are for, too: it comes first.
            ("compat", value) => {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                self.compile = self.compile.with_compat(text.parse()?);
            }
            ("strict", Json::String(text)) => {
                self.compile.strict = match text.as_str() {
                    "off" => Strict::Off,
                    "warning" => Strict::Warning,
                    "error" => Strict::Error,
                    other => {
                        return Err(format!(
                            "Invalid value '{other}' for parameter strict. Allowed values are 'off', 'warning', 'error'"
                        ));
                    }
                };
            }
            ("strict_variables", Json::Bool(value)) => self.compile.strict_variables = *value,
            ("native_stdlib", Json::Bool(value)) => self.compile.native_stdlib = *value,
            ("native_ruby", Json::Bool(value)) => self.compile.native_ruby = *value,
            ("ruby_inspect", Json::String(text)) => self.compile.hashes = text.parse()?,
            ("max_depth", Json::Number(limit)) => self.compile.max_depth = whole(name, limit)?,
            ("max_calls", Json::Number(limit)) => self.compile.max_calls = whole(name, limit)? as u64,
            ("max_memory", Json::Number(limit)) => self.compile.limits.memory = whole(name, limit)?,
            ("max_nesting", Json::Number(limit)) => {
                self.compile.limits.nesting = u32::try_from(whole(name, limit)?).unwrap_or(u32::MAX);
            }
            ("max_steps", Json::Number(limit)) => self.compile.limits.steps = whole(name, limit)? as u64,
            // 0, as for Puppet's own settings of this kind, is without end.
            ("timeout", Json::Number(limit)) if limit.as_f64() == Some(0.0) => {
                self.compile.limits.time = None
            }
            ("timeout", Json::Number(limit)) => self.compile.limits.time = Some(seconds(name, limit)?),
            ("exec_output", Json::Number(limit)) => self.compile.exec.bytes = whole(name, limit)?,
            ("exec_timeout", Json::Number(limit)) => self.compile.exec.time = seconds(name, limit)?,
            // Of the environment, whose files it is about.
            ("max_file", Json::Number(limit)) => self.max_file = whole(name, limit)? as u64,
            ("pure_programs", Json::Array(programs)) => {
                self.pure_programs.paths =
                    programs.iter().map(|path| absolute(name, path)).collect::<Result<_, _>>()?;
            }
            ("pure_outputs", file) => self.pure_programs.outputs = Some(absolute(name, file)?.into()),
            ("ruby_timeout", Json::Number(limit)) => self.ruby.timeout = seconds(name, limit)?,
            ("ruby_memory", Json::Number(limit)) => self.ruby.memory = whole(name, limit)? as u64,
            (name, value) => settings::give(&mut self.given, name, value)?,
        }
        Ok(())
    }
}

fn absolute(name: &str, path: &Json) -> Result<String, String> {
    let text = path.as_str().filter(|path| path.starts_with('/')).map(str::to_owned);
    text.ok_or_else(|| format!("The setting '{name}' takes absolute paths, not {path}"))
}

fn whole(name: &str, number: &Number) -> Result<usize, String> {
    let whole = number.as_u64().and_then(|n| usize::try_from(n).ok());
    whole.ok_or_else(|| format!("The setting '{name}' takes a whole number, not {number}"))
}

fn seconds(name: &str, number: &Number) -> Result<Duration, String> {
    let seconds = number.as_f64().and_then(|n| Duration::try_from_secs_f64(n).ok());
    let seconds = seconds.filter(|limit| !limit.is_zero());
    seconds.ok_or_else(|| format!("The setting '{name}' takes a number of seconds, not {number}"))
}
