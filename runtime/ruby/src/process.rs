//! Workers: `ruby` processes that are started, kept between compiles and ended.
//!
//! A worker is a first process, which has read our Ruby and runs nobody else's, and the process it has forked for the
//! compile at hand. That one runs the modules' Ruby and is gone when the compile is over, with all that this Ruby has
//! changed: globals, classes, environment variables, the working directory. The first process then forks the next, which
//! waits for a compile while there is none. Both hold the same two pipes and only one of them uses them at a time.
//!
//! Messages, either way, are numbered in one sequence, for they take turns. One with another number, or one that
//! answers another question than the one that stands, ends the worker: what comes after it could not be trusted.

use super::WorkerSettings;
use super::clock::Clock;
use super::pipes::{PipeStop, Pipes};
use super::protocol::{self, Message};
use super::sandbox::{self, PROCESSES};
use bunraku_vm::budget;
use rustix::process::{Pid, Signal, kill_process_group};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The worker's Ruby that each compile needs, in the order it is run, behind what is made from the tables of the protocol.
const SOURCES: &[(&str, &str)] = &[
    ("<bunraku>/wire.rb", include_str!("worker/wire.rb")),
    ("<bunraku>/talk.rb", include_str!("worker/talk.rb")),
    ("<bunraku>/processes.rb", include_str!("worker/processes.rb")),
    ("<bunraku>/puppet.rb", include_str!("worker/puppet.rb")),
    ("<bunraku>/library.rb", include_str!("worker/library.rb")),
    ("<bunraku>/scope_methods.rb", bunraku_native_ruby::SCOPE_METHODS),
    ("<bunraku>/scope.rb", include_str!("worker/scope.rb")),
    ("<bunraku>/functions.rb", include_str!("worker/functions.rb")),
    ("<bunraku>/parts.rb", include_str!("worker/parts.rb")),
    ("<bunraku>/hashes.rb", include_str!("worker/hashes.rb")),
    ("<bunraku>/main.rb", include_str!("worker/main.rb")),
];

/// What is run when something it defines is first named: `worker/parts.rb` says what that is.
const PARTS: &[(&str, &str)] = &[
    ("<bunraku>/adapters.rb", include_str!("worker/adapters.rb")),
    ("<bunraku>/catalog.rb", bunraku_native_ruby::CATALOG),
    ("<bunraku>/checkers.rb", include_str!("worker/checkers.rb")),
    ("<bunraku>/datatypes.rb", include_str!("worker/datatypes.rb")),
    ("<bunraku>/file_modes.rb", include_str!("worker/file_modes.rb")),
    ("<bunraku>/helpers.rb", include_str!("worker/helpers.rb")),
    ("<bunraku>/http.rb", include_str!("worker/http.rb")),
    ("<bunraku>/lookups.rb", include_str!("worker/lookups.rb")),
    ("<bunraku>/loaders.rb", include_str!("worker/loaders.rb")),
    ("<bunraku>/hiera.rb", include_str!("worker/hiera.rb")),
    ("<bunraku>/injection.rb", include_str!("worker/injection.rb")),
    ("<bunraku>/legacy.rb", include_str!("worker/legacy.rb")),
    ("<bunraku>/loading.rb", include_str!("worker/loading.rb")),
    ("<bunraku>/puppet_files.rb", bunraku_native_ruby::PUPPET_FILES),
    ("<bunraku>/pson.rb", include_str!("worker/pson.rb")),
    ("<bunraku>/reports.rb", include_str!("worker/reports.rb")),
    ("<bunraku>/resource_types.rb", include_str!("worker/resource_types.rb")),
    ("<bunraku>/system.rb", include_str!("worker/system.rb")),
    ("<bunraku>/environment.rb", include_str!("worker/environment.rb")),
    ("<bunraku>/template.rb", include_str!("worker/template.rb")),
    ("<bunraku>/times.rb", include_str!("worker/times.rb")),
    ("<bunraku>/types.rb", include_str!("worker/types.rb")),
];

