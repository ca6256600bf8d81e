//! `bunraku facts` from outside: snapshots of a fleet's facts from each kind of place, looked into, anonymised; and files that
//! are no snapshots.

use bunraku_tests::puppetdb::PuppetDb;
use bunraku_tests::{bunraku, paths};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn run(args: &[&str]) -> Output {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command.args(args).current_dir(paths::root()).output().expect("Bunraku starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What is printed where all is well.
fn printed(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The error where it is not.
fn refused(args: &[&str]) -> (i32, String) {
    let output = run(args);
    assert_eq!(text(&output.stdout), "");
    (output.status.code().unwrap_or(-1), text(&output.stderr))
}

fn at(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

const FACTS: &str = "fixtures/control-repo/facts";

#[test]
fn what_is_hidden_is_no_node_and_a_link_to_nothing_is_told() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("a.example.com.json"), "{}").expect("a file can be written");
    fs::write(folder.path().join(".hidden.json"), "{}").expect("a file can be written");
    let (from, snapshot) = (at(&folder, ""), at(&folder, "out.facts"));
    let output = run(&["facts", "pull", "--from", &from, "-o", &snapshot]);
    assert!(text(&output.stderr).starts_with("1 node, "), "{}", text(&output.stderr));
    let link = folder.path().join("b.example.com.json");
    std::os::unix::fs::symlink("nowhere", &link).expect("a link can be made");
    let (status, said) = refused(&["facts", "pull", "--from", &from, "-o", &snapshot]);
    let wanted = format!("Could not read facts {}, a link: No such file", link.display());
    assert!(
        status == 1 && said.contains(&wanted) && said.contains("with --keep-going it is left out"),
        "{said}"
    );
    let (status, said) = refused(&["facts", "pull", "--from", &from, "-o", &snapshot, "--keep-going"]);
    assert!(status == 1 && said.contains(&wanted) && said.contains("1 node, "), "{said}");
}

#[test]
fn a_snapshot_stands_for_the_folder_it_is_of() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let snapshot = at(&folder, "fleet.facts");
    let output = run(&["facts", "pull", "--from", FACTS, "-o", &snapshot]);
    assert!(text(&output.stderr).starts_with("2 nodes, "), "{}", text(&output.stderr));
    assert_eq!(printed(&["facts", "show", &snapshot]), "db01.example.com\nweb01.example.com\n");
    let shown: Value =
        serde_json::from_str(&printed(&["facts", "show", &snapshot, "web01.example.com"])).expect("JSON");
    let own = fs::read_to_string(paths::root().join(FACTS).join("web01.example.com.json"))
        .expect("there are facts");
    assert_eq!(shown["facts"], serde_json::from_str::<Value>(&own).expect("JSON"));
    // A compile by the snapshot is one by the file.
    let compile = |facts: &str, place: &str| {
        let repo = ["compile", "--environment", "fixtures/control-repo", "--environment_name", "production"];
        let catalog = printed(&[&repo[..], &[facts, place, "web01.example.com"]].concat());
        let mut catalog: Value = serde_json::from_str(&catalog).expect("JSON");
        for own in ["version", "catalog_uuid"] {
            catalog[own] = Value::Null;
        }
        catalog
    };
    assert_eq!(compile("--facts", &snapshot), compile("--factpath", FACTS));
    // The same facts are the same file, and a snapshot of a snapshot, too.
    let again = at(&folder, "again.facts");
    run(&["facts", "pull", "--from", &snapshot, "-o", &again, "--threads", "3"]);
    assert_eq!(fs::read(&snapshot).expect("it is there"), fs::read(&again).expect("it is there"));
    let one = at(&folder, "one.facts");
    run(&["facts", "pull", "--from", &snapshot, "-o", &one, "--match", "web*"]);
    assert_eq!(printed(&["facts", "show", &one]), "web01.example.com\n");
}

#[test]
fn a_servers_cache_has_trusted_data_and_names_that_are_files() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let cache = folder.path().join("yaml/facts");
    fs::create_dir_all(&cache).expect("a folder can be made");
    let yaml = "--- !ruby/object:Puppet::Node::Facts\nname: a.example.com\nvalues:\n  os:\n    family: Debian\n  trusted:\n    \
                certname: a.example.com\n    extensions:\n      pp_role: web\ntimestamp: '2026-01-01T00:00:00Z'\n";
    fs::write(cache.join("a.example.com.yaml"), yaml).expect("a file can be written");
    let snapshot = at(&folder, "fleet.facts");
    run(&["facts", "pull", "--from", &at(&folder, "yaml"), "-o", &snapshot]);
    let shown: Value =
        serde_json::from_str(&printed(&["facts", "show", &snapshot, "a.example.com"])).expect("JSON");
    assert_eq!(
        shown,
        json!({"certname": "a.example.com", "timestamp": "2026-01-01T00:00:00Z", "environment": null,
            "facts": {"os": {"family": "Debian"}}, "trusted": {"certname": "a.example.com", "extensions": {"pp_role": "web"}}})
    );
    // Trusted data is the node's in a compile.
    let code = "notify { $trusted['extensions']['pp_role']: }";
    assert!(
        printed(&["compile", "--facts", &snapshot, "-e", code, "a.example.com"])
            .contains("\"title\":\"web\"")
    );

    // A file that can't be read ends the pull, and what was there stays; or it is left out, and that is said.
    fs::write(cache.join("b.example.com.yaml"), "{").expect("a file can be written");
    let before = fs::read(&snapshot).expect("it is there");
    let (status, error) = refused(&["facts", "pull", "--from", &at(&folder, "yaml"), "-o", &snapshot]);
    assert_eq!(status, 1);
    assert!(
        error.starts_with("Error: Could not parse facts /") && error.contains("b.example.com.yaml"),
        "{error}"
    );
    assert_eq!(fs::read(&snapshot).expect("it is there"), before);
    let pull = ["facts", "pull", "--keep-going", "--from", &at(&folder, "yaml"), "-o", &snapshot];
    let (status, error) = refused(&pull);
    assert_eq!(status, 1);
    assert!(error.starts_with("Warning: left out: Could not parse facts"), "{error}");
    assert_eq!(printed(&["facts", "show", &snapshot]), "a.example.com\n");
}

