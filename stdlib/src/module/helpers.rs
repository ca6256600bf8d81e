//! Small helpers of other modules, called in nearly every class of theirs.

use super::address::IpAddress;
use super::ruby::{class, error, matches, method_error, text_to_i, to_s};
use crate::support::text;
use bunraku_vm::base64;
use bunraku_vm::budget;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format;
use bunraku_vm::function::{Call, Native, dispatch, native, optional_param, param, repeated_param};
use bunraku_vm::host::ModuleFolder;
use bunraku_vm::raised::{PARSE_ERROR, PUPPET_ERROR};
use bunraku_vm::regex;
use bunraku_vm::value::{HashBuilder, Value};
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
pub(crate) static APACHE: &[Native] = &[
    native(
        "apache::bool2httpd",
        "`On` or `Off` for a boolean, other text as it is.",
        &[dispatch(&[param("Any", "arg")], bool2httpd)],
    ),
    native(
        "apache::pw_hash",
        "The hash of a password as `htpasswd` writes it.",
        &[dispatch(&[param("String[1]", "password")], httpd_password).returns("String")],
    ),
];

/// Functions of neutron.
pub(crate) static NEUTRON: &[Native] = &[
    any_arguments!("validate_network_vlan_ranges", "Fails for wrong ranges of VLANs.", vlan_ranges),
    any_arguments!("validate_tunnel_id_ranges", "Fails for wrong ranges of tunnels.", tunnel_ranges),
    any_arguments!("validate_vni_ranges", "Fails for wrong ranges of VNIs.", vni_ranges),
];

/// Functions of openstack_extras.
pub(crate) static OPENSTACK_EXTRAS: &[Native] = &[any_arguments!(
    "validate_yum_hash",
    "Fails for what is no parameter of a repository of yum.",
    validate_yum_hash
)];

/// Functions of translate.
pub(crate) static TRANSLATE: &[Native] = &[native(
    "translate",
    "A message with its values in it; there are no translations.",
    &[dispatch(&[param("String", "message"), optional_param("Hash", "interpolation_values")], translate)],
)];

old_functions! { COLLECTD {
    /// Processes as a hash, by name.
    "collectd_convert_processes" convert_processes (1, 1);
} }

old_functions! { DATACAT {
    /// Templates of modules as they are.
    "template_body" template_body;
} }

old_functions! { MCOLLECTIVE {
    /// The items of an array as text.
    "mco_array_to_string" array_to_string;
} }

old_functions! { SSH {
    /// The addresses of all interfaces but the loopback.
    "ipaddresses" ip_addresses;
} }

fn is_service_default<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match call.args {
        [value] => Ok(Value::Bool(value.as_str() == Some("<SERVICE DEFAULT>"))),
        args => Err(Flow::of_class(
            PARSE_ERROR,
            format!("is_service_default(): Wrong number of argumentsgiven ({} for 1)", args.len()),
        )),
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

fn httpd_password<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let digest = Sha1::digest(text(call.arg(0)));
    Ok(vm.string(&format!("{{SHA}}{}", base64::encode(&digest))))
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
                return Err(Flow::of_class(PUPPET_ERROR, "vlan id are invalid."));
            }
            Some((first, second)) if second < first => {
                return Err(Flow::of_class(PUPPET_ERROR, "network vlan ranges are invalid."));
            }
            Some(_) => {}
            None if matches(r"^([^:]+)?(:\d+)?$", range) => {}
            None => return Err(Flow::of_class(PUPPET_ERROR, "network vlan ranges are invalid.")),
        }
    }
    Ok(given(vm, &call))
}

fn tunnel_ranges<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    for range in ranges(&call)? {
        match bounds(r"^(\d+):(\d+)$", range)? {
            Some((first, second)) if second - first > 1_000_000 => {
                return Err(Flow::of_class(PUPPET_ERROR, "tunnel id ranges are to large."));
            }
            Some((first, second)) if second >= first => {}
            _ => return Err(Flow::of_class(PUPPET_ERROR, "tunnel id ranges are invalid.")),
        }
    }
    Ok(given(vm, &call))
}

fn vni_ranges<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    for range in ranges(&call)? {
        match bounds(r"^(\d+):(\d+)$", range)? {
            Some((first, second)) if second <= 16_777_215 && first <= second => {}
            _ => return Err(Flow::of_class(PUPPET_ERROR, "vni ranges are invalid.")),
        }
    }
    Ok(given(vm, &call))
}

/// What a repository of yum may have.
const YUM_PARAMETERS: &str = "name ensure baseurl cost descr enabled enablegroups exclude failovermethod gpgcheck \
    gpgkey http_caching include includepkgs keepalive metadata_expire metalink mirrorlist priority protect provider \
    proxy proxy_password proxy_username repo_gpgcheck s3_enabled skip_if_unavailable sslcacert sslclientcert \
    sslclientkey sslverify target timeout";

