//! What a change does to a node as a test.

use super::visible;
use crate::compare::Difference;
use crate::diff::{Found, State};
use crate::junit::{self, Outcome};

/// A node: a failure where it `fails_on` its state, with what differs or the message.
pub fn case(name: &str, found: &Found, fails: bool) -> String {
    let state = found.state.kind().name();
    let body = match &found.state {
        State::Changed(differences) => {
            let lines = differences.iter().flat_map(Difference::by_parameter).map(|one| one.to_string());
            lines.collect::<Vec<_>>().join("\n")
        }
        other => other.message().unwrap_or_default().to_owned(),
    };
    let body = visible(&body);
    let outcome = match &found.state {
        State::Skipped(_) => Outcome::Skipped(body),
        _ if fails => Outcome::Failed(state.to_owned(), body),
        _ => Outcome::Passed(body),
    };
    junit::case(state, name, None, &outcome)
}
