//! Real agents of Puppet 7.23 and 8.10 at the compile server, in what is not an ordinary run: a run that changes nothing, one that
//! may not come in, one that takes another's name, files that are backed up, and one that would change the machine.

use bunraku_tests::http::agent::{Agent, Run};
use bunraku_tests::http::bunraku_server::BunrakuServer;
use bunraku_tests::http::site::Site;
use bunraku_tests::oracle::{self, Oracle};
use std::fs;
use std::path::{Path, PathBuf};

fn site(manifest: &str) -> Site {
    let site = Site::new().expect("a site can be made");
    let manifests = site.folder().join("code/environments/production/manifests");
    fs::create_dir_all(&manifests).expect("folders can be made");
    fs::write(manifests.join("site.pp"), manifest).expect("files can be written");
    site
}

fn start(site: &Site, oracle: Oracle) -> BunrakuServer {
    BunrakuServer::start(site, &["--compat", &oracle.number.to_string()]).expect("the server starts")
}

fn ended(run: &Run, status: i32, server: &BunrakuServer) {
    assert_eq!(run.status, Some(status), "{}\n{}", run.text, server.said());
}

/// All files below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => files(&path, found),
            path => found.push(path),
        }
    }
}

fn reports(site: &Site, node: &str) -> Vec<String> {
    let mut found = Vec::new();
    files(&site.folder().join(format!("var/reports/{node}.example.com")), &mut found);
    found.iter().map(|path| fs::read_to_string(path).expect("a report can be read")).collect()
}

const ONE: &str = "file { \"${facts['target']}/one\": content => \"one\\n\" }";

#[test]
fn a_run_that_only_looks_changes_nothing() {
    for oracle in oracle::seven_and_eight("agents that only look") {
        let site = site(ONE);
        let server = start(&site, oracle);
        let agent = Agent::new(oracle, &site, "web01").expect("an agent can be made");
        ended(&agent.run(server.port(), &["--noop"]).expect("it runs"), 0, &server);
        assert!(!agent.target().join("one").exists());
        let all = reports(&site, "web01");
        assert!(all.len() == 1 && all[0].contains("\nnoop: true\n"), "{all:?}");
        assert!(all[0].contains("noop_pending: true"), "{}", all[0]);
        ended(&agent.run(server.port(), &[]).expect("it runs"), 2, &server);
        assert_eq!(fs::read_to_string(agent.target().join("one")).expect("it is there"), "one\n");
    }
}

/// Whoever is revoked gets nothing, not even a connection; nor does one with another's name get what is another's.
#[test]
fn agents_that_may_not_come_in_get_nothing() {
    for oracle in oracle::seven_and_eight("agents that are revoked or take another's name") {
        let site = site(ONE);
        let server = start(&site, oracle);
        let agent = Agent::new(oracle, &site, "web01").expect("an agent can be made");
        ended(&agent.run(server.port(), &[]).expect("it runs"), 2, &server);
        site.authority().revoke("web01").expect("openssl revokes");
        std::thread::sleep(std::time::Duration::from_millis(1200));
        let revoked = agent.run(server.port(), &[]).expect("it runs");
        ended(&revoked, 1, &server);
        assert!(revoked.text.contains("certificate revoked"), "{}", revoked.text);
        assert_eq!(reports(&site, "web01").len(), 1, "that of the first run");
        // The certificate is good, and is another's.
        let other = Agent::called(oracle, &site, "other", "strange").expect("an agent can be made");
        let run = other.run(server.port(), &[]).expect("it runs");
        ended(&run, 1, &server);
        let wanted =
            "Error 403 on SERVER: Forbidden request: /puppet/v3/catalog/strange.example.com (method :post)";
        assert!(run.text.contains(wanted), "{}", run.text);
        assert!(!other.target().join("one").exists());
        assert!(reports(&site, "strange").is_empty());
    }
}

/// What a file held before is backed up to the server, and an agent gets it back.
#[test]
fn files_are_backed_up_and_come_back() {
    for oracle in oracle::seven_and_eight("agents that back up files") {
        let site = site("");
        let server = start(&site, oracle);
        let manifest = format!(
            "filebucket {{ 'main': server => 'localhost', port => '{}', path => false }}\n\
             file {{ \"${{facts['target']}}/one\": content => \"new\\n\", backup => 'main' }}",
            server.port()
        );
        let path = site.folder().join("code/environments/production/manifests/site.pp");
        fs::write(path, manifest).expect("files can be written");
        let agent = Agent::new(oracle, &site, "web01").expect("an agent can be made");
        let one = agent.target().join("one");
        fs::write(&one, "what was there\n").expect("files can be written");
        ended(&agent.run(server.port(), &[]).expect("it runs"), 2, &server);
        assert_eq!(fs::read_to_string(&one).expect("it is there"), "new\n");
        let mut kept = Vec::new();
        files(&site.folder().join("var/bucket"), &mut kept);
        let contents = kept.iter().find(|path| path.ends_with("contents")).expect("it is backed up");
        assert_eq!(fs::read_to_string(contents).expect("it can be read"), "what was there\n");
        let sum = contents.parent().and_then(Path::file_name).expect("it is named by its sum");
        let sum = sum.to_string_lossy().into_owned();
        // `puppet filebucket` asks the server for it.
        let bucket = ["restore", &one.display().to_string(), &sum];
        let restored = agent.filebucket(server.port(), &bucket).expect("it runs");
        assert_eq!(restored.status, Some(0), "{}\n{}", restored.text, server.said());
        assert_eq!(fs::read_to_string(&one).expect("it is there"), "what was there\n");
    }
}

/// Whatever a manifest says, an agent of the tests changes nothing outside of its own folder.
#[test]
fn an_agent_of_the_tests_can_not_harm_the_machine() {
    let outside = tempfile::tempdir().expect("a folder can be made");
    let there = outside.path().join("harm");
    for oracle in oracle::seven_and_eight("an agent that would do harm") {
        let site = site(&format!("file {{ '{}': content => 'harm' }}", there.display()));
        let server = start(&site, oracle);
        let agent = Agent::new(oracle, &site, "web01").expect("an agent can be made");
        let run = agent.run(server.port(), &[]).expect("it runs");
        ended(&run, 4, &server);
        assert!(run.text.contains("Read-only file system"), "{}", run.text);
        assert!(!there.exists());
    }
}
