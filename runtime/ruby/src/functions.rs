//! Functions in Ruby: loading their files, choosing a signature, calling.

use super::protocol::Request;
use super::signatures::{self, Chooser, Loaded, Overload, malformed};
use super::talk::RequestArgument;
use super::world::{Counted, FunctionSource};
use super::{Talk, subject, text};
use bunraku_native_ruby::{Called, Function, Journal};
use bunraku_vm::closure::Closure;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format;
use bunraku_vm::function::Call;
use bunraku_vm::iterator::NOT_TAKEN;
use bunraku_vm::types::{self, CallableType, Signature, Type};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::time::UNIX_EPOCH;

/// A function in Ruby whose file has been found and, where it is of the 4.x interface, loaded.
pub struct Numbered<'c> {
    /// Its name, without `::` in front.
    pub name: String,
    source: FunctionSource<'c>,
    loaded: Option<Rc<Loaded<'c>>>,
}

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
        let value = match source.old {
            true => {
                if !self.ruby.regular.borrow().contains(name) {
                    self.world.refuse_irregular(source.file)?;
                    self.ruby.regular.borrow_mut().insert(name.to_owned());
                }
                self.call_old(vm, name, &source, call)
            }
            false => {
                self.loaded(vm, name, &source).and_then(|loaded| self.call_new(vm, &loaded, &source, call))
            }
        };
        value.map(Some)
    }

    /// A number for a function in Ruby that code of module `from` has called; none where no file of its own defines it.
    pub fn number(&self, name: &str, from: &str) -> Option<u32> {
        let name = name.strip_prefix("::").unwrap_or(name);
        let source = self.world.function(name, from)?;
        let loaded = match source.old {
            true => None,
            false => Some(self.known(name, source.module)?),
        };
        let mut numbered = self.ruby.numbered.borrow_mut();
        numbered.push(Rc::new(Numbered { name: name.to_owned(), source, loaded }));
        u32::try_from(numbered.len() - 1).ok()
    }

    /// The function of a [`number`](Self::number).
    ///
    /// # Errors
    /// When there is none.
    pub fn numbered(&self, number: u32) -> Eval<'c, Rc<Numbered<'c>>> {
        self.ruby.numbered.borrow().get(number as usize).cloned().ok_or_else(malformed)
    }

    /// Calls a function that has been called before.
    ///
    /// # Errors
    /// Those of the arguments, of the function.
    pub fn call_again(&self, vm: &mut Vm<'c>, function: &Numbered<'c>, call: Call<'c, '_>) -> Eval<'c> {
        match &function.loaded {
            Some(loaded) => self.call_new(vm, loaded, &function.source, call),
            None => self.call_old(vm, &function.name, &function.source, call),
        }
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
        if let Some(known) = self.known(name, source.module) {
            return Ok(known);
        }
        self.world.refuse_irregular(source.file)?;
        let subject = subject("function", name, source.file);
        let natively = self.world.describe_natively(vm, native(name, source));
        let is_native = natively.is_some();
        let description = match natively {
            Some(description) => description,
            None => self.load_in_ruby(vm, name, &subject, source)?,
        };
        let mut loaded = signatures::described(vm, (name, source.module), subject, description)?;
        loaded.native = is_native;
        loaded.in_ruby.set(!is_native);
        Ok(self.keep(loaded))
    }

    /// What has been loaded of a name and a module.
    fn known(&self, name: &str, module: &str) -> Option<Rc<Loaded<'c>>> {
        let functions = self.ruby.functions.borrow();
        functions.get(name)?.iter().find(|loaded| loaded.module == module).cloned()
    }

    fn keep(&self, loaded: Loaded<'c>) -> Rc<Loaded<'c>> {
        let loaded = Rc::new(loaded);
        self.ruby.functions.borrow_mut().entry(loaded.name.clone()).or_default().push(loaded.clone());
        loaded
    }

    /// Loads a function's file in Ruby, where it has only been read without Ruby so far.
    fn load_once_in_ruby(
        &self,
        vm: &mut Vm<'c>,
        function: &Loaded<'c>,
        source: &FunctionSource<'c>,
    ) -> Eval<'c, ()> {
        if !function.in_ruby.replace(true) {
            self.load_in_ruby(vm, &function.name, &function.subject, source)?;
        }
        Ok(())
    }

    /// Loads a function's file in Ruby, and gives what that tells of it.
    fn load_in_ruby(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        subject: &str,
        source: &FunctionSource<'c>,
    ) -> Eval<'c> {
        let arguments = [name, &text(source.file), source.module, &stamp(source.file)];
        let arguments = arguments.map(|text| RequestArgument::Value(vm.string(text)));
        self.request(vm, subject, Request::LoadFunction, &arguments)
    }

    fn call_new(
        &self,
        vm: &mut Vm<'c>,
        function: &Loaded<'c>,
        source: &FunctionSource<'c>,
        call: Call<'c, '_>,
    ) -> Eval<'c> {
        let index = match function.chosen_by {
            Chooser::Function => None,
            Chooser::Compiler => Some(choose(vm, function, call.args, call.block)?),
        };
        let overload = index.map(|index| &function.overloads[index]);
        let journal = match function.native && !overload.is_some_and(|overload| overload.tells_mismatch) {
            true => match self.world.call_natively(vm, (native(&function.name, source), index), call) {
                Called::ForRuby(journal) => journal,
                called => {
                    let result = told(called)?;
                    overload.map_or(Ok(()), |overload| check_result(vm, overload, result))?;
                    return Ok(result);
                }
            },
            false => Journal::default(),
        };
        self.load_once_in_ruby(vm, function, source)?;
        let result = self.replaying(&function.name, journal, || self.invoke(vm, function, index, call))?;
        let Some(overload) = overload else { return Ok(result) };
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
            RequestArgument::Value(vm.string(&function.module)),
            RequestArgument::Value(index.map_or(Value::Undef, |n| Value::Int(n as i64))),
            RequestArgument::Scope(call.scope.keep()),
            RequestArgument::Value(vm.array(call.args)),
            RequestArgument::Value(call.block.map_or(Value::Undef, Value::Closure)),
        ];
        self.counted(Counted::Function, &function.name, || {
            self.request(vm, &function.subject, Request::CallFunction, &arguments)
        })
    }

    /// What `Dispatcher#dispatch` asks: which signature takes the arguments.
    pub(super) fn choose_for(
        &self,
        vm: &mut Vm<'c>,
        (name, module): (&str, &str),
        args: &[Value<'c>],
        block: Value<'c>,
    ) -> Eval<'c> {
        let function = self.known(name, module).ok_or_else(malformed)?;
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
        (name, module): (&str, &str),
        index: Value<'c>,
        result: Value<'c>,
    ) -> Eval<'c> {
        let function = self.known(name, module).ok_or_else(malformed)?;
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
        let mut journal = Journal::default();
        match self.world.call_beside_natively(vm, name, call) {
            Some((file, Called::ForRuby(asked))) => {
                journal = asked;
                self.load_beside(vm, &file)?;
            }
            Some((_, called)) => return told(called).map(Some),
            None => {}
        }
        if !self.ruby.has_worker() {
            return Ok(None);
        }
        let arguments = [RequestArgument::Value(vm.string(name))];
        let defined =
            self.request(vm, &format!("The function '{name}'"), Request::FileOfOldFunction, &arguments)?;
        let Some(file) = defined.as_str() else { return Ok(None) };
        let subject = subject("function", name, Path::new(file));
        let value = self.counted(Counted::Function, name, || {
            self.replaying(name, journal, || self.send_old_call(vm, name, &subject, call))
        });
        value.map(Some)
    }

    /// Loads a file of the 3.x interface in Ruby, for another function than the one that it is named after.
    ///
    /// # Errors
    /// Those of the file.
    pub fn load_beside(&self, vm: &mut Vm<'c>, file: &Path) -> Eval<'c, ()> {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let subject = subject("function", &name, file);
        let arguments = [&*name, &text(file)].map(|text| RequestArgument::Value(vm.string(text)));
        self.request(vm, &subject, Request::LoadOldFunction, &arguments)?;
        Ok(())
    }

    fn call_old(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        source: &FunctionSource<'c>,
        call: Call<'c, '_>,
    ) -> Eval<'c> {
        refuse_iterators(&call)?;
        let journal = match self.world.call_old_natively(vm, native(name, source), call) {
            Called::ForRuby(journal) => journal,
            called => return told(called),
        };
        let subject = subject("function", name, source.file);
        self.counted(Counted::Function, name, || {
            self.replaying(name, journal, || self.call_old_in_ruby(vm, name, (&subject, source), call))
        })
    }

    fn call_old_in_ruby(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        (subject, source): (&str, &FunctionSource<'c>),
        call: Call<'c, '_>,
    ) -> Eval<'c> {
        if self.known(name, source.module).is_none() {
            let arguments = [name, &text(source.file)].map(|text| RequestArgument::Value(vm.string(text)));
            self.request(vm, subject, Request::LoadOldFunction, &arguments)?;
            self.keep(Loaded {
                name: name.to_owned(),
                module: source.module.to_owned(),
                subject: subject.to_owned(),
                chosen_by: Chooser::Function,
                overloads: Vec::new(),
                native: false,
                in_ruby: Cell::new(true),
            });
        }
        self.send_old_call(vm, name, subject, call)
    }

    fn send_old_call(&self, vm: &mut Vm<'c>, name: &str, subject: &str, call: Call<'c, '_>) -> Eval<'c> {
        refuse_iterators(&call)?;
        let arguments = [
            RequestArgument::Value(vm.string(name)),
            RequestArgument::Scope(call.scope.keep()),
            RequestArgument::Value(vm.array(call.args)),
        ];
        self.request(vm, subject, Request::CallOldFunction, &arguments)
    }
}

