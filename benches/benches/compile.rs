//! Warm compiles in one process: the fixture's node, and programs that each do much of one thing.

#![allow(missing_docs, reason = "what Criterion's macros make is not for reading")]

use bunraku_benches::cases::PROGRAMS;
use bunraku_runtime::job::Session;
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use std::hint::black_box;

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
