//! puppetlabs-stdlib: resources declared unless they are there, and questions about what is declared.

use super::old::{call_old, refused};
use super::ruby::{class, equal, flatten, no_method, to_s};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::capitalize;
use bunraku_vm::function::Call;
use bunraku_vm::function::{Native, dispatch, native, optional_param, param};
use bunraku_vm::raised::ARGUMENT_ERROR;
use bunraku_vm::regex;
use bunraku_vm::scope::ScopeKind;
use bunraku_vm::symbol::known;
use bunraku_vm::types::{Type, capitalize_segments, written};
use bunraku_vm::value::{Hash, HashBuilder, Value};
use bunraku_vm::vm::Vm;

/// The functions of the new kind.
pub(crate) static NATIVES: &[Native] = &[ENSURE_PACKAGES, NAMESPACED_ENSURE_PACKAGES];

const NAMESPACED_ENSURE_PACKAGES: Native = native(
    "stdlib::ensure_packages",
    "Declares packages unless they are declared already, `present` or `installed`.",
    &[
        dispatch(
            &[
                param("Variant[String[1], Array[String[1]]]", "packages"),
                optional_param("Hash", "default_attributes"),
            ],
            namespaced_ensure_packages,
        )
        .returns("Undef"),
        dispatch(
            &[param("Hash[String[1], Any]", "packages"), optional_param("Hash", "default_attributes")],
            namespaced_ensure_packages_hash,
        )
        .returns("Undef"),
    ],
);

const ENSURE_PACKAGES: Native = native(
    "ensure_packages",
    "Declares packages unless they are declared already.",
    &[dispatch(
        &[
            param("Variant[String[1], Array[String[1]], Hash[String[1], Any]]", "packages"),
            optional_param("Hash", "default_attributes"),
        ],
        ensure_packages,
    )
    .returns("Undef")],
);

old_functions! {
    /// Whether a resource is declared with certain parameters.
    "defined_with_params" defined_with_params tells;
    /// Declares a resource unless it is declared with these parameters.
    "ensure_resource" ensure_resource;
    /// The same for each entry of a hash.
    "ensure_resources" ensure_resources;
    /// A parameter of a declared resource.
    "getparam" getparam;
    /// Fails where the class or defined type is used from outside its module.
    "assert_private" assert_private;
    /// The same; deprecated.
    "private" private;
}

fn ensure_packages<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut defaults = HashBuilder::new(vm.arena);
    defaults.insert_str("ensure", vm.string("installed"));
    if let Some(Value::Hash(given)) = call.arg(1) {
        given.entries().iter().for_each(|(key, value)| defaults.insert(*key, *value));
        let ensure = vm.string("ensure");
        if defaults.get(ensure).and_then(Value::as_str) == Some("present") {
            defaults.insert(ensure, vm.string("installed"));
        }
    }
    let (package, defaults) = (vm.string("package"), Value::Hash(defaults.finish()));
    match call.args[0] {
        packages @ Value::Hash(_) => {
            vm.call_function("ensure_resources", &[package, packages, defaults], None, call.scope)?;
        }
        Value::Array(names) => {
            for name in names.iter() {
                vm.call_function("ensure_resource", &[package, *name, defaults], None, call.scope)?;
            }
        }
        name => {
            vm.call_function("ensure_resource", &[package, name, defaults], None, call.scope)?;
        }
    }
    Ok(Value::Undef)
}

/// Declares one package with attributes over those that all have.
fn package<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>, name: Value<'c>, own: &[Hash<'c>]) -> Eval<'c, ()> {
    let mut attributes = HashBuilder::new(vm.arena);
    let ensure = vm.string("ensure");
    attributes.insert(ensure, vm.string("installed"));
    for hash in own {
        hash.entries().iter().for_each(|(key, value)| attributes.insert(*key, *value));
    }
    if matches!(attributes.get(ensure).and_then(Value::as_str), Some("present" | "installed")) {
        let reference = vm.string(&format!("Package[{}]", to_s(name)));
        let present = Value::Hash(Hash::from_unique(vm.arena, &[(ensure, vm.string("present"))]));
        let declared = vm.call_function("defined_with_params", &[reference, present], None, call.scope)?;
        attributes.insert(ensure, vm.string(if declared.truthy() { "present" } else { "installed" }));
    }
    let args = [vm.string("package"), name, Value::Hash(attributes.finish())];
    vm.call_function("ensure_resource", &args, None, call.scope)?;
    Ok(())
}

