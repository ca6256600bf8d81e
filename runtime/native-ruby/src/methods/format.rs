//! `format`, `sprintf` and `%`: what stands behind a percent sign is read here, numbers are written by the machine's own
//! `sprintf`.

use super::string_numbers::{strict_float, strict_integer};
use super::string_patterns::sized;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::value::{V, text};
use bunraku_vm::format::sprintf;
use bunraku_vm::value::Value;

const OTHER: ForRuby = ForRuby("a format of that form");

/// Formats values by a format.
pub(crate) fn format(format: &str, args: &[V<'_>]) -> OrRuby<String> {
    let mut state = Format { rest: format, args, next: 0, chosen: None, out: String::new() };
    while let Some(at) = state.rest.find('%') {
        state.out.push_str(&state.rest[..at]);
        state.rest = &state.rest[at + 1..];
        state.directive()?;
        sized(state.out.len())?;
    }
    state.out.push_str(state.rest);
    Ok(state.out)
}

struct Format<'f, 'c> {
    rest: &'f str,
    args: &'f [V<'c>],
    next: usize,
    /// How arguments are chosen: one way for all of a format.
    chosen: Option<Choice>,
    out: String,
}

/// How an argument is chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Next,
    Place,
    Name,
}

/// What stands between the percent sign and the letter.
#[derive(Default)]
struct Directive {
    flags: String,
    width: Option<usize>,
    precision: Option<usize>,
}

/// A width or precision that is given as an argument: one below nought is to the left.
fn sized_by(value: V<'_>, directive: &mut Directive) -> OrRuby<usize> {
    let V::Int(size) = value else { return Err(OTHER) };
    if size < 0 {
        directive.flags.push('-');
    }
    Ok(size.unsigned_abs() as usize)
}

