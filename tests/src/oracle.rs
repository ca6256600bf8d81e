//! Real Puppet behind the line protocol: `tests/oracle/oracle.rb`, by the version of the language.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::paths;
use crate::worker::Pool;

/// One of the three Puppets that say what a program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Oracle {
    /// What it is called in pages and arguments: 7, 8, 9.
    pub number: u8,
    /// What Puppet itself says its version is.
    pub version: &'static str,
    /// Where it comes from, for messages.
    pub package: &'static str,
}

/// All of them: 7 is installed, 8 and 9 are fetched when they are asked for.
pub const ALL: [Oracle; 3] = [
    Oracle { number: 7, version: "7.23.0", package: "Debian 12's puppet-agent, installed" },
    Oracle { number: 8, version: "8.10.0", package: "Debian 13's puppet-agent, unpacked" },
    Oracle { number: 9, version: "9.0.0-rc1", package: "Debian unstable's ruby-openvox, unpacked" },
];

/// The one that most goldens come from.
pub const SEVEN: Oracle = ALL[0];

/// The one of the default version.
pub const EIGHT: Oracle = ALL[1];

impl Oracle {
    /// The oracle of a number.
    ///
    /// # Errors
    /// When there is none.
    pub fn of(number: &str) -> Result<Oracle, String> {
        let found = ALL.into_iter().find(|oracle| oracle.number.to_string() == number);
        found.ok_or_else(|| format!("There is no oracle '{number}': they are 7, 8 and 9"))
    }

    /// Sees to it that this machine has it.
    ///
    /// # Errors
    /// Why it has not.
    pub fn ready(self) -> Result<(), String> {
        if self.number != 7 {
            fetch(self.number)?;
        }
        let probe = "require 'puppet/version'; puts Puppet.version";
        let output = self.ruby().args(["-e", probe]).stderr(Stdio::null()).output();
        match output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()) {
            Ok(found) if found == self.version => Ok(()),
            Ok(found) if !found.is_empty() => {
                Err(format!("Puppet {} is wanted, {found} is here", self.version))
            }
            _ => Err(format!("Puppet {} is not here ({})", self.version, self.package)),
        }
    }

    /// Ruby with this Puppet as its library.
    fn ruby(self) -> Command {
        let mut command = Command::new("sh");
        command.arg(paths::root().join("tests/oracle/puppet.sh")).arg(self.number.to_string());
        command.env("LANG", "C.UTF-8").env_remove("RUBYOPT");
        command
    }

    /// Its command `puppet`, to which arguments are added.
    pub fn command(self) -> Command {
        self.script("command.rb")
    }

    /// One of the scripts in `tests/oracle/`, to which arguments are added.
    pub fn script(self, name: &str) -> Command {
        let mut command = self.ruby();
        command.arg(paths::root().join("tests/oracle").join(name));
        command
    }

    fn batch(self) -> Command {
        self.script("oracle.rb")
    }

    /// Runs jobs, two processes side by side.
    pub fn run(self, jobs: &[Value], each: &(dyn Fn(usize, Value) + Sync)) {
        let command = || self.batch();
        Pool { command: &command, processes: 2, timeout: Duration::from_secs(180) }.run(jobs, each);
    }

    /// The same, with all results in the jobs' order.
    pub fn collect(self, jobs: &[Value]) -> Vec<Value> {
        let command = || self.batch();
        Pool { command: &command, processes: 2, timeout: Duration::from_secs(180) }.collect(jobs)
    }
}

fn fetch(number: u8) -> Result<(), String> {
    let output = Command::new("sh")
        .arg(paths::root().join("tests/oracle/fetch.sh"))
        .arg(number.to_string())
        .output()
        .map_err(|error| format!("fetch.sh does not start: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("fetch.sh: {}", said.trim().lines().last().unwrap_or("it failed and said nothing")))
}

/// Those of 7 and 8 that this machine has; of the others it is said that `what` is skipped.
pub fn seven_and_eight(what: &str) -> Vec<Oracle> {
    let is_here = |oracle: &Oracle| match oracle.ready() {
        Ok(()) => true,
        Err(why) => {
            eprintln!("SKIPPED {what} beside Puppet {}: {why}", oracle.version);
            false
        }
    };
    [SEVEN, EIGHT].into_iter().filter(is_here).collect()
}

/// Whether this machine has the Puppet that most goldens come from: 7.23.0.
pub fn installed() -> bool {
    SEVEN.ready().is_ok()
}

/// Runs jobs through Puppet 7.23, two processes side by side; results in the jobs' order.
pub fn collect(jobs: &[Value]) -> Vec<Value> {
    SEVEN.collect(jobs)
}
