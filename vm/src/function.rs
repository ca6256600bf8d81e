//! The one protocol of everything that is called: signatures tried in order, typed parameters, a block.
//!
//! A function of one's own needs nothing but this module; a [`Host`](crate::host::Host) hands it out by name
//! (`Host::native`), and calls check its signature as they do those of the language's own functions.
//!
//! ```
//! use bunraku_vm::error::{Eval, Flow};
//! use bunraku_vm::function::{Call, Native, dispatch, native, param};
//! use bunraku_vm::value::Value;
//! use bunraku_vm::vm::Vm;
//!
//! const DOUBLE: Native = native(
//!     "mine::double",
//!     "Twice a number.",
//!     &[dispatch(&[param("Integer", "number")], double).returns("Integer")],
//! );
//!
//! fn double<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
//!     match call.args[0] {
//!         Value::Int(n) => n.checked_mul(2).map(Value::Int).ok_or_else(|| Flow::raw("too great")),
//!         other => Ok(other),
//!     }
//! }
//!
//! assert_eq!(DOUBLE.dispatches[0].params[0].ty, "Integer");
//! ```

use crate::error::Eval;
use crate::scope::{CallScope, Closure};
use crate::value::Value;
use crate::vm::Vm;

/// What a native function gets besides the machine.
#[derive(Clone, Copy)]
pub struct Call<'c, 'a> {
    /// Arguments, already checked against the signature.
    pub args: &'a [Value<'c>],
    /// The lambda given.
    pub block: Option<&'c Closure<'c>>,
    /// The scope the call stands in (Puppet: `scope_param`; for internal functions).
    pub scope: CallScope<'c>,
}

impl<'c> Call<'c, '_> {
    /// The n-th argument, or none where an optional one was left out.
    pub fn arg(&self, n: usize) -> Option<Value<'c>> {
        self.args.get(n).copied()
    }
}

/// What a called name was found to mean.
#[derive(Clone, Copy)]
pub(crate) enum Callee<'c> {
    /// A native function.
    Native(&'static Native),
    /// A function in the Puppet language.
    Puppet(&'c Closure<'c>),
    /// Neither: the host runs it.
    Foreign(Foreign<'c>),
}

/// A function that the host runs, as a unit calls it.
#[derive(Clone, Copy)]
pub(crate) struct Foreign<'c> {
    /// The name that is called.
    pub name: &'c str,
    /// Whether a function that a manifest defines later may come in front of it. Those with a name space have files of their own.
    pub may_be_defined: bool,
    /// What the host calls it, where it need not look for it again.
    pub number: Option<u32>,
}

/// Body of a native function.
pub type NativeFn = for<'c> fn(&mut Vm<'c>, Call<'c, '_>) -> Eval<'c>;

/// How often a parameter occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// Exactly once (`param`).
    Required,
    /// Once or not at all (`optional_param`).
    Optional,
    /// Any number of times, last (`repeated_param`).
    Repeated,
    /// At least once, last (`required_repeated_param`).
    RequiredRepeated,
}

/// A parameter of a native function's signature.
#[derive(Clone, Copy, Debug)]
pub struct ParamSpec {
    /// Its type in Puppet's notation: `Optional[Hash[String, Any]]`.
    pub ty: &'static str,
    /// Its name, as signatures in messages show it.
    pub name: &'static str,
    /// How often it occurs.
    pub arity: Arity,
}

/// The block parameter of a signature.
#[derive(Clone, Copy, Debug)]
pub struct BlockSpec {
    /// A `Callable` type in Puppet's notation.
    pub ty: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Whether the block may be left out.
    pub optional: bool,
}

/// One signature of a native function and its body.
#[derive(Clone, Copy)]
pub struct Dispatch {
    /// Parameters in order.
    pub params: &'static [ParamSpec],
    /// The block, where one is accepted.
    pub block: Option<BlockSpec>,
    /// Type that the result is asserted to have.
    pub returns: Option<&'static str>,
    /// What runs.
    pub body: NativeFn,
}

/// A native function.
#[derive(Clone, Copy)]
pub struct Native {
    /// Name: `notice`, `stdlib::ensure`.
    pub name: &'static str,
    /// What it does, in one or two sentences, for the reference page.
    pub doc: &'static str,
    /// Type aliases that the signatures use (`Name = Type`).
    pub local_types: &'static [&'static str],
    /// Signatures, tried in order.
    pub dispatches: &'static [Dispatch],
    /// Tried when none of the others matches: the body returns the message to raise.
    pub mismatches: &'static [Dispatch],
}

/// A required parameter.
pub const fn param(ty: &'static str, name: &'static str) -> ParamSpec {
    ParamSpec { ty, name, arity: Arity::Required }
}

/// A parameter that may be left out.
pub const fn optional_param(ty: &'static str, name: &'static str) -> ParamSpec {
    ParamSpec { ty, name, arity: Arity::Optional }
}

/// A last parameter that takes any number of arguments.
pub const fn repeated_param(ty: &'static str, name: &'static str) -> ParamSpec {
    ParamSpec { ty, name, arity: Arity::Repeated }
}

/// A last parameter that takes at least one argument.
pub const fn required_repeated_param(ty: &'static str, name: &'static str) -> ParamSpec {
    ParamSpec { ty, name, arity: Arity::RequiredRepeated }
}

/// A signature without block and with any result.
pub const fn dispatch(params: &'static [ParamSpec], body: NativeFn) -> Dispatch {
    Dispatch { params, block: None, returns: None, body }
}

impl Dispatch {
    /// This signature with a required block of a `Callable` type.
    pub const fn block(mut self, ty: &'static str) -> Self {
        self.block = Some(BlockSpec { ty, name: "block", optional: false });
        self
    }

    /// This signature with a required block, which messages call by that name.
    pub const fn named_block(mut self, ty: &'static str, name: &'static str) -> Self {
        self.block = Some(BlockSpec { ty, name, optional: false });
        self
    }

    /// This signature with a block that may be left out.
    pub const fn optional_block(mut self, ty: &'static str) -> Self {
        self.block = Some(BlockSpec { ty, name: "block", optional: true });
        self
    }

    /// This signature with a type that the result is asserted to have.
    pub const fn returns(mut self, ty: &'static str) -> Self {
        self.returns = Some(ty);
        self
    }
}

/// A function without local types or mismatch dispatches.
pub const fn native(name: &'static str, doc: &'static str, dispatches: &'static [Dispatch]) -> Native {
    Native { name, doc, local_types: &[], dispatches, mismatches: &[] }
}
