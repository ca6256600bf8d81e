//! The sentence for each kind of mismatch.

use crate::label::a_an;
use crate::types::assign::is_assignable;
use crate::types::build::builtin;
use crate::types::generalize::generalize;
use crate::types::mismatch::difference::{Difference, Mismatch, Step};
use crate::types::name::{name, simple_name};
use crate::types::print::print_expanded;
use crate::types::ty::{Range, Type, resolved};
use bumpalo::Bump;

impl<'c> Mismatch<'c> {
    /// The sentence, as Puppet prints it after the subject's colon (it begins with a space).
    pub(super) fn format(&self, arena: &'c Bump) -> String {
        let mut steps = &self.path[..];
        let mut place = String::new();
        if let [Step::Signature(_), rest @ ..] = steps {
            place = format!(" {}", steps[0]);
            steps = rest;
        }
        for step in steps {
            place.push_str(&format!(" {step}"));
        }
        match &self.difference {
            Difference::MissingKey(key) => format!("{place} expects a value for key '{key}'"),
            Difference::MissingParameter(name) => format!("{place} expects a value for parameter '{name}'"),
            Difference::ExtraneousKey(key) => format!("{place} unrecognized key '{key}'"),
            Difference::InvalidParameter(name) => format!("{place} has no parameter named '{name}'"),
            Difference::UnexpectedBlock => format!("{place} does not expect a block"),
            Difference::MissingBlock => format!("{place} expects a block"),
            Difference::Unresolved(name) => format!("{place} references an unresolved type '{name}'"),
            Difference::Type { expected, actual } => type_message(arena, &place, expected, actual),
            Difference::Pattern { expected, actual } => pattern_message(&place, expected, actual),
            Difference::Size { expected, actual } => {
                format!("{place} expects size to be {}, got {}", range(*expected, "0"), range(*actual, "0"))
            }
            Difference::Count { expected, actual } => {
                let (min, max) = (expected.min.unwrap_or(0), expected.max);
                let one = (min == 1 && matches!(max, Some(1) | None)) || (min == 0 && max == Some(1));
                let s = if one { "" } else { "s" };
                let (expected, actual) = (range(*expected, "no"), range(*actual, "none"));
                format!("{place} expects {expected} argument{s}, got {actual}")
            }
        }
    }
}

fn range(range: Range, zero: &str) -> String {
    match (range.min.unwrap_or(0), range.max) {
        (0, Some(0)) => zero.to_owned(),
        (min, Some(max)) if min == max => min.to_string(),
        (0, None) => "unlimited".to_owned(),
        (0, Some(max)) => format!("at most {max}"),
        (min, None) => format!("at least {min}"),
        (min, Some(max)) => format!("between {min} and {max}"),
    }
}

fn pattern_message<'c>(place: &str, expected: &'c Type<'c>, actual: &'c Type<'c>) -> String {
    let (expected, prefix) = match expected {
        Type::Optional(inner) => (*inner, "an undef value or "),
        expected => (expected, ""),
    };
    let actual = match actual {
        Type::StringValue(value) => format!("'{value}'"),
        actual => short_name(actual),
    };
    format!("{place} expects {prefix}a match for {}, got {actual}", print_expanded(expected))
}

fn type_message<'c>(arena: &'c Bump, place: &str, expected: &'c Type<'c>, actual: &'c Type<'c>) -> String {
    let (expected, optional) = match expected {
        Type::Optional(inner) => (*inner, true),
        expected => (expected, false),
    };
    let (types, several): (Vec<&'c Type<'c>>, bool) = match expected {
        Type::Variant(types) => (types.to_vec(), true),
        expected => (vec![expected], false),
    };
    // An Object type met in its own definition is that type here.
    let itself = |ty: &'c Type<'c>| match ty {
        Type::Alias(alias) => alias.itself().unwrap_or(ty),
        ty => ty,
    };
    let types: Vec<_> = types.into_iter().map(itself).collect();
    let detailed = types.iter().any(|ty| is_same_kind(ty, actual))
        || types.iter().any(|ty| is_of_general_kind(arena, ty, actual));
    let (mut names, actual): (Vec<String>, String) = if detailed {
        (types.iter().map(|ty| print_expanded(ty)).collect(), detailed_actual(arena, &types, actual))
    } else {
        let mut names: Vec<String> = Vec::new();
        for ty in &types {
            let name = short_name(ty);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        (names, short_name(actual))
    };
    if optional {
        names.insert(0, "Undef".to_owned());
    }
    let _ = several;
    match &names[..] {
        [only] => format!("{place} expects {} value, got {actual}", a_an(only)),
        [first, second] => format!("{place} expects a value of type {first} or {second}, got {actual}"),
        [rest @ .., last] => {
            format!("{place} expects a value of type {}, or {last}, got {actual}", rest.join(", "))
        }
        [] => format!("{place} expects a Variant value, got {actual}"),
    }
}

/// The bare name, one level of containment kept: `Type[Integer]`, `Optional[String]`.
fn short_name<'c>(ty: &'c Type<'c>) -> String {
    match ty {
        Type::Type(inner)
        | Type::NotUndef(inner)
        | Type::Iterable(inner)
        | Type::Iterator(inner)
        | Type::Optional(inner)
        | Type::Sensitive(inner)
        | Type::Init { ty: Some(inner), .. }
            if !matches!(inner, Type::Any | Type::Unit) =>
        {
            format!("{}[{}]", name(ty), name(inner))
        }
        _ => name(ty).to_owned(),
    }
}

/// Whether both are of one kind, so that only their details can differ.
fn is_same_kind<'c>(expected: &'c Type<'c>, actual: &'c Type<'c>) -> bool {
    simple_name(expected) == simple_name(actual)
        || matches!(expected, Type::Alias(_))
        || matches!(actual, Type::Alias(_))
        || matches!(
            (expected, actual),
            (Type::Struct(_), Type::Hash { .. }) | (Type::Tuple { .. }, Type::Array { .. })
        )
}

fn is_of_general_kind<'c>(arena: &'c Bump, expected: &'c Type<'c>, actual: &'c Type<'c>) -> bool {
    builtin(arena, simple_name(resolved(expected)))
        .is_some_and(|general| is_assignable(arena, general, actual))
}

fn detailed_actual<'c>(arena: &'c Bump, expected: &[&'c Type<'c>], actual: &'c Type<'c>) -> String {
    let expected: Vec<_> = expected.iter().map(|ty| resolved(ty)).collect();
    let general = generalize(arena, actual);
    if expected.iter().any(|ty| is_same_kind(ty, actual))
        || expected.iter().any(|ty| is_assignable(arena, ty, general))
    {
        print_expanded(actual)
    } else {
        match actual {
            Type::Object { .. } | Type::ObjectExtension { .. } => name(actual).to_owned(),
            _ => simple_name(actual).to_owned(),
        }
    }
}
