//! Files, programs and readers that mean harm, from outside of the command: what is no file is refused by name, what is
//! written is whole or not there, programs have an end. Devices are nodes of the tests' own, never the machine's.
#![cfg(unix)]

use bunraku_tests::bunraku;
use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// No command may take longer, on whatever machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn command() -> Command {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command.stdin(Stdio::null());
    command
}

fn ended(command: &mut Command) -> (Option<i32>, String, String) {
    let started = Instant::now();
    let Output { status, stdout, stderr } = command.output().expect("it starts");
    let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(started.elapsed() < PATIENCE, "{err}");
    assert!(!err.contains("panicked"), "{err}");
    (status.code(), out, err)
}

fn fifo(path: &Path) {
    fs::create_dir_all(path.parent().expect("it has a folder")).expect("a folder can be made");
    assert!(Command::new("mkfifo").arg(path).status().is_ok_and(|status| status.success()));
}

/// A device of the test's own; none where it may not make any.
fn device(path: &Path, minor: &str) -> bool {
    let made = Command::new("mknod").arg(path).args(["c", "1", minor]).output();
    made.is_ok_and(|made| made.status.success()) && fs::OpenOptions::new().write(true).open(path).is_ok()
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("it has a folder")).expect("a folder can be made");
    fs::write(path, text).expect("a file can be written");
}

#[test]
fn a_fifo_is_no_source() {
    let work = tempfile::tempdir().expect("a folder can be made");
    let root = work.path();
    put(&root.join("hiera.yaml"), "version: 5\nhierarchy: [{name: a, path: common.yaml}]\n");
    let m = "modules/m";
    let cases = [
        ("modules/m/manifests/init.pp".to_owned(), "include m"),
        (format!("{m}/types/t.pp"), "notice(1 =~ M::T)"),
        (format!("{m}/functions/f.pp"), "m::f()"),
        (format!("{m}/templates/t.epp"), "epp('m/t.epp')"),
        (format!("{m}/templates/t.erb"), "template('m/t.erb')"),
        (format!("{m}/files/f"), "file('m/f')"),
        (format!("{m}/lib/puppet/functions/rf.rb"), "rf()"),
        (format!("{m}/lib/puppet/parser/functions/old.rb"), "old()"),
        (format!("{m}/lib/puppet/type/rt.rb"), "rt { 'x': }"),
        ("data/common.yaml".to_owned(), "lookup('a')"),
        ("manifests/b.pp".to_owned(), ""),
    ];
    for (path, code) in cases {
        fifo(&root.join(&path));
        let mut run = command();
        run.args(["eval", "--color=never", "--environment"]).arg(root);
        let (_, _, err) = match code {
            "" => ended(command().args(["compile", "--color=never", "--environment"]).arg(root)),
            code => ended(run.args(["-e", code])),
        };
        assert!(err.contains("a FIFO, not a regular file"), "{path}: {err}");
        fs::remove_file(root.join(&path)).expect("it can be removed");
    }
    let (status, _, err) = ended(command().args(["eval", "-e", "file('/dev/zero')"]));
    assert_eq!(status, Some(1));
    assert!(err.contains("/dev/zero: it is a device, not a regular file"), "{err}");
}

#[test]
fn what_the_user_names_may_be_a_pipe() {
    let shell = |script: &str| {
        let binary = bunraku::binary().expect("Bunraku builds");
        ended(Command::new("bash").args(["-c", script, "bash"]).arg(binary))
    };
    let (status, out, _) = shell("\"$1\" eval <(echo '1 + 1')");
    assert_eq!((status, out.as_str()), (Some(0), "2\n"));
    let (status, _, err) = shell("\"$1\" compile --color=never --manifest <(echo 'fail(x)')");
    assert_eq!(status, Some(1));
    assert!(err.contains("(file: /dev/fd/") && err.contains("line: 1, column: 1)"), "{err}");
    let (status, out, _) = shell("echo '{\"a\": 7}' | \"$1\" eval --facts /dev/stdin -e '$facts[a]'");
    assert_eq!((status, out.as_str()), (Some(0), "7\n"));
    // Batch reads files only: nobody has named them here.
    let (_, out, _) = shell("mkfifo $$.x; echo \"{\\\"manifest\\\": \\\"$$.x\\\"}\" | \"$1\" batch; rm $$.x");
    assert!(out.contains("it is a FIFO, not a regular file"), "{out}");
}

