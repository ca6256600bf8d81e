//! The comparing operators: `==`, `<`, `=~`, `in`, and the matching of `case` and selectors. A match of a regular
//! expression sets $0, $1 …; a comparison of types may fail.

use crate::budget;
use crate::cause::Cause;
use crate::compare::{Comparison, equals, equals_but, order};
use crate::error::{Blame, Eval, Flow};
use crate::format::inspect::inspect_str;
use crate::label;
use crate::regex;
use crate::semver::{self, Version};
use crate::types::Type;
use crate::types::assign::{equivalent, is_assignable};
use crate::types::check_fault;
use crate::types::held::is_held;
use crate::types::instance::is_instance;
use crate::types::new::init::check_init;
use crate::types::quote::capitalize_segments;
use crate::value::{Hash, Value};
use crate::vm::Vm;

/// `a == b` of the language, also where the operator is `!=`: types that accept each other are equal.
///
/// # Errors
/// For types that can't be compared, being an `Init` of what has no constructor.
pub fn equal_operator<'c>(vm: &Vm<'c>, operator: &str, a: Value<'c>, b: Value<'c>) -> Eval<'c, bool> {
    let types = match (a, b) {
        (Value::Type(left), Value::Type(right)) if !is_held(left) && !is_held(right) => Some((left, right)),
        _ => None,
    };
    let Some((left, right)) = types else {
        let mut met = None;
        let same = equals_but(a, b, &mut |ty| met = met.or(Some(ty)));
        return met.map_or(Ok(same), |ty| Err(no_resource(ty)));
    };
    let same = equivalent(vm.arena, left, right);
    match check_fault::take() {
        None => Ok(same),
        Some(detail) => Err(not_comparable(a, operator, b, &detail)),
    }
}

/// `a op b`; types compare by what they accept.
///
/// # Errors
/// "Comparison of: Integer < String, is not possible. …"
#[inline(never)]
pub fn compare<'c>(vm: &mut Vm<'c>, op: Comparison, a: Value<'c>, b: Value<'c>) -> Eval<'c, bool> {
    if let Value::Type(left) = a
        && !is_held(left)
    {
        let Value::Type(right) = b else { return Ok(false) };
        let (wide, narrow) = match op {
            Comparison::Less | Comparison::LessEqual => (right, left),
            Comparison::Greater | Comparison::GreaterEqual => (left, right),
        };
        let strict = matches!(op, Comparison::Less | Comparison::Greater);
        let holds = is_assignable(vm.arena, wide, narrow) && !(strict && equivalent(vm.arena, left, right));
        return match check_fault::take() {
            None => Ok(holds),
            Some(detail) => Err(not_comparable(a, op.text(), b, &detail)),
        };
    }
    match order(a, b) {
        Ok(order) => Ok(order.is_some_and(|order| op.holds(order))),
        Err(detail) => Err(not_comparable(a, op.text(), b, detail)),
    }
}

/// A resource is asked whether it equals a type that has a title, but is none.
#[cold]
fn no_resource<'c>(ty: &Type<'c>) -> Box<Flow<'c>> {
    let (name, title) = match ty {
        Type::Resource { type_name, title, .. } => (*type_name, *title),
        _ => (None, None),
    };
    let shown = |text: Option<String>| text.map_or("nil".to_owned(), |text| inspect_str(&text));
    let capitalized = shown(name.map(capitalize_segments));
    let (lower, title) = (shown(name.map(str::to_lowercase)), shown(title.map(str::to_owned)));
    let class = "Puppet::Pops::Types::PResourceType";
    let message = format!(
        "undefined method `type' for #<{class}:0x0 @type_name={capitalized}, @title={title}, @downcased_name={lower}>"
    );
    Flow::caused(Cause::UndefinedMethod, message)
}

#[cold]
fn not_comparable<'c>(left: Value<'c>, op: &str, right: Value<'c>, detail: &str) -> Box<Flow<'c>> {
    let (left, right) = (label::value(left), label::value(right));
    let message = format!("Comparison of: {left} {op} {right}, is not possible. Caused by '{detail}'.");
    Flow::issue("COMPARISON_NOT_POSSIBLE", message)
}

/// Matches a text and sets $0, $1 … where it does.
fn match_regex<'c>(vm: &mut Vm<'c>, source: &str, text: &'c str) -> Eval<'c, bool> {
    match regex::captures(source, text).map_err(Flow::raw)? {
        Some(groups) => {
            vm.set_matches(&groups);
            Ok(true)
        }
        None => Ok(false),
    }
}

/// `left =~ right`: a regular expression (or its source), a type, a range of versions.
///
/// # Errors
/// For a pattern that is none, and for a left side that is no string.
#[inline(never)]
pub fn match_operator<'c>(vm: &mut Vm<'c>, left: Value<'c>, right: Value<'c>) -> Eval<'c, bool> {
    let source = match right {
        Value::Type(ty) => {
            check_init(vm, ty)?;
            let matches = is_instance(vm, ty, left);
            check_fault::raise()?;
            return Ok(matches);
        }
        Value::SemVerRange(range) => return Ok(in_range(&range, left)),
        Value::Regexp(source) => source,
        Value::Str(source) => {
            if let Err(detail) = regex::check(&source) {
                return Err(not_a_regexp(&detail));
            }
            source
        }
        other => {
            let class = label::ruby_class(other);
            let class = match other {
                Value::Undef => "nil",
                Value::Bool(true) => "true",
                Value::Bool(false) => "false",
                _ => &class,
            };
            return Err(not_a_regexp(&format!("no implicit conversion of {class} into String")));
        }
    };
    let Value::Str(text) = left else {
        let left = label::value_an(left);
        let message = format!("Left match operand must result in a String value. Got {left}.");
        return Err(Flow::issue_at(Blame::Left, "MATCH_NOT_STRING", message));
    };
    match_regex(vm, &source, text.as_str())
}

