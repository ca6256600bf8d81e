//! Instance checks: whether a value is of a type.

use crate::budget;
use crate::error::Flow;
use crate::semver;
use crate::types::assign::is_assignable;
use crate::types::assign_leaf::{in_enum, in_pattern, length};
use crate::types::build::rich_data;
use crate::types::check_fault::{note, note_regexp};
use crate::types::context::TypeContext;
use crate::types::definition::{attribute_of, is_made_by};
use crate::types::equal::equal;
use crate::types::guard::{Guard, Guarded, Key};
use crate::types::infer::infer;
use crate::types::ty::{Alias, Range, StructMember, Type, resolved, tuple_range};
use crate::types::walk::is_recursive_init;
use crate::uri::to_hash;
use crate::value::{Array, Hash, Value};

/// Whether `value` is an instance of `ty`.
pub fn is_instance<'c>(context: &mut dyn TypeContext<'c>, ty: &'c Type<'c>, value: Value<'c>) -> bool {
    Check { context, guard: None }.instance(ty, value)
}

/// A check of a value. What it goes down into is counted; aliases that lead back to themselves are guarded.
struct Check<'v, 'c> {
    context: &'v mut dyn TypeContext<'c>,
    guard: Option<Box<Guard<'c>>>,
}

impl<'c> Guarded<'c> for Check<'_, 'c> {
    fn guard(&mut self) -> &mut Option<Box<Guard<'c>>> {
        &mut self.guard
    }
}

