//! Warm compiles in one process: the fixture's nodes, and programs and environments that each do much of one thing;
//! the same that `versus` measures beside real Puppet.

#![allow(missing_docs, reason = "what Criterion's macros make is not for reading")]

use bunraku::Compiler;
use bunraku_benches::cases::all;
use bunraku_benches::target::{compile as compiled, frozen};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;

fn compile(criterion: &mut Criterion) {
    let compiler = Compiler::new();
    let mut group = criterion.benchmark_group("compile");
    group.sample_size(10);
    let work = tempfile::tempdir().expect("there is a folder for what is made here");
    for (number, case) in all(work.path()).expect("the cases can be made").iter().enumerate() {
        let name = &case.name;
        let target = frozen(&case.job, work.path(), &number.to_string()).expect("its archive can be built");
        let first = compiled(&compiler, &target).result;
        assert!(first.is_ok(), "{name}: {first:?}");
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(compiled(&compiler, &target).result.is_ok()))
        });
    }
    group.finish();
}

criterion_group!(benches, compile);
criterion_main!(benches);
