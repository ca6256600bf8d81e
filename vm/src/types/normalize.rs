//! Normal form: `Variant`s flat, their ranges, enums and patterns merged, `Optional` pulled outwards.

use crate::budget;
use crate::types::build::{enumeration, pattern, variant};
use crate::types::check_fault;
use crate::types::conversion::{is_constructible, note_unsupported};
use crate::types::equal::{self, equal};
use crate::types::name::simple_name;
use crate::types::ty::{Range, Type};
use crate::types::undef::takes_undef;
use crate::types::walk::{each_part_written, map_parts};
use bumpalo::Bump;

/// The normal form that aliases and mismatch messages use.
pub fn normalize<'c>(arena: &'c Bump, ty: &'c Type<'c>) -> &'c Type<'c> {
    budget::within(equal::parts(ty), || normalize_parts(arena, ty))
}

fn normalize_parts<'c>(arena: &'c Bump, ty: &'c Type<'c>) -> &'c Type<'c> {
    match ty {
        Type::Collection(_) => &Type::Collection(Range::ANY),
        Type::Array { element: Type::Any, .. } => ty,
        Type::Optional(inner) if !inner.is_unit() => {
            let inner = normalize(arena, inner);
            match inner {
                Type::NotUndef(kept) => normalize(arena, Type::Optional(kept).alloc(arena)),
                _ if takes_undef(inner, &can_be_made) => inner,
                _ => Type::Optional(inner).alloc(arena),
            }
        }
        Type::NotUndef(inner) if !matches!(inner, Type::Any) => {
            let inner = normalize(arena, inner);
            match inner {
                Type::Optional(kept) => normalize(arena, Type::NotUndef(kept).alloc(arena)),
                _ if !takes_undef(inner, &can_be_made) => inner,
                _ => Type::NotUndef(inner).alloc(arena),
            }
        }
        Type::Init { ty: Some(inner), .. } => {
            // Puppet's way to make another `Init` of a type in normal form fails.
            if !is_kept(inner) || !equal(normalize(arena, inner), inner) {
                check_fault::note(|| "wrong number of arguments (given 1, expected 2)".to_owned());
            }
            ty
        }
        Type::Variant(types) if !types.is_empty() => {
            normalize_variant(arena, ty, types.iter().map(|ty| normalize(arena, ty)).collect())
        }
        _ => map_parts(arena, ty, &|part| normalize(arena, part)),
    }
}

/// Whether Puppet takes a type's normal form for the very same type, if it is equal: it makes hashes with a size
/// anew, and `NotUndef` without a type.
fn is_kept<'c>(ty: &'c Type<'c>) -> bool {
    let mut kept = true;
    each_part_written(ty, &mut |part| kept = kept && is_kept(part));
    kept && match ty {
        Type::Hash { size: Range { min: Some(0), max: Some(0) }, .. } => true,
        Type::Hash { size, .. } | Type::Collection(size) => size.is_unbounded(),
        Type::NotUndef(Type::Any) => false,
        _ => true,
    }
}

fn normalize_variant<'c>(
    arena: &'c Bump,
    original: &'c Type<'c>,
    mut types: Vec<&'c Type<'c>>,
) -> &'c Type<'c> {
    if let [only] = types[..] {
        return only;
    }
    if types.iter().any(|ty| matches!(ty, Type::Undef | Type::Optional(_))) {
        let rest: Vec<_> = types
            .iter()
            .filter(|ty| !matches!(ty, Type::Undef))
            .map(|ty| if let Type::Optional(inner) = ty { inner } else { *ty })
            .collect();
        return normalize(arena, Type::Optional(variant(arena, &rest)).alloc(arena));
    }
    let before: &[&'c Type<'c>] = if let Type::Variant(before) = original { before } else { &[] };
    let unchanged = before.len() == types.len() && before.iter().zip(&types).all(|(a, b)| equal(a, b));
    types = match variant(arena, &types) {
        Type::Variant(flat) => flat.to_vec(),
        only => return only,
    };
    let flat = types.len();
    types = swap_not_undefs(arena, types);
    types = merge_enums(arena, types);
    types = merge_patterns(arena, types);
    types = merge_versions(arena, types);
    types = merge_ranges(arena, types);
    match &types[..] {
        [only] => only,
        // Where nothing was merged the order stays as written.
        types if unchanged && types.len() == flat => original,
        types => variant(arena, types),
    }
}

type Types<'c> = Vec<&'c Type<'c>>;

/// Takes the types apart; when at least two are `chosen`, `merge` makes one of them, put at the end.
fn merge<'c>(
    types: Types<'c>,
    chosen: impl Fn(&Type<'c>) -> bool,
    merge: impl FnOnce(&[&'c Type<'c>]) -> &'c Type<'c>,
) -> Types<'c> {
    if types.iter().filter(|ty| chosen(ty)).count() < 2 {
        return types;
    }
    let (picked, mut rest): (Types<'c>, Types<'c>) = types.into_iter().partition(|ty| chosen(ty));
    rest.push(merge(&picked));
    rest
}

fn swap_not_undefs<'c>(arena: &'c Bump, types: Types<'c>) -> Types<'c> {
    merge(
        types,
        |ty| matches!(ty, Type::NotUndef(_)),
        |picked| {
            let inner: Vec<_> =
                picked.iter().map(|ty| if let Type::NotUndef(inner) = ty { inner } else { *ty }).collect();
            Type::NotUndef(normalize(arena, variant(arena, &inner))).alloc(arena)
        },
    )
}

