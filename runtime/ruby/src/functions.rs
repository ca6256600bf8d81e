//! Functions in Ruby: loading their files, choosing a signature, calling.

use super::protocol::Request;
use super::signatures::{self, Chooser, Loaded, Overload, malformed};
use super::talk::RequestArgument;
use super::world::{Counted, FunctionSource};
use super::{Talk, raised, subject, text};
use bunraku_vm::closure::Closure;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format;
use bunraku_vm::function::Call;
use bunraku_vm::types::{self, CallableType, Signature, Type};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::path::Path;
use std::rc::Rc;
use std::time::UNIX_EPOCH;

impl<'c> Talk<'_, 'c> {
    /// Calls a function in Ruby as code of module `from` sees it; none where no file would define it.
    ///
    /// # Errors
    /// Those of loading its file, of the arguments, of the function.
    pub fn call(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        from: &str,
        call: Call<'c, '_>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let name = name.strip_prefix("::").unwrap_or(name);
        let Some(source) = self.world.function(name, from) else {
            return self.call_defined_beside(vm, name, call);
        };
        let value = self.counted(Counted::Function, name, || {
            if source.old {
                return self.call_old(vm, name, &source, call);
            }
            let loaded = self.loaded(vm, name, &source)?;
            self.call_new(vm, &loaded, call)
        });
        value.map(Some)
    }

    /// The signatures of a function in Ruby; none where there is none. One of the old kind takes anything.
    ///
    /// # Errors
    /// Those of loading its file.
    pub fn signatures(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<Vec<Signature<'c>>>> {
        let Some(source) = self.world.function(name, "") else { return Ok(None) };
        if source.old {
            let callable = CallableType::ANY;
            return Ok(Some(vec![Signature { callable, names: Vec::new(), block_name: "block" }]));
        }
        Ok(Some(self.loaded(vm, name, &source)?.told()))
    }

    fn loaded(&self, vm: &mut Vm<'c>, name: &str, source: &FunctionSource<'c>) -> Eval<'c, Rc<Loaded<'c>>> {
        if let Some(known) = self.ruby.functions.borrow().get(name) {
            return Ok(known.clone());
        }
        self.world.refuse_irregular(&source.file)?;
        let subject = subject("function", name, &source.file);
        let arguments = [name, &text(&source.file), source.module, &stamp(&source.file)];
        let arguments = arguments.map(|text| RequestArgument::Value(vm.string(text)));
        let description = self.request(vm, &subject, Request::LoadFunction, &arguments)?;
        let loaded = Rc::new(signatures::described(vm, name, subject, description)?);
        self.ruby.functions.borrow_mut().insert(name.to_owned(), loaded.clone());
        Ok(loaded)
    }

    fn call_new(&self, vm: &mut Vm<'c>, function: &Loaded<'c>, call: Call<'c, '_>) -> Eval<'c> {
        if function.chosen_by == Chooser::Function {
            return self.invoke(vm, function, None, call);
        }
        let index = choose(vm, function, call.args, call.block)?;
        let result = self.invoke(vm, function, Some(index), call)?;
        let overload = &function.overloads[index];
        if overload.tells_mismatch {
            let text = format::to_interpolated(result);
            return Err(Flow::raw(format!("'{}' {text}", function.name)));
        }
        check_result(vm, overload, result)?;
        Ok(result)
    }

    fn invoke(
        &self,
        vm: &mut Vm<'c>,
        function: &Loaded<'c>,
        index: Option<usize>,
        call: Call<'c, '_>,
    ) -> Eval<'c> {
        let arguments = [
            RequestArgument::Value(vm.string(&function.name)),
            RequestArgument::Value(index.map_or(Value::Undef, |n| Value::Int(n as i64))),
            RequestArgument::Scope(call.scope.keep()),
            RequestArgument::Value(vm.array(call.args)),
            RequestArgument::Value(call.block.map_or(Value::Undef, Value::Closure)),
        ];
        self.request(vm, &function.subject, Request::CallFunction, &arguments)
    }

    /// What `Dispatcher#dispatch` asks: which signature takes the arguments.
    pub(super) fn choose_for(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        args: &[Value<'c>],
        block: Value<'c>,
    ) -> Eval<'c> {
        let function = self.ruby.functions.borrow().get(name).cloned().ok_or_else(malformed)?;
        let block = match block {
            Value::Closure(block) => Some(block),
            _ => None,
        };
        let index = choose(vm, &function, args, block)?;
        Ok(Value::Int(index as i64))
    }

    /// What it asks then: whether the result has the type it should have.
    pub(super) fn check_for(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        index: Value<'c>,
        result: Value<'c>,
    ) -> Eval<'c> {
        let function = self.ruby.functions.borrow().get(name).cloned().ok_or_else(malformed)?;
        let index = match index {
            Value::Int(n) => usize::try_from(n).ok(),
            _ => None,
        };
        let overload = index.and_then(|index| function.overloads.get(index)).ok_or_else(malformed)?;
        check_result(vm, overload, result)?;
        Ok(Value::Undef)
    }

    /// Calls a function of the old interface that has no file of its own name: one that was loaded may define more.
    #[cold]
    fn call_defined_beside(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        call: Call<'c, '_>,
    ) -> Eval<'c, Option<Value<'c>>> {
        if !self.ruby.has_worker() {
            return Ok(None);
        }
        let arguments = [RequestArgument::Value(vm.string(name))];
        let defined =
            self.request(vm, &format!("The function '{name}'"), Request::FileOfOldFunction, &arguments)?;
        let Some(file) = defined.as_str() else { return Ok(None) };
        let subject = subject("function", name, Path::new(file));
        let value = self.counted(Counted::Function, name, || self.send_old_call(vm, name, &subject, call));
        value.map(Some)
    }

    fn call_old(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        source: &FunctionSource<'c>,
        call: Call<'c, '_>,
    ) -> Eval<'c> {
        let subject = subject("function", name, &source.file);
        let known = self.ruby.functions.borrow().contains_key(name);
        if !known {
            self.world.refuse_irregular(&source.file)?;
            let arguments = [name, &text(&source.file)].map(|text| RequestArgument::Value(vm.string(text)));
            self.request(vm, &subject, Request::LoadOldFunction, &arguments)?;
            let loaded = Loaded {
                name: name.to_owned(),
                subject: subject.clone(),
                chosen_by: Chooser::Function,
                overloads: Vec::new(),
            };
            self.ruby.functions.borrow_mut().insert(name.to_owned(), Rc::new(loaded));
        }
        self.send_old_call(vm, name, &subject, call)
    }

    fn send_old_call(&self, vm: &mut Vm<'c>, name: &str, subject: &str, call: Call<'c, '_>) -> Eval<'c> {
        if call.args.iter().any(|arg| matches!(arg, Value::Iterator(_))) {
            return Err(Flow::raw("Use of an Iterator is not supported here"));
        }
        let arguments = [
            RequestArgument::Value(vm.string(name)),
            RequestArgument::Scope(call.scope.keep()),
            RequestArgument::Value(vm.array(call.args)),
        ];
        self.request(vm, subject, Request::CallOldFunction, &arguments)
    }
}

