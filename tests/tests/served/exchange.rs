//! The same requests to real Puppet's handlers (`tests/oracle/served.rb`) and to the server's functions.

use bunraku::{Compat, Configuration};
use bunraku_server::exchange::{Client, Failure, Request, Response};
use bunraku_tests::oracle::Oracle;
use bytes::Bytes;
use http::{Method, header};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::process::Stdio;

/// A request.
#[derive(Clone, Debug)]
pub struct Case {
    pub method: &'static str,
    pub url: String,
    pub accept: Option<&'static str>,
    pub content_type: Option<&'static str>,
    pub body: Vec<u8>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub status: u16,
    pub media_type: String,
    pub body: Vec<u8>,
    /// Level and message of what was logged meanwhile.
    pub logs: Vec<(String, String)>,
}

/// Who asks.
pub const NODE: &str = "web01.example.com";

impl Case {
    pub fn get(url: impl Into<String>) -> Case {
        let accept = Some("application/json, text/pson");
        Case { method: "GET", url: url.into(), accept, content_type: None, body: Vec::new() }
    }

    pub fn put(url: impl Into<String>, content_type: &'static str, body: impl Into<Vec<u8>>) -> Case {
        let (body, content_type) = (body.into(), Some(content_type));
        Case { method: "PUT", body, content_type, ..Case::get(url) }
    }

    pub fn binary(self) -> Case {
        Case { accept: Some("application/octet-stream"), ..self }
    }

    fn path(&self) -> String {
        decode(self.url.split('?').next().unwrap_or_default())
    }

    fn query(&self) -> Vec<(String, String)> {
        let query = self.url.split_once('?').map_or("", |(_, query)| query);
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        pairs.map(|(key, value)| (decode(key), decode(value))).collect()
    }

    /// The request as the server's functions see it, the name of what is asked for, and the rest of the path.
    pub fn request(&self) -> (Request, String, String) {
        let path = self.path();
        let below = path.strip_prefix("/puppet/v3/").expect("a path of version 3");
        let (name, rest) = below.split_once('/').expect("a name in the path");
        let (name, rest) = (name.to_owned(), rest.to_owned());
        let accept = self.accept.unwrap_or_default().split(',').map(str::trim);
        let request = Request {
            method: Method::from_bytes(self.method.as_bytes()).expect("a method"),
            query: self.query(),
            accept: accept.filter(|one| !one.is_empty()).map(str::to_owned).collect(),
            content_type: self.content_type.map(str::to_owned),
            if_none_match: None,
            if_modified_since: None,
            passed_on: false,
            body: Bytes::from(self.body.clone()),
            client: Client {
                certname: Some(NODE.to_owned()),
                extensions: Vec::new(),
                address: IpAddr::V4(Ipv4Addr::LOCALHOST),
                version: None,
                certificate: None,
                passes_on: None,
            },
            path,
        };
        (request, name, rest)
    }

    fn json(&self) -> Value {
        let headers = [("accept", self.accept), ("content-type", self.content_type)];
        let headers: serde_json::Map<String, Value> = headers
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), Value::from(value?))))
            .collect();
        let body: String = self.body.iter().map(|byte| format!("{byte:02x}")).collect();
        json!({"method": self.method, "path": self.path(), "query": self.query(), "headers": headers,
               "node": NODE, "body": body})
    }
}

fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

impl Answer {
    /// What one of the server's functions has answered.
    pub fn of(result: Result<Response, Failure>) -> Answer {
        let response = result.unwrap_or_else(|failure| failure.response());
        let media_type = response.headers.iter().find(|(name, _)| name == header::CONTENT_TYPE);
        let media_type = media_type.map_or("", |(_, value)| value.to_str().expect("a media type"));
        let mut body = Vec::new();
        response.body.reader().read_to_end(&mut body).expect("it can be read");
        Answer { status: response.status.as_u16(), media_type: media_type.to_owned(), body, logs: Vec::new() }
    }

    /// The body as JSON, where it is any, lists of files by their names.
    pub fn comparable(&self) -> Value {
        match serde_json::from_slice(&self.body) {
            Ok(Value::Array(mut all)) => {
                all.sort_by_key(|one| one["relative_path"].as_str().unwrap_or_default().to_owned());
                Value::Array(all)
            }
            Ok(other) => other,
            Err(_) => Value::from(String::from_utf8_lossy(&self.body)),
        }
    }
}

/// What a Puppet whose configuration lies in `folder`, with these settings besides, answers to requests, in order.
pub fn puppet(oracle: Oracle, folder: &Path, settings: &[(&str, &str)], cases: &[Case]) -> Vec<Answer> {
    let mut command = oracle.script("served.rb");
    for name in ["confdir", "codedir", "vardir"] {
        command.arg(format!("--{name}")).arg(folder);
    }
    for (name, value) in settings {
        command.arg(format!("--{name}")).arg(value);
    }
    let command = command.env("TZ", "UTC").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("Ruby starts");
    let lines: String = cases.iter().map(|case| case.json().to_string() + "\n").collect();
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("all is read");
    let answers: Vec<Answer> = String::from_utf8(output.stdout).expect("UTF-8").lines().map(answer).collect();
    assert_eq!(answers.len(), cases.len(), "Puppet ended before its time");
    answers
}

fn answer(line: &str) -> Answer {
    let json: Value = serde_json::from_str(line).expect("JSON");
    let text = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
    let hex = text("body");
    let bytes = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16));
    let logs = json["logs"].as_array().expect("a list").iter();
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Answer {
        status: json["status"].as_u64().and_then(|status| status.try_into().ok()).expect("a status"),
        media_type: text("type"),
        body: bytes.collect::<Result<_, _>>().expect("hexadecimal digits"),
        logs: logs.map(|log| (word(&log[0]), word(&log[1]))).collect(),
    }
}

/// The same configuration for the server.
pub fn configuration(oracle: Oracle, folder: &Path, settings: &[(&str, &str)]) -> Configuration {
    let compat = if oracle.number == 7 { Compat::V7 } else { Compat::V8 };
    let root = folder.display().to_string();
    let mut given: Vec<(String, String)> =
        ["confdir", "codedir", "vardir"].map(|name| (name.to_owned(), root.clone())).to_vec();
    given.extend(settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    Configuration::read(compat, &given).expect("a configuration")
}

/// Fails with all that differs.
pub fn check(oracle: Oracle, cases: &[Case], expected: &[Answer], found: &[Answer]) {
    let mut wrong = Vec::new();
    for ((case, expected), found) in cases.iter().zip(expected).zip(found) {
        let same = (expected.status, &expected.media_type) == (found.status, &found.media_type)
            && expected.comparable() == found.comparable();
        if !same {
            let show =
                |answer: &Answer| format!("{} {} {}", answer.status, answer.media_type, answer.comparable());
            wrong.push(format!(
                "{} {}\n  Puppet: {}\n  ours:   {}",
                case.method,
                case.url,
                show(expected),
                show(found)
            ));
        }
    }
    println!(
        "Puppet {}: {} of {} requests are answered alike",
        oracle.version,
        cases.len() - wrong.len(),
        cases.len()
    );
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}
