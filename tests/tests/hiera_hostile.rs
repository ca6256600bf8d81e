//! Data that means harm: the error names the file, or the key where it is the keys' fault, and
//! comes in time.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// No look-up may take longer, on whatever machine.
const PATIENCE: Duration = Duration::from_secs(60);

const PLAIN: &str = "version: 5\nhierarchy:\n  - {name: a, path: common.yaml}\n";

/// What a look-up of `a` prints as its error in an environment of these files.
fn error(files: &[(&str, &[u8])], prepare: impl FnOnce(&Path)) -> String {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("it has a folder")).expect("a folder can be made");
        fs::write(path, content).expect("a file can be written");
    }
    prepare(folder.path());
    let (status, text) = run(folder.path());
    assert_eq!(status, Some(1), "{text}");
    assert!(!text.contains("panicked") && !text.contains("Internal error"), "{text}");
    text
}

fn run(environment: &Path) -> (Option<i32>, String) {
    let mut child = Command::new(bunraku_tests::bunraku::binary().expect("Bunraku builds"))
        .args(["eval", "--color=never", "-e", "lookup('a')", "--environment"])
        .arg(environment)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let (mut out, mut err) = (child.stdout.take().expect("a pipe"), child.stderr.take().expect("a pipe"));
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = out.read_to_string(&mut text);
        text
    });
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            break status;
        }
        if started.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("no answer after {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut text = reader.join().expect("the reader ends");
    let _ = err.read_to_string(&mut text);
    (status.code(), text)
}

fn data(name: &str, content: &[u8]) -> String {
    let function = if name.ends_with("json") {
        "json_data"
    } else if name.ends_with("conf") {
        "hocon_data"
    } else {
        "yaml_data"
    };
    let config = format!("version: 5\nhierarchy:\n  - {{name: a, data_hash: {function}, path: {name}}}\n");
    let text = error(&[("hiera.yaml", config.as_bytes()), (&format!("data/{name}"), content)], |_| ());
    assert!(text.contains(&format!("data/{name}")), "it does not name the file: {text}");
    text
}

#[test]
fn aliases_that_multiply() {
    let mut yaml = "x0: &x0 [l, l, l, l, l, l, l, l, l]\n".to_owned();
    for n in 1..20 {
        let alias = format!("*x{}", n - 1);
        yaml += &format!("x{n}: &x{n} [{}]\n", [alias.as_str(); 9].join(", "));
    }
    assert!(data("common.yaml", yaml.as_bytes()).contains("aliases stand for more than"));
    let mut merged = "m0: &m0 {a: 1}\n".to_owned();
    for n in 1..64 {
        merged += &format!("m{n}: &m{n} {{l: *m{0}, r: *m{0}}}\n", n - 1);
    }
    assert!(data("merged.yaml", merged.as_bytes()).contains("aliases stand for more than"));
}

#[test]
fn texts_that_multiply() {
    let text = "x".repeat(1 << 20);
    let yaml = format!("a: &a '{text}'\nb: [{}]\n", ["*a"; 2_000].join(", "));
    let said = data("common.yaml", yaml.as_bytes());
    assert!(said.contains("aliases stand for more than 67108864 bytes at line 2 column"), "{said}");
    // What is named lies within what is named, two hundred times.
    let anchors: String = (0..200).map(|n| format!("&a{n} [")).collect();
    let items = vec!["1"; 200_000].join(",");
    let within = format!("a: {anchors}{items}{}\n", "]".repeat(200));
    assert!(
        data("within.yaml", within.as_bytes()).contains("aliases stand for more than 1000000 nodes at line")
    );
    let texts = format!("a: {anchors}'{text}'{}\n", "]".repeat(200));
    assert!(data("texts.yaml", texts.as_bytes()).contains("aliases stand for more than 67108864 bytes"));
}

#[test]
fn an_alias_inside_of_what_it_names() {
    data("common.yaml", b"a: &a [1, *a]\n");
}

#[test]
fn substitutions_that_multiply() {
    let mut hocon = "x0 = [l, l, l, l, l, l, l, l, l]\n".to_owned();
    for n in 1..9 {
        let name = format!("${{x{}}}", n - 1);
        hocon += &format!("x{n} = [{}]\n", [name.as_str(); 9].join(", "));
    }
    assert!(data("common.conf", hocon.as_bytes()).contains("substitutions stand for more than"));
    let mut doubled = "a = [1]\n".to_owned();
    doubled += &"a = ${a} ${a}\n".repeat(64);
    assert!(data("doubled.conf", doubled.as_bytes()).contains("substitutions stand for more than"));
    let mut nested = "top {\n x0 = [l, l, l, l, l, l, l, l, l]\n".to_owned();
    for n in 1..12 {
        let name = format!("${{top.x{}}}", n - 1);
        nested += &format!(" x{n} = [{}]\n", [name.as_str(); 9].join(", "));
    }
    nested += "}\n";
    assert!(data("nested.conf", nested.as_bytes()).contains("substitutions stand for more than"));
}

