//! What is asked of a node: patterns of texts, facts, resources.

use crate::nodes::FleetNode;
use bunraku::{CatalogView, Data};
use regex_lite::Regex;

/// A pattern for a whole text: with `*`, `?`, `[…]` and `{a,b}`, or a regular expression between slashes, which need not be
/// for the whole.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    regex: Regex,
}

/// What a fact is to be.
#[derive(Clone, Debug)]
pub struct FactIs {
    /// Where it is: names and indexes joined by dots.
    path: String,
    /// Its value as text; without one it is to be there, and neither false nor undef.
    value: Option<Pattern>,
}

/// Resources of a type, with a title that fits.
#[derive(Clone, Debug)]
pub struct ResourceIs {
    type_name: String,
    title: Pattern,
}

/// The type of classes.
const CLASS: &str = "class";

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(text: &str) -> Result<Pattern, String> {
        let source = match text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
            Some(source) => source.to_owned(),
            None => format!("^(?s:{})$", of_glob(text)),
        };
        let regex = Regex::new(&source).map_err(|error| format!("{text:?} is no pattern: {error}"))?;
        Ok(Pattern { text: text.to_owned(), regex })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a text fits.
    pub fn fits(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// The source of a regular expression for what a glob means.
fn of_glob(glob: &str) -> String {
    let (mut out, mut depth, mut rest) = (String::new(), 0, glob.chars());
    while let Some(sign) = rest.next() {
        match sign {
            '*' => out.push_str(".*"),
            '?' => out.push('.'),
            '[' => match rest.as_str().split_once(']') {
                Some((class, behind)) if !class.is_empty() => {
                    let (not, class) =
                        class.strip_prefix(['!', '^']).map_or(("", class), |class| ("^", class));
                    out.push_str(&format!("[{not}{}]", class.replace('\\', "\\\\").replace('[', "\\[")));
                    rest = behind.chars();
                }
                _ => out.push_str("\\["),
            },
            '{' => {
                depth += 1;
                out.push_str("(?:");
            }
            '}' if depth > 0 => {
                depth -= 1;
                out.push(')');
            }
            ',' if depth > 0 => out.push('|'),
            other => out.push_str(&regex_lite::escape(other.encode_utf8(&mut [0; 4]))),
        }
    }
    out
}

impl FactIs {
    /// Reads `PATH=VALUE`, whose value may be a pattern, or `PATH`.
    ///
    /// # Errors
    /// When the pattern is none.
    pub fn read(text: &str) -> Result<FactIs, String> {
        let (path, value) = match text.split_once('=') {
            Some((path, value)) => (path, Some(Pattern::read(value)?)),
            None => (text, None),
        };
        match path.is_empty() {
            true => Err(format!("{text:?} names no fact: it takes PATH=VALUE")),
            false => Ok(FactIs { path: path.to_owned(), value }),
        }
    }

    /// Whether it is so for a node.
    pub fn fits(&self, node: &FleetNode) -> bool {
        let found = value_at(node, &self.path);
        match (&self.value, found) {
            (_, None) => false,
            (None, Some(value)) => !matches!(value, Data::Undef | Data::Boolean(false)),
            (Some(pattern), Some(Data::List(all))) => all.iter().any(|one| pattern.fits(&one.to_string())),
            (Some(pattern), Some(value)) => pattern.fits(&value.to_string()),
        }
    }
}

/// The value at a path of facts; `trusted.…` is of the trusted data.
fn value_at(node: &FleetNode, path: &str) -> Option<Data> {
    let mut steps = path.split('.');
    let first = steps.next()?;
    let mut value = match node.facts.get(path) {
        // A fact's own name may have dots.
        Some(value) => return Some(value),
        None if first == "trusted" => node.trusted.clone()?,
        None => node.facts.get(first)?,
    };
    for step in steps {
        value = match &value {
            Data::List(all) => all.get(step.parse::<usize>().ok()?)?.clone(),
            other => other.get(step)?.clone(),
        };
    }
    Some(value)
}

impl ResourceIs {
    /// Reads `Type[title]`, whose title may be a pattern, or `Type`.
    ///
    /// # Errors
    /// When it is neither.
    pub fn read(text: &str) -> Result<ResourceIs, String> {
        let (type_name, title) = match text.split_once('[') {
            Some((type_name, rest)) => {
                let title = rest.strip_suffix(']').ok_or_else(|| format!("{text:?} is no Type[title]"))?;
                (type_name, title.trim_matches(['\'', '"']))
            }
            None => (text, "*"),
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '_');
        if type_name.is_empty() || !type_name.chars().all(is_name) {
            return Err(format!("{text:?} is no Type[title]"));
        }
        let type_name = type_name.to_lowercase();
        // Names of classes are the same in any case; catalogs have them capitalised.
        let title = match type_name == CLASS {
            true => title.trim_start_matches("::").to_lowercase(),
            false => title.to_owned(),
        };
        Ok(ResourceIs { type_name, title: Pattern::read(&title)? })
    }

    /// Whether a catalog has one.
    pub fn fits(&self, catalog: &CatalogView<'_>) -> bool {
        let mut of_type =
            catalog.resources().filter(|own| own.type_name().eq_ignore_ascii_case(&self.type_name));
        of_type.any(|own| match self.type_name == CLASS {
            true => self.title.fits(&own.title().to_lowercase()),
            false => self.title.fits(own.title()),
        })
    }
}
