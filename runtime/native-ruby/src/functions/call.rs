//! Functions as the compile calls them: what their signatures are, what a call gives.

use super::copies::Lending;
use super::definition::{Dispatch, Knot, NewFunction, Often, OldFunction};
use super::journal::{Called, Journal};
use super::rests::{CertainCall, Methods, RestsOn, key_of_text};
use super::sealed_key::SealedKey;
use crate::erb::lowered::Lowered;
use crate::erb::templating::Templating;
use crate::eval::{self, Beginning, Done, Ending, Run, Unwind};
use crate::for_ruby::{CHANGE, ForRuby, OrRuby};
use crate::prelude::Part;
use crate::space::Load;
use crate::tree::Program;
use crate::value::object::{ErrorValue, ProcBody};
use crate::value::{V, text};
use crate::world::{NativeWorld, WorkerState};
use bunraku_vm::cause::Cause;
use bunraku_vm::error::Flow;
use bunraku_vm::function::Call;
use bunraku_vm::scope::Scope;
use bunraku_vm::types::Type;
use bunraku_vm::value::{Hash, Object, Value};
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
        let texts: Vec<_> = found.local_types.iter().map(|text| vm.string(text)).collect();
        let dispatches: Vec<_> = found.dispatches.iter().map(|dispatch| described(vm, dispatch)).collect();
        let own_call = Value::Bool(found.own_call.is_some());
        Some(vm.array(&[own_call, vm.array(&texts), vm.array(&dispatches)]))
    }

    /// Calls the method of a signature of a function of the 4.x interface; its own `call` where there is no number.
    pub fn call_new(
        &self,
        world: &dyn NativeWorld<'c>,
        vm: &mut Vm<'c>,
        (function, index): (Function<'_>, Option<usize>),
        call: Call<'c, '_>,
    ) -> Called<'c> {
        let Some(found) = self.new_function(world, vm, function) else {
            return Called::ForRuby(Journal::default());
        };
        let (dispatch, method) = match index {
            None => (None, found.own_call.as_ref()),
            Some(index) => (found.dispatches.get(index), found.methods.get(index)),
        };
        let Some((owner, method)) = method else { return Called::ForRuby(Journal::default()) };
        // A function sees the scope of its call only where it asks for it.
        let asks = dispatch.is_none_or(|dispatch| dispatch.weaving.contains(&Knot::Scope));
        let scope = if asks { call.scope.keep() } else { vm.top };
        let block = call.block.map(|closure| {
            Rc::new(crate::value::Proc {
                body: ProcBody::Puppet(closure),
                lambda: true,
                home: None,
                within: None,
            })
        });
        let work = |run: &mut Run<'_, 'c>, args: Vec<V<'c>>| {
            let values = match dispatch {
                Some(dispatch) => woven(dispatch, args),
                None => std::iter::once(V::Scope).chain(args).collect(),
            };
            let given = eval::Arguments { values, keywords: false, block: block.clone() };
            run.function = Some(found.clone());
            run.call_method(V::Object(found.object.clone()), (Some(owner.clone()), method), given)
        };
        let this = V::Object(found.object.clone());
        let parts = (scope, found.program);
        let is_own = Rc::ptr_eq(owner, &found.object.class);
        let lookup = is_own.then(|| asked_in_lookup(world, call.args)).flatten();
        if let Some((key, context)) = lookup
            && !found.looks_at_key.get()
            && found.methods_do() == Methods::Compute
        {
            let (mut asked, mut rests) = (None, None);
            let sealed = |run: &mut Run<'_, 'c>| {
                let key = run.key.insert(Box::new(SealedKey::new(run.vm, key))).value();
                let rest = call.args.iter().skip(1).map(|arg| V::from(*arg));
                let value = work(run, std::iter::once(key).chain(rest).collect());
                asked = run.key.take();
                let result = run.result(&value?)?;
                rests = run.rests_of_answer(result);
                Ok(result)
            };
            match self.run(Caller { engine: self, world, vm }, parts, this.clone(), sealed) {
                Ok(value) => {
                    self.note_certain(context, rests, None);
                    return Called::Value(value);
                }
                Err(mut left) if matches!(left.why, LeftBy::Flow(_)) => {
                    let rests = left.rests_of_nothing();
                    let alone = asked.filter(|key| rests.as_ref().is_some_and(|rests| key.is_all_of(rests)));
                    self.note_certain(context, rests, alone.map(|key| key.without()));
                    return left.told((self, world), function.name, false);
                }
                // It has done nothing that could be seen.
                Err(_) => found.looks_at_key.set(true),
            }
        }
        let context = lookup.filter(|_| found.methods_do() != Methods::More).map(|(_, context)| context);
        let mut rests = None;
        let plain = |run: &mut Run<'_, 'c>| {
            let args = call.args.iter().map(|arg| V::from(*arg)).collect();
            let value = work(run, args)?;
            let result = run.result(&value)?;
            rests = context.and_then(|_| run.rests_of_answer(result));
            Ok(result)
        };
        let lent = |vm: &mut Vm<'c>| {
            let mut lending = Lending::default();
            self.run(Caller { engine: self, world, vm }, parts, this.clone(), |run| {
                run.copies_answers = true;
                let args = call.args.iter().map(|arg| lending.lend(*arg, 0)).collect::<OrRuby<_>>()?;
                if run.has_frozen_of(&lending) {
                    return Err(ForRuby(CHANGE).into());
                }
                let value = work(run, args)?;
                let result = lending.returned(run.vm, &value, 0)?;
                let changed = lending.changed(run.vm)?;
                Ok((result, changed))
            })
        };
        let spread =
            |vm: &mut Vm<'c>, (result, changed)| match world.spread_changes(vm, call.scope.keep(), changed) {
                Ok(()) => Called::Value(result),
                Err(flow) => Called::Left(flow),
            };
        let may_lend = world.worker() != WorkerState::Ended;
        // One that has changed something in a call before is given copies at once. What comes up then is told by a call without.
        if found.changes.get() && may_lend {
            match lent(vm) {
                Ok(made) => return spread(vm, made),
                Err(left) if left.journal.only_looks_up() => {}
                Err(left) => return left.told((self, world), function.name, true),
            }
        }
        match self.run(Caller { engine: self, world, vm }, parts, this.clone(), plain) {
            // It changes an argument or a looked up value in place, and has done nothing yet: so it is called anew, with copies.
            Err(Left { why, journal, .. }) if why.is_change() && journal.only_looks_up() && may_lend => {
                found.changes.set(true);
                match lent(vm) {
                    Ok(made) => spread(vm, made),
                    Err(left) => left.told((self, world), function.name, true),
                }
            }
            Ok(value) => {
                if let Some(context) = context {
                    self.note_certain(context, rests, None);
                }
                Called::Value(value)
            }
            Err(mut left) => {
                if let Some(context) = context {
                    self.note_certain(context, left.rests_of_nothing(), None);
                }
                left.told((self, world), function.name, false)
            }
        }
    }

    /// Takes note of what a call of a look-up's function has rested on, where that is certain, and of the hashes that have not had its
    /// key, where it has done no more with that.
    fn note_certain(
        &self,
        context: &'c Object<'c>,
        rests: Option<RestsOn<'c>>,
        without_key: Option<Vec<Hash<'c>>>,
    ) {
        self.certain.set(rests.map(|rests| (context, CertainCall { rests, without_key })));
    }

    /// What is certain of the call of a look-up's function that was given this context, if none has been called since.
    pub fn take_certain(&self, context: Value<'c>) -> Option<CertainCall<'c>> {
        let (given, call) = self.certain.take()?;
        matches!(context, Value::Object(object) if std::ptr::eq(object, given)).then_some(call)
    }

    /// Whether the function of the 4.x interface that is found by these names has been called before in the compile: so its
    /// files have been read.
    pub fn has_called(&self, function: &str, module: &str) -> bool {
        self.space().new_function(function, module).is_some()
    }

    /// Whether the context of a look-up, by its number, keeps something under a key as [`RestsOn`] has it.
    pub fn context_keeps(&self, number: i64, key: &str) -> bool {
        self.space().context_keeps(number, key)
    }

    /// Whether it keeps something under a text.
    pub fn context_keeps_text(&self, number: i64, text: &str) -> bool {
        self.space().context_keeps(number, &key_of_text(text))
    }

    /// Has it keep a value under a key as [`RestsOn`] has it.
    pub fn keep_in_context(&self, number: i64, key: &str, value: Value<'c>) {
        self.space().context(number).set(key.to_owned(), V::from(value));
    }

    /// Calls a function of the 3.x interface.
    pub fn call_old(
        &self,
        world: &dyn NativeWorld<'c>,
        vm: &mut Vm<'c>,
        function: Function<'_>,
        call: Call<'c, '_>,
    ) -> Called<'c> {
        if let Some((found, program)) = self.space().ready_old_function(function.name) {
            return self.call_old_of(world, vm, (&found, program), call);
        }
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
        self.space().note_ready(&found, program);
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
        // Such functions are given copies of arrays and hashes. They are made where one is changed only.
        let work = |run: &mut Run<'_, 'c>, copies: bool| {
            run.copies_answers = copies;
            let args = call.args.iter().map(|arg| run.old_argument(*arg, copies, false));
            let args = V::list(args.collect::<Result<_, Unwind<'c>>>()?);
            let value = run.call_old_function(found, args)?;
            Ok(run.result(&value)?)
        };
        let parts = (scope, program);
        let called =
            match self.run(Caller { engine: self, world, vm }, parts, V::Scope, |run| work(run, false)) {
                Err(Left { why, journal, .. }) if why.is_change() && journal.only_looks_up() => {
                    self.run(Caller { engine: self, world, vm }, parts, V::Scope, |run| work(run, true))
                }
                called => called,
            };
        called.map_or_else(|left| left.told((self, world), &found.name, false), Called::Value)
    }

    /// Loads the file of a function of the 4.x interface, if nobody has yet.
    fn new_function(
        &self,
        world: &dyn NativeWorld<'c>,
        vm: &mut Vm<'c>,
        function: Function<'_>,
    ) -> Option<Rc<NewFunction<'c>>> {
        if let Some(known) = self.space().new_function(function.name, function.module) {
            return Some(known);
        }
        let outer = self.owner.replace(function.module.to_owned());
        let load = self.load(world, vm, function.file);
        self.owner.replace(outer);
        (load == Load::Done && self.space().made(function.file).as_deref() == Some(function.name))
            .then(|| self.space().new_function(function.name, function.module))
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

    /// Runs a part of the prelude, unless that has been begun. Whether it has been run now.
    pub(crate) fn load_part(
        &self,
        world: &dyn NativeWorld<'c>,
        vm: &mut Vm<'c>,
        part: &'static Part,
    ) -> bool {
        let file = part.file();
        if self.space().load(file).is_some() {
            return false;
        }
        self.space().note_load(file, Load::UnderWay);
        let load = match self.run_file(world, vm, (part.lowered(), file)) {
            Ok(()) => Load::Done,
            Err(reason) => {
                self.space().note_failure(file, reason);
                Load::Failed
            }
        };
        self.space().note_load(file, load);
        load == Load::Done
    }

    fn load_now(&self, world: &dyn NativeWorld<'c>, vm: &mut Vm<'c>, file: &Path) -> Result<(), String> {
        let lowered = self.file_of_ruby(world, file).ok_or("a file that cannot be read")?;
        self.run_file(world, vm, (lowered, file))
    }

    fn run_file(
        &self,
        world: &dyn NativeWorld<'c>,
        vm: &mut Vm<'c>,
        (lowered, file): (&'c Lowered, &Path),
    ) -> Result<(), String> {
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
                // What comes of it would be another in Ruby, which loads it again.
                Ok(_) if run.has_drawn() || run.has_seeded() => {
                    Err("random numbers while a file is loaded".to_owned())
                }
                Ok(made) => {
                    run.space.note_made(file, &made);
                    Ok(())
                }
                Err(stop) => Err(run.why(stop.ending())),
            })
        })
    }

    fn run<T>(
        &self,
        caller: Caller<'_, 'c>,
        (scope, program): (&'c Scope<'c>, &'c Program),
        this: V<'c>,
        work: impl FnOnce(&mut Run<'_, 'c>) -> Result<T, Unwind<'c>>,
    ) -> Result<T, Left<'c>> {
        let Caller { engine, world, vm } = caller;
        let begin = Beginning { engine, world, vm, scope, program, this, journal: Some(Journal::default()) };
        eval::run(begin, |run| {
            let result = work(run);
            let result = match (result, run.leaves_no_seed()) {
                (_, Err(left)) => Err(left.into()),
                (result, Ok(())) => result,
            };
            result.map_err(|stop: Unwind<'c>| {
                let why = match stop.ending() {
                    Ending::Flow(flow) => LeftBy::Flow(flow),
                    Ending::Raised(error) => LeftBy::Raised(error),
                    ending => {
                        let is_change = matches!(&ending, Ending::ForRuby(ForRuby(CHANGE)));
                        LeftBy::ForRuby { is_change, reason: run.why(ending) }
                    }
                };
                let journal = run.journal.take().unwrap_or_default();
                Left { why, journal, rests: Box::new(std::mem::take(&mut run.rests)) }
            })
        })
    }
}