#[test]
fn objects_in_pieces() {
    let all = |line: fn(u32) -> String, count| (0..count).map(line).collect::<String>();
    let by_path = all(|n| format!("a.k{n} = {n}\n"), 20_000);
    let deeper = all(|n| format!("a.b.k{n}.c.d = {n}\n"), 3_000);
    let reopened = all(|n| format!("a {{ b {{ k{n} = {n} }} }}\n"), 20_000);
    for (name, text) in [("path.conf", by_path), ("deeper.conf", deeper), ("reopened.conf", reopened)] {
        assert!(data(name, text.as_bytes()).contains("piece by piece"));
    }
    // What stands in one place is no matter.
    let fields = all(|n| format!("k{n} = {n}\n"), 20_000);
    let text = data("fields.conf", format!("b {{\n{fields}}}\nc = ${{nosuch}}\n").as_bytes());
    assert!(text.contains("Could not resolve"), "{text}");
}

#[test]
fn nesting_without_end() {
    for deep in [1_000, 100_000] {
        data("common.yaml", format!("a: {}", "[".repeat(deep)).as_bytes());
        data("block.yaml", format!("a: {}", "- ".repeat(deep)).as_bytes());
        data("common.json", format!("{{\"a\": {}", "[".repeat(deep)).as_bytes());
        data("common.conf", format!("a = {}", "[".repeat(deep)).as_bytes());
        let path = data("path.conf", format!("{}a = 1", "a.".repeat(deep)).as_bytes());
        assert!(path.contains("collections nest more than 250 levels at line 1"), "{path}");
        data("paths.conf", format!("l = [{{{}a {{ b = 1 }} }}]", "a.".repeat(deep)).as_bytes());
        data("named.conf", format!("b = ${{?{}a}}", "a.".repeat(deep)).as_bytes());
        data("objects.conf", format!("a {}", "{ a ".repeat(deep)).as_bytes());
    }
}

#[test]
fn bytes_that_are_no_text() {
    for name in ["common.yaml", "common.json", "common.conf"] {
        assert!(data(name, b"a: \"\xff\xfe\"\n").contains("invalid byte sequence in UTF-8"));
    }
    let text = error(&[("hiera.yaml", b"version: 5\n# \xff\n")], |_| ());
    assert!(text.contains("hiera.yaml"), "{text}");
}

#[test]
fn syntax_errors_have_a_place() {
    for (name, content, place) in [
        ("common.yaml", "b: 1\na: [1, 2\nc: 3", "line 2 column 4"),
        ("common.json", "{\"b\": 1,\n \"a\": tru}", "line 2 column"),
        // As Ruby's gem says it.
        ("common.conf", "b = 1\na = [1,,2]", "String: 2:"),
    ] {
        let text = data(name, content.as_bytes());
        assert!(text.contains(place), "{text}");
    }
}

#[test]
fn files_that_are_none() {
    let plain: &[(&str, &[u8])] = &[("hiera.yaml", PLAIN.as_bytes())];
    let folder =
        error(plain, |root| fs::create_dir_all(root.join("data/common.yaml")).expect("it can be made"));
    assert!(folder.contains("data/common.yaml"), "{folder}");
    for (path, endless) in [("/dev/zero", true), ("/dev/full", true), ("/proc/self/mem", false)] {
        if Path::new(path).exists() {
            let config = format!("version: 5\nhierarchy:\n  - {{name: a, path: '{path}'}}\n");
            let text = error(&[("hiera.yaml", config.as_bytes())], |_| ());
            assert!(text.contains(path), "{text}");
            assert_eq!(text.contains("it is a device, not a regular file"), endless, "{text}");
        }
    }
}

#[cfg(unix)]
#[test]
fn pipes_and_dead_links() {
    let plain: &[(&str, &[u8])] = &[("hiera.yaml", PLAIN.as_bytes()), ("data/x", b"")];
    let pipe = error(plain, |root| {
        let made = Command::new("mkfifo").arg(root.join("data/common.yaml")).status();
        assert!(made.is_ok_and(|status| status.success()), "mkfifo makes a pipe");
    });
    assert!(pipe.contains("data/common.yaml: it is a FIFO, not a regular file"), "{pipe}");
    let link = error(plain, |root| {
        std::os::unix::fs::symlink("nowhere", root.join("data/common.yaml")).expect("a link can be made");
    });
    assert!(link.contains("did not find a value for the name 'a'"), "{link}");
    let circle = error(plain, |root| {
        std::os::unix::fs::symlink("common.yaml", root.join("data/common.yaml")).expect("a link can be made");
    });
    assert!(circle.contains("did not find a value for the name 'a'"), "{circle}");
}

