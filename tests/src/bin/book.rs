//! A page of the book as a script, for systems without this project: `cargo run -p bunraku-tests --bin book -- script PAGE` prints
//! what to run with bash, `… compare PAGE FILE` holds what that has printed against what the page shows.

use bunraku_tests::{book, paths};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["script", page] => read(page).map(|text| print!("{}", book::script(&book::steps(&text)))),
        ["compare", page, printed] => read(page).and_then(|text| {
            let printed = std::fs::read_to_string(printed).map_err(|error| format!("{printed}: {error}"))?;
            compare(&text, &printed)
        }),
        _ => Err("it takes `script PAGE` or `compare PAGE FILE`".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("book: {message}");
            ExitCode::FAILURE
        }
    }
}

fn read(page: &str) -> Result<String, String> {
    std::fs::read_to_string(paths::root().join(page)).map_err(|error| format!("{page}: {error}"))
}

fn compare(page: &str, printed: &str) -> Result<(), String> {
    let steps = book::steps(page);
    let outputs = book::outputs(printed, steps.len())?;
    let wrong = book::misfits(&steps, &outputs);
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    println!("{} commands print what the page shows", steps.len());
    Ok(())
}
