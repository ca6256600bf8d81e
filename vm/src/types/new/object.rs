//! Instances of Object types, and URIs.

use super::{Params, check};
use crate::error::{Eval, Flow};
use crate::types::mismatch::{assert_instance, describe_mismatch};
use crate::types::{Range, Type, infer_set, is_instance, parse_with, print};
use crate::uri as uris;
use crate::value::{Hash, HashBuilder, Object, Str, Value};
use crate::vm::Vm;

/// An attribute of an Object type.
struct Attribute<'c> {
    name: &'c str,
    ty: &'c Type<'c>,
    default: Option<Value<'c>>,
    constant: bool,
}

/// `URI.new`
pub(super) fn uri<'c>(vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
    const PARTS: &str = "Struct[{Optional[scheme] => String[1], Optional[userinfo] => String[1], \
                         Optional[host] => String[1], Optional[port] => Integer[0], Optional[path] => String[1], \
                         Optional[query] => String[1], Optional[fragment] => String[1], \
                         Optional[opaque] => String[1]}]";
    let signatures: [&Params; 2] = [&[("String[1]", "uri", true)], &[(PARTS, "hash", true)]];
    check(vm, "new_error", &[], &signatures, args)?;
    let text = match args[0] {
        Value::Str(text) => {
            uris::parse(&text).map_err(Flow::raw)?;
            text.as_str().to_owned()
        }
        Value::Hash(hash) => {
            let part = |key: &str, before: &str, after: &str| match hash.get_str(key) {
                Some(value) => format!("{before}{}{after}", crate::format::to_interpolated(value)),
                None => String::new(),
            };
            let host = match hash.get_str("host") {
                Some(host) => {
                    let host = crate::format::to_interpolated(host);
                    format!("//{}{host}{}", part("userinfo", "", "@"), part("port", ":", ""))
                }
                None => String::new(),
            };
            [
                part("scheme", "", ":"),
                part("opaque", "", ""),
                host,
                part("path", "", ""),
                part("query", "?", ""),
                part("fragment", "#", ""),
            ]
            .concat()
        }
        _ => String::new(),
    };
    Ok(Value::Uri(Str::new(vm.arena, &text)))
}

/// `Error.new`, `Deferred.new`, and `new` of types made with `Object[{…}]`.
pub(super) fn object<'c>(vm: &mut Vm<'c>, ty: &'c Type<'c>, args: &[Value<'c>]) -> Eval<'c> {
    let attributes = attributes_of(vm, ty)?;
    let type_name: &'c str = crate::types::name(ty);
    let settable: Vec<&Attribute<'c>> = attributes.iter().filter(|a| !a.constant).collect();
    let given: Vec<Option<Value<'c>>> = match args {
        [Value::Hash(hash)] if named(vm, &settable, *hash) => {
            settable.iter().map(|a| hash.get_str(a.name)).collect()
        }
        args => {
            let required = settable.iter().filter(|a| a.default.is_none()).count();
            if !(required..=settable.len()).contains(&args.len()) {
                return Err(wrong_arguments(vm, type_name, &settable, args));
            }
            for (attribute, arg) in settable.iter().zip(args) {
                if !is_instance(vm, attribute.ty, *arg) {
                    return Err(wrong_arguments(vm, type_name, &settable, args));
                }
            }
            (0..settable.len()).map(|n| args.get(n).copied()).collect()
        }
    };
    let mut values = HashBuilder::new(vm.arena);
    for (attribute, given) in settable.iter().zip(given) {
        // What has its default is not kept, nor printed; [`member`] knows it.
        if let Some(value) = given
            && !attribute.default.is_some_and(|default| default.same(value))
        {
            values.insert_str(attribute.name, value);
        }
    }
    Ok(Value::Object(vm.arena.alloc(Object { ty, type_name, attributes: values.finish() })))
}

/// What `$value.name` yields where a value has members: attributes of objects, parts of URIs. None where it
/// has no member of that name, and the call is one of a function.
///
/// # Errors
/// For an Object type that is malformed.
pub fn member<'c>(vm: &mut Vm<'c>, value: Value<'c>, name: &str) -> Eval<'c, Option<Value<'c>>> {
    match value {
        Value::Object(object) => {
            if object.type_name == "Error" && name == "message" {
                return Ok(object.attributes.get_str("msg"));
            }
            if let Some(value) = object.attributes.get_str(name) {
                return Ok(Some(value));
            }
            // A type of the host's, as a look-up context's, has no attributes to default.
            if let Type::Object { init: None, name, .. } = object.ty
                && !matches!(name, Some("Error" | "Deferred"))
            {
                return Ok(None);
            }
            let attributes = attributes_of(vm, object.ty)?;
            Ok(attributes
                .iter()
                .find(|attribute| attribute.name == name)
                .map(|attribute| attribute.default.unwrap_or(Value::Undef)))
        }
        Value::Uri(uri) => {
            let parts = uris::parse(&uri).map_err(Flow::raw)?;
            let text = match name {
                "scheme" => parts.scheme,
                "userinfo" => parts.userinfo,
                "host" => parts.host,
                "path" => parts.path,
                "query" => parts.query,
                "fragment" => parts.fragment,
                "opaque" => parts.opaque,
                "port" => {
                    let known = match parts.scheme {
                        Some("http") => Some(80),
                        Some("https") => Some(443),
                        Some("ftp") => Some(21),
                        Some("ldap") => Some(389),
                        _ => None,
                    };
                    let port = parts.port.and_then(|port| port.parse().ok()).or(known);
                    return Ok(Some(port.map_or(Value::Undef, Value::Int)));
                }
                _ => return Ok(None),
            };
            Ok(Some(text.map_or(Value::Undef, |text| vm.string(text))))
        }
        _ => Ok(None),
    }
}

