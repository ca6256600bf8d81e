//! Literals as Puppet's evaluator of them sees them: keys of hashes, which may not be there twice, and types of parameters.

use super::definition::SMALL;
use super::{Checker, Strict};
use crate::ast::{Expr, ExprKind, HashEntry, Param, Part, UnaryOp};
use bunraku_vm::compat::Rule;
use hashbrown::HashSet;
use std::borrow::Cow;
use std::fmt::Write;

impl<'a> Checker<'_, '_> {
    /// Literal keys are all different.
    pub(super) fn unique_keys(&mut self, entries: &[HashEntry<'a>]) {
        if self.options.strict == Strict::Off || entries.len() < 2 {
            return;
        }
        let mut seen: Vec<Key<'a>> = Vec::new();
        let mut index: HashSet<Key<'a>> = HashSet::new();
        for entry in entries {
            let Some(key) = self.literals().key(&entry.key) else { continue };
            let new = if entries.len() > SMALL {
                index.insert(key.clone())
            } else {
                let new = !seen.contains(&key);
                seen.push(key.clone());
                new
            };
            if !new {
                let message = format!("The key '{}' is declared more than once", key.shown());
                match self.options.strict {
                    Strict::Error => self.report.error("DUPLICATE_KEY", entry.span, message),
                    _ => self.report.warning("DUPLICATE_KEY", entry.span, message),
                }
            }
        }
    }

    /// Types of a class's parameters are to be literal, since 8.
    pub(super) fn literal_types(&mut self, params: &[Param<'a>]) {
        if !self.options.compat.holds(Rule::ComputedParameterTypesWarn) {
            return;
        }
        for param in params {
            let Some(ty) = param.type_expr else { continue };
            if self.literals().key(ty).is_none() {
                let message = format!(
                    "The parameter '${}' must be a literal type, not a Puppet::Pops::Model::AccessExpression",
                    param.name
                );
                self.report.warning(DEPRECATED_TYPE, param.span, message);
            }
        }
    }

    fn literals(&self) -> Literals {
        Literals { types_and_signs: self.options.compat.holds(Rule::DuplicateKeysOfAnyKind) }
    }
}

/// The code of a type that has to be computed: a warning of what is deprecated, of which Puppet shows `max_deprecations`.
pub const DEPRECATED_TYPE: &str = "ILLEGAL_NONLITERAL_PARAMETER_TYPE";

/// What counts as a literal.
#[derive(Clone, Copy)]
struct Literals {
    /// Whether names of types do, `x[…]` and a minus before a literal.
    types_and_signs: bool,
}

/// The value of a literal key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key<'a> {
    /// A string, or a bare word.
    Text(Cow<'a, str>),
    /// Anything else, as Ruby's `inspect` shows it.
    Other(String),
}

impl Key<'_> {
    /// As the message shows it.
    fn shown(&self) -> Cow<'_, str> {
        match self {
            Key::Text(text) => Cow::Borrowed(text),
            Key::Other(value) => match value.as_str() {
                "nil" => "".into(),
                ":default" => "default".into(),
                regex if regex.starts_with('/') => format!("(?-mix:{})", &regex[1..regex.len() - 1]).into(),
                other => other.into(),
            },
        }
    }
}

