//! Why a node's catalog does not have a class or resource: the places that would have declared it, nearest first, and for each what kept
//! it from that: conditions that were false, with the values in them, or that the code around it is not run, and why, down to code that
//! is. From functions of the language it is followed to where they would be called. As values, and as JSON ([`json`]).

mod aside;
mod finder;
pub mod json;

use crate::bench::Target;
use crate::compiler::{Compilation, Compiler};
use bunraku_compiler::lower::Fork;
use bunraku_compiler::places::DeclaredBy;
use std::path::PathBuf;

/// The answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WhyNot {
    /// The node's name.
    pub node: String,
    /// What was asked for: its type, capitalised, and its title.
    pub reference: (String, String),
    /// Whether it is in the catalog after all.
    pub is_there: bool,
    /// Whether the tree defines such a class or defined type; of other types always.
    pub is_defined: bool,
    /// The places that would have declared it, nearest first.
    pub ways: Vec<Way>,
    /// How many more there are.
    pub more: usize,
    /// Places that declare what they compute the names of: some may mean it.
    pub computed: Vec<Way>,
    /// Of a class, where Hiera's data has its name.
    pub data: Vec<NamedInData>,
    /// Of a class that is not there: what the node's classifier has to do with it, where the node has one.
    pub classifier: Option<Classifier>,
    /// Names that are like that of a class or defined type which the tree does not define.
    pub close: Vec<String>,
}

/// What a node's classifier gives, and what it could give.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Classifier {
    /// The classes that it gives, by name.
    pub gives: Vec<String>,
    /// Classes each of which, given by it, would be a way to what was asked for: that class itself, and those that the ways begin
    /// in. Whether conditions in them are met then is another question.
    pub could_give: Vec<String>,
}

/// A place that would declare something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// By what.
    pub how: DeclaredBy,
    /// What is written there.
    pub text: String,
    /// The file, below the tree's folder where it is there.
    pub file: String,
    /// The line.
    pub line: u32,
    /// In whose body: `class a`, `node 'b'`; empty for code outside of definitions.
    pub inside: String,
    /// What kept it from that.
    pub cause: Cause,
}

/// What kept a place from being run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Nothing: it was run. What it declared is virtual, was overridden, or has another name than it seems.
    Ran {
        /// Whether it declares virtually.
        is_virtual: bool,
    },
    /// A condition.
    Condition(Condition),
    /// The definition it stands in is not in the catalog; these would have declared that.
    Missing {
        /// `class a`, `define b`.
        definition: String,
        /// See [`WhyNot::ways`]; empty where they are not told here.
        ways: Vec<Way>,
        /// How many more there are.
        more: usize,
        /// Where the ways are told.
        told: Told,
    },
    /// The node definition it stands in is not the node's.
    OtherNode,
    /// The function it stands in is not called; these would have called it.
    NotCalled {
        /// Its name.
        function: String,
        /// See [`WhyNot::ways`]; empty where they are not told here.
        ways: Vec<Way>,
        /// How many more there are.
        more: usize,
        /// Where the ways are told.
        told: Told,
    },
    /// The block it stands in, given to the function on that line, was not called.
    Block(String, u32),
    /// It is not run because its file is not loaded, or something ends the code before.
    NotReached,
}

/// Where an answer tells what would have declared or called something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// With it.
    Here,
    /// In another place of the answer, where it was met first.
    Above,
    /// Nowhere: it is too many steps away from what was asked for.
    Nowhere,
}

/// A condition that decided otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What it is.
    pub fork: Fork,
    /// The line.
    pub line: u32,
    /// What is asked.
    pub text: String,
    /// The options of the arm, of `case` and selectors.
    pub options: String,
    /// Whether the arm is that for whatever fits no other.
    pub is_rest: bool,
    /// What has a value in it, and the values it had, as `%p` prints them; none where it was not asked for.
    pub values: Vec<(String, Vec<String>)>,
    /// Its number among those of an answer.
    pub(crate) number: usize,
}

/// A line of Hiera's data that has a class's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedInData {
    /// The file, below the tree's folder where it is there.
    pub file: String,
    /// The line.
    pub line: u32,
    /// Whether the node's compile reads the file.
    pub is_read: bool,
}

/// A text of a tree's data.
pub(crate) struct DataText {
    pub file: PathBuf,
    pub text: String,
    pub is_read: bool,
}

impl Compiler {
    /// Says why a node's catalog does not have what `reference` (`Class[x]`, `File[/y]`) names. The node is compiled twice: the values in
    /// conditions are looked at where it is known which conditions those are.
    ///
    /// The result is an error where the reference is none, or the tree can't be read. A compile that fails is told by its error, too:
    /// what it did not come to is not known.
    pub fn why_not(&self, target: &Target, reference: &str) -> Compilation<WhyNot> {
        finder::why_not(self, target, reference)
    }
}
