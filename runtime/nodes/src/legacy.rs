//! Facts that Facter calls legacy. Agents of Puppet 7 send them; from 8 on they do not, unless `include_legacy_facts` is
//! set. Source: Facter's fact classes, by `tests/oracle/legacy_facts.rb`.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The table as the script writes it: name or pattern, a tab, what stands for it.
const TABLE: &str = include_str!("legacy_facts.tsv");

static NAMES: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| rows().filter(|(name, _)| !name.contains(['*', '#'])).collect());

static PATTERNS: LazyLock<Vec<(&'static str, &'static str)>> =
    LazyLock::new(|| rows().filter(|(name, _)| name.contains(['*', '#'])).collect());

fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'))
}

/// Whether a fact is one of them.
pub fn is_legacy(name: &str) -> bool {
    instead(name).is_some()
}

/// The path of the fact that says what a legacy one says, from `$facts` on, with dots; none for any other fact.
///
/// ```
/// use bunraku_nodes::legacy::instead;
/// assert_eq!(instead("osfamily").as_deref(), Some("os.family"));
/// assert_eq!(instead("ipaddress_eth0").as_deref(), Some("networking.interfaces.eth0.ip"));
/// assert_eq!(instead("processor0").as_deref(), Some("processors.models.0"));
/// assert_eq!(instead("processors"), None);
/// ```
pub fn instead(name: &str) -> Option<String> {
    if let Some(instead) = NAMES.get(name) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_for_a_legacy_fact_is_none_itself() {
        assert!(rows().count() > 100);
        for (name, instead) in rows() {
            let root = instead.split('.').next().unwrap_or_default();
            assert!(!is_legacy(root), "{name}: {instead}");
        }
    }

    #[test]
    fn names_of_structured_facts_are_left_alone() {
        for name in [
            "os",
            "networking",
            "processors",
            "memory",
            "ssh",
            "kernel",
            "disks",
            "mountpoints",
            "partitions",
        ] {
            assert!(!is_legacy(name), "{name}");
        }
        assert_eq!(instead("sshrsakey").as_deref(), Some("ssh.rsa.key"));
        assert_eq!(instead("zone_global_brand").as_deref(), Some("solaris_zones.zones.global.brand"));
        assert_eq!(instead("ipaddress_"), None);
    }
}
