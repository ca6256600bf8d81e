//! Whether a regular expression is one. Puppet hands its source to Ruby while lexing, so a faulty one is an
//! error there and then, in the words of Ruby's engine. Nothing is matched here.

mod class;
mod escapes;

use bunraku_vm::regex::inspect;
use std::borrow::Cow;

/// What is wrong with the source of a regular expression, as Ruby says it.
pub(super) fn fault(source: &str) -> Option<String> {
    if !source.bytes().any(|byte| b"[](){}*+?\\".contains(&byte)) {
        return None;
    }
    let mut reader = RegexReader::new(source);
    let found = reader.escapes().and_then(|()| reader.pattern());
    found.err().map(|message| format!("{message}: {}", inspect(source)))
}

type Check<T = ()> = Result<T, Cow<'static, str>>;

fn wrong<T>(message: &'static str) -> Check<T> {
    Err(message.into())
}

/// Begins an interval: `{n,m}`.
const OPEN_BRACE: char = '{';
/// How many repetitions may be asked for.
const MAX_REPEAT: u32 = 100_000;
/// How deep groups and classes may nest.
const MAX_DEPTH: u32 = 250;

struct RegexReader<'s> {
    source: &'s str,
    at: usize,
    groups: u32,
    names: Vec<&'s str>,
    /// Numbered and named references, looked up when all groups are known.
    numbers: Vec<u32>,
    references: Vec<&'s str>,
}

