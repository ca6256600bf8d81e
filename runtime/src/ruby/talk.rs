//! One question to the worker, with all that it asks back before it answers.

use super::wire::{Message, put_text};
use super::{raised, text};
use crate::compile::Compile;
use crate::hiera::context::NOT_FOUND;
use crate::stats::Kind;
use bunraku_vm::budget;
use bunraku_vm::cause::Cause;
use bunraku_vm::diagnostic::{Diagnostic, Place};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::path::Path;
use std::time::Instant;

/// Errors that say that a process is no longer to be trusted.
const SPOILING: &[&str] = &[
    "Bunraku::TimeLimit",
    "NoMemoryError",
    "SystemExit",
    "SystemStackError",
    "Interrupt",
    "SignalException",
];

/// The code of an error that Puppet puts nothing around, not even the node's name. It is not shown.
pub(crate) const UNCAUGHT: &str = "RUBY_EXCEPTION";

/// Questions of Ruby whose answer is a value that code has, not one made for the answer.
const OWN_VALUES: &[&str] = &["function", "builtin", "block", "context"];

/// The question that renders a template.
pub(super) const TEMPLATE: u8 = b't';

impl<'c> Compile<'c> {
    /// Asks the worker; `subject` names the function or template with its file.
    ///
    /// # Errors
    /// Those of the Ruby code; why there is no worker; how it ended.
    pub(super) fn ask_ruby(
        &self,
        vm: &mut Vm<'c>,
        subject: &str,
        op: u8,
        write: impl FnOnce(&mut Vm<'c>, &mut Vec<u8>) -> Eval<'c, ()>,
    ) -> Eval<'c> {
        if self.ruby.worker.borrow().is_none() {
            self.counter.count(Kind::Start, "ruby", || self.ensure_worker(vm, subject))?;
            self.replay_templates(vm)?;
        }
        let started = Instant::now();
        let mut body = vec![op];
        let mark = self.ruby.shared.borrow().mark();
        if let Err(flow) = write(vm, &mut body) {
            self.ruby.shared.borrow_mut().take_back(mark);
            return Err(flow);
        }
        self.ruby.subjects.borrow_mut().push(subject.to_owned());
        let result = self.converse(vm, &body, subject);
        let mut subjects = self.ruby.subjects.borrow_mut();
        subjects.pop();
        if subjects.is_empty() {
            let mut spent = self.spent.get();
            let place = if op == TEMPLATE { &mut spent.templates } else { &mut spent.functions };
            *place += started.elapsed();
            self.spent.set(spent);
        }
        result
    }

