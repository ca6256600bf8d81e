//! puppetlabs-stdlib: facts.

use crate::support::{at, text};
use bunraku_vm::arith::strict_integer;
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::regex;
use bunraku_vm::symbol::known;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

natives! {
    /// A fact by its path, or undef: `fact('os.family')`.
    function "fact" {
        dispatch fact(param "String" fact_name);
    }
    /// Whether the node has an operating system in at least some major version.
    function "os_version_gte" {
        dispatch os_version_gte(param "String[1]" os, param "String[1]" version) -> "Boolean";
    }
    /// Whether the node has an operating system in at least some major version.
    function "stdlib::os_version_gte" {
        dispatch stdlib_os_version_gte(param "String[1]" os, param "String[1]" version) -> "Boolean";
    }
}

fn facts<'c>(call: &Call<'c, '_>) -> Value<'c> {
    call.scope.look().lookup(known::FACTS).unwrap_or(Value::Undef)
}

/// A walked path as it is written.
fn dotted(path: &[&str]) -> String {
    let quoted =
        path.iter().map(|part| if part.contains('.') { format!("\"{part}\"") } else { (*part).to_owned() });
    quoted.collect::<Vec<_>>().join(".")
}

fn fact<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let name = text(call.arg(0));
    let parts = regex::all_captures(r#"([^."]+)|(?:")([^"]+)(?:")"#, name).map_err(Flow::raw)?;
    let parts: Vec<&str> = parts
        .iter()
        .map(|found| found.texts(name)[1..].iter().flatten().next().copied().unwrap_or(""))
        .collect();
    let mut value = facts(&call);
    for (n, key) in parts.iter().enumerate() {
        let walked = || dotted(&parts[..n]);
        value = match value {
            Value::Undef => return Ok(Value::Undef),
            Value::Array(items) => match strict_integer(key, None) {
                Ok(index) => at(&items, i64::try_from(index).unwrap_or(i64::MAX)),
                Err(_) => {
                    let walked = walked();
                    let message = format!(
                        "fact request for {name} returning nil: '{walked}' is an array; cannot index to '{key}'"
                    );
                    vm.host.log(Severity::Warning, &message, None);
                    Value::Undef
                }
            },
            Value::Hash(hash) => hash.get_str(key).unwrap_or_else(|| vm.missing_key(hash, vm.string(key))),
            _ => {
                let walked = walked();
                let message = format!(
                    "fact request for {name} returning nil: '{walked}' is not a collection; cannot walk to '{key}'"
                );
                vm.host.log(Severity::Warning, &message, None);
                Value::Undef
            }
        };
    }
    Ok(value)
}

fn os_version_gte<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let fact = |name: &str| match facts(&call) {
        Value::Hash(facts) => facts.get_str(name).unwrap_or_else(|| vm.missing_key(facts, vm.string(name))),
        _ => Value::Undef,
    };
    if fact("operatingsystem").as_str() != Some(text(call.arg(0))) {
        return Ok(Value::Bool(false));
    }
    let Value::Str(own) = fact("operatingsystemmajrelease") else {
        return Err(super::ruby::no_method("scan", fact("operatingsystemmajrelease")));
    };
    Ok(Value::Bool(crate::core::version::compare(&own, text(call.arg(1))).is_ge()))
}

fn stdlib_os_version_gte<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let os = |name: &str| match facts(&call) {
        Value::Hash(facts) => match facts.get_str("os") {
            Some(Value::Hash(os)) => os.get_str(name).unwrap_or(Value::Undef),
            _ => Value::Undef,
        },
        _ => Value::Undef,
    };
    let release = match os("release") {
        Value::Hash(release) => release.get_str("major").unwrap_or(Value::Undef),
        _ => Value::Undef,
    };
    if os("name").as_str() != Some(text(call.arg(0))) {
        return Ok(Value::Bool(false));
    }
    let Value::Str(own) = release else { return Err(super::ruby::no_method("scan", release)) };
    Ok(Value::Bool(crate::core::version::compare(&own, text(call.arg(1))).is_ge()))
}
