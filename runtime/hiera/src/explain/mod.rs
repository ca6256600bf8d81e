//! How a look-up came to its value: a tree of what was asked and what each answered, kept only where somebody wants
//! it. Source: `Puppet::Pops::Lookup::Explainer`; its words are those of `puppet lookup --explain`.

use crate::data_file::data::Data;
use crate::lookup_options::LOOKUP_OPTIONS;
use crate::query::origin::Source;
use crate::query::render;
use bumpalo::Bump;
use bunraku_vm::budget;
use bunraku_vm::value::{Hash, Value};
use std::cell::{Cell, RefCell};

/// What a node of the tree stands for.
#[derive(Clone)]
pub enum What<'c> {
    /// The tree itself.
    Root,
    /// A search for a key.
    Search(String),
    /// A key that nobody may ask for.
    InvalidKey(String),
    /// Merge options come from data.
    MergeSource(&'static str),
    /// A module without data; whether there is such a module.
    Module(String, bool),
    /// A string with `%{…}` in it.
    Interpolation(String),
    /// A merge: its strategy and options.
    Merge(&'static str, Option<Hash<'c>>),
    /// A layer: its name, its configuration, its module.
    Layer(String, Option<String>, Option<String>),
    /// An entry of a hierarchy.
    Entry(String),
    /// A file or URI: as found, as written, whether it is a URI.
    Location(String, String, bool),
    /// The way into a value.
    SubKey(Vec<Data>),
    /// One step of it.
    Segment(Data),
    /// Variables, a default hierarchy.
    Scope(String),
}

/// What came of it.
#[derive(Clone)]
enum Event<'c> {
    Found(Data, Value<'c>, Option<&'static str>),
    Result(Value<'c>),
    NotFound(Data),
    LocationNotFound,
}

struct Node<'c> {
    what: What<'c>,
    parent: usize,
    branches: Vec<usize>,
    event: Option<Event<'c>>,
    texts: Vec<String>,
    source: Option<Source<'c>>,
}

/// The tree while it grows.
pub struct Explainer<'c> {
    nodes: RefCell<Vec<Node<'c>>>,
    current: Cell<usize>,
    /// Whether `lookup_options` alone are explained.
    pub options_only: bool,
}

/// Who explains, if anybody does.
#[derive(Clone, Copy, Default)]
pub struct Explain<'c>(pub Option<&'c Explainer<'c>>);

impl<'c> Explain<'c> {
    /// Runs `run` inside of a node.
    #[inline]
    pub fn with<T>(self, what: impl FnOnce() -> What<'c>, run: impl FnOnce() -> T) -> T {
        let Some(explainer) = self.0 else { return run() };
        explainer.push(what());
        let result = run();
        explainer.pop();
        result
    }

    /// Whether `lookup_options` alone are explained.
    pub fn options_only(self) -> bool {
        self.0.is_some_and(|explainer| explainer.options_only)
    }

    /// A value was found under a key.
    pub fn found(self, key: impl Into<Data>, value: Value<'c>) {
        self.event(|| Event::Found(key.into(), value, None));
    }

    /// A value was found in the caller's `overrides` or `defaults`.
    pub fn found_in(self, key: impl Into<Data>, value: Value<'c>, place: &'static str) {
        self.event(|| Event::Found(key.into(), value, Some(place)));
    }

    /// An entry gave a value.
    pub fn source(self, source: impl FnOnce() -> Source<'c>) {
        if let Some(explainer) = self.0 {
            let source = source();
            explainer.nodes.borrow_mut()[explainer.current.get()].source = Some(source);
        }
    }

    /// What a merge gave.
    pub fn result(self, value: Value<'c>) {
        self.event(|| Event::Result(value));
    }

    /// There is no such key.
    pub fn not_found(self, key: impl Into<Data>) {
        self.event(|| Event::NotFound(key.into()));
    }

    /// There is no such file.
    pub fn location_not_found(self) {
        self.event(|| Event::LocationNotFound);
    }

    /// A leaf.
    pub fn leaf(self, what: impl FnOnce() -> What<'c>) {
        self.with(what, || ());
    }

    /// A line of text.
    pub fn text(self, text: impl FnOnce() -> String) {
        if let Some(explainer) = self.0 {
            let text = text();
            explainer.nodes.borrow_mut()[explainer.current.get()].texts.push(text);
        }
    }

