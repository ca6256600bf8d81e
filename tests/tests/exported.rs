//! Exported resources where many nodes are compiled: `diff` and `fleet compile` with what the store has, the same for both sides,
//! and with what the nodes of the run export themselves.

use bunraku_tests::bunraku;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Output};
use tempfile::TempDir;

const BEFORE: &str = "
    define watched(String $how) { notify { \"${title} by ${how}\": } }
    node 'web.example.com' { @@watched { 'web': how => 'ping', tag => 'all' } }
    node 'mon.example.com' {
        Watched <<| tag == 'all' |>>
        @@notify { 'mon is here': message => Sensitive('s3cret'), tag => 'all', loglevel => 'info' }
    }
    node default { notify { 'nothing to do with it': } }
";

/// A PuppetDB that answers each query with itself, so many times; where it listens, and what it was asked.
fn echoing(times: usize) -> (String, std::thread::JoinHandle<Vec<Value>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket can be had");
    let url = format!("http://{}", listener.local_addr().expect("it has an address"));
    let answers = std::thread::spawn(move || {
        let mut asked = Vec::new();
        for _ in 0..times {
            let (stream, _) = listener.accept().expect("somebody asks");
            let (mut reader, mut length, mut line) = (BufReader::new(&stream), 0, String::new());
            while reader.read_line(&mut line).is_ok() && line != "\r\n" {
                if let Some(("content-length", value)) = line.to_lowercase().split_once(": ") {
                    length = value.trim().parse().expect("a number");
                }
                line.clear();
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).expect("the body comes");
            let query = serde_json::from_slice::<Value>(&body).expect("it is JSON")["query"].clone();
            let answer = json!([{"certname": "db", "query": query}]).to_string();
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", answer.len());
            (&stream).write_all((head + &answer).as_bytes()).expect("it is answered");
            asked.push(query);
        }
        asked
    });
    (url, answers)
}

/// `puppetdb_query`, from manifests and from Ruby; without a PuppetDB nobody knows the function, as without PuppetDB's termini.
#[test]
fn code_asks_puppetdb() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let function = "Puppet::Functions.create_function(:'m::ask') do
  dispatch(:ask) { param 'String', :what }
  def ask(what)
    call_function('puppetdb_query', what).map { |row| row['certname'] }
  end
end
";
    let site = "notice(puppetdb_query('nodes[certname] { }'))
notice(puppetdb_query(['from', 'nodes', ['=', 'certname', 'a']])[0]['certname'])
notice(m::ask('facts { }'))
";
    for (name, text) in [
        ("manifests/site.pp", site),
        ("modules/m/lib/puppet/functions/m/ask.rb", function),
        ("facts.json", "{}"),
    ] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
    let compile = |more: &[&str]| {
        let mut process = Command::new(bunraku::binary().expect("Bunraku builds"));
        process.args(["compile", "--no-config", "--environment", ".", "--environment_name", "production"]);
        let output =
            process.args(["--facts", "facts.json", "n"]).args(more).current_dir(folder.path()).output();
        String::from_utf8_lossy(&output.expect("Bunraku starts").stderr).into_owned()
    };
    let (url, answers) = echoing(3);
    assert_eq!(
        compile(&["--storeconfigs", &url]),
        "Notice: [{certname => db, query => nodes[certname] { }}]\nNotice: db\nNotice: [db]\n"
    );
    let asked = answers.join().expect("it ends");
    assert_eq!(
        asked,
        [json!("nodes[certname] { }"), json!(["from", "nodes", ["=", "certname", "a"]]), json!("facts { }")]
    );
    let nobody = compile(&["--storeconfigs", "http://127.0.0.1:1"]);
    let placed =
        "Error while evaluating a Function Call, Could not ask PuppetDB at http://127.0.0.1:1/pdb/query/v4: ";
    assert!(nobody.contains(placed) && nobody.contains("site.pp, line: 1, column: 8)"), "{nobody}");
    let unknown = compile(&[]);
    assert!(unknown.contains("Unknown function: 'puppetdb_query'."), "{unknown}");
}

/// Two trees, the facts of three nodes, and a folder for whatever is kept.
struct Site(TempDir);

impl Site {
    /// What comes after is what comes before, and `more` for the node of no name.
    fn new(more: &str) -> Site {
        let site = Site(tempfile::tempdir().expect("a folder can be made"));
        for (tree, more) in [("before", ""), ("after", more)] {
            let text = BEFORE.replace("default {", &format!("default {{ {more}"));
            fs::create_dir_all(site.path(tree).join("manifests")).expect("a folder can be made");
            fs::write(site.path(tree).join("manifests/site.pp"), text).expect("a file can be written");
        }
        fs::create_dir(site.path("facts")).expect("a folder can be made");
        for node in ["web", "mon", "plain"] {
            let file = site.path("facts").join(format!("{node}.example.com.json"));
            fs::write(file, "{\"os\": {\"family\": \"Debian\"}}").expect("a file can be written");
        }
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, command: &[&str], more: &[&str]) -> Output {
        let mut process = Command::new(bunraku::binary().expect("Bunraku builds"));
        process.args(command).arg("--no-config").args(more).current_dir(self.0.path());
        process.output().expect("Bunraku starts")
    }

    /// What changes: for each node that does, the resources.
    fn diff(&self, more: &[&str]) -> BTreeMap<String, Vec<String>> {
        let own =
            ["diff", "--from=before", "--to=after", "--factpath=facts", "--cache=cache", "--format=jsonl"];
        let output = self.run(&own, more);
        let (text, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(matches!(output.status.code(), Some(0 | 2)), "{errors}");
        assert!(!text.contains("s3cret"), "{text}");
        let mut changed = BTreeMap::new();
        for line in text.lines() {
            let node: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            let differences = node["diff"].as_array().cloned().unwrap_or_default();
            if !differences.is_empty() {
                let one = |one: &Value| {
                    let text = |name: &str| one[name].as_str().unwrap_or_default().to_owned();
                    format!("{} {}[{}]", text("diff_type"), text("type"), text("title"))
                };
                let name = node["node"].as_str().unwrap_or_default().to_owned();
                changed.insert(name, differences.iter().map(one).collect());
            }
        }
        changed
    }

    /// Has a folder take in the catalogs of the first tree, as a server's PuppetDB would, and that of a node that has no facts.
    fn stored(&self) {
        let store = |more: &[&str]| {
            let output = self.run(&["compile", "--storeconfigs=store", "-o", "catalog"], more);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        };
        for node in ["web.example.com", "mon.example.com"] {
            store(&["--environment=before", "--environment_name=production", node]);
        }
        let gone = "define watched(String $how) {} @@watched { 'gone': how => 'rarely', tag => 'all' }";
        store(&["-e", gone, "gone.example.com"]);
    }

    /// The titles of `Notify`s in the saved catalog of a node.
    fn saved(&self, folder: &str, node: &str) -> Vec<String> {
        let index = fs::read_to_string(self.path(folder).join("index.jsonl")).expect("there is an index");
        let lines = index.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let entry = lines.into_iter().find(|line| line["node"] == node).expect("it is in the index");
        let sha = entry["sha256"].as_str().expect("it has a catalog").to_owned();
        let path = self.path(folder).join("catalogs").join(&sha[..2]).join(format!("{sha}.json.zst"));
        let bytes = fs::read(path).expect("it is kept");
        notifies(&zstd::decode_all(&bytes[..]).expect("it is whole"))
    }
}

fn notifies(catalog: &[u8]) -> Vec<String> {
    let catalog: Value = serde_json::from_slice(catalog).expect("a catalog");
    let all = catalog["resources"].as_array().cloned().unwrap_or_default().into_iter();
    let mut titles: Vec<String> = all
        .filter(|resource| resource["type"] == "Notify")
        .map(|resource| resource["title"].as_str().unwrap_or_default().to_owned())
        .collect();
    titles.sort();
    titles
}

/// A node exports that did not before.
const MORE: &str = "@@watched { 'plain': how => 'http', tag => 'all' }";

#[test]
fn a_store_says_the_same_to_both_sides() {
    let site = Site::new(MORE);
    // Without a store collectors find nothing, on either side.
    assert_eq!(site.diff(&[]), BTreeMap::new());
    site.stored();
    for how in [&["--storeconfigs=store"][..], &["--storeconfigs=store", "--exported=frozen"]] {
        assert_eq!(site.diff(how), BTreeMap::new());
    }
    // What it has is there: a change of what is made of it shows.
    let text = fs::read_to_string(site.path("after/manifests/site.pp")).expect("it can be read");
    let text = text.replace(" by ${how}", " with ${how}");
    fs::write(site.path("after/manifests/site.pp"), text).expect("it can be written");
    let changed = site.diff(&["--storeconfigs=store"]);
    let wanted = [
        "+ Notify[gone with rarely]",
        "+ Notify[web with ping]",
        "- Notify[gone by rarely]",
        "- Notify[web by ping]",
    ];
    let mut found = changed["mon.example.com"].clone();
    found.sort();
    assert_eq!((changed.len(), found), (1, wanted.map(str::to_owned).to_vec()));
    // Nothing was stored: a diff is a trial.
    let names =
        fs::read_dir(site.path("store")).expect("it is there").flatten().map(|entry| entry.file_name());
    assert_eq!(names.count(), 3);
}

#[test]
fn in_two_passes_a_new_export_is_seen_by_who_collects_it() {
    let site = Site::new(MORE);
    let wanted = vec!["+ Notify[plain by http]".to_owned(), "+ Watched[plain]".to_owned()];
    let changed = |more: &[&str]| {
        let mut changed = site.diff(&[&["--exported=two-pass"], more].concat());
        changed.values_mut().for_each(|all| all.sort());
        changed
    };
    let only_mon = |all: &[String]| BTreeMap::from([("mon.example.com".to_owned(), all.to_vec())]);
    for threads in ["--threads=1", "--threads=3"] {
        assert_eq!(changed(&[threads]), only_mon(&wanted));
    }
    // Whom the files touch is not all whom the change touches.
    assert_eq!(changed(&["--all"]), only_mon(&wanted));
    site.stored();
    assert_eq!(changed(&["--storeconfigs=store"]), only_mon(&wanted));
    // Nodes that are not compiled are as the store has them.
    assert_eq!(changed(&["--storeconfigs=store", "--names=mon.example.com"]), BTreeMap::new());
}

#[test]
fn who_exports_no_more_or_fails_is_seen_too() {
    let site = Site::new("");
    let after =
        |text: String| fs::write(site.path("after/manifests/site.pp"), text).expect("it can be written");
    after(BEFORE.replace("@@watched { 'web'", "@watched { 'web'"));
    let gone = ["- Notify[web by ping]".to_owned(), "- Watched[web]".to_owned()];
    let mut changed = site.diff(&["--exported=two-pass"]);
    changed.values_mut().for_each(|all| all.sort());
    assert_eq!(changed, BTreeMap::from([("mon.example.com".to_owned(), gone.to_vec())]));
    // A node that fails exports what it has before: the store has it.
    after(BEFORE.replace("@@watched { 'web'", "fail('no') @@watched { 'web'"));
    site.stored();
    let own = ["diff", "--from=before", "--to=after", "--factpath=facts", "--format=jsonl", "--cache=cache"];
    let output = site.run(&own, &["--exported=two-pass", "--storeconfigs=store"]);
    assert_eq!(output.status.code(), Some(1), "web fails");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mon = text.lines().find(|line| line.contains("mon.example.com")).expect("it is told");
    assert!(mon.contains("\"state\":\"same\""), "{mon}");
}

#[test]
fn a_fleet_collects_what_it_exports() {
    let site = Site::new(MORE);
    let fleet = |folder: &str, more: &[&str]| {
        let save = format!("--save={folder}");
        let own = ["fleet", "compile", "after", "--factpath=facts", "--cache=cache", &save];
        let output = site.run(&own, more);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    fleet("alone", &[]);
    assert_eq!(site.saved("alone", "mon.example.com"), Vec::<String>::new());
    fleet("met", &["--exported=two-pass", "--threads=2"]);
    let met = site.saved("met", "mon.example.com");
    assert_eq!(met, ["plain by http", "web by ping"]);
    // As if all had been compiled by a server, one after the other, and then again.
    for node in ["mon", "plain", "web", "mon"].map(|node| format!("{node}.example.com")) {
        let facts = format!("facts/{node}.json");
        let own =
            ["compile", "--environment=after", "--storeconfigs=other", "-o", "catalog", "--facts", &facts];
        assert!(site.run(&own, &[&node]).status.success());
    }
    let text = fs::read_to_string(site.path("after/manifests/site.pp")).expect("it can be read");
    assert!(text.contains("Sensitive"), "what is Sensitive is exported, too, and nobody collects it");
    let facts = "facts/mon.example.com.json";
    let own = ["compile", "--environment=after", "--storeconfigs=other", "--facts", facts, "mon.example.com"];
    assert_eq!(notifies(&site.run(&own, &[]).stdout), met);
    let output = site
        .run(&["fleet", "compile", "after", "--factpath=facts", "--cache=cache"], &["--exported=two-pass"]);
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("3 nodes: 3 compiled, 0 failed"));
    // What there is none of can't be asked.
    for command in [&["fleet", "compile", "after"][..], &["diff", "--from=before", "--to=after"]] {
        let output = site.run(command, &["--factpath=facts", "--cache=cache", "--exported=frozen"]);
        assert!(String::from_utf8_lossy(&output.stderr).contains("--exported frozen needs a store"));
        assert!(!output.status.success());
    }
}
