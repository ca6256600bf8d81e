//! Generated calls and type expressions, and what real Puppet answered: the same values, the same messages.
//!
//! [`generate`] makes the cases from a seed. Puppet's answers to those of [`SEED`] are kept in
//! `tests/differential/` (`golden.tsv.gz` for the language, `stdlib.tsv.gz` for puppetlabs-stdlib,
//! `modules.tsv.gz` for other modules, `recursion.tsv.gz` for types that refer to each other, `errors.tsv.gz` for classes of
//! errors), the cases that Bunraku is known to answer otherwise in `known.txt`, `stdlib-known.txt`, `modules-known.txt`,
//! `recursion-known.txt` and `errors-known.txt` beside them.

mod calls;
pub mod erb;
mod errors;
mod formats;
pub mod golden;
mod modules;
mod programs;
mod recursion;
pub mod rng;
pub mod ruby_calls;
mod stdlib;
mod types;
mod values;

use crate::canonical::Places;
use rng::Rng;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The seed of the committed cases.
pub const SEED: u64 = 7_23;

/// The answer of a Puppet whose stack has ended: with the program, or when its value was printed.
const OVERFLOWS: [&str; 2] = ["! stack level too deep", "? stack level too deep"];

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// The language and its own functions.
    Language,
    /// The functions of puppetlabs-stdlib, with the corpus's modules on the module path.
    Stdlib,
    /// The functions of other modules that have native twins.
    Modules,
    /// Types that refer to each other.
    Recursion,
    /// Classes of errors as code in Ruby knows them.
    Errors,
}

impl Suite {
    /// All of them.
    pub const ALL: [Suite; 5] =
        [Suite::Language, Suite::Stdlib, Suite::Modules, Suite::Recursion, Suite::Errors];

    /// How many cases are committed.
    pub fn count(self) -> usize {
        match self {
            Suite::Language => 4200,
            Suite::Stdlib => 4000,
            Suite::Modules => 1500,
            Suite::Recursion => 5000,
            Suite::Errors => 1500,
        }
    }

    fn golden(self) -> &'static str {
        match self {
            Suite::Language => "golden",
            Suite::Stdlib => "stdlib",
            Suite::Modules => "modules",
            Suite::Recursion => "recursion",
            Suite::Errors => "errors",
        }
    }

    fn known(self) -> &'static str {
        match self {
            Suite::Language => "known.txt",
            Suite::Stdlib => "stdlib-known.txt",
            Suite::Modules => "modules-known.txt",
            Suite::Recursion => "recursion-known.txt",
            Suite::Errors => "errors-known.txt",
        }
    }

    /// Whether the corpus's modules are on the module path.
    fn has_modules(self) -> bool {
        matches!(self, Suite::Stdlib | Suite::Modules | Suite::Errors)
    }

    /// Whether an answer will do where Puppet's is `want`. Where Ruby's stack was not deep enough for Puppet's guards,
    /// any answer or error will, but no end of the process.
    pub fn agree(self, want: &str, got: &str) -> bool {
        let ends = got.starts_with("! Internal error") || matches!(got, "! " | "");
        want == got || OVERFLOWS.iter().any(|text| want.starts_with(text)) && !ends
    }

    /// The job of a program, for either side.
    pub fn job(self, code: &str) -> Value {
        let mut job = job(code);
        if let Some(facts) = facts(code) {
            job["facts"] = facts;
        }
        if self.has_modules() {
            let mut folders = vec![other_stdlib().unwrap_or_else(crate::paths::modules)];
            if self == Suite::Errors {
                folders.push(crate::paths::root().join("tests/differential/errors"));
            }
            job["modulepath"] = json!(folders);
            // With `error` most of what is deprecated would only say so.
            job["settings"] = json!({"strict": "warning"});
        }
        job
    }

    /// A result as text.
    pub fn answer(self, mut result: Value) -> String {
        if self.has_modules() {
            match other_stdlib() {
                Some(folder) => {
                    let text = result.to_string().replace(&*folder.to_string_lossy(), "{modules}");
                    result = serde_json::from_str(&text).unwrap_or_default();
                }
                None => Places::corpus().apply(&mut result),
            }
        }
        shortened(answer(&result))
    }
}

/// A module path with another version of puppetlabs-stdlib, where BUNRAKU_STDLIB names one: for `fresh`.
pub fn other_stdlib() -> Option<std::path::PathBuf> {
    std::env::var_os("BUNRAKU_STDLIB").map(Into::into)
}

/// The facts that a program is to see: its first line, where that is `# facts: {…}`.
pub(crate) fn facts(code: &str) -> Option<Value> {
    serde_json::from_str(code.strip_prefix("# facts: ")?.lines().next()?).ok()
}

/// What is far too long to be kept is kept by its beginning, length and checksum.
fn shortened(text: String) -> String {
    const KEPT: usize = 4000;
    if text.len() <= 2 * KEPT {
        return text;
    }
    let mut checksum = flate2::Crc::new();
    checksum.update(text.as_bytes());
    let beginning: String = text.chars().take(KEPT).collect();
    format!("{beginning}… ({} bytes, CRC {:08x})", text.len(), checksum.sum())
}

/// So many different programs; the last value of each is what counts.
pub fn generate(suite: Suite, seed: u64, count: usize) -> Vec<String> {
    let mut rng = Rng::new(seed);
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    while all.len() < count {
        let code = match suite {
            Suite::Language => one(&mut rng),
            Suite::Stdlib => format!("$r = {}", stdlib::call(&mut rng)),
            Suite::Modules => modules::program(&mut rng),
            Suite::Recursion => recursion::program(&mut rng),
            Suite::Errors => errors::program(&mut rng),
        };
        if seen.insert(code.clone()) {
            all.push(code);
        }
    }
    all
}

fn one(rng: &mut Rng) -> String {
    let rng = &mut *rng;
    let expression = match rng.below(20) {
        0..=4 => calls::call(rng),
        5 | 6 => calls::iteration(rng),
        7 | 8 => calls::new(rng),
        9 | 10 => formats::sprintf(rng),
        11 | 12 => formats::new_string(rng),
        13..=15 => types::question(rng),
        16 => programs::operator(rng),
        17 => return programs::near(rng),
        _ => return programs::mismatch(rng),
    };
    if expression.contains("\n$r = ") { expression } else { format!("$r = {expression}") }
}

fn job(code: &str) -> Value {
    let value = if code.contains("$r = ") { "\n$r\n" } else { "\n" };
    json!({"id": 0, "code": format!("{code}{value}"), "want": ["value"]})
}

/// A result as text: the value or the error, then what was logged.
fn answer(result: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut out = if result["ok"] == Value::Bool(true) {
        match result["repr"].as_str() {
            Some(repr) => format!("= {repr}"),
            None => format!("? {}", text(&result["repr_error"])),
        }
    } else {
        format!("! {}", text(&result["error"]["message"]).trim_end_matches(" on node localhost"))
    };
    for log in result["logs"].as_array().into_iter().flatten() {
        out += &format!("\n{}: {}", text(&log["level"]), text(&log["message"]));
    }
    crate::canonical::without_addresses(out)
}
