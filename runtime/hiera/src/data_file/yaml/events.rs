//! YAML as libyaml reads it, event by event: where it begins and ends scalars, what it takes for an anchor, what it says
//! is wrong. Psych, and so Puppet, sees nothing else of a text.

use libyaml_safer::{Error, ErrorKind, Event, EventData, Mark, Parser};

/// The events of a text.
pub(crate) struct Events<'t> {
    parser: Parser<&'t [u8]>,
}

impl<'t> Events<'t> {
    pub fn of(text: &'t str) -> Self {
        let mut parser = Parser::new();
        parser.set_input(text.as_bytes());
        Events { parser }
    }

    /// The next event and where it begins.
    ///
    /// # Errors
    /// What is wrong, in Psych's words, with line and column.
    pub fn next(&mut self) -> Result<(EventData, Mark), String> {
        match self.parser.parse() {
            Ok(Event { data, start_mark, .. }) => Ok((data, start_mark)),
            Err(error) => Err(message(&error)),
        }
    }
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
