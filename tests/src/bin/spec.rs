//! Commands over the specification: expectations from the oracle, and what Bunraku makes of them.
//!
//! `cargo run -p bunraku-tests --bin spec -- COMMAND [PAGE...]`; `spec/README.md` explains.

use bunraku_tests::bunraku;
use bunraku_tests::oracle::{self, Oracle};
use bunraku_tests::spec::page::{Expected, Page};
use bunraku_tests::spec::{self, Outcome};

const USAGE: &str = "\
usage: spec COMMAND [--oracle 7|8|9]... [PAGE...]
  regenerate   write the expectations anew from real Puppet, of all three versions
  verify       compare them with real Puppet, changing nothing; with --oracle of these versions only
  run          compare them with Bunraku, in all three versions, and print every difference; --oracle likewise
  count        how many cases there are, and how many of them differ by version";

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
    let Some((name, rest)) = args.split_first() else { return Err(USAGE.to_owned()) };
    let (oracles, names) = arguments(rest)?;
    let pages = spec::pages(&names)?;
    match name.as_str() {
        "regenerate" => regenerate(&pages),
        "verify" => {
            let ready: Vec<Oracle> = oracles.into_iter().filter(|oracle| there(*oracle)).collect();
            if ready.is_empty() {
                return Err("there is no real Puppet here".to_owned());
            }
            all(&ready, |oracle| spec::compare(&pages, oracle.number, |jobs| Ok(oracle.collect(jobs))))
        }
        "run" => all(&oracles, |oracle| spec::compare(&pages, oracle.number, bunraku::collect)),
        "count" => {
            count(&pages);
            Ok(())
        }
        _ => Err(USAGE.to_owned()),
    }
}

/// The versions that are named, else all; the pages that are named.
fn arguments(args: &[String]) -> Result<(Vec<Oracle>, Vec<String>), String> {
    let mut oracles = Vec::new();
    let mut names = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if arg == "--oracle" {
            oracles.push(Oracle::of(args.next().ok_or(USAGE)?)?);
        } else {
            names.push(arg.clone());
        }
    }
    Ok((if oracles.is_empty() { oracle::ALL.to_vec() } else { oracles }, names))
}

fn there(oracle: Oracle) -> bool {
    let ready = oracle.ready();
    if let Err(why) = &ready {
        println!("SKIPPED oracle {}: {why}", oracle.number);
    }
    ready.is_ok()
}

fn regenerate(pages: &[Page]) -> Result<(), String> {
    let mut answers = Vec::new();
    for oracle in oracle::ALL {
        oracle.ready()?;
        answers.push((oracle.number, spec::answer(pages, oracle.number, |jobs| Ok(oracle.collect(jobs)))?));
    }
    for (n, page) in pages.iter().enumerate() {
        let expected: Vec<Expected> = (0..page.cases.len())
            .map(|case| {
                let texts = answers.iter().map(|(version, texts)| (*version, texts[n][case].clone()));
                Expected::new(spec::DEFAULT, &texts.collect::<Vec<_>>())
            })
            .collect();
        std::fs::write(&page.path, page.with(&expected)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn count(pages: &[Page]) {
    let differing = |page: &Page| page.cases.iter().filter(|case| !case.expected.other.is_empty()).count();
    for page in pages.iter().filter(|page| !page.cases.is_empty()) {
        let name = page.path.file_name().unwrap_or_default().to_string_lossy();
        println!("{:5} {:5} {name}", page.cases.len(), differing(page));
    }
    let cases: usize = pages.iter().map(|page| page.cases.len()).sum();
    let differing: usize = pages.iter().map(differing).sum();
    println!("{cases:5} {differing:5} in all, and those of them that differ by version");
}

/// The verdict on each version, and on all of them together.
fn all(oracles: &[Oracle], outcomes: impl Fn(Oracle) -> Result<Vec<Outcome>, String>) -> Result<(), String> {
    let mut differing = 0;
    for oracle in oracles {
        differing += verdict(*oracle, &outcomes(*oracle)?);
    }
    if differing == 0 { Ok(()) } else { Err(format!("{differing} cases differ")) }
}

fn verdict(oracle: Oracle, outcomes: &[Outcome]) -> usize {
    let differ: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.want != outcome.got).collect();
    for outcome in &differ {
        println!("{}\nwanted:\n{}got:\n{}", outcome.id, outcome.want, outcome.got);
    }
    let same = outcomes.len() - differ.len();
    println!("{}: {same} of {} cases as the pages say", oracle.number, outcomes.len());
    differ.len()
}
