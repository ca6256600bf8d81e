//! The corpus against the goldens: nothing that passed may fail.
//!
//! `UPDATE=1` writes the lists of what passes. Without the packages (no Debian, no network) the
//! test says so and passes.

use bunraku_tests::corpus::{MACHINES, classes, fetch, run};

#[test]
fn nothing_that_passed_fails() {
    if let Err(reason) = fetch::fetch() {
        let count = classes::read().len() * MACHINES.len();
        eprintln!("SKIPPED corpus: {count} compiles not compared, since {reason}");
        return;
    }
    let update = std::env::var_os("UPDATE").is_some();
    let mut machines = Vec::new();
    let mut lost = Vec::new();
    for name in MACHINES {
        let machine = run::run(name).expect("Bunraku builds and starts");
        println!("{}", machine.summary());
        let (before, now) = (run::passing(name), machine.passes());
        let gained: Vec<&String> = now.difference(&before).collect();
        if !gained.is_empty() && !update {
            println!("{name}: {} classes pass that the list does not name; UPDATE=1 adds them", gained.len());
        }
        lost.extend(before.difference(&now).map(|class| format!("{name}: {class}")));
        if update {
            machine.update().expect("the list is writable");
        }
        machines.push(machine);
    }
    let report = run::write_report(&machines).expect("the report is writable");
    println!("by cause: {}", report.display());
    assert!(lost.is_empty() || update, "these passed before and differ now:\n{}", lost.join("\n"));
}