fn validate_yum_hash<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    if call.args.len() > 1 {
        let count = call.args.len();
        return Err(Flow::of_class(
            PUPPET_ERROR,
            format!("validate_yum_hash takes only a single argument, {count} provided"),
        ));
    }
    let Some(Value::Hash(repositories)) = call.args.first() else {
        return Err(Flow::of_class(PUPPET_ERROR, "non-hash argument provided to validate_yum_hash"));
    };
    for (_, params) in repositories.entries() {
        let names: Vec<Value<'c>> = match params {
            Value::Hash(params) => params.entries().iter().map(|(name, _)| *name).collect(),
            // Ruby's block takes the first of what an item is made of.
            Value::Array(items) => items
                .iter()
                .map(|item| match item {
                    Value::Array(inner) => inner.iter().next().copied().unwrap_or(Value::Undef),
                    other => *other,
                })
                .collect(),
            _ => return super::leave(vm, "validate_yum_hash", call),
        };
        for name in names {
            let known =
                name.as_str().is_some_and(|name| YUM_PARAMETERS.split_whitespace().any(|p| p == name));
            if !known {
                let name = to_s(name);
                return Err(Flow::of_class(
                    PUPPET_ERROR,
                    format!("Parameter {name} is not valid for the yumrepo type"),
                ));
            }
        }
    }
    Ok(if repositories.is_empty() { Value::Undef } else { call.args[0] })
}

fn translate<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Some(Value::Hash(values)) = call.args.get(1) else { return Ok(call.args[0]) };
    // Text formats the hash itself, by Ruby's symbols, where it does not name one of its keys.
    let names_keys = regex::is_match(r"\A(?:[^%]|%[%{<])*\z", text(call.arg(0))).unwrap_or(false);
    if !names_keys || values.entries().iter().any(|(key, _)| !matches!(key, Value::Str(_))) {
        return super::leave(vm, "translate", call);
    }
    let message = format::sprintf(text(call.arg(0)), &call.args[1..2]).map_err(method_error)?;
    Ok(vm.string(&message))
}

fn convert_processes<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let raise = |message: &str| Err(Flow::raw(format!("convert_process_array(): {message}")));
    let processes = match call.args[0] {
        hash @ Value::Hash(_) => return Ok(hash),
        Value::Array(processes) => processes,
        _ => return raise("Needs an array as argument"),
    };
    let name_key = vm.string("name");
    let mut all = HashBuilder::new(vm.arena);
    for process in processes.iter() {
        match process {
            Value::Str(_) => all.insert(*process, Value::Hash(HashBuilder::new(vm.arena).finish())),
            Value::Hash(process) => {
                let mut rest = HashBuilder::new(vm.arena);
                for (key, value) in process.entries().iter().filter(|(key, _)| !key.same(name_key)) {
                    rest.insert(*key, *value);
                }
                all.insert(process.get_str("name").unwrap_or(Value::Undef), Value::Hash(rest.finish()));
            }
            _ => return raise("array element must be string or hash"),
        }
    }
    Ok(Value::Hash(all.finish()))
}

fn template_body<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut all = String::new();
    for name in call.args {
        let Value::Str(name) = name else { return super::leave(vm, "template_body", call) };
        let Some(bytes) = vm.host.read_file(vm, ModuleFolder::Templates, name)? else {
            // Ruby opens a path without looking first.
            if name.starts_with('/') {
                return super::leave(vm, "template_body", call);
            }
            return Err(Flow::raw(format!("Could not find template '{}'", name.as_str())));
        };
        let Ok(body) = String::from_utf8(bytes) else { return super::leave(vm, "template_body", call) };
        all += &body;
    }
    Ok(vm.string(&all))
}

fn array_to_string<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let given = call.args.first().copied().unwrap_or(Value::Undef);
    let Value::Array(items) = given else {
        return Err(error(format!("Expected an array, but got a {}", class(given))));
    };
    // How Ruby shows what is within is known of plain data.
    fn is_plain(value: &Value<'_>) -> bool {
        budget::within(1, || match value {
            Value::Array(items) => items.iter().all(is_plain),
            Value::Hash(hash) => hash.entries().iter().all(|(key, value)| is_plain(key) && is_plain(value)),
            other => matches!(
                other,
                Value::Str(_) | Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Undef
            ),
        })
    }
    if !items.iter().all(is_plain) {
        return super::leave(vm, "mco_array_to_string", call);
    }
    let items: Vec<_> = items.iter().map(|item| vm.string(&to_s(*item))).collect();
    Ok(vm.array(&items))
}

fn ip_addresses<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let interfaces = match vm.host.variable(vm, call.scope.look(), "interfaces")? {
        Value::Undef => return Ok(Value::Bool(false)),
        Value::Str(interfaces) => interfaces,
        _ => return super::leave(vm, "ipaddresses", call),
    };
    // A list that ends in commas ends before them; one without any is a name, even an empty one.
    let names: Vec<&str> = match interfaces.contains(',') {
        true => interfaces.trim_end_matches(',').split(',').collect(),
        false => vec![interfaces.as_str()],
    };
    let names = if names == [""] && interfaces.contains(',') { Vec::new() } else { names };
    let mut found = Vec::new();
    for name in names.into_iter().filter(|name| !name.contains("lo")) {
        let four = vm.host.variable(vm, call.scope.look(), &format!("ipaddress_{name}"))?;
        let six = vm.host.variable(vm, call.scope.look(), &format!("ipaddress6_{name}"))?;
        found.extend([four, six].into_iter().filter(|address| address.truthy()));
    }
    Ok(vm.array(&found))
}
