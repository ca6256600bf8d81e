//! stub
use crate::value::*;
pub fn to_interpolated(_: Value<'_>) -> String {
    todo!()
}
pub fn label(_: Value<'_>) -> String {
    todo!()
}
