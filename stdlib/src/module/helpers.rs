//! Small helpers of other modules, called in nearly every class of theirs.

use super::address::IpAddress;
use super::ruby::{matches, text_to_i, to_s};
use crate::support::text;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::{Call, Native, dispatch, native, param, repeated_param};
use bunraku_vm::regex;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use sha1::Sha1;
use sha2::digest::Digest;

macro_rules! any_arguments {
    ($name:literal, $doc:literal, $body:ident) => {
        native($name, $doc, &[dispatch(&[repeated_param("Any", "args")], $body)])
    };
}

/// Functions of openstacklib.
pub(crate) static OPENSTACKLIB: &[Native] = &[
    any_arguments!(
        "is_service_default",
        "Whether a value stands for the service's own default.",
        is_service_default
    ),
    any_arguments!("normalize_ip_for_uri", "Addresses of version 6 in brackets.", normalize_ip_for_uri),
];

/// Functions of apache.
pub(crate) static APACHE: &[Native] = &[native(
    "apache::bool2httpd",
    "`On` or `Off` for a boolean, other text as it is.",
    &[dispatch(&[param("Any", "arg")], bool2httpd)],
)];

/// Functions of mysql.
pub(crate) static MYSQL: &[Native] = &[native(
    "mysql::password",
    "The hash of a password as MySQL keeps it.",
    &[dispatch(&[param("String", "password")], mysql_password).returns("String")],
)];

/// Functions of neutron.
pub(crate) static NEUTRON: &[Native] = &[
    any_arguments!("validate_network_vlan_ranges", "Fails for wrong ranges of VLANs.", vlan_ranges),
    any_arguments!("validate_tunnel_id_ranges", "Fails for wrong ranges of tunnels.", tunnel_ranges),
    any_arguments!("validate_vni_ranges", "Fails for wrong ranges of VNIs.", vni_ranges),
];

fn is_service_default<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match call.args {
        [value] => Ok(Value::Bool(value.as_str() == Some("<SERVICE DEFAULT>"))),
        args => Err(Flow::raw(format!(
            "is_service_default(): Wrong number of argumentsgiven ({} for 1)",
            args.len()
        ))),
    }
}

fn normalize_ip_for_uri<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let items = match call.args.first() {
        Some(Value::Array(items)) => items.to_vec(),
        _ => call.args.to_vec(),
    };
    let normal = |item: &Value<'c>| match item {
        Value::Str(address)
            if IpAddress::parse(address).is_ok_and(|ip| !ip.is_v4()) && !matches(r"\[.+\]", address) =>
        {
            vm.string(&format!("[{}]", address.as_str()))
        }
        other => *other,
    };
    let items: Vec<_> = items.iter().map(normal).collect();
    match items[..] {
        [only] => Ok(only),
        _ => Ok(vm.array(&items)),
    }
}

fn bool2httpd<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let arg = call.args[0];
    let is = |pattern: &str| arg.as_str().is_some_and(|text| matches(pattern, text));
    if !arg.truthy() || is("(?i)false") {
        return Ok(vm.string("Off"));
    }
    if matches!(arg, Value::Bool(true)) || is("(?i)true") {
        return Ok(vm.string("On"));
    }
    Ok(vm.string(&to_s(arg)))
}

fn mysql_password<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let password = text(call.arg(0));
    if password.is_empty() || matches(r"\*[A-F0-9]{40}$", password) {
        return Ok(vm.string(password));
    }
    let digest = Sha1::digest(Sha1::digest(password));
    let hex: String = digest.iter().map(|byte| format!("{byte:02X}")).collect();
    Ok(vm.string(&format!("*{hex}")))
}

/// Each range given; what is no text and not nothing is an error of Ruby.
fn ranges<'c>(call: &Call<'c, '_>) -> Eval<'c, Vec<&'c str>> {
    let given = match call.args.first() {
        Some(Value::Array(items)) => items.to_vec(),
        Some(one) => vec![*one],
        None => Vec::new(),
    };
    let mut all = Vec::new();
    for range in given {
        match range {
            Value::Str(text) => all.push(text.as_str()),
            Value::Undef => {}
            other => return Err(super::ruby::no_conversion(other, "String")),
        }
    }
    Ok(all)
}

/// The two numbers at the end of a range.
fn bounds<'c>(pattern: &str, range: &str) -> Eval<'c, Option<(i64, i64)>> {
    let groups = regex::captures(pattern, range).map_err(Flow::raw)?;
    Ok(groups.and_then(|groups| match groups[..] {
        [.., Some(first), Some(second)] => Some((text_to_i(first), text_to_i(second))),
        _ => None,
    }))
}

/// What the validation yields where all is well: what it was given, as an array.
fn given<'c>(vm: &Vm<'c>, call: &Call<'c, '_>) -> Value<'c> {
    match call.args.first() {
        Some(all @ Value::Array(_)) => *all,
        Some(one) => vm.array(&[*one]),
        None => vm.array(&[Value::Undef]),
    }
}

fn vlan_ranges<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    for range in ranges(&call)? {
        match bounds(r"^(.+:)?(\d+):(\d+)$", range)? {
            Some((first, second)) if first > 4094 || second > 4094 => {
                return Err(Flow::raw("vlan id are invalid."));
            }
            Some((first, second)) if second < first => {
                return Err(Flow::raw("network vlan ranges are invalid."));
            }
            Some(_) => {}
            None if matches(r"^([^:]+)?(:\d+)?$", range) => {}
            None => return Err(Flow::raw("network vlan ranges are invalid.")),
        }
    }
    Ok(given(vm, &call))
}

fn tunnel_ranges<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    for range in ranges(&call)? {
        match bounds(r"^(\d+):(\d+)$", range)? {
            Some((first, second)) if second - first > 1_000_000 => {
                return Err(Flow::raw("tunnel id ranges are to large."));
            }
            Some((first, second)) if second >= first => {}
            _ => return Err(Flow::raw("tunnel id ranges are invalid.")),
        }
    }
    Ok(given(vm, &call))
}

fn vni_ranges<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    for range in ranges(&call)? {
        match bounds(r"^(\d+):(\d+)$", range)? {
            Some((first, second)) if second <= 16_777_215 && first <= second => {}
            _ => return Err(Flow::raw("vni ranges are invalid.")),
        }
    }
    Ok(given(vm, &call))
}
