//! Names of extensions of certificates: those that Puppet registered, which are `bunraku_authority`'s, and a site's own.
//! Source: Puppet 7.23.0, its table of numbers and `trusted_oid_mapping_file`.

use bunraku::Data;
use bunraku::files::read;
use bunraku_authority::oids::{NAMES, PUPPETS};
use std::path::Path;

/// Bytes of the file, at most.
const MAX_FILE: u64 = 1 << 20;
/// Names of extensions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    own: Vec<(String, String)>,
}

impl Names {
    /// Puppet's, and those of a file with `oid_mapping`, if it is there.
    ///
    /// # Errors
    /// What is wrong with the file, by its name.
    pub fn read(file: &Path) -> Result<Names, String> {
        let failed = |why: &str| {
            format!("Error loading ssl custom OIDs mapping file from '{}': {why}", file.display())
        };
        if !file.exists() {
            return Ok(Names::default());
        }
        let text = read::regular_text(file, MAX_FILE).map_err(|error| failed(&error.to_string()))?;
        let Data::Map(all) = Data::from_yaml(&text).map_err(|error| failed(&error))? else {
            return Err(failed("no such index 'oid_mapping'"));
        };
        let mapping = all.into_iter().find(|(key, _)| key == "oid_mapping").map(|(_, value)| value);
        let Some(mapping) = mapping else { return Err(failed("no such index 'oid_mapping'")) };
        let Data::Map(mapping) = mapping else {
            return Err(failed("data under index 'oid_mapping' must be a Hash"));
        };
        let mut own = Vec::new();
        for (number, entry) in mapping {
            let text = |name: &str| entry.get(name).and_then(Data::as_str);
            match (text("shortname"), text("longname")) {
                (Some(short), Some(_)) => own.push((number.clone(), short.to_owned())),
                _ => return Err(failed(&format!("incomplete definition of oid '{number}'"))),
            }
        }
        Ok(Names { own })
    }

    /// What an extension is called: its short name, or its number where it has none. None where it is not one of Puppet's.
    pub fn of(&self, number: &str) -> Option<String> {
        let below = number.strip_prefix(PUPPETS)?;
        if !["1.", "2.", "3."].iter().any(|branch| below.starts_with(branch)) {
            return None;
        }
        let own = self.own.iter().find(|(known, _)| known == number).map(|(_, name)| name.clone());
        let puppets = || NAMES.iter().find(|(known, _)| *known == below).map(|(_, name)| (*name).to_owned());
        Some(own.or_else(puppets).unwrap_or_else(|| number.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_have_puppets_names_and_a_sites() {
        let work = tempfile::tempdir().unwrap();
        let file = work.path().join("custom.yaml");
        assert_eq!(Names::read(&file), Ok(Names::default()));
        let text = "oid_mapping:\n  1.3.6.1.4.1.34380.1.2.1:\n    shortname: own\n    longname: Own\n";
        std::fs::write(&file, text).unwrap();
        let names = Names::read(&file).unwrap();
        let of = |number: &str| names.of(number);
        assert_eq!(of("1.3.6.1.4.1.34380.1.1.13"), Some("pp_role".into()));
        assert_eq!(of("1.3.6.1.4.1.34380.1.2.1"), Some("own".into()));
        assert_eq!(of("1.3.6.1.4.1.34380.1.2.2"), Some("1.3.6.1.4.1.34380.1.2.2".into()));
        assert_eq!(of("1.3.6.1.4.1.34380.1.3.39"), Some("pp_cli_auth".into()));
        assert_eq!(of("1.3.6.1.4.1.34380.1.4.1"), None);
        assert_eq!(of("2.5.29.17"), None);
        std::fs::write(&file, "oid_mapping: {1.2.3: {shortname: x}}").unwrap();
        assert!(Names::read(&file).unwrap_err().ends_with("incomplete definition of oid '1.2.3'"));
        std::fs::write(&file, "other: 1").unwrap();
        assert!(Names::read(&file).unwrap_err().ends_with("no such index 'oid_mapping'"));
    }
}
