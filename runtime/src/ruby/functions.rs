//! Functions in Ruby: finding their files, loading them, choosing a signature, calling.

use super::talk::subject;
use super::{Compile, raised, text};
use crate::function_files::ENVIRONMENT;
use crate::stats::Kind;
use bunraku_stdlib::module::Api;
use bunraku_vm::cause::Cause;
use bunraku_vm::closure::Closure;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format;
use bunraku_vm::function::Call;
use bunraku_vm::names::split_first;
use bunraku_vm::scope::Scope;
use bunraku_vm::types::{self, Alias, CallableType, Range, Signature, Type};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::borrow::Cow;
use std::path::Path;
use std::rc::Rc;
use std::time::UNIX_EPOCH;

/// The file of a function, and which interface it is written for.
#[derive(Clone)]
pub(crate) struct Found<'c> {
    /// The file.
    pub file: Cow<'c, Path>,
    /// The module it lies in; `environment` for the environment's own, empty for none.
    pub module: &'c str,
    /// Written for the 3.x interface.
    pub old: bool,
}

/// A function of the new interface whose file has been loaded.
pub(super) struct Loaded<'c> {
    pub name: String,
    pub subject: String,
    /// Has a `call` of its own: it chooses its signature itself.
    own_call: bool,
    signatures: Vec<Signature<'c>>,
    /// For each signature whether it handles an argument mismatch.
    mismatch: Vec<bool>,
    methods: Vec<String>,
}

type Locals<'c> = Vec<(&'c str, &'c Type<'c>)>;

