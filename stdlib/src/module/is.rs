//! puppetlabs-stdlib: `is_*`, what kind of value or text something is.

use super::address::IpAddress;
use super::old::refused;
use super::ruby::{class, matches, no_conversion, text_to_f, text_to_i, to_s};
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::error::Eval;
use bunraku_vm::format::float_to_s;
use bunraku_vm::function::Call;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

macro_rules! use_match {
    ($ty:literal) => {
        concat!(
            "This method is deprecated, please use match expressions with ",
            $ty,
            " instead. They are described at https://docs.puppet.com/puppet/latest/reference/lang_data_type.html#match-expressions.",
        )
    };
}

natives! {
    /// Whether a value is an instance of a type.
    function "is_a" {
        dispatch is_a(param "Any" value, param "Type" type);
    }
}

deprecated_functions! { DEPRECATED {
    "is_absolute_path" "is_absolute_path" use_match!("Stdlib::Compat::Absolute_Path");
    "is_array" "is_array" use_match!("Stdlib::Compat::Array");
    "is_bool" "is_bool" use_match!("Stdlib::Compat::Bool");
    "is_float" "is_float" use_match!("Stdlib::Compat::Float");
    "is_ip_address" "is_ip_address" use_match!("Stdlib::Compat::Ip_address");
    "is_ipv4_address" "is_ipv4_address" use_match!("Stdlib::Compat::Ipv4");
    "is_ipv6_address" "is_ipv4_address" use_match!("Stdlib::Compat::Ipv6");
    "is_numeric" "is_numeric" use_match!("Stdlib::Compat::Numeric");
    "is_string" "is_string" use_match!("Stdlib::Compat::String");
} }

old_functions! {
    /// Whether something is an absolute path, of Unix or Windows.
    "is_absolute_path" is_absolute_path (1, 1) tells;
    /// Whether something is an array.
    "is_array" is_array tells;
    /// Whether something is a boolean.
    "is_bool" is_bool tells;
    /// Whether a text is a syntactically correct domain name.
    "is_domain_name" is_domain_name tells;
    /// Whether a text is an email address.
    "is_email_address" is_email_address tells;
    /// Whether something is a float, or text that looks like one.
    "is_float" is_float tells;
    /// Whether an old function of that name is there.
    "is_function_available" is_function_available tells;
    /// Whether something is a hash.
    "is_hash" is_hash tells;
    /// Whether something is an integer, or text that looks like one.
    "is_integer" is_integer tells;
    /// Whether a text is an IP address.
    "is_ip_address" is_ip_address tells;
    /// Whether a text is an IP address of version 4.
    "is_ipv4_address" is_ipv4_address tells;
    /// Whether a text is an IP address of version 6.
    "is_ipv6_address" is_ipv6_address tells;
    /// Whether a text is a MAC address.
    "is_mac_address" is_mac_address tells;
    /// Whether something is a number, or text that looks like one.
    "is_numeric" is_numeric tells;
    /// Whether something is text that is no number.
    "is_string" is_string tells;
}

fn is_a<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Type(ty) = call.args[1] else { return Ok(Value::Bool(false)) };
    Ok(Value::Bool(bunraku_vm::types::is_instance(vm, ty, call.args[0])))
}

/// The one argument of a test; `form` shows the wrong number of them.
fn only<'c>(name: &str, call: &Call<'c, '_>, brackets: bool) -> Eval<'c> {
    match (call.args, brackets) {
        ([only], _) => Ok(*only),
        (args, true) => {
            Err(refused(format!("{name}(): Wrong number of arguments given ({} for 1)", args.len())))
        }
        (args, false) => {
            Err(refused(format!("{name}(): Wrong number of arguments given {} for 1", args.len())))
        }
    }
}

/// The first of at least one argument.
fn first<'c>(name: &str, call: &Call<'c, '_>) -> Eval<'c> {
    match call.args.first() {
        Some(first) => Ok(*first),
        None => Err(refused(format!("{name}(): Wrong number of arguments given (0 for 1)"))),
    }
}

fn is_absolute_path<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Str(path) = call.args[0] else {
        let (text, class) = (to_s(call.args[0]), class(call.args[0]));
        let message =
            format!("Cannot check if {text} is an absolute path because it is a '{class}' and not a String'");
        // Once for Unix, once for Windows.
        for _ in 0..2 {
            vm.host.log(Severity::Warning, &message, None);
        }
        return Ok(Value::Bool(false));
    };
    Ok(Value::Bool(is_absolute(&path)))
}

