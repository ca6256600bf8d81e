//! The arithmetic operators, which also concatenate and delete from collections.

mod collection;
pub(crate) mod number;
mod temporal;

pub use number::{strict_float, strict_integer, to_number};

use crate::diagnostic::Severity;
use crate::error::{Blame, Eval, Flow};
use crate::format::inspect::to_ruby_s;
use crate::format::interpolate::to_interpolated;
use crate::host::Change;
use crate::host::request::Strict;
use crate::label;
use crate::value::Value;
use crate::vm::Vm;

/// The binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
}

impl Arithmetic {
    /// As written.
    pub fn text(self) -> &'static str {
        match self {
            Arithmetic::Add => "+",
            Arithmetic::Sub => "-",
            Arithmetic::Mul => "*",
            Arithmetic::Div => "/",
            Arithmetic::Mod => "%",
            Arithmetic::Shl => "<<",
            Arithmetic::Shr => ">>",
        }
    }
}

/// `a / b` of integers where nothing can go wrong: rounded towards minus infinity, as Ruby does.
#[inline]
pub(crate) fn quick_div(a: i64, b: i64) -> Option<i64> {
    (b > 0).then(|| a.div_euclid(b))
}

/// `a % b` likewise: never negative.
#[inline]
pub(crate) fn quick_mod(a: i64, b: i64) -> Option<i64> {
    (b > 0).then(|| a.rem_euclid(b))
}

/// `a op b`. The machine itself adds and compares integers before it asks here.
///
/// # Errors
/// Puppet's, for operands the operator does not take and for results out of range.
#[inline(never)]
pub fn binary<'c>(vm: &mut Vm<'c>, op: Arithmetic, a: Value<'c>, b: Value<'c>) -> Eval<'c> {
    match (op, a) {
        (Arithmetic::Add, Value::Array(_) | Value::Hash(_) | Value::Binary(_) | Value::Uri(_)) => {
            return collection::concatenate(vm, a, b);
        }
        (Arithmetic::Sub, Value::Array(_) | Value::Hash(_)) => return Ok(collection::delete(vm, a, b)),
        (Arithmetic::Shl, Value::Array(items)) => return Ok(collection::append(vm, items, b)),
        (Arithmetic::Shl, Value::Hash(_)) => return Err(not_applicable(op, a)),
        _ => {}
    }
    let x = coerce(vm, a, Blame::Left)?;
    let y = coerce(vm, b, Blame::Right)?;
    match (x, y) {
        (Value::Int(x), Value::Int(y)) => integers(op, x, y),
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => floats(op, x, y),
        _ => temporal::binary(vm, op, x, y),
    }
}

/// `-value`
///
/// # Errors
/// For what is no number.
#[inline(never)]
pub fn negate<'c>(vm: &mut Vm<'c>, value: Value<'c>) -> Eval<'c> {
    match coerce(vm, value, Blame::Whole)? {
        Value::Int(n) => match n.checked_neg() {
            Some(n) => Ok(Value::Int(n)),
            None => Err(overflow("unary minus", "+0x8000000000000000", true)),
        },
        Value::Float(f) => Ok(Value::Float(-f)),
        Value::Timespan(n) => Ok(Value::Timespan(vm.arena.alloc(-*n))),
        other => Err(not_applicable(Arithmetic::Sub, other)),
    }
}

/// The number an operand stands for; a string is converted, which `strict` has a say in.
///
/// # Errors
/// "The value 'x' cannot be converted to Numeric."; for a coercion under `strict=error`.
pub fn coerce<'c>(vm: &mut Vm<'c>, value: Value<'c>, blame: Blame) -> Eval<'c> {
    match value {
        Value::Int(_) | Value::Float(_) | Value::Timestamp(_) | Value::Timespan(_) | Value::SemVer(_) => {
            return Ok(value);
        }
        Value::Str(text) => {
            if let Some(number) = to_number(&text) {
                let after = to_interpolated(number);
                let text = text.as_str();
                let message =
                    format!("The string '{text}' was automatically coerced to the numerical value {after}");
                if vm.host.is_witness() {
                    vm.host.witness(Change::NumericCoercion, text, vm.site_of(blame).place());
                }
                match vm.host.strict() {
                    Strict::Off => {}
                    Strict::Warning => {
                        let place = vm.site_of(blame).place();
                        vm.host.log(Severity::Warning, &message, Some(place));
                    }
                    Strict::Error => return Err(Flow::issue_at(blame, "NUMERIC_COERCION", message)),
                }
                return Ok(number);
            }
        }
        _ => {}
    }
    let text = to_ruby_s(value);
    Err(Flow::issue_at(blame, "NOT_NUMERIC", format!("The value '{text}' cannot be converted to Numeric.")))
}

fn not_applicable<'c>(op: Arithmetic, left: Value<'c>) -> Box<Flow<'c>> {
    let message = format!("Operator '{}' is not applicable to {}.", op.text(), label::value_an(left));
    Flow::issue_at(Blame::Left, "OPERATOR_NOT_APPLICABLE", message)
}

fn not_applicable_when<'c>(op: Arithmetic, left: Value<'c>, right: Value<'c>) -> Box<Flow<'c>> {
    let (left, right) = (label::value_an(left), label::value_an(right));
    let message = format!("Operator '{}' is not applicable to {left} when right side is {right}.", op.text());
    Flow::issue_at(Blame::Left, "OPERATOR_NOT_APPLICABLE_WHEN", message)
}

