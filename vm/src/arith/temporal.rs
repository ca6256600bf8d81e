//! Arithmetic of timestamps and timespans.

use super::{Arithmetic, finite, not_applicable, not_applicable_when};
use crate::error::{Blame, Eval, Flow};
use crate::label::a_an;
use crate::time::{SECOND, from_nanoseconds, in_reach, of_seconds};
use crate::value::Value;
use crate::vm::Vm;

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
                    let left = of_seconds(a)?.unwrap_or(0);
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

fn moment<'c>(vm: &Vm<'c>, nanoseconds: Option<i128>) -> Eval<'c> {
    Ok(Value::Timestamp(vm.arena.alloc(in_reach(nanoseconds).map_err(Flow::raw)?)))
}

fn span<'c>(vm: &Vm<'c>, nanoseconds: Option<i128>) -> Eval<'c> {
    Ok(Value::Timespan(vm.arena.alloc(in_reach(nanoseconds).map_err(Flow::raw)?)))
}

fn timestamp<'c>(vm: &Vm<'c>, op: Arithmetic, n: i128, a: Value<'c>, b: Value<'c>) -> Eval<'c> {
    match (op, b) {
        (Arithmetic::Add, Value::Timespan(m)) => moment(vm, n.checked_add(*m)),
        (Arithmetic::Sub, Value::Timestamp(m)) => span(vm, n.checked_sub(*m)),
        (Arithmetic::Sub, Value::Timespan(m)) => moment(vm, n.checked_sub(*m)),
        (Arithmetic::Add, _) => match of_seconds(b)? {
            Some(m) => moment(vm, n.checked_add(m)),
            None => Err(Flow::raw(format!("{} cannot be added to a Timestamp", an_uc(b)))),
        },
        (Arithmetic::Sub, _) => match of_seconds(b)? {
            Some(m) => moment(vm, n.checked_sub(m)),
            None => Err(Flow::raw(format!("{} cannot be subtracted from a Timestamp", an_uc(b)))),
        },
        _ => Err(not_applicable(op, a)),
    }
}

fn timespan<'c>(vm: &Vm<'c>, op: Arithmetic, n: i128, a: Value<'c>, b: Value<'c>) -> Eval<'c> {
    let rounded = |n: f64| span(vm, Some(from_nanoseconds(n).map_err(Flow::raw)?));
    let zero = || Flow::issue_at(Blame::Right, "DIV_BY_ZERO", "Division by 0");
    match (op, b) {
        (Arithmetic::Add, Value::Timestamp(m)) => moment(vm, n.checked_add(*m)),
        (Arithmetic::Add, Value::Timespan(m)) => span(vm, n.checked_add(*m)),
        (Arithmetic::Sub, Value::Timespan(m)) => span(vm, n.checked_sub(*m)),
        (Arithmetic::Add, _) => match of_seconds(b)? {
            Some(m) => span(vm, n.checked_add(m)),
            None => Err(Flow::raw(format!("{} cannot be added to a Timespan", an_uc(b)))),
        },
        (Arithmetic::Sub, _) => match of_seconds(b)? {
            Some(m) => span(vm, n.checked_sub(m)),
            None => Err(Flow::raw(format!("{} cannot be subtracted from a Timespan", an_uc(b)))),
        },
        (Arithmetic::Mul, Value::Int(m)) => span(vm, n.checked_mul(m.into())),
        (Arithmetic::Mul, Value::Float(m)) => rounded(n as f64 * m),
        (Arithmetic::Mul, _) => {
            Err(Flow::raw(format!("A Timestamp cannot be multiplied by {}", a_an(class(b)))))
        }
        (Arithmetic::Div, Value::Timespan(m)) => finite(op, n as f64 / *m as f64),
        (Arithmetic::Div, Value::Int(0)) => Err(zero()),
        (Arithmetic::Div, Value::Int(m)) => {
            span(vm, Some(n.div_euclid(m.into()) - i128::from(m < 0 && n.rem_euclid(m.into()) != 0)))
        }
        (Arithmetic::Div, Value::Float(0.0)) => Err(zero()),
        (Arithmetic::Div, Value::Float(m)) => rounded((n as f64 / m).floor()),
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
