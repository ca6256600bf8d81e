//! `type X = …`: aliases, Object types, and type sets, whose types are definitions of their own.

use super::Lowering;
use super::body::BodyLowering;
use crate::ast::{Attribute, Expr, ExprKind, HashEntry, Span};
use crate::extent::tree_text;
use crate::literal::{computed, no_type};
use bunraku_vm::unit::DefKind;
use bunraku_vm::unit::writer::{ChunkKind, DefSpec};
use std::borrow::Cow;

/// What a type set calls the types it defines and the sets it refers to: short name in lower case, full name.
#[derive(Clone, Default)]
pub(super) struct TypeNames(Vec<(String, String)>);

impl TypeNames {
    /// These, and what a type set of that name calls its own types and the sets it refers to.
    fn with_set(&self, set: &str, types: &[HashEntry<'_>], references: &[HashEntry<'_>]) -> TypeNames {
        let mut known = self.clone();
        for key in types.iter().filter_map(|entry| text(&entry.key)) {
            known.0.push((key.to_lowercase(), format!("{set}::{key}")));
        }
        for entry in references {
            let ExprKind::Hash(reference) = entry.value.kind else { continue };
            let full = reference.iter().find(|entry| text(&entry.key) == Some("name"));
            if let (Some(short), Some(full)) = (text(&entry.key), full.and_then(|entry| text(&entry.value))) {
                known.0.push((short.to_lowercase(), full.to_owned()));
            }
        }
        known
    }

    /// The full name of a type, if its first segment is one of ours.
    pub fn resolve<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if self.0.is_empty() {
            return Cow::Borrowed(name);
        }
        let (first, rest) = match name.split_once("::") {
            Some((first, rest)) => (first, Some(rest)),
            None => (name, None),
        };
        match (self.0.iter().find(|(short, _)| first.eq_ignore_ascii_case(short)), rest) {
            (None, _) => Cow::Borrowed(name),
            (Some((_, full)), None) => Cow::Owned(full.clone()),
            (Some((_, full)), Some(rest)) => Cow::Owned(format!("{full}::{rest}")),
        }
    }
}

/// `Name[{…}]` of one of the kinds of types that are defined rather than aliased.
fn defined<'e, 'a>(body: &'e Expr<'a>) -> Option<(DefKind, &'e Expr<'a>)> {
    match &body.kind {
        ExprKind::Access { left, keys: [init] } => match left.kind {
            ExprKind::TypeName("Object") => Some((DefKind::ObjectType, init)),
            ExprKind::TypeName("TypeSet") => Some((DefKind::TypeSet, init)),
            _ => None,
        },
        ExprKind::Hash(_) => Some((DefKind::ObjectType, body)),
        _ => None,
    }
}

/// The text of a key: a name, a type name, a string.
fn text<'a>(key: &Expr<'a>) -> Option<&'a str> {
    match key.kind {
        ExprKind::Name(name) | ExprKind::TypeName(name) | ExprKind::Str(name) => Some(name),
        _ => None,
    }
}

/// The entries of the hash at a key of a type set's; none where there is no hash.
fn part<'a>(entries: &[HashEntry<'a>], key: &str) -> &'a [HashEntry<'a>] {
    let entry = entries.iter().find(|entry| text(&entry.key) == Some(key));
    match entry.map(|entry| entry.value.kind) {
        Some(ExprKind::Hash(entries)) => entries,
        _ => &[],
    }
}