    fn ensure_worker(&self, vm: &mut Vm<'c>, subject: &str) -> Eval<'c, ()> {
        if self.ruby.is_running() {
            return Err(self.no_worker(subject));
        }
        let failed = |reason: String| Flow::raw(format!("{subject} needs Ruby, and {reason}"));
        let worker = self.ruby.workers.take(self.ruby.settings).map_err(failed)?;
        *self.ruby.worker.borrow_mut() = Some(worker);
        self.ruby.fault.take();
        self.ruby.share_nothing();
        self.ruby.scope_number(vm.top);
        let mut begin = vec![b'b'];
        let version = vm.string("7.23.0");
        let mut about = bunraku_vm::value::HashBuilder::new(self.arena);
        about.insert_str("version", version);
        let about = Value::Hash(about.finish());
        let node = vm.string(self.node_name());
        let environment = vm.string(&self.environment.name);
        let folders: Vec<_> = self.ruby_folders().iter().map(|folder| vm.string(&text(folder))).collect();
        let folders = vm.array(&folders);
        let begin_with = vm.array(&[node, environment, about, folders]);
        self.put_value(vm, &mut begin, begin_with, 0)?;
        self.converse(vm, &begin, subject).map(|_| ())
    }

    /// Sends a question and answers what comes back until its own answer comes.
    fn converse(&self, vm: &mut Vm<'c>, body: &[u8], subject: &str) -> Eval<'c> {
        if self.ruby.subjects.borrow().len() <= 1
            && let Some(worker) = &mut *self.ruby.worker.borrow_mut()
        {
            worker.outermost();
        }
        let question = self.send(body, 0, subject)?;
        loop {
            let received = match &mut *self.ruby.worker.borrow_mut() {
                Some(worker) => worker.receive(),
                None => return Err(self.no_worker(subject)),
            };
            let message = received.map_err(|reason| self.ended(subject, &reason))?;
            let (op, rest) = message.body.split_first().unwrap_or((&0, &[]));
            let mut values = Message::new(rest, &self.ruby);
            match (op, message.about) {
                (b'r', about) if about == question => {
                    return values.value(vm).map_err(|_| self.broken(subject));
                }
                (b'e', about) if about == question => {
                    return Err(self
                        .ruby_error(vm, &mut values, subject)
                        .unwrap_or_else(|_| self.broken(subject)));
                }
                (b'c', 0) => {
                    let read = values.text().and_then(|what| Ok((what.into_owned(), values.value(vm)?)));
                    let (what, argument) = read.map_err(|_| self.broken(subject))?;
                    let answer = self.answer(vm, &what, argument);
                    // What ended the worker while it was asked for the answer is the error, not that it has ended.
                    if self.ruby.worker.borrow().is_none() {
                        return Err(answer.err().unwrap_or_else(|| self.no_worker(subject)));
                    }
                    let envelope = !OWN_VALUES.contains(&what.as_str());
                    let reply = self.reply(vm, answer, usize::from(!envelope));
                    self.send(&reply, message.number, subject)?;
                }
                _ => return Err(self.broken(subject)),
            }
        }
    }

    fn send(&self, body: &[u8], about: u32, subject: &str) -> Eval<'c, u32> {
        let sent = match &mut *self.ruby.worker.borrow_mut() {
            Some(worker) => worker.send(body, about),
            None => return Err(self.no_worker(subject)),
        };
        sent.map_err(|reason| self.ended(subject, &reason))
    }

    /// Ends the worker: the error says which function or template ran, and why there is no answer.
    #[cold]
    fn ended(&self, subject: &str, reason: &str) -> Box<Flow<'c>> {
        self.ruby.worker.take();
        // A worker that ran on when the compile's time was up has been ended for that.
        budget::check_time();
        let flow = Flow::raw(format!("{subject}: {reason}"));
        *self.ruby.fault.borrow_mut() = Some((*flow).clone());
        flow
    }

