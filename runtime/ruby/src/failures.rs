//! Errors as they pass between the compiler and a worker. One of the compiler's stays here while it goes through Ruby,
//! which hands it back by number; one of Ruby's becomes an error of the compile by its cause.

use super::Talk;
use super::protocol::{CompileFailure, Message, RubyFailure};
use super::wire::{MessageReader, put_text};
use bunraku_vm::cause::{Cause, UNCAUGHT};
use bunraku_vm::diagnostic::{Diagnostic, Place};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::raised::{Raised, RaisedObject};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

/// The code of what a look-up catches: there is no value for its key.
const NO_SUCH_KEY: &str = "HIERA_NO_SUCH_KEY";

impl<'c> Talk<'_, 'c> {
    /// The message that a question has failed. Ruby gets to know the error's text, and hands the error itself back by
    /// number.
    #[cold]
    pub(super) fn failure(&self, flow: Flow<'c>) -> Vec<u8> {
        let (cause, fault) = match &flow {
            Flow::Fault(fault) if fault.diagnostic.cause == Cause::NoSuchKey => {
                (CompileFailure::NoSuchKey, None)
            }
            Flow::Fault(fault) => (CompileFailure::Fault, Some(fault)),
            Flow::Break(_) => (CompileFailure::Break, None),
            Flow::Next(..) => (CompileFailure::Next, None),
            Flow::Return(..) => (CompileFailure::Return, None),
        };
        let mut flows = self.ruby.conversation.flows.borrow_mut();
        let mut out = vec![Message::Failure.byte(), cause.byte()];
        out.extend((flows.len() as i64).to_le_bytes());
        match fault {
            None => put_text(&mut out, b""),
            Some(fault) => {
                let exception = match fault.object() {
                    Some(RaisedObject::Worker(number)) => number.into(),
                    _ => -1_i64,
                };
                let Place { file, line, .. } = &fault.diagnostic.place;
                let at = fault.raised.as_ref().and_then(|raised| raised.at.as_deref());
                put_text(&mut out, fault.diagnostic.to_string().as_bytes());
                put_text(&mut out, fault.class().as_bytes());
                out.extend(exception.to_le_bytes());
                put_text(&mut out, at.unwrap_or_default().as_bytes());
                put_text(&mut out, file.as_deref().unwrap_or_default().as_bytes());
                out.extend(line.map_or(0, i64::from).to_le_bytes());
            }
        }
        flows.push(flow);
        out
    }

    /// The error that a message of the worker's tells.
    ///
    /// # Errors
    /// When the message is none of the protocol.
    #[cold]
    pub(super) fn error_told(
        &self,
        vm: &mut Vm<'c>,
        message: &mut MessageReader<'_, 'c>,
        subject: &str,
    ) -> Eval<'c, Box<Flow<'c>>> {
        let cause = RubyFailure::of_byte(message.byte()?);
        let cause = cause.ok_or_else(|| Flow::raw("the Ruby worker has failed for a cause there is not"))?;
        if cause == RubyFailure::Carried {
            let number = usize::try_from(message.integer()?).ok();
            let flow = number.and_then(|number| self.ruby.conversation.flows.borrow().get(number).cloned());
            return flow
                .map(Box::new)
                .ok_or_else(|| Flow::raw("the Ruby worker handed back an error there was not"));
        }
        let text = message.text()?.into_owned();
        let top = message.text()?.into_owned();
        let place = place(message.value(vm)?);
        let class = message.text()?.into_owned().into();
        let object = u32::try_from(message.integer()?).ok().map(RaisedObject::Worker);
        let raised = Raised { class, object, at: Some(top.as_str().into()).filter(|_| !top.is_empty()) };
        let spoilt = |what: String| {
            self.ruby.conversation.spoil();
            let at = if top.is_empty() { String::new() } else { format!(" ({top})") };
            Flow::caused(Cause::NoRuby, format!("{subject}: {what}{at}"))
        };
        let flow = match (cause, place) {
            (RubyFailure::NoSuchKey, _) => {
                let error = Diagnostic::error(text).with_code(NO_SUCH_KEY);
                Flow::formed(error.because(Cause::NoSuchKey))
            }
            (RubyFailure::TimeLimit | RubyFailure::Spoilt, _) => spoilt(text),
            (RubyFailure::Exit, _) => spoilt("called exit".to_owned()),
            (RubyFailure::NoMemory, _) => {
                let bytes = self.ruby.settings.memory;
                spoilt(format!("needs more than {bytes} bytes (setting ruby_memory)"))
            }
            (RubyFailure::LookUp, place) => {
                let error = Diagnostic::error(text).because(Cause::LookUp);
                Flow::formed(place.into_iter().fold(error, Diagnostic::at))
            }
            (RubyFailure::Formed, None) => Flow::formed(Diagnostic::error(text)),
            (_, Some(place)) => Flow::formed(Diagnostic::error(text).at(place)),
            // What is no StandardError nobody catches in Puppet: it ends the compile as it is.
            (RubyFailure::Uncaught, None) => Flow::formed(Diagnostic::error(text).with_code(UNCAUGHT)),
            (RubyFailure::Puppet, None) => Flow::raw(text),
            (RubyFailure::Load, None) => Flow::of_ruby(text).because(Cause::FunctionLoad),
            (RubyFailure::NoMethod, None) => Flow::of_ruby(text).because(Cause::UndefinedMethod),
            (RubyFailure::Raised | RubyFailure::Carried, None) => Flow::of_ruby(text),
        };
        Ok(flow.raised_as(raised))
    }
}

/// The place that an error tells; none where it knows neither file nor line.
fn place(told: Value<'_>) -> Option<Place> {
    let Value::Array(items) = told else { return None };
    let [file, line, column] = items.items() else { return None };
    if file.is_undef() && line.is_undef() {
        return None;
    }
    let number = |value: &Value<'_>| match value {
        Value::Int(number) => u32::try_from(*number).ok(),
        _ => None,
    };
    let (line, column) = (number(line), number(column));
    Some(Place { file: file.as_str().map(Into::into), line, column })
}