    fn event(self, event: impl FnOnce() -> Event<'c>) {
        if let Some(explainer) = self.0 {
            let event = event();
            explainer.nodes.borrow_mut()[explainer.current.get()].event = Some(event);
        }
    }
}

impl From<&str> for Data {
    fn from(text: &str) -> Data {
        Data::Text(text.to_owned())
    }
}

/// Explains look-ups for as long as it lives; then its tree is gone.
pub struct Explaining<'c>(&'c Explainer<'c>);

impl<'c> Explaining<'c> {
    /// Begins with an empty tree; `options_only` says whether `lookup_options` alone are explained.
    pub fn begin(arena: &'c Bump, options_only: bool) -> Explaining<'c> {
        Explaining(arena.alloc(Explainer::new(options_only)))
    }

    /// The tree.
    pub fn explainer(&self) -> &'c Explainer<'c> {
        self.0
    }
}

impl Drop for Explaining<'_> {
    fn drop(&mut self) {
        self.0.clear();
    }
}

impl<'c> Explainer<'c> {
    /// Nothing explained yet.
    fn new(options_only: bool) -> Explainer<'c> {
        let root = Node {
            what: What::Root,
            parent: 0,
            branches: Vec::new(),
            event: None,
            texts: Vec::new(),
            source: None,
        };
        Explainer { nodes: RefCell::new(vec![root]), current: Cell::new(0), options_only }
    }

    fn push(&self, what: What<'c>) {
        let mut nodes = self.nodes.borrow_mut();
        let (number, parent) = (nodes.len(), self.current.get());
        nodes.push(Node { what, parent, branches: Vec::new(), event: None, texts: Vec::new(), source: None });
        nodes[parent].branches.push(number);
        self.current.set(number);
    }

    fn pop(&self) {
        self.current.set(self.nodes.borrow()[self.current.get()].parent);
    }

    /// Drops the tree: the arena that an explainer lies in drops nothing.
    fn clear(&self) {
        self.nodes.borrow_mut().truncate(1);
    }

    /// What entries gave for a key that was looked up, in the order in which they were asked.
    pub fn sources(&self, key: &str) -> Vec<Source<'c>> {
        let nodes = self.nodes.borrow();
        let mut branches = nodes[0].branches.iter().rev();
        let is_search = |n: &&usize| matches!(&nodes[**n].what, What::Search(other) if other == key);
        let Some(search) = branches.find(is_search) else { return Vec::new() };
        let options = format!("Searching for \"{LOOKUP_OPTIONS}\"");
        let (mut all, mut left) = (Vec::new(), vec![*search]);
        while let Some(number) = left.pop() {
            let node = &nodes[number];
            match &node.what {
                // What texts and options lead to is no part of the value.
                What::Interpolation(_) => continue,
                What::Scope(name) if *name == options => continue,
                _ => {}
            }
            all.extend(node.source.clone());
            left.extend(node.branches.iter().rev());
        }
        all
    }

    /// The explanation as text, each line with its line feed.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let nodes = self.nodes.borrow();
        let nodes = Nodes(&nodes);
        for branch in &nodes.0[0].branches {
            nodes.write(&mut out, *branch, 0);
        }
        nodes.texts(&mut out, 0, 0);
        out
    }

    /// The explanation as data, with symbols for keys as Ruby's has them.
    pub fn to_data(&self) -> Data {
        let nodes = self.nodes.borrow();
        let nodes = Nodes(&nodes);
        match nodes.0[0].branches.as_slice() {
            [one] => nodes.data(*one),
            [] => Data::Map(Vec::new()),
            many => Data::Map(vec![nodes.branches(many)]),
        }
    }
}

fn symbol(name: &str) -> Data {
    Data::Symbol(name.to_owned())
}

struct Nodes<'n, 'c>(&'n [Node<'c>]);

