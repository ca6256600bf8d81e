//! Ranges of versions: what a text of one says, which versions it includes, how it is inspected. Oracle: `semantic_puppet`, whose words
//! and oddities these are, since all three versions of Puppet have the same file of it.

use super::{Interval, Version, is_parts, number};
use std::cmp::Ordering;
use std::fmt;

/// A range between two versions, or what a single comparison includes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Range {
    /// `*`: all, pre-releases, too.
    All,
    /// A comparison.
    One(Comparison),
    /// What two include; each may be the same `1.2.3`.
    Between(Comparison, Comparison),
}

/// `>=1.0.0`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Comparison {
    how: How,
    version: Version,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    Greater,
    AtLeast,
    Less,
    AtMost,
    Exactly,
}

impl Comparison {
    fn begin(&self) -> Version {
        match self.how {
            How::Less | How::AtMost => Version::least(),
            _ => self.version.clone(),
        }
    }

    fn end(&self) -> Version {
        match self.how {
            How::Greater | How::AtLeast => Version::greatest(),
            _ => self.version.clone(),
        }
    }

    fn includes(&self, version: &Version) -> bool {
        let order = version.order(&self.version);
        match self.how {
            How::Greater => order.is_gt(),
            How::AtLeast => order.is_ge(),
            How::Less => order.is_lt(),
            How::AtMost => order.is_le(),
            How::Exactly => *version == self.version,
        }
    }

    /// Whether it names a pre-release of the same three numbers.
    fn names_prerelease(&self, version: &Version) -> bool {
        !self.version.stable() && self.version.numbers == version.numbers
    }

    fn has_lower_bound(&self) -> bool {
        match self.how {
            How::Greater => true,
            How::AtLeast | How::Exactly => self.version != Version::least(),
            How::Less | How::AtMost => false,
        }
    }

    fn has_upper_bound(&self) -> bool {
        match self.how {
            How::Less => true,
            How::AtMost | How::Exactly => self.version != Version::greatest(),
            How::Greater | How::AtLeast => false,
        }
    }
}

fn one(how: How, version: Version) -> Range {
    Range::One(Comparison { how, version })
}

/// From a version on, up to another one without it.
fn up_to(from: Version, to: [u64; 3]) -> Range {
    let to = Comparison { how: How::Less, version: Version::plain(to) };
    Range::Between(Comparison { how: How::AtLeast, version: from }, to)
}

/// The number after one.
fn after(number: u64) -> u64 {
    // The greatest stands for infinity.
    number.saturating_add(1).min(u64::MAX - 1)
}

impl Range {
    fn nothing() -> Range {
        one(How::Less, Version::least())
    }

    /// The comparison that its begin is of; none for all.
    fn lower(&self) -> Option<&Comparison> {
        match self {
            Range::All => None,
            Range::One(only) => Some(only),
            Range::Between(lower, _) => Some(lower),
        }
    }

    fn upper(&self) -> Option<&Comparison> {
        match self {
            Range::All => None,
            Range::One(only) => Some(only),
            Range::Between(_, upper) => Some(upper),
        }
    }

    fn begin(&self) -> Version {
        self.lower().map_or_else(Version::least, Comparison::begin)
    }

    fn end(&self) -> Version {
        self.upper().map_or_else(Version::greatest, Comparison::end)
    }

    fn excludes_begin(&self) -> bool {
        self.lower().is_some_and(|lower| lower.how == How::Greater)
    }

    fn excludes_end(&self) -> bool {
        self.upper().is_some_and(|upper| upper.how == How::Less)
    }

    /// Whether a version lies between its ends.
    fn spans(&self, version: &Version) -> bool {
        self.lower().is_none_or(|lower| lower.includes(version))
            && self.upper().is_none_or(|upper| upper.includes(version))
    }

    /// Whether it includes a version: one before its release only where the range names such a one.
    pub fn includes(&self, version: &Version) -> bool {
        let named = |end: Option<&Comparison>| end.is_none_or(|end| end.names_prerelease(version));
        self.spans(version) && (version.stable() || named(self.lower()) || named(self.upper()))
    }

