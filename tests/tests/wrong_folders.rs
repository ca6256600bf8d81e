//! Folders that are no environment, named where one is meant: commands say so before they look at what lies below, and nothing passes as
//! compiled. What has something else to compile does without.

use bunraku_tests::repository::{git, of_fixture, of_folder};
use bunraku_tests::{bunraku, paths};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs Bunraku in a folder, without configuration, with a cache of its own; status, stdout and stderr.
fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command.args(args).current_dir(folder).env("BUNRAKU_NO_CONFIG", "1");
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    let output = command.output().expect("Bunraku starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn facts() -> String {
    paths::root().join("fixtures/diff/facts").display().to_string()
}

const LACK: &str =
    "is no environment: it has no manifests, no modules, no environment.conf and no hiera.yaml";

/// A folder with an environment, `puppet`, and one that is none, `other`.
fn site() -> (tempfile::TempDir, PathBuf) {
    let work = tempfile::tempdir().expect("a folder");
    let site = work.path().join("site");
    paths::copy(&paths::root().join("fixtures/diff/before"), &site.join("puppet"));
    fs::create_dir_all(site.join("other/deep")).expect("it can be made");
    fs::write(site.join("other/deep/x.yaml"), "a: 1\n").expect("it can be written");
    (work, site)
}

#[test]
fn a_folder_that_is_no_environment_is_an_error() {
    let (_work, site) = site();
    let facts = facts();
    let all: [&[&str]; 13] = [
        &["fleet", "compile", "other", "--facts", &facts],
        &["fleet", "compile", "--environment", "other", "--facts", &facts],
        &["diff", "--from", "other", "--to", "other/deep", "--facts", &facts],
        &["diff", "--from", "puppet", "--to", "other", "--facts", &facts],
        &["affected", "--from", "other", "--to", "puppet", "--facts", &facts],
        &["unused", "other", "--facts", &facts],
        &["coverage", "other", "--facts", &facts],
        &["profile", "other", "--facts", &facts],
        &["compile", "--environment", "other", "a"],
        &["why", "a", "Class[b]", "--tree", "other"],
        &["why-not", "a", "Class[b]", "--environment", "other"],
        &["doctor", "--environment", "other"],
        &["build", "--environment", "other", "-o", "x.bnr"],
    ];
    for args in all {
        let (status, stdout, stderr) = run(&site, args);
        assert!(status == 1 || status == 2 && args[0] == "build", "{args:?}: {status} {stderr}");
        assert!((stdout + &stderr).contains(&format!("other {LACK}")), "{args:?}: {stderr}");
    }
    let (status, _, stderr) = run(&site, &["build", "other", "-o", "x.bnr"]);
    assert_eq!(status, 2, "{stderr}");
    assert!(stderr.contains("other is neither an environment"), "{stderr}");
    assert!(stderr.contains("nor a folder of modules"), "{stderr}");
}

#[test]
fn what_lies_below_is_not_looked_at() {
    let (_work, site) = site();
    // Whoever reads this pipe waits for ever.
    let pipe = site.join("other/manifests.pp");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let facts = facts();
    let (status, _, stderr) = run(&site.join("other"), &["diff", "--from", "git:main", "--facts", &facts]);
    assert_eq!(status, 1);
    assert!(stderr.contains("Could not find the repository of git:main"), "{stderr}");
    let (status, _, stderr) = run(&site, &["diff", "--from", "nosuch", "--to", "other", "--facts", &facts]);
    assert_eq!(status, 1);
    assert!(stderr.contains("There is no tree nosuch"), "{stderr}");
}

#[test]
fn what_says_itself_what_to_compile_does_without_an_environment() {
    let (_work, site) = site();
    fs::write(site.join("x.pp"), "notify { 'from x': }").expect("it can be written");
    let facts = facts();
    let all: [&[&str]; 5] = [
        &["compile", "--environment", "other", "-e", "notify { 'from x': }", "a"],
        &["compile", "--environment", "other", "--manifest", "x.pp", "a"],
        &["compile", "--environment", "other", "--modulepath", "puppet/modules", "a"],
        &["fleet", "compile", "other", "--manifest", "x.pp", "--facts", &facts],
        &["eval", "--environment", "other", "-e", "1"],
    ];
    for args in all {
        let (status, _, stderr) = run(&site, args);
        assert_eq!(status, 0, "{args:?}: {stderr}");
    }
    // Modules are not put there yet.
    fs::create_dir_all(site.join("modules")).expect("it can be made");
    let (status, _, stderr) = run(&site, &["build", "modules", "-o", "x.bnr"]);
    assert_eq!(status, 0, "{stderr}");
}

