//! Semantic versions and ranges of them, as the `semantic_puppet` library reads and compares them.

use bumpalo::Bump;
use std::cmp::Ordering;

/// A part of a pre-release: numbers come before words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Number(u64),
    Word(String),
}

/// A version.
#[derive(Clone, Debug)]
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
            .map(number)
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
        write!(f, "{major}.{minor}.{patch}")?;
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

fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (digits && (text == "0" || !text.starts_with('0'))).then(|| text.parse().unwrap_or(u64::MAX))
}

fn is_parts(text: &str) -> bool {
    text.split('.').all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
}

/// One end of an interval: the version, and whether it is excluded.
#[derive(Clone, Debug)]
struct End {
    version: Version,
    excluded: bool,
}

#[derive(Clone, Debug, Default)]
struct Interval {
    from: Option<End>,
    to: Option<End>,
    /// Whether pre-releases of any version count (`*`).
    all: bool,
}

impl Interval {
    fn between(from: Version, to: Version) -> Interval {
        Interval {
            from: Some(End { version: from, excluded: false }),
            to: Some(End { version: to, excluded: true }),
            all: false,
        }
    }

    fn from(version: Version, excluded: bool) -> Interval {
        Interval { from: Some(End { version, excluded }), ..Interval::default() }
    }

    fn to(version: Version, excluded: bool) -> Interval {
        Interval { to: Some(End { version, excluded }), ..Interval::default() }
    }

    fn exactly(version: Version) -> Interval {
        let end = End { version, excluded: false };
        Interval { from: Some(end.clone()), to: Some(end), all: false }
    }

    fn everything() -> Interval {
        Interval { all: true, ..Interval::default() }
    }

    fn intersect(self, other: Interval) -> Interval {
        let pick = |a: Option<End>, b: Option<End>, wanted: Ordering| match (a, b) {
            (Some(a), Some(b)) => match a.version.order(&b.version) {
                Ordering::Equal => Some(if a.excluded { a } else { b }),
                order if order == wanted => Some(a),
                _ => Some(b),
            },
            (a, b) => a.or(b),
        };
        Interval {
            from: pick(self.from, other.from, Ordering::Greater),
            to: pick(self.to, other.to, Ordering::Less),
            all: self.all && other.all,
        }
    }

    fn includes(&self, version: &Version) -> bool {
        let above = self.from.as_ref().is_none_or(|end| match version.order(&end.version) {
            Ordering::Greater => true,
            Ordering::Equal => !end.excluded,
            Ordering::Less => false,
        });
        let below = self.to.as_ref().is_none_or(|end| match version.order(&end.version) {
            Ordering::Less => true,
            Ordering::Equal => !end.excluded,
            Ordering::Greater => false,
        });
        let named = |end: &Option<End>| {
            end.as_ref().is_some_and(|end| !end.version.stable() && end.version.numbers == version.numbers)
        };
        above && below && (version.stable() || self.all || named(&self.from) || named(&self.to))
    }