/// A call that has given no value.
struct Left<'c> {
    why: LeftBy<'c>,
    journal: Journal<'c>,
    rests: Box<RestsOn<'c>>,
}

enum LeftBy<'c> {
    Flow(Box<Flow<'c>>),
    Raised(Rc<ErrorValue<'c>>),
    ForRuby { is_change: bool, reason: String },
}

impl LeftBy<'_> {
    /// Whether it has to change what is Puppet's.
    fn is_change(&self) -> bool {
        matches!(self, LeftBy::ForRuby { is_change: true, .. })
    }
}

impl<'c> Left<'c> {
    /// What it has rested on, if it has told a look-up that there is nothing for the key, and has looked at nothing that another compile
    /// may see otherwise.
    fn rests_of_nothing(&mut self) -> Option<RestsOn<'c>> {
        let LeftBy::Flow(flow) = &self.why else { return None };
        let is_nothing = matches!(&**flow, Flow::Fault(fault) if fault.diagnostic.cause == Cause::NoSuchKey)
            && self.journal.is_empty()
            && !self.rests.more;
        is_nothing.then(|| std::mem::take(&mut *self.rests))
    }

    /// What has become of the call. Where arguments were lent, only Ruby knows which of them have been changed by an error.
    fn told(
        self,
        (engine, world): (&Templating<'c>, &dyn NativeWorld<'c>),
        name: &str,
        lent: bool,
    ) -> Called<'c> {
        let reason = match self.why {
            LeftBy::Flow(flow) if !lent => return Called::Left(flow),
            LeftBy::Raised(error) if !lent => match engine.raised.told(engine.space(), &error) {
                Some(called) => return called,
                None => format!("an error of the class {}", error.class.name()),
            },
            LeftBy::ForRuby { reason, .. } => reason,
            LeftBy::Flow(_) | LeftBy::Raised(_) => "an error behind a change of what is Puppet's".to_owned(),
        };
        world.needs_ruby(name, &|| reason.clone());
        Called::ForRuby(self.journal)
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