impl<'c> Format<'_, 'c> {
    /// Chooses an argument one way; Ruby says what is wrong where another one was chosen otherwise.
    fn choose(&mut self, choice: Choice) -> OrRuby<()> {
        match self.chosen.replace(choice) {
            Some(before) if before != choice => Err(OTHER),
            _ => Ok(()),
        }
    }

    fn take(&mut self) -> OrRuby<V<'c>> {
        self.choose(Choice::Next)?;
        self.next += 1;
        self.args.get(self.next - 1).cloned().ok_or(OTHER)
    }

    fn flags(&mut self, directive: &mut Directive) {
        let rest = self.rest.trim_start_matches(['-', '+', ' ', '0', '#']);
        directive.flags.push_str(&self.rest[..self.rest.len() - rest.len()]);
        self.rest = rest;
    }

    /// Digits, if there are any.
    fn number(&mut self) -> OrRuby<Option<usize>> {
        let count = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at(count);
        self.rest = rest;
        match digits {
            "" => Ok(None),
            digits => digits.parse().map(Some).map_err(|_| OTHER),
        }
    }

    /// A width or precision: digits, or `*` for the next argument.
    fn size(&mut self, directive: &mut Directive) -> OrRuby<Option<usize>> {
        let Some(rest) = self.rest.strip_prefix('*') else { return self.number() };
        self.rest = rest;
        sized_by(self.take()?, directive).map(Some)
    }

    /// The argument at a place, from 1.
    fn at(&mut self, place: usize) -> OrRuby<V<'c>> {
        self.choose(Choice::Place)?;
        place.checked_sub(1).and_then(|place| self.args.get(place)).cloned().ok_or(OTHER)
    }

    /// The value that a name stands for.
    fn named(&mut self, close: char) -> OrRuby<V<'c>> {
        self.choose(Choice::Name)?;
        let (name, rest) = self.rest[1..].split_once(close).ok_or(OTHER)?;
        self.rest = rest;
        let [hash @ (V::Hash(_) | V::Map(_))] = self.args else { return Err(OTHER) };
        for (key, value) in hash.entries()?.unwrap_or_default() {
            if matches!(key, V::Symbol(known) if known == name) {
                return Ok(value);
            }
        }
        Err(OTHER)
    }

    fn directive(&mut self) -> OrRuby<()> {
        let mut directive = Directive::default();
        self.flags(&mut directive);
        let mut value = None;
        if self.rest.starts_with('<') {
            value = Some(self.named('>')?);
            self.flags(&mut directive);
        }
        directive.width = self.size(&mut directive)?;
        if let (Some(rest), Some(place)) = (self.rest.strip_prefix('$'), directive.width) {
            self.rest = rest;
            value = Some(self.at(place)?);
            self.flags(&mut directive);
            directive.width = match self.rest.strip_prefix('*') {
                None => self.number()?,
                Some(rest) => {
                    self.rest = rest;
                    let place = self.number()?.ok_or(OTHER)?;
                    self.rest = self.rest.strip_prefix('$').ok_or(OTHER)?;
                    Some(sized_by(self.at(place)?, &mut directive)?)
                }
            };
        }
        if let Some(rest) = self.rest.strip_prefix('.') {
            self.rest = rest;
            directive.precision = Some(self.size(&mut directive)?.unwrap_or(0));
        }
        if self.rest.starts_with('<') && value.is_none() {
            value = Some(self.named('>')?);
        }
        self.convert(&directive, value)
    }

    fn convert(&mut self, directive: &Directive, value: Option<V<'c>>) -> OrRuby<()> {
        let plain = directive.flags.is_empty() && directive.width.is_none() && directive.precision.is_none();
        let letter = self.rest.chars().next().ok_or(OTHER)?;
        if letter == '\u{7b}' {
            let value = self.named('\u{7d}')?;
            return self.put(directive, &text::to_s(&value)?);
        }
        self.rest = &self.rest[letter.len_utf8()..];
        if letter == '%' && plain && value.is_none() {
            self.out.push('%');
            return Ok(());
        }
        let value = match value {
            Some(value) => value,
            None => self.take()?,
        };
        match letter {
            's' => self.put(directive, &text::to_s(&value)?),
            'p' => self.put(directive, &text::inspected(&value)?),
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'b' | 'B' | 'f' | 'e' | 'E' | 'g' | 'G' | 'c' => {
                let number = numeric(directive, letter, &value)?;
                self.out.push_str(&number);
                Ok(())
            }
            _ => Err(OTHER),
        }
    }

    /// Puts a text out in its width.
    fn put(&mut self, directive: &Directive, text: &str) -> OrRuby<()> {
        if directive.flags.contains(['+', ' ', '#', '0']) {
            return Err(OTHER);
        }
        let most = directive.precision.unwrap_or(usize::MAX);
        let text: String = text.chars().take(most).collect();
        let width = directive.width.unwrap_or(0);
        sized(width)?;
        let padding = " ".repeat(width.saturating_sub(text.chars().count()));
        match directive.flags.contains('-') {
            true => self.out.extend([text.as_str(), &padding]),
            false => self.out.extend([padding.as_str(), &text]),
        }
        Ok(())
    }
}

/// A number as the machine writes it.
fn numeric(directive: &Directive, letter: char, value: &V<'_>) -> OrRuby<String> {
    let mut format = format!("%{}", directive.flags);
    if let Some(width) = directive.width {
        sized(width)?;
        format.push_str(&width.to_string());
    }
    if let Some(precision) = directive.precision {
        sized(precision)?;
        format.push_str(&format!(".{precision}"));
    }
    format.push(letter);
    let text = value.text();
    let value = match (value, text) {
        (V::Int(n), _) => Value::Int(*n),
        (V::Float(n), _) if n.is_finite() => Value::Float(*n),
        (_, Some(text)) if "feEgG".contains(letter) => Value::Float(strict_float(&text).map_err(|_| OTHER)?),
        (_, Some(text)) if letter != 'c' => Value::Int(strict_integer(&text, None).map_err(|_| OTHER)?),
        _ => return Err(OTHER),
    };
    sprintf(&format, &[value]).map_err(|_| OTHER)
}
