//! Instances of Object types, and URIs.

use crate::error::{Eval, Flow};
use crate::format::interpolate::to_interpolated;
use crate::host::request::ObjectClass;
use crate::scope::Closure;
use crate::types::accept::accepts;
use crate::types::build::callable;
use crate::types::context::ConstructorParameters;
use crate::types::conversion::unsupported;
use crate::types::definition::{
    AttributeKind, Feature, Member, constructor, definition, is_in_ruby, member as member_of, value_of,
};
use crate::types::instance::is_instance;
use crate::types::mismatch::signature::describe_arguments;
use crate::types::mismatch::value::assert_instance;
use crate::types::name::name as name_of;
use crate::types::new::check::{Params, check};
use crate::types::parse::parse_with;
use crate::types::signature::Signature;
use crate::types::ty::{CallableType, Range, StructMember, Type, resolved};
use crate::types::undef::accepts_undef;
use crate::uri as uris;
use crate::value::{Hash, HashBuilder, Held, Object, Str, Value};
use crate::vm::Vm;
use bumpalo::Bump;

/// An attribute an instance is made with.
struct ConstructorAttribute<'c> {
    name: &'c str,
    ty: &'c Type<'c>,
    default: Option<Value<'c>>,
}

impl<'c> ConstructorAttribute<'c> {
    /// The attribute in the hash of all.
    fn member(&self) -> StructMember<'c> {
        StructMember { name: self.name, optional: self.default.is_some(), value: self.ty }
    }
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
        Value::Str(text) => text.as_str().to_owned(),
        Value::Hash(hash) => {
            let part = |key: &str, before: &str, after: &str| match hash.get_str(key) {
                Some(value) => format!("{before}{}{after}", to_interpolated(value)),
                None => String::new(),
            };
            let host = match hash.get_str("host") {
                Some(host) => {
                    let host = to_interpolated(host);
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
    let text = uris::normal(&text).map_err(Flow::raw)?;
    Ok(Value::Uri(Str::new(vm.arena, &text)))
}

/// What an instance is made with, required attributes first: for `Error` and `Deferred` Puppet's own.
fn settable<'c>(vm: &mut Vm<'c>, ty: &'c Type<'c>) -> Eval<'c, Vec<ConstructorAttribute<'c>>> {
    let (name, parent) = match ty {
        Type::Object { definition: Some(_), .. } => {
            let all = constructor(ty).into_iter();
            return Ok(all.map(|(name, ty, default)| ConstructorAttribute { name, ty, default }).collect());
        }
        Type::Object { name, parent, .. } => (*name, *parent),
        _ => return Ok(Vec::new()),
    };
    let list: &[(&'static str, &str, Option<Value<'c>>)] = match name {
        Some("Error") => &[
            ("msg", "String[1]", None),
            ("kind", "Optional[String[1]]", Some(Value::Undef)),
            ("details", "Optional[Hash[String[1],Data]]", Some(Value::Undef)),
            ("issue_code", "Optional[String[1]]", Some(Value::Undef)),
        ],
        Some("Deferred") => &[
            ("name", "Pattern[/\\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\\z/]", None),
            ("arguments", "Optional[Array]", Some(Value::Undef)),
        ],
        _ => {
            return Err(Flow::raw(unsupported(ty)));
        }
    };
    let mut all = match parent {
        Some(parent) => settable(vm, parent)?,
        None => Vec::new(),
    };
    for (name, ty, default) in list {
        all.push(ConstructorAttribute { name, ty: parse_with(vm, ty, &[])?, default: *default });
    }
    Ok(all)
}

/// What an instance is made with, in the order of its constructor, and the class that Ruby has for the type, if it
/// has one.
fn constructor_of<'c>(
    vm: &mut Vm<'c>,
    ty: &'c Type<'c>,
) -> Eval<'c, (Vec<ConstructorAttribute<'c>>, Option<ObjectClass<'c>>)> {
    let mut attributes = settable(vm, ty)?;
    if !is_in_ruby(ty) {
        return Ok((attributes, None));
    }
    let class = vm.host.object_class(vm, ty)?;
    // Ruby's own constructor says in which order.
    attributes.sort_by_key(|a| class.parameters.iter().position(|name| *name == a.name));
    Ok((attributes, Some(class)))
}

