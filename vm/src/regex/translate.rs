//! From Ruby's (Onigmo's) notation of regular expressions to that of `fancy-regex`.
//!
//! What differs: `^` and `$` are always lines, `m` means that a dot takes line ends, `\w \d \s` are ASCII and
//! POSIX classes are Unicode, unnamed groups capture nothing beside named ones, `{,n}` is a quantifier and a
//! brace that is none stands for itself; `?` and `+` behind a quantifier are some of its own where Ruby takes them for that
//! (`{n}?` is twice quantified), and a quantifier may be quantified again.

/// For what an expression is translated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum For {
    /// An automaton over all of Unicode.
    All,
    /// One over texts that are ASCII: POSIX classes are small.
    Ascii,
    /// `fancy-regex`, which is kept from joining repetitions (see [`Translator::separate`]).
    Fancy,
    /// `fancy-regex` for texts that end with a line: no line begins behind it.
    Exact,
}

/// Translates a whole expression.
pub(super) fn translate(source: &str, goal: For) -> Result<String, &'static str> {
    let chars: Vec<char> = source.chars().collect();
    let mut translator = Translator {
        named: has_named_group(&chars),
        chars,
        at: 0,
        out: String::from("(?m)"),
        nested: 0,
        goal,
    };
    let mut depth = 0usize;
    translator.run(&mut depth)?;
    if depth > 0 {
        return Err("end pattern with unmatched parenthesis");
    }
    Ok(translator.out)
}

fn has_named_group(chars: &[char]) -> bool {
    let mut escaped = false;
    for (n, c) in chars.iter().enumerate() {
        if escaped {
            escaped = false;
        } else if *c == '\\' {
            escaped = true;
        } else if *c == '('
            && chars.get(n + 1) == Some(&'?')
            && (chars.get(n + 2) == Some(&'\'')
                || (chars.get(n + 2) == Some(&'<') && !matches!(chars.get(n + 3), Some('=' | '!') | None)))
        {
            return true;
        }
    }
    false
}

/// What `(` begins.
enum Opened {
    Group,
    /// `(?i)`: options for what is behind, as letters.
    Options(String),
    /// A comment.
    Nothing,
}

/// The quantifier that is as good as one behind another; none of those that are not, as `{2}`. The engines are at odds about what repeats
/// a repetition of nothing.
fn both(first: &str, second: &str) -> Option<&'static str> {
    Some(match (first, second) {
        ("?", "?") => "?",
        ("?", "*" | "+") | ("*", "?" | "*" | "+" | "+?") | ("+", "?" | "*") => "*",
        ("+", "+" | "+?") => "+",
        ("?", "??") | ("??", "?" | "??") => "??",
        ("?", "*?") | ("??", "*" | "+" | "*?" | "+?") | ("+?", "??" | "*?") => "*?",
        ("*?", "?" | "*" | "+" | "??" | "*?" | "+?") => "*?",
        ("+?", "+?") => "+?",
        _ => return None,
    })
}

/// The state of a translation.
pub(super) struct Translator {
    pub(super) chars: Vec<char>,
    /// What is read next.
    pub(super) at: usize,
    /// What has been translated.
    pub(super) out: String,
    /// Whether a group has a name.
    named: bool,
    /// How many subexpression calls deep.
    nested: u32,
    pub(super) goal: For,
}

/// ASCII classes as they stand inside brackets.
pub(super) const WORD: &str = "a-zA-Z0-9_";
pub(super) const SPACE: &str = "\\t\\n\\x0b\\x0c\\r\\x20";

/// `\X`: what one sees as a character, by the rules for grapheme clusters of Unicode's annex 29.
const CLUSTER: &str = "(?>\\r\\n|\\p{gcb=Prepend}*(?:\\p{gcb=RI}\\p{gcb=RI}\
    |\\p{gcb=L}*(?:\\p{gcb=LV}\\p{gcb=V}*|\\p{gcb=LVT}|\\p{gcb=V}+)\\p{gcb=T}*|\\p{gcb=L}+|\\p{gcb=T}+\
    |\\p{Extended_Pictographic}(?:\\p{gcb=Extend}*\\x{200d}\\p{Extended_Pictographic})*\
    |[^\\p{gcb=Control}\\r\\n])[\\p{gcb=Extend}\\x{200d}\\p{gcb=SpacingMark}]*|\\p{gcb=Prepend}+|(?s:.))";

