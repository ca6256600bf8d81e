//! How diagnostics and log messages look: Puppet's single line; on a terminal with colour and the line of source;
//! as JSON where asked.

use bunraku::Log;
use bunraku::files::read;
use bunraku::visible::{is_hidden, visible_lines};
use bunraku::{Diagnostic, Place, Severity};
use clap::{Args, ValueEnum};
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// When to colour.
#[derive(Args)]
pub struct ColorChoice {
    /// Colours, and the line of source below a message.
    #[arg(long, value_name = "WHEN", default_value = "auto", num_args = 0..=1, default_missing_value = "always", require_equals = true)]
    pub color: When,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Form of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Writes messages to stderr.
pub struct Renderer {
    /// Whether the line of source is shown.
    source: bool,
    color: bool,
    form: MessageFormat,
    /// Code given as text: what a place without a file means.
    code: Option<String>,
    /// Whether lines of files may be shown.
    reads: bool,
    files: HashMap<String, Option<String>>,
}

const RED: &str = "\x1b[1;31m";
const YELLOW: &str = "\x1b[0;33m";
const CYAN: &str = "\x1b[0;36m";
const GREEN: &str = "\x1b[0;32m";
const DIM: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";

/// Puppet's name of a level in front of a message, and its colour.
fn level(severity: Severity) -> (&'static str, &'static str) {
    match severity {
        Severity::Debug => ("Debug", DIM),
        Severity::Info => ("Info", GREEN),
        Severity::Notice => ("Notice", CYAN),
        Severity::Warning => ("Warning", YELLOW),
        Severity::Err => ("Error", RED),
        Severity::Alert => ("Alert", RED),
        Severity::Emerg => ("Emergency", RED),
        Severity::Crit => ("Critical", RED),
    }
}

impl Renderer {
    /// A renderer for stderr as it is.
    pub fn stderr(when: When, form: MessageFormat) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let (source, color) = match when {
            When::Auto => (terminal, terminal && !plain),
            When::Always => (true, true),
            When::Never => (false, false),
        };
        Renderer { source, color, form, code: None, reads: true, files: HashMap::new() }
    }

    /// Says what a place without a file refers to.
    pub fn given_code(&mut self, code: Option<&str>) {
        self.code = code.map(str::to_owned);
    }

    /// No file is to be read for its lines: they may not be those that were compiled.
    pub fn read_no_files(&mut self) {
        self.reads = false;
    }

    /// An error of the command itself; the status to leave with.
    pub fn failure(&mut self, message: &str, status: u8) -> ExitCode {
        self.error(message);
        ExitCode::from(status)
    }

    /// An error without a place.
    pub fn error(&mut self, message: &str) {
        self.formed(&Diagnostic::error(message));
    }

    /// A warning of the command itself.
    pub fn warning(&mut self, message: &str) {
        let mut diagnostic = Diagnostic::error(message);
        diagnostic.severity = Severity::Warning;
        self.formed(&diagnostic);
    }

    /// A diagnostic whose place is not in its message yet.
    pub fn diagnostic(&mut self, diagnostic: &Diagnostic) {
        self.message(&diagnostic.to_string(), diagnostic);
    }

    /// A diagnostic whose message is complete.
    pub fn formed(&mut self, diagnostic: &Diagnostic) {
        self.message(&diagnostic.message, diagnostic);
    }

    /// Log messages in order.
    pub fn logs(&mut self, logs: &[Log]) {
        for log in logs {
            let mut diagnostic = Diagnostic::error(log.message.as_str()).at(log.place.clone());
            diagnostic.severity = log.level;
            self.formed(&diagnostic);
        }
    }

    fn message(&mut self, text: &str, diagnostic: &Diagnostic) {
        let mut out = String::new();
        if self.form == MessageFormat::Json {
            out = object(text, diagnostic).to_string();
            out.push('\n');
        } else {
            let (name, color) = level(diagnostic.severity);
            let text = visible_lines(text);
            match self.color {
                true => out.push_str(&format!("{color}{name}: {text}{PLAIN}\n")),
                false => out.push_str(&format!("{name}: {text}\n")),
            }
            if self.source {
                self.snippet(diagnostic, &mut out);
                if let Some(help) = &diagnostic.help {
                    out.push_str(&format!("  = help: {}\n", visible_lines(help)));
                }
            }
        }
        // Whoever closed stderr does not want to know.
        let _ = std::io::stderr().lock().write_all(out.as_bytes());
    }

    /// The line of source a diagnostic is about, and a caret below its column.
    fn snippet(&mut self, diagnostic: &Diagnostic, out: &mut String) {
        let Place { file, line: Some(number), column } = &diagnostic.place else { return };
        let text = match file {
            Some(_) if !self.reads => None,
            Some(file) => self
                .files
                .entry(file.to_string())
                .or_insert_with(|| read::regular_text(file.as_ref().as_ref(), read::MAX_FILE).ok())
                .as_deref(),
            None => self.code.as_deref(),
        };
        let Some(line) = text.and_then(|text| text.lines().nth(*number as usize - 1)) else { return };
        // Columns count the signs of the source, so each stays one.
        let shown = line.chars().map(|c| match c {
            '\t' => ' ',
            c if is_hidden(c) => '\u{fffd}',
            c => c,
        });
        let shown: String = shown.collect();
        let (dim, color, plain) = match self.color {
            true => (DIM, level(diagnostic.severity).1, PLAIN),
            false => ("", "", ""),
        };
        let gutter = number.to_string().len();
        out.push_str(&format!("{dim}{number} |{plain} {shown}\n"));
        if let Some(column) = column {
            let before = (*column as usize).saturating_sub(1);
            let room = line.chars().count().saturating_sub(before).max(1);
            let marks = (diagnostic.length as usize).clamp(1, room);
            let (space, marks) = (" ".repeat(before), "^".repeat(marks));
            out.push_str(&format!("{dim}{:gutter$} |{plain} {space}{color}{marks}{plain}\n", ""));
        }
    }
}

/// All diagnostics as one JSON document.
pub fn document<'d>(diagnostics: impl Iterator<Item = &'d Diagnostic>) -> Json {
    let all: Vec<Json> = diagnostics.map(|one| object(&one.message, one)).collect();
    json!({ "diagnostics": all })
}

/// A diagnostic as JSON, with the names that `batch` uses.
fn object(text: &str, diagnostic: &Diagnostic) -> Json {
    let mut map = Map::new();
    map.insert("level".into(), diagnostic.severity.name().into());
    map.insert("message".into(), text.into());
    if let Some(file) = &diagnostic.place.file {
        map.insert("file".into(), (**file).into());
    }
    for (name, number) in [("line", diagnostic.place.line), ("column", diagnostic.place.column)] {
        if let Some(number) = number {
            map.insert(name.into(), number.into());
        }
    }
    if let Some(code) = diagnostic.code {
        map.insert("code".into(), code.into());
    }
    if let Some(help) = &diagnostic.help {
        map.insert("help".into(), help.as_str().into());
    }
    Json::Object(map)
}
