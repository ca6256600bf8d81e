//! How a look-up came to its value: a tree of what was asked and what each answered, kept only where somebody wants
//! it. Here the tree grows; [`text`] and [`as_data`] write it. Source: `Puppet::Pops::Lookup::Explainer`.

mod as_data;
mod text;

use crate::config::location::Location;
use crate::data_file::DataFormat;
use crate::data_file::data::Data;
use bumpalo::Bump;
use bunraku_vm::value::{Hash, Value};
use std::cell::{Cell, RefCell};

/// What a node of the tree stands for.
#[derive(Clone)]
pub enum Step<'c> {
    /// The tree itself.
    Root,
    /// A search for a key.
    Search(String),
    /// A key that nobody may ask for.
    InvalidKey(String),
    /// Merge options come from data, which are found under this name.
    MergeSource(&'static str),
    /// A module that has no data.
    ModuleWithoutData(String),
    /// A module that there is not.
    UnknownModule(String),
    /// A string with `%{…}` in it.
    Interpolation(String),
    /// A merge: its strategy and the options given with it.
    Merge(&'static str, Option<Hash<'c>>),
    /// A layer.
    Layer {
        /// What explanations call it.
        name: String,
        /// The path of its configuration.
        config: Option<String>,
        /// The module it belongs to.
        module: Option<String>,
    },
    /// An entry of a hierarchy, by what explanations call it.
    Entry(String),
    /// A file or URI that an entry looks at.
    Location(Location),
    /// The way into a value.
    SubKey(Vec<Data>),
    /// One step of that way.
    Segment(Data),
    /// Variables, a default hierarchy: a part with a title of its own.
    Scope(String),
    /// The search for the options of a default hierarchy, which is such a part, too.
    SearchForOptions,
}

/// What came of a node.
#[derive(Clone)]
enum Outcome<'c> {
    /// A value under a key.
    Found(Data, Value<'c>, FoundIn),
    /// What a merge gave.
    Result(Value<'c>),
    /// No such key.
    NotFound(Data),
    /// No such file.
    LocationNotFound,
}

/// Where a value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundIn {
    /// Where the node says.
    Place,
    /// In the `overrides` of the caller.
    Overrides,
    /// In the `defaults` of the caller.
    Defaults,
}

/// What of look-ups is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything.
    All,
    /// How `lookup_options` are found.
    OptionsOnly,
    /// What entries gave, and nothing for people: the look-up takes the ways that it takes anyway.
    Given,
}

/// A value that an entry of a hierarchy gave.
#[derive(Clone)]
pub struct GivenValue<'c> {
    /// The value, interpolated.
    pub value: Value<'c>,
    /// The entry's name.
    pub entry: String,
    /// File or URI that the entry looked at.
    pub location: Option<Location>,
    /// How the file is written; none where it is not the file alone that says what the value is.
    pub format: Option<DataFormat>,
    /// Whether the value is that of the whole key, its way into a value gone already.
    pub is_of_whole_key: bool,
}

struct Node<'c> {
    step: Step<'c>,
    parent: usize,
    branches: Vec<usize>,
    outcome: Option<Outcome<'c>>,
    texts: Vec<String>,
    given: Option<GivenValue<'c>>,
}

impl<'c> Node<'c> {
    fn new(step: Step<'c>, parent: usize) -> Node<'c> {
        Node { step, parent, branches: Vec::new(), outcome: None, texts: Vec::new(), given: None }
    }
}

/// The tree while it grows; lies in a compile's arena.
pub struct Explainer<'c> {
    /// The root first.
    nodes: RefCell<Vec<Node<'c>>>,
    /// The node that what happens belongs to.
    current: Cell<usize>,
    extent: Extent,
    /// Where only what entries gave is told: that, in order, without what is aside.
    given: RefCell<Vec<GivenValue<'c>>>,
    /// How deep it is aside.
    aside: Cell<usize>,
}

/// Who explains a look-up, if anybody does. With nobody all of its methods do nothing.
#[derive(Clone, Copy, Default)]
pub struct Explain<'c>(Option<&'c Explainer<'c>>);

impl<'c> Explain<'c> {
    /// Whether somebody explains to people, who want to hear of all that is asked.
    #[inline]
    pub fn is_on(self) -> bool {
        self.0.is_some_and(|explainer| explainer.extent != Extent::Given)
    }

    /// Whether `lookup_options` alone are explained.
    pub fn options_only(self) -> bool {
        self.0.is_some_and(|explainer| explainer.extent == Extent::OptionsOnly)
    }

    /// Runs `run` inside of a new node.
    #[inline]
    pub fn with<T>(self, step: impl FnOnce() -> Step<'c>, run: impl FnOnce() -> T) -> T {
        let Some(explainer) = self.0.filter(|_| self.is_on()) else { return run() };
        explainer.push(step());
        let result = run();
        explainer.pop();
        result
    }

    /// The same for a step whose values are no part of the value that is looked up: what texts and options lead to.
    #[inline]
    pub fn aside<T>(self, step: impl FnOnce() -> Step<'c>, run: impl FnOnce() -> T) -> T {
        let Some(explainer) = self.0.filter(|_| !self.is_on()) else { return self.with(step, run) };
        explainer.aside.update(|depth| depth + 1);
        let result = run();
        explainer.aside.update(|depth| depth - 1);
        result
    }

