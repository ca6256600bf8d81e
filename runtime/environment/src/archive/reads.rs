//! Which data files the hierarchies of a tree may read: a file that is broken and that none of them names is worth a
//! note, for not every `.yaml` is data of Hiera's. Paths with variables may become anything that fits around these.

use super::walk::{Found, Kind};
use bunraku_files::read;
use bunraku_hiera::data_file::data::Data;
use bunraku_hiera::data_file::yaml;

/// A path in parts, with anything between them.
type Pattern = Vec<String>;

/// The data files of a tree that its hierarchies may read.
pub(super) struct Reads {
    patterns: Vec<Pattern>,
    /// Whether a configuration says it in another way than is known here.
    all: bool,
}

impl Reads {
    /// Those of all `hiera.yaml` that were found.
    pub fn of(found: &[Found]) -> Reads {
        let mut reads = Reads { patterns: Vec::new(), all: false };
        for file in found.iter().filter(|found| found.kind == Kind::File) {
            if let Some(root) = file.name.strip_suffix("/hiera.yaml") {
                let text = read::regular_text(&file.path, read::MAX_FILE).ok();
                let config = text.and_then(|text| yaml::parse(&text).ok());
                let known = config.and_then(|config| reads.add(root, &config));
                reads.all |= known.is_none();
            }
        }
        reads
    }

    /// Whether a hierarchy may read the file of this name.
    pub fn may_read(&self, name: &str) -> bool {
        self.all || self.patterns.iter().any(|pattern| fits(pattern, name))
    }

    /// Adds what a configuration names; none where it is not of version 5.
    fn add(&mut self, root: &str, config: &Data) -> Option<()> {
        matches!(member(config, "version"), Some(Data::Int(5))).then_some(())?;
        let defaults = member(config, "defaults");
        let text = |data: Option<&Data>| data.and_then(as_text).map(str::to_owned);
        let hierarchies = ["hierarchy", "default_hierarchy"].map(|name| member(config, name));
        for entry in hierarchies.into_iter().flatten().flat_map(items) {
            let own = text(member(entry, "datadir"));
            let datadir = own.or_else(|| text(defaults.and_then(|all| member(all, "datadir"))));
            let datadir = datadir.unwrap_or_else(|| "data".to_owned());
            for key in ["path", "paths", "glob", "globs"] {
                for path in member(entry, key).into_iter().flat_map(items).filter_map(as_text) {
                    self.patterns.push(pattern(&format!("{root}/{datadir}/{path}")));
                }
            }
            if member(entry, "mapped_paths").is_some() {
                self.patterns.push(pattern(&format!("{root}/{datadir}/%{{}}")));
            }
        }
        // Without a hierarchy there is one of one file.
        if hierarchies[0].is_none() {
            self.patterns.push(pattern(&format!("{root}/data/common.yaml")));
        }
        Some(())
    }
}

fn member<'d>(data: &'d Data, key: &str) -> Option<&'d Data> {
    let Data::Map(pairs) = data else { return None };
    pairs.iter().find(|(name, _)| as_text(name) == Some(key)).map(|(_, value)| value)
}

/// The elements of a list; anything else by itself.
fn items(data: &Data) -> &[Data] {
    match data {
        Data::List(items) => items,
        one => std::slice::from_ref(one),
    }
}

fn as_text(data: &Data) -> Option<&str> {
    match data {
        Data::Text(text) => Some(text),
        _ => None,
    }
}

/// The plain parts of a path: variables and the signs of globs are what may be anything.
fn pattern(path: &str) -> Pattern {
    let (mut parts, mut rest) = (vec![String::new()], path);
    while let Some(first) = rest.chars().next() {
        let to = |end| rest.find(end).map_or(rest.len(), |at| at + 1);
        let length = match first {
            '%' if rest.starts_with("%{") => to('}'),
            '{' => to('}'),
            '[' => to(']'),
            '*' | '?' | '\\' => 1,
            _ => {
                if let Some(part) = parts.last_mut() {
                    part.push(first);
                }
                rest = &rest[first.len_utf8()..];
                continue;
            }
        };
        parts.push(String::new());
        rest = &rest[length..];
    }
    parts
}

/// Whether a name begins with the first part, ends with the last and has the others in between, in order.
fn fits(pattern: &[String], name: &str) -> bool {
    let [first, others @ ..] = pattern else { return false };
    let Some(mut rest) = name.strip_prefix(first.as_str()) else { return false };
    let Some((last, inner)) = others.split_last() else { return rest.is_empty() };
    for part in inner {
        let Some(at) = rest.find(part.as_str()) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_globs_may_be_anything() {
        let fits = |path: &str, name: &str| fits(&pattern(path), name);
        assert!(fits("e/data/common.yaml", "e/data/common.yaml"));
        assert!(!fits("e/data/common.yaml", "e/data/common.yaml.bak"));
        assert!(fits("e/data/nodes/%{trusted.certname}.yaml", "e/data/nodes/a/b.yaml"));
        assert!(!fits("e/data/nodes/%{trusted.certname}.yaml", "e/data/other/b.yaml"));
        assert!(fits("e/data/%{a}/x/%{b}.yaml", "e/data/1/x/2.yaml"));
        assert!(fits("e/data/*.{yaml,yml}", "e/data/x.yaml"));
        assert!(!fits("e/data/%{a}/x/%{b}.yaml", "e/data/1/y/2.yaml"));
    }
}
