//! `bunraku diff` where things go wrong around it: a full disk, runs that are killed, facts that are broken, versions with submodules. The
//! answer is right or there is one error that says what is wrong, and the next run has the right answer.

use bunraku_tests::repository::{git, of_fixture};
use bunraku_tests::{bunraku, paths};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;
use tempfile::TempDir;

fn fixture(name: &str) -> PathBuf {
    paths::root().join("fixtures/diff").join(name)
}

/// Runs a program that has to succeed.
fn run(folder: &Path, program: &str, arguments: &[&str]) {
    let output = Command::new(program).args(arguments).current_dir(folder).output().expect("it starts");
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn diff(repository: &Path, cache: &Path) -> Command {
    diff_of(repository, cache, &fixture("facts"))
}

fn diff_of(repository: &Path, cache: &Path, facts: &Path) -> Command {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command.args(["diff", "--no-config", "--format=jsonl", "--from=git:old", "--to=git:new", "--cache"]);
    command.arg(cache).arg("--factpath").arg(facts).current_dir(repository);
    command
}

fn output(mut command: Command) -> Output {
    let output = command.output().expect("Bunraku starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("panicked") && !errors.contains("Internal"), "{errors}");
    output
}

fn states(output: &Output) -> BTreeMap<String, String> {
    let text = String::from_utf8_lossy(&output.stdout);
    let state = |line: &str| {
        let node: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let text = |name: &str| node[name].as_str().unwrap_or_default().to_owned();
        (text("node"), text("state"))
    };
    text.lines().map(state).collect()
}

/// A small disk of its own; it goes with this value.
struct Disk(TempDir);

impl Disk {
    /// None where this user can't make one.
    fn new() -> Option<Disk> {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", "size=64k", "bunraku-test"])
            .arg(folder.path())
            .stderr(Stdio::null());
        let is_mounted = mount.status().is_ok_and(|status| status.success());
        is_mounted.then_some(Disk(folder))
    }

    fn resize(&self, kib: u32) {
        run(
            Path::new("/"),
            "mount",
            &["-o", &format!("remount,size={kib}k"), &self.0.path().display().to_string()],
        );
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // A failed test says enough.
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_is_said_and_what_is_kept_stays_right() {
    let Some(disk) = Disk::new() else {
        eprintln!("SKIPPED full disk: 1 test, since this user may not mount one");
        return;
    };
    let work = tempfile::tempdir().expect("a folder can be made");
    let repository = of_fixture(work.path());
    let right = output(diff(&repository, &work.path().join("cache")));
    assert_eq!(states(&right).len(), 8);
    let cache = disk.0.path().join("cache");
    let (mut refused, mut warned) = (0, 0);
    // From no room for a version to room for all, which is 80 KiB or so, page by page: each file is the first without room once.
    for kib in (16..=128).step_by(4).chain([256, 512, 1024, 2048, 4096, 16384]) {
        disk.resize(kib);
        let got = output(diff(&repository, &cache));
        let errors = String::from_utf8_lossy(&got.stderr).into_owned();
        match got.stdout.is_empty() {
            true => {
                assert_eq!(got.status.code(), Some(1));
                // `git` has words of its own, by what it was about to write.
                let says = ["No space left on device", "unable to write file", "Out of diskspace"];
                assert!(says.iter().any(|words| errors.contains(words)), "{kib} KiB: {errors}");
                refused += 1;
            }
            // No archive is no failure: it takes longer.
            false => {
                assert_eq!(states(&got), states(&right), "{kib} KiB: {errors}");
                warned += usize::from(errors.contains("without an archive"));
            }
        }
        if kib == 16384 {
            assert_eq!((errors.as_str(), got.status), ("", right.status));
        }
    }
    assert!(refused > 0 && warned > 0, "{refused} refused, {warned} warned");
}

#[test]
fn a_run_that_is_killed_leaves_nothing_wrong() {
    let work = tempfile::tempdir().expect("a folder can be made");
    let repository = of_fixture(work.path());
    let begun = Instant::now();
    let right = output(diff(&repository, &work.path().join("cache")));
    let whole = begun.elapsed();
    let cache = work.path().join("other");
    let mut interrupted = 0;
    // It is killed ever later in the time that a run takes which finds nothing kept.
    for part in 0..30 {
        let mut command = diff(&repository, &cache);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("Bunraku starts");
        std::thread::sleep(whole * part / 30);
        interrupted += usize::from(child.try_wait().expect("it can be asked").is_none());
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        if part % 5 == 0 {
            // What was kept so far is right.
            let next = diff(&repository, &cache);
            assert_eq!(states(&output(next)), states(&right), "after {part} thirtieths of {whole:?}");
        }
        let again = cache.join(if part % 2 == 0 { "trees" } else { "archives" });
        if again.exists() {
            fs::remove_dir_all(again).expect("it can be removed");
        }
    }
    assert!(interrupted > 3, "{interrupted} were interrupted");
}

#[test]
fn different_commands_at_once_in_one_cache() {
    let work = tempfile::tempdir().expect("a folder can be made");
    let repository = of_fixture(work.path());
    let right = states(&output(diff(&repository, &work.path().join("cache"))));
    let cache = work.path().join("other");
    let commands = [&[][..], &["--all"], &["--no-archives"], &["--exported=two-pass"]];
    std::thread::scope(|scope| {
        for more in commands.into_iter().cycle().take(8) {
            let (repository, cache, right) = (&repository, &cache, &right);
            scope.spawn(move || {
                let mut command = diff(repository, cache);
                command.args(more);
                assert_eq!(states(&output(command)), *right, "{more:?}");
            });
        }
    });
}

#[test]
fn a_node_whose_facts_are_gone_or_broken_is_skipped_by_name() {
    let work = tempfile::tempdir().expect("a folder can be made");
    let repository = of_fixture(work.path());
    let facts = work.path().join("facts");
    paths::copy(&fixture("facts"), &facts);
    let whole = states(&output(diff(&repository, &work.path().join("cache"))));
    let of = |name: &str| {
        let ending = if facts.join(format!("{name}.json")).exists() { "json" } else { "yaml" };
        facts.join(format!("{name}.{ending}"))
    };
    fs::write(of("plain.example.com"), "{\"half\": ").expect("a file can be written");
    // It is listed, and not there when it is asked for.
    let gone = of("web01.example.com");
    fs::remove_file(&gone).expect("it is there");
    std::os::unix::fs::symlink("/nowhere/at/all", &gone).expect("a link can be made");
    let got = output(diff_of(&repository, &work.path().join("cache"), &facts));
    let text = String::from_utf8_lossy(&got.stdout).into_owned();
    let mut found = states(&got);
    for name in ["plain.example.com", "web01.example.com"] {
        assert_eq!(found.remove(name).as_deref(), Some("skipped"), "{text}");
        let line = text.lines().find(|line| line.contains(&format!("\"{name}\""))).expect("it is told");
        assert!(line.contains(name) && line.contains("Could not"), "{line}");
    }
    let others: BTreeMap<_, _> = whole.into_iter().filter(|(name, _)| found.contains_key(name)).collect();
    assert_eq!((others.len(), found), (6, others));
    assert_eq!(got.status.code(), Some(1));
}

#[test]
fn submodules_are_checked_out_or_named() {
    let work = tempfile::tempdir().expect("a folder can be made");
    let at = |name: &str| work.path().join(name);
    // A module that has a module below it, each a repository of its own.
    for (name, code) in
        [("inner", "class outer::inner { notify { 'inner': } }"), ("outer", "class outer { }")]
    {
        fs::create_dir_all(at(name).join("manifests")).expect("a folder can be made");
        let file = if name == "inner" { "manifests/inner.pp" } else { "manifests/init.pp" };
        git(&at(name), &["init", "--quiet"]);
        fs::write(at(name).join(file), code).expect("a file can be written");
        git(&at(name), &["add", "--all"]);
        git(&at(name), &["commit", "--quiet", "-m", "first"]);
    }
    let url = |name: &str| at(name).display().to_string();
    git(&at("outer"), &["submodule", "--quiet", "add", &url("inner"), "files/inner"]);
    git(&at("outer"), &["commit", "--quiet", "-m", "below"]);
    let repository = of_fixture(work.path());
    git(&repository, &["submodule", "--quiet", "add", &url("outer"), "modules/outer"]);
    git(&repository, &["submodule", "--quiet", "update", "--init", "--recursive"]);
    fs::write(
        repository.join("manifests/site.pp"),
        "include outer\nnotify { file('outer/inner/manifests/inner.pp'): }",
    )
    .expect("a file can be written");
    git(&repository, &["add", "--all"]);
    git(&repository, &["commit", "--quiet", "-m", "with a module"]);
    let compile = |repository: &Path, tree: &str, more: &[&str]| {
        let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
        command.args(["fleet", "compile", tree, "--no-config", "--cache"]).arg(at("cache"));
        command.arg("--factpath").arg(fixture("facts")).args(more).current_dir(repository);
        output(command)
    };
    // A clone has not fetched them: both are named, and nothing is compiled without.
    git(work.path(), &["clone", "--quiet", &repository.display().to_string(), "clone"]);
    let elsewhere = |tree: &str, more: &[&str]| compile(&at("clone"), tree, more);
    let got = elsewhere("git:HEAD", &[]);
    let errors = String::from_utf8_lossy(&got.stderr).into_owned();
    assert_eq!(got.status.code(), Some(1));
    assert!(
        errors.contains("git:HEAD has submodules whose commits are not in the repository: modules/outer."),
        "{errors}"
    );
    git(&at("clone"), &["submodule", "--quiet", "update", "--init"]);
    let errors = String::from_utf8_lossy(&elsewhere("git:HEAD", &[]).stderr).into_owned();
    assert!(errors.contains("are not in the repository: modules/outer/files/inner."), "{errors}");
    let got = compile(&repository, "git:HEAD", &[]);
    assert!(got.status.success(), "{}", String::from_utf8_lossy(&got.stdout));
    // A folder beside them has nothing to do with them; a bootstrap may bring them.
    assert!(!String::from_utf8_lossy(&elsewhere("git:HEAD:manifests", &[]).stderr).contains("submodules"));
    let bring =
        format!("mkdir -p modules/outer && cp -r {0}/manifests {0}/files modules/outer", url("outer"));
    let got = elsewhere("git:HEAD", &["--bootstrap", &bring]);
    assert!(got.status.success(), "{}", String::from_utf8_lossy(&got.stdout));
    // A version of the time before them.
    let got = elsewhere("git:HEAD~2", &["--names", "plain.example.com"]);
    assert!(got.status.success(), "{}", String::from_utf8_lossy(&got.stdout));
    // A path that leads out by a link of the tree is nobody's: nothing is written there.
    fs::create_dir_all(at("outside/below")).expect("a folder can be made");
    std::os::unix::fs::symlink(at("outside/below"), repository.join("aside")).expect("a link can be made");
    git(&repository, &["mv", "modules/outer", "planted"]);
    git(&repository, &["config", "-f", ".gitmodules", "submodule.modules/outer.path", "aside/../planted"]);
    git(&repository, &["add", "--all"]);
    git(&repository, &["commit", "--quiet", "-m", "led out"]);
    compile(&repository, "git:HEAD", &[]);
    assert!(!at("outside/planted").exists());
}