/// `Error.new`, `Deferred.new`, and `new` of types made with `Object[{…}]`.
pub(super) fn object<'c>(vm: &mut Vm<'c>, ty: &'c Type<'c>, args: &[Value<'c>]) -> Eval<'c> {
    if let Type::ObjectExtension { base, .. } = ty {
        return object(vm, base, args);
    }
    if matches!(ty, Type::Object { name: Some("Puppet::LookupContext"), definition: None, .. }) {
        return vm.host.make_object(vm, ty, args, false);
    }
    let (attributes, class) = constructor_of(vm, ty)?;
    if vm.types.asked_constructor.is_some() {
        tell_signatures(vm, &attributes, class);
        return Err(Flow::raw("only the signatures were asked for"));
    }
    let type_name: &'c str = name_of(ty);
    let given: Vec<Option<Value<'c>>> = match args {
        [Value::Hash(hash)]
            if class.is_none_or(|class| class.takes_hash) && named(vm, &attributes, *hash) =>
        {
            if class.is_some() {
                return vm.host.make_object(vm, ty, &[Value::Hash(*hash)], true);
            }
            attributes.iter().map(|a| hash.get_str(a.name)).collect()
        }
        args => {
            let fits = (least(&attributes)..=attributes.len()).contains(&args.len())
                && attributes.iter().zip(args).all(|(attribute, arg)| is_instance(vm, attribute.ty, *arg));
            if !fits {
                let mut signatures = constructor_signatures(vm.arena, &attributes)?;
                if class.is_some_and(|class| !class.takes_hash) {
                    signatures.remove(0);
                }
                let name = format!("new_{type_name}");
                return Err(Flow::raw(describe_arguments(vm, &name, &signatures, args, None)));
            }
            if class.is_some() {
                return vm.host.make_object(vm, ty, args, false);
            }
            check_count(&attributes, args.len())?;
            (0..attributes.len()).map(|n| args.get(n).copied()).collect()
        }
    };
    let mut values = HashBuilder::new(vm.arena);
    for (attribute, given) in attributes.iter().zip(given) {
        // What has its default is not kept, nor printed; [`member`] knows it.
        if let Some(value) = given
            && !attribute.default.is_some_and(|default| default.same(value))
        {
            values.insert_str(attribute.name, value);
        }
    }
    Ok(Value::Object(vm.arena.alloc(Object {
        ty,
        type_name,
        attributes: values.finish(),
        held: Held::Here,
        data: None,
        plain: None,
    })))
}

/// Tells whoever asks for a constructor's signatures only: the hash of all attributes, where it takes that, and by
/// position.
fn tell_signatures<'c>(
    vm: &mut Vm<'c>,
    attributes: &[ConstructorAttribute<'c>],
    class: Option<ObjectClass<'c>>,
) {
    let members: Vec<_> = attributes.iter().map(ConstructorAttribute::member).collect();
    let by_name = Type::Struct(vm.arena.alloc_slice_copy(&members)).alloc(vm.arena);
    let Some(asked) = &mut vm.types.asked_constructor else { return };
    if class.is_none_or(|class| class.takes_hash) {
        asked.push(ConstructorParameters { types: vec![by_name], least: 1 });
    }
    let least = attributes.iter().filter(|a| a.default.is_none()).count();
    asked.push(ConstructorParameters { types: attributes.iter().map(|a| a.ty).collect(), least });
}

