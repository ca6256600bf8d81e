//! Generated calls and type expressions through real Puppet and through Bunraku.
//!
//! `cargo run -p bunraku-tests --bin differential -- COMMAND`; the test of the same name needs no Puppet.

use bunraku_tests::corpus::fetch;
use bunraku_tests::differential::{self, Suite, golden};
use bunraku_tests::oracle::{self, Oracle};
use bunraku_tests::{bunraku, compare};
use std::collections::BTreeMap;

const USAGE: &str = "\
usage: differential [--oracle 7|8|9] [stdlib|modules|recursion|errors] COMMAND
  regenerate          write the committed cases and Puppet's answers anew
  run                 compare the committed answers with Bunraku's, difference by difference
  fresh SEED [COUNT]  generate other cases, ask both, and print where they part

With --oracle, `fresh` compares with that Puppet, and Bunraku by the rules of its version.
With BUNRAKU_STDLIB=DIR, `stdlib fresh` asks of the puppetlabs-stdlib in that module path.";

fn main() -> std::process::ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match of_suite(&args) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("differential: {message}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn of_suite(args: &[&str]) -> Result<(), String> {
    let (oracle, args) = match args {
        ["--oracle", number, rest @ ..] => (Oracle::of(number)?, rest),
        args => (oracle::SEVEN, args),
    };
    match args {
        ["stdlib", rest @ ..] => fetch::fetch().and_then(|()| command(Suite::Stdlib, oracle, rest)),
        ["modules", rest @ ..] => fetch::fetch().and_then(|()| command(Suite::Modules, oracle, rest)),
        ["errors", rest @ ..] => fetch::fetch().and_then(|()| command(Suite::Errors, oracle, rest)),
        ["recursion", rest @ ..] => command(Suite::Recursion, oracle, rest),
        args => command(Suite::Language, oracle, args),
    }
}

fn ask(suite: Suite, oracle: Oracle, seed: u64, count: usize) -> Result<Vec<(String, String)>, String> {
    oracle.ready()?;
    golden::ask(suite, oracle, &differential::generate(suite, seed, count)).map_err(|error| error.to_string())
}

fn command(suite: Suite, oracle: Oracle, args: &[&str]) -> Result<(), String> {
    match args {
        ["regenerate"] => {
            golden::commit(suite, &ask(suite, oracle::SEVEN, differential::SEED, suite.count())?)
                .map_err(|error| error.to_string())
        }
        ["run"] => report(suite, oracle::SEVEN, &golden::committed(suite)),
        ["fresh", seed, rest @ ..] => {
            let number = |text: &str| text.parse::<usize>().map_err(|_| USAGE.to_owned());
            let count = rest.first().map_or(Ok(1000), |count| number(count))?;
            report(suite, oracle, &ask(suite, oracle, number(seed)? as u64, count)?)
        }
        _ => Err(USAGE.to_owned()),
    }
}

fn report(suite: Suite, oracle: Oracle, rows: &[(String, String)]) -> Result<(), String> {
    let job = |(code, _): &(String, String)| bunraku::by_version(&suite.job(code), oracle.number);
    let jobs: Vec<_> = rows.iter().map(job).collect();
    let mut classes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for ((code, want), result) in rows.iter().zip(bunraku::collect(&jobs)?) {
        let got = suite.answer(result);
        if !suite.agree(want, &got) {
            let class = format!("{} / {}", kind(want), kind(&got));
            classes.entry(class).or_default().push(format!("{code}\n  - {want}\n  + {got}"));
        }
    }
    let mut classes: Vec<_> = classes.into_iter().collect();
    classes.sort_by_key(|(_, cases)| std::cmp::Reverse(cases.len()));
    let mut differ = 0;
    for (class, cases) in &classes {
        differ += cases.len();
        println!("## {} × {class}\n{}\n", cases.len(), cases.join("\n"));
    }
    println!("{} of {} cases as Puppet has them", rows.len() - differ, rows.len());
    Ok(())
}

/// What a difference is counted by: the shape of a message, or that it is a value.
fn kind(answer: &str) -> String {
    if answer.starts_with('!') {
        compare::shape(answer).chars().take(70).collect()
    } else {
        "value".to_owned()
    }
}