/// What functions of the 3.x interface do not take.
fn refuse_iterators<'c>(call: &Call<'c, '_>) -> Eval<'c, ()> {
    match call.args.iter().any(|arg| matches!(arg, Value::Iterator(_))) {
        true => Err(Flow::raw(NOT_TAKEN)),
        false => Ok(()),
    }
}

/// A function as it is called without Ruby.
fn native<'f>(name: &'f str, source: &'f FunctionSource<'_>) -> Function<'f> {
    Function { name, file: source.file, module: source.module }
}

/// What a call without Ruby has come to.
fn told(called: Called<'_>) -> Eval<'_> {
    match called {
        Called::Value(value) => Ok(value),
        Called::Left(flow) => Err(flow),
        Called::ForRuby(_) => Err(malformed()),
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
    Err(Flow::of_ruby(types::mismatch::describe_arguments(vm, &function.name, &function.told(), args, block)))
}

fn check_result<'c>(vm: &mut Vm<'c>, overload: &Overload<'c>, result: Value<'c>) -> Eval<'c, ()> {
    match overload.signature.callable.returns {
        None | Some(Type::Any) => Ok(()),
        Some(returns) => {
            let subject = format_args!("value returned from function '{}'", overload.method);
            types::mismatch::assert_instance(vm, subject, returns, result)
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
