//! Literals: numbers, strings, symbols, regular expressions, arrays, hashes, ranges.

use crate::lower::{Lower, parts};
use crate::tree::{Expr, RegexpOptions};
use tree_sitter::Node as Syntax;

/// The text of a string without escapes and interpolations, from how it is written.
pub(crate) fn plain(written: &str) -> Option<&str> {
    let quote = written.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inner = written.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inner.contains(['\\', '#', quote])).then_some(inner)
}

impl Lower<'_> {
    /// A literal.
    pub(crate) fn literal(&mut self, node: Syntax<'_>) -> Expr {
        let text = self.source(node);
        let lowered = match node.kind() {
            "integer" => self.integer(text),
            "float" => text.parse().ok().filter(|_| !text.contains('_')).map(Expr::Float),
            "string" => self.string(node),
            "chained_string" => self.chained(node),
            "simple_symbol" => self.symbol(text.trim_start_matches(':')),
            "delimited_symbol" => {
                let name = text.strip_prefix(':').and_then(plain);
                name.and_then(|name| self.symbol(name))
            }
            "string_array" => self.words(node, |word| Expr::String(word.into())),
            "symbol_array" => self.words(node, |word| Expr::Symbol(word.into())),
            "regex" => self.regexp(node),
            "character" => {
                let mut chars = text.chars().skip(1);
                match (chars.next(), chars.next()) {
                    (Some(c), None) => Some(Expr::String(c.to_string().into())),
                    _ => None,
                }
            }
            "array" => {
                let items = parts(node).into_iter().map(|item| match item.kind() {
                    "splat_argument" => Some(self.splat(item)),
                    "pair" | "hash_splat_argument" | "block_argument" | "forward_argument" => None,
                    _ => Some(self.node(item)),
                });
                items.collect::<Option<Vec<_>>>().map(|items| Expr::Array(items.into()))
            }
            "hash" => {
                let pairs = parts(node).into_iter().map(|pair| match pair.kind() {
                    "pair" => self.pair(pair),
                    _ => None,
                });
                pairs.collect::<Option<Vec<_>>>().map(|pairs| Expr::Hash(pairs.into()))
            }
            _ => self.range(node),
        };
        lowered.unwrap_or_else(|| self.unsupported(node, format!("a literal of the form {}", node.kind())))
    }

    fn integer(&self, text: &str) -> Option<Expr> {
        let decimal = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
        text.parse().ok().filter(|_| decimal).map(Expr::Int)
    }

    fn symbol(&self, name: &str) -> Option<Expr> {
        let mut chars = name.chars();
        let head = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        let plain = head && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        plain.then(|| Expr::Symbol(name.into()))
    }

    /// A pair of a hash literal.
    pub(crate) fn pair(&mut self, node: Syntax<'_>) -> Option<(Expr, Expr)> {
        let key = node.child_by_field_name("key")?;
        let value = node.child_by_field_name("value")?;
        let key = match key.kind() {
            "hash_key_symbol" => self.symbol(self.source(key))?,
            // `"a": 1` makes a symbol.
            "string"
                if !self
                    .source(node)
                    .get(key.end_byte() - node.start_byte()..)?
                    .trim_start()
                    .starts_with("=>") =>
            {
                return None;
            }
            _ => self.node(key),
        };
        Some((key, self.node(value)))
    }

    fn range(&mut self, node: Syntax<'_>) -> Option<Expr> {
        let from = node.child_by_field_name("begin")?;
        let to = node.child_by_field_name("end")?;
        let open = node.child_by_field_name("operator").is_some_and(|dots| self.source(dots) == "...");
        let pair = (self.node(from), self.node(to));
        Some(Expr::Range(Box::new(pair), open))
    }

    fn chained(&mut self, node: Syntax<'_>) -> Option<Expr> {
        let all = parts(node).into_iter().map(|part| self.string(part)).collect::<Option<Vec<_>>>()?;
        Some(Expr::Join(all.into()))
    }

    fn words(&mut self, node: Syntax<'_>, make: impl Fn(&str) -> Expr) -> Option<Expr> {
        let text = self.source(node);
        if text.contains('\\') || text.starts_with("%W") || text.starts_with("%I") {
            return None;
        }
        let words = parts(node).into_iter().map(|word| make(self.source(word)));
        Some(Expr::Array(words.collect()))
    }

    fn string(&mut self, node: Syntax<'_>) -> Option<Expr> {
        let text = self.source(node);
        if let Some(plain) = plain(text) {
            return Some(Expr::String(plain.into()));
        }
        if let Some(inner) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
            return Some(Expr::String(single(inner).into()));
        }
        if text.starts_with("%q") {
            let inner = text.get(3..text.len() - 1)?;
            return (!inner.contains('\\')).then(|| Expr::String(inner.into()));
        }
        if !(text.starts_with('"') || text.starts_with("%Q") || text.starts_with("%(")) {
            return None;
        }
        let mut pieces = self.pieces(node, escape)?;
        Some(match pieces.len() {
            0 => Expr::String("".into()),
            1 if matches!(pieces[0], Expr::String(_)) => pieces.remove(0),
            _ => Expr::Join(pieces.into()),
        })
    }

    /// Contents, escapes as `escape` reads them, and interpolations.
    fn pieces(&mut self, node: Syntax<'_>, escape: fn(&str) -> Option<String>) -> Option<Vec<Expr>> {
        let mut pieces: Vec<Expr> = Vec::new();
        let mut literal = String::new();
        for part in parts(node) {
            match part.kind() {
                "string_content" => literal.push_str(self.source(part)),
                "escape_sequence" => literal.push_str(&escape(self.source(part))?),
                "interpolation" => {
                    if !literal.is_empty() {
                        pieces.push(Expr::String(std::mem::take(&mut literal).into()));
                    }
                    if !self.source(part).starts_with("#{") {
                        return None;
                    }
                    let mut inner: Vec<Expr> = Vec::new();
                    for statement in parts(part) {
                        inner.push(self.node(statement));
                    }
                    pieces.push(match inner.len() {
                        1 => inner.remove(0),
                        _ => Expr::Sequence(inner.into()),
                    });
                }
                _ => return None,
            }
        }
        if !literal.is_empty() {
            pieces.push(Expr::String(literal.into()));
        }
        Some(pieces)
    }

    fn regexp(&mut self, node: Syntax<'_>) -> Option<Expr> {
        let text = self.source(node);
        let letters = text.strip_prefix('/')?.rsplit_once('/')?.1;
        let mut options = RegexpOptions::default();
        for letter in letters.chars() {
            match letter {
                'i' => options.ignore_case = true,
                'm' => options.multiline = true,
                'x' => options.extended = true,
                _ => return None,
            }
        }
        let raw = |escape: &str| Some(if escape == "\\/" { "/".to_owned() } else { escape.to_owned() });
        let mut pieces = self.pieces(node, raw)?;
        let source = match pieces.len() {
            0 => Expr::String("".into()),
            1 if matches!(pieces[0], Expr::String(_)) => pieces.remove(0),
            _ => Expr::Join(pieces.into()),
        };
        Some(Expr::Regexp(Box::new(source), options))
    }
}

/// Between single quotes only the quote and the backslash are escaped.
fn single(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('\\' | '\'')) => out.extend(chars.next()),
            (c, _) => out.push(c),
        }
    }
    out
}

/// An escape between double quotes; none for the rarer forms.
fn escape(written: &str) -> Option<String> {
    let rest = written.strip_prefix('\\')?;
    let one = match rest {
        "n" => "\n",
        "t" => "\t",
        "s" => " ",
        "r" => "\r",
        "e" => "\x1b",
        "a" => "\x07",
        "b" => "\x08",
        "f" => "\x0c",
        "v" => "\x0b",
        "0" => "\0",
        "\n" => "",
        rest => {
            if let Some(hex) = rest.strip_prefix('u').filter(|hex| hex.len() == 4) {
                return Some(char::from_u32(u32::from_str_radix(hex, 16).ok()?)?.to_string());
            }
            let mut chars = rest.chars();
            let (Some(c), None) = (chars.next(), chars.next()) else { return None };
            // Letters and digits have meanings; anything else stands for itself.
            return (!c.is_alphanumeric()).then(|| c.to_string());
        }
    };
    Some(one.to_owned())
}