/// Takes the pipes away from the code that will run, closes what else was inherited, then reads and runs the sources and
/// takes in the parts. Nothing is garbage until that is done: to look for some would take a fifth of the time. What code says
/// by `puts` or `warn` is the error stream's, since the other one is ours; it says what Ruby says in Puppet's process.
const START: &str = "GC.disable;i=$stdin.dup;o=$stdout.dup;$stdin.reopen('/dev/null');$stdout.reopen($stderr);i.binmode;\
o.binmode;(Dir.children('/dev/fd')rescue 3...[Process.getrlimit(:NOFILE)[0],65536].min).each{|n|n=n.to_i;\
next if n<3||n==i.fileno||n==o.fileno;begin;\
IO.for_fd(n).close;rescue SystemCallError,ArgumentError;end};\
t=->{i.read(i.read(4).unpack1('V')).force_encoding('UTF-8')};c=->{i.read(4).unpack1('V')};\
c[].times{n=t[];eval(t[],TOPLEVEL_BINDING,n,1)};Bunraku::Parts.add(c[].times.to_h{[t[],t[]]});\
l,m,p=i.read(24).unpack('Eq<q<');GC.enable;$VERBOSE=false;Bunraku.start(i,o,l,m,p)";

/// How many objects Ruby makes room for at its start: more than [`START`] makes, so that the first function does not wait
/// until Ruby has looked for garbage among them. Who sets the variable has it as they say.
const ROOM: (&str, &str) = ("RUBY_GC_HEAP_INIT_SLOTS", "40000");

/// Messages longer than this are refused: no value a compile may hold is so large.
const MAX_MESSAGE: usize = 1 << 30;

/// What stands before each message: its length, its number, the number of the question it answers or 0.
const HEADER: usize = 12;

/// How long an ending worker may take before it is killed.
const FAREWELL: Duration = Duration::from_millis(500);

/// Idle workers, kept for the next compile.
///
/// Key: the settings they were started with. Bound: [`MAX_IDLE`]. Stale: never, for each compile gets a process of its own
/// from them; one that has ended is dropped when it is taken. Held by `tests/tests/ruby.rs`.
#[derive(Default)]
pub struct Workers {
    idle: Mutex<Vec<Worker>>,
}

/// Most idle workers that are kept; the oldest is ended when there are more.
const MAX_IDLE: usize = 16;

impl Workers {
    /// A worker with these settings and a fresh process for one compile: an idle one, or a new one.
    ///
    /// # Errors
    /// Why none could be started.
    pub(super) fn take(&self, settings: &WorkerSettings) -> Result<Worker, String> {
        loop {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            let place = idle.iter().rposition(|worker| worker.settings == *settings);
            let waiting = place.map(|place| idle.remove(place));
            drop(idle);
            match waiting {
                // One that has ended while it was idle is dropped.
                Some(mut worker) => {
                    if worker.greeted().is_ok() {
                        return Ok(worker);
                    }
                }
                None => {
                    let mut worker = Worker::start(settings)?;
                    worker.greeted()?;
                    return Ok(worker);
                }
            }
        }
    }

