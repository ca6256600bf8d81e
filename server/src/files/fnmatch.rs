//! Patterns of file names as Ruby's `File.fnmatch?` reads them without flags: `*`, `?`, `[…]`, `\`; a dot at the begin of a name
//! is met by a dot only. Linear in the pattern times the name.

/// Whether a pattern is that of a name.
pub fn is_match(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // Where the last `*` is, and how far it reaches.
    let mut star: Option<(usize, usize)> = None;
    loop {
        let hides = n == 0 && name.first() == Some(&'.') && matches!(pattern.get(p), Some('*' | '?' | '['));
        if hides {
            return false;
        }
        if pattern.get(p) == Some(&'*') {
            star = Some((p, n));
            p += 1;
            continue;
        }
        if n == name.len() {
            return p == pattern.len();
        }
        match one(&pattern, p, name[n]) {
            Some(next) => (p, n) = (next, n + 1),
            None => match star {
                Some((at, reach)) => {
                    star = Some((at, reach + 1));
                    (p, n) = (at + 1, reach + 1);
                }
                None => return false,
            },
        }
    }
}

/// Where the pattern goes on behind the part at `p`, if that part meets a character.
fn one(pattern: &[char], p: usize, c: char) -> Option<usize> {
    match *pattern.get(p)? {
        '?' => Some(p + 1),
        '[' => bracket(pattern, p + 1, c),
        '\\' => pattern.get(p + 1).filter(|next| **next == c).map(|_| p + 2),
        plain => (plain == c).then_some(p + 1),
    }
}

/// The same for what begins with a bracket, from behind it on; one that is not closed meets nothing.
fn bracket(pattern: &[char], mut p: usize, c: char) -> Option<usize> {
    let is_negated = matches!(pattern.get(p), Some('!' | '^'));
    p += usize::from(is_negated);
    let mut is_met = false;
    while *pattern.get(p)? != ']' {
        let low = literal(pattern, &mut p)?;
        let high = match (pattern.get(p), pattern.get(p + 1)) {
            (Some('-'), Some(next)) if *next != ']' => {
                p += 1;
                literal(pattern, &mut p)?
            }
            _ => low,
        };
        is_met |= (low..=high).contains(&c);
    }
    (is_met != is_negated).then_some(p + 1)
}

fn literal(pattern: &[char], p: &mut usize) -> Option<char> {
    if pattern.get(*p) == Some(&'\\') && *p + 1 < pattern.len() {
        *p += 1;
    }
    let found = *pattern.get(*p)?;
    *p += 1;
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::is_match;

    #[test]
    fn names_are_matched_as_ruby_does() {
        // Each as `ruby -e 'p File.fnmatch?(…)'` says.
        let cases = [
            ("*.pot", "a.pot", true),
            ("*.pot", ".pot", false),
            ("*", ".git", false),
            (".git", ".git", true),
            (".*", ".git", true),
            ("?git", ".git", false),
            ("[.]git", ".git", false),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("a[b-d]e", "ace", true),
            ("a[!b-d]e", "ace", false),
            ("a[^b]e", "axe", true),
            ("a\\*", "a*", true),
            ("a\\*", "ab", false),
            ("[", "[", false),
            ("[a", "a", false),
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("{a,b}", "a", false),
            ("a\\", "a\\", false),
            ("[]a]", "a", false),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(is_match(pattern, name), expected, "{pattern} {name}");
        }
        let long = "a".repeat(2000);
        assert!(!is_match(&format!("{}b", "*a".repeat(300)), &long));
    }
}
