//! Facts that are sent are kept as Puppet keeps them, byte for byte.

use crate::exchange::{Answer, Case, check, configuration, puppet};
use bunraku_server::facts::Facts;
use bunraku_tests::oracle::seven_and_eight;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Names of files, and what is in them.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("it can be read"));
    let file = |entry: fs::DirEntry| {
        let text = fs::read_to_string(entry.path()).expect("UTF-8");
        (entry.file_name().into_string().expect("UTF-8"), text)
    };
    entries.map(file).collect()
}

#[test]
fn facts_are_kept_as_puppet_does() {
    let put = |name: &str, body: &str| {
        Case::put(format!("/puppet/v3/facts/{name}?environment=production"), "application/json", body)
    };
    let mut cases: Vec<Case> = [
        r#"{"name":"n0","values":{"a":1,"b":{"c":[1,2.5,null,"\u00e4\u2028<>"]},"_timestamp":"2026-01-01T00:00:00Z"},"timestamp":"2026-01-02T03:04:05.5Z","expiration":"2026-01-02T03:34:05.123456789+01:00"}"#,
        r#"{"name":"n1","values":{}}"#,
        r#"{"values":{"z":true,"a":false},"name":"n2","timestamp":"2026-01-02T03:04:05-07:00","more":1}"#,
        r#"{"name":"n3","values":{"a":12345678901234567890,"b":-0.5,"c":"","d":[],"e":{}},"timestamp":null,"expiration":false}"#,
        r#"{"name":"n4","values":{"a":"\u0000\u001f\u007f\\\"/"},"timestamp":5}"#,
    ]
    .iter()
    .enumerate()
    .map(|(number, body)| put(&format!("n{number}"), body))
    .collect();
    for (name, body) in [
        ("other", r#"{"name":"n0","values":{}}"#),
        ("..", r#"{"name":"..","values":{}}"#),
        ("a%2fb", r#"{"name":"a/b","values":{}}"#),
        ("C:x", r#"{"name":"C:x","values":{}}"#),
    ] {
        cases.push(put(name, body));
    }
    let body = r#"{"name":"n1","values":{}}"#;
    cases.push(Case::put("/puppet/v3/facts/n1?environment=none", "application/json", body));
    cases.push(Case::put("/puppet/v3/facts/n1?environment=production", "text/yaml", body));
    for oracle in seven_and_eight("facts") {
        let folders = [0, 1].map(|_| tempfile::tempdir().expect("a folder"));
        for folder in &folders {
            fs::create_dir_all(folder.path().join("environments/production")).expect("folders can be made");
        }
        let data = folders.each_ref().map(|folder| folder.path().join("data").display().to_string());
        let settings = [("facts_terminus", "json"), ("client_datadir", &*data[0])];
        let expected = puppet(oracle, folders[0].path(), &settings, &cases);
        let settings = [("server_datadir", &*data[1])];
        let facts = Facts::new(&configuration(oracle, folders[1].path(), &settings)).expect("facts");
        let answer = |case: &Case| {
            let (request, _, rest) = case.request();
            Answer::of(facts.put(&request, &rest, || Ok(serde_json::Value::Null)))
        };
        check(oracle, &cases, &expected, &cases.iter().map(answer).collect::<Vec<_>>());
        let [theirs, ours] = data.each_ref().map(|folder| files(&Path::new(folder).join("facts")));
        assert_eq!(theirs, ours);
        assert_eq!(ours.len(), 5);
    }
}
