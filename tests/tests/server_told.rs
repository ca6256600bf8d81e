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
        let environment = path.ends_with("environment=production").then_some("production");
        assert_eq!(line["environment"].as_str(), environment, "{line}");
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

/// Contents of files are counted, too.
#[test]
fn bytes_of_files_are_told() {
    let site = Site::new().expect("a site can be made");
    let log = site.folder().join("access.log");
    let server = BunrakuServer::start(&site, &["--compat", "8", "--access-log", &log.display().to_string()])
        .expect("it starts");
    let path = "/puppet/v3/file_content/modules/site/a.txt?environment=production";
    let ask = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept: binary\r\n\r\n");
    let answer = Client::new(site.authority(), server.port())
        .send(Some("other"), ask.as_bytes())
        .expect("there is an answer");
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
    let line: Value =
        serde_json::from_str(&fs::read_to_string(&log).expect("it is there")).expect("a line is JSON");
    assert!(!answer.body.is_empty());
    assert_eq!(line["sent"], answer.body.len(), "{line}");
}

/// What a node asks in vain is no error of the server's, and lines say who has asked.
#[test]
fn messages_name_the_node_and_are_told_once() {
    let site = Site::new().expect("a site can be made");
    let manifest = "class q { notice('inquired') }\ninclude q\nwarning('warned')\n";
    let code = site.folder().join("code/environments/production/manifests/site.pp");
    fs::write(code, manifest).expect("files can be written");
    // Reports can't be kept.
    bunraku_tests::paths::write(&site.folder().join("var/reports"), "");
    let server = BunrakuServer::start(&site, &["--compat", "8"]).expect("it starts");
    let client = Client::new(site.authority(), server.port());
    let ask = |method: &str, path: &str, body: &str| {
        let path = format!("{path}?environment=production");
        client.send(Some("other"), &request(method, &path, body)).expect("there is an answer").status
    };
    assert_eq!(ask("GET", "/puppet/v3/file_metadata/modules/site/nope", ""), 404);
    assert_eq!(ask("GET", "/puppet/v3/catalog/other.example.com", ""), 200);
    let report =
        fs::read_to_string(bunraku_tests::paths::spec().join("http/report.json")).expect("it is there");
    let report = report.replace("HOST", "other.example.com");
    assert_eq!(ask("PUT", "/puppet/v3/report/other.example.com", &report), 500);
    // The classifier fails, and says why.
    let breaks = request("GET", "/puppet/v3/node/breaks.example.com?environment=production", "");
    assert_eq!(client.send(Some("breaks"), &breaks).expect("there is an answer").status, 500);
    let complaint = format!("Warning: //breaks.example.com: {}/enc.sh: it breaks\n", site.folder().display());
    for wanted in [
        &*complaint,
        "Info: //other.example.com: Could not find file_metadata modules/site/nope\n",
        "Notice: //other.example.com/Scope(Class[Q]): inquired\n",
        "Warning: //other.example.com/Scope(Class[main]): warned\n",
        "Err: //other.example.com: Could not write report for other.example.com",
    ] {
        assert!(server.says(wanted), "{wanted}: {}", server.said());
        assert_eq!(server.said().matches(wanted).count(), 1, "{}", server.said());
    }
    assert_eq!(server.said().matches("Could not write report").count(), 1, "{}", server.said());
}

/// Logs of a compile are answered where they are asked for, from the level on that is asked for, with who has said them.
#[test]
fn logs_of_compiles_are_answered() {
    let site = Site::new().expect("a site can be made");
    let manifest = "class q { notice('inquired') }\ninclude q\ndebug('looked')\nwarning('warned')\n";
    let code = site.folder().join("code/environments/production/manifests/site.pp");
    fs::write(code, manifest).expect("files can be written");
    let rules = site.folder().join("auth.conf").display().to_string();
    let server = BunrakuServer::start(&site, &["--compat", "8", "--auth", &rules]).expect("it starts");
    let client = Client::new(site.authority(), server.port());
    let logs = |level: &str| -> Vec<Value> {
        let body = serde_json::json!({
            "certname": "other.example.com", "environment": "production", "persistence": {"facts": false, "catalog": false},
            "facts": {"values": {}}, "trusted_facts": {"values": {}}, "options": {"capture_logs": true, "log_level": level},
        });
        let ask = request("POST", "/puppet/v4/catalog", &body.to_string());
        let answer = client.send(Some("admin"), &ask).expect("there is an answer");
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert_eq!(answer.status, 200, "{text}");
        let answer: Value = serde_json::from_str(&text).expect("it is JSON");
        answer["logs"].as_array().expect("it has logs").clone()
    };
    let said = |level: &str| -> Vec<[String; 3]> {
        let text = |log: &Value, key: &str| log[key].as_str().unwrap_or_default().to_owned();
        logs(level).iter().map(|log| ["level", "source", "message"].map(|key| text(log, key))).collect()
    };
    let all = said("debug");
    for (level, source, message) in [
        ("notice", "Scope(Class[Q])", "inquired"),
        ("debug", "Scope(Class[main])", "looked"),
        ("warning", "Scope(Class[main])", "warned"),
    ] {
        let wanted = [level, source, message].map(str::to_owned);
        assert!(all.contains(&wanted), "{wanted:?}: {all:?}");
    }
    assert_eq!(said("warning"), [["warning", "Scope(Class[main])", "warned"]]);
    let one = &logs("warning")[0];
    assert_eq!(one["tags"], serde_json::json!(["warning"]));
    let time = one["time"].as_str().expect("it has a time");
    assert!(time.len() == 35 && time.ends_with("+00:00") && time.as_bytes()[10] == b'T', "{time}");
}

/// What a client writes into a path begins no line of the log, and commands no terminal.
#[test]
fn clients_write_no_lines_of_their_own() {
    let site = Site::new().expect("a site can be made");
    let server = BunrakuServer::start(&site, &["--compat", "8"]).expect("it starts");
    let path = "/puppet/v3/node/x%0aInfo:%20forged%1b%5b31m";
    Client::new(site.authority(), server.port())
        .send(None, &request("GET", path, ""))
        .expect("there is an answer");
    assert!(server.says("/puppet/v3/node/x\\nInfo: forged\\u{1b}[31m"), "{}", server.said());
    assert!(
        !server.said().contains('\u{1b}')
            && !server.said().lines().any(|line| line.starts_with("Info: forged"))
    );
}
