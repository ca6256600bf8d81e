//! Where reports on many nodes go: to stdout and to files, those by node as nodes come, those by change at the end.

use crate::output;
use crate::render::When;
use bunraku_fleet::diff::Found;
use bunraku_fleet::grouping::Grouping;
use bunraku_fleet::junit;
use bunraku_fleet::report::{self, Head, MARKDOWN_BYTES, case, html, json_of_node, markdown};
use clap::ValueEnum;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::str::FromStr;

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people: by change, then by node.
    Text,
    /// For merge requests: no more than a comment takes.
    Markdown,
    /// One page, with a picture.
    Html,
    /// For programs: a list with octocatalog-diff's document for each node.
    Json,
    /// The same documents, a line each, as nodes are done.
    Jsonl,
    /// For forges that show tests.
    Junit,
}

/// A report that goes to a file.
#[derive(Clone, Debug)]
pub struct Report {
    form: ReportFormat,
    file: PathBuf,
}

impl FromStr for Report {
    type Err = String;

    fn from_str(text: &str) -> Result<Report, String> {
        let (form, file) = text.split_once('=').ok_or("it takes FORM=FILE")?;
        let form = ReportFormat::from_str(form, false).map_err(|_| format!("there is no form {form}"))?;
        Ok(Report { form, file: file.into() })
    }
}

/// A report under way: what has been made of it and not been printed.
struct Open {
    form: ReportFormat,
    /// None for stdout.
    file: Option<PathBuf>,
    text: String,
    nodes: usize,
}

/// All reports of a run.
pub struct Reports {
    head: Head,
    all: Vec<Open>,
    grouping: Option<Grouping>,
    color: When,
}

impl Reports {
    /// Reports of which nothing has been written.
    ///
    /// # Errors
    /// When stdout can't be written to.
    pub fn new(head: Head, form: ReportFormat, files: &[Report], color: When) -> Result<Reports, String> {
        let files = files.iter().map(|report| (report.form, Some(report.file.clone())));
        let all: Vec<Open> = [(form, None)]
            .into_iter()
            .chain(files)
            .map(|(form, file)| {
                let text = match form {
                    ReportFormat::Json => "[".to_owned(),
                    ReportFormat::Junit => junit::begin(&format!("{} -> {}", head.from, head.to), &[]),
                    _ => String::new(),
                };
                Open { form, file, text, nodes: 0 }
            })
            .collect();
        let by_change = |open: &Open| {
            matches!(open.form, ReportFormat::Text | ReportFormat::Markdown | ReportFormat::Html)
        };
        let grouping = all.iter().any(by_change).then(Grouping::default);
        Ok(Reports { head, all, grouping, color })
    }

    /// Takes in what was found of a node; it is a failure in forms that have such unless `status` is 0.
    ///
    /// # Errors
    /// When stdout can't be written to.
    pub fn add(&mut self, name: &str, found: &Found, status: u8) -> Result<(), String> {
        if let Some(grouping) = &mut self.grouping {
            grouping.add(name, found);
        }
        for open in &mut self.all {
            match open.form {
                ReportFormat::Json => {
                    open.text += if open.nodes > 0 { ",\n" } else { "\n" };
                    open.text += &json_of_node(&self.head, name, found).to_string();
                }
                ReportFormat::Jsonl => {
                    open.text += &json_of_node(&self.head, name, found).to_string();
                    open.text.push('\n');
                }
                ReportFormat::Junit => open.text += &case(name, found, status != 0),
                ReportFormat::Text | ReportFormat::Markdown | ReportFormat::Html => continue,
            }
            open.nodes += 1;
            if open.file.is_none() {
                print(&open.text)?;
                open.text.clear();
            }
        }
        Ok(())
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// When a file or stdout can't be written to: which.
    pub fn finish(self) -> Result<(), String> {
        let groups = self.grouping.map(Grouping::finish).unwrap_or_default();
        for mut open in self.all {
            match open.form {
                ReportFormat::Text => {
                    let look = if open.file.is_none() { terminal(self.color) } else { (None, false) };
                    open.text = report::text(&self.head, &groups, look, true);
                }
                ReportFormat::Markdown => open.text = markdown(&self.head, &groups, MARKDOWN_BYTES),
                ReportFormat::Html => open.text = html(&self.head, &groups),
                ReportFormat::Json => open.text += "\n]\n",
                ReportFormat::Junit => open.text += junit::end(),
                ReportFormat::Jsonl => {}
            }
            match &open.file {
                Some(file) => output::save(file, &open.text)?,
                None => print(&open.text)?,
            }
        }
        Ok(())
    }
}

fn print(text: &str) -> Result<(), String> {
    output::print(text).map_err(|error| format!("Could not write the report: {error}"))
}

/// How wide lines on stdout are, where that is a terminal, and whether it has colours.
fn terminal(color: When) -> (Option<usize>, bool) {
    let terminal = std::io::stdout().is_terminal();
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let width =
        terminal.then(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))).flatten();
    let color = match color {
        When::Auto => terminal && !plain,
        When::Always => true,
        When::Never => false,
    };
    (width, color)
}