impl Literals {
    /// The value of an expression that is a literal.
    fn key<'a>(self, expr: &Expr<'a>) -> Option<Key<'a>> {
        match expr.kind {
            ExprKind::Str(text) | ExprKind::Name(text) | ExprKind::RenderText(text) => {
                Some(Key::Text(text.into()))
            }
            ExprKind::Concat([Part::Text(text, _)]) => Some(Key::Text((*text).into())),
            ExprKind::TypeName(name) if self.types_and_signs => Some(Key::Text(name.to_lowercase().into())),
            // Ruby's `-` of a text is the text.
            ExprKind::Unary { op: UnaryOp::Minus, expr } if self.types_and_signs => match self.key(expr)? {
                Key::Text(text) => Some(Key::Text(text)),
                Key::Other(_) => Some(Key::Other(number(expr)?.negated().shown())),
            },
            _ => {
                let mut shown = String::new();
                self.inspect(expr, &mut shown)?;
                Some(Key::Other(shown))
            }
        }
    }

    /// Writes a literal as Ruby's `inspect` does; none if it is no literal.
    fn inspect(self, expr: &Expr<'_>, out: &mut String) -> Option<()> {
        match expr.kind {
            ExprKind::Int { value, .. } => write!(out, "{value}").ok()?,
            ExprKind::IntOverflow(text) => out.push_str(text),
            ExprKind::Float(value) => write!(out, "{value:?}").ok()?,
            ExprKind::Bool(value) => write!(out, "{value}").ok()?,
            ExprKind::Undef => out.push_str("nil"),
            ExprKind::Default => out.push_str(":default"),
            ExprKind::Regex(source) => write!(out, "/{}/", source.replace('/', "\\/")).ok()?,
            ExprKind::Array(values) => self.inspect_list(values, out)?,
            // What is accessed counts for nothing, and a list alone is taken for a mistake.
            ExprKind::Access { keys: [Expr { kind: ExprKind::Array(_), .. }], .. } => return None,
            ExprKind::Access { keys, .. } if self.types_and_signs => self.inspect_list(keys, out)?,
            ExprKind::Hash(entries) => {
                out.push('{');
                for (at, entry) in entries.iter().enumerate() {
                    out.push_str(if at > 0 { ", " } else { "" });
                    self.inspect(&entry.key, out)?;
                    out.push_str("=>");
                    self.inspect(&entry.value, out)?;
                }
                out.push('}');
            }
            // A private word is a word like any other to the evaluator of literals, but no literal of this rule.
            ExprKind::Str(_)
            | ExprKind::Name(_)
            | ExprKind::RenderText(_)
            | ExprKind::Concat(_)
            | ExprKind::TypeName(_)
            | ExprKind::Unary { op: UnaryOp::Minus, .. } => self.inspect_word(expr, out)?,
            _ => return None,
        }
        Some(())
    }

    fn inspect_list(self, values: &[Expr<'_>], out: &mut String) -> Option<()> {
        out.push('[');
        for (at, value) in values.iter().enumerate() {
            out.push_str(if at > 0 { ", " } else { "" });
            self.inspect(value, out)?;
        }
        out.push(']');
        Some(())
    }

    /// What [`Literals::key`] knows itself; none where it does not.
    fn inspect_word(self, expr: &Expr<'_>, out: &mut String) -> Option<()> {
        let is_one = match expr.kind {
            ExprKind::Concat(parts) => matches!(parts, [Part::Text(..)]),
            ExprKind::TypeName(_) | ExprKind::Unary { .. } => self.types_and_signs,
            _ => true,
        };
        match is_one.then(|| self.key(expr)).flatten()? {
            Key::Text(text) => write!(out, "{text:?}").ok(),
            Key::Other(shown) => {
                out.push_str(&shown);
                Some(())
            }
        }
    }
}

/// A number as a literal has it.
enum Number {
    Int(String),
    Float(f64),
}

impl Number {
    fn negated(self) -> Number {
        match self {
            Number::Int(digits) if digits == "0" => Number::Int(digits),
            Number::Int(digits) => Number::Int(match digits.strip_prefix('-') {
                Some(positive) => positive.to_owned(),
                None => format!("-{digits}"),
            }),
            Number::Float(value) => Number::Float(-value),
        }
    }

    /// As Ruby shows it. The two zeros of floats are one key.
    fn shown(&self) -> String {
        match self {
            Number::Int(digits) => digits.clone(),
            Number::Float(value) if *value == 0.0 => "0.0".to_owned(),
            Number::Float(value) => format!("{value:?}"),
        }
    }
}

/// The number that a literal is; none for what is no number.
fn number(expr: &Expr<'_>) -> Option<Number> {
    match expr.kind {
        ExprKind::Int { value, .. } => Some(Number::Int(value.to_string())),
        ExprKind::IntOverflow(text) => Some(Number::Int(text.to_owned())),
        ExprKind::Float(value) => Some(Number::Float(value)),
        ExprKind::Unary { op: UnaryOp::Minus, expr } => Some(number(expr)?.negated()),
        _ => None,
    }
}
