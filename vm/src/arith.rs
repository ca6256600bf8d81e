//! stub
use crate::{error::*, value::*, vm::Vm};
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    ShiftLeft,
    ShiftRight,
}
pub fn binary<'c>(_: &mut Vm<'c>, _: Op, _: Value<'c>, _: Value<'c>) -> Eval<'c> {
    todo!()
}
pub fn negate<'c>(_: &mut Vm<'c>, _: Value<'c>) -> Eval<'c> {
    todo!()
}
pub fn coerce<'c>(_: &mut Vm<'c>, _: Value<'c>) -> Eval<'c> {
    todo!()
}
pub fn to_number<'c>(_: Value<'c>) -> Option<Value<'c>> {
    todo!()
}
