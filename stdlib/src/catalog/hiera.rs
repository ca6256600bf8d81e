//! `hiera`, `hiera_array`, `hiera_hash`, `hiera_include`: the look-ups of old, each a [`lookup`](super::lookup) with
//! one way of merging.

use super::lookup::Request;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::{
    Call, Dispatch, Native, NativeFn, ParamSpec, dispatch, native, optional_param, param,
};
use bunraku_vm::host::{Include, Strict};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

const ALL_IN_ONE: &[ParamSpec] = &[param("Tuple[String, Any, Any, 1, 3]", "args")];
const KEY: &[ParamSpec] = &[param("String", "key")];
const KEY_AND_DEFAULT: &[ParamSpec] =
    &[param("String", "key"), param("Any", "default"), optional_param("Any", "override")];
const KEY_AND_LEVEL: &[ParamSpec] = &[param("String", "key"), param("Any", "override")];

/// The signatures that all four have.
const fn signatures(body: NativeFn) -> [Dispatch; 5] {
    [
        dispatch(ALL_IN_ONE, body),
        dispatch(KEY, body),
        dispatch(KEY_AND_DEFAULT, body),
        dispatch(KEY, body).named_block("Callable[1,1]", "default_block"),
        dispatch(KEY_AND_LEVEL, body).named_block("Callable[1,1]", "default_block"),
    ]
}

/// The group.
pub const FUNCTIONS: &[Native] = &[
    native(
        "hiera",
        "Looks a key up in Hiera: the first value found. `lookup` replaces it.",
        &signatures(hiera),
    ),
    native(
        "hiera_array",
        "Looks a key up in Hiera: all values found, as one array. `lookup` replaces it.",
        &signatures(hiera_array),
    ),
    native(
        "hiera_hash",
        "Looks a key up in Hiera: all hashes found, merged. `lookup` replaces it.",
        &signatures(hiera_hash),
    ),
    native(
        "hiera_include",
        "Includes the classes that Hiera names under a key. `include` and `lookup` replace it.",
        &signatures(hiera_include),
    ),
];

fn hiera<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    find(vm, "hiera", call, "first")
}

fn hiera_array<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    find(vm, "hiera_array", call, "unique")
}

fn hiera_hash<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    find(vm, "hiera_hash", call, "hash")
}

fn hiera_include<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let found = find(vm, "hiera_include", call, "unique")?;
    match found {
        Value::Undef => {
            let key = arguments(&call)[0].as_str().unwrap_or_default();
            Err(Flow::raw(format!("Could not find data item {key}")))
        }
        Value::Array(items) if items.is_empty() => Ok(Value::Undef),
        Value::Hash(hash) if hash.is_empty() => Ok(Value::Undef),
        Value::Str(text) if text.is_empty() => Ok(Value::Undef),
        classes => vm.host.include(vm, call.scope.keep(), Include::Include, &[classes]),
    }
}

/// The arguments; they may stand in one array.
fn arguments<'c>(call: &Call<'c, '_>) -> Vec<Value<'c>> {
    match call.args {
        [Value::Array(items)] => items.items().to_vec(),
        args => args.to_vec(),
    }
}

fn find<'c>(vm: &mut Vm<'c>, function: &str, call: Call<'c, '_>, merge: &str) -> Eval<'c> {
    if vm.host.strict() != Strict::Off {
        let page = vm.host.compat().documentation("deprecated_language");
        let message = format!(
            "The function '{function}' is deprecated in favor of using 'lookup'. See \
             {page}\n   (file & line not available)"
        );
        vm.host.warn_of_deprecated(&message);
    }
    let args = arguments(&call);
    // With a block there is no default, and the second argument is what else the third one is.
    let level = args.get(if call.block.is_some() { 1 } else { 2 }).copied();
    let request = Request {
        name: args[0],
        value_type: None,
        default: if call.block.is_some() { None } else { args.get(1).copied() },
        overrides: None,
        defaults: None,
        merge: Some(vm.string(merge)),
        block: call.block,
        hiera: true,
        level: level.filter(|level| match level {
            Value::Undef => false,
            Value::Array(levels) => !levels.is_empty(),
            _ => true,
        }),
    };
    request.answer(vm, call.scope.keep())
}
