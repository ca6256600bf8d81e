//! What a machine keeps of types for the length of a compile.

use crate::types::context::ConstructorParameters;
use crate::types::signature::Signature;
use crate::types::ty::Type;
use hashbrown::HashMap;
use std::rc::Rc;

/// The signatures of a native function, and those of its argument mismatches.
pub(crate) type NativeSignatures<'c> = Rc<(Vec<Signature<'c>>, Vec<Signature<'c>>)>;

/// What is kept of types.
#[derive(Default)]
pub struct KeptTypes<'c> {
    /// Signatures of the native functions called so far, by the functions' addresses.
    pub(crate) signatures: HashMap<usize, NativeSignatures<'c>>,
    /// Types of texts that the program itself asks for.
    pub(crate) constants: Vec<(&'static str, &'c Type<'c>)>,
    /// Where constructors put their signatures when only these are asked for.
    pub(crate) asked_constructor: Option<Vec<ConstructorParameters<'c>>>,
    /// Whether types have come from elsewhere than the files that are looked into for their names: nothing that was
    /// learned of types holds then.
    pub own_types: bool,
    /// How many definitions of types are being evaluated, each for the one before.
    pub resolving: u32,
}
