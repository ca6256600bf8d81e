//! HOCON as Ruby's gem `hocon` reads a text: what a crate parses, with Ruby's numbers. Includes of files are refused:
//! nothing but the file itself may decide what it says.

mod faults;
mod size;

use crate::data_file::data::Data;
use crate::data_file::lines::Lines;
use crate::data_file::lines::hocon::of_tokens;
use hocon::{HoconError, HoconValue, ParseOptions, ScalarType, Token, TokenKind};
use size::Weights;
use std::collections::HashMap;

/// Collections may nest this deep; the crate stops before.
const MAX_DEPTH: usize = 250;
/// Values that substitutions may stand for in all.
const MAX_NODES: usize = 1_000_000;
/// Fields that may be copied where objects stand there in pieces (`a.b = 1`, `a.c = 2`): some 5,000 of them in one
/// object, or 1,000 where they lie six deep. A few seconds.
const MAX_WORK: u64 = 30_000_000;

/// The data of a text, a hash.
///
/// # Errors
/// What is wrong, with line and column.
pub fn parse(text: &str) -> Result<Data, String> {
    let environment = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.into_string().ok()?;
        Some((name, value.into_string().ok()?))
    });
    read(text, environment.collect())
}

/// What a text says by itself, or the gem's words about the order of its tokens where it is no HOCON. None where that depends
/// on variables of the process or on other files, or where the gem may say something else.
pub fn of_text(text: &str) -> Option<Result<Data, String>> {
    let tokens = tokens_of(text).ok()?;
    let is_more = |token: &Token| {
        token.kind == TokenKind::Substitution || token.kind == TokenKind::Unquoted && token.value == "include"
    };
    if tokens.iter().any(is_more) {
        return None;
    }
    match faults::check(&tokens) {
        Err(said) => Some(Err(said)),
        Ok(()) => data_of(text, &tokens, HashMap::new()).ok().map(Ok),
    }
}

/// Whether a text says the same wherever it is read: variables of the process can stand for what it does not set.
pub fn is_portable(text: &str) -> bool {
    let has_substitution = hocon::tokenize(text)
        .is_ok_and(|tokens| tokens.iter().any(|token| token.kind == TokenKind::Substitution));
    !has_substitution || read(text, HashMap::new()) == parse(text)
}

fn read(text: &str, environment: HashMap<String, String>) -> Result<Data, String> {
    let tokens = tokens_of(text)?;
    faults::check(&tokens)?;
    data_of(text, &tokens, environment)
}

/// The tokens of a text that does not nest too deep and includes no files.
fn tokens_of(text: &str) -> Result<Vec<Token>, String> {
    let tokens = hocon::tokenize(text).map_err(|error| {
        let error = HoconError::from(error);
        let open_string = match &error {
            HoconError::Parse(e) => faults::of_open_string(text, e.line, e.col),
            _ => None,
        };
        open_string.unwrap_or_else(|| said(error))
    })?;
    let (mut at_start, mut nesting) = (true, Nesting::default());
    for (n, token) in tokens.iter().enumerate() {
        if nesting.enter(token) > MAX_DEPTH {
            let (line, column) = (token.line, token.col);
            return Err(format!(
                "collections nest more than {MAX_DEPTH} levels at line {line} column {column}"
            ));
        }
        let includes = at_start && token.kind == TokenKind::Unquoted && token.value == "include";
        let next = tokens.get(n + 1).map(|next| (next.kind.clone(), next.value.as_str()));
        match next {
            // A plain name is no error, but Ruby's gem finds no file by it: a text has no folder.
            Some((TokenKind::QuotedString | TokenKind::TripleQuotedString, _)) if includes => {}
            Some((TokenKind::Unquoted, what)) if includes => {
                let (line, column) = (token.line, token.col);
                let what = what.split('(').next().unwrap_or_default();
                return Err(format!("include {what}() is not supported at line {line} column {column}"));
            }
            _ => {}
        }
        at_start = matches!(token.kind, TokenKind::Newline | TokenKind::Comma | TokenKind::LBrace);
    }
    Ok(tokens)
}

