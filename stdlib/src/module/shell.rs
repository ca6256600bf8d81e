//! puppetlabs-stdlib: text for shells, addresses, markup and wires.

use super::ruby::{inspect, to_s};
use super::shellwords;
use super::text::each_text;
use crate::support::text;
use bunraku_vm::base64;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::inspect::inspect_str;
use bunraku_vm::function::Call;
use bunraku_vm::raised::ARGUMENT_ERROR;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

natives! {
    /// Text as an argument of a batch file.
    function "batch_escape" { dispatch batch_escape(param "Any" string); }
    /// Text as an argument in PowerShell.
    function "powershell_escape" { dispatch powershell_escape(param "Any" string); }
    /// Text as an argument in a POSIX shell.
    function "shell_escape" { dispatch shell_escape(param "Any" string); }
    /// Text as an argument of a batch file.
    function "stdlib::batch_escape" { dispatch batch_escape(param "Any" string); }
    /// Text as an argument in PowerShell.
    function "stdlib::powershell_escape" { dispatch powershell_escape(param "Any" string); }
    /// Text as an argument in a POSIX shell.
    function "stdlib::shell_escape" { dispatch shell_escape(param "Any" string); }
    /// Whether a text begins with one of some texts.
    function "stdlib::start_with" {
        dispatch start_with(param "String" test_string, param "Variant[String[1],Array[String[1], 1]]" prefixes)
            -> "Boolean";
    }
    /// Whether a text ends with one of some texts.
    function "stdlib::end_with" {
        dispatch end_with(param "String" test_string, param "Variant[String[1],Array[String[1], 1]]" suffixes)
            -> "Boolean";
    }
    /// The extension of a file name, with its dot.
    function "stdlib::extname" {
        dispatch extname(param "String" filename) -> "String";
    }
    /// Text with what XML would take for markup escaped.
    function "stdlib::xml_encode" {
        dispatch xml_encode(param "String" str, optional_param "Enum['text','attr']" type) -> "String";
    }
}

old_functions! {
    /// Text to base64 and back.
    "base64" base64_code;
    /// Words as one command line of a POSIX shell.
    "shell_join" shell_join;
    /// A command line of a POSIX shell as words.
    "shell_split" shell_split;
    /// Text with what must not stand in a URI escaped.
    "uriescape" uriescape;
}

fn batch_escape<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut out = String::from("\"");
    for c in to_s(call.args[0]).chars() {
        match c {
            '"' => out.push_str("\"\""),
            '$' | '\\' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out.push('"');
    Ok(vm.string(&out))
}

fn powershell_escape<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut out = String::new();
    for c in to_s(call.args[0]).chars() {
        match c {
            ' ' | '\'' | '`' | '|' | '\n' | '$' => out.extend(['`', c]),
            '"' => out.push_str("\\`\""),
            c => out.push(c),
        }
    }
    Ok(vm.string(&out))
}

fn shell_escape<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(vm.string(&shellwords::escaped(&to_s(call.args[0]))))
}

fn shell_join<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let [words] = call.args else {
        let count = call.args.len();
        return Err(Flow::raw(format!("shell_join(): Wrong number of arguments given ({count} for 1)")));
    };
    let Value::Array(items) = words else {
        return Err(Flow::raw(format!("First argument is not an Array: {}", inspect(*words))));
    };
    let words: Vec<String> = items.iter().map(|item| shellwords::escaped(&to_s(*item))).collect();
    Ok(vm.string(&words.join(" ")))
}

fn shell_split<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let [line] = call.args else {
        let count = call.args.len();
        return Err(Flow::raw(format!("shell_split(): Wrong number of arguments given ({count} for 1)")));
    };
    let line = to_s(*line);
    let unmatched = || Flow::of_class(ARGUMENT_ERROR, format!("Unmatched quote: {}", inspect_str(&line)));
    let words = shellwords::words(&line).ok_or_else(unmatched)?;
    let words: Vec<_> = words.iter().map(|word| vm.string(word)).collect();
    Ok(vm.array(&words))
}

/// The one or several texts of a second argument.
fn texts<'c>(value: Option<Value<'c>>) -> Vec<&'c str> {
    match value {
        Some(Value::Array(items)) => items.items().iter().filter_map(|item| item.as_str()).collect(),
        other => vec![text(other)],
    }
}

fn start_with<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let subject = text(call.arg(0));
    Ok(Value::Bool(texts(call.arg(1)).iter().any(|part| subject.starts_with(part))))
}

fn end_with<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let subject = text(call.arg(0));
    Ok(Value::Bool(texts(call.arg(1)).iter().any(|part| subject.ends_with(part))))
}

fn extname<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let name = text(call.arg(0)).trim_end_matches('/').rsplit('/').next().unwrap_or("");
    let bare = name.trim_start_matches('.');
    let extension = bare.rfind('.').map_or("", |at| &bare[at..]);
    Ok(vm.string(extension))
}

fn xml_encode<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let attribute = text(call.arg(1)) == "attr";
    let mut out = text(call.arg(0)).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    if attribute {
        out = format!("\"{}\"", out.replace("\"", "&quot;"));
    }
    Ok(vm.string(&out))
}

fn base64_code<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let fail = |why: &str| Err(Flow::raw(format!("base64(): {why}")));
    let count = call.args.len();
    if count < 2 {
        return fail(&format!("Wrong number of arguments ({count}; must be >= 2)"));
    }
    let encode = match call.args[0].as_str() {
        Some("encode") => true,
        Some("decode") => false,
        _ => return fail("the first argument must be one of 'encode' or 'decode'"),
    };
    let Value::Str(subject) = call.args[1] else {
        return fail("the second argument must be a string to base64");
    };
    let method = match call.arg(2) {
        None => Some("default"),
        Some(method) => method.as_str(),
    };
    let result = match (method, encode) {
        (Some("default"), true) => base64::encode_lines(subject.as_bytes()),
        (Some("strict"), true) => base64::encode(subject.as_bytes()),
        (Some("urlsafe"), true) => base64::encode_url(subject.as_bytes()),
        (Some(method @ ("default" | "strict" | "urlsafe")), false) => {
            let bytes = match method {
                "default" => Some(base64::decode_lenient(&subject)),
                "strict" => base64::decode_strict(&subject),
                _ => base64::decode_url(&subject),
            };
            let bytes = bytes.ok_or_else(|| Flow::of_class(ARGUMENT_ERROR, "invalid base64"))?;
            return Ok(Value::Str(vm.host.string_of_bytes(vm, &bytes)));
        }
        _ => return fail("the third argument must be one of 'default', 'strict', or 'urlsafe'"),
    };
    Ok(vm.string(&result))
}

fn uriescape<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    each_text(vm, "uriescape", &call, |text| {
        let mut out = String::with_capacity(text.len());
        for byte in text.bytes() {
            match byte {
                b if b.is_ascii_alphanumeric() || b"-_.!~*'();/?:@&=+$,[]".contains(&b) => {
                    out.push(char::from(b))
                }
                b => out.push_str(&format!("%{b:02X}")),
            }
        }
        out
    })
}
