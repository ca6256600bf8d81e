//! The report as JUnit's XML, which forges show as tests: a case a node.

use crate::compare::Difference;
use crate::diff::{Found, State};
use crate::markup::{self, not_in_xml};

/// What stands before the cases.
pub fn suite_begin(name: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"{}\">\n",
        escaped(name)
    )
}

/// What stands behind them.
pub fn suite_end() -> &'static str {
    "</testsuite>\n</testsuites>\n"
}

/// A node: a failure where it `fails_on` its state, with what differs or the message.
pub fn case(name: &str, found: &Found, fails: bool) -> String {
    let state = found.state.name();
    let body = match &found.state {
        State::Changed(differences) => {
            differences.iter().map(Difference::to_string).collect::<Vec<_>>().join("\n")
        }
        other => other.message().unwrap_or_default().to_owned(),
    };
    let name = escaped(name);
    let inner = match &found.state {
        State::Skipped(_) => format!("<skipped message=\"{}\"/>", escaped(&body)),
        _ if fails => format!("<failure message=\"{state}\">{}</failure>", escaped(&body)),
        _ if body.is_empty() => String::new(),
        _ => format!("<system-out>{}</system-out>", escaped(&body)),
    };
    format!("<testcase classname=\"{state}\" name=\"{name}\">{inner}</testcase>\n")
}

/// A text in XML. What no XML can hold is shown as what stands for it.
fn escaped(text: &str) -> String {
    markup::escaped(text, |c| if matches!(c, '\n' | '\t') { None } else { not_in_xml(c) })
}
