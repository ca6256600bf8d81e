//! A request as whoever answers it sees it, and what it is answered with. Nothing here knows of connections.

use crate::identity::Extension;
use bytes::{Buf as _, Bytes};
use http::{HeaderName, HeaderValue, Method, StatusCode, header};
use serde_json::json;
use std::fs::File;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

/// One request whose client is known and allowed to ask it.
#[derive(Debug)]
pub struct Request {
    /// How it asks.
    pub method: Method,
    /// The path, percent-decoded once, without the query: `/puppet/v3/file_content/plugins/x.rb`.
    pub path: String,
    /// The query's keys and values in order, decoded.
    pub query: Vec<(String, String)>,
    /// The media types and names of forms of `Accept` in lower case, without parameters, most wanted first: in their order, as Puppet
    /// takes them, but for routes of the authority, which are by weight (`q`). Empty where the client says nothing.
    pub accept: Vec<String>,
    /// The media type of the body, without parameters.
    pub content_type: Option<String>,
    /// The tag of the answer that the client has: `If-None-Match`, as it is sent.
    pub if_none_match: Option<String>,
    /// What is to be sent only if it has changed since then (`If-Modified-Since`).
    pub if_modified_since: Option<SystemTime>,
    /// Whether a server like this one has passed it on already.
    pub passed_on: bool,
    /// The whole body; its size has been held against the route's limit.
    pub body: Bytes,
    /// Who asks.
    pub client: Client,
}

/// Who asks, as far as its certificate and its connection prove it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// The one common name of its verified certificate, in lower case; none without a certificate.
    pub certname: Option<String>,
    /// Extensions of the certificate.
    pub extensions: Vec<Extension>,
    /// Where it asks from.
    pub address: IpAddr,
    /// Puppet's version as it says it in `X-Puppet-Version`.
    pub version: Option<String>,
    /// The verified certificate itself, as DER.
    pub certificate: Option<Bytes>,
    /// The certificate that it passes on for somebody else, as DER: it proves nothing by itself. Empty where it is none.
    pub passes_on: Option<Bytes>,
}

/// What a request is answered with.
#[derive(Debug)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// Headers besides those of the body's length and of every answer.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The body.
    pub body: Body,
}

/// Bytes that are sent.
#[derive(Debug)]
pub enum Body {
    /// From memory.
    Bytes(Bytes),
    /// From memory, for many who ask the same.
    Shared(Arc<Shared>),
    /// A file's, where it lies in memory: not compressed, as little as one of the disk.
    Stored(Bytes),
    /// So many bytes of a file, from where it stands.
    File(File, u64),
}

impl Body {
    /// What is sent, to be read.
    pub fn reader(self) -> Box<dyn io::Read> {
        match self {
            Body::Bytes(bytes) | Body::Stored(bytes) => Box::new(bytes.reader()),
            Body::Shared(shared) => Box::new(shared.bytes.clone().reader()),
            Body::File(file, length) => Box::new(io::Read::take(file, length)),
        }
    }
}

/// Bytes that are sent to many: they are compressed once.
#[derive(Debug)]
pub struct Shared {
    /// As they are.
    pub bytes: Bytes,
    zipped: OnceLock<Bytes>,
}

impl Shared {
    /// Nothing is compressed before it is asked for.
    pub fn new(bytes: Bytes) -> Arc<Shared> {
        Arc::new(Shared { bytes, zipped: OnceLock::new() })
    }

    /// Compressed by `zip`, the first time.
    pub fn zipped(&self, zip: impl FnOnce(&[u8]) -> Bytes) -> Bytes {
        self.zipped.get_or_init(|| zip(&self.bytes)).clone()
    }

    /// How many bytes of memory it takes, or will.
    pub fn size(&self) -> usize {
        self.bytes.len() + self.bytes.len() / 4
    }
}

