//! How values of several levels become one: `first`, `unique`, `hash`, `deep`.
//! Source: `Puppet::Pops::MergeStrategy`.

pub mod deep;

use crate::explain::{Explain, Step};
use crate::merge::deep::DeepOptions;
use bunraku_vm::budget;
use bunraku_vm::cause::Cause;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::types::{self, mismatch};
use bunraku_vm::value::{Hash, HashBuilder, Value};
use bunraku_vm::vm::Vm;

/// What values are merged, but for the first of them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    /// Those that were found.
    AsTheyAre,
    /// Copies of them.
    Copied,
}

/// A strategy: how the values of several levels become one.
#[derive(Clone)]
pub enum MergeStrategy<'c> {
    /// The first value found.
    First,
    /// The same, but all are asked: for whoever wants to know what the first one shadows.
    Every,
    /// All values in one array, each once.
    Unique,
    /// Hashes merged at their top level.
    Hash,
    /// Hashes and arrays merged at every level.
    Deep(DeepOptions<'c>),
}

impl<'c> MergeStrategy<'c> {
    /// The strategy that `merge` of a look-up or of `lookup_options` asks for, by its name or in a hash with options.
    ///
    /// # Errors
    /// When there is no such strategy, or it has no such options.
    pub fn of(vm: &mut Vm<'c>, merge: Option<Value<'c>>) -> Eval<'c, MergeStrategy<'c>> {
        let (name, options) = match merge {
            None | Some(Value::Undef) => return Ok(MergeStrategy::First),
            Some(Value::Hash(hash)) => match hash.get_str("strategy") {
                Some(name) if !name.is_undef() => (name, Some(hash).filter(|hash| hash.len() > 1)),
                _ => {
                    return Err(Flow::raw(
                        "The hash given as 'merge' must contain the name of a strategy in string form for \
                         the key 'strategy'",
                    ));
                }
            },
            Some(name) => (name, None),
        };
        let text = bunraku_vm::format::to_interpolated(name);
        if let Some(options) = options {
            check_options(vm, &text, options)?;
        }
        match text.as_str() {
            "first" | "default" => Ok(MergeStrategy::First),
            "unique" => Ok(MergeStrategy::Unique),
            "hash" => Ok(MergeStrategy::Hash),
            "deep" => Ok(MergeStrategy::Deep(DeepOptions::of("deep", options)?)),
            "unconstrained_deep" => Ok(MergeStrategy::Deep(DeepOptions::of("unconstrained_deep", options)?)),
            "reverse_deep" => Ok(MergeStrategy::Deep(DeepOptions::of("reverse_deep", options)?)),
            _ => {
                let message = format!("Unknown merge strategy: '{text}'");
                Err(Flow::caused(Cause::UnknownMergeStrategy, message))
            }
        }
    }

    /// Asks each of `variants` for a value and merges what they give; none where none of them has one.
    ///
    /// # Errors
    /// Those of `ask`; when the values can't be merged.
    pub fn over<T>(
        &self,
        vm: &mut Vm<'c>,
        explain: Explain<'c>,
        variants: impl ExactSizeIterator<Item = T>,
        ask: impl FnMut(&mut Vm<'c>, T) -> Eval<'c, Option<Value<'c>>>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let (name, options) = match self {
            MergeStrategy::Unique => ("unique", None),
            MergeStrategy::Hash => ("hash", None),
            MergeStrategy::Deep(options) => (options.name, options.given),
            MergeStrategy::First | MergeStrategy::Every => {
                return self.each(vm, variants, ask, Values::AsTheyAre);
            }
        };
        if variants.len() < 2 {
            return self.each(vm, variants, ask, Values::AsTheyAre);
        }
        // An explanation as YAML names objects that stand in several places; Ruby's gem merges copies deeply, so what is
        // merged may not be the object that was found.
        let values = match self {
            MergeStrategy::Deep(_) if explain.is_on() => Values::Copied,
            _ => Values::AsTheyAre,
        };
        explain.with(
            || Step::Merge(name, options),
            || {
                let found = self.each(vm, variants, ask, values)?;
                if let Some(value) = found {
                    explain.result(value);
                }
                Ok(found)
            },
        )
    }

