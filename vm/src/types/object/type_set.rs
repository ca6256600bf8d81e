//! Type sets: what `TypeSet[{…}]` may hold. Source: `Puppet::Pops::Types::PTypeSetType` for the rules.

use crate::error::{Eval, Flow};
use crate::format::interpolate::to_interpolated;
use crate::semver::{Version, overlap, range_includes};
use crate::types::context::TypeContext;
use crate::types::mismatch::value::assert_instance;
use crate::types::name::name as name_of;
use crate::types::object::define::type_name;
use crate::types::ty::Type;
use crate::value::{Hash, Value};

/// Who says what names mean, where nobody else does.
const AUTHORITY: &str = "http://puppet.com/2016.1/runtime";
const SIMPLE: &str = "Pattern[/\\A[A-Z]\\w*\\z/]";
const ANNOTATIONS: &str = "Optional[Hash[Type[Annotation], Hash[Pattern[/\\A[a-z_]\\w*\\z/], Any]]]";

/// Fails unless the set that is referred to is there, in a version that is wanted.
fn resolve_reference<'c>(context: &mut dyn TypeContext<'c>, set: &str, reference: Hash<'c>) -> Eval<'c, ()> {
    let text = |key: &str| reference.get_str(key).map(to_interpolated).unwrap_or_default();
    let (name, wanted) = (text("name"), text("version_range"));
    let start = format!("TypeSet '{set}' reference to TypeSet named '{name}'");
    if reference.get_str("name_authority").is_some_and(|given| to_interpolated(given) != AUTHORITY) {
        return Err(Flow::raw(format!("{start} cannot be resolved")));
    }
    match context.named_type(&name)? {
        Type::TypeSet { init: Some(init), .. } => {
            let version = init.get_str("version").map(to_interpolated).unwrap_or_default();
            if range_includes(&wanted, &version) {
                return Ok(());
            }
            Err(Flow::raw(format!(
                "{start} resolves to an incompatible version. Expected {wanted}, got {version}"
            )))
        }
        Type::Reference(_) => Err(Flow::raw(format!("{start} cannot be resolved"))),
        other => {
            let other = name_of(other);
            Err(Flow::raw(format!("{start} resolves to a {other}")))
        }
    }
}

/// The names that a set's definition gives to other sets: none twice, none of a type of its own, no set twice.
fn check_references<'c>(set: &str, init: Hash<'c>, references: Hash<'c>) -> Eval<'c, ()> {
    let mut known: Vec<[String; 3]> = Vec::new();
    for (alias, reference) in references.entries() {
        let Value::Hash(reference) = reference else { continue };
        let text = |hash: &Hash<'c>, key: &str| hash.get_str(key).map(to_interpolated);
        let authority = text(reference, "name_authority")
            .or_else(|| text(&init, "name_authority"))
            .unwrap_or_else(|| AUTHORITY.to_owned());
        let name = text(reference, "name").unwrap_or_default();
        let range = text(reference, "version_range").unwrap_or_default();
        let overlaps = |[other_authority, other_name, other]: &[String; 3]| {
            *other_authority == authority && *other_name == name && overlap(other, &range)
        };
        if known.iter().any(overlaps) {
            return Err(Flow::raw(format!(
                "TypeSet '{set}' references TypeSet '{authority}/{name}' more than once using overlapping version \
                 ranges"
            )));
        }
        if matches!(init.get_str("types"), Some(Value::Hash(types)) if types.get(*alias).is_some()) {
            let alias = alias.as_str().unwrap_or_default();
            return Err(Flow::raw(format!(
                "TypeSet '{set}' references a TypeSet using alias '{alias}'. The alias collides with the name of a \
                 declared type"
            )));
        }
        known.push([authority, name, range]);
    }
    Ok(())
}

/// The type set a hash defines. `name` is what a `type` statement calls it.
///
/// # Errors
/// For a hash of another shape; a version of Pcore that is not 1.x.
pub fn define_set<'c>(
    context: &mut dyn TypeContext<'c>,
    name: Option<&'c str>,
    init: Hash<'c>,
) -> Eval<'c, Type<'c>> {
    if init.get_str("name_authority").is_none() && init.get_str("types").is_some() && name.is_none() {
        return Err(Flow::raw(format!(
            "No 'name_authority' is declared in TypeSet '{}' and it cannot be inferred",
            init.get_str("name").and_then(Value::as_str).unwrap_or_default()
        )));
    }
    let type_name = type_name(context);
    let reference = format!(
        "Struct[{{name => {type_name}, version_range => Variant[String[1], SemVerRange], \
         Optional[name_authority] => Variant[URI, String], Optional[annotations] => {ANNOTATIONS}}}]"
    );
    let shape = format!(
        "Struct[{{Optional[pcore_uri] => Variant[URI, String], pcore_version => Variant[String[1], SemVer], \
         Optional[name_authority] => Variant[URI, String], Optional[name] => {type_name}, \
         Optional[version] => Variant[String[1], SemVer], \
         Optional[types] => Hash[{SIMPLE}, Variant[Type, Hash], 1], \
         Optional[references] => Hash[{SIMPLE}, {reference}, 1], Optional[annotations] => {ANNOTATIONS}}}]"
    );
    let shape = context.parsed_type(&shape)?;
    assert_instance(context, "TypeSet initializer", shape, Value::Hash(init))?;
    let name = name.or_else(|| init.get_str("name").and_then(Value::as_str));
    let version = init.get_str("pcore_version").map(to_interpolated).unwrap_or_default();
    let known = range_includes("1.x", &version);
    if !known {
        return Err(Flow::raw(format!(
            "The pcore version for TypeSet '{}' is not understood by this runtime. Expected range 1.x, got {version}",
            name.unwrap_or_default()
        )));
    }
    if let Some(Value::Str(version)) = init.get_str("version") {
        Version::parse(&version).map_err(Flow::raw)?;
    }
    if let Some(Value::Hash(references)) = init.get_str("references") {
        let name = name.unwrap_or_default();
        check_references(name, init, references)?;
        for (_, reference) in references.entries() {
            if let Value::Hash(reference) = reference {
                resolve_reference(context, name, *reference)?;
            }
        }
    }
    Ok(Type::TypeSet { name, init: Some(init) })
}
