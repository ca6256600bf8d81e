//! `routes.yaml`: where a server's facts and catalogs come from, in place of what the settings say.
//! Source: Puppet 7.23.0, `server` and `master` being two names of one.

use crate::configuration::Configuration;
use bunraku_files::read;
use serde_json::Value as Json;
use std::path::Path;

/// Bytes that it may hold.
const MAX_ROUTES: u64 = 1 << 20;

/// What it says of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routes {
    /// The terminus of facts.
    pub facts: Option<String>,
    /// The terminus of nodes.
    pub node: Option<String>,
    /// The terminus of catalogs.
    pub catalog: Option<String>,
}

impl Routes {
    /// Reads the file that the setting `route_file` names; where it is not there, it says nothing.
    ///
    /// # Errors
    /// When it can't be read or is no YAML of that form; names the file.
    pub fn read(configuration: &Configuration) -> Result<Routes, String> {
        let path = configuration.in_force().text("route_file")?;
        match read::regular_text(Path::new(&path), MAX_ROUTES) {
            Ok(text) => Routes::parse(&path, &text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Routes::default()),
            Err(error) => Err(format!("Could not read {path}: {error}")),
        }
    }

    /// Reads its text.
    ///
    /// # Errors
    /// As [`Routes::read`].
    pub fn parse(path: &str, text: &str) -> Result<Routes, String> {
        if text.trim().is_empty() {
            return Ok(Routes::default());
        }
        let all: Json =
            serde_saphyr::from_str(text).map_err(|error| format!("Could not parse {path}: {error}"))?;
        if !all.is_object() {
            return Err(format!("Could not parse {path}: it is not a hash"));
        }
        let server = all.get("server").or_else(|| all.get("master"));
        let terminus = |of: &str| {
            let found = server?.get(of)?.get("terminus")?.as_str()?;
            Some(found.trim_start_matches(':').to_owned())
        };
        Ok(Routes { facts: terminus("facts"), node: terminus("node"), catalog: terminus("catalog") })
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
            let routes = Routes::parse("/r", &text).unwrap();
            assert_eq!(routes, Routes { facts: Some("puppetdb".to_owned()), ..Routes::default() });
        }
        assert_eq!(Routes::parse("/r", ""), Ok(Routes::default()));
        assert_eq!(Routes::parse("/r", "[1]"), Err("Could not parse /r: it is not a hash".to_owned()));
        assert!(Routes::parse("/r", "a: [").unwrap_err().starts_with("Could not parse /r: "));
    }
}
