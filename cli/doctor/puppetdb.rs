//! PuppetDB: each of those that are configured is asked for its version.

use super::finding::Finding;
use bunraku::Configuration;
use bunraku::http::Client;
use serde_json::Value as Json;
use std::time::Duration;

const AREA: &str = "PuppetDB";

/// How long one may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the version of a PuppetDB is asked by.
const VERSION: &str = "/pdb/meta/v1/version";

/// Bytes of an answer that are read.
const MOST: u64 = 64 << 10;

/// Asks all of them. Without `storeconfigs` none is asked while catalogs are compiled, and so none here.
pub fn look(configuration: &Configuration) -> Vec<Finding> {
    if configuration.get("storeconfigs").is_ok_and(|setting| setting.text != "true") {
        return Vec::new();
    }
    let servers = match configuration.puppetdb_servers() {
        Ok(servers) => servers,
        Err(message) => {
            return vec![Finding::fails(AREA, message, "collectors of exported resources fail")];
        }
    };
    let client = match Client::new(&servers.certificates, PATIENCE) {
        Ok(client) => client,
        Err(message) => {
            return vec![Finding::fails(AREA, message, "no PuppetDB can be asked")];
        }
    };
    let one = |url: &String| match version(&client, url) {
        Ok(version) => Finding::fine(AREA, format!("{url} is version {version}")),
        Err(message) => {
            let consequence = "collectors of exported resources and puppetdb_query fail if no other answers";
            Finding::fails(AREA, format!("{url} does not answer: {message}"), consequence)
        }
    };
    servers.urls.iter().map(one).collect()
}

fn version(client: &Client, url: &str) -> Result<String, String> {
    let url = format!("{}{VERSION}", url.trim_end_matches('/'));
    let answered = client.request("GET", &url, &[("Accept", "application/json")], None, MOST)?;
    if answered.status != 200 {
        return Err(format!("status {}", answered.status));
    }
    let json: Option<Json> = serde_json::from_slice(&answered.body).ok();
    let version = json.as_ref().and_then(|json| json.get("version")).and_then(Json::as_str);
    version.map(str::to_owned).ok_or_else(|| "what answers is no PuppetDB".to_owned())
}
