//! Coverage as lcov's tracefiles have it (`man geninfo`): how often something ran is how many nodes ran it.

use crate::coverage::{Coverage, FileCoverage};
use std::fmt::Write;

/// The tracefile.
pub fn lcov(coverage: &Coverage) -> String {
    coverage.files.iter().map(file).collect()
}

fn file(file: &FileCoverage) -> String {
    let totals = file.totals();
    let mut out = format!("TN:\nSF:{}\n", in_line(&file.name));
    let name = |one: &super::super::DefinitionCoverage| {
        in_line(&format!("{} {}", one.kind, one.name)).replace(',', ";")
    };
    for one in &file.definitions {
        let _ = writeln!(out, "FN:{},{}", one.line, name(one));
    }
    for one in &file.definitions {
        let _ = writeln!(out, "FNDA:{},{}", one.nodes, name(one));
    }
    let _ = writeln!(out, "FNF:{}\nFNH:{}", totals.definitions.all, totals.definitions.covered);
    for (block, fork) in file.forks.iter().enumerate() {
        let is_reached = fork.arms.iter().any(|(_, nodes)| *nodes > 0);
        for (number, (_, nodes)) in fork.arms.iter().enumerate() {
            let taken = if is_reached { nodes.to_string() } else { "-".to_owned() };
            let _ = writeln!(out, "BRDA:{},{block},{number},{taken}", fork.line);
        }
    }
    let _ = writeln!(out, "BRF:{}\nBRH:{}", totals.branches.all, totals.branches.covered);
    for (line, nodes) in &file.lines {
        let _ = writeln!(out, "DA:{line},{nodes}");
    }
    let _ = writeln!(out, "LF:{}\nLH:{}\nend_of_record", totals.lines.all, totals.lines.covered);
    out
}

/// A name that does not end the line.
fn in_line(name: &str) -> String {
    name.replace(['\n', '\r'], " ")
}
