//! Requests to a certificate authority, and what real Puppet Server answers: `spec/http/authority/`.

use super::client::Client;
use super::{Request, Shown, bytes, lines, write_lines};
use crate::ca::Site;
use regex_lite::Regex;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// An authority by `bunraku ca`, and a folder of its certificates for clients: `localhost`, who may administer it.
pub struct Authority {
    /// The site.
    pub site: Site,
    /// The folder.
    pub clients: PathBuf,
}

impl Authority {
    /// Makes one. Nothing is signed unless somebody does.
    ///
    /// # Errors
    /// When it can't be made.
    pub fn new() -> Result<Authority, String> {
        let site = Site::new("autosign = false")?;
        let made = site.ca(&["init"])?;
        if made.status != Some(0) {
            return Err(made.err);
        }
        let clients = site.folder().join("clients");
        let copy = |from: &str, to: &str| {
            fs::copy(site.folder().join("ssl").join(from), clients.join(to))
                .map_err(|error| error.to_string())
        };
        fs::create_dir_all(&clients).map_err(|error| error.to_string())?;
        copy("certs/ca.pem", "ca.pem")?;
        copy("certs/localhost.pem", "localhost.pem")?;
        copy("private_keys/localhost.pem", "localhost.key")?;
        Ok(Authority { site, clients })
    }

    /// Asks a server at a port all requests of the list.
    ///
    /// # Errors
    /// When there is no answer to one.
    pub fn ask(&self, port: u16) -> Result<Vec<Shown>, String> {
        let client = Client::of(self.clients.clone(), port);
        requests()?.iter().map(|request| ask(&client, request)).collect()
    }
}

/// The requests of the list.
///
/// # Errors
/// When it can't be read.
pub fn requests() -> Result<Vec<Request>, String> {
    lines("authority/requests.jsonl")
}

/// What Puppet Server answered.
///
/// # Errors
/// When the list can't be read.
pub fn answers() -> Result<Vec<Shown>, String> {
    lines("authority/answers.jsonl")
}

/// Writes the answers.
///
/// # Errors
/// When the list can't be written.
pub fn write_answers(answers: &[Shown]) -> Result<(), String> {
    write_lines("authority/answers.jsonl", answers)
}

fn ask(client: &Client, request: &Request) -> Result<Shown, String> {
    let answer = client.send(request.client.as_deref(), &bytes(request, false))?;
    let content_type = answer.header("content-type").unwrap_or_default().to_ascii_lowercase();
    // Puppet Server leaves the type out, or takes what the client accepts for one.
    let content_type = match content_type.split(';').next().unwrap_or_default() {
        "" => None,
        "*/*" => Some("application/json".to_owned()),
        other => Some(other.to_owned()),
    };
    let text = steady(&String::from_utf8_lossy(&answer.body))?;
    let mut body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    // Puppet Server has the order of the disk.
    if let Value::Array(all) = &mut body {
        all.sort_by_key(|one| one["name"].to_string());
    }
    Ok(Shown { name: request.name.clone(), status: answer.status, content_type, tag: None, body })
}

/// A body without what is another in each run: certificates and lists, their hashes and times.
fn steady(text: &str) -> Result<String, String> {
    let mut text = text.to_owned();
    for (pattern, word) in [
        (r"(?s)-----BEGIN (CERTIFICATE|X509 CRL)-----.*?-----END (CERTIFICATE|X509 CRL)-----", "$1"),
        (r"([0-9A-F]{2}:){19,}[0-9A-F]{2}", "HASH"),
        (r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}UTC", "TIME"),
    ] {
        let pattern = Regex::new(pattern).map_err(|error| error.to_string())?;
        text = pattern.replace_all(&text, word).into_owned();
    }
    Ok(text)
}