impl Lowering<'_> {
    /// Lowers the definition of a type.
    pub(super) fn type_definition(&mut self, name: &str, body: &Expr<'_>, span: Span, names: &TypeNames) {
        self.type_of_set(None, name, body, span, names);
    }

    /// The same of a type that a type set defines, whose name it gets as its parent's.
    fn type_of_set(&mut self, set: Option<&str>, name: &str, body: &Expr<'_>, span: Span, names: &TypeNames) {
        let (kind, target) = defined(body).unwrap_or((DefKind::TypeAlias, body));
        let chunk = self.unit.reserve_chunk();
        let (at, parent) = (self.at(span), set.map(str::to_owned));
        let (matches, match_texts) = (Vec::new(), Vec::new());
        let name_of_type = name.to_owned();
        self.unit.definition(&DefSpec { kind, name: name_of_type, chunk, parent, matches, match_texts, at });
        match (kind, &target.kind) {
            (DefKind::TypeSet, ExprKind::Hash(entries)) => self.type_set(name, target, entries, chunk, names),
            _ => self.type_chunk(target, chunk, names),
        }
    }

    /// Lowers what a type stands for. Puppet reads it as a literal when the type is first asked for, and says then what is none.
    fn type_chunk(&mut self, target: &Expr<'_>, chunk: u32, names: &TypeNames) {
        let computed = computed(target).map(|expr| (expr, no_type(tree_text(expr, self.text))));
        let mut body = BodyLowering::new(self, ChunkKind::Expression, vec![]);
        body.lenient = true;
        body.type_names = names.clone();
        let result = body.take();
        match computed {
            Some((expr, message)) => body.failure(message, expr),
            None => body.expr(target, result),
        }
        body.finish(chunk, result, vec![], None);
    }

    /// `Parent { … }` in a type set reads as defaults of a resource type; it is the Object type of that parent.
    fn inheriting(&mut self, set: &str, name: &str, entry: &HashEntry<'_>, names: &TypeNames) {
        let span = entry.span;
        let ExprKind::ResourceDefaults { type_expr: parent, attributes, .. } = &entry.value.kind else {
            return;
        };
        let key = |text| Expr { span, kind: ExprKind::Str(text) };
        let own = matches!(parent.kind, ExprKind::TypeName("Object" | "TypeSet"));
        let first = (!own).then(|| HashEntry { span, key: key("parent"), value: **parent });
        let rest = attributes.iter().filter_map(|attribute| match attribute {
            Attribute::Named { span, name, value, .. } => {
                Some(HashEntry { span: *span, key: key(name), value: *value })
            }
            Attribute::Splat { .. } => None,
        });
        let entries: Vec<HashEntry<'_>> = first.into_iter().chain(rest).collect();
        let hash = Expr { span, kind: ExprKind::Hash(&entries) };
        self.type_of_set(Some(set), name, &hash, span, names);
    }

    /// Its types become definitions, and its hash refers to them.
    fn type_set(
        &mut self,
        name: &str,
        init: &Expr<'_>,
        entries: &[HashEntry<'_>],
        chunk: u32,
        names: &TypeNames,
    ) {
        let (types, references) = (part(entries, "types"), part(entries, "references"));
        let known = names.with_set(name, types, references);
        let full_names: Vec<String> =
            types.iter().map(|entry| format!("{name}::{}", text(&entry.key).unwrap_or_default())).collect();
        for (entry, full) in types.iter().zip(&full_names) {
            match &entry.value.kind {
                ExprKind::ResourceDefaults { .. } => self.inheriting(name, full, entry, &known),
                _ => self.type_of_set(Some(name), full, &entry.value, entry.span, &known),
            }
        }
        // In the hash of the set its types are named, as are those it refers to.
        let types: Vec<HashEntry<'_>> = types
            .iter()
            .zip(&full_names)
            .map(|(entry, full)| HashEntry {
                span: entry.span,
                key: Expr { kind: ExprKind::Str(text(&entry.key).unwrap_or_default()), ..entry.key },
                value: Expr { kind: ExprKind::TypeName(full), ..entry.value },
            })
            .collect();
        let references: Vec<HashEntry<'_>> = references
            .iter()
            .map(|entry| HashEntry {
                key: Expr { kind: ExprKind::Str(text(&entry.key).unwrap_or_default()), ..entry.key },
                ..*entry
            })
            .collect();
        let entries: Vec<HashEntry<'_>> = entries
            .iter()
            .map(|entry| match (text(&entry.key), &entry.value.kind) {
                (Some("types"), ExprKind::Hash(_)) => {
                    HashEntry { value: Expr { kind: ExprKind::Hash(&types), ..entry.value }, ..*entry }
                }
                (Some("references"), ExprKind::Hash(_)) => {
                    HashEntry { value: Expr { kind: ExprKind::Hash(&references), ..entry.value }, ..*entry }
                }
                _ => *entry,
            })
            .collect();
        let hash = Expr { kind: ExprKind::Hash(&entries), ..*init };
        self.type_chunk(&hash, chunk, names);
    }
}
