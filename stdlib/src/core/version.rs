//! `versioncmp`: package versions by Puppet's rules.

use crate::support::text;
use bunraku_vm::error::Eval;
use bunraku_vm::function::Call;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::cmp::Ordering;

natives! {
    /// -1, 0 or 1 by the order of two versions of a package.
    function "versioncmp" {
        dispatch versioncmp(
            param "String" a, param "String" b, optional_param "Boolean" ignore_trailing_zeroes);
    }
}

fn versioncmp<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let (a, b) = (text(call.arg(0)), text(call.arg(1)));
    let order = if call.arg(2).is_some_and(Value::truthy) {
        compare(&without_zeroes(a), &without_zeroes(b))
    } else {
        compare(a, b)
    };
    Ok(Value::Int(order as i64))
}

/// Zeroes and dots at the end of what stands before the first dash do not count.
fn without_zeroes(version: &str) -> String {
    match version.split_once('-') {
        Some((first, rest)) => format!("{}-{rest}", first.trim_end_matches(['.', '0'])),
        None => version.trim_end_matches(['.', '0']).to_owned(),
    }
}

/// Numbers, words, and single dots and dashes.
fn parts(version: &str) -> impl Iterator<Item = &str> {
    // All bytes of a character beyond ASCII are of the last kind.
    let kind = |byte: u8| match byte {
        b'-' | b'.' => 0,
        b'0'..=b'9' => 1,
        _ => 2,
    };
    let mut rest = version;
    std::iter::from_fn(move || {
        let of = kind(*rest.as_bytes().first()?);
        let length = rest.bytes().take_while(|byte| kind(*byte) == of).count();
        let (part, after) = rest.split_at(if of == 0 { 1 } else { length });
        rest = after;
        Some(part)
    })
}

/// The order of two versions.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    for (x, y) in parts(a).zip(parts(b)) {
        if x == y {
            continue;
        }
        for separator in ["-", "."] {
            if x == separator {
                return Ordering::Less;
            }
            if y == separator {
                return Ordering::Greater;
            }
        }
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if is_number(x) && is_number(y) {
            if x.starts_with('0') || y.starts_with('0') {
                return x.cmp(y);
            }
            return x.len().cmp(&y.len()).then_with(|| x.cmp(y));
        }
        return x.to_uppercase().cmp(&y.to_uppercase());
    }
    a.cmp(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_as_packages_do() {
        for (a, b, expected) in [
            ("2.6-1", "2.4.5", Ordering::Greater),
            ("1.0", "1.0.0", Ordering::Less),
            ("1.10", "1.9", Ordering::Greater),
            ("1.2-a", "1.2.a", Ordering::Less),
            ("1.a", "1.B", Ordering::Less),
            ("1.01", "1.1", Ordering::Less),
            ("2.0", "2.0", Ordering::Equal),
        ] {
            assert_eq!(compare(a, b), expected, "{a} {b}");
        }
        assert_eq!(compare(&without_zeroes("1.0.0"), &without_zeroes("1")), Ordering::Equal);
    }
}
