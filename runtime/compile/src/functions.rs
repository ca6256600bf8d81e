//! Functions that the embedding program adds to the language. They are found like Puppet's own: everywhere, and
//! before any of a manifest's or module's.
//!
//! ```
//! use bunraku_compile::job::{Job, Session};
//! use bunraku_vm::error::{Eval, Flow};
//! use bunraku_vm::function::{Call, Native, dispatch, native, param};
//! use bunraku_vm::value::Value;
//! use bunraku_vm::vm::Vm;
//!
//! static MINE: &[Native] = &[
//!     native("mine::double", "Twice a number.", &[dispatch(&[param("Integer", "number")], double).returns("Integer")]),
//!     native(
//!         "mine::twice",
//!         "What the block makes of a value, and of what it made of it.",
//!         &[dispatch(&[param("Any", "value")], twice).block("Callable[1,1]")],
//!     ),
//! ];
//!
//! fn double<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
//!     let Value::Int(n) = call.args[0] else { return Err(Flow::raw("the signature says Integer")) };
//!     n.checked_mul(2).map(Value::Int).ok_or_else(|| Flow::raw("too great"))
//! }
//!
//! fn twice<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
//!     let Some(block) = call.block else { return Err(Flow::raw("the signature says block")) };
//!     let once = vm.call(block, &[call.args[0]])?;
//!     vm.call(block, &[once])
//! }
//!
//! let session = Session::with_functions(MINE)?;
//! let run = |code: &str| session.run(&Job { code: Some(code.to_owned()), ..Job::default() });
//!
//! let catalog = run("notify { String(mine::twice(5) |$n| { mine::double($n) }): }").result.expect("it compiles");
//! assert!(catalog.contains(r#""title":"20""#));
//!
//! let error = run("mine::double('five')").result.expect_err("a wrong argument");
//! assert!(error.message.contains("'mine::double' parameter 'number' expects an Integer value, got String"));
//!
//! static TAKEN: &[Native] = &[native("each", "", &[])];
//! assert!(Session::with_functions(TAKEN).is_err());
//! # Ok::<(), String>(())
//! ```

use bunraku_vm::compat::Compat;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::{Call, Native};
use bunraku_vm::types::{self, CallableType, Signature};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::collections::HashMap;

/// Functions by name, besides those of the language.
#[derive(Default)]
pub struct Functions {
    natives: HashMap<&'static str, &'static Native>,
    embedded: HashMap<String, Embedded>,
}

/// What an embedded function does: its arguments have been checked.
pub type Body = dyn for<'c> Fn(&mut Vm<'c>, Call<'c, '_>) -> Eval<'c> + Send + Sync;

/// A function of the embedding program that may hold state of the program.
pub struct Embedded {
    /// Its name.
    pub name: String,
    /// Types, in Puppet's notation, and names of its parameters.
    pub parameters: Vec<(String, String)>,
    /// What it does.
    pub body: Box<Body>,
}

impl Embedded {
    /// What a call is checked against.
    ///
    /// # Errors
    /// When a parameter's type is none.
    pub fn signature<'c>(&self, vm: &mut Vm<'c>) -> Eval<'c, Signature<'c>> {
        let mut params = Vec::with_capacity(self.parameters.len());
        for (ty, _) in &self.parameters {
            params.push(types::parse(vm, ty)?);
        }
        let names = self.parameters.iter().map(|(_, name)| &*vm.arena.alloc_str(name)).collect();
        let params = vm.arena.alloc_slice_copy(&params);
        let callable = CallableType { params, size: None, block: None, returns: None, unspecified: false };
        Ok(Signature { callable, names, block_name: "block" })
    }

    /// Calls it.
    ///
    /// # Errors
    /// Puppet's, where the arguments do not fit; the function's own.
    pub fn call<'c>(&self, vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c, Value<'c>> {
        let signature = self.signature(vm)?;
        if !vm.accepts(&signature, call.args, call.block)? {
            let signatures = [signature];
            let why = types::mismatch::describe_arguments(vm, &self.name, &signatures, call.args, call.block);
            return Err(Flow::raw(why));
        }
        (self.body)(vm, call)
    }
}

impl Functions {
    /// Takes functions in.
    ///
    /// # Errors
    /// Names the function whose name the language or another one of them has already, or that no call could name.
    pub fn new(functions: &'static [Native]) -> Result<Functions, String> {
        let mut all = HashMap::with_capacity(functions.len());
        for native in functions {
            let name = native.name;
            if !name.split("::").all(is_segment) {
                return Err(format!("'{name}' is not the name of a function"));
            }
            if bunraku_stdlib::has(name) || all.insert(name, native).is_some() {
                return Err(format!("There is a function '{name}' already"));
            }
        }
        Ok(Functions { natives: all, embedded: HashMap::new() })
    }

    /// Takes in functions that may hold state.
    ///
    /// # Errors
    /// As of [`Functions::new`].
    pub fn with_embedded(mut self, functions: Vec<Embedded>) -> Result<Functions, String> {
        for function in functions {
            let name = &function.name;
            if !name.split("::").all(is_segment) {
                return Err(format!("'{name}' is not the name of a function"));
            }
            if self.has(name) || self.embedded.contains_key(name) {
                return Err(format!("There is a function '{name}' already"));
            }
            self.embedded.insert(name.clone(), function);
        }
        Ok(self)
    }

    /// The function of a name that may hold state.
    pub fn embedded(&self, name: &str) -> Option<&Embedded> {
        self.embedded.get(name)
    }

    /// Whether the language has a function of that name, or these do.
    pub fn has(&self, name: &str) -> bool {
        bunraku_stdlib::has(name) || self.natives.contains_key(name)
    }

    /// The function of a name: the language's in a version, or one of these.
    pub fn find(&self, name: &str, compat: Compat) -> Option<&'static Native> {
        bunraku_stdlib::find(name, compat).or_else(|| self.natives.get(name).copied())
    }
}

/// Whether a function's name may have such a part.
fn is_segment(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_vm::function::native;

    #[test]
    fn names_are_checked() {
        static GOOD: &[Native] = &[native("mine::a1", "", &[]), native("mine_b", "", &[])];
        static TWICE: &[Native] = &[native("mine", "", &[]), native("mine", "", &[])];
        static BAD: &[Native] = &[native("Mine::A", "", &[])];
        assert!(Functions::new(GOOD).is_ok_and(|all| all.has("mine_b") && all.has("each")));
        assert!(Functions::new(TWICE).is_err_and(|why| why == "There is a function 'mine' already"));
        assert!(Functions::new(BAD).is_err_and(|why| why == "'Mine::A' is not the name of a function"));
    }
}
