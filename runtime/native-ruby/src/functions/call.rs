//! Functions as the compile calls them: what their signatures are, what a call gives.

use super::definition::{Dispatch, Knot, NewFunction, Often, OldFunction};
use super::journal::Journal;
use crate::erb::templating::Templating;
use crate::eval::{self, Beginning, Ending, Run, Unwind};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::space::Load;
use crate::tree::Program;
use crate::value::object::{ClassRef, ErrorValue, ProcBody};
use crate::value::{Class, V};
use crate::world::NativeWorld;
use bunraku_vm::error::Flow;
use bunraku_vm::function::Call;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A function and its file.
#[derive(Clone, Copy)]
pub struct Function<'f> {
    /// Its name.
    pub name: &'f str,
    /// Its file.
    pub file: &'f Path,
    /// The module that the file lies in.
    pub module: &'f str,
}

/// What became of a call.
pub enum Called<'c> {
    /// It has a value.
    Value(Value<'c>),
    /// It has raised an error with this message, of the place in Puppet code that it names.
    Raised(String, Option<(String, u32)>),
    /// Code of the compile that it called has failed, or leaves.
    Left(Box<Flow<'c>>),
    /// It is Ruby's; what it has asked by then.
    ForRuby(Journal<'c>),
}

/// What calls a function: the compile, through its machine.
pub(crate) struct Caller<'e, 'c> {
    pub engine: &'e Templating<'c>,
    pub world: &'e dyn NativeWorld<'c>,
    pub vm: &'e mut Vm<'c>,
}

impl<'c> Templating<'c> {
    /// The signatures of a function of the 4.x interface, in the form that the Ruby worker tells them in; none where its
    /// file is Ruby's.
    pub fn describe(
        &self,
        world: &dyn NativeWorld<'c>,
        vm: &mut Vm<'c>,
        function: Function<'_>,
    ) -> Option<Value<'c>> {
        let Some(found) = self.new_function(world, vm, function) else {
            world.needs_ruby(function.name, &|| self.space().failure(function.file));
            return None;
        };
        if found.module.find("call").is_some() {
            world.needs_ruby(function.name, &|| "a `call` of its own".to_owned());
            return None;
        }
        let texts: Vec<_> = found.local_types.iter().map(|text| vm.string(text)).collect();
        let dispatches: Vec<_> = found.dispatches.iter().map(|dispatch| described(vm, dispatch)).collect();
        Some(vm.array(&[Value::Bool(false), vm.array(&texts), vm.array(&dispatches)]))
    }

    /// Calls the method of a signature of a function of the 4.x interface.
    pub fn call_new(
        &self,
        world: &dyn NativeWorld<'c>,
        vm: &mut Vm<'c>,
        (function, index): (Function<'_>, usize),
        call: Call<'c, '_>,
    ) -> Called<'c> {
        let Some(found) = self.new_function(world, vm, function) else {
            return Called::ForRuby(Journal::default());
        };
        let Some(dispatch) = found.dispatches.get(index) else { return Called::ForRuby(Journal::default()) };
        // A function sees the scope of its call only where it asks for it.
        let scope = if dispatch.weaving.contains(&Knot::Scope) { call.scope.keep() } else { vm.top };
        let args: Vec<V<'c>> = call.args.iter().map(|arg| V::from(*arg)).collect();
        let block = call.block.map(|closure| {
            Rc::new(crate::value::Proc {
                body: ProcBody::Puppet(closure),
                lambda: true,
                home: None,
                within: None,
            })
        });
        let object = self.space().object(&found);
        let caller = Caller { engine: self, world, vm };
        self.run(caller, (function.name, scope, found.program), V::Object(object.clone()), |run| {
            let Some((owner, method)) = found.module.find(&dispatch.method) else {
                return Err(ForRuby("a method that is not there").into());
            };
            let values = woven(dispatch, args);
            let given = eval::Arguments { values, keywords: false, block };
            run.owner.clone_from(&found.owner);
            run.function = Some(found.name.clone());
            run.call_method(V::Object(object), (Some(owner), &method), given)
        })
    }

    /// Calls a function of the 3.x interface.
    pub fn call_old(
        &self,
        world: &dyn NativeWorld<'c>,
        vm: &mut Vm<'c>,
        function: Function<'_>,
        call: Call<'c, '_>,
    ) -> Called<'c> {
        // A file that does not end in the definition of its function is an error, which Ruby tells.
        if self.load(world, vm, function.file) != Load::Done
            || self.space().made(function.file).as_deref() != Some(function.name)
        {
            world.needs_ruby(function.name, &|| self.space().failure(function.file));
            return Called::ForRuby(Journal::default());
        }
        let Some(found) = self.space().old_function(function.name) else {
            return Called::ForRuby(Journal::default());
        };
        // Nor may it define methods.
        let program = found.body.home.as_ref().map(|home| home.program);
        let Some(program) = program.filter(|program| !program.defines) else {
            return Called::ForRuby(Journal::default());
        };
        self.call_old_of(world, vm, (&found, program), call)
    }

    /// Calls a function of the 3.x interface that has no file of its own name: one that was loaded has defined it. None
    /// where none has; with the file that has, to be loaded by Ruby should it be Ruby's.
    pub fn call_beside(
        &self,
        world: &dyn NativeWorld<'c>,
        vm: &mut Vm<'c>,
        name: &str,
        call: Call<'c, '_>,
    ) -> Option<(PathBuf, Called<'c>)> {
        let found = self.space().old_function(name)?;
        let program = found.body.home.as_ref().map(|home| home.program)?;
        let file = self.space().file_of(program)?;
        let called = match program.defines {
            true => Called::ForRuby(Journal::default()),
            false => self.call_old_of(world, vm, (&found, program), call),
        };
        Some((file, called))
    }

    fn call_old_of(
        &self,
        world: &dyn NativeWorld<'c>,
        vm: &mut Vm<'c>,
        (found, program): (&OldFunction<'c>, &'c Program),
        call: Call<'c, '_>,
    ) -> Called<'c> {
        let scope = call.scope.keep();
        let args: OrRuby<Vec<V<'c>>> = call.args.iter().map(|arg| old_argument(*arg)).collect();
        let caller = Caller { engine: self, world, vm };
        self.run(caller, (&found.name, scope, program), V::Scope, |run| {
            let args = V::list(args?);
            run.call_old_function(found, args)
        })
    }

    /// Loads the file of a function of the 4.x interface, if nobody has yet.
    fn new_function(
        &self,
        world: &dyn NativeWorld<'c>,
        vm: &mut Vm<'c>,
        function: Function<'_>,
    ) -> Option<Rc<NewFunction<'c>>> {
        if let Some(known) = self.space().new_function(function.name) {
            return Some(known);
        }
        let outer = self.owner.replace(function.module.to_owned());
        let load = self.load(world, vm, function.file);
        self.owner.replace(outer);
        (load == Load::Done && self.space().made(function.file).as_deref() == Some(function.name))
            .then(|| self.space().new_function(function.name))
            .flatten()
    }

    /// Loads a file of Ruby: runs its body, unless that has been done.
    pub(crate) fn load(&self, world: &dyn NativeWorld<'c>, vm: &mut Vm<'c>, file: &Path) -> Load {
        if let Some(known) = self.space().load(file) {
            return known;
        }
        self.space().note_load(file, Load::UnderWay);
        let load = match self.load_now(world, vm, file) {
            Ok(()) => Load::Done,
            Err(reason) => {
                self.space().note_failure(file, reason);
                Load::Failed
            }
        };
        self.space().note_load(file, load);
        load
    }

    fn load_now(&self, world: &dyn NativeWorld<'c>, vm: &mut Vm<'c>, file: &Path) -> Result<(), String> {
        let lowered = self.file_of_ruby(world, file).ok_or("a file that cannot be read")?;
        let program = lowered.program()?;
        self.space().note_program(program, file);
        let scope = vm.top;
        let begin = Beginning {
            engine: self,
            world,
            vm,
            scope,
            program,
            this: V::Main,
            journal: Some(Journal::default()),
        };
        self.space().while_loading(|| {
            eval::run(begin, |run| match run.load_body(program, file) {
                Ok(made) => {
                    run.space.note_made(file, &made);
                    Ok(())
                }
                Err(stop) => Err(run.why(stop.ending())),
            })
        })
    }

    fn run(
        &self,
        caller: Caller<'_, 'c>,
        (name, scope, program): (&str, &'c Scope<'c>, &'c Program),
        this: V<'c>,
        work: impl FnOnce(&mut Run<'_, 'c>) -> Result<V<'c>, Unwind<'c>>,
    ) -> Called<'c> {
        let Caller { engine, world, vm } = caller;
        let begin = Beginning { engine, world, vm, scope, program, this, journal: Some(Journal::default()) };
        eval::run(begin, |run| {
            let ending = match work(run).and_then(|value| Ok(run.result(&value)?)) {
                Ok(value) => return Called::Value(value),
                Err(stop) => stop.ending(),
            };
            match ending {
                Ending::Flow(flow) => Called::Left(flow),
                Ending::Raised(error) => match raised(&error) {
                    Some(called) => called,
                    None => {
                        run.world
                            .needs_ruby(name, &|| format!("an error of the class {}", error.class.name()));
                        Called::ForRuby(run.journal.take().unwrap_or_default())
                    }
                },
                ending => {
                    let why = run.why(ending);
                    run.world.needs_ruby(name, &|| why.clone());
                    Called::ForRuby(run.journal.take().unwrap_or_default())
                }
            }
        })
    }
}