    /// Ends all idle workers.
    pub fn end(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Ends the worker's process of this compile and keeps the worker for the next, if it may be used again.
    pub(super) fn give_back(&self, mut worker: Worker) {
        if worker.spoilt || worker.send(&[Message::Over.byte()], 0).is_err() {
            return;
        }
        worker.process = None;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(worker);
        let oldest = (idle.len() > MAX_IDLE).then(|| idle.remove(0));
        drop(idle);
        drop(oldest);
    }
}

/// A message of a worker.
pub(super) struct Received {
    /// Its number.
    pub number: u32,
    /// That of the question it answers, 0 for none.
    pub about: u32,
    /// What it is and says.
    pub body: Vec<u8>,
}

/// One worker. Ended when dropped.
pub(super) struct Worker {
    settings: WorkerSettings,
    /// The first process.
    child: Child,
    /// None once they are closed.
    pipes: Option<Pipes>,
    /// The process of the compile, when it has told its number: the leader of a group.
    process: Option<Pid>,
    /// The number of the last message, whoever sent it.
    number: u32,
    clock: Clock,
    /// Not to be used for another compile.
    pub spoilt: bool,
}

impl Worker {
    fn start(settings: &WorkerSettings) -> Result<Worker, String> {
        let program = &settings.program;
        let mut command = Command::new(program);
        let mut start = START.to_owned();
        if std::env::var_os(ROOM.0).is_none() {
            command.env(ROOM.0, ROOM.1);
            // The code that will run finds the environment as it is.
            start.insert_str(0, &format!("ENV.delete('{}');", ROOM.0));
        }
        if settings.sandbox.is_some() {
            start.insert_str(0, &format!("Process.setrlimit(:NPROC,{PROCESSES});"));
        }
        command.args(["--disable=gems", "-EUTF-8", "-W0", "-e", &start]).env_remove("RUBYOPT");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let mut child = match &settings.sandbox {
            Some(sandbox) => sandbox::spawn(program, &command, sandbox)
                .map_err(|why| format!("no Ruby can be run that is confined: {why}"))?,
            None => command.spawn().map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => format!("no Ruby was found ('{}')", program.display()),
                _ => format!("Ruby could not be started ('{}'): {error}", program.display()),
            })?,
        };
        let pipes = child.stdin.take().zip(child.stdout.take());
        let pipes = pipes.and_then(|(input, output)| Pipes::new(input, output).ok());
        let clock = Clock::new(settings.timeout);
        let spoilt = pipes.is_none();
        let mut worker =
            Worker { settings: settings.clone(), child, pipes, process: None, number: 0, clock, spoilt };
        worker.write(&preamble(settings))?;
        Ok(worker)
    }

    /// Waits until the process for the next compile tells its number.
    fn greeted(&mut self) -> Result<(), String> {
        self.rest();
        let greeting = self.receive()?;
        let number = match (greeting.number, greeting.body.split_first()) {
            (0, Some((kind, number))) if *kind == Message::Greeting.byte() => {
                number.try_into().ok().map(u32::from_le_bytes)
            }
            _ => None,
        };
        self.process = number.and_then(|number| Pid::from_raw(i32::try_from(number).ok()?));
        match self.process {
            Some(_) => Ok(()),
            None => Err(self.broken()),
        }
    }

    /// Restarts the clock: a request begins that is not part of another one.
    pub fn outermost(&mut self) {
        self.clock.begin(self.process);
    }

    /// Sends a message; `about` is the number of the question that it answers, 0 for none. Gives its own number.
    ///
    /// # Errors
    /// How the worker ended.
    pub fn send(&mut self, body: &[u8], about: u32) -> Result<u32, String> {
        let length = u32::try_from(body.len()).ok().filter(|length| (*length as usize) <= MAX_MESSAGE);
        let Some(length) = length else {
            self.spoilt = true;
            return Err("a value is too large for Ruby".to_owned());
        };
        self.number = self.number.checked_add(1).unwrap_or(1);
        let mut message = Vec::with_capacity(HEADER + body.len());
        for word in [length, self.number, about] {
            message.extend(word.to_le_bytes());
        }
        message.extend(body);
        self.write(&message)?;
        Ok(self.number)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.clock.start();
        let Some(pipes) = &mut self.pipes else { return Err(self.ending()) };
        let (child, clock) = (&mut self.child, &self.clock);
        let written = pipes.write(bytes, &mut || look_up(child, clock));
        written.map_err(|stop| self.stopped(stop))
    }

    /// Waits for a message.
    ///
    /// # Errors
    /// How the worker ended, or that it did not keep to the protocol.
    pub fn receive(&mut self) -> Result<Received, String> {
        let header = self.read(HEADER)?;
        let word = |n: usize| {
            let mut word = [0; 4];
            word.copy_from_slice(&header[n * 4..n * 4 + 4]);
            u32::from_le_bytes(word)
        };
        let (length, number, about) = (word(0) as usize, word(1), word(2));
        // The first process numbers its messages 0: they say that the process of the compile is ready, or has ended.
        let expected = self.number.checked_add(1).unwrap_or(1);
        if length > MAX_MESSAGE || (number != expected && number != 0) {
            return Err(self.broken());
        }
        let body = self.read(length)?;
        self.clock.stop();
        if number != 0 {
            self.number = number;
        } else if let Some((kind, reason)) = body.split_first()
            && *kind == Message::Gone.byte()
        {
            self.spoilt = true;
            return Err(format!("Ruby ended: {}", String::from_utf8_lossy(reason)));
        } else if self.process.is_some() {
            return Err(self.broken());
        }
        Ok(Received { number, about, body })
    }

    fn read(&mut self, count: usize) -> Result<Vec<u8>, String> {
        let Some(pipes) = &mut self.pipes else { return Err(self.ending()) };
        let (child, clock) = (&mut self.child, &self.clock);
        let read = pipes.read(count, &mut || look_up(child, clock)).map(<[u8]>::to_vec);
        read.map_err(|stop| self.stopped(stop))
    }

    /// Stops the clock.
    pub fn rest(&mut self) {
        self.clock.begin(None);
    }

    /// The worker has sent what it may not send.
    pub fn broken(&mut self) -> String {
        self.spoilt = true;
        "its Ruby worker sent what is no message of this compile".to_owned()
    }

    fn stopped(&mut self, stop: PipeStop) -> String {
        self.spoilt = true;
        match stop {
            PipeStop::GivenUp(reason) => reason,
            PipeStop::Closed => self.ending(),
        }
    }

    /// What became of a worker that no longer answers.
    fn ending(&mut self) -> String {
        self.spoilt = true;
        // The pipe closes a moment before the process can be waited for.
        for _ in 0..100 {
            match self.child.try_wait() {
                Ok(Some(status)) => return format!("Ruby ended: {status}"),
                Ok(None) => std::thread::sleep(Duration::from_millis(10)),
                Err(_) => break,
            }
        }
        "Ruby closed its pipe".to_owned()
    }
}

