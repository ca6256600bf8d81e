//! Assignability: whether every value of one type is a value of another.

use super::guard::{Guard, Guarded, Key, OneSided};
use super::{CallableType, Range, StructMember, Type, equal, resolved, simple_name, tuple_range, variant};
use crate::budget;
use crate::value::Value;
use crate::{regex, semver};
use bumpalo::Bump;

/// Whether every instance of `b` is one of `a`, by Puppet's rules.
pub fn is_assignable<'c>(arena: &'c Bump, a: &'c Type<'c>, b: &'c Type<'c>) -> bool {
    Assign { arena, guard: None }.check(a, b)
}

/// Whether two types are the same to `==`: equal, or each assignable to the other.
pub fn equivalent<'c>(arena: &'c Bump, a: &'c Type<'c>, b: &'c Type<'c>) -> bool {
    equal(a, b) || (is_assignable(arena, b, a) && is_assignable(arena, a, b))
}

/// Whether `undef` is an instance of the type.
pub(crate) fn accepts_undef(ty: &Type<'_>) -> bool {
    takes_undef(ty, false)
}

/// The same where Puppet asks an `Init` in it, too: that it has no constructor is noted.
pub(super) fn takes_undef(ty: &Type<'_>, notes: bool) -> bool {
    fn check<'c>(ty: &Type<'c>, notes: bool, walk: &mut OneSided<'c>) -> bool {
        match ty {
            Type::Any | Type::Unit | Type::Undef | Type::Optional(_) | Type::Init { ty: None, .. } => true,
            Type::Init { ty: Some(ty), .. } => {
                if notes && !super::new::is_constructible(ty) {
                    super::noted::note_unsupported(ty);
                    return false;
                }
                is_made_of_anything(ty) || budget::within(1, || check(ty, notes, walk))
            }
            Type::Variant(types) => {
                budget::within(types.len(), || types.iter().any(|ty| check(ty, notes, walk)))
            }
            Type::Alias(alias) => {
                budget::within(1, || walk.target(alias, false, |walk, target| check(target, notes, walk)))
            }
            _ => false,
        }
    }
    check(ty, notes, &mut OneSided::default())
}

/// Whether the type has a constructor that takes any value.
fn is_made_of_anything(ty: &Type<'_>) -> bool {
    match ty {
        Type::String { .. }
        | Type::StringValue(_)
        | Type::Sensitive(_)
        | Type::Hash { .. }
        | Type::Struct(_) => true,
        Type::Alias(alias) => alias.target.get().is_some_and(is_made_of_anything),
        _ => false,
    }
}

/// Whether iteration functions accept values of the type.
pub fn is_iterable<'c>(ty: &'c Type<'c>) -> bool {
    match resolved(ty) {
        Type::Enum { .. }
        | Type::Integer(_)
        | Type::String { .. }
        | Type::StringValue(_)
        | Type::Collection(_)
        | Type::Array { .. }
        | Type::Hash { .. }
        | Type::Tuple { .. }
        | Type::Struct(_)
        | Type::Iterable(_)
        | Type::Iterator(_) => true,
        Type::Type(Type::Enum { .. }) => true,
        Type::Type(Type::Integer(range)) => range.min.is_some() && range.max.is_some(),
        _ => false,
    }
}

