//! Assignability of types that have no types within: strings, enums, patterns, times.

use crate::regex;
use crate::types::name::simple_name;
use crate::types::ty::{Range, Type};

pub(super) fn is_scalar_data(ty: &Type<'_>) -> bool {
    use crate::types::ty::Type::*;
    matches!(
        ty,
        ScalarData
            | Numeric
            | Integer(_)
            | Float { .. }
            | Boolean(_)
            | String { .. }
            | StringValue(_)
            | Enum { .. }
            | Pattern(_)
    )
}

pub(super) fn length(text: &str) -> i64 {
    text.chars().count() as i64
}

pub(super) fn assign_string(size: Range, b: &Type<'_>) -> bool {
    if size.is_unbounded() {
        return matches!(simple_name(b), "String" | "Enum" | "Pattern");
    }
    match b {
        Type::StringValue(value) => size.contains(length(value)),
        Type::String { size: other } => size.covers(other.as_size()),
        Type::Enum { values: [], .. } | Type::Pattern(_) => size.covers(Range::SIZE),
        Type::Enum { values, .. } => values.iter().all(|value| size.contains(length(value))),
        _ => false,
    }
}

pub(super) fn assign_enum(values: &[&str], ignore_case: bool, b: &Type<'_>) -> bool {
    if values.is_empty() {
        return matches!(simple_name(b), "String" | "Enum" | "Pattern");
    }
    match b {
        Type::StringValue(value) => in_enum(values, ignore_case, value),
        Type::Enum { values: other, ignore_case: other_case } => {
            !other.is_empty()
                && (ignore_case || !other_case)
                && other.iter().all(|value| in_enum(values, ignore_case, value))
        }
        _ => false,
    }
}

/// Whether a string is one of an `Enum`'s.
pub(crate) fn in_enum(values: &[&str], ignore_case: bool, text: &str) -> bool {
    if ignore_case {
        values.iter().any(|value| value.eq_ignore_ascii_case(text))
    } else {
        values.contains(&text)
    }
}

/// Whether a string matches one of a `Pattern`'s expressions.
pub(crate) fn in_pattern(sources: &[&str], text: &str) -> bool {
    sources.is_empty() || sources.iter().any(|source| regex::is_match(source, text).unwrap_or(false))
}

pub(super) fn assign_pattern(sources: &[&str], b: &Type<'_>) -> bool {
    match b {
        Type::StringValue(value) => in_pattern(sources, value),
        Type::Enum { values: [], .. } | Type::String { .. } => sources.is_empty(),
        Type::Enum { values, .. } => values.iter().all(|value| in_pattern(sources, value)),
        Type::Pattern(other) => {
            sources.is_empty() || (sources.len() == other.len() && sources.iter().all(|s| other.contains(s)))
        }
        _ => false,
    }
}

pub(super) fn covers_time(
    from: Option<i128>,
    to: Option<i128>,
    other_from: Option<i128>,
    other_to: Option<i128>,
) -> bool {
    from.is_none_or(|from| other_from.is_some_and(|o| from <= o))
        && to.is_none_or(|to| other_to.is_some_and(|o| o <= to))
}
