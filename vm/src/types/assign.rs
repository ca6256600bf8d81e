//! Assignability: whether every value of one type is a value of another.

use crate::budget;
use crate::semver;
use crate::types::assign_leaf::{assign_enum, assign_pattern, assign_string, covers_time, is_scalar_data};
use crate::types::build::rich_data;
use crate::types::conversion::{init_types, is_constructible, note_unsupported};
use crate::types::equal::equal;
use crate::types::guard::{Guard, Guarded, Key};
use crate::types::iterable::{is_iterable, iterable_element};
use crate::types::ty::{CallableType, Range, StructMember, Type, tuple_range};
use crate::types::undef::accepts_undef;
use crate::types::walk::is_recursive_init;
use crate::value::Value;
use bumpalo::Bump;

/// Whether every instance of `b` is one of `a`, by Puppet's rules.
pub fn is_assignable<'c>(arena: &'c Bump, a: &'c Type<'c>, b: &'c Type<'c>) -> bool {
    Assign { arena, guard: None }.check(a, b)
}

/// Whether two types are the same to `==`: equal, or each assignable to the other.
pub fn equivalent<'c>(arena: &'c Bump, a: &'c Type<'c>, b: &'c Type<'c>) -> bool {
    equal(a, b) || (is_assignable(arena, b, a) && is_assignable(arena, a, b))
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
        use crate::types::ty::Type::*;
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
            Resource { type_name: Some(name), title, .. } => match b {
                Resource { type_name: Some(other), title: other_title, .. } => {
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
                    matches_type(self.arena, &pairs(wanted), &pairs(given))
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
            Init { ty, .. } => match is_recursive_init(a) {
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
                    self.check(base, other) && matches_type(self.arena, parameters, given)
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
            && !is_constructible(ty)
        {
            note_unsupported(ty);
            return false;
        }
        match (ty, b) {
            (None, Type::Init { .. }) => true,
            (Some(ty), Type::Init { ty: Some(other), .. }) => self.check(ty, other),
            (None, _) => {
                let rich = rich_data(self.arena);
                self.check(rich, b)
            }
            (Some(ty), _) => {
                self.check(ty, b) || init_types(self.arena, ty).into_iter().any(|ty| self.check(ty, b))
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

/// Whether values `given` of another extension of the type are among those `wanted`.
fn matches_type<'c>(
    arena: &'c Bump,
    wanted: &[(&'c str, Value<'c>)],
    given: &[(&'c str, Value<'c>)],
) -> bool {
    wanted.iter().all(|(name, wanted)| {
        given.iter().find(|(known, _)| known == name).is_some_and(|(_, value)| match (wanted, value) {
            (Value::Type(wanted), Value::Type(value)) => is_assignable(arena, wanted, value),
            (Value::Type(wanted), Value::Str(text)) => {
                is_assignable(arena, wanted, Type::StringValue(text.as_str()).alloc(arena))
            }
            (Value::Regexp(source), Value::Str(text)) => {
                let pattern = Type::Pattern(arena.alloc_slice_copy(&[source.as_str()])).alloc(arena);
                is_assignable(arena, pattern, Type::StringValue(text.as_str()).alloc(arena))
            }
            (Value::Str(wanted), Value::Str(text)) => wanted.eq_ignore_ascii_case(text),
            (wanted, value) => wanted.same(*value),
        })
    })
}