fn named<'c>(vm: &mut Vm<'c>, attributes: &[&Attribute<'c>], hash: Hash<'c>) -> bool {
    let known = hash
        .entries()
        .iter()
        .all(|(key, _)| key.as_str().is_some_and(|key| attributes.iter().any(|a| a.name == key)));
    known
        && attributes.iter().all(|a| match hash.get_str(a.name) {
            Some(value) => is_instance(vm, a.ty, value),
            None => a.default.is_some(),
        })
}

fn wrong_arguments<'c>(
    vm: &mut Vm<'c>,
    name: &str,
    attributes: &[&Attribute<'c>],
    args: &[Value<'c>],
) -> Box<Flow<'c>> {
    let arena = vm.arena;
    let types: Vec<_> = attributes.iter().map(|a| a.ty).collect();
    let required = attributes.iter().filter(|a| a.default.is_none()).count();
    let size = (required != types.len()).then(|| Range::new(required as i64, types.len() as i64));
    let Type::Callable(positional) = crate::types::callable(arena, &types, size, None, None) else {
        return Flow::raw("an Object type has no constructor");
    };
    let members: Vec<_> = attributes
        .iter()
        .map(|a| crate::types::StructMember { name: a.name, optional: a.default.is_some(), value: a.ty })
        .collect();
    let by_name: &'c Type<'c> = Type::Struct(arena.alloc_slice_copy(&members)).alloc(arena);
    let Type::Callable(hashed) = crate::types::callable(arena, &[by_name], None, None, None) else {
        return Flow::raw("an Object type has no constructor");
    };
    let names = attributes.iter().map(|a| a.name).collect();
    let signatures = [
        crate::types::Signature { callable: *hashed, names: vec!["hash"], block_name: "block" },
        crate::types::Signature { callable: *positional, names, block_name: "block" },
    ];
    Flow::raw(crate::types::mismatch::describe_arguments(vm, &format!("new_{name}"), &signatures, args, None))
}

fn attributes_of<'c>(vm: &mut Vm<'c>, ty: &'c Type<'c>) -> Eval<'c, Vec<Attribute<'c>>> {
    let Type::Object { name, parent, init } = ty else { return Ok(Vec::new()) };
    let mut all = match parent {
        Some(parent) => attributes_of(vm, parent)?,
        None => Vec::new(),
    };
    let mut builtin = |vm: &mut Vm<'c>, list: &[(&'static str, &str, Option<Value<'c>>)]| -> Eval<'c, ()> {
        for (name, ty, default) in list {
            let ty = parse_with(vm, ty, &[])?;
            all.push(Attribute { name, ty, default: *default, constant: false });
        }
        Ok(())
    };
    match (*name, init) {
        (Some("Error"), None) => builtin(
            vm,
            &[
                ("msg", "String[1]", None),
                ("kind", "Optional[String[1]]", Some(Value::Undef)),
                ("details", "Optional[Hash[String[1],Data]]", Some(Value::Undef)),
                ("issue_code", "Optional[String[1]]", Some(Value::Undef)),
            ],
        )?,
        (Some("Deferred"), None) => builtin(
            vm,
            &[
                ("name", "Pattern[/\\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\\z/]", None),
                ("arguments", "Optional[Array]", Some(Value::Undef)),
            ],
        )?,
        (_, Some(init)) => user_attributes(vm, *init, &mut all)?,
        _ => {
            let name = print(ty);
            return Err(Flow::raw(format!("Creation of new instance of type '{name}' is not supported")));
        }
    }
    all.sort_by_key(|a| a.default.is_some());
    Ok(all)
}

fn user_attributes<'c>(vm: &mut Vm<'c>, init: Hash<'c>, all: &mut Vec<Attribute<'c>>) -> Eval<'c, ()> {
    if let Some(Value::Hash(constants)) = init.get_str("constants") {
        for (name, value) in constants.entries() {
            let ty = infer_set(vm, *value);
            let name = name.as_str().unwrap_or("");
            all.push(Attribute { name, ty, default: Some(*value), constant: true });
        }
    }
    let Some(Value::Hash(attributes)) = init.get_str("attributes") else { return Ok(()) };
    for (name, spec) in attributes.entries() {
        let Some(name) = name.as_str() else { continue };
        let attribute = match spec {
            Value::Type(ty) => Attribute { name, ty, default: None, constant: false },
            Value::Hash(spec) => {
                let Some(Value::Type(ty)) = spec.get_str("type") else {
                    return Err(Flow::raw(format!("attribute '{name}' has no type")));
                };
                let kind = spec.get_str("kind").and_then(Value::as_str);
                let mut default = spec.get_str("value");
                if kind == Some("given_or_derived") && default.is_none() {
                    default = Some(Value::Undef);
                }
                if let Some(value) = default
                    && !value.is_undef()
                {
                    assert_instance(vm, &format!("attribute {name} value"), ty, value)?;
                }
                let constant = matches!(kind, Some("constant" | "derived"));
                Attribute { name, ty, default, constant }
            }
            other => {
                let actual = infer_set(vm, *other);
                let expected = &Type::Type(&Type::Unit);
                let subject = format!("attribute '{name}' has wrong type,");
                return Err(Flow::raw(describe_mismatch(vm, &subject, expected, actual)));
            }
        };
        all.push(attribute);
    }
    Ok(())
}
