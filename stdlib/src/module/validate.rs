//! puppetlabs-stdlib: `validate_*`, which fail where something is not what it should be.

use super::address::IpAddress;
use super::is::{is_domain, is_email};
use super::old::{call_old, refused};
use super::ruby::{class, flatten, inspect, integer, is_raised, no_conversion, to_s, user_match};
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::float_to_s;
use bunraku_vm::function::{Call, Native, dispatch, native, param, repeated_param};
use bunraku_vm::types::{infer_set, is_instance, mismatch, parse, print};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

macro_rules! use_validate_legacy {
    ($ty:literal) => {
        concat!(
            "This method is deprecated, please use the stdlib validate_legacy function,\n                    with ",
            $ty,
            ". There is further documentation for validate_legacy function in the README.",
        )
    };
}

natives! {
    /// Checks a value by its type and by an old `validate_` function, for moving from one to the other.
    function "validate_legacy" {
        dispatch with_scope(repeated_param "Any" args);
    }
}

/// What it hands its arguments to, a scope before them: messages speak of it.
static VALIDATE_LEGACY: Native = native(
    "validate_legacy",
    "Checks a value by its type and by an old function.",
    &[
        dispatch(
            &[
                param("Any", "scope"),
                param("Type", "target_type"),
                param("String", "function_name"),
                param("Any", "value"),
                repeated_param("Any", "args"),
            ],
            validate_legacy,
        ),
        dispatch(
            &[
                param("Any", "scope"),
                param("String", "type_string"),
                param("String", "function_name"),
                param("Any", "value"),
                repeated_param("Any", "args"),
            ],
            validate_legacy_text,
        ),
    ],
);

deprecated_functions! { DEPRECATED {
    "validate_absolute_path" "validate_absolute_path" use_validate_legacy!("Stdlib::Compat::Absolute_Path");
    "validate_array" "validate_array" use_validate_legacy!("Stdlib::Compat::Array");
    "validate_bool" "validate_bool" use_validate_legacy!("Stdlib::Compat::Bool");
    "validate_hash" "validate_hash" use_validate_legacy!("Stdlib::Compat::Hash");
    "validate_integer" "validate_integer" use_validate_legacy!("Stdlib::Compat::Integer");
    "validate_ip_address" "validate_ip_address" use_validate_legacy!("Stdlib::Compat::Ip_Address");
    "validate_ipv4_address" "validate_ipv4_address" use_validate_legacy!("Stdlib::Compat::Ipv4_Address");
    "validate_ipv6_address" "validate_ipv6_address" use_validate_legacy!("Stdlib::Compat::Ipv6_address");
    "validate_numeric" "validate_numeric" use_validate_legacy!("Stdlib::Compat::Numeric");
    "validate_re" "validate_re" use_validate_legacy!("Pattern[]");
    "validate_slength" "validate_slength" use_validate_legacy!("String[]");
    "validate_string" "validate_string" use_validate_legacy!("Stdlib::Compat::String");
} }

old_functions! {
    /// Fails where something is no absolute path.
    "validate_absolute_path" validate_absolute_path tells;
    /// Fails where something is no array.
    "validate_array" validate_array tells;
    /// Fails where something is no boolean.
    "validate_bool" validate_bool tells;
    /// Fails where something is no domain name.
    "validate_domain_name" validate_domain_name tells;
    /// Fails where something is no email address.
    "validate_email_address" validate_email_address tells;
    /// Fails where something is no hash.
    "validate_hash" validate_hash tells;
    /// Fails where something is no integer, or not within bounds.
    "validate_integer" validate_integer tells;
    /// Fails where something is no IP address.
    "validate_ip_address" validate_ip_address tells;
    /// Fails where something is no IP address of version 4.
    "validate_ipv4_address" validate_ipv4_address tells;
    /// Fails where something is no IP address of version 6.
    "validate_ipv6_address" validate_ipv6_address tells;
    /// Fails where something is no number, or not within bounds.
    "validate_numeric" validate_numeric tells;
    /// Fails where a text matches none of some regular expressions.
    "validate_re" validate_re tells;
    /// Fails where a text is too long or too short.
    "validate_slength" validate_slength tells;
    /// Fails where something is no text.
    "validate_string" validate_string tells;
}

