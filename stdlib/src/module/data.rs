//! puppetlabs-stdlib: JSON, YAML, TOML and other notations of data, read and written.

use super::json::{JsonLayout, json};
use super::leave;
use super::ruby::{error, no_conversion, no_method, to_s};
use bunraku_vm::budget;
use bunraku_vm::cause::Cause;
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::inspect;
use bunraku_vm::function::Call;
use bunraku_vm::host::ModuleFolder;
use bunraku_vm::raised::ARGUMENT_ERROR;
use bunraku_vm::value::{Hash, Value};
use bunraku_vm::vm::Vm;

natives! {
    /// A value as JSON.
    function "to_json" { dispatch old_to_json(param "Any" data); }
    /// A value as JSON on many lines.
    function "to_json_pretty" {
        dispatch old_to_json_pretty(
            param "Variant[Hash, Array]" data,
            optional_param "Optional[Boolean]" skip_undef,
            optional_param "Struct[{indent => Optional[String], space => Optional[String], space_before => Optional[String], object_nl => Optional[String], array_nl => Optional[String], allow_nan => Optional[Boolean], max_nesting => Optional[Integer[-1,default]]}]" opts,
        );
    }
    /// A value as a Python literal.
    function "to_python" { dispatch to_python(param "Any" object); }
    /// A value as a Ruby literal.
    function "to_ruby" { dispatch to_ruby(param "Any" object); }
    /// A hash as TOML.
    function "to_toml" { dispatch old_to_toml(param "Hash" data) -> "String"; }
    /// A value as YAML.
    function "to_yaml" { dispatch to_yaml(param "Any" data, optional_param "Hash" options); }
    /// A value as JSON.
    function "stdlib::to_json" { dispatch to_json(param "Any" data); }
    /// A value as JSON on many lines.
    function "stdlib::to_json_pretty" {
        dispatch to_json_pretty(
            param "Variant[Hash, Array]" data,
            optional_param "Optional[Boolean]" skip_undef,
            optional_param "Struct[{indent => Optional[String], space => Optional[String], space_before => Optional[String], object_nl => Optional[String], array_nl => Optional[String], allow_nan => Optional[Boolean], max_nesting => Optional[Integer[-1,default]]}]" opts,
        );
    }
    /// A value as a Python literal.
    function "stdlib::to_python" { dispatch to_python(param "Any" object); }
    /// A value as a Ruby literal.
    function "stdlib::to_ruby" { dispatch to_ruby(param "Any" object); }
    /// A hash as TOML.
    function "stdlib::to_toml" { dispatch to_toml(param "Hash" data) -> "String"; }
    /// A value as YAML.
    function "stdlib::to_yaml" { dispatch namespaced_to_yaml(param "Any" data, optional_param "Hash" options); }
    /// What a text in HOCON says, or a default.
    function "parsehocon" { dispatch parsehocon(param "String" hocon_string, optional_param "Any" default); }
    /// What a text in HOCON says, or a default.
    function "stdlib::parsehocon" {
        dispatch namespaced_parsehocon(param "String" hocon_string, optional_param "Any" default);
    }
    /// What a text in Puppet's variant of JSON says.
    function "parsepson" { dispatch parsepson(param "String[1]" pson_string, optional_param "Any" default); }
}

old_functions! {
    /// What a text in JSON says, or a default.
    "parsejson" parsejson;
    /// What a text in YAML says, or a default.
    "parseyaml" parseyaml;
    /// What a JSON file says, or a default.
    "loadjson" loadjson (1);
    /// What a YAML file says, or a default.
    "loadyaml" loadyaml (1);
}

/// Whether a Sensitive value is in a value: what becomes of one depends on the version of the module.
fn holds_sensitive(value: Value<'_>) -> bool {
    match value {
        Value::Sensitive(_) => true,
        Value::Array(items) => items.items().iter().any(|item| holds_sensitive(*item)),
        Value::Hash(hash) => {
            hash.entries().iter().any(|(key, value)| holds_sensitive(*key) || holds_sensitive(*value))
        }
        _ => false,
    }
}

fn old_to_json<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match holds_sensitive(call.args[0]) {
        true => leave(vm, "to_json", call),
        false => write_json(vm, call),
    }
}

fn to_json<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match holds_sensitive(call.args[0]) {
        true => leave(vm, "stdlib::to_json", call),
        false => write_json(vm, call),
    }
}

