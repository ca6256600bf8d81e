//! Coverage as a table: a line a module, and one for all.

use super::{COLUMNS, NO_MODULE};
use crate::coverage::{Coverage, Share, Totals};
use std::fmt::Write;

/// The table.
pub fn text(coverage: &Coverage) -> String {
    let (modules, total) = coverage.totals();
    let mut rows: Vec<(String, Totals)> =
        modules.iter().map(|(name, of)| (name.unwrap_or(NO_MODULE).to_owned(), *of)).collect();
    rows.push(("all".to_owned(), total));
    let cell = |share: Share| match share.percent() {
        Some(percent) => format!("{percent}% {}/{}", share.covered, share.all),
        None => "-".to_owned(),
    };
    let cells: Vec<Vec<String>> =
        rows.iter().map(|(_, of)| COLUMNS.iter().map(|(_, share)| cell(share(of))).collect()).collect();
    let widths: Vec<usize> = COLUMNS
        .iter()
        .enumerate()
        .map(|(n, (heading, _))| cells.iter().map(|row| row[n].len()).max().unwrap_or(0).max(heading.len()))
        .collect();
    let first = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max("module".len());
    let mut out = format!("{:first$}", "module");
    for ((heading, _), width) in COLUMNS.iter().zip(&widths) {
        let _ = write!(out, "  {heading:>width$}");
    }
    for ((name, _), row) in rows.iter().zip(&cells) {
        let _ = write!(out, "\n{name:first$}");
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(out, "  {cell:>width$}");
        }
    }
    out.push('\n');
    out
}
