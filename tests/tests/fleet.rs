//! `bunraku fleet compile` from outside: what fails is told once with its nodes, in each form; catalogs are kept; nodes are
//! chosen; memory does not grow with the fleet.
//!
//! `UPDATE=1` writes the goldens of the report's forms anew, from Bunraku: that its nodes fail as real Puppet says is held by
//! the tests of `upgrade`, over the same tree.

use bunraku_tests::used::peak_of;
use bunraku_tests::{bunraku, golden, paths, varied};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const REPO: &str = "fixtures/upgrade";

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command.args(["fleet", "compile"]).args(args).current_dir(paths::root());
    // What is kept of trees is kept for these tests.
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command
}

fn run(args: &[&str]) -> Output {
    command(args).output().expect("Bunraku starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace(&format!("{}/", paths::root().display()), "")
}

/// The nodes of `fixtures/upgrade`, of which some fail by version 8.
fn upgrade(more: &[&str]) -> (i32, String, String) {
    let own =
        [REPO, "--environment_name", "production", "--facts", "fixtures/upgrade/facts", "--threads", "3"];
    let output = run(&[&own[..], more].concat());
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// A report without what differs between runs.
fn steady(text: &str) -> String {
    let number = |text: &str, before: &str| {
        let mut out = String::new();
        let mut parts = text.split(before);
        out += parts.next().unwrap_or_default();
        for part in parts {
            let end = part.find(|sign: char| !sign.is_ascii_digit() && sign != '.').unwrap_or(part.len());
            out = out + before + "0" + &part[end..];
        }
        out
    };
    let head = |line: &str| match line.split_once(" failed; ") {
        Some((before, _)) => format!("{before} failed; …"),
        None => line.to_owned(),
    };
    let text = ["time=\"", "\"milliseconds\":", "\"seconds\":"]
        .iter()
        .fold(text.to_owned(), |text, name| number(&text, name));
    text.lines().map(|line| head(line) + "\n").collect()
}

#[test]
fn reports_have_goldens_in_each_form() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let junit = folder.path().join("junit.xml");
    for (form, name) in [("text", "report.txt"), ("json", "report.json"), ("jsonl", "report.jsonl")] {
        let file = junit.display().to_string();
        let (status, out, err) = upgrade(&["--format", form, "--junit", &file]);
        assert_eq!((status, err.as_str()), (1, ""));
        golden::holds(&format!("fleet/{name}"), &steady(&out));
    }
    golden::holds("fleet/junit.xml", &steady(&text(&fs::read(junit).expect("it is written"))));
}

#[test]
fn all_of_a_repo_compile_on_any_number_of_threads() {
    for threads in ["1", "2", "7"] {
        let output = run(&[
            "fixtures/control-repo",
            "--environment_name",
            "production",
            "--facts",
            "fixtures/control-repo/facts",
            "--threads",
            threads,
        ]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(
            text(&output.stdout).starts_with("2 nodes: 2 compiled, 0 failed; "),
            "{}",
            text(&output.stdout)
        );
    }
}

#[test]
fn failures_may_be_expected() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("known");
    let (_, out, _) = upgrade(&["--format", "jsonl"]);
    let failing: Vec<String> = out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .filter(|node| node["state"] == "failed")
        .map(|node| node["node"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert!(failing.len() > 5);
    let expecting = |lines: &[String]| {
        fs::write(&file, lines.join("\n")).expect("a file can be written");
        upgrade(&["--expect-failures", &file.display().to_string()])
    };
    let (status, out, _) = expecting(&failing);
    assert_eq!(status, 0, "{out}");
    assert!(out.lines().count() == 1 && out.contains(", all as expected; "), "{out}");
    // One less is a failure; one more, or another message, is told.
    assert_eq!(expecting(&failing[1..]).0, 1);
    let more = [&failing[..], &["clean.example.com".to_owned(), "gone.example.com".to_owned()]].concat();
    let (status, out, _) = expecting(&more);
    assert_eq!(status, 1);
    assert!(out.contains("\nexpected to fail, and compiles\n  1 node: clean.example.com\n"), "{out}");
    assert!(out.contains("not among the nodes that were compiled\n  1 node: gone.example.com\n"), "{out}");
    let mut other = failing.clone();
    other[0] += ": quite another message";
    let (status, out, _) = expecting(&other);
    assert_eq!(status, 1);
    assert!(out.contains("\nexpected to fail with another message\n  1 node: "), "{out}");
    let (status, _, err) = upgrade(&["--expect-failures", "/none/such"]);
    assert_eq!(status, 2);
    assert!(err.contains("Could not read /none/such"), "{err}");
}

/// The catalogs in a folder, by path, and whether all are whole: that is what their names say.
fn kept(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for part in fs::read_dir(folder.join("catalogs")).into_iter().flatten().flatten() {
        for file in fs::read_dir(part.path()).into_iter().flatten().flatten() {
            // What a writer that was ended has left has another name.
            if file.file_name().to_string_lossy().ends_with(".json.zst") {
                found.push(file.path());
            }
        }
    }
    found.sort();
    found
}

#[test]
fn catalogs_are_kept_once_and_found_by_node() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let save = folder.path().display().to_string();
    let clean = ["--names", "clean.example.com,unknown.example.com", "--save", &save];
    upgrade(&clean);
    let first = kept(folder.path());
    assert_eq!(first.len(), 1);
    let index: Vec<Value> = fs::read_to_string(folder.path().join("index.jsonl"))
        .expect("there is an index")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(index[0]["node"], "clean.example.com");
    let sum = index[0]["sha256"].as_str().expect("a hash");
    assert!(first[0].ends_with(format!("{}/{sum}.json.zst", &sum[..2])));
    assert!(index[1]["error"].as_str().is_some_and(|error| error.contains("nobody_set")), "{}", index[1]);
    // The same catalogs are the same files; other ones come beside them.
    let written = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).expect("it is there");
    let before = written(&first[0]);
    upgrade(&clean);
    assert_eq!((kept(folder.path()), written(&first[0])), (first.clone(), before));
    upgrade(&["--compat", "7", "--save", &save]);
    assert!(kept(folder.path()).len() > 10);
    let (status, _, err) = upgrade(&["--save", "/dev/null/x"]);
    assert_eq!(status, 1);
    assert!(err.contains("Could not make the folder /dev/null/x"), "{err}");
}

#[test]
fn an_interrupted_run_leaves_whole_catalogs() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let facts = folder.path().join("facts");
    fs::create_dir(&facts).expect("a folder can be made");
    let kind = paths::root().join("fixtures/control-repo/facts/web01.example.com.json");
    varied::write(&facts, &[("web01.example.com", &kind)], 400, 1).expect("facts can be written");
    let save = folder.path().join("save");
    let (facts, place) = (facts.display().to_string(), save.display().to_string());
    let repo = "fixtures/control-repo";
    let args = [repo, "--environment_name", "production", "--facts", &facts, "--save", &place];
    for wait in [60, 120, 250] {
        let mut child =
            command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("Bunraku starts");
        while kept(&save).is_empty() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(wait));
        let id = nix::unistd::Pid::from_raw(i32::try_from(child.id()).expect("a process id"));
        nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGINT).expect("it can be told");
        child.wait().expect("it ends");
        let sums: Vec<PathBuf> = kept(&save);
        assert!(!sums.is_empty());
        for path in sums {
            let plain = zstd::decode_all(&fs::read(&path).expect("it is there")[..]).expect("it is whole");
            let sum = sha2_of(&plain);
            assert!(path.ends_with(format!("{sum}.json.zst")), "{}", path.display());
        }
    }
    assert!(run(&args).status.success());
    assert_eq!(kept(&save).len(), 400);
}