/// The type of what iterating over a value of `ty` yields, where that is known.
pub fn iterable_element<'c>(arena: &'c Bump, ty: &'c Type<'c>) -> Option<&'c Type<'c>> {
    const ONE: Range = Range::exactly(1);
    const PAIR: Option<Range> = Some(Range::exactly(2));
    let pair =
        |key, value| Type::Tuple { types: arena.alloc_slice_copy(&[key, value]), size: PAIR }.alloc(arena);
    match resolved(ty) {
        Type::Type(inner @ Type::Enum { .. }) => Some(inner),
        Type::Type(inner @ Type::Integer(Range { min: Some(_), max: Some(_) })) => Some(inner),
        Type::Enum { .. } | Type::String { .. } | Type::StringValue(_) => Some(&Type::String { size: ONE }),
        Type::Integer(_) => Some(&Type::Integer(Range::ANY)),
        Type::Array { element: Type::Any, .. } => None,
        Type::Array { element, .. } => Some(element),
        Type::Hash { key: Type::Any, value: Type::Any, size } if size.is_unbounded() => {
            Some(pair(&Type::Unit, &Type::Unit))
        }
        Type::Hash { key, value, .. } => Some(pair(key, value)),
        Type::Struct([]) => Some(pair(&Type::Unit, &Type::Unit)),
        Type::Struct(members) => {
            let keys: Vec<_> = members.iter().map(|m| key_type(arena, m)).collect();
            let values: Vec<_> = members.iter().map(|m| m.value).collect();
            Some(pair(variant(arena, &keys), variant(arena, &values)))
        }
        Type::Tuple { types, .. } => Some(variant(arena, types)),
        Type::Iterable(inner) | Type::Iterator(inner) if !inner.is_unit() => Some(inner),
        _ => None,
    }
}

/// The type of a struct member's key: `String` of that very text, `Optional` of it where it may be missing.
pub(crate) fn key_type<'c>(arena: &'c Bump, member: &StructMember<'c>) -> &'c Type<'c> {
    let key = Type::StringValue(member.name).alloc(arena);
    if member.optional { Type::Optional(key).alloc(arena) } else { key }
}

struct Assign<'c> {
    arena: &'c Bump,
    guard: Option<Box<Guard<'c>>>,
}

impl<'c> Guarded<'c> for Assign<'c> {
    fn guard(&mut self) -> &mut Option<Box<Guard<'c>>> {
        &mut self.guard
    }
}

impl<'c> Assign<'c> {
    fn check(&mut self, a: &'c Type<'c>, b: &'c Type<'c>) -> bool {
        if std::ptr::eq(a, b) || a.is_unit() || b.is_unit() {
            return true;
        }
        budget::within(1, || match a {
            Type::Alias(alias) if alias.is_recursive() => {
                self.with_this(Key::alias(alias), |walk, again| again.in_both() || walk.by_right(a, b))
            }
            Type::Variant([]) if matches!(b, Type::Undef) => false,
            a => self.by_right(a, b),
        })
    }

    /// What the kind of `b` decides (Ruby: `PAnyType#assignable?`).
    fn by_right(&mut self, a: &'c Type<'c>, b: &'c Type<'c>) -> bool {
        match b {
            Type::Unit => true,
            Type::Alias(alias) => {
                let Some(target) = alias.target.get() else { return false };
                if !alias.is_recursive() {
                    return self.check(a, target);
                }
                self.with_guard(|walk| {
                    let again = walk.guard.get_or_insert_default().add_that(Key::alias(alias));
                    again.in_both() || walk.check(a, target)
                })
            }
            Type::Variant(types) => match a {
                Type::Any => true,
                Type::Variant([]) => true,
                Type::NotUndef(_) if types.is_empty() => self.by_left(a, b),
                _ => !types.is_empty() && types.iter().all(|ty| self.check(a, ty)),
            },
            Type::Optional(inner) => {
                accepts_undef(a) && (inner.is_unit() || self.anew(|walk| walk.check(a, inner)))
            }
            Type::NotUndef(inner) if !matches!(inner, Type::Any) && !accepts_undef(inner) => {
                self.check(a, inner)
            }
            _ => self.by_left(a, b),
        }
    }

