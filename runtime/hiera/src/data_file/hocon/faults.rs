//! Whether a text is HOCON to Ruby's gem, and if not, what that says: the order of its tokens only. What they mean is for
//! the crate that parses them, which takes more than the gem does and has other words.

use hocon::{Token, TokenKind};

/// A token as the gem speaks of it.
enum Tok {
    /// Braces, brackets, `,`, `:`, `=`, `+=`.
    Sign(&'static str),
    Newline(usize),
    /// A part of a key or of a value.
    Word {
        text: String,
        line: usize,
        is_include: bool,
    },
    /// `${…}`
    Substitution(usize),
    /// What is no token, in the gem's words.
    Problem(String),
    End,
}

/// How an object begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begin {
    /// With a brace.
    Brace,
    /// With its first field: the file's own object.
    Bare,
}

/// Fails with what the gem says of a text.
///
/// # Errors
/// The first fault, with its line.
pub(crate) fn check(tokens: &[Token]) -> Result<(), String> {
    Reader::of(tokens, Tok::End).document()
}

/// What the gem says of a text with a fault at a place, if that is a string without an end: the place of such a fault is
/// the quote that opens the string, and no other's is a quote. None where it is another fault, or none to the gem.
pub(crate) fn of_open_string(text: &str, line: usize, column: usize) -> Option<String> {
    let start = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum::<usize>();
    let rest = text.get(start..)?;
    let column = rest.char_indices().nth(column.checked_sub(1)?)?.0;
    let (before, string) = (&text[..start + column], rest[column..].strip_prefix('"')?);
    if string.starts_with("\"\"") {
        // Three quotes are another fault.
        return None;
    }
    let problem = match string.contains('\n') {
        true => {
            "'\n' (JSON does not allow unescaped \n in quoted strings, use a backslash escape)".to_owned()
        }
        false => "'' (End of input but string quote was still open)".to_owned(),
    };
    let tokens = hocon::tokenize(before).ok()?;
    Reader::of(&tokens, Tok::Problem(problem)).document().err()
}

struct Reader {
    tokens: Vec<Tok>,
    at: usize,
    line: usize,
}

impl Reader {
    /// The tokens, with this one in place of the end.
    fn of(tokens: &[Token], last: Tok) -> Reader {
        let tok = |token: &Token| {
            let word = |text: String, is_include| Tok::Word { text, line: token.line, is_include };
            let space = &token.preceding_whitespace;
            match token.kind {
                TokenKind::LBrace => Tok::Sign("{"),
                TokenKind::RBrace => Tok::Sign("}"),
                TokenKind::LBracket => Tok::Sign("["),
                TokenKind::RBracket => Tok::Sign("]"),
                TokenKind::Comma => Tok::Sign(","),
                TokenKind::Colon => Tok::Sign(":"),
                TokenKind::Equals => Tok::Sign("="),
                TokenKind::PlusEquals => Tok::Sign("+="),
                TokenKind::Newline => Tok::Newline(token.line),
                TokenKind::Unquoted => word(format!("{space}{}", token.value), token.value == "include"),
                TokenKind::Substitution => Tok::Substitution(token.line),
                TokenKind::QuotedString | TokenKind::TripleQuotedString | TokenKind::Eof => {
                    word(format!("{space}\"{}\"", token.value), false)
                }
            }
        };
        let all = tokens.iter().take_while(|token| token.kind != TokenKind::Eof);
        Reader { tokens: all.map(tok).chain([last]).collect(), at: 0, line: 1 }
    }

    fn fail<T>(&self, message: &str) -> Result<T, String> {
        Err(format!("String: {}: {message}", self.line))
    }

    /// What the gem calls the current token.
    fn name(&self) -> String {
        match self.tokens.get(self.at) {
            Some(Tok::Sign(sign)) => format!("'{sign}'"),
            Some(Tok::Newline(_)) => "'\\n'".to_owned(),
            Some(Tok::Word { text, .. }) => format!("'{}'", text.trim_start()),
            Some(Tok::Substitution(_)) => "'${'".to_owned(),
            Some(Tok::Problem(problem)) => problem.clone(),
            Some(Tok::End) | None => "end of file".to_owned(),
        }
    }