fn old_to_json_pretty<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match holds_sensitive(call.args[0]) {
        true => leave(vm, "to_json_pretty", call),
        false => write_json_pretty(vm, call),
    }
}

fn to_json_pretty<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match holds_sensitive(call.args[0]) {
        true => leave(vm, "stdlib::to_json_pretty", call),
        false => write_json_pretty(vm, call),
    }
}

fn write_json<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut out = String::new();
    json(&mut out, call.args[0], &JsonLayout::compact(), 1)?;
    Ok(vm.string(&out))
}

fn write_json_pretty<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut layout = JsonLayout {
        indent: "  ".to_owned(),
        space: " ".to_owned(),
        object_nl: "\n".to_owned(),
        array_nl: "\n".to_owned(),
        ..JsonLayout::compact()
    };
    if let Some(Value::Hash(options)) = call.arg(2) {
        let text = |name: &str, old: &mut String| {
            if let Some(Value::Str(text)) = options.get_str(name) {
                *old = text.as_str().to_owned();
            }
        };
        text("indent", &mut layout.indent);
        text("space", &mut layout.space);
        text("space_before", &mut layout.space_before);
        text("object_nl", &mut layout.object_nl);
        text("array_nl", &mut layout.array_nl);
        layout.allow_nan = options.get_str("allow_nan").is_some_and(|allow| allow.truthy());
        if let Some(Value::Int(most)) = options.get_str("max_nesting") {
            layout.max_nesting = usize::try_from(most).unwrap_or(0);
        }
    }
    let skip = call.arg(1).is_some_and(|skip| skip.truthy());
    let data = match call.args[0] {
        Value::Array(items) if skip => {
            let kept: Vec<_> = items.iter().filter(|item| !item.is_undef()).copied().collect();
            vm.array(&kept)
        }
        Value::Hash(hash) if skip => {
            let kept: Vec<_> = hash.entries().iter().filter(|(_, v)| !v.is_undef()).copied().collect();
            Value::Hash(Hash::from_unique(vm.arena, &kept))
        }
        other => other,
    };
    let mut out = String::new();
    json(&mut out, data, &layout, 1)?;
    out.push('\n');
    Ok(vm.string(&out))
}

/// Words of a language for a value that is plain data.
fn literal(value: Value<'_>, arrow: &str, words: [&str; 3]) -> String {
    budget::within(1, || match value {
        Value::Bool(true) => words[0].to_owned(),
        Value::Bool(false) => words[1].to_owned(),
        Value::Undef => words[2].to_owned(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| literal(*item, arrow, words)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Hash(hash) => {
            let entry = |(key, value): &(Value<'_>, Value<'_>)| {
                format!("{}{arrow}{}", literal(*key, arrow, words), literal(*value, arrow, words))
            };
            let entries: Vec<String> = hash.entries().iter().map(entry).collect();
            format!("{{{}}}", entries.join(", "))
        }
        other => inspect(other),
    })
}

fn to_python<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let data = vm.host.plain_data(vm, call.args[0]);
    Ok(vm.string(&literal(data, ": ", ["True", "False", "None"])))
}

fn to_ruby<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let data = vm.host.plain_data(vm, call.args[0]);
    Ok(vm.string(&literal(data, " => ", ["true", "false", "nil"])))
}

fn to_yaml<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    yaml(vm, "to_yaml", call)
}

fn namespaced_to_yaml<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    yaml(vm, "stdlib::to_yaml", call)
}

fn yaml<'c>(vm: &mut Vm<'c>, name: &str, call: Call<'c, '_>) -> Eval<'c> {
    let options = match call.arg(1) {
        Some(Value::Hash(options)) => Some(options),
        _ => None,
    };
    match vm.host.yaml(call.args[0], options, &|_| false) {
        Some(text) => Ok(vm.string(&text)),
        None if holds_sensitive(call.args[0]) => leave(vm, name, call),
        None => match object(call.args[0]) {
            Some(object) => {
                let class = bunraku_vm::label::ruby_class(object);
                Err(error(format!("{name}(): a value of class {class} is not supported")))
            }
            None => leave(vm, name, call),
        },
    }
}

