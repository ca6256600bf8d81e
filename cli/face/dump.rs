//! `puppet parser dump` and `puppet epp dump`: syntax trees.

use super::arguments::{Own, Takes};
use super::forms::indented;
use super::parser::text_of;
use super::{Call, printed};
use crate::output;
use bunraku::check::{self, SourceFile, TreeForm};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const fn option(long: &'static str, takes: Takes) -> Own {
    Own { long, short: None, takes }
}

/// The options of `parser dump`.
pub const PARSER_OPTIONS: [Own; 4] = [
    Own { long: "e", short: Some('e'), takes: Takes::Value },
    option("validate", Takes::OnOff),
    option("format", Takes::Value),
    option("pretty", Takes::Nothing),
];

/// The options of `epp dump`.
pub const EPP_OPTIONS: [Own; 5] = [
    PARSER_OPTIONS[0],
    PARSER_OPTIONS[1],
    PARSER_OPTIONS[2],
    PARSER_OPTIONS[3],
    option("header", Takes::OnOff),
];

/// A text that is dumped.
struct Text<'t> {
    text: &'t str,
    path: &'t str,
    is_template: bool,
    /// What stands before the dump.
    header: Option<String>,
}

/// Dumps manifests; one that is wrong is logged, and that is all.
pub fn parser(call: &mut Call) -> Result<ExitCode, String> {
    let names = call.given.words.clone();
    let validates = call.given.option("validate") == Some("true");
    let plain = |text, path| Text { text, path, is_template: false, header: None };
    if let Some(text) = call.given.option("e") {
        let out = call.dumped(&plain(text, "command-line-string"), validates)?;
        return Ok(printed(&out, ExitCode::SUCCESS));
    }
    if names.is_empty() {
        let text = call.input("No input to parse given on command line or stdin")?;
        return Ok(printed(&call.dumped(&plain(&text, "stdin"), validates)?, ExitCode::SUCCESS));
    }
    let mut out = String::new();
    let (there, missing): (Vec<String>, Vec<String>) =
        names.into_iter().partition(|name| Path::new(name).exists());
    for name in there {
        let text = text_of(Path::new(&name))?;
        let header = Some(format!("--- {name}"));
        out += &call.dumped(&Text { text: &text, path: &name, is_template: false, header }, validates)?;
    }
    if !missing.is_empty() {
        let list: Vec<String> = missing.iter().map(|name| format!("   {name}")).collect();
        out += &format!("One or more file(s) specified did not exist:\n{}", list.join("\n"));
    }
    Ok(printed(&out, ExitCode::SUCCESS))
}

/// Dumps templates, likewise.
pub fn template(call: &mut Call) -> Result<ExitCode, String> {
    let names = call.given.words.clone();
    let validates = call.given.option("validate") != Some("false");
    let plain = |text, path| Text { text, path, is_template: true, header: None };
    if let Some(text) = call.given.option("e") {
        let out = call.dumped(&plain(text, "command-line-string"), validates)?;
        return Ok(printed(&out, ExitCode::SUCCESS));
    }
    if names.is_empty() {
        let text = call.input("No input to parse given on command line or stdin")?;
        return Ok(printed(&call.dumped(&plain(&text, "stdin"), validates)?, ExitCode::SUCCESS));
    }
    let (mut files, mut missing): (Vec<PathBuf>, Vec<String>) = Default::default();
    for name in names {
        match call.template(&name)? {
            Some(file) => files.push(file),
            None => missing.push(format!("   {name}")),
        }
    }
    let has_header = files.len() > 1 && call.given.option("header") != Some("false");
    let mut out = String::new();
    for file in &files {
        let path = file.to_string_lossy();
        let header = has_header.then(|| format!("--- {path}\n"));
        let text = text_of(file)?;
        out += &call.dumped(&Text { text: &text, path: &path, is_template: true, header }, validates)?;
    }
    match missing.is_empty() {
        true => Ok(printed(&out, ExitCode::SUCCESS)),
        false => Err(format!("One or more file(s) specified did not exist:\n{}", missing.join("\n"))),
    }
}

impl Call {
    /// What stands on stdin, unless that is a terminal.
    fn input(&self, message: &str) -> Result<String, String> {
        match std::io::stdin().is_terminal() {
            true => Err(message.to_owned()),
            false => output::stdin(),
        }
    }

    /// The dump of a text; nothing of one that is wrong, which is logged.
    fn dumped(&self, of: &Text<'_>, validates: bool) -> Result<String, String> {
        let source = match of.is_template {
            true => SourceFile::epp(of.text),
            false => SourceFile::manifest(of.text),
        };
        // Without validation Puppet does not know the file's name either.
        let source = if validates { source.at(of.path) } else { source };
        let is_json = self.given.option("format") == Some("json");
        let form = match self.given.option("format") {
            None | Some("old") => TreeForm::Nested,
            Some("json") => TreeForm::Json,
            Some(_) if self.given.has("pretty") => TreeForm::PrettyNotation,
            Some(_) => TreeForm::Notation,
        };
        let faulty = || of.header.iter().for_each(|_| self.console.error(&format!("--- {}", of.path)));
        if validates {
            let found = check::source(&source, &self.how()?);
            if !self.is_right(&found, faulty) {
                return Ok(String::new());
            }
        }
        let tree = match check::syntax_tree(&source, form) {
            Ok(tree) => tree,
            Err(found) => {
                faulty();
                found.first().iter().for_each(|fault| self.console.error(&fault.to_string()));
                return Ok(String::new());
            }
        };
        Ok(match (form, is_json) {
            (TreeForm::Nested, _) => format!("{}{tree}\n", of.header.as_deref().unwrap_or_default()),
            (_, false) => format!("{}{tree}", of.header.as_deref().unwrap_or_default()),
            (_, true) if self.given.has("pretty") => indented(&tree),
            (_, true) => tree,
        })
    }
}
