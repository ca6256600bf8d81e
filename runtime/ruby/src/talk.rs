//! One request to the worker, with all that it asks back before it answers.

use super::protocol::{Message, Question, QuestionFlag, Request};
use super::wire::{MessageReader, put_size};
use super::world::Counted;
use super::{Talk, Workers, text};
use crate::process::Worker;
use bunraku_vm::budget;
use bunraku_vm::cause::Cause;
use bunraku_vm::compat::Rule;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::ruby_hashes::HashNotation;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;
use std::cell::RefCell;
use std::time::Instant;

/// The compile's worker, and what runs in it.
#[derive(Default)]
pub(super) struct Conversation<'c> {
    worker: RefCell<Option<Worker>>,
    /// Why there is no worker any more, where Ruby ran when it ended.
    fault: RefCell<Option<Flow<'c>>>,
    /// Errors and the like that pass through Ruby; what Ruby hands back names its place here.
    pub flows: RefCell<Vec<Flow<'c>>>,
    /// What runs in Ruby now, innermost last, for messages.
    subjects: RefCell<Vec<String>>,
}

impl Conversation<'_> {
    /// Whether Ruby code is running.
    pub fn is_running(&self) -> bool {
        !self.subjects.borrow().is_empty()
    }

    /// Whether there is a worker.
    pub fn has_worker(&self) -> bool {
        self.worker.borrow().is_some()
    }

    /// The worker's process is no longer to be trusted.
    pub fn spoil(&self) {
        if let Some(worker) = &mut *self.worker.borrow_mut() {
            worker.spoilt = true;
        }
    }

    /// Gives the worker back and drops all that lies on the heap.
    pub fn release(&self, workers: &Workers) {
        let is_running = self.is_running();
        let Conversation { worker, fault, flows, subjects } = self;
        if let Some(mut worker) = worker.take() {
            // A limit was reached within Ruby: the worker waits for an answer that nobody will give.
            worker.spoilt |= is_running;
            workers.give_back(worker);
        }
        fault.take();
        flows.take();
        subjects.take();
    }
}

/// An argument of a request.
#[derive(Clone, Copy)]
pub(super) enum RequestArgument<'c> {
    /// A value.
    Value(Value<'c>),
    /// A scope, which is sent by its number.
    Scope(&'c Scope<'c>),
}

impl<'c> From<Value<'c>> for RequestArgument<'c> {
    fn from(value: Value<'c>) -> Self {
        RequestArgument::Value(value)
    }
}

