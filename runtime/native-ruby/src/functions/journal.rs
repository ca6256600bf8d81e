//! What a function run without Ruby has asked of the compile, in order, with the answers.

use super::pure::is_pure;
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::value::Value;

/// What was asked.
pub enum Asked<'c> {
    /// A function was called, with these arguments.
    Function(String, Vec<Value<'c>>),
    /// The same, with a block that has asked what follows. It is called again.
    Begun(String, Vec<Value<'c>>),
    /// A block of Puppet's was called, with these arguments.
    Block(Vec<Value<'c>>),
    /// A variable of the scope was set.
    Set(String, Value<'c>),
    /// A message was logged.
    Log(Severity, String),
    /// The catalog was looked at, by this question: what is asked behind it may change it.
    Read(String, Vec<Value<'c>>),
}

impl Asked<'_> {
    /// Whether it does not matter how often it is asked: what looks at the catalog, and functions that only compute. Ruby sorts
    /// in another way, say, and compares others.
    pub fn is_optional(&self) -> bool {
        match self {
            Asked::Read(..) => true,
            Asked::Function(name, _) => only_computes(name),
            _ => false,
        }
    }
}

/// What became of a call.
pub enum Called<'c> {
    /// It has a value.
    Value(Value<'c>),
    /// It has raised an error, or code of the compile that it called has failed, or leaves.
    Left(Box<Flow<'c>>),
    /// It is Ruby's; what it has asked by then.
    ForRuby(Journal<'c>),
}

/// Whether a function, by its name or that of the scope's method, has no effects and always gives the same.
pub fn only_computes(name: &str) -> bool {
    is_pure(name.strip_prefix("function_").unwrap_or(name))
}

/// What has been asked, with the answers.
#[derive(Default)]
pub struct Journal<'c> {
    entries: Vec<(Asked<'c>, Result<Value<'c>, Flow<'c>>)>,
    /// Whether whoever asks has drawn a random number that nobody has seeded.
    pub(crate) has_drawn: bool,
    /// Whether it has seeded Ruby's own generator.
    pub(crate) has_seeded: bool,
}

impl<'c> Journal<'c> {
    /// Takes note of a question and its answer.
    pub(crate) fn note(&mut self, asked: Asked<'c>, answer: &Eval<'c>) {
        let answer = match answer {
            Ok(value) => Ok(*value),
            Err(flow) => Err((**flow).clone()),
        };
        self.entries.push((asked, answer));
    }

    /// How much has been asked.
    pub(crate) fn count(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing has been asked.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether nothing has been asked but for values of Hiera's, which may be asked for again.
    pub(crate) fn only_looks_up(&self) -> bool {
        let looks_up = |asked: &Asked<'c>| matches!(asked, Asked::Function(name, _) if name == "lookup");
        self.entries.iter().all(|(asked, answer)| looks_up(asked) && answer.is_ok())
    }

    /// All of it, in order.
    pub fn into_entries(self) -> impl Iterator<Item = (Asked<'c>, Eval<'c>)> {
        self.entries.into_iter().map(|(asked, answer)| (asked, answer.map_err(Box::new)))
    }
}
