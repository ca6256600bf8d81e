//! What a compile does, how often, the time and memory it takes: counted where it is asked for (`compile --stats`,
//! `compile --profile`). [`Counter`] counts while the compile runs, [`Stats`] is what it counted.

use bumpalo::Bump;
use hashbrown::{DefaultHashBuilder, HashTable};
use serde_json::{Value as Json, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::time::{Duration, Instant};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Bodies of classes and nodes.
    Class,
    /// Bodies of defined types, by the type's name.
    Define,
    /// Functions in the Puppet language.
    Puppet,
    /// Functions that come with the language, but for loops that the compiler makes of `each` and the like.
    Language,
    /// Functions of modules that have a native twin.
    Native,
    /// Functions in Ruby that were run without Ruby.
    RubyNative,
    /// Functions that Ruby ran.
    Ruby,
    /// ERB templates rendered without Ruby.
    ErbNative,
    /// ERB templates that Ruby rendered.
    Erb,
    /// Templates in the language.
    Epp,
    /// Keys looked up in Hiera.
    Hiera,
    /// Starts of a Ruby worker, or its takeover from an earlier compile.
    Start,
}

impl Kind {
    /// All, in the order they are shown in.
    pub const ALL: [Kind; 12] = [
        Kind::Class,
        Kind::Define,
        Kind::Puppet,
        Kind::Language,
        Kind::Native,
        Kind::RubyNative,
        Kind::Ruby,
        Kind::ErbNative,
        Kind::Erb,
        Kind::Epp,
        Kind::Hiera,
        Kind::Start,
    ];

    /// What it is called in JSON, and in front of a name in a stack.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Class => "class",
            Kind::Define => "define",
            Kind::Puppet => "puppet",
            Kind::Language => "language",
            Kind::Native => "native",
            Kind::RubyNative => "ruby_native",
            Kind::Ruby => "ruby",
            Kind::ErbNative => "erb_native",
            Kind::Erb => "erb",
            Kind::Epp => "epp",
            Kind::Hiera => "hiera",
            Kind::Start => "ruby_start",
        }
    }

    /// What it is called in text.
    pub fn title(self) -> &'static str {
        match self {
            Kind::Class => "classes",
            Kind::Define => "defined types",
            Kind::Puppet => "functions in the Puppet language",
            Kind::Language => "functions of the language",
            Kind::Native => "functions of modules, native",
            Kind::RubyNative => "functions of modules, compiled from Ruby",
            Kind::Ruby => "functions of modules, in Ruby",
            Kind::ErbNative => "ERB templates, native",
            Kind::Erb => "ERB templates, in Ruby",
            Kind::Epp => "EPP templates",
            Kind::Hiera => "Hiera keys",
            Kind::Start => "Ruby workers",
        }
    }
}

/// How often something was called, the time in it and the memory it took: without that of what is counted within it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Calls.
    pub calls: u64,
    /// Time.
    pub time: Duration,
    /// Bytes of the compile's arena, where its values lie.
    pub bytes: u64,
}

impl std::ops::AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.calls += other.calls;
        self.time += other.time;
        self.bytes += other.bytes;
    }
}

/// What a compile did, by kind and name; where it was profiled also by the stack of what led there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// The tree of calls: what a node is called in comes before it.
    nodes: Vec<Node>,
    /// Whether calls are told apart by what is around them.
    nested: bool,
    reasons: BTreeMap<String, String>,
}

impl Stats {
    /// All of a kind.
    pub fn total(&self, kind: Kind) -> Count {
        let mut sum = Count::default();
        self.of_kind(kind).for_each(|node| sum += node.count);
        sum
    }

    /// What of a kind was called, by name.
    pub fn names(&self, kind: Kind) -> impl Iterator<Item = (&str, Count)> {
        let mut names: BTreeMap<&str, Count> = BTreeMap::new();
        self.of_kind(kind).for_each(|node| *names.entry(&node.name).or_default() += node.count);
        names.into_iter()
    }

    fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Node> {
        self.called().filter(move |node| node.kind == kind)
    }

    /// The nodes but for the top. What was attempted only came to nothing.
    fn called(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().skip(1).filter(|node| node.count.calls > 0)
    }

    /// Why Ruby rendered an ERB template, as far as it is known: what came up last.
    pub fn reason(&self, template: &str) -> Option<&str> {
        self.reasons.get(template).map(String::as_str)
    }

