//! Real agents, of Puppet 7.23 and 8.10, and the compile server: whole runs over TLS, with certificates of an authority that the
//! test makes; and the answers that Puppet Server gives (`spec/http/`).

use bunraku_tests::http::agent::{Agent, Run};
use bunraku_tests::http::bunraku_server::BunrakuServer;
use bunraku_tests::http::client::{Client, request};
use bunraku_tests::http::site::Site;
use bunraku_tests::http::{self, Shown};
use bunraku_tests::oracle::{self, Oracle};
use std::fs;
use std::path::Path;

/// An environment whose resources lie below the fact `target` only.
fn environment(site: &Site, name: &str, manifest: &str) {
    let folder = site.folder().join("code/environments").join(name);
    for (file, text) in [
        ("manifests/site.pp", manifest),
        ("modules/served/files/one.txt", "one\n"),
        ("modules/served/files/tree/a", "a\n"),
        ("modules/served/files/tree/deep/b", "b\n"),
        ("modules/served/lib/facter/from_plugin.rb", "Facter.add(:from_plugin) { setcode { 'synced' } }\n"),
        ("modules/served/facts.d/from_file.txt", "from_file=external\n"),
    ] {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().expect("it has one")).expect("folders can be made");
        fs::write(path, text).expect("files can be written");
    }
}

