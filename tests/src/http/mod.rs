//! Requests to a compile server, and what real Puppet Server answers: `spec/http/requests.jsonl` has the requests, one a line,
//! `spec/http/answers.jsonl` the answers of Puppet Server 7.9.5, written by `cargo run -p bunraku-tests --bin http -- capture`.

pub mod agent;
pub mod authority;
mod body;
pub mod bunraku_server;
pub mod client;
pub mod puppet_server;
pub mod site;

use crate::paths;
use client::{Answer, Client};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use site::Site;
use std::fs;
use std::path::PathBuf;

/// A request of the list.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// What it is called; no two are called the same.
    pub name: String,
    /// Whose certificate it comes with, without the domain; none where nobody's.
    #[serde(rename = "as")]
    pub client: Option<String>,
    /// `GET` where nothing is said; `POST` with facts.
    pub method: Option<String>,
    /// Path and query as they are sent.
    pub path: String,
    /// The header `Accept`; what an agent sends where nothing is said.
    pub accept: Option<String>,
    /// The header `Content-Type`.
    #[serde(rename = "type")]
    pub content_type: Option<String>,
    /// The body as it is sent.
    pub body: Option<String>,
    /// Facts of a catalog's request, which is then a form as an agent sends it.
    pub facts: Option<Value>,
    /// Whose facts these say they are, if not the node's.
    pub facts_name: Option<String>,
    /// Further fields of the form; null takes one out.
    pub form: Option<serde_json::Map<String, Value>>,
    /// Whose report, of one resource, is sent.
    pub report: Option<String>,
    /// The tag that the client says it has; `true`: that of this request's own answer, for which it is sent before.
    pub has: Option<Value>,
    /// Where Bunraku is meant to answer something else than Puppet Server: why.
    pub ours: Option<String>,
}

/// What a request was answered with, in a form that is the same in each run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The request's name.
    pub name: String,
    /// The status.
    pub status: u16,
    /// `Content-Type`, where there is one.
    #[serde(rename = "type")]
    pub content_type: Option<String>,
    /// `Etag`, where there is one: whether it is the body's SHA-256, which names folders that are others in each run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// The body: JSON where it is that, else text.
    pub body: Value,
}

/// The requests of the list.
///
/// # Errors
/// When the list can't be read, or two have one name.
pub fn requests() -> Result<Vec<Request>, String> {
    let requests: Vec<Request> = lines("requests.jsonl")?;
    let mut names: Vec<&str> = requests.iter().map(|request| request.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("two requests are called '{}'", pair[0])),
        None => Ok(requests),
    }
}

/// What Puppet Server answered.
///
/// # Errors
/// When the list can't be read.
pub fn answers() -> Result<Vec<Shown>, String> {
    lines("answers.jsonl")
}

/// Writes the answers.
///
/// # Errors
/// When the list can't be written.
pub fn write_answers(answers: &[Shown]) -> Result<(), String> {
    write_lines("answers.jsonl", answers)
}

fn write_lines(name: &str, answers: &[Shown]) -> Result<(), String> {
    let line = |answer: &Shown| serde_json::to_string(answer).expect("an answer is JSON") + "\n";
    let text: String = answers.iter().map(line).collect();
    fs::write(file(name), text).map_err(|error| error.to_string())
}

/// A request as an agent sends it. The connection is closed after its answer, unless it is to be kept.
pub fn bytes(request: &Request, keep: bool) -> Vec<u8> {
    let bytes = body::head_and_body(request);
    if !keep {
        return bytes;
    }
    let close = b"Connection: close\r\n";
    let at = bytes.windows(close.len()).position(|window| window == close).expect("every head has it");
    [&bytes[..at], &bytes[at + close.len()..]].concat()
}

/// Sends a request and shows what is answered.
///
/// # Errors
/// When there is no answer.
pub fn ask(site: &Site, client: &Client, request: &Request) -> Result<Shown, String> {
    let send = |request: &Request| client.send(request.client.as_deref(), &bytes(request, false));
    let mut answer = send(request)?;
    let mut before = None;
    if request.has == Some(Value::Bool(true)) {
        before = answer.header("etag").map(str::to_owned);
        let has = before.clone().map(Value::String);
        answer = send(&Request { has, ..request.clone() })?;
    }
    Ok(shown(site, &request.name, &answer, before.as_deref()))
}

/// What is the same in each run of an answer.
fn shown(site: &Site, name: &str, answer: &Answer, before: Option<&str>) -> Shown {
    let content_type = answer.header("content-type").map(|text| text.to_ascii_lowercase().replace("; ", ";"));
    let content_type = content_type.map(|text| match text.starts_with("text/plain") {
        true => "text/plain".to_owned(),
        false => text,
    });
    let text = String::from_utf8_lossy(&answer.body).replace(&site.folder().display().to_string(), "$SITE");
    let body = match serde_json::from_str(&text) {
        Ok(mut value) => {
            body::steady(&mut value);
            value
        }
        Err(_) => Value::String(text),
    };
    let sum = Sha256::digest(&answer.body).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let tag = answer.header("etag").map(|tag| match tag {
        tag if tag == sum => "the body's SHA-256".to_owned(),
        tag if Some(tag) == before => "as before".to_owned(),
        tag => tag.to_owned(),
    });
    Shown { name: name.to_owned(), status: answer.status, content_type, tag, body }
}

fn file(name: &str) -> PathBuf {
    paths::spec().join("http").join(name)
}

/// What stands in a list, a value a line.
fn lines<T: for<'d> Deserialize<'d>>(name: &str) -> Result<Vec<T>, String> {
    let text = fs::read_to_string(file(name)).map_err(|error| format!("{name}: {error}"))?;
    let read = |line| serde_json::from_str(line).map_err(|error| format!("{name}: {error}: {line}"));
    text.lines().map(read).collect()
}