impl<'c> Compile<'c> {
    /// The Ruby file that code of module `from` gets for a function's name: first those of the new interface that it
    /// sees, then those of the old, which everybody sees.
    pub(crate) fn find_ruby(&self, name: &str, from: &str) -> Option<Found<'c>> {
        if let Some(known) = self.ruby.files.borrow().get(&(name, from)) {
            return known.clone();
        }
        let found = self.search_ruby(name, from);
        self.ruby.files.borrow_mut().insert((self.text(name), self.text(from)), found.clone());
        found
    }

    fn search_ruby(&self, name: &str, from: &str) -> Option<Found<'c>> {
        let modules = &self.environment.modules;
        if let Some((first, _)) = split_first(name) {
            let path = Api::New.file(name);
            let (folder, module) = match first {
                ENVIRONMENT => (self.environment.directory.as_ref()?, ENVIRONMENT),
                _ => modules.get(first).map(|module| (&module.path, module.name.as_str()))?,
            };
            let file = Cow::Owned(folder.join(&path));
            return self.tree().is_file(&file).then_some(Found { file, module, old: false });
        }
        let files = self.environment.functions().of(name);
        if files.is_empty() {
            return None;
        }
        let first =
            |api, fits: &dyn Fn(&str) -> bool| files.iter().find(|file| file.api == api && fits(&file.owner));
        let depended =
            || modules.dependencies(from).iter().find_map(|one| first(Api::New, &|owner| owner == one));
        let file = first(Api::New, &|owner| owner == from)
            .or_else(|| first(Api::New, &|owner| owner == ENVIRONMENT))
            .or_else(depended)
            .or_else(|| first(Api::New, &|_| true))
            .or_else(|| first(Api::Old, &|owner| owner == ENVIRONMENT))
            .or_else(|| first(Api::Old, &|_| true))?;
        Some(Found { file: Cow::Borrowed(&file.path), module: &file.owner, old: file.api == Api::Old })
    }

    /// Calls a function in Ruby; none where no file would define it.
    pub(crate) fn call_ruby(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        from: &str,
        call: Call<'c, '_>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let name = name.strip_prefix("::").unwrap_or(name);
        let Some(found) = self.find_ruby(name, from) else {
            return self.call_defined_beside(vm, name, call);
        };
        let value = self.counter.count(Kind::Ruby, name, || {
            if found.old {
                return self.call_old(vm, name, &found, call);
            }
            let loaded = self.loaded(vm, name, &found)?;
            self.call_new(vm, &loaded, call)
        });
        value.map(Some)
    }

    /// The signatures of a function in Ruby; none where there is none. One of the old kind takes anything.
    pub(crate) fn ruby_signatures(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
    ) -> Eval<'c, Option<Vec<Signature<'c>>>> {
        let Some(found) = self.find_ruby(name, "") else { return Ok(None) };
        if found.old {
            let callable = CallableType::ANY;
            return Ok(Some(vec![Signature { callable, names: Vec::new(), block_name: "block" }]));
        }
        let loaded = self.loaded(vm, name, &found)?;
        let own = loaded.signatures.iter().zip(&loaded.mismatch).filter(|(_, mismatch)| !**mismatch);
        Ok(Some(own.map(|(signature, _)| signature.clone()).collect()))
    }

    fn loaded(&self, vm: &mut Vm<'c>, name: &str, found: &Found<'c>) -> Eval<'c, Rc<Loaded<'c>>> {
        if let Some(known) = self.ruby.functions.borrow().get(name) {
            return Ok(known.clone());
        }
        self.refuse_irregular(&found.file)?;
        let subject = subject("function", name, &found.file);
        let stamp = std::fs::metadata(&found.file).and_then(|data| Ok((data.modified()?, data.len())));
        let stamp = stamp.map_or_else(
            |_| String::new(),
            |(time, length)| {
                let time = time.duration_since(UNIX_EPOCH).unwrap_or_default();
                format!("{}.{} {length}", time.as_secs(), time.subsec_nanos())
            },
        );
        let description = self.ask_ruby(vm, &subject, b'l', |vm, out| {
            let args = [name, &text(&found.file), found.module, &stamp].map(|text| vm.string(text));
            let args = vm.array(&args);
            self.put_value(vm, out, args, 0)
        })?;
        let loaded = Rc::new(self.described(vm, name, subject, description)?);
        self.ruby.functions.borrow_mut().insert(name.to_owned(), loaded.clone());
        Ok(loaded)
    }

    /// What the worker says of a function it has loaded.
    fn described(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        subject: String,
        description: Value<'c>,
    ) -> Eval<'c, Loaded<'c>> {
        let [own_call, locals, dispatches] = parts(description)?;
        let locals = self.local_types(vm, items(locals)).map_err(|flow| load_error(name, flow))?;
        let mut loaded = Loaded {
            name: name.to_owned(),
            subject,
            own_call: own_call.truthy(),
            signatures: Vec::new(),
            mismatch: Vec::new(),
            methods: Vec::new(),
        };
        for dispatch in items(dispatches) {
            let [mismatch, params, block, block_name, returns, method] = parts(*dispatch)?;
            let mut signature = self
                .signature(vm, items(params), block, returns, &locals)
                .map_err(|flow| load_error(name, flow))?;
            signature.block_name = block_name.as_str().unwrap_or("block");
            loaded.signatures.push(signature);
            loaded.mismatch.push(mismatch.truthy());
            loaded.methods.push(format::to_interpolated(method));
        }
        Ok(loaded)
    }

    pub(super) fn local_types(&self, vm: &mut Vm<'c>, texts: &[Value<'c>]) -> Eval<'c, Locals<'c>> {
        let mut locals: Locals<'c> = Vec::new();
        let mut bodies = Vec::new();
        for text in texts {
            let text = text.as_str().unwrap_or_default();
            let Some((name, body)) = text.split_once('=') else {
                return Err(Flow::raw(format!(
                    "Expected a type alias assignment on the form 'AliasType = T', got '{text}'."
                )));
            };
            let name = name.trim();
            let alias: &'c Alias<'c> = self.arena.alloc(Alias::new(name));
            locals.push((name, Type::Alias(alias).alloc(self.arena)));
            bodies.push((alias, body));
        }
        for (alias, body) in bodies {
            let body = types::parse_with(vm, body, &locals)?;
            types::set_alias(self.arena, alias, body)?;
        }
        Ok(locals)
    }

    fn signature(
        &self,
        vm: &mut Vm<'c>,
        params: &[Value<'c>],
        block: Value<'c>,
        returns: Value<'c>,
        locals: &Locals<'c>,
    ) -> Eval<'c, Signature<'c>> {
        let mut list = Vec::new();
        let mut names = Vec::new();
        let (mut least, mut most) = (0, Some(0));
        for param in params {
            let [ty, name, often] = parts(*param)?;
            list.push(type_of(vm, ty, locals)?);
            names.push(name.as_str().unwrap_or_default());
            let Value::Int(often) = often else { return Err(malformed()) };
            least += i64::from(often == 0 || often == 3);
            most = if often < 2 { most.map(|n: i64| n + 1) } else { None };
        }
        let size = (least == 0 || most != Some(least)).then_some(Range { min: Some(least), max: most });
        let block = match block {
            Value::Undef => None,
            block => {
                let [ty, optional] = parts(block)?;
                let ty = type_of(vm, ty, locals)?;
                Some(if optional.truthy() { types::optional(self.arena, ty) } else { ty })
            }
        };
        let returns = match returns {
            Value::Undef => None,
            ty => Some(type_of(vm, ty, locals)?),
        };
        match types::callable(self.arena, &list, size, block, returns) {
            Type::Callable(callable) => Ok(Signature { callable: *callable, names, block_name: "block" }),
            _ => Err(malformed()),
        }
    }

    fn call_new(&self, vm: &mut Vm<'c>, function: &Loaded<'c>, call: Call<'c, '_>) -> Eval<'c> {
        let Call { args, block, scope } = call;
        if function.own_call {
            return self.invoke(vm, function, None, scope, args, block);
        }
        let index = self.choose(vm, function, args, block)?;
        let result = self.invoke(vm, function, Some(index), scope, args, block)?;
        if function.mismatch[index] {
            let text = format::to_interpolated(result);
            return Err(Flow::raw(format!("'{}' {text}", function.name)));
        }
        self.check_result(vm, function, index, result)?;
        Ok(result)
    }

    /// The first signature that takes the arguments.
    fn choose(
        &self,
        vm: &mut Vm<'c>,
        function: &Loaded<'c>,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
    ) -> Eval<'c, usize> {
        for (n, signature) in function.signatures.iter().enumerate() {
            if vm.accepts(signature, args, block)? {
                return Ok(n);
            }
        }
        let told = function.signatures.iter().zip(&function.mismatch).filter(|(_, mismatch)| !**mismatch);
        let told: Vec<Signature<'c>> = told.map(|(signature, _)| signature.clone()).collect();
        Err(raised(types::mismatch::describe_arguments(vm, &function.name, &told, args, block)))
    }

    fn check_result(
        &self,
        vm: &mut Vm<'c>,
        function: &Loaded<'c>,
        index: usize,
        result: Value<'c>,
    ) -> Eval<'c, ()> {
        match function.signatures[index].callable.returns {
            None | Some(Type::Any) => Ok(()),
            Some(returns) => {
                let subject = format!("value returned from function '{}'", function.methods[index]);
                types::mismatch::assert_instance(vm, &subject, returns, result)
            }
        }
    }

    fn invoke(
        &self,
        vm: &mut Vm<'c>,
        function: &Loaded<'c>,
        index: Option<usize>,
        scope: &'c Scope<'c>,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
    ) -> Eval<'c> {
        self.ask_ruby(vm, &function.subject, b'f', |vm, out| {
            out.extend([6, 5]);
            let name = vm.string(&function.name);
            self.put_value(vm, out, name, 0)?;
            self.put_value(vm, out, index.map_or(Value::Undef, |n| Value::Int(n as i64)), 0)?;
            self.put_scope(out, scope);
            let args = vm.array(args);
            self.put_value(vm, out, args, 0)?;
            self.put_value(vm, out, block.map_or(Value::Undef, Value::Closure), 0)
        })
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
        let index = self.choose(vm, &function, args, block)?;
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
        match index {
            Value::Int(n) if (n as usize) < function.signatures.len() => {
                self.check_result(vm, &function, n as usize, result)?;
                Ok(Value::Undef)
            }
            _ => Err(malformed()),
        }
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
        let defined = self.ask_ruby(vm, &format!("The function '{name}'"), b'w', |vm, out| {
            let name = vm.string(name);
            self.put_value(vm, out, name, 0)
        })?;
        let Some(file) = defined.as_str() else { return Ok(None) };
        let subject = subject("function", name, Path::new(file));
        let value = self.counter.count(Kind::Ruby, name, || self.send_old_call(vm, name, &subject, call));
        value.map(Some)
    }

    fn call_old(&self, vm: &mut Vm<'c>, name: &str, found: &Found<'c>, call: Call<'c, '_>) -> Eval<'c> {
        let subject = subject("function", name, &found.file);
        let known = self.ruby.functions.borrow().contains_key(name);
        if !known {
            self.refuse_irregular(&found.file)?;
            self.ask_ruby(vm, &subject, b'o', |vm, out| {
                let args = [name, &text(&found.file)].map(|text| vm.string(text));
                let args = vm.array(&args);
                self.put_value(vm, out, args, 0)
            })?;
            let loaded = Loaded {
                name: name.to_owned(),
                subject: subject.clone(),
                own_call: true,
                signatures: Vec::new(),
                mismatch: Vec::new(),
                methods: Vec::new(),
            };
            self.ruby.functions.borrow_mut().insert(name.to_owned(), Rc::new(loaded));
        }
        self.send_old_call(vm, name, &subject, call)
    }

    fn send_old_call(&self, vm: &mut Vm<'c>, name: &str, subject: &str, call: Call<'c, '_>) -> Eval<'c> {
        if call.args.iter().any(|arg| matches!(arg, Value::Iterator(_))) {
            return Err(Flow::raw("Use of an Iterator is not supported here"));
        }
        self.ask_ruby(vm, subject, b'g', |vm, out| {
            out.extend([6, 3]);
            let name = vm.string(name);
            self.put_value(vm, out, name, 0)?;
            self.put_scope(out, call.scope);
            let args = vm.array(call.args);
            self.put_value(vm, out, args, 0)
        })
    }
}

