//! Lists under construction: one growing buffer a kind of item, shared by all lists of that kind, so that a
//! list in the arena is as long as it has to be and nothing is allocated for it elsewhere.

use super::{ParseResult, Parser};
use crate::ast::{Attribute, CaseOption, Expr, HashEntry, HostMatch, Param, Part, ResourceBody, SelectorArm};

/// The buffers.
#[derive(Default)]
pub(super) struct Scratch<'a> {
    exprs: Vec<Expr<'a>>,
    entries: Vec<HashEntry<'a>>,
    attributes: Vec<Attribute<'a>>,
    bodies: Vec<ResourceBody<'a>>,
    params: Vec<Param<'a>>,
    parts: Vec<Part<'a>>,
    arms: Vec<SelectorArm<'a>>,
    options: Vec<CaseOption<'a>>,
    hosts: Vec<HostMatch<'a>>,
}

/// What lists are made of.
pub(super) trait Item<'a>: Copy + Sized {
    fn buffer<'s>(scratch: &'s mut Scratch<'a>) -> &'s mut Vec<Self>;
}

macro_rules! item {
    ($($name:ident: $type:ident),* $(,)?) => {$(
        impl<'a> Item<'a> for $type<'a> {
            #[inline]
            fn buffer<'s>(scratch: &'s mut Scratch<'a>) -> &'s mut Vec<Self> {
                &mut scratch.$name
            }
        }
    )*};
}

item! {
    exprs: Expr,
    entries: HashEntry,
    attributes: Attribute,
    bodies: ResourceBody,
    params: Param,
    parts: Part,
    arms: SelectorArm,
    options: CaseOption,
    hosts: HostMatch,
}

/// A list under construction: where its items start in the buffer.
pub(super) struct List<T> {
    start: usize,
    item: std::marker::PhantomData<T>,
}

impl<'a> Parser<'_, 'a> {
    /// Builds a list; what an error leaves behind is dropped with the parser.
    #[inline]
    pub(super) fn list<T: Item<'a>>(
        &mut self,
        build: impl FnOnce(&mut Self, &List<T>) -> ParseResult<()>,
    ) -> ParseResult<&'a [T]> {
        let list = List { start: T::buffer(&mut self.scratch).len(), item: std::marker::PhantomData };
        build(self, &list)?;
        let arena = self.arena;
        let buffer = T::buffer(&mut self.scratch);
        let items = arena.alloc_slice_copy(&buffer[list.start..]);
        buffer.truncate(list.start);
        Ok(items)
    }

    /// Adds an item to the innermost list of its kind.
    #[inline]
    pub(super) fn push<T: Item<'a>>(&mut self, item: T) {
        T::buffer(&mut self.scratch).push(item);
    }

    /// The items of a list so far.
    #[inline]
    pub(super) fn items<T: Item<'a>>(&mut self, list: &List<T>) -> &mut [T] {
        &mut T::buffer(&mut self.scratch)[list.start..]
    }
}
