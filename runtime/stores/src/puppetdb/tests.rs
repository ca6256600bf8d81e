//! Exchanges with a PuppetDB: what is asked is compared, what is answered is what a PuppetDB answers.

use super::*;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;

/// A server that answers as many requests as there are answers, and gives back what it was asked: the first line and
/// the body.
fn serve(answers: Vec<(&'static str, String)>) -> (String, JoinHandle<Vec<(String, String)>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        let mut asked = Vec::new();
        for (status, body) in answers {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream);
            let mut first = String::new();
            reader.read_line(&mut first).unwrap();
            let (mut line, mut length) = (String::new(), 0);
            while reader.read_line(&mut line).unwrap() > 2 {
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut given = vec![0; length];
            reader.read_exact(&mut given).unwrap();
            asked.push((first.trim().to_owned(), String::from_utf8(given).unwrap()));
            let mut stream = reader.into_inner();
            let length = body.len();
            write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            )
            .unwrap();
        }
        asked
    });
    (url, thread)
}

fn database(url: &str) -> PuppetDb {
    PuppetDb::new(url, &Certificates::default()).unwrap()
}

/// `%5B` and the like back into characters.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let hex: Vec<u8> = if byte == b'%' { rest.by_ref().take(2).collect() } else { Vec::new() };
        match u8::from_str_radix(&String::from_utf8_lossy(&hex), 16) {
            Ok(value) => bytes.push(value),
            Err(_) => bytes.push(if byte == b'+' { b' ' } else { byte }),
        }
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn exported_resources_are_asked_for_in_the_query_language() {
    let answer = json!([{
        "certname": "db.example.com", "environment": "production", "exported": true, "file": "/m/init.pp", "line": 3,
        "parameters": {"ensure": "present", "key": "k"}, "resource": "5b0a8d7e", "tags": ["sshkey", "key"],
        "title": "db.example.com", "type": "Sshkey",
    }]);
    let (url, server) = serve(vec![("200 OK", answer.to_string())]);
    let filter = Filter::And(
        Box::new(Filter::Eq("tag".to_owned(), json!("Key"))),
        Box::new(Filter::Or(
            Box::new(Filter::NotEq("title".to_owned(), json!("x"))),
            Box::new(Filter::Eq("ensure".to_owned(), json!("present"))),
        )),
    );
    let found = database(&url).exported("Sshkey", "web.example.com", Some(&filter)).unwrap();
    let asked = server.join().unwrap();
    assert_eq!(
        decoded(&asked[0].0),
        r#"GET /pdb/query/v4/resources?query=["and",["=","type","Sshkey"],["=","exported",true],["=",["node","active"],true],["not",["=","certname","web.example.com"]],["and",["=","tag","key"],["or",["not",["=","title","x"]],["=",["parameter","ensure"],"present"]]]] HTTP/1.1"#
    );
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].certname, "db.example.com");
    assert_eq!(found[0].line, Some(3));
    assert_eq!(found[0].tags, ["sshkey", "key"]);
    assert_eq!(found[0].parameters["key"], "k");
}

#[test]
fn facts_come_as_a_list_or_not_at_all() {
    let facts = json!([
        {"certname": "a", "environment": "production", "name": "os", "value": {"family": "Debian"}},
        {"certname": "a", "environment": "production", "name": "uptime", "value": "3 days"},
    ]);
    let missing = json!({"error": "No information is known about node b"}).to_string();
    let (url, server) = serve(vec![("200 OK", facts.to_string()), ("404 Not Found", missing)]);
    let database = database(&url);
    let known = database.facts("a").unwrap().unwrap();
    assert_eq!(Json::Object(known), json!({"os": {"family": "Debian"}, "uptime": "3 days"}));
    assert_eq!(database.facts("b").unwrap(), None);
    assert_eq!(server.join().unwrap()[0].0, "GET /pdb/query/v4/nodes/a/facts HTTP/1.1");
}

