//! Globs as Ruby's `Pathname.glob` has them: `*`, `?`, `[…]`, `{…,…}`, `**/`; hidden files only by name.

use crate::tree::Tree;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The files (not folders) that a pattern stands for, in Ruby's order.
///
/// # Errors
/// When there are too many alternatives in braces.
pub fn glob(tree: &Tree, pattern: &str) -> Result<Vec<PathBuf>, String> {
    find(tree, pattern, Tree::is_file)
}

/// The files and folders that a pattern stands for, likewise: Ruby's `Dir.glob`.
///
/// # Errors
/// As [`glob`].
pub fn glob_all(tree: &Tree, pattern: &str) -> Result<Vec<PathBuf>, String> {
    find(tree, pattern, Tree::exists)
}

/// What counts at the end of a pattern.
type Counts = fn(&Tree, &Path) -> bool;

fn find(tree: &Tree, pattern: &str, counts: Counts) -> Result<Vec<PathBuf>, String> {
    let mut walk = Walk { tree, counts, alternatives: 0, found: Vec::new() };
    // What stands before the first wildcard stays as it is written.
    let wild = pattern.find(['*', '?', '[', '\\', '{']).unwrap_or(pattern.len());
    let (folder, rest) = pattern.split_at(pattern[..wild].rfind('/').map_or(0, |at| at + 1));
    let folder = if folder.len() > 1 { folder.trim_end_matches('/') } else { "/" };
    match walk.folder(Path::new(folder), &[Rest::of(rest)]) {
        Ok(()) => Ok(walk.found),
        Err(TooMany) => Err(format!("The glob '{pattern}' has more than {MAX_ALTERNATIVES} alternatives")),
    }
}

/// What makes a part of a pattern stand for several names.
const WILDCARDS: [char; 4] = ['*', '?', '[', '\\'];

/// Alternatives that one pattern may have.
const MAX_ALTERNATIVES: usize = 10_000;

/// There are more.
struct TooMany;

/// What is left of a pattern below some folder.
#[derive(Clone, PartialEq)]
struct Rest {
    parts: Rc<[String]>,
    /// How many of its parts stand for the folders above.
    done: usize,
}

impl Rest {
    /// A pattern from its begin on. A slash within braces is of an alternative.
    fn of(pattern: &str) -> Rest {
        let (mut depth, mut parts) = (0_u32, vec![String::new()]);
        for c in pattern.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                '/' if depth == 0 => {
                    parts.push(String::new());
                    continue;
                }
                _ => {}
            }
            if let Some(last) = parts.last_mut() {
                last.push(c);
            }
        }
        parts.retain(|part| !part.is_empty());
        parts.dedup_by(|a, b| *a == "**" && a == b);
        Rest { parts: parts.into(), done: 0 }
    }

    fn parts(&self) -> &[String] {
        self.parts.get(self.done..).unwrap_or_default()
    }

    fn behind(&self, number: usize) -> Rest {
        Rest { parts: self.parts.clone(), done: self.done + number }
    }

    /// Whether it begins with `**/`: folders of any depth.
    fn is_deep(&self) -> bool {
        matches!(self.parts(), [first, _, ..] if first == "**")
    }

    /// The part that names of the folder are held against.
    fn name(&self) -> Option<&str> {
        self.parts().get(usize::from(self.is_deep())).map(String::as_str)
    }

    /// What is left below a folder whose name fits.
    fn below(&self) -> Rest {
        self.behind(1 + usize::from(self.is_deep()))
    }
}

/// The first braces of a text taken apart: what stands before them, the alternatives, what stands behind.
fn braces(text: &str) -> Option<(&str, Vec<&str>, &str)> {
    let open = text.find('{')?;
    let (mut depth, mut start, mut items) = (0, open + 1, Vec::new());
    for (at, c) in text[open..].char_indices().map(|(at, c)| (open + at, c)) {
        match c {
            '{' => depth += 1,
            ',' if depth == 1 => {
                items.push(&text[start..at]);
                start = at + 1;
            }
            '}' => {
                depth -= 1;
                if depth == 0 {
                    items.push(&text[start..at]);
                    return Some((&text[..open], items, &text[at + 1..]));
                }
            }
            _ => {}
        }
    }
    None
}

struct Walk<'t> {
    tree: &'t Tree,
    counts: Counts,
    /// How many alternatives there have been.
    alternatives: usize,
    found: Vec<PathBuf>,
}

