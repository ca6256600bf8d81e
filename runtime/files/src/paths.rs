//! Paths of a tree: its roots, what an archive calls the paths below them, and paths without detours.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

/// What the name of the note beside an archive has behind the archive's: see `seen.rs`.
pub const NOTE: &str = ".seen";

/// A folder of the tree and what an archive calls it.
pub type Root = (PathBuf, String);

/// The roots of a tree: `e` for the environment's folder; `m0`, `m1`, … for folders of the module path outside of it.
pub fn roots(directory: Option<&Path>, modulepath: &[PathBuf]) -> Vec<Root> {
    let mut roots: Vec<Root> = Vec::new();
    roots.extend(directory.map(|directory| (clean(directory), "e".to_owned())));
    let mut number = 0;
    for folder in modulepath.iter().map(|folder| clean(folder)) {
        if !roots.iter().any(|(root, _)| folder.starts_with(root)) {
            roots.push((folder, format!("m{number}")));
            number += 1;
        }
    }
    roots
}

/// The path without `.` and, as Ruby's `Pathname#+` has it, with `..` taken back.
pub fn clean(path: &Path) -> PathBuf {
    if path.to_str().is_some_and(is_clean) {
        return path.to_path_buf();
    }
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// A path in a folder, as Ruby's `Pathname#+` writes it: `.` and `..` at its begin are gone, all else stays as it is written.
pub fn plus(folder: &str, path: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    let (mut folder, mut rest) = (folder, path);
    loop {
        while first(rest) == "." {
            rest = behind_first(rest);
        }
        let shorter = folder.trim_end_matches('/');
        let last = shorter.rfind('/').map_or(0, |at| at + 1);
        match &shorter[last..] {
            "" if folder.is_empty() => break,
            // The root has nothing above it.
            "" => {
                while matches!(first(rest), "." | "..") {
                    rest = behind_first(rest);
                }
                folder = "/";
                break;
            }
            "." => folder = &folder[..last],
            name if name != ".." && first(rest) == ".." => {
                (folder, rest) = (&folder[..last], behind_first(rest));
            }
            _ => {
                folder = shorter;
                break;
            }
        }
    }
    let slash = if rest.is_empty() || folder.is_empty() || folder.ends_with('/') { "" } else { "/" };
    [folder, slash, rest].concat()
}

/// The first part of a path.
fn first(path: &str) -> &str {
    path.split('/').next().unwrap_or_default()
}

/// What comes behind it.
fn behind_first(path: &str) -> &str {
    path[first(path).len()..].trim_start_matches('/')
}

/// The folders that a path leaves by `..`: it leads somewhere only where all of them are there.
pub fn left(path: &Path) -> impl Iterator<Item = PathBuf> {
    // Nearly all paths have none: their parts are not looked at.
    let may_leave = path.as_os_str().as_encoded_bytes().windows(2).any(|two| two == b"..");
    let path = if may_leave { path } else { Path::new("") };
    let parts = path.components().enumerate().filter(|(_, part)| *part == Component::ParentDir);
    parts.map(|(number, _)| clean(&path.components().take(number).collect::<PathBuf>()))
}

/// What a tree of these roots calls a path, if it lies in one.
pub fn key(roots: &[Root], path: &Path) -> Option<String> {
    let Some((name, rest)) = parts(roots, path) else {
        // It may lead there by detours.
        path.to_str().filter(|text| !is_clean(text))?;
        return key(roots, &Some(clean(path)).filter(|path| path.to_str().is_some_and(is_clean))?);
    };
    let mut key = String::with_capacity(name.len() + 1 + rest.len());
    key.push_str(name);
    if !rest.is_empty() {
        key.push('/');
        key.push_str(rest);
    }
    Some(key)
}

/// The same in two parts, without a copy: the root, and the path below it; none for a path with detours.
pub fn parts<'p>(roots: &'p [Root], path: &'p Path) -> Option<(&'p str, &'p str)> {
    parts_of_text(roots, path.to_str()?)
}