    fn each<T>(
        &self,
        vm: &mut Vm<'c>,
        variants: impl ExactSizeIterator<Item = T>,
        mut ask: impl FnMut(&mut Vm<'c>, T) -> Eval<'c, Option<Value<'c>>>,
        values: Values,
    ) -> Eval<'c, Option<Value<'c>>> {
        let only = variants.len() == 1;
        let mut found: Option<Value<'c>> = None;
        for variant in variants {
            let Some(value) = ask(vm, variant)? else { continue };
            found = Some(match (self, found) {
                (MergeStrategy::First, _) => return Ok(Some(value)),
                (MergeStrategy::Unique, None) if only => match value {
                    Value::Array(items) => unique(vm, items.items()),
                    other => other,
                },
                (MergeStrategy::Unique, None) => vm.array(&flat(value)),
                (_, None) => value,
                (MergeStrategy::Every, Some(before)) => before,
                (_, Some(before)) => {
                    let value = match values {
                        Values::Copied => copy(vm, value),
                        Values::AsTheyAre => value,
                    };
                    self.merge(vm, before, value)?
                }
            });
        }
        Ok(found)
    }

    /// Merges two values; the first one wins.
    ///
    /// # Errors
    /// When the strategy does not merge such values.
    pub fn merge(&self, vm: &mut Vm<'c>, first: Value<'c>, second: Value<'c>) -> Eval<'c> {
        let expected = match self {
            MergeStrategy::First | MergeStrategy::Every | MergeStrategy::Deep(_) => None,
            MergeStrategy::Unique => Some("Variant[Scalar,Array[Data]]"),
            MergeStrategy::Hash => Some("Hash[String,Data]"),
        };
        if let Some(expected) = expected {
            let ty = types::constant(vm, expected)?;
            mismatch::assert_instance(vm, "The first element of the merge", ty, first)?;
            mismatch::assert_instance(vm, "The second element of the merge", ty, second)?;
        }
        match self {
            MergeStrategy::First | MergeStrategy::Every => Ok(first),
            MergeStrategy::Unique => Ok(unique(vm, &[flat(first), flat(second)].concat())),
            MergeStrategy::Hash => match (first, second) {
                (Value::Hash(first), Value::Hash(second)) => {
                    Ok(Value::Hash(second.merged(vm.arena, first.entries())))
                }
                _ => Ok(first),
            },
            MergeStrategy::Deep(options) if options.reverse => deep::merge_found(vm, options, second, first),
            MergeStrategy::Deep(options) => deep::merge_found(vm, options, first, second),
        }
    }
}

fn check_options<'c>(vm: &mut Vm<'c>, name: &str, options: Hash<'c>) -> Eval<'c, ()> {
    let ty = match name {
        "deep" => {
            "Struct[{strategy=>Optional[Pattern['deep']],knockout_prefix=>Optional[String],\
             merge_debug=>Optional[Boolean],merge_hash_arrays=>Optional[Boolean],\
             sort_merged_arrays=>Optional[Boolean]}]"
        }
        "first" => "Struct[{strategy=>Optional[Pattern['first']]}]",
        "unique" => "Struct[{strategy=>Optional[Pattern['unique']]}]",
        "hash" => "Struct[{strategy=>Optional[Pattern['hash']]}]",
        _ => return Ok(()),
    };
    let ty = types::constant(vm, ty)?;
    mismatch::assert_instance(vm, "The merge options", ty, Value::Hash(options))
}

/// The same value in arrays and hashes of its own.
fn copy<'c>(vm: &Vm<'c>, value: Value<'c>) -> Value<'c> {
    budget::within(1, || match value {
        Value::Array(items) => {
            let items: Vec<_> = items.items().iter().map(|item| copy(vm, *item)).collect();
            vm.array(&items)
        }
        Value::Hash(hash) => {
            let mut builder = HashBuilder::new(vm.arena);
            hash.entries().iter().for_each(|(key, value)| builder.insert(*key, copy(vm, *value)));
            Value::Hash(builder.finish())
        }
        other => other,
    })
}

/// The items of an array, arrays in it taken apart; anything else on its own.
fn flat(value: Value<'_>) -> Vec<Value<'_>> {
    budget::within(1, || match value {
        Value::Array(items) => items.items().iter().flat_map(|item| flat(*item)).collect(),
        other => vec![other],
    })
}

/// The items, each once.
pub(crate) fn unique<'c>(vm: &mut Vm<'c>, items: &[Value<'c>]) -> Value<'c> {
    let mut seen = HashBuilder::new(vm.arena);
    items.iter().for_each(|item| seen.insert(*item, Value::Undef));
    let items: Vec<_> = seen.finish().entries().iter().map(|(item, _)| *item).collect();
    vm.array(&items)
}
