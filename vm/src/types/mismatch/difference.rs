//! One difference between what is expected and what is there, and the way to it.

use crate::types::normalize::normalize;
use crate::types::ty::{Range, Type};
use bumpalo::Bump;

/// A step of the way to what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Subject(String),
    EntryValue(String),
    EntryKey(String),
    Parameter(String),
    Return,
    Block,
    Index(usize),
    Variant(usize),
    Signature(usize),
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Step::Subject(name) => f.write_str(name),
            Step::EntryValue(key) => write!(f, "entry '{key}'"),
            Step::EntryKey(key) => write!(f, "key of entry '{key}'"),
            Step::Parameter(name) => write!(f, "parameter '{name}'"),
            Step::Return => f.write_str("return"),
            Step::Block => f.write_str("block"),
            Step::Index(n) => write!(f, "index {n}"),
            Step::Variant(n) => write!(f, "variant {n}"),
            Step::Signature(n) => write!(f, "{}.", n + 1),
        }
    }
}

/// What is wrong there.
#[derive(Clone)]
pub(super) enum Difference<'c> {
    MissingKey(String),
    MissingParameter(String),
    ExtraneousKey(String),
    InvalidParameter(String),
    UnexpectedBlock,
    MissingBlock,
    Unresolved(&'c str),
    Type { expected: &'c Type<'c>, actual: &'c Type<'c> },
    Pattern { expected: &'c Type<'c>, actual: &'c Type<'c> },
    Size { expected: Range, actual: Range },
    Count { expected: Range, actual: Range },
}

impl Difference<'_> {
    /// Of a collection's size.
    pub(super) fn size(expected: Range, actual: Range) -> Self {
        Difference::Size { expected, actual }
    }

    /// Of how many arguments there are.
    pub(super) fn count(expected: Range, actual: Range) -> Self {
        Difference::Count { expected, actual }
    }
}

#[derive(Clone)]
pub(super) struct Mismatch<'c> {
    pub(super) path: Vec<Step>,
    pub(super) difference: Difference<'c>,
}

pub(super) type Mismatches<'c> = Vec<Mismatch<'c>>;

impl<'c> Mismatch<'c> {
    pub(super) fn new(path: &[Step], difference: Difference<'c>) -> Self {
        Mismatch { path: path.to_vec(), difference }
    }

    pub(super) fn ty(arena: &'c Bump, path: &[Step], expected: &'c Type<'c>, actual: &'c Type<'c>) -> Self {
        let (expected, actual) = (normalize(arena, expected), normalize(arena, actual));
        Mismatch::new(path, Difference::Type { expected, actual })
    }

    pub(super) fn pattern(
        arena: &'c Bump,
        path: &[Step],
        expected: &'c Type<'c>,
        actual: &'c Type<'c>,
    ) -> Self {
        let (expected, actual) = (normalize(arena, expected), normalize(arena, actual));
        Mismatch::new(path, Difference::Pattern { expected, actual })
    }

    /// The path without the choice among variants and signatures.
    pub(super) fn canonical_path(&self) -> Vec<&Step> {
        self.path.iter().filter(|step| !matches!(step, Step::Variant(_) | Step::Signature(_))).collect()
    }

    pub(super) fn without_step(mut self, n: usize) -> Self {
        if n < self.path.len() {
            self.path.remove(n);
        }
        self
    }
}

/// A path one step longer.
pub(super) fn extended(path: &[Step], step: Step) -> Vec<Step> {
    let mut longer = path.to_vec();
    longer.push(step);
    longer
}
