//! What `new` can make of what, as far as types alone tell: which types have a constructor, and what it takes as a
//! single argument.

use crate::types::build::enumeration;
use crate::types::check_fault::note;
use crate::types::definition::constructor;
use crate::types::print::print;
use crate::types::ty::{Range, StructMember, Type, resolved};
use bumpalo::Bump;

type Types<'c> = Vec<&'c Type<'c>>;

/// Whether an `Init` may be of this type, as far as the type alone tells.
pub(crate) fn is_constructible(ty: &Type<'_>) -> bool {
    fn has_constructor(ty: &Type<'_>) -> bool {
        match ty {
            Type::Integer(_)
            | Type::Float { .. }
            | Type::Numeric
            | Type::Boolean(_)
            | Type::String { .. }
            | Type::StringValue(_)
            | Type::Array { .. }
            | Type::Tuple { .. }
            | Type::Hash { .. }
            | Type::Struct(_)
            | Type::Regexp(_)
            | Type::Sensitive(_)
            | Type::Timestamp { .. }
            | Type::Timespan { .. }
            | Type::SemVer(_)
            | Type::SemVerRange
            | Type::Binary
            | Type::Uri(_)
            | Type::Type(_)
            | Type::NotUndef(Type::Any)
            | Type::ObjectExtension { .. }
            | Type::Init { ty: Some(_), .. } => true,
            Type::Object { name, definition, .. } => {
                definition.is_some() || matches!(name, Some("Error" | "Deferred" | "Puppet::LookupContext"))
            }
            Type::Optional(inner) if !inner.is_unit() => has_constructor(inner),
            Type::NotUndef(inner) => has_constructor(inner),
            // One that is still being resolved is not asked yet.
            Type::Alias(alias) => alias.target.get().is_none_or(has_constructor),
            _ => false,
        }
    }
    !matches!(ty, Type::Init { .. } | Type::Optional(_) | Type::NotUndef(_)) && has_constructor(ty)
}

/// What `new` of a type takes as a single argument, or as an array of several: what `Init[T]` accepts beside
/// `T` itself.
pub(super) fn init_types<'c>(arena: &'c Bump, ty: &'c Type<'c>) -> Vec<&'c Type<'c>> {
    use crate::types::ty::Type::*;
    const NUMBER: &str = "\\A[+-]?\\s*(?:(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE]-?\\d+)?|(?:0[xX][0-9A-Fa-f]+)|\
                          (?:0[0-7]+)|(?:0[bB][01]+))\\z";
    const INTEGER: &str = "\\A[+-]?\\s*(?:(?:\\d+)|(?:0[xX][0-9A-Fa-f]+)|(?:0[bB][01]+))\\z";
    // What a number is made of, and the same by name.
    let convertible = |pattern: &'static str, more: &[StructMember<'c>]| -> Types<'c> {
        let mut all: Types<'c> = vec![
            &Numeric,
            &Boolean(None),
            Pattern(arena.alloc_slice_copy(&[pattern])).alloc(arena),
            &Timespan { from: None, to: None },
            &Timestamp { from: None, to: None },
        ];
        let from = Variant(arena.alloc_slice_copy(&all)).alloc(arena);
        let mut members = vec![StructMember { name: "from", optional: false, value: from }];
        members.extend_from_slice(more);
        members.push(StructMember { name: "abs", optional: true, value: &Boolean(None) });
        all.push(Struct(arena.alloc_slice_copy(&members)).alloc(arena));
        all
    };
    const fn exactly<'c>(n: i64) -> crate::types::ty::Type<'c> {
        Integer(Range::exactly(n))
    }
    let radix = Variant(arena.alloc_slice_copy(&[
        &Default,
        exactly(2).alloc(arena),
        exactly(8).alloc(arena),
        exactly(10).alloc(arena),
        exactly(16).alloc(arena),
    ]));
    let radix = StructMember { name: "radix", optional: true, value: radix.alloc(arena) };
    match resolved(ty) {
        Integer(_) => convertible(INTEGER, &[radix]),
        Float { .. } | Numeric => convertible(NUMBER, &[]),
        Boolean(_) => {
            vec![&Numeric, enumeration(arena, &["false", "true", "yes", "no", "y", "n"], true)]
        }
        String { .. } | StringValue(_) | Sensitive(_) => vec![&Any],
        Array { .. } | Tuple { .. } => vec![
            &Array { element: &Any, size: Range::ANY },
            &Hash { key: &Any, value: &Any, size: Range::ANY },
            &Binary,
            &Iterable(&Unit),
        ],
        Hash { .. } | Struct(_) => vec![&Any],
        Timestamp { .. } | Timespan { .. } => {
            vec![
                &Integer(Range::ANY),
                &Float { min: None, max: None },
                &String { size: Range { min: Some(1), max: None } },
            ]
        }
        Type(_) | SemVerRange | Uri(_) | SemVer(_) => {
            vec![&String { size: Range { min: Some(1), max: None } }]
        }
        Binary | Regexp(_) => vec![&String { size: Range::ANY }],
        Object { definition: Some(_), .. } => {
            let members = constructor(resolved(ty));
            let members = members.into_iter();
            let members: Vec<_> = members
                .map(|(name, value, default)| StructMember { name, optional: default.is_some(), value })
                .collect();
            vec![Struct(arena.alloc_slice_copy(&members)).alloc(arena)]
        }
        _ => Vec::new(),
    }
}

/// Notes that no `Init` can be of this type.
pub(super) fn note_unsupported(ty: &Type<'_>) {
    note(|| unsupported(ty));
}

/// What is said of a type that has no constructor.
pub(super) fn unsupported(ty: &Type<'_>) -> String {
    format!("Creation of new instance of type '{}' is not supported", print(ty))
}