/// The same of a path that is a text.
pub fn parts_of_text<'p>(roots: &'p [Root], text: &'p str) -> Option<(&'p str, &'p str)> {
    if !is_clean(text) {
        return None;
    }
    let inside = roots.iter().filter_map(|(root, name)| {
        let root = root.as_os_str().as_encoded_bytes();
        let at = text.as_bytes().starts_with(root).then_some(root.len())?;
        let rest = text.get(at..)?;
        let is_inside = rest.is_empty() || rest.starts_with('/') || root.ends_with(b"/");
        is_inside.then(|| (root.len(), name.as_str(), rest.trim_start_matches('/')))
    });
    inside.max_by_key(|(len, ..)| *len).map(|(_, name, rest)| (name, rest))
}

/// The rest of a path that lies below a folder: what [`Path::strip_prefix`] gives, which looks at each part.
pub fn below<'p>(folder: &Path, path: &'p Path) -> Option<Cow<'p, str>> {
    let plain = || path.to_str()?.strip_prefix(folder.to_str()?)?.strip_prefix('/');
    let is_plain = |rest: &&str| !folder.as_os_str().is_empty() && !rest.starts_with('/') && is_clean(rest);
    match plain().filter(is_plain) {
        Some(rest) => Some(Cow::Borrowed(rest)),
        None => path.strip_prefix(folder).ok().map(Path::to_string_lossy),
    }
}

/// A path below one of some folders at its place below another folder; any other as it is.
pub fn moved(path: PathBuf, from: &[PathBuf], to: &Path) -> PathBuf {
    if from.is_empty() {
        return path;
    }
    let plain = clean(&path);
    match from.iter().find_map(|folder| plain.strip_prefix(folder).ok()) {
        Some(rest) => to.join(rest),
        None => path,
    }
}

/// A text in which the paths of some folders are named, with that of another folder in their place.
pub fn moved_in_text(text: &str, from: &[PathBuf], to: &Path) -> String {
    let mut moved = text.to_owned();
    for folder in from.iter().filter_map(|folder| folder.to_str()) {
        let goes_on = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let mut done = 0;
        while let Some(at) = moved[done..].find(folder).map(|at| done + at) {
            let behind = at + folder.len();
            if moved[..at].ends_with(goes_on) || moved[behind..].starts_with(goes_on) {
                done = behind;
                continue;
            }
            let to = to.to_string_lossy();
            moved.replace_range(at..behind, &to);
            done = at + to.len();
        }
    }
    moved
}

/// Whether a path lies in a tree of these roots.
pub fn is_inside(roots: &[Root], path: &Path) -> bool {
    let Some(text) = path.to_str() else { return false };
    if !is_clean(text) {
        return key(roots, path).is_some();
    }
    roots.iter().any(|(root, _)| {
        let root = root.as_os_str().as_encoded_bytes();
        let rest = text.as_bytes().strip_prefix(root);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/") || root.ends_with(b"/"))
    })
}

