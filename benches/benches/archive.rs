//! Archives: opening one, finding an entry and a definition, and whole compiles of a process that has kept nothing,
//! from source and from the archive. Of the corpus where it has been fetched, else of the fixture's modules.

#![allow(missing_docs, reason = "what Criterion's macros make is not for reading")]

use bunraku::archive::{self, Options, build};
use bunraku::{Compiler, Environment, Node, Settings};
use bunraku_benches::modules;
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;

fn archive(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("there is a folder for what is made here");
    let (file, modulepath) = (folder.path().join("modules.bnr"), modules());
    let options = Options { modulepath: Some(vec![modulepath.clone()]), embed: true, ..Options::default() };
    build(&options, &file, &|_| ()).expect("the archive can be built");
    let opened = archive::open(&file).expect("it can be opened");
    let archive = opened.archive();
    let middle = archive.entry(archive.entries() / 2).expect("there are entries").path.to_owned();
    let definition =
        archive.definition(archive.definitions() / 2).expect("there are definitions").name.to_owned();

    let mut group = criterion.benchmark_group("archive");
    group.bench_function("open", |bencher| bencher.iter(|| black_box(archive::open(&file).is_ok())));
    group.bench_function("find an entry", |bencher| {
        bencher.iter(|| black_box(archive.find(black_box(&middle)).is_ok_and(|entry| entry.is_some())));
    });
    group.bench_function("find a definition", |bencher| {
        bencher.iter(|| black_box(archive.defined(black_box(&definition)).is_ok_and(|all| !all.is_empty())));
    });
    let source = Environment::of_code("$x = 1").with_modulepath([modulepath.clone()]);
    let frozen = Environment::frozen(&file).with_code("$x = 1");
    let (node, settings) = (Node::new("localhost"), Settings::default());
    for (name, environment) in [("cold compile from source", source), ("cold compile, frozen", frozen)] {
        let first = Compiler::new().compile(&environment, &node, &settings).result;
        assert!(first.is_ok(), "{name}: {first:?}");
        group.bench_function(name, |bencher| {
            bencher
                .iter(|| black_box(Compiler::new().compile(&environment, &node, &settings).result.is_ok()));
        });
    }
    group.finish();
}

criterion_group!(benches, archive);
criterion_main!(benches);