/// Why a request is not answered with what it asks for; Puppet's words, by its form of errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The status.
    pub status: StatusCode,
    /// Puppet's kind: `RUNTIME_ERROR`, `RESOURCE_NOT_FOUND` and others.
    pub kind: &'static str,
    /// The message, without the words that stand for the status.
    pub message: String,
    /// Whether the log has it already.
    pub is_told: bool,
}

/// What Puppet answers when its own code fails.
pub fn server_error(message: impl Into<String>) -> Failure {
    Failure::new(StatusCode::INTERNAL_SERVER_ERROR, message)
}

impl Client {
    /// Its name, or where it asks from if it has none.
    pub fn who(&self) -> String {
        self.certname.clone().unwrap_or_else(|| self.address.to_string())
    }

    /// What messages that concern it begin with: its name, or where it asks from, as Puppet has it in the log of reports.
    pub fn source(&self) -> String {
        match &self.certname {
            Some(name) => format!("//{name}"),
            None => format!("//{}", self.address),
        }
    }
}

impl Request {
    /// The same again, for whoever answers it; its body is shared.
    pub(crate) fn share(&self) -> Request {
        Request {
            method: self.method.clone(),
            path: self.path.clone(),
            query: self.query.clone(),
            accept: self.accept.clone(),
            content_type: self.content_type.clone(),
            if_none_match: self.if_none_match.clone(),
            if_modified_since: self.if_modified_since,
            passed_on: self.passed_on,
            body: self.body.clone(),
            client: self.client.clone(),
        }
    }

    /// The first value that the query has for a key.
    pub fn query(&self, key: &str) -> Option<&str> {
        self.query.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// All of its values, in order.
    pub fn queries<'r>(&'r self, key: &'r str) -> impl Iterator<Item = &'r str> {
        self.query.iter().filter(move |(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

impl Response {
    /// `200 OK` with a body of a media type.
    pub fn of(media_type: &'static str, body: impl Into<Bytes>) -> Response {
        Response {
            status: StatusCode::OK,
            headers: vec![(header::CONTENT_TYPE, HeaderValue::from_static(media_type))],
            body: Body::Bytes(body.into()),
        }
    }

    /// A status and a plain text.
    pub fn text(status: StatusCode, text: impl Into<String>) -> Response {
        Response { status, ..Response::of("text/plain; charset=utf-8", text.into()) }
    }
}

impl Failure {
    /// A failure of the server or of what was asked of it.
    pub fn new(status: StatusCode, message: impl Into<String>) -> Failure {
        Failure { status, kind: "RUNTIME_ERROR", message: message.into(), is_told: false }
    }

    /// What was asked for is not there.
    pub fn not_found(message: impl Into<String>) -> Failure {
        Failure { kind: "RESOURCE_NOT_FOUND", ..Failure::new(StatusCode::NOT_FOUND, message) }
    }

    /// The answer that says it: JSON as Puppet's own routes of version 3 send it.
    pub fn response(&self) -> Response {
        let words = match self.status {
            StatusCode::BAD_REQUEST => "Bad Request: ",
            StatusCode::FORBIDDEN => "Not Authorized: ",
            StatusCode::NOT_FOUND => "Not Found: ",
            StatusCode::METHOD_NOT_ALLOWED => "Method Not Allowed: ",
            StatusCode::PAYLOAD_TOO_LARGE => "Payload Too Large: ",
            StatusCode::NOT_ACCEPTABLE => "Not Acceptable: ",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "Unsupported Media Type: ",
            _ => "Server Error: ",
        };
        let body = json!({"message": format!("{words}{}", self.message), "issue_kind": self.kind});
        Response { status: self.status, ..Response::of("application/json; charset=utf-8", body.to_string()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_told_in_puppets_form() {
        let response = Failure::not_found("Could not find file_content plugins/x").response();
        assert_eq!(response.status, 404);
        let Body::Bytes(body) = response.body else { panic!("a body of bytes") };
        let text = r#"{"message":"Not Found: Could not find file_content plugins/x","issue_kind":"RESOURCE_NOT_FOUND"}"#;
        assert_eq!(body, text.as_bytes());
    }
}
