//! Generated calls and type expressions, and what real Puppet answered: the same values, the same messages.
//!
//! [`generate`] makes the cases from a seed. Puppet's answers to those of [`SEED`] are kept in
//! `tests/differential/golden.tsv.gz`, the cases that Bunraku is known to answer otherwise in `known.txt`
//! beside it.

mod calls;
mod formats;
pub mod golden;
mod programs;
mod rng;
mod types;
mod values;

use rng::Rng;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The seed of the committed cases.
pub const SEED: u64 = 7_23;
/// How many cases are committed.
pub const COUNT: usize = 4200;

/// So many different programs; the last value of each is what counts.
pub fn generate(seed: u64, count: usize) -> Vec<String> {
    let mut rng = Rng::new(seed);
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    while all.len() < count {
        let code = one(&mut rng);
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

/// The job of a program, for either side.
pub fn job(code: &str) -> Value {
    let value = if code.contains("$r = ") { "\n$r\n" } else { "\n" };
    json!({"id": 0, "code": format!("{code}{value}"), "want": ["value"]})
}

/// A result as text: the value or the error, then what was logged.
pub fn answer(result: &Value) -> String {
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