    /// What both include; none where that is nothing.
    pub fn intersection(&self, other: &Range) -> Option<Range> {
        if *self == Range::All {
            return Some(other.clone());
        }
        for (from, to) in [(self, other), (other, self)] {
            match from.begin().order(&to.end()) {
                Ordering::Greater => return None,
                Ordering::Equal if from.excludes_begin() || to.excludes_end() => return None,
                Ordering::Equal => return Some(one(How::Exactly, from.begin())),
                Ordering::Less => {}
            }
        }
        let lower = match self.begin().order(&other.begin()) {
            Ordering::Less => other,
            Ordering::Equal if !self.excludes_begin() => other,
            _ => self,
        };
        let upper = match self.end().order(&other.end()) {
            Ordering::Greater => other,
            Ordering::Equal if !self.excludes_end() => other,
            _ => self,
        };
        let has_end = upper.upper().is_some_and(Comparison::has_upper_bound);
        match (lower.lower(), upper.upper()) {
            (Some(from), Some(to)) if has_end && from.has_lower_bound() => {
                Some(Range::Between(from.clone(), to.clone()))
            }
            _ if has_end => Some(upper.clone()),
            _ => Some(lower.clone()),
        }
    }

    /// One range in place of two that meet; none where they do not.
    ///
    /// # Errors
    /// What Ruby says of the library's mistake where both end with the same version.
    fn merged(&self, other: &Range) -> Result<Option<Range>, String> {
        if *self == Range::All {
            return Ok(Some(Range::All));
        }
        if self.spans(&other.begin()) || other.spans(&self.begin()) {
            let (from, excludes_begin) = match self.begin().order(&other.begin()) {
                Ordering::Less => (self.begin(), self.excludes_begin()),
                Ordering::Greater => (other.begin(), other.excludes_begin()),
                Ordering::Equal => (self.begin(), self.excludes_begin() && other.excludes_begin()),
            };
            let (to, excludes_end) = match self.end().order(&other.end()) {
                Ordering::Greater => (self.end(), self.excludes_end()),
                Ordering::Less => (other.end(), other.excludes_end()),
                Ordering::Equal => return Err(self.mistaken()),
            };
            return Ok(between(from, excludes_begin, to, excludes_end));
        }
        for (a, b) in [(self, other), (other, self)] {
            let meets = a.excludes_end() && !b.excludes_begin() && a.end() == b.begin();
            if meets {
                return Ok(between(a.begin(), a.excludes_begin(), b.end(), b.excludes_end()));
            }
        }
        for (a, b) in [(self, other), (other, self)] {
            let [major, minor, patch] = a.end().numbers;
            let next = Version::plain([major, minor, after(patch)]);
            if !a.excludes_end() && !b.excludes_begin() && next == b.begin() {
                return Ok(between(a.begin(), a.excludes_begin(), b.end(), b.excludes_end()));
            }
        }
        Ok(None)
    }

    /// The message of Ruby, in which objects have their addresses, which nobody else can know.
    fn mistaken(&self) -> String {
        let class = |name: &str| format!("SemanticPuppet::VersionRange::{name}");
        let object = match self {
            Range::Between(..) => format!("{self}:{}", class("MinMaxRange")),
            Range::All => format!("#<{}>", class("AllRange")),
            Range::One(Comparison { how, version }) => {
                let name = match how {
                    How::Greater => "GtRange",
                    How::AtLeast => "GtEqRange",
                    How::Less => "LtRange",
                    How::AtMost => "LtEqRange",
                    How::Exactly => "EqRange",
                };
                format!("#<{} @version={version}>", class(name))
            }
        };
        format!("undefined local variable or method `exclude_end' for {object}")
    }

    /// The same by its ends.
    pub fn interval(&self) -> Interval {
        let lower = self.lower().filter(|lower| lower.has_lower_bound());
        let upper = self.upper().filter(|upper| upper.has_upper_bound());
        let from = lower.map(|_| (self.begin(), self.excludes_begin()));
        let to = upper.map(|_| (self.end(), self.excludes_end()));
        Interval::new(from, to)
    }
}

