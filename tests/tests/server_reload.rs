//! SIGHUP: what the configuration says is in force from then on, or, where the start would refuse it, what was; and that is said.

use bunraku_tests::http::bunraku_server::BunrakuServer;
use bunraku_tests::http::client::{Client, request};
use bunraku_tests::http::site::Site;
use nix::sys::signal::Signal;
use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;

fn start(site: &Site, arguments: &[&str]) -> BunrakuServer {
    BunrakuServer::start(site, &[&["--compat", "8"], arguments].concat()).expect("the server starts")
}

fn conf(site: &Site) -> (PathBuf, String) {
    let path = site.confdir().join("puppet.conf");
    let text = fs::read_to_string(&path).expect("it is there");
    (path, text)
}

/// The environment that a node is told by its classifier.
fn environment(site: &Site, server: &BunrakuServer) -> String {
    let path = "/puppet/v3/node/moved.example.com?environment=production";
    let answer = Client::new(site.authority(), server.port())
        .send(Some("moved"), &request("GET", path, ""))
        .expect("there is an answer");
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
    let node: serde_json::Value = serde_json::from_slice(&answer.body).expect("it is JSON");
    node["environment"].as_str().expect("it has one").to_owned()
}

/// Has it read a configuration that can't be used; it says so with these words, and goes on as before.
fn refuses(site: &Site, server: &BunrakuServer, wanted: &str) {
    let before = environment(site, server);
    server.signal(Signal::SIGHUP).expect("it can be signalled");
    assert!(
        server.says(&format!("Error: The configuration stays as it was: {wanted}")),
        "{wanted}: {}",
        server.said()
    );
    assert_eq!(environment(site, server), before, "{}", server.said());
    assert!(!server.said().contains("was read anew"), "{}", server.said());
}

#[test]
fn what_the_start_would_refuse_leaves_in_force_what_was() {
    let site = Site::new().expect("a site can be made");
    let server = start(&site, &[]);
    let (path, text) = conf(&site);
    assert_ne!(environment(&site, &server), "production", "the classifier moves it");
    fs::write(&path, format!("this is garbage\n{text}")).expect("files can be written");
    let place = format!("(file: {}, line: 1)", path.display());
    refuses(&site, &server, "Could not parse the configuration: ");
    assert!(server.said().contains(&place), "{}", server.said());
    fs::write(&path, text.replace("node_terminus = exec", "node_terminus = classifier"))
        .expect("files can be written");
    refuses(&site, &server, "The terminus 'classifier' of nodes (node_terminus) is not supported");
    fs::write(&path, text.replace("server.pem", "gone.pem")).expect("files can be written");
    refuses(&site, &server, "The setting hostcert names ");
    fs::write(&path, text.replace("node_terminus = exec", "node_terminus = plain"))
        .expect("files can be written");
    server.reload().expect("it reads it anew");
    assert_eq!(environment(&site, &server), "production");
}

#[test]
fn a_classifier_that_there_is_not_stops_the_start() {
    let site = Site::new().expect("a site can be made");
    let (path, text) = conf(&site);
    let wanted = "The terminus 'ldap' of nodes (node_terminus) is not supported";
    fs::write(&path, text.replace("node_terminus = exec", "node_terminus = ldap"))
        .expect("files can be written");
    let refused = |arguments: &[&str]| {
        let why = BunrakuServer::start(&site, arguments).err().expect("it does not start");
        assert!(why.contains(wanted), "{why}");
    };
    refused(&["--compat", "7"]);
    refused(&["--compat", "7", "--check"]);
    // As `routes.yaml` has it, too.
    fs::write(&path, &text).expect("files can be written");
    let routes = site.confdir().join("routes.yaml");
    fs::write(routes, "server:\n  node:\n    terminus: ldap\n").expect("files can be written");
    refused(&["--compat", "7"]);
}

