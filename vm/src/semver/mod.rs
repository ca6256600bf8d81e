//! Semantic versions and ranges of them, as the `semantic_puppet` library reads and compares them.

mod range;

use bumpalo::Bump;
use range::Range;
use std::cmp::Ordering;

/// A part of a pre-release: numbers come before words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Number(u64),
    Word(String),
}

/// A version.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    numbers: [u64; 3],
    prerelease: Option<Vec<Part>>,
    build: Option<String>,
}

impl Version {
    /// Parses `1.2.3-rc.1+b2`.
    ///
    /// # Errors
    /// The library's message for a text that is no version.
    pub fn parse(text: &str) -> Result<Version, String> {
        let fail = || format!("Unable to parse '{text}' as a semantic version identifier");
        let line = text.strip_suffix('\n').unwrap_or(text);
        let (rest, build) = match line.split_once('+') {
            Some((rest, build)) => (rest, Some(build)),
            None => (line, None),
        };
        let (core, prerelease) = match rest.split_once('-') {
            Some((core, prerelease)) => (core, Some(prerelease)),
            None => (rest, None),
        };
        let numbers: Vec<u64> = core
            .split('.')
            // A version is printed from its numbers, where a range keeps its text.
            .map(|text| number(text).filter(|number| *number != BEYOND))
            .collect::<Option<_>>()
            .filter(|n: &Vec<_>| n.len() == 3)
            .ok_or_else(fail)?;
        if !prerelease.is_none_or(is_parts) || !build.is_none_or(is_parts) {
            return Err(fail());
        }
        Version::new([numbers[0], numbers[1], numbers[2]], prerelease, build)
    }

    /// A version of its parts, as `SemVer.new(major, minor, patch, prerelease, build)` takes them.
    ///
    /// # Errors
    /// For a numeric identifier with leading zeroes.
    pub fn new(numbers: [u64; 3], prerelease: Option<&str>, build: Option<&str>) -> Result<Version, String> {
        let mut parts = None;
        if let Some(text) = prerelease {
            let mut all = Vec::new();
            for part in text.split('.') {
                if part.bytes().all(|b| b.is_ascii_digit()) {
                    if part.len() > 1 && part.starts_with('0') {
                        return Err("Numeric pre-release identifiers MUST NOT contain leading zeroes".into());
                    }
                    all.push(part.parse().map_or_else(|_| Part::Word(part.to_owned()), Part::Number));
                } else {
                    all.push(Part::Word(part.to_owned()));
                }
            }
            parts = Some(all);
        }
        Ok(Version { numbers, prerelease: parts, build: build.map(str::to_owned) })
    }

    fn stable(&self) -> bool {
        self.prerelease.as_ref().is_none_or(Vec::is_empty)
    }

    fn plain(numbers: [u64; 3]) -> Version {
        Version { numbers, prerelease: None, build: None }
    }

    /// Before all others.
    fn least() -> Version {
        Version { prerelease: Some(Vec::new()), ..Version::plain([0; 3]) }
    }

    /// After all others: the greatest number stands for infinity.
    fn greatest() -> Version {
        Version::plain([u64::MAX, 0, 0])
    }

    /// Order of precedence; builds do not count.
    pub fn order(&self, other: &Version) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| match (&self.prerelease, &other.prerelease) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(a), Some(b)) => a.cmp(b),
        })
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [major, minor, patch] = self.numbers;
        match major {
            u64::MAX => write!(f, "Infinity.{minor}.{patch}")?,
            major => write!(f, "{major}.{minor}.{patch}")?,
        }
        for (n, part) in self.prerelease.iter().flatten().enumerate() {
            f.write_str(if n == 0 { "-" } else { "." })?;
            match part {
                Part::Number(n) => write!(f, "{n}")?,
                Part::Word(word) => f.write_str(word)?,
            }
        }
        match &self.build {
            Some(build) => write!(f, "+{build}"),
            None => Ok(()),
        }
    }
}

/// A number of a version; one that is beyond what there is room for is [`BEYOND`].
fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (digits && (text == "0" || !text.starts_with('0'))).then(|| text.parse().unwrap_or(BEYOND).min(BEYOND))
}

/// What a range has for a larger number; one more is its infinity.
const BEYOND: u64 = u64::MAX - 1;

fn is_parts(text: &str) -> bool {
    text.split('.').all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
}