fn sha2_of(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn nodes_are_chosen_in_many_ways() {
    let names = |more: &[&str]| {
        let (status, out, err) = upgrade(&[&["--compat", "7", "--format", "jsonl"], more].concat());
        assert_eq!(status, 0, "{more:?}: {err}");
        let name = |line: &str| {
            serde_json::from_str::<Value>(line).expect("JSON")["node"].as_str().map(str::to_owned)
        };
        out.lines().filter_map(name).map(|name| name.replace(".example.com", "")).collect::<Vec<_>>()
    };
    assert_eq!(names(&["-n", "key.example.com,fact.example.com"]), ["fact", "key"]);
    assert_eq!(names(&["--match", "un*", "--match", "/^ke/"]), ["key", "unknown-in-erb", "unknown"]);
    assert_eq!(names(&["--class", "causes::key"]), ["all", "key"]);
    assert_eq!(names(&["--resource", "Class[causes::key]"]), ["all", "key"]);
    assert_eq!(names(&["--fact", "os.family=Debian", "--match", "key*"]), ["key"]);
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("nodes");
    fs::write(&file, "# two\nkey.example.com\n\nfact.example.com\n").expect("a file can be written");
    assert_eq!(names(&["--nodes", &file.display().to_string()]), ["fact", "key"]);
    for (args, says) in [
        (&["-n", "no.example.com"][..], "There is no node no.example.com in fixtures/upgrade/facts"),
        (&["--match", "zz*"], "No node of fixtures/upgrade/facts fits zz*"),
        (&["--class", "causes::none"], "None of the nodes that compile is what was asked for"),
        (&["--query", "nodes[certname] {}"], "A query can be asked of puppetdb:URL only"),
    ] {
        let (status, out, err) = upgrade(args);
        assert_eq!((status, out.as_str()), (1, ""), "{args:?}");
        assert!(err.contains(says), "{args:?}: {err}");
    }
    for args in [
        &["--match", "/(/"][..],
        &["--resource", "x[y"],
        &["--trusted", "/dev/null"],
        &["--environment", "x"],
    ] {
        assert_eq!(upgrade(args).0, 2, "{args:?}");
    }
}

#[test]
fn one_of_each_kind_stands_for_all_of_it() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let kinds = ["web01.example.com", "db01.example.com"];
    let files = kinds.map(|name| paths::root().join(format!("fixtures/control-repo/facts/{name}.json")));
    let all = [(kinds[0], files[0].as_path()), (kinds[1], files[1].as_path())];
    varied::write(folder.path(), &all, 6, 1).expect("facts can be written");
    let facts = folder.path().display().to_string();
    let args =
        ["fixtures/control-repo", "--environment_name", "production", "--facts", &facts, "--one-per-kind"];
    let output = run(&args);
    assert!(output.status.success());
    // db0002 and its like are no databases to the site, so they are nodes of the default kind.
    assert_eq!(text(&output.stderr), "2 kinds of 6 nodes\n");
    assert!(text(&output.stdout).starts_with("2 nodes: "), "{}", text(&output.stdout));
}

