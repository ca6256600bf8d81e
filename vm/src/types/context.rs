//! What types ask of a running machine: the one interface between values' types and whatever evaluates code, makes
//! values and loads definitions. Inference, instance checks, mismatch descriptions and formats know nothing else of
//! it.

use crate::compat::Rule;
use crate::error::Eval;
use crate::scope::Closure;
use crate::types::signature::Signature;
use crate::types::ty::{Range, Type, tuple_range};
use crate::value::{Object, Value};
use bumpalo::Bump;

/// A machine, as far as types need it.
pub trait TypeContext<'c> {
    /// Where types and values are put.
    fn arena(&self) -> &'c Bump;

    /// The type a capitalised name means: a built-in type, an alias, a resource type, or a reference to nothing known.
    ///
    /// # Errors
    /// Those of loading an alias.
    fn named_type(&mut self, name: &str) -> Eval<'c, &'c Type<'c>>;

    /// The type that a text denotes.
    ///
    /// # Errors
    /// For text that is no type expression.
    fn parsed_type(&mut self, text: &str) -> Eval<'c, &'c Type<'c>>;

    /// The `Callable` that a lambda or a function of the language is.
    ///
    /// # Errors
    /// Those of evaluating the types of its parameters.
    fn closure_type(&mut self, closure: &'c Closure<'c>) -> Eval<'c, &'c Type<'c>>;

    /// The type of an instance, with its values for the type parameters where its type has such.
    fn object_type(&mut self, object: &'c Object<'c>) -> &'c Type<'c>;

    /// What `Init[ty, args…]` accepts beside instances of `ty`.
    ///
    /// # Errors
    /// When `ty` has no constructor, or none that takes the arguments.
    fn accepted_by_init(&mut self, ty: &'c Type<'c>, args: &[Value<'c>]) -> Eval<'c, Accepted<'c>>;

    /// Whether a value matches an option as `case` compares them.
    ///
    /// # Errors
    /// For a match that takes too many steps.
    fn matches_option(&mut self, value: Value<'c>, option: Value<'c>) -> Eval<'c, bool>;

    /// The signatures of the function that a name means at top level; none where there is no such function.
    ///
    /// # Errors
    /// Those of loading it.
    fn function_signatures(&mut self, name: &str) -> Eval<'c, Option<Vec<Signature<'c>>>>;

    /// Whether a rule that not all versions of the language have is in force.
    fn holds(&self, rule: Rule) -> bool;

    /// Logs a warning, only the first time for its key.
    fn warn_once_for(&mut self, key: &str, message: &str);
}

/// Types of one signature of a constructor, and how many of them must be given.
#[derive(Clone)]
pub struct ConstructorParameters<'c> {
    /// Types of the parameters in order.
    pub types: Vec<&'c Type<'c>>,
    /// How many arguments must be given.
    pub least: usize,
}

/// What is accepted beside an instance of the type.
pub struct Accepted<'c> {
    /// As it is.
    pub single: Vec<&'c Type<'c>>,
    /// As an array of arguments.
    pub several: Vec<ConstructorParameters<'c>>,
}

impl<'c> ConstructorParameters<'c> {
    /// Whether they take these arguments.
    pub fn fit(
        &self,
        items: &[Value<'c>],
        mut is_instance: impl FnMut(&'c Type<'c>, Value<'c>) -> bool,
    ) -> bool {
        let size = Range::new(self.least as i64, self.types.len() as i64);
        tuple_range(self.types.len(), Some(size)).contains(items.len() as i64)
            && items.iter().zip(&self.types).all(|(item, ty)| is_instance(ty, *item))
    }
}
