//! Legacy facts: those that have a structured fact in their place (`osfamily` for `os.family`), which an agent no longer
//! sends since Puppet 8 unless its setting `include_legacy_facts` says so.
//!
//! Source: `tests/oracle/legacy_facts.rb`, run with Facter 4.10, has written their names.

use serde_json::{Map, Value as Json};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Their names; `*` stands for the name of an interface, a device and so on.
const NAMES: &str = include_str!("legacy_facts.txt");

static WHOLE: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| NAMES.lines().filter(|name| !name.contains('*')).collect());

static PATTERNS: LazyLock<Vec<(&'static str, &'static str)>> =
    LazyLock::new(|| NAMES.lines().filter_map(|name| name.split_once('*')).collect());

/// Whether a fact is a legacy one. Those that are named by a pattern are plain values: `processors` is none of them,
/// though `processor0` is.
pub fn is_legacy(name: &str, value: &Json) -> bool {
    let fits = |(start, end): &(&str, &str)| {
        name.strip_prefix(start)
            .and_then(|rest| rest.strip_suffix(end))
            .is_some_and(|middle| !middle.is_empty())
    };
    let is_plain = !matches!(value, Json::Object(_) | Json::Array(_));
    WHOLE.contains(name) || (is_plain && PATTERNS.iter().any(fits))
}

/// The facts that are no legacy ones.
pub fn without_legacy(facts: &Map<String, Json>) -> Map<String, Json> {
    let kept = facts.iter().filter(|(name, value)| !is_legacy(name, value));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn structured_facts_stay() {
        let all = json!({
            "osfamily": "Debian", "os": {"family": "Debian"}, "processor0": "x", "processorcount": 2,
            "processors": {"count": 2}, "ipaddress_eth0": "10.0.0.1", "networking": {}, "sshrsakey": "A", "ssh": {},
            "dhcp_servers": {"system": "10.0.0.2"}, "role": "web", "kernel": "Linux",
        });
        let kept = without_legacy(all.as_object().expect("it is one"));
        let names: Vec<&str> = kept.keys().map(String::as_str).collect();
        assert_eq!(names, ["os", "processors", "networking", "ssh", "role", "kernel"]);
    }
}