fn with_scope<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut args = vec![Value::Undef];
    args.extend(call.args);
    vm.run_native(&VALIDATE_LEGACY, &args, None, call.scope)
}

fn validate_legacy_text<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let call = Call { args: &call.args[1..], ..call };
    let ty = parse(vm, crate::support::text(call.arg(0)))?;
    legacy(vm, ty, call)
}

fn validate_legacy<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let call = Call { args: &call.args[1..], ..call };
    match call.args[0] {
        Value::Type(ty) => legacy(vm, ty, call),
        _ => Ok(Value::Undef),
    }
}

fn legacy<'c>(vm: &mut Vm<'c>, ty: &'c bunraku_vm::types::Type<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let name = crate::support::text(call.arg(1));
    let value = call.args[2];
    let is_valid = is_instance(vm, ty, value);
    // Only what the function raises on purpose says that the value is wrong.
    let was_valid = match call_old(name, vm, Call { args: &call.args[2..], ..call }) {
        Ok(_) => true,
        Err(flow) if is_raised(&flow) => false,
        Err(flow) => return Err(flow),
    };
    match (is_valid, was_valid) {
        (true, true) => Ok(Value::Undef),
        (true, false) => {
            let message = format!("Accepting previously invalid value for target type '{}'", print(ty));
            vm.host.log(Severity::Notice, &message, None);
            Ok(vm.string(&message))
        }
        (false, _) => {
            let actual = infer_set(vm, value);
            let message =
                mismatch::describe_mismatch(vm.arena, &format!("validate_legacy({name})"), ty, actual);
            if was_valid {
                return super::deprecation::deprecate(vm, "validate_legacy", &message);
            }
            Err(refused(message))
        }
    }
}

fn at_least_one<'c>(name: &str, call: &Call<'c, '_>) -> Eval<'c, ()> {
    if call.args.is_empty() {
        return Err(refused(format!("{name}(): wrong number of arguments (0; must be > 0)")));
    }
    Ok(())
}

/// The error of a value of another class.
fn looks_like<'c>(value: Value<'c>, what: &str) -> Box<Flow<'c>> {
    refused(format!("{} is not {what}.  It looks to be a {}", inspect(value), class(value)))
}

fn validate_absolute_path<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    at_least_one("validate_absolute_path", &call)?;
    for path in call.args.iter().flat_map(|arg| match arg {
        Value::Array(paths) => paths.to_vec(),
        other => vec![*other],
    }) {
        if !call_old("is_absolute_path", vm, Call { args: &[path], ..call })?.truthy() {
            return Err(refused(format!("{} is not an absolute path.", inspect(path))));
        }
    }
    Ok(Value::Undef)
}

fn validate_array<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    at_least_one("validate_array", &call)?;
    match call.args.iter().find(|arg| !matches!(arg, Value::Array(_))) {
        Some(other) => Err(looks_like(*other, "an Array")),
        None => Ok(Value::Undef),
    }
}

fn validate_bool<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    at_least_one("validate_bool", &call)?;
    match call.args.iter().find(|arg| !matches!(arg, Value::Bool(_))) {
        Some(other) => Err(looks_like(*other, "a boolean")),
        None => Ok(Value::Undef),
    }
}

fn validate_hash<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    at_least_one("validate_hash", &call)?;
    match call.args.iter().find(|arg| !matches!(arg, Value::Hash(_))) {
        Some(other) => Err(looks_like(*other, "a Hash")),
        None => Ok(Value::Undef),
    }
}

fn validate_string<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    at_least_one("validate_string", &call)?;
    match call.args.iter().find(|arg| !matches!(arg, Value::Str(_) | Value::Undef)) {
        Some(other) => Err(looks_like(*other, "a string")),
        None => Ok(Value::Undef),
    }
}

