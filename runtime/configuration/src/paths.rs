//! Paths as Puppet completes them: Ruby's `File.expand_path`, which looks at no file.

use std::path::Path;

/// The path from the root on, `.` and `..` and what is doubled being gone; a relative one begins at `base`, `~` is the
/// user's home.
pub fn expanded(text: &str, base: &str) -> String {
    let home = || std::env::var("HOME").unwrap_or_default();
    let whole = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => home() + rest,
        _ if text.starts_with('/') => text.to_owned(),
        _ => format!("{base}/{text}"),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// The same, from the folder that the process is in.
pub fn from_here(text: &str) -> String {
    if text.starts_with(['/', '~']) {
        return expanded(text, "");
    }
    let here = std::env::current_dir().unwrap_or_default();
    expanded(text, &here.to_string_lossy())
}

/// The same of a path.
pub fn absolute(path: &Path) -> String {
    from_here(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_completed() {
        assert_eq!(expanded("a/./b/../c/", "/x/y"), "/x/y/a/c");
        assert_eq!(expanded("/..//a", "/x"), "/a");
        assert_eq!(expanded("~user/a", "/x"), "/x/~user/a");
        assert_eq!(expanded("", "/x/"), "/x");
        assert_eq!(expanded("/", ""), "/");
    }
}
