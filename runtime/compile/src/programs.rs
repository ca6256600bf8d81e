//! Programs that `generate` runs. Of those that the setting `pure_programs` names, what they print depends on their arguments alone:
//! each is run once for the same arguments, whatever node asks, and a catalog that has run one has read no more than its file.

use bunraku_files::found::Stamp;
use bunraku_files::recent::Recent;
use std::sync::Mutex;

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

/// What pure programs have printed.
pub struct Outputs {
    /// Key: program and arguments. Bound: [`MOST`], none longer than [`LONGEST`]. Stale: the stamp of the program differs.
    /// What fails is not kept. Test: `runtime/compile/tests/programs.rs`.
    kept: Mutex<Recent<Vec<String>, (Stamp, String)>>,
}

impl Default for Outputs {
    fn default() -> Self {
        Outputs { kept: Mutex::new(Recent::new(MOST)) }
    }
}

impl Outputs {
    /// What a pure program has printed for its arguments, if it is known and the program is this one.
    pub fn get(&self, command: &[String], program: Stamp) -> Option<String> {
        let mut kept = self.kept.lock().ok()?;
        let (known, text) = kept.get(command)?;
        (*known == program).then(|| text.clone())
    }

    /// Keeps what it has printed, being what it was before it ran.
    pub fn keep(&self, command: &[String], program: Stamp, text: &str) {
        if text.len() <= LONGEST
            && let Ok(mut kept) = self.kept.lock()
        {
            kept.insert(command.to_vec(), (program, text.to_owned()));
        }
    }
}
