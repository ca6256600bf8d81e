//! `puppet parser validate`.

use super::forms::{self, Form};
use super::{Call, printed};
use crate::output;
use bunraku::check::{self, ALREADY_DEFINED, How, METAPARAMETER, Placement, REDEFINED, SourceFile, Sources};
use bunraku::{Diagnostic, Severity, files::read};
use serde_json::{Map, Value as Json, json};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Why a manifest is no good: what is told at the end, when all have been looked at.
struct Fault {
    /// As it was named.
    name: String,
    code: Option<&'static str>,
    message: String,
    full: String,
    file: Option<String>,
    at: Option<(u32, Option<u32>)>,
}

/// Says what is wrong with the manifests that are named, on stdin, or configured.
pub fn validate(call: &mut Call) -> Result<ExitCode, String> {
    let form = Form::named(call.given.option("render-as"), call.identity.compat)?;
    let how = call.how()?;
    let mut names = call.given.words.clone();
    let mut faults = Vec::new();
    if names.is_empty() {
        if !std::io::stdin().is_terminal() {
            let found = found_in(&output::stdin_bytes()?, None, &how);
            faults.extend(call.fault("STDIN", None, &found)?);
        } else {
            let manifest = call.setting_of_environment("manifest")?;
            let message = format!("No manifest specified. Validating the default manifest {manifest}");
            call.console.say(Severity::Notice, &message);
            names.push(manifest);
        }
    }
    let (there, missing): (Vec<String>, Vec<String>) =
        names.into_iter().partition(|name| Path::new(name).exists());
    for name in there {
        faults.extend(call.validate_path(&name, &how)?);
    }
    if !missing.is_empty() {
        let list: Vec<String> = missing.iter().map(|name| format!("{:?}", format!("   {name}\n"))).collect();
        return Err(format!("One or more file(s) specified did not exist:\n[{}]", list.join(", ")));
    }
    if faults.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    match form {
        Form::Json => {
            let all: Map<String, Json> =
                faults.iter().map(|fault| (fault.name.clone(), fault.json())).collect();
            printed(&forms::data(&Json::Object(all).to_string(), Form::Console, None)?, ExitCode::SUCCESS);
        }
        _ => faults.iter().for_each(|fault| call.console.error(&fault.full)),
    }
    Ok(ExitCode::FAILURE)
}

impl Fault {
    fn json(&self) -> Json {
        json!({
            "issue_code": self.code,
            "message": self.message,
            "full_message": self.full,
            "file": self.file,
            "line": self.at.map(|(line, _)| line),
            "pos": self.at.and_then(|(_, column)| column),
        })
    }
}

impl Call {
    /// How source text is checked, by the configuration.
    ///
    /// # Errors
    /// As of the configuration.
    pub fn how(&self) -> Result<How, String> {
        let strict = self.configuration.settings()?.strict;
        let placement = Some(Placement::of_modulepath(&self.module_folders()?));
        Ok(How { strict, compat: self.identity.compat, relative: None, further: false, placement })
    }

    /// A setting of the environment that is configured, as it is printed.
    ///
    /// # Errors
    /// As of the configuration.
    pub fn setting_of_environment(&self, name: &str) -> Result<String, String> {
        let found = self.configuration.print(&[name.to_owned()], "user", None)?;
        Ok(found.into_iter().next().map(|setting| setting.text).unwrap_or_default())
    }

    /// A file, or all manifests below a folder, up to the first that is no good.
    fn validate_path(&self, name: &str, how: &How) -> Result<Option<Fault>, String> {
        let whole = std::path::absolute(name).map_err(|error| format!("{name}: {error}"))?;
        let mut sources = Sources::find(std::slice::from_ref(&whole));
        if whole.is_dir() {
            sources.files.retain(|file| file.extension().is_some_and(|extension| extension == "pp"));
        }
        if let Some(fault) = sources.faults.first() {
            return Err(fault.to_string());
        }
        for file in &sources.files {
            let path = file.to_string_lossy();
            // Whatever it is called, it is a manifest.
            let found = found_in(&bytes_of(file)?, Some(&path), how);
            if let Some(fault) = self.fault(name, Some(&path), &found)? {
                return Ok(Some(fault));
            }
        }
        Ok(None)
    }

