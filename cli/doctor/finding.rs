//! What was found, and how it is told: by area, what is wrong with its consequence below it.

use serde_json::{Value as Json, json};
use std::fmt::Write as _;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It works.
    Fine,
    /// Something is not there that may never be missed.
    Note,
    /// Something would fail.
    Fails,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            State::Fine => "ok",
            State::Note => "note",
            State::Fails => "fails",
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it belongs to, as a heading.
    pub area: &'static str,
    /// How bad it is.
    pub state: State,
    /// What was found.
    pub what: String,
    /// What follows from it for the commands; empty where all is well.
    pub consequence: String,
}

impl Finding {
    /// It works.
    pub fn fine(area: &'static str, what: impl Into<String>) -> Finding {
        Finding { area, state: State::Fine, what: what.into(), consequence: String::new() }
    }

    /// Something is not there that may never be missed.
    pub fn note(area: &'static str, what: impl Into<String>, consequence: impl Into<String>) -> Finding {
        Finding { area, state: State::Note, what: what.into(), consequence: consequence.into() }
    }

    /// Something would fail.
    pub fn fails(area: &'static str, what: impl Into<String>, consequence: impl Into<String>) -> Finding {
        Finding { area, state: State::Fails, what: what.into(), consequence: consequence.into() }
    }
}

/// For people: a heading for each area, and a sum.
pub fn text(found: &[Finding]) -> String {
    let mut out = String::new();
    let mut area = "";
    for finding in found {
        if finding.area != area {
            area = finding.area;
            let _ = writeln!(out, "{area}");
        }
        let _ = writeln!(out, "  {:5}  {}", finding.state.name(), finding.what);
        if !finding.consequence.is_empty() {
            let _ = writeln!(out, "         {}", finding.consequence);
        }
    }
    let count = |state: State| found.iter().filter(|finding| finding.state == state).count();
    let (fails, notes) = (count(State::Fails), count(State::Note));
    let _ = match (fails, notes) {
        (0, 0) => writeln!(out, "\nNothing is missing."),
        (0, notes) => writeln!(out, "\nNothing would fail; {notes} to note."),
        (fails, notes) => writeln!(out, "\n{fails} would fail; {notes} to note."),
    };
    out
}

/// For programs.
pub fn json(found: &[Finding]) -> String {
    let one = |finding: &Finding| {
        json!({
            "area": finding.area,
            "state": finding.state.name(),
            "what": finding.what,
            "consequence": finding.consequence,
        })
    };
    let all: Vec<Json> = found.iter().map(one).collect();
    format!("{}\n", json!({ "findings": all }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_stands_once_and_what_follows_below() {
        let found = [
            Finding::fine("Ruby", "3.1.2"),
            Finding::note("Ruby", "no Landlock", "no --confine"),
            Finding::fails("PuppetDB", "away", "collectors fail"),
        ];
        let wanted = "Ruby\n  ok     3.1.2\n  note   no Landlock\n         no --confine\nPuppetDB\n  fails  away\n         collectors fail\n\n1 would fail; 1 to note.\n";
        assert_eq!(text(&found), wanted);
        assert_eq!(text(&found[..1]), "Ruby\n  ok     3.1.2\n\nNothing is missing.\n");
        let all: Json = serde_json::from_str(&json(&found)).unwrap();
        assert_eq!(all["findings"][1]["state"], "note");
    }
}
