//! Things that can be called with arguments: lambdas, and functions written in Puppet.

use crate::scope::Scope;
use crate::unit::ChunkRef;

/// A chunk and the scope it was written in.
pub struct Closure<'c> {
    /// Code, parameters, positions.
    pub chunk: ChunkRef,
    /// What its free variables mean.
    pub scope: &'c Scope<'c>,
    /// Name of the function; none for a lambda.
    pub name: Option<&'c str>,
}