#[test]
fn what_looks_wrong_is_said_as_at_the_start_and_what_can_not_change_by_name() {
    let site = Site::new().expect("a site can be made");
    let (path, text) = conf(&site);
    let text = text.replace("reports = store", "reports = puppetdb");
    fs::write(&path, &text).expect("files can be written");
    let urls = "[main]\nserver_urls = http://127.0.0.1:9\n";
    fs::write(site.confdir().join("puppetdb.conf"), urls).expect("files can be written");
    let server = start(&site, &["--ruby", "/nonexistent/ruby"]);
    assert!(server.said().contains("Warning: Ruby does not run (/nonexistent/ruby"), "{}", server.said());
    let folder = site.folder().display();
    let other = text
        .replace(&format!("environmentpath = {folder}/code/environments"), "environmentpath = /nonexistent")
        .replace(&format!("vardir = {folder}/var"), &format!("vardir = {folder}/other"));
    fs::write(&path, other).expect("files can be written");
    server.reload().expect("it reads it anew");
    for wanted in [
        "Warning: There is no environment: environmentpath is /nonexistent".to_owned(),
        format!(
            "Warning: The setting vardir was {folder}/var when the server started: {folder}/other counts in full once it is started anew"
        ),
    ] {
        assert!(server.said().contains(&wanted), "{wanted}: {}", server.said());
    }
}

/// What is under way is answered first, unless a second signal says that nobody wants to wait for it.
#[test]
fn a_second_signal_ends_what_is_under_way() {
    let site = Site::new().expect("a site can be made");
    let code = site.folder().join("code/environments/production/manifests/site.pp");
    let begun = site.folder().join("begun");
    let program = format!("touch {}; sleep 200", begun.display());
    fs::write(code, format!("generate('/bin/sh', '-c', '{program}')")).expect("files can be written");
    let mut server = start(&site, &[]);
    let client = Client::new(site.authority(), server.port());
    std::thread::scope(|threads| {
        let path = "/puppet/v3/catalog/other.example.com?environment=production";
        threads.spawn(|| client.send(Some("other"), &request("GET", path, "")));
        while !begun.exists() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        server.signal(Signal::SIGTERM).expect("it can be signalled");
        while !server.said().contains("What is under way is given up: a second signal") {
            server.signal(Signal::SIGTERM).expect("it can be signalled");
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        assert_eq!(server.wait().expect("it ends").code(), Some(1));
    });
}

/// Of a configuration that can't be used nothing is: commands to PuppetDB go where they went.
#[test]
fn commands_go_where_they_went_when_a_configuration_is_refused() {
    let site = Site::new().expect("a site can be made");
    let (path, text) = conf(&site);
    let text = text.replace("reports = store", "reports = puppetdb");
    fs::write(&path, &text).expect("files can be written");
    let [old, new] = [(); 2].map(|()| {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        listener.set_nonblocking(true).expect("it can be asked");
        listener
    });
    let name = |listener: &TcpListener| {
        let address = listener.local_addr().expect("it has one");
        let urls = format!("[main]\nserver_urls = http://{address}\n");
        fs::write(site.confdir().join("puppetdb.conf"), urls).expect("files can be written");
    };
    name(&old);
    let server = start(&site, &[]);
    name(&new);
    fs::write(&path, text.replace("server.pem", "gone.pem")).expect("files can be written");
    refuses(&site, &server, "The setting hostcert names ");
    let report =
        fs::read_to_string(bunraku_tests::paths::spec().join("http/report.json")).expect("it is there");
    let ask = request(
        "PUT",
        "/puppet/v3/report/other.example.com?environment=production",
        &report.replace("HOST", "other.example.com"),
    );
    let answer = Client::new(site.authority(), server.port()).send(Some("other"), &ask);
    assert_eq!(answer.expect("there is an answer").status, 200);
    while old.accept().is_err() {
        assert!(new.accept().is_err(), "it goes to the new one");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}
