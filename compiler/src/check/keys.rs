//! Duplicate keys of literal hashes.

use super::definition::SMALL;
use super::{Checker, Strict};
use crate::ast::{Expr, ExprKind, HashEntry, Part};
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
            let Some(key) = key(&entry.key) else { continue };
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
}

/// The value of a literal key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key<'a> {
    /// A string, or a bare word.
    Text(&'a str),
    /// Anything else, as Ruby's `inspect` shows it.
    Other(String),
}

impl Key<'_> {
    /// As the message shows it.
    fn shown(&self) -> Cow<'_, str> {
        match self {
            Key::Text(text) => (*text).into(),
            Key::Other(value) => match value.as_str() {
                "nil" => "".into(),
                ":default" => "default".into(),
                regex if regex.starts_with('/') => format!("(?-mix:{})", &regex[1..regex.len() - 1]).into(),
                other => other.into(),
            },
        }
    }
}

fn key<'a>(expr: &Expr<'a>) -> Option<Key<'a>> {
    match expr.kind {
        ExprKind::Str(text) | ExprKind::Name(text) | ExprKind::RenderText(text) => Some(Key::Text(text)),
        ExprKind::Concat([Part::Text(text, _)]) => Some(Key::Text(text)),
        _ => {
            let mut shown = String::new();
            inspect(expr, &mut shown)?;
            Some(Key::Other(shown))
        }
    }
}

/// Writes a literal as Ruby's `inspect` does; none if it is no literal.
fn inspect(expr: &Expr<'_>, out: &mut String) -> Option<()> {
    match expr.kind {
        ExprKind::Str(text) | ExprKind::Name(text) | ExprKind::RenderText(text) => {
            write!(out, "{text:?}").ok()?;
        }
        ExprKind::Concat([Part::Text(text, _)]) => write!(out, "{text:?}").ok()?,
        // A private word is a word like any other to the evaluator of literals, but no literal of this rule.
        ExprKind::Int { value, .. } => write!(out, "{value}").ok()?,
        ExprKind::IntOverflow(text) => out.push_str(text),
        ExprKind::Float(value) => write!(out, "{value:?}").ok()?,
        ExprKind::Bool(value) => write!(out, "{value}").ok()?,
        ExprKind::Undef => out.push_str("nil"),
        ExprKind::Default => out.push_str(":default"),
        ExprKind::Regex(source) => write!(out, "/{}/", source.replace('/', "\\/")).ok()?,
        ExprKind::Array(values) => {
            out.push('[');
            for (at, value) in values.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                inspect(value, out)?;
            }
            out.push(']');
        }
        ExprKind::Hash(entries) => {
            out.push('{');
            for (at, entry) in entries.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                inspect(&entry.key, out)?;
                out.push_str("=>");
                inspect(&entry.value, out)?;
            }
            out.push('}');
        }
        _ => return None,
    }
    Some(())
}