#[test]
fn classifiers_answers_may_lie_in_a_folder_and_name_environments() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder can be made");
        fs::write(file, text).expect("a file can be written");
    };
    for environment in ["tree", "all/production", "all/test"] {
        let code = format!("class own($n = 0) {{ notify {{ \"{environment} ${{environment}} ${{n}}\": }} }}");
        write(&format!("{environment}/modules/own/manifests/init.pp"), &code);
        write(&format!("{environment}/environment.conf"), "");
    }
    write("facts/a.json", r#"{"certname": "a", "environment": "production", "facts": {"x": 1}}"#);
    write("facts/b.json", r#"{"x": 1}"#);
    write("enc/a.yaml", "classes: {own: {n: 1}}\nenvironment: production\n");
    write("enc/b.yaml", "classes: [own]\nenvironment: test\n");
    let (tree, facts, enc, save) = (at("tree"), at("facts"), at("enc"), at("save"));
    let titles = |more: &[&str]| {
        let args =
            [&[tree.as_str(), "--facts", &facts, "--enc-answers", &enc, "--save", &save][..], more].concat();
        let output = run(&args);
        let index = fs::read_to_string(folder.path().join("save/index.jsonl")).expect("there is an index");
        let title = |line: &str| {
            let entry: Value = serde_json::from_str(line).expect("JSON");
            let Some(sum) = entry["sha256"].as_str() else { return entry["error"].clone() };
            let file = folder.path().join(format!("save/catalogs/{}/{sum}.json.zst", &sum[..2]));
            let plain = zstd::decode_all(&fs::read(file).expect("it is there")[..]).expect("it is whole");
            let catalog: Value = serde_json::from_slice(&plain).expect("JSON");
            let all = catalog["resources"].as_array().expect("resources").clone();
            all.into_iter()
                .find(|one| one["type"] == "Notify")
                .map_or(Value::Null, |one| one["title"].clone())
        };
        (output.status.code().unwrap_or(-1), index.lines().map(title).collect::<Vec<_>>())
    };
    // The tree stands for the environment that a node is in.
    assert_eq!(titles(&[]), (0, vec![json!("tree production 1"), json!("tree test 0")]));
    // Named, it stands for that one only.
    let (status, found) = titles(&["--environment_name", "production"]);
    assert_eq!((status, &found[0]), (1, &json!("tree production 1")));
    assert!(found[1].as_str().is_some_and(|error| {
        error.contains("into the environment test, and what is compiled is production")
    }));
    let path = at("all");
    let found = titles(&["--environment_name", "production", "--environmentpath", &path]);
    assert_eq!(found, (0, vec![json!("tree production 1"), json!("all/test test 0")]));
    fs::remove_file(folder.path().join("enc/b.yaml")).expect("it is there");
    let (status, found) = titles(&[]);
    assert_eq!(status, 1);
    assert!(
        found[1]
            .as_str()
            .is_some_and(|error| error.contains("Could not find the classifier's answer for b in "))
    );
}

#[test]
fn memory_does_not_grow_with_the_fleet() {
    let kind = paths::root().join("fixtures/control-repo/facts/web01.example.com.json");
    let peak = |count: usize| {
        let folder = tempfile::tempdir().expect("a folder can be made");
        varied::write(folder.path(), &[("web01.example.com", &kind)], count, 1)
            .expect("facts can be written");
        let snapshot = folder.path().join("fleet.facts").display().to_string();
        let from = folder.path().display().to_string();
        let pulled = Command::new(bunraku::binary().expect("Bunraku builds"))
            .args(["facts", "pull", "--from", &from, "-o", &snapshot])
            .output()
            .expect("Bunraku starts");
        assert!(pulled.status.success(), "{}", text(&pulled.stderr));
        let mut command = command(&[
            "fixtures/control-repo",
            "--environment_name",
            "production",
            "--facts",
            &snapshot,
            "--threads",
            "1",
            "--format",
            "json",
        ]);
        let (output, peak) = peak_of(&mut command).expect("Bunraku starts");
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).starts_with(&format!("{{\"nodes\":{count},")));
        peak
    };
    let (few, many) = (peak(300), peak(2000));
    println!("{few} kB for 300 nodes, {many} kB for 2,000");
    // Names and what came of each node: less than 1 kB a node, and what an allocator keeps.
    assert!(many < few + 1700 + 5000, "{few} kB for 300 nodes, {many} kB for 2,000");
}

