//! Ruby blocks that code in Ruby hands to functions of the language (`call_function('map', list) { |x| … }`): each
//! becomes a lambda that calls it.

use super::Talk;
use super::protocol::Request;
use super::talk::RequestArgument;
use bunraku_vm::closure::Closure;
use bunraku_vm::error::{Eval, Flow, Stage};
use bunraku_vm::function::Call;
use bunraku_vm::scope::{Scope, ScopeKind, ScopeSpec};
use bunraku_vm::unit::ChunkRef;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::fmt::Write as _;

/// The function that generated code hands its lambda to.
const KEEP: &str = "bunraku::keep_block";
/// The function that the lambda calls, with the block and its arguments.
const CALL: &str = "bunraku::call_block";
/// The variable that the block is in.
const BLOCK: &str = "ruby_block";

impl<'c> Talk<'_, 'c> {
    /// The block of a call from Ruby: a lambda of the language, or a pair of a Ruby block and the kinds of its
    /// parameters (`!` required, `?` optional, `*` the rest).
    ///
    /// # Errors
    /// Those of making a lambda: limits of the compile.
    pub(super) fn block_from_ruby(
        &self,
        vm: &mut Vm<'c>,
        value: Value<'c>,
        scope: &'c Scope<'c>,
    ) -> Eval<'c, Option<&'c Closure<'c>>> {
        match value {
            Value::Closure(closure) => Ok(Some(closure)),
            Value::Array(pair) => match pair.items() {
                [block, Value::Str(kinds)] => self.lambda_of(vm, *block, kinds, scope).map(Some),
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// A lambda that calls a block: an object of the worker's, or the number of one that is run without Ruby.
    ///
    /// # Errors
    /// Limits of the compile.
    pub fn lambda_of(
        &self,
        vm: &mut Vm<'c>,
        block: Value<'c>,
        kinds: &str,
        scope: &'c Scope<'c>,
    ) -> Eval<'c, &'c Closure<'c>> {
        let unit = self.world.load_code(vm, &lambda(kinds))?;
        let within = |parent| ScopeSpec {
            kind: ScopeKind::Local,
            names: &[],
            parent: Some(parent),
            declared_in: None,
            name: scope.name,
            module: "",
        };
        let outer = vm.new_scope(within(scope));
        outer.set(vm.symbols.intern(BLOCK), block);
        let chunk = ChunkRef { unit, chunk: 0 };
        let inner = vm.body_scope(chunk, within(outer))?;
        inner.keep();
        vm.run_body(chunk, inner, &[])?;
        let kept = self.ruby.kept_block.take();
        kept.ok_or_else(|| Flow::raw("a block of Ruby did not become a lambda"))
    }

    /// What lambdas of Ruby blocks call; none for any other name.
    ///
    /// # Errors
    /// Those of the block.
    pub fn block_function(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        call: Call<'c, '_>,
    ) -> Eval<'c, Option<Value<'c>>> {
        match (name, call.args) {
            (KEEP, []) => {
                self.ruby.kept_block.set(call.block);
                Ok(Some(Value::Undef))
            }
            (CALL, [block @ Value::Object(_), Value::Array(args)]) => {
                let arguments = [*block, Value::Array(*args)].map(RequestArgument::Value);
                let result = self.request(vm, "The block", Request::CallBlock, &arguments);
                result.map(Some).map_err(passing)
            }
            (CALL, [Value::Int(number), Value::Array(args)]) => {
                self.world.call_native_block(vm, (*number, args.items())).map(Some).map_err(passing)
            }
            _ => Ok(None),
        }
    }
}

/// The error of a block as its caller sees it: the lambda was generated, so it is no place to point at.
fn passing(mut flow: Box<Flow<'_>>) -> Box<Flow<'_>> {
    if let Flow::Fault(fault) = &mut *flow
        && fault.stage == Stage::Raw
    {
        fault.stage = Stage::Passing;
    }
    flow
}

/// A lambda in the language for a block with parameters of these kinds.
fn lambda(kinds: &str) -> String {
    let (mut parameters, mut list, mut rest) = (String::new(), String::new(), String::new());
    for (number, kind) in kinds.chars().enumerate() {
        let comma = if number == 0 { "" } else { ", " };
        // Writing to a string does not fail.
        let _ = match kind {
            '*' => write!(parameters, "{comma}*$p{number}"),
            '?' => write!(parameters, "{comma}$p{number} = undef"),
            _ => write!(parameters, "{comma}$p{number}"),
        };
        if kind == '*' {
            rest = format!(" + $p{number}");
            break;
        }
        let _ = write!(list, "$p{number}, ");
    }
    format!("{KEEP}() |{parameters}| {{ {CALL}(${BLOCK}, [{list}]{rest}) }}")
}