    /// Logs what was found but for a single error, which is the fault; several are logged, and the fault is that there are.
    fn fault(&self, name: &str, file: Option<&str>, found: &[Diagnostic]) -> Result<Option<Fault>, String> {
        let (errors, others): (Vec<_>, Vec<_>) = found.iter().partition(|one| one.severity >= Severity::Err);
        others.iter().for_each(|one| self.console.diagnostic(one));
        let environment = self.configuration.get("environment")?.text;
        let prefix = format!("Could not parse for environment {environment}: ");
        let name = name.to_owned();
        // Puppet's face fails of itself where a loader refuses something.
        if let Some(refused) = errors.iter().find(|one| one.code == Some(REDEFINED)) {
            return Err(refused.message.clone());
        }
        let [fault] = &errors[..] else {
            if errors.is_empty() {
                return Ok(None);
            }
            errors.iter().for_each(|one| self.console.diagnostic(one));
            let message = given_up(errors.len(), others.len());
            let place = of_file(file);
            // On the console Puppet tells this one alone.
            let full = match self.given.option("render-as") {
                Some("json") => format!("{prefix}{message}{place}"),
                _ => message.clone(),
            };
            let file = file.map(str::to_owned);
            return Ok(Some(Fault { name, code: None, message, full, file, at: None }));
        };
        // Nor does it take in an error of the parser that is no issue of its own.
        if fault.code.is_none() {
            return Err(format!("{prefix}{fault}"));
        }
        let at = fault.place.line.map(|line| (line, fault.place.column));
        let file = fault.place.file.as_deref().map(str::to_owned);
        let full = match fault.code {
            Some(ALREADY_DEFINED | METAPARAMETER) => fault.to_string(),
            _ => format!("{prefix}{fault}"),
        };
        Ok(Some(Fault { name, code: fault.code, message: fault.message.clone(), full, file, at }))
    }

    /// Logs what is wrong with a text, `first` having been done before the last error; whether nothing is.
    pub fn is_right(&self, found: &[Diagnostic], first: impl FnOnce()) -> bool {
        let (errors, others): (Vec<_>, Vec<_>) = found.iter().partition(|one| one.severity >= Severity::Err);
        others.iter().for_each(|one| self.console.diagnostic(one));
        match &errors[..] {
            [] => return true,
            [only] => {
                first();
                self.console.diagnostic(only);
            }
            all => {
                all.iter().for_each(|one| self.console.diagnostic(one));
                first();
                let file = all[0].place.file.as_deref();
                self.console.error(&(given_up(all.len(), others.len()) + &of_file(file)));
            }
        }
        false
    }

    /// The folders of modules.
    ///
    /// # Errors
    /// As of the configuration.
    pub fn module_folders(&self) -> Result<Vec<PathBuf>, String> {
        Ok(bunraku::modulepath(&self.setting_of_environment("modulepath")?))
    }
}

/// The text of a file of code.
///
/// # Errors
/// When it can't be read, or is not UTF-8, in Puppet's words.
pub fn text_of(file: &Path) -> Result<String, String> {
    let bytes = bytes_of(file)?;
    match check::decode(None, &bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(fault) => Err(fault.message),
    }
}

/// What is wrong with a manifest. What is no text is told without its file, as by Puppet.
fn found_in(bytes: &[u8], path: Option<&str>, how: &How) -> Vec<Diagnostic> {
    match check::decode(None, bytes) {
        Ok(text) => check::source(&SourceFile { path, ..SourceFile::manifest(text) }, how),
        Err(fault) => vec![*fault],
    }
}

fn bytes_of(file: &Path) -> Result<Vec<u8>, String> {
    read::given(file, read::MAX_FILE).map_err(|error| format!("Could not read {}: {error}", file.display()))
}

/// The place of an error that is of a whole file.
fn of_file(file: Option<&str>) -> String {
    file.map(|file| format!(" (file: {file})")).unwrap_or_default()
}

fn given_up(errors: usize, warnings: usize) -> String {
    match warnings {
        0 => format!("Language validation logged {errors} errors. Giving up"),
        warnings => format!("Language validation logged {errors} errors, and {warnings} warnings. Giving up"),
    }
}
