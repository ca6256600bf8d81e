//! Legacy facts: those that have a structured fact in their place (`osfamily` for `os.family`), which an agent no longer
//! sends since Puppet 8 unless its setting `include_legacy_facts` says so.
//!
//! Source: `tests/oracle/legacy_facts.rb`, run with Facter 4.10, has written the table.

use serde_json::{Map, Value as Json};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Name, a tab, what stands for it; another tab and `MiB` where the name's value is in MiB, and what stands for it in bytes. `*` is
/// the name of an interface, a device and so on; `#` is a number.
const TABLE: &str = include_str!("legacy_facts.tsv");

static WHOLE: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| rows().filter(|(name, _)| !name.contains(['*', '#'])).collect());

static PATTERNS: LazyLock<Vec<(&'static str, &'static str)>> =
    LazyLock::new(|| rows().filter(|(name, _)| name.contains(['*', '#'])).collect());

fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_line = |line: &'static str| {
        let (name, rest) = line.split_once('\t')?;
        Some((name, rest.split('\t').next().unwrap_or_default()))
    };
    TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(of_line)
}

/// Whether a legacy fact is a number of MiB, and the one that stands for it one of bytes.
pub fn is_in_mebibytes(name: &str) -> bool {
    let rest = |line: &'static str| line.strip_prefix(name)?.strip_prefix('\t');
    TABLE.lines().filter_map(rest).any(|rest| rest.ends_with("\tMiB"))
}

/// Whether a fact is a legacy one. Those that are named by a pattern are plain values.
pub fn is_legacy(name: &str, value: &Json) -> bool {
    let is_plain = || !matches!(value, Json::Object(_) | Json::Array(_));
    WHOLE.contains_key(name) || (is_plain() && instead(name).is_some())
}

/// The path of the fact that says what a legacy one says, from `$facts` on, with dots; none for any other name.
///
/// ```
/// use bunraku_nodes::legacy_facts::instead;
/// assert_eq!(instead("osfamily").as_deref(), Some("os.family"));
/// assert_eq!(instead("ipaddress_eth0").as_deref(), Some("networking.interfaces.eth0.ip"));
/// assert_eq!(instead("processor0").as_deref(), Some("processors.models.0"));
/// assert_eq!(instead("processors"), None);
/// ```
pub fn instead(name: &str) -> Option<String> {
    if let Some(instead) = WHOLE.get(name) {
        return Some((*instead).to_owned());
    }
    let fits = |(pattern, instead): &(&str, &str)| {
        let sign = if pattern.contains('#') { '#' } else { '*' };
        let (before, after) = pattern.split_once(sign)?;
        let part = name.strip_prefix(before)?.strip_suffix(after)?;
        let is_part = !part.is_empty() && (sign == '*' || part.bytes().all(|byte| byte.is_ascii_digit()));
        is_part.then(|| instead.replace(sign, part))
    };
    PATTERNS.iter().find_map(fits)
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

    #[test]
    fn what_stands_for_a_legacy_fact_is_none_itself() {
        assert!(rows().count() > 100);
        for (name, instead) in rows() {
            let root = instead.split('.').next().unwrap_or_default();
            assert!(!is_legacy(root, &Json::Null), "{name}: {instead}");
        }
        assert_eq!(instead("sshrsakey").as_deref(), Some("ssh.rsa.key"));
        assert_eq!(instead("zone_global_brand").as_deref(), Some("solaris_zones.zones.global.brand"));
        assert_eq!(instead("ipaddress_"), None);
        assert_eq!(instead("memorysize_mb").as_deref(), Some("memory.system.total_bytes"));
        let in_mebibytes: Vec<&str> =
            rows().map(|(name, _)| name).filter(|name| is_in_mebibytes(name)).collect();
        assert_eq!(in_mebibytes, ["memoryfree_mb", "memorysize_mb", "swapfree_mb", "swapsize_mb"]);
    }
}