    fn by_left(&mut self, a: &'c Type<'c>, b: &'c Type<'c>) -> bool {
        use super::Type::*;
        match a {
            Any | Unit => true,
            Undef => matches!(b, Undef),
            Default => matches!(b, Default),
            NotUndef(inner) => !accepts_undef(b) && (matches!(inner, Any) || self.check(inner, b)),
            Optional(inner) => matches!(b, Undef) || inner.is_unit() || self.check(inner, b),
            Variant(types) => types.iter().any(|ty| self.check(ty, b)),
            Scalar => {
                is_scalar_data(b)
                    || matches!(
                        b,
                        Scalar | Regexp(_) | SemVer(_) | SemVerRange | Timespan { .. } | Timestamp { .. }
                    )
            }
            ScalarData => is_scalar_data(b),
            Numeric => matches!(b, Numeric | Integer(_) | Float { .. }),
            Integer(range) => matches!(b, Integer(other) if range.covers(*other)),
            Float { min, max } => match b {
                Float { min: other_min, max: other_max } => {
                    min.is_none_or(|min| other_min.is_some_and(|o| min <= o))
                        && max.is_none_or(|max| other_max.is_some_and(|o| o <= max))
                }
                _ => false,
            },
            Boolean(value) => matches!(b, Boolean(other) if value.is_none() || value == other),
            String { size } => assign_string(*size, b),
            StringValue(value) => match b {
                StringValue(other) => value == other,
                // Puppet asks no more than that there be one value.
                Enum { values: [_], ignore_case: false } => true,
                _ => false,
            },
            Enum { values, ignore_case } => assign_enum(values, *ignore_case, b),
            Pattern(sources) => assign_pattern(sources, b),
            Regexp(source) => matches!(b, Regexp(other) if source.is_none() || source == other),
            Collection(size) => match b {
                Collection(other) | Array { size: other, .. } | Hash { size: other, .. } => {
                    size.as_size().covers(other.as_size())
                }
                Tuple { types, size: other } => {
                    size.as_size().covers(other.unwrap_or(Range::exactly(types.len() as i64)))
                }
                Struct(members) => size.as_size().covers(Range::exactly(members.len() as i64)),
                _ => false,
            },
            Array { element, size } => match b {
                Array { element: other, size: other_size } => {
                    size.as_size().covers(other_size.as_size()) && self.check(element, other)
                }
                Tuple { types, size: other_size } => {
                    size.as_size().covers(other_size.unwrap_or(Range::exactly(types.len() as i64)))
                        && types.iter().all(|ty| self.check(element, ty))
                }
                _ => false,
            },
            Tuple { types, size } => match b {
                Tuple { types: other, size: other_size } => self.tuples(types, *size, other, *other_size),
                Array { element, size: other_size } => {
                    let other_size = other_size.as_size();
                    if !tuple_range(types.len(), *size).covers(other_size) {
                        return false;
                    }
                    let count = other_size.max.map_or(types.len(), |max| types.len().min(max as usize));
                    types.iter().take(count).all(|ty| self.check(ty, element))
                }
                _ => false,
            },
            Hash { key, value, size } => self.hash(key, value, *size, b),
            Struct(members) => self.structure(members, b),
            Sensitive(inner) => matches!(b, Sensitive(other) if self.check(inner, other)),
            Type(inner) => match b {
                Type(other) => inner.is_unit() || (!other.is_unit() && self.check(inner, other)),
                _ => false,
            },
            Iterable(inner) => {
                if inner.is_unit() || self.check(inner, &Any) {
                    return is_iterable(b);
                }
                iterable_element(self.arena, b).is_some_and(|element| self.check(inner, element))
            }
            Iterator(inner) => {
                matches!(b, Iterator(other)
                    if inner.is_unit() || (!other.is_unit() && self.check(inner, other)))
            }
            Callable(callable) => matches!(b, Callable(other) if self.callable(callable, other)),
            CatalogEntry => matches!(b, CatalogEntry | Class(_) | Resource { .. }),
            Class(name) => matches!(b, Class(other) if name.is_none() || name == other),
            Resource { type_name: None, .. } => matches!(b, Resource { .. }),
            Resource { type_name: Some(name), title } => match b {
                Resource { type_name: Some(other), title: other_title } => {
                    name.eq_ignore_ascii_case(other) && (title.is_none() || title == other_title)
                }
                _ => false,
            },
            Binary => matches!(b, Binary),
            SemVerRange => matches!(b, SemVerRange),
            SemVer(ranges) => match b {
                SemVer(other) => {
                    ranges.is_empty() || (!other.is_empty() && semver::covers_all(ranges, other))
                }
                _ => false,
            },
            Timestamp { from, to } => match b {
                Timestamp { from: other_from, to: other_to } => {
                    covers_time(*from, *to, *other_from, *other_to)
                }
                _ => false,
            },
            Timespan { from, to } => match b {
                Timespan { from: other_from, to: other_to } => {
                    covers_time(*from, *to, *other_from, *other_to)
                }
                _ => false,
            },
            Uri(None) => matches!(b, Uri(_)),
            Uri(Some(Value::Hash(wanted))) => match b {
                Uri(Some(Value::Hash(given))) => {
                    let pairs = |hash: &crate::value::Hash<'c>| -> Vec<_> {
                        let named = |(key, value): &(Value<'c>, Value<'c>)| Some((key.as_str()?, *value));
                        hash.entries().iter().filter_map(named).collect()
                    };
                    super::object::matches_type(self.arena, &pairs(wanted), &pairs(given))
                }
                _ => false,
            },
            Uri(Some(_)) => equal(a, b),
            Runtime { runtime, name } => match b {
                Runtime { runtime: other, name: other_name } => {
                    (runtime.is_none() || runtime == other) && (name.is_none() || name == other_name)
                }
                _ => false,
            },
            Init { ty, .. } => match super::alias::is_recursive_init(a) {
                false => self.init(*ty, b),
                true => self.with_this(Key::of(a), |walk, again| !again.in_this() && walk.init(*ty, b)),
            },
            Object { name: None, definition: None, .. } => {
                matches!(b, Object { .. } | ObjectExtension { .. })
            }
            Object { .. } => match b {
                ObjectExtension { base, .. } => self.check(a, base),
                b => equal(a, b) || matches!(b, Object { parent: Some(parent), .. } if self.check(a, parent)),
            },
            ObjectExtension { base, parameters, .. } => match b {
                ObjectExtension { base: other, parameters: given, .. } => {
                    self.check(base, other) && super::object::matches_type(self.arena, parameters, given)
                }
                _ => false,
            },
            TypeSet { name: None, init: None } => matches!(b, TypeSet { .. }),
            TypeSet { .. } | Reference(_) => equal(a, b),
            Alias(alias) => alias.target.get().is_some_and(|target| self.check(target, b)),
        }
    }

    fn init(&mut self, ty: Option<&'c Type<'c>>, b: &'c Type<'c>) -> bool {
        if let Some(ty) = ty
            && !super::new::is_constructible(ty)
        {
            super::noted::note_unsupported(ty);
            return false;
        }
        match (ty, b) {
            (None, Type::Init { .. }) => true,
            (Some(ty), Type::Init { ty: Some(other), .. }) => self.check(ty, other),
            (None, _) => {
                let rich = super::rich_data(self.arena);
                self.check(rich, b)
            }
            (Some(ty), _) => {
                self.check(ty, b)
                    || super::new::init_types(self.arena, ty).into_iter().any(|ty| self.check(ty, b))
            }
        }
    }

    fn tuples(
        &mut self,
        types: &'c [&'c Type<'c>],
        size: Option<Range>,
        other: &'c [&'c Type<'c>],
        other_size: Option<Range>,
    ) -> bool {
        let range = tuple_range(types.len(), size);
        if !range.covers(tuple_range(other.len(), other_size)) {
            return false;
        }
        let Some(last) = types.last() else { return true };
        if other.is_empty() {
            return range.min == Some(0);
        }
        other.iter().enumerate().all(|(n, ty)| self.check(types.get(n).unwrap_or(last), ty))
    }

    fn hash(&mut self, key: &'c Type<'c>, value: &'c Type<'c>, size: Range, b: &'c Type<'c>) -> bool {
        match b {
            Type::Hash { key: other_key, value: other_value, size: other_size } => {
                if *other_size == Range::exactly(0) && size.as_size().min == Some(0) {
                    return true;
                }
                self.check(key, other_key)
                    && self.check(value, other_value)
                    && size.as_size().covers(other_size.as_size())
            }
            Type::Struct(members) => {
                size.as_size().contains(members.len() as i64)
                    && members.iter().all(|member| {
                        let name = Type::StringValue(member.name).alloc(self.arena);
                        self.check(key, name) && self.check(value, member.value)
                    })
            }
            _ => false,
        }
    }

    fn structure(&mut self, members: &'c [StructMember<'c>], b: &'c Type<'c>) -> bool {
        match b {
            Type::Struct(other) => {
                let mut matched = 0;
                members.iter().all(|member| match other.iter().find(|o| o.name == member.name) {
                    None => member.optional,
                    Some(found) => {
                        matched += 1;
                        (member.optional || !found.optional) && self.check(member.value, found.value)
                    }
                }) && matched == other.len()
            }
            Type::Hash { key, value, size } => {
                let required: Vec<_> = members.iter().filter(|m| !m.optional).collect();
                required.iter().all(|member| {
                    self.check(member.value, value) && self.check(&Type::String { size: Range::ANY }, key)
                }) && Range::new(required.len() as i64, members.len() as i64).covers(size.as_size())
            }
            _ => false,
        }
    }

    fn callable(&mut self, a: &'c CallableType<'c>, b: &'c CallableType<'c>) -> bool {
        if a.returns.is_some_and(|returns| !self.check(returns, b.returns.unwrap_or(&Type::Any))) {
            return false;
        }
        if a.unspecified {
            return true;
        }
        if b.unspecified || !self.tuples(b.params, b.size, a.params, a.size) {
            return false;
        }
        self.check(b.block.unwrap_or(&Type::Undef), a.block.unwrap_or(&Type::Undef))
    }
}