#[test]
fn only_files_are_replaced() {
    let work = tempfile::tempdir().expect("a folder can be made");
    let path = |name: &str| work.path().join(name);
    put(&path("m/a/manifests/init.pp"), "class a { }");
    let build = |to: &str| ended(command().args(["build", "-o"]).arg(path(to)).arg(path("m")));
    let compile = |to: &str| ended(command().args(["compile", "-e", "notice(1)", "-o"]).arg(path(to)));
    if device(&path("null"), "3") && device(&path("full"), "7") {
        assert_eq!(build("null").0, Some(0));
        assert_eq!(compile("null").0, Some(0));
        for run in [&build as &dyn Fn(&str) -> _, &compile] {
            let (status, _, err) = run("full");
            assert!(status == Some(1) && err.contains("No space left on device"), "{err}");
        }
        for name in ["null", "full"] {
            let kind = fs::symlink_metadata(path(name)).expect("it is there").file_type();
            assert!(kind.is_char_device(), "{name}");
        }
    } else {
        eprintln!("SKIPPED only_files_are_replaced: devices, since none can be made");
    }
    // Nobody waits for what has the name of a temporary file.
    fifo(&path(".x.bnr.1-0.tmp"));
    symlink("x.bnr", path("link.bnr")).expect("a link can be made");
    assert_eq!(build("x.bnr").0, Some(0));
    assert_eq!(build("link.bnr").0, Some(0));
    assert!(path("link.bnr").is_symlink() && path("x.bnr").is_file());
    put(&path("catalog"), "old");
    fs::set_permissions(path("catalog"), PermissionsExt::from_mode(0o640)).expect("it can be set");
    assert_eq!(compile("catalog").0, Some(0));
    let mode = fs::metadata(path("catalog")).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn a_full_disk_leaves_the_old_catalog() {
    let work = tempfile::tempdir().expect("a folder can be made");
    let disk = work.path().join("disk");
    fs::create_dir(&disk).expect("a folder can be made");
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "none"]).arg(&disk).output();
    if !mount.is_ok_and(|mount| mount.status.success()) {
        eprintln!("SKIPPED a_full_disk_leaves_the_old_catalog: no disk can be mounted");
        return;
    }
    let file = disk.join("catalog");
    put(&file, "old");
    let code = "Integer[1, 2000].each |$n| { notify { \"n${n}\": } }";
    let (status, _, err) = ended(command().args(["compile", "-e", code, "-o"]).arg(&file));
    let (kept, left) = (fs::read_to_string(&file), fs::read_dir(&disk).map(Iterator::count));
    let unmounted = Command::new("umount").arg(&disk).status();
    assert!(unmounted.is_ok_and(|status| status.success()));
    assert!(status == Some(1) && err.contains("No space left on device"), "{err}");
    assert_eq!((kept.expect("it can be read").as_str(), left.expect("it can be read")), ("old", 1));
}

#[test]
fn an_archive_is_no_more_readable_than_what_is_in_it() {
    let work = tempfile::tempdir().expect("a folder can be made");
    let path = |name: &str| work.path().join(name);
    put(&path("e/manifests/site.pp"), "");
    put(&path("e/data/secret.yaml"), "a: 1\n");
    put(&path("e/keys/private_key.pkcs7.pem"), "-----BEGIN RSA PRIVATE KEY-----\nTOPSECRET\n");
    let set = |name: &str, mode| {
        fs::set_permissions(path(name), PermissionsExt::from_mode(mode)).expect("it can be set");
    };
    let build = |more: &[&str]| {
        let mut run = command();
        run.args(["build", "--embed", "-o"]).arg(path("e.bnr")).arg(path("e")).args(more);
        let (status, _, err) = ended(&mut run);
        assert_eq!(status, Some(0), "{err}");
        let mode = fs::metadata(path("e.bnr")).expect("it is there").permissions().mode() & 0o777;
        (format!("{mode:o}"), err)
    };
    for name in ["e/manifests/site.pp", "e/data/secret.yaml"] {
        set(name, 0o644);
    }
    set("e/keys/private_key.pkcs7.pem", 0o600);
    let (mode, err) = build(&["--mode", "644"]);
    assert_eq!(mode, "644");
    assert!(err.contains("private_key.pkcs7.pem (the content of a private key is never put"), "{err}");
    let bytes = fs::read(path("e.bnr")).expect("it can be read");
    assert!(!bytes.windows(9).any(|some| some == b"TOPSECRET"));
    // A rebuild keeps the mode; what is secret is secret.
    assert_eq!(build(&[]).0, "644");
    set("e.bnr", 0o640);
    assert_eq!(build(&[]).0, "640");
    set("e/data/secret.yaml", 0o600);
    let (mode, err) = build(&[]);
    assert_eq!(mode, "600");
    assert!(err.contains("e/data/secret.yaml may"), "{err}");
}