    /// As JSON: for each kind `calls`, `seconds`, `bytes` and the same `by_name`; for what ran in Ruby, `reasons` by name.
    pub fn to_json(&self) -> String {
        let one = |count: Count| json!({"calls": count.calls, "seconds": count.time.as_secs_f64(), "bytes": count.bytes});
        let kind = |kind: Kind| {
            let mut all = one(self.total(kind));
            all["by_name"] = self.names(kind).map(|(name, count)| (name.to_owned(), one(count))).collect();
            if matches!(kind, Kind::Erb | Kind::Ruby) {
                let names = self.names(kind);
                let known: BTreeMap<_, _> =
                    names.filter_map(|(name, _)| self.reasons.get_key_value(name)).collect();
                all["reasons"] = json!(known);
            }
            (kind.name().to_owned(), all)
        };
        Json::Object(Kind::ALL.into_iter().map(kind).collect()).to_string()
    }

    /// The stacks of a profile, outermost first, joined by `;`, each with what it alone has taken; none where nothing was profiled.
    pub fn stacks(&self) -> impl Iterator<Item = (String, Count)> {
        self.called().filter(|_| self.nested).map(|node| (self.stack(node), node.count))
    }

    fn stack(&self, node: &Node) -> String {
        // A `;` or a line feed would end the frame.
        let frame = |node: &Node| format!("{} {}", node.kind.name(), node.name.replace([';', '\n'], ","));
        let (mut path, mut outer) = (vec![frame(node)], node.outer);
        while outer != 0 {
            path.push(frame(&self.nodes[outer]));
            outer = self.nodes[outer].outer;
        }
        path.reverse();
        path.join(";")
    }

    /// The stacks as lines: what `flamegraph.pl`, inferno and speedscope read. `figure` says what stands behind each; stacks without any
    /// are left out.
    pub fn folded(&self, figure: impl Fn(Count) -> u64) -> String {
        let figures = self.stacks().map(|(stack, count)| (stack, figure(count))).filter(|(_, n)| *n > 0);
        figures.map(|(stack, figure)| format!("{stack} {figure}\n")).collect()
    }
}

/// Nodes of the tree of calls: what is called beyond that counts as its caller.
const MAX_NODES: usize = 100_000;
/// Depth of the tree, likewise.
const MAX_STACK: u32 = 256;

/// What was called, by what was called around it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    kind: Kind,
    name: String,
    outer: usize,
    depth: u32,
    count: Count,
}

/// A call that has not returned.
struct Frame {
    node: usize,
    began: Instant,
    used: u64,
    /// Time and memory of calls within it.
    within: Count,
}

/// What counts, and how.
struct Counting<'c> {
    arena: &'c Bump,
    /// Whether calls are told apart by what is around them.
    nested: bool,
    nodes: Vec<Node>,
    /// The numbers of nodes, by their kinds and names and what is around them.
    numbers: HashTable<usize>,
    hasher: DefaultHashBuilder,
    frames: Vec<Frame>,
    /// See [`Stats::reason`].
    reasons: BTreeMap<String, String>,
}

impl Counting<'_> {
    fn used(&self) -> u64 {
        // What is left of the chunk in use has not been given out.
        self.arena.allocated_bytes().saturating_sub(self.arena.chunk_capacity()) as u64
    }

    fn node(&mut self, kind: Kind, name: &str) -> usize {
        let outer = if self.nested { self.frames.last().map_or(0, |frame| frame.node) } else { 0 };
        let (nodes, hasher) = (&self.nodes, &self.hasher);
        let hash = hasher.hash_one((outer, kind, name));
        let is_it = |number: &usize| {
            let node = &nodes[*number];
            node.outer == outer && node.kind == kind && node.name == name
        };
        if let Some(number) = self.numbers.find(hash, is_it) {
            return *number;
        }
        let depth = nodes[outer].depth + 1;
        if outer != 0 && (nodes.len() >= MAX_NODES || depth > MAX_STACK) {
            return outer;
        }
        let number = nodes.len();
        let hash_of = |number: &usize| {
            let node = &nodes[*number];
            hasher.hash_one((node.outer, node.kind, node.name.as_str()))
        };
        self.numbers.insert_unique(hash, number, hash_of);
        self.nodes.push(Node { kind, name: name.to_owned(), outer, depth, count: Count::default() });
        number
    }
}

/// Counts while a compile runs.
#[derive(Default)]
pub(crate) struct Counter<'c>(RefCell<Option<Counting<'c>>>);

