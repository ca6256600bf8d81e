//! Runs programs for `generate`. Of programs that the setting `pure_programs` names, what they print depends on their arguments alone:
//! each is run once for the same arguments, whatever node asks, and a catalog that has run one has read no more than its file.

use bunraku_files::recent::Recent;
use bunraku_process::{Ended, Errors, Limits};
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::SystemTime;

/// How many outputs are kept.
const MOST: usize = 10_000;
/// Longer ones are not.
const LONGEST: usize = 64 << 10;

/// Programs that code may run.
#[derive(Clone, Copy)]
pub struct Programs<'c> {
    /// Those whose output depends on their arguments alone, by their paths.
    pub pure: &'c [String],
    /// What those have printed.
    pub outputs: &'c Outputs,
}

impl Programs<'_> {
    /// Whether a program is one of the pure ones.
    pub fn is_pure(&self, program: &str) -> bool {
        self.pure.iter().any(|pure| pure == program)
    }
}

/// What tells one state of a program's file from another: size and time of change.
type Stamp = (u64, Option<SystemTime>);

/// What pure programs have printed.
pub struct Outputs {
    /// Key: program and arguments. Bound: [`MOST`], none longer than [`LONGEST`]. Stale: size or time of the program differ. What
    /// fails is not kept. Test: `runtime/compile/tests/programs.rs`.
    kept: Mutex<Recent<Vec<String>, (Stamp, String)>>,
}

impl Default for Outputs {
    fn default() -> Self {
        Outputs { kept: Mutex::new(Recent::new(MOST)) }
    }
}

impl Outputs {
    /// What a pure program has printed for its arguments, if it is known and the program is the same.
    pub fn get(&self, command: &[String]) -> Option<String> {
        let now = stamp(command)?;
        let mut kept = self.kept.lock().ok()?;
        let (then, text) = kept.get(command)?;
        (*then == now).then(|| text.clone())
    }

    /// Keeps what it has printed.
    pub fn keep(&self, command: &[String], text: &str) {
        if let (Some(stamp), Ok(mut kept)) = (stamp(command), self.kept.lock())
            && text.len() <= LONGEST
        {
            kept.insert(command.to_vec(), (stamp, text.to_owned()));
        }
    }
}

fn stamp(command: &[String]) -> Option<Stamp> {
    let status = std::fs::metadata(command.first()?).ok()?;
    Some((status.len(), status.modified().ok()))
}

/// Runs a command in the folder of its program, as Puppet does.
///
/// # Errors
/// When it can't be started, or takes more than it may.
pub(crate) fn run((program, args): (&str, &[String]), folder: &Path, limits: Limits) -> io::Result<Ended> {
    bunraku_process::run(Command::new(program).args(args).current_dir(folder), Errors::Joined, limits)
}