fn overflow<'c>(what: &str, value: &str, above: bool) -> Box<Flow<'c>> {
    let end = if above { "max" } else { "min" };
    let article = if label::article(what) == "an" { "An" } else { "A" };
    let message =
        format!("{article} {what} resulted in a value outside of Puppet Integer {end} range, got '{value}'");
    Flow::issue("NUMERIC_OVERFLOW", message)
}

/// A result as an integer of the language.
fn integer<'c>(op: Arithmetic, n: i128) -> Eval<'c> {
    i64::try_from(n).map(Value::Int).map_err(|_| {
        let sign = if n < 0 { '-' } else { '+' };
        overflow(&format!("'{}' expression", op.text()), &format!("{sign}{:#x}", n.unsigned_abs()), n > 0)
    })
}

fn integers<'c>(op: Arithmetic, x: i64, y: i64) -> Eval<'c> {
    let (a, b) = (i128::from(x), i128::from(y));
    let floor = |a: i128, b: i128| a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0);
    match op {
        Arithmetic::Add => integer(op, a + b),
        Arithmetic::Sub => integer(op, a - b),
        Arithmetic::Mul => integer(op, a * b),
        Arithmetic::Div | Arithmetic::Mod if y == 0 => {
            Err(Flow::issue_at(Blame::Right, "DIV_BY_ZERO", "Division by 0"))
        }
        Arithmetic::Div => integer(op, floor(a, b)),
        Arithmetic::Mod => integer(op, a - b * floor(a, b)),
        Arithmetic::Shl => shift(op, a, y),
        Arithmetic::Shr => shift(op, a, y.saturating_neg()),
    }
}

/// Shifts to the left; to the right where `by` is negative.
fn shift<'c>(op: Arithmetic, n: i128, by: i64) -> Eval<'c> {
    if by <= 0 {
        return integer(op, n >> by.unsigned_abs().min(127));
    }
    if n == 0 {
        return Ok(Value::Int(0));
    }
    if by < 63 {
        return integer(op, n << by);
    }
    // Too large in any case; only the message needs its digits.
    let zeroes = usize::try_from(by / 4).unwrap_or(usize::MAX).min(1 << 16);
    let sign = if n < 0 { '-' } else { '+' };
    let digits = format!("{sign}{:#x}{}", n.unsigned_abs() << (by % 4), "0".repeat(zeroes));
    Err(overflow(&format!("'{}' expression", op.text()), &digits, n > 0))
}

fn floats<'c>(op: Arithmetic, x: Value<'c>, y: Value<'c>) -> Eval<'c> {
    let number = |v: Value<'c>| match v {
        Value::Int(n) => n as f64,
        Value::Float(f) => f,
        _ => f64::NAN,
    };
    let (a, b) = (number(x), number(y));
    let result = match op {
        Arithmetic::Add => a + b,
        Arithmetic::Sub => a - b,
        Arithmetic::Mul => a * b,
        Arithmetic::Div => a / b,
        Arithmetic::Mod if matches!(x, Value::Float(_)) => return Err(not_applicable(op, x)),
        Arithmetic::Mod => return Err(not_applicable_when(op, x, y)),
        Arithmetic::Shl | Arithmetic::Shr => match (x, y) {
            // Ruby truncates the right operand.
            (Value::Int(n), Value::Float(by)) => return integers(op, n, by as i64),
            _ => return Err(not_applicable(op, x)),
        },
    };
    finite(op, result)
}

/// A result that is a float; it must not be infinite.
fn finite<'c>(op: Arithmetic, result: f64) -> Eval<'c> {
    if result.is_infinite() {
        let message = format!("The result of the {} expression is Infinity", op.text());
        return Err(Flow::issue_at(Blame::Left, "RESULT_IS_INFINITY", message));
    }
    Ok(Value::Float(result))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(result: Eval<'_>) -> String {
        match result {
            Ok(value) => to_interpolated(value),
            Err(flow) => match *flow {
                Flow::Fault(fault) => fault.diagnostic.message,
                _ => String::new(),
            },
        }
    }

    #[test]
    fn integers_floor_and_overflow_as_in_puppet() {
        for (op, a, b, expected) in [
            (Arithmetic::Div, -7, 2, "-4"),
            (Arithmetic::Div, 7, -2, "-4"),
            (Arithmetic::Mod, -7, 3, "2"),
            (Arithmetic::Mod, 7, -3, "-2"),
            (Arithmetic::Shl, 1, 4, "16"),
            (Arithmetic::Shr, -5, 1, "-3"),
            (Arithmetic::Shr, 1, 100, "0"),
            (Arithmetic::Div, 1, 0, "Division by 0"),
        ] {
            assert_eq!(text(integers(op, a, b)), expected, "{a} {} {b}", op.text());
        }
        let message = "A '+' expression resulted in a value outside of Puppet Integer max range, got \
                       '+0x8000000000000000'";
        assert_eq!(text(integers(Arithmetic::Add, i64::MAX, 1)), message);
        let message = "A '<<' expression resulted in a value outside of Puppet Integer max range, got \
                       '+0x400000000000000000'";
        assert_eq!(text(integers(Arithmetic::Shl, 1, 70)), message);
    }
}
