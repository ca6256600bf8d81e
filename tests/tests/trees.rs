//! What is parsed beside real Puppet: the syntax trees of all manifests and templates of the corpus, as both dump them.

use bunraku_tests::{bunraku, corpus, oracle, paths};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The dumps of files by real Puppet and by Bunraku, each with one line that tells the file before it.
fn dumps(subcommand: &str, format: &str, files: &[PathBuf]) -> [String; 2] {
    let links = tempfile::tempdir().expect("a folder");
    bunraku::face(links.path());
    [oracle::SEVEN.command(), Command::new(links.path().join("puppet7"))].map(|mut command| {
        command.args([subcommand, "dump", "--format", format]);
        if subcommand == "epp" {
            command.arg("--no-validate");
        }
        let output = command.args(files).env("LANG", "C.UTF-8").output().expect("it starts");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    })
}

/// The first file whose dumps differ, with the begin of what does.
fn assert_same(subcommand: &str, format: &str, files: &[PathBuf]) {
    let [want, got] = dumps(subcommand, format, files);
    assert!(want.len() > files.len() * 100, "{} bytes for {} files", want.len(), files.len());
    let (want, got) = (want.split("--- /").skip(1), got.split("--- /").skip(1));
    let mut seen = 0;
    for (want, got) in want.zip(got) {
        seen += 1;
        let same = want.bytes().zip(got.bytes()).take_while(|(want, got)| want == got).count();
        let from = |text: &str| {
            String::from_utf8_lossy(text.as_bytes()[same..].get(..200).unwrap_or_default()).into_owned()
        };
        let name = want.lines().next().unwrap_or_default();
        assert!(want == got, "{format}: {name}\nwant {}\ngot  {}", from(want), from(got));
    }
    println!("{subcommand} {format}: {seen} of {} files have trees, all equal", files.len());
}

#[test]
#[ignore = "minutes long: .ci/nightly"]
fn the_trees_of_the_corpus_are_puppets() {
    if !oracle::installed() {
        eprintln!("SKIPPED the corpus's syntax trees by Puppet 7.23.0: it is not installed");
        return;
    }
    corpus::fetch::fetch().expect("the corpus");
    for (subcommand, extension) in [("parser", "pp"), ("epp", "epp")] {
        let files: Vec<PathBuf> = corpus::classes::sources(&[extension])
            .iter()
            .map(|(module, path)| paths::modules().join(module).join(path))
            .collect();
        assert_same(subcommand, "old", &files);
        // Puppet can't write the notation of a parameter that takes the rest: an error of its own.
        let takes_rest =
            |file: &PathBuf| fs::read(file).is_ok_and(|text| text.windows(2).any(|two| two == b"*$"));
        let files: Vec<PathBuf> = files.into_iter().filter(|file| !takes_rest(file)).collect();
        assert_same(subcommand, "pn", &files);
    }
}