    /// The worker has sent what it may not send.
    #[cold]
    fn broken(&self, subject: &str) -> Box<Flow<'c>> {
        let reason = self.ruby.worker.borrow_mut().as_mut().map(super::process::Worker::broken);
        self.ended(subject, &reason.unwrap_or_default())
    }

    /// Ruby that stands around what has ended the worker cannot go on: the error is what ended it.
    #[cold]
    fn no_worker(&self, subject: &str) -> Box<Flow<'c>> {
        match &*self.ruby.fault.borrow() {
            Some(flow) => Box::new(flow.clone()),
            None => Flow::raw(format!("{subject}: its Ruby worker has ended")),
        }
    }

    /// An answer as a message. Ruby gets to know an error's text, and hands the error itself back by number.
    /// `depth` is 0 where the outermost value is only its envelope.
    fn reply(&self, vm: &mut Vm<'c>, answer: Eval<'c>, depth: usize) -> Vec<u8> {
        let flow = match answer {
            Ok(value) => {
                let mut out = vec![b'r'];
                let mark = self.ruby.shared.borrow().mark();
                match self.put_value(vm, &mut out, value, depth) {
                    Ok(()) => return out,
                    Err(flow) => {
                        self.ruby.shared.borrow_mut().take_back(mark);
                        flow
                    }
                }
            }
            Err(flow) => flow,
        };
        let (kind, message) = match &*flow {
            Flow::Fault(fault) if fault.diagnostic.code == Some(NOT_FOUND) => ("throw", String::new()),
            Flow::Fault(fault) => ("fault", fault.diagnostic.to_string()),
            Flow::Break(_) => ("break", String::new()),
            Flow::Next(..) => ("next", String::new()),
            Flow::Return(..) => ("return", String::new()),
        };
        let mut flows = self.ruby.flows.borrow_mut();
        let mut out = vec![b'e', 3];
        out.extend((flows.len() as i64).to_le_bytes());
        for text in [kind, &message] {
            out.push(5);
            put_text(&mut out, text.as_bytes());
        }
        flows.push(*flow);
        out
    }

    /// The error that an error message tells.
    #[cold]
    fn ruby_error(
        &self,
        vm: &mut Vm<'c>,
        values: &mut Message<'_, 'c>,
        subject: &str,
    ) -> Eval<'c, Box<Flow<'c>>> {
        if let Value::Int(token) = values.value(vm)? {
            let flow = usize::try_from(token).ok().and_then(|n| self.ruby.flows.borrow().get(n).cloned());
            return flow
                .map(Box::new)
                .ok_or_else(|| Flow::raw("the Ruby worker handed back an error there was not"));
        }
        let standard = values.value(vm)?.truthy();
        let class = values.text()?.into_owned();
        let message = values.text()?.into_owned();
        let top = values.text()?.into_owned();
        let place = values.value(vm)?;
        if class == "Bunraku::NoSuchKey" {
            return Ok(Flow::formed(Diagnostic::error(message).with_code(NOT_FOUND)));
        }
        if SPOILING.contains(&class.as_str()) {
            if let Some(worker) = &mut *self.ruby.worker.borrow_mut() {
                worker.spoilt = true;
            }
            let at = if top.is_empty() { String::new() } else { format!(" ({top})") };
            let what = match class.as_str() {
                "Bunraku::TimeLimit" => message,
                "SystemExit" => "called exit".to_owned(),
                "NoMemoryError" => {
                    format!("needs more than {} bytes (setting ruby_memory)", self.ruby.settings.memory)
                }
                _ => format!("{class}: {message}"),
            };
            return Ok(Flow::raw(format!("{subject}: {what}{at}")));
        }
        if let Value::Array(items) = place
            && let [file, line] = items.items()
            && !(file.is_undef() && line.is_undef())
        {
            let line = match line {
                Value::Int(line) => u32::try_from(*line).ok(),
                _ => None,
            };
            let place = Place { file: file.as_str().map(Into::into), line, column: None };
            return Ok(Flow::formed(Diagnostic::error(message).at(place)));
        }
        if !standard {
            // What is no StandardError nobody catches in Puppet: it ends the compile as it is.
            return Ok(Flow::formed(Diagnostic::error(message).with_code(UNCAUGHT)));
        }
        let flow = raised(message);
        Ok(if class == "NoMethodError" { flow.because(Cause::UndefinedMethod) } else { flow })
    }
}

impl<'c> Compile<'c> {
    /// Refuses a file that Ruby would wait for, or read without end. That one is missing, Ruby says in its own words.
    ///
    /// # Errors
    /// When it is neither a regular file, of a size that may be read, nor missing.
    pub(crate) fn refuse_irregular(&self, file: &Path) -> Eval<'c, ()> {
        match self.tree().stamp(file) {
            Err(error) if error.kind() == std::io::ErrorKind::Other => {
                Err(Flow::raw(format!("Could not read {}: {error}", file.display())))
            }
            _ => Ok(()),
        }
    }
}

/// What messages call a function with its file.
pub(super) fn subject(what: &str, name: &str, file: &Path) -> String {
    format!("The {what} '{name}' ({})", text(file))
}
