//! The corpus against the goldens: nothing that passed may fail.
//!
//! `UPDATE=1` writes the lists of what passes. Without the packages (no Debian, no network) the
//! test says so and passes.

use bunraku_tests::compare;
use bunraku_tests::corpus::{MACHINES, classes, fetch, run};
use serde_json::Value;

#[test]
fn native_functions_change_no_catalog() {
    if let Err(reason) = fetch::fetch() {
        eprintln!("SKIPPED corpus: nothing compared with and without native functions, since {reason}");
        return;
    }
    let classes = classes::read();
    let [with, without] = [true, false]
        .map(|native| run::compile_with(&classes, MACHINES[0], native).expect("Bunraku builds and starts"));
    let parts = |result: &Value| [result["ok"].clone(), result["catalog"].clone(), result["error"].clone()];
    let mut differ = Vec::new();
    for ((class, with), without) in classes.iter().zip(&with).zip(&without) {
        if parts(with) != parts(without) {
            let first = compare::differences(without, with).into_iter().next();
            differ.push(format!("{}: {}", class.name, first.map_or_else(String::new, |d| d.detail)));
        } else if with["logs"] != without["logs"] {
            differ.push(format!("{}: logs\n  - {}\n  + {}", class.name, without["logs"], with["logs"]));
        }
    }
    assert!(differ.is_empty(), "{} of {} classes:\n{}", differ.len(), classes.len(), differ.join("\n"));
    println!(
        "{} classes have the same catalog, error and logs with native functions and with Ruby",
        with.len()
    );
}

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
