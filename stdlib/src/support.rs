//! What the bodies of functions share.

use bunraku_vm::budget;
use bunraku_vm::closure::Closure;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::to_interpolated;
use bunraku_vm::function::Call;
use bunraku_vm::host::Site;
use bunraku_vm::iterator::NOT_TAKEN;
use bunraku_vm::label;
use bunraku_vm::raised::TYPE_ERROR;
use bunraku_vm::types::Type;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

/// The block of a call whose signature requires one.
pub(crate) fn block<'c>(call: &Call<'c, '_>) -> Eval<'c, &'c Closure<'c>> {
    call.block.ok_or_else(|| Flow::raw("a block is required"))
}

/// Nothing where the block called `break()`; anything else passes.
pub(crate) fn until_break<'c, T>(result: Eval<'c, T>) -> Eval<'c, Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(flow) if matches!(*flow, Flow::Break(_)) => Ok(None),
        Err(flow) => Err(flow),
    }
}

/// The text of a string argument.
pub(crate) fn text<'c>(value: Option<Value<'c>>) -> &'c str {
    value.and_then(Value::as_str).unwrap_or("")
}

/// A deprecation that Puppet warns of once a run. It has no place, and Puppet says so.
pub(crate) fn deprecated(vm: &Vm<'_>, message: &str) {
    vm.host.warn_of_deprecated(&format!("{message}\n   (file & line not available)"));
}

/// The same with the place of the call.
pub(crate) fn deprecated_here(vm: &Vm<'_>, message: &str) {
    let Site { file, line, .. } = vm.site();
    let file = file.unwrap_or("unknown");
    let line = if line == 0 { String::new() } else { format!(", line: {line}") };
    vm.host.warn_of_deprecated(&format!("{message}\n   (file: {file}{line})"));
}

/// Arguments as Puppet hands them to functions of the old (3.x) kind: `undef` is an empty string, catalog
/// references are texts, and so are regular expressions, versions, times and binaries.
///
/// # Errors
/// For the wrong number of arguments (`most` is none for "any"), and for an iterator.
pub(crate) fn legacy<'c>(
    vm: &Vm<'c>,
    name: &str,
    args: &[Value<'c>],
    least: usize,
    most: Option<usize>,
) -> Eval<'c, Vec<Value<'c>>> {
    let count = args.len();
    if count < least || most.is_some_and(|most| count > most) {
        let expected = if most == Some(least) { least.to_string() } else { format!("minimum {least}") };
        return Err(Flow::raw(format!("{name}(): Wrong number of arguments given ({count} for {expected})")));
    }
    args.iter().map(|arg| if arg.is_undef() { Ok(vm.string("")) } else { convert(vm, *arg) }).collect()
}

fn convert<'c>(vm: &Vm<'c>, value: Value<'c>) -> Eval<'c> {
    budget::within(1, || {
        Ok(match value {
            Value::Array(items) => {
                let items: Vec<_> = items.iter().map(|item| convert(vm, *item)).collect::<Result<_, _>>()?;
                vm.array(&items)
            }
            Value::Hash(hash) => {
                let mut builder = bunraku_vm::value::HashBuilder::new(vm.arena);
                for (key, value) in hash.entries() {
                    builder.insert(convert(vm, *key)?, convert(vm, *value)?);
                }
                Value::Hash(builder.finish())
            }
            Value::Iterator(_) => return Err(Flow::raw(NOT_TAKEN)),
            Value::Type(Type::Class(name)) => {
                let name = bunraku_vm::types::capitalize_segments(name.unwrap_or(""));
                vm.string(&format!("Class[{name}]"))
            }
            Value::Type(Type::Resource { type_name: Some(name), title, .. }) => {
                vm.string(&format!("{name}[{}]", title.unwrap_or("")))
            }
            Value::Regexp(source) => vm.string(&bunraku_vm::regex::inspect(&source)),
            Value::SemVer(_)
            | Value::SemVerRange(_)
            | Value::Binary(_)
            | Value::Timespan(_)
            | Value::Timestamp(_) => vm.string(&to_interpolated(value)),
            value => value,
        })
    })
}

/// The value at an index of an array as Ruby has it: from the end where negative, `undef` outside.
pub(crate) fn at<'c>(items: &[Value<'c>], index: i64) -> Value<'c> {
    let index = if index < 0 { index + items.len() as i64 } else { index };
    usize::try_from(index).ok().and_then(|index| items.get(index)).copied().unwrap_or(Value::Undef)
}

/// How many parameters a block has that gets the elements of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockArgs {
    /// The element.
    One,
    /// The index, or the key of a hash, before it.
    Two,
}

impl BlockArgs {
    /// Calls a block with an element of a collection, which has that index.
    ///
    /// # Errors
    /// Those of the block.
    pub(crate) fn call<'c>(
        self,
        vm: &mut Vm<'c>,
        block: &'c Closure<'c>,
        collection: Value<'c>,
        (index, item): (i64, Value<'c>),
    ) -> Eval<'c> {
        match (self, collection, item) {
            (BlockArgs::Two, Value::Hash(_), Value::Array(pair)) => vm.call(block, &pair),
            (BlockArgs::Two, ..) => vm.call(block, &[Value::Int(index), item]),
            (BlockArgs::One, ..) => vm.call(block, &[item]),
        }
    }
}

/// Whether a value is a reference to a resource or class: to an old function that is a resource, not a type.
pub(crate) fn is_reference(value: Value<'_>) -> bool {
    matches!(value, Value::Type(Type::Class(_) | Type::Resource { .. }))
}

/// The name of a value's class as an old function sees it.
pub(crate) fn class(value: Value<'_>) -> String {
    if is_reference(value) { "Puppet::Resource".to_owned() } else { label::ruby_class(value) }
}

/// The error of a value where Ruby wants another class: `no implicit conversion of Integer into String`.
pub(crate) fn no_conversion<'c>(value: Value<'c>, into: &str) -> Box<Flow<'c>> {
    let from = match value {
        Value::Undef => "nil".to_owned(),
        Value::Bool(b) => b.to_string(),
        other => class(other),
    };
    Flow::of_ruby(format!("no implicit conversion of {from} into {into}")).raised_as(TYPE_ERROR)
}
