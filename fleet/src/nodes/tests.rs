//! Nodes from each kind of place.

use super::*;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;

fn open(from: &Path) -> Result<Nodes, String> {
    Nodes::open(from.to_str().unwrap(), &Certificates::default())
}

#[test]
fn a_folder_and_its_snapshot_know_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let facts = folder.path().join("facts");
    fs::create_dir(&facts).unwrap();
    fs::write(facts.join("b.yaml"), "--- !ruby/object:Puppet::Node::Facts\nname: b\nvalues:\n  n: 2\n")
        .unwrap();
    fs::write(facts.join("a.json"), r#"{"n": 1, "trusted": {"certname": "a", "extensions": {}}}"#).unwrap();
    let of_folder = open(folder.path()).unwrap();
    assert_eq!(of_folder.names(), ["a", "b"]);
    let path = folder.path().join("fleet.facts");
    snapshot::write(&path, |add| {
        of_folder.names().iter().try_for_each(|name| of_folder.node(name).and_then(|node| add(&node)))
    })
    .unwrap();
    let mut of_snapshot = open(&path).unwrap();
    for name in ["a", "b"] {
        let [left, right] =
            [&of_folder, &of_snapshot].map(|nodes| snapshot::line(&nodes.node(name).unwrap()));
        assert_eq!(left, right);
    }
    let trusted = of_snapshot.node("a").unwrap().trusted.unwrap();
    assert_eq!(trusted.get("certname").and_then(Data::as_str), Some("a"));
    of_snapshot.retain(|name| name == "b");
    assert_eq!(of_snapshot.names(), ["b"]);
    assert!(of_folder.node("../a").unwrap_err().contains("that is no node's name"));
}

#[test]
fn the_node_of_a_file_has_the_name_that_is_known_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let named = |file: &str, text: &str| {
        let path = folder.path().join(file);
        fs::write(&path, text).unwrap();
        open(&path).unwrap().names()[0].clone()
    };
    assert_eq!(named("x.json", r#"{"name": "a", "values": {"clientcert": "b"}}"#), "a");
    assert_eq!(named("x.json", r#"{"clientcert": "b", "networking": {"fqdn": "c"}}"#), "b");
    assert_eq!(named("x.json", r#"{"networking": {"fqdn": "c"}}"#), "c");
    assert_eq!(named("d.example.com.json", "{}"), "d.example.com");
}

#[test]
fn places_without_nodes_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    assert!(open(folder.path()).err().unwrap().contains("Could not find facts of any node"));
    let none = folder.path().join("none");
    assert!(open(&none).err().unwrap().contains("No such file"));
    let path = folder.path().join("fleet.facts");
    snapshot::write(&path, |_| Ok(())).unwrap();
    assert_eq!(open(&path).err().unwrap(), format!("There are no nodes in {}", path.display()));
    let error = Nodes::open("puppetdb:db.example.com", &Certificates::default()).err().unwrap();
    assert!(error.contains("it takes puppetdb:http://HOST:8080"), "{error}");
}

/// A PuppetDB with these nodes, which answers so many requests; it gives back the queries.
fn database(
    names: Vec<String>,
    requests: usize,
) -> (String, std::thread::JoinHandle<Vec<serde_json::Value>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("puppetdb:http://{}", listener.local_addr().unwrap());
    let entry = |name: &str| {
        serde_json::json!({
            "certname": name, "environment": "test", "timestamp": "2026-01-01T00:00:00Z",
            "facts": {"own": name}, "trusted": {"certname": name},
        })
    };
    let thread = std::thread::spawn(move || {
        let mut asked = Vec::new();
        for _ in 0..requests {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream);
            let (mut line, mut length) = (String::new(), 0);
            while reader.read_line(&mut line).unwrap() > 2 {
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut given = vec![0; length];
            reader.read_exact(&mut given).unwrap();
            let query = serde_json::from_slice::<serde_json::Value>(&given).unwrap()["query"].take();
            let body: Vec<serde_json::Value> = match &query[2][0] {
                serde_json::Value::String(word) if word == "extract" => {
                    let number = |at: usize| query[at][1].as_u64().unwrap() as usize;
                    let page = names.iter().skip(number(5)).take(number(4));
                    page.map(|name| serde_json::json!({ "certname": name })).collect()
                }
                _ => {
                    let wanted: Vec<String> = serde_json::from_value(query[2][2][1].clone()).unwrap();
                    wanted.iter().filter(|name| names.contains(name)).map(|name| entry(name)).collect()
                }
            };
            asked.push(query);
            let body = serde_json::Value::from(body).to_string();
            let length = body.len();
            write!(
                reader.into_inner(),
                "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            )
            .unwrap();
        }
        asked
    });
    (url, thread)
}

#[test]
fn puppetdb_is_asked_in_pages() {
    let names: Vec<String> = (0..5070).map(|number| format!("n{number:04}")).collect();
    let (url, server) = database(names.clone(), 4);
    let mut nodes = Nodes::open(&url, &Certificates::default()).unwrap();
    assert_eq!(nodes.names(), names);
    let ask = |nodes: &Nodes, name: &str| {
        let node = nodes.node(name).unwrap();
        assert_eq!(node.facts.get("own").unwrap().as_str(), Some(name));
        assert_eq!(node.environment.as_deref(), Some("test"));
        assert_eq!(node.trusted.unwrap().get("certname").and_then(Data::as_str), Some(name));
    };
    ["n0000", "n0049"].iter().for_each(|name| ask(&nodes, name));
    // What is kept is what its pages are of.
    nodes.retain(|name| name >= "n5000");
    (5000..5050).for_each(|number| ask(&nodes, &format!("n{number}")));
    assert!(
        nodes
            .node("n0000")
            .unwrap_err()
            .starts_with("Could not find facts for n0000 in PuppetDB at http://127")
    );
    let asked = server.join().unwrap();
    assert_eq!(asked[1][5], serde_json::json!(["offset", 5000]));
    assert_eq!(asked[2][2][2][1].as_array().unwrap().len(), 50);
    assert_eq!(asked[3][2][2][1][49], "n5049");
}
