//! Nodes that are known to fail: a file with a name a line. Behind a name and a colon may stand a part of the message, so that a
//! failure for another reason is noticed. Lines that begin with `#` are comments.

use super::Node;
use bunraku::files::read;
use std::collections::BTreeMap;
use std::path::Path;

/// What is expected to fail, by name, with the part of the message that is expected.
#[derive(Clone, Debug, Default)]
pub struct Expected(BTreeMap<String, Option<String>>);

/// How a node has done by what was expected of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It compiles, as expected.
    Compiles,
    /// It fails, as expected.
    FailsAsExpected,
    /// It fails, and nothing was said of that.
    Fails,
    /// It fails with another message than was said.
    FailsOtherwise,
    /// It was to fail, and compiles.
    CompilesUnexpectedly,
}

impl Verdict {
    /// Whether all is as expected.
    pub fn is_well(self) -> bool {
        matches!(self, Verdict::Compiles | Verdict::FailsAsExpected)
    }
}

impl Expected {
    /// Reads a file.
    ///
    /// # Errors
    /// When it can't be read, or a line is none.
    pub fn read(path: &Path) -> Result<Expected, String> {
        let text = read::given_text(path, read::MAX_FILE);
        let text = text.map_err(|error| format!("Could not read {}: {error}", path.display()))?;
        Expected::of(&text).map_err(|(line, what)| format!("{}:{line}: {what}", path.display()))
    }

    fn of(text: &str) -> Result<Expected, (usize, String)> {
        let mut all = BTreeMap::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, part) = match line.split_once(':') {
                Some((name, part)) => (name.trim(), Some(part.trim().to_owned())),
                None => (line, None),
            };
            if name.is_empty() || name.contains(char::is_whitespace) {
                return Err((number, format!("{name:?} is no node's name")));
            }
            if all.insert(name.to_owned(), part.filter(|part| !part.is_empty())).is_some() {
                return Err((number, format!("{name} is named twice")));
            }
        }
        Ok(Expected(all))
    }

    /// How a node has done.
    pub fn of_node(&self, node: &Node) -> Verdict {
        match (&node.failure, self.0.get(&node.name)) {
            (None, None) => Verdict::Compiles,
            (None, Some(_)) => Verdict::CompilesUnexpectedly,
            (Some(_), None) => Verdict::Fails,
            (Some(failure), Some(Some(part))) if !failure.message.contains(part) => Verdict::FailsOtherwise,
            (Some(_), Some(_)) => Verdict::FailsAsExpected,
        }
    }

    /// The names of nodes that were expected to fail.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn verdict(expected: &str, name: &str, message: Option<&str>) -> Verdict {
        let failure = message.map(|message| message.to_owned().into());
        let node = Node { name: name.to_owned(), time: Duration::ZERO, resources: 0, failure, saved: None };
        Expected::of(expected).unwrap().of_node(&node)
    }

    #[test]
    fn failures_are_expected_by_name_and_message() {
        let expected = "# known\n\n a \nb: Unknown variable\n";
        assert_eq!(verdict(expected, "a", Some("x")), Verdict::FailsAsExpected);
        assert_eq!(verdict(expected, "a", None), Verdict::CompilesUnexpectedly);
        assert_eq!(verdict(expected, "b", Some("Unknown variable: 'x'")), Verdict::FailsAsExpected);
        assert_eq!(verdict(expected, "b", Some("other")), Verdict::FailsOtherwise);
        assert_eq!(verdict(expected, "c", Some("x")), Verdict::Fails);
        assert_eq!(verdict(expected, "c", None), Verdict::Compiles);
    }

    #[test]
    fn what_is_no_name_is_told_with_its_line() {
        assert_eq!(Expected::of("a\nb c\n").unwrap_err(), (2, "\"b c\" is no node's name".to_owned()));
        assert_eq!(Expected::of("a\n: x\n").unwrap_err().0, 2);
        assert_eq!(Expected::of("a\na: x\n").unwrap_err(), (2, "a is named twice".to_owned()));
    }
}
