//! YAML as Ruby's Psych writes it: block style, plain text where it reads back as text.

use super::anchors::{Anchor, Anchors};
use super::ruby::matches;
use bunraku_vm::budget;
use bunraku_vm::format::float_to_s;
use bunraku_vm::value::{Hash, Str, Value};
use bunraku_vm::vm::Vm;

/// The columns after which libyaml breaks lines.
const WIDTH: usize = 80;

/// A value as a YAML document.
///
/// None where only Psych can: for values that are objects of Ruby to it, long keys, and options that are not known. Of the
/// strings `is_symbol` says which are symbols, written with their colon.
pub(super) fn dump<'c>(
    vm: &Vm<'c>,
    value: Value<'c>,
    options: Option<Hash<'c>>,
    is_symbol: &dyn Fn(Str<'c>) -> bool,
) -> Option<String> {
    let anchors = Anchors::of(value);
    let mut writer =
        Writer { vm, is_symbol, anchors, indent: 2, width: WIDTH, longest: usize::MAX, out: String::new() };
    for (name, option) in options.map_or(&[][..], |options| options.entries()) {
        match (name.as_str(), option) {
            (Some("indentation"), Value::Int(n)) => {
                writer.indent = usize::try_from(*n).ok().filter(|n| (2..10).contains(n)).unwrap_or(2);
            }
            (Some("line_width"), Value::Int(-1)) => writer.width = usize::MAX,
            (Some("line_width"), Value::Int(n)) => {
                writer.longest = usize::try_from(*n).ok()?;
                writer.width = usize::try_from(*n).ok().filter(|n| *n > 2 * writer.indent).unwrap_or(WIDTH);
            }
            _ => return None,
        }
    }
    writer.out.push_str("---");
    match value {
        Value::Array(items) if !items.is_empty() => {
            writer.out.push('\n');
            writer.list(&items, 0)?;
        }
        Value::Hash(hash) if !hash.is_empty() => {
            writer.out.push('\n');
            writer.map(hash, 0)?;
        }
        other => {
            writer.out.push(' ');
            writer.scalar(other, 0, Stands::AsValue)?;
            writer.out.push('\n');
        }
    }
    Some(writer.out)
}

/// What an anchor or alias leaves to be written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Anchored {
    /// There is none: everything.
    Without,
    /// The value behind its anchor.
    Here,
    /// Nothing.
    Done,
}

/// Where a scalar stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stands {
    AsKey,
    AsValue,
}

struct Writer<'a, 'c> {
    vm: &'a Vm<'c>,
    is_symbol: &'a dyn Fn(Str<'c>) -> bool,
    anchors: Anchors,
    indent: usize,
    width: usize,
    /// Longer texts are folded, if the code has said where.
    longest: usize,
    out: String,
}

