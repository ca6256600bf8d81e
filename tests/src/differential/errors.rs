//! Calls out of a function in Ruby that rescues whatever they fail with, and tells the error's class.

use super::rng::Rng;
use super::{calls, modules, stdlib};

/// A program whose value is the class of a call's error.
pub fn program(rng: &mut Rng) -> String {
    loop {
        let (facts, call) = match rng.below(4) {
            0 => match modules::program(rng).split_once('\n') {
                Some((facts, program)) => (Some(facts.to_owned()), program.to_owned()),
                None => continue,
            },
            1 | 2 => (None, calls::call(rng)),
            _ => (None, stdlib::call(rng)),
        };
        let call = call.strip_prefix("$r = ").unwrap_or(&call);
        if let Some((name, args)) = parts(call) {
            let comma = if args.is_empty() { "" } else { ", " };
            let program = format!("$r = rescued::class('{name}'{comma}{args})");
            return facts.map_or(program.clone(), |facts| format!("{facts}\n{program}"));
        }
    }
}

/// The name of a function that is called without a lambda, and the text of its arguments.
fn parts(call: &str) -> Option<(&str, &str)> {
    let (name, args) = call.strip_suffix(')')?.split_once('(')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_:".contains(c));
    // These leave the function instead of failing.
    (is_name && !matches!(name, "break" | "next" | "return")).then_some((name, args))
}
