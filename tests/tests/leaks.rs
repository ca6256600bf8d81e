//! A process that compiles the same again and again keeps no more after the last compile than after the first few: what a compile
//! has on the heap goes with it, whether it ends well or not. Arenas run no destructors, so that what they own on the heap has to be
//! freed by name.

use bunraku::{Compiler, Environment, Facts, Node, Settings};
use bunraku_tests::paths;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// Compiles until all that is kept for later compiles is there, and then again, eight times in each of some rounds: how many bytes a
/// round leaves. The middle one counts: what is kept may be given another form in one of them, what leaks leaks in each.
fn kept(compile: impl Fn(usize)) -> i64 {
    // A thread that has answered lets go of its compile a moment later, on a busy machine after the next ones have begun.
    let now = || {
        std::thread::sleep(Duration::from_millis(1));
        i64::try_from(dhat::HeapStats::get().curr_bytes).unwrap_or(i64::MAX)
    };
    let held = || (0..20).map(|_| now()).min().unwrap_or_default();
    let round = || {
        let before = held();
        (0..8).for_each(&compile);
        held() - before
    };
    round();
    let mut rounds: [i64; 9] = std::array::from_fn(|_| round());
    rounds.sort_unstable();
    rounds[4]
}

#[test]
fn a_compile_keeps_nothing_on_the_heap() {
    let _profiler = dhat::Profiler::builder().testing().build();
    let repo = paths::root().join("fixtures/control-repo");
    let (compiler, environment) = (Compiler::new(), Environment::at(&repo));
    let nodes = ["web01.example.com", "db01.example.com"].map(|name| {
        let facts = Facts::from_file(&repo.join("facts").join(format!("{name}.json")));
        Node::new(name).with_facts(facts.expect("there are facts"))
    });
    let settings = Settings::default();
    let good = kept(|number| {
        let compiled = compiler.compile(&environment, &nodes[number % 2], &settings);
        assert!(compiled.result.expect("it compiles").into_json().len() > 1000);
    });
    assert_eq!(good, 0, "bytes are kept by eight compiles");
    let failing = Environment::of_code("file { '/a': ensure => file, tag => ['x', 'y'] } include nowhere");
    let bad = kept(|_| assert!(compiler.compile(&failing, &nodes[0], &settings).result.is_err()));
    assert_eq!(bad, 0, "bytes are kept by eight compiles that fail");
    // What the test is for: it sees what is forgotten.
    assert!(kept(|_| std::mem::forget(vec![0u8; 10])) >= 80);
}
