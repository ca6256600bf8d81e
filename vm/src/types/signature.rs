//! Signatures of functions as types: what a call is checked against.

use crate::types::ty::CallableType;

/// One signature: the callable type, and the names that messages show.
#[derive(Clone)]
pub struct Signature<'c> {
    /// Parameters, block and return type.
    pub callable: CallableType<'c>,
    /// Names of the parameters.
    pub names: Vec<&'c str>,
    /// Name of the block parameter.
    pub block_name: &'c str,
}