#[test]
fn the_root_of_a_repository_that_has_the_environment_below_is_an_error() {
    let (_work, site) = site();
    fs::write(site.join("puppet/environment.conf"), "").expect("it can be written");
    of_folder(&site);
    let facts = facts();
    let (status, _, stderr) = run(&site, &["diff", "--from", "git:main", "--to", ".", "--facts", &facts]);
    assert_eq!(status, 1);
    assert!(stderr.contains(&format!(". {LACK}; is ./puppet meant?")), "{stderr}");
    let (status, _, stderr) =
        run(&site, &["diff", "--from", "git:main", "--to", "git:main", "--facts", &facts]);
    assert_eq!(status, 1);
    assert!(stderr.contains(&format!("git:main {LACK}; is git:main:puppet meant?")), "{stderr}");
    let (status, _, stderr) = run(&site, &["unused", "git:main", "--facts", &facts]);
    assert_eq!(status, 1, "{stderr}");
    assert!(stderr.contains(&format!("git:main {LACK}")), "{stderr}");
    let both = ["diff", "--from", "git:main:puppet", "--to", "puppet", "--facts", &facts];
    let (status, _, stderr) = run(&site, &both);
    assert_eq!(status, 0, "{stderr}");
}

#[test]
fn a_version_without_the_environment_is_told_and_compared() {
    let work = tempfile::tempdir().expect("a folder");
    let repository = of_fixture(work.path());
    git(&repository, &["checkout", "--quiet", "--orphan", "none"]);
    git(&repository, &["rm", "-r", "-f", "-q", "."]);
    git(&repository, &["commit", "--quiet", "--allow-empty", "-m", "none"]);
    let args = ["diff", "--from", "git:none", "--to", "git:new", "--facts", &facts()];
    let (status, stdout, stderr) = run(&repository, &args);
    assert!(stderr.contains(&format!("Warning: git:none {LACK}")), "{stderr}");
    assert!(stdout.contains("nodes"), "{status} {stdout} {stderr}");
}

/// Modules that a Puppetfile names lie in no commit: why all nodes fail on that side is said, with what helps.
#[test]
fn modules_that_are_not_in_git_are_told() {
    let work = tempfile::tempdir().expect("a folder");
    let site = work.path().join("site");
    paths::write_all(
        &site,
        &[
            ("manifests/site.pp", "include ntp\n"),
            ("modules/ntp/manifests/init.pp", "class ntp { notify { 'ntp': } }\n"),
            ("Puppetfile", "forge 'https://forge.example.com'\nmod 'puppet-ntp', '1.0.0'\n"),
            (".gitignore", "modules/\n"),
        ],
    );
    of_folder(&site);
    let facts = facts();
    let diff = ["diff", "--from", "git:main", "--to", ".", "--facts", &facts];
    let wanted =
        "Warning: git:main has a Puppetfile and no folder modules, into which its modules go: --modules";
    let (_, _, stderr) = run(&site, &diff);
    assert!(stderr.contains(wanted) && !stderr.contains(". has a Puppetfile"), "{stderr}");
    let (status, _, stderr) = run(&site, &[&diff[..], &["--modules", "modules"]].concat());
    assert!(status == 0 && !stderr.contains("Puppetfile"), "{status} {stderr}");
    let (status, _, stderr) = run(&site, &["doctor", "--environment", "."]);
    assert!(status == 0 && !stderr.contains("Puppetfile"), "{stderr}");
    let affected = |modules: &str| {
        let args = ["affected", "--from", "git:main", "--to", ".", "--facts", &facts, "--modules", modules];
        run(&site, &args)
    };
    let (status, _, stderr) = affected("modules");
    assert!(
        status == 2 && stderr.contains("Warning: --modules modules lies within ., and not within"),
        "{stderr}"
    );
    fs::rename(site.join("modules"), work.path().join("elsewhere")).expect("it can be moved");
    let (status, stdout, stderr) = affected("../elsewhere");
    assert!(
        status == 0 && stdout.is_empty() && !stderr.contains("lies within"),
        "{status} {stdout} {stderr}"
    );
    let (_, stdout, stderr) = run(&site, &["doctor", "--environment", "."]);
    assert!((stdout + &stderr).contains("it has a Puppetfile, and ./modules is not there"), "{stderr}");
}
