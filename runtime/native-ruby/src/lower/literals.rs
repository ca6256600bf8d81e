//! Literals: numbers, strings, symbols, regular expressions, arrays, hashes, ranges.

use super::{Lower, SourceKind, parts};
use crate::tree::{Expr, RegexpOptions};
use std::collections::HashMap;
use tree_sitter::Node as Syntax;

/// The text of each heredoc, by where it begins: they stand in the order of their begins.
pub(crate) fn heredocs(root: Syntax<'_>) -> HashMap<usize, Syntax<'_>> {
    let (mut begins, mut texts) = (Vec::new(), Vec::new());
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        match node.kind() {
            "heredoc_beginning" => begins.push(node.start_byte()),
            "heredoc_body" => texts.push(node),
            _ => {}
        }
        let mut cursor = node.walk();
        pending.extend(node.children(&mut cursor));
    }
    begins.sort_unstable();
    texts.sort_unstable_by_key(Syntax::start_byte);
    // A heredoc within another's text would be out of order.
    match begins.len() == texts.len()
        && begins.iter().all(|at| texts.iter().all(|text| !text.byte_range().contains(at)))
    {
        true => begins.into_iter().zip(texts).collect(),
        false => HashMap::new(),
    }
}

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
            "heredoc_beginning" => self.heredoc(node),
            "simple_symbol" => {
                let name = text.trim_start_matches(':');
                let name = match self.kind {
                    SourceKind::Template => name,
                    // `:name?` and the like.
                    SourceKind::File => name.trim_end_matches(['?', '!', '=']),
                };
                let operator = matches!(
                    text,
                    ":+" | ":-"
                        | ":*"
                        | ":/"
                        | ":%"
                        | ":|"
                        | ":&"
                        | ":<<"
                        | ":=="
                        | ":<=>"
                        | ":[]"
                        | ":<"
                        | ":>"
                        | ":**"
                );
                let known = operator || self.symbol(name.strip_prefix('@').unwrap_or(name)).is_some();
                known.then(|| Expr::Symbol(text.trim_start_matches(':').into()))
            }
            "delimited_symbol" => {
                let name = text.strip_prefix(':').and_then(plain);
                name.and_then(|name| match self.kind {
                    SourceKind::Template => self.symbol(name),
                    SourceKind::File => Some(Expr::Symbol(name.into())),
                })
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
            "array" => self.array(node),
            "hash" => {
                let pairs = parts(node).into_iter().map(|pair| match pair.kind() {
                    "pair" => self.pair(pair),
                    "hash_splat_argument" => self.splat_pair(pair),
                    _ => None,
                });
                pairs.collect::<Option<Vec<_>>>().map(|pairs| Expr::Hash(pairs.into()))
            }
            _ => self.range(node),
        };
        lowered.unwrap_or_else(|| self.unsupported(node, format!("a literal of the form {}", node.kind())))
    }

    /// `[a, *b, k => v]`: pairs stand at the end and make one hash.
    fn array(&mut self, node: Syntax<'_>) -> Option<Expr> {
        let (mut items, mut pairs) = (Vec::new(), Vec::new());
        for item in parts(node) {
            match item.kind() {
                "splat_argument" => items.push(self.splat(item)),
                "pair" => pairs.push(self.pair(item)?),
                "hash_splat_argument" => pairs.push(self.splat_pair(item)?),
                "block_argument" | "forward_argument" => return None,
                _ => items.push(self.node(item)),
            }
        }
        if !pairs.is_empty() {
            items.push(Expr::Hash(pairs.into()));
        }
        Some(Expr::Array(items.into()))
    }

    /// `**hash` among pairs.
    pub(crate) fn splat_pair(&mut self, node: Syntax<'_>) -> Option<(Expr, Expr)> {
        match parts(node)[..] {
            [value] => Some((Expr::Splat(Box::new(self.node(value))), Expr::Nil)),
            _ => None,
        }
    }

    /// `<<END`, `<<-END`, `<<~END`, with quotes or without.
    fn heredoc(&mut self, node: Syntax<'_>) -> Option<Expr> {
        let begin = self.source(node);
        let text = self.heredocs.get(&node.start_byte()).copied()?;
        let name = begin.trim_start_matches(['<', '-', '~']);
        if name.starts_with('`') {
            return None;
        }
        let raw = name.starts_with('\'');
        let mut pieces = Vec::new();
        for (n, part) in parts(text).into_iter().enumerate() {
            match part.kind() {
                // The text begins on the next line.
                "heredoc_content" if n == 0 => {
                    pieces.push(Piece::Text(self.source(part).strip_prefix('\n')?.to_owned()))
                }
                "heredoc_content" => pieces.push(Piece::Text(self.source(part).to_owned())),
                "heredoc_end" => {}
                "escape_sequence" if !raw => {
                    if self.source(part) == "\\\n" {
                        return None;
                    }
                    pieces.push(Piece::Escape(escape(self.source(part))?));
                }
                "interpolation" if !raw => {
                    let inner: Vec<Expr> =
                        parts(part).into_iter().map(|statement| self.node(statement)).collect();
                    pieces.push(Piece::Code(Expr::Sequence(inner.into())));
                }
                _ => return None,
            }
        }
        // Lines are whole: what stands before the end's name belongs to that.
        if let Some(Piece::Text(last)) = pieces.last_mut() {
            let whole = last.rfind('\n').map_or(0, |at| at + 1);
            if last[whole..].trim_start_matches([' ', '\t']).is_empty() {
                last.truncate(whole);
            }
        }
        if begin.starts_with("<<~") {
            dedent(&mut pieces)?;
        }
        Some(joined(pieces))
    }

    fn integer(&self, text: &str) -> Option<Expr> {
        let text = &*text.replace('_', "");
        let decimal = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
        let bases = [("0x", 16), ("0X", 16), ("0b", 2), ("0B", 2), ("0o", 8), ("0O", 8), ("0", 8)];
        let based = || {
            let (digits, base) =
                bases.iter().find_map(|(mark, base)| Some((text.strip_prefix(mark)?, *base)))?;
            i64::from_str_radix(digits, base).ok().map(Expr::Int)
        };
        if decimal { text.parse().ok().map(Expr::Int) } else { based() }
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
        let Some(value) = node.child_by_field_name("value") else {
            // `name:` has the value of what is called so.
            let name = self.source(key);
            return Some((self.symbol(name)?, self.word(key, name)));
        };
        let is_arrow = || {
            let behind = self.source(node).get(key.end_byte() - node.start_byte()..);
            behind.is_some_and(|behind| behind.trim_start().starts_with("=>"))
        };
        let key = match key.kind() {
            "hash_key_symbol" => self.symbol(self.source(key))?,
            // `"a": 1` makes a symbol.
            "string" if !is_arrow() => Expr::Symbol(plain(self.source(key))?.into()),
            _ => self.node(key),
        };
        Some((key, self.node(value)))
    }

    fn range(&mut self, node: Syntax<'_>) -> Option<Expr> {
        // Without a begin or an end it goes on for ever, as it does with nil.
        let (from, to) = (node.child_by_field_name("begin"), node.child_by_field_name("end"));
        if from.is_none() && to.is_none() {
            return None;
        }
        let open = node.child_by_field_name("operator").is_some_and(|dots| self.source(dots) == "...");
        let pair = (self.optional(from), self.optional(to));
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
            // A backslash stands for the next character where that is another one, or the begin or end of the text.
            let ends = [text.chars().nth(2)?, text.chars().next_back()?];
            let mut made = String::with_capacity(inner.len());
            let mut chars = inner.chars().peekable();
            while let Some(c) = chars.next() {
                match chars.peek() {
                    Some(next) if c == '\\' && (*next == '\\' || ends.contains(next)) => {
                        made.extend(chars.next())
                    }
                    _ => made.push(c),
                }
            }
            return Some(Expr::String(made.into()));
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
        let letters = match text.strip_prefix("%r") {
            Some(rest) if rest.starts_with('{') => rest.rsplit_once('}')?.1,
            Some(rest) if rest.starts_with(['!', '|']) => rest.rsplit_once(rest.chars().next()?)?.1,
            Some(_) => return None,
            None => text.strip_prefix('/')?.rsplit_once('/')?.1,
        };
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

/// A part of a heredoc's text.
enum Piece {
    /// As it is written.
    Text(String),
    /// What an escape stands for.
    Escape(String),
    Code(Expr),
}

/// Takes away the indentation that all lines have that are not blank. None where tabs are in it.
fn dedent(pieces: &mut [Piece]) -> Option<()> {
    let (mut least, mut indent) = (usize::MAX, Some(0));
    for piece in pieces.iter() {
        let Piece::Text(text) = piece else {
            least = least.min(indent.take().unwrap_or(usize::MAX));
            continue;
        };
        for c in text.chars() {
            indent = match (c, indent) {
                ('\n', _) => Some(0),
                (' ', Some(count)) => Some(count + 1),
                ('\t', Some(_)) => return None,
                (_, Some(count)) => {
                    least = least.min(count);
                    None
                }
                (_, None) => None,
            };
        }
    }
    let mut left = Some(least);
    for piece in pieces {
        let Piece::Text(text) = piece else {
            left = None;
            continue;
        };
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match (c, left) {
                ('\n', _) => {
                    out.push('\n');
                    left = Some(least);
                }
                (' ', Some(count)) if count > 0 => left = Some(count - 1),
                (c, _) => {
                    out.push(c);
                    left = None;
                }
            }
        }
        *text = out;
    }
    Some(())
}

/// The pieces as one string.
fn joined(pieces: Vec<Piece>) -> Expr {
    let mut all: Vec<Expr> = Vec::new();
    let mut literal = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) | Piece::Escape(text) => literal.push_str(&text),
            Piece::Code(code) => {
                all.push(Expr::String(std::mem::take(&mut literal).into()));
                all.push(code);
            }
        }
    }
    if all.is_empty() {
        return Expr::String(literal.into());
    }
    all.push(Expr::String(literal.into()));
    Expr::Join(all.into())
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
