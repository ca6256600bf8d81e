//! Generated calls and type expressions: Bunraku answers as Puppet did, but for the known differences.
//!
//! `UPDATE=1` writes `tests/differential/known.txt`.

use bunraku_tests::bunraku;
use bunraku_tests::differential::{self, golden};
use std::collections::BTreeSet;

/// What part of the cases must be answered as Puppet does, in percent.
const FLOOR: usize = 90;

#[test]
fn calls_and_types_answer_as_puppet_does() {
    let rows = golden::committed();
    assert!(rows.len() >= 3000, "only {} cases are committed", rows.len());
    let jobs: Vec<_> = rows.iter().map(|(code, _)| differential::job(code)).collect();
    let results = bunraku::collect(&jobs).expect("Bunraku builds and starts");
    let mut now = BTreeSet::new();
    let mut lost = Vec::new();
    let known = golden::known();
    for ((code, want), result) in rows.iter().zip(results) {
        let got = differential::answer(&result);
        if *want != got {
            now.insert(code.clone());
            if !known.contains(code) {
                lost.push(format!("{code}\n  - {want}\n  + {got}"));
            }
        }
    }
    println!("differential: {} of {} as Puppet has them", rows.len() - now.len(), rows.len());
    if std::env::var_os("UPDATE").is_some() {
        golden::write_known(&now).expect("the list is writable");
        return;
    }
    assert!(lost.is_empty(), "{} cases differ that are not known to:\n{}", lost.len(), lost.join("\n"));
    assert!((rows.len() - now.len()) * 100 >= rows.len() * FLOOR, "fewer than {FLOOR} % pass");
}

#[test]
fn the_committed_cases_are_those_of_the_seed() {
    let codes: Vec<String> = golden::committed().into_iter().map(|(code, _)| code).collect();
    assert!(
        codes == differential::generate(differential::SEED, differential::COUNT),
        "`differential -- regenerate` writes them"
    );
}
