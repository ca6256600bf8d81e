//! Comparison of values: Puppet's equality and order.

use crate::budget;
use crate::semver::Version;
use crate::time::{SECOND, to_f};
use crate::types::Type;
use crate::types::held::is_held;
use crate::value::Value;
use std::cmp::Ordering;

/// The ordering operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl Comparison {
    /// As written.
    pub fn text(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterEqual => ">=",
        }
    }

    /// Whether an order is what the operator asks for.
    #[inline]
    pub(crate) fn holds(self, order: Ordering) -> bool {
        match self {
            Comparison::Less => order.is_lt(),
            Comparison::LessEqual => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterEqual => order.is_ge(),
        }
    }
}

/// Puppet's equality: strings without (ASCII) case, integers and floats by number, collections deep.
pub fn equals<'c>(a: Value<'c>, b: Value<'c>) -> bool {
    equals_but(a, b, &mut |_| {})
}

/// The same; `meets` is told of a type that a held reference has met, which Puppet cannot ask whether it is that resource.
pub(crate) fn equals_but<'c, F: FnMut(&'c Type<'c>)>(a: Value<'c>, b: Value<'c>, meets: &mut F) -> bool {
    use Value::*;
    match (a, b) {
        (Str(a), Str(b)) => a.eq_ignore_ascii_case(&b),
        (Int(a), Int(b)) => a == b,
        (Int(a), Float(b)) | (Float(b), Int(a)) => a as f64 == b,
        (Float(a), Float(b)) => a == b,
        (Array(a), Array(b)) => {
            let items = || a.iter().zip(b.iter()).all(|(a, b)| equals_but(*a, *b, meets));
            a.address() == b.address() || a.len() == b.len() && budget::within(a.len(), items)
        }
        (Hash(a), Hash(b)) => {
            let mut equal = |key, value| equals_but(b.get(key).unwrap_or(Undef), value, meets);
            let entries = || a.entries().iter().all(|(key, value)| equal(*key, *value));
            a.address() == b.address() || a.len() == b.len() && budget::within(a.len(), entries)
        }
        (Timestamp(n) | Timespan(n), Int(m)) | (Int(m), Timestamp(n) | Timespan(n)) => {
            n.div_euclid(SECOND) == i128::from(m)
        }
        (Timestamp(n) | Timespan(n), Float(m)) | (Float(m), Timestamp(n) | Timespan(n)) => to_f(*n) == m,
        (Type(a), Type(b)) if is_held(a) && is_reference(b) => {
            meets(b);
            false
        }
        _ => a.same(b),
    }
}

/// Whether a type is that of resources or a reference as code writes it.
fn is_reference(ty: &Type<'_>) -> bool {
    matches!(ty, Type::Resource { held: false, .. })
}

fn fold(text: &str) -> impl Iterator<Item = u8> + '_ {
    text.bytes().map(|b| b.to_ascii_lowercase())
}

/// Order of two values; none where numbers do not compare (`NaN`).
///
/// # Errors
/// Puppet's reason why they do not compare.
pub fn order(a: Value<'_>, b: Value<'_>) -> Result<Option<Ordering>, &'static str> {
    use Value::*;
    let number = |n: i128, b: Value<'_>| match b {
        Int(m) => Some(n.div_euclid(SECOND).cmp(&i128::from(m))),
        Float(m) => to_f(n).partial_cmp(&m),
        _ => None,
    };
    match (a, b) {
        (Str(a), Str(b)) => Ok(Some(fold(&a).cmp(fold(&b)))),
        (Str(_), _) => Err("A String is not comparable to a non String"),
        (Int(a), Int(b)) => Ok(Some(a.cmp(&b))),
        (Int(a), Float(b)) => Ok((a as f64).partial_cmp(&b)),
        (Float(a), Int(b)) => Ok(a.partial_cmp(&(b as f64))),
        (Float(a), Float(b)) => Ok(a.partial_cmp(&b)),
        (Int(_) | Float(_), Timestamp(n) | Timespan(n)) => Ok(number(*n, a).map(Ordering::reverse)),
        (Int(_) | Float(_), _) => Err("A Numeric is not comparable to non Numeric"),
        (Timespan(a), Timespan(b)) | (Timestamp(a), Timestamp(b)) => Ok(Some(a.cmp(b))),
        (Timespan(n) | Timestamp(n), Int(_) | Float(_)) => Ok(number(*n, b)),
        (Timespan(_), _) => Err("Timespans are only comparable to Timespans, Integers, and Floats"),
        (Timestamp(_), _) => Err("Timestamps are only comparable to Timestamps, Integers, and Floats"),
        (SemVer(a), SemVer(b)) => match (Version::parse(&a), Version::parse(&b)) {
            (Ok(a), Ok(b)) => Ok(Some(a.order(&b))),
            _ => Ok(None),
        },
        (SemVer(_), _) => Err("Versions not comparable to non Versions"),
        (Default, Default) => Ok(Some(Ordering::Equal)),
        (Default, _) => Err("Symbol not comparable to non Symbol"),
        _ => Err("Only Strings, Numbers, Timespans, Timestamps, and Versions are comparable"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bumpalo::Bump;

    #[test]
    fn equality_is_puppets() {
        let arena = Bump::new();
        let s = |text: &str| Value::str(&arena, text);
        assert!(equals(s("Abc"), s("aBC")));
        assert!(!equals(s("É"), s("é")));
        assert!(equals(Value::Int(1), Value::Float(1.0)));
        assert!(!equals(s("1"), Value::Int(1)));
        assert!(equals(Value::array(&arena, &[s("A")]), Value::array(&arena, &[s("a")])));
        assert!(!equals(Value::Undef, Value::Bool(false)));
    }

    #[test]
    fn order_has_puppets_reasons() {
        let arena = Bump::new();
        let s = |text: &str| Value::str(&arena, text);
        assert_eq!(order(s("B"), s("a")), Ok(Some(Ordering::Greater)));
        assert_eq!(order(Value::Int(1), s("a")), Err("A Numeric is not comparable to non Numeric"));
        assert_eq!(order(Value::Int(1), Value::Float(1.5)), Ok(Some(Ordering::Less)));
    }
}
