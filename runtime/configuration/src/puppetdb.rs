//! `puppetdb.conf`: which PuppetDB a server talks to.
//! Source: the terminus of PuppetDB 7 (documentation of its connections).

use crate::configuration::Configuration;
use crate::file::ConfigFile;
use crate::value::Raw;
use bunraku_files::read;
use std::path::Path;

/// Bytes that it may hold.
const MAX_CONF: u64 = 1 << 20;

/// What it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PuppetDbConf {
    /// The servers, in the order in which they are asked.
    pub server_urls: Vec<String>,
    /// Whether a catalog that can't be stored is a warning only.
    pub soft_write_failure: bool,
    /// Whether commands go to all servers, and not to the first that takes them.
    pub command_broadcast: bool,
    /// How many servers have to take a command that goes to all.
    pub min_successful_submissions: u32,
    /// Servers that get commands besides, where they go to all, and are asked nothing.
    pub submit_only_server_urls: Vec<String>,
    /// Whether reports are to have resources of which there is nothing to tell.
    pub include_unchanged_resources: bool,
    /// Whether catalogs are to have their edges.
    pub include_catalog_edges: bool,
    /// Warnings: what is set and makes no difference here.
    pub warnings: Vec<String>,
}

impl PuppetDbConf {
    /// Reads the file beside a configuration's `puppet.conf`; without it the server is `https://puppetdb:8081`.
    ///
    /// # Errors
    /// When it can't be read or is malformed, with file and line.
    pub fn read(configuration: &Configuration) -> Result<PuppetDbConf, String> {
        let path = format!("{}/puppetdb.conf", configuration.in_force().text("confdir")?);
        match read::regular(Path::new(&path), MAX_CONF) {
            Ok(bytes) => PuppetDbConf::parse(&path, &bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => PuppetDbConf::parse(&path, b""),
            Err(error) => Err(format!("Could not read {path}: {error}")),
        }
    }

    /// Reads its text.
    ///
    /// # Errors
    /// When a line is none, or a URL is no URL of HTTP, with file and line.
    pub fn parse(path: &str, bytes: &[u8]) -> Result<PuppetDbConf, String> {
        let file = ConfigFile::parse(path, bytes, &[])
            .map_err(|error| format!("Could not parse {path}: {error}"))?;
        let settings = file.section("main").map_or(&[][..], |main| &main.settings[..]);
        let mut conf = PuppetDbConf {
            server_urls: Vec::new(),
            soft_write_failure: false,
            command_broadcast: false,
            min_successful_submissions: 1,
            submit_only_server_urls: Vec::new(),
            include_unchanged_resources: false,
            include_catalog_edges: true,
            warnings: Vec::new(),
        };
        let (mut server, mut port) = ("puppetdb".to_owned(), "8081".to_owned());
        for written in settings {
            let at = format!("(file: {path}, line: {})", written.line);
            match (written.name.as_str(), &written.value) {
                ("server_urls", Raw::Text(text)) => conf.server_urls = urls(&written.name, text, &at)?,
                ("submit_only_server_urls", Raw::Text(text)) => {
                    conf.submit_only_server_urls = urls(&written.name, text, &at)?;
                }
                ("command_broadcast", Raw::Boolean(value)) => conf.command_broadcast = *value,
                ("include_unchanged_resources", Raw::Boolean(value)) => {
                    conf.include_unchanged_resources = *value;
                }
                ("include_catalog_edges", Raw::Boolean(value)) => conf.include_catalog_edges = *value,
                ("min_successful_submissions", value) => {
                    let number = match value {
                        Raw::Integer(number) => u32::try_from(*number).ok(),
                        Raw::Text(text) => text.parse().ok(),
                        _ => None,
                    };
                    conf.min_successful_submissions =
                        number.filter(|number| *number > 0).ok_or_else(|| {
                            format!(
                                "The PuppetDB setting 'min_successful_submissions' is no number above 0 {at}"
                            )
                        })?;
                }
                ("soft_write_failure", Raw::Boolean(value)) => conf.soft_write_failure = *value,
                ("server", Raw::Text(text)) => server.clone_from(text),
                ("port", Raw::Text(text)) => port.clone_from(text),
                (
                    "server_url_timeout"
                    | "include_unchanged_resources"
                    | "include_catalog_edges"
                    | "submit_only_server_urls"
                    | "command_broadcast"
                    | "sticky_read_failover"
                    | "verify_client_certificate",
                    _,
                ) => {}
                (name, _) => {
                    conf.warnings.push(format!("PuppetDB has no setting '{name}'; it is ignored {at}"))
                }
            }
        }
        if conf.server_urls.is_empty() {
            conf.server_urls.push(format!("https://{server}:{port}"));
        }
        Ok(conf)
    }
}

/// The URLs of a list, by commas.
fn urls(name: &str, text: &str, at: &str) -> Result<Vec<String>, String> {
    let all = text.split(',').map(str::trim).filter(|url| !url.is_empty());
    all.map(|url| match url.starts_with("https://") || url.starts_with("http://") {
        true => Ok(url.trim_end_matches('/').to_owned()),
        false => Err(format!("Error parsing URL '{url}' in PuppetDB '{name}' {at}")),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_told() {
        let parse = |text: &str| PuppetDbConf::parse("/p", text.as_bytes());
        assert_eq!(parse("").unwrap().server_urls, ["https://puppetdb:8081"]);
        assert_eq!(parse("[main]\nserver = db\nport = 1\n").unwrap().server_urls, ["https://db:1"]);
        let conf = parse("[main]\nserver_urls = https://a:8081/, http://b\nsoft_write_failure = true\nx = 1")
            .unwrap();
        assert_eq!(conf.server_urls, ["https://a:8081", "http://b"]);
        assert!(conf.soft_write_failure);
        assert_eq!(conf.warnings, ["PuppetDB has no setting 'x'; it is ignored (file: /p, line: 4)"]);
        let error = parse("[main]\nserver_urls = puppetdb:8081").unwrap_err();
        assert_eq!(error, "Error parsing URL 'puppetdb:8081' in PuppetDB 'server_urls' (file: /p, line: 2)");
    }
}
