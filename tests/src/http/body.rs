//! Requests as bytes, as an agent sends them; answers without what differs in each run.

use super::Request;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

/// The whole request. The connection is closed after its answer.
pub fn head_and_body(request: &Request) -> Vec<u8> {
    let (content_type, body) = match (&request.facts, &request.form, &request.report) {
        (None, None, Some(host)) => (request.content_type.clone(), Some(report(host))),
        (None, None, None) => (request.content_type.clone(), request.body.clone()),
        _ => (Some("application/x-www-form-urlencoded".to_owned()), Some(form(request))),
    };
    let form = request.facts.is_some() || request.form.is_some();
    let method = request.method.as_deref().unwrap_or(if form { "POST" } else { "GET" });
    let accept =
        request.accept.as_deref().unwrap_or("application/vnd.puppet.rich+json, application/json, text/pson");
    let mut head = format!(
        "{method} {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Puppet-Version: 7.23.0\r\n\
         User-Agent: Puppet/7.23.0\r\nAccept: {accept}\r\n",
        request.path
    );
    if accept.is_empty() {
        head = head.replace("Accept: \r\n", "");
    }
    if let Some(content_type) = content_type {
        head.push_str(&format!("Content-Type: {content_type}\r\n"));
    }
    if let Some(Value::String(tag)) = &request.has {
        head.push_str(&format!("If-None-Match: {tag}\r\n"));
    }
    if let Some(body) = &body {
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    let mut bytes = (head + "\r\n").into_bytes();
    bytes.extend(body.unwrap_or_default().into_bytes());
    bytes
}

/// The fields in an agent's order; facts are encoded twice.
fn form(request: &Request) -> String {
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let certname = path.rsplit('/').next().unwrap_or_default();
    let environment = query.split('&').find_map(|pair| pair.strip_prefix("environment="));
    let mut fields: Vec<(String, String)> = Vec::new();
    if let Some(values) = &request.facts {
        let name = request.facts_name.as_deref().unwrap_or(certname);
        let mut values = values.clone();
        values["clientcert"] = json!(certname);
        let facts = json!({
            "name": name, "values": values, "timestamp": "2026-11-22T00:00:00.000000000+00:00",
            "expiration": "2026-11-22T00:30:00.000000000+00:00",
        });
        fields.push(("facts_format".into(), "application/json".into()));
        fields.push(("facts".into(), encoded(&facts.to_string())));
    }
    let usual = [
        ("environment", environment.unwrap_or_default()),
        ("configured_environment", environment.unwrap_or_default()),
        ("check_environment", "true"),
        ("transaction_uuid", "11111111-2222-3333-4444-555555555555"),
        ("job_uuid", ""),
        ("static_catalog", "true"),
        ("checksum_type", "sha256.sha384.sha512.sha224.md5"),
    ];
    fields.extend(usual.map(|(key, value)| (key.to_owned(), value.to_owned())));
    for (key, value) in request.form.iter().flatten() {
        fields.retain(|(before, _)| before != key);
        if let Value::String(value) = value {
            fields.push((key.clone(), value.clone()));
        }
    }
    let pair = |(key, value): &(String, String)| format!("{key}={}", encoded(value));
    fields.iter().map(pair).collect::<Vec<_>>().join("&")
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// The report of one resource, in the twelfth form, which agents of Puppet 7 and 8 send, as a host's own.
fn report(host: &str) -> String {
    let text = std::fs::read_to_string(super::file("report.json")).expect("the report can be read");
    text.replace("HOST", host)
}

/// Takes out of a JSON value what is another in each run: identifiers, times, versions that are times.
pub fn steady(value: &mut Value) {
    match value {
        Value::Array(items) => {
            items.iter_mut().for_each(steady);
            // Files of a folder stand in the order of the disk.
            if items.iter().all(|item| item.get("relative_path").is_some()) {
                items.sort_by_key(|item| item["relative_path"].to_string());
            }
            // So do modules, tasks and plans.
            let is_listed = |item: &Value| {
                item.get("name").is_some()
                    && (item.get("version").is_some() || item["environment"].is_array())
            };
            if items.iter().all(is_listed) {
                items.sort_by_key(|item| item["name"].to_string());
            }
            // And a task's files but for those that may be run, which have no slash.
            if items.iter().all(|item| item.get("filename").is_some()) {
                let below = |item: &Value| {
                    item["filename"].as_str().filter(|name| name.contains('/')).map(str::to_owned)
                };
                items.sort_by_key(below);
            }
        }
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                match (key.as_str(), &*value) {
                    ("catalog_uuid", Value::String(_)) => *value = "UUID".into(),
                    // Where an environment has no version of its own, it is the time of its reading.
                    ("version", Value::Number(_)) => *value = "TIME".into(),
                    ("serverip" | "serverip6" | "servername" | "serverversion", Value::String(_)) => {
                        *value = "OF THE SERVER".into();
                    }
                    ("value", Value::String(text)) if text.starts_with("{ctime}") => {
                        *value = "{ctime}TIME".into()
                    }
                    ("value", Value::String(text)) if text.starts_with("{mtime}") => {
                        *value = "{mtime}TIME".into()
                    }
                    _ => steady(value),
                }
            }
        }
        _ => {}
    }
}