impl Translator {
    pub(super) fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek(0)?;
        self.at += 1;
        Some(c)
    }

    fn run(&mut self, depth: &mut usize) -> Result<(), &'static str> {
        // Where what a quantifier can repeat begins, if something stands before, and where the quantifier that it has.
        let (mut last, mut repeated) = (None, None);
        // Of each open group how many are open within it for bare options, where its last alternative begins, and where itself.
        let mut open = vec![(0, self.out.len(), 0)];
        while let Some(c) = self.next() {
            let start = self.out.len();
            match c {
                '\\' => {
                    self.escape()?;
                    (last, repeated) = (Some(start), None);
                }
                '[' => {
                    self.class()?;
                    (last, repeated) = (Some(start), None);
                }
                '(' => match self.group()? {
                    Opened::Group => {
                        *depth += 1;
                        open.push((0, self.out.len(), start));
                        last = None;
                    }
                    Opened::Options(options) => {
                        last = None;
                        let Some((within, begin, _)) = open.last_mut() else { continue };
                        if *begin < self.out.len() {
                            // What is behind them is one piece, its alternatives included: `a(?i)b|c` is `a(?i:b|c)`.
                            self.out.push_str(&format!("(?{options}:"));
                            *within += 1;
                        } else if !options.is_empty() {
                            self.out.push_str(&format!("(?{options})"));
                        }
                        *begin = self.out.len();
                    }
                    Opened::Nothing => {}
                },
                ')' => {
                    if *depth == 0 {
                        return Err("unmatched close parenthesis");
                    }
                    *depth -= 1;
                    let (within, _, begin) = open.pop().unwrap_or_default();
                    self.out.extend(std::iter::repeat_n(')', within + 1));
                    (last, repeated) = (Some(begin), None);
                }
                '^' if self.goal == For::Exact => {
                    self.out.push_str("(?:\\A|^(?!\\z))");
                    (last, repeated) = (Some(start), None);
                }
                '*' | '+' | '?' => {
                    repeated = Some(self.repeat(last, repeated, &c.to_string(), &['?', '+'])?);
                }
                '{' => match self.quantifier() {
                    Some(text) => {
                        let own: &[char] = if text.contains(',') { &['?'] } else { &[] };
                        repeated = Some(self.repeat(last, repeated, &text, own)?);
                    }
                    None => {
                        self.out.push_str("\\{");
                        (last, repeated) = (Some(start), None);
                    }
                },
                '}' | ']' => {
                    self.out.push('\\');
                    self.out.push(c);
                    (last, repeated) = (Some(start), None);
                }
                '|' => {
                    self.out.push('|');
                    if let Some((_, begin, _)) = open.last_mut() {
                        *begin = self.out.len();
                    }
                    last = None;
                }
                c => {
                    self.out.push(c);
                    (last, repeated) = (Some(start), None);
                }
            }
        }
        let within = open.first().map_or(0, |(within, ..)| *within);
        self.out.extend(std::iter::repeat_n(')', within));
        Ok(())
    }

    /// Writes a quantifier for what begins at `last`, and which of `own` stands behind it: `?` that makes it reluctant, or `+` possessive.
    /// What has a quantifier already, at `repeated`, gets the one that is both, or is made one piece. Gives where the quantifier stands.
    fn repeat(
        &mut self,
        last: Option<usize>,
        repeated: Option<usize>,
        quantifier: &str,
        own: &[char],
    ) -> Result<usize, &'static str> {
        let last = last.ok_or("target of repeat operator is not specified")?;
        let mut quantifier = quantifier.to_owned();
        if self.peek(0).is_some_and(|c| own.contains(&c)) {
            quantifier.extend(self.next());
        }
        let mut place = self.out.len();
        if let Some(before) = repeated {
            match both(&self.out[before..], &quantifier) {
                Some(one) => {
                    self.out.truncate(before);
                    (place, quantifier) = (before, one.to_owned());
                }
                None => {
                    self.out.insert_str(last, "(?:");
                    self.out.push(')');
                    place = self.out.len();
                }
            }
        }
        self.out.push_str(&quantifier);
        self.separate();
        Ok(place)
    }

    /// Puts what matches nothing behind a repetition. The engine takes `x+y?x+` for `x+(yx+)?`, which a single `x`
    /// matches, and does more of that kind with repetitions that stand side by side.
    fn separate(&mut self) {
        if matches!(self.goal, For::Fancy | For::Exact)
            && !matches!(self.peek(0), None | Some('*' | '+' | '?' | '{' | ')' | '|'))
        {
            self.out.push_str("a{0}");
        }
    }

    /// A quantifier after `{`, in Rust's notation; none where the brace is no quantifier's.
    fn quantifier(&mut self) -> Option<String> {
        let rest = &self.chars[self.at..];
        let end = rest.iter().position(|c| *c == '}')?;
        let inner: String = rest[..end].iter().collect();
        let digits = |s: &str| s.chars().all(|c| c.is_ascii_digit());
        let text = match inner.split_once(',') {
            Some(("", "")) => return None,
            Some((min, max)) if digits(min) && digits(max) => {
                format!("{{{},{max}}}", if min.is_empty() { "0" } else { min })
            }
            None if !inner.is_empty() && digits(&inner) => format!("{{{inner}}}"),
            _ => return None,
        };
        self.at += end + 1;
        Some(text)
    }

    /// What follows `(`.
    fn group(&mut self) -> Result<Opened, &'static str> {
        if self.peek(0) != Some('?') {
            self.out.push_str(if self.named { "(?:" } else { "(" });
            return Ok(Opened::Group);
        }
        self.at += 1;
        match self.peek(0) {
            Some('#') => {
                while let Some(c) = self.next() {
                    if c == ')' {
                        return Ok(Opened::Nothing);
                    }
                }
                Err("end pattern in group")
            }
            Some('\'') => {
                self.at += 1;
                self.out.push_str("(?<");
                while let Some(c) = self.next() {
                    if c == '\'' {
                        break;
                    }
                    self.out.push(c);
                }
                self.out.push('>');
                Ok(Opened::Group)
            }
            Some('<') => {
                self.out.push_str("(?<");
                self.at += 1;
                match self.peek(0) {
                    Some(c @ ('=' | '!')) => {
                        self.at += 1;
                        self.out.push(c);
                    }
                    _ => {
                        while let Some(c) = self.next() {
                            self.out.push(c);
                            if c == '>' {
                                break;
                            }
                        }
                    }
                }
                Ok(Opened::Group)
            }
            Some(c @ (':' | '=' | '!' | '>')) => {
                self.at += 1;
                self.out.push_str("(?");
                self.out.push(c);
                Ok(Opened::Group)
            }
            Some(c) if c == '-' || c.is_ascii_alphabetic() => self.options(),
            Some(_) => Err("undefined group option"),
            None => Err("end pattern in group"),
        }
    }

    /// `(?mix-mix)` or `(?mix-mix:`.
    fn options(&mut self) -> Result<Opened, &'static str> {
        let mut off = false;
        let mut letters = (String::new(), String::new());
        loop {
            let c = self.next().ok_or("end pattern in group")?;
            let list = if off { &mut letters.1 } else { &mut letters.0 };
            match c {
                '-' => off = true,
                'm' => list.push('s'),
                'i' | 'x' => list.push(c),
                // The character sets: Ruby's default is what the rest of the translation gives.
                'a' | 'd' | 'u' => {}
                ')' | ':' => {
                    let (on, off) = letters;
                    let options = if off.is_empty() { on } else { format!("{on}-{off}") };
                    if c == ')' {
                        return Ok(Opened::Options(options));
                    }
                    self.out.push_str(&format!("(?{options}:"));
                    return Ok(Opened::Group);
                }
                _ => return Err("undefined group option"),
            }
        }
    }

    pub(super) fn literal(&mut self, c: char) {
        if c.is_ascii_punctuation() && c != '<' && c != '>' {
            self.out.push('\\');
        }
        match c {
            ' ' => self.out.push_str("\\x20"),
            c => self.out.push(c),
        }
    }

    /// An escape outside brackets.
    fn escape(&mut self) -> Result<(), &'static str> {
        let c = self.next().ok_or("too short escape sequence")?;
        match c {
            'w' => self.out.push_str(&format!("[{WORD}]")),
            'W' => self.out.push_str(&format!("[^{WORD}]")),
            'd' => self.out.push_str("[0-9]"),
            'D' => self.out.push_str("[^0-9]"),
            's' => self.out.push_str(&format!("[{SPACE}]")),
            'S' => self.out.push_str(&format!("[^{SPACE}]")),
            'h' => self.out.push_str("[0-9a-fA-F]"),
            'H' => self.out.push_str("[^0-9a-fA-F]"),
            'R' => self.out.push_str("(?>\\r\\n|[\\n-\\r\\x{85}\\x{2028}\\x{2029}])"),
            'X' => self.out.push_str(CLUSTER),
            // The engine's own is in front of any number of line ends.
            'Z' => self.out.push_str("(?=\\n?\\z)"),
            'A' | 'z' | 'b' | 'B' | 'G' | 'K' => {
                self.out.push('\\');
                self.out.push(c);
            }
            '1'..='9' => {
                self.out.push('\\');
                self.out.push(c);
            }
            'g' if self.peek(0) == Some('<') => self.subexpression()?,
            'k' | 'g' => {
                self.out.push('\\');
                self.out.push(c);
            }
            'p' | 'P' => self.property(c),
            _ => {
                let c = self.character(c)?;
                self.literal(c);
            }
        }
        Ok(())
    }

    /// `\g<name>`: the expression of a named group once more.
    fn subexpression(&mut self) -> Result<(), &'static str> {
        const UNKNOWN: &str = "undefined name call";
        let rest: String = self.chars[self.at + 1..].iter().collect();
        let (name, _) = rest.split_once('>').ok_or("invalid group name <>")?;
        self.at += name.chars().count() + 2;
        let opening: Vec<char> = format!("(?<{name}>").chars().collect();
        let start = self.chars.windows(opening.len()).position(|w| w == opening).ok_or(UNKNOWN)?;
        let start = start + opening.len();
        let (mut depth, mut end, mut escaped) = (1, start, false);
        while depth > 0 {
            match self.chars.get(end).ok_or(UNKNOWN)? {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            end += 1;
        }
        if self.nested >= 16 {
            return Err("too deeply nested subexpression calls");
        }
        let body: Vec<char> = self.chars[start..end - 1].to_vec();
        let chars = std::mem::replace(&mut self.chars, body);
        let at = std::mem::replace(&mut self.at, 0);
        self.nested += 1;
        self.out.push_str("(?:");
        self.run(&mut 0)?;
        self.out.push(')');
        self.nested -= 1;
        self.chars = chars;
        self.at = at;
        Ok(())
    }

    /// The character an escape stands for.
    pub(super) fn character(&mut self, c: char) -> Result<char, &'static str> {
        Ok(match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'f' => '\x0c',
            'v' => '\x0b',
            'a' => '\x07',
            'e' => '\x1b',
            'x' => {
                let digits = self.digits(16, 2);
                char::from_u32(u32::from_str_radix(&digits, 16).map_err(|_| "invalid hex escape")?)
                    .ok_or("invalid hex escape")?
            }
            'u' => {
                let digits = if self.peek(0) == Some('{') {
                    self.at += 1;
                    let digits = self.digits(16, 6);
                    if self.next() != Some('}') {
                        return Err("invalid Unicode escape");
                    }
                    digits
                } else {
                    self.digits(16, 4)
                };
                u32::from_str_radix(&digits, 16)
                    .ok()
                    .and_then(char::from_u32)
                    .ok_or("invalid Unicode escape")?
            }
            '0' => {
                let digits = format!("0{}", self.digits(8, 2));
                char::from_u32(u32::from_str_radix(&digits, 8).unwrap_or(0)).unwrap_or('\0')
            }
            c => c,
        })
    }

    fn digits(&mut self, radix: u32, most: usize) -> String {
        let mut text = String::new();
        while text.len() < most && self.peek(0).is_some_and(|c| c.is_digit(radix)) {
            text.extend(self.next());
        }
        text
    }
}
