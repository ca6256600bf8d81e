//! stub
use crate::{error::*, value::*, vm::Vm};
use std::cmp::Ordering;
pub fn equals<'c>(_: Value<'c>, _: Value<'c>) -> bool {
    todo!()
}
pub fn ordered<'c>(
    _: &mut Vm<'c>,
    _: &str,
    _: Value<'c>,
    _: Value<'c>,
    _: fn(Ordering) -> bool,
) -> Eval<'c, bool> {
    todo!()
}
pub fn match_operator<'c>(_: &mut Vm<'c>, _: Value<'c>, _: Value<'c>) -> Eval<'c, bool> {
    todo!()
}
pub fn includes<'c>(_: &mut Vm<'c>, _: Value<'c>, _: Value<'c>) -> Eval<'c, bool> {
    todo!()
}
pub fn matches_option<'c>(_: &mut Vm<'c>, _: Value<'c>, _: Value<'c>) -> Eval<'c, bool> {
    todo!()
}
