//! stub
use crate::error::Eval;
pub fn captures<'c>(_: &str, _: &str) -> Eval<'c, Option<Vec<Option<String>>>> {
    todo!()
}
pub fn find<'c>(_: &str, _: &str) -> Eval<'c, Option<(usize, usize)>> {
    todo!()
}