/// The attributes that all packages get.
fn common<'c>(call: &Call<'c, '_>) -> Vec<Hash<'c>> {
    match call.arg(1) {
        Some(Value::Hash(attributes)) => vec![attributes],
        _ => Vec::new(),
    }
}

fn namespaced_ensure_packages<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    for name in flatten(&call.args[..1]) {
        package(vm, call, name, &common(&call))?;
    }
    Ok(Value::Undef)
}

fn namespaced_ensure_packages_hash<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Hash(packages) = call.args[0] else { return Ok(Value::Undef) };
    for (name, own) in packages.entries() {
        let mut attributes = common(&call);
        match own {
            Value::Hash(own) => attributes.push(*own),
            other => return Err(super::ruby::no_conversion(*other, "Hash")),
        }
        package(vm, call, *name, &attributes)?;
    }
    Ok(Value::Undef)
}

/// The first arguments of a function that must have a type and a title.
fn type_and_title<'c>(call: &Call<'c, '_>) -> Eval<'c, (Value<'c>, Value<'c>)> {
    let given = |n: usize| call.arg(n).filter(|value| value.truthy());
    let ty = given(0).ok_or_else(|| Flow::of_class(ARGUMENT_ERROR, "Must specify a type"))?;
    let title = given(1).ok_or_else(|| Flow::of_class(ARGUMENT_ERROR, "Must specify a title"))?;
    Ok((ty, title))
}

/// The parameters given, none being an empty hash.
fn parameters<'c>(vm: &Vm<'c>, call: &Call<'c, '_>) -> Value<'c> {
    match call.arg(2) {
        Some(value) if value.truthy() => value,
        _ => Value::Hash(Hash::from_unique(vm.arena, &[])),
    }
}

fn ensure_resource<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let (ty, title) = type_and_title(&call)?;
    let params = parameters(vm, &call);
    for item in flatten(&[title]) {
        let reference = vm.string(&format!("{}[{}]", to_s(ty), to_s(item)));
        if defined_with_params(vm, Call { args: &[reference, params], ..call })?.truthy() {
            continue;
        }
        let Value::Str(type_name) = ty else { return Err(no_method("capitalize", ty)) };
        if !matches!(params, Value::Hash(_)) {
            return Err(super::ruby::no_conversion(params, "Hash"));
        }
        let resources = Hash::from_entries(vm.arena, &[(item, params)]);
        vm.host.create_resources(vm, call.scope.keep(), &capitalize(&type_name), resources, None)?;
    }
    Ok(Value::Undef)
}

fn ensure_resources<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let (ty, resources) = type_and_title(&call)?;
    let params = parameters(vm, &call);
    let Value::Hash(resources) = resources else {
        return Err(Flow::raw("ensure_resources(): Requires second argument to be a Hash"));
    };
    for (title, own) in resources.entries() {
        let merged = match (own.truthy(), params, own) {
            (false, ..) => params,
            (true, Value::Hash(params), Value::Hash(own)) => {
                Value::Hash(params.merged(vm.arena, own.entries()))
            }
            (true, Value::Hash(_), other) => return Err(super::ruby::no_conversion(*other, "Hash")),
            (true, other, _) => return Err(no_method("merge", other)),
        };
        ensure_resource(vm, Call { args: &[ty, *title, merged], ..call })?;
    }
    Ok(Value::Undef)
}

/// Type and title of `Type[title]`.
pub(super) fn split_reference<'c>(text: &str) -> Eval<'c, (String, String)> {
    // Nearly all are of one line, and need no search.
    if let Some((ty, title)) = text.split_once('[')
        && let Some(title) = title.strip_suffix(']')
        && !(ty.is_empty() || ty.contains(']') || title.is_empty() || text.contains('\n'))
    {
        return Ok((ty.to_owned(), title.to_owned()));
    }
    let groups = regex::captures(r"(?m)^([^\[\]]+)\[(.+)\]$", text).map_err(Flow::raw)?;
    match groups.as_deref() {
        Some([_, Some(ty), Some(title)]) => Ok(((*ty).to_owned(), (*title).to_owned())),
        _ => Err(Flow::of_class(
            ARGUMENT_ERROR,
            format!(
                "No title provided and {} is not a valid resource reference",
                bunraku_vm::format::inspect::inspect_str(text)
            ),
        )),
    }
}

