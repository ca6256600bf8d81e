//! What the compile server tells of what it does: each request as a line of JSON, and measurements in Prometheus' form.

use bunraku_tests::http::bunraku_server::BunrakuServer;
use bunraku_tests::http::client::{Answer, Client, request};
use bunraku_tests::http::site::Site;
use bunraku_tests::programs::free_port;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

/// A catalog, one that is not for who asks for it, and a path that is none.
const ASKED: [(&str, u16); 3] = [
    ("/puppet/v3/catalog/other.example.com?environment=production", 200),
    ("/puppet/v3/catalog/web01.example.com?environment=production", 403),
    ("/nothing", 404),
];

fn ask_all(site: &Site, server: &BunrakuServer) -> Vec<Answer> {
    let client = Client::new(site.authority(), server.port());
    let one = |(path, _): &(&str, u16)| client.send(Some("other"), &request("GET", path, ""));
    ASKED.iter().map(|asked| one(asked).expect("there is an answer")).collect()
}

/// Asks the port of measurements, which knows no TLS.
fn measured(port: u16, method: &str, path: &str) -> String {
    let mut socket = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    let ask = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    socket.write_all(ask.as_bytes()).expect("it takes the request");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).expect("it answers with text");
    answer
}

/// Each measurement by its name with its labels.
fn figures(answer: &str) -> BTreeMap<String, f64> {
    let (_, body) = answer.split_once("\r\n\r\n").expect("it has a body");
    assert!(body.ends_with("# EOF\n"), "it is whole: {body}");
    let lines = body.lines().filter(|line| !line.starts_with('#'));
    let figure = |line: &str| {
        let (name, value) = line.rsplit_once(' ').expect("a name and a value");
        (name.to_owned(), value.parse().expect("it is a number"))
    };
    lines.map(figure).collect()
}

#[test]
fn measurements_are_told_on_a_port_of_their_own() {
    let site = Site::new().expect("a site can be made");
    let port = free_port().expect("there is one");
    let address = format!("127.0.0.1:{port}");
    let server = BunrakuServer::start(&site, &["--compat", "8", "--metrics", &address]).expect("it starts");
    ask_all(&site, &server);
    let answer = measured(port, "GET", "/metrics");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(
        answer.contains("content-type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"),
        "{answer}"
    );
    let figures = figures(&answer);
    let figure = |name: &str| *figures.get(name).unwrap_or_else(|| panic!("there is no {name}: {figures:?}"));
    assert_eq!(figure("bunraku_requests_total{route=\"catalog\",status=\"200\"}"), 1.0);
    assert_eq!(figure("bunraku_requests_total{route=\"catalog\",status=\"403\"}"), 1.0);
    assert_eq!(figure("bunraku_requests_total{route=\"none\",status=\"404\"}"), 1.0);
    assert_eq!(figure("bunraku_request_seconds_count{route=\"catalog\"}"), 2.0);
    let time = figure("bunraku_request_seconds_sum{route=\"catalog\"}");
    assert!(time > 0.0 && time < 60.0, "{time}");
    for none in ["bunraku_refused_total", "bunraku_compiles", "bunraku_commands"] {
        assert_eq!(figure(none), 0.0, "{none}");
    }
    // Nothing else is there, and nothing is taken.
    for (method, path) in
        [("GET", "/"), ("GET", "/puppet/v3/catalog/other.example.com"), ("POST", "/metrics")]
    {
        let answer = measured(port, method, path);
        assert!(answer.starts_with("HTTP/1.1 404 "), "{method} {path}: {answer}");
    }
}

#[test]
fn each_request_is_a_line() {
    let site = Site::new().expect("a site can be made");
    let log = site.folder().join("access.log");
    let server = BunrakuServer::start(&site, &["--compat", "8", "--access-log", &log.display().to_string()])
        .expect("it starts");
    let answers = ask_all(&site, &server);
    let text = fs::read_to_string(&log).expect("it is there");
    let lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    assert_eq!(lines.len(), ASKED.len(), "{text}");
    for ((line, answer), (path, status)) in lines.iter().zip(&answers).zip(ASKED) {
        assert_eq!(answer.status, status, "{path}");
        assert_eq!(line["status"], status, "{line}");
        assert_eq!(line["certname"], "other.example.com", "{line}");
        assert_eq!(line["method"], "GET", "{line}");
        assert_eq!(line["path"], path.split('?').next().unwrap_or(path), "{line}");
        assert_eq!(line["sent"], answer.body.len(), "{line}");
        let id = answer.header("X-Request-Id").expect("it has a number");
        assert_eq!(line["id"].to_string().trim_matches('"'), id, "{line}");
    }
}

/// What rotates logs renames the file and sends SIGHUP.
#[test]
fn the_access_log_is_opened_anew() {
    let site = Site::new().expect("a site can be made");
    let (log, old) = (site.folder().join("access.log"), site.folder().join("access.log.1"));
    let server = BunrakuServer::start(&site, &["--compat", "8", "--access-log", &log.display().to_string()])
        .expect("it starts");
    let lines = |file| fs::read_to_string(file).expect("it is there").lines().count();
    ask_all(&site, &server);
    fs::rename(&log, &old).expect("files can be renamed");
    server.reload().expect("it reads its configuration anew");
    ask_all(&site, &server);
    assert_eq!((lines(&old), lines(&log)), (ASKED.len(), ASKED.len()));
    // Where that can't be, it goes on with what it has.
    fs::remove_file(&log).expect("files can be removed");
    fs::create_dir(&log).expect("folders can be made");
    server.reload().expect("it reads its configuration anew");
    let wanted = format!("Error: Requests are told where they were: {} can't be written", log.display());
    assert!(server.said().contains(&wanted), "{}", server.said());
    assert_eq!(ask_all(&site, &server).len(), ASKED.len());
}