/// A value within another that is an object of Puppet's Ruby, which Psych writes by its instance variables.
fn object(value: Value<'_>) -> Option<Value<'_>> {
    budget::within(1, || match value {
        Value::Array(items) => items.iter().find_map(|item| object(*item)),
        Value::Hash(hash) => {
            hash.entries().iter().find_map(|(key, value)| object(*key).or_else(|| object(*value)))
        }
        Value::Str(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Bool(_)
        | Value::Undef
        | Value::Default
        | Value::Regexp(_) => None,
        other => Some(other),
    })
}

fn old_to_toml<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match holds_sensitive(call.args[0]) {
        true => leave(vm, "to_toml", call),
        false => write_toml(vm, call),
    }
}

fn to_toml<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match holds_sensitive(call.args[0]) {
        true => leave(vm, "stdlib::to_toml", call),
        false => write_toml(vm, call),
    }
}

fn write_toml<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut out = String::new();
    if let Value::Hash(hash) = call.args[0] {
        toml(&mut out, hash, &[], false)?;
    }
    Ok(vm.string(&out))
}

fn toml<'c>(out: &mut String, hash: Hash<'c>, path: &[String], is_item: bool) -> Eval<'c, ()> {
    budget::room(2 * out.len());
    budget::within(hash.len(), || {
        let mut entries: Vec<_> =
            hash.entries().iter().map(|(key, value)| (to_s(*key), *key, *value)).collect();
        if entries.iter().any(|(_, key, _)| key.as_str().is_none()) && entries.len() > 1 {
            let flow = error("comparison of String with Integer failed");
            return Err(flow.because(Cause::Incomparable));
        }
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        let is_tables = |value: &Value<'c>| match value {
            Value::Array(items) => matches!(items.first(), Some(Value::Hash(_))),
            _ => false,
        };
        let is_simple = |value: &Value<'c>| !matches!(value, Value::Hash(_)) && !is_tables(value);
        let header = |out: &mut String, path: &[String], double: bool| {
            let path = path.join(".");
            out.push_str(&if double { format!("[[{path}]]\n") } else { format!("[{path}]\n") });
        };
        if !is_item
            && !path.is_empty()
            && (hash.is_empty() || entries.iter().any(|(_, _, value)| is_simple(value)))
        {
            header(out, path, false);
        }
        let key_of = |key: &str| {
            if key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') {
                key.to_owned()
            } else {
                format!("\"{}\"", key.replace('"', "\\\""))
            }
        };
        for (key, _, value) in entries.iter().filter(|(_, _, value)| is_simple(value)) {
            let shown = match value {
                Value::Str(_) => inspect(*value).replace("\\#", "#"),
                Value::Regexp(_) => bunraku_vm::format::inspect::inspect_str(&inspect(*value)),
                other => inspect(*other),
            };
            out.push_str(&format!("{} = {shown}\n", key_of(key)));
        }
        for (key, _, value) in &entries {
            if let Value::Hash(inner) = value {
                toml(out, *inner, &[path, &[key_of(key)]].concat(), false)?;
            }
        }
        for (key, _, value) in entries.iter().filter(|(_, _, value)| is_tables(value)) {
            let path = [path, &[key_of(key)]].concat();
            let Value::Array(items) = value else { continue };
            for item in items.iter() {
                header(out, &path, true);
                let Value::Hash(item) = item else {
                    return Err(super::ruby::no_method("keys", *item));
                };
                toml(out, *item, &path, true)?;
            }
        }
        Ok(())
    })
}

/// The text of a parser's first argument.
fn source<'c>(call: &Call<'c, '_>) -> Eval<'c, &'c str> {
    match call.args.first() {
        None => Err(Flow::of_class(
            ARGUMENT_ERROR,
            "Wrong number of arguments. 1 or 2 arguments should be provided.",
        )),
        Some(Value::Str(text)) => Ok(text.as_str()),
        Some(other) => Err(no_conversion(*other, "String")),
    }
}

/// The path that a loader's first argument is; none where it is no path and there is a default for that.
fn path<'c>(call: &Call<'c, '_>) -> Eval<'c, Option<&'c str>> {
    match call.args {
        [Value::Str(_) | Value::Undef, ..] | [] => source(call).map(Some),
        [_, default, ..] if default.truthy() => Ok(None),
        [other, ..] => Err(no_method("start_with?", *other)),
    }
}

