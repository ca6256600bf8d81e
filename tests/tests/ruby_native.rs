//! Functions in Ruby run as compiled code: never another result than Ruby's, and more and more of them.
//!
//! `UPDATE=1` writes `tests/differential/ruby-native.txt`. `tests/src/ruby_native.rs` says how to look at other modules.

use bunraku_tests::compare;
use bunraku_tests::corpus::{MACHINES, classes, fetch, run};
use bunraku_tests::ruby_native::{self, Plan, SETTING};
use serde_json::Value;

#[test]
fn compiled_functions_give_what_ruby_makes_of_their_calls() {
    let plan = Plan::new();
    if plan.is_committed()
        && let Err(reason) = fetch::fetch()
    {
        eprintln!("SKIPPED: no functions of modules called, since {reason}");
        return;
    }
    let outcomes = ruby_native::run(&plan).expect("Bunraku builds and starts");
    let report = ruby_native::report(&outcomes);
    let differences = ruby_native::differences(&outcomes);
    match std::env::var_os("RUBY_NATIVE_REPORT") {
        Some(path) => {
            std::fs::write(path, format!("{report}\n# Differences\n{differences}"))
                .expect("the report is writable");
            report.lines().take(3).for_each(|line| println!("{line}"));
        }
        None => println!("{report}"),
    }
    let shown: String = differences.chars().take(20_000).collect();
    assert!(differences.is_empty(), "compiled code gives other results:\n{shown}");
    if !plan.is_committed() {
        return;
    }
    if std::env::var_os("UPDATE").is_some() {
        ruby_native::commit(&outcomes).expect("the list is writable");
        return;
    }
    let now =
        |name: &str| outcomes.iter().find(|outcome| outcome.function.name == name).map_or(0, |o| o.native);
    let committed = ruby_native::committed();
    let lost = committed.iter().filter(|(name, before)| now(name) < **before);
    let lost: Vec<String> =
        lost.map(|(name, before)| format!("{name}: {} of {before} calls", now(name))).collect();
    assert!(lost.is_empty(), "more calls need the worker than before:\n{}", lost.join("\n"));
}

/// The calls that the corpus makes: twins stand aside, so that every function of a module is compiled code or Ruby.
#[test]
#[ignore = "minutes long: .ci/nightly"]
fn compiled_functions_change_no_catalog_of_the_corpus() {
    if let Err(reason) = fetch::fetch() {
        eprintln!("SKIPPED: nothing compared with and without compiled functions, since {reason}");
        return;
    }
    let classes = classes::read();
    let [native, ruby] = [true, false].map(|native| {
        let change = |job: &mut Value| {
            job["settings"]["native_stdlib"] = Value::Bool(false);
            job["settings"][SETTING] = Value::Bool(native);
            job["stats"] = Value::Bool(true);
        };
        run::compile_as(&classes, MACHINES[0], change).expect("Bunraku builds and starts")
    });
    let parts = |result: &Value| ["ok", "catalog", "error", "logs"].map(|part| result[part].clone());
    let mut differ = Vec::new();
    for ((class, ruby), native) in classes.iter().zip(&ruby).zip(&native) {
        if parts(ruby) != parts(native) {
            let first = compare::differences(ruby, native).into_iter().next();
            differ.push(format!("{}: {}", class.name, first.map_or_else(|| "logs".to_owned(), |d| d.detail)));
        }
    }
    let calls = |results: &[Value], kind: &str| -> u64 {
        results.iter().filter_map(|result| result["stats"][kind]["calls"].as_u64()).sum()
    };
    println!(
        "corpus, without twins: {} calls in Ruby, {} of them still with compiled functions",
        calls(&ruby, "ruby"),
        calls(&native, "ruby")
    );
    assert!(differ.is_empty(), "{} of {} classes:\n{}", differ.len(), classes.len(), differ.join("\n"));
}
