//! What a compile calls, how often, and the time it takes: counted where it is asked for (`compile --stats`).

use serde_json::{Value as Json, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Functions that come with the language, but for loops that the compiler makes of `each` and the like.
    Language,
    /// Functions of modules that have a native twin.
    Native,
    /// Functions that Ruby ran.
    Ruby,
    /// ERB templates rendered without Ruby.
    ErbNative,
    /// ERB templates that Ruby rendered.
    Erb,
    /// Templates in the language.
    Epp,
    /// Starts of a Ruby worker, or its takeover from an earlier compile.
    Start,
}

impl Kind {
    /// All, in the order they are shown in.
    pub const ALL: [Kind; 7] =
        [Kind::Language, Kind::Native, Kind::Ruby, Kind::ErbNative, Kind::Erb, Kind::Epp, Kind::Start];

    /// What it is called in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Language => "language",
            Kind::Native => "native",
            Kind::Ruby => "ruby",
            Kind::ErbNative => "erb_native",
            Kind::Erb => "erb",
            Kind::Epp => "epp",
            Kind::Start => "ruby_start",
        }
    }

    /// What it is called in text.
    pub fn title(self) -> &'static str {
        match self {
            Kind::Language => "functions of the language",
            Kind::Native => "functions of modules, native",
            Kind::Ruby => "functions of modules, in Ruby",
            Kind::ErbNative => "ERB templates, native",
            Kind::Erb => "ERB templates, in Ruby",
            Kind::Epp => "EPP templates",
            Kind::Start => "Ruby workers",
        }
    }
}

/// How often something was called, and the time in it: without that of other calls counted within it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Calls.
    pub calls: u64,
    /// Time.
    pub time: Duration,
}

/// What a compile called, by kind and name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    by_name: BTreeMap<Kind, BTreeMap<String, Count>>,
    reasons: BTreeMap<String, String>,
}

impl Stats {
    /// All calls of a kind.
    pub fn total(&self, kind: Kind) -> Count {
        self.names(kind).fold(Count::default(), |sum, (_, count)| Count {
            calls: sum.calls + count.calls,
            time: sum.time + count.time,
        })
    }

    /// What of a kind was called, by name.
    pub fn names(&self, kind: Kind) -> impl Iterator<Item = (&str, Count)> {
        self.by_name.get(&kind).into_iter().flatten().map(|(name, count)| (name.as_str(), *count))
    }

    /// Why Ruby rendered an ERB template, as far as it is known: what came up last.
    pub fn reason(&self, template: &str) -> Option<&str> {
        self.reasons.get(template).map(String::as_str)
    }

    /// As JSON: for each kind `calls`, `seconds` and the same `by_name`; for ERB templates in Ruby, `reasons` by name.
    pub fn json(&self) -> Json {
        let one = |count: Count| json!({"calls": count.calls, "seconds": count.time.as_secs_f64()});
        let kind = |kind: Kind| {
            let mut all = one(self.total(kind));
            all["by_name"] = self.names(kind).map(|(name, count)| (name.to_owned(), one(count))).collect();
            if kind == Kind::Erb {
                all["reasons"] = json!(self.reasons);
            }
            (kind.name().to_owned(), all)
        };
        Kind::ALL.into_iter().map(kind).collect()
    }
}

/// A call that has not returned.
struct Frame {
    kind: Kind,
    name: String,
    began: Instant,
    /// Time in calls within it.
    within: Duration,
}

/// Counts while a compile runs.
#[derive(Default)]
pub(crate) struct Counter {
    on: Cell<bool>,
    stats: RefCell<Stats>,
    frames: RefCell<Vec<Frame>>,
}

impl Counter {
    /// One that counts, or that does not.
    pub fn new(on: bool) -> Counter {
        Counter { on: Cell::new(on), ..Counter::default() }
    }

    /// Whether it counts.
    pub fn is_on(&self) -> bool {
        self.on.get()
    }

    /// A call begins.
    pub fn begin(&self, kind: Kind, name: &str) {
        let frame = Frame { kind, name: name.to_owned(), began: Instant::now(), within: Duration::ZERO };
        self.frames.borrow_mut().push(frame);
    }

    /// The call that began last ends.
    pub fn end(&self) {
        let mut frames = self.frames.borrow_mut();
        let Some(frame) = frames.pop() else { return };
        let all = frame.began.elapsed();
        if let Some(outer) = frames.last_mut() {
            outer.within += all;
        }
        let mut stats = self.stats.borrow_mut();
        let count = stats.by_name.entry(frame.kind).or_default().entry(frame.name).or_default();
        count.calls += 1;
        count.time += all.saturating_sub(frame.within);
    }

    /// Counts what `run` does as a call.
    pub fn count<T>(&self, kind: Kind, name: &str, run: impl FnOnce() -> T) -> T {
        if !self.is_on() {
            return run();
        }
        self.begin(kind, name);
        let result = run();
        self.end();
        result
    }

    /// Counts what `run` does as a call, unless it comes to nothing.
    pub fn attempt<T>(&self, kind: Kind, name: &str, run: impl FnOnce() -> Option<T>) -> Option<T> {
        if !self.is_on() {
            return run();
        }
        self.begin(kind, name);
        let result = run();
        match result {
            Some(_) => self.end(),
            None => drop(self.frames.borrow_mut().pop()),
        }
        result
    }

    /// Notes why Ruby has to render a template.
    pub fn note_reason(&self, template: &str, reason: impl FnOnce() -> String) {
        if self.is_on() {
            self.stats.borrow_mut().reasons.insert(template.to_owned(), reason());
        }
    }

    /// What was counted; nothing is left behind.
    pub fn take(&self) -> Option<Stats> {
        self.frames.take();
        self.is_on().then(|| self.stats.take())
    }
}

#[cfg(test)]
mod tests {
    use super::{Counter, Kind};
    use std::time::Duration;

    #[test]
    fn time_within_counts_once() {
        let counter = Counter::new(true);
        counter.count(Kind::Native, "outer", || {
            counter.count(Kind::Ruby, "inner", || std::thread::sleep(Duration::from_millis(30)));
        });
        let stats = counter.take().expect("it counts");
        let (outer, inner) = (stats.total(Kind::Native), stats.total(Kind::Ruby));
        assert_eq!((outer.calls, inner.calls), (1, 1));
        assert!(inner.time >= Duration::from_millis(30), "{inner:?}");
        assert!(outer.time < inner.time, "{outer:?} {inner:?}");
        assert_eq!(stats.json()["ruby"]["by_name"]["inner"]["calls"], 1);
    }
}
