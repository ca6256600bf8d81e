//! puppetlabs-stdlib: modules, files, interfaces, addresses, types; what reaches beyond the values given.

use super::address::IpAddress;
use super::old::call_old;
use super::ruby::{class, error, flatten, method_error, no_conversion, no_method, to_s};
use crate::support::{deprecated, text};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::host::ModuleFolder;
use bunraku_vm::types::{Type, infer_set};
use bunraku_vm::value::{Hash, HashBuilder, Value};
use bunraku_vm::vm::Vm;

natives! {
    /// The most specific type of a value.
    function "type_of" { dispatch type_of(param "Any" value); }
    /// The most specific type of a value.
    function "stdlib::type_of" { dispatch type_of(param "Any" value); }
    /// A text put together from a hash by Ruby's format.
    function "sprintf_hash" { dispatch sprintf_hash(param "String" format, param "Hash" arguments); }
    /// Whether an address lies in a range.
    function "stdlib::ip_in_range" {
        dispatch ip_in_range(param "String" ipaddress, param "Variant[String, Array]" range) -> "Boolean";
    }
    /// A declared resource from its reference as text.
    function "stdlib::str2resource" { dispatch str2resource(param "String" res_string) -> "Any"; }
    /// All values of a hash, however deep.
    function "stdlib::nested_values" { dispatch nested_values(param "Hash" hash) -> "Array"; }
    /// Whether a function of that name is there.
    function "stdlib::has_function" { dispatch has_function(param "String[1]" function_name) -> "Boolean"; }
}

old_functions! {
    /// Addresses of version 6 in brackets.
    "enclose_ipv6" enclose_ipv6;
    /// The folder of a module.
    "get_module_path" get_module_path;
    /// The metadata of a module.
    "load_module_metadata" load_module_metadata;
    /// The files that a pattern stands for.
    "glob" glob;
    /// Whether there is an interface, or one with some property.
    "has_interface_with" has_interface_with;
    /// Whether an interface has an address.
    "has_ip_address" has_ip_address;
    /// Whether an interface is in a network.
    "has_ip_network" has_ip_network;
    /// The time in seconds since 1970.
    "time" time;
}

fn type_of<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Type(infer_set(vm, call.args[0])))
}

fn sprintf_hash<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let message =
        "This method is deprecated. From Puppet 4.10.10/5.3.4 please use the built-in sprintf instead";
    super::deprecation::deprecate(vm, "sprintf_hash", message)?;
    let result = bunraku_vm::format::sprintf(text(call.arg(0)), &call.args[1..2]).map_err(method_error)?;
    Ok(vm.string(&result))
}

fn ip_in_range<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let address = IpAddress::parse(text(call.arg(0))).map_err(error)?;
    let mut found = false;
    for range in flatten(&call.args[1..2]) {
        let Value::Str(range) = range else {
            return Err(error("unsupported address family: 0"));
        };
        found |= IpAddress::parse(&range).map_err(error)?.includes(&address);
    }
    Ok(Value::Bool(found))
}

fn str2resource<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let (type_name, title) = super::declare::split_reference(text(call.arg(0)))?;
    let Some((type_name, title, _)) = vm.host.declared(vm, &type_name, &title)? else {
        let type_name = bunraku_vm::types::capitalize_segments(&type_name);
        let title = if type_name == "Class" { bunraku_vm::types::capitalize_segments(&title) } else { title };
        return Err(Flow::raw(format!(
            "stdlib::str2resource(): could not find {type_name}[{title}], this is parse order dependent and values should not be quoted"
        )));
    };
    let reference = match type_name {
        "Class" => Type::Class(Some(title)),
        name => Type::Resource { type_name: Some(name), title: Some(title), held: false },
    };
    Ok(Value::Type(vm.arena.alloc(reference)))
}

fn nested_values<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    fn gather<'c>(hash: Hash<'c>, into: &mut Vec<Value<'c>>) {
        for (_, value) in hash.entries() {
            match value {
                Value::Hash(inner) => gather(*inner, into),
                other => into.push(*other),
            }
        }
    }
    let mut all = Vec::new();
    if let Value::Hash(hash) = call.args[0] {
        gather(hash, &mut all);
    }
    Ok(vm.array(&all))
}

fn has_function<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let name = text(call.arg(0));
    let found = vm.host.native(name, "").is_some()
        || vm.host.manifest_function(name).is_some()
        || vm.host.function(vm, name, "")?.is_some()
        || vm.host.has_old_function(name);
    Ok(Value::Bool(found))
}

fn enclose_ipv6<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let [input] = call.args else {
        let count = call.args.len();
        return Err(Flow::raw(format!("enclose_ipv6(): Wrong number of arguments given {count} for 1")));
    };
    if !matches!(input, Value::Str(_) | Value::Array(_)) {
        let class = class(*input);
        return Err(Flow::raw(format!(
            "enclose_ipv6(): Wrong argument type given {class} expected String or Array"
        )));
    }
    let mut result: Vec<Value<'c>> = Vec::new();
    for value in flatten(&[*input]).into_iter().filter(|value| !value.is_undef()) {
        let value = match value.as_str() {
            Some("*") => value,
            address => match address.map(IpAddress::parse) {
                Some(Ok(ip)) if ip.is_v4() => value,
                Some(Ok(ip)) => vm.string(&format!("[{ip}]")),
                _ => {
                    let given = to_s(value);
                    return Err(Flow::raw(format!(
                        "enclose_ipv6(): Wrong argument given {given} is not an ip address."
                    )));
                }
            },
        };
        if !result.iter().any(|other| other.same(value)) {
            result.push(value);
        }
    }
    Ok(vm.array(&result))
}

