//! The language specification as tests: Markdown pages whose `puppet` blocks are run.
//!
//! [`page`] reads and rewrites pages, [`job`] turns a case into a job of the line protocol,
//! [`expect`] writes a result as expectation blocks. What is compared is always the text of
//! those blocks. `spec/README.md` describes the format.

pub mod expect;
pub mod job;
pub mod page;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use page::{Case, Page};
use serde_json::Value;

use crate::paths;

/// A case and what came of it.
pub struct Outcome {
    /// The case's name: page, heading, number under the heading; and the version where it is not the default one.
    pub id: String,
    /// What the page says.
    pub want: String,
    /// What was answered, in the same form.
    pub got: String,
}

/// Every page, or those that are named: by a path or the file's name, with or without `.md`.
///
/// # Errors
/// A page that can't be read, a name that no page has.
pub fn pages(names: &[String]) -> Result<Vec<Page>, String> {
    let mut files: Vec<PathBuf> = fs::read_dir(paths::spec())
        .map_err(|error| error.to_string())?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    files.sort();
    let fits = |path: &PathBuf, name: &String| {
        let wanted = Path::new(name).file_name().unwrap_or_default();
        path.file_name() == Some(wanted) || path.file_stem() == Some(wanted)
    };
    if let Some(unknown) = names.iter().find(|name| !files.iter().any(|path| fits(path, name))) {
        return Err(format!("There is no page '{unknown}' in {}", paths::spec().display()));
    }
    let named = |path: &PathBuf| names.is_empty() || names.iter().any(|name| fits(path, name));
    files.into_iter().filter(named).map(|path| Page::read(&path)).collect()
}

/// The version whose blocks carry no number.
pub const DEFAULT: u8 = 8;

/// The versions that a page may tell apart.
pub const VERSIONS: [u8; 3] = [7, 8, 9];

/// Answers the cases of pages in one version: texts of expectation blocks, page by page, case by case.
pub fn answer(
    pages: &[Page],
    version: u8,
    ask: impl FnOnce(&[Value]) -> Result<Vec<Value>, String>,
) -> Result<Vec<Vec<String>>, String> {
    let cases: Vec<&Case> = pages.iter().flat_map(|page| &page.cases).collect();
    let root = job::Root::new(&cases).map_err(|error| error.to_string())?;
    let jobs: Vec<Value> =
        cases.iter().enumerate().map(|(number, case)| root.job(number, case, version)).collect();
    let mut texts = ask(&jobs)?
        .into_iter()
        .zip(&cases)
        .enumerate()
        .map(|(number, (mut result, case))| {
            root.places(number).apply(&mut result);
            expect::text(&result, case)
        })
        .collect::<Vec<String>>()
        .into_iter();
    Ok(pages.iter().map(|page| texts.by_ref().take(page.cases.len()).collect()).collect())
}

/// Compares what the pages say of a version with what is answered.
pub fn compare(
    pages: &[Page],
    version: u8,
    ask: impl FnOnce(&[Value]) -> Result<Vec<Value>, String>,
) -> Result<Vec<Outcome>, String> {
    let answers = answer(pages, version, ask)?;
    let mut outcomes = Vec::new();
    for (page, texts) in pages.iter().zip(answers) {
        for (case, got) in page.cases.iter().zip(texts) {
            let id = match version {
                DEFAULT => case.id.clone(),
                other => format!("{} ({other})", case.id),
            };
            outcomes.push(Outcome { id, want: case.expected.of(version).to_owned(), got });
        }
    }
    Ok(outcomes)
}

fn failing_path() -> PathBuf {
    paths::spec().join("failing.txt")
}

/// The cases that Bunraku is known not to pass yet.
pub fn failing() -> BTreeSet<String> {
    let text = fs::read_to_string(failing_path()).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Writes that list; it is to shrink to nothing.
pub fn write_failing(ids: &BTreeSet<String>) -> std::io::Result<()> {
    fs::write(failing_path(), ids.iter().map(|id| format!("{id}\n")).collect::<String>())
}
