//! YAML as libyaml reads it, event by event: where it begins and ends scalars, what it takes for an anchor, what it says
//! is wrong. Psych, and so Puppet, sees nothing else of a text.

use libyaml_safer::{Error, ErrorKind, Event, EventData, Mark, Parser, ScalarStyle};
use std::io::{Chain, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The events of a text.
pub(crate) struct Events<'t> {
    parser: Parser<Chain<&'t [u8], &'static [u8]>>,
    /// Bytes of the text where it is read with a character more, and that.
    cut: Option<(u64, char)>,
    /// Where the last event ended.
    last: Mark,
}

impl<'t> Events<'t> {
    pub fn of(text: &'t str) -> Self {
        let (more, end): (_, &'static [u8]) = if may_end_in_block(text) {
            (Some('\n'), b"\n")
        } else if may_end_in_escape(text) {
            (Some('!'), b"!")
        } else {
            (None, b"")
        };
        let cut = more.map(|more| (text.len() as u64, more));
        let mut parser = Parser::new();
        parser.set_input(text.as_bytes().chain(end));
        Events { parser, cut, last: Mark::default() }
    }

    /// The next event and where it begins.
    ///
    /// # Errors
    /// What is wrong, in Psych's words, with line and column.
    pub fn next(&mut self) -> Result<(EventData, Mark), String> {
        // There are texts that libyaml reads, or refuses, and its twin in Rust panics at: `[!a, b]` is one.
        let parsed = catch_unwind(AssertUnwindSafe(|| self.parser.parse())).map_err(|_| {
            format!("found what the parser of YAML can't read, behind what ends {}", place(&self.last))
        })?;
        match parsed {
            Ok(Event { mut data, start_mark, end_mark, .. }) => {
                self.last = end_mark;
                if let EventData::Scalar { value, style, .. } = &mut data
                    && let Some((length, more)) = self.cut
                    && end_mark.index > length
                    && value.ends_with(more)
                    && (more != '\n' || matches!(style, ScalarStyle::Literal | ScalarStyle::Folded))
                {
                    value.pop();
                }
                Ok((data, start_mark))
            }
            Err(error) => Err(message(&error)),
        }
    }
}

/// Whether a text may end within a block (`|`, `>`) whose last line has no end: libyaml takes it as it is, its twin in Rust
/// panics.
fn may_end_in_block(text: &str) -> bool {
    let last = text.rsplit(['\n', '\r']).next().unwrap_or(text);
    last.len() < text.len()
        && last.starts_with([' ', '\t'])
        && !last.trim().is_empty()
        && text.contains(['|', '>'])
}

/// Whether a text may end between the two characters of an escape in double quotes: libyaml finds no known one there, its twin in Rust
/// panics. With one more character that is none in any escape it finds the same.
fn may_end_in_escape(text: &str) -> bool {
    text.ends_with('\\') && text.contains('"')
}

/// What is wrong, at the place where it began.
fn message(error: &Error) -> String {
    let what = error.problem();
    match (error.context(), error.context_mark(), error.problem_mark()) {
        (Some(context), Some(mark), _) => format!("{what} {context} {}", place(&mark)),
        // Errors of the scanner have the place where it stands, those of the parser the place where a node begins.
        (_, _, Some(mark)) if error.kind() == ErrorKind::Scanner => format!("{what} {}", place(&mark)),
        _ => format!("{what} {}", place(&Mark::default())),
    }
}

/// `at line 1 column 1`
pub(crate) fn place(mark: &Mark) -> String {
    format!("at line {} column {}", mark.line + 1, mark.column + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values are those that Psych loads.
    #[test]
    fn a_block_may_end_with_the_text() {
        for (text, want) in [
            ("a: |\n  x", "x"),
            ("a: >\n  x", "x"),
            ("a: |+\n  x", "x"),
            ("a: |-\n  x", "x"),
            ("a: |\n  x\n  y", "x\ny"),
            ("- |\n  x\n  y ", "x\ny "),
            ("a: >\n  x\n  y", "x y"),
            ("a: >\n  x\n   y", "x\n y"),
            ("a: |\n  x\n\n  y", "x\n\ny"),
            ("a: |\n   é", "é"),
            ("a: |\r\n  x\r\n  y", "x\ny"),
            ("a:\n  - b: |2\n      x", "x"),
            ("|\n  x", "x"),
            ("a: |\n  x\n  ", "x\n"),
            ("a: |\n  x\n# c", "x\n"),
            ("a: |\n  x\n", "x\n"),
            ("a: |\n  x\n  # c", "x\n# c"),
            ("b: |\n  x\na:\n  'y'", "y"),
            ("b: |\n  x\na:\n  y", "y"),
        ] {
            let mut events = Events::of(text);
            let mut last = None;
            loop {
                match events.next().unwrap_or_else(|why| panic!("{text:?}: {why}")).0 {
                    EventData::Scalar { value, .. } => last = Some(value),
                    EventData::StreamEnd => break,
                    _ => {}
                }
            }
            assert_eq!(last.as_deref(), Some(want), "{text:?}");
        }
    }

    #[test]
    fn what_its_twin_panics_at_is_an_error() {
        let first_error = |text: &str| {
            let mut events = Events::of(text);
            loop {
                match events.next() {
                    Ok((EventData::StreamEnd, _)) => return None,
                    Ok(_) => {}
                    Err(why) => return Some(why),
                }
            }
        };
        // As libyaml says it.
        let unknown = "found unknown escape character while parsing a quoted scalar at line 1 column 1";
        assert_eq!(first_error("\"a\\").as_deref(), Some(unknown));
        // That is none.
        assert_eq!(first_error("a: \"b\" # \\"), None);
        let gave_up = "found what the parser of YAML can't read, behind what ends at line 1 column 1";
        assert_eq!(first_error("[!a, b]").as_deref(), Some(gave_up));
    }
}