    /// Whether there is room between its ends.
    fn is_possible(&self) -> bool {
        let (Some(from), Some(to)) = (&self.from, &self.to) else { return true };
        match from.version.order(&to.version) {
            Ordering::Less => true,
            Ordering::Equal => !from.excluded && !to.excluded,
            Ordering::Greater => false,
        }
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
            all: self.all || other.all,
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

/// `1.x`, `1.2`, `1.2.3-rc1`: numbers as far as given.
struct Partial {
    numbers: [Option<u64>; 3],
    prerelease: Option<String>,
    build: Option<String>,
}

impl Partial {
    fn parse(text: &str) -> Option<Partial> {
        let (rest, build) = match text.split_once('+') {
            Some((rest, build)) => (rest, Some(build)),
            None => (text, None),
        };
        let (core, prerelease) = match rest.split_once('-') {
            Some((core, prerelease)) => (core, Some(prerelease)),
            None => (rest, None),
        };
        let mut numbers = [None; 3];
        let mut count = 0;
        for part in core.split('.') {
            let slot = numbers.get_mut(count)?;
            *slot = if matches!(part, "x" | "X" | "*") { None } else { Some(number(part)?) };
            count += 1;
        }
        if (prerelease.is_some() || build.is_some()) && count < 3
            || !prerelease.is_none_or(is_parts)
            || !build.is_none_or(is_parts)
        {
            return None;
        }
        Some(Partial { numbers, prerelease: prerelease.map(str::to_owned), build: build.map(str::to_owned) })
    }

    fn version(&self) -> Option<Version> {
        let numbers = self.numbers.map(|n| n.unwrap_or(0));
        Version::new(numbers, self.prerelease.as_deref(), self.build.as_deref()).ok()
    }

    /// Patch releases are allowed; for a full version with no operator only that version.
    fn patches(&self, operator: bool) -> Option<Interval> {
        let [Some(major), minor, patch] = self.numbers else { return Some(Interval::everything()) };
        let Some(minor) = minor else {
            return Some(Interval::between(Version::plain([major, 0, 0]), Version::plain([major + 1, 0, 0])));
        };
        let next = Version::plain([major, minor + 1, 0]);
        if patch.is_none() {
            return Some(Interval::between(Version::plain([major, minor, 0]), next));
        }
        let version = self.version()?;
        Some(if operator { Interval::between(version, next) } else { Interval::exactly(version) })
    }

    fn minors(&self) -> Option<Interval> {
        let [Some(major), minor, _] = self.numbers else { return Some(Interval::everything()) };
        if major == 0 {
            return self.patches(true);
        }
        let next = Version::plain([major + 1, 0, 0]);
        let from = if minor.is_some() { self.version()? } else { Version::plain([major, 0, 0]) };
        Some(Interval::between(from, next))
    }
}

fn simple(text: &str) -> Option<Interval> {
    let operators = ["~>", "~=", "<=", ">=", "<", ">", "=", "~", "^"];
    let operator = operators.into_iter().find(|op| text.starts_with(op)).unwrap_or("");
    let partial = Partial::parse(&text[operator.len()..])?;
    match operator {
        "~" | "~>" | "~=" => partial.patches(true),
        "^" => partial.minors(),
        ">=" => Some(Interval::from(partial.version()?, false)),
        "<" => Some(Interval::to(partial.version()?, true)),
        ">" => match partial.numbers {
            [None, ..] => Some(Interval::to(Version::plain([0, 0, 0]), true)),
            [Some(major), None, _] => Some(Interval::from(Version::plain([major + 1, 0, 0]), false)),
            [Some(major), Some(minor), None] => {
                Some(Interval::from(Version::plain([major, minor + 1, 0]), false))
            }
            _ => Some(Interval::from(partial.version()?, true)),
        },
        "<=" => match partial.numbers {
            [None, ..] => Some(Interval::everything()),
            [Some(major), None, _] => Some(Interval::to(Version::plain([major + 1, 0, 0]), true)),
            [Some(major), Some(minor), None] => {
                Some(Interval::to(Version::plain([major, minor + 1, 0]), true))
            }
            _ => Some(Interval::to(partial.version()?, false)),
        },
        _ => partial.patches(false),
    }
}

fn parse_range(text: &str) -> Result<Vec<Interval>, String> {
    let mut set = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        set.push(c);
        if matches!(c, '>' | '<' | '=' | '~' | '^') {
            while chars.next_if(|c| c.is_whitespace()).is_some() {}
            chars.next_if_eq(&'v');
        }
    }
    let fail = || format!("Unparsable version range: \"{set}\"");
    if set.is_empty() {
        return Ok(vec![Interval::everything()]);
    }
    set.split("||")
        .map(|range| {
            let words: Vec<&str> = range.split_whitespace().collect();
            if let [from, "-", to] = words[..] {
                let from = Partial::parse(from).and_then(|p| p.version()).ok_or_else(fail)?;
                let to = Partial::parse(to).and_then(|p| p.version()).ok_or_else(fail)?;
                return Ok(Interval::from(from, false).intersect(Interval::to(to, false)));
            }
            words.into_iter().map(simple).reduce(|a, b| Some(a?.intersect(b?))).flatten().ok_or_else(fail)
        })
        .collect()
}

impl std::fmt::Display for Interval {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.from, &self.to) {
            (None, None) => f.write_str("*"),
            (Some(from), Some(to))
                if !from.excluded && !to.excluded && from.version.order(&to.version).is_eq() =>
            {
                write!(f, "{}", from.version)
            }
            (from, to) => {
                if let Some(end) = from {
                    write!(f, ">{}{}", if end.excluded { "" } else { "=" }, end.version)?;
                }
                if from.is_some() && to.is_some() {
                    f.write_str(" ")?;
                }
                if let Some(end) = to {
                    write!(f, "<{}{}", if end.excluded { "" } else { "=" }, end.version)?;
                }
                Ok(())
            }
        }
    }
}

/// The range in full, as the library inspects it: `>=1.0.0 <2.0.0`.
pub fn inspect_range(text: &str) -> String {
    match parse_range(text) {
        Ok(intervals) => intervals.iter().map(Interval::to_string).collect::<Vec<_>>().join(" || "),
        Err(_) => text.to_owned(),
    }
}

/// Checks that a text is a range of versions.
///
/// # Errors
/// The library's message for one that is none.
pub fn check_range(text: &str) -> Result<(), String> {
    parse_range(text).map(|_| ())
}

/// Whether a range includes a version, both as text; false where either is malformed.
pub fn range_includes(range: &str, version: &str) -> bool {
    match (parse_range(range), Version::parse(version)) {
        (Ok(intervals), Ok(version)) => intervals.iter().any(|interval| interval.includes(&version)),
        _ => false,
    }
}

/// Whether two ranges have versions in common.
pub fn overlap(a: &str, b: &str) -> bool {
    let (Ok(a), Ok(b)) = (parse_range(a), parse_range(b)) else { return false };
    a.iter().any(|a| b.iter().any(|b| a.clone().intersect(b.clone()).is_possible()))
}

/// Whether each of `other`'s ranges lies in one of `ranges`.
pub fn covers_all(ranges: &[&str], other: &[&str]) -> bool {
    let single = |text: &&str| parse_range(text).ok().filter(|r| r.len() == 1).map(|mut r| r.remove(0));
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
        if !all.contains(range) {
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
        assert_eq!(check_range("x.y").unwrap_err(), "Unparsable version range: \"x.y\"");
    }
}
