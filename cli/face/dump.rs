//! `puppet parser dump` and `puppet epp dump`: syntax trees.

use super::arguments::Own;
use super::forms::indented;
use super::parser::text_of;
use super::{Call, input, not_there, printed};
use bunraku::check::{self, SourceFile, TreeForm};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The options of `parser dump`.
pub const PARSER_OPTIONS: [Own; 4] =
    [Own::value("e").or('e'), Own::on_off("validate"), Own::value("format"), Own::flag("pretty")];

/// The options of `epp dump`.
pub const EPP_OPTIONS: [Own; 5] = {
    let [code, validate, format, pretty] = PARSER_OPTIONS;
    [code, validate, format, pretty, Own::on_off("header")]
};

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
    if let Some(out) = call.dumped_without_file(names.is_empty(), false, validates)? {
        return Ok(printed(&out, ExitCode::SUCCESS));
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
        out += &not_there(&missing);
    }
    Ok(printed(&out, ExitCode::SUCCESS))
}

/// Dumps templates, likewise.
pub fn template(call: &mut Call) -> Result<ExitCode, String> {
    let names = call.given.words.clone();
    let validates = call.given.option("validate") != Some("false");
    if let Some(out) = call.dumped_without_file(names.is_empty(), true, validates)? {
        return Ok(printed(&out, ExitCode::SUCCESS));
    }
    let (mut files, mut missing): (Vec<PathBuf>, Vec<String>) = Default::default();
    for name in names {
        match call.template(&name)? {
            Some(file) => files.push(file),
            None => missing.push(name),
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
        false => Err(not_there(&missing)),
    }
}

impl Call {
    /// The dump of what the option `-e` says or, where nothing is named, of what stands on stdin.
    fn dumped_without_file(
        &self,
        names_nothing: bool,
        is_template: bool,
        validates: bool,
    ) -> Result<Option<String>, String> {
        let given = self.given.option("e").map(str::to_owned);
        let (text, path) = match (given, names_nothing) {
            (Some(text), _) => (text, "command-line-string"),
            (None, true) => (input("parse")?, "stdin"),
            (None, false) => return Ok(None),
        };
        self.dumped(&Text { text: &text, path, is_template, header: None }, validates).map(Some)
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