impl<'c> Nodes<'_, 'c> {
    fn texts(&self, out: &mut String, number: usize, depth: usize) {
        for text in &self.0[number].texts {
            line(out, depth, text);
        }
    }

    fn write(&self, out: &mut String, number: usize, depth: usize) {
        let node = &self.0[number];
        let mut below = true;
        match &node.what {
            What::Root => {}
            What::Search(key) => line(out, depth, &format!("Searching for \"{key}\"")),
            What::InvalidKey(key) => return line(out, depth, &format!("Invalid key \"{key}\"")),
            What::MergeSource(source) => {
                return line(out, depth, &format!("Using merge options from \"{source}\" hash"));
            }
            What::Module(name, true) => {
                let text = format!("Module data provider for module \"{name}\" not found");
                return line(out, depth, &text);
            }
            What::Module(name, false) => {
                return line(out, depth, &format!("Module \"{name}\" not found"));
            }
            What::Interpolation(text) => line(out, depth, &format!("Interpolation on \"{text}\"")),
            What::Merge(strategy, options) => match node.branches.as_slice() {
                [] => return,
                [one] => return self.write(out, *one, depth),
                _ => {
                    line(out, depth, &format!("Merge strategy {strategy}"));
                    if let Some(options) = without_strategy(*options) {
                        let mut text = "Options: ".to_owned();
                        pairs(&mut text, depth + 1, &options);
                        line(out, depth + 1, &text);
                    }
                }
            },
            What::Layer(name, config, _) => {
                line(out, depth, name);
                if let Some(config) = config {
                    line(out, depth + 1, &format!("Using configuration \"{config}\""));
                }
            }
            What::Entry(name) | What::Scope(name) => line(out, depth, name),
            What::Location(path, original, is_uri) => {
                let (name, lower) = if *is_uri { ("URI", "uri") } else { ("Path", "path") };
                line(out, depth, &format!("{name} \"{path}\""));
                line(out, depth + 1, &format!("Original {lower}: \"{original}\""));
            }
            What::SubKey(segments) => {
                let all: Vec<String> = segments.iter().map(name).collect();
                line(out, depth, &format!("Sub key: \"{}\"", all.join(".")));
            }
            What::Segment(_) => below = false,
        }
        let depth = depth + usize::from(below);
        for branch in node.branches.iter().filter(|_| below) {
            self.write(out, *branch, depth);
        }
        match (&node.event, &node.what) {
            (Some(Event::Result(value)), What::Merge(..)) => {
                let mut text = "Merged result: ".to_owned();
                show(&mut text, depth, *value);
                line(out, depth, &text);
            }
            (Some(Event::LocationNotFound), What::Location(_, _, is_uri)) => {
                line(out, depth, if *is_uri { "URI not found" } else { "Path not found" });
            }
            (Some(Event::NotFound(key)), what) if has_outcome(what) => {
                line(out, depth, &format!("No such key: \"{}\"", name(key)));
            }
            (Some(Event::Found(key, value, place)), what) if has_outcome(what) => {
                let mut text = format!("Found key: \"{}\" value: ", name(key));
                show(&mut text, depth, *value);
                text.extend(place.iter().flat_map(|place| [" in ", place]));
                line(out, depth, &text);
            }
            _ => {}
        }
        if has_outcome(&node.what) {
            self.texts(out, number, depth);
        }
    }

    fn branches(&self, branches: &[usize]) -> (Data, Data) {
        (symbol("branches"), Data::List(branches.iter().map(|branch| self.data(*branch)).collect()))
    }

    fn data(&self, number: usize) -> Data {
        let node = &self.0[number];
        if let (What::Merge(..), [one]) = (&node.what, node.branches.as_slice()) {
            return self.data(*one);
        }
        let text = |text: &str| Data::Text(text.to_owned());
        if let What::MergeSource(source) = node.what {
            return Data::Map(vec![
                (symbol("type"), symbol("merge_source")),
                (symbol("merge_source"), text(source)),
            ]);
        }
        let mut all = Vec::new();
        if !node.branches.is_empty() {
            all.push(self.branches(&node.branches));
        }
        let key = match (&node.event, &node.what) {
            (Some(Event::Found(key, ..) | Event::NotFound(key)), _) => Some(text(&name(key))),
            (_, What::Search(key) | What::InvalidKey(key)) => Some(text(key)),
            _ => None,
        };
        all.extend(key.map(|key| (symbol("key"), key)));
        if let Some(Event::Found(_, value, _) | Event::Result(value)) = &node.event {
            all.push((symbol("value"), render::objects(*value)));
        }
        let event = match (&node.event, &node.what) {
            (_, What::Module(_, true)) => Some("module_provider_not_found"),
            (_, What::Module(_, false)) => Some("module_not_found"),
            (Some(Event::Found(_, _, Some("overrides"))), _) => Some("found_in_overrides"),
            (Some(Event::Found(_, _, Some(_))), _) => Some("found_in_defaults"),
            (Some(Event::Found(_, _, None)), _) => Some("found"),
            (Some(Event::Result(_)), _) => Some("result"),
            (Some(Event::NotFound(_)), _) => Some("not_found"),
            (Some(Event::LocationNotFound), _) => Some("location_not_found"),
            (None, _) => None,
        };
        all.extend(event.map(|event| (symbol("event"), symbol(event))));
        if !node.texts.is_empty() {
            all.push((symbol("texts"), Data::List(node.texts.iter().map(|line| text(line)).collect())));
        }
        let kind = match &node.what {
            What::Root | What::Search(_) | What::MergeSource(_) => "root",
            What::InvalidKey(_) => "invalid_key",
            What::Module(..) => "module",
            What::Interpolation(_) => "interpolate",
            What::Merge(..) => "merge",
            What::Layer(..) | What::Entry(_) => "data_provider",
            What::Location(_, _, is_uri) => {
                if *is_uri {
                    "uri"
                } else {
                    "path"
                }
            }
            What::SubKey(_) => "sub_key",
            What::Segment(_) => "segment",
            What::Scope(_) => "scope",
        };
        all.push((symbol("type"), symbol(kind)));
        match &node.what {
            What::Interpolation(expression) => all.push((symbol("expression"), text(expression))),
            What::Merge(strategy, options) => {
                all.push((symbol("merge"), symbol(strategy)));
                if let Some(options) = without_strategy(*options) {
                    let options = options.iter().map(|(k, v)| (render::data(*k), render::objects(*v)));
                    all.push((symbol("options"), Data::Map(options.collect())));
                }
            }
            What::Layer(name, config, module) => {
                all.push((symbol("name"), text(name)));
                all.extend(config.iter().map(|config| (symbol("configuration_path"), text(config))));
                all.extend(module.iter().map(|module| (symbol("module"), text(module))));
            }
            What::Entry(name) | What::Scope(name) => all.push((symbol("name"), text(name))),
            What::Location(path, original, is_uri) => {
                let names = if *is_uri { ["original_uri", "uri"] } else { ["original_path", "path"] };
                all.push((symbol(names[0]), text(original)));
                all.push((symbol(names[1]), text(path)));
            }
            _ => {}
        }
        Data::Map(all)
    }
}