#[test]
fn a_node_is_asked_for_by_its_name_and_nothing_else() {
    let names = ["../../x", "a%2Fb", "a?b#c d", "münchen"];
    let answers = names.map(|_| ("404 Not Found", String::new())).to_vec();
    let (url, server) = serve(answers);
    let database = database(&url);
    for name in names {
        assert_eq!(database.facts(name).unwrap(), None);
    }
    let asked: Vec<String> = server.join().unwrap().into_iter().map(|(first, _)| first).collect();
    let escaped = ["..%2F..%2Fx", "a%252Fb", "a%3Fb%23c%20d", "m%C3%BCnchen"];
    assert_eq!(asked, escaped.map(|name| format!("GET /pdb/query/v4/nodes/{name}/facts HTTP/1.1")));
    for name in ["", ".", ".."] {
        assert!(database.facts(name).is_err());
    }
}

#[test]
fn an_answer_names_no_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), r#"{"secret": "of this machine"}"#).unwrap();
    let (url, server) = serve(vec![("200 OK", json!(file.path()).to_string())]);
    let error = database(&url).facts("a").unwrap_err();
    assert!(error.ends_with("Facts are neither an object nor a list of names and values"), "{error}");
    server.join().unwrap();
}

#[test]
fn a_redirect_is_not_followed() {
    let (other, _) = serve(Vec::new());
    let location = format!("302 Found\r\nLocation: {other}/x");
    let (url, server) = serve(vec![(location.leak(), String::new())]);
    let error = database(&url).facts("a").unwrap_err();
    assert_eq!(
        error,
        format!(
            "Could not ask PuppetDB at {url}/pdb/query/v4/nodes/a/facts: 302 to {other}/x, and redirects are not followed"
        )
    );
    server.join().unwrap();
}

#[test]
fn a_catalog_is_a_command() {
    let uuid = json!({"uuid": "9c57f5a8-1a55-4c0b-8a5b-2f6d6b5c4e11"}).to_string();
    let (url, server) = serve(vec![("200 OK", uuid)]);
    let catalog =
        json!({"name": "a", "version": 1, "environment": "production", "resources": [], "edges": []});
    database(&url).save("a", &catalog).unwrap();
    let asked = server.join().unwrap();
    assert!(
        asked[0].0.starts_with(
            "POST /pdb/cmd/v1?command=replace_catalog&version=9&certname=a&producer-timestamp=2"
        ),
        "{}",
        asked[0].0
    );
    let sent: Json = serde_json::from_str(&asked[0].1).unwrap();
    assert_eq!(sent["certname"], "a");
}

#[test]
fn refusals_are_told() {
    let (url, server) = serve(vec![("400 Bad Request", "'x' is not a queryable object".to_owned())]);
    let error = database(&url).exported("File", "a", None).unwrap_err();
    assert_eq!(
        error,
        format!("Could not ask PuppetDB at {url}/pdb/query/v4/resources: 400 'x' is not a queryable object")
    );
    server.join().unwrap();
    let nobody = database("http://127.0.0.1:1").facts("a").unwrap_err();
    assert!(nobody.starts_with("Could not ask PuppetDB at http://127.0.0.1:1/pdb"), "{nobody}");
    let half = Certificates { key: Some("/k".into()), ..Certificates::default() };
    assert!(PuppetDb::new("https://x", &half).is_err());
}

#[test]
fn the_next_server_is_asked_where_one_can_not_answer() {
    let facts = json!([{"certname": "a", "name": "os", "value": "Debian"}]).to_string();
    let (broken, first) = serve(vec![
        ("503 Service Unavailable", "starting".to_owned()),
        ("404 Not Found", String::new()),
        ("400 Bad Request", "no".to_owned()),
    ]);
    let (sound, second) = serve(vec![("200 OK", facts.clone()), ("200 OK", facts)]);
    let all = database(&format!("http://127.0.0.1:1, {broken}/,{sound}"));
    assert_eq!(all.facts("a").unwrap().unwrap()["os"], "Debian");
    assert_eq!(all.facts("a").unwrap().unwrap()["os"], "Debian");
    // What is wrong is wrong everywhere.
    let error = all.facts("a").unwrap_err();
    assert_eq!(error, format!("Could not ask PuppetDB at {broken}/pdb/query/v4/nodes/a/facts: 400 no"));
    assert_eq!((first.join().unwrap().len(), second.join().unwrap().len()), (3, 2));
    let nobody = database("http://127.0.0.1:1,http://127.0.0.1:2").facts("a").unwrap_err();
    assert!(nobody.contains("http://127.0.0.1:1/") && nobody.contains("http://127.0.0.1:2/"), "{nobody}");
}
