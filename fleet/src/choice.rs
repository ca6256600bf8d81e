//! Which of a fleet's nodes are meant: those that are named, by name, pattern or a query; of these, those that fit by their
//! facts, classes and resources; and of these, one of each kind. What is asked of classes and resources needs a compile of
//! each node: by the tree that is compiled, or where two are compared by the older one.

use super::nodes::{Known, Nodes};
use super::pool;
use bunraku::{Catalog, Data, Diagnostic};
use regex_lite::Regex;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// What is asked of nodes. Names, patterns and the query name nodes, and a node that one of them names is meant; without any
/// of them all are. All else must hold.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Certnames.
    pub names: Vec<String>,
    /// Patterns of certnames.
    pub patterns: Vec<Pattern>,
    /// A query in PQL: the nodes that PuppetDB finds.
    pub query: Option<String>,
    /// Facts and their values.
    pub facts: Vec<FactIs>,
    /// Classes that the node has.
    pub classes: Vec<String>,
    /// Resources that its catalog has.
    pub resources: Vec<ResourceIs>,
    /// Of nodes with the same classes, the first by name only.
    pub one_per_kind: bool,
}

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

/// What came of a choice.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// With one of each kind: how many nodes are of that of a node.
    pub kinds: BTreeMap<String, usize>,
    /// Nodes of which classes and resources are not known, since they don't compile: they are left out, but for one of each
    /// kind, where a message is a kind.
    pub failed: BTreeMap<String, String>,
}

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
    pub fn fits(&self, known: &Known) -> bool {
        let found = value_at(known, &self.path);
        match (&self.value, found) {
            (_, None) => false,
            (None, Some(value)) => !matches!(value, Data::Undef | Data::Boolean(false)),
            (Some(pattern), Some(Data::List(all))) => all.iter().any(|one| pattern.fits(&one.to_string())),
            (Some(pattern), Some(value)) => pattern.fits(&value.to_string()),
        }
    }
}

/// The value at a path of facts; `trusted.…` is of the trusted data.
fn value_at(known: &Known, path: &str) -> Option<Data> {
    let mut steps = path.split('.');
    let first = steps.next()?;
    let mut value = match known.facts.get(path) {
        // A fact's own name may have dots.
        Some(value) => return Some(value),
        None if first == "trusted" => known.trusted.clone()?,
        None => known.facts.get(first)?,
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
        match !type_name.is_empty() && type_name.chars().all(is_name) {
            true => Ok(ResourceIs { type_name: type_name.to_lowercase(), title: Pattern::read(title)? }),
            false => Err(format!("{text:?} is no Type[title]")),
        }
    }

    fn fits(&self, catalog: &Catalog) -> bool {
        let all = catalog.resources().iter();
        let mut of_type = all.filter(|own| own.type_name.to_lowercase() == self.type_name);
        of_type.any(|own| self.title.fits(&own.title))
    }
}

/// What is looked at of a node that compiles: whether it is meant, and its classes.
type Seen = Result<Option<Vec<String>>, String>;

impl Choice {
    /// Whether nodes must be compiled to know which are meant.
    pub fn needs_catalogs(&self) -> bool {
        !self.classes.is_empty() || !self.resources.is_empty() || self.one_per_kind
    }

    /// Whether all nodes are meant.
    pub fn is_all(&self) -> bool {
        self.names.is_empty()
            && self.patterns.is_empty()
            && self.query.is_none()
            && self.facts.is_empty()
            && !self.needs_catalogs()
    }