/// Fails where arguments are missing. What may be undef need not be given, says the signature; Ruby's constructor has
/// another opinion.
fn check_count<'c>(attributes: &[ConstructorAttribute<'c>], given: usize) -> Eval<'c, ()> {
    let required = attributes.iter().filter(|a| a.default.is_none()).count();
    if given >= required {
        return Ok(());
    }
    let wanted = match attributes.len() {
        all if all == required => required.to_string(),
        all => format!("{required}..{all}"),
    };
    Err(Flow::raw(format!("wrong number of arguments (given {given}, expected {wanted})")))
}

/// An instance of an Object type from the hash of its attributes.
///
/// # Errors
/// For a hash that is not one of these; for Puppet's own types that nobody can make.
pub fn from_hash<'c>(vm: &mut Vm<'c>, ty: &'c Type<'c>, init: Value<'c>) -> Eval<'c> {
    let attributes = settable(vm, ty)?;
    let members: Vec<_> = attributes.iter().map(ConstructorAttribute::member).collect();
    let shape: &'c Type<'c> = Type::Struct(vm.arena.alloc_slice_copy(&members)).alloc(vm.arena);
    let subject = format!("{} initializer", name_of(ty));
    assert_instance(vm, &subject, shape, init)?;
    object(vm, ty, &[init])
}

/// What `$value.name(args)` yields where a value has members: attributes and functions of objects, parts of
/// URIs. None where it has no member of that name, and the call is one of a function.
///
/// # Errors
/// For arguments the member does not take, and for members that only Ruby could compute, where the type has none.
pub fn member<'c>(
    vm: &mut Vm<'c>,
    value: Value<'c>,
    name: &str,
    args: &[Value<'c>],
    block: Option<&'c Closure<'c>>,
) -> Eval<'c, Option<Value<'c>>> {
    match value {
        Value::Object(object) if definition(object.ty).is_some() => {
            member_of_instance(vm, object, name, args, block)
        }
        Value::Object(object) => {
            if object.type_name == "Error" && name == "message" {
                return Ok(object.attributes.get_str("msg"));
            }
            if let Some(value) = object.attributes.get_str(name) {
                return Ok(Some(value));
            }
            // What the host defines, as a look-up context, has no attributes to default.
            if !matches!(object.type_name, "Error" | "Deferred") {
                return Ok(None);
            }
            let attributes = settable(vm, object.ty)?;
            let attribute = attributes.iter().find(|attribute| attribute.name == name);
            Ok(attribute.map(|attribute| attribute.default.unwrap_or(Value::Undef)))
        }
        Value::Uri(uri) => part_of_uri(vm, uri.as_str(), name),
        _ => Ok(None),
    }
}

/// A member of an instance whose type has a definition.
fn member_of_instance<'c>(
    vm: &mut Vm<'c>,
    object: &'c Object<'c>,
    name: &str,
    args: &[Value<'c>],
    block: Option<&'c Closure<'c>>,
) -> Eval<'c, Option<Value<'c>>> {
    let Some(member) = member_of(object.ty, name) else { return Ok(None) };
    let label = member.label(owner(object.ty, name));
    let signatures = member_signatures(member);
    let mut fits = false;
    for signature in &signatures {
        fits = fits || signature.callable.unspecified || accepts(vm, signature, args, block)?;
    }
    if !fits {
        return Err(Flow::raw(describe_arguments(vm, &label, &signatures, args, block)));
    }
    if matches!(object.held, Held::InRuby(_)) {
        return vm.host.object_member(vm, object, name, args, block).map(Some);
    }
    let computed = matches!(member.kind, Some(AttributeKind::Derived))
        || (member.kind == Some(AttributeKind::GivenOrDerived) && object.attributes.get_str(name).is_none());
    match (member.feature, computed) {
        (Feature::Function, _) => Err(Flow::raw(format!("no method is implemented for {label}"))),
        (_, true) => Err(Flow::raw(format!("no method is implemented for derived {label}"))),
        _ => Ok(Some(value_of(object, member))),
    }
}