fn is_scalar_data(ty: &Type<'_>) -> bool {
    use super::Type::*;
    matches!(
        ty,
        ScalarData
            | Numeric
            | Integer(_)
            | Float { .. }
            | Boolean(_)
            | String { .. }
            | StringValue(_)
            | Enum { .. }
            | Pattern(_)
    )
}

fn length(text: &str) -> i64 {
    text.chars().count() as i64
}

fn assign_string(size: Range, b: &Type<'_>) -> bool {
    if size.is_unbounded() {
        return matches!(simple_name(b), "String" | "Enum" | "Pattern");
    }
    match b {
        Type::StringValue(value) => size.contains(length(value)),
        Type::String { size: other } => size.covers(other.as_size()),
        Type::Enum { values: [], .. } | Type::Pattern(_) => size.covers(Range::SIZE),
        Type::Enum { values, .. } => values.iter().all(|value| size.contains(length(value))),
        _ => false,
    }
}

fn assign_enum(values: &[&str], ignore_case: bool, b: &Type<'_>) -> bool {
    if values.is_empty() {
        return matches!(simple_name(b), "String" | "Enum" | "Pattern");
    }
    match b {
        Type::StringValue(value) => in_enum(values, ignore_case, value),
        Type::Enum { values: other, ignore_case: other_case } => {
            !other.is_empty()
                && (ignore_case || !other_case)
                && other.iter().all(|value| in_enum(values, ignore_case, value))
        }
        _ => false,
    }
}

