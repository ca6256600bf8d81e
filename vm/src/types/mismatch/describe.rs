//! Finding what differs between an expected and an actual type.

use crate::budget;
use crate::types::assign::is_assignable;
use crate::types::build::variant;
use crate::types::equal::equal;
use crate::types::iterable::key_type;
use crate::types::mismatch::difference::{Difference, Mismatch, Mismatches, Step, extended};
use crate::types::normalize::normalize;
use crate::types::ty::{CallableType, Range, StructMember, Type, tuple_range};
use crate::types::undef::accepts_undef;
use crate::types::walk::visit;
use bumpalo::Bump;

/// What several lists of mismatches are of.
#[derive(Clone, Copy)]
pub(super) enum Alternatives {
    /// The types of a `Variant`.
    Types,
    /// The signatures of a function.
    Signatures,
}

pub(super) struct Describer<'c> {
    pub(super) arena: &'c Bump,
}

impl<'c> Describer<'c> {
    fn assignable(&self, expected: &'c Type<'c>, actual: &'c Type<'c>) -> bool {
        is_assignable(self.arena, expected, actual)
    }

    /// What is wrong about `actual` where `expected` is wanted.
    pub(super) fn describe(
        &self,
        expected: &'c Type<'c>,
        actual: &'c Type<'c>,
        path: &[Step],
    ) -> Mismatches<'c> {
        if let Some(name) = unresolved(expected) {
            return vec![Mismatch::new(path, Difference::Unresolved(name))];
        }
        self.kinds(normalize(self.arena, expected), expected, actual, path)
    }

    fn ty(&self, path: &[Step], expected: &'c Type<'c>, actual: &'c Type<'c>) -> Mismatches<'c> {
        vec![Mismatch::ty(self.arena, path, expected, actual)]
    }

    /// `original` is what the message names: the type before normalisation, or the alias of it.
    fn kinds(
        &self,
        expected: &'c Type<'c>,
        original: &'c Type<'c>,
        actual: &'c Type<'c>,
        path: &[Step],
    ) -> Mismatches<'c> {
        budget::within(1, || self.by_kind(expected, original, actual, path))
    }

    fn by_kind(
        &self,
        expected: &'c Type<'c>,
        original: &'c Type<'c>,
        actual: &'c Type<'c>,
        path: &[Step],
    ) -> Mismatches<'c> {
        match expected {
            Type::Variant(types) => self.variant(types, original, actual, path),
            Type::Struct(members) => self.structure(members, original, actual, path),
            Type::Hash { key, value, size } => self.hash((key, value), *size, original, actual, path),
            Type::Tuple { .. } => self.tuple(expected, original, actual, path, Difference::size),
            Type::Array { element, size } => self.array(element, *size, original, actual, path),
            Type::Callable(callable) => self.callable(callable, original, actual, path),
            Type::Optional(inner) => {
                if matches!(actual, Type::Undef) || inner.is_unit() {
                    return Vec::new();
                }
                let original = if matches!(original, Type::Alias(_)) { original } else { expected };
                self.kinds(inner, original, actual, path)
            }
            Type::Pattern(_) | Type::Enum { .. } => {
                vec![Mismatch::pattern(self.arena, path, original, actual)]
            }
            Type::Alias(alias) => match (alias.itself(), alias.target.get()) {
                (Some(object), _) => self.kinds(object, original, actual, path),
                (_, Some(target)) => self.kinds(normalize(self.arena, target), expected, actual, path),
                _ => self.ty(path, original, actual),
            },
            _ if self.assignable(expected, actual) => Vec::new(),
            _ => self.ty(path, original, actual),
        }
    }

    fn variant(
        &self,
        types: &'c [&'c Type<'c>],
        original: &'c Type<'c>,
        actual: &'c Type<'c>,
        path: &[Step],
    ) -> Mismatches<'c> {
        let mut types = types.to_vec();
        if matches!(original, Type::Optional(_)) {
            types.insert(0, &Type::Undef);
        }
        let mut all = Vec::with_capacity(types.len());
        for (n, ty) in types.iter().enumerate() {
            // Puppet describes enums and patterns as mismatches whether they match or not.
            let found = self.describe(ty, actual, &extended(path, Step::Variant(n)));
            if found.is_empty() {
                return found;
            }
            all.push(found);
        }
        let merged = self.merge(path.len(), Alternatives::Types, all);
        if matches!(original, Type::Alias(_)) && merged.len() == 1 {
            return self.ty(path, original, actual);
        }
        merged
    }

    /// Makes one mismatch of those of several variants or signatures, where all fail in the same way.
    pub(super) fn merge(
        &self,
        position: usize,
        of: Alternatives,
        variants: Vec<Mismatches<'c>>,
    ) -> Mismatches<'c> {
        let count = variants.len();
        let mut all: Mismatches<'c> = variants.into_iter().flatten().collect();
        type Chooses = for<'a, 'b> fn(&'a Difference<'b>) -> bool;
        let size: Chooses = match of {
            Alternatives::Signatures => |found| matches!(found, Difference::Count { .. }),
            Alternatives::Types => {
                |found| matches!(found, Difference::Size { .. } | Difference::Count { .. })
            }
        };
        let kinds: [Chooses; 4] = [
            size,
            |found| matches!(found, Difference::MissingBlock),
            |found| matches!(found, Difference::UnexpectedBlock),
            |found| matches!(found, Difference::Type { .. } | Difference::Pattern { .. }),
        ];
        for chosen in kinds {
            let found: Vec<&Mismatch<'c>> = all.iter().filter(|m| chosen(&m.difference)).collect();
            if found.is_empty() || found.len() != count {
                continue;
            }
            if found.windows(2).all(|pair| pair[0].canonical_path() == pair[1].canonical_path()) {
                let difference = self.join(&found);
                all = vec![Mismatch { path: found[0].path.clone(), difference }];
                break;
            }
        }
        let mut unique: Mismatches<'c> = Vec::new();
        for mismatch in all {
            let repeated =
                matches!(mismatch.difference, Difference::MissingBlock | Difference::UnexpectedBlock)
                    && unique.iter().any(|m| {
                        std::mem::discriminant(&m.difference) == std::mem::discriminant(&mismatch.difference)
                            && m.canonical_path() == mismatch.canonical_path()
                    });
            if !repeated {
                unique.push(mismatch);
            }
        }
        if unique.len() == 1 {
            unique = unique.into_iter().map(|m| m.without_step(position)).collect();
        }
        unique
    }

    fn join(&self, found: &[&Mismatch<'c>]) -> Difference<'c> {
        let first = &found[0].difference;
        let ranges = || {
            found
                .iter()
                .filter_map(|m| match m.difference {
                    Difference::Size { expected, .. } | Difference::Count { expected, .. } => {
                        Some(Range { min: Some(expected.min.unwrap_or(0)), max: expected.max })
                    }
                    _ => None,
                })
                .reduce(Range::hull)
                .unwrap_or(Range::SIZE)
        };
        let expected = || {
            let types: Vec<_> = found
                .iter()
                .filter_map(|m| match m.difference {
                    Difference::Type { expected, .. } | Difference::Pattern { expected, .. } => {
                        Some(expected)
                    }
                    _ => None,
                })
                .collect();
            types.into_iter().reduce(|a, b| normalize(self.arena, variant(self.arena, &[a, b])))
        };
        match first {
            Difference::Size { actual, .. } => Difference::Size { expected: ranges(), actual: *actual },
            Difference::Count { actual, .. } => Difference::Count { expected: ranges(), actual: *actual },
            Difference::Type { actual, expected: first } => {
                Difference::Type { expected: expected().unwrap_or(first), actual }
            }
            Difference::Pattern { actual, expected: first } => {
                Difference::Pattern { expected: expected().unwrap_or(first), actual }
            }
            other => other.clone(),
        }
    }

    fn array(
        &self,
        element: &'c Type<'c>,
        size: Range,
        original: &'c Type<'c>,
        actual: &'c Type<'c>,
        path: &[Step],
    ) -> Mismatches<'c> {
        match actual {
            Type::Tuple { types, size: actual_size } => {
                let actual_size = actual_size.unwrap_or(Range::exactly(types.len() as i64));
                if !size.as_size().covers(actual_size) {
                    return vec![size_fault(path, size.as_size(), actual_size)];
                }
                let mut found = Vec::new();
                for (n, ty) in types.iter().enumerate() {
                    if !self.assignable(element, ty) {
                        found.extend(self.describe(element, ty, &extended(path, Step::Index(n))));
                    }
                }
                found
            }
            Type::Array { element, size: actual_size } => {
                if !size.as_size().covers(actual_size.as_size()) {
                    return vec![size_fault(path, size.as_size(), actual_size.as_size())];
                }
                self.ty(path, original, Type::Array { element, size: Range::ANY }.alloc(self.arena))
            }
            _ => self.ty(path, original, actual),
        }
    }

    fn hash(
        &self,
        (key, value): (&'c Type<'c>, &'c Type<'c>),
        size: Range,
        original: &'c Type<'c>,
        actual: &'c Type<'c>,
        path: &[Step],
    ) -> Mismatches<'c> {
        match actual {
            Type::Struct(members) => {
                let required = members.iter().filter(|m| !m.optional).count();
                let actual_size = Range::new(required as i64, members.len() as i64);
                if !size.as_size().covers(actual_size) {
                    return vec![size_fault(path, size.as_size(), actual_size)];
                }
                let mut found = Vec::new();
                for member in *members {
                    let actual_key = key_type(self.arena, member);
                    if !self.assignable(key, actual_key) {
                        let path = extended(path, Step::EntryKey(member.name.to_owned()));
                        found.extend(self.describe(key, actual_key, &path));
                    }
                    if !self.assignable(value, member.value) {
                        let path = extended(path, Step::EntryValue(member.name.to_owned()));
                        found.extend(self.describe(value, member.value, &path));
                    }
                }
                found
            }
            Type::Hash { size: actual_size, .. } => {
                self.against_hash(size.as_size(), *actual_size, original, actual, path)
            }
            _ => self.ty(path, original, actual),
        }
    }

    fn against_hash(
        &self,
        size: Range,
        actual_size: Range,
        original: &'c Type<'c>,
        actual: &'c Type<'c>,
        path: &[Step],
    ) -> Mismatches<'c> {
        if !size.covers(actual_size.as_size()) {
            return vec![size_fault(path, size, actual_size.as_size())];
        }
        let Type::Hash { key, value, .. } = actual else { return Vec::new() };
        self.ty(path, original, Type::Hash { key, value, size: Range::ANY }.alloc(self.arena))
    }

    fn structure(
        &self,
        members: &'c [StructMember<'c>],
        original: &'c Type<'c>,
        actual: &'c Type<'c>,
        path: &[Step],
    ) -> Mismatches<'c> {
        match actual {
            Type::Struct(other) => {
                let mut found = Vec::new();
                for member in members {
                    let name = member.name.to_owned();
                    let Some(given) = other.iter().find(|o| o.name == member.name) else {
                        if !member.optional {
                            found.push(Mismatch::new(path, Difference::MissingKey(name)));
                        }
                        continue;
                    };
                    if given.optional && !member.optional {
                        let (expected, actual) = (key_type(self.arena, member), key_type(self.arena, given));
                        let path = extended(path, Step::EntryKey(name.clone()));
                        found.extend(self.describe(expected, actual, &path));
                    }
                    if !self.assignable(member.value, given.value) {
                        let path = extended(path, Step::EntryValue(name));
                        found.extend(self.describe(member.value, given.value, &path));
                    }
                }
                for given in other.iter().filter(|o| !members.iter().any(|m| m.name == o.name)) {
                    found.push(Mismatch::new(path, Difference::ExtraneousKey(given.name.to_owned())));
                }
                found
            }
            Type::Hash { size, .. } => {
                let required = members.iter().filter(|m| !m.optional).count();
                let expected = Range::new(required as i64, members.len() as i64);
                self.against_hash(expected, *size, original, actual, path)
            }
            _ => self.ty(path, original, actual),
        }
    }

    /// `original` is what the message names; `wrong_size` makes the difference of sizes that do not fit.
    fn tuple(
        &self,
        expected: &'c Type<'c>,
        original: &'c Type<'c>,
        actual: &'c Type<'c>,
        path: &[Step],
        wrong_size: fn(Range, Range) -> Difference<'c>,
    ) -> Mismatches<'c> {
        let Type::Tuple { types, size } = expected else { return self.ty(path, original, actual) };
        let (types, size) = (*types, *size);
        if equal(expected, actual) || (types.is_empty() && matches!(actual, Type::Array { .. })) {
            return Vec::new();
        }
        let size = tuple_range(types.len(), size);
        let fault = |expected, actual| vec![Mismatch::new(path, wrong_size(expected, actual))];
        match actual {
            Type::Tuple { types: other, size: other_size } => {
                let actual_size = tuple_range(other.len(), *other_size);
                if !size.covers(actual_size) {
                    return fault(size, actual_size);
                }
                let Some(last) = types.len().checked_sub(1) else { return Vec::new() };
                let mut found = Vec::new();
                for (n, ty) in other.iter().enumerate() {
                    let n = n.min(last);
                    found.extend(self.describe(types[n], ty, &extended(path, Step::Index(n))));
                }
                found
            }
            Type::Array { element, size: other_size } => {
                if !size.covers(other_size.as_size()) {
                    return fault(size, other_size.as_size());
                }
                let mut found = Vec::new();
                for (n, ty) in types.iter().enumerate() {
                    found.extend(self.describe(ty, element, &extended(path, Step::Index(n))));
                }
                found
            }
            _ => self.ty(path, original, actual),
        }
    }

    fn callable(
        &self,
        expected: &CallableType<'c>,
        original: &'c Type<'c>,
        actual: &'c Type<'c>,
        path: &[Step],
    ) -> Mismatches<'c> {
        let Type::Callable(given) = actual else { return self.ty(path, original, actual) };
        if expected.unspecified {
            return Vec::new();
        }
        let tuple = |c: &CallableType<'c>| Type::Tuple { types: c.params, size: c.size }.alloc(self.arena);
        let (wanted, params) = (tuple(expected), tuple(given));
        let found = self.tuple(wanted, wanted, params, path, Difference::count);
        if !found.is_empty() {
            return found;
        }
        let (returns, given_returns) =
            (expected.returns.unwrap_or(&Type::Any), given.returns.unwrap_or(&Type::Any));
        if !self.assignable(returns, given_returns) {
            return self.ty(&extended(path, Step::Return), returns, given_returns);
        }
        let (block, given_block) =
            (expected.block.unwrap_or(&Type::Undef), given.block.unwrap_or(&Type::Undef));
        if !self.assignable(given_block, block) {
            return self.ty(&extended(path, Step::Block), block, given_block);
        }
        Vec::new()
    }
}

fn size_fault<'c>(path: &[Step], expected: Range, actual: Range) -> Mismatch<'c> {
    Mismatch::new(path, Difference::Size { expected, actual })
}

/// The first name in a type that nothing resolves.
fn unresolved<'c>(ty: &'c Type<'c>) -> Option<&'c str> {
    let mut first = None;
    visit(ty, &mut |ty| {
        if let Type::Reference(name) = ty {
            first = Some(*name);
        }
        first.is_some()
    });
    first
}

/// Whether a block may be left out where `ty` is wanted.
pub(super) fn block_is_optional(ty: Option<&Type<'_>>) -> bool {
    ty.is_none_or(accepts_undef)
}
