//! Globs as Ruby's `Pathname.glob` has them: `*`, `?`, `[…]`, `{…,…}`, `**/`; hidden files only by name.

use crate::tree::{Child, Tree};
use std::path::{Path, PathBuf};

/// The files (not folders) that a pattern stands for, sorted level by level.
pub fn glob(tree: &Tree, pattern: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for pattern in braces(pattern) {
        let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
        walk(tree, Path::new("/"), &parts, &mut found);
    }
    found
}

/// The alternatives of `{a,b}`.
fn braces(pattern: &str) -> Vec<String> {
    let Some(open) = pattern.find('{') else { return vec![pattern.to_owned()] };
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
                    return items.iter().flat_map(|item| braces(&format!("{head}{item}{tail}"))).collect();
                }
            }
            _ => {}
        }
    }
    vec![pattern.to_owned()]
}

fn walk(tree: &Tree, folder: &Path, parts: &[&str], found: &mut Vec<PathBuf>) {
    let Some((part, rest)) = parts.split_first() else { return };
    if *part == "**" && !rest.is_empty() {
        walk(tree, folder, rest, found);
        for child in tree.list(folder) {
            if !child.name.starts_with('.') && child.is_folder && !child.is_link {
                walk(tree, &folder.join(&child.name), parts, found);
            }
        }
        return;
    }
    let mut take = |path: PathBuf| {
        if rest.is_empty() {
            if tree.is_file(&path) {
                found.push(path);
            }
        } else if tree.is_dir(&path) {
            walk(tree, &path, rest, found);
        }
    };
    if !part.contains(['*', '?', '[', '\\']) {
        // A folder that is only named need not be asked for: an archive knows nothing of those around it.
        let path = folder.join(part);
        return if rest.is_empty() { take(path) } else { walk(tree, &path, rest, found) };
    }
    let pattern: Vec<char> = part.chars().collect();
    for Child { name, .. } in tree.list(folder) {
        let text: Vec<char> = name.chars().collect();
        if (!name.starts_with('.') || part.starts_with('.')) && matches(&pattern, &text) {
            take(folder.join(&name));
        }
    }
}

fn matches(pattern: &[char], text: &[char]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, None) => true,
        (Some(('*', rest)), _) => {
            matches(rest, text) || text.split_first().is_some_and(|(_, tail)| matches(pattern, tail))
        }
        (Some(('?', rest)), Some((_, tail))) => matches(rest, tail),
        (Some(('\\', rest)), Some((c, tail))) if rest.first() == Some(c) => matches(&rest[1..], tail),
        (Some(('[', rest)), Some((c, tail))) => {
            let Some(close) = rest.iter().skip(1).position(|c| *c == ']').map(|at| at + 1) else {
                return false;
            };
            let (set, rest) = (&rest[..close], &rest[close + 1..]);
            let (negated, set) = match set.split_first() {
                Some(('!' | '^', set)) => (true, set),
                _ => (false, set),
            };
            in_set(set, *c) != negated && matches(rest, tail)
        }
        (Some((p, rest)), Some((c, tail))) => p == c && matches(rest, tail),
        _ => false,
    }
}

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