fn between(from: Version, excludes_from: bool, to: Version, excludes_to: bool) -> Option<Range> {
    let from = one(if excludes_from { How::Greater } else { How::AtLeast }, from);
    from.intersection(&one(if excludes_to { How::Less } else { How::AtMost }, to))
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.how {
            How::Greater => ">",
            How::AtLeast => ">=",
            How::Less if self.version == Version::least() => return f.write_str("<0.0.0"),
            How::Less => "<",
            How::AtMost => "<=",
            How::Exactly => "",
        };
        write!(f, "{sign}{}", self.version)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Range::All => f.write_str("*"),
            Range::One(only) => only.fmt(f),
            Range::Between(lower, upper) => write!(f, "{lower} {upper}"),
        }
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

    /// The version, with zeroes for what is not given.
    ///
    /// # Errors
    /// For numbers with leading zeroes in a pre-release.
    fn version(&self) -> Result<Version, String> {
        let numbers = self.numbers.map(|n| n.unwrap_or(0));
        Version::new(numbers, self.prerelease.as_deref(), self.build.as_deref())
    }

    /// Patch releases are allowed; for a full version with no operator only that version.
    fn patches(&self, has_operator: bool) -> Result<Range, String> {
        Ok(match self.numbers {
            [None, ..] => Range::All,
            [Some(major), None, _] => up_to(Version::plain([major, 0, 0]), [after(major), 0, 0]),
            [Some(major), Some(minor), None] => {
                up_to(Version::plain([major, minor, 0]), [major, after(minor), 0])
            }
            [Some(major), Some(minor), Some(_)] if has_operator => {
                up_to(self.version()?, [major, after(minor), 0])
            }
            _ => one(How::Exactly, self.version()?),
        })
    }

    fn minors(&self) -> Result<Range, String> {
        let (major, from) = match self.numbers {
            [None, ..] => return Err(no_singleton()),
            [Some(0), ..] => return self.patches(true),
            [Some(major), None, _] => (major, Version::plain([major, 0, 0])),
            [Some(major), Some(minor), None] => (major, Version::plain([major, minor, 0])),
            // A build counts beside a pre-release only.
            [Some(major), Some(minor), Some(patch)] if self.prerelease.is_none() => {
                (major, Version::plain([major, minor, patch]))
            }
            [Some(major), ..] => (major, self.version()?),
        };
        Ok(up_to(from, [after(major), 0, 0]))
    }

    /// `>`: above all that the numbers given stand for.
    fn above(&self) -> Result<Range, String> {
        Ok(match self.numbers {
            [None, ..] => Range::nothing(),
            [Some(major), None, _] => one(How::AtLeast, Version::plain([after(major), 0, 0])),
            [Some(major), Some(minor), None] => one(How::AtLeast, Version::plain([major, after(minor), 0])),
            _ => one(How::Greater, self.version()?),
        })
    }

    /// `<=`: up to the last that the numbers given stand for.
    fn at_most(&self) -> Result<Range, String> {
        Ok(match self.numbers {
            [None, ..] => return Err(no_singleton()),
            [Some(major), None, _] => one(How::Less, Version::plain([after(major), 0, 0])),
            [Some(major), Some(minor), None] => one(How::Less, Version::plain([major, after(minor), 0])),
            _ => one(How::AtMost, self.version()?),
        })
    }
}

/// What Ruby says of a mistake of the library.
fn no_singleton() -> String {
    "undefined method `SINGLETON' for SemanticPuppet::VersionRange::AllRange:Class".to_owned()
}

/// A comparison; none for what is none.
fn simple(text: &str) -> Option<Result<Range, String>> {
    let operators = ["~>", "~=", "<=", ">=", "<", ">", "=", "~", "^"];
    let operator = operators.into_iter().find(|op| text.starts_with(op)).unwrap_or("");
    let partial = Partial::parse(&text[operator.len()..])?;
    Some(match operator {
        "~" | "~>" | "~=" => partial.patches(true),
        "^" => partial.minors(),
        ">" => partial.above(),
        ">=" => partial.version().map(|version| one(How::AtLeast, version)),
        "<" => partial.version().map(|version| one(How::Less, version)),
        "<=" => partial.at_most(),
        _ => partial.patches(false),
    })
}