fn not_a_regexp<'c>(detail: &str) -> Box<Flow<'c>> {
    let message =
        format!("Can not convert right match operand to a regular expression. Caused by '{detail}'.");
    Flow::issue_at(Blame::Right, "MATCH_NOT_REGEXP", message)
}

fn in_range(range: &str, version: Value<'_>) -> bool {
    match version {
        Value::SemVer(version) | Value::Str(version) => semver::range_includes(range, &version),
        _ => false,
    }
}

fn same_version(version: &str, other: Value<'_>) -> bool {
    match other {
        Value::SemVer(other) | Value::Str(other) => {
            Version::parse(&other).is_ok_and(|other| other.to_string() == version)
        }
        _ => false,
    }
}

/// Whether a value matches an option of a `case` or selector (not the literal `default`).
///
/// # Errors
/// For a match that takes too many steps.
#[inline(never)]
pub fn matches_option<'c>(vm: &mut Vm<'c>, value: Value<'c>, option: Value<'c>) -> Eval<'c, bool> {
    match (option, value) {
        (Value::Regexp(source), Value::Str(text)) => match_regex(vm, &source, text.as_str()),
        (Value::Regexp(_), _) => Ok(false),
        (Value::SemVer(version), value) => Ok(same_version(&version, value)),
        (Value::SemVerRange(range), value) => Ok(in_range(&range, value)),
        (Value::Type(ty), value) => {
            let matches = is_instance(vm, ty, value);
            check_fault::raise()?;
            Ok(matches)
        }
        (Value::Array(options), Value::Array(values)) => {
            if options.len() != values.len() {
                return Ok(false);
            }
            let pairs = options.items().iter().zip(values.items()).map(|(option, value)| (*value, *option));
            budget::within(options.len(), || all_match(vm, pairs))
        }
        (Value::Hash(options), Value::Hash(values)) => {
            let entries = options.entries().iter();
            let pairs = entries.map(|(key, option)| (values.get(*key).unwrap_or(Value::Undef), *option));
            budget::within(options.len(), || all_match(vm, pairs))
        }
        (Value::Array(_) | Value::Hash(_), _) => Ok(false),
        (Value::Default, _) => Ok(true),
        (option, value) => Ok(equals(value, option)),
    }
}

fn all_match<'c>(vm: &mut Vm<'c>, pairs: impl Iterator<Item = (Value<'c>, Value<'c>)>) -> Eval<'c, bool> {
    for (value, option) in pairs {
        if !matches_option(vm, value, option)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// `left in right`
///
/// # Errors
/// For a match that takes too many steps.
#[inline(never)]
pub fn includes<'c>(vm: &mut Vm<'c>, left: Value<'c>, right: Value<'c>) -> Eval<'c, bool> {
    match right {
        Value::Str(text) => match left {
            Value::Str(part) => Ok(text.to_lowercase().contains(&part.to_lowercase())),
            Value::Regexp(source) => match_regex(vm, &source, text.as_str()),
            _ => Ok(false),
        },
        Value::Array(items) => in_items(vm, left, items.items().iter().copied()),
        Value::Hash(hash) => in_keys(vm, left, hash),
        Value::SemVerRange(range) => Ok(in_range(&range, left)),
        Value::Binary(bytes) => Ok(match left {
            Value::Binary(part) => contains(bytes, part),
            Value::Str(part) => contains(bytes, part.as_bytes()),
            Value::Int(n) => bytes.iter().any(|b| i64::from(*b) == n),
            Value::Float(f) => bytes.iter().any(|b| f64::from(*b) == f),
            _ => false,
        }),
        _ => Ok(false),
    }
}

fn in_keys<'c>(vm: &mut Vm<'c>, left: Value<'c>, hash: Hash<'c>) -> Eval<'c, bool> {
    if in_items(vm, left, hash.entries().iter().map(|(key, _)| *key))? {
        return Ok(true);
    }
    Ok(!vm.missing_key(hash, left).is_undef())
}

fn in_items<'c>(vm: &mut Vm<'c>, left: Value<'c>, items: impl Iterator<Item = Value<'c>>) -> Eval<'c, bool> {
    for item in items {
        let found = match (left, item) {
            (Value::Regexp(source), Value::Str(text)) => match_regex(vm, &source, text.as_str())?,
            (Value::Regexp(_), _) => false,
            (Value::Str(_) | Value::SemVer(_), item) => matches_option(vm, left, item)?,
            (Value::Type(ty), item) if !is_held(ty) => is_instance(vm, ty, item),
            (left, item) => equals(item, left),
        };
        check_fault::raise()?;
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    part.is_empty() || bytes.windows(part.len()).any(|window| window == part)
}
