//! JSON: written as Ruby's library writes it; read where there is no doubt about what is meant.

use crate::budget;
use crate::eval::{Done, Run, Unwind};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::value::{Class, HashValue, V, text};
use bunraku_stdlib::module::json::json_string;
use bunraku_vm::value::Value;

/// Deeper values are an error, or left to Ruby.
const DEEPEST: usize = 60;
/// Longer texts are left to Ruby.
const LARGEST: usize = 16 << 20;

/// Calls a method of `JSON`; none for what is not known.
pub(super) fn call<'c>(run: &mut Run<'_, 'c>, name: &str, args: &[V<'c>]) -> Done<'c, Option<V<'c>>> {
    Ok(Some(match (name, args) {
        ("generate" | "dump", [value]) => V::made(generate(value)?),
        ("pretty_generate", [value] | [value, V::Nil]) => V::made(pretty(value)?),
        ("pretty_generate", [value, options]) if options.entries()?.is_some_and(|all| all.is_empty()) => {
            V::made(pretty(value)?)
        }
        ("load", [source]) if source.text().is_some_and(|text| text.is_empty()) => V::Nil,
        ("parse" | "load", [source]) if source.text().is_some() => parse(run, source, false)?,
        ("parse", [source, options]) if source.text().is_some() => {
            match &options.entries()?.unwrap_or_default()[..] {
                [(V::Symbol("symbolize_names"), names)] => parse(run, source, names.truthy())?,
                _ => return Ok(None),
            }
        }
        _ => return Ok(None),
    }))
}

/// Calls a method of `PSON`, which reads arrays and hashes as JSON is read, or of `Puppet::Util::Json`; none for what is
/// not known. Their errors are of classes of their own.
pub(super) fn of_puppet<'c>(
    run: &mut Run<'_, 'c>,
    class: Class,
    name: &str,
    args: &[V<'c>],
) -> Done<'c, Option<V<'c>>> {
    match (name, args) {
        ("parse" | "load", [source]) if class == Class::Pson || name == "load" => {
            if matches!(source, V::Nil | V::Bool(_) | V::Int(_) | V::Float(_)) || source.size().is_some() {
                return Err(Unwind::unsaid(Class::TypeError));
            }
            let Some(text) = source.text().filter(|text| text.is_ascii()) else {
                return Err(DOUBTFUL.into());
            };
            let own = match class {
                Class::Pson => Class::PsonParserError,
                _ => Class::PuppetUtilJsonParseError,
            };
            let begin = text.trim_matches(is_space).chars().next();
            if class == Class::Pson && !matches!(begin, Some('[' | '\u{7b}')) {
                return Err(if begin == Some('/') { DOUBTFUL.into() } else { Unwind::unsaid(own) });
            }
            let read = parse(run, source, false);
            read.map(Some).map_err(|stop| if stop.exception().is_some() { Unwind::unsaid(own) } else { stop })
        }
        _ => Ok(None),
    }
}

/// What `to_json` gives.
pub(crate) fn generate(value: &V<'_>) -> OrRuby<String> {
    let mut out = String::new();
    put(&mut out, value, None, 0)?;
    Ok(out)
}

/// With a line for each item and entry.
fn pretty(value: &V<'_>) -> OrRuby<String> {
    let mut out = String::new();
    put(&mut out, value, Some(()), 0)?;
    Ok(out)
}

fn put(out: &mut String, value: &V<'_>, pretty: Option<()>, depth: usize) -> OrRuby<()> {
    budget::spend(1)?;
    if depth > DEEPEST || out.len() > LARGEST {
        return Err(ForRuby("JSON of a deep or large value"));
    }
    match value {
        V::Nil => out.push_str("null"),
        V::Bool(_) | V::Int(_) => text::put(out, value)?,
        V::Float(n) if n.is_finite() => text::put(out, value)?,
        V::Str(_) | V::Made(_) => json_string(out, &value.text().unwrap_or_default()),
        V::Symbol(name) => json_string(out, name),
        V::Array(_) | V::List(_) => {
            let items = value.items()?.unwrap_or_default();
            put_all(out, ('[', ']'), items.len(), pretty, depth, |out, at| {
                put(out, &items[at], pretty, depth + 1)
            })?;
        }
        V::Hash(_) | V::Map(_) => {
            let entries = value.entries()?.unwrap_or_default();
            put_all(out, ('\u{7b}', '\u{7d}'), entries.len(), pretty, depth, |out, at| {
                let (key, value) = &entries[at];
                json_string(out, &text::to_s(key)?);
                out.push_str(if pretty.is_some() { ": " } else { ":" });
                put(out, value, pretty, depth + 1)
            })?;
        }
        // Whatever has no form in JSON is written as its text.
        V::Regexp(_)
        | V::Other(
            Value::Regexp(_) | Value::Type(_) | Value::Sensitive(_) | Value::SemVer(_) | Value::Uri(_),
        ) => json_string(out, &text::to_s(value)?),
        _ => return Err(ForRuby("JSON of such a value")),
    }
    Ok(())
}

/// Items or entries between brackets.
fn put_all(
    out: &mut String,
    (open, close): (char, char),
    count: usize,
    pretty: Option<()>,
    depth: usize,
    mut put: impl FnMut(&mut String, usize) -> OrRuby<()>,
) -> OrRuby<()> {
    let line = |out: &mut String, depth: usize| {
        if pretty.is_some() && count > 0 {
            out.push('\n');
            out.push_str(&"  ".repeat(depth));
        }
    };
    if count == 0 && pretty.is_some() {
        return Err(ForRuby("pretty JSON of nothing, which versions of the library write each in its way"));
    }
    out.push(open);
    for at in 0..count {
        if at > 0 {
            out.push(',');
        }
        line(out, depth + 1);
        put(out, at)?;
    }
    line(out, depth);
    out.push(close);
    Ok(())
}

