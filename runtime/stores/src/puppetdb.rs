//! The store as PuppetDB: its query API (version 4) for exported resources and facts, its command API for catalogs.

use super::{Certificates, Exported, Filter, Store, client, wire};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value as Json, json};
use std::time::Duration;
use ureq::Agent;

/// A PuppetDB, or several with the same content: the next is asked where one can't answer.
#[derive(Debug)]
pub struct PuppetDb {
    /// In the order in which they are asked.
    urls: Vec<String>,
    agent: Agent,
}

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How large it may be.
const LARGEST: u64 = 256 << 20;
/// What stands for itself in a part of a path.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

impl PuppetDb {
    /// The PuppetDB at `url` (`http://host:8080`, `https://host:8081`), or several, by commas, as `server_urls` has them.
    ///
    /// # Errors
    /// When a file of certificates can't be used.
    pub fn new(url: &str, certificates: &Certificates) -> Result<PuppetDb, String> {
        let agent = client::agent(certificates, TIMEOUT)?;
        let urls = url.split(',').map(|url| url.trim().trim_end_matches('/').to_owned());
        Ok(PuppetDb { urls: urls.collect(), agent })
    }

    /// What the query API answers: to a query in PuppetDB's syntax tree that begins with `from`, or to a text in PQL.
    ///
    /// # Errors
    /// When it can't be asked, refuses the query, or answers with no list.
    pub fn ask(&self, query: &Json) -> Result<Vec<Json>, String> {
        const PATH: &str = "/pdb/query/v4";
        let body = json!({ "query": query }).to_string();
        let answer = self.answer(PATH, |url| {
            let request = self.agent.post(url).header("Accept", "application/json");
            request.content_type("application/json").send(&body)
        })?;
        match answer {
            Some(Json::Array(all)) => Ok(all),
            Some(_) => Err(self.failed(PATH, "the answer is no list")),
            None => Err(self.failed(PATH, "404")),
        }
    }

    fn failed(&self, path: &str, what: impl std::fmt::Display) -> String {
        failed(&self.urls.join(","), path, what)
    }

    /// The JSON of an answer; none for `404 Not Found`. Each server is asked in turn until one answers: those that can't be
    /// reached, fail, or do not know are passed over, as PuppetDB's own terminus does.
    fn answer(
        &self,
        path: &str,
        send: impl Fn(String) -> Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<Option<Json>, String> {
        let mut errors = Vec::new();
        let mut is_unknown = false;
        for url in &self.urls {
            match of_server(url, path, send(format!("{url}{path}"))) {
                Answer::Json(json) => return Ok(Some(json)),
                Answer::Refused(error) => return Err(error),
                Answer::Unknown => is_unknown = true,
                Answer::Failed(error) => errors.push(error),
            }
        }
        match is_unknown {
            true => Ok(None),
            false => Err(errors.join("; ")),
        }
    }
}

/// What a server has said.
enum Answer {
    Json(Json),
    /// That there is no such thing.
    Unknown,
    /// Nothing of use; another may do better.
    Failed(String),
    /// That what is asked is wrong.
    Refused(String),
}

fn failed(url: &str, path: &str, what: impl std::fmt::Display) -> String {
    format!("Could not ask PuppetDB at {url}{path}: {what}")
}

fn of_server(
    url: &str,
    path: &str,
    response: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
) -> Answer {
    let failed = |what: String| Answer::Failed(failed(url, path, what));
    let mut response = match response {
        Ok(response) => response,
        Err(error) => return failed(error.to_string()),
    };
    let status = response.status();
    let text = match response.body_mut().with_config().limit(LARGEST).read_to_string() {
        Ok(text) => text,
        Err(error) => return failed(error.to_string()),
    };
    match status.as_u16() {
        404 => Answer::Unknown,
        code if status.is_success() => match serde_json::from_str(&text) {
            Ok(json) => Answer::Json(json),
            Err(error) => failed(format!("{code} with no JSON: {error}")),
        },
        code if status.is_redirection() => {
            let place = response.headers().get("location").and_then(|place| place.to_str().ok());
            failed(format!("{code} to {}, and redirects are not followed", place.unwrap_or("nowhere")))
        }
        code if status.is_client_error() => {
            Answer::Refused(self::failed(url, path, format!("{code} {}", text.trim())))
        }
        code => failed(format!("{code} {}", text.trim())),
    }
}

/// A filter in PuppetDB's query language.
pub fn query(filter: &Filter) -> Json {
    match filter {
        Filter::Eq(name, value) if name == "title" => json!(["=", "title", value]),
        Filter::Eq(name, Json::Array(tags)) if name == "tag" => {
            let any = tags.iter().map(|tag| query(&Filter::Eq("tag".to_owned(), tag.clone())));
            Json::Array([json!("or")].into_iter().chain(any).collect())
        }
        Filter::Eq(name, value) if name == "tag" => {
            json!(["=", "tag", value.as_str().map_or_else(|| value.to_string(), str::to_lowercase)])
        }
        Filter::Eq(name, value) => json!(["=", ["parameter", name], value]),
        Filter::NotEq(name, value) => json!(["not", query(&Filter::Eq(name.clone(), value.clone()))]),
        Filter::And(left, right) => json!(["and", query(left), query(right)]),
        Filter::Or(left, right) => json!(["or", query(left), query(right)]),
    }
}

impl Store for PuppetDb {
    fn is_puppetdb(&self) -> bool {
        true
    }

