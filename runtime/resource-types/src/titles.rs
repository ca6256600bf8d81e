//! How a title becomes attributes: Puppet's title patterns.

use super::ResourceType;
use bunraku_vm::regex;
use serde::{Deserialize, Serialize};

/// One way a title may be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// A regular expression of Ruby.
    pub regex: String,
    /// The attributes its groups stand for.
    pub attributes: Vec<String>,
}

/// How a title becomes attributes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Titles {
    /// The whole title is the one name variable.
    Whole,
    /// A path: the title without slashes at its end.
    Path,
    /// The first pattern that fits says so.
    Patterns(Vec<Pattern>),
    /// Nothing says so of a type that has several name variables: no resource of it can be declared.
    Unsaid,
}

/// Puppet's words for a type that has several name variables and no title patterns.
pub(crate) const NO_PATTERNS: &str =
    "you must specify title patterns when there are two or more key attributes";

impl Titles {
    /// The patterns, as Puppet has them.
    pub fn patterns(&self, namevar: &str) -> Vec<Pattern> {
        let one =
            |regex: &str| vec![Pattern { regex: regex.to_owned(), attributes: vec![namevar.to_owned()] }];
        match self {
            Titles::Whole => one("(?m-ix:(.*))"),
            Titles::Path => one("(?m-ix:^(\\/|.+:\\/|.*[^\\/])\\/*\\Z)"),
            Titles::Patterns(patterns) => patterns.clone(),
            Titles::Unsaid => Vec::new(),
        }
    }

    /// What a title of one attribute stands for: itself, or a path without slashes at its end.
    fn whole<'a>(&self, title: &'a str) -> &'a str {
        if !matches!(self, Titles::Path) {
            return title;
        }
        let trimmed = title.trim_end_matches('/');
        let keep = match trimmed {
            // The root, and that of a drive of Windows.
            "" => 1,
            text if text.ends_with(':') && text.len() > 1 => text.len() + 1,
            text => text.len(),
        };
        &title[..title.len().min(keep)]
    }

    /// Whether a title stands for one attribute, whose value it is.
    pub fn is_itself(&self, title: &str) -> bool {
        !matches!(self, Titles::Patterns(_) | Titles::Unsaid) && self.whole(title) == title
    }

    /// The attributes a title stands for; `namevar` is the first name variable.
    ///
    /// # Errors
    /// Puppet's message where no pattern fits, or there is none.
    pub fn parse<'a>(&'a self, title: &'a str, namevar: &'a str) -> Result<Vec<(&'a str, &'a str)>, String> {
        let patterns = match self {
            Titles::Whole | Titles::Path => return Ok(vec![(namevar, self.whole(title))]),
            Titles::Patterns(patterns) => patterns,
            Titles::Unsaid => return Err(NO_PATTERNS.to_owned()),
        };
        for pattern in patterns {
            let Some(groups) = regex::captures(&pattern.regex, title)? else { continue };
            let mut found: Vec<(&str, &str)> = Vec::new();
            for (name, group) in pattern.attributes.iter().zip(groups.into_iter().skip(1)) {
                let Some(text) = group else { continue };
                found.retain(|(other, _)| other != name);
                found.push((name, text));
            }
            return Ok(found);
        }
        Err(format!("No set of title patterns matched the title \"{title}\"."))
    }
}

/// What identifies a resource: the values of its type's name variables, in order of their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity(Vec<Option<String>>);

impl Identity {
    /// Of a resource of type `ty`, by what its title was parsed to and by its parameters.
    pub fn of(
        ty: &ResourceType,
        title: &[(&str, &str)],
        parameter: impl Fn(&str) -> Option<String>,
    ) -> Identity {
        let mut names: Vec<&str> = ty.namevars.iter().map(String::as_str).collect();
        names.sort_unstable();
        let parsed =
            |name| title.iter().find(|(other, _)| *other == name).map(|(_, text)| (*text).to_owned());
        Identity(names.into_iter().map(|name| parameter(name).or_else(|| parsed(name))).collect())
    }

    /// Whether it says no more than a title, or nothing.
    pub fn is_only(&self, title: &str) -> bool {
        matches!(self.0.as_slice(), [Some(one)] if one == title) || self.0.iter().all(Option::is_none)
    }

    /// A text that two have in common if they are the same; that of one value is the value.
    pub fn key(&self) -> String {
        let mut key = String::new();
        for (n, value) in self.0.iter().enumerate() {
            if n > 0 {
                key.push('\0');
            }
            match value {
                Some(value) => key.push_str(value),
                None => key.push('\u{1}'),
            }
        }
        key
    }

    /// As Ruby shows the values, without brackets.
    pub fn shown(&self) -> String {
        let show =
            |value: &Option<String>| value.as_ref().map_or("nil".to_owned(), |text| format!("{text:?}"));
        self.0.iter().map(show).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_pattern_that_fits_says_what_the_groups_are() {
        let pattern = |regex: &str, names: &[&str]| Pattern {
            regex: regex.to_owned(),
            attributes: names.iter().map(|n| (*n).to_owned()).collect(),
        };
        let titles = Titles::Patterns(vec![
            pattern("^(.*?)@(.*)$", &["name", "type"]),
            pattern("^([^@]+)$", &["name"]),
        ]);
        let text = |title| titles.parse(title, "name").unwrap();
        assert_eq!(text("a@b"), [("name", "a"), ("type", "b")]);
        assert_eq!(text("a"), [("name", "a")]);
        assert_eq!(titles.parse("", "name").unwrap_err(), "No set of title patterns matched the title \"\".");
        assert_eq!(Titles::Path.parse("C://", "path").unwrap(), [("path", "C:/")]);
        assert_eq!(Titles::Path.parse("//", "path").unwrap(), [("path", "/")]);
    }
}
