//! The general form of a type as text, without an arena for the type itself.

use crate::budget;
use crate::types::equal::parts;
use crate::types::name::simple_name;
use crate::types::print::print;
use crate::types::ty::Type;

/// The general form of a type as text: as [`print()`] of [`generalize`](crate::types::generalize()), without an arena
/// for it.
pub fn general_text<'c>(ty: &'c Type<'c>) -> String {
    budget::within(parts(ty), || general_text_of(ty))
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
            print(ty)
        }
        ty => simple_name(ty).to_owned(),
    }
}