/// The folder of a module, or the error of one that is not there.
fn module_path<'c>(vm: &Vm<'c>, name: Value<'c>) -> Eval<'c, String> {
    vm.host.module_directory(&to_s(name)).ok_or_else(|| {
        let (name, environment) = (to_s(name), vm.host.environment());
        Flow::raw(format!("Could not find module {name} in environment {environment}"))
    })
}

fn get_module_path<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let [name] = call.args else {
        return Err(Flow::raw("get_module_path(): Wrong number of arguments, expects one"));
    };
    let path = module_path(vm, *name)?;
    Ok(vm.string(&path))
}

fn load_module_metadata<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let (name, may_miss) = match call.args {
        [name] => (*name, false),
        [name, may_miss] => (*name, may_miss.truthy()),
        _ => {
            return Err(Flow::raw("load_module_metadata(): Wrong number of arguments, expects one or two"));
        }
    };
    let file = format!("{}/metadata.json", module_path(vm, name)?);
    match vm.host.read_file(vm, ModuleFolder::Files, &file)? {
        Some(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            vm.host.parse_json(vm, &text).ok_or_else(|| error(format!("source '{text}' not in PSON!")))
        }
        None if may_miss => Ok(Value::Hash(HashBuilder::new(vm.arena).finish())),
        None => {
            let name = to_s(name);
            Err(Flow::raw(format!("load_module_metadata(): No metadata.json file for module {name}")))
        }
    }
}

fn glob<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let patterns = match call.args {
        [pattern @ Value::Str(_)] => vec![*pattern],
        [Value::Array(patterns)] => patterns.to_vec(),
        [_] => return Err(Flow::raw("glob(): Requires either array or string to work")),
        args => {
            let count = args.len();
            return Err(Flow::raw(format!("glob(): Wrong number of arguments given ({count} for 1)")));
        }
    };
    let mut found = Vec::new();
    for pattern in patterns {
        let Value::Str(pattern) = pattern else { return Err(no_conversion(pattern, "String")) };
        found.extend(vm.host.glob(&pattern).map_err(Flow::raw)?.iter().map(|path| vm.string(path)));
    }
    Ok(vm.array(&found))
}

fn has_interface_with<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let count = call.args.len();
    if !(1..=2).contains(&count) {
        return Err(Flow::raw(format!(
            "has_interface_with(): Wrong number of arguments given ({count} for 1 or 2)"
        )));
    }
    let interfaces = match vm.host.variable(vm, call.scope.look(), "interfaces")? {
        Value::Undef => return Ok(Value::Bool(false)),
        Value::Str(interfaces) => interfaces.as_str().to_owned(),
        other => return Err(no_method("split", other)),
    };
    let kind = call.args[0];
    if count == 1 {
        return Ok(Value::Bool(kind.as_str().is_some_and(|name| interfaces.split(',').any(|i| i == name))));
    }
    let (kind, wanted) = (to_s(kind), call.args[1]);
    let mut names = vec![kind.clone()];
    names.extend(interfaces.split(',').map(|interface| format!("{kind}_{}", interface.to_lowercase())));
    Ok(Value::Bool(names.iter().any(|name| {
        let symbol = vm.symbols.intern(name);
        call.scope.look().lookup(symbol).unwrap_or(Value::Undef).same(wanted)
    })))
}

/// `has_interface_with` with a kind, the old way.
fn has_kind<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>, name: &str, kind: &str) -> Eval<'c> {
    let [value] = call.args else {
        let count = call.args.len();
        return Err(Flow::raw(format!("{name}(): Wrong number of arguments given ({count} for 1)")));
    };
    for method in ["loaded?", "load"] {
        let message = format!(
            "The method 'Puppet::Parser::Functions.autoloader#{method}(\"has_interface_with\")' is deprecated in favor of using 'Scope#call_function'."
        );
        deprecated(vm, &message);
    }
    let kind = vm.string(kind);
    call_old("has_interface_with", vm, Call { args: &[kind, *value], ..call })
}

fn has_ip_address<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    has_kind(vm, call, "has_ip_address", "ipaddress")
}

fn has_ip_network<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    has_kind(vm, call, "has_ip_network", "network")
}

fn time<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let count = call.args.len();
    if count > 1 {
        return Err(Flow::raw(format!("time(): Wrong number of arguments given {count} for 0 or 1")));
    }
    let seconds = bunraku_vm::time::timestamp::now().div_euclid(1_000_000_000);
    Ok(Value::Int(i64::try_from(seconds).unwrap_or(i64::MAX)))
}
