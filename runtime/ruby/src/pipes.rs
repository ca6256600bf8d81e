//! The two pipes to a worker. Neither reading nor writing ever waits for longer than a moment at a time, so that
//! whoever waits can look whether the worker still lives and has time left: a pipe may be held open by a process that
//! will never write to it.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use std::io::{ErrorKind, Read, Write};
use std::process::{ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

/// How long one wait lasts before `look_up` is asked.
const MOMENT: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Most bytes that are read at once.
const CHUNK: usize = 64 << 10;

/// Why there was nothing more to read or to write to.
pub(super) enum PipeStop {
    /// The other side has closed its end.
    Closed,
    /// Whoever waited has given up, for this reason.
    GivenUp(String),
}

/// Both pipes of one worker, seen from this side.
pub(super) struct Pipes {
    input: ChildStdin,
    output: ChildStdout,
    /// What has been read; all before `at` has been handed out.
    buffer: Vec<u8>,
    at: usize,
}

impl Pipes {
    /// # Errors
    /// Those of the system, when it can't make a pipe one that does not wait.
    pub(super) fn new(input: ChildStdin, output: ChildStdout) -> std::io::Result<Self> {
        ioctl_fionbio(&input, true)?;
        ioctl_fionbio(&output, true)?;
        Ok(Pipes { input, output, buffer: Vec::new(), at: 0 })
    }

    /// Closes the pipe to the worker, then waits for the worker's end of the other: no longer than `most`, and whatever
    /// still comes is lost.
    pub(super) fn hang_up(self, most: Duration) {
        let Pipes { input, mut output, .. } = self;
        drop(input);
        let begun = Instant::now();
        let mut rest = [0; 4096];
        while let Some(left) = most.checked_sub(begun.elapsed()) {
            let left = Timespec::try_from(left).unwrap_or(MOMENT);
            let mut fds = [PollFd::new(&output, PollFlags::IN)];
            let is_ready = poll(&mut fds, Some(&left)).unwrap_or(0) > 0;
            if is_ready && !matches!(output.read(&mut rest), Ok(1..)) {
                return;
            }
        }
    }

    /// Writes all of it. `look_up` is asked every now and then whether to go on.
    ///
    /// # Errors
    /// See [`PipeStop`].
    pub(super) fn write(
        &mut self,
        mut bytes: &[u8],
        look_up: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<(), PipeStop> {
        while !bytes.is_empty() {
            match self.input.write(bytes) {
                Ok(0) => return Err(PipeStop::Closed),
                Ok(count) => bytes = &bytes[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let mut fds = [PollFd::new(&self.input, PollFlags::OUT)];
                    if poll(&mut fds, Some(&MOMENT)).unwrap_or(0) == 0 {
                        look_up().map_err(PipeStop::GivenUp)?;
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(PipeStop::Closed),
            }
        }
        Ok(())
    }

    /// The next `count` bytes.
    ///
    /// # Errors
    /// See [`PipeStop`].
    pub(super) fn read(
        &mut self,
        count: usize,
        look_up: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<&[u8], PipeStop> {
        if self.at == self.buffer.len() {
            self.buffer.clear();
            self.at = 0;
        }
        while self.buffer.len() - self.at < count {
            self.fill(count, look_up)?;
        }
        let found = self.at..self.at + count;
        self.at = found.end;
        Ok(&self.buffer[found])
    }

    fn fill(
        &mut self,
        count: usize,
        look_up: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<(), PipeStop> {
        let mut fds = [PollFd::new(&self.output, PollFlags::IN)];
        if poll(&mut fds, Some(&MOMENT)).unwrap_or(0) == 0 {
            return look_up().map_err(PipeStop::GivenUp);
        }
        let old = self.buffer.len();
        let missing = count - (old - self.at);
        // No more memory than has been read: the length may be wrong.
        self.buffer.resize(old + missing.clamp(CHUNK, 16 * CHUNK), 0);
        let read = self.output.read(&mut self.buffer[old..]);
        self.buffer.truncate(old + read.as_ref().copied().unwrap_or(0));
        match read {
            Ok(0) => Err(PipeStop::Closed),
            Ok(_) => Ok(()),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(()),
            Err(_) => Err(PipeStop::Closed),
        }
    }
}
