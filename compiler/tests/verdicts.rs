//! What real Puppet says of many small manifests and templates, most of them broken: the same message at the
//! same place. `verdicts.rb` writes the expectations.

use bumpalo::Bump;
use bunraku_compiler::check::{CheckOptions, check};
use bunraku_compiler::{ParseLimits, SourceFile, SourceKind, parse};
use bunraku_vm::diagnostic::{Diagnostic, Severity};
use serde_json::{Value, json};

#[test]
fn verdicts() {
    let mut wrong = Vec::new();
    let lines = include_str!("verdicts.jsonl").lines();
    for (number, line) in lines.enumerate() {
        let row: Value = serde_json::from_str(line).unwrap();
        let text = row["source"].as_str().unwrap();
        let kind = if row["kind"] == "epp" { SourceKind::Epp } else { SourceKind::Manifest };
        let found = verdict(&SourceFile { path: Some("m.pp"), text, kind });
        if Value::from(found.clone()) != row["diagnostics"] {
            wrong.push(format!(
                "{}: {text}\n  Puppet: {}\n  here:   {}",
                number + 1,
                row["diagnostics"],
                json!(found)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Warnings and errors as the expectations have them. Of syntax errors Puppet only knows the first.
fn verdict(source: &SourceFile<'_>) -> Vec<Value> {
    let arena = Bump::new();
    let diagnostics = match parse(&arena, source, &ParseLimits::default()) {
        Ok(parsed) => {
            let mut all = parsed.warnings;
            all.extend(check(&parsed.program, source, &CheckOptions::default()));
            all
        }
        Err(diagnostics) => {
            let first = diagnostics.iter().position(|found| found.severity == Severity::Err);
            diagnostics.into_iter().take(first.map_or(0, |first| first + 1)).collect()
        }
    };
    diagnostics.iter().map(row).collect()
}

fn row(found: &Diagnostic) -> Value {
    json!([found.severity.name(), found.message, found.place.line, found.place.column])
}