/// What a member may be called with: a function as its type says, an attribute without arguments.
fn member_signatures<'c>(member: &Member<'c>) -> Vec<Signature<'c>> {
    let callables: Vec<CallableType<'c>> = match (member.feature, member.ty) {
        (Feature::Function, Type::Callable(callable)) => vec![*callable],
        (Feature::Function, Type::Variant(types)) => types
            .iter()
            .filter_map(|ty| match ty {
                Type::Callable(callable) => Some(*callable),
                _ => None,
            })
            .collect(),
        _ => vec![CallableType { unspecified: false, size: Some(Range::EMPTY), ..CallableType::ANY }],
    };
    let signature = |callable| Signature { callable, names: Vec::new(), block_name: "block" };
    callables.into_iter().map(signature).collect()
}

/// A part of a URI by its name; none for a name of none.
fn part_of_uri<'c>(vm: &mut Vm<'c>, uri: &'c str, name: &str) -> Eval<'c, Option<Value<'c>>> {
    let parts = uris::parse(uri).map_err(Flow::raw)?;
    let text = match name {
        "scheme" => parts.scheme,
        "userinfo" => parts.userinfo,
        "host" => parts.host,
        "path" => parts.path,
        "query" => parts.query,
        "fragment" => parts.fragment,
        "opaque" => parts.opaque,
        "port" => {
            let known = parts.scheme.and_then(uris::standard_port);
            let port = parts.port.and_then(|port| port.parse().ok()).or(known.map(|port| port as i64));
            return Ok(Some(port.map_or(Value::Undef, Value::Int)));
        }
        _ => return Ok(None),
    };
    Ok(Some(text.map_or(Value::Undef, |text| vm.string(text))))
}

/// The name of the type that defines a member.
fn owner<'c>(ty: &'c Type<'c>, name: &str) -> &'c str {
    let mut ty = resolved(ty);
    while let Some(definition) = definition(ty) {
        if definition.attributes.iter().chain(definition.functions).any(|member| member.name == name) {
            break;
        }
        let Some(parent) = definition.parent else { break };
        ty = resolved(parent);
    }
    name_of(ty)
}

/// How many arguments the signature of a constructor asks for: up to the last that may not be undef.
fn least(attributes: &[ConstructorAttribute<'_>]) -> usize {
    let needed = |a: &ConstructorAttribute<'_>| a.default.is_none() && !accepts_undef(a.ty);
    attributes.iter().rposition(needed).map_or(0, |last| last + 1)
}

fn named<'c>(vm: &mut Vm<'c>, attributes: &[ConstructorAttribute<'c>], hash: Hash<'c>) -> bool {
    let known = |key: &Value<'c>| attributes.iter().any(|a| key.as_str() == Some(a.name));
    hash.entries().iter().all(|(key, _)| known(key))
        && attributes.iter().all(|a| match hash.get_str(a.name) {
            Some(value) => is_instance(vm, a.ty, value),
            None => a.default.is_some(),
        })
}

/// The signatures of an Object type's constructor: from the hash of all attributes, and by position.
fn constructor_signatures<'c>(
    arena: &'c Bump,
    attributes: &[ConstructorAttribute<'c>],
) -> Eval<'c, Vec<Signature<'c>>> {
    let types: Vec<_> = attributes.iter().map(|a| a.ty).collect();
    let required = least(attributes);
    let size = (required != types.len() || types.is_empty())
        .then(|| Range::new(required as i64, types.len() as i64));
    let members: Vec<_> = attributes.iter().map(ConstructorAttribute::member).collect();
    let by_name: &'c Type<'c> = Type::Struct(arena.alloc_slice_copy(&members)).alloc(arena);
    let (Type::Callable(positional), Type::Callable(hashed)) =
        (callable(arena, &types, size, None, None), callable(arena, &[by_name], None, None, None))
    else {
        return Err(Flow::raw("an Object type has no constructor"));
    };
    let names = attributes.iter().map(|a| a.name).collect();
    Ok(vec![
        Signature { callable: *hashed, names: vec!["hash"], block_name: "block" },
        Signature { callable: *positional, names, block_name: "block" },
    ])
}