#[cfg(unix)]
#[test]
fn files_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("hiera.yaml"), PLAIN).expect("a file can be written");
    fs::create_dir(folder.path().join("data")).expect("a folder can be made");
    let file = folder.path().join("data/common.yaml");
    fs::write(&file, "a: 1\n").expect("a file can be written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).expect("it can be locked");
    let (status, text) = run(folder.path());
    // Nothing is locked for root.
    match fs::read(&file) {
        Ok(_) => assert_eq!(status, Some(0), "{text}"),
        Err(_) => assert!(status == Some(1) && text.contains("data/common.yaml"), "{text}"),
    }
}

#[test]
fn files_that_come_and_go() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("hiera.yaml"), PLAIN).expect("a file can be written");
    fs::create_dir(folder.path().join("data")).expect("a folder can be made");
    let file = folder.path().join("data/common.yaml");
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let _ = fs::write(&file, "a: a value\n");
                let _ = fs::remove_file(&file);
            }
        });
        let answers: Vec<_> = (0..50).map(|_| run(folder.path())).collect();
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        for (status, text) in answers {
            let fits = match status {
                Some(0) => text.contains("a value"),
                // An empty file is no hash, and a file that has gone is said to have gone.
                Some(1) => text.contains("did not find a value") || text.contains("data/common.yaml"),
                _ => false,
            };
            assert!(fits, "{status:?}: {text}");
        }
    });
}

#[test]
fn texts_that_name_each_other() {
    let with = |yaml: &str| {
        error(&[("hiera.yaml", PLAIN.as_bytes()), ("data/common.yaml", yaml.as_bytes())], |_| ())
    };
    assert!(with("a: \"%{lookup('a')}\"\n").contains("Recursive lookup detected in [a]"));
    let circle = with("a: \"%{lookup('b')}\"\nb: \"%{alias('c')}\"\nc: \"%{hiera('a')}\"\n");
    assert!(circle.contains("Recursive lookup detected in [a, b, c]"), "{circle}");
    let mut doubled = String::new();
    for n in 0..64 {
        let name = if n == 0 { "a".to_owned() } else { format!("a{n}") };
        doubled += &format!("{name}: \"%{{lookup('a{0}')}}%{{lookup('a{0}')}}\"\n", n + 1);
    }
    doubled += "a64: x\n";
    assert!(with(&doubled).contains("leads to more than"));
    let mut chain = "a: \"%{lookup('b0')}\"\n".to_owned();
    for n in 0..5_000 {
        chain += &format!("b{n}: \"%{{lookup('b{}')}}\"\n", n + 1);
    }
    assert!(with(&chain).contains("nests more than"));
}

#[test]
fn configurations_of_wrong_types() {
    for config in [
        "version: 5\nhierarchy: {a: 1}\n",
        "version: 5\nhierarchy: [1]\n",
        "version: 5\nhierarchy:\n  - {name: a, path: [1]}\n",
        "version: 5\ndefaults: x\n",
        "version: 5\nhierarchy:\n  - {name: a, globs: x}\n",
        "version: 5\nhierarchy:\n  - {name: a, mapped_paths: [a, b]}\n",
        "version: 99999999999999999999\n",
        "version: [5]\n",
        "version: 5\nhierarchy:\n  - {name: a, options: {path: x}}\n",
        "!ruby/object:Object {}\n",
    ] {
        let text = error(&[("hiera.yaml", config.as_bytes())], |_| ());
        assert!(text.contains("hiera.yaml"), "{config}: {text}");
    }
}

#[test]
fn globs_that_multiply() {
    let config = |glob: &str| format!("version: 5\nhierarchy:\n  - {{name: a, glob: '{glob}'}}\n");
    let braces = config(&"{a,b}".repeat(40));
    let text = error(&[("hiera.yaml", braces.as_bytes())], |_| ());
    assert!(text.contains("alternatives"), "{text}");
    let stars = config(&format!("{}b", "*a".repeat(60)));
    let name = format!("data/{}", "a".repeat(200));
    let text = error(&[("hiera.yaml", stars.as_bytes()), (name.as_str(), b"a: 1")], |_| ());
    assert!(text.contains("did not find a value"), "{text}");
    let folders = config(&format!("{}x", "**/".repeat(60)));
    let deep = format!("data/{}file", "f/".repeat(60));
    let text = error(&[("hiera.yaml", folders.as_bytes()), (deep.as_str(), b"a: 1")], |_| ());
    assert!(text.contains("did not find a value"), "{text}");
}
