//! Where everything in a catalog comes from, as values that outlive the compile: who declared a resource and how, what set each of its
//! parameters. [`tell`] makes them at the end of a compile that was to note them, of all or of what is asked [`About`]; [`values`] says
//! what set a parameter, [`given`] from what was noted of that, [`written`] looks into the code; [`names`] has the resources' names,
//! [`questions`] are asked of them, those about [`order`] among these.

mod given;
mod names;
mod order;
mod questions;
mod tell;
mod values;
mod written;

use names::Names;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

pub use order::{EdgeReason, EdgeSource};
pub use questions::{close, find};

pub use bunraku_compiler::written::WrittenKind;
pub use bunraku_hiera::query::origin::OriginPlace as DataPlace;

/// What of a catalog it is to be told where it comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum About {
    /// Everything.
    #[default]
    All,
    /// A resource by its reference, and one of its parameters or all: what leads to it, and what its values come from.
    Resource(String, Option<String>),
    /// The edges between two resources, by their references.
    Edges(String, String),
}

/// A place in code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CodePlace {
    /// The file; none for code that was given as text, and where there is no code.
    pub file: Option<String>,
    /// The line, from 1; 0 where it is unknown.
    pub line: u32,
}

/// A piece of code that gives a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Where it begins.
    pub place: CodePlace,
    /// What stands there; none where the source is not at hand.
    pub written: Option<Expression>,
}

/// An expression as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// Its text on one line, cut off where it is long.
    pub text: String,
    /// What it is.
    pub kind: WrittenKind,
    /// Where what it names comes from, as far as that is known.
    pub via: Option<Box<Via>>,
}

/// Where a variable comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Via {
    /// It is a parameter of a class or defined type: the resource's number, and the name.
    Parameter(usize, String),
    /// It is a fact: the keys that lead to it, with dots between them.
    Fact(String),
    /// It is trusted data of the node, likewise.
    Trusted(String),
    /// The node's classifier gives it.
    Classifier(String),
    /// Code assigns it; several places where it depends on conditions which.
    Assigned(Vec<Code>),
}

/// How a resource came into the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// A resource expression declares it.
    Expression,
    /// `create_resources` does.
    CreateResources,
    /// `include`
    Include,
    /// `contain`
    Contain,
    /// `require`
    Require,
    /// The node's classifier names the class.
    Classifier,
    /// A class inherits it.
    Inherited,
    /// It is the node definition that fits the node.
    Node,
    /// A node has exported it: its name.
    Exported(String),
    /// It is in every catalog.
    Always,
}

/// A reason for a resource to be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// How.
    pub how: How,
    /// Where.
    pub place: CodePlace,
    /// By whose code: the number of a class, a node definition, a resource of a defined type.
    pub by: Option<usize>,
    /// Of a class that code takes from Hiera (`lookup('classes').include`): the leaves that name it.
    pub data: Vec<Leaf>,
}

/// What set a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterOrigin {
    /// The resource's own expression.
    Attribute(Code),
    /// A default for resources of its type: of which class, where it is one's.
    ResourceDefault(Code, Option<String>),
    /// An override expression.
    Override(Code),
    /// A collector's override: the attribute, and where the collector stands.
    Collector(Code, CodePlace),
    /// The default that the class or defined type has.
    Definition(Code),
    /// Hiera: the key, and the leaves of its value.
    Hiera {
        /// What was looked up.
        key: String,
        /// Each part of the value.
        leaves: Vec<Leaf>,
        /// What lower entries have for the key, or for parts of it where hashes were merged, that is not in the value.
        shadowed: Vec<Leaf>,
    },
    /// The node's classifier.
    Classifier,
    /// A hash that `create_resources` was given there.
    CreateResources(CodePlace),
    /// Arrows, each at its place.
    Arrows(Vec<CodePlace>),
    /// Ruby, of a template or a function, has changed the value in place.
    Changed,
    /// The function `require`.
    Require(CodePlace),
    /// What contains it has handed it down: the resource's number.
    Container(usize),
    /// The node that has exported the resource.
    Exported(String),
    /// The compile itself.
    Own,
}

/// A leaf of a value of Hiera's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The key that leads to it.
    pub key: String,
    /// As Puppet's notation has it.
    pub value: String,
    /// Where it came from; several where several made it.
    pub places: Vec<DataPlace>,
}

/// A parameter with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// As Puppet's notation has it; of sensitive ones nothing.
    pub value: String,
    /// As rich data, in JSON; `null` of sensitive ones.
    pub json: String,
    /// What set it.
    pub origin: ParameterOrigin,
    /// Of `before`, `require`, `notify` and `subscribe`: the resources that it names, by number.
    pub names: Vec<usize>,
}

/// What is told of a resource of the catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// Why it is there: the first reason is what declared it, what else says so comes behind.
    pub steps: Vec<Step>,
    /// Where it was realized by collectors and `realize`.
    pub realized: Vec<CodePlace>,
    /// Whether it is virtual still, and so no part of the catalog that the node gets.
    pub is_virtual: bool,
    /// Its parameters; those that belong to the answer.
    pub parameters: Vec<Parameter>,
    /// Its tags, sorted.
    pub tags: Vec<String>,
    /// What contains it, by number.
    pub containers: Vec<usize>,
}

/// An arrow between two resources, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrowTold {
    /// What comes first.
    pub from: usize,
    /// What comes behind.
    pub to: usize,
    /// Whether it is told of changes.
    pub notify: bool,
    /// Where the arrow stands.
    pub place: CodePlace,
}

/// Where everything in a catalog comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins {
    /// The node's name.
    pub node: String,
    /// Those of all resources, virtual ones included.
    names: Names,
    /// What is told of resources, by number.
    told: BTreeMap<usize, Declared>,
    /// All arrows; none where only a resource was asked about.
    pub arrows: Vec<ArrowTold>,
}

impl Display for CodePlace {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), 0) => f.write_str(file),
            (Some(file), line) => write!(f, "{file}:{line}"),
            (None, 0) => f.write_str("unknown place"),
            (None, line) => write!(f, "line {line}"),
        }
    }
}

impl Origins {
    /// How many resources the catalog has, virtual ones included; they have numbers from 0 on.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// The name of a resource, `Type[title]`, by its number.
    ///
    /// # Panics
    /// Where the catalog has no such number.
    pub fn reference(&self, number: usize) -> &str {
        self.names.get(number)
    }

    /// What is told of a resource: nothing, where it does not belong to the answer of a question.
    pub fn resource(&self, number: usize) -> &Declared {
        static NOTHING: Declared = Declared {
            steps: Vec::new(),
            realized: Vec::new(),
            is_virtual: false,
            parameters: Vec::new(),
            tags: Vec::new(),
            containers: Vec::new(),
        };
        self.told.get(&number).unwrap_or(&NOTHING)
    }
}

impl Declared {
    /// A parameter by its name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|one| one.name == name)
    }
}
