//! Arithmetic of timestamps and timespans.

use super::{Arithmetic, finite, not_applicable, not_applicable_when};
use crate::error::{Blame, Eval, Flow};
use crate::label::a_an;
use crate::time::{SECOND, from_f};
use crate::value::Value;
use crate::vm::Vm;

/// Nanoseconds of a number of seconds; none for what is no number.
fn seconds(value: Value<'_>) -> Option<i128> {
    match value {
        Value::Int(n) => Some(i128::from(n) * SECOND),
        Value::Float(f) => Some(from_f(f)),
        _ => None,
    }
}

fn is_number(value: Value<'_>) -> bool {
    matches!(value, Value::Int(_) | Value::Float(_))
}

/// The class of an operand as these messages name it.
fn class(value: Value<'_>) -> &'static str {
    match value {
        Value::Timestamp(_) => "Timestamp",
        Value::Timespan(_) => "Timespan",
        Value::SemVer(_) => "Version",
        Value::Float(_) => "Float",
        _ => "Integer",
    }
}

fn an_uc(value: Value<'_>) -> String {
    let text = a_an(class(value));
    format!("A{}", &text[1..])
}

pub(super) fn binary<'c>(vm: &mut Vm<'c>, op: Arithmetic, a: Value<'c>, b: Value<'c>) -> Eval<'c> {
    let (a, b) = match (a, b) {
        (a, Value::Timestamp(_) | Value::Timespan(_)) if is_number(a) => {
            let span = matches!(b, Value::Timespan(_));
            match op {
                Arithmetic::Add => (b, a),
                Arithmetic::Mul if span => (b, a),
                Arithmetic::Sub if span => {
                    let left = seconds(a).unwrap_or(0);
                    (Value::Timespan(vm.arena.alloc(left)), b)
                }
                _ => return Err(not_applicable_when(op, a, b)),
            }
        }
        pair => pair,
    };
    if op == Arithmetic::Mod && matches!(b, Value::Float(_)) {
        return Err(not_applicable_when(op, a, b));
    }
    match a {
        Value::Timestamp(n) => timestamp(vm, op, *n, a, b),
        Value::Timespan(n) => timespan(vm, op, *n, a, b),
        _ => Err(not_applicable(op, a)),
    }
}

fn timestamp<'c>(vm: &mut Vm<'c>, op: Arithmetic, n: i128, a: Value<'c>, b: Value<'c>) -> Eval<'c> {
    let moment = |n: i128| Ok(Value::Timestamp(vm.arena.alloc(n)));
    match (op, b) {
        (Arithmetic::Add, Value::Timespan(m)) => moment(n + *m),
        (Arithmetic::Sub, Value::Timestamp(m)) => Ok(Value::Timespan(vm.arena.alloc(n - *m))),
        (Arithmetic::Sub, Value::Timespan(m)) => moment(n - *m),
        (Arithmetic::Add, _) => match seconds(b) {
            Some(m) => moment(n + m),
            None => Err(Flow::raw(format!("{} cannot be added to a Timestamp", an_uc(b)))),
        },
        (Arithmetic::Sub, _) => match seconds(b) {
            Some(m) => moment(n - m),
            None => Err(Flow::raw(format!("{} cannot be subtracted from a Timestamp", an_uc(b)))),
        },
        _ => Err(not_applicable(op, a)),
    }
}

fn timespan<'c>(vm: &mut Vm<'c>, op: Arithmetic, n: i128, a: Value<'c>, b: Value<'c>) -> Eval<'c> {
    let span = |n: i128| Ok(Value::Timespan(vm.arena.alloc(n)));
    let zero = || Flow::issue_at(Blame::Right, "DIV_BY_ZERO", "Division by 0");
    match (op, b) {
        (Arithmetic::Add, Value::Timestamp(m)) => Ok(Value::Timestamp(vm.arena.alloc(n + *m))),
        (Arithmetic::Add, Value::Timespan(m)) => span(n + *m),
        (Arithmetic::Sub, Value::Timespan(m)) => span(n - *m),
        (Arithmetic::Add, _) => match seconds(b) {
            Some(m) => span(n + m),
            None => Err(Flow::raw(format!("{} cannot be added to a Timespan", an_uc(b)))),
        },
        (Arithmetic::Sub, _) => match seconds(b) {
            Some(m) => span(n - m),
            None => Err(Flow::raw(format!("{} cannot be subtracted from a Timespan", an_uc(b)))),
        },
        (Arithmetic::Mul, Value::Int(m)) => span(n.saturating_mul(m.into())),
        (Arithmetic::Mul, Value::Float(m)) => span((n as f64 * m) as i128),
        (Arithmetic::Mul, _) => {
            Err(Flow::raw(format!("A Timestamp cannot be multiplied by {}", a_an(class(b)))))
        }
        (Arithmetic::Div, Value::Timespan(m)) => finite(op, n as f64 / *m as f64),
        (Arithmetic::Div, Value::Int(0)) => Err(zero()),
        (Arithmetic::Div, Value::Int(m)) => {
            span(n.div_euclid(m.into()) - i128::from(m < 0 && n.rem_euclid(m.into()) != 0))
        }
        (Arithmetic::Div, Value::Float(0.0)) => Err(zero()),
        (Arithmetic::Div, Value::Float(m)) => span((n as f64 / m).floor() as i128),
        (Arithmetic::Div, _) => Err(Flow::raw(format!("A Timespan cannot be divided by {}", a_an(class(b))))),
        (Arithmetic::Mod, Value::Int(0)) => Err(zero()),
        (Arithmetic::Mod, Value::Int(m)) => {
            let whole = n.div_euclid(SECOND);
            let m = i128::from(m);
            let rest = whole.rem_euclid(m);
            Ok(Value::Int((if m < 0 && rest != 0 { rest + m } else { rest }) as i64))
        }
        (Arithmetic::Mod, _) => {
            Err(Flow::raw(format!("Can not do modulus on a Timespan using a {}", a_an(class(b)))))
        }
        (Arithmetic::Shl | Arithmetic::Shr, _) => Err(not_applicable(op, a)),
    }
}
