//! stub
use crate::value::*;
pub fn to_interpolated(_: Value<'_>) -> String {
    todo!()
}
pub fn label(_: Value<'_>) -> String {
    todo!()
}
pub fn float(_: f64) -> String {
    todo!()
}
pub fn base64(_: &[u8]) -> String {
    todo!()
}
pub fn inspect(_: Value<'_>) -> String {
    todo!()
}
pub fn ruby_to_s(_: Value<'_>) -> String {
    todo!()
}
pub fn ruby_inspect(_: Value<'_>) -> String {
    todo!()
}
