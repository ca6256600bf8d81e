//! Questions to what is told of a catalog: where something is, what leads to it, what an edge is from.

use super::{CodePlace, Origins, ParameterOrigin, Step};
use bunraku_data::names;
use std::collections::HashSet;

/// How many names are suggested.
const SUGGESTED: usize = 5;

/// What an edge between two resources is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeReason {
    /// What comes first: the resource that was asked for, or one that contains it. By number.
    pub from: usize,
    /// What comes behind, likewise.
    pub to: usize,
    /// What says so.
    pub by: EdgeSource,
}

/// See [`EdgeReason`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EdgeSource {
    /// An arrow, which tells of changes or not.
    Arrow(bool, CodePlace),
    /// A parameter of the resource of that number, by its name.
    Parameter(usize, String),
    /// The first contains the other.
    Containment,
}

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

    /// Why one resource comes before another: what is said of themselves first, and then of what contains them.
    pub fn edges(&self, from: usize, to: usize) -> Vec<EdgeReason> {
        let (befores, behinds) = (self.around(from), self.around(to));
        let mut found = Vec::new();
        for first in &befores {
            for second in &behinds {
                if first != second {
                    self.direct(*first, *second, &mut found);
                }
            }
        }
        if self.around(to)[1..].contains(&from) {
            found.insert(0, EdgeReason { from, to, by: EdgeSource::Containment });
        }
        found
    }

    /// A resource and all that contains it, itself first.
    fn around(&self, number: usize) -> Vec<usize> {
        let mut all = vec![number];
        let mut next = 0;
        while let Some(at) = all.get(next).copied() {
            for container in &self.resource(at).containers {
                // A stage contains all, and orders nothing by that.
                if !all.contains(container) && !self.reference(*container).starts_with("Stage[") {
                    all.push(*container);
                }
            }
            next += 1;
        }
        all
    }

    fn direct(&self, from: usize, to: usize, found: &mut Vec<EdgeReason>) {
        let arrows = self.arrows.iter().filter(|arrow| arrow.from == from && arrow.to == to);
        let mut has_arrow = [false; 2];
        for arrow in arrows {
            has_arrow[usize::from(arrow.notify)] = true;
            let by = EdgeSource::Arrow(arrow.notify, arrow.place.clone());
            found.push(EdgeReason { from, to, by });
        }
        let mut by_parameter = |owner: usize, other: usize, names: [&str; 2]| {
            for (n, name) in names.into_iter().enumerate() {
                let parameter = self.resource(owner).parameter(name);
                let Some(parameter) = parameter.filter(|one| one.names.contains(&other)) else { continue };
                // Arrows end up in parameters of what comes first.
                if !(has_arrow[n] && matches!(parameter.origin, ParameterOrigin::Arrows(_))) {
                    let by = EdgeSource::Parameter(owner, name.to_owned());
                    found.push(EdgeReason { from, to, by });
                }
            }
        };
        by_parameter(from, to, ["before", "notify"]);
        by_parameter(to, from, ["require", "subscribe"]);
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