/// How an error that nothing has rescued is told; none where Ruby has to raise it.
fn raised<'c>(error: &ErrorValue<'c>) -> Option<Called<'c>> {
    if let Some(flow) = error.carried.take() {
        return Some(Called::Left(flow));
    }
    let class = error.class.builtin();
    if !Class::StandardError.covers(class) || Class::NameError.covers(class) {
        return None;
    }
    let message = match error.message() {
        V::Symbol(name) => name.to_owned(),
        message => message.text()?.to_string(),
    };
    let place = match &error.details[..] {
        [] => None,
        [file, line] if Class::ParseError.covers(class) => match (file.text(), line) {
            (Some(file), V::Int(line)) => Some((file.to_string(), u32::try_from(*line).ok()?)),
            _ => return None,
        },
        _ => return None,
    };
    match &error.class {
        ClassRef::Builtin(Class::LookupError) => None,
        _ => Some(Called::Raised(message, place)),
    }
}

/// An argument as functions of the 3.x interface know it.
fn old_argument(value: Value<'_>) -> OrRuby<V<'_>> {
    match value {
        Value::Undef => Ok(V::Str("")),
        other if is_other(other) => Err(ForRuby("an argument in another form")),
        other => Ok(V::from(other)),
    }
}

/// Whether functions of the 3.x interface are given a value in another form, or one is in it.
fn is_other(value: Value<'_>) -> bool {
    match value {
        Value::Undef
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Str(_)
        | Value::Default
        | Value::Sensitive(_) => false,
        Value::Array(items) => items.items().iter().any(|item| is_other(*item)),
        Value::Hash(hash) => hash.entries().iter().any(|(key, value)| is_other(*key) || is_other(*value)),
        _ => true,
    }
}

fn woven<'c>(dispatch: &Dispatch, args: Vec<V<'c>>) -> Vec<V<'c>> {
    if !dispatch.woven {
        return args;
    }
    let mut values = Vec::with_capacity(args.len() + 1);
    for knot in &dispatch.weaving {
        match knot {
            Knot::Scope => values.push(V::Scope),
            Knot::Argument(place) => values.extend(args.get(*place).cloned()),
            Knot::Rest(place) => values.extend(args.iter().skip(*place).cloned()),
        }
    }
    values
}

fn described<'c>(vm: &Vm<'c>, dispatch: &Dispatch) -> Value<'c> {
    let text = |text: &str| vm.string(text);
    let params: Vec<Value<'c>> = dispatch
        .params
        .iter()
        .map(|param| {
            let often = match param.often {
                Often::Once => 0,
                Often::Optional => 1,
                Often::Any => 2,
                Often::AtLeastOnce => 3,
            };
            vm.array(&[text(&param.ty), text(&param.name), Value::Int(often)])
        })
        .collect();
    let (block, name) = match &dispatch.block {
        Some((ty, name, optional)) => (vm.array(&[text(ty), Value::Bool(*optional)]), text(name)),
        None => (Value::Undef, text("")),
    };
    let returns = dispatch.returns.as_deref().map_or(Value::Undef, text);
    let mismatch = Value::Bool(dispatch.tells_mismatch);
    vm.array(&[mismatch, vm.array(&params), block, name, returns, text(&dispatch.method)])
}