#[test]
fn what_is_no_snapshot_is_told() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let snapshot = at(&folder, "fleet.facts");
    run(&["facts", "pull", "--from", FACTS, "-o", &snapshot]);
    let whole = fs::read(&snapshot).expect("it is there");
    let shown = |bytes: &[u8]| {
        fs::write(&snapshot, bytes).expect("a file can be written");
        let (status, error) = refused(&["facts", "show", &snapshot, "web01.example.com"]);
        assert_eq!(status, 1);
        error.replace(&snapshot, "FILE")
    };
    assert_eq!(
        shown(&whole[..whole.len() / 2]),
        "Error: Could not use the facts of FILE: they are cut off: the index at the end is missing\n"
    );
    let mut other = whole.clone();
    other[whole.len() - 60] ^= 1;
    assert_eq!(
        shown(&other),
        "Error: Could not use the facts of FILE: they are damaged: the index has another checksum\n"
    );
    let mut other = whole.clone();
    other[200] ^= 1;
    assert!(shown(&other).starts_with("Error: Could not use the facts of FILE: they are damaged: "));
    assert!(shown(b"\x28\xb5\x2f\xfd garbage").starts_with("Error: Could not "));
    assert!(shown(b"").starts_with("Error: Could not "));
    let (status, error) = refused(&["facts", "pull", "--from", "/none/such", "-o", &snapshot]);
    assert_eq!(
        (status, error.as_str()),
        (1, "Error: Could not read facts /none/such: No such file or directory (os error 2)\n")
    );
    let (status, _) = refused(&["facts", "pull", "--from", FACTS, "-o", "/none/such/file"]);
    assert_eq!(status, 1);
    let (status, error) = refused(&["facts", "pull", "--from", FACTS, "-o", &snapshot, "--class", "x"]);
    assert_eq!(status, 2, "{error}");
}

#[test]
fn what_is_anonymised_can_be_shown_and_is_the_same_by_the_same_secret() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let [secret, one, two, other] =
        ["secret", "one.facts", "two.facts", "other.facts"].map(|name| at(&folder, name));
    fs::write(&secret, "of the test").expect("a file can be written");
    let anonymise = |from: &str, to: &str, more: &[&str]| {
        printed(&[&["facts", "anonymise", from, "-o", to][..], more].concat());
        let names = printed(&["facts", "show", to]);
        let nodes: Vec<String> = names.lines().map(|name| printed(&["facts", "show", to, name])).collect();
        (names, nodes)
    };
    let (names, nodes) = anonymise(FACTS, &one, &["--secret", &secret]);
    assert_eq!(names.lines().count(), 2);
    for text in nodes.iter().chain([&names]) {
        for word in ["web01", "db01", "example.com"] {
            assert!(!text.contains(word), "{word} is in {text}");
        }
    }
    // One node alone is called the same, and has the same addresses.
    let file = format!("{FACTS}/web01.example.com.json");
    let (name, node) = anonymise(&file, &two, &["--secret", &secret]);
    assert!(names.contains(&name) && nodes.contains(&node[0]));
    assert!(!names.contains(&anonymise(&file, &other, &[]).0));
    // Who compiles by them gets the operating system that there was.
    let facts: Value = serde_json::from_str(&node[0]).expect("JSON");
    let before: Value =
        serde_json::from_str(&fs::read_to_string(paths::root().join(&file)).expect("facts")).expect("JSON");
    assert_eq!(facts["facts"]["os"], before["os"]);
    fs::write(&secret, "\n").expect("a file can be written");
    let (status, error) = refused(&["facts", "anonymise", FACTS, "-o", &one, "--secret", &secret]);
    assert_eq!(status, 2, "{error}");
}