/// What Ruby's expressions take for white space.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r')
}

/// `1.0.0 - 2.0.0`, with nothing around it; none for anything else.
fn hyphenated(text: &str) -> Option<(Partial, Partial)> {
    let (from, rest) = text.split_at(text.find(is_space)?);
    let to = rest.trim_start_matches(is_space).strip_prefix('-')?;
    let bare = to.trim_start_matches(is_space);
    (bare.len() < to.len()).then(|| Some((Partial::parse(from)?, Partial::parse(bare)?)))?
}

/// The ranges of a text, of which one has to include a version.
///
/// # Errors
/// The library's message for a text that is none, or Ruby's where the library is mistaken.
pub(super) fn parse(text: &str) -> Result<Vec<Range>, String> {
    let fail = || format!("Unparsable version range: \"{text}\"");
    // White space behind operators separates nothing; without any, a `v` there counts for nothing.
    let mut set = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        set.push(c);
        if matches!(c, '>' | '<' | '=' | '~' | '^') && chars.next_if_eq(&'v').is_none() {
            while chars.next_if(|c| is_space(*c)).is_some() {}
        }
    }
    let mut alternatives: Vec<&str> = set.split("||").collect();
    let count = alternatives.len();
    for (n, alternative) in alternatives.iter_mut().enumerate() {
        if n > 0 {
            *alternative = alternative.trim_start_matches(is_space);
        }
        if n + 1 < count {
            *alternative = alternative.trim_end_matches(is_space);
        }
    }
    while alternatives.last().is_some_and(|last| last.is_empty()) {
        alternatives.pop();
    }
    if alternatives.is_empty() {
        return Ok(vec![Range::All]);
    }
    let mut ranges: Vec<Range> = Vec::new();
    for alternative in alternatives {
        let found = match hyphenated(alternative) {
            Some((from, to)) => {
                let from = one(How::AtLeast, from.version()?);
                from.intersection(&one(How::AtMost, to.version()?))
            }
            None => intersected(alternative, &fail)?,
        };
        ranges.extend(found.filter(|found| !ranges.contains(found)));
    }
    let mut ranges = united(ranges)?;
    if ranges.is_empty() {
        ranges.push(Range::nothing());
    }
    Ok(ranges)
}

/// What all comparisons of a text include; none where that is nothing.
///
/// # Errors
/// What `fail` says, where one is none.
fn intersected(text: &str, fail: &dyn Fn() -> String) -> Result<Option<Range>, String> {
    // White space in front separates from nothing at all, which is no comparison; behind, it separates nothing.
    let words = text.trim_end_matches(is_space).split(is_space).enumerate();
    let words = words.filter(|(n, word)| !word.is_empty() || (*n == 0 && text.contains(|c| !is_space(c))));
    let all =
        words.map(|(_, word)| simple(word).ok_or_else(fail)?).collect::<Result<Vec<Range>, String>>()?;
    let mut all = all.into_iter();
    let Some(mut whole) = all.next() else { return Ok(None) };
    while let Some(next) = all.next() {
        match whole.intersection(&next) {
            Some(both) => whole = both,
            None if all.next().is_none() => return Ok(None),
            None => return Err(nothing_intersects()),
        }
    }
    Ok(Some(whole))
}

/// What Ruby says where a third comparison follows two that have nothing in common.
fn nothing_intersects() -> String {
    "undefined method `intersection' for nil:NilClass".to_owned()
}

/// Ranges, those that meet made one.
fn united(mut ranges: Vec<Range>) -> Result<Vec<Range>, String> {
    let mut has_merged = true;
    while ranges.len() > 1 && has_merged {
        has_merged = false;
        let mut result = Vec::new();
        while let Some(mut range) = ranges.pop() {
            let mut apart = Vec::new();
            for other in ranges {
                match range.merged(&other)? {
                    Some(both) => {
                        has_merged = true;
                        range = both;
                    }
                    None => apart.push(other),
                }
            }
            result.push(range);
            ranges = apart;
        }
        result.reverse();
        ranges = result;
    }
    Ok(ranges)
}
