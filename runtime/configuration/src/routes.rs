//! `routes.yaml`: where facts and catalogs come from, in place of what the settings say, for a server or another of Puppet's
//! applications. Source: Puppet 7.23.0, `server` and `master` being two names of one.

use crate::configuration::Configuration;
use bunraku_files::read;
use serde_json::Value as Json;
use std::path::Path;

/// Bytes that it may hold.
const MAX_ROUTES: u64 = 1 << 20;

/// The application whose routes a server has.
pub const SERVER: &str = "server";

/// What it says of an application.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routes {
    /// The terminus of facts.
    pub facts: Option<String>,
    /// The terminus that facts are looked for in before.
    pub facts_cache: Option<String>,
    /// The terminus of nodes.
    pub node: Option<String>,
    /// The terminus of catalogs.
    pub catalog: Option<String>,
    /// The terminus that catalogs are kept by besides.
    pub catalog_cache: Option<String>,
}

impl Routes {
    /// Reads the file that the setting `route_file` names, for an application ([`SERVER`], or what the command is called, such as
    /// `catalog`); where it is not there, it says nothing.
    ///
    /// # Errors
    /// When it can't be read or is no YAML of that form; names the file.
    pub fn read(configuration: &Configuration, application: &str) -> Result<Routes, String> {
        let path = configuration.in_force().text("route_file")?;
        match read::regular_text(Path::new(&path), MAX_ROUTES) {
            Ok(text) => Routes::parse(&path, &text, application),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Routes::default()),
            Err(error) => Err(format!("Could not read {path}: {error}")),
        }
    }

    /// Reads its text.
    ///
    /// # Errors
    /// As [`Routes::read`].
    pub fn parse(path: &str, text: &str, application: &str) -> Result<Routes, String> {
        if text.trim().is_empty() {
            return Ok(Routes::default());
        }
        let all: Json =
            serde_saphyr::from_str(text).map_err(|error| format!("Could not parse {path}: {error}"))?;
        if !all.is_object() {
            return Err(format!("Could not parse {path}: it is not a hash"));
        }
        let section = match application {
            SERVER => all.get(SERVER).or_else(|| all.get("master")),
            other => all.get(other),
        };
        let named = |of: &str, what: &str| {
            let found = section?.get(of)?.get(what)?.as_str()?;
            Some(found.trim_start_matches(':').to_owned())
        };
        let terminus = |of: &str| named(of, "terminus");
        Ok(Routes {
            facts: terminus("facts"),
            facts_cache: named("facts", "cache"),
            node: terminus("node"),
            catalog: terminus("catalog"),
            catalog_cache: named("catalog", "cache"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_have_two_names() {
        for name in ["server", "master"] {
            let text = format!(
                "---\n{name}:\n  facts:\n    terminus: puppetdb\n    cache: yaml\napply:\n  facts:\n    terminus: facter\n"
            );
            let routes = Routes::parse("/r", &text, SERVER).unwrap();
            let (facts, facts_cache) = (Some("puppetdb".to_owned()), Some("yaml".to_owned()));
            assert_eq!(routes, Routes { facts, facts_cache, ..Routes::default() });
            assert_eq!(Routes::parse("/r", &text, "catalog"), Ok(Routes::default()));
            let apply = Routes::parse("/r", &text, "apply").unwrap();
            assert_eq!(apply.facts.as_deref(), Some("facter"));
        }
        assert_eq!(Routes::parse("/r", "", SERVER), Ok(Routes::default()));
        assert_eq!(
            Routes::parse("/r", "[1]", SERVER),
            Err("Could not parse /r: it is not a hash".to_owned())
        );
        assert!(Routes::parse("/r", "a: [", SERVER).unwrap_err().starts_with("Could not parse /r: "));
    }
}