    fn ask(&self, query: &Json) -> Result<Vec<Json>, String> {
        PuppetDb::ask(self, query)
    }

    fn exported(
        &self,
        type_name: &str,
        node: &str,
        filter: Option<&Filter>,
    ) -> Result<Vec<Exported>, String> {
        const PATH: &str = "/pdb/query/v4/resources";
        let mut wanted = vec![
            json!("and"),
            json!(["=", "type", type_name]),
            json!(["=", "exported", true]),
            json!(["=", ["node", "active"], true]),
            json!(["not", ["=", "certname", node]]),
        ];
        wanted.extend(filter.map(query));
        let wanted = Json::Array(wanted).to_string();
        let answer = self.answer(PATH, |url| {
            self.agent.get(url).header("Accept", "application/json").query("query", &wanted).call()
        })?;
        match answer {
            Some(Json::Array(all)) => {
                let resources = all.iter().map(|resource| Exported::read("", resource));
                resources.collect::<Option<_>>().ok_or_else(|| self.failed(PATH, "a resource has no title"))
            }
            _ => Err(self.failed(PATH, "the answer is no list")),
        }
    }

    fn facts(&self, node: &str) -> Result<Option<Map<String, Json>>, String> {
        // Servers resolve these even where they are escaped.
        if matches!(node, "" | "." | "..") {
            return Err(format!("Could not ask PuppetDB for {node:?}: that is no node's name"));
        }
        let path = format!("/pdb/query/v4/nodes/{}/facts", utf8_percent_encode(node, PLAIN));
        match self.answer(&path, |url| self.agent.get(url).header("Accept", "application/json").call())? {
            None => Ok(None),
            Some(Json::Array(facts)) if facts.is_empty() => Ok(None),
            Some(facts) => {
                bunraku_nodes::facts::shape(facts).map(Some).map_err(|error| self.failed(&path, error))
            }
        }
    }

    fn save(&self, node: &str, catalog: &Json) -> Result<(), String> {
        const PATH: &str = "/pdb/cmd/v1";
        let command = wire::replace_catalog(catalog);
        let stamp = command["producer_timestamp"].as_str().unwrap_or_default().to_owned();
        let body = command.to_string();
        let answer = self.answer(PATH, |url| {
            let request = self.agent.post(url).query("command", "replace_catalog").query("version", "9");
            let request = request.query("certname", node).query("producer-timestamp", &stamp);
            request.header("Accept", "application/json").content_type("application/json").send(&body)
        })?;
        match answer {
            Some(answer) if answer.get("uuid").is_some() => Ok(()),
            Some(answer) => Err(self.failed(PATH, format!("the catalog was not taken: {answer}"))),
            None => Err(self.failed(PATH, "404")),
        }
    }
}

#[cfg(test)]
mod tests;
