//! Archives by the command, from outside: builds that are killed or run at once, files cut off while they are in use,
//! what `inspect` shows, how much of an archive a compile reads.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use bunraku_tests::{bunraku, paths};
use serde_json::{Value, json};
use tempfile::TempDir;

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command.args(args);
    command
}

fn run(args: &[&str]) -> Output {
    command(args).output().expect("Bunraku starts")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the path is UTF-8")
}

/// An environment of so many classes, each of which says `word`; they are all of some length.
fn environment(root: &Path, word: &str, classes: usize) -> PathBuf {
    let folder = root.join(word).join("modules/many/manifests");
    fs::create_dir_all(&folder).expect("folders can be made");
    for n in 0..classes {
        let lines: String =
            (0..200).map(|line| format!("  $v{line} = [{line}, 'text {n} {line}']\n")).collect();
        let class = format!("class many::c{n} {{\n{lines}  notify {{ '{word} {n}': }}\n}}\n");
        fs::write(folder.join(format!("c{n}.pp")), class).expect("files can be written");
    }
    root.join(word)
}

fn leftovers(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).expect("the folder is there").flatten();
    names
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".tmp"))
        .collect()
}

/// Which of the words a frozen compile says.
fn word(archive: &Path) -> String {
    let out = run(&["compile", "--archive", text(archive), "--frozen", "-e", "include many::c7"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let catalog: Value = serde_json::from_slice(&out.stdout).expect("a catalog is JSON");
    let titles = catalog["resources"].as_array().expect("it has resources").iter();
    let title =
        titles.filter(|r| r["type"] == "Notify").map(|r| r["title"].as_str().unwrap_or_default()).next();
    title.expect("it notifies").trim_end_matches(" 7").to_owned()
}

#[test]
fn a_killed_build_leaves_the_old_archive_or_the_new_one() {
    let work = TempDir::new().expect("a folder can be made");
    let trees = [environment(work.path(), "odd", 60), environment(work.path(), "even", 60)];
    let (out, archive) = (work.path().join("out"), work.path().join("out/a.bnr"));
    fs::create_dir(&out).expect("a folder can be made");
    let build = |tree: &Path| {
        let mut command = command(&["build", "--environment", text(tree), "-o", text(&archive)]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("Bunraku starts")
    };
    // The first one may wait for Bunraku itself to be built.
    assert!(build(&trees[1]).wait().expect("it ends").success());
    let started = std::time::Instant::now();
    assert!(build(&trees[0]).wait().expect("it ends").success());
    let mut whole = started.elapsed().min(Duration::from_secs(1));
    let (mut killed, mut seed) = (0, 0x2545_f491u32);
    for round in 0..40 {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        let mut child = build(&trees[round % 2]);
        std::thread::sleep(whole * (seed % 110) / 100);
        // SIGKILL: nothing of it can tidy up.
        child.kill().expect("it can be killed");
        let ended = child.wait().expect("it ends").success();
        killed += usize::from(!ended);
        // A machine that is busy now may not be later: the moments keep to what builds take.
        whole = if ended { whole * 3 / 4 } else { whole * 9 / 8 };
        assert!(["odd", "even"].contains(&word(&archive).as_str()));
    }
    assert!(killed > 10, "{killed} of 40 were killed in time: the test has lost its point");
    assert!(build(&trees[1]).wait().expect("it ends").success());
    assert_eq!(word(&archive), "even");
    assert!(leftovers(&out).is_empty(), "{:?}", leftovers(&out));
}

#[test]
fn builds_at_once_do_not_harm_each_other() {
    let work = TempDir::new().expect("a folder can be made");
    let trees = [environment(work.path(), "odd", 30), environment(work.path(), "even", 30)];
    let whole: Vec<Vec<u8>> = trees
        .iter()
        .map(|tree| {
            let alone = work.path().join("alone.bnr");
            assert!(run(&["build", "--environment", text(tree), "-o", text(&alone)]).status.success());
            fs::read(alone).expect("it is there")
        })
        .collect();
    let archive = work.path().join("a.bnr");
    for _ in 0..5 {
        let start = |n: usize| -> Child {
            let args = ["build", "--environment", text(&trees[n % 2]), "-o", text(&archive)];
            command(&args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("Bunraku starts")
        };
        let builds: Vec<Child> = (0..6).map(start).collect();
        for build in builds {
            let out = build.wait_with_output().expect("it ends");
            assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        }
        let now = fs::read(&archive).expect("it is there");
        assert!(whole.contains(&now), "it is neither the one nor the other");
        assert!(leftovers(work.path()).is_empty());
    }
}

/// A `batch` that is asked one job after the other.
struct Batch {
    child: Child,
    out: BufReader<std::process::ChildStdout>,
}

impl Batch {
    fn start() -> Batch {
        let mut command = command(&["batch"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("Bunraku starts");
        let out = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Batch { child, out }
    }

    fn ask(&mut self, job: &Value) -> String {
        let input = self.child.stdin.as_mut().expect("stdin is piped");
        writeln!(input, "{job}").and_then(|()| input.flush()).expect("it listens");
        let mut line = String::new();
        self.out.read_line(&mut line).expect("it can be read");
        line
    }

    fn end(mut self) -> Output {
        drop(self.child.stdin.take());
        self.child.wait_with_output().expect("it ends")
    }
}

#[test]
fn an_archive_cut_off_while_in_use_is_an_error_with_its_name() {
    let work = TempDir::new().expect("a folder can be made");
    let tree = environment(work.path(), "word", 60);
    let archive = work.path().join("a.bnr");
    let build =
        || assert!(run(&["build", "--environment", text(&tree), "-o", text(&archive)]).status.success());
    let job = |code: &str| json!({"id": 1, "archive": archive, "frozen": true, "code": code});
    let cut = |to: u64| {
        let file = fs::File::options().write(true).open(&archive).expect("it can be opened");
        file.set_len(to).expect("it can be cut off");
    };
    build();
    let mut batch = Batch::start();
    assert!(batch.ask(&job("include many::c1")).contains("\"ok\":true"));
    cut(4096);
    let answer = batch.ask(&job("include many::c2"));
    assert!(answer.contains("a.bnr is damaged") || answer.contains("cut off"), "{answer}");
    // The batch lives, and takes the archive that comes in its place.
    fs::remove_file(&archive).expect("it can be removed");
    build();
    assert!(batch.ask(&job("include many::c2")).contains("\"ok\":true"));
    assert!(batch.end().status.success());

    // In the middle of a compile there is no warning but the system's.
    let mut batch = Batch::start();
    let code = format!(
        "include many::c1\n$x = generate('/bin/sh', '-c', 'truncate -s 4096 {}')\ninclude many::c50",
        archive.display()
    );
    let answer = batch.ask(&job(&code));
    assert_eq!(answer, "", "it can't go on");
    let end = batch.end();
    let said = String::from_utf8_lossy(&end.stderr);
    assert!(
        said.contains(&format!("Error: Archive {} was cut off while it was in use", archive.display())),
        "{said}"
    );
    assert_eq!(end.status.code(), Some(74), "{:?}", end.status);
}

#[test]
fn an_archive_is_for_one_version_of_the_language() {
    let work = TempDir::new().expect("a folder can be made");
    std::fs::create_dir_all(work.path().join("modules/m/manifests")).expect("a folder can be made");
    // A fault since 8, and none before.
    std::fs::write(
        work.path().join("modules/m/manifests/init.pp"),
        "class m {\n  $x = { -1 => 1, -1 => 2 }\n}\n",
    )
    .expect("a file can be written");
    let modules = work.path().join("modules");
    let archive = work.path().join("m.bnr");
    let compile = |compat: &str, more: &[&str]| {
        let mut command =
            command(&["compile", "--compat", compat, "-e", "include m", "--archive", text(&archive)]);
        command.args(more);
        command.output().expect("Bunraku starts")
    };
    let frozen = |compat| compile(compat, &["--frozen"]);
    let beside = |compat| compile(compat, &["--modulepath", text(&modules)]);
    assert!(run(&["build", "--compat", "7", text(&modules), "-o", text(&archive)]).status.success());
    assert!(String::from_utf8_lossy(&run(&["inspect", text(&archive)]).stdout).contains("for version 7"));
    assert!(frozen("7").status.success() && beside("7").status.success());
    for other in [frozen("8"), beside("8")] {
        let said = String::from_utf8_lossy(&other.stderr).into_owned();
        assert!(
            said.contains("was built for version 7 of the language") && said.contains("--compat 7"),
            "{said}"
        );
        assert!(said.contains("build it again with --compat 8"), "{said}");
    }
    // What is there for another version is not taken over.
    assert!(run(&["build", text(&modules), "-o", text(&archive)]).status.success());
    assert!(String::from_utf8_lossy(&run(&["inspect", text(&archive)]).stdout).contains("for version 8"));
    let said = String::from_utf8_lossy(&frozen("8").stderr).into_owned();
    assert!(said.contains("The key '-1' is declared more than once"), "{said}");
}

#[test]
fn inspect_shows_what_is_inside() {
    let work = TempDir::new().expect("a folder can be made");
    let repo = paths::root().join("fixtures/control-repo");
    let archive = work.path().join("repo.bnr");
    assert!(run(&["build", text(&repo), "-o", text(&archive)]).status.success());
    let shown = run(&["inspect", text(&archive), "--format", "json"]);
    let report: Value = serde_json::from_slice(&shown.stdout).expect("it is JSON");
    let files = report["files"].as_array().expect("it has files");
    let with_class =
        files.iter().find(|file| file["defines"].to_string().contains("\"class\"")).expect("classes");
    let class = with_class["defines"][0][1].as_str().expect("it has a name");
    assert!(files.iter().any(|file| file["refers_to"].as_array().is_some_and(|all| !all.is_empty())));
    let sum: u64 =
        report["sections"].as_array().expect("sections").iter().filter_map(|s| s["bytes"].as_u64()).sum();
    assert!(sum > 0 && sum <= report["bytes"].as_u64().expect("a size"));
    let plain = String::from_utf8(run(&["inspect", text(&archive)]).stdout).expect("it is text");
    assert!(plain.contains(&format!("class {class}")) && plain.contains("Entries"), "{plain}");
    let listed = run(&["inspect", text(&archive), "--disassemble", class, "--environment", text(&repo)]);
    let listed = String::from_utf8(listed.stdout).expect("it is text");
    assert!(listed.contains("1 │ ") && listed.contains("Return") && listed.contains("chunk 0"), "{listed}");
    let without = run(&["inspect", text(&archive), "--disassemble", class, "--format", "json"]);
    let without: Value = serde_json::from_slice(&without.stdout).expect("it is JSON");
    assert!(without["units"][0]["source"].is_null() && without["units"][0]["disassembly"].is_string());
    let missing = run(&["inspect", text(&archive), "--disassemble", "no::such"]);
    assert!(String::from_utf8_lossy(&missing.stderr).contains("has no unit of the name 'no::such'"));
    let none = run(&["inspect", text(&repo.join("environment.conf"))]);
    assert!(String::from_utf8_lossy(&none.stderr).contains("it is not a Bunraku archive"));
    assert_eq!(none.status.code(), Some(1));
}

#[test]
fn inspect_shows_the_trees_of_templates_and_of_functions_in_ruby() {
    let work = TempDir::new().expect("a folder can be made");
    let modules = work.path().join("modules");
    let function =
        "Puppet::Functions.create_function(:'m::twice') do\n  def twice(n)\n    n * 2\n  end\nend\n";
    for (file, content) in
        [("m/lib/puppet/functions/m/twice.rb", function), ("m/templates/t.erb", "Hello <%= @name %>\n")]
    {
        let file = modules.join(file);
        std::fs::create_dir_all(file.parent().expect("it has a folder")).expect("a folder can be made");
        std::fs::write(file, content).expect("a file can be written");
    }
    let archive = work.path().join("modules.bnr");
    assert!(run(&["build", "--modulepath", text(&modules), "-o", text(&archive)]).status.success());
    for (name, wanted) in [("m::twice", "\"twice\""), ("m0/m/templates/t.erb", "\"Hello \"")] {
        let shown = run(&["inspect", text(&archive), "--disassemble", name]);
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert!(shown.contains("Program {") && shown.contains(wanted), "{name}: {shown}");
    }
}

#[test]
fn the_fixture_from_its_archive_is_the_fixture() {
    let work = TempDir::new().expect("a folder can be made");
    let repo = paths::root().join("fixtures/control-repo");
    let archive = work.path().join("repo.bnr");
    let built =
        run(&["build", "--environment", text(&repo), "--embed", "--deny-errors", "-o", text(&archive)]);
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    for node in ["web01.example.com", "db01.example.com"] {
        let facts = repo.join("facts").join(format!("{node}.json"));
        let catalog = |with: &[&str]| {
            let mut args = vec!["compile", node, "--environment_name", "production", "--facts", text(&facts)];
            args.extend(["--environment", text(&repo)]);
            args.extend(with);
            let out = run(&args);
            let mut catalog: Value = serde_json::from_slice(&out.stdout).expect("a catalog is JSON");
            catalog["catalog_uuid"] = Value::Null;
            catalog["version"] = Value::Null;
            (catalog.to_string(), String::from_utf8_lossy(&out.stderr).into_owned())
        };
        let source = catalog(&[]);
        assert_eq!(source, catalog(&["--archive", text(&archive)]));
        assert_eq!(source, catalog(&["--archive", text(&archive), "--frozen"]));
    }
    let wrong = run(&["compile", "--frozen", "-e", "1"]);
    assert_eq!(wrong.status.code(), Some(2), "--frozen needs --archive");
}

#[test]
fn a_stopped_reader_does_not_stop_the_build() {
    // A build's lock is on its own temporary file; one that stands still holds nobody else up.
    let work = TempDir::new().expect("a folder can be made");
    let tree = environment(work.path(), "word", 5);
    let archive = work.path().join("a.bnr");
    let temporary = work.path().join(".a.bnr.1-0.tmp");
    let held = fs::File::create(&temporary).expect("it can be made");
    held.lock().expect("it can be locked");
    assert!(run(&["build", "--environment", text(&tree), "-o", text(&archive)]).status.success());
    assert!(temporary.exists(), "another build's file is not touched");
    drop(held);
    std::thread::sleep(Duration::from_millis(10));
    assert!(run(&["build", "--environment", text(&tree), "-o", text(&archive)]).status.success());
    assert!(!temporary.exists(), "what nobody holds is removed");
}
