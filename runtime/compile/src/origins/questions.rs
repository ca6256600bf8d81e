//! Questions to what is told of a catalog: where something is, and what leads to it.

use super::{Origins, Step};
use bunraku_data::names;
use std::collections::HashSet;

/// How many names are suggested.
const SUGGESTED: usize = 5;

impl Origins {
    /// The number of a resource by its reference, `Type[title]` in any case of the type, title quoted or not.
    ///
    /// # Errors
    /// Names of resources that are called something like it.
    pub fn find(&self, reference: &str) -> Result<usize, Vec<String>> {
        find(reference, || self.names.iter())
    }

    /// The steps that lead to a resource, each with the number of what is there by it: the resource itself first, then that whose
    /// code declares it, and so on.
    pub fn chain(&self, number: usize) -> Vec<(usize, &Step)> {
        let (mut chain, mut at, mut seen) = (Vec::new(), Some(number), HashSet::new());
        while let Some(number) = at.filter(|number| seen.insert(*number)) {
            let Some(step) = self.resource(number).steps.first() else { break };
            chain.push((number, step));
            at = step.by;
        }
        chain
    }
}

/// Which of some resources a reference means, `Type[title]` in any case of the type, title quoted or not.
///
/// # Errors
/// Names of those that are called something like it.
pub fn find<S: AsRef<str>, I: Iterator<Item = S>>(
    reference: &str,
    resources: impl Fn() -> I,
) -> Result<usize, Vec<String>> {
    let wanted = normal(reference);
    // Mostly it is written as it is shown; a reference is made normal then only once.
    let found = resources().position(|one| one.as_ref() == wanted);
    let found = found.or_else(|| resources().position(|one| normal(one.as_ref()) == wanted));
    found.ok_or_else(|| close(&wanted, resources()))
}

/// A reference as it is compared.
fn normal(reference: &str) -> String {
    let Some((ty, title)) = names::split_reference(reference.trim()) else { return reference.to_owned() };
    let title = title.trim();
    let bare = ['\'', '"'].iter().find_map(|quote| title.strip_prefix(*quote)?.strip_suffix(*quote));
    let (ty, title) = (names::capitalize(&ty.to_lowercase()), bare.unwrap_or(title));
    match ty.as_str() {
        "Class" => format!("Class[{}]", title.trim_start_matches("::").to_lowercase()),
        _ => format!("{ty}[{title}]"),
    }
}

/// The names that are most like one, at most so many, best first.
pub fn close<S: AsRef<str>>(wanted: &str, names: impl Iterator<Item = S>) -> Vec<String> {
    let lower = wanted.to_lowercase();
    let far = (lower.chars().count() / 3).max(2);
    let mut all: Vec<(usize, String)> = names
        .filter_map(|name| {
            let name = name.as_ref();
            let other = name.to_lowercase();
            let distance = strsim::damerau_levenshtein(&lower, &other);
            let inside = !lower.is_empty() && other.contains(lower.as_str());
            let rank = if inside { distance.min(far) } else { distance };
            (distance <= far || inside).then(|| (rank, name.to_owned()))
        })
        .collect();
    all.sort();
    all.truncate(SUGGESTED);
    all.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_compared_by_what_they_name() {
        for text in ["file['/a b']", "File[/a b]", " FILE[\"/a b\"] "] {
            assert_eq!(normal(text), "File[/a b]");
        }
        assert_eq!(normal("class[::Apache::Mod]"), normal("Class['apache::mod']"));
        assert_eq!(normal("nothing"), "nothing");
    }

    #[test]
    fn close_names_come_best_first() {
        let names = ["File[/etc/motd]", "File[/etc/motd.d]", "Service[nginx]"].map(str::to_owned);
        let found = |wanted: &str| close(wanted, names.iter().cloned());
        assert_eq!(found("File[/etc/modt]"), ["File[/etc/motd]", "File[/etc/motd.d]"]);
        assert_eq!(found("nginx"), ["Service[nginx]"]);
        assert!(found("Package[something else]").is_empty());
    }
}