    /// A node in which nothing happens.
    pub fn leaf(self, step: impl FnOnce() -> Step<'c>) {
        self.with(step, || ());
    }

    /// A value was found under a key.
    pub fn found(self, key: impl Into<Data>, value: Value<'c>, place: FoundIn) {
        self.outcome(|| Outcome::Found(key.into(), value, place));
    }

    /// What a merge gave.
    pub fn result(self, value: Value<'c>) {
        self.outcome(|| Outcome::Result(value));
    }

    /// There is no such key.
    pub fn not_found(self, key: impl Into<Data>) {
        self.outcome(|| Outcome::NotFound(key.into()));
    }

    /// There is no such file.
    pub fn location_not_found(self) {
        self.outcome(|| Outcome::LocationNotFound);
    }

    /// An entry gave a value.
    pub fn given(self, given: impl FnOnce() -> GivenValue<'c>) {
        let Some(explainer) = self.0 else { return };
        if self.is_on() {
            let given = given();
            explainer.nodes.borrow_mut()[explainer.current.get()].given = Some(given);
        } else if explainer.aside.get() == 0 {
            explainer.given.borrow_mut().push(given());
        }
    }

    /// A line of text.
    pub fn text(self, text: impl FnOnce() -> String) {
        if let Some(explainer) = self.0.filter(|_| self.is_on()) {
            let text = text();
            explainer.nodes.borrow_mut()[explainer.current.get()].texts.push(text);
        }
    }

    fn outcome(self, outcome: impl FnOnce() -> Outcome<'c>) {
        if let Some(explainer) = self.0.filter(|_| self.is_on()) {
            let outcome = outcome();
            explainer.nodes.borrow_mut()[explainer.current.get()].outcome = Some(outcome);
        }
    }
}

/// Explains look-ups for as long as it lives; then its tree is gone.
pub struct Explaining<'c>(&'c Explainer<'c>);

impl<'c> Explaining<'c> {
    /// Begins with an empty tree.
    pub fn begin(arena: &'c Bump, extent: Extent) -> Explaining<'c> {
        let root = (extent != Extent::Given).then(|| Node::new(Step::Root, 0));
        Explaining(arena.alloc(Explainer {
            nodes: RefCell::new(root.into_iter().collect()),
            current: Cell::new(0),
            extent,
            given: RefCell::default(),
            aside: Cell::new(0),
        }))
    }

    /// What look-ups tell of themselves.
    pub fn explain(&self) -> Explain<'c> {
        Explain(Some(self.0))
    }

    /// The tree.
    pub fn explainer(&self) -> &'c Explainer<'c> {
        self.0
    }
}

impl Drop for Explaining<'_> {
    fn drop(&mut self) {
        // The arena that the tree lies in drops nothing.
        self.0.nodes.take();
        self.0.given.take();
    }
}

impl<'c> Explainer<'c> {
    fn push(&self, step: Step<'c>) {
        let mut nodes = self.nodes.borrow_mut();
        let (number, parent) = (nodes.len(), self.current.get());
        nodes.push(Node::new(step, parent));
        nodes[parent].branches.push(number);
        self.current.set(number);
    }

    fn pop(&self) {
        self.current.set(self.nodes.borrow()[self.current.get()].parent);
    }

    /// What entries gave for the key that was looked up, in the order in which they were asked, where nothing else is told.
    pub fn given(&self) -> Vec<GivenValue<'c>> {
        self.given.take()
    }

    /// The same of one of the keys that were looked up, where all is explained.
    pub fn given_for(&self, key: &str) -> Vec<GivenValue<'c>> {
        let nodes = self.nodes.borrow();
        let mut branches = nodes[0].branches.iter().rev();
        let is_search = |n: &&usize| matches!(&nodes[**n].step, Step::Search(other) if other == key);
        let Some(search) = branches.find(is_search) else { return Vec::new() };
        let (mut all, mut left) = (Vec::new(), vec![*search]);
        while let Some(number) = left.pop() {
            let node = &nodes[number];
            // What texts and options lead to is no part of the value.
            if matches!(node.step, Step::Interpolation(_) | Step::SearchForOptions) {
                continue;
            }
            all.extend(node.given.clone());
            left.extend(node.branches.iter().rev());
        }
        all
    }
}

/// The options of a merge but for the name of its strategy; none where there are no others.
fn without_strategy<'c>(options: Option<Hash<'c>>) -> Option<Vec<(Value<'c>, Value<'c>)>> {
    let pairs: Vec<_> =
        options?.entries().iter().filter(|(key, _)| key.as_str() != Some("strategy")).copied().collect();
    (!pairs.is_empty()).then_some(pairs)
}

/// The title of [`Step::SearchForOptions`].
const SEARCH_FOR_OPTIONS: &str = "Searching for \"lookup_options\"";

/// A key or a step of one as explanations show it.
fn name(key: &Data) -> String {
    match key {
        Data::Text(text) | Data::Symbol(text) | Data::Pattern(text) => text.clone(),
        Data::Int(n) => n.to_string(),
        other => format!("{other:?}"),
    }
}