/// Whether no part of a path is empty, `.` or `..`.
pub fn is_clean(path: &str) -> bool {
    // All bytes at a time: most paths have nothing that needs a closer look.
    let bytes = path.as_bytes();
    let from = |at: usize| bytes.get(at..).unwrap_or_default();
    let strange = |found, ((a, b), c): ((&u8, &u8), &u8)| {
        found | ((*a == b'/') & ((*b == b'/') | ((*b == b'.') & ((*c == b'/') | (*c == b'.')))))
    };
    let ends =
        bytes.starts_with(b".") || bytes.ends_with(b"/.") || (bytes.len() > 1 && bytes.ends_with(b"/"));
    if !ends && !bytes.iter().zip(from(1)).zip(from(2)).fold(false, strange) {
        return true;
    }
    let inner = path.strip_prefix('/').unwrap_or(path);
    let mut before = b'/';
    for byte in inner.bytes() {
        if before == b'/' && byte == b'/' {
            return false;
        }
        before = byte;
    }
    // Only what begins with a dot needs a closer look.
    let mut parts = inner.match_indices('.').filter(|(at, _)| *at == 0 || inner.as_bytes()[at - 1] == b'/');
    let named = |at: usize| matches!(inner[at..].split('/').next(), Some("." | ".."));
    (before != b'/' || inner.is_empty()) && !parts.any(|(at, _)| named(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Ruby's `Pathname.new(folder) + path` gives.
    #[test]
    fn paths_are_joined_as_by_ruby() {
        let all = [
            ("/a/b", "c", "/a/b/c"),
            ("/a/b", "./c", "/a/b/c"),
            ("/a/b", "../c", "/a/c"),
            ("/a/b", "../../../c", "/c"),
            ("/a/b/", "c//d/", "/a/b/c//d/"),
            ("/a//b//./", "./../c", "/a/c"),
            ("/a/b", "c/../d", "/a/b/c/../d"),
            ("/a/b", ".", "/a/b"),
            ("/a/b", "", "/a/b"),
            ("/a/b", "..", "/a"),
            ("/", "c", "/c"),
            ("/", "../c", "/c"),
            ("a", "../../c", "../c"),
            ("/a/..", "../c", "/a/../../c"),
            ("/a/b", "/c", "/c"),
            ("/a/b", "..//./c", "/a/c"),
            ("/a/b/.", "c/./d", "/a/b/c/./d"),
            ("/a//", "c", "/a/c"),
            ("", "c", "c"),
            ("/a/b", "//x", "//x"),
            ("//a", "b", "//a/b"),
            ("/a/b", "...x", "/a/b/...x"),
            ("/a/b", "..x/y", "/a/b/..x/y"),
            ("/a/./", "..//..", "/"),
        ];
        for (folder, path, both) in all {
            assert_eq!(plus(folder, path), both, "{folder} + {path}");
        }
        let left: Vec<_> = left(Path::new("/a/b/../c/d/../../e")).collect();
        assert_eq!(left, [Path::new("/a/b"), Path::new("/a/c/d"), Path::new("/a/c")]);
    }

    #[test]
    fn what_is_below_a_folder_is_what_its_parts_say() {
        for folder in ["/a/b", "/a/b/", "/a", "/", "", "a", "/a/./b", "/ä"] {
            for path in
                ["/a/b/c/d.pp", "/a/b", "/a/b/", "/a/bc/d", "/a//b/c", "/a/b//c", "/a/b/../c", "a/b", "/ä/b"]
            {
                let expected = Path::new(path).strip_prefix(folder).ok().map(Path::to_string_lossy);
                assert_eq!(below(Path::new(folder), Path::new(path)), expected, "{folder} {path}");
            }
        }
    }

    #[test]
    fn a_text_names_another_folder_where_it_names_one_as_a_whole() {
        let moved = |text: &str| moved_in_text(text, &["/e/p".into(), "/f/p".into()], Path::new("/t/e/p"));
        assert_eq!(moved("git -C /e/p log; x=/f/p/y"), "git -C /t/e/p log; x=/t/e/p/y");
        for same in ["/e/pp", "/e/p-x", "/x/e/p", "/e", ""] {
            assert_eq!(moved(same), same);
        }
    }

    #[test]
    fn a_clean_path_has_no_empty_part_and_leads_nowhere_back() {
        for path in ["", "/", "a", "/a", "/a/b", "/.a/b", "/a/.b", "/a/..b", "/...", "a.", "/a/b.", ".a"] {
            assert!(is_clean(path), "{path}");
            assert_eq!(clean(Path::new(path)), Path::new(path));
        }
        for path in [
            "//", "/a//b", "a/", "//a", ".", "..", "/.", "/..", "./a", "../a", "/a/./b", "/a/../b", "a/.",
            "a/..",
        ] {
            assert!(!is_clean(path), "{path}");
        }
    }
}
