//! The specification against Bunraku: every case but those listed as failing does what the page says, in each version.
//!
//! `UPDATE=1` writes `spec/failing.txt`.

use std::collections::BTreeSet;

use bunraku_tests::spec::Outcome;
use bunraku_tests::{bunraku, spec};

#[test]
fn every_case_does_what_its_page_says() {
    let pages = spec::pages(&[]).expect("the pages can be read");
    let of = |version| spec::compare(&pages, version, bunraku::collect).expect("Bunraku builds and starts");
    let outcomes: Vec<Outcome> = spec::VERSIONS.into_iter().flat_map(of).collect();
    let all: BTreeSet<String> = outcomes.iter().map(|outcome| outcome.id.clone()).collect();
    assert_eq!(all.len(), outcomes.len(), "two cases have one name");
    let now: BTreeSet<String> = outcomes
        .iter()
        .filter(|outcome| outcome.want != outcome.got)
        .map(|outcome| outcome.id.clone())
        .collect();
    println!("spec: {} of {} cases as the pages say", all.len() - now.len(), all.len());
    if std::env::var_os("UPDATE").is_some() {
        spec::write_failing(&now).expect("the list is writable");
        return;
    }
    let known = spec::failing();
    let fixed = known.difference(&now).count();
    if fixed > 0 {
        println!("spec: {fixed} cases of failing.txt pass or are gone; UPDATE=1 removes them");
    }
    let lost: Vec<String> = outcomes
        .iter()
        .filter(|outcome| now.contains(&outcome.id) && !known.contains(&outcome.id))
        .map(|outcome| format!("{}\nwanted:\n{}got:\n{}", outcome.id, outcome.want, outcome.got))
        .collect();
    assert!(lost.is_empty(), "{} cases fail that are not listed:\n{}", lost.len(), lost.join("\n"));
}

#[test]
fn every_case_has_an_expectation() {
    for page in spec::pages(&[]).expect("the pages can be read") {
        for case in &page.cases {
            assert!(!case.expected.usual.is_empty(), "{}: `spec -- regenerate` writes it", case.id);
        }
    }
}