/// The data of a text whose tokens are in order.
fn data_of(text: &str, tokens: &[Token], environment: HashMap<String, String>) -> Result<Data, String> {
    let lines = of_tokens(tokens);
    let mut weights = Weights::of(tokens);
    if weights.work() > MAX_WORK {
        return Err("too many fields are given to one object piece by piece at line 1 column 1".to_owned());
    }
    if weights.tokens() > MAX_NODES as u64 {
        return Err(format!("substitutions stand for more than {MAX_NODES} values at line 1 column 1"));
    }
    // A folder that can't exist, so that includes by name find nothing.
    let options = ParseOptions::defaults().with_env(environment).with_base_dir("/dev/null".into());
    let config = hocon::parse_string_with_options(text, options).map_err(said)?;
    let mut left = MAX_NODES;
    let mut pairs = Vec::new();
    for key in config.keys() {
        let path = format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\""));
        let value = config.get(&path).ok_or_else(|| format!("the value of '{key}' is not there"))?;
        pairs.push((Data::Text(key.to_owned()), data(value, 1, &mut left)?));
    }
    let mut data = Data::Map(pairs);
    reorder(&mut data, &lines);
    Ok(data)
}

/// How deep collections nest, those included that a key like `a.b.c` makes.
#[derive(Default)]
struct Nesting {
    /// The depth within each bracket that is open.
    open: Vec<usize>,
    /// Names in the key that is being read, or whose value is.
    names: usize,
    /// Whether the value has begun.
    in_value: Option<bool>,
}

impl Nesting {
    /// How deep it is at a token, at most.
    fn enter(&mut self, token: &Token) -> usize {
        match token.kind {
            TokenKind::LBrace | TokenKind::LBracket => {
                self.open.push(self.depth() + 1);
                (self.names, self.in_value) = (0, None);
            }
            TokenKind::RBrace | TokenKind::RBracket => {
                self.open.pop();
                (self.names, self.in_value) = (0, Some(true));
            }
            TokenKind::Colon | TokenKind::Equals | TokenKind::PlusEquals => self.in_value = Some(false),
            // The value may stand in the next line.
            TokenKind::Newline if self.in_value == Some(false) => {}
            TokenKind::Newline | TokenKind::Comma => (self.names, self.in_value) = (0, None),
            TokenKind::Substitution => {
                let names = token.subst.as_ref().map_or(0, |subst| subst.segments.len());
                self.in_value = self.in_value.map(|_| true);
                return self.depth().max(names);
            }
            _ if self.in_value.is_some() => self.in_value = Some(true),
            TokenKind::QuotedString => self.names += 1,
            _ => self.names += token.value.split('.').filter(|name| !name.is_empty()).count(),
        }
        match self.in_value {
            // In a list what looks like a key is a value, as long as nothing says otherwise.
            None => self.open.last().copied().unwrap_or_default(),
            Some(_) => self.depth(),
        }
    }

    fn depth(&self) -> usize {
        self.open.last().copied().unwrap_or_default() + self.names.saturating_sub(1)
    }
}

/// Puts keys into the order that Ruby's gem has them in; what came by a substitution goes last.
fn reorder(data: &mut Data, lines: &Lines) {
    match (data, lines) {
        (Data::Map(pairs), Lines::Map(order)) => {
            let places: HashMap<&str, (usize, &Lines)> =
                order.iter().enumerate().map(|(n, (key, _, lines))| (key.as_str(), (n, &**lines))).collect();
            let place = |key: &Data| match key {
                Data::Text(key) => places.get(key.as_str()).copied(),
                _ => None,
            };
            for (key, value) in pairs.iter_mut() {
                if let Some((_, lines)) = place(key) {
                    reorder(value, lines);
                }
            }
            pairs.sort_by_key(|(key, _)| place(key).map_or(usize::MAX, |(n, _)| n));
        }
        (Data::List(items), Lines::List(all)) if items.len() == all.len() => {
            items.iter_mut().zip(all).for_each(|(item, (_, lines))| reorder(item, lines));
        }
        _ => {}
    }
}

