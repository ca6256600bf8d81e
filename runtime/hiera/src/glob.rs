//! Globs as Ruby's `Pathname.glob` has them: `*`, `?`, `[…]`, `{…,…}`, `**/`; hidden files only by name.

use bunraku_files::found::Child;
use bunraku_files::tree::Tree;
use std::path::{Path, PathBuf};

/// The files (not folders) that a pattern stands for, sorted level by level.
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
    let mut found = Vec::new();
    let mut patterns = Vec::new();
    if !braces(pattern, &mut patterns) {
        return Err(format!("The glob '{pattern}' has more than {MAX_ALTERNATIVES} alternatives"));
    }
    for pattern in patterns {
        // What stands before the first wildcard stays as it is written.
        let wild = pattern.find(WILDCARDS).unwrap_or(pattern.len());
        let (folder, rest) = pattern.split_at(pattern[..wild].rfind('/').map_or(0, |at| at + 1));
        let mut parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
        parts.dedup_by(|a, b| *a == "**" && a == b);
        let folder = if folder.len() > 1 { folder.trim_end_matches('/') } else { "/" };
        walk((tree, counts), Path::new(folder), &parts, &mut found);
    }
    Ok(found)
}

/// What makes a part of a pattern stand for several names.
const WILDCARDS: [char; 4] = ['*', '?', '[', '\\'];

/// Alternatives that one pattern may have.
const MAX_ALTERNATIVES: usize = 10_000;

/// Adds the alternatives of `{a,b}` to `all`; false when there are too many.
fn braces(pattern: &str, all: &mut Vec<String>) -> bool {
    if all.len() >= MAX_ALTERNATIVES {
        return false;
    }
    let Some(open) = pattern.find("{") else {
        all.push(pattern.to_owned());
        return true;
    };
    let (mut depth, mut start, mut items) = (0, open + 1, Vec::new());
    for (at, c) in pattern[open..].char_indices().map(|(at, c)| (open + at, c)) {
        match c {
            '{' => depth += 1,
            ',' if depth == 1 => {
                items.push(&pattern[start..at]);
                start = at + 1;
            }
            '}' => {
                depth -= 1;
                if depth == 0 {
                    items.push(&pattern[start..at]);
                    let (head, tail) = (&pattern[..open], &pattern[at + 1..]);
                    return items.iter().all(|item| braces(&format!("{head}{item}{tail}"), all));
                }
            }
            _ => {}
        }
    }
    all.push(pattern.to_owned());
    true
}

/// Adds the files below a folder that the parts of a pattern stand for.
fn walk(of: (&Tree, Counts), folder: &Path, parts: &[&str], found: &mut Vec<PathBuf>) {
    let (tree, counts) = of;
    let Some((part, rest)) = parts.split_first() else { return };
    if *part == "**" && !rest.is_empty() {
        walk(of, folder, rest, found);
        for child in tree.list(folder) {
            if !child.name.starts_with('.') && child.is_folder && !child.is_link {
                walk(of, &folder.join(&child.name), parts, found);
            }
        }
        return;
    }
    let mut take = |path: PathBuf| {
        if rest.is_empty() {
            if counts(tree, &path) {
                found.push(path);
            }
        } else if tree.is_dir(&path) {
            walk(of, &path, rest, found);
        }
    };
    if !part.contains(WILDCARDS) {
        // Whether a folder without wildcards is there is not asked: an archive does not have the folders above its own.
        let path = folder.join(part);
        return if rest.is_empty() { take(path) } else { walk(of, &path, rest, found) };
    }
    let pattern: Vec<char> = part.chars().collect();
    for Child { name, .. } in tree.list(folder) {
        let text: Vec<char> = name.chars().collect();
        if (!name.starts_with('.') || part.starts_with('.')) && matches(&pattern, &text) {
            take(folder.join(&name));
        }
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
    fn files_are_found_level_by_level_and_by_name() {
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

    #[test]
    fn braces_are_limited() {
        let pattern = "{a,b}".repeat(20);
        assert!(glob(&Tree::default(), &pattern).is_err());
    }
}
