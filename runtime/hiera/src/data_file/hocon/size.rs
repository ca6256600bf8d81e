//! How large a HOCON text becomes when its substitutions are resolved, and how much work it is to put its objects
//! together, both estimated before that is tried: some kilobytes in which each field names the one before many times
//! would become gigabytes, and the crate copies an object for each field that is given by a path of its own.

use hocon::TokenKind;
use std::collections::HashMap;

/// Fields may name each other this deep.
const MAX_DEPTH: usize = 250;

type Path = Vec<String>;

/// One definition of a field: how many tokens it has itself, and the paths that its substitutions name.
type Definition = (u64, Vec<Path>);

/// The fields of a text outside of lists, with what their sizes follow from.
#[derive(Default)]
pub struct Weights {
    /// Each field may be defined several times.
    definitions: HashMap<Path, Vec<Definition>>,
    /// The fields of each object, the empty path being that of the file's own.
    children: HashMap<Path, Vec<Path>>,
    /// Sizes that have been worked out. Key: the path; bound: the fields of the text, for one parse; 0 while it is being
    /// worked out. Test: `tests/tests/hiera_hostile.rs`, `substitutions_that_multiply`.
    known: HashMap<Path, u64>,
    /// About how many fields are copied.
    work: u64,
}

impl Weights {
    /// The fields of a text.
    pub fn of(tokens: &[hocon::Token]) -> Weights {
        let mut weights = Weights::default();
        weights.collect(tokens);
        weights
    }

    /// How many tokens the text stands for with substitutions resolved, at most.
    pub fn tokens(&mut self) -> u64 {
        let top = self.children.get(&Vec::new()).cloned().unwrap_or_default();
        top.iter().fold(0, |sum, path| self.weight(path, 0).saturating_add(sum))
    }

    /// About how many fields are copied when objects are put together that stand there in pieces.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Notes each field outside of lists by its path; what is in a list belongs to the list's field.
    fn collect(&mut self, tokens: &[hocon::Token]) {
        let (mut open, mut lists): (Vec<Vec<String>>, u32) = (Vec::new(), 0);
        let mut path: Vec<String> = Vec::new();
        let mut key: Vec<String> = Vec::new();
        let mut in_value = false;
        for (n, token) in tokens.iter().enumerate() {
            match token.kind {
                TokenKind::LBracket => lists += 1,
                TokenKind::RBracket => lists = lists.saturating_sub(1),
                _ if lists > 0 => {}
                TokenKind::LBrace if !in_value && key.is_empty() && n == 0 => open.push(Vec::new()),
                TokenKind::LBrace => {
                    if !in_value && !key.is_empty() {
                        self.define(&mut path, &open, &mut key);
                    }
                    open.push(path.clone());
                    (in_value, key) = (false, Vec::new());
                }
                TokenKind::RBrace => {
                    path = open.pop().unwrap_or_default();
                    in_value = true;
                }
                // A line feed before the value does not end the field.
                TokenKind::Comma | TokenKind::Newline if !in_value || self.own(&path) > 0 => {
                    (in_value, key) = (false, Vec::new());
                }
                TokenKind::Comma | TokenKind::Newline => {}
                TokenKind::Colon | TokenKind::Equals | TokenKind::PlusEquals if !in_value => {
                    let appends = token.kind == TokenKind::PlusEquals;
                    self.define(&mut path, &open, &mut key);
                    in_value = true;
                    if appends {
                        self.add(&path, Some(path.clone()));
                    }
                    continue;
                }
                TokenKind::QuotedString if !in_value => key.push(token.value.clone()),
                _ if !in_value => {
                    key.extend(token.value.split('.').filter(|part| !part.is_empty()).map(str::to_owned));
                }
                _ => {}
            }
            if in_value || lists > 0 {
                let names = token.subst.as_ref().map(|s| s.segments.iter().map(|s| s.text.clone()).collect());
                self.add(&path, names);
            }
        }
    }

    fn define(&mut self, path: &mut Vec<String>, open: &[Vec<String>], key: &mut Vec<String>) {
        *path = open.last().cloned().unwrap_or_default();
        let (by_path, mut copied) = (key.len() > 1, 0);
        for part in std::mem::take(key) {
            let parent = path.clone();
            path.push(part);
            // Each piece of an object makes a copy of what was there.
            let pieces = self.children.get(if by_path { &parent } else { &*path });
            copied = copied.max(pieces.filter(|_| !by_path || !parent.is_empty()).map_or(0, Vec::len));
            if !self.definitions.contains_key(path) {
                self.definitions.insert(path.clone(), Vec::new());
                self.children.entry(parent).or_default().push(path.clone());
            }
        }
        // That it grows by the square of the depth was measured.
        let depth = path.len() as u64 - u64::from(by_path);
        self.work = self.work.saturating_add((2 * depth * depth).saturating_mul(copied as u64));
        self.definitions.entry(path.clone()).or_default().push((0, Vec::new()));
    }

    fn own(&self, path: &[String]) -> u64 {
        self.definitions.get(path).and_then(|all| all.last()).map_or(0, |(own, _)| *own)
    }

    fn add(&mut self, path: &[String], names: Option<Vec<String>>) {
        if let Some((own, refs)) = self.definitions.get_mut(path).and_then(|all| all.last_mut()) {
            *own += 1;
            refs.extend(names);
        }
    }

    fn weight(&mut self, path: &[String], depth: usize) -> u64 {
        if let Some(known) = self.known.get(path) {
            return *known;
        }
        if depth > MAX_DEPTH {
            return u64::MAX;
        }
        // A field that leads to itself is an error that the crate finds: it counts once here.
        self.known.insert(path.to_vec(), 0);
        let mut sum = 0_u64;
        for (own, refs) in self.definitions.get(path).cloned().unwrap_or_default() {
            let before = sum;
            sum = sum.saturating_add(own);
            for name in refs {
                let more = if name == path { before } else { self.weight_at(&name, depth + 1) };
                sum = sum.saturating_add(more);
            }
        }
        for child in self.children.get(path).cloned().unwrap_or_default() {
            sum = sum.saturating_add(self.weight(&child, depth + 1));
        }
        self.known.insert(path.to_vec(), sum);
        sum
    }

    /// The weight of a path, or of the nearest above it that is defined.
    fn weight_at(&mut self, path: &[String], depth: usize) -> u64 {
        let found = (1..=path.len()).rev().find(|end| self.definitions.contains_key(&path[..*end]));
        found.map_or(0, |end| self.weight(&path[..end], depth))
    }
}