fn merge_enums<'c>(arena: &'c Bump, types: Types<'c>) -> Types<'c> {
    let exact = |ty: &Type<'c>| match ty {
        Type::Enum { values, ignore_case } => !values.is_empty() && !ignore_case,
        Type::StringValue(_) => true,
        _ => false,
    };
    let types = merge(types, exact, |picked| {
        let mut all = Vec::new();
        for ty in picked {
            match ty {
                Type::Enum { values, .. } => all.extend_from_slice(values),
                Type::StringValue(value) => all.push(*value),
                _ => {}
            }
        }
        enumeration(arena, &all, false)
    });
    let folded = |ty: &Type<'c>| matches!(ty, Type::Enum { values: [_, ..], ignore_case: true });
    merge(types, folded, |picked| {
        let mut all: Vec<&'c str> = Vec::new();
        for ty in picked {
            if let Type::Enum { values, .. } = ty {
                all.extend(values.iter().map(|v| &*arena.alloc_str(&v.to_lowercase())));
            }
        }
        enumeration(arena, &all, true)
    })
}

fn merge_patterns<'c>(arena: &'c Bump, types: Types<'c>) -> Types<'c> {
    merge(
        types,
        |ty| matches!(ty, Type::Pattern(_)),
        |picked| {
            let all: Vec<_> = picked
                .iter()
                .flat_map(|ty| if let Type::Pattern(sources) = ty { sources.to_vec() } else { Vec::new() })
                .collect();
            pattern(arena, &all)
        },
    )
}

fn merge_versions<'c>(arena: &'c Bump, types: Types<'c>) -> Types<'c> {
    merge(
        types,
        |ty| matches!(ty, Type::SemVer(_)),
        |picked| {
            let all: Vec<&'c str> = picked
                .iter()
                .flat_map(|ty| if let Type::SemVer(ranges) = ty { ranges.to_vec() } else { Vec::new() })
                .collect();
            Type::SemVer(crate::semver::merge(arena, &all)).alloc(arena)
        },
    )
}

/// Joins ranges of the same kind of number or time that meet, as Puppet does: those go to the front.
fn merge_ranges<'c>(arena: &'c Bump, mut types: Types<'c>) -> Types<'c> {
    for kind in ["Integer", "Float", "Timespan", "Timestamp"] {
        let is_kind = |ty: &Type<'c>| simple_name(ty) == kind;
        if types.iter().filter(|ty| is_kind(ty)).count() < 2 {
            continue;
        }
        let (mut ranges, rest): (Types<'c>, Types<'c>) = types.into_iter().partition(|ty| is_kind(ty));
        let mut result: Types<'c> = Vec::new();
        while let Some(first) = ranges.pop() {
            let mut joined = first;
            let mut apart = Vec::new();
            for other in ranges {
                match join(arena, joined, other) {
                    Some(ty) => joined = ty,
                    None => apart.push(other),
                }
            }
            result.push(joined);
            ranges = apart;
        }
        result.extend(rest);
        types = result;
    }
    types
}

fn join<'c>(arena: &'c Bump, a: &'c Type<'c>, b: &'c Type<'c>) -> Option<&'c Type<'c>> {
    fn lower<T: PartialOrd>(a: Option<T>, b: Option<T>) -> Option<T> {
        a.zip(b).map(|(a, b)| if a <= b { a } else { b })
    }
    fn upper<T: PartialOrd>(a: Option<T>, b: Option<T>) -> Option<T> {
        a.zip(b).map(|(a, b)| if a >= b { a } else { b })
    }
    fn apart<T: PartialOrd>(to: Option<T>, from: Option<T>) -> bool {
        to.zip(from).is_some_and(|(to, from)| to < from)
    }
    match (a, b) {
        (Type::Integer(a), Type::Integer(b)) => {
            let adjacent = |x: &Range, y: &Range| {
                x.max.zip(y.min).is_some_and(|(max, min)| max.checked_add(1) == Some(min))
            };
            let meet = !(apart(a.max, b.min) || apart(b.max, a.min)) || adjacent(a, b) || adjacent(b, a);
            meet.then(|| Type::Integer(a.hull(*b)).alloc(arena))
        }
        (Type::Float { min, max }, Type::Float { min: other_min, max: other_max }) => {
            (!(apart(*max, *other_min) || apart(*other_max, *min))).then(|| {
                Type::Float { min: lower(*min, *other_min), max: upper(*max, *other_max) }.alloc(arena)
            })
        }
        (Type::Timespan { from, to }, Type::Timespan { from: other_from, to: other_to }) => {
            (!(apart(*to, *other_from) || apart(*other_to, *from))).then(|| {
                Type::Timespan { from: lower(*from, *other_from), to: upper(*to, *other_to) }.alloc(arena)
            })
        }
        (Type::Timestamp { from, to }, Type::Timestamp { from: other_from, to: other_to }) => {
            (!(apart(*to, *other_from) || apart(*other_to, *from))).then(|| {
                Type::Timestamp { from: lower(*from, *other_from), to: upper(*to, *other_to) }.alloc(arena)
            })
        }
        _ => None,
    }
}

/// Whether a type has a constructor; that it has none is noted.
fn can_be_made(ty: &Type<'_>) -> bool {
    let found = is_constructible(ty);
    if !found {
        note_unsupported(ty);
    }
    found
}
