//! Programs that a compile runs (`generate`, external node classifiers): with an end to what they print and to how long
//! they take. Each leads a group of processes of its own, so that with it goes what it has started.

use bunraku_vm::budget;
use std::cell::RefCell;
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes that it may print: the setting `exec_output`.
    pub bytes: usize,
    /// How long it may run: the setting `exec_timeout`.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 64 << 20, time: Duration::from_secs(120) }
    }
}

/// Where what a program prints on its standard error goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errors {
    /// Between what it prints on standard output, as it comes.
    Joined,
    /// To that of this process, or to who asks for it by [`keeping_errors`].
    Passed,
}

/// What a program has printed on its standard error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The program, as it was called.
    pub program: String,
    /// What it printed: the first [`MOST_COMPLAINED`] bytes.
    pub text: String,
}

/// Bytes of one program's standard error that are kept; what follows is thrown away.
pub const MOST_COMPLAINED: usize = 16 << 10;

thread_local! {
    /// What programs of this thread have printed on their standard error, while that is kept.
    static COMPLAINTS: RefCell<Option<Vec<Complaint>>> = const { RefCell::new(None) };
}

/// Does some work, and gives besides what it comes to what the programs that it ran on this thread have printed on their standard
/// error in place of that of this process ([`Errors::Passed`]).
pub fn keeping_errors<T>(work: impl FnOnce() -> T) -> (T, Vec<Complaint>) {
    /// Sets back what was there, even where the work panics.
    struct Outer(Option<Vec<Complaint>>);
    impl Drop for Outer {
        fn drop(&mut self) {
            COMPLAINTS.set(self.0.take());
        }
    }
    let _outer = Outer(COMPLAINTS.replace(Some(Vec::new())));
    let done = work();
    (done, COMPLAINTS.take().unwrap_or_default())
}

/// What became of a program that was started and ended by itself.
pub struct Ended {
    /// Its status.
    pub status: ExitStatus,
    /// What it printed.
    pub output: Vec<u8>,
}

/// Runs a program to its end, with nothing to read.
///
/// # Errors
/// When it can't be started, or was ended because it went beyond a limit: which, by the name of its setting. Where the
/// time of the compile that runs it is up, that ends.
pub fn run(command: &mut Command, errors: Errors, limits: Limits) -> io::Result<Ended> {
    run_with(command, Stdio::null(), errors, limits)
}

/// Runs a program to its end, with something to read: a file, as a pipe would have to be filled while it runs.
///
/// # Errors
/// As of [`run`].
pub fn run_with(command: &mut Command, input: Stdio, errors: Errors, limits: Limits) -> io::Result<Ended> {
    let time = budget::time_left().map_or(limits.time, |left| left.min(limits.time));
    let deadline = Instant::now() + time;
    let (reader, writer) = io::pipe()?;
    let keeps = errors == Errors::Passed && COMPLAINTS.with_borrow(Option::is_some);
    let (errors_reader, copy) = match errors {
        Errors::Joined => (None, Stdio::from(writer.try_clone()?)),
        Errors::Passed if keeps => {
            let (reader, writer) = io::pipe()?;
            (Some(reader), Stdio::from(writer))
        }
        Errors::Passed => (None, Stdio::inherit()),
    };
    command.stdin(input).stdout(writer).stderr(copy);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let child = command.spawn();
    // The command holds the end that is written to, and would keep the pipe open.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut program =
        Program { child: child?, reader, output: Vec::new(), errors_reader, errors: Vec::new() };
    let finished = program.finish(limits, deadline);
    if !program.errors.is_empty() {
        let text = String::from_utf8_lossy(&program.errors).into_owned();
        let complaint = Complaint { program: command.get_program().to_string_lossy().into_owned(), text };
        COMPLAINTS.with_borrow_mut(|all| all.get_or_insert_default().push(complaint));
    }
    match finished {
        Ok(status) => Ok(Ended { status, output: program.output }),
        Err(error) => {
            program.end();
            budget::check_time();
            Err(error)
        }
    }
}

