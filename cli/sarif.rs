//! What `check` has found as SARIF 2.1.0, the form in which forges and editors take the results of static analysis.
//! Source: the OASIS standard, sections 3.13 (`sarifLog`) to 3.30 (`region`).

use bunraku::{Diagnostic, Severity};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value as Json, json};
use std::path::Path;

/// The rule of what has no issue code of Puppet's: files that can't be read, names that Puppet 3 would have resolved otherwise.
const OTHER: &str = "OTHER";

/// What a path in a URI has as it is.
const NOT_IN_PATHS: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// One log with one run; the rules are the issue codes that have occurred, in the order of their names.
pub fn log<'d>(diagnostics: impl Iterator<Item = &'d Diagnostic>) -> Json {
    let all: Vec<&Diagnostic> = diagnostics.collect();
    let mut rules: Vec<&str> = all.iter().map(|one| rule(one)).collect();
    rules.sort_unstable();
    rules.dedup();
    let results: Vec<Json> = all.iter().map(|one| result(one, &rules)).collect();
    let rules: Vec<Json> = rules.iter().map(|id| json!({ "id": id })).collect();
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "bunraku", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            // Columns count characters.
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(diagnostic: &Diagnostic) -> &'static str {
    diagnostic.code.unwrap_or(OTHER)
}

fn result(diagnostic: &Diagnostic, rules: &[&str]) -> Json {
    let level = match diagnostic.severity {
        Severity::Debug | Severity::Info | Severity::Notice => "note",
        Severity::Warning => "warning",
        _ => "error",
    };
    let mut result = json!({
        "ruleId": rule(diagnostic),
        "ruleIndex": rules.iter().position(|id| *id == rule(diagnostic)),
        "level": level,
        "message": { "text": diagnostic.message },
    });
    // Forges refuse results without a place, and places without a line.
    let file = diagnostic.place.file.as_deref().unwrap_or(STDIN);
    let line = diagnostic.place.line.filter(|line| *line > 0);
    let mut region = json!({ "startLine": line.unwrap_or(1) });
    if let Some(column) = diagnostic.place.column.filter(|column| line.is_some() && *column > 0) {
        region["startColumn"] = column.into();
    }
    result["locations"] =
        json!([{ "physicalLocation": { "artifactLocation": { "uri": uri(file) }, "region": region } }]);
    result
}

/// The file of what has none: a text on stdin, as the command line names it.
const STDIN: &str = "-";

/// A path as a URI reference: relative to where the command was called, as the path itself.
fn uri(file: &str) -> String {
    // One file has one name, wherever the check began: `.` is left out.
    let plain = Path::new(file).strip_prefix(".").ok().and_then(Path::to_str);
    let file = plain.filter(|plain| !plain.is_empty()).unwrap_or(file);
    let path = utf8_percent_encode(file, NOT_IN_PATHS);
    if Path::new(file).is_absolute() { format!("file://{path}") } else { path.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku::Place;

    #[test]
    fn paths_are_uris() {
        assert_eq!(uri("manifests/a b.pp"), "manifests/a%20b.pp");
        assert_eq!(uri("./manifests/a.pp"), "manifests/a.pp");
        assert_eq!(
            [uri(".//a.pp"), uri("."), uri("../a.pp"), uri(".a.pp")],
            ["a.pp", ".", "../a.pp", ".a.pp"]
        );
        assert_eq!(uri("/srv/ä#.pp"), "file:///srv/%C3%A4%23.pp");
    }

    #[test]
    fn every_result_has_a_file_and_a_line() {
        let whole = Diagnostic::error("it is");
        let file = Place { file: Some("a.pp".into()), line: None, column: None };
        let in_file = Diagnostic::error("it is").at(file).with_code("A_CODE");
        let log = log([&whole, &in_file].into_iter());
        let results = &log["runs"][0]["results"];
        for (number, uri) in [(0, "-"), (1, "a.pp")] {
            let place = &results[number]["locations"][0]["physicalLocation"];
            assert_eq!(place["artifactLocation"]["uri"], uri);
            assert_eq!(place["region"], json!({ "startLine": 1 }));
        }
        assert_eq!((&results[0]["ruleIndex"], &results[0]["ruleId"]), (&1.into(), &"OTHER".into()));
        assert_eq!((&results[1]["ruleIndex"], &results[1]["ruleId"]), (&0.into(), &"A_CODE".into()));
    }
}