/// One end of an interval: the version, and whether it is excluded.
#[derive(Clone, Debug)]
struct End {
    version: Version,
    excluded: bool,
}

/// A range by its ends; none where it goes on for ever.
#[derive(Clone, Debug, Default)]
struct Interval {
    from: Option<End>,
    to: Option<End>,
}

impl Interval {
    /// Each end with whether it is excluded.
    fn new(from: Option<(Version, bool)>, to: Option<(Version, bool)>) -> Interval {
        let end = |(version, excluded)| End { version, excluded };
        Interval { from: from.map(end), to: to.map(end) }
    }

    /// Whether no version lies between this one and the other.
    fn meets(&self, other: &Interval) -> bool {
        let apart = |to: &Option<End>, from: &Option<End>| match (to, from) {
            (Some(to), Some(from)) => match to.version.order(&from.version) {
                Ordering::Less => true,
                Ordering::Equal => to.excluded && from.excluded,
                Ordering::Greater => false,
            },
            _ => false,
        };
        !apart(&self.to, &other.from) && !apart(&other.to, &self.from)
    }

    /// From the begin of the first to the end of the last.
    fn hull(self, other: Interval) -> Interval {
        let pick = |a: Option<End>, b: Option<End>, wanted: Ordering| {
            let (a, b) = (a?, b?);
            Some(match a.version.order(&b.version) {
                Ordering::Equal if a.excluded => b,
                Ordering::Equal => a,
                order if order == wanted => a,
                _ => b,
            })
        };
        Interval {
            from: pick(self.from, other.from, Ordering::Less),
            to: pick(self.to, other.to, Ordering::Greater),
        }
    }

    fn covers(&self, other: &Interval) -> bool {
        let from = match (&self.from, &other.from) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(a), Some(b)) => a.version.order(&b.version).is_le(),
        };
        let to = match (&self.to, &other.to) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(a), Some(b)) => match a.version.order(&b.version) {
                Ordering::Greater => true,
                Ordering::Equal => !a.excluded || b.excluded,
                Ordering::Less => false,
            },
        };
        from && to
    }
}

/// The range in full, as the library inspects it: `>=1.0.0 <2.0.0`.
pub fn inspect_range(text: &str) -> String {
    match range::parse(text) {
        Ok(ranges) => ranges.iter().map(Range::to_string).collect::<Vec<_>>().join(" || "),
        Err(_) => text.to_owned(),
    }
}

/// A text that is a range of versions, as the library names it: by itself, but for one of bars and spaces only, which is `*`.
///
/// # Errors
/// The library's message for one that is none.
pub fn named_range(text: &str) -> Result<&str, String> {
    let includes_all = range::parse(text)? == [Range::All];
    let is_bare = includes_all && text.chars().all(|c| c == '|' || range::is_space(c));
    Ok(if is_bare { "*" } else { text })
}

/// Whether two ranges are the same, however they are written.
pub fn same_range(a: &str, b: &str) -> bool {
    a == b || matches!((range::parse(a), range::parse(b)), (Ok(a), Ok(b)) if a == b)
}

/// Whether a range includes a version, both as text; false where either is malformed.
pub fn range_includes(range: &str, version: &str) -> bool {
    match (range::parse(range), Version::parse(version)) {
        (Ok(ranges), Ok(version)) => ranges.iter().any(|range| range.includes(&version)),
        _ => false,
    }
}

/// Whether two ranges have versions in common.
pub fn overlap(a: &str, b: &str) -> bool {
    let (Ok(a), Ok(b)) = (range::parse(a), range::parse(b)) else { return false };
    a.iter().any(|a| b.iter().any(|b| a.intersection(b).is_some()))
}

/// Whether each of `other`'s ranges lies in one of `ranges`.
pub fn covers_all(ranges: &[&str], other: &[&str]) -> bool {
    let single = |text: &&str| range::parse(text).ok().filter(|r| r.len() == 1).map(|r| r[0].interval());
    let outer = joined(ranges.iter().filter_map(single).collect());
    other
        .iter()
        .all(|inner| single(inner).is_some_and(|inner| outer.iter().any(|outer| outer.covers(&inner))))
}

/// Intervals, those that meet made one.
fn joined(mut intervals: Vec<Interval>) -> Vec<Interval> {
    let mut all: Vec<Interval> = Vec::new();
    while let Some(mut interval) = intervals.pop() {
        while let Some(n) = all.iter().position(|other| interval.meets(other)) {
            interval = interval.hull(all.swap_remove(n));
        }
        all.push(interval);
    }
    all
}

