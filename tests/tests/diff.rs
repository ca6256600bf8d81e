//! `bunraku diff` over `fixtures/diff`: states, forms, statuses, trees of every kind, and what goes wrong.
//!
//! `UPDATE=1` writes the goldens of the report's forms anew, from Bunraku: that its differences are octocatalog-diff's, and its catalogs
//! Puppet's, is for `tests/diff_octocatalog.rs` and others.

use bunraku_tests::{bunraku, golden, paths};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn fixture(name: &str) -> String {
    paths::root().join("fixtures/diff").join(name).display().to_string()
}

/// A command that keeps what it makes of trees in `cache`.
fn command(cache: &Path) -> Command {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command.args(["diff", "--no-config", "--factpath", &fixture("facts"), "--cache"]).arg(cache);
    command
}

/// A run over the fixture's two trees.
fn diff(more: &[&str]) -> Output {
    let cache = tempfile::tempdir().expect("a folder");
    let (from, to) = (fixture("before"), fixture("after"));
    let mut command = command(cache.path());
    command.args(["--from", &from, "--to", &to]).args(more).output().expect("Bunraku starts")
}

/// A text without this machine's paths.
fn plain(text: &[u8]) -> String {
    String::from_utf8_lossy(text).replace(&fixture(""), "")
}

fn states(output: &Output) -> BTreeMap<String, String> {
    let text = plain(&output.stdout);
    let read = |line: &str| {
        let node: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let text =
            |name: &str| node[name].as_str().unwrap_or_default().trim_end_matches(".example.com").to_owned();
        (text("node"), text("state"))
    };
    text.lines().map(read).collect()
}

