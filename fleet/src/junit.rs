//! JUnit's XML, which forges show as tests: one writer for all reports.

use crate::markup::{self, not_in_xml};

/// What came of a test.
pub enum Outcome {
    /// It passed; what is shown of it all the same.
    Passed(String),
    /// It was not run, and why.
    Skipped(String),
    /// It failed: a message, and more of it.
    Failed(String, String),
}

/// What stands before the tests: the name of their suite, and what is said of it besides.
pub fn begin(name: &str, more: &[(&str, String)]) -> String {
    let more: String = more.iter().map(|(name, value)| format!(" {name}=\"{}\"", attribute(value))).collect();
    let name = attribute(name);
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"{name}\"{more}>\n")
}

/// A test: the class that it is of, its name, and how many seconds it took, where that is told.
pub fn case(class: &str, name: &str, seconds: Option<f64>, outcome: &Outcome) -> String {
    let time = seconds.map_or_else(String::new, |seconds| format!(" time=\"{seconds:.3}\""));
    let head = format!("<testcase classname=\"{}\" name=\"{}\"{time}", attribute(class), attribute(name));
    let inner = match outcome {
        Outcome::Passed(shown) if shown.is_empty() => return head + "/>\n",
        Outcome::Passed(shown) => format!("<system-out>{}</system-out>", text(shown)),
        Outcome::Skipped(why) => format!("<skipped message=\"{}\"/>", attribute(why)),
        Outcome::Failed(message, more) if more.is_empty() => {
            format!("<failure message=\"{}\"/>", attribute(message))
        }
        Outcome::Failed(message, more) => {
            format!("<failure message=\"{}\">{}</failure>", attribute(message), text(more))
        }
    };
    format!("{head}>{inner}</testcase>\n")
}

/// What stands behind the tests.
pub fn end() -> &'static str {
    "</testsuite>\n</testsuites>\n"
}

/// Text between tags. What no XML can hold is shown as what stands for it.
fn text(text: &str) -> String {
    markup::escaped(text, |c| if matches!(c, '\n' | '\t') { None } else { not_in_xml(c) })
}

/// Text in an attribute, whose line feeds and tabs would be read as blanks.
fn attribute(text: &str) -> String {
    markup::escaped(text, |c| match c {
        '\n' => Some("&#10;"),
        '\t' => Some("&#9;"),
        c => not_in_xml(c),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_meaning_in_xml_is_escaped_where_it_stands() {
        assert_eq!(
            case(
                "a\nb",
                "<n>",
                Some(0.25),
                &Outcome::Failed("one\n\ttwo".to_owned(), "\"x\"\n\0".to_owned())
            ),
            "<testcase classname=\"a&#10;b\" name=\"&lt;n&gt;\" time=\"0.250\">\
             <failure message=\"one&#10;&#9;two\">&quot;x&quot;\n\u{fffd}</failure></testcase>\n"
        );
        assert_eq!(
            case("a", "n", None, &Outcome::Skipped("no\nfacts".to_owned())),
            "<testcase classname=\"a\" name=\"n\"><skipped message=\"no&#10;facts\"/></testcase>\n"
        );
        assert_eq!(
            case("a", "n", None, &Outcome::Passed(String::new())),
            "<testcase classname=\"a\" name=\"n\"/>\n"
        );
    }
}