/// The ranges of several `SemVer` types together, each once.
pub fn merge<'c>(arena: &'c Bump, ranges: &[&'c str]) -> &'c [&'c str] {
    let mut all: Vec<&'c str> = Vec::new();
    for range in ranges {
        if !all.iter().any(|known| same_range(known, range)) {
            all.push(range);
        }
    }
    arena.alloc_slice_copy(&all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_precedence() {
        let order = ["1.0.0-1", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0", "1.0.1", "1.10.0", "2.0.0"];
        for pair in order.windows(2) {
            let (a, b) = (Version::parse(pair[0]).unwrap(), Version::parse(pair[1]).unwrap());
            assert_eq!(a.order(&b), Ordering::Less, "{pair:?}");
        }
        assert!(Version::parse("1.02.0").is_err());
        assert_eq!(Version::parse("1.2.3-rc.1+b2").unwrap().to_string(), "1.2.3-rc.1+b2");
    }

    #[test]
    fn ranges_include_what_the_library_includes() {
        for (range, version, expected) in [
            (">=1.0.0 <2.0.0", "1.5.0", true),
            (">=1.0.0 <2.0.0", "2.0.0", false),
            ("~1.2", "1.2.9", true),
            ("~1.2", "1.3.0", false),
            ("^1.2.3", "1.9.0", true),
            ("^0.2.3", "0.3.0", false),
            ("1.x", "1.7.1", true),
            ("1.2.3 - 2.0.0", "2.0.0", true),
            (">= 1.0.0", "1.0.0", true),
            (">=1.0.0", "2.0.0-rc1", false),
            ("*", "2.0.0-rc1", true),
            ("1.0.0 || 3.0.0", "3.0.0", true),
        ] {
            assert_eq!(range_includes(range, version), expected, "{range} {version}");
        }
        assert_eq!(named_range("x.y").unwrap_err(), "Unparsable version range: \"x.y\"");
    }

    #[test]
    fn ranges_are_inspected_as_the_library_does() {
        let unparsable = |text: &str| format!("Unparsable version range: \"{text}\"");
        for (range, expected) in [
            ("1.x", ">=1.0.0 <2.0.0"),
            ("1.2.3 - 2", ">=1.2.3 <=2.0.0"),
            ("2 - 1", "<0.0.0"),
            ("1.0.0 2.0.0", "<0.0.0"),
            ("1.0.0 >0.5.0", "1.0.0 1.0.0"),
            ("1.0.0 || 1.0.1", ">=1.0.0 <=1.0.1"),
            ("1 || 2.x || 5", ">=1.0.0 <3.0.0 || >=5.0.0 <6.0.0"),
            ("<1.0.0 || 2.0.0 3.0.0", "<1.0.0"),
            (">=1.0.0 || <1.0.0-rc1", ">=1.0.0 || <1.0.0-rc1"),
            (">=1.0.0 || <2.0.0", "<=Infinity.0.0"),
            ("x", "*"),
            ("||", "*"),
            ("1.0.0 ||", "1.0.0"),
            (" || 1.0.0", "1.0.0"),
            (" ", "<0.0.0"),
            ("> 1.0.0 ", ">1.0.0"),
            (">v1.0.0", ">1.0.0"),
            (">18446744073709551615", ">=18446744073709551614.0.0"),
        ] {
            let named = if matches!(range, "" | "||") { "*" } else { range };
            assert_eq!(named_range(range), Ok(named), "{range:?}");
            assert_eq!(inspect_range(range), expected, "{range:?}");
        }
        for text in [" 1.0.0", "1.0.0 - 2.0.0 ", "> v1.0.0", "> foo", "1.0.0 -2.0.0"] {
            assert_eq!(named_range(text), Err(unparsable(text)));
        }
        let mistakes = [
            ("^x", "undefined method `SINGLETON' for SemanticPuppet::VersionRange::AllRange:Class"),
            (
                "1.x || 1.5.0 - 2.0.0 || <2.0.0",
                "undefined local variable or method `exclude_end' for <2.0.0:SemanticPuppet::VersionRange::LtRange",
            ),
        ];
        for (range, expected) in mistakes {
            assert!(named_range(range).is_err_and(|error| error.starts_with(&expected[..40])), "{range}");
        }
    }
}
