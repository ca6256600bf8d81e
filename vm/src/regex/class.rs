//! Character classes of Ruby's regular expressions: brackets, POSIX classes, Unicode properties.

use crate::regex::translate::{For, SPACE, Translator, WORD};

impl Translator {
    /// `\p{Alpha}`, `\p{^Alpha}`.
    pub(super) fn property(&mut self, letter: char) {
        let mut negated = letter == 'P';
        let mut name = String::new();
        if self.peek(0) == Some('{') {
            self.at += 1;
            if self.peek(0) == Some('^') {
                self.at += 1;
                negated = !negated;
            }
            while let Some(c) = self.next() {
                if c == '}' {
                    break;
                }
                name.push(c);
            }
        }
        let set = posix(&name.to_ascii_lowercase(), self.goal)
            .map_or_else(|| format!("\\p{{{name}}}"), str::to_owned);
        self.out.push_str(if negated { "[^" } else { "[" });
        self.out.push_str(&set);
        self.out.push(']');
    }

    /// A class in brackets; the opening one has been read.
    pub(super) fn class(&mut self) -> Result<(), &'static str> {
        self.out.push('[');
        if self.peek(0) == Some('^') {
            self.at += 1;
            self.out.push('^');
        }
        let mut first = true;
        loop {
            let c = self.next().ok_or("premature end of char-class")?;
            match c {
                ']' if first && self.chars[self.at..].contains(&']') => self.range_from(']')?,
                ']' if first => return Err("empty char-class"),
                ']' => {
                    self.out.push(']');
                    return Ok(());
                }
                '[' if self.peek(0) == Some(':') && self.posix_bracket() => {}
                '[' => self.class()?,
                '&' if self.peek(0) == Some('&') => {
                    self.at += 1;
                    self.out.push_str("&&");
                }
                '\\' => self.class_escape()?,
                c => self.range_from(c)?,
            }
            first = false;
        }
    }

    /// `[:alpha:]` after its `[`; false where it is no such thing.
    fn posix_bracket(&mut self) -> bool {
        let rest: String = self.chars[self.at..].iter().take(14).collect();
        let Some(end) = rest.find(":]") else { return false };
        let name = &rest[1..end];
        let (negated, name) = match name.strip_prefix('^') {
            Some(name) => (true, name),
            None => (false, name),
        };
        let Some(set) = posix(name, self.goal) else { return false };
        // What stands in front may make more of it than a part of the class.
        let (open, close) = match negated {
            true => ("[^", "]"),
            false if self.out.ends_with(['-', '&', '~']) => ("[", "]"),
            false => ("", ""),
        };
        self.out.extend([open, set, close]);
        self.at += end + 2;
        true
    }

    fn class_escape(&mut self) -> Result<(), &'static str> {
        let c = self.next().ok_or("premature end of char-class")?;
        match c {
            'w' => self.out.push_str(WORD),
            'W' => self.out.push_str(&format!("[^{WORD}]")),
            'd' => self.out.push_str("0-9"),
            'D' => self.out.push_str("[^0-9]"),
            's' => self.out.push_str(SPACE),
            'S' => self.out.push_str(&format!("[^{SPACE}]")),
            'h' => self.out.push_str("0-9a-fA-F"),
            'H' => self.out.push_str("[^0-9a-fA-F]"),
            'R' => self.out.push_str("\\n\\r"),
            'p' | 'P' => self.property(c),
            'b' => self.range_from('\x08')?,
            _ => {
                let c = self.character(c)?;
                self.range_from(c)?;
            }
        }
        Ok(())
    }

    /// A character of a class, and the range it begins if it does.
    fn range_from(&mut self, from: char) -> Result<(), &'static str> {
        self.literal(from);
        if self.peek(0) != Some('-') || matches!(self.peek(1), Some(']') | None) {
            return Ok(());
        }
        let (mut to, mut used) = (self.peek(1).unwrap_or('-'), 2);
        if to == '[' {
            return Ok(());
        }
        let back = self.at;
        if to == '\\' {
            let Some(escaped) = self.peek(2) else { return Err("premature end of char-class") };
            if matches!(escaped, 'w' | 'W' | 'd' | 'D' | 's' | 'S' | 'h' | 'H' | 'p' | 'P' | 'R') {
                return Ok(());
            }
            self.at += 3;
            to = self.character(escaped)?;
            used = self.at - back;
        }
        self.at = back + used;
        if to < from {
            return Err("empty range in char class");
        }
        self.out.push('-');
        self.literal(to);
        Ok(())
    }
}

/// A POSIX class as it stands inside brackets, over all of Unicode as in Ruby, or what that has of ASCII.
fn posix(name: &str, goal: For) -> Option<&'static str> {
    if goal == For::Ascii {
        return Some(match name {
            "alpha" => "a-zA-Z",
            "digit" => "0-9",
            "alnum" => "a-zA-Z0-9",
            "upper" => "A-Z",
            "lower" => "a-z",
            "space" => SPACE,
            "blank" => "\\x20\\t",
            "punct" => "!-/:-@\\[-`\\{-\\~",
            "cntrl" => "\\x00-\\x1f\\x7f",
            "xdigit" => "0-9a-fA-F",
            "word" => WORD,
            "print" => "\\x20-\\x7e",
            "graph" => "\\x21-\\x7e",
            "ascii" => "\\x00-\\x7f",
            _ => return None,
        });
    }
    Some(match name {
        "alpha" => "\\p{Alphabetic}",
        "digit" => "\\p{Nd}",
        "alnum" => "\\p{Alphabetic}\\p{Nd}",
        "upper" => "\\p{Uppercase}",
        "lower" => "\\p{Lowercase}",
        "space" => "\\p{White_Space}",
        "blank" => "\\p{Zs}\\t",
        "punct" => "\\p{P}\\$\\+<=>\\^`\\|~",
        "cntrl" => "\\p{Cc}",
        "xdigit" => "0-9a-fA-F",
        "word" => "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}",
        "print" => "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Zs}",
        "graph" => "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}",
        "ascii" => "\\x00-\\x7f",
        _ => return None,
    })
}
