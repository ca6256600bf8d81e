//! The time a worker has had for a question: what passes while it is asked, without what it waited for a processor
//! that others had, and without what it waited for the compiler's own answers.

use rustix::process::Pid;
use std::time::{Duration, Instant};

/// How long after the limit a worker is killed. Before that Ruby ends the code itself and can say where it stood.
const GRACE: Duration = Duration::from_secs(3);

/// Least time that the start of a worker may take, even if functions have less.
const START: Duration = Duration::from_secs(60);

/// Counts a worker's time against its limit.
pub(super) struct Clock {
    limit: Duration,
    /// The process that is counted, none before it has told its number.
    process: Option<Pid>,
    /// Time that it has run in earlier turns.
    spent: Duration,
    /// When its present turn began; none while the compiler's turn is.
    since: Option<Instant>,
    /// How long it had waited for a processor when the request was made.
    waited_before: Duration,
}

impl Clock {
    pub(super) fn new(limit: Duration) -> Self {
        Clock { limit, process: None, spent: Duration::ZERO, since: None, waited_before: Duration::ZERO }
    }

    /// Counts this process from now on, with nothing spent.
    pub(super) fn begin(&mut self, process: Option<Pid>) {
        self.process = process;
        self.spent = Duration::ZERO;
        self.since = None;
        self.waited_before = process.map_or(Duration::ZERO, waited);
    }

    /// The worker runs.
    pub(super) fn start(&mut self) {
        self.since = Some(Instant::now());
    }

    /// The worker waits for an answer, or has given its own.
    pub(super) fn stop(&mut self) {
        if let Some(since) = self.since.take() {
            self.spent += since.elapsed();
        }
    }

    /// Whether the time is over. Asks the system only when it might be.
    pub(super) fn is_over(&self) -> bool {
        let spent = self.spent + self.since.map_or(Duration::ZERO, |since| since.elapsed());
        let limit = match self.process {
            Some(_) => self.limit.saturating_add(GRACE),
            None => self.limit.max(START),
        };
        if spent <= limit {
            return false;
        }
        let waited = self.process.map_or(Duration::ZERO, waited).saturating_sub(self.waited_before);
        spent.saturating_sub(waited) > limit
    }

    /// The limit, as messages have it.
    pub(super) fn exceeded(&self) -> String {
        format!("ran for more than {} seconds (setting ruby_timeout)", self.limit.as_secs_f64())
    }
}

/// How long a process could have run and had no processor. Nothing where the system does not tell.
fn waited(process: Pid) -> Duration {
    let path = format!("/proc/{}/schedstat", process.as_raw_nonzero());
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let nanoseconds = text.split_whitespace().nth(1).and_then(|word| word.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}
