//! The corpus from one archive of all its modules: every catalog, log and error is the one from source.

use bunraku_compile::job::{Job, Session};
use bunraku_environment::archive;
use bunraku_environment::archive::build::{self, Options};
use bunraku_tests::corpus::{self, MACHINES, classes};
use bunraku_tests::{bunraku, paths};
use serde_json::{Value, json};
use std::process::Command;

fn without_chance(results: Vec<Value>) -> Vec<Value> {
    let strip = |mut result: Value| {
        if let Some(catalog) = result.get_mut("catalog").and_then(Value::as_object_mut) {
            // A random number and the time.
            catalog.remove("catalog_uuid");
            catalog.remove("version");
        }
        result
    };
    results.into_iter().map(strip).collect()
}

#[test]
fn an_archive_gives_what_the_sources_give() {
    if !paths::modules().is_dir() {
        eprintln!(
            "SKIPPED archive_corpus: the modules are not there; `cargo run -p bunraku-tests -- fetch` gets them"
        );
        return;
    }
    corpus::write_facts().expect("facts can be written");
    let work = tempfile::tempdir().expect("a folder can be made");
    let archive = work.path().join("corpus.bnr");
    let built = Command::new(bunraku::binary().expect("Bunraku builds"))
        .args(["build", "--compat", "7"])
        .arg(paths::modules())
        .args(["--embed", "-o"])
        .arg(&archive)
        .output()
        .expect("Bunraku starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let classes = classes::read();
    let jobs = |machine: &str, with: Value| -> Vec<Value> {
        let job = |class: &classes::Class| {
            let mut job = corpus::job(&class.name, machine);
            for (key, value) in with.as_object().into_iter().flatten() {
                job[key] = value.clone();
            }
            job
        };
        classes.iter().map(job).collect()
    };
    for (n, machine) in MACHINES.into_iter().enumerate() {
        let run = |with| without_chance(bunraku::collect(&jobs(machine, with)).expect("Bunraku starts"));
        let sources = run(json!({}));
        let failures = sources.iter().filter(|result| result["ok"] == false).count();
        assert!(
            failures > 100 && failures < sources.len() - 100,
            "{failures} failures: the test has lost its point"
        );
        // The second and third machine tell apart little that the first does not.
        let ways: &[bool] = if n == 0 { &[true, false] } else { &[true] };
        for frozen in ways {
            let archived = run(json!({"archive": archive, "frozen": frozen}));
            assert_eq!(archived.len(), sources.len());
            let differ: Vec<String> = sources
                .iter()
                .zip(&archived)
                .filter(|(source, archived)| source != archived)
                .map(|(source, archived)| format!("{}\n- {source:.2000}\n+ {archived:.2000}", source["id"]))
                .collect();
            assert!(
                differ.is_empty(),
                "{machine}, frozen {frozen}: {} differ\n{}",
                differ.len(),
                differ[..differ.len().min(3)].join("\n")
            );
        }
        println!(
            "{machine}: {} classes, {failures} of them failures, the same from the archive",
            sources.len()
        );
    }
}

#[test]
fn what_a_compile_does_not_reach_is_not_read() {
    if !paths::modules().is_dir() {
        eprintln!(
            "SKIPPED archive_corpus: the modules are not there; `cargo run -p bunraku-tests -- fetch` gets them"
        );
        return;
    }
    let work = tempfile::tempdir().expect("a folder can be made");
    let one = work.path().join("one");
    std::fs::create_dir(&one).expect("a folder can be made");
    std::os::unix::fs::symlink(paths::modules().join("rsync"), one.join("rsync"))
        .expect("a link can be made");
    let looked_at = |modules: &std::path::Path| {
        let options = Options { modulepath: Some(vec![modules.to_path_buf()]), ..Options::default() };
        let archive = work.path().join("a.bnr");
        build::build(&options, &archive, &|_| ()).expect("it builds");
        let opened = archive::open(&archive).expect("it opens");
        let opening = opened.archive().touched();
        let session = Session::default();
        session.add_archive(opened.clone());
        let (code, frozen) = (Some("include rsync".to_owned()), true);
        let job = Job { code, archive: Some(archive), frozen, ..Job::default() };
        session.run(&job).result.expect("it compiles");
        (opened.archive().size(), opening, opened.archive().touched())
    };
    let (all, one) = (looked_at(&paths::modules()), looked_at(&one));
    println!("size, bytes read by opening, and by a compile: {all:?} for all modules, {one:?} for one");
    assert!(all.0 > 50 * one.0, "{all:?} {one:?}");
    // Opening costs the same, whatever the size; a search in a hundred times as many records some blocks more.
    assert_eq!(all.1, one.1);
    assert!(all.2 < one.2 + 24 * 4096, "{all:?} {one:?}");
    assert!(all.2 * 30 < all.0, "{all:?}");
}
