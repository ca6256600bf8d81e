//! Names of types: the bare name a type has whatever its parameters.

use crate::budget;
use crate::types::guard::OneSided;
use crate::types::ty::Type;

/// The name without parameters; an alias and an Object type have their own (Ruby: `name`).
pub fn name<'c>(ty: &'c Type<'c>) -> &'c str {
    match ty {
        Type::Alias(alias) => alias.name,
        Type::Object { name: Some(name), .. } | Type::TypeSet { name: Some(name), .. } => name,
        Type::TypeSet { name: None, .. } => "DefaultTypeSet",
        Type::ObjectExtension { base, .. } => name(base),
        _ => simple_name(ty),
    }
}

/// The name of the kind of type (Ruby: `simple_name`).
pub fn simple_name<'c>(ty: &Type<'c>) -> &'static str {
    match ty {
        Type::Any => "Any",
        Type::Unit => "Unit",
        Type::Undef => "Undef",
        Type::Default => "Default",
        Type::Scalar => "Scalar",
        Type::ScalarData => "ScalarData",
        Type::Numeric => "Numeric",
        Type::Integer(_) => "Integer",
        Type::Float { .. } => "Float",
        Type::Boolean(_) => "Boolean",
        Type::String { .. } | Type::StringValue(_) => "String",
        Type::Enum { .. } => "Enum",
        Type::Pattern(_) => "Pattern",
        Type::Regexp(_) => "Regexp",
        Type::Collection(_) => "Collection",
        Type::Array { .. } => "Array",
        Type::Tuple { .. } => "Tuple",
        Type::Hash { .. } => "Hash",
        Type::Struct(_) => "Struct",
        Type::Optional(_) => "Optional",
        Type::NotUndef(_) => "NotUndef",
        Type::Variant(_) => "Variant",
        Type::Sensitive(_) => "Sensitive",
        Type::Type(_) => "Type",
        Type::Iterable(_) => "Iterable",
        Type::Iterator(_) => "Iterator",
        Type::Callable(_) => "Callable",
        Type::CatalogEntry => "CatalogEntry",
        Type::Class(_) => "Class",
        Type::Resource { .. } => "Resource",
        Type::Binary => "Binary",
        Type::Timestamp { .. } => "Timestamp",
        Type::Timespan { .. } => "Timespan",
        Type::SemVer(_) => "SemVer",
        Type::SemVerRange => "SemVerRange",
        Type::Uri(_) => "URI",
        Type::Runtime { .. } => "Runtime",
        Type::Init { .. } => "Init",
        Type::Object { .. } | Type::ObjectExtension { .. } => "Object",
        Type::TypeSet { .. } => "TypeSet",
        Type::Alias(_) => "TypeAlias",
        Type::Reference(_) => "TypeReference",
    }
}

/// Whether every value of the type can be called, but for `undef`.
pub fn is_callable<'c>(ty: &'c Type<'c>) -> bool {
    fn check<'c>(ty: &'c Type<'c>, walk: &mut OneSided<'c>) -> bool {
        match ty {
            Type::Callable(_) => true,
            Type::Optional(inner) => budget::within(1, || check(inner, walk)),
            Type::Variant(types) => budget::within(types.len(), || types.iter().all(|ty| check(ty, walk))),
            Type::Alias(alias) => {
                budget::within(1, || walk.target(alias, false, |walk, target| check(target, walk)))
            }
            _ => false,
        }
    }
    check(ty, &mut OneSided::default())
}

/// What is said of a name that means no type. Puppet finds `TypeReference` and loses it again under a name of
/// its own.
pub(crate) fn unresolved(name: &str) -> String {
    let name = if name == "TypeReference" { "UnresolvedReference" } else { name };
    format!("Resource type not found: {name}")
}
