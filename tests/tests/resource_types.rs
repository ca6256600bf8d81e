//! Every resource type of the corpus is read as real Puppet loads it, and those that need no module are as in each version.

use bunraku_tests::corpus::fetch;
use bunraku_tests::{oracle, types};

#[test]
fn types_are_read_as_puppet_loads_them() {
    if let Err(reason) = fetch::fetch() {
        eprintln!("SKIPPED resource types: not compared, since {reason}");
        return;
    }
    let report = types::report().expect("the corpus and the binary are there");
    println!("{report}");
    assert!(report.total > 200, "only {} types", report.total);
    let names: Vec<&str> = report.differing.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, [""; 0], "{report}");
}

#[test]
fn types_without_modules_are_those_of_each_version() {
    // 7 has those that packages bring along from 8's package.
    let fetched = oracle::EIGHT.ready();
    for (oracle, types) in oracle::ALL.into_iter().zip([26, 26, 25]) {
        if let Err(reason) = fetched.clone().and_then(|()| oracle.ready()) {
            eprintln!("SKIPPED resource types of {}: {types} not compared, since {reason}", oracle.version);
            continue;
        }
        let report = types::report_without_modules(oracle).expect("the oracle and the binary are there");
        println!("{}: {report}", oracle.version);
        assert_eq!(report.total, types, "{report}");
        assert!(report.differing.is_empty(), "{}: {report}", oracle.version);
    }
}
