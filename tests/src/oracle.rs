//! Real Puppet behind the line protocol: `tests/oracle/oracle.rb`.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::paths;
use crate::worker::Pool;

/// Whether this machine has the Puppet that the goldens come from.
pub fn installed() -> bool {
    let probe = "require 'puppet/version'; exit Puppet.version == '7.23.0'";
    Command::new("ruby")
        .args(["-e", probe])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn command() -> Command {
    let mut command = Command::new("ruby");
    command.arg(paths::root().join("tests/oracle/oracle.rb"));
    command.env("LANG", "C.UTF-8").env_remove("RUBYOPT");
    command
}

/// Runs jobs through the oracle, two processes side by side.
pub fn run(jobs: &[Value], each: &(dyn Fn(usize, Value) + Sync)) {
    Pool { command: &command, processes: 2, timeout: Duration::from_secs(180) }.run(jobs, each);
}

/// The same, with all results in the jobs' order.
pub fn collect(jobs: &[Value]) -> Vec<Value> {
    Pool { command: &command, processes: 2, timeout: Duration::from_secs(180) }.collect(jobs)
}
