//! Values deep inside others, by path: `dig`, `get`, `getvar`.

use crate::support::at;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::inspect;
use bunraku_vm::function::Call;
use bunraku_vm::names::is_qualified;
use bunraku_vm::raised::{ERROR_WITH_DATA, RUNTIME_ERROR};
use bunraku_vm::regex;
use bunraku_vm::scope::Scope;
use bunraku_vm::types::{infer, print};
use bunraku_vm::value::{HashBuilder, Held, Object, Value};
use bunraku_vm::vm::Vm;

natives! {
    /// The value at a path of keys and indices.
    function "dig" { dispatch dig(param "Optional[Collection]" data, repeated_param "Any" arg); }
    /// The value at a dotted path.
    function "get" {
        dispatch get(param "Any" value, param "String" dotted_string, optional_param "Any" default_value)
            [optional_block_param "Callable[1,1]" block];
    }
    /// The value of a variable by name, at a dotted path below it.
    function "getvar" {
        dispatch getvar(
            param "Pattern[/\\A(?:::)?(?:[a-z]\\w*::)*[a-z_]\\w*(?:\\.|\\Z)/]" get_string,
            optional_param "Any" default_value
        ) [optional_block_param "Callable[1,1]" block];
        argument_mismatch invalid_variable(param "String" get_string, optional_param "Any" default_value);
    }
}

/// What is wrong about a path: the message, and what the block of `get` is given.
struct Wrong<'c> {
    message: String,
    issue: &'static str,
    details: Value<'c>,
}

fn walk<'c>(vm: &mut Vm<'c>, data: Value<'c>, path: &[Value<'c>]) -> Result<Value<'c>, Wrong<'c>> {
    let mut value = data;
    let mut walked: Vec<Value<'c>> = Vec::new();
    for key in path {
        if value.is_undef() || key.is_undef() {
            return Ok(Value::Undef);
        }
        let wrong = |vm: &mut Vm<'c>, walked: &[Value<'c>], of: Value<'c>, what: &str, kind, issue| {
            let ty = infer(vm, of);
            let path = vm.array(walked);
            let message = format!("The given data {what} at {}, got '{}'", inspect(path), print(ty));
            let mut details = HashBuilder::new(vm.arena);
            details.insert_str("walked_path", path);
            details.insert_str(kind, Value::Type(ty));
            Wrong { message, issue, details: Value::Hash(details.finish()) }
        };
        if !matches!(value, Value::Array(_) | Value::Hash(_)) {
            let what = "does not contain a Collection";
            return Err(wrong(vm, &walked, value, what, "value_type", "EXPECTED_COLLECTION"));
        }
        walked.push(*key);
        value = match (value, key) {
            (Value::Array(items), Value::Int(n)) => at(&items, *n),
            (Value::Hash(hash), key) => hash.get(*key).unwrap_or_else(|| vm.missing_key(hash, *key)),
            _ => {
                let what = "requires an Integer index";
                return Err(wrong(vm, &walked, *key, what, "index_type", "EXPECTED_INTEGER_INDEX"));
            }
        };
    }
    Ok(value)
}

fn dig<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    walk(vm, call.args[0], &call.args[1..]).map_err(|wrong| Flow::of_class(ERROR_WITH_DATA, wrong.message))
}

/// The segments of a dotted path; a number is an index, quotes keep dots together.
fn segments<'c>(vm: &Vm<'c>, path: &str) -> Eval<'c, Vec<Value<'c>>> {
    let fail = || Flow::of_class(RUNTIME_ERROR, "Syntax error in dotted-navigation string");
    let mut all = Vec::new();
    let mut rest = path;
    loop {
        let trimmed = rest.trim_start();
        let quote = trimmed.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (segment, after) = match quote {
            Some(quote) => {
                let end = trimmed[1..].find(quote).filter(|end| *end > 0).ok_or_else(fail)?;
                (vm.string(&trimmed[1..=end]), trimmed[end + 2..].trim_start())
            }
            None => {
                let end = rest.find(['.', '"', '\'']).unwrap_or(rest.len());
                let text = rest[..end].trim();
                if text.is_empty() {
                    return Err(fail());
                }
                let number = text.strip_prefix(['+', '-']).unwrap_or(text);
                let segment = match text.parse::<i64>() {
                    Ok(n) if number.bytes().all(|b| b.is_ascii_digit()) => Value::Int(n),
                    _ => vm.string(text),
                };
                (segment, &rest[end..])
            }
        };
        all.push(segment);
        match after.strip_prefix('.') {
            Some(next) => rest = next,
            None if after.is_empty() => return Ok(all),
            None => return Err(fail()),
        }
    }
}

