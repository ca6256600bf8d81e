//! Helpers of the modules for databases and stores: memcached, mysql, postgresql, redis.

use super::ruby::{error, matches, no_conversion, no_method, text_to_f, text_to_i, to_s};
use crate::support::text;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::{Call, Native, dispatch, native, param, repeated_param};
use bunraku_vm::raised::PARSE_ERROR;
use bunraku_vm::regex;
use bunraku_vm::symbol::known;
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;
use md5::Md5;
use sha1::Sha1;
use sha2::digest::Digest;
use std::collections::{HashMap, HashSet};

/// Functions of memcached.
pub(crate) static MEMCACHED: &[Native] = &[native(
    "memcached::max_memory",
    "The megabytes to use: a number, or a part of the node's memory in percent.",
    &[dispatch(&[param("Any", "arg")], max_memory).returns("Integer")],
)];

/// Functions of mysql.
pub(crate) static MYSQL: &[Native] = &[native(
    "mysql::password",
    "The hash of a password as MySQL keeps it.",
    &[dispatch(&[param("String", "password")], mysql_password).returns("String")],
)];

const NAME_OR_NUMBER: &str = "Variant[String[1],Integer]";

/// Functions of postgresql.
pub(crate) static POSTGRESQL: &[Native] = &[
    native(
        "postgresql::postgresql_password",
        "The hash of a password as PostgreSQL keeps it.",
        &[dispatch(
            &[param(NAME_OR_NUMBER, "username"), param(NAME_OR_NUMBER, "password")],
            postgresql_password,
        )],
    ),
    native(
        "postgresql::postgresql_escape",
        "A text quoted by dollars, with a tag where it needs one.",
        &[dispatch(&[param("String[1]", "input_string")], postgresql_escape)],
    ),
    native(
        "postgresql::postgresql_acls_to_resources_hash",
        "Lines of `pg_hba.conf` as resources.",
        &[dispatch(
            &[param("Array[String]", "acls"), param("String[1]", "id"), param("Integer[0]", "offset")],
            acls_to_resources,
        )],
    ),
    native(
        "postgresql_password",
        "Deprecated: passes the call on to `postgresql::postgresql_password`.",
        &[dispatch(&[repeated_param("Any", "args")], old_postgresql_password)],
    ),
    native(
        "postgresql_escape",
        "Deprecated: passes the call on to `postgresql::postgresql_escape`.",
        &[dispatch(&[repeated_param("Any", "args")], old_postgresql_escape)],
    ),
];

old_functions! { OLD_MYSQL {
    /// The hash of a password as MySQL keeps it.
    "mysql_password" old_mysql_password;
} }

old_functions! { REDIS {
    /// A variable by its name, an empty string where there is none.
    "getvar_emptystring" getvar_emptystring;
} }

/// A float as an integer, where it is one of 64 bits.
fn whole(number: f64) -> Option<i64> {
    (number.is_finite() && number.abs() < 9.0e18).then_some(number as i64)
}

fn max_memory<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let arg = call.args[0];
    // Numbers of more than 64 bits are Ruby's, and what it says of values that are no numbers.
    let size = match arg {
        Value::Undef | Value::Bool(false) => Some("95%"),
        Value::Str(size) if size.ends_with('%') => Some(size.as_str()),
        Value::Str(size) if size.len() < 18 => return Ok(Value::Int(text_to_i(&size))),
        Value::Int(_) => return Ok(arg),
        Value::Float(size) => match whole(size) {
            Some(size) => return Ok(Value::Int(size)),
            None => None,
        },
        _ => None,
    };
    let leave = |vm: &mut Vm<'c>| super::leave(vm, "memcached::max_memory", call);
    let Some(percent) = size else { return leave(vm) };
    // The function sees the outermost scope.
    let facts = vm.top.lookup(known::FACTS);
    let memory = match facts {
        Some(Value::Hash(facts)) => facts.get_str("memorysize").unwrap_or(Value::Undef),
        _ => return leave(vm),
    };
    let memory = match memory {
        Value::Str(memory) => memory,
        Value::Undef => return Err(no_method("[]", Value::Undef)),
        other => return Err(no_conversion(other, "String")),
    };
    let groups = regex::captures(r"([0-9.e+-]*)\s*([^bB]?)", &memory).map_err(Flow::raw)?.unwrap_or_default();
    let group = |n: usize| groups.get(n).copied().flatten().unwrap_or("");
    let power = match group(2) {
        "" => 0,
        "k" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        "E" => 50,
        other => return Err(Flow::raw(format!("memcached_max_memory(): Unknown prefix {other}"))),
    };
    let Some(bytes) = whole(text_to_f(group(1)) * (1u64 << power) as f64) else { return leave(vm) };
    let megabytes = bytes.div_euclid(1 << 20) as f64;
    match whole((megabytes * (text_to_f(percent) / 100.0)).floor()) {
        Some(result) => Ok(Value::Int(result)),
        None => leave(vm),
    }
}

fn mysql_hash(password: &str) -> String {
    if password.is_empty() || matches(r"\*[A-F0-9]{40}$", password) {
        return password.to_owned();
    }
    let digest = Sha1::digest(Sha1::digest(password));
    let hex: String = digest.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("*{hex}")
}

