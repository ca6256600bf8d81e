//! One question to the worker, with all that it asks back before it answers.

use super::process::Key;
use super::wire::{Message, put_text};
use super::{Settings, raised, text};
use crate::compile::Compile;
use crate::stats::Kind;
use bunraku_vm::budget;
use bunraku_vm::diagnostic::{Diagnostic, Place};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
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
        write(vm, &mut body)?;
        self.ruby.subjects.borrow_mut().push(subject.to_owned());
        let result = self.converse(vm, &body, subject);
        let mut subjects = self.ruby.subjects.borrow_mut();
        subjects.pop();
        if subjects.is_empty() {
            if let Some(worker) = &*self.ruby.worker.borrow() {
                worker.rest();
            }
            let mut spent = self.spent.get();
            let place = if op == TEMPLATE { &mut spent.templates } else { &mut spent.functions };
            *place += started.elapsed();
            self.spent.set(spent);
        }
        result
    }

    fn ensure_worker(&self, vm: &mut Vm<'c>, subject: &str) -> Eval<'c, ()> {
        if !self.ruby.subjects.borrow().is_empty() {
            return Err(Flow::raw(format!("{subject} cannot run: its Ruby worker has ended")));
        }
        let settings: &Settings = self.ruby.settings;
        let key = Key { settings: settings.clone(), folders: self.ruby_folders() };
        let failed = |reason: String| Flow::raw(format!("{subject} needs Ruby, and {reason}"));
        // A worker that holds Ruby files which have changed since is not used again.
        loop {
            let worker = self.ruby.workers.take(&key).map_err(failed)?;
            *self.ruby.worker.borrow_mut() = Some(worker);
            self.ruby.scope_number(vm.top);
            let mut begin = vec![b'b'];
            let version = vm.string("7.23.0");
            let mut about = bunraku_vm::value::HashBuilder::new(self.arena);
            about.insert_str("version", version);
            let about = Value::Hash(about.finish());
            let node = vm.string(self.node_name());
            let environment = vm.string(&self.environment.name);
            let begin_with = vm.array(&[node, environment, about]);
            self.put_value(vm, &mut begin, begin_with, 0)?;
            match self.converse(vm, &begin, subject)? {
                Value::Bool(true) => drop(self.ruby.worker.take()),
                _ => return Ok(()),
            }
        }
    }

    fn converse(&self, vm: &mut Vm<'c>, body: &[u8], subject: &str) -> Eval<'c> {
        let outermost = self.ruby.subjects.borrow().len() <= 1;
        self.send(body, outermost, subject)?;
        loop {
            let received = match &mut *self.ruby.worker.borrow_mut() {
                Some(worker) => worker.receive(),
                None => Err("its Ruby worker has ended".to_owned()),
            };
            let message = received.map_err(|reason| self.ended(subject, &reason))?;
            let (op, rest) = message.split_first().unwrap_or((&0, &[]));
            let mut values = Message::new(rest, &self.ruby);
            match op {
                b'r' => return values.value(vm),
                b'e' => return Err(self.ruby_error(vm, &mut values, subject)?),
                b'c' => {
                    let what = values.text()?.into_owned();
                    let answer = self.answer(vm, &what, &mut values);
                    let reply = self.reply(vm, answer);
                    self.send(&reply, false, subject)?;
                }
                op => return Err(Flow::raw(format!("the Ruby worker sent a message of kind {op}"))),
            }
        }
    }

    fn send(&self, body: &[u8], outermost: bool, subject: &str) -> Eval<'c, ()> {
        let sent = match &mut *self.ruby.worker.borrow_mut() {
            Some(worker) => worker.send(body, outermost),
            None => Err("its Ruby worker has ended".to_owned()),
        };
        sent.map_err(|reason| self.ended(subject, &reason))
    }

    #[cold]
    fn ended(&self, subject: &str, reason: &str) -> Box<Flow<'c>> {
        self.ruby.worker.take();
        // A worker that ran on when the compile's time was up has been ended for that.
        budget::check_time();
        Flow::raw(format!("{subject}: {reason}"))
    }

    /// An answer as a message. Ruby gets to know an error's text, and hands the error itself back by number.
    fn reply(&self, vm: &mut Vm<'c>, answer: Eval<'c>) -> Vec<u8> {
        let flow = match answer {
            Ok(value) => {
                let mut out = vec![b'r'];
                match self.put_value(vm, &mut out, value, 0) {
                    Ok(()) => return out,
                    Err(flow) => flow,
                }
            }
            Err(flow) => flow,
        };
        let (kind, message) = match &*flow {
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
        Ok(raised(message))
    }
}

/// What messages call a function with its file.
pub(super) fn subject(what: &str, name: &str, file: &std::path::Path) -> String {
    format!("The {what} '{name}' ({})", text(file))
}