/// What was read, or the default where that is nothing or wrong.
fn or_default<'c>(call: &Call<'c, '_>, read: Eval<'c>) -> Eval<'c> {
    let default = call.arg(1).unwrap_or(Value::Undef);
    match read {
        Ok(value) if value.truthy() => Ok(value),
        Ok(value) => Ok(if call.args.len() > 1 { default } else { falsy(value) }),
        Err(_) if default.truthy() => Ok(default),
        Err(flow) => Err(flow),
    }
}

/// What Ruby's `value || nil` makes of something false.
fn falsy(_: Value<'_>) -> Value<'_> {
    Value::Undef
}

fn parsejson<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    parsed(vm, "parsejson", call, |vm, text| vm.host.parse_json(vm, text).ok_or_else(|| error(text)))
}

fn parseyaml<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    parsed(vm, "parseyaml", call, |vm, text| vm.host.parse_yaml(vm, text, "<unknown>").map_err(error))
}

/// What a text says, or the default; the words for what is wrong with it are those of Ruby's parser.
fn parsed<'c>(
    vm: &mut Vm<'c>,
    name: &str,
    call: Call<'c, '_>,
    parse: impl Fn(&mut Vm<'c>, &'c str) -> Eval<'c>,
) -> Eval<'c> {
    let text = source(&call);
    let is_text = text.is_ok();
    let read = text.and_then(|text| parse(vm, text));
    if call.args.is_empty() {
        return read;
    }
    if is_text && read.is_err() && !call.arg(1).is_some_and(Value::truthy) {
        return leave(vm, name, call);
    }
    or_default(&call, read)
}

fn parsehocon<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    hocon(vm, "parsehocon", call)
}

fn namespaced_parsehocon<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    hocon(vm, "stdlib::parsehocon", call)
}

/// Ruby says what is wrong with a text, and for which errors the default stands.
fn hocon<'c>(vm: &mut Vm<'c>, name: &str, call: Call<'c, '_>) -> Eval<'c> {
    match vm.host.parse_hocon(vm, crate::support::text(call.arg(0))) {
        Ok(value) => Ok(value),
        Err(_) => leave(vm, name, call),
    }
}

/// The error of text that is no PSON.
fn not_pson<'c>(text: &str) -> Box<Flow<'c>> {
    let shown: String =
        if text.chars().count() > 20 { text.chars().take(20).collect() } else { text.to_owned() };
    error(format!("source '{shown}' not in PSON!"))
}

fn parsepson<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let text = crate::support::text(call.arg(0));
    match (vm.host.parse_json(vm, text), call.arg(1)) {
        (Some(value), _) => Ok(value),
        (None, Some(default)) => Ok(default),
        (None, None) => Err(not_pson(text)),
    }
}

fn is_url(path: &str) -> bool {
    path.starts_with("http://") || path.starts_with("https://")
}

/// The text that a file's bytes are; what is no UTF-8 in it is replaced.
fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The text of a file that is there; none, with a warning, where it is not.
fn file<'c>(vm: &mut Vm<'c>, path: &str) -> Eval<'c, Option<String>> {
    match vm.host.read_file(vm, ModuleFolder::Files, path)? {
        Some(bytes) if path.starts_with('/') => Ok(Some(text_of(bytes))),
        _ => {
            let message = format!("Can't load '{path}' File does not exist!");
            vm.host.log(Severity::Warning, &message, None);
            Ok(None)
        }
    }
}

fn loadjson<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Some(path) = path(&call)? else { return Ok(call.args[1]) };
    if is_url(path) {
        return leave(vm, "loadjson", call);
    }
    let Some(text) = file(vm, path)? else { return Ok(call.arg(1).unwrap_or(Value::Undef)) };
    let read = vm.host.parse_json(vm, &text).ok_or_else(|| not_pson(&text));
    or_default(&call, read)
}

fn loadyaml<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Some(path) = path(&call)? else { return Ok(call.args[1]) };
    if is_url(path) {
        return leave(vm, "loadyaml", call);
    }
    if let Some(value) = path.starts_with('/').then(|| vm.host.yaml_of_file(vm, path)).flatten() {
        return or_default(&call, Ok(value));
    }
    let Some(text) = file(vm, path)? else { return Ok(call.arg(1).unwrap_or(Value::Undef)) };
    let read = vm.host.parse_yaml(vm, &text, path).map_err(error);
    or_default(&call, read)
}
