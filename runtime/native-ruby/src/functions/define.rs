//! The words with which files define functions: `create_function`, `dispatch`, `param` …, `newfunction`.

use super::definition::{Dispatch, Knot, NewFunction, Often, OldFunction};
use crate::eval::{Done, Run, Unwind};
use crate::for_ruby::ForRuby;
use crate::tree::{Block, Expr, MethodCall, Program};
use crate::value::object::{ClassRef, Method, Module, Object};
use crate::value::{Class, Frame, V};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// A name given as symbol or string.
fn name_of(value: &V<'_>) -> Option<String> {
    match value {
        V::Symbol(name) => Some((*name).to_owned()),
        value => value.text().map(|text| text.to_string()),
    }
}

impl<'c> Run<'_, 'c> {
    /// `Puppet::Functions.create_function(:name, base) do … end`
    pub(crate) fn create_function(&mut self, args: &[V<'c>], call: &'c MethodCall) -> Done<'c> {
        let unusual = || Unwind::from(ForRuby("a function that is made otherwise"));
        let (name, base) = match args {
            [name] => (name, Class::Function),
            [name, V::Class(base @ (Class::Function | Class::InternalFunction))] => (name, *base),
            _ => return Err(unusual()),
        };
        let name = name_of(name).ok_or_else(unusual)?;
        let Some(Block::Body(body)) = &call.block else { return Err(unusual()) };
        let module = Rc::new(Module::new(name.clone(), Some(ClassRef::Builtin(base))));
        self.space.add(&module);
        let outer =
            (std::mem::take(&mut self.defining.dispatches), std::mem::take(&mut self.defining.local_types));
        let this = V::Module(module.clone());
        let around = self.enter_body(false);
        let done = self.back_in(Frame { this, ..self.frame.clone() }, |run| run.eval(&body.body));
        self.leave_body(around);
        let dispatches = std::mem::replace(&mut self.defining.dispatches, outer.0);
        let local_types = std::mem::replace(&mut self.defining.local_types, outer.1);
        done?;
        let dispatches = match dispatches.is_empty() {
            true => vec![default_dispatch(&module, &name).ok_or_else(unusual)?],
            false => dispatches,
        };
        let methods = dispatches.iter().map(|dispatch| module.find(&dispatch.method));
        let methods = methods.collect::<Option<Vec<_>>>().ok_or_else(unusual)?;
        let owner = self.engine.owner.borrow().clone();
        let program = self.frame.program;
        module.sets_first.set(sets_first(program, &module, &dispatches));
        let function = NewFunction {
            name,
            object: Rc::new(Object { class: module.clone(), variables: RefCell::default() }),
            owner,
            program,
            dispatches,
            methods,
            own_call: module.find("call"),
            local_types,
            changes: Cell::new(false),
            looks_at_key: Cell::new(false),
            methods_do: OnceCell::new(),
        };
        self.space.add_new_function(function);
        Ok(V::Module(module))
    }

    /// A word in the body of a function of the 4.x interface; none for others.
    pub(crate) fn word_of_function(
        &mut self,
        name: &str,
        args: &[V<'c>],
        call: &'c MethodCall,
    ) -> Done<'c, Option<V<'c>>> {
        if self.defining.building.is_some() {
            return self.word_of_dispatch(name, args).map(Some);
        }
        let body = match &call.block {
            Some(Block::Body(body)) => &body.body,
            _ => return Ok(None),
        };
        match (name, args) {
            ("dispatch" | "argument_mismatch", [method]) => {
                let method = name_of(method).ok_or(ForRuby("a method without a name"))?;
                self.defining.building =
                    Some(Dispatch { method, tells_mismatch: name != "dispatch", ..Dispatch::default() });
                let done = self.eval(body);
                let built = self.defining.building.take();
                done?;
                self.defining.dispatches.extend(built);
            }
            ("local_types", []) => {
                self.defining.building = Some(Dispatch::default());
                let done = self.eval(body);
                self.defining.building = None;
                done?;
            }
            _ => return Ok(None),
        }
        Ok(Some(V::Nil))
    }

    fn word_of_dispatch(&mut self, name: &str, args: &[V<'c>]) -> Done<'c> {
        let often = match name {
            "param" | "required_param" => Some(Often::Once),
            "optional_param" => Some(Often::Optional),
            "repeated_param" | "optional_repeated_param" => Some(Often::Any),
            "required_repeated_param" => Some(Often::AtLeastOnce),
            _ => None,
        };
        let unusual = || Unwind::from(ForRuby("a signature of another form"));
        let dispatch = self.defining.building.as_mut().ok_or_else(unusual)?;
        match (name, args) {
            (_, [ty, V::Symbol(name)]) if often.is_some() => {
                let ty = ty.text().ok_or_else(unusual)?.to_string();
                let often = often.unwrap_or(Often::Once);
                dispatch.add(ty, (*name).to_owned(), often).ok_or_else(unusual)?;
            }
            ("return_type", [ty]) => dispatch.returns = Some(ty.text().ok_or_else(unusual)?.to_string()),
            ("scope_param", []) => {
                dispatch.weaving.push(Knot::Scope);
                dispatch.woven = true;
            }
            ("block_param" | "required_block_param" | "optional_block_param", args) => {
                let (ty, block) = match args {
                    [] => ("Callable".to_owned(), "block"),
                    [V::Symbol(block)] => ("Callable".to_owned(), *block),
                    [ty, V::Symbol(block)] => (ty.text().ok_or_else(unusual)?.to_string(), *block),
                    _ => return Err(unusual()),
                };
                let known = ["Callable", "Variant", "Optional"];
                if dispatch.block.is_some() || !known.iter().any(|known| ty.trim_start().starts_with(known)) {
                    return Err(unusual());
                }
                dispatch.block = Some((ty, block.to_owned(), name == "optional_block_param"));
            }
            ("type", [text]) => {
                let text = text.text().ok_or_else(unusual)?.to_string();
                self.defining.local_types.push(text);
            }
            _ => return Err(unusual()),
        }
        Ok(V::Nil)
    }

    /// `newfunction(:name, …) do |args| … end`
    pub(crate) fn new_function(&mut self, args: &[V<'c>], call: &'c MethodCall) -> Done<'c> {
        let unusual = || Unwind::from(ForRuby("a function that is made otherwise"));
        let (name, options) = match args {
            [name] => (name, Vec::new()),
            [name, options] => (name, options.entries()?.ok_or_else(unusual)?),
            _ => return Err(unusual()),
        };
        let name = name_of(name).ok_or_else(unusual)?;
        let Some(Block::Body(body)) = &call.block else { return Err(unusual()) };
        let (mut rvalue, mut arity) = (false, -1);
        for (key, value) in options {
            match (key, value) {
                (V::Symbol("type"), V::Symbol("rvalue")) => rvalue = true,
                (V::Symbol("type"), V::Symbol("statement")) => rvalue = false,
                (V::Symbol("arity"), V::Int(number)) => arity = number,
                (V::Symbol("doc"), _) => {}
                _ => return Err(unusual()),
            }
        }
        let mut made = self.proc_of(body, true);
        // The block becomes a method of the scope.
        if let Some(home) = &mut made.home {
            home.this = V::Scope;
        }
        if let Some(file) = &self.file
            && file.file_stem().is_none_or(|stem| stem.to_str() != Some(&name))
        {
            self.space.note_beside(file);
        }
        let function = Rc::new(OldFunction {
            name: name.clone(),
            body: Rc::new(made),
            around: OnceCell::new(),
            rvalue,
            arity,
        });
        self.note_around(&function);
        self.space.add_old_function(function);
        Ok(V::Symbol(self.vm.arena.alloc_str(&name)))
    }

    /// Calls a function of the 3.x interface with its arguments, an array.
    pub(crate) fn call_old_function(&mut self, function: &OldFunction<'c>, args: V<'c>) -> Done<'c> {
        let Some(count) = args.size().filter(|_| matches!(args, V::Array(_) | V::List(_))) else {
            return Err(Unwind::error(
                Class::ArgumentError,
                "custom functions must be called with a single array that contains the arguments. For example, \
                 function_example([1]) instead of function_example(1)",
            ));
        };
        let (name, arity) = (&function.name, function.arity);
        let least = (arity + 1).unsigned_abs() as usize;
        if arity >= 0 && count as i64 != arity {
            let message = format!("{name}(): Wrong number of arguments given ({count} for {arity})");
            return Err(Unwind::error(Class::ArgumentError, message));
        }
        if arity < 0 && count < least {
            let message = format!("{name}(): Wrong number of arguments given ({count} for minimum {least})");
            return Err(Unwind::error(Class::ArgumentError, message));
        }
        let result = self.run_old_function(function, args)?;
        match function.rvalue {
            true => Ok(from_old(result)?),
            false => Ok(V::Nil),
        }
    }
}

/// A result of a function of the 3.x interface: `:undef` stands for nil.
fn from_old(value: V<'_>) -> Result<V<'_>, ForRuby> {
    Ok(match value {
        V::Symbol("undef") => V::Nil,
        V::List(ref items) if !items.borrow().is_empty() => {
            let items = items.borrow().iter().cloned().map(from_old).collect::<Result<Vec<_>, _>>()?;
            V::list(items)
        }
        V::Map(_) => {
            let entries = value.entries()?.unwrap_or_default();
            let entries = entries.into_iter().map(|(key, value)| Ok((from_old(key)?, from_old(value)?)));
            V::map(entries.collect::<Result<Vec<_>, ForRuby>>()?)?
        }
        value => value,
    })
}

/// Whether each method of a signature begins with setting all instance variables that the file names, to values that
/// depend on none of them.
fn sets_first(program: &Program, module: &Rc<Module<'_>>, dispatches: &[Dispatch]) -> bool {
    let plain = |value: &Expr| {
        value.is_plain()
            || matches!(value, Expr::Array(items) if items.is_empty())
            || matches!(value, Expr::Hash(pairs) if pairs.is_empty())
    };
    let sets_all = |body: &Expr| {
        let statements = match body {
            Expr::Sequence(statements) => &**statements,
            one => std::slice::from_ref(one),
        };
        let mut set = vec![false; program.variables.len()];
        for statement in statements {
            match statement {
                Expr::SetVariable(number, value) if plain(value) => set[*number as usize] = true,
                _ => break,
            }
        }
        set.into_iter().all(|set| set)
    };
    module.find("call").is_none()
        && dispatches.iter().all(|dispatch| match module.find(&dispatch.method) {
            Some((_, Method::Body { program: of, number, .. })) => {
                std::ptr::eq(of, program) && sets_all(&of.methods[number as usize].body)
            }
            _ => false,
        })
}

/// Without a `dispatch` the method of the function's name takes whatever its Ruby parameters take.
fn default_dispatch(module: &Rc<Module<'_>>, name: &str) -> Option<Dispatch> {
    use crate::tree::AssignTarget::{Local, Rest};
    let method = name.rsplit("::").next()?.to_owned();
    let Some((_, Method::Body { program, number, .. })) = module.find(&method) else { return None };
    let body = &program.methods[number as usize];
    let params = &body.params;
    let plain = params.keywords.is_empty() && params.keyword_rest.is_none() && params.block.is_none();
    let mut dispatch = Dispatch { method, ..Dispatch::default() };
    let add = |dispatch: &mut Dispatch, often| {
        let place = dispatch.params.len();
        dispatch.add("Any".to_owned(), body.names.get(place)?.to_string(), often)
    };
    for target in &params.required {
        matches!(target, Local(_)).then_some(())?;
        add(&mut dispatch, Often::Once)?;
    }
    for (target, _) in &params.optional {
        matches!(target, Local(_)).then_some(())?;
        add(&mut dispatch, Often::Optional)?;
    }
    if let Some(rest) = &params.rest {
        matches!(rest, Rest(Some(_))).then_some(())?;
        add(&mut dispatch, Often::Any)?;
    }
    (plain && params.after.is_empty()).then_some(dispatch)
}