/// What the crate says of an error, in the gem's words where it has some.
fn said(error: HoconError) -> String {
    match error {
        HoconError::Parse(e) => format!("{} at line {} column {}", e.message, e.line, e.col),
        // The crate has one type for this and for what leads to itself, told apart by its words alone; `spec/hocon.md`
        // holds them.
        HoconError::Resolve(e) if e.message.starts_with("could not resolve substitution") => {
            format!("String: {}: Could not resolve substitution to a value: ${{{}}}", e.line, e.path)
        }
        HoconError::Resolve(e) => {
            let what = if e.path.is_empty() { String::new() } else { format!(": ${{{}}}", e.path) };
            format!("{}{what} at line {} column {}", e.message, e.line, e.col)
        }
        // The one error of this kind: a list at the root.
        HoconError::Config(_) => "String: 1:  has type LIST rather than object at file root".to_owned(),
        other => other.to_string(),
    }
}

fn data(value: &HoconValue, depth: usize, left: &mut usize) -> Result<Data, String> {
    *left = left.checked_sub(1).ok_or_else(|| format!("it stands for more than {MAX_NODES} values"))?;
    if depth > MAX_DEPTH {
        return Err(format!("collections nest more than {MAX_DEPTH} levels"));
    }
    Ok(match value {
        HoconValue::Object(map) => {
            let pair = |(key, value): (&String, &HoconValue)| {
                Ok::<_, String>((Data::Text(key.clone()), data(value, depth + 1, left)?))
            };
            Data::Map(map.iter().map(pair).collect::<Result<_, _>>()?)
        }
        HoconValue::Array(items) => {
            Data::List(items.iter().map(|item| data(item, depth + 1, left)).collect::<Result<_, _>>()?)
        }
        HoconValue::Scalar(scalar) => match scalar.value_type {
            ScalarType::Null => Data::Null,
            ScalarType::Boolean => Data::Bool(scalar.raw == "true"),
            ScalarType::Number => number(&scalar.raw)?,
            _ => Data::Text(scalar.raw.clone()),
        },
        _ => return Err("a substitution was not resolved".to_owned()),
    })
}

/// Ruby's `Integer()` and `Float()`: a leading zero means base 8; a fraction of nothing is a whole number.
fn number(raw: &str) -> Result<Data, String> {
    let (negative, digits) = match raw.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, raw),
    };
    if digits.contains(['.', 'e', 'E']) {
        let (whole, _) = digits.split_once(['.', 'e', 'E']).unwrap_or((digits, ""));
        let is_float = !whole.is_empty() && !digits.contains(".e") && !digits.ends_with('.');
        return match raw.parse::<f64>() {
            Ok(float) if is_float && !float.is_finite() => Err(format!("{raw} is not finite")),
            Ok(float) if is_float && float.fract() == 0.0 && float.abs() < 9e18 => {
                Ok(Data::Int(float as i64))
            }
            Ok(float) if is_float => Ok(Data::Float(float)),
            _ => Ok(Data::Text(raw.to_owned())),
        };
    }
    let octal = digits.len() > 1 && digits.starts_with('0');
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit() && !(octal && b > b'7')) {
        return Ok(Data::Text(raw.to_owned()));
    }
    match i128::from_str_radix(digits, if octal { 8 } else { 10 }) {
        Ok(n) => match i64::try_from(if negative { -n } else { n }) {
            Ok(n) => Ok(Data::Int(n)),
            Err(_) => Ok(Data::Float(raw.parse().unwrap_or_default())),
        },
        Err(_) => Ok(Data::Float(raw.parse().unwrap_or_default())),
    }
}
