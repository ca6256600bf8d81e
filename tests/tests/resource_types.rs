//! Every resource type of the corpus is read as real Puppet loads it.

use bunraku_tests::corpus::fetch;
use bunraku_tests::types;

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