#[test]
fn programs_come_to_an_end() {
    let work = tempfile::tempdir().expect("a folder can be made");
    let script = work.path().join("enc");
    put(&script, "#!/bin/sh\nwhile :; do echo 'classes: [a]'; done\n");
    fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).expect("it can be set");
    let path = script.to_str().expect("a path in UTF-8");
    let limits = ["--limit", "exec_output=100000", "--limit", "exec_timeout=0.5"];
    let enc = ["compile", "-e", "", "--node_terminus", "exec", "--external_nodes", path];
    let (status, _, err) = ended(command().args(enc).args(limits));
    assert_eq!(status, Some(1));
    assert!(err.contains("it printed more than 100000 bytes (setting exec_output)"), "{err}");
    let code = format!("generate('{path}')");
    let (_, _, err) = ended(command().args(["eval", "-e", &code]).args(limits));
    assert!(err.contains("it printed more than 100000 bytes (setting exec_output)"), "{err}");
    let (_, _, err) = ended(command().args(["eval", "-e", "generate('/bin/sleep', '600')"]).args(limits));
    assert!(err.contains("it ran for more than 0.5 seconds (setting exec_timeout)"), "{err}");
}

/// Gives a command its arguments.
type Arguments<'a> = &'a dyn Fn(&mut Command);

#[test]
fn a_reader_may_go() {
    let work = tempfile::tempdir().expect("a folder can be made");
    put(&work.path().join("m/a/manifests/init.pp"), "class a { }");
    let archive = work.path().join("x.bnr");
    let build = |run: &mut Command| _ = run.args(["build", "-o"]).arg(&archive).arg(work.path().join("m"));
    let bench = |run: &mut Command| _ = run.args(["bench", "--rounds", "1", "-e", "notice(1)"]);
    let compile = |run: &mut Command| _ = run.args(["compile", "-e", "notice(1)"]);
    let eval = |run: &mut Command| _ = run.args(["eval", "-e", "1"]);
    let check = |run: &mut Command| _ = run.args(["check", "--stats", "--format", "json"]).arg(work.path());
    let inspect = |run: &mut Command| _ = run.arg("inspect").arg(&archive);
    let all: [(&str, Arguments<'_>); 6] = [
        ("build", &build),
        ("bench", &bench),
        ("compile", &compile),
        ("eval", &eval),
        ("check", &check),
        ("inspect", &inspect),
    ];
    for (name, arguments) in all {
        let mut run = command();
        arguments(&mut run);
        // Both streams lead to pipes that nobody reads.
        let (_, out) = std::io::pipe().expect("a pipe can be made");
        let (_, err) = std::io::pipe().expect("a pipe can be made");
        let status = run.stdout(out).stderr(err).status().expect("it starts");
        assert_eq!(status.code(), Some(0), "{name}");
    }
}

#[test]
fn broken_data_is_said() {
    let work = tempfile::tempdir().expect("a folder can be made");
    put(&work.path().join("hiera.yaml"), "version: 5\nhierarchy: [{name: a, path: common.yaml}]\n");
    put(&work.path().join("data/common.yaml"), "a: [1\nb: }\n");
    let (status, out, err) = ended(command().args(["lookup", "a", "--environment"]).arg(work.path()));
    assert_eq!((status, out.as_str()), (Some(1), ""));
    assert!(err.starts_with("Error: Unable to parse (") && err.contains("data/common.yaml"), "{err}");
    let (_, _, err) = ended(command().args(["eval", "--format", "json", "-e", "$osfamily"]));
    assert!(err.contains("--facts FILE"), "{err}");
}

#[test]
fn data_that_no_hierarchy_names_is_a_note() {
    let work = tempfile::tempdir().expect("a folder can be made");
    let path = |name: &str| work.path().join(name);
    put(&path("e/hiera.yaml"), "version: 5\nhierarchy: [{name: a, path: 'nodes/%{x}.yaml'}]\n");
    put(&path("e/manifests/site.pp"), "");
    for name in ["e/other/a.yaml", "e/other/b.yaml"] {
        put(&path(name), "[broken");
    }
    let build = || ended(command().args(["build", "-o"]).arg(path("e.bnr")).arg(path("e")));
    let (status, out, err) = build();
    assert_eq!(status, Some(0));
    assert!(out.contains("; 0 with errors"), "{out}");
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.contains("e/other/a.yaml and 1 more can't be parsed as data"), "{err}");
    put(&path("e/data/nodes/a.yaml"), "[broken");
    let (_, out, err) = build();
    assert!(out.contains("; 1 with errors") && err.contains("Error: Unable to parse ("), "{out}{err}");
}

#[test]
fn a_fifo_is_no_archive() {
    let work = tempfile::tempdir().expect("a folder can be made");
    let archive = work.path().join("a.bnr");
    fifo(&archive);
    let arguments: [&[&str]; 2] = [&["inspect"], &["compile", "--color=never", "--frozen", "--archive"]];
    for arguments in arguments {
        let (status, _, err) = ended(command().args(arguments).arg(&archive));
        assert_ne!(status, Some(0), "{arguments:?}");
        let name = archive.display().to_string();
        assert!(err.contains(&name) && err.contains("not a regular file"), "{arguments:?}: {err}");
    }
}
