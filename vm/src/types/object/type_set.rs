//! Type sets: what `TypeSet[{…}]` may hold. Source: `Puppet::Pops::Types::PTypeSetType` for the rules.

use crate::error::{Eval, Flow};
use crate::types::mismatch::assert_instance;
use crate::types::{Type, parse_with};
use crate::value::{Hash, Value};
use crate::vm::Vm;

const NAME: &str = "Pattern[/\\A[A-Z][\\w]*(?:::[A-Z][\\w]*)*\\z/]";
const SIMPLE: &str = "Pattern[/\\A[A-Z]\\w*\\z/]";
const ANNOTATIONS: &str = "Optional[Hash[Type[Annotation], Hash[Pattern[/\\A[a-z_]\\w*\\z/], Any]]]";

/// Fails unless the set that is referred to is there, in a version that is wanted.
fn resolve_reference<'c>(vm: &mut Vm<'c>, set: &str, reference: Hash<'c>) -> Eval<'c, ()> {
    let text = |key: &str| reference.get_str(key).map(crate::format::to_interpolated).unwrap_or_default();
    let (name, wanted) = (text("name"), text("version_range"));
    let start = format!("TypeSet '{set}' reference to TypeSet named '{name}'");
    match crate::types::by_name(vm, &name)? {
        Type::TypeSet { init: Some(init), .. } => {
            let version = init.get_str("version").map(crate::format::to_interpolated).unwrap_or_default();
            if crate::semver::range_includes(&wanted, &version) {
                return Ok(());
            }
            Err(Flow::raw(format!(
                "{start} resolves to an incompatible version. Expected {wanted}, got {version}"
            )))
        }
        Type::Reference(_) => Err(Flow::raw(format!("{start} cannot be resolved"))),
        other => {
            let other = crate::types::print(other);
            Err(Flow::raw(format!("{start} resolves to a {other}")))
        }
    }
}

/// The type set a hash defines. `name` is what a `type` statement calls it.
///
/// # Errors
/// For a hash of another shape; a version of Pcore that is not 1.x.
pub fn define_set<'c>(vm: &mut Vm<'c>, name: Option<&'c str>, init: Hash<'c>) -> Eval<'c, Type<'c>> {
    if init.get_str("name_authority").is_none() && init.get_str("types").is_some() && name.is_none() {
        return Err(Flow::raw(format!(
            "No 'name_authority' is declared in TypeSet '{}' and it cannot be inferred",
            init.get_str("name").and_then(Value::as_str).unwrap_or_default()
        )));
    }
    let reference = format!(
        "Struct[{{name => {NAME}, version_range => Variant[String[1], SemVerRange], \
         Optional[name_authority] => Variant[URI, String], Optional[annotations] => {ANNOTATIONS}}}]"
    );
    let shape = format!(
        "Struct[{{Optional[pcore_uri] => Variant[URI, String], pcore_version => Variant[String[1], SemVer], \
         Optional[name_authority] => Variant[URI, String], Optional[name] => {NAME}, \
         Optional[version] => Variant[String[1], SemVer], \
         Optional[types] => Hash[{SIMPLE}, Variant[Type, Hash], 1], \
         Optional[references] => Hash[{SIMPLE}, {reference}, 1], Optional[annotations] => {ANNOTATIONS}}}]"
    );
    let shape = parse_with(vm, &shape, &[])?;
    assert_instance(vm, "TypeSet initializer", shape, Value::Hash(init))?;
    let name = name.or_else(|| init.get_str("name").and_then(Value::as_str));
    let version = init.get_str("pcore_version").map(crate::format::to_interpolated).unwrap_or_default();
    let known = crate::semver::range_includes("1.x", &version);
    if !known {
        return Err(Flow::raw(format!(
            "The pcore version for TypeSet '{}' is not understood by this runtime. Expected range 1.x, got {version}",
            name.unwrap_or_default()
        )));
    }
    if let Some(Value::Str(version)) = init.get_str("version") {
        crate::semver::Version::parse(&version).map_err(Flow::raw)?;
    }
    if let Some(Value::Hash(references)) = init.get_str("references") {
        for (_, reference) in references.entries() {
            if let Value::Hash(reference) = reference {
                resolve_reference(vm, name.unwrap_or_default(), *reference)?;
            }
        }
    }
    Ok(Type::TypeSet { name, init: Some(init) })
}