/// How often standard error is read before the clock is looked at again.
const ERRORS_AT_ONCE: usize = 16;

/// How often a program is looked at that prints nothing: it may have left its output to another that stays.
const LOOK: Duration = Duration::from_millis(20);

/// How long it is waited for a program that has closed its output: at first, and at most.
const SHORTEST_PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

struct Program {
    child: Child,
    reader: io::PipeReader,
    output: Vec<u8>,
    /// Its standard error, where that is kept.
    errors_reader: Option<io::PipeReader>,
    errors: Vec<u8>,
}

impl Program {
    /// Takes what it prints until it has ended.
    fn finish(&mut self, limits: Limits, deadline: Instant) -> io::Result<ExitStatus> {
        let mut open = true;
        let mut pause = SHORTEST_PAUSE;
        loop {
            let status = self.child.try_wait()?;
            // What was printed before the end is in the pipe by now.
            while open && ready(&self.reader, if status.is_none() { LOOK } else { Duration::ZERO })? {
                open = self.take(limits.bytes)?;
                self.take_errors()?;
                if Instant::now() >= deadline {
                    break;
                }
            }
            self.take_errors()?;
            if let Some(status) = status {
                return Ok(status);
            }
            if Instant::now() >= deadline {
                let seconds = limits.time.as_secs_f64();
                return Err(io::Error::other(format!(
                    "it ran for more than {seconds} seconds (setting exec_timeout)"
                )));
            }
            if !open {
                // It has closed its output and goes on, or is about to end, as most are.
                std::thread::sleep(pause);
                pause = (2 * pause).min(LONGEST_PAUSE);
            }
        }
    }