#[test]
fn environments_are_called_by_one_rule_in_all_commands() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder can be made");
        fs::write(file, text).expect("a file can be written");
    };
    let site = |more: &str| format!("notify {{ \"in ${{environment}}{more}\": }}");
    write("some_folder/manifests/site.pp", &site(""));
    write("all/production/manifests/site.pp", &site(" by path"));
    write("all/test/manifests/site.pp", &site(" by path"));
    // Who is in test gets another resource, and is touched: the others are neither.
    let by_name = "case $environment { 'test': { include changed } default: {} }\n";
    for (tree, code) in [("before", "notify { 'old': }"), ("after", "notify { 'new': }")] {
        write(&format!("{tree}/manifests/site.pp"), &(by_name.to_owned() + &site("")));
        write(&format!("{tree}/modules/changed/manifests/init.pp"), &format!("class changed {{ {code} }}"));
    }
    write("facts/a.json", r#"{"certname": "a", "environment": "test", "facts": {"x": 1}}"#);
    write("facts/b.json", r#"{"x": 1}"#);
    let lines = |command: &[&str], more: &[&str]| {
        let mut process = Command::new(bunraku::binary().expect("Bunraku builds"));
        process.args(command).args(["--no-config", "--facts=facts", "--cache=cache"]).args(more);
        let output = process.current_dir(folder.path()).output().expect("Bunraku starts");
        (text(&output.stdout), text(&output.stderr))
    };
    let titles = |more: &[&str]| {
        let (_, errors) = lines(&["fleet", "compile", "--save=save"], more);
        let index = fs::read_to_string(folder.path().join("save/index.jsonl")).expect(&errors);
        let title = |line: &str| {
            let entry: Value = serde_json::from_str(line).expect("JSON");
            let sum = entry["sha256"].as_str().unwrap_or_else(|| panic!("{entry}"));
            let file = folder.path().join(format!("save/catalogs/{}/{sum}.json.zst", &sum[..2]));
            let plain = zstd::decode_all(&fs::read(file).expect("it is there")[..]).expect("it is whole");
            let catalog: Value = serde_json::from_slice(&plain).expect("JSON");
            let all = catalog["resources"].as_array().expect("resources").clone();
            let own = all.into_iter().find(|one| one["type"] == "Notify").expect("it is there");
            own["title"].as_str().expect("a text").to_owned()
        };
        index.lines().map(title).collect::<Vec<_>>()
    };
    assert_eq!(titles(&["some_folder"]), ["in test", "in production"]);
    assert_eq!(titles(&["--environment=some_folder"]), ["in test", "in production"]);
    assert_eq!(titles(&["some_folder", "--environment_name=x"]), ["in x", "in x"]);
    assert_eq!(titles(&["--environmentpath=all"]), ["in test by path", "in production by path"]);
    let archive = folder.path().join("some.bnr");
    let mut build = Command::new(bunraku::binary().expect("Bunraku builds"));
    build
        .args(["build", "--environment=some_folder", "--embed", "-o"])
        .arg(&archive)
        .current_dir(folder.path());
    assert!(build.status().expect("Bunraku starts").success());
    assert_eq!(titles(&["some.bnr"]), ["in test", "in production"]);
    let sides = ["--from=before", "--to=after"];
    assert_eq!(lines(&["affected"], &sides).0, "a\n");
    assert_eq!(lines(&["affected"], &[&sides[..], &["--environment_name=x"]].concat()).0, "");
    let changed = |more: &[&str]| {
        let (out, errors) = lines(&["diff", "--format=jsonl"], &[&sides[..], more].concat());
        let nodes = out.lines().map(|line| serde_json::from_str::<Value>(line).expect(&errors));
        nodes.filter(|node| node["state"] != "same").map(|node| node["node"].clone()).collect::<Vec<_>>()
    };
    for more in [&[][..], &["--all"]] {
        assert_eq!(changed(more), [json!("a")]);
        assert_eq!(changed(&[&["--environment_name=test"][..], more].concat()), [json!("a"), json!("b")]);
        assert_eq!(changed(&[&["--environment_name=x"][..], more].concat()), Vec::<Value>::new());
    }
    // The setting is the server's: what a tree's folder is called has no say in it, either.
    write("conf/puppet.conf", "");
    for tree in ["one", "two"] {
        write(
            &format!("{tree}/manifests/site.pp"),
            "notify { \"${settings::environment} ${environment}\": }",
        );
    }
    let mut process = Command::new(bunraku::binary().expect("Bunraku builds"));
    process.args(["diff", "--confdir=conf", "--facts=facts", "--cache=cache", "--all", "--format=jsonl"]);
    process.args(["--from=one", "--to=two"]);
    let output = process.current_dir(folder.path()).output().expect("Bunraku starts");
    let (out, errors) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(out.matches("\"state\":\"same\"").count(), 2, "{out}{errors}");
}