fn mysql_password<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let hash = mysql_hash(text(call.arg(0)));
    Ok(vm.string(&hash))
}

fn old_mysql_password<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let [password] = call.args else {
        let count = call.args.len();
        return Err(Flow::raw(format!("mysql_password(): Wrong number of arguments given ({count} for 1)")));
    };
    match password {
        Value::Str(password) => {
            let hash = mysql_hash(password);
            Ok(vm.string(&hash))
        }
        Value::Array(items) if items.is_empty() => Ok(vm.string("")),
        Value::Hash(hash) if hash.is_empty() => Ok(vm.string("")),
        Value::Array(_) | Value::Hash(_) => Err(no_conversion(*password, "String")),
        _ => super::leave(vm, "mysql_password", call),
    }
}

fn md5_hex(text: &str) -> String {
    Md5::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn postgresql_password<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let hash = md5_hex(&(to_s(call.args[1]) + &to_s(call.args[0])));
    Ok(vm.string(&format!("md5{hash}")))
}

fn postgresql_escape<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let input = text(call.arg(0));
    if !input.contains("$$") && !input.ends_with('$') {
        return Ok(vm.string(&format!("$${input}$$")));
    }
    let tag_of =
        |text: &str| -> String { md5_hex(text).chars().take(6).filter(|c| !c.is_ascii_digit()).collect() };
    let mut tag = tag_of(input);
    let mut tried = HashSet::new();
    while input.contains(&tag) {
        let next = tag_of(&tag);
        if !tried.insert(std::mem::replace(&mut tag, next)) {
            return Err(error("postgresql::postgresql_escape(): the text contains every tag there is"));
        }
    }
    Ok(vm.string(&format!("${tag}${input}${tag}$")))
}

/// The words of a line, as Ruby's `split` finds them.
fn words(line: &str) -> Vec<&str> {
    line.split([' ', '\t', '\n', '\x0b', '\x0c', '\r']).filter(|word| !word.is_empty()).collect()
}

fn acls_to_resources<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let (Value::Array(lines), Value::Int(offset)) = (call.args[0], call.args[2]) else {
        return Ok(Value::Undef);
    };
    let id = text(call.arg(1));
    let mut resources = HashBuilder::new(vm.arena);
    // A line that stands there twice has the number of the first.
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for (number, line) in lines.iter().enumerate() {
        let line = text(Some(*line));
        let number = *numbers.entry(line).or_insert(number);
        let parts = words(line);
        if parts.len() < 4 {
            return Err(Flow::of_class(
                PARSE_ERROR,
                format!(
                    "postgresql::postgresql_acls_to_resources_hash(): acl line {number} does not have enough parts"
                ),
            ));
        }
        let Some(order) = offset.checked_add(number as i64) else {
            return super::leave(vm, "postgresql::postgresql_acls_to_resources_hash", call);
        };
        let mut resource = HashBuilder::new(vm.arena);
        let mut put = |name: &str, value: Option<&str>| {
            let value = value.map_or(Value::Undef, |value| vm.string(value));
            resource.insert(vm.string(name), value);
        };
        put("type", Some(parts[0]));
        put("database", Some(parts[1]));
        put("user", Some(parts[2]));
        put("order", Some(&format!("{order:03}")));
        let method = if parts[0] == "local" {
            3
        } else if parts.get(4).is_some_and(|part| part.starts_with(|c: char| c.is_ascii_digit())) {
            put("address", Some(&format!("{} {}", parts[3], parts[4])));
            5
        } else {
            put("address", Some(parts[3]));
            4
        };
        put("auth_method", parts.get(method).copied());
        if let Some(options @ [_, ..]) = parts.get(method + 1..) {
            put("auth_option", Some(&options.join(" ")));
        }
        let title = vm.string(&format!("postgresql class generated rule {id} {number}"));
        resources.insert(title, Value::Hash(resource.finish()));
    }
    Ok(Value::Hash(resources.finish()))
}

fn old_postgresql_password<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    pass_on(vm, "postgresql_password", call)
}

fn old_postgresql_escape<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    pass_on(vm, "postgresql_escape", call)
}

/// Warns that a name is of old, and calls the function in the module's name space.
fn pass_on<'c>(vm: &mut Vm<'c>, name: &str, call: Call<'c, '_>) -> Eval<'c> {
    let message = format!("This method is deprecated, please use postgresql::{name} instead.");
    let arguments = [vm.string(name), vm.string(&message)];
    vm.call_function("deprecation", &arguments, None, call.scope)?;
    vm.call_function(&format!("postgresql::{name}"), call.args, call.block, call.scope)
}

fn getvar_emptystring<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let [name] = call.args else {
        let count = call.args.len();
        return Err(Flow::raw(format!(
            "getvar_emptystring(): wrong number of arguments ({count}; must be 1)"
        )));
    };
    if !matches!(name, Value::Str(_) | Value::Int(_)) {
        return super::leave(vm, "getvar_emptystring", call);
    }
    match vm.host.variable(vm, call.scope.look(), &to_s(*name))? {
        Value::Undef => Ok(vm.string("")),
        value => Ok(value),
    }
}