/// Whether a text is an absolute path of Unix or of Windows.
fn is_absolute(path: &str) -> bool {
    const SLASH: &str = r"[\\/]";
    const LABEL: &str = r"[^\\/]+";
    let windows = format!(
        r"(?i)^(?:(?:[A-Z]:{SLASH})|(?:{SLASH}{SLASH}{LABEL}{SLASH}{LABEL})|(?:{SLASH}{SLASH}\?{SLASH}{LABEL}))"
    );
    matches("^/", path) || matches(&windows, path)
}

fn is_array<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Bool(matches!(first("is_array", &call)?, Value::Array(_))))
}

fn is_bool<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Bool(matches!(only("is_bool", &call, true)?, Value::Bool(_))))
}

fn is_hash<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Bool(matches!(only("is_hash", &call, true)?, Value::Hash(_))))
}

fn is_domain_name<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let name = only("is_domain_name", &call, false)?;
    Ok(Value::Bool(name.as_str().is_some_and(is_domain)))
}

pub(super) fn is_domain(domain: &str) -> bool {
    if domain == "." {
        return true;
    }
    let domain = domain.strip_suffix('.').unwrap_or(domain);
    if domain.is_empty() || domain.chars().count() > 255 {
        return false;
    }
    if domain.contains('.') && !matches(r"\.[A-Za-z]+$", domain) {
        return false;
    }
    let mut labels: Vec<&str> = domain.split('.').collect();
    while labels.last().is_some_and(|label| label.is_empty()) {
        labels.pop();
    }
    labels.iter().all(|label| {
        (1..=63).contains(&label.chars().count())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && matches(r"(?i)^[a-z\d-]+$", label)
    })
}

fn is_email_address<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let address = only("is_email_address", &call, false)?;
    Ok(Value::Bool(address.as_str().is_some_and(is_email)))
}

pub(super) fn is_email(address: &str) -> bool {
    matches(r"\A([\w+\-].?)+@[a-z\d\-]+(\.[a-z]+)*\.[a-z]+\z", address)
}

fn is_float<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Bool(match only("is_float", &call, false)? {
        Value::Float(_) => true,
        Value::Str(text) => float_to_s(text_to_f(&text)) == text.as_str(),
        _ => false,
    }))
}

fn is_function_available<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let name = match call.args {
        [name] => name,
        args => {
            let count = args.len();
            return Err(refused(format!(
                "is_function_available?(): Wrong number of arguments given {count} for 1"
            )));
        }
    };
    Ok(Value::Bool(name.as_str().is_some_and(|name| vm.host.has_old_function(name))))
}

fn is_integer<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Bool(looks_like_integer(only("is_integer", &call, false)?)))
}

/// Whether something is an integer, or text that looks like one.
pub(super) fn looks_like_integer(value: Value<'_>) -> bool {
    match value {
        Value::Int(_) => true,
        Value::Str(text) => matches(r"^-?(?:(?:[1-9]\d*)|0)$", &text),
        _ => false,
    }
}

/// The IP address in a test's argument.
fn address(name: &str, call: &Call<'_, '_>) -> Result<Option<IpAddress>, String> {
    match call.args {
        [Value::Str(text)] => Ok(IpAddress::parse(text).ok()),
        [_] => Ok(None),
        args => Err(format!("{name}(): Wrong number of arguments given {} for 1", args.len())),
    }
}

fn is_ip_address<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let address = address("is_ip_address", &call).map_err(refused)?;
    Ok(Value::Bool(address.is_some()))
}

fn is_ipv4_address<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let address = address("is_ipv4_address", &call).map_err(refused)?;
    Ok(Value::Bool(address.is_some_and(|address| address.is_v4())))
}

fn is_ipv6_address<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let address = address("is_ipv6_address", &call).map_err(refused)?;
    Ok(Value::Bool(address.is_some_and(|address| !address.is_v4())))
}

fn is_mac_address<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match only("is_mac_address", &call, false)? {
        Value::Str(text) => {
            let is =
                |count: &str| matches(&format!("(?i)^[a-f0-9]{{1,2}}(:[a-f0-9]{{1,2}}){{{count}}}$"), &text);
            Ok(Value::Bool(is("5") || is("19")))
        }
        Value::Undef => Ok(Value::Bool(false)),
        other => Err(no_conversion(other, "String")),
    }
}

fn is_numeric<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Bool(match only("is_numeric", &call, false)? {
        Value::Int(_) | Value::Float(_) => true,
        Value::Str(text) => matches(r"^-?(?:(?:[1-9]\d*)|0)(?:\.\d+)?(?:[eE]-?\d+)?$", &text),
        _ => false,
    }))
}

fn is_string<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Bool(match first("is_string", &call)? {
        Value::Undef => true,
        Value::Str(text) => {
            let text = text.as_str();
            text != float_to_s(text_to_f(text)) && text != text_to_i(text).to_string()
        }
        _ => false,
    }))
}
