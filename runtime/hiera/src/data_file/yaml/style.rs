//! Which style a scalar gets in YAML: what Psych asks for, and what libyaml makes of that.

use super::scalar;
use crate::data_file::data::Data;
use bunraku_vm::format::float_to_s;
use bunraku_vm::regex;

/// Where a node stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NodePosition {
    /// At the top.
    Root,
    /// In a list.
    Item,
    /// As the key of a pair.
    Key,
    /// As the value of a pair.
    Value,
}

/// How a scalar is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Without quotes.
    Plain,
    /// In single quotes.
    Single,
    /// In double quotes, with escapes.
    Double,
    /// As a block, behind `|`.
    Literal,
}

/// What says what a scalar is, where it does not show.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// Nothing: it is text, however it is written.
    Never,
    /// The tag of no meaning, where it is quoted: it is no text then.
    IfQuoted,
    /// That of text.
    Text,
    /// That of a regular expression.
    Pattern,
}

impl Tag {
    /// The tag as it is written in front of a scalar of a style.
    pub fn written(self, style: Style) -> Option<&'static str> {
        match self {
            Tag::Never => None,
            Tag::IfQuoted => (style != Style::Plain).then_some("!"),
            Tag::Text => Some("!!str"),
            Tag::Pattern => Some("!ruby/regexp"),
        }
    }
}

/// A scalar as Psych asks for it.
pub(super) struct Scalar {
    pub text: String,
    pub style: Style,
    pub tag: Tag,
}

/// The text of a scalar, and the style and tag that Psych asks for.
pub(super) fn scalar_of(data: &Data) -> Scalar {
    let text = match data {
        Data::Bool(b) => b.to_string(),
        Data::Int(n) => n.to_string(),
        Data::Float(f) if f.is_nan() => ".nan".to_owned(),
        Data::Float(f) if f.is_infinite() => (if *f > 0.0 { ".inf" } else { "-.inf" }).to_owned(),
        Data::Float(f) => float_to_s(*f),
        Data::Symbol(text) => format!(":{text}"),
        Data::Pattern(source) => {
            return Scalar { text: regex::inspect(source), style: Style::Plain, tag: Tag::Pattern };
        }
        Data::Text(text) => {
            // Without its tag it would merge what is behind it, quoted, too.
            let tag = if text == "<<" { Tag::Text } else { Tag::Never };
            return Scalar { text: text.clone(), style: style_of(text), tag };
        }
        Data::Null | Data::List(_) | Data::Map(_) | Data::Object(..) | Data::Instance(..) => String::new(),
    };
    Scalar { text, style: Style::Plain, tag: Tag::IfQuoted }
}

/// The style that Psych asks for.
fn style_of(text: &str) -> Style {
    // `/\n(?!\Z)/`
    if text.match_indices('\n').any(|(at, _)| !matches!(&text[at + 1..], "" | "\n")) {
        return Style::Literal;
    }
    if text == "<<" {
        return Style::Single;
    }
    if matches!(text, "y" | "n") {
        return Style::Double;
    }
    if has_line_like_sign(text) {
        return Style::Double;
    }
    let octal_like = text.strip_prefix('0').is_some_and(|rest| {
        rest.trim_start_matches(|c: char| ('0'..='7').contains(&c)).starts_with(['8', '9'])
    });
    if octal_like || !matches!(scalar::scan(text), Ok(Data::Text(_))) { Style::Single } else { Style::Plain }
}

/// `/^[^[:word:]][^"]*$/`, in which a line's end may be the first character: an empty line before the last one.
fn has_line_like_sign(text: &str) -> bool {
    let begins = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    begins.filter_map(|at| text.get(at..)).any(|line| {
        let mut chars = line.chars();
        let is_sign = chars.next().is_some_and(|c| !c.is_alphanumeric() && c != '_');
        is_sign && !chars.as_str().split('\n').next().unwrap_or_default().contains('"')
    })
}

/// The style that can hold the text.
pub(super) fn settle(mut style: Style, text: &str, allowed: &Allowed, position: NodePosition) -> Style {
    let is_key = position == NodePosition::Key;
    if is_key && allowed.multiline {
        style = Style::Double;
    }
    if style == Style::Plain && (!allowed.plain || (text.is_empty() && is_key)) {
        style = Style::Single;
    }
    if style == Style::Single && !allowed.single {
        style = Style::Double;
    }
    if style == Style::Literal && (!allowed.block || is_key) {
        style = Style::Double;
    }
    style
}

/// Whether a character ends a line.
pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_blank_or_end(c: Option<char>) -> bool {
    c.is_none_or(|c| c == ' ' || c == '\t' || c == '\0' || is_break(c))
}

fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}') && c != '\u{feff}'
}

/// What stands for a character between double quotes, if it can't stand there itself.
pub(super) fn escape(c: char) -> Option<String> {
    let short = match c {
        '\0' => "\\0",
        '\x07' => "\\a",
        '\x08' => "\\b",
        '\t' => "\\t",
        '\n' => "\\n",
        '\x0b' => "\\v",
        '\x0c' => "\\f",
        '\r' => "\\r",
        '\x1b' => "\\e",
        '"' => "\\\"",
        '\\' => "\\\\",
        '\u{85}' => "\\N",
        '\u{2028}' => "\\L",
        '\u{2029}' => "\\P",
        c if is_printable(c) => return None,
        c if (c as u32) < 0x100 => return Some(format!("\\x{:02X}", c as u32)),
        c if (c as u32) < 0x1_0000 => return Some(format!("\\u{:04X}", c as u32)),
        c => return Some(format!("\\U{:08X}", c as u32)),
    };
    Some(short.to_owned())
}

/// What libyaml finds out about a text before it settles on a style.
pub(super) struct Allowed {
    /// Whether it has several lines.
    pub multiline: bool,
    /// Whether it may stand without quotes.
    pub plain: bool,
    /// Whether it may stand in single quotes.
    pub single: bool,
    /// Whether it may stand as a block.
    pub block: bool,
}

impl Allowed {
    /// What can be said of a text.
    pub fn of(text: &str) -> Allowed {
        if text.is_empty() {
            return Allowed { multiline: false, plain: true, single: true, block: false };
        }
        let chars: Vec<char> = text.chars().collect();
        let mut indicators = text.starts_with("---") || text.starts_with("...");
        let (mut breaks, mut special, mut break_space, mut space_break) = (false, false, false, false);
        let (mut after_space, mut after_break) = (false, false);
        for (n, c) in chars.iter().enumerate() {
            let before = n == 0 || is_blank_or_end(Some(chars[n - 1]));
            let behind = is_blank_or_end(chars.get(n + 1).copied());
            indicators |= match c {
                '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@'
                | '`'
                    if n == 0 =>
                {
                    true
                }
                '?' | '-' if n == 0 => behind,
                ':' => behind,
                '#' => before,
                _ => false,
            };
            special |= !is_printable(*c);
            breaks |= is_break(*c);
            if *c == ' ' {
                break_space |= after_break;
                (after_space, after_break) = (true, false);
            } else if is_break(*c) {
                space_break |= after_space;
                (after_space, after_break) = (false, true);
            } else {
                (after_space, after_break) = (false, false);
            }
        }
        let edge = |c: Option<&char>| c.is_some_and(|c| *c == ' ' || is_break(*c));
        let edges = edge(chars.first()) || edge(chars.last());
        let odd = space_break || special;
        Allowed {
            multiline: breaks,
            plain: !(indicators || breaks || edges || break_space || odd),
            single: !(break_space || odd),
            block: !(odd || chars.last() == Some(&' ')),
        }
    }
}