fn defined_with_params<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Some(reference) = call.arg(0).filter(|value| value.truthy()) else {
        return Err(Flow::of_class(ARGUMENT_ERROR, "Must specify a reference"));
    };
    let reference = match reference {
        Value::Type(ty) => Value::Type(written(vm.arena, ty)),
        other => other,
    };
    let (type_name, title) = match reference {
        Value::Str(text) => {
            let (ty, title) = split_reference(&text)?;
            let key = ty.to_lowercase();
            let known = vm.host.is_resource_type(vm, &key)? || vm.host.class_exists(vm, &key)?;
            (if known { capitalize_segments(&key) } else { "Class".to_owned() }, title)
        }
        Value::Type(Type::Class(name)) => ("Class".to_owned(), name.unwrap_or("").to_owned()),
        Value::Type(Type::Resource { type_name: Some(name), title, .. }) => {
            (capitalize_segments(name), title.unwrap_or("").to_owned())
        }
        other => {
            return Err(Flow::of_class(
                ARGUMENT_ERROR,
                format!("Reference is not understood: '{}'", class(other)),
            ));
        }
    };
    let titles =
        if title.is_empty() { vm.host.titles(&type_name) } else { vec![&*vm.arena.alloc_str(&title)] };
    let own = vm.host.resource_of(call.scope.look());
    for title in titles {
        let Some((found_type, found_title, values)) = vm.host.declared(vm, &type_name, title)? else {
            continue;
        };
        if own == Some((found_type, found_title)) {
            continue;
        }
        let params = match call.arg(1) {
            Some(Value::Hash(params)) => params.entries(),
            Some(other) if other.truthy() && other.as_str() != Some("") => {
                return Err(no_method("map", other));
            }
            _ => &[],
        };
        let all = params.iter().all(|(name, wanted)| {
            let actual = values.get_str(&to_s(*name)).unwrap_or(Value::Undef);
            equal(actual, *wanted)
        });
        if all {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}

fn getparam<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Some(reference) = call.arg(0).filter(|value| value.truthy()) else {
        return Err(Flow::of_class(ARGUMENT_ERROR, "Must specify a reference"));
    };
    let Some(Value::Str(param)) = call.arg(1) else {
        return Err(Flow::of_class(ARGUMENT_ERROR, "Must specify name of a parameter"));
    };
    if param.is_empty() {
        return Ok(vm.string(""));
    }
    let (type_name, title) = split_reference(&to_s(reference))?;
    let found = vm.host.declared(vm, &type_name, &title)?;
    let value = found.and_then(|(_, _, values)| values.get_str(&param)).filter(|value| !value.is_undef());
    Ok(value.unwrap_or_else(|| vm.string("")))
}

fn assert_private<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let count = call.args.len();
    if count > 1 {
        let message = format!("assert_private(): Wrong number of arguments given ({count}}}) for 0 or 1)");
        return Err(refused(message));
    }
    let own = |name| call.scope.look().lookup(name).unwrap_or(Value::Undef);
    if own(known::MODULE_NAME).same(own(known::CALLER_MODULE_NAME)) {
        return Ok(Value::Undef);
    }
    if let Some(Value::Str(message)) = call.arg(0) {
        return Err(refused(message.as_str()));
    }
    let container = call.scope.look().container();
    let kind =
        if matches!(container.kind, ScopeKind::Class | ScopeKind::Top) { "Class" } else { "Definition" };
    Err(refused(format!("{kind} {} is private", container.name)))
}

fn private<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let message = "private() DEPRECATED: This function will cease to function on Puppet 4; please use \
                   assert_private() before upgrading to puppet 4 for backwards-compatibility, or migrate to the new \
                   parser's typing system.";
    vm.host.log(bunraku_vm::diagnostic::Severity::Warning, message, None);
    let first = call.arg(0).unwrap_or(Value::Undef);
    call_old("assert_private", vm, Call { args: &[first], ..call })
}
