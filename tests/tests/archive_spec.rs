//! The specification from archives: each case that has files gives, frozen in an archive of them, what it gives from
//! the files themselves.

use bunraku_environment::archive::build::{self, Options};
use bunraku_tests::{bunraku, spec};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The job, told to use an archive of its files; none if it has none.
fn archived(job: &Value, archive: &Path) -> Option<Value> {
    let folder = |name: &str| job[name].as_str().map(PathBuf::from);
    let modulepath = folder("modulepath").map(|path| vec![path]);
    let directory = folder("environment");
    let modules = modulepath.as_ref().map(|path| path[0].clone());
    let mut all = std::fs::read_dir(directory.as_ref().or(modules.as_ref())?).ok()?;
    all.next()?.ok()?;
    let options = Options { directory, modulepath, embed: true, ..Options::default() };
    build::build(&options, archive, &|_| ()).unwrap_or_else(|error| panic!("{}: {error}", job["id"]));
    let mut job = job.clone();
    (job["archive"], job["frozen"]) = (json!(archive), json!(true));
    Some(job)
}

#[test]
fn a_frozen_case_does_what_its_files_do() {
    let work = tempfile::tempdir().expect("a folder can be made");
    let pages = spec::pages(&[]).expect("the pages can be read");
    let sources = spec::answer(&pages, spec::DEFAULT, bunraku::collect).expect("Bunraku builds and starts");
    let mut count = 0;
    let frozen = spec::answer(&pages, spec::DEFAULT, |jobs| {
        let archive = |n: usize| work.path().join(format!("{n}.bnr"));
        let archived = |(n, job): (usize, &Value)| match archived(job, &archive(n)) {
            Some(job) => {
                count += 1;
                job
            }
            None => job.clone(),
        };
        let jobs: Vec<Value> = jobs.iter().enumerate().map(archived).collect();
        bunraku::collect(&jobs)
    });
    let frozen = frozen.expect("Bunraku builds and starts");
    assert!(count > 200, "{count} cases have files: the test has lost its point");
    let mut differ = Vec::new();
    for (page, (sources, frozen)) in pages.iter().zip(sources.iter().zip(&frozen)) {
        for (case, (source, frozen)) in page.cases.iter().zip(sources.iter().zip(frozen)) {
            if source != frozen {
                differ.push(format!("{}\n- {source}\n+ {frozen}", case.id));
            }
        }
    }
    assert!(differ.is_empty(), "{} differ\n{}", differ.len(), differ[..differ.len().min(5)].join("\n"));
    println!("{count} cases frozen");
}