impl<'c> Writer<'_, 'c> {
    fn pad(&mut self, column: usize) {
        self.out.extend(std::iter::repeat_n(' ', column));
    }

    /// Writes the anchor of an array or hash that stands there again later, or the alias of one that stands there already.
    fn anchor(&mut self, value: Value<'c>) -> Anchored {
        match self.anchors.next(value) {
            None => Anchored::Without,
            Some(Anchor::Here(number)) => {
                self.out.push_str(&format!(" &{number}"));
                Anchored::Here
            }
            Some(Anchor::Alias(number)) => {
                self.out.push_str(&format!(" *{number}\n"));
                Anchored::Done
            }
        }
    }

    fn list(&mut self, items: &[Value<'c>], column: usize) -> Option<()> {
        budget::room(2 * self.out.len());
        budget::within(items.len(), || {
            for (n, item) in items.iter().enumerate() {
                // The first item of a list in a list stands behind the dash.
                if n > 0 || !self.out.ends_with('-') && !self.out.ends_with(' ') {
                    self.pad(column);
                }
                self.out.push('-');
                let inner = column + self.indent;
                let anchored = self.anchor(*item);
                if anchored == Anchored::Done {
                    continue;
                }
                // Its first line stands behind the dash, unless its anchor does.
                let begin = |writer: &mut Self| match anchored {
                    Anchored::Here => writer.out.push('\n'),
                    _ => writer.pad(writer.indent - 1),
                };
                match item {
                    Value::Array(items) if !items.is_empty() => {
                        begin(self);
                        self.list(items, inner)?;
                    }
                    Value::Hash(hash) if !hash.is_empty() => {
                        begin(self);
                        self.map(*hash, inner)?;
                    }
                    other => {
                        self.out.push(' ');
                        self.scalar(*other, inner, Stands::AsValue)?;
                        self.out.push('\n');
                    }
                }
            }
            Some(())
        })
    }

    fn map(&mut self, hash: Hash<'c>, column: usize) -> Option<()> {
        budget::room(2 * self.out.len());
        budget::within(hash.len(), || {
            for (n, (key, value)) in hash.entries().iter().enumerate() {
                if n > 0 || self.out.ends_with('\n') {
                    self.pad(column);
                }
                // A key that is long or takes several lines would need another form.
                let is_simple = match key {
                    Value::Array(_) | Value::Hash(_) => false,
                    Value::Str(text) => !text.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']),
                    _ => true,
                };
                if !is_simple {
                    return None;
                }
                let start = self.out.len();
                self.scalar(*key, column, Stands::AsKey)?;
                if self.out[start..].contains('\n') || self.out[start..].len() > 128 {
                    return None;
                }
                self.out.push(':');
                if self.anchor(*value) == Anchored::Done {
                    continue;
                }
                match value {
                    Value::Array(items) if !items.is_empty() => {
                        self.out.push('\n');
                        self.list(items, column)?;
                    }
                    Value::Hash(hash) if !hash.is_empty() => {
                        self.out.push('\n');
                        self.map(*hash, column + self.indent)?;
                    }
                    // Nothing at all stands for nothing.
                    Value::Undef => self.out.push('\n'),
                    other => {
                        self.out.push(' ');
                        self.scalar(*other, column + self.indent, Stands::AsValue)?;
                        self.out.push('\n');
                    }
                }
            }
            Some(())
        })
    }

    /// Writes something that is no filled collection; lines of it that follow stand at `column`.
    fn scalar(&mut self, value: Value<'c>, column: usize, stands: Stands) -> Option<()> {
        match value {
            Value::Undef => {
                // libyaml writes no space in front of nothing.
                if self.out.ends_with(' ') {
                    self.out.pop();
                }
                if stands == Stands::AsKey {
                    self.out.push_str("''");
                }
            }
            Value::Bool(b) => self.out.push_str(if b { "true" } else { "false" }),
            Value::Int(n) => self.out.push_str(&n.to_string()),
            Value::Float(f) if f.is_nan() => self.out.push_str(".nan"),
            Value::Float(f) if f.is_infinite() => self.out.push_str(if f > 0.0 { ".inf" } else { "-.inf" }),
            Value::Float(f) => self.out.push_str(&float_to_s(f)),
            Value::Default => self.out.push_str(":default"),
            Value::Array(_) => self.out.push_str("[]"),
            Value::Hash(_) => self.out.push_str("{}"),
            Value::Str(text) if (self.is_symbol)(text) => {
                if has_special(&text) || text.contains('\n') || text.len() < 2 {
                    return None;
                }
                // Psych asks for plain text, and libyaml tags what it quotes all the same.
                match is_plain_safe(&text) {
                    true => self.folded(&text, column),
                    false => self.folded(&format!("! '{}'", text.replace('\'', "''")), column),
                }
            }
            // Folded texts (`>-`) are left to Psych.
            Value::Str(text) if text.chars().count() > self.longest => return None,
            Value::Str(text) => self.text(&text, column, stands),
            _ => return None,
        }
        Some(())
    }

    fn text(&mut self, text: &str, column: usize, stands: Stands) {
        // `/\n(?!\Z)/`
        let has_lines = text.match_indices('\n').any(|(at, _)| !matches!(&text[at + 1..], "" | "\n"));
        if has_lines
            && stands == Stands::AsValue
            && !has_special(text)
            && !matches(r"\A[ \n]", text)
            && !matches(r" \n|\s\z(?<!\n)", text)
        {
            return self.literal(text, column);
        }
        let double = text == "y"
            || text == "n"
            || has_special(text)
            || matches(r#"^[^[:word:]][^"]*$"#, text) && text != "<<" && !text.is_empty();
        // One line with its end can stand between single quotes; its end is an empty line there.
        let line = text.strip_suffix('\n').filter(|line| !line.contains('\n') && !line.ends_with(' '));
        if let Some(line) = line.filter(|_| !double && stands == Stands::AsValue) {
            self.folded(&format!("'{}", line.replace('\'', "''")), column);
            self.out.push_str("\n\n");
            self.pad(column.max(self.indent));
            self.out.push('\'');
            return;
        }
        if double || text.contains('\n') {
            return self.double(text, column);
        }
        let single = text.is_empty()
            || text == "<<"
            || !self.vm.host.is_plain_yaml_text(text)
            // `/\A0[0-7]*[89]/`
            || text.starts_with('0')
                && text.trim_start_matches(|c| matches!(c, '0'..='7')).starts_with(['8', '9'])
            || !is_plain_safe(text);
        if single {
            let quoted = format!("'{}'", text.replace('\'', "''"));
            return self.folded(&quoted, column);
        }
        self.folded(text, column);
    }

    /// `|` with the lines below it.
    fn literal(&mut self, text: &str, column: usize) {
        let body = text.trim_end_matches('\n');
        let after = text.len() - body.len();
        self.out.push_str(match after {
            0 => "|-",
            1 => "|",
            _ => "|+",
        });
        for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
            self.out.push('\n');
            if !line.is_empty() {
                self.pad(column.max(self.indent));
                self.out.push_str(line);
            }
        }
    }

    /// Text on one line, broken at spaces where it grows too wide.
    fn folded(&mut self, text: &str, column: usize) {
        let line_start = self.out.rfind('\n').map_or(0, |at| at + 1);
        let mut at = self.out[line_start..].chars().count();
        let chars: Vec<char> = text.chars().collect();
        let mut space_before = false;
        for (n, c) in chars.iter().enumerate() {
            let alone = *c == ' ' && chars.get(n + 1).is_some_and(|next| *next != ' ');
            if alone && !space_before && at > self.width && n > 0 && n + 1 < chars.len() {
                self.out.push('\n');
                self.pad(column.max(self.indent));
                at = column.max(self.indent);
                space_before = true;
                continue;
            }
            space_before = *c == ' ';
            self.out.push(*c);
            at += 1;
        }
    }

    fn double(&mut self, text: &str, column: usize) {
        let line_start = self.out.rfind('\n').map_or(0, |at| at + 1);
        let mut at = self.out[line_start..].chars().count() + 1;
        self.out.push('"');
        let chars: Vec<char> = text.chars().collect();
        let mut space_before = false;
        for (n, c) in chars.iter().enumerate() {
            let before = self.out.len();
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\t' => self.out.push_str("\\t"),
                '\r' => self.out.push_str("\\r"),
                '\0' => self.out.push_str("\\0"),
                '\x07' => self.out.push_str("\\a"),
                '\x08' => self.out.push_str("\\b"),
                '\x0b' => self.out.push_str("\\v"),
                '\x0c' => self.out.push_str("\\f"),
                '\x1b' => self.out.push_str("\\e"),
                '\u{85}' => self.out.push_str("\\N"),
                '\u{2028}' => self.out.push_str("\\L"),
                '\u{2029}' => self.out.push_str("\\P"),
                '\u{feff}' => self.out.push_str("\\uFEFF"),
                '\u{fffe}' | '\u{ffff}' => self.out.push_str(&format!("\\u{:04X}", *c as u32)),
                '\u{10000}'.. => self.out.push_str(&format!("\\U{:08X}", *c as u32)),
                c if (*c as u32) < 0x20 || (0x7f..0xa0).contains(&(*c as u32)) => {
                    self.out.push_str(&format!("\\x{:02X}", *c as u32));
                }
                ' ' if !space_before && at > self.width && n > 0 && n + 1 < chars.len() => {
                    self.out.push('\n');
                    self.pad(column.max(self.indent));
                    if chars[n + 1] == ' ' {
                        self.out.push('\\');
                    }
                    at = column.max(self.indent);
                    space_before = true;
                    continue;
                }
                c => self.out.push(*c),
            }
            space_before = *c == ' ';
            at += self.out[before..].chars().count();
        }
        self.out.push('"');
    }
}

/// Whether a text has characters that only double quotes can show.
fn has_special(text: &str) -> bool {
    text.chars().any(|c| {
        let code = c as u32;
        (code < 0x20 && c != '\n')
            || (0x7f..0xa0).contains(&code)
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' | '\u{10000}'..)
    })
}

/// Whether libyaml takes a text for a plain scalar in block context.
fn is_plain_safe(text: &str) -> bool {
    if text.starts_with(' ') || text.ends_with(' ') || text.starts_with("---") || text.starts_with("...") {
        return false;
    }
    let chars: Vec<char> = text.chars().collect();
    let follows_space = |n: usize| chars.get(n + 1).is_none_or(|c| c.is_whitespace());
    chars.iter().enumerate().all(|(n, c)| match (n, c) {
        (
            0,
            '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`',
        ) => false,
        (0, '-' | '?' | ':') => !follows_space(0),
        (_, ':') => !follows_space(n),
        (_, '#') => !chars[n - 1].is_whitespace(),
        _ => true,
    })
}
