//! What a compile by an older version's rules tells of a newer one (`bunraku upgrade`): each place at which the newer one
//! would fail or do something else. A compile that tells nobody pays nothing: places that have to find something out
//! first ask whether there is a witness, and facts are missed only where a name or key is not there.

use crate::compat::Rule;
use crate::diagnostic::Place;
use crate::value::{Hash, Value};

/// What a newer version does otherwise. Whether it does is for the witness to say, who knows both versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// A fact is read that newer agents do not send; the subject is its name.
    LegacyFact,
    /// A level of Hiera is found by way of such a fact; the subject is the file.
    HieraLevel,
    /// A variable there is not is read: `strict_variables`. The subject is its name.
    UnknownVariable,
    /// The same in Hiera's data, or in code in Ruby: `strict`.
    UndefinedVariable,
    /// A text is used as a number: `strict`. The subject is the text.
    NumericCoercion,
    /// A collector sets attributes of a resource that has been evaluated: `strict`. The subject is the resource.
    LateOverride,
    /// A data file of Hiera is no hash: `strict`. The subject is the file.
    DataIsNoHash,
    /// The metadata of a module is no JSON: `strict`. The subject is the module.
    MetadataIsNoJson,
    /// A `hiera.yaml` of version 3 outside of the global layer: `strict`. The subject is the file.
    HieraVersion3,
    /// A function that says of itself that it is deprecated: `strict`. The subject is its name.
    DeprecatedFunction,
    /// `$settings::…` of a setting that is no more, or has another value; the subject is its name.
    Setting,
    /// A resource type that comes without a module is there no more; the subject is its name.
    ResourceType,
    /// The text of a file has an error in the newer version that it has not in the older; the subject is the message.
    Syntax,
    /// A rule of the table of versions.
    Rule(Rule),
}

/// Who is told.
pub trait WitnessPort<'c> {
    /// Whether anybody is.
    fn is_witness(&self) -> bool {
        false
    }

    /// Tells of a place. What the newer version does as the older one is passed over.
    fn witness(&self, _change: Change, _subject: &str, _place: Place) {}

    /// The value of a fact that newer agents do not send and that no scope has therefore.
    fn withheld_fact(&self, _name: &str) -> Option<Value<'c>> {
        None
    }

    /// Whether a hash is `$facts`, which lacks such facts.
    fn is_all_facts(&self, _hash: Hash<'c>) -> bool {
        false
    }
}
