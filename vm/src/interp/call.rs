//! Calls: what a name means, choosing a signature, binding parameters, running the body.

use crate::budget;
use crate::closure::Closure;
use crate::diagnostic::Diagnostic;
use crate::error::{Eval, Flow};
use crate::function::{Call, Native};
use crate::loaded::{Callee, Linked, LoadedUnit};
use crate::observer::Called;
use crate::scope::{Scope, ScopeKind, ScopeSpec};
use crate::types::{self, Signature, Type};
use crate::unit::ChunkRef;
use crate::value::Value;
use crate::vm::Vm;

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
            if let Some(value) = types::new::member(self, value, unit.name(name), &args, block)? {
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
        self.call_resolved(unit, name, super::array_items(args), block, scope)
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
        let callee = match cache.get() {
            Some(callee) => callee,
            None => match self.find_callee(unit.name(name), unit.module)? {
                Some(callee) => {
                    cache.set(Some(callee));
                    callee
                }
                None => return self.call_foreign(unit.name(name), args, block, scope),
            },
        };
        self.call_callee(callee, args, block, scope)
    }

    fn find_callee(&mut self, name: &str, module: &str) -> Eval<'c, Option<Callee<'c>>> {
        let name = name.strip_prefix("::").unwrap_or(name);
        // What a manifest has defined hides what comes with the language.
        if let Some(closure) = self.host.manifest_function(name) {
            return Ok(Some(Callee::Puppet(closure)));
        }
        if let Some(native) = self.host.native(name, module) {
            return Ok(Some(Callee::Native(native)));
        }
        Ok(self.host.function(self, name, module)?.map(Callee::Puppet))
    }

    fn call_callee(
        &mut self,
        callee: Callee<'c>,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
        scope: &'c Scope<'c>,
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
        }
    }

    #[cold]
    fn call_foreign(
        &mut self,
        name: &str,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
        scope: &'c Scope<'c>,
    ) -> Eval<'c> {
        scope.keep();
        match self.host.foreign(self, name, Call { args, block, scope })? {
            Some(value) => Ok(value),
            None => Err(Flow::issue("UNKNOWN_FUNCTION", format!("Unknown function: '{name}'."))),
        }
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
        scope: &'c Scope<'c>,
    ) -> Eval<'c> {
        match self.call_known(name, scope.module, args, block, scope)? {
            Some(value) => Ok(value),
            None => {
                scope.keep();
                match self.host.foreign(self, name, Call { args, block, scope })? {
                    Some(value) => Ok(value),
                    None => Err(Flow::raw(format!("Unknown function '{name}'"))),
                }
            }
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
        scope: &'c Scope<'c>,
    ) -> Eval<'c, Option<Value<'c>>> {
        match self.find_callee(name, module)? {
            Some(callee) => self.call_callee(callee, args, block, scope).map(Some),
            None => Ok(None),
        }
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
        scope: &'c Scope<'c>,
    ) -> Eval<'c> {
        self.counted(Called::Native(native), |vm| vm.run_native(native, args, block, scope))
    }

    /// The same without telling the host: for a function that is one with its caller.
    ///
    /// # Errors
    /// As of [`Vm::call_native`].
    pub fn run_native(
        &mut self,
        native: &'static Native,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
        scope: &'c Scope<'c>,
    ) -> Eval<'c> {
        let signatures = match self.signatures.get(&(native as *const Native)) {
            Some(known) => known.clone(),
            None => {
                let parsed = std::rc::Rc::new(types::signatures(self, native)?);
                self.signatures.insert(native, parsed.clone());
                parsed
            }
        };
        if native.keeps_scope {
            scope.keep();
        }
        let call = Call { args, block, scope };
        for (signature, dispatch) in signatures.0.iter().zip(native.dispatches) {
            if self.accepts(signature, args, block)? {
                let result = budget::releasing(|| (dispatch.body)(self, call));
                types::noted()?;
                let result = result?;
                if let Some(returns) = signature.callable.returns {
                    self.assert_returned(native.name, returns, result)?;
                }
                return Ok(result);
            }
        }
        for (signature, dispatch) in signatures.1.iter().zip(native.mismatches) {
            if self.accepts(signature, args, block)? {
                let message = (dispatch.body)(self, call)?;
                let text = crate::format::to_interpolated(message);
                return Err(Flow::raw(format!("'{}' {text}", native.name)));
            }
        }
        Err(Flow::raw(types::mismatch::describe_arguments(self, native.name, &signatures.0, args, block)))
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
        let callable = &signature.callable;
        if !callable.range().contains(args.len() as i64) {
            return Ok(false);
        }
        for (n, arg) in args.iter().enumerate() {
            let Some(ty) = callable.params.get(n).or(callable.params.last()) else { return Ok(false) };
            let fits = types::is_instance(self, ty, *arg);
            types::noted()?;
            if !fits {
                return Ok(false);
            }
        }
        match (callable.block, block) {
            (None, block) => Ok(block.is_none()),
            (Some(ty), None) => Ok(matches!(ty, Type::Optional(_))),
            (Some(ty), Some(block)) => {
                let own = types::of_closure(self, block)?;
                Ok(types::is_assignable(self.arena, ty, own))
            }
        }
    }

    fn assert_returned(&mut self, name: &str, returns: &'c Type<'c>, value: Value<'c>) -> Eval<'c, ()> {
        if matches!(returns, Type::Any) {
            return Ok(());
        }
        types::mismatch::assert_instance(self, &format!("value returned from {name}"), returns, value)
    }

    /// Calls a lambda with arguments by position: types checked, defaults filled in. `next` ends it with a value.
    ///
    /// # Errors
    /// Wrong arguments; those of the body; `break` and `return` on their way out.
    pub fn call(&mut self, closure: &'c Closure<'c>, args: &[Value<'c>]) -> Eval<'c> {
        if closure.name.is_some() {
            return self.call_puppet_function(closure, args);
        }
        let matches = self.matches.len();
        let result = self.call_closure(closure, args);
        self.matches.truncate(matches);
        result
    }

    fn call_puppet_function(&mut self, closure: &'c Closure<'c>, args: &[Value<'c>]) -> Eval<'c> {
        let floor = std::mem::replace(&mut self.matches_floor, self.matches.len());
        let name = closure.name.unwrap_or_default();
        let result = self.counted(Called::Puppet(name), |vm| vm.call_closure(closure, args));
        self.matches.truncate(self.matches_floor);
        self.matches_floor = floor;
        match result {
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
        self.bind(closure, linked, scope, args)?;
        let result = match self.execute(linked, scope) {
            Err(flow) => match *flow {
                Flow::Next(value, _) => value,
                _ => return Err(flow),
            },
            Ok(value) => value,
        };
        if linked.chunk.return_chunk.is_some() {
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
        self.check_param_order(linked)?;
        let mut sound = true;
        let mut rest_given = false;
        for (n, param) in params.iter().enumerate() {
            let slot = &scope.slots[param.slot as usize];
            let value = match args.get(n) {
                Some(_) if param.captures_rest => {
                    rest_given = true;
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
                None => {
                    sound = false;
                    break;
                }
            };
            slot.set(Some(value));
            if param.typed {
                let ty = self.linked_param_type(linked, n)?;
                sound = sound
                    && if param.captures_rest {
                        self.rest_fits(ty, value)
                    } else {
                        types::is_instance(self, ty, value)
                    };
            }
        }
        types::noted()?;
        if sound && (rest_given || closure.name.is_none() || args.len() <= params.len()) {
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
        Err(Flow::raw(types::mismatch::describe_arguments(self, name, &[signature], given, None)))
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
        let (line, column) = linked.chunk.param(n).at;
        let site = crate::host::Site { file: linked.unit.file, line, column };
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
            (Type::Array { .. }, _) => types::is_instance(self, ty, value),
            (_, Value::Array(items)) => items.items().iter().all(|item| types::is_instance(self, ty, *item)),
            _ => false,
        }
    }

    /// The declared type of a parameter of a linked chunk, evaluated once.
    pub(crate) fn linked_param_type(&mut self, linked: &'c Linked<'c>, n: usize) -> Eval<'c, &'c Type<'c>> {
        if let Some(ty) = linked.param_types[n].get() {
            return Ok(ty);
        }
        let at = ChunkRef { unit: linked.unit.id, chunk: linked.chunk.number };
        let ty = match linked.chunk.param(n).type_chunk {
            Some(chunk) => match self.sound(at) {
                Some(sound) => sound.types[n].make(self)?,
                None => self.type_of_chunk(linked, chunk)?,
            },
            None => &Type::Any,
        };
        Ok(linked.param_types[n].get_or_init(|| ty))
    }

    fn return_type(&mut self, linked: &'c Linked<'c>) -> Eval<'c, &'c Type<'c>> {
        if let Some(ty) = linked.return_type.get() {
            return Ok(ty);
        }
        let ty = match linked.chunk.return_chunk {
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
                let actual = types::print(types::infer(self, other));
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
    pub fn evaluate_definition(&mut self, what: &str, chunk: ChunkRef) -> Eval<'c, crate::value::Hash<'c>> {
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
        match types::of_closure(self, closure)? {
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
        if linked.chunk.return_chunk.is_none() {
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
}
