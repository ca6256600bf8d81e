//! Warm compiles in one process: the fixture's node, and programs that each do much of one thing.

#![allow(missing_docs, reason = "what Criterion's macros make is not for reading")]

use bunraku_runtime::job::Session;
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use std::hint::black_box;

/// Name and code of each program.
const PROGRAMS: &[(&str, &str)] = &[
    ("empty catalog", ""),
    ("fib(22)", "function fib(Integer $n) { if $n < 2 { $n } else { fib($n - 1) + fib($n - 2) } } fib(22)"),
    ("each over 100,000", "Integer[1, 100000].each |$i| { $i + 1 }"),
    ("map with interpolation over 100,000", "Integer[1, 100000].map |$i| { \"v${i}\" }"),
    ("filter over 100,000", "Integer[1, 100000].filter |$i| { $i % 3 == 0 }"),
    ("reduce over 100,000", "Integer[1, 100000].reduce(0) |$sum, $i| { $sum + $i }"),
    ("hash of 20,000 by reduce", "Integer[1, 20000].reduce({}) |$hash, $i| { $hash + {$i => $i} }"),
    (
        "5,000 files by each",
        "Integer[1, 5000].each |$i| { file { \"/tmp/f${i}\": ensure => file, mode => '0644', content => \"x${i}\" } }",
    ),
    (
        "2,000 typed defines",
        "define d(Integer $n, String $s = 'a') { notify { \"${title}-${n}\": message => $s } }\n\
         Integer[1, 2000].each |$i| { d { \"t${i}\": n => $i } }",
    ),
    (
        "11 collectors over 1,500 virtual users",
        "Integer[1, 1500].each |$i| { @user { \"u${i}\": uid => $i, tag => \"g${$i % 11}\" } }\n\
         User <| tag == 'g0' |> User <| tag == 'g1' |> User <| tag == 'g2' |> User <| tag == 'g3' |>\n\
         User <| tag == 'g4' |> User <| tag == 'g5' |> User <| tag == 'g6' |> User <| tag == 'g7' |>\n\
         User <| tag == 'g8' |> User <| tag == 'g9' |> User <| tag == 'g10' |>",
    ),
];

fn compile(criterion: &mut Criterion) {
    let session = Session::default();
    let mut group = criterion.benchmark_group("compile");
    group.sample_size(10);
    let repo = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/control-repo");
    let facts = format!("{repo}/facts/web01.example.com.json");
    let job = json!({"id": 1, "environment": repo, "node": "web01.example.com", "facts": facts}).to_string();
    group.bench_function("the fixture's web server", |bencher| {
        bencher.iter(|| black_box(session.answer(&job)));
    });
    for (name, code) in PROGRAMS {
        let job = json!({"id": 1, "code": code}).to_string();
        let answer = session.answer(&job);
        assert!(answer.starts_with("{\"id\":1,\"ok\":true"), "{name}: {answer}");
        group.bench_function(*name, |bencher| bencher.iter(|| black_box(session.answer(&job))));
    }
    group.finish();
}

criterion_group!(benches, compile);
criterion_main!(benches);