    /// A message about the current token, with the gem's advice.
    fn advised<T>(&self, message: &str) -> Result<T, String> {
        let name = self.name();
        if matches!(self.tokens.get(self.at), Some(Tok::End) | None) {
            return self.fail(message);
        }
        self.fail(&format!(
            "{message} (if you intended {name} to be part of a key or string value, try enclosing the key or value in \
             double quotes"
        ))
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.tokens.get(self.at), Some(Tok::Sign(found)) if *found == sign)
    }

    fn is_end(&self) -> bool {
        matches!(self.tokens.get(self.at), Some(Tok::End) | None)
    }

    /// Takes a sign if it is there.
    fn take(&mut self, sign: &str) -> bool {
        let is_there = self.is(sign);
        self.at += usize::from(is_there);
        is_there
    }

    /// Goes to the next token that is no line break.
    fn settle(&mut self) {
        while let Some(Tok::Newline(line)) = self.tokens.get(self.at) {
            self.line = line + 1;
            self.at += 1;
        }
        if let Some(Tok::Word { line, .. } | Tok::Substitution(line)) = self.tokens.get(self.at) {
            self.line = *line;
        }
    }

    fn document(&mut self) -> Result<(), String> {
        self.settle();
        if self.take("[") {
            self.list()?;
        } else if self.take("{") {
            self.object(Begin::Brace)?;
        } else {
            self.object(Begin::Bare)?;
        }
        self.settle();
        if self.is_end() {
            return Ok(());
        }
        self.fail(&format!("Document has trailing tokens after first object or array: {}", self.name()))
    }

    /// Takes what stands between two elements; whether there was anything.
    fn separator(&mut self) -> bool {
        let mut found = false;
        while let Some(Tok::Newline(_)) = self.tokens.get(self.at) {
            self.line += 1;
            self.at += 1;
            found = true;
        }
        self.take(",") || found
    }

    /// The rest of an object.
    fn object(&mut self, begin: Begin) -> Result<(), String> {
        loop {
            self.settle();
            if self.is("}") {
                return self.close(begin);
            }
            if self.is_end() && begin == Begin::Bare {
                return Ok(());
            }
            self.field()?;
            if self.separator() {
                continue;
            }
            self.settle();
            if self.is("}") {
                return self.close(begin);
            }
            if self.is_end() && begin == Begin::Bare {
                return Ok(());
            }
            return self.advised(&format!("Expecting close brace }} or a comma, got {}", self.name()));
        }
    }

    fn close(&mut self, begin: Begin) -> Result<(), String> {
        if begin == Begin::Bare {
            return self.advised("unbalanced close brace '}' with no open brace");
        }
        self.at += 1;
        Ok(())
    }

    /// A key with its value, or an `include`.
    fn field(&mut self) -> Result<(), String> {
        if matches!(self.tokens.get(self.at), Some(Tok::Word { is_include: true, .. })) {
            self.at += 1;
            self.settle();
            if !matches!(self.tokens.get(self.at), Some(Tok::Word { .. })) {
                let name = self.name();
                return self
                    .fail(&format!("include keyword is not followed by a quoted string, but by: {name}"));
            }
            self.at += 1;
            return Ok(());
        }
        let mut key = String::new();
        while let Some(Tok::Word { text, .. }) = self.tokens.get(self.at) {
            key.push_str(if key.is_empty() { text.trim_start() } else { text });
            self.at += 1;
        }
        if key.is_empty() {
            return self.fail(&format!("expecting a close brace or a field name here, got {}", self.name()));
        }
        self.settle();
        if self.is("{") {
            return self.value();
        }
        if !(self.take(":") || self.take("=") || self.take("+=")) {
            return self.advised(&format!("Key '{key}' may not be followed by token: {}", self.name()));
        }
        self.values()?.then_some(()).map_or_else(|| self.value(), Ok)
    }

    /// What is joined to one value, on one line; whether there was any.
    fn values(&mut self) -> Result<bool, String> {
        self.settle();
        let mut any = false;
        while self.begins_value() {
            self.value()?;
            any = true;
        }
        Ok(any)
    }

    fn begins_value(&self) -> bool {
        self.is("{")
            || self.is("[")
            || matches!(self.tokens.get(self.at), Some(Tok::Word { .. } | Tok::Substitution(_)))
    }

    fn value(&mut self) -> Result<(), String> {
        if self.take("{") {
            return self.object(Begin::Brace);
        }
        if self.take("[") {
            return self.list();
        }
        if !self.begins_value() {
            return self.advised(&format!("Expecting a value but got wrong token: {}", self.name()));
        }
        self.at += 1;
        Ok(())
    }

    /// The rest of a list.
    fn list(&mut self) -> Result<(), String> {
        if !self.values()? {
            if self.take("]") {
                return Ok(());
            }
            return self.list_fault("List should have ] or a first element after the open [", "");
        }
        loop {
            if !self.separator() {
                self.settle();
                if self.take("]") {
                    return Ok(());
                }
                return self.list_fault("List should have ended with ] or had a comma", "");
            }
            if !self.values()? && !self.is("]") {
                return self.list_fault("List should have had new element after a comma", "the comma or ");
            }
        }
    }

    fn list_fault(&self, what: &str, or: &str) -> Result<(), String> {
        let name = self.name();
        self.fail(&format!(
            "{what}, instead had token: {name} (if you want {or}{name} to be part of a string value, then double-quote it)"
        ))
    }
}
