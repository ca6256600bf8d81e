//! Which settings a version of Puppet has: names, types, defaults. The tables are written by `tests/oracle/settings.rb`
//! from the real ones (7.23.0, 8.10.0, OpenVox 9.0.0~rc1).

use crate::value::Raw;
use bunraku_vm::compat::Compat;
use hashbrown::HashMap;
use serde_json::Value as Json;
use std::sync::LazyLock;

/// What values a setting takes, by Puppet's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A string.
    Text,
    /// The path of a file or folder: made absolute.
    File,
    /// Paths of folders, joined by colons: each made absolute.
    Path,
    /// True or false.
    Boolean,
    /// A whole number.
    Integer,
    /// The number of a port.
    Port,
    /// The name of an indirector's terminus, a symbol in Ruby; an empty one is none.
    Terminus,
    /// A time in seconds.
    Duration,
    /// The same; `unlimited` is without end.
    TimeToLive,
    /// Strings, joined by commas.
    List,
    /// One of some strings.
    OneOf(&'static str),
    /// The same, a symbol in Ruby.
    SymbolOf(&'static str),
    /// The priority of a process.
    Priority,
    /// True, false or an absolute path.
    Autosign,
    /// Servers with ports, joined by commas.
    Servers,
    /// Headers with values, joined by commas.
    Headers,
    /// `chain`, `leaf` or false.
    Revocation,
    /// Another setting by another name.
    Alias(&'static str),
}

impl Kind {
    fn of(word: &str, more: &'static str) -> Option<Kind> {
        Some(match word {
            "string" => Kind::Text,
            "file" | "directory" | "file_or_directory" => Kind::File,
            "path" => Kind::Path,
            "boolean" => Kind::Boolean,
            "integer" => Kind::Integer,
            "port" => Kind::Port,
            "terminus" => Kind::Terminus,
            "duration" => Kind::Duration,
            "ttl" => Kind::TimeToLive,
            "array" => Kind::List,
            "enum" => Kind::OneOf(more),
            "symbolic_enum" => Kind::SymbolOf(more),
            "priority" => Kind::Priority,
            "autosign" => Kind::Autosign,
            "server_list" => Kind::Servers,
            "http_extra_headers" => Kind::Headers,
            "certificate_revocation" => Kind::Revocation,
            "alias" => Kind::Alias(more),
            _ => return None,
        })
    }
}

/// One setting.
#[derive(Debug)]
pub struct Setting {
    /// What it is called.
    pub name: &'static str,
    /// What values it takes.
    pub kind: Kind,
    /// Its value where nobody has set it, as JSON: read when it is asked for, since few ever are.
    json: &'static str,
}

impl Setting {
    /// Its value where nobody has set it; `$name` and `${name}` in it are other settings.
    pub fn default(&self) -> Raw {
        let json: Option<Json> = serde_json::from_str(self.json).ok();
        json.as_ref().and_then(Raw::of_json).unwrap_or(Raw::Undef)
    }
}

/// The settings of a version.
#[derive(Debug)]
pub struct Table {
    all: Vec<Setting>,
    places: HashMap<&'static str, usize>,
}

static V7: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("tables/7.tsv")));
static V8: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("tables/8.tsv")));
static V9: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("tables/9.tsv")));

impl Table {
    /// That of a version.
    pub fn of(compat: Compat) -> &'static Table {
        match compat {
            Compat::V7 => &V7,
            Compat::V8 => &V8,
            Compat::V9 => &V9,
        }
    }

    fn read(text: &'static str) -> Table {
        let all: Vec<Setting> = text.lines().filter_map(row).collect();
        let places = all.iter().enumerate().map(|(n, setting)| (setting.name, n)).collect();
        Table { all, places }
    }

    /// All of them, in Puppet's order.
    pub fn all(&self) -> &[Setting] {
        &self.all
    }

    /// The setting of a name, if there is one.
    pub fn find(&self, name: &str) -> Option<&Setting> {
        self.places.get(name).map(|place| &self.all[*place])
    }

    /// A setting's default value as it is written; empty for what is no text.
    pub fn default_of(&self, name: &str) -> &'static str {
        let json = self.find(name).map_or("", |setting| setting.json);
        // No default has anything that JSON escapes; a test holds that.
        json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default()
    }
}

/// Whether any version has a setting of the name.
pub fn is_known(name: &str) -> bool {
    Compat::ALL.into_iter().any(|compat| Table::of(compat).find(name).is_some())
}

fn row(line: &'static str) -> Option<Setting> {
    let mut cells = line.split('\t');
    let (name, word, json) = (cells.next()?, cells.next()?, cells.next()?);
    let kind = Kind::of(word, cells.next().unwrap_or_default())?;
    Some(Setting { name, kind, json })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_setting() {
        let texts =
            [include_str!("tables/7.tsv"), include_str!("tables/8.tsv"), include_str!("tables/9.tsv")];
        for (compat, text) in Compat::ALL.into_iter().zip(texts) {
            assert_eq!(Table::of(compat).all().len(), text.lines().count(), "{compat}");
            for setting in Table::of(compat).all() {
                let json: Json = serde_json::from_str(setting.json).expect("it is JSON");
                assert_eq!(Raw::of_json(&json), Some(setting.default()), "{}", setting.name);
                assert!(!setting.json.contains('\\'), "{}", setting.name);
            }
        }
        assert_eq!(Table::of(Compat::V7).all().len(), 232);
    }

    #[test]
    fn versions_differ() {
        let strict = |compat| Table::of(compat).default_of("strict");
        assert_eq!(Compat::ALL.map(strict), ["warning", "error", "error"]);
        let legacy = |compat| Table::of(compat).find("environment_data_provider").is_some();
        assert_eq!(Compat::ALL.map(legacy), [true, true, false]);
        assert!(is_known("environment_data_provider") && is_known("report_configured_environmentpath"));
        assert!(!is_known("nosuch"));
    }
}