/// The first signature that takes the arguments.
fn choose<'c>(
    vm: &mut Vm<'c>,
    function: &Loaded<'c>,
    args: &[Value<'c>],
    block: Option<&'c Closure<'c>>,
) -> Eval<'c, usize> {
    for (n, overload) in function.overloads.iter().enumerate() {
        if vm.accepts(&overload.signature, args, block)? {
            return Ok(n);
        }
    }
    Err(raised(types::mismatch::describe_arguments(vm, &function.name, &function.told(), args, block)))
}

fn check_result<'c>(vm: &mut Vm<'c>, overload: &Overload<'c>, result: Value<'c>) -> Eval<'c, ()> {
    match overload.signature.callable.returns {
        None | Some(Type::Any) => Ok(()),
        Some(returns) => {
            let subject = format!("value returned from function '{}'", overload.method);
            types::mismatch::assert_instance(vm, &subject, returns, result)
        }
    }
}

/// Time and length of a file as a text; empty where the system does not tell them.
fn stamp(file: &Path) -> String {
    let stamp = std::fs::metadata(file).and_then(|data| Ok((data.modified()?, data.len())));
    stamp.map_or_else(
        |_| String::new(),
        |(time, length)| {
            let time = time.duration_since(UNIX_EPOCH).unwrap_or_default();
            format!("{}.{} {length}", time.as_secs(), time.subsec_nanos())
        },
    )
}