/// Fails at the first argument that is no text, or whose text is not `what`.
fn each_text<'c>(name: &str, call: &Call<'c, '_>, what: &str, is: impl Fn(&str) -> bool) -> Eval<'c> {
    at_least_one(name, call)?;
    for arg in call.args {
        match arg {
            Value::Str(text) if is(text) => {}
            Value::Str(_) => return Err(refused(format!("{} is not {what}", inspect(*arg)))),
            _ => return Err(refused(format!("{} is not a string.", inspect(*arg)))),
        }
    }
    Ok(Value::Undef)
}

fn validate_domain_name<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    each_text("validate_domain_name", &call, "a syntactically correct domain name", is_domain)
}

fn validate_email_address<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    each_text("validate_email_address", &call, "a valid email address", is_email)
}

fn validate_ip_address<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let is = |text: &str| IpAddress::parse(text).is_ok();
    each_text("validate_ip_address", &call, "a valid IP address.", is)
}

fn validate_ipv4_address<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let is = |text: &str| IpAddress::parse(text).is_ok_and(|address| address.is_v4());
    each_text("validate_ipv4_address", &call, "a valid IPv4 address.", is)
}

fn validate_ipv6_address<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let is = |text: &str| IpAddress::parse(text).is_ok_and(|address| !address.is_v4());
    each_text("validate_ipv6_address", &call, "a valid IPv6 address.", is)
}

/// What `validate_integer` and `validate_numeric` differ in.
struct Numbers {
    name: &'static str,
    /// `an Integer`, `a Numeric`
    kind: &'static str,
    /// What the name says where the first argument is a hash.
    name_for_hash: &'static str,
    read: fn(&str) -> Option<f64>,
    print: fn(f64) -> String,
}

/// The bounds that a call gives, least and most.
fn bounds<'c>(kind: &Numbers, call: &Call<'c, '_>) -> Eval<'c, (Option<f64>, Option<f64>)> {
    let Numbers { name, kind: what, read, print, .. } = *kind;
    let most = match call.arg(1).map(to_s) {
        None => None,
        Some(text) if call.args.len() > 2 && text.is_empty() => None,
        Some(text) => Some(read(&text).ok_or_else(|| {
            refused(format!("{name}(): Expected second argument to be unset or {what}, got {text}:String"))
        })?),
    };
    let least = match call.arg(2) {
        None => None,
        Some(value) => Some(read(&to_s(value)).ok_or_else(|| {
            let (text, class) = (to_s(value), class(value));
            refused(format!("{name}(): Expected third argument to be unset or {what}, got {text}:{class}"))
        })?),
    };
    if let (Some(least), Some(most)) = (least, most)
        && least > most
    {
        let (least, most) = (print(least), print(most));
        return Err(refused(format!(
            "{name}(): Expected second argument to be larger than third argument, got {most} < {least}"
        )));
    }
    Ok((least, most))
}

/// Fails where a number, or one of several, is out of bounds or none.
fn numbers<'c>(kind: &Numbers, call: &Call<'c, '_>) -> Eval<'c> {
    let Numbers { name, kind: what, read, print, .. } = *kind;
    let count = call.args.len();
    if !(1..=3).contains(&count) {
        return Err(refused(format!("{name}(): Wrong number of arguments; must be 1, 2 or 3, got {count}")));
    }
    let (least, most) = bounds(kind, call)?;
    let input = call.args[0];
    let bounded = |number: f64, shown: &str| -> Eval<'c, ()> {
        let why = match (most, least) {
            (Some(most), _) if number > most => format!("smaller or equal to {}", print(most)),
            (_, Some(least)) if number < least => format!("greater or equal to {}", print(least)),
            _ => return Ok(()),
        };
        Err(refused(format!("{name}(): Expected {shown} to be {why}, got {shown}.")))
    };
    let bare = what.split(' ').next_back().unwrap_or(what);
    match input {
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                let number = match item {
                    Value::Hash(_) => None,
                    item => read(&to_s(*item)),
                };
                let Some(number) = number else {
                    let class = class(*item);
                    return Err(refused(format!(
                        "{name}(): Expected element at array position {n} to be {what}, got {class}"
                    )));
                };
                bounded(number, &inspect(input))?;
            }
        }
        Value::Hash(_) => {
            let name = kind.name_for_hash;
            let article = what.split(' ').next().unwrap_or("an");
            return Err(refused(format!(
                "{name}(): Expected first argument to be {article} {bare} or Array, got Hash"
            )));
        }
        other => {
            let Some(number) = read(&to_s(other)) else {
                let class = class(other);
                return Err(refused(format!(
                    "{name}(): Expected first argument to be {what} or Array, got {class}"
                )));
            };
            bounded(number, &print(number))?;
        }
    }
    Ok(Value::Undef)
}

