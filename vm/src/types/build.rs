//! Puppet's own types by name, and types made from others: what Puppet's type factory does.

use crate::names;
use crate::types::equal::equal;
use crate::types::quote::capitalize_segments;
use crate::types::ty::{Alias, CallableType, Range, Type};
use crate::value::Value;
use bumpalo::Bump;
use hashbrown::HashTable;

/// The built-in type of a capitalised name: Pcore's own, `Data` and `RichData`, `Error` and `Deferred`.
pub fn builtin<'c>(arena: &'c Bump, name: &str) -> Option<&'c Type<'c>> {
    // Type names do not differ by case: `SemVer` and `Semver` are one.
    let mut lower = [0u8; 24];
    let bytes = name.as_bytes();
    let lower = lower.get_mut(..bytes.len())?;
    lower.copy_from_slice(bytes);
    lower.make_ascii_lowercase();
    let ty: &'c Type<'c> = match &*lower {
        b"any" => &Type::Any,
        b"undef" => &Type::Undef,
        b"default" => &Type::Default,
        b"scalar" => &Type::Scalar,
        b"scalardata" => &Type::ScalarData,
        b"numeric" => &Type::Numeric,
        b"integer" => &Type::Integer(Range::ANY),
        b"float" => &Type::Float { min: None, max: None },
        b"boolean" => &Type::Boolean(None),
        b"string" => &Type::String { size: Range::ANY },
        b"enum" => &Type::Enum { values: &[], ignore_case: false },
        b"pattern" => &Type::Pattern(&[]),
        b"regexp" => &Type::Regexp(None),
        b"collection" => &Type::Collection(Range::ANY),
        b"array" => &Type::Array { element: &Type::Any, size: Range::ANY },
        b"tuple" => &Type::Tuple { types: &[], size: None },
        b"hash" => &Type::Hash { key: &Type::Any, value: &Type::Any, size: Range::ANY },
        b"struct" => &Type::Struct(&[]),
        b"optional" => &Type::Optional(&Type::Unit),
        b"notundef" => &Type::NotUndef(&Type::Any),
        b"variant" => &Type::Variant(&[]),
        b"sensitive" => &Type::Sensitive(&Type::Any),
        b"type" => &Type::Type(&Type::Unit),
        b"iterable" => &Type::Iterable(&Type::Unit),
        b"iterator" => &Type::Iterator(&Type::Unit),
        b"callable" => &Type::Callable(CallableType::ANY),
        b"catalogentry" => &Type::CatalogEntry,
        b"class" => &Type::Class(None),
        b"resource" => &Type::Resource { type_name: None, title: None, held: false },
        b"binary" => &Type::Binary,
        b"timestamp" => &Type::Timestamp { from: None, to: None },
        b"timespan" => &Type::Timespan { from: None, to: None },
        b"semver" => &Type::SemVer(&[]),
        b"semverrange" => &Type::SemVerRange,
        b"uri" => &Type::Uri(None),
        b"runtime" => &Type::Runtime { runtime: None, name: None },
        b"init" => &Type::Init { ty: None, args: &[] },
        b"object" => &Type::Object { name: None, parent: None, definition: None },
        b"typeset" => &Type::TypeSet { name: None, init: None },
        b"typealias" => {
            return Some(named_alias(arena, "UnresolvedAlias", &Type::Reference("UnresolvedReference")));
        }
        b"typereference" => &Type::Reference("UnresolvedReference"),
        b"pcore" => &Type::Object { name: Some("Pcore"), parent: None, definition: None },
        b"annotation" => &Type::Object { name: Some("Annotation"), parent: None, definition: None },
        b"error" => &Type::Object { name: Some("Error"), parent: None, definition: None },
        b"deferred" => &Type::Object { name: Some("Deferred"), parent: None, definition: None },
        b"data" => return Some(data(arena)),
        b"richdata" => return Some(rich_data(arena)),
        b"richdatakey" => return Some(rich_data_key(arena)),
        b"pcore::membername" => {
            return Some(named_alias(arena, "Pcore::MemberName", &Type::Pattern(&["\\A[a-z_]\\w*\\z"])));
        }
        b"puppet::lookupkey" => return Some(named_alias(arena, "Puppet::LookupKey", rich_data_key(arena))),
        b"puppet::lookupvalue" => return Some(named_alias(arena, "Puppet::LookupValue", rich_data(arena))),
        _ => return None,
    };
    Some(ty)
}

/// Whether a name is that of a type of the language that is made of other types and literals alone: nothing needs to be
/// looked up to make one, or to tell its instances.
pub fn is_core(name: &str) -> bool {
    matches!(
        name,
        "Any"
            | "Array"
            | "Binary"
            | "Boolean"
            | "Callable"
            | "Collection"
            | "Data"
            | "Default"
            | "Enum"
            | "Float"
            | "Hash"
            | "Integer"
            | "Iterable"
            | "Iterator"
            | "NotUndef"
            | "Numeric"
            | "Optional"
            | "Pattern"
            | "Regexp"
            | "RichData"
            | "Scalar"
            | "ScalarData"
            | "SemVer"
            | "Sensitive"
            | "String"
            | "Struct"
            | "Timespan"
            | "Timestamp"
            | "Tuple"
            | "Undef"
            | "Variant"
    )
}

fn named_alias<'c>(arena: &'c Bump, name: &'c str, target: &'c Type<'c>) -> &'c Type<'c> {
    Type::Alias(arena.alloc(Alias::of(name, target))).alloc(arena)
}

