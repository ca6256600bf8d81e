//! Which nodes commands for whole fleets are for: `--node` is one of the ways to name one in each of them, and nothing is said of a node
//! for all of them.

use bunraku_tests::{bunraku, paths};
use std::process::Command;

/// Runs Bunraku on `fixtures/diff`, without configuration, with a cache of its own; status, stdout and stderr.
fn run(args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command.args(args).current_dir(paths::root().join("fixtures/diff")).args(["--facts", "facts"]);
    command.env("BUNRAKU_NO_CONFIG", "1").env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    let output = command.output().expect("Bunraku starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// Commands that compile the nodes of a fleet, and the status by which they refuse arguments.
const COMMANDS: [(&[&str], i32); 6] = [
    (&["fleet", "compile", "before"], 2),
    (&["diff", "--from", "before", "--to", "after"], 1),
    (&["affected", "--from", "before", "--to", "after"], 1),
    (&["unused", "before"], 1),
    (&["coverage", "before"], 2),
    (&["profile", "before"], 2),
];

#[test]
fn node_names_one_in_each_command() {
    let names = std::fs::read_dir(paths::root().join("fixtures/diff/facts")).expect("a folder");
    let names = names.map(|entry| entry.expect("an entry").path());
    let mut names: Vec<String> =
        names.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
    names.sort();
    assert!(names.len() > 1);
    for (command, _) in COMMANDS {
        let by = |option: &str, name: &str| run(&[command, &[option, name]].concat());
        let (status, _, err) = by("--node", "nosuch.example.com");
        assert!(err.contains("nosuch.example.com"), "{command:?}: {status} {err}");
        // Times are others.
        let steady = |(status, out, err): (i32, String, String)| match command[0] {
            "fleet" | "profile" => (
                status,
                out.lines().next().map(|line| line.split([';', ',']).next().unwrap_or_default().to_owned()),
                err,
            ),
            _ => (status, Some(out), err),
        };
        let one = steady(by("--node", &names[0]));
        assert_eq!(one, steady(by("--names", &names[0])), "{command:?}");
        assert_ne!(one, steady(run(command)), "{command:?}");
    }
}

#[test]
fn trusted_data_is_each_nodes_own() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), "{}").expect("it can be written");
    let trusted = ["--trusted", file.path().to_str().expect("a path")];
    for (command, refused) in COMMANDS {
        let (status, out, err) = run(&[command, &trusted[..]].concat());
        assert_eq!((status, out.as_str()), (refused, ""), "{command:?}: {err}");
        assert!(err.contains("Trusted data is each node's own"), "{command:?}: {err}");
    }
    let upgrade = ["upgrade", "--from", "7", "--to", "8", "--environment", "before"];
    let (status, _, err) = run(&[&upgrade[..], &trusted].concat());
    assert!(status == 2 && err.contains("Trusted data is each node's own"), "{err}");
    let (_, _, err) = run(&[&upgrade[..], &trusted, &["--node", "nosuch.example.com"]].concat());
    assert!(!err.contains("Trusted data"), "{err}");
}

/// A status that says that something was found is none for what is refused.
#[test]
fn unused_refuses_with_1() {
    let (status, _, err) = run(&["unused", "before", "--environment", "after"]);
    assert!(status == 1 && err.contains("unused takes TREE in place of"), "{status} {err}");
}

/// What is wrong with a node is said with its place once.
#[test]
fn a_place_is_told_once() {
    let tree = tempfile::tempdir().expect("a folder");
    paths::write_all(tree.path(), &[("manifests/site.pp", "fail('not here')\n")]);
    let tree = tree.path().to_str().expect("a path");
    for command in [&["unused", tree][..], &["coverage", tree], &["profile", tree]] {
        let (status, _, err) = run(command);
        assert!(status == 1 && err.contains("not here (file: "), "{command:?}: {err}");
        let nodes = err.matches("does not compile").count();
        assert_eq!(err.matches("(file: ").count(), nodes, "{command:?}: {err}");
    }
}

/// Modules that the Puppetfile names are others': nobody deletes what is unused of them.
#[test]
fn unused_leaves_out_modules_of_others() {
    let work = tempfile::tempdir().expect("a folder");
    let files = [
        ("manifests/site.pp", "notify { 'x': }\n"),
        ("modules/mine/manifests/init.pp", "class mine { }\n"),
        ("modules/theirs/manifests/init.pp", "class theirs { }\n"),
    ];
    paths::write_all(work.path(), &files);
    let tree = work.path().to_str().expect("a path");
    let (status, _, err) = run(&["unused", tree, "--own"]);
    assert!(status == 1 && err.contains("/Puppetfile can't be read: No such file"), "{status} {err}");
    paths::write_all(work.path(), &[("Puppetfile", "mod 'somebody-theirs', '1.0.0'\n")]);
    let (status, all, err) = run(&["unused", tree]);
    assert!(status == 2 && all.contains("mine") && all.contains("theirs"), "{all} {err}");
    let (status, own, err) = run(&["unused", tree, "--own"]);
    assert!(status == 2 && own.contains("mine") && !own.contains("theirs"), "{own} {err}");
    assert!(err.starts_with("1 of "), "{err}");
}