const DOUBTFUL: ForRuby = ForRuby("JSON of a form that is in doubt");

fn parse<'c>(run: &mut Run<'_, 'c>, source: &V<'c>, symbols: bool) -> Done<'c> {
    let text = &*source.text().unwrap_or_default();
    let mut reader = Reader { run, rest: text.trim_matches(is_space), symbols, is_none: false };
    match reader.value(0) {
        Ok(value) if reader.rest.is_empty() => Ok(value),
        Err(_) if reader.is_none => Err(Unwind::unsaid(Class::JsonParserError)),
        Ok(_) => Err(DOUBTFUL.into()),
        Err(stop) => Err(stop.into()),
    }
}

/// Whether a text that begins so is no value, by any reading of JSON: it has ended, or has a word that none knows.
fn is_no_value(text: &str) -> bool {
    const KNOWN: [&str; 5] = ["true", "false", "null", "NaN", "Infinity"];
    let word = text.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    text.is_empty() || !word.is_empty() && !KNOWN.contains(&word)
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

/// Reads values from the begin of what is left.
struct Reader<'r, 'e, 'c, 't> {
    run: &'r Run<'e, 'c>,
    rest: &'t str,
    symbols: bool,
    /// Whether what was met is no JSON beyond doubt.
    is_none: bool,
}

impl<'c> Reader<'_, '_, 'c, '_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start_matches(is_space);
    }

    /// Takes a text, where it stands next.
    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn value(&mut self, depth: usize) -> OrRuby<V<'c>> {
        budget::spend(1)?;
        if depth > DEEPEST {
            return Err(ForRuby("JSON that is deep"));
        }
        self.skip();
        if is_no_value(self.rest) {
            self.is_none = true;
            return Err(DOUBTFUL);
        }
        Ok(match self.rest.chars().next().ok_or(DOUBTFUL)? {
            '[' => self.array(depth)?,
            '\u{7b}' => self.hash(depth)?,
            '"' => V::made(self.string()?),
            '-' | '0'..='9' => self.number()?,
            _ if self.take("true") => V::Bool(true),
            _ if self.take("false") => V::Bool(false),
            _ if self.take("null") => V::Nil,
            _ => return Err(DOUBTFUL),
        })
    }

    fn array(&mut self, depth: usize) -> OrRuby<V<'c>> {
        self.take("[");
        let mut items = Vec::new();
        self.skip();
        if self.take("]") {
            return Ok(V::list(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip();
            if self.take("]") {
                return Ok(V::list(items));
            }
            if !self.take(",") {
                self.is_none = self.rest.is_empty();
                return Err(DOUBTFUL);
            }
        }
    }

    fn hash(&mut self, depth: usize) -> OrRuby<V<'c>> {
        self.rest = &self.rest[1..];
        let mut hash = HashValue::default();
        self.skip();
        if self.take("\u{7d}") {
            return Ok(V::hash(hash));
        }
        loop {
            self.skip();
            let key = self.string()?;
            let key = if self.symbols { self.run.symbol(&key) } else { V::made(key) };
            self.skip();
            if !self.take(":") {
                return Err(DOUBTFUL);
            }
            let value = self.value(depth + 1)?;
            hash.set(key, value)?;
            self.skip();
            if self.take("\u{7d}") {
                return Ok(V::hash(hash));
            }
            if !self.take(",") {
                self.is_none = self.rest.is_empty();
                return Err(DOUBTFUL);
            }
        }
    }

    fn number(&mut self) -> OrRuby<V<'c>> {
        let count = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let sign = usize::from(self.rest.starts_with('-'));
        let whole = count(&self.rest[sign..]);
        let mut end = sign + whole;
        if whole == 0 || (whole > 1 && self.rest[sign..].starts_with('0')) {
            return Err(DOUBTFUL);
        }
        if let Some(fraction) = self.rest[end..].strip_prefix('.') {
            end += 1 + Some(count(fraction)).filter(|digits| *digits > 0).ok_or(DOUBTFUL)?;
        }
        if let Some(exponent) = self.rest[end..].strip_prefix(['e', 'E']) {
            let sign = usize::from(exponent.starts_with(['-', '+']));
            end += 1 + sign + Some(count(&exponent[sign..])).filter(|digits| *digits > 0).ok_or(DOUBTFUL)?;
        }
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        match end == sign + whole {
            true => number.parse().map(V::Int).map_err(|_| DOUBTFUL),
            false => number.parse().ok().filter(|n: &f64| n.is_finite()).map(V::Float).ok_or(DOUBTFUL),
        }
    }

    fn string(&mut self) -> OrRuby<String> {
        let rest = self.rest.strip_prefix('"').ok_or(DOUBTFUL)?;
        let mut out = String::new();
        let mut chars = rest.chars();
        loop {
            match chars.next().ok_or(DOUBTFUL)? {
                '"' => break,
                '\\' => out.push(match chars.next().ok_or(DOUBTFUL)? {
                    c @ ('"' | '\\' | '/') => c,
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'b' => '\x08',
                    'f' => '\x0c',
                    'u' => {
                        let digits = chars.as_str().get(..4).ok_or(DOUBTFUL)?;
                        let code = u32::from_str_radix(digits, 16).map_err(|_| DOUBTFUL)?;
                        chars = chars.as_str()[4..].chars();
                        char::from_u32(code).filter(|c| *c != '\0').ok_or(DOUBTFUL)?
                    }
                    _ => return Err(DOUBTFUL),
                }),
                c if c < ' ' => return Err(DOUBTFUL),
                c => out.push(c),
            }
        }
        self.rest = chars.as_str();
        Ok(out)
    }
}
