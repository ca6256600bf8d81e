//! What the suites of today's modules compile, compared with real Puppet.
//!
//! The modules are not ours: `tests/foreign/record.sh` records their suites, and `FOREIGN_JOBS` names the recording.

use bunraku_tests::foreign::Recording;
use bunraku_tests::oracle;
use std::path::Path;

/// Of a hundred results this many are Puppet's at least.
const LEAST: f64 = 99.0;

#[test]
fn todays_modules_get_puppets_catalogs() {
    let Some(jobs) = std::env::var_os("FOREIGN_JOBS") else {
        eprintln!("SKIPPED today's modules: FOREIGN_JOBS names no recording (tests/foreign/README.md)");
        return;
    };
    if !oracle::installed() {
        eprintln!("SKIPPED today's modules: Puppet 7.23.0 is not installed");
        return;
    }
    let recording = Recording::read(Path::new(&jobs), 3, oracle::SEVEN).expect("the recording can be read");
    assert!(!recording.jobs.is_empty(), "the recording is empty");
    let outcome = recording.run().expect("Bunraku builds and starts");
    println!("{}", outcome.report());
    assert!(outcome.rate() >= LEAST, "{}", outcome.report());
}