impl Walk<'_> {
    fn alternative(&mut self) -> Result<(), TooMany> {
        self.alternatives += 1;
        if self.alternatives > MAX_ALTERNATIVES { Err(TooMany) } else { Ok(()) }
    }

    /// Adds what lies below a folder, for all that is left of the pattern there. In the order of Ruby 3: by name, and what is in a
    /// folder behind the folder itself; alternatives one after the other, but below `**`, where they are looked for at once.
    fn folder(&mut self, folder: &Path, rests: &[Rest]) -> Result<(), TooMany> {
        let is_deep = rests.iter().any(Rest::is_deep);
        let has_wildcards = |rest: &Rest| rest.name().is_some_and(|name| name.contains(WILDCARDS));
        let has_braces = |rest: &Rest| rest.name().is_some_and(|name| braces(name).is_some());
        if is_deep || rests.iter().any(has_wildcards) && !rests.iter().any(has_braces) {
            return self.listed(folder, rests);
        }
        for rest in rests {
            let [name, behind @ ..] = rest.parts() else { continue };
            let Some((head, items, tail)) = braces(name) else {
                // Whether a folder without wildcards is there is not asked: an archive does not have the folders above its own.
                let path = folder.join(name);
                match behind {
                    [] if (self.counts)(self.tree, &path) => self.found.push(path),
                    [] => {}
                    _ => self.folder(&path, &[rest.behind(1)])?,
                }
                continue;
            };
            for item in items {
                self.alternative()?;
                let parts: Vec<String> =
                    std::iter::once(format!("{head}{item}{tail}")).chain(behind.iter().cloned()).collect();
                self.folder(folder, &[Rest::of(&parts.join("/"))])?;
            }
        }
        Ok(())
    }

    fn listed(&mut self, folder: &Path, rests: &[Rest]) -> Result<(), TooMany> {
        let mut patterns = Vec::with_capacity(rests.len());
        for rest in rests {
            let mut all = Vec::new();
            self.alternatives_of(rest.name().unwrap_or_default(), &mut all)?;
            patterns.push(all);
        }
        for child in self.tree.list(folder) {
            let text: Vec<char> = child.name.chars().collect();
            let fits = |pattern: &Vec<char>| {
                (text.first() != Some(&'.') || pattern.first() == Some(&'.')) && matches(pattern, &text)
            };
            let goes_deeper = !child.name.starts_with('.') && child.is_folder && !child.is_link;
            let (mut below, mut is_found): (Vec<Rest>, bool) = (Vec::new(), false);
            for (rest, patterns) in rests.iter().zip(&patterns) {
                if rest.is_deep() && goes_deeper && !below.contains(rest) {
                    below.push(rest.clone());
                }
                if patterns.iter().any(fits) {
                    let further = rest.below();
                    match further.parts() {
                        [] => is_found = true,
                        _ if !below.contains(&further) => below.push(further),
                        _ => {}
                    }
                }
            }
            let path = folder.join(&child.name);
            if is_found && (self.counts)(self.tree, &path) {
                self.found.push(path.clone());
            }
            if !below.is_empty() && self.tree.is_dir(&path) {
                self.folder(&path, &below)?;
            }
        }
        Ok(())
    }

    /// What a part stands for without braces.
    fn alternatives_of(&mut self, part: &str, all: &mut Vec<Vec<char>>) -> Result<(), TooMany> {
        let Some((head, items, tail)) = braces(part) else {
            all.push(part.chars().collect());
            return Ok(());
        };
        for item in items {
            self.alternative()?;
            self.alternatives_of(&format!("{head}{item}{tail}"), all)?;
        }
        Ok(())
    }
}

/// Whether a name fits. Only the last `*` is ever tried again, so that the time is at most length times length.
fn matches(pattern: &[char], text: &[char]) -> bool {
    let (mut at, mut rest) = (0, pattern);
    let mut again: Option<(&[char], usize)> = None;
    loop {
        if let Some(('*', behind)) = rest.split_first() {
            again = Some((behind, at));
            rest = behind;
            continue;
        }
        let step = match text.get(at) {
            None if rest.is_empty() => return true,
            None => return false,
            Some(c) => one(rest, *c),
        };
        match (step, &mut again) {
            (Some(behind), _) => {
                rest = behind;
                at += 1;
            }
            (None, Some((behind, start))) => {
                *start += 1;
                (rest, at) = (*behind, *start);
            }
            (None, None) => return false,
        }
    }
}

