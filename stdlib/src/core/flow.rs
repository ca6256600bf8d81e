//! Functions that end something early, and those that only call a block.

use crate::support::{block, legacy};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::to_ruby_s;
use bunraku_vm::function::Call;
use bunraku_vm::raised::PARSE_ERROR;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

natives! {
    /// Ends the innermost iteration.
    function "break" { dispatch break_impl(); }
    /// Ends the current block with a value.
    function "next" { dispatch next_impl(optional_param "Any" value); }
    /// Ends the current function, class or defined type with a value.
    function "return" { dispatch return_impl(optional_param "Any" value); }
    /// Fails with its arguments as the message.
    function "fail" { dispatch fail(repeated_param "Any" p0) [optional_block_param]; }
    /// Fails: there is no `import` any more.
    function "import" { dispatch import(repeated_param "Any" args); }
    /// Calls the block with the arguments.
    function "with" { dispatch with(repeated_param "Any" arg) [block_param]; }
    /// Calls the block with the argument unless it is undef.
    function "then" { dispatch then(param "Any" arg) [block_param "Callable[1,1]" block]; }
    /// Yields the argument, or what the block yields where it is undef.
    function "lest" { dispatch lest(param "Any" arg) [block_param "Callable[0,0]" block]; }
    /// Yields what is hidden in a Sensitive, or calls the block with it.
    function "unwrap" {
        dispatch unwrap(param "Sensitive" arg) [optional_block_param];
        dispatch unwrap(param "Any" arg) [optional_block_param];
    }
}

fn break_impl<'c>(vm: &mut Vm<'c>, _: Call<'c, '_>) -> Eval<'c> {
    Err(Box::new(Flow::Break(vm.site().place())))
}

fn next_impl<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Err(Box::new(Flow::Next(call.arg(0).unwrap_or(Value::Undef), vm.site().place())))
}

fn return_impl<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Err(Box::new(Flow::Return(call.arg(0).unwrap_or(Value::Undef), vm.site().place())))
}

fn fail<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let args = legacy(vm, "fail", call.args, 0, None)?;
    let words: Vec<_> = args.into_iter().map(to_ruby_s).collect();
    Err(Flow::of_class(PARSE_ERROR, words.join(" ")))
}

fn import<'c>(_: &mut Vm<'c>, _: Call<'c, '_>) -> Eval<'c> {
    let message = "Use of 'import' has been discontinued in favor of a manifest directory. \
                   See http://links.puppet.com/puppet-import-deprecation";
    Err(Flow::issue("DISCONTINUED_IMPORT", message))
}

fn with<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    vm.call(block(&call)?, call.args)
}

fn then<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    if call.args[0].is_undef() { Ok(Value::Undef) } else { vm.call(block(&call)?, call.args) }
}

fn lest<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    if call.args[0].is_undef() { vm.call(block(&call)?, &[]) } else { Ok(call.args[0]) }
}

fn unwrap<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let value = match call.args[0] {
        Value::Sensitive(hidden) => *hidden,
        value => value,
    };
    match call.block {
        Some(block) => vm.call(block, &[value]),
        None => Ok(value),
    }
}
