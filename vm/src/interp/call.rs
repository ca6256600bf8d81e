//! Calls: what a name means, choosing a signature, binding parameters, running the body.

use crate::budget;
use crate::cause::Cause;
use crate::diagnostic::Diagnostic;
use crate::error::{Eval, Flow};
use crate::format::interpolate::to_interpolated;
use crate::function::{Call, Callee, Foreign, Native};
use crate::interp::operands::array_items;
use crate::loaded::{Linked, LoadedUnit, ParamInfo};
use crate::observer::Called;
use crate::raised::ARGUMENT_ERROR;
use crate::scope::{CallScope, Closure, Scope, ScopeKind, ScopeSpec};
use crate::site::Site;
use crate::types::accept::accepts;
use crate::types::check_fault;
use crate::types::instance::is_instance;
use crate::types::mismatch::signature::describe_arguments;
use crate::types::mismatch::value::assert_instance;
use crate::types::native_signature::signatures;
use crate::types::new::object::member;
use crate::types::signature::Signature;
use crate::types::ty::Type;
use crate::value::Value;
use crate::vm::Vm;
use std::rc::Rc;

fn without_root(name: &str) -> &str {
    name.strip_prefix("::").unwrap_or(name)
}

impl<'c> Vm<'c> {
    /// A call by name whose arguments stand in registers.
    #[inline(never)]
    pub(super) fn call_named(
        &mut self,
        unit: &'c LoadedUnit<'c>,
        name: u32,
        from: usize,
        count: usize,
        block: Option<&'c Closure<'c>>,
        scope: &'c Scope<'c>,
    ) -> Eval<'c> {
        // Most calls have few arguments: copy them out, for the callee may grow the registers.
        let mut few = [Value::Undef; 6];
        match few.get_mut(..count) {
            Some(args) => {
                args.copy_from_slice(&self.registers[from..from + count]);
                self.call_resolved(unit, name, &few[..count], block, scope)
            }
            None => {
                let args = self.registers[from..from + count].to_vec();
                self.call_resolved(unit, name, &args, block, scope)
            }
        }
    }

    /// `$value.name(…)`: objects and URIs have members, to everything else the value is the first argument.
    #[inline(never)]
    pub(super) fn call_method(
        &mut self,
        unit: &'c LoadedUnit<'c>,
        name: u32,
        from: usize,
        count: usize,
        block: Option<&'c Closure<'c>>,
        scope: &'c Scope<'c>,
    ) -> Eval<'c> {
        if let Some(value @ (Value::Object(_) | Value::Uri(_))) = self.registers.get(from).copied() {
            let args = self.registers.get(from + 1..from + count).unwrap_or_default().to_vec();
            if let Some(value) = member(self, value, unit.name(name), &args, block)? {
                return Ok(value);
            }
        }
        self.call_named(unit, name, from, count, block, scope)
    }

    /// `name(*args)`: they stand in an array.
    #[inline(never)]
    pub(super) fn call_splat(
        &mut self,
        unit: &'c LoadedUnit<'c>,
        name: u32,
        args: Value<'c>,
        block: Option<&'c Closure<'c>>,
        scope: &'c Scope<'c>,
    ) -> Eval<'c> {
        self.call_resolved(unit, name, array_items(args), block, scope)
    }

    fn call_resolved(
        &mut self,
        unit: &'c LoadedUnit<'c>,
        name: u32,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
        scope: &'c Scope<'c>,
    ) -> Eval<'c> {
        let cache = &unit.callees[name as usize];
        let Some(mut callee) = cache.get().map(|known| self.code.callee(known)) else {
            return self.call_first(unit, name, args, block, scope);
        };
        if let Callee::Foreign(foreign) = callee
            && foreign.may_be_defined
            && let Some(closure) = self.host.manifest_function(without_root(foreign.name))
        {
            callee = Callee::Puppet(closure);
            cache.set(Some(self.code.keep_callee(callee)));
        }
        self.call_callee(callee, args, block, scope.into())
    }

    /// The first call of a name in a unit.
    #[inline(never)]
    fn call_first(
        &mut self,
        unit: &'c LoadedUnit<'c>,
        name: u32,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
        scope: &'c Scope<'c>,
    ) -> Eval<'c> {
        let (cache, name) = (&unit.callees[name as usize], unit.name(name));
        if let Some(callee) = self.find_callee(name, unit.module)? {
            cache.set(Some(self.code.keep_callee(callee)));
            return self.call_callee(callee, args, block, scope.into());
        }
        let may_be_defined = !without_root(name).contains("::");
        let foreign = Foreign { name, may_be_defined, number: None };
        let value = self.call_foreign(foreign, args, block, scope)?;
        let number = self.host.foreign_number(name, unit.module);
        cache.set(Some(self.code.keep_callee(Callee::Foreign(Foreign { number, ..foreign }))));
        Ok(value)
    }

    fn find_callee(&mut self, name: &str, module: &str) -> Eval<'c, Option<Callee<'c>>> {
        let name = without_root(name);
        // What a manifest has defined hides what comes with the language.
        if let Some(closure) = self.host.manifest_function(name) {
            return Ok(Some(Callee::Puppet(closure)));
        }
        if let Some(native) = self.host.native(name, module) {
            return Ok(Some(Callee::Native(native)));
        }
        Ok(self.host.function(self, name, module)?.map(Callee::Puppet))
    }

    #[inline]
    fn call_callee(
        &mut self,
        callee: Callee<'c>,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
        scope: CallScope<'c>,
    ) -> Eval<'c> {
        match callee {
            Callee::Native(native) => self.call_native(native, args, block, scope),
            Callee::Puppet(closure) => {
                if block.is_some() {
                    let name = closure.name.unwrap_or_default();
                    return Err(Flow::raw(format!("'{name}' does not expect a block")));
                }
                self.call_puppet_function(closure, args)
            }
            Callee::Foreign(foreign) => self.call_foreign(foreign, args, block, scope),
        }
    }

    fn call_foreign(
        &mut self,
        Foreign { name, number, .. }: Foreign<'c>,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
        scope: impl Into<CallScope<'c>>,
    ) -> Eval<'c> {
        let call = Call { args, block, scope: scope.into() };
        if let Some(number) = number {
            return self.host.call_foreign(self, number, call);
        }
        match self.host.foreign(self, name, call)? {
            Some(value) => Ok(value),
            None => Err(Flow::issue("UNKNOWN_FUNCTION", format!("Unknown function: '{name}'."))),
        }
    }

    /// Calls a function as code in Ruby does by a method of a scope (`function_include`), of which some warn.
    ///
    /// # Errors
    /// As of [`Vm::call_function`].
    pub fn call_by_method(
        &mut self,
        name: &str,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
        scope: impl Into<CallScope<'c>>,
    ) -> Eval<'c> {
        let warn = |vm: &Vm<'c>| {
            let message = format!(
                "Calling function_{name} via the Scope class is deprecated. Use Scope#call_function instead\n   \
                 (file & line not available)"
            );
            vm.host.warn_once_for(&format!("deprecated:3xfunction#{name}"), &message);
        };
        if name == "contain" {
            warn(self);
        }
        let value = self.call_function(name, args, block, scope)?;
        if matches!(name, "include" | "require") {
            warn(self);
        }
        Ok(value)
    }

    /// Calls a function by name as an expression in `scope` would.
    ///
    /// # Errors
    /// When there is no such function; those of calling it.
    pub fn call_function(
        &mut self,
        name: &str,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
        scope: impl Into<CallScope<'c>>,
    ) -> Eval<'c> {
        let scope = scope.into();
        match self.call_known(name, scope.look().module, args, block, scope)? {
            Some(value) => Ok(value),
            None => match self.host.foreign(self, name, Call { args, block, scope })? {
                Some(value) => Ok(value),
                None => Err(Flow::raw(format!("Unknown function '{name}'"))),
            },
        }
    }

    /// Calls a native function or one in the Puppet language, as code of `module` sees the name; none where there is no
    /// such function.
    ///
    /// # Errors
    /// Those of calling it.
    pub fn call_known(
        &mut self,
        name: &str,
        module: &str,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
        scope: impl Into<CallScope<'c>>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let scope = scope.into();
        match self.find_callee(name, module)? {
            Some(callee) => self.call_callee(callee, args, block, scope).map(Some),
            None => Ok(None),
        }
    }

    /// Whether code of `module` sees a native function, or one in the Puppet language, by a name.
    ///
    /// # Errors
    /// Those of loading its file.
    pub fn knows_function(&mut self, name: &str, module: &str) -> Eval<'c, bool> {
        Ok(self.find_callee(name, module)?.is_some())
    }

    /// Calls a native function: picks its signature, checks types.
    ///
    /// # Errors
    /// When no signature accepts the arguments; those of the function.
    pub fn call_native(
        &mut self,
        native: &'static Native,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
        scope: impl Into<CallScope<'c>>,
    ) -> Eval<'c> {
        let scope = scope.into();
        self.counted(Called::Native(native.name), |vm| vm.run_native(native, args, block, scope))
    }

    /// Calls a native function without telling the observer: for a function that is one with its caller.
    ///
    /// # Errors
    /// As of [`Vm::call_native`].
    pub fn run_native(
        &mut self,
        native: &'static Native,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
        scope: CallScope<'c>,
    ) -> Eval<'c> {
        let address = std::ptr::from_ref(native).addr();
        let signatures = match self.types.signatures.get(&address) {
            Some(known) => known.clone(),
            None => {
                let parsed = Rc::new(signatures(self, native)?);
                self.types.signatures.insert(address, parsed.clone());
                parsed
            }
        };
        let call = Call { args, block, scope };
        for (signature, dispatch) in signatures.0.iter().zip(native.dispatches) {
            if accepts(self, signature, args, block)? {
                let result = budget::releasing(|| (dispatch.body)(self, call));
                check_fault::raise()?;
                let result = result?;
                if let Some(returns) = signature.callable.returns {
                    self.assert_returned(native.name, returns, result)?;
                }
                return Ok(result);
            }
        }
        for (signature, dispatch) in signatures.1.iter().zip(native.mismatches) {
            if accepts(self, signature, args, block)? {
                let message = (dispatch.body)(self, call)?;
                let text = to_interpolated(message);
                return Err(Flow::raw(format!("'{}' {text}", native.name)));
            }
        }
        Err(Flow::raw(describe_arguments(self, native.name, &signatures.0, args, block)))
    }

    /// Whether a signature takes a call with these arguments and this lambda.
    ///
    /// # Errors
    /// Those of evaluating a lambda's parameter types.
    pub fn accepts(
        &mut self,
        signature: &Signature<'c>,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
    ) -> Eval<'c, bool> {
        accepts(self, signature, args, block)
    }

    fn assert_returned(&mut self, name: &str, returns: &'c Type<'c>, value: Value<'c>) -> Eval<'c, ()> {
        if matches!(returns, Type::Any) {
            return Ok(());
        }
        assert_instance(self, format_args!("value returned from {name}"), returns, value)
    }

    /// Calls a lambda with arguments by position: types checked, defaults filled in. `next` ends it with a value.
    ///
    /// # Errors
    /// Wrong arguments; those of the body; `break` and `return` on their way out.
    pub fn call(&mut self, closure: &'c Closure<'c>, args: &[Value<'c>]) -> Eval<'c> {
        if closure.name.is_some() {
            return self.call_puppet_function(closure, args);
        }
        self.call_closure(closure, args)
    }

    #[inline]
    fn call_puppet_function(&mut self, closure: &'c Closure<'c>, args: &[Value<'c>]) -> Eval<'c> {
        let name = closure.name.unwrap_or_default();
        match self.counted(Called::Puppet(name), |vm| vm.call_closure(closure, args)) {
            Err(flow) => match *flow {
                Flow::Return(value, _) => Ok(value),
                // `break` goes on to the iteration that has led here.
                _ => Err(flow),
            },
            ok => ok,
        }
    }

    /// Runs something that calls are counted of, and tells the observer of it where there is one.
    pub fn counted<T>(&mut self, callee: Called<'_>, run: impl FnOnce(&mut Self) -> T) -> T {
        let Some(observer) = self.observer else { return run(self) };
        observer.call_begins(callee);
        let result = run(self);
        observer.call_ends();
        result
    }

    fn call_closure(&mut self, closure: &'c Closure<'c>, args: &[Value<'c>]) -> Eval<'c> {
        let linked = self.link(closure.chunk)?;
        let scope = match closure.take_spare() {
            Some(scope) => scope,
            None => self.new_scope(ScopeSpec {
                kind: ScopeKind::Local,
                names: linked.shape,
                parent: Some(closure.scope),
                declared_in: None,
                name: closure.scope.name,
                module: linked.unit.module,
            }),
        };
        // A lambda matches for the body that it was written in, a function for itself.
        let body = if closure.name.is_some() { scope.as_body() } else { closure.scope.body() };
        let left = self.enter_body(body);
        let result = self.bind(closure, linked, scope, args).and_then(|()| self.execute(linked, scope));
        self.leave_body(left);
        let result = match result {
            Err(flow) => match *flow {
                Flow::Next(value, _) => value,
                _ => return Err(flow),
            },
            Ok(value) => value,
        };
        if linked.code.chunk.return_chunk.is_some() {
            let returns = self.return_type(linked)?;
            self.assert_returned(closure.name.unwrap_or("lambda"), returns, result)?;
        }
        closure.give_back(scope);
        Ok(result)
    }

    /// Gives each parameter its argument or default and checks its type.
    fn bind(
        &mut self,
        closure: &'c Closure<'c>,
        linked: &'c Linked<'c>,
        scope: &'c Scope<'c>,
        args: &[Value<'c>],
    ) -> Eval<'c, ()> {
        let params = linked.params;
        // A lambda takes more arguments than it has parameters; a function does not.
        if linked.plain && (args.len() == params.len() || args.len() > params.len() && closure.name.is_none())
        {
            for (param, value) in params.iter().zip(args) {
                scope.slots[param.slot as usize].set(Some(*value));
            }
            return Ok(());
        }
        if linked.refused
            && let Some(message) = ParamInfo::refused(params)
        {
            return Err(Flow::raw(message));
        }
        self.check_param_order(linked)?;
        let mut sound = true;
        for (n, param) in params.iter().enumerate() {
            let slot = &scope.slots[param.slot as usize];
            // Nearly always an argument is given, and is the parameter's value as it is.
            let value = match args.get(n) {
                Some(value) if !param.captures_rest => *value,
                _ => match self.argument(closure, linked, scope, args, n)? {
                    Some(value) => value,
                    None => {
                        sound = false;
                        break;
                    }
                },
            };
            slot.set(Some(value));
            if param.typed {
                let ty = self.linked_param_type(linked, n)?;
                sound = sound
                    && if param.captures_rest {
                        self.rest_fits(ty, value)
                    } else {
                        is_instance(self, ty, value)
                    };
            }
        }
        check_fault::raise()?;
        let rest_given = || params.iter().take(args.len()).any(|param| param.captures_rest);
        if sound && (closure.name.is_none() || args.len() <= params.len() || rest_given()) {
            return Ok(());
        }
        let signature = self.closure_signature(closure)?;
        // Puppet describes the arguments with the defaults filled in.
        let mut given: Vec<Value<'c>> = Vec::new();
        for param in params {
            match scope.slots[param.slot as usize].get() {
                Some(Value::Array(items)) if param.captures_rest => given.extend(items.items()),
                Some(value) => given.push(value),
                None => break,
            }
        }
        let given = if given.len() < args.len() || given.len() < params.len() { args } else { &given };
        let name = closure.name.unwrap_or("lambda");
        let message = describe_arguments(self, name, &[signature], given, None);
        Err(Flow::caused(Cause::UnfitArguments, message).raised_as(ARGUMENT_ERROR))
    }

    /// The value of the n-th parameter: an argument, the rest of them, or the default; none where a function lacks one.
    #[inline]
    fn argument(
        &mut self,
        closure: &'c Closure<'c>,
        linked: &'c Linked<'c>,
        scope: &'c Scope<'c>,
        args: &[Value<'c>],
        n: usize,
    ) -> Eval<'c, Option<Value<'c>>> {
        let param = &linked.params[n];
        Ok(Some(match args.get(n) {
            Some(_) if param.captures_rest => {
                let rest = &args[n..];
                if let ([Value::Undef], true) = (rest, param.has_default) {
                    self.rest_default(closure, n, scope)?
                } else {
                    self.array(rest)
                }
            }
            Some(value) => *value,
            None if param.has_default && param.captures_rest => self.rest_default(closure, n, scope)?,
            None if param.has_default => {
                self.param_default(closure.chunk, n, scope, &closure.name.unwrap_or("lambda"))?
            }
            None if param.captures_rest => self.array(&[]),
            None if closure.name.is_none() => {
                let message = format!("Parameter ${} is required but no value was given", param.name);
                return Err(self.param_fault("MISSING_REQUIRED_PARAMETER", message, linked, n));
            }
            None => return Ok(None),
        }))
    }

    /// Required parameters come before those that may be left out.
    fn check_param_order(&mut self, linked: &'c Linked<'c>) -> Eval<'c, ()> {
        let params = linked.params;
        let Some(optional) = params.iter().position(|p| p.has_default || p.captures_rest) else {
            return Ok(());
        };
        let mut wrong = params[optional..].iter().position(|p| !p.has_default && !p.captures_rest);
        // What takes the rest may want some of it.
        if wrong.is_none()
            && let Some(last) = params.len().checked_sub(1).filter(|last| *last > optional)
            && params[last].captures_rest
            && params[last].typed
            && let Type::Array { size, .. } = self.linked_param_type(linked, last)?
            && size.min.is_some_and(|min| min > 0)
        {
            wrong = Some(last - optional);
        }
        match wrong {
            None => Ok(()),
            Some(behind) => {
                let n = optional + behind;
                let message = format!(
                    "Parameter ${} is required but appears after optional parameters",
                    params[n].name
                );
                Err(self.param_fault("REQUIRED_PARAMETER_AFTER_OPTIONAL", message, linked, n))
            }
        }
    }

    /// An issue at the place of a parameter.
    #[cold]
    fn param_fault(
        &self,
        code: &'static str,
        message: String,
        linked: &'c Linked<'c>,
        n: usize,
    ) -> Box<Flow<'c>> {
        let (line, column) = linked.code.chunk.param(n).at;
        let site = Site { file: linked.unit.file, line, column };
        let diagnostic = Diagnostic::error(format!("Evaluation Error: {message}"));
        Flow::formed(diagnostic.with_code(code).at(site.place()))
    }

    fn rest_default(&mut self, closure: &'c Closure<'c>, n: usize, scope: &'c Scope<'c>) -> Eval<'c> {
        let value = self.param_default(closure.chunk, n, scope, &closure.name.unwrap_or("lambda"))?;
        Ok(if matches!(value, Value::Array(_)) { value } else { self.array(&[value]) })
    }

    /// Whether the captured array fits: an Array type bounds the array itself, any other its elements.
    fn rest_fits(&mut self, ty: &'c Type<'c>, value: Value<'c>) -> bool {
        match (ty, value) {
            (Type::Array { .. }, _) => is_instance(self, ty, value),
            (_, Value::Array(items)) => items.items().iter().all(|item| is_instance(self, ty, *item)),
            _ => false,
        }
    }
}
