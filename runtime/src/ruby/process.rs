//! Workers: `ruby` processes that are started, kept between compiles and ended.

use super::Settings;
use bunraku_vm::budget;
use std::io::{BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The worker's Ruby, in the order it is loaded.
const SOURCES: &[(&str, &str)] = &[
    ("<bunraku>/wire.rb", include_str!("worker/wire.rb")),
    ("<bunraku>/puppet.rb", include_str!("worker/puppet.rb")),
    ("<bunraku>/types.rb", include_str!("worker/types.rb")),
    ("<bunraku>/scope.rb", include_str!("worker/scope.rb")),
    ("<bunraku>/functions.rb", include_str!("worker/functions.rb")),
    ("<bunraku>/datatypes.rb", include_str!("worker/datatypes.rb")),
    ("<bunraku>/legacy.rb", include_str!("worker/legacy.rb")),
    ("<bunraku>/template.rb", include_str!("worker/template.rb")),
    ("<bunraku>/hiera.rb", include_str!("worker/hiera.rb")),
    ("<bunraku>/main.rb", include_str!("worker/main.rb")),
];

/// Takes the pipes away from the code that will run, then reads and runs the sources.
const START: &str = "i=$stdin.dup;o=$stdout.dup;$stdin.reopen('/dev/null');$stdout.reopen($stderr);i.binmode;o.binmode;\
t=->{i.read(i.read(4).unpack1('V')).force_encoding('UTF-8')};c=->{i.read(4).unpack1('V')};\
c[].times{n=t[];eval(t[],TOPLEVEL_BINDING,n,1)};f=Array.new(c[]){t[]};l,m=i.read(16).unpack('Eq<');\
Bunraku.start(i,o,f,l,m)";

/// Messages longer than this are refused: no value a compile may hold is so large.
const MAX_MESSAGE: usize = 1 << 30;

/// What must be the same for a worker to serve a further compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub settings: Settings,
    pub folders: Vec<PathBuf>,
}

/// The workers that wait for a compile.
#[derive(Default)]
pub struct Workers {
    idle: Mutex<Vec<Worker>>,
}

/// Kept waiting at most; the oldest goes when there are more.
const MAX_IDLE: usize = 16;

impl Workers {
    /// A worker for the key: one that waits, or a new one.
    ///
    /// # Errors
    /// Why none could be started.
    pub(super) fn take(&self, key: &Key) -> Result<Worker, String> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        match idle.iter().position(|worker| worker.key == *key) {
            Some(at) => Ok(idle.remove(at)),
            None => {
                drop(idle);
                Worker::start(key)
            }
        }
    }

    /// Ends those that wait.
    pub(crate) fn end(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Keeps a worker for the next compile, if it may be used again.
    pub(super) fn give_back(&self, worker: Worker) {
        if worker.spoilt {
            return;
        }
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(worker);
        if idle.len() > MAX_IDLE {
            idle.remove(0);
        }
    }
}

/// One `ruby` process. Ended when dropped.
pub(super) struct Worker {
    key: Key,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    guard: Arc<Guard>,
    /// Not to be used for another compile.
    pub spoilt: bool,
}

/// Ends a worker that does not answer in time.
struct Guard {
    child: Mutex<Child>,
    start: Instant,
    /// Milliseconds since the start; 0 for none.
    deadline: AtomicU64,
    over: AtomicBool,
    overdue: AtomicBool,
}

impl Guard {
    fn child(&self) -> std::sync::MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> u64 {
        self.start.elapsed().as_millis() as u64
    }

    fn watch(&self) {
        while !self.over.load(Ordering::Relaxed) {
            std::thread::park_timeout(Duration::from_millis(250));
            let deadline = self.deadline.load(Ordering::Relaxed);
            if deadline != 0 && self.now() > deadline {
                self.overdue.store(true, Ordering::Relaxed);
                let _ = self.child().kill();
                return;
            }
        }
    }
}

/// Ruby itself ends what runs for too long and can say where; this much later it is ended from outside.
const GRACE: Duration = Duration::from_secs(3);