fn get<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let path = call.arg(1).and_then(Value::as_str).unwrap_or("");
    navigate(vm, &call, call.args[0], path, call.arg(2).unwrap_or(Value::Undef))
}

fn navigate<'c>(
    vm: &mut Vm<'c>,
    call: &Call<'c, '_>,
    value: Value<'c>,
    path: &str,
    default: Value<'c>,
) -> Eval<'c> {
    if value.is_undef() {
        return Ok(default);
    }
    if path.is_empty() {
        return Ok(value);
    }
    let path = segments(vm, path)?;
    // The dotted path goes through `dig`, which takes collections only.
    if !matches!(value, Value::Array(_) | Value::Hash(_)) {
        let mut args = vec![value];
        args.extend(path);
        return vm.call_function("dig", &args, None, call.scope);
    }
    match walk(vm, value, &path) {
        Ok(Value::Undef) => Ok(default),
        Ok(found) => Ok(found),
        Err(wrong) => match call.block {
            None => Err(Flow::of_class(ERROR_WITH_DATA, wrong.message)),
            Some(block) => {
                let error = error_value(vm, &wrong);
                vm.call(block, &[error])
            }
        },
    }
}

fn error_value<'c>(vm: &Vm<'c>, wrong: &Wrong<'c>) -> Value<'c> {
    let mut attributes = HashBuilder::new(vm.arena);
    attributes.insert_str("msg", vm.string(&wrong.message));
    attributes.insert_str("kind", vm.string("SLICE_ERROR"));
    attributes.insert_str("details", wrong.details);
    attributes.insert_str("issue_code", vm.string(wrong.issue));
    let ty = bunraku_vm::types::builtin(vm.arena, "Error").unwrap_or(&bunraku_vm::types::Type::Any);
    Value::Object(vm.arena.alloc(Object {
        ty,
        type_name: "Error",
        attributes: attributes.finish(),
        held: Held::Here,
        data: None,
        plain: None,
    }))
}

/// A variable by name as seen from a scope: of a class where qualified, of the top scope after `::`.
pub(super) fn variable<'c>(vm: &mut Vm<'c>, scope: &'c Scope<'c>, name: &str) -> Option<Value<'c>> {
    let found = match name.contains("::") {
        true => vm.find_qualified(name),
        false => vm.symbols.get(name).and_then(|name| scope.lookup(name)),
    };
    found.or_else(|| vm.withheld_fact(name))
}

/// The name of a variable that a text begins with, and the rest.
fn split_name<'c>(text: &str) -> Eval<'c, (&str, &str)> {
    // Mostly there is no rest.
    let is_word = |byte: &u8| *byte == b'_' || byte.is_ascii_alphanumeric();
    if is_qualified(text.strip_prefix("::").unwrap_or(text), is_word) {
        return Ok((text, ""));
    }
    let groups =
        regex::captures("^((::)?(\\w+::)*\\w+)(.*)\\z", text).map_err(Flow::raw)?.unwrap_or_default();
    let group = |n: usize| groups.get(n).copied().flatten().unwrap_or("");
    Ok((group(1), group(4)))
}

fn getvar<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let given = call.arg(0).and_then(Value::as_str).unwrap_or("");
    let (name, rest) = split_name(given)?;
    let path = match rest {
        "" => "",
        rest => match rest.strip_prefix('.') {
            Some(path) => path,
            None => {
                let first = rest.chars().next().unwrap_or(' ');
                return Err(Flow::raw(format!(
                    "First character after var name in get string must be a '.' - got {first}"
                )));
            }
        },
    };
    let default = call.arg(1).unwrap_or(Value::Undef);
    match variable(vm, call.scope.look(), name) {
        Some(value) => navigate(vm, &call, value, path, default),
        None => {
            vm.seek_class_of(name)?;
            Ok(default)
        }
    }
}

fn invalid_variable<'c>(vm: &mut Vm<'c>, _: Call<'c, '_>) -> Eval<'c> {
    Ok(vm.string("The given string does not start with a valid variable name"))
}