impl<'c> Run<'_, 'c> {
    /// What a look-up's function has rested on that gives this value, if it has looked at nothing that another compile may see otherwise.
    fn rests_of_answer(&mut self, value: Value<'c>) -> Option<RestsOn<'c>> {
        let is_certain = !self.rests.more
            && self.journal.as_ref().is_some_and(Journal::is_empty)
            && self.rests.is_alone(value);
        is_certain.then(|| std::mem::take(&mut self.rests))
    }

    /// Whether what has been lent is a part of `$facts` or the like, which nothing may change.
    fn has_frozen_of(&mut self, lending: &Lending<'c>) -> bool {
        lending.has_any_of(&self.frozen())
    }

    /// An argument as functions of the 3.x interface know it.
    fn old_argument(&mut self, value: Value<'c>, copies: bool, within: bool) -> Done<'c> {
        if !copies && !is_other(value) {
            return Ok(if matches!(value, Value::Undef) && !within { V::Str("") } else { V::from(value) });
        }
        match value {
            Value::Array(items) => {
                let items = items.items().iter().map(|item| self.old_argument(*item, copies, true));
                Ok(V::list(items.collect::<Result<_, _>>()?))
            }
            Value::Hash(hash) => {
                let mut entries = Vec::with_capacity(hash.len());
                for (key, value) in hash.entries() {
                    entries.push((
                        self.old_argument(*key, copies, true)?,
                        self.old_argument(*value, copies, true)?,
                    ));
                }
                Ok(V::map(entries)?)
            }
            Value::Regexp(_) => match V::from(value) {
                regexp @ V::Regexp(_) => Ok(V::made(text::inspected(&regexp)?)),
                _ => Err(ForRuby("an argument in another form").into()),
            },
            Value::Type(Type::Class(Some(name))) => self.new_resource("class", name),
            Value::Type(Type::Resource { type_name: Some(name), title: Some(title), .. }) => {
                self.new_resource(name, title)
            }
            Value::Type(Type::Class(_) | Type::Resource { .. }) => {
                Err(ForRuby("an argument in another form").into())
            }
            Value::Type(_) => Ok(V::Other(value)),
            Value::Undef if !within => Ok(V::Str("")),
            value if !is_other(value) => Ok(V::from(value)),
            Value::SemVer(_)
            | Value::SemVerRange(_)
            | Value::Timespan(_)
            | Value::Timestamp(_)
            | Value::Binary(_) => {
                let text = self.asked(|run| run.world.answer(run.vm, "text", &[value]))?;
                text.map(V::from).ok_or_else(|| ForRuby("an argument in another form").into())
            }
            Value::Uri(_) | Value::Object(_) => Ok(V::Other(value)),
            _ => Err(ForRuby("an argument in another form").into()),
        }
    }

    fn new_resource(&mut self, type_name: &'c str, title: &'c str) -> Done<'c> {
        let Some(V::Module(class)) = self.kept_constant("::Puppet::Resource") else {
            return Err(ForRuby("an argument in another form").into());
        };
        self.make(&class, eval::Arguments::from(vec![V::Str(type_name), V::Str(title)]))
    }

    /// `self.class.dispatcher.dispatch(self, scope, arguments)`, in which a `call` of a function's own ends: calls the method
    /// of the first signature that takes the arguments.
    pub(crate) fn dispatch(&mut self, args: &[V<'c>]) -> Done<'c> {
        let unusual = || Unwind::from(ForRuby("a dispatch of another form"));
        let [V::Object(object), V::Scope, list] = args else { return Err(unusual()) };
        let found = self.space.find_new_function(object.class.name(), |function| {
            Rc::ptr_eq(&function.object.class, &object.class)
        });
        let found = found.ok_or_else(unusual)?;
        let values = list.items()?.ok_or_else(unusual)?;
        // The scope is given as an argument, too; a type that takes anything takes it.
        let takes_anything = |place: usize| {
            found.dispatches.iter().all(|dispatch| {
                dispatch.params.get(place).or(dispatch.params.last()).is_some_and(|param| param.ty == "Any")
            })
        };
        let mut given = Vec::with_capacity(values.len());
        for (place, value) in values.iter().enumerate() {
            given.push(match value {
                V::Scope if takes_anything(place) => Value::Undef,
                value => value.to_value(self.vm)?,
            });
        }
        let question =
            [self.vm.string(&found.name), self.vm.string(&found.owner), self.vm.array(&given), Value::Undef];
        let index = match self.world.answer(self.vm, "dispatch", &question) {
            Ok(Some(Value::Int(index))) => index as usize,
            // Ruby raises what is wrong with the arguments, since it may be rescued.
            _ => return Err(ForRuby("arguments that no signature takes").into()),
        };
        let dispatch = found.dispatches.get(index).filter(|dispatch| !dispatch.tells_mismatch);
        let dispatch = dispatch.filter(|dispatch| dispatch.returns.is_none()).ok_or_else(unusual)?;
        let (owner, method) = found.methods.get(index).ok_or_else(unusual)?;
        let given = eval::Arguments::from(woven(dispatch, values));
        self.call_method(V::Object(object.clone()), (Some(owner.clone()), method), given)
    }
}

/// The key and the context of a look-up, where a function is asked for it there.
fn asked_in_lookup<'c>(world: &dyn NativeWorld<'c>, args: &[Value<'c>]) -> Option<(&'c str, &'c Object<'c>)> {
    let [Value::Str(key), Value::Hash(_), Value::Object(context)] = args else { return None };
    world.context_number(context).is_some().then(|| (key.as_str(), *context))
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