/// The pattern behind its first part, if that part fits the character.
fn one(pattern: &[char], c: char) -> Option<&[char]> {
    match pattern.split_first()? {
        ('?', rest) => Some(rest),
        ('\\', rest) if rest.first() == Some(&c) => Some(&rest[1..]),
        ('[', rest) => {
            let close = rest.iter().skip(1).position(|c| *c == ']')? + 1;
            let (set, rest) = (&rest[..close], &rest[close + 1..]);
            let (negated, set) = match set.split_first() {
                Some(('!' | '^', set)) => (true, set),
                _ => (false, set),
            };
            (in_set(set, c) != negated).then_some(rest)
        }
        (p, rest) => (*p == c).then_some(rest),
    }
}

/// Whether a set like `a-z_` has a character.
fn in_set(mut set: &[char], c: char) -> bool {
    loop {
        set = match set {
            [from, '-', to, rest @ ..] => {
                if (*from..=*to).contains(&c) {
                    return true;
                }
                rest
            }
            [one, rest @ ..] => {
                if *one == c {
                    return true;
                }
                rest
            }
            [] => return false,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_in_rubys_order() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let root = folder.path();
        for name in ["a.yaml", "b.json", ".hidden.yaml", "sub/c.yaml", "sub/deep/d.yaml", "{x}.yaml"] {
            let file = root.join(name);
            std::fs::create_dir_all(file.parent().expect("it has one")).expect("a folder can be made");
            std::fs::write(file, "").expect("a file can be written");
        }
        let found = |pattern: &str| {
            let all = glob(&Tree::default(), &format!("{}/{pattern}", root.display())).expect("it is short");
            let names =
                all.iter().map(|path| path.strip_prefix(root).expect("it lies below").display().to_string());
            names.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(found("*.yaml"), "a.yaml {x}.yaml");
        assert_eq!(found("{b,a}.*"), "b.json a.yaml");
        assert_eq!(found(".*.yaml"), ".hidden.yaml");
        assert_eq!(found("**/?.yaml"), "a.yaml sub/c.yaml sub/deep/d.yaml");
        assert_eq!(found("[!b].yaml"), "a.yaml");
        assert_eq!(found("sub"), "");
        let folders = glob_all(&Tree::default(), &format!("{}/s*", root.display()));
        assert_eq!(folders, Ok(vec![root.join("sub")]));
    }

    /// As Ruby 3.1 prints them.
    #[test]
    fn what_is_in_a_folder_comes_behind_it() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let root = folder.path();
        for name in ["B", "a/y/x", "a/z", "a-b", "a.b", "x/y", "x/x/y", "x/x/x/y", "z/y", "s/b.k", "t/a.k"] {
            let file = root.join(name);
            std::fs::create_dir_all(file.parent().expect("it has one")).expect("a folder can be made");
            std::fs::write(file, "").expect("a file can be written");
        }
        std::os::unix::fs::symlink("x", root.join("lx")).expect("a link can be made");
        let found = |pattern: &str| {
            let all =
                glob_all(&Tree::default(), &format!("{}/{pattern}", root.display())).expect("it is short");
            let names =
                all.iter().map(|path| path.strip_prefix(root).expect("it lies below").to_string_lossy());
            names.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(found("a*"), "a a-b a.b");
        assert_eq!(found("{a,a.,a-}{,b}/**/*"), "a/y a/y/x a/z");
        assert_eq!(found("**/x/**/y"), "x/x/x/y x/x/y x/y");
        assert_eq!(found("**/a*"), "a a-b a.b t/a.k");
        assert_eq!(found("a/**/*"), "a/y a/y/x a/z");
        assert_eq!(found("l*/**/y"), "lx/x/x/y lx/x/y lx/y");
        assert_eq!(found("*/**/y"), "a/y lx/x/x/y lx/x/y lx/y x/x/x/y x/x/y x/y z/y");
        assert_eq!(found("{t,s}/*"), "t/a.k s/b.k");
        assert_eq!(found("**/{t,s}/*"), "s/b.k t/a.k");
        assert_eq!(found("**/{t/a,s/b}.k"), "");
        assert_eq!(found("{t/a,s/b}.k"), "t/a.k s/b.k");
        assert_eq!(found("[st]/{b,a}.k"), "s/b.k t/a.k");
        assert_eq!(found("**"), "B a a-b a.b lx s t x z");
    }

    #[test]
    fn braces_are_limited() {
        let pattern = "{a,b}".repeat(20);
        assert!(glob(&Tree::default(), &pattern).is_err());
    }
}
