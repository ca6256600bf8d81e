//! Commands over the specification: expectations from the oracle, and what Bunraku makes of them.
//!
//! `cargo run -p bunraku-tests --bin spec -- COMMAND [PAGE...]`; `spec/README.md` explains.

use bunraku_tests::spec::{self, Outcome};
use bunraku_tests::{bunraku, oracle};

const USAGE: &str = "\
usage: spec COMMAND [PAGE...]
  regenerate   write the expectations anew from real Puppet
  verify       compare them with real Puppet, changing nothing
  run          compare them with Bunraku and print every difference
  count        how many cases there are";

fn main() -> std::process::ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match command(&args) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("spec: {message}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn command(args: &[String]) -> Result<(), String> {
    let Some((name, names)) = args.split_first() else { return Err(USAGE.to_owned()) };
    let pages = spec::pages(names)?;
    let puppet = |jobs: &[serde_json::Value]| {
        if oracle::installed() {
            Ok(oracle::collect(jobs))
        } else {
            Err("Puppet 7.23 is not installed (Debian: puppet-agent)".to_owned())
        }
    };
    match name.as_str() {
        "regenerate" => {
            let answers = spec::answer(&pages, puppet)?;
            for (page, texts) in pages.iter().zip(answers) {
                std::fs::write(&page.path, page.with(&texts)).map_err(|error| error.to_string())?;
            }
            Ok(())
        }
        "verify" => verdict(&spec::compare(&pages, puppet)?),
        "run" => verdict(&spec::compare(&pages, bunraku::collect)?),
        "count" => {
            for page in pages.iter().filter(|page| !page.cases.is_empty()) {
                let name = page.path.file_name().unwrap_or_default().to_string_lossy();
                println!("{:5} {name}", page.cases.len());
            }
            println!("{:5} in all", pages.iter().map(|page| page.cases.len()).sum::<usize>());
            Ok(())
        }
        _ => Err(USAGE.to_owned()),
    }
}

fn verdict(outcomes: &[Outcome]) -> Result<(), String> {
    let differ: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.want != outcome.got).collect();
    for outcome in &differ {
        println!("{}\nwanted:\n{}got:\n{}", outcome.id, outcome.want, outcome.got);
    }
    println!("{} of {} cases as the pages say", outcomes.len() - differ.len(), outcomes.len());
    if differ.is_empty() { Ok(()) } else { Err(format!("{} cases differ", differ.len())) }
}