impl<'c> Counter<'c> {
    /// One that counts what is called; `nested` also by what is around it.
    pub fn new(arena: &'c Bump, nested: bool) -> Counter<'c> {
        let top =
            Node { kind: Kind::Class, name: String::new(), outer: 0, depth: 0, count: Count::default() };
        let counting = Counting {
            arena,
            nested,
            nodes: vec![top],
            numbers: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            frames: Vec::new(),
            reasons: BTreeMap::new(),
        };
        Counter(RefCell::new(Some(counting)))
    }

    /// A call begins.
    pub fn begin(&self, kind: Kind, name: &str) {
        if let Some(counting) = &mut *self.0.borrow_mut() {
            let (node, used) = (counting.node(kind, name), counting.used());
            counting.frames.push(Frame { node, began: Instant::now(), used, within: Count::default() });
        }
    }

    /// The call that began last ends.
    pub fn end(&self) {
        let mut counting = self.0.borrow_mut();
        let Some(counting) = &mut *counting else { return };
        let Some(frame) = counting.frames.pop() else { return };
        let (time, bytes) = (frame.began.elapsed(), counting.used().saturating_sub(frame.used));
        if let Some(outer) = counting.frames.last_mut() {
            outer.within.time += time;
            outer.within.bytes += bytes;
        }
        counting.nodes[frame.node].count += Count {
            calls: 1,
            time: time.saturating_sub(frame.within.time),
            bytes: bytes.saturating_sub(frame.within.bytes),
        };
    }

    /// Counts what `run` does as a call.
    pub fn count<T>(&self, kind: Kind, name: &str, run: impl FnOnce() -> T) -> T {
        if self.0.borrow().is_none() {
            return run();
        }
        self.begin(kind, name);
        let result = run();
        self.end();
        result
    }

    /// Counts what `run` does as a call, unless it comes to nothing.
    pub fn attempt<T>(&self, kind: Kind, name: &str, run: impl FnOnce() -> Option<T>) -> Option<T> {
        if self.0.borrow().is_none() {
            return run();
        }
        self.begin(kind, name);
        let result = run();
        match result {
            Some(_) => self.end(),
            None => {
                if let Some(counting) = &mut *self.0.borrow_mut() {
                    counting.frames.pop();
                }
            }
        }
        result
    }

    /// Notes why Ruby has to render a template.
    pub fn note_reason(&self, template: &str, reason: impl FnOnce() -> String) {
        if let Some(counting) = &mut *self.0.borrow_mut() {
            counting.reasons.insert(template.to_owned(), reason());
        }
    }

    /// What was counted; nothing is left behind.
    pub fn take(&self) -> Option<Stats> {
        let counting = self.0.take()?;
        Some(Stats { nodes: counting.nodes, nested: counting.nested, reasons: counting.reasons })
    }
}

#[cfg(test)]
mod tests {
    use super::{Counter, Kind};
    use bumpalo::Bump;
    use std::time::Duration;

    #[test]
    fn time_and_memory_within_count_once() {
        let arena = Bump::new();
        let counter = Counter::new(&arena, true);
        counter.count(Kind::Native, "outer", || {
            arena.alloc([0u8; 1000]);
            counter.count(Kind::Ruby, "in;ner", || {
                arena.alloc([0u8; 100]);
                std::thread::sleep(Duration::from_millis(30));
            });
        });
        let stats = counter.take().expect("it counts");
        let (outer, inner) = (stats.total(Kind::Native), stats.total(Kind::Ruby));
        assert_eq!((outer.calls, inner.calls), (1, 1));
        assert!(inner.time >= Duration::from_millis(30), "{inner:?}");
        assert!(outer.time < inner.time, "{outer:?} {inner:?}");
        assert!(inner.bytes >= 100 && outer.bytes >= 1000, "{outer:?} {inner:?}");
        let json: serde_json::Value = serde_json::from_str(&stats.to_json()).unwrap();
        assert_eq!(json["ruby"]["by_name"]["in;ner"]["calls"], 1);
        let calls = stats.folded(|count| count.calls);
        assert_eq!(calls, "native outer 1\nnative outer;ruby in,ner 1\n");
    }

    #[test]
    fn what_comes_to_nothing_is_no_stack() {
        let arena = Bump::new();
        let counter = Counter::new(&arena, true);
        assert_eq!(counter.attempt(Kind::ErbNative, "a", || None::<()>), None);
        counter.count(Kind::Erb, "a", || ());
        let stats = counter.take().expect("it counts");
        let stacks: Vec<String> = stats.stacks().map(|(stack, _)| stack).collect();
        assert_eq!(stacks, ["erb a"]);
    }

    #[test]
    fn stacks_are_bounded() {
        let arena = Bump::new();
        let counter = Counter::new(&arena, true);
        (0..1000).for_each(|_| counter.begin(Kind::Puppet, "f"));
        (0..1000).for_each(|_| counter.end());
        let stats = counter.take().expect("it counts");
        assert_eq!(stats.total(Kind::Puppet).calls, 1000);
        let deepest =
            stats.folded(|count| count.calls).lines().map(str::len).max().expect("there are stacks");
        assert!(deepest < 10 * 300, "{deepest}");
    }
}
