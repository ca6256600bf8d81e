//! JSON, as Ruby's parser takes it: comments are white space, any value may stand alone.

/// What is wrong with a text as JSON, in the words of Ruby's parser.
pub(super) fn check(text: &str) -> Option<String> {
    let mut reader = Reader { bytes: text.as_bytes(), at: 0, fault: None };
    let whole = reader.skip().and_then(|()| reader.value(0)).and_then(|()| reader.skip());
    match whole {
        Some(()) if reader.at == text.len() => None,
        _ => {
            let (number, at) = reader.fault.unwrap_or((859, reader.at));
            let rest = text.get(at..).unwrap_or("");
            Some(format!("{number}: unexpected token at '{rest}'"))
        }
    }
}

/// How deep JSON may nest, as in Ruby.
const MAX_DEPTH: u32 = 100;

struct Reader<'t> {
    bytes: &'t [u8],
    at: usize,
    /// The fault that ended the reading where it was met: the line of the parser's source that tells it, and the place. Any
    /// other is told by what is around it.
    fault: Option<(u32, usize)>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn eat(&mut self, text: &str) -> Option<()> {
        self.bytes[self.at..].starts_with(text.as_bytes()).then(|| self.at += text.len())
    }

    /// White space and comments.
    fn skip(&mut self) -> Option<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b'/') => {
                    let rest = &self.bytes[self.at..];
                    self.at += match rest.get(1)? {
                        b'*' => rest[2..].windows(2).position(|end| end == b"*/")? + 4,
                        b'/' => rest.iter().position(|byte| *byte == b'\n')? + 1,
                        _ => return None,
                    };
                }
                _ => return Some(()),
            }
        }
    }

    /// A value. On failure the reader stands at the start of what is wrong.
    fn value(&mut self, depth: u32) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.peek()? {
            b'{' => self.list(b'}', depth, |reader, depth| {
                if reader.peek() != Some(b'"') {
                    return None;
                }
                reader.string()?;
                reader.skip()?;
                reader.eat(":")?;
                reader.skip()?;
                reader.value(depth + 1)
            }),
            b'[' => self.list(b']', depth, |reader, depth| reader.value(depth + 1)),
            b'N' if self.bytes[self.at..].starts_with(b"NaN") => self.fail(225, self.at),
            b'I' if self.bytes[self.at..].starts_with(b"Infinity") => {
                self.fail(232, self.at.saturating_sub(1))
            }
            b'"' => self.string(),
            b't' => self.eat("true"),
            b'f' => self.eat("false"),
            b'n' => self.eat("null"),
            _ => self.number(),
        }
    }

    fn list(&mut self, close: u8, depth: u32, item: impl Fn(&mut Self, u32) -> Option<()>) -> Option<()> {
        let start = self.at;
        let mut read = || {
            self.at += 1;
            self.skip()?;
            if self.peek()? != close {
                loop {
                    item(self, depth)?;
                    self.skip()?;
                    if self.peek()? != b',' {
                        break;
                    }
                    self.at += 1;
                    self.skip()?;
                }
            }
            (self.peek()? == close).then(|| self.at += 1)
        };
        let result = read();
        if result.is_none() {
            if close == b']' {
                return self.fail(451, self.at);
            }
            self.at = start;
        }
        result
    }

    #[cold]
    fn fail(&mut self, number: u32, at: usize) -> Option<()> {
        self.fault.get_or_insert((number, at));
        None
    }

    fn string(&mut self) -> Option<()> {
        let mut at = self.at + 1;
        loop {
            match self.bytes.get(at)? {
                b'"' => break,
                b'\\' => at += 2,
                0..b' ' => return None,
                _ => at += 1,
            }
        }
        self.at = at + 1;
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        let rest = &self.bytes[self.at..];
        let digits = |from: usize| rest[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut end = usize::from(rest.first() == Some(&b'-'));
        let whole = digits(end);
        if whole == 0 || whole > 1 && rest[end] == b'0' {
            return None;
        }
        end += whole;
        if rest.get(end) == Some(&b'.') && digits(end + 1) > 0 {
            end += 1 + digits(end + 1);
        }
        if matches!(rest.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(rest.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            end += if exponent > 0 { 1 + sign + exponent } else { 0 };
        }
        self.at += end;
        Some(())
    }
}