    /// Keeps the nodes that are meant; `compile` gives a node's catalog and is called on so many threads.
    ///
    /// # Errors
    /// When a node that is named is not there, nothing fits a pattern, or none is left; when facts can't be read or the query
    /// is refused.
    pub fn keep(
        &self,
        nodes: &mut Nodes,
        threads: usize,
        compile: impl Fn(&Known) -> Result<Catalog, Diagnostic> + Sync,
    ) -> Result<Chosen, String> {
        self.keep_named(nodes)?;
        let mut chosen = Chosen::default();
        if self.facts.is_empty() && !self.needs_catalogs() {
            return Ok(chosen);
        }
        let (mut kept, mut first_of, mut failure) = (HashSet::new(), BTreeMap::new(), None);
        pool::run(
            nodes.names(),
            threads,
            |name| self.look(nodes, name, &compile),
            |name, seen| {
                let kind = match seen {
                    Err(message) => return failure = failure.take().or(Some(message)),
                    Ok(None) => return,
                    Ok(Some(Ok(None))) => None,
                    Ok(Some(Ok(Some(classes)))) => Some(Ok(classes)),
                    Ok(Some(Err(message))) => {
                        let message = message.replace(name, "NODE");
                        chosen.failed.insert(name.to_owned(), message.clone());
                        if !self.one_per_kind {
                            return;
                        }
                        Some(Err(message))
                    }
                };
                if let Some(kind) = kind.filter(|_| self.one_per_kind) {
                    let first = first_of.entry(kind).or_insert_with(|| name.to_owned());
                    *chosen.kinds.entry(first.clone()).or_insert(0) += 1;
                    if first != name {
                        return;
                    }
                }
                kept.insert(name.to_owned());
            },
        )?;
        if let Some(message) = failure {
            return Err(message);
        }
        nodes.retain(|name| kept.contains(name));
        match nodes.names().is_empty() {
            true if !chosen.failed.is_empty() => Err(format!(
                "None of the nodes that compile is what was asked for; {} do not compile",
                chosen.failed.len()
            )),
            true => Err("No node is what was asked for".to_owned()),
            false => Ok(chosen),
        }
    }

    /// Keeps what is named: by name, pattern, query.
    fn keep_named(&self, nodes: &mut Nodes) -> Result<(), String> {
        if self.names.is_empty() && self.patterns.is_empty() && self.query.is_none() {
            return Ok(());
        }
        let mut wanted: BTreeSet<String> = BTreeSet::new();
        for name in &self.names {
            match nodes.names().binary_search(name) {
                Ok(_) => wanted.insert(name.clone()),
                Err(_) => return Err(format!("There is no node {name} in {}", nodes.from())),
            };
        }
        for pattern in &self.patterns {
            let fitting = nodes.names().iter().filter(|name| pattern.fits(name));
            let before = wanted.len();
            let mut count = 0;
            wanted.extend(fitting.inspect(|_| count += 1).cloned());
            if count == 0 && wanted.len() == before {
                return Err(format!("No node of {} fits {}", nodes.from(), pattern.text));
            }
        }
        if let Some(query) = &self.query {
            wanted.extend(nodes.find(query)?);
        }
        nodes.retain(|name| wanted.contains(name));
        match nodes.names().is_empty() {
            true => Err("The query finds no node that has facts".to_owned()),
            false => Ok(()),
        }
    }

    /// Looks at a node: none where its facts say that it is not meant; what is asked of its catalog where that is needed.
    fn look(
        &self,
        nodes: &Nodes,
        name: &str,
        compile: impl Fn(&Known) -> Result<Catalog, Diagnostic>,
    ) -> Result<Option<Seen>, String> {
        let known = nodes.known(name)?;
        if !self.facts.iter().all(|fact| fact.fits(&known)) {
            return Ok(None);
        }
        if !self.needs_catalogs() {
            return Ok(Some(Ok(None)));
        }
        let catalog = match compile(&known) {
            Ok(catalog) => catalog,
            Err(error) => return Ok(Some(Err(error.message))),
        };
        let has = |class: &String| {
            let class = class.trim_start_matches("::").to_lowercase();
            catalog.classes().iter().any(|own| own.to_lowercase() == class)
        };
        if !self.classes.iter().all(has) || !self.resources.iter().all(|one| one.fits(&catalog)) {
            return Ok(None);
        }
        let mut classes = catalog.classes().to_vec();
        // A kind is a set; what a node is called is no part of it.
        classes.sort();
        Ok(Some(Ok(Some(classes))))
    }
}

#[cfg(test)]
mod tests;
