//! Regular expressions as text: as Ruby inspects them, as it turns them to text, and which of the two Puppet shows.

/// The source between slashes (Ruby: `Regexp#inspect`).
pub fn inspect(source: &str) -> String {
    format!("/{}/", between_slashes(source))
}

/// With the options that hold for the whole (Ruby: `Regexp#to_s`): `(?-mix:a)`, and `(?i-mx:a)` for `(?i:a)`.
pub fn to_s(source: &str) -> String {
    let (options, rest) = outer_options(source);
    options.group("mix", &between_slashes(rest))
}

/// As Puppet prints one. Ruby counts the encoding among an expression's options, and of one that has options Puppet
/// prints what `to_s` gives.
pub fn shown(source: &str) -> String {
    match has_encoding(source) {
        true => format!("/{}/", to_s(source)),
        false => inspect(source),
    }
}

/// As Puppet makes a string of one (`String(/a/)`), by the same rule.
pub fn to_text(source: &str) -> String {
    match has_encoding(source) {
        true => Options::default().group("imx", source),
        false => source.to_owned(),
    }
}

/// A source with options, in a group; as it is where none is set.
pub fn with_options(source: &str, ignore_case: bool, multiline: bool, extended: bool) -> String {
    let options = Options { ignore_case, multiline, extended };
    match options == Options::default() {
        true => source.to_owned(),
        false => options.group("mix", source),
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Options {
    ignore_case: bool,
    multiline: bool,
    extended: bool,
}

impl Options {
    fn has(self, letter: char) -> bool {
        match letter {
            'i' => self.ignore_case,
            'm' => self.multiline,
            _ => self.extended,
        }
    }

    /// Sets an option, if the letter is one.
    fn set(&mut self, letter: char, on: bool) -> bool {
        match letter {
            'i' => self.ignore_case = on,
            'm' => self.multiline = on,
            'x' => self.extended = on,
            _ => return false,
        }
        true
    }

    /// A group with these options, in the order of `letters`; those that are off behind a dash.
    fn group(self, letters: &str, source: &str) -> String {
        let mut out = String::with_capacity(source.len() + 8);
        out.push_str("(?");
        out.extend(letters.chars().filter(|letter| self.has(*letter)));
        if letters.chars().any(|letter| !self.has(letter)) {
            out.push('-');
            out.extend(letters.chars().filter(|letter| !self.has(*letter)));
        }
        out.push(':');
        out.push_str(source);
        out.push(')');
        out
    }
}

/// Options that a source begins with and that hold for all of it: what they are, and the rest.
fn outer_options(source: &str) -> (Options, &str) {
    let mut options = Options::default();
    let mut rest = source;
    while let Some(inner) = rest.strip_prefix("(?").filter(|inner| inner.len() > 1) {
        let mut after = inner;
        let mut take = |after: &mut &str, on| {
            while let Some(letter) = after.chars().next().filter(|letter| options.set(*letter, on)) {
                *after = &after[letter.len_utf8()..];
            }
        };
        take(&mut after, true);
        if let Some(off) = after.strip_prefix('-') {
            after = off;
            take(&mut after, false);
        }
        if let Some(more) = after.strip_prefix(')') {
            rest = more;
            continue;
        }
        // Only where the last bracket is that of the first one is what stands between them an expression.
        let whole = after.strip_prefix(':').and_then(|after| after.strip_suffix(')'));
        return match whole.filter(|whole| super::check(whole).is_ok()) {
            Some(whole) => (options, whole),
            None => (Options::default(), source),
        };
    }
    (options, rest)
}

/// Whether Ruby binds an expression to an encoding: where it has, or names, a character that is none of ASCII's, or a
/// property of characters.
fn has_encoding(source: &str) -> bool {
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        if !c.is_ascii() {
            return true;
        }
        if c != '\\' {
            continue;
        }
        let escaped = chars.next();
        let rest = chars.as_str();
        let number = |digits: &str, radix| u32::from_str_radix(digits, radix).is_ok_and(|code| code > 0x7f);
        let bound = match escaped {
            Some('p' | 'P') => rest.starts_with('{'),
            Some('u') => match rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
                Some((codes, _)) => codes.split_ascii_whitespace().any(|code| number(code, 16)),
                None => rest.get(..4).is_some_and(|digits| number(digits, 16)),
            },
            Some('x') => rest.get(..2).is_some_and(|digits| number(digits, 16)),
            Some('2' | '3') => {
                rest.get(..2).is_some_and(|digits| digits.bytes().all(|digit| matches!(digit, b'0'..=b'7')))
            }
            Some(c) => !c.is_ascii(),
            None => false,
        };
        if bound {
            return true;
        }
    }
    false
}

/// A source as Ruby shows it between slashes: these are escaped in it, and so are control characters but for spaces.
fn between_slashes(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                out.push(c);
                out.extend(chars.next());
            }
            '/' => out.push_str("\\/"),
            '\t'..='\r' => out.push(c),
            c if c.is_ascii_control() => out.push_str(&format!("\\x{:02X}", c as u32)),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_written_as_ruby_writes_them() {
        assert_eq!(with_options("a", true, false, false), "(?i-mx:a)");
        assert_eq!(with_options("a", true, true, true), "(?mix:a)");
        assert_eq!(with_options("a", false, false, false), "a");
        assert_eq!(inspect("a/b\\/c"), "/a\\/b\\/c/");
        assert_eq!(inspect("\u{7}\t\n\u{7f}é \\\u{7}"), "/\\x07\t\n\\x7Fé \\\u{7}/");
    }

    #[test]
    fn outer_options_become_those_of_the_whole() {
        for (source, text) in [
            ("a", "(?-mix:a)"),
            ("(?i:a)", "(?i-mx:a)"),
            ("(?i)a", "(?i-mx:a)"),
            ("(?:a)", "(?-mix:a)"),
            ("(?i:a)(?m:b)", "(?-mix:(?i:a)(?m:b))"),
            ("(?", "(?-mix:(?)"),
        ] {
            assert_eq!(to_s(source), text);
        }
    }
}
