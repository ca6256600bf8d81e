//! Drives processes that answer one JSON job a line with one JSON result a line.
//!
//! Each process has one job at a time, so a process that dies or hangs is blamed on the job it
//! had: that job's result says so, and a new process takes over with the next one.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// How to start the processes, and how long a job may take.
pub struct Pool<'a> {
    /// Makes the command line of one process.
    pub command: &'a (dyn Fn() -> Command + Sync),
    /// How many processes run side by side.
    pub processes: usize,
    /// After this long, the process is killed and the job has failed.
    pub timeout: Duration,
}

struct Process {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl Process {
    fn start(mut command: Command) -> std::io::Result<Process> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let stdin = child.stdin.take().expect("stdin is piped");
        let stdout = child.stdout.take().expect("stdout is piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Process { child, stdin, lines })
    }

    fn ask(&mut self, job: &Value, timeout: Duration) -> Result<Value, String> {
        writeln!(self.stdin, "{job}").map_err(|_| "the process died".to_owned())?;
        let line = self.lines.recv_timeout(timeout).map_err(|error| match error {
            RecvTimeoutError::Timeout => format!("no answer within {timeout:?}"),
            RecvTimeoutError::Disconnected => "the process died".to_owned(),
        })?;
        serde_json::from_str(&line).map_err(|error| format!("the answer is not JSON: {error}"))
    }

    /// It is told that there are no more jobs, and ends by itself: what it does last is tried, too, and done.
    fn end(self) {
        let Process { mut child, stdin, lines } = self;
        drop(stdin);
        if lines.recv_timeout(Duration::from_secs(10)) != Err(RecvTimeoutError::Disconnected) {
            let _ = child.kill();
        }
        let _ = child.wait();
    }

    fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Pool<'_> {
    /// Runs the jobs and hands each result to `each`, with the job's number, as it comes.
    pub fn run(&self, jobs: &[Value], each: &(dyn Fn(usize, Value) + Sync)) {
        let next = Mutex::new(0_usize);
        std::thread::scope(|scope| {
            for _ in 0..self.processes.clamp(1, jobs.len().max(1)) {
                scope.spawn(|| {
                    let mut process = None;
                    loop {
                        let number = {
                            let mut next = next.lock().expect("no worker panics with the lock");
                            *next += 1;
                            *next - 1
                        };
                        let Some(job) = jobs.get(number) else { break };
                        each(number, self.one(&mut process, job));
                    }
                    if let Some(process) = process {
                        process.end();
                    }
                });
            }
        });
    }

    /// Runs the jobs and gives their results in the jobs' order.
    pub fn collect(&self, jobs: &[Value]) -> Vec<Value> {
        let results = Mutex::new(vec![Value::Null; jobs.len()]);
        self.run(jobs, &|number, result| {
            results.lock().expect("no worker panics with the lock")[number] = result;
        });
        results.into_inner().expect("all workers have ended")
    }

    fn one(&self, slot: &mut Option<Process>, job: &Value) -> Value {
        let mut process = match slot.take() {
            Some(process) => process,
            None => match Process::start((self.command)()) {
                Ok(process) => process,
                Err(error) => return died(job, &format!("cannot start: {error}")),
            },
        };
        match process.ask(job, self.timeout) {
            Ok(result) => {
                *slot = Some(process);
                result
            }
            Err(reason) => {
                process.kill();
                died(job, &reason)
            }
        }
    }
}

fn died(job: &Value, reason: &str) -> Value {
    json!({"id": job["id"], "ok": false, "died": true, "logs": [], "error": {"message": reason}})
}