impl<'s> RegexReader<'s> {
    fn new(source: &'s str) -> Self {
        RegexReader {
            source,
            at: 0,
            groups: 0,
            names: Vec::new(),
            numbers: Vec::new(),
            references: Vec::new(),
        }
    }

    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn digits(&mut self) -> &'s str {
        let rest = self.rest();
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        self.at += length;
        &rest[..length]
    }

    fn pattern(&mut self) -> Check {
        self.alternatives(0)?;
        if self.at < self.source.len() {
            return wrong("unmatched close parenthesis");
        }
        for name in &self.references {
            if !self.names.contains(name) {
                return Err(format!("undefined name <{name}> reference").into());
            }
        }
        if !self.numbers.is_empty() && !self.names.is_empty() {
            return wrong("numbered backref/call is not allowed. (use name)");
        }
        if self.numbers.iter().any(|number| *number > self.groups) {
            return wrong("invalid backref number/name");
        }
        Ok(())
    }

    /// Up to a closing parenthesis or the end.
    fn alternatives(&mut self, depth: u32) -> Check {
        if depth > MAX_DEPTH {
            return wrong("too deep nest level");
        }
        let mut repeatable = false;
        while let Some(character) = self.peek() {
            match character {
                ')' => break,
                '|' => {
                    self.at += 1;
                    repeatable = false;
                }
                '*' | '+' | '?' => {
                    if !repeatable {
                        return wrong("target of repeat operator is not specified");
                    }
                    self.at += 1;
                }
                OPEN_BRACE => repeatable = self.interval(repeatable)?,
                '(' => repeatable = self.group(depth)?,
                '[' => {
                    self.at += 1;
                    self.class(depth)?;
                    repeatable = true;
                }
                '\\' => {
                    self.at += 1;
                    self.escape()?;
                    repeatable = true;
                }
                other => {
                    self.at += other.len_utf8();
                    repeatable = true;
                }
            }
        }
        Ok(())
    }

    /// `{n,m}`; what is none stands for itself.
    fn interval(&mut self, repeatable: bool) -> Check<bool> {
        let start = self.at;
        self.at += 1;
        let low = self.digits();
        let comma = self.eat(",");
        let high = if comma { self.digits() } else { low };
        let bounds = !low.is_empty() || comma && !high.is_empty();
        let number = |digits: &str| match digits.parse() {
            Ok(number) if number <= MAX_REPEAT => Ok(number),
            _ if digits.is_empty() => Ok(0),
            _ => wrong("too big number for repeat range"),
        };
        let (lower, upper) = (number(low)?, number(high)?);
        if !bounds || !self.eat("}") {
            self.at = start + 1;
            return Ok(true);
        }
        if !repeatable {
            return wrong("target of repeat operator is not specified");
        }
        if comma && !low.is_empty() && !high.is_empty() && lower > upper {
            return wrong("upper is smaller than lower in repeat range");
        }
        Ok(true)
    }

    /// A group with its parentheses; whether it can be repeated.
    fn group(&mut self, depth: u32) -> Check<bool> {
        self.at += 1;
        if self.eat("?") {
            let Some(kind) = self.next() else { return wrong("end pattern in group") };
            match kind {
                ':' | '=' | '!' | '>' | '~' => {}
                '#' => {
                    let Some(end) = self.rest().find(')') else { return wrong("end pattern in group") };
                    self.at += end + 1;
                    return Ok(false);
                }
                '<' if self.rest().is_empty() => return wrong("end pattern with unmatched parenthesis"),
                '<' if self.eat("=") || self.eat("!") => {}
                '<' | '\'' => {
                    let name = self.group_name(if kind == '<' { '>' } else { '\'' })?;
                    self.names.push(name);
                    self.groups += 1;
                }
                '(' => self.condition()?,
                '-' | 'i' | 'm' | 'x' | 'a' | 'd' | 'u' => {
                    self.at -= 1;
                    loop {
                        match self.next() {
                            None => return wrong("end pattern in group"),
                            Some(')') => return Ok(false),
                            Some(':') => break,
                            Some('-' | 'i' | 'm' | 'x' | 'a' | 'd' | 'u') => {}
                            Some(_) => return wrong("undefined group option"),
                        }
                    }
                }
                _ => return wrong("undefined group option"),
            }
        } else {
            self.groups += 1;
        }
        self.alternatives(depth + 1)?;
        if self.eat(")") { Ok(true) } else { wrong("end pattern with unmatched parenthesis") }
    }

    fn condition(&mut self) -> Check {
        let number = self.digits();
        if !number.is_empty() && self.eat(")") {
            self.numbers.extend(number.parse::<u32>());
        }
        Ok(())
    }

    fn group_name(&mut self, close: char) -> Check<&'s str> {
        let rest = self.rest();
        let end = rest.find(close);
        let name = &rest[..end.unwrap_or(rest.len())];
        if name.is_empty() {
            return wrong("group name is empty");
        }
        let starts_well = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
        let legal = name.chars().all(|character| character.is_alphanumeric() || character == '_');
        if end.is_none() || !starts_well || !legal {
            return Err(format!("invalid group name <{name}>").into());
        }
        self.at += name.len() + close.len_utf8();
        Ok(name)
    }

    /// What follows a backslash outside of a class.
    fn escape(&mut self) -> Check {
        match self.next() {
            Some(first @ '1'..='9') => {
                let more = self.digits();
                let number = format!("{first}{more}").parse().unwrap_or(u32::MAX);
                // A large number is an octal code.
                if more.is_empty() || number <= self.groups {
                    self.numbers.push(number);
                }
                Ok(())
            }
            Some('k') if self.eat("<") || self.eat("'") => self.reference(),
            Some('g') if self.eat("<") || self.eat("'") => self.reference(),
            Some('p' | 'P') => self.property(),
            Some('u') => self.unicode_escape(),
            _ => Ok(()),
        }
    }

    fn reference(&mut self) -> Check {
        let rest = self.rest();
        let end = rest.find(['>', '\'']);
        let name = &rest[..end.unwrap_or(rest.len())];
        if name.is_empty() {
            return wrong("group name is empty");
        }
        self.at += name.len() + usize::from(end.is_some());
        match name.trim_start_matches('-').parse() {
            Ok(number) => self.numbers.push(number),
            Err(_) => self.references.push(name),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn rubys_words() {
        let cases = [
            ("*a", "target of repeat operator is not specified"),
            ("a|*", "target of repeat operator is not specified"),
            ("(*)", "target of repeat operator is not specified"),
            ("(?i)*", "target of repeat operator is not specified"),
            ("{,2}", "target of repeat operator is not specified"),
            ("a{2,1}", "upper is smaller than lower in repeat range"),
            ("a{100001}", "too big number for repeat range"),
            ("[]", "empty char-class"),
            ("[a", "premature end of char-class"),
            ("[z-a]", "empty range in char class"),
            ("[a-\\d]", "char-class value at end of range"),
            ("[\\d-z]", "unmatched range specifier in char-class"),
            ("[[:foo:]]", "invalid POSIX bracket type"),
            ("(?z)", "undefined group option"),
            ("(?", "end pattern in group"),
            ("(?i:", "end pattern with unmatched parenthesis"),
            ("(?<>a)", "group name is empty"),
            ("(?<1a>a)", "invalid group name <1a>"),
            ("(?<a>x)\\k<b>", "undefined name <b> reference"),
            ("(a)\\2", "invalid backref number/name"),
            ("(?<n>a)\\1", "numbered backref/call is not allowed. (use name)"),
            ("a\\", "too short escape sequence"),
            ("\\xg", "invalid hex escape"),
            ("\\u12", "invalid Unicode escape"),
            ("\\p{Foo}", "invalid character property name {Foo}"),
            ("((a)", "end pattern with unmatched parenthesis"),
            ("a)", "unmatched close parenthesis"),
            ("[\\]", "premature end of char-class"),
        ];
        for (source, message) in cases {
            assert_eq!(fault(source), Some(format!("{message}: /{source}/")), "{source}");
        }
        assert_eq!(fault("a/b)"), Some("unmatched close parenthesis: /a\\/b)/".to_owned()));
    }

    #[test]
    fn what_is_right() {
        let right = [
            "a**",
            "^*",
            "(?<=a)*",
            "a{",
            "a{,}",
            "a{1,",
            "[]a]",
            "[^]a]",
            "[a&&]",
            "[a-z-9]",
            "[--a]",
            "[a-]",
            "x+?",
            "(?imx-imx)a",
            "(?im-x:a)",
            "(a)(?(1)b|c)",
            "()*",
            "\\p{^Alpha}",
            "\\pL",
            "[a]]",
            "(?'a'x)",
            "[[:alpha:]_]",
            "[\\u{41 42}]",
            "(?#x)a",
            "[[a]b]",
            "(?<a>x)\\k<a>",
            "|",
            "[a-[b]]",
        ];
        for source in right {
            assert_eq!(fault(source), None, "{source}");
        }
    }
}