/// A PuppetDB that answers so many requests with the same.
fn answering(status: &'static str, body: &'static str, requests: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it has an address");
    std::thread::spawn(move || {
        for _ in 0..requests {
            let Ok((stream, _)) = listener.accept() else { return };
            let mut reader = BufReader::new(stream);
            let (mut line, mut length) = (String::new(), 0);
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap_or(0);
                }
                line.clear();
            }
            let _ = reader.read_exact(&mut vec![0; length]);
            let size = body.len();
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {size}\r\nConnection: close\r\n\r\n");
            let _ = reader.into_inner().write_all((head + body).as_bytes());
        }
    });
    format!("puppetdb:http://{address}")
}

#[test]
fn a_puppetdb_that_says_no_is_told_by_name() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let snapshot = at(&folder, "fleet.facts");
    for (status, body, says) in [
        ("403 Forbidden", "no", "403 no"),
        ("200 OK", "{}", "the answer is no list"),
        ("200 OK", "[", "200 with no JSON"),
        ("200 OK", "[{\"name\": 1}]", "What PuppetDB has found has no certname"),
        ("200 OK", "[]", "There are no nodes in puppetdb:http://"),
        ("302 Found\r\nLocation: http://x/", "", "redirects are not followed"),
    ] {
        let url = answering(status, body, 1);
        let (code, error) = refused(&["facts", "pull", "--from", &url, "-o", &snapshot]);
        assert_eq!(code, 1);
        assert!(error.contains(says), "{status} {body}: {error}");
    }
    assert!(!Path::new(&snapshot).exists());
}

#[test]
fn facts_of_a_real_puppetdb_are_pulled() {
    let db = match PuppetDb::start().expect("what is installed starts") {
        Ok(db) => db,
        Err(why) => {
            eprintln!("SKIPPED facts: 1 test, since {why}");
            return;
        }
    };
    for name in ["a.example.com", "b.example.com"] {
        let facts = json!({"certname": name, "environment": "test", "producer": "s", "producer_timestamp": "2026-01-01T00:00:00Z",
            "values": {"own": name, "trusted": {"certname": name, "extensions": {"pp_role": "web"}}}});
        let path = format!(
            "/pdb/cmd/v1?command=replace_facts&version=5&certname={name}&producer-timestamp=2026-01-01T00:00:00Z"
        );
        let (status, body) = db.request("POST", &path, &facts.to_string()).expect("PuppetDB answers");
        assert_eq!(status, 200, "{body}");
        let own = format!("/pdb/query/v4/nodes/{name}/facts");
        db.wait_for(&own, |body| body.contains("\"own\"")).expect("it takes facts in");
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let snapshot = at(&folder, "fleet.facts");
    let tls = format!("puppetdb:https://localhost:{}", db.tls_port);
    let [ca, cert, key] =
        ["ca.pem", "client.pem", "client.key"].map(|name| db.file(name).display().to_string());
    let certified = ["--localcacert", &ca, "--hostcert", &cert, "--hostprivkey", &key];
    printed(&[&["facts", "pull", "--from", &tls, "-o", &snapshot][..], &certified].concat());
    assert_eq!(printed(&["facts", "show", &snapshot]), "a.example.com\nb.example.com\n");
    let shown: Value =
        serde_json::from_str(&printed(&["facts", "show", &snapshot, "a.example.com"])).expect("JSON");
    assert_eq!(shown["facts"], json!({"own": "a.example.com"}));
    assert_eq!(shown["trusted"]["extensions"]["pp_role"], "web");
    assert_eq!(shown["environment"], "test");
    let query = ["--query", "inventory[certname] { facts.own = 'b.example.com' }"];
    printed(&[&["facts", "pull", "--from", &tls, "-o", &snapshot][..], &certified, &query].concat());
    assert_eq!(printed(&["facts", "show", &snapshot]), "b.example.com\n");
}
