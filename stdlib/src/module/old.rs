//! What twins of functions of the old (3.x) kind share: the notation of their tables, their arguments, and the call
//! of one from another.

use super::ruby::regexp_inspect;
use bunraku_vm::budget;
use bunraku_vm::cause::Cause;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::to_interpolated;
use bunraku_vm::function::{Call, Native, NativeFn};
use bunraku_vm::iterator::NOT_TAKEN;
use bunraku_vm::raised::{ARGUMENT_ERROR, PARSE_ERROR};
use bunraku_vm::value::{Hash, HashBuilder, Value};
use bunraku_vm::vm::Vm;

/// An old function: what the language calls, and the body beneath, which other functions call with arguments as
/// they are.
pub(crate) struct OldFunction {
    pub native: Native,
    pub body: NativeFn,
    pub least: usize,
    pub most: Option<usize>,
}

/// A table of old functions, as the module's `OLD`: documentation, name, body; `2` where it takes exactly two
/// arguments, `1..` where at least one; `tells` where it neither gives nor keeps any part of its arguments, which need not be
/// copied then. A table of another name is `NAME { … }`.
macro_rules! old_functions {
    ($(#[doc = $doc:literal])+ $name:literal $($rest:tt)*) => {
        old_functions! { OLD { $(#[doc = $doc])+ $name $($rest)* } }
    };
    ($table:ident { $(
        $(#[doc = $doc:literal])+
        $name:literal $body:ident $(($least:literal $(, $most:literal)?))? $($kind:ident)?;
    )* }) => {
        /// The functions of the old kind of this group.
        pub(crate) static $table: &[$crate::module::old::OldFunction] = &[$(
            $crate::module::old::OldFunction {
                native: bunraku_vm::function::native(
                        $name,
                        concat!($($doc),+),
                        {
                            fn from_language<'c>(
                                vm: &mut bunraku_vm::vm::Vm<'c>,
                                call: bunraku_vm::function::Call<'c, '_>,
                            ) -> bunraku_vm::error::Eval<'c> {
                                $crate::module::old::call(($name, old_functions!(@kind $($kind)?)), vm, call)
                            }
                            const PARAMS: &[bunraku_vm::function::ParamSpec] =
                                &[bunraku_vm::function::repeated_param("Any", "p0")];
                            const DISPATCHES: &[bunraku_vm::function::Dispatch] =
                                &[bunraku_vm::function::dispatch(PARAMS, from_language)
                                    .optional_block("Callable")];
                            DISPATCHES
                        },
                ),
                body: $body,
                least: 0 $(+ $least)?,
                most: old_functions!(@most $($($most)?)?),
            }
        ),*];
    };
    (@kind) => { $crate::module::old::Kind::Gives };
    (@kind tells) => { $crate::module::old::Kind::Tells };
    (@most) => { None };
    (@most $most:literal) => { Some($most) };
}

/// What becomes of an old function's arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It may give or keep parts of them.
    Gives,
    /// It tells something of them, and that is all.
    Tells,
}

/// Calls an old function from the language: with arguments of the old kind.
pub(super) fn call<'c>((name, kind): (&str, Kind), vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let argument = |arg: &Value<'c>| match kind {
        Kind::Tells if is_old(*arg, true)? => Ok(*arg),
        _ => convert(vm, *arg, true),
    };
    let args: Vec<_> = call.args.iter().map(argument).collect::<Result<_, _>>()?;
    let logged = vm.host.log_length();
    let result = call_old(name, vm, Call { args: &args, ..call });
    // Functions of this kind raise it for all that they refuse.
    match result.map_err(|flow| flow.refused_as(PARSE_ERROR)) {
        // What has been logged would be logged again.
        Err(flow) if is_for_ruby_to_word(&flow) && vm.host.log_length() == logged => {
            Err(worded_by_ruby(name, vm, call, flow))
        }
        result => result,
    }
}

/// Whether an error is one whose words Ruby finds as it fails: it goes on with what other methods may have been meant.
fn is_for_ruby_to_word(flow: &Flow<'_>) -> bool {
    flow.is_plain(&Cause::UndefinedMethod)
}

/// The error of the module's own Ruby for a call that its twin has refused; the twin's where Ruby is not there to ask.
fn worded_by_ruby<'c>(
    name: &str,
    vm: &mut Vm<'c>,
    call: Call<'c, '_>,
    twins: Box<Flow<'c>>,
) -> Box<Flow<'c>> {
    match super::leave(vm, name, call) {
        Err(rubys) if is_for_ruby_to_word(&rubys) => rubys,
        _ => twins,
    }
}