impl Worker {
    fn start(key: &Key) -> Result<Worker, String> {
        let program = &key.settings.program;
        let mut child = Command::new(program)
            .args(["--disable=gems", "-EUTF-8", "-W0", "-e", START])
            .env_remove("RUBYOPT")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => format!("no Ruby was found ('{}')", program.display()),
                _ => format!("Ruby could not be started ('{}'): {error}", program.display()),
            })?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| "Ruby was started without pipes".to_owned())?;
        let guard = Arc::new(Guard {
            child: Mutex::new(child),
            start: Instant::now(),
            deadline: AtomicU64::new(0),
            over: AtomicBool::new(false),
            overdue: AtomicBool::new(false),
        });
        let watched = guard.clone();
        std::thread::Builder::new()
            .name("ruby-guard".to_owned())
            .stack_size(64 << 10)
            .spawn(move || watched.watch())
            .map_err(|error| format!("Could not start a thread: {error}"))?;
        let mut worker =
            Worker { key: key.clone(), input, output: BufReader::new(output), guard, spoilt: false };
        worker.input.write_all(&preamble(key)).map_err(|_| worker.ending())?;
        Ok(worker)
    }

    /// Sends a message. An outermost one starts the clock.
    ///
    /// # Errors
    /// How the worker ended.
    pub fn send(&mut self, body: &[u8], outermost: bool) -> Result<(), String> {
        if outermost {
            let limit = self.key.settings.timeout + GRACE;
            // No longer than the compile itself may.
            let limit = budget::time_left().map_or(limit, |left| left.min(limit)).as_millis() as u64;
            self.guard.deadline.store(self.guard.now() + limit, Ordering::Relaxed);
        }
        let Ok(length) = u32::try_from(body.len()) else {
            return Err("a value is too large for Ruby".to_owned());
        };
        let mut message = Vec::with_capacity(4 + body.len());
        message.extend(length.to_le_bytes());
        message.extend(body);
        self.input.write_all(&message).map_err(|_| self.ending())
    }

    /// Waits for a message.
    ///
    /// # Errors
    /// How the worker ended.
    pub fn receive(&mut self) -> Result<Vec<u8>, String> {
        let mut length = [0; 4];
        self.output.read_exact(&mut length).map_err(|_| self.ending())?;
        let length = u32::from_le_bytes(length) as usize;
        if length > MAX_MESSAGE {
            self.spoilt = true;
            return Err("the Ruby worker sent what is no message".to_owned());
        }
        let mut message = vec![0; length];
        self.output.read_exact(&mut message).map_err(|_| self.ending())?;
        Ok(message)
    }

    /// Stops the clock.
    pub fn rest(&self) {
        self.guard.deadline.store(0, Ordering::Relaxed);
    }

    /// What became of a worker that no longer answers.
    fn ending(&mut self) -> String {
        self.spoilt = true;
        if self.guard.overdue.load(Ordering::Relaxed) {
            let seconds = self.key.settings.timeout.as_secs_f64();
            return format!("ran for more than {seconds} seconds (setting ruby_timeout)");
        }
        let mut child = self.guard.child();
        // The pipe closes a moment before the process is gone.
        for _ in 0..100 {
            match child.try_wait() {
                Ok(Some(status)) => return format!("Ruby ended: {status}"),
                Ok(None) => std::thread::sleep(Duration::from_millis(10)),
                Err(_) => break,
            }
        }
        let _ = child.kill();
        "Ruby closed its pipe".to_owned()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.guard.over.store(true, Ordering::Relaxed);
        let mut child = self.guard.child();
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// The sources, folders and limits, as the start reads them.
fn preamble(key: &Key) -> Vec<u8> {
    let mut out = Vec::with_capacity(96 << 10);
    let put = |out: &mut Vec<u8>, text: &[u8]| {
        out.extend((text.len() as u32).to_le_bytes());
        out.extend(text);
    };
    out.extend((SOURCES.len() as u32).to_le_bytes());
    for (name, source) in SOURCES {
        put(&mut out, name.as_bytes());
        put(&mut out, source.as_bytes());
    }
    out.extend((key.folders.len() as u32).to_le_bytes());
    for folder in &key.folders {
        put(&mut out, folder.as_os_str().as_encoded_bytes());
    }
    out.extend(key.settings.timeout.as_secs_f64().to_le_bytes());
    out.extend(i64::try_from(key.settings.memory).unwrap_or(i64::MAX).to_le_bytes());
    out
}
