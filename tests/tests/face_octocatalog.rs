//! octocatalog-diff 2.1.0, unchanged, with real Puppet and with Bunraku in its place (`--puppet-binary`): it says the same. How much
//! time of the processor either takes is printed.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bunraku_tests::used::timed;
use bunraku_tests::{bunraku, oracle, paths};
use regex_lite::Regex;
use tempfile::TempDir;

const PUPPET: &str = "/usr/bin/puppet";

fn is_here() -> bool {
    let tool = Command::new("octocatalog-diff").arg("--version").output().is_ok();
    let is_here = oracle::installed() && tool && Path::new(PUPPET).exists();
    if !is_here {
        eprintln!("SKIPPED octocatalog-diff with either Puppet: it or Puppet 7.23.0 is not installed");
    }
    is_here
}

/// Two trees, the facts of a node, a classifier, and the links by which Bunraku is Puppet.
struct Trees(TempDir);

impl Trees {
    fn new() -> Trees {
        let trees = Trees(tempfile::tempdir().expect("a folder"));
        for tree in ["before", "after"] {
            let folder = trees.path(tree);
            paths::copy(&paths::root().join("fixtures/diff").join(tree), &folder);
            let site = folder.join("manifests/site.pp");
            let all = fs::read_to_string(&site).expect("it is there");
            let node = format!(
                "node 'h.example.com' {{\n  notify {{ lookup('greeting'): }}\n  notify {{ \"fact ${{facts['os']['family']}} ${{role}}\": message => Binary('aGVsbG8=') }}\n\
                 Notify <<| tag == 'x' |>> @@notify {{ 'own {tree}': }}\n}}\nnode 'fails.example.com' {{ include nosuch }}\n"
            );
            fs::write(&site, all + &node).expect("a file");
            trees.write(&format!("{tree}/data/c.yaml"), &format!("greeting: hello from {tree}\n"));
            trees.write(
                &format!("{tree}/hiera5.yaml"),
                "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n  - {name: c, path: c.yaml}\n",
            );
        }
        for node in ["web01", "broken"] {
            let facts = fs::read_to_string(
                paths::root().join(format!("fixtures/diff/facts/{node}.example.com.json")),
            );
            let facts = facts.expect("facts").trim_end().to_owned();
            trees.write(
                &format!("{node}.yaml"),
                &format!("--- !ruby/object:Puppet::Node::Facts\nname: {node}.example.com\nvalues: {facts}\n"),
            );
        }
        trees.write("h.yaml", "--- !ruby/object:Puppet::Node::Facts\nname: h.example.com\nvalues:\n  os: {family: Debian}\n  clientcert: h.example.com\n");
        trees.write("enc.sh", "#!/bin/sh\necho \"---\nclasses: {}\nparameters: {role: 'role of $1'}\"\n");
        fs::set_permissions(trees.path("enc.sh"), fs::Permissions::from_mode(0o755)).expect("it is there");
        bunraku::face(&trees.path("bin"));
        trees
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// Runs the tool with one of the Puppets; `@` in its options is the folder. What it printed, and the time of the processor.
    fn run(&self, puppet: &Path, options: &str) -> (Output, Duration) {
        let mut command = Command::new("octocatalog-diff");
        command.arg("--puppet-binary").arg(puppet);
        command.arg("--bootstrapped-from-dir").arg(self.path("before"));
        command.arg("--bootstrapped-to-dir").arg(self.path("after")).arg("--no-color");
        let folder = self.0.path().display().to_string();
        command.args(options.split_whitespace().map(|word| word.replace('@', &folder)));
        timed(command.current_dir(self.0.path()))
    }
}

/// What is printed, without what is another in each run.
fn plain(output: &Output) -> String {
    let all =
        format!("status {:?}\n{}\n{}", output.status.code(), text(&output.stdout), text(&output.stderr));
    let mut plain = all;
    for (of, with) in [
        (r"\[[0-9T:.-]+ #\d+\]", "[TIME]"),
        (r"/tmp/ocd-[^/ ]*/ocd-builddir-[^/ ]*|/tmp/ocd-builddir-[^/ ]*", "/BUILT"),
        (r#""catalog_uuid": ?"[^"]*""#, "UUID"),
        (r#""version": ?\d{10}"#, "VERSION"),
        (r"in \d+\.\d+ seconds", "in N seconds"),
        (r"Sensitive \[md5sum [0-9a-f]+\]", "Sensitive"),
        // What Ruby says of its own threads when they are ended.
        (r"#<Thread:.*\n(.*open3.*\n)+", ""),
        (r"from (/usr\S+):\d+:in .*", ""),
        // Of two catalogs that fail, either may be told first.
        (r"for (origin/master|\.) validation", "for one validation"),
    ] {
        plain = Regex::new(of).expect("it is an expression").replace_all(&plain, with).into_owned();
    }
    plain
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

#[test]
fn octocatalog_diff_says_the_same_with_bunraku() {
    if !is_here() {
        return;
    }
    let trees = Trees::new();
    let (mut own_time, mut other_time, mut cases) = (Duration::ZERO, Duration::ZERO, 0);
    for (options, has) in [
        ("-n web01.example.com --fact-file @/web01.yaml", "web.logo"),
        ("-n web01.example.com --fact-file @/web01.yaml --output-format json --quiet", "web.logo"),
        ("-n web01.example.com --fact-file @/web01.yaml --catalog-only", "\"resources\""),
        (
            "-n web01.example.com --fact-file @/web01.yaml --to-fact-override os.family=RedHat --display-detail-add",
            "web.logo",
        ),
        (
            "-n h.example.com --fact-file @/h.yaml --from-enc @/enc.sh --to-enc @/enc.sh --hiera-config hiera5.yaml --hiera-path data",
            "hello from after",
        ),
        (
            "-n h.example.com --fact-file @/h.yaml --enc @/enc.sh --hiera-config hiera5.yaml --hiera-path data --from-fact-override os=(json){\"family\":\"X\"}",
            "fact X role of h.example.com",
        ),
        (
            "-n web01.example.com --fact-file @/web01.yaml --command-line=--strict=error --command-line --trace",
            "web.logo",
        ),
    ] {
        let (want, other) = trees.run(Path::new(PUPPET), options);
        let (got, own) = trees.run(&trees.path("bin/puppet"), options);
        (own_time, other_time) = (own_time + own, other_time + other);
        assert!(plain(&want).contains(has), "{options} has lost its point: {}", plain(&want));
        assert_eq!(plain(&got), plain(&want), "{options}");
        cases += 1;
    }
    let ratio = other_time.as_secs_f64() / own_time.as_secs_f64().max(1e-3);
    eprintln!(
        "{cases} runs of octocatalog-diff: with Puppet {other_time:?} of CPU, with Bunraku {own_time:?}: {ratio:.1} times"
    );
}

#[test]
fn octocatalog_diff_tells_the_same_errors() {
    if !is_here() {
        return;
    }
    let trees = Trees::new();
    for options in [
        // One catalog at a time: of two that fail at once the tool ends the other.
        "-n fails.example.com --fact-file @/h.yaml --no-parallel",
        "-n h.example.com --fact-file @/h.yaml --no-parallel --hiera-config hiera5.yaml --hiera-path data --command-line=--nosuch",
        "-n h.example.com --fact-file @/h.yaml --no-parallel",
        "-n broken.example.com --fact-file @/broken.yaml --no-parallel --catalog-only",
    ] {
        let want = plain(&trees.run(Path::new(PUPPET), options).0);
        assert!(want.contains("status Some(1)") && want.contains("Catalog failed: "), "{options}: {want}");
        assert_eq!(plain(&trees.run(&trees.path("bin/puppet"), options).0), want, "{options}");
    }
}

/// A stand-in for PuppetDB that has facts of every node and one exported resource; what it was asked.
fn puppetdb() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("it has one"));
    let asked = Arc::new(Mutex::new(Vec::new()));
    let all = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream);
            let (mut first, mut line, mut length) = (String::new(), String::new(), 0);
            if reader.read_line(&mut first).is_err() {
                continue;
            }
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap_or(0);
                }
                line.clear();
            }
            let mut body = vec![0; length];
            let _ = reader.read_exact(&mut body);
            let answer = match &first {
                of if of.contains("/facts") => {
                    r#"[{"certname": "h.example.com", "name": "os", "value": {"family": "Stored"}, "environment": "production"}]"#
                }
                of if of.contains("/resources") => {
                    r#"[{"type": "Notify", "title": "exported", "certname": "b", "exported": true, "tags": ["x"], "file": "/f",
                        "line": 1, "parameters": {"message": "hi"}}]"#
                }
                _ => "[]",
            };
            all.lock().expect("nobody panics").push(first.trim().to_owned());
            let mut stream = reader.into_inner();
            let length = answer.len();
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{answer}"
            );
        }
    });
    (url, asked)
}

/// Real Puppet would need the terminus of PuppetDB, which Debian has in a package of its own, and TLS. By hand, with that terminus
/// 7.12.1, the catalog was the same.
#[test]
fn exported_resources_and_facts_come_from_puppetdb_and_nothing_goes_there() {
    if !is_here() {
        return;
    }
    let (trees, (url, asked)) = (Trees::new(), puppetdb());
    let (output, _) = trees.run(
        &trees.path("bin/puppet"),
        &format!(
            "-n h.example.com --fact-file @/h.yaml --enc @/enc.sh --hiera-config hiera5.yaml --hiera-path data --storeconfigs --puppetdb-url {url} --catalog-only"
        ),
    );
    let catalog = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        catalog.contains("\"exported\"") && catalog.contains("fact Stored role of h.example.com"),
        "{catalog}"
    );
    let asked = asked.lock().expect("nobody panics").clone();
    assert!(asked.iter().any(|line| line.contains("/pdb/query/v4/resources")), "{asked:?}");
    assert!(asked.iter().all(|line| line.starts_with("GET ")), "{asked:?}");
}