impl<'c> Check<'_, 'c> {
    fn instance(&mut self, ty: &'c Type<'c>, value: Value<'c>) -> bool {
        let mut ty = ty;
        // What is the same value under another type.
        loop {
            match ty {
                Type::Optional(inner) if value.is_undef() || inner.is_unit() => return value.is_undef(),
                Type::NotUndef(_) if value.is_undef() => return false,
                Type::Optional(inner) | Type::NotUndef(inner) => ty = inner,
                Type::Alias(alias) if !alias.is_recursive() => match alias.target.get() {
                    Some(target) => ty = target,
                    None => return false,
                },
                _ => return self.kind(ty, value),
            }
        }
    }

    fn kind(&mut self, ty: &'c Type<'c>, value: Value<'c>) -> bool {
        match ty {
            Type::Any | Type::Unit => true,
            Type::String { size } => match value {
                Value::Str(s) => size.is_unbounded() || size.contains(length(&s)),
                _ => false,
            },
            Type::Integer(range) => matches!(value, Value::Int(n) if range.contains(n)),
            Type::Boolean(wanted) => matches!(value, Value::Bool(b) if wanted.is_none_or(|w| w == b)),
            Type::Array { element, size } => match value {
                Value::Array(items) => {
                    (size.is_unbounded() || size.contains(items.len() as i64)) && self.all(element, items)
                }
                _ => false,
            },
            Type::Hash { key, value: wanted, size } => match value {
                Value::Hash(hash) => {
                    (size.is_unbounded() || size.contains(hash.len() as i64))
                        && self.entries(key, wanted, hash)
                }
                _ => false,
            },
            Type::Variant(types) => {
                budget::within(types.len(), || types.iter().any(|ty| self.instance(ty, value)))
            }
            Type::Alias(alias) => self.alias(alias, value),
            Type::Tuple { types, size } => match value {
                Value::Array(items) => self.tuple(types, *size, items),
                _ => false,
            },
            Type::Struct(members) => match value {
                Value::Hash(hash) => self.structure(members, hash),
                _ => false,
            },
            Type::Sensitive(inner) => match value {
                Value::Sensitive(hidden) => budget::within(1, || self.instance(inner, *hidden)),
                _ => false,
            },
            Type::Iterable(inner) => self.iterable(ty, inner, value),
            Type::Init { ty: Some(inner), args } => self.init(ty, inner, args, value),
            _ => leaf(self.context, ty, value),
        }
    }

    fn alias(&mut self, alias: &'c Alias<'c>, value: Value<'c>) -> bool {
        let Some(target) = alias.target.get() else { return false };
        budget::within(1, || {
            if !alias.may_stand_still() {
                return self.instance(target, value);
            }
            self.with_that(Key::value(value), |check| {
                check.with_this(Key::alias(alias), |check, again| {
                    !again.in_both() && check.instance(target, value)
                })
            })
        })
    }

    fn all(&mut self, ty: &'c Type<'c>, items: Array<'c>) -> bool {
        matches!(ty, Type::Any)
            || budget::within(items.len(), || items.items().iter().all(|item| self.instance(ty, *item)))
    }

    fn entries(&mut self, key: &'c Type<'c>, value: &'c Type<'c>, hash: Hash<'c>) -> bool {
        budget::within(hash.len(), || {
            hash.entries().iter().all(|(k, v)| self.instance(key, *k) && self.instance(value, *v))
        })
    }

    fn tuple(&mut self, types: &'c [&'c Type<'c>], size: Option<Range>, items: Array<'c>) -> bool {
        if !tuple_range(types.len(), size).contains(items.len() as i64) {
            return false;
        }
        let Some(last) = types.last() else { return true };
        let mut items = items.items().iter().enumerate();
        budget::within(items.len(), || {
            items.all(|(n, item)| self.instance(types.get(n).unwrap_or(last), *item))
        })
    }

    fn structure(&mut self, members: &'c [StructMember<'c>], hash: Hash<'c>) -> bool {
        budget::within(members.len(), || {
            let mut matched = 0;
            members.iter().all(|member| match hash.get_str(member.name) {
                None => member.optional,
                Some(value) => {
                    matched += 1;
                    self.instance(member.value, value)
                }
            }) && matched == hash.len()
        })
    }

    fn iterable(&mut self, ty: &'c Type<'c>, inner: &'c Type<'c>, value: Value<'c>) -> bool {
        if !inner.is_unit() && !is_assignable(self.context.arena(), inner, &Type::Any) {
            let actual = infer(self.context, value);
            return is_assignable(self.context.arena(), ty, actual);
        }
        match value {
            Value::Iterator(_) | Value::Str(_) | Value::Hash(_) | Value::Array(_) => true,
            Value::Int(n) => n >= 0,
            Value::Type(ty) => match resolved(ty) {
                Type::Enum { .. } => true,
                Type::Integer(range) => range.min.is_some() && range.max.is_some(),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a value is one that `inner` can be made of. That there is no constructor is noted.
    fn init(
        &mut self,
        ty: &'c Type<'c>,
        inner: &'c Type<'c>,
        args: &'c [Value<'c>],
        value: Value<'c>,
    ) -> bool {
        let check = |check: &mut Self| {
            let accepted = match check.context.accepted_by_init(inner, args) {
                Ok(accepted) => accepted,
                Err(flow) => {
                    if let Flow::Fault(fault) = *flow {
                        note(|| fault.diagnostic.message);
                    }
                    return false;
                }
            };
            accepted.single.iter().any(|ty| check.instance(ty, value))
                || accepted.several.iter().any(|params| match value {
                    Value::Array(items) if params.fit(items.items(), |ty, item| check.instance(ty, item)) => {
                        true
                    }
                    value => params.least == 1 && params.fit(&[value], |ty, item| check.instance(ty, item)),
                })
        };
        budget::within(1, || match is_recursive_init(ty) {
            false => check(self),
            true => self.with_this(Key::of(ty), |walk, again| !again.in_this() && check(walk)),
        })
    }
}

/// Whether a value is an instance of a type that is told without going down into it.
fn leaf<'c>(context: &mut dyn TypeContext<'c>, ty: &'c Type<'c>, value: Value<'c>) -> bool {
    match ty {
        Type::Undef => value.is_undef(),
        Type::Default => matches!(value, Value::Default),
        Type::Scalar => matches!(
            value,
            Value::Str(_)
                | Value::Int(_)
                | Value::Float(_)
                | Value::Bool(_)
                | Value::Regexp(_)
                | Value::SemVer(_)
                | Value::SemVerRange(_)
                | Value::Timespan(_)
                | Value::Timestamp(_)
        ),
        Type::ScalarData => {
            matches!(value, Value::Str(_) | Value::Int(_) | Value::Float(_) | Value::Bool(_))
        }
        Type::Numeric => matches!(value, Value::Int(_) | Value::Float(_)),
        Type::Float { min, max } => {
            matches!(value, Value::Float(f) if min.is_none_or(|m| m <= f) && max.is_none_or(|m| f <= m))
        }
        Type::StringValue(text) => matches!(value, Value::Str(s) if s.as_str() == *text),
        Type::Enum { values, ignore_case } => {
            matches!(value, Value::Str(s) if in_enum(values, *ignore_case, &s))
        }
        Type::Pattern(sources) => matches!(value, Value::Str(s) if in_pattern(sources, &s)),
        Type::Regexp(source) => {
            source.iter().for_each(|source| note_regexp(source));
            matches!(value, Value::Regexp(s) if source.is_none_or(|source| source == s.as_str()))
        }
        Type::Collection(size) => match value {
            Value::Array(items) => size.is_unbounded() || size.contains(items.len() as i64),
            Value::Hash(hash) => size.is_unbounded() || size.contains(hash.len() as i64),
            _ => false,
        },
        Type::Type(inner) => match value {
            Value::Type(ty) => inner.is_unit() || is_assignable(context.arena(), inner, ty),
            _ => false,
        },
        Type::Iterator(inner) => match value {
            Value::Iterator(iter) => inner.is_unit() || is_assignable(context.arena(), inner, iter.element),
            _ => false,
        },
        Type::Callable(_) => match value {
            Value::Closure(_) => {
                let actual = infer(context, value);
                is_assignable(context.arena(), ty, actual)
            }
            _ => false,
        },
        Type::Binary => matches!(value, Value::Binary(_)),
        Type::Timestamp { from, to } => match value {
            Value::Timestamp(n) => from.is_none_or(|from| from <= *n) && to.is_none_or(|to| *n <= to),
            _ => false,
        },
        Type::Timespan { from, to } => match value {
            Value::Timespan(n) => from.is_none_or(|from| from <= *n) && to.is_none_or(|to| *n <= to),
            _ => false,
        },
        Type::SemVer(ranges) => match value {
            Value::SemVer(version) => {
                ranges.is_empty() || ranges.iter().any(|range| semver::range_includes(range, &version))
            }
            _ => false,
        },
        Type::SemVerRange => matches!(value, Value::SemVerRange(_)),
        Type::Uri(None) => matches!(value, Value::Uri(_)),
        Type::Uri(Some(Value::Hash(wanted))) => {
            let Value::Uri(text) = value else { return false };
            let Value::Hash(parts) = to_hash(context.arena(), &text) else { return false };
            wanted.entries().iter().all(|(key, wanted)| {
                let part = parts.get(*key).unwrap_or(Value::Undef);
                // A port may be asked for as a number, and the scheme may have one of its own.
                let part = match (wanted, part) {
                    (Value::Int(_), Value::Str(digits)) => digits.parse().map_or(part, Value::Int),
                    (Value::Int(_), Value::Undef) if key.as_str() == Some("port") => {
                        match parts.get_str("scheme").and_then(Value::as_str) {
                            Some("http") => Value::Int(80),
                            Some("https") => Value::Int(443),
                            _ => part,
                        }
                    }
                    _ => part,
                };
                context.matches_option(part, *wanted).unwrap_or(false)
            })
        }
        Type::Uri(Some(_)) => false,
        Type::Init { ty: None, .. } => {
            let rich = rich_data(context.arena());
            is_instance(context, rich, value)
        }
        Type::Object { .. } => match value {
            Value::Object(object) => is_assignable(context.arena(), ty, object.ty) || is_made_by(ty, object),
            // To Puppet a type is itself an object of its meta model.
            Value::Type(_) => matches!(ty, Type::Object { name: None, definition: None, .. }),
            _ => false,
        },
        Type::ObjectExtension { base, parameters, .. } => match value {
            Value::Object(object) => {
                is_instance(context, base, value)
                    && parameters.iter().all(|(name, wanted)| {
                        attribute_of(object, name)
                            .is_some_and(|value| context.matches_option(value, *wanted).unwrap_or(false))
                    })
            }
            _ => false,
        },
        Type::TypeSet { name: None, init: None } => matches!(value, Value::Type(Type::TypeSet { .. })),
        Type::TypeSet { .. } => matches!(value, Value::Type(other) if equal(ty, other)),
        // The rest is never an instance, or `Check` has gone down into it.
        _ => false,
    }
}