fn recursive<'c>(
    arena: &'c Bump,
    name: &'c str,
    body: impl FnOnce(&'c Type<'c>) -> &'c Type<'c>,
) -> &'c Type<'c> {
    let alias: &'c Alias<'c> = arena.alloc(Alias::new(name));
    let ty = Type::Alias(alias).alloc(arena);
    alias.found(body(ty));
    ty
}

/// `Data`
pub fn data<'c>(arena: &'c Bump) -> &'c Type<'c> {
    recursive(arena, "Data", |data| {
        let hash = Type::Hash { key: &Type::String { size: Range::ANY }, value: data, size: Range::ANY }
            .alloc(arena);
        let array = Type::Array { element: data, size: Range::ANY }.alloc(arena);
        variant(arena, &[&Type::ScalarData, &Type::Undef, hash, array])
    })
}

fn rich_data_key<'c>(arena: &'c Bump) -> &'c Type<'c> {
    let types = [&Type::String { size: Range::ANY }, &Type::Numeric];
    named_alias(arena, "RichDataKey", variant(arena, &types))
}

/// `RichData`
pub fn rich_data<'c>(arena: &'c Bump) -> &'c Type<'c> {
    recursive(arena, "RichData", |rich| {
        let hash = Type::Hash { key: rich_data_key(arena), value: rich, size: Range::ANY }.alloc(arena);
        let array = Type::Array { element: rich, size: Range::ANY }.alloc(arena);
        let types = [
            &Type::Scalar,
            &Type::SemVerRange,
            &Type::Binary,
            &Type::Sensitive(&Type::Any),
            &Type::Type(&Type::Unit),
            &Type::TypeSet { name: None, init: None },
            &Type::Uri(None),
            &Type::Object { name: None, parent: None, definition: None },
            &Type::Undef,
            &Type::Default,
            hash,
            array,
        ];
        variant(arena, &types)
    })
}

/// `Variant[…]`, flat and without repetition; a single type stays itself.
pub fn variant<'c>(arena: &'c Bump, types: &[&'c Type<'c>]) -> &'c Type<'c> {
    /// More are told apart by their hashes.
    const FEW: usize = 16;
    let mut flat: Vec<&'c Type<'c>> = Vec::with_capacity(types.len());
    let mut index: HashTable<(u64, u32)> = HashTable::new();
    let mut add = |ty: &'c Type<'c>| {
        if flat.len() < FEW {
            if !flat.iter().any(|t| equal(t, ty)) {
                flat.push(ty);
            }
            return;
        }
        for (number, known) in flat.iter().enumerate().skip(index.len()) {
            let code = Value::Type(known).hash_code();
            index.insert_unique(code, (code, number as u32), |(code, _)| *code);
        }
        let code = Value::Type(ty).hash_code();
        if index.find(code, |(other, at)| *other == code && equal(flat[*at as usize], ty)).is_none() {
            flat.push(ty);
        }
    };
    for ty in types {
        match ty {
            Type::Variant(inner) => inner.iter().for_each(|t| add(t)),
            _ => add(ty),
        }
    }
    match flat[..] {
        [only] => only,
        _ => Type::Variant(arena.alloc_slice_copy(&flat)).alloc(arena),
    }
}

/// `Optional[T]`
pub fn optional<'c>(arena: &'c Bump, ty: &'c Type<'c>) -> &'c Type<'c> {
    Type::Optional(ty).alloc(arena)
}

/// `Enum[…]`: values sorted, each once.
pub fn enumeration<'c>(arena: &'c Bump, values: &[&'c str], ignore_case: bool) -> &'c Type<'c> {
    let mut values = values.to_vec();
    values.sort_unstable();
    values.dedup();
    Type::Enum { values: arena.alloc_slice_copy(&values), ignore_case }.alloc(arena)
}

/// `Pattern[…]`, each once.
pub fn pattern<'c>(arena: &'c Bump, sources: &[&'c str]) -> &'c Type<'c> {
    let mut all: Vec<&'c str> = Vec::new();
    for source in sources {
        if !all.contains(source) {
            all.push(source);
        }
    }
    Type::Pattern(arena.alloc_slice_copy(&all)).alloc(arena)
}

/// `File['/x']`: the name's segments are capitalised.
pub fn resource<'c>(arena: &'c Bump, type_name: &str, title: Option<&str>) -> &'c Type<'c> {
    let type_name = arena.alloc_str(&capitalize_segments(type_name));
    let title = title.map(|t| &*arena.alloc_str(t));
    Type::Resource { type_name: Some(type_name), title, held: false }.alloc(arena)
}

/// The reference to a resource, as code would write it: `File['/x']`, `Class['a::b']`.
pub fn reference<'c>(arena: &'c Bump, type_name: &str, title: &str) -> &'c Type<'c> {
    if type_name.eq_ignore_ascii_case("class") {
        let name = names::lower(title.strip_prefix("::").unwrap_or(title));
        return Type::Class(Some(arena.alloc_str(&name))).alloc(arena);
    }
    resource(arena, type_name, Some(title))
}

/// `Callable[…]` of parameters, a size and a block.
pub fn callable<'c>(
    arena: &'c Bump,
    params: &[&'c Type<'c>],
    size: Option<Range>,
    block: Option<&'c Type<'c>>,
    returns: Option<&'c Type<'c>>,
) -> &'c Type<'c> {
    let params = arena.alloc_slice_copy(params);
    let returns = returns.filter(|ty| !matches!(ty, Type::Any));
    Type::Callable(CallableType { params, size, block, returns, unspecified: false }).alloc(arena)
}