    /// Takes some of what is in the pipe; whether there may come more.
    fn take(&mut self, limit: usize) -> io::Result<bool> {
        let mut some = [0; 8 << 10];
        let count = match self.reader.read(&mut some) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(true),
            count => count?,
        };
        self.output.extend_from_slice(&some[..count]);
        if self.output.len() > limit {
            return Err(io::Error::other(format!(
                "it printed more than {limit} bytes (setting exec_output)"
            )));
        }
        Ok(count > 0)
    }

    /// Takes what is there of its standard error; of one that never ends so much at once that the clock is looked at in between.
    fn take_errors(&mut self) -> io::Result<()> {
        let Some(reader) = &mut self.errors_reader else { return Ok(()) };
        for _ in 0..ERRORS_AT_ONCE {
            if !ready(reader, Duration::ZERO)? {
                break;
            }
            let mut some = [0; 8 << 10];
            let count = match reader.read(&mut some) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                count => count?,
            };
            if count == 0 {
                self.errors_reader = None;
                return Ok(());
            }
            let room = MOST_COMPLAINED.saturating_sub(self.errors.len());
            self.errors.extend_from_slice(&some[..count.min(room)]);
        }
        Ok(())
    }

    /// Ends it with all that it has started, and waits for it.
    fn end(&mut self) {
        #[cfg(unix)]
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            // Nothing to do where none of them is left.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether there is something in the pipe, or its end, within a time.
#[cfg(unix)]
fn ready(reader: &io::PipeReader, within: Duration) -> io::Result<bool> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let within = Timespec { tv_sec: 0, tv_nsec: within.subsec_nanos().into() };
    match poll(&mut [PollFd::new(reader, PollFlags::IN)], Some(&within)) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Elsewhere one waits for what comes.
#[cfg(not(unix))]
fn ready(_reader: &io::PipeReader, _within: Duration) -> io::Result<bool> {
    Ok(true)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(code: &str, limits: Limits) -> Result<(String, Option<i32>), String> {
        let ended = run(Command::new("/bin/sh").args(["-c", code]), Errors::Joined, limits);
        let ended = ended.map_err(|error| error.to_string())?;
        Ok((String::from_utf8_lossy(&ended.output).into_owned(), ended.status.code()))
    }

    fn limits(bytes: usize, milliseconds: u64) -> Limits {
        Limits { bytes, time: Duration::from_millis(milliseconds) }
    }

    #[test]
    fn both_streams_come_as_they_were_written() {
        let ended = shell("echo a; echo b >&2; echo c; exit 3", Limits::default());
        assert_eq!(ended, Ok(("a\nb\nc\n".to_owned(), Some(3))));
        let much = shell(
            "i=0; while [ $i -lt 5000 ]; do echo 0123456789012345678901234567890; i=$((i+1)); done",
            Limits::default(),
        );
        assert_eq!(much.map(|(text, _)| text.len()), Ok(160_000));
    }

    #[test]
    fn standard_error_may_be_kept() {
        let shell = |code: &str| {
            let ended = run(Command::new("/bin/sh").args(["-c", code]), Errors::Passed, Limits::default());
            ended.map(|ended| String::from_utf8_lossy(&ended.output).into_owned())
        };
        let (output, complaints) = keeping_errors(|| shell("echo a; echo b >&2; echo c >&2"));
        assert_eq!(output.unwrap(), "a\n");
        assert_eq!(complaints, [Complaint { program: "/bin/sh".to_owned(), text: "b\nc\n".to_owned() }]);
        // However much it is, the program comes to its end; and nothing is kept afterwards.
        let much = "i=0; while [ $i -lt 9000 ]; do echo 0123456789012345678901234567890 >&2; i=$((i+1)); done; echo d";
        let (output, complaints) = keeping_errors(|| shell(much));
        assert_eq!(output.unwrap(), "d\n");
        assert_eq!(complaints[0].text.len(), MOST_COMPLAINED);
        assert!(COMPLAINTS.with_borrow(Option::is_none));
        let (_, complaints) = keeping_errors(|| shell("echo a"));
        assert!(complaints.is_empty());
        // One that never ends is ended in time, with what it has said.
        let endless = || {
            let mut command = Command::new("/bin/sh");
            run(command.args(["-c", "yes >&2"]), Errors::Passed, limits(100, 300)).map(|ended| ended.output)
        };
        let (output, complaints) = keeping_errors(endless);
        assert_eq!(
            output.unwrap_err().to_string(),
            "it ran for more than 0.3 seconds (setting exec_timeout)"
        );
        assert_eq!(complaints[0].text.len(), MOST_COMPLAINED);
    }

    #[test]
    fn what_goes_on_is_ended_with_all_it_has_started() {
        let folder = tempfile::tempdir().unwrap();
        let note = folder.path().join("pid");
        let code = format!("sleep 600 & echo $! > {}; wait", note.display());
        let error = shell(&code, limits(100, 300)).unwrap_err();
        assert_eq!(error, "it ran for more than 0.3 seconds (setting exec_timeout)");
        let pid = std::fs::read_to_string(&note).unwrap();
        let state = || std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        // Its parent is gone: whoever is now waits for it in its own time.
        let gone = (0..100).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            state().map_or(true, |state| state.contains(") Z "))
        });
        assert!(gone, "{:?}", state());
    }

    #[test]
    fn what_prints_without_end_is_ended() {
        let started = Instant::now();
        let error = shell("while :; do echo yes; done", limits(10_000, 60_000)).unwrap_err();
        assert_eq!(error, "it printed more than 10000 bytes (setting exec_output)");
        assert!(started.elapsed() < Duration::from_secs(30));
        let closed = shell("exec >&- 2>&-; sleep 600", limits(100, 300)).unwrap_err();
        assert_eq!(closed, "it ran for more than 0.3 seconds (setting exec_timeout)");
    }

    #[test]
    fn what_it_leaves_behind_is_not_waited_for() {
        let started = Instant::now();
        let ended = shell("echo begun; sleep 20 & exit 0", Limits::default());
        assert_eq!(ended, Ok(("begun\n".to_owned(), Some(0))));
        assert!(started.elapsed() < Duration::from_secs(15));
    }
}