fn validate_integer<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let kind = Numbers {
        name: "validate_integer",
        kind: "an Integer",
        name_for_hash: "validate_integer",
        read: |text| bunraku_vm::arith::strict_integer(text, None).ok().map(|n| n as f64),
        print: |number| format!("{number:.0}"),
    };
    numbers(&kind, &call)
}

fn validate_numeric<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let kind = Numbers {
        name: "validate_numeric",
        kind: "a Numeric",
        name_for_hash: "validate_integer",
        read: |text| bunraku_vm::arith::strict_float(text).ok(),
        print: float_to_s,
    };
    numbers(&kind, &call)
}

fn validate_re<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let count = call.args.len();
    if !(2..=3).contains(&count) {
        return Err(refused(format!("validate_re(): wrong number of arguments ({count}; must be 2 or 3)")));
    }
    let Value::Str(text) = call.args[0] else {
        let class = class(call.args[0]);
        return Err(refused(format!("validate_re(): input needs to be a String, not a {class}")));
    };
    for pattern in flatten(&[call.args[1]]) {
        let matched = match pattern {
            Value::Str(pattern) => user_match(&pattern, &text)?,
            Value::Regexp(pattern) => user_match(&pattern, &text)?,
            other => return Err(no_conversion(other, "String")),
        };
        if matched {
            return Ok(Value::Undef);
        }
    }
    let message = match call.arg(2) {
        Some(message) if message.truthy() => to_s(message),
        _ => {
            let (text, pattern) = (inspect(call.args[0]), inspect(call.args[1]));
            format!("validate_re(): {text} does not match {pattern}")
        }
    };
    Err(refused(message))
}

fn validate_slength<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let fail = |why: String| Err(refused(format!("validate_slength(): {why}")));
    let count = call.args.len();
    if !(2..=3).contains(&count) {
        return fail(format!("Wrong number of arguments ({count}; must be 2 or 3)"));
    }
    let (input, most) = (call.args[0], call.args[1]);
    let Some(most) = integer(most).filter(|most| *most > 0) else {
        // By then Ruby's variable holds the number, if it is one.
        let shown =
            integer(most).map_or((to_s(most), class(most)), |n| (n.to_string(), "Integer".to_owned()));
        return fail(format!(
            "Expected second argument to be a positive Numeric, got {}:{}",
            shown.0, shown.1
        ));
    };
    let least = match call.arg(2).filter(|least| least.truthy()) {
        None => 0,
        Some(value) => match integer(value).filter(|least| *least >= 0) {
            Some(least) => least,
            None => {
                let shown = integer(value)
                    .map_or((to_s(value), class(value)), |n| (n.to_string(), "Integer".to_owned()));
                return fail(format!(
                    "Expected third argument to be unset or a positive Numeric, got {}:{}",
                    shown.0, shown.1
                ));
            }
        },
    };
    if most < least {
        return fail("Expected second argument to be equal to or larger than third argument".to_owned());
    }
    let length = match input {
        Value::Str(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        other => {
            let class = class(other);
            return fail(format!("Expected first argument to be a String or Array, got {class}"));
        }
    };
    let check = |text: &str| {
        let own = text.chars().count() as i64;
        if (least..=most).contains(&own) {
            return Ok(Value::Undef);
        }
        let input = inspect(input);
        fail(format!("Expected length of {input} to be between {least} and {most}, was {length}"))
    };
    match input {
        Value::Str(text) => check(&text),
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                let Value::Str(text) = item else {
                    let class = class(*item);
                    return fail(format!(
                        "Expected element at array position {n} to be a String, got {class}"
                    ));
                };
                check(text)?;
            }
            Ok(Value::Undef)
        }
        _ => Ok(Value::Undef),
    }
}