impl<'c> Talk<'_, 'c> {
    /// Makes a request of the worker, which is started if there is none; `subject` names the function or template with
    /// its file. Gives the answer.
    ///
    /// # Errors
    /// Those of the Ruby code; why there is no worker; how it ended.
    pub(super) fn request(
        &self,
        vm: &mut Vm<'c>,
        subject: &str,
        request: Request,
        arguments: &[RequestArgument<'c>],
    ) -> Eval<'c> {
        self.world.ruby_runs(subject);
        if !self.ruby.has_worker() {
            self.counted(Counted::Start, "ruby", || self.start_worker(vm, subject))?;
            self.world.worker_started(vm)?;
        }
        let started = Instant::now();
        let required = self.world.take_required_files();
        if !required.is_empty() {
            let files: Vec<_> = required.iter().map(|file| vm.string(file)).collect();
            let files = vm.array(&files);
            let body = self.written(vm, Request::LoadFiles, &[files.into()])?;
            self.converse(vm, &body, subject)?;
        }
        let body = self.written(vm, request, arguments)?;
        self.ruby.conversation.subjects.borrow_mut().push(subject.to_owned());
        let result = self.converse(vm, &body, subject);
        let mut subjects = self.ruby.conversation.subjects.borrow_mut();
        subjects.pop();
        if subjects.is_empty() {
            let what = if request == Request::Render { Counted::Template } else { Counted::Function };
            self.world.spent(what, started.elapsed());
        }
        result
    }

    /// Counts what `run` does as a call.
    pub(super) fn counted<T>(&self, what: Counted, name: &str, run: impl FnOnce() -> T) -> T {
        self.world.begins(what, name);
        let result = run();
        self.world.ends();
        result
    }

    /// The message of a request. Numbers that it gives to values are given only if it can be written.
    fn written(
        &self,
        vm: &mut Vm<'c>,
        request: Request,
        arguments: &[RequestArgument<'c>],
    ) -> Eval<'c, Vec<u8>> {
        let mut out = vec![Message::Do.byte(), request.byte()];
        out.push(super::protocol::ValueTag::Array.byte());
        put_size(&mut out, arguments.len());
        let mark = self.ruby.values.shared.borrow().mark();
        for argument in arguments {
            let value = match argument {
                RequestArgument::Value(value) => *value,
                RequestArgument::Scope(scope) => self.number_of(scope),
            };
            if let Err(flow) = self.put_value(vm, &mut out, value, 0) {
                self.ruby.values.shared.borrow_mut().take_back(mark);
                return Err(flow);
            }
        }
        Ok(out)
    }

    /// The number that Ruby knows a scope by.
    pub fn scope_number(&self, scope: &'c Scope<'c>) -> i64 {
        self.ruby.values.scope_number(scope).into()
    }

    /// The number of a scope as a value.
    pub(super) fn number_of(&self, scope: &'c Scope<'c>) -> Value<'c> {
        Value::Int(self.scope_number(scope))
    }

    fn start_worker(&self, vm: &mut Vm<'c>, subject: &str) -> Eval<'c, ()> {
        if self.ruby.is_running() {
            return Err(self.no_worker(subject));
        }
        let failed =
            |reason: String| Flow::caused(Cause::NoRuby, format!("{subject} needs Ruby, and {reason}"));
        let worker = self.ruby.workers.take(self.ruby.settings).map_err(failed)?;
        *self.ruby.conversation.worker.borrow_mut() = Some(worker);
        self.ruby.conversation.fault.take();
        // Another worker knows no numbers.
        self.ruby.values.shared.take();
        self.ruby.values.scope_number(vm.top);
        let beginning = self.world.beginning();
        let mut about = HashBuilder::new(vm.arena);
        let compat = vm.host.compat();
        about.insert_str("version", vm.string(compat.server_version()));
        let rules = Rule::ALL.iter().filter(|rule| compat.holds(**rule));
        let rules: Vec<&str> = rules.map(|rule| rule.row().name).collect();
        about.insert_str("rules", vm.string(&rules.join(" ")));
        about.insert_str("witness", Value::Bool(vm.host.is_witness()));
        about.insert_str("ruby_inspect", vm.string(&HashNotation::current().to_string()));
        let folders: Vec<_> = beginning.folders.iter().map(|folder| vm.string(&text(folder))).collect();
        let arguments = [
            vm.string(&beginning.node),
            vm.string(&beginning.environment),
            Value::Hash(about.finish()),
            vm.array(&folders),
        ];
        let body = self.written(vm, Request::Begin, &arguments.map(RequestArgument::Value))?;
        self.converse(vm, &body, subject).map(|_| ())
    }

    /// Sends a message and answers what comes back until its own answer comes.
    fn converse(&self, vm: &mut Vm<'c>, body: &[u8], subject: &str) -> Eval<'c> {
        if self.ruby.conversation.subjects.borrow().len() <= 1
            && let Some(worker) = &mut *self.ruby.conversation.worker.borrow_mut()
        {
            worker.outermost();
        }
        let sent = self.send(body, 0, subject)?;
        loop {
            let received = match &mut *self.ruby.conversation.worker.borrow_mut() {
                Some(worker) => worker.receive(),
                None => return Err(self.no_worker(subject)),
            };
            let received = received.map_err(|reason| self.ended(subject, &reason))?;
            let mut message = MessageReader::new(&received.body, self.ruby);
            let kind = message.byte().ok().and_then(Message::of_byte);
            match (kind, received.about) {
                (Some(Message::Answer), about) if about == sent => {
                    return message.value(vm).map_err(|_| self.broken(subject));
                }
                (Some(Message::Failure), about) if about == sent => {
                    let told = self.error_told(vm, &mut message, subject);
                    return Err(told.unwrap_or_else(|_| self.broken(subject)));
                }
                (Some(Message::Ask), 0) => {
                    self.answer_question(vm, &mut message, received.number, subject)?
                }
                _ => return Err(self.broken(subject)),
            }
        }
    }

    /// Answers the question that a message asks. One that there is not is a failure that Ruby is told of.
    fn answer_question(
        &self,
        vm: &mut Vm<'c>,
        message: &mut MessageReader<'_, 'c>,
        number: u32,
        subject: &str,
    ) -> Eval<'c, ()> {
        let read = message.byte().and_then(|byte| Ok((byte, message.value(vm)?)));
        let (byte, arguments) = read.map_err(|_| self.broken(subject))?;
        let question = Question::of_byte(byte);
        let answer = match question {
            Some(question) => self.answer(vm, question, arguments),
            None => Err(Flow::raw(format!("the Ruby worker asks question {byte}, which there is not"))),
        };
        // What ended the worker while it was asked for the answer is the error, not that it has ended.
        if !self.ruby.has_worker() {
            return Err(answer.err().unwrap_or_else(|| self.no_worker(subject)));
        }
        let is_own = question.is_some_and(|question| question.has(QuestionFlag::Own));
        let reply = match answer {
            Ok(value) => self.reply(vm, value, usize::from(is_own)),
            Err(flow) => self.failure(*flow),
        };
        self.send(&reply, number, subject).map(drop)
    }

    /// An answer as a message; the failure, where it can't be written. `depth` is 0 where the array of the answer has
    /// been made for it.
    fn reply(&self, vm: &mut Vm<'c>, answer: Value<'c>, depth: usize) -> Vec<u8> {
        let mut out = vec![Message::Answer.byte()];
        let mark = self.ruby.values.shared.borrow().mark();
        match self.put_value(vm, &mut out, answer, depth) {
            Ok(()) => out,
            Err(flow) => {
                self.ruby.values.shared.borrow_mut().take_back(mark);
                self.failure(*flow)
            }
        }
    }

    fn send(&self, body: &[u8], about: u32, subject: &str) -> Eval<'c, u32> {
        let sent = match &mut *self.ruby.conversation.worker.borrow_mut() {
            Some(worker) => worker.send(body, about),
            None => return Err(self.no_worker(subject)),
        };
        sent.map_err(|reason| self.ended(subject, &reason))
    }

    /// Ends the worker: the error says which function or template ran, and why there is no answer.
    #[cold]
    fn ended(&self, subject: &str, reason: &str) -> Box<Flow<'c>> {
        self.ruby.conversation.worker.take();
        // A worker that ran on when the compile's time was up has been ended for that.
        budget::check_time();
        let flow = Flow::caused(Cause::NoRuby, format!("{subject}: {reason}"));
        *self.ruby.conversation.fault.borrow_mut() = Some((*flow).clone());
        flow
    }

    /// The worker has sent what it may not send.
    #[cold]
    fn broken(&self, subject: &str) -> Box<Flow<'c>> {
        let reason = self.ruby.conversation.worker.borrow_mut().as_mut().map(Worker::broken);
        self.ended(subject, &reason.unwrap_or_default())
    }

    /// Ruby that stands around what has ended the worker cannot go on: the error is what ended it.
    #[cold]
    fn no_worker(&self, subject: &str) -> Box<Flow<'c>> {
        match &*self.ruby.conversation.fault.borrow() {
            Some(flow) => Box::new(flow.clone()),
            None => Flow::caused(Cause::NoRuby, format!("{subject}: its Ruby worker has ended")),
        }
    }
}