/// What an old function refuses, for one of the new kind that stands before it.
pub(super) fn refused<'c>(message: impl Into<String>) -> Box<Flow<'c>> {
    Flow::of_class(PARSE_ERROR, message)
}

/// Calls an old function as Ruby does (`function_NAME`): with the arguments as they are.
pub(super) fn call_old<'c>(name: &str, vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Some(function) = super::old_function(name) else {
        let message = format!("undefined method `function_{name}' for Scope()");
        return Err(Flow::caused(Cause::UndefinedMethod, message));
    };
    let count = call.args.len();
    if count < function.least || function.most.is_some_and(|most| count > most) {
        let expected = match function.most {
            Some(most) => most.to_string(),
            None => format!("minimum {}", function.least),
        };
        return Err(Flow::of_class(
            ARGUMENT_ERROR,
            format!("{name}(): Wrong number of arguments given ({count} for {expected})"),
        ));
    }
    (function.body)(vm, call)
}

/// Whether a value is what [`convert`] would make of it, but for being a copy.
fn is_old<'c>(value: Value<'c>, outermost: bool) -> Result<bool, Box<Flow<'c>>> {
    let are_old = |count: usize, values: &mut dyn Iterator<Item = Value<'c>>| {
        budget::within(count + 1, || {
            for value in values {
                if !is_old(value, false)? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    };
    match value {
        Value::Undef => Ok(!outermost),
        Value::Array(items) => are_old(items.len(), &mut items.iter().copied()),
        Value::Hash(hash) => hash.known_of_all(|| {
            let both = hash.entries().iter().flat_map(|(key, value)| [*key, *value]);
            are_old(2 * hash.len(), &mut { both })
        }),
        Value::Iterator(_) => Ok(false),
        value => Ok(!is_newer(value)),
    }
}

/// Whether Puppet 3 did not know values of this kind: they are text to an old function.
fn is_newer(value: Value<'_>) -> bool {
    use Value::{Binary, Regexp, SemVer, SemVerRange, Timespan, Timestamp};
    matches!(value, Regexp(_) | SemVer(_) | SemVerRange(_) | Binary(_) | Timespan(_) | Timestamp(_))
}

/// A value as Puppet hands it to an old function: `undef` is an empty string where it is an argument itself, what
/// Puppet 3 did not know is text.
fn convert<'c>(vm: &Vm<'c>, value: Value<'c>, outermost: bool) -> Eval<'c> {
    budget::within(1, || {
        Ok(match value {
            Value::Undef if outermost => vm.string(""),
            Value::Array(items) => {
                let items: Vec<_> =
                    items.iter().map(|item| convert(vm, *item, false)).collect::<Result<_, _>>()?;
                vm.array(&items)
            }
            // Keys that stay as they are differ as before.
            Value::Hash(hash) if hash.entries().iter().all(|(key, _)| matches!(key, Value::Str(_))) => {
                let entries = hash.entries().iter();
                let entries = entries.map(|(key, value)| Ok((*key, convert(vm, *value, false)?)));
                let entries: Vec<_> = entries.collect::<Result<_, Box<Flow<'c>>>>()?;
                Value::Hash(Hash::from_unique(vm.arena, &entries))
            }
            Value::Hash(hash) => {
                let mut builder = HashBuilder::new(vm.arena);
                for (key, value) in hash.entries() {
                    builder.insert(convert(vm, *key, false)?, convert(vm, *value, false)?);
                }
                Value::Hash(builder.finish())
            }
            Value::Iterator(_) => return Err(Flow::of_class(ARGUMENT_ERROR, NOT_TAKEN)),
            Value::Regexp(source) => vm.string(&regexp_inspect(&source)),
            value if is_newer(value) => vm.string(&to_interpolated(value)),
            value => value,
        })
    })
}
