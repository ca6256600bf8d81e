//! `bunraku doctor` on machines that lack something, each made for the test: it names what is missing, with what follows from
//! that, and its status says whether something would fail.

use bunraku_tests::{bunraku, paths};
use serde_json::Value;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// What was found: state and text of each thing, by area; and the status.
fn look(arguments: &[&str]) -> (Vec<(String, String, String)>, i32) {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command.arg("doctor").args(arguments).args(["--format", "json"]).env("BUNRAKU_NO_CONFIG", "1");
    let output = command.output().expect("Bunraku starts");
    let told: Value = serde_json::from_slice(&output.stdout).expect("it prints JSON");
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let all = told["findings"].as_array().expect("there are findings");
    let all = all.iter().map(|one| (text(one, "area"), text(one, "state"), text(one, "what")));
    (all.collect(), output.status.code().unwrap_or(-1))
}

fn has(found: &[(String, String, String)], area: &str, state: &str, part: &str) -> bool {
    found.iter().any(|(own, was, what)| own == area && was == state && what.contains(part))
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("folders can be made");
    fs::write(path, text).expect("a file can be written");
}

/// A configuration with an environment, in a folder of its own.
fn site(conf: &str) -> TempDir {
    let work = tempfile::tempdir().expect("a folder can be made");
    let root = work.path();
    let own = format!("[main]\ncodedir = {0}/code\nssldir = {0}/ssl\n{conf}", root.display());
    write(&root.join("puppet.conf"), &own);
    write(&root.join("code/environments/production/manifests/site.pp"), "notify { 'one': }\n");
    work
}

#[test]
fn without_ruby_only_what_needs_it_is_missing() {
    let (found, status) = look(&["--ruby", "/nonexistent/ruby"]);
    assert!(has(&found, "Ruby", "note", "/nonexistent/ruby does not run: No such file"), "{found:#?}");
    assert_eq!(status, 0);
}

#[test]
fn a_healthy_environment_has_nothing_that_fails() {
    let folder = paths::root().join("fixtures/control-repo");
    let (found, status) = look(&["--environment", &folder.to_string_lossy()]);
    assert!(has(&found, "Environment", "ok", "its Hiera is read"), "{found:#?}");
    assert_eq!(status, 0, "{found:#?}");
}

#[test]
fn broken_manifests_and_data_fail() {
    let work = site("");
    let root = work.path();
    let environment = root.join("code/environments/production");
    write(&environment.join("manifests/broken.pp"), "class broken {");
    write(&environment.join("hiera.yaml"), "version: 5\nhierarchy: 1\n");
    let (found, status) = look(&["--confdir", &root.to_string_lossy()]);
    assert!(has(&found, "Environment", "fails", "broken.pp"), "{found:#?}");
    assert!(has(&found, "Environment", "fails", "hierarchy"), "{found:#?}");
    assert_eq!(status, 1);
}

/// The classifier and what takes reports are looked at; settings that no Puppet has are told apart from those that it would heed.
#[test]
fn what_a_server_asks_and_tells_is_looked_at() {
    let work = site(
        "templatedir = /t\nfreeze_main = true\n[server]\nnode_terminus = exec\nexternal_nodes = ENC x\nreports = store,foreman\n",
    );
    let (conf, program) = (work.path().join("puppet.conf"), work.path().join("node.rb"));
    let text = fs::read_to_string(&conf).expect("it was written").replace("ENC", &program.to_string_lossy());
    write(&conf, &text);
    let confdir = work.path().to_string_lossy().into_owned();
    let (found, status) = look(&["--confdir", &confdir]);
    assert!(
        has(&found, "Nodes and reports", "fails", "node.rb, which can't be run by this user: No such file"),
        "{found:#?}"
    );
    assert!(
        has(&found, "Nodes and reports", "note", "The setting reports names 'foreman', which no module has"),
        "{found:#?}"
    );
    assert_eq!(status, 1);
    write(&program, "#!/bin/sh\n");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it can be run");
    write(&work.path().join("code/environments/production/modules/f/lib/puppet/reports/foreman.rb"), "");
    let (found, status) = look(&["--confdir", &confdir]);
    assert!(has(&found, "Nodes and reports", "ok", "external_nodes: "), "{found:#?}");
    assert!(has(&found, "Nodes and reports", "ok", "reports: store,foreman"), "{found:#?}");
    assert_eq!(status, 0);
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    let output = command.args(["doctor", "--confdir", &confdir]).output().expect("Bunraku starts");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let after = |part: &str| {
        let mut lines = told.lines().skip_while(|line| !line.contains(part));
        lines.nth(1).unwrap_or_default().trim().to_owned()
    };
    assert_eq!(after("'templatedir'"), "this version of Puppet ignores it, too: the line can go", "{told}");
    assert_eq!(after("freeze_main"), "Puppet would heed it, or says the same", "{told}");
}