fn malformed<'c>() -> Box<Flow<'c>> {
    Flow::raw("the Ruby worker described a function in a form that is not known")
}

fn items(value: Value<'_>) -> &[Value<'_>] {
    match value {
        Value::Array(items) => items.items(),
        _ => &[],
    }
}

fn parts<'c, const N: usize>(value: Value<'c>) -> Eval<'c, [Value<'c>; N]> {
    items(value).try_into().map_err(|_| malformed())
}

fn type_of<'c>(vm: &mut Vm<'c>, ty: Value<'c>, locals: &Locals<'c>) -> Eval<'c, &'c Type<'c>> {
    match ty {
        Value::Type(ty) => Ok(ty),
        Value::Str(text) => types::parse_with(vm, &text, locals).map_err(|flow| match *flow {
            Flow::Fault(fault) => Flow::raw(format!(
                "Parsing of type string '\"{}\"' failed with message: <{}>.\n",
                text.as_str(),
                fault.diagnostic.message
            )),
            _ => flow,
        }),
        _ => Err(malformed()),
    }
}

fn load_error<'c>(name: &str, flow: Box<Flow<'c>>) -> Box<Flow<'c>> {
    match *flow {
        Flow::Fault(fault) => {
            let message = format!("Function Load Error for function '{name}': {}", fault.diagnostic.message);
            Flow::caused(Cause::FunctionLoad, message)
        }
        _ => flow,
    }
}