/// What lies below a folder that a `source` names counts where agents get it: with `recurse`.
#[test]
fn files_of_recursive_sources_count() {
    let work = tempfile::tempdir().expect("a folder");
    let site = "file { '/d': recurse => RECURSE, source => 'puppet:///modules/m/d' }";
    for (tree, text, recurse) in
        [("a", "1", "true"), ("b", "2", "true"), ("c", "1", "false"), ("d", "2", "false")]
    {
        for (name, text) in [
            ("manifests/site.pp", site.replace("RECURSE", recurse)),
            ("modules/m/files/d/below/x.conf", text.to_owned()),
            ("modules/m/manifests/init.pp", "class m { }".to_owned()),
        ] {
            let path = work.path().join(tree).join(name);
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
    }
    fs::create_dir(work.path().join("facts")).expect("a folder");
    fs::write(work.path().join("facts/n.json"), "{}").expect("a file");
    let state = |from: &str, to: &str| {
        let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
        command.args([
            "diff",
            "--no-config",
            "--factpath=facts",
            "--cache=cache",
            "--format=jsonl",
            "--from",
            from,
        ]);
        let output = command.args(["--to", to]).current_dir(work.path()).output().expect("Bunraku starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (states(&output).remove("n").unwrap_or_default(), text.contains("files of source"))
    };
    assert_eq!(state("a", "b"), ("core".to_owned(), true));
    assert_eq!(state("a", "a"), ("same".to_owned(), false));
    assert_eq!(state("c", "d"), ("same".to_owned(), false));
}

/// Hiera's global layer may name files of the deployed environment by their whole paths: they are those of each tree.
#[test]
fn data_that_are_named_where_they_are_deployed_are_those_of_the_tree() {
    let work = tempfile::tempdir().expect("a folder");
    let at = |name: &str| work.path().join(name).display().to_string();
    let write = |name: &str, text: &str| {
        let path = work.path().join(name);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    for (tree, value) in [("envs/production", "old"), ("changed", "new"), ("far/same", "old")] {
        write(&format!("{tree}/manifests/site.pp"), "notify { 'v': message => lookup('k') }");
        write(&format!("{tree}/data/common.yaml"), &format!("k: {value}\n"));
    }
    write("envs/data/common.yaml", "k: outside\n");
    write("facts/n.json", "{}");
    let envs = at("envs");
    let version5 = |datadir: &str, path: &str| {
        format!("version: 5\nhierarchy: [{{name: a, datadir: '{datadir}', {path}}}]\n")
    };
    let state = |from: &str, to: &str| {
        let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
        command.args(["diff", "--confdir=puppet", "--factpath=facts", "--cache=cache", "--format=jsonl"]);
        command.args(["--from", from, "--to", to]).current_dir(work.path());
        let output = command.output().expect("Bunraku starts");
        let state = states(&output).remove("n");
        state.unwrap_or_else(|| String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let second = format!("/no/where:{envs}");
    for path in [&*envs, &second, "/no/where"] {
        write("puppet/puppet.conf", &format!("[main]\nenvironmentpath = {path}\n"));
        let named = if path == "/no/where" { path } else { &*envs };
        for hiera in [
            format!(
                "---\n:backends: [yaml]\n:hierarchy: [common]\n:yaml:\n  :datadir: {named}/%{{environment}}/data\n"
            ),
            version5(&format!("{named}/%{{environment}}/data"), "path: common.yaml"),
            version5(&format!("{named}/production"), "glob: 'data/*.yaml'"),
            version5(named, "path: '%{environment}/data/../data/common.yaml'"),
        ] {
            write("puppet/hiera.yaml", &hiera);
            assert_eq!(state(&format!("{envs}/production"), "changed"), "core", "{hiera}");
            assert_eq!(state("changed", &format!("{envs}/production")), "core", "{hiera}");
            assert_eq!(state("changed", "changed"), "same", "{hiera}");
            assert_eq!(state(&format!("{envs}/production"), "far/same"), "same", "{hiera}");
        }
    }
    // What is in no environment of this name is the same for both.
    write("puppet/puppet.conf", &format!("[main]\nenvironmentpath = {envs}\n"));
    write("puppet/hiera.yaml", &version5(&format!("{envs}/production/../data"), "path: common.yaml"));
    assert_eq!(state(&format!("{envs}/production"), "changed"), "same");
    // The layer's own configuration may lie in the environment.
    write(
        "puppet/puppet.conf",
        &format!("[main]\nenvironmentpath = {envs}\nhiera_config = {envs}/production/global.yaml\n"),
    );
    for tree in ["envs/production", "changed"] {
        write(&format!("{tree}/global.yaml"), &version5("data", "path: common.yaml"));
    }
    assert_eq!(state(&format!("{envs}/production"), "changed"), "core");
}

#[test]
fn every_node_has_its_state() {
    let output = diff(&["--format=jsonl"]);
    let want = [
        ("breaks", "fails"),
        ("broken", "failed before"),
        ("mended", "fixed"),
        ("plain", "same"),
        ("web01", "core"),
        ("web02", "core"),
        ("web03", "core"),
        ("wrapped", "diff"),
    ];
    assert_eq!(states(&output), want.map(|(node, state)| (node.to_owned(), state.to_owned())).into());
    let text = plain(&output.stdout);
    assert!(!text.contains("s3cret") && !text.contains("0ther"), "{text}");
    let nobody = diff(&["--format=jsonl", "nobody.example.com"]);
    assert_eq!(nobody.status.code(), Some(1));
    assert!(
        plain(&nobody.stderr).contains("There is no node nobody.example.com"),
        "{}",
        plain(&nobody.stderr)
    );
}

#[test]
fn forms_of_the_report() {
    let forms = [
        ("text", "txt"),
        ("markdown", "md"),
        ("html", "html"),
        ("json", "json"),
        ("jsonl", "jsonl"),
        ("junit", "xml"),
    ];
    for (form, extension) in forms {
        let output = diff(&["--format", form]);
        assert_eq!(output.status.code(), Some(1), "{}", plain(&output.stderr));
        golden::holds(&format!("diff/report.{extension}"), &plain(&output.stdout));
    }
}

#[test]
fn reports_go_to_files_too() {
    let work = tempfile::tempdir().expect("a folder");
    let file = |name: &str| work.path().join(name);
    let report = |form: &str, name: &str| format!("--report={form}={}", file(name).display());
    let output = diff(&["--format=jsonl", &report("markdown", "a.md"), &report("junit", "a.xml")]);
    assert_eq!(states(&output).len(), 8);
    let read = |name: &str| fs::read(file(name)).map(|text| plain(&text)).expect("it is there");
    let golden = |name: &str| {
        fs::read_to_string(paths::root().join("tests/goldens/diff").join(name))
            .expect("the golden can be read")
    };
    assert_eq!((read("a.md"), read("a.xml")), (golden("report.md"), golden("report.xml")));
    let nowhere = diff(&["plain.example.com", "--report=text=/no/such/folder/file"]);
    assert!(plain(&nowhere.stderr).contains("/no/such/folder/file"), "{}", plain(&nowhere.stderr));
}

#[test]
fn statuses() {
    let status = |arguments: &[&str]| diff(arguments).status.code();
    assert_eq!(status(&["plain.example.com"]), Some(0));
    assert_eq!(status(&["web01.example.com"]), Some(2));
    assert_eq!(status(&["wrapped.example.com"]), Some(2));
    assert_eq!(status(&["wrapped.example.com", "--fail-on=core"]), Some(0));
    assert_eq!(status(&["web01.example.com", "--fail-on=core"]), Some(2));
    assert_eq!(status(&["web01.example.com", "--fail-on=error"]), Some(0));
    assert_eq!(status(&["breaks.example.com", "web01.example.com", "--fail-on=error"]), Some(1));
    assert_eq!(status(&["breaks.example.com", "--fail-on=never"]), Some(0));
    assert_eq!(status(&["mended.example.com", "broken.example.com"]), Some(2));
    assert_eq!(status(&["broken.example.com"]), Some(1));
    assert_eq!(status(&["web01.example.com", "--ignore=File[*],User[*],Web::User[*]"]), Some(0));
    let wrong = diff(&["--ignore=File"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(plain(&wrong.stderr).contains("Ignore File must be in Type[Title]"), "{}", plain(&wrong.stderr));
}

#[test]
fn what_files_of_modules_hold_is_compared() {
    let with = plain(&diff(&["web01.example.com"]).stdout);
    assert!(with.contains("new logo"), "{with}");
    let without = plain(&diff(&["web01.example.com", "--no-compare-file-text"]).stdout);
    assert!(!without.contains("logo"), "{without}");
}

#[test]
fn facts_are_told_otherwise() {
    let output = diff(&["plain.example.com", "--to-fact-override=networking.fqdn=x", "--format=jsonl"]);
    assert_eq!(states(&output)["plain"], "same");
    let output = diff(&[
        "web01.example.com",
        "--override=networking.hostname=both",
        "--to-fact-override=networking.ip=(string)1.2.3.4",
        "--format=jsonl",
    ]);
    let text = plain(&output.stdout);
    assert!(text.contains("/etc/web/both") && text.contains("1.2.3.4"), "{text}");
    assert!(text.contains("listen 10.0.0.1"), "the first side has its own: {text}");
}

/// A repository with the fixture's first tree, in a folder of it, and the second on top.
fn repository(work: &Path) -> PathBuf {
    let repository = work.join("repository");
    let run = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        let output = command.args(arguments).current_dir(&repository).output().expect("it starts");
        assert!(output.status.success(), "{program} {arguments:?}: {}", plain(&output.stderr));
    };
    fs::create_dir_all(&repository).expect("a folder");
    run("git", &["init", "--quiet"]);
    for (tree, tag) in [("before", "old"), ("after", "new")] {
        run("rm", &["-rf", "control"]);
        run("cp", &["-r", &fixture(tree), "control"]);
        run("git", &["add", "--all"]);
        run("git", &["-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "--quiet", "-m", tag]);
        run("git", &["tag", tag]);
    }
    repository
}

#[test]
fn versions_of_a_repository() {
    let work = tempfile::tempdir().expect("a folder");
    let (repository, cache) = (repository(work.path()), work.path().join("cache"));
    let run = |arguments: &[&str]| {
        let mut command = command(&cache);
        command
            .current_dir(&repository)
            .arg("--format=jsonl")
            .args(arguments)
            .output()
            .expect("Bunraku starts")
    };
    let folders = states(&diff(&["--format=jsonl"]));
    let versions = run(&["--from=git:old:control", "--to=git:new:control"]);
    assert_eq!(states(&versions), folders, "{}", plain(&versions.stderr));
    assert!(
        !plain(&versions.stdout).contains(&cache.display().to_string()),
        "the cache is nobody's business"
    );
    // Nor by another path to it.
    let mut beside = command(Path::new("../beside"));
    let beside = beside.current_dir(&repository).args([
        "--format=jsonl",
        "--from=git:old:control",
        "--to=git:new:control",
    ]);
    let beside = plain(&beside.output().expect("Bunraku starts").stdout);
    assert!(beside.contains("file: manifests/site.pp") && !beside.contains("/beside/"), "{beside}");
    assert_eq!(states(&run(&["--from=git:old:control", "--to=control"])), folders);
    // What one stands in is not touched.
    let state = Command::new("git").args(["status", "--porcelain"]).current_dir(&repository).output();
    assert_eq!(state.expect("git starts").stdout, b"");
    let same = run(&["--from=git:new:control", "--to=git:HEAD:control"]);
    assert!(
        states(&same).values().all(|state| state == "same" || state == "failed before" || state == "fails")
    );
    let error = |arguments: &[&str]| {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(1), "{}", plain(&output.stderr));
        plain(&output.stderr)
    };
    assert!(error(&["--from=git:nowhere", "--to=control"]).contains("There is no version git:nowhere"));
    assert!(error(&["--from=git:old:missing", "--to=control"]).contains("git:old:missing"));
    assert!(error(&["--from=missing", "--to=control"]).contains("There is no tree missing"));
    let file = error(&["--from=git:old:control/manifests/site.pp", "--to=control"]);
    assert!(file.contains("is a blob, no folder"), "{file}");
    // A bare repository, as on a server.
    let bare = work.path().join("bare.git");
    let clone = Command::new("git").args(["clone", "--quiet", "--bare"]).arg(&repository).arg(&bare).status();
    assert!(clone.expect("git starts").success());
    let mut of_bare = command(&work.path().join("other"));
    let of_bare =
        of_bare.current_dir(&bare).args(["--format=jsonl", "--from=git:old:control", "--to=git:new:control"]);
    assert_eq!(states(&of_bare.output().expect("Bunraku starts")), folders);
}

#[test]
fn a_bootstrap_runs_once_a_tree_and_its_failure_is_told() {
    let work = tempfile::tempdir().expect("a folder");
    let (repository, cache) = (repository(work.path()), work.path().join("cache"));
    let log = work.path().join("log");
    let run = |bootstrap: &str| {
        let mut command = command(&cache);
        command.current_dir(&repository).args([
            "--from=git:old:control",
            "--to=git:new:control",
            "--bootstrap",
        ]);
        command.arg(bootstrap).arg("plain.example.com").output().expect("Bunraku starts")
    };
    let good = format!("echo ran >> {}; echo \"notify {{ 'more': }}\" > manifests/more.pp", log.display());
    for _ in 0..2 {
        assert_eq!(run(&good).status.code(), Some(0));
    }
    assert_eq!(fs::read_to_string(&log).expect("it ran"), "ran\nran\n", "once for each of two trees");
    let bad = run("echo no modules today; exit 7");
    assert_eq!(bad.status.code(), Some(1));
    let message = plain(&bad.stderr);
    assert!(message.contains("no modules today") && message.contains("exit status: 7"), "{message}");
    // What failed is not kept.
    assert_eq!(run("true").status.code(), Some(0));
    let left = fs::read_dir(cache.join("unfinished")).expect("a folder").count();
    assert_eq!(left, 0);
}

#[test]
fn rules_of_the_tree_that_is_compared_from() {
    let work = tempfile::tempdir().expect("a folder");
    let copy = |name: &str| {
        let to = work.path().join(name);
        let status = Command::new("cp").args(["-r", &fixture(name)]).arg(&to).status().expect("cp starts");
        assert!(status.success());
        to
    };
    let (from, to) = (copy("before"), copy("after"));
    let run = || {
        let mut command = command(&work.path().join("cache"));
        command
            .arg("--from")
            .arg(&from)
            .arg("--to")
            .arg(&to)
            .arg("web01.example.com")
            .output()
            .expect("it starts")
    };
    let rules = "[diff]\nignore = [\"File[*]\", \"User[*]\", \"Web::User[*]\"]\n";
    // A change can't hide itself.
    fs::write(to.join("bunraku.toml"), rules).expect("it can be written");
    assert_eq!(run().status.code(), Some(2));
    fs::write(from.join("bunraku.toml"), rules).expect("it can be written");
    assert_eq!(run().status.code(), Some(0));
    fs::write(from.join("bunraku.toml"), "[diff]\nignored = 1\n").expect("it can be written");
    let wrong = run();
    assert_eq!(wrong.status.code(), Some(1));
    assert!(plain(&wrong.stderr).contains("bunraku.toml") && plain(&wrong.stderr).contains("ignored"));
    fs::write(from.join("bunraku.toml"), rules.replace("[diff]", "[dif]")).expect("it can be written");
    let wrong = run();
    assert_eq!(wrong.status.code(), Some(1));
    assert!(
        plain(&wrong.stderr).contains("unknown field `dif`, expected `diff`"),
        "{}",
        plain(&wrong.stderr)
    );
}

#[test]
fn two_runs_at_once_in_one_cache() {
    let work = tempfile::tempdir().expect("a folder");
    let (repository, cache) = (repository(work.path()), work.path().join("cache"));
    let outputs: Vec<Output> = std::thread::scope(|scope| {
        let run = || {
            let mut command = command(&cache);
            command.current_dir(&repository).args([
                "--format=jsonl",
                "--from=git:old:control",
                "--to=git:new:control",
            ]);
            command.output().expect("Bunraku starts")
        };
        let runs: Vec<_> = (0..3).map(|_| scope.spawn(run)).collect();
        runs.into_iter().map(|run| run.join().expect("it ends")).collect()
    });
    for output in &outputs {
        assert_eq!(output.stdout, outputs[0].stdout, "{}", plain(&output.stderr));
        assert_eq!(states(output).len(), 8);
    }
}
