//! Names of types: the bare name a type has whatever its parameters.

use super::guard::OneSided;
use super::{Type, equal};
use crate::budget;

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

/// The general form of a type as text: as [`super::print()`] of [`super::generalize()`], without an arena for it.
pub fn general_text<'c>(ty: &'c Type<'c>) -> String {
    budget::within(equal::parts(ty), || general_text_of(ty))
}

fn general_text_of<'c>(ty: &'c Type<'c>) -> String {
    let all = |types: &[&'c Type<'c>]| -> Vec<String> { types.iter().map(|ty| general_text(ty)).collect() };
    match ty {
        Type::Variant(types) => {
            let mut texts = all(types);
            let mut seen = Vec::new();
            texts.retain(|text| {
                !seen.contains(text) && {
                    seen.push(text.clone());
                    true
                }
            });
            match &texts[..] {
                [one] => one.clone(),
                texts => format!("Variant[{}]", texts.join(", ")),
            }
        }
        Type::Tuple { types, size } if !types.is_empty() => {
            let mut texts = all(types);
            if let Some(size) = size {
                texts.extend([size.min, size.max].into_iter().flatten().map(|n| n.to_string()));
            }
            format!("Tuple[{}]", texts.join(", "))
        }
        Type::Array { element, .. } if !matches!(element, Type::Any | Type::Unit) => {
            format!("Array[{}]", general_text(element))
        }
        Type::Hash { key, value, .. } if !matches!(value, Type::Any | Type::Unit) => {
            format!("Hash[{}, {}]", general_text(key), general_text(value))
        }
        Type::Type(_) | Type::Resource { .. } | Type::Class(_) | Type::Object { .. } | Type::Alias(_) => {
            super::print(ty)
        }
        ty => simple_name(ty).to_owned(),
    }
}

/// The type an alias stands for, through any number of aliases; the type itself otherwise. An alias that is
/// still being resolved stays as it is.
pub fn resolved<'c>(mut ty: &'c Type<'c>) -> &'c Type<'c> {
    // It ends: an alias of nothing but aliases gets no target.
    while let Type::Alias(alias) = ty {
        match alias.target.get() {
            Some(target) => ty = target,
            None => break,
        }
    }
    ty
}

/// Whether every value of the type can be called; `Optional[Callable]` counts when `optional`.
pub fn is_callable<'c>(ty: &'c Type<'c>, optional: bool) -> bool {
    fn check<'c>(ty: &'c Type<'c>, optional: bool, walk: &mut OneSided<'c>) -> bool {
        match ty {
            Type::Callable(_) => true,
            Type::Optional(inner) => optional && budget::within(1, || check(inner, optional, walk)),
            Type::Variant(types) => {
                budget::within(types.len(), || types.iter().all(|ty| check(ty, optional, walk)))
            }
            Type::Alias(alias) => {
                budget::within(1, || walk.target(alias, false, |walk, target| check(target, optional, walk)))
            }
            _ => false,
        }
    }
    check(ty, optional, &mut OneSided::default())
}