const MANIFEST: &str = "
file { \"${facts['target']}/one\": source => 'puppet:///modules/served/one.txt' }
file { \"${facts['target']}/tree\": source => 'puppet:///modules/served/tree', recurse => true }
file { \"${facts['target']}/said\": content => \"${trusted['certname']} ${facts['from_plugin']} ${facts['from_file']}\\n\" }
";

fn start(site: &Site, oracle: Oracle) -> BunrakuServer {
    BunrakuServer::start(site, &["--compat", &oracle.number.to_string()]).expect("the server starts")
}

fn ended(run: &Run, status: i32) {
    assert_eq!(run.status, Some(status), "{}", run.text);
}

#[test]
fn agents_run_and_run_again() {
    for oracle in oracle::seven_and_eight("agents at the server") {
        let site = Site::new().expect("a site can be made");
        environment(&site, "production", MANIFEST);
        let server = start(&site, oracle);
        let agent = Agent::new(oracle, &site, "web01").expect("an agent can be made");
        ended(&agent.run(server.port(), &[]).expect("it runs"), 2);
        let read = |name: &str| {
            fs::read_to_string(agent.target().join(name)).unwrap_or_else(|e| format!("{name}: {e}"))
        };
        assert_eq!(read("one"), "one\n");
        assert_eq!(read("tree/deep/b"), "b\n");
        assert_eq!(read("said"), "web01.example.com synced external\n");
        // Nothing to do; then a source that has changed.
        ended(&agent.run(server.port(), &[]).expect("it runs"), 0);
        let source = site.folder().join("code/environments/production/modules/served/files/one.txt");
        fs::write(source, "another\n").expect("files can be written");
        ended(&agent.run(server.port(), &[]).expect("it runs"), 2);
        assert_eq!(read("one"), "another\n");
    }
}

#[test]
fn agents_are_told_what_is_wrong_and_where_to_go() {
    for oracle in oracle::seven_and_eight("agents that fail or are moved") {
        let site = Site::new().expect("a site can be made");
        environment(&site, "production", "node 'fails.example.com' { fail('on purpose') }");
        environment(&site, "moved", "file { \"${facts['target']}/moved\": content => $environment }");
        let server = start(&site, oracle);
        let fails = Agent::new(oracle, &site, "fails").expect("an agent can be made");
        let run = fails.run(server.port(), &[]).expect("it runs");
        ended(&run, 1);
        let wanted = "Error 500 on SERVER: Server Error: Evaluation Error: Error while evaluating a Function Call, on purpose";
        assert!(run.text.contains(wanted), "{}", run.text);
        // The classifier moves this one to another environment.
        let moved = Agent::new(oracle, &site, "moved").expect("an agent can be made");
        ended(&moved.run(server.port(), &[]).expect("it runs"), 2);
        assert_eq!(fs::read_to_string(moved.target().join("moved")).expect("it is written"), "moved");
    }
}

#[test]
fn answers_are_puppet_servers() {
    let site = Site::new().expect("a site can be made");
    let rules = site.folder().join("auth.conf").display().to_string();
    let server =
        BunrakuServer::start(&site, &["--compat", "7", "--auth", &rules]).expect("the server starts");
    let client = Client::new(site.authority(), server.port());
    let wanted = http::answers().expect("the answers can be read");
    let requests = http::requests().expect("the requests can be read");
    assert_eq!(wanted.len(), requests.len(), "an answer a request: `http -- capture` writes them");
    let mut wrong = Vec::new();
    for (request, want) in requests.iter().zip(&wanted) {
        let got = http::ask(&site, &client, request).expect("there is an answer");
        match (&request.ours, got == *want) {
            (None, false) => {
                wrong.push(format!("{}\n wanted {}\n got    {}", request.name, line(want), line(&got)))
            }
            (Some(_), true) => wrong.push(format!("{}: it is the same; `ours` can go", request.name)),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), wanted.len(), wrong.join("\n"));
}

fn line(answer: &Shown) -> String {
    serde_json::to_string(answer).expect("an answer is JSON")
}

/// The site's own folder is never written to.
#[test]
fn the_code_is_only_read() {
    let site = Site::new().expect("a site can be made");
    let before = listing(&site.folder().join("code"));
    let server = BunrakuServer::start(&site, &["--compat", "7"]).expect("the server starts");
    let client = Client::new(site.authority(), server.port());
    for request in http::requests().expect("the requests can be read").iter().take(30) {
        http::ask(&site, &client, request).expect("there is an answer");
    }
    assert_eq!(before, listing(&site.folder().join("code")));
}

fn listing(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder can be read").flatten() {
        all.push(entry.path().display().to_string());
        if entry.path().is_dir() {
            all.extend(listing(&entry.path()));
        }
    }
    all.sort();
    all
}

/// The catalog of a node as JSON.
fn catalog(site: &Site, server: &BunrakuServer, node: &str) -> serde_json::Value {
    let client = Client::new(site.authority(), server.port());
    let path = format!("/puppet/v3/catalog/{node}.example.com?environment=production");
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: application/json\r\n\r\n"
    );
    let answer = client.send(Some(node), head.as_bytes()).expect("there is an answer");
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
    serde_json::from_slice(&answer.body).expect("a catalog is JSON")
}

fn titles(catalog: &serde_json::Value) -> Vec<String> {
    let all = catalog["resources"].as_array().expect("it has resources");
    let notified = all.iter().filter(|resource| resource["type"] == "Notify");
    notified.filter_map(|resource| resource["title"].as_str().map(str::to_owned)).collect()
}

/// Builds an archive of the environment `production` as it is, and deploys it.
fn deploy(site: &Site, version: &str, compat: u8) {
    let archive = site.build(version, compat).expect("it builds");
    site.deploy(&archive).expect("it is deployed");
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// With archives, catalogs are static: an agent gets the files of its catalog's version, also after the next deploy.
#[test]
fn static_catalogs_name_the_files_of_their_version() {
    for oracle in oracle::seven_and_eight("static catalogs of agents") {
        let site = Site::new().expect("a site can be made");
        let with_missing = format!(
            "{MANIFEST}file {{ \"${{facts['target']}}/none\": source => 'puppet:///modules/served/none' }}"
        );
        environment(&site, "production", &with_missing);
        deploy(&site, "one", oracle.number);
        let folder = site.archives().display().to_string();
        let arguments = ["--compat", &oracle.number.to_string(), "--archives", &folder];
        let server = BunrakuServer::start(&site, &arguments).expect("the server starts");
        let agent = Agent::new(oracle, &site, "web01").expect("an agent can be made");
        // One file has no source: that is this resource's failure, not the catalog's.
        ended(&agent.run(server.port(), &[]).expect("it runs"), 6);
        let missing = "Could not get metadata for puppet:///modules/served/none";
        assert!(server.says(missing), "{}", server.said());
        let kept = agent.folder().join("vardir/client_data/catalog/web01.example.com.json");
        let catalog: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(&kept).expect("it keeps its catalog")).expect("JSON");
        let one = agent.target().join("one").display().to_string();
        let uri = "puppet:///modules/served/files/one.txt";
        assert_eq!(catalog["metadata"][&one]["content_uri"], uri, "{}", server.said());
        let tree = &catalog["recursive_metadata"][agent.target().join("tree").display().to_string()];
        assert_eq!(tree["puppet:///modules/served/tree"].as_array().map(Vec::len), Some(4), "{tree}");
        // Another version is deployed; who goes on with the catalog of before gets what it names.
        let production = site.folder().join("code/environments/production");
        write(&production.join("modules/served/files/one.txt"), "two\n");
        write(&production.join("modules/served/files/tree/deep/b"), "of two\n");
        let contents = || {
            let read = |name: &str| fs::read_to_string(agent.target().join(name)).unwrap_or_default();
            ["one", "tree/deep/b"].map(read)
        };
        let remove = || {
            for name in ["one", "tree/deep/b"] {
                fs::remove_file(agent.target().join(name)).expect("it can be removed");
            }
        };
        // What lies in the folder and is not deployed goes to nobody.
        remove();
        ended(&agent.run(server.port(), &[]).expect("it runs"), 6);
        assert_eq!(contents(), ["one\n", "b\n"]);
        deploy(&site, "two", oracle.number);
        std::thread::sleep(std::time::Duration::from_millis(1100));
        remove();
        ended(&agent.run(server.port(), &["--use_cached_catalog"]).expect("it runs"), 6);
        assert_eq!(contents(), ["one\n", "b\n"]);
        ended(&agent.run(server.port(), &[]).expect("it runs"), 6);
        assert_eq!(contents(), ["two\n", "of two\n"]);
        let said = server.said();
        assert!(said.contains("/puppet/v3/static_file_content/modules/served/files/tree/deep/b"), "{said}");
        assert!(!said.contains("/puppet/v3/file_content/modules"), "{said}");
    }
}

/// Programs that know versions of the code make catalogs static, too.
#[test]
fn versions_may_be_told_by_programs() {
    let site = Site::new().expect("a site can be made");
    environment(&site, "production", MANIFEST);
    let script = |name: &str, text: &str| {
        let path = site.folder().join(name);
        write(&path, &format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .expect("it can be changed");
        path.display().to_string()
    };
    let log = site.folder().join("log-of-contents").display().to_string();
    let code_id = script("code-id", "echo \"$1-7\"");
    let root = site.folder().join("code/environments").display().to_string();
    let content = script("content", &format!("echo \"$@\" >> {log}; cat \"{root}/$1/$3\""));
    let arguments = ["--compat", "8", "--code-id-command", &code_id, "--code-content-command", &content];
    let server = BunrakuServer::start(&site, &arguments).expect("the server starts");
    assert_eq!(catalog(&site, &server, "other")["code_id"], "production-7");
    let Some(oracle) = oracle::seven_and_eight("versions by programs").into_iter().next() else { return };
    let agent = Agent::new(oracle, &site, "web01").expect("an agent can be made");
    ended(&agent.run(server.port(), &[]).expect("it runs"), 2);
    assert_eq!(fs::read_to_string(agent.target().join("one")).expect("it is there"), "one\n");
    let log = fs::read_to_string(&log).expect("it was asked");
    assert!(log.contains("production production-7 modules/served/files/one.txt"), "{log}");
}

/// Archives are deployed by a link: the next request but a second is compiled from the new one.
#[test]
fn archives_are_deployed_while_nodes_ask() {
    let site = Site::new().expect("a site can be made");
    let deploy = |version: &str| {
        environment(&site, "production", &format!("notify {{ 'version {version}': }}"));
        deploy(&site, version, 8);
    };
    deploy("one");
    let folder = site.archives().display().to_string();
    let server =
        BunrakuServer::start(&site, &["--compat", "8", "--archives", &folder]).expect("the server starts");
    let first = catalog(&site, &server, "other");
    assert_eq!(titles(&first), ["version one"]);
    // What the tree has does not count before it is deployed.
    environment(&site, "production", "notify { 'not deployed': }");
    assert_eq!(titles(&catalog(&site, &server, "other")), ["version one"]);
    deploy("two");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let second = catalog(&site, &server, "other");
    assert_eq!(titles(&second), ["version two"]);
    let id = |catalog: &serde_json::Value| catalog["code_id"].as_str().unwrap_or_default().to_owned();
    assert!(
        id(&first).len() == 40 && id(&second).len() == 40 && id(&first) != id(&second),
        "{first} {second}"
    );
}

/// `environment_timeout`: code is what it was until it is said to have changed; data and templates are looked at. That Puppet holds
/// manifests, definitions, functions and types, and neither data, templates nor files, was seen with 7.23.
#[test]
fn code_is_held_as_long_as_environments_are() {
    let site = Site::new().expect("a site can be made");
    let rules = site.folder().join("auth.conf").display().to_string();
    let folder = site.folder().join("code/environments/production");
    let modules = folder.join("modules/served");
    fs::create_dir_all(modules.join("functions")).expect("folders can be made");
    fs::create_dir_all(modules.join("templates")).expect("folders can be made");
    fs::create_dir_all(folder.join("data")).expect("folders can be made");
    fs::write(folder.join("hiera.yaml"), "{version: 5, hierarchy: [{name: all, path: all.yaml}]}")
        .expect("it can be written");
    let code = |version: &str| {
        let manifest =
            format!("notify {{ ['site {version}', served::f(), template('served/t.erb'), lookup('key')]: }}");
        environment(&site, "production", &manifest);
        write(&modules.join("functions/f.pp"), &format!("function served::f() {{ 'function {version}' }}"));
    };
    let data = |version: &str| {
        write(&modules.join("templates/t.erb"), &format!("template {version}"));
        write(&folder.join("data/all.yaml"), &format!("key: data {version}"));
    };
    let of = |code: &str, data: &str| {
        [
            format!("site {code}"),
            format!("function {code}"),
            format!("template {data}"),
            format!("data {data}"),
        ]
    };
    let empties = |server: &BunrakuServer, path: &str| {
        let client = Client::new(site.authority(), server.port());
        let path = format!("/puppet-admin-api/v1/{path}");
        client.send(Some("admin"), &request("DELETE", &path, "")).expect("there is an answer").status
    };
    let asked = |server: &BunrakuServer| titles(&catalog(&site, server, "other"));
    for (timeout, held) in [("unlimited", true), ("1h", true), ("0", false)] {
        write(&folder.join("environment.conf"), &format!("environment_timeout = {timeout}\n"));
        code("1");
        data("1");
        let server =
            BunrakuServer::start(&site, &["--compat", "8", "--auth", &rules]).expect("the server starts");
        assert_eq!(asked(&server), of("1", "1"), "{timeout}");
        code("22");
        assert_eq!(asked(&server), of(if held { "1" } else { "22" }, "1"), "{timeout}");
        assert_eq!(empties(&server, "environment-cache?environment=other"), 204);
        assert_eq!(asked(&server), of(if held { "1" } else { "22" }, "1"), "{timeout}");
        assert_eq!(empties(&server, "environment-cache?environment=production"), 204);
        assert_eq!(asked(&server), of("22", "1"), "{timeout}");
        code("333");
        data("22");
        assert_eq!(asked(&server), of("333", "22"), "{timeout}: changed data bring the code with them");
        code("4444");
        assert_eq!(empties(&server, "jruby-pool"), 204);
        assert_eq!(asked(&server), of("4444", "22"), "{timeout}");
    }
    write(&folder.join("environment.conf"), "environment_timeout = 1s\n");
    let server =
        BunrakuServer::start(&site, &["--compat", "8", "--auth", &rules]).expect("the server starts");
    assert_eq!(asked(&server), of("4444", "22"));
    code("55555");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert_eq!(asked(&server), of("55555", "22"), "nobody has asked for a second");
}

/// What a classifier says is kept for as long as the server is told to.
#[test]
fn classifiers_are_asked_as_often_as_is_said() {
    let site = Site::new().expect("a site can be made");
    environment(&site, "production", "notify { \"asked ${asked}\": }");
    let count = site.folder().join("count");
    let script = format!(
        "#!/bin/sh\necho x >> {0}\necho \"parameters: {{asked: $(wc -l < {0})}}\"\n",
        count.display()
    );
    fs::write(site.folder().join("enc.sh"), script).expect("files can be written");
    for (ttl, wanted) in [("0", ["asked 1", "asked 2"]), ("60", ["asked 1", "asked 1"])] {
        let _ = fs::remove_file(&count);
        let server =
            BunrakuServer::start(&site, &["--compat", "8", "--enc-ttl", ttl]).expect("the server starts");
        let asked = [(); 2].map(|()| titles(&catalog(&site, &server, "other")).join(", "));
        assert_eq!(asked, wanted, "--enc-ttl {ttl}");
    }
}
