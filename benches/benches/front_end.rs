//! Source text to units: parsing, checking and lowering, in bytes a second. Over the corpus's manifests where they
//! have been fetched (`cargo run -p bunraku-tests -- fetch`), else over the fixture's.

#![allow(missing_docs, reason = "what Criterion's macros make is not for reading")]

use bumpalo::Bump;
use bunraku_benches::sources;
use bunraku_compiler::check::{CheckOptions, check};
use bunraku_compiler::{LineIndex, ParseLimits, SourceFile, lower, parse};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

fn front_end(criterion: &mut Criterion) {
    let sources = sources();
    let bytes: usize = sources.iter().map(String::len).sum();
    let mut group = criterion.benchmark_group("front end");
    group.throughput(Throughput::Bytes(bytes as u64)).sample_size(10);
    let limits = ParseLimits::default();
    group.bench_function("parse", |bencher| {
        bencher.iter(|| {
            for text in &sources {
                let arena = Bump::new();
                let parsed = parse(&arena, &SourceFile::manifest(text), &limits);
                black_box(parsed.is_ok());
            }
        });
    });
    group.bench_function("parse and check", |bencher| {
        bencher.iter(|| {
            for text in &sources {
                let arena = Bump::new();
                let source = SourceFile::manifest(text);
                if let Ok(parsed) = parse(&arena, &source, &limits) {
                    black_box(check(&parsed.program, &source, &CheckOptions::default()));
                }
            }
        });
    });
    group.bench_function("parse and lower", |bencher| {
        bencher.iter(|| {
            for text in &sources {
                let arena = Bump::new();
                if let Ok(parsed) = parse(&arena, &SourceFile::manifest(text), &limits) {
                    let unit = lower::lower(&parsed.program, text, &LineIndex::new(text), None);
                    black_box(unit.is_ok());
                }
            }
        });
    });
    group.finish();
}

criterion_group!(benches, front_end);
criterion_main!(benches);