/// Whether what a node found, and texts, are shown.
fn has_outcome(what: &What<'_>) -> bool {
    matches!(
        what,
        What::Layer(..)
            | What::Entry(_)
            | What::Location(..)
            | What::SubKey(_)
            | What::Segment(_)
            | What::Scope(_)
    )
}

fn name(key: &Data) -> String {
    match key {
        Data::Text(text) | Data::Symbol(text) => text.clone(),
        Data::Int(n) => n.to_string(),
        other => format!("{other:?}"),
    }
}

fn without_strategy<'c>(options: Option<Hash<'c>>) -> Option<Vec<(Value<'c>, Value<'c>)>> {
    let pairs: Vec<_> =
        options?.entries().iter().filter(|(key, _)| key.as_str() != Some("strategy")).copied().collect();
    (!pairs.is_empty()).then_some(pairs)
}

fn line(out: &mut String, depth: usize, text: &str) {
    out.push_str(&"  ".repeat(depth));
    out.push_str(text);
    out.push('\n');
}

/// A value over several lines, strings as Ruby inspects them.
fn show(out: &mut String, depth: usize, value: Value<'_>) {
    budget::room(2 * out.len());
    budget::within(1, || match value {
        Value::Hash(hash) => pairs(out, depth, hash.entries()),
        Value::Array(items) => {
            out.push('[');
            for (n, item) in items.items().iter().enumerate() {
                out.push_str(if n > 0 { ",\n" } else { "\n" });
                out.push_str(&"  ".repeat(depth + 1));
                show(out, depth + 1, *item);
            }
            close(out, depth, items.items().is_empty(), ']');
        }
        other => out.push_str(&bunraku_vm::format::inspect::inspect(other)),
    })
}

fn pairs<'c>(out: &mut String, depth: usize, pairs: &[(Value<'c>, Value<'c>)]) {
    out.push('{');
    for (n, (key, value)) in pairs.iter().enumerate() {
        out.push_str(if n > 0 { ",\n" } else { "\n" });
        out.push_str(&"  ".repeat(depth + 1));
        show(out, depth + 1, *key);
        out.push_str(" => ");
        show(out, depth + 1, *value);
    }
    close(out, depth, pairs.is_empty(), '}');
}

fn close(out: &mut String, depth: usize, empty: bool, bracket: char) {
    if !empty {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    }
    out.push(bracket);
}
