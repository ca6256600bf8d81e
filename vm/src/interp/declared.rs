//! Types that code declares: of parameters, of what a function returns, of aliases. Each is evaluated once.

use crate::error::{Eval, Flow};
use crate::loaded::Linked;
use crate::scope::Closure;
use crate::types::build::callable;
use crate::types::infer::infer;
use crate::types::print::print;
use crate::types::signature::Signature;
use crate::types::ty::{Range, Type};
use crate::unit::ChunkRef;
use crate::value::{Hash, Value};
use crate::vm::Vm;

impl<'c> Vm<'c> {
    /// The declared type of a parameter of a linked chunk, evaluated once.
    pub(crate) fn linked_param_type(&mut self, linked: &'c Linked<'c>, n: usize) -> Eval<'c, &'c Type<'c>> {
        if let Some(ty) = linked.param_types[n].get() {
            return Ok(ty);
        }
        let at = ChunkRef { unit: linked.unit.id, chunk: linked.code.chunk.number };
        let ty = match linked.code.chunk.param(n).type_chunk {
            Some(chunk) => match self.checked_params(at) {
                Some(checked) => checked.types[n].make(self)?,
                None => self.type_of_chunk(linked, chunk)?,
            },
            None => &Type::Any,
        };
        Ok(linked.param_types[n].get_or_init(|| ty))
    }
    pub(super) fn return_type(&mut self, linked: &'c Linked<'c>) -> Eval<'c, &'c Type<'c>> {
        if let Some(ty) = linked.return_type.get() {
            return Ok(ty);
        }
        let ty = match linked.code.chunk.return_chunk {
            Some(chunk) => self.type_of_chunk(linked, chunk)?,
            None => &Type::Any,
        };
        Ok(linked.return_type.get_or_init(|| ty))
    }
    fn type_of_chunk(&mut self, linked: &'c Linked<'c>, chunk: u32) -> Eval<'c, &'c Type<'c>> {
        let top = self.top;
        match self.run(ChunkRef { unit: linked.unit.id, chunk }, top)? {
            Value::Type(ty) => Ok(ty),
            other => {
                let actual = print(infer(self, other));
                Err(Flow::raw(format!("expected a type, got {actual}")))
            }
        }
    }
    /// What a type expression chunk of a unit (an alias's right side) evaluates to.
    ///
    /// # Errors
    /// Those of evaluating it; when it is no type.
    pub fn evaluate_type(&mut self, chunk: ChunkRef) -> Eval<'c, &'c Type<'c>> {
        let linked = self.link(chunk)?;
        self.type_of_chunk(linked, chunk.chunk)
    }
    /// The hash that defines an Object type or type set; `what` it is called in messages.
    ///
    /// # Errors
    /// Those of evaluating it; when it is no hash.
    pub fn evaluate_definition(&mut self, what: &str, chunk: ChunkRef) -> Eval<'c, Hash<'c>> {
        let top = self.top;
        match self.run(chunk, top)? {
            Value::Hash(hash) => Ok(hash),
            other => {
                // Puppet has not evaluated the expression at this point, and speaks of its node.
                let node = match other {
                    Value::Str(_) => "LiteralString",
                    Value::Int(_) => "LiteralInteger",
                    Value::Float(_) => "LiteralFloat",
                    Value::Bool(_) => "LiteralBoolean",
                    Value::Undef => "LiteralUndef",
                    Value::Default => "LiteralDefault",
                    Value::Array(_) => "LiteralList",
                    Value::Regexp(_) => "LiteralRegularExpression",
                    _ => "QualifiedReference",
                };
                Err(Flow::raw(format!(
                    "{what} has wrong type, expects a Struct value, got Puppet::AST::{node}"
                )))
            }
        }
    }
    /// The one signature of a lambda or Puppet function.
    ///
    /// # Errors
    /// Those of evaluating its parameter types.
    pub fn closure_signature(&mut self, closure: &'c Closure<'c>) -> Eval<'c, Signature<'c>> {
        let names = self.params(closure.chunk)?.iter().map(|param| param.name).collect();
        match self.type_of_closure(closure)? {
            Type::Callable(callable) => Ok(Signature { callable: *callable, names, block_name: "block" }),
            _ => Err(Flow::raw("a lambda is no callable")),
        }
    }
    /// What a function in the Puppet language says that it returns, if it does.
    ///
    /// # Errors
    /// When its chunk does not verify, or the type is none.
    pub fn declared_return(&mut self, closure: &'c Closure<'c>) -> Eval<'c, Option<&'c Type<'c>>> {
        let linked = self.link(closure.chunk)?;
        if linked.code.chunk.return_chunk.is_none() {
            return Ok(None);
        }
        self.return_type(linked).map(Some)
    }
    /// How many arguments a closure takes: least, and most (none for unbounded).
    ///
    /// # Errors
    /// When its chunk does not verify.
    pub fn arity(&mut self, closure: &'c Closure<'c>) -> Eval<'c, (usize, Option<usize>)> {
        let params = self.link(closure.chunk)?.params;
        let least = params.iter().filter(|p| !p.has_default && !p.captures_rest).count();
        let most = if params.iter().any(|p| p.captures_rest) { None } else { Some(params.len()) };
        Ok((least, most))
    }

    /// The `Callable` a lambda or a function of the language is.
    ///
    /// # Errors
    /// Those of evaluating the parameters' types.
    pub(crate) fn type_of_closure(&mut self, closure: &'c Closure<'c>) -> Eval<'c, &'c Type<'c>> {
        let arena = self.arena;
        let infos = self.params(closure.chunk)?;
        let mut types = Vec::with_capacity(infos.len());
        let (mut from, mut to) = (0, Some(0));
        for (n, info) in infos.iter().enumerate() {
            let mut ty = self.param_type(closure.chunk, n)?;
            let (least, most) = match (info.captures_rest, ty) {
                (true, Type::Array { element, size }) => {
                    ty = element;
                    let size = size.as_size();
                    (size.min.unwrap_or(0), size.max)
                }
                (true, _) => (0, None),
                (false, _) => (i64::from(!info.has_default), Some(1)),
            };
            from += least;
            to = to.zip(most).map(|(a, b)| a + b);
            types.push(ty);
        }
        let size = Range { min: Some(from), max: to };
        Ok(callable(arena, &types, Some(size), None, None))
    }
}
