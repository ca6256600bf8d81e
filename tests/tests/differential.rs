//! Generated calls and type expressions: Bunraku answers as Puppet did, but for the known differences.
//!
//! `UPDATE=1` writes `tests/differential/known.txt` and the other lists beside it.

use bunraku_tests::bunraku;
use bunraku_tests::corpus::fetch;
use bunraku_tests::differential::{self, Suite, golden};
use std::collections::BTreeSet;

/// What part of the cases must be answered as Puppet does, in percent.
const FLOOR: usize = 90;

#[test]
fn calls_and_types_answer_as_puppet_does() {
    compare(Suite::Language);
}

#[test]
fn functions_of_stdlib_answer_as_in_puppet() {
    compare_with_modules(Suite::Stdlib);
}

#[test]
fn functions_of_other_modules_answer_as_in_puppet() {
    compare_with_modules(Suite::Modules);
}

#[test]
fn types_that_refer_to_each_other_answer_as_in_puppet() {
    compare(Suite::Recursion);
}

#[test]
fn code_in_ruby_knows_errors_by_the_classes_they_have_in_puppet() {
    compare_with_modules(Suite::Errors);
}

#[test]
fn a_worker_knows_errors_by_the_classes_that_code_without_one_does() {
    if let Err(reason) = fetch::fetch() {
        eprintln!("SKIPPED: classes of errors in the worker not compared, since {reason}");
        return;
    }
    // Each has a worker of its own: some of them will do.
    let codes = golden::committed(Suite::Errors).into_iter().map(|(code, _)| code).step_by(3);
    let codes: Vec<String> = codes.collect();
    let job = |code: &String, native: bool| {
        let mut job = Suite::Errors.job(code);
        job["settings"]["native_ruby"] = native.into();
        job
    };
    let jobs = |native| codes.iter().map(|code| job(code, native)).collect::<Vec<_>>();
    let natively = bunraku::collect(&jobs(true)).expect("Bunraku builds and starts");
    let in_ruby = bunraku::collect(&jobs(false)).expect("Bunraku builds and starts");
    let answers = natively.into_iter().zip(in_ruby).map(|(native, ruby)| {
        let answer = |result| Suite::Errors.answer(result);
        (answer(native), answer(ruby))
    });
    let differ: Vec<_> = codes
        .iter()
        .zip(answers)
        .filter(|(_, (native, ruby))| native != ruby)
        .map(|(code, (native, ruby))| format!("{code}\n  without: {native}\n  in Ruby: {ruby}"))
        .collect();
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
}

fn compare_with_modules(suite: Suite) {
    if let Err(reason) = fetch::fetch() {
        eprintln!("SKIPPED {suite:?}: {} calls not compared, since {reason}", suite.count());
        return;
    }
    compare(suite);
}

fn compare(suite: Suite) {
    let rows = golden::committed(suite);
    assert!(rows.len() == suite.count(), "only {} cases are committed", rows.len());
    let jobs: Vec<_> = rows.iter().map(|(code, _)| suite.job(code)).collect();
    let results = bunraku::collect(&jobs).expect("Bunraku builds and starts");
    let mut now = BTreeSet::new();
    let mut lost = Vec::new();
    let known = golden::known(suite);
    for ((code, want), result) in rows.iter().zip(results) {
        let got = suite.answer(result);
        if !suite.agree(want, &got) {
            now.insert(code.clone());
            if !known.contains(code) {
                lost.push(format!("{code}\n  - {want}\n  + {got}"));
            }
        }
    }
    println!("differential, {suite:?}: {} of {} as Puppet has them", rows.len() - now.len(), rows.len());
    if std::env::var_os("UPDATE").is_some() {
        golden::write_known(suite, &now).expect("the list is writable");
        return;
    }
    assert!(lost.is_empty(), "{} cases differ that are not known to:\n{}", lost.len(), lost.join("\n"));
    assert!((rows.len() - now.len()) * 100 >= rows.len() * FLOOR, "fewer than {FLOOR} % pass");
}

#[test]
fn the_committed_cases_are_those_of_the_seed() {
    for suite in Suite::ALL {
        let codes: Vec<String> = golden::committed(suite).into_iter().map(|(code, _)| code).collect();
        assert!(
            codes == differential::generate(suite, differential::SEED, suite.count()),
            "{suite:?}: `differential -- regenerate` writes them"
        );
    }
}