/// Whether a string is one of an `Enum`'s.
pub(crate) fn in_enum(values: &[&str], ignore_case: bool, text: &str) -> bool {
    if ignore_case {
        values.iter().any(|value| value.eq_ignore_ascii_case(text))
    } else {
        values.contains(&text)
    }
}

/// Whether a string matches one of a `Pattern`'s expressions.
pub(crate) fn in_pattern(sources: &[&str], text: &str) -> bool {
    sources.is_empty() || sources.iter().any(|source| regex::is_match(source, text).unwrap_or(false))
}

fn assign_pattern(sources: &[&str], b: &Type<'_>) -> bool {
    match b {
        Type::StringValue(value) => in_pattern(sources, value),
        Type::Enum { values: [], .. } | Type::String { .. } => sources.is_empty(),
        Type::Enum { values, .. } => values.iter().all(|value| in_pattern(sources, value)),
        Type::Pattern(other) => {
            sources.is_empty() || (sources.len() == other.len() && sources.iter().all(|s| other.contains(s)))
        }
        _ => false,
    }
}

fn covers_time(
    from: Option<i128>,
    to: Option<i128>,
    other_from: Option<i128>,
    other_to: Option<i128>,
) -> bool {
    from.is_none_or(|from| other_from.is_some_and(|o| from <= o))
        && to.is_none_or(|to| other_to.is_some_and(|o| o <= to))
}