/// Whether a worker that is waited for is still there and has time left.
fn look_up(child: &mut Child, clock: &Clock) -> Result<(), String> {
    if let Ok(Some(status)) = child.try_wait() {
        return Err(format!("Ruby ended: {status}"));
    }
    if clock.is_over() {
        return Err(clock.exceeded());
    }
    // The compile's own time is up: the caller makes the error of that.
    if budget::time_left() == Some(Duration::ZERO) {
        return Err("has been ended".to_owned());
    }
    Ok(())
}

impl Drop for Worker {
    /// Ends all processes of the worker and waits for the first, which is the only one that is ours to wait for.
    fn drop(&mut self) {
        if let Some(process) = self.process {
            let _ = kill_process_group(process, Signal::KILL);
        }
        // The end of its input ends the first process, and it ends what it has forked.
        if let Some(pipes) = self.pipes.take()
            && !self.spoilt
        {
            pipes.hang_up(FAREWELL);
        }
        let mut waited = Duration::ZERO;
        let mut pause = Duration::from_micros(50);
        while !self.spoilt && waited < FAREWELL && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(pause);
            waited += pause;
            pause = (pause * 2).min(Duration::from_millis(20));
        }
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

/// What the start reads: the sources, the limits, the number of this process.
fn preamble(settings: &WorkerSettings) -> Vec<u8> {
    let mut out = Vec::with_capacity(192 << 10);
    let put = |out: &mut Vec<u8>, text: &[u8]| {
        out.extend((text.len() as u32).to_le_bytes());
        out.extend(text);
    };
    out.extend((1 + SOURCES.len() as u32).to_le_bytes());
    put(&mut out, b"<bunraku>/protocol.rb");
    put(&mut out, protocol::ruby_source().as_bytes());
    for (name, source) in SOURCES {
        put(&mut out, name.as_bytes());
        put(&mut out, source.as_bytes());
    }
    out.extend((PARTS.len() as u32).to_le_bytes());
    for (name, source) in PARTS {
        put(&mut out, name.as_bytes());
        put(&mut out, source.as_bytes());
    }
    out.extend(settings.timeout.as_secs_f64().to_le_bytes());
    out.extend(i64::try_from(settings.memory).unwrap_or(i64::MAX).to_le_bytes());
    out.extend(i64::from(std::process::id()).to_le_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Request, RubyFailure, ValueTag};

    /// What a worker answers to a message: the kind, and what it says as far as it is text.
    fn answer(body: &[u8]) -> (Option<Message>, Option<RubyFailure>, String) {
        let workers = Workers::default();
        let mut worker = workers.take(&WorkerSettings::default()).expect("a worker starts");
        let number = worker.send(body, 0).expect("a message is sent");
        let received = worker.receive().expect("the worker answers");
        assert_eq!(received.about, number);
        let (kind, rest) = received.body.split_first().expect("a message has a kind");
        let cause = rest.first().and_then(|byte| RubyFailure::of_byte(*byte));
        (Message::of_byte(*kind), cause, String::from_utf8_lossy(rest).into_owned())
    }

    #[test]
    fn a_request_there_is_not_is_an_error_in_ruby() {
        let unknown = (0..=u8::MAX).filter(|byte| Request::of_byte(*byte).is_none());
        for byte in unknown.step_by(50) {
            let (kind, cause, text) = answer(&[Message::Do.byte(), byte, ValueTag::Array.byte(), 0]);
            assert_eq!((kind, cause), (Some(Message::Failure), Some(RubyFailure::Raised)));
            assert!(text.contains(&format!("request {byte}, which there is not")), "{text}");
        }
    }

    #[test]
    fn a_request_with_other_arguments_is_an_error_in_ruby() {
        let form = ValueTag::Array.byte();
        for body in [&[Message::Do.byte(), 1, form, 0][..], &[Message::Do.byte(), 1, ValueTag::True.byte()]] {
            let (kind, cause, text) = answer(body);
            assert_eq!((kind, cause), (Some(Message::Failure), Some(RubyFailure::Raised)));
            assert!(text.contains("request begin_compile in another form"), "{text}");
        }
    }

    #[test]
    fn a_form_or_a_message_there_is_not_is_an_error_in_ruby() {
        let (kind, _, text) = answer(&[Message::Do.byte(), 1, 250]);
        assert_eq!(kind, Some(Message::Failure));
        assert!(text.contains("a value of form 250, which there is not"), "{text}");
        let (kind, _, text) = answer(&[Message::Answer.byte(), ValueTag::Undef.byte()]);
        assert_eq!(kind, Some(Message::Failure));
        assert!(text.contains("a message that is no request"), "{text}");
    }

    /// A message that makes a request with these arguments, each written out.
    fn request(request: Request, arguments: &[&[u8]]) -> Vec<u8> {
        let mut body =
            vec![Message::Do.byte(), request.byte(), ValueTag::Array.byte(), arguments.len() as u8];
        arguments.iter().for_each(|argument| body.extend(*argument));
        body
    }

    fn string(text: &str) -> Vec<u8> {
        let mut out = vec![ValueTag::String.byte(), text.len() as u8];
        out.extend(text.as_bytes());
        out
    }

    /// What a part defines and the table does not name would be missing until something else has had the part run.
    #[test]
    fn the_table_of_parts_names_all_that_parts_define() {
        // What Ruby's own library of sets brings along is no part's.
        let code = "<% require 'set'; known = ObjectSpace.each_object(Module).reject { |m| m.singleton_class? || m.name.nil? }; \
            seen = ->(m) { m.constants(false) + m.instance_methods(false) + m.singleton_methods(false).map { |n| \"self.#{n}\" } }; \
            before = known.to_h { |m| [m, seen[m]] }; \
            Bunraku::Parts::TABLE.each_key { |part| require \"<bunraku>/#{part}.rb\" } %>\
            <%= Bunraku::Parts::TABLE.keys.sort.join(' ') %>:<%= Bunraku::Parts.loaded.size %>:\
            <%= before.flat_map { |m, was| (seen[m] - was).map { |n| \"#{m}::#{n}\" } }.sort.join(' ') %>";
        let (nil, top) = ([ValueTag::Undef.byte()], [&[ValueTag::Integer.byte()][..], &[0; 8]].concat());
        let mut text = vec![ValueTag::String.byte(), 255];
        text.extend((code.len() as u32).to_le_bytes());
        text.extend(code.as_bytes());
        let workers = Workers::default();
        let mut worker = workers.take(&WorkerSettings::default()).expect("a worker starts");
        let empty_array = [ValueTag::Array.byte(), 0];
        // Of a version that has all parts.
        let rules = [&[ValueTag::Hash.byte(), 1][..], &string("rules"), &string("pson-is-there")].concat();
        let begin = request(Request::Begin, &[&string("n"), &string("e"), &rules, &empty_array]);
        worker.send(&begin, 0).expect("a request is sent");
        worker.receive().expect("the worker answers");
        worker.send(&request(Request::Render, &[&top, &nil, &nil, &text]), 0).expect("a request is sent");
        let told = worker.receive().expect("the worker answers").body;
        let told = String::from_utf8_lossy(&told).into_owned();
        let mut names: Vec<_> = PARTS
            .iter()
            .map(|(name, _)| name.trim_start_matches("<bunraku>/").trim_end_matches(".rb"))
            .collect();
        names.sort_unstable();
        assert!(told.contains(&names.join(" ")), "{told}");
        assert!(told.replace(' ', "").ends_with(&format!(":{}:", PARTS.len())), "{told}");
    }

    #[test]
    fn a_failure_of_a_cause_there_is_not_is_an_error_in_ruby() {
        let workers = Workers::default();
        let mut worker = workers.take(&WorkerSettings::default()).expect("a worker starts");
        let (empty_hash, empty_array) = ([ValueTag::Hash.byte(), 0], [ValueTag::Array.byte(), 0]);
        let begin = request(Request::Begin, &[&string("n"), &string("e"), &empty_hash, &empty_array]);
        worker.send(&begin, 0).expect("a request is sent");
        let begun = worker.receive().expect("the worker answers");
        assert_eq!(begun.body, [Message::Answer.byte(), ValueTag::Undef.byte()]);
        let mut top = vec![ValueTag::Integer.byte()];
        top.extend(0i64.to_le_bytes());
        let (nil, text) = ([ValueTag::Undef.byte()], string("<% Bunraku.ask('text', [1]) %>"));
        let rendering = worker.send(&request(Request::Render, &[&top, &nil, &nil, &text]), 0);
        let asked = worker.receive().expect("the worker asks");
        assert_eq!(asked.body.first(), Some(&Message::Ask.byte()));
        let mut failure = vec![Message::Failure.byte(), 250];
        failure.extend(0i64.to_le_bytes());
        failure.push(0);
        worker.send(&failure, asked.number).expect("an answer is sent");
        let told = worker.receive().expect("the worker answers");
        assert_eq!(Ok(told.about), rendering);
        // A template that can't be rendered is an error of Puppet's.
        assert_eq!(told.body[..2], [Message::Failure.byte(), RubyFailure::Puppet.byte()]);
        let text = String::from_utf8_lossy(&told.body);
        assert!(text.contains("an error of cause 250, which there is not"), "{text}");
    }
}