#[test]
fn a_malformed_configuration_fails() {
    let work = site("[main\n");
    let (found, status) = look(&["--confdir", &work.path().to_string_lossy()]);
    assert!(has(&found, "Configuration", "fails", "puppet.conf"), "{found:#?}");
    assert_eq!(status, 1);
}

/// What makes every compile fail is told as that, and a key of eyaml that is not there, which no look-up of ours asks for.
#[test]
fn what_compiles_would_fail_of_is_named() {
    let work = tempfile::tempdir().expect("a folder can be made");
    write(&work.path().join("manifests/site.pp"), "");
    write(
        &work.path().join("hiera.yaml"),
        "version: 5\nhierarchy:\n  - {name: s, lookup_key: eyaml_lookup_key, path: s.eyaml, options: {pkcs7_private_key: /nonexistent/key.pem}}\n",
    );
    let environment = work.path().to_string_lossy();
    let (found, status) = look(&["--environment", &environment]);
    assert!(has(&found, "Environment", "fails", "the key /nonexistent/key.pem"), "{found:#?}");
    assert_eq!(status, 1, "{found:#?}");
    write(&work.path().join("environment.conf"), "config_version = /nonexistent/version\n");
    let (found, _) = look(&["--environment", &environment]);
    let failing: Vec<_> = found.iter().filter(|(_, _, what)| what.contains("config_version")).collect();
    assert!(failing.len() == 1 && !failing[0].2.contains("on node"), "{found:#?}");
    assert!(!has(&found, "Environment", "ok", "its Hiera is read"), "{found:#?}");
}

#[test]
fn a_puppetdb_that_is_away_fails_unless_none_is_asked() {
    // A port that nobody listens on any more.
    let port =
        TcpListener::bind("127.0.0.1:0").and_then(|one| one.local_addr()).expect("a port is free").port();
    for (conf, fails) in
        [("[server]\nstoreconfigs = true\nstoreconfigs_backend = puppetdb\n", true), ("", false)]
    {
        let work = site(conf);
        write(
            &work.path().join("puppetdb.conf"),
            &format!("[main]\nserver_urls = http://127.0.0.1:{port}\n"),
        );
        let (found, status) = look(&["--confdir", &work.path().to_string_lossy()]);
        assert_eq!(has(&found, "PuppetDB", "fails", "does not answer"), fails, "{found:#?}");
        assert_eq!(status, i32::from(fails), "{found:#?}");
    }
}

#[test]
fn certificates_say_how_long_they_are_good() {
    // Keys of the usual size take a development build a minute.
    let work = site("certname = here.example.com\nkeylength = 2048\n[server]\ncadir = CADIR\n");
    let (conf, cadir) = (work.path().join("puppet.conf"), work.path().join("ca"));
    let text = fs::read_to_string(&conf).expect("it was written").replace("CADIR", &cadir.to_string_lossy());
    write(&conf, &text);
    let confdir = work.path().to_string_lossy().into_owned();
    let (before, status) = look(&["--confdir", &confdir]);
    assert!(has(&before, "Certificates", "note", "is not there"), "{before:#?}");
    assert_eq!(status, 0);
    let mut make = Command::new(bunraku::binary().expect("Bunraku builds"));
    let made = make.args(["ca", "init", "--confdir", &confdir]).output().expect("Bunraku starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let (found, status) = look(&["--confdir", &confdir]);
    assert!(has(&found, "Certificates", "ok", "here.example.com.pem, good until"), "{found:#?}");
    assert_eq!(status, 0, "{found:#?}");
    let own = work.path().join("ssl/certs/here.example.com.pem");
    write(&own, "-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n");
    let (found, status) = look(&["--confdir", &confdir]);
    assert!(has(&found, "Certificates", "fails", "here.example.com.pem"), "{found:#?}");
    assert_eq!(status, 1);
}

#[test]
fn an_archive_is_held_against_its_sources() {
    let work = site("");
    let root = work.path();
    let environment = root.join("code/environments/production");
    let (folder, archive) = (environment.to_string_lossy().into_owned(), root.join("production.bnr"));
    let archive_name = archive.to_string_lossy().into_owned();
    let mut build = Command::new(bunraku::binary().expect("Bunraku builds"));
    let built = build
        .args(["build", "--environment", &folder, "-o", &archive_name])
        .output()
        .expect("Bunraku starts");
    assert!(built.status.success());
    let arguments = ["--environment", folder.as_str(), "--archive", archive_name.as_str()];
    let (found, _) = look(&arguments);
    assert!(has(&found, "Archives", "ok", "is of the sources as they are"), "{found:#?}");
    write(&environment.join("manifests/site.pp"), "notify { 'two': }\n");
    let (found, status) = look(&arguments);
    assert!(has(&found, "Archives", "note", "is not of the sources as they are"), "{found:#?}");
    assert_eq!(status, 0);
    fs::write(&archive, "no archive").expect("it can be written");
    let (found, status) = look(&arguments);
    assert!(found.iter().any(|(area, state, _)| area == "Archives" && state == "fails"), "{found:#?}");
    assert_eq!(status, 1);
}
