//! `types`: what Bunraku reads from the Ruby sources of the corpus' resource types, against what real Puppet's loaded
//! types say.
//!
//!     types regenerate    write the answers anew from Puppet: tests/corpus/types.json
//!     types report        every difference, and how many types are the same

use bunraku_tests::types;
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = match std::env::args().nth(1).as_deref() {
        Some("regenerate") => types::regenerate(),
        Some("report") => types::report().map(|report| print!("{report}")),
        _ => Err("usage: types regenerate|report".to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("types: {message}");
            ExitCode::FAILURE
        }
    }
}
