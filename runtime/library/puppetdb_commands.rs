//! What a server tells PuppetDB, for programs that send it themselves.

use crate::configuration::Configuration;
use crate::settings::Certificates;
use bunraku_configuration::puppetdb::PuppetDbConf;
use serde_json::Value as Json;

/// The PuppetDBs that commands go to, as `puppetdb.conf` names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PuppetDbServers {
    /// Their URLs, in order.
    pub urls: Vec<String>,
    /// What they are shown, and checked by.
    pub certificates: Certificates,
    /// How many of them have to take a command that goes to all; none where it goes to the first that takes it.
    pub broadcast: Option<usize>,
    /// Whether reports are to have resources of which there is nothing to tell.
    pub include_unchanged_resources: bool,
    /// Whether catalogs are to have their edges.
    pub include_catalog_edges: bool,
}

impl Configuration {
    /// The PuppetDBs that commands go to.
    ///
    /// # Errors
    /// When `puppetdb.conf` can't be read or is malformed.
    pub fn puppetdb_servers(&self) -> Result<PuppetDbServers, String> {
        let conf = PuppetDbConf::read(self.own())?;
        let mut urls = conf.server_urls;
        if conf.command_broadcast {
            urls.extend(conf.submit_only_server_urls);
        }
        let certificates = match urls.iter().any(|url| url.starts_with("https://")) {
            true => self.certificates()?,
            false => Certificates::default(),
        };
        let least = usize::try_from(conf.min_successful_submissions).unwrap_or(usize::MAX);
        Ok(PuppetDbServers {
            broadcast: conf.command_broadcast.then(|| least.min(urls.len())),
            urls,
            certificates,
            include_unchanged_resources: conf.include_unchanged_resources,
            include_catalog_edges: conf.include_catalog_edges,
        })
    }
}

/// The payload of PuppetDB's command `replace catalog`, version 9, for a catalog as JSON, exported resources included. Who
/// produces it, and for which run, is left to who sends it.
pub fn replace_catalog_payload(catalog: &Json) -> Json {
    bunraku_stores::replace_catalog(catalog)
}
