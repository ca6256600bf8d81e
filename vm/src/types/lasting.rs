//! Types that outlive a compile: those of parameters, aliases and signatures, which follow from files or from the
//! program alone. A compile makes its own of them; what an alias stands for it looks up itself.

use crate::error::Eval;
use crate::types::context::TypeContext;
use crate::types::ty::{Alias, CallableType, Range, StructMember, Type};

type Owned = Box<LastingType>;
type List = Box<[LastingType]>;
type Texts = Box<[Box<str>]>;

/// A type made of others and of literals, as [`is_core`](crate::types::is_core) says. Nothing of a compile is in it.
#[derive(Debug)]
pub enum LastingType {
    /// One that is the same in every compile, and has no parts.
    Plain(Plain),
    /// `Integer[…]`
    Integer(Range),
    /// `Float[…]`
    Float(Option<f64>, Option<f64>),
    /// `String[…]`
    String(Range),
    /// `String['…']`, as `Optional['…']` has it.
    StringValue(Box<str>),
    /// `Enum[…]`, whether in any case.
    Enum(Texts, bool),
    /// `Pattern[…]`
    Pattern(Texts),
    /// `Regexp[…]`
    Regexp(Box<str>),
    /// `Collection[…]`
    Collection(Range),
    /// `Array[…]`
    Array(Owned, Range),
    /// `Tuple[…]`
    Tuple(List, Option<Range>),
    /// `Hash[…]`
    Hash(Owned, Owned, Range),
    /// `Struct[…]`: key, whether it may be left out, value.
    Struct(Box<[(Box<str>, bool, LastingType)]>),
    /// `Optional[…]`
    Optional(Owned),
    /// `NotUndef[…]`
    NotUndef(Owned),
    /// `Variant[…]`
    Variant(List),
    /// `Sensitive[…]`
    Sensitive(Owned),
    /// `Type[…]`
    Type(Owned),
    /// `Iterable[…]`
    Iterable(Owned),
    /// `Iterator[…]`
    Iterator(Owned),
    /// `Callable[…]`: parameters, size, block, what it returns.
    Callable(List, Option<Range>, Option<Owned>, Option<Owned>),
    /// An alias, by its name.
    Alias(Box<str>),
}

/// Types without parts, by their names.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Plain {
    Any,
    Unit,
    Undef,
    Default,
    Scalar,
    ScalarData,
    Numeric,
    Boolean,
    True,
    False,
    Regexp,
    Callable,
    Binary,
    SemVer,
    SemVerRange,
    Timestamp,
    Timespan,
}

impl LastingType {
    /// The lasting form of a type; none for one that may depend on the compile.
    pub fn of(ty: &Type<'_>) -> Option<LastingType> {
        let own = |ty: &Type<'_>| LastingType::of(ty).map(Box::new);
        let perhaps = |ty: Option<&Type<'_>>| ty.map(own).map_or(Some(None), |ty| ty.map(Some));
        Some(match ty {
            Type::Any => LastingType::Plain(Plain::Any),
            Type::Unit => LastingType::Plain(Plain::Unit),
            Type::Undef => LastingType::Plain(Plain::Undef),
            Type::Default => LastingType::Plain(Plain::Default),
            Type::Scalar => LastingType::Plain(Plain::Scalar),
            Type::ScalarData => LastingType::Plain(Plain::ScalarData),
            Type::Numeric => LastingType::Plain(Plain::Numeric),
            Type::Boolean(None) => LastingType::Plain(Plain::Boolean),
            Type::Boolean(Some(true)) => LastingType::Plain(Plain::True),
            Type::Boolean(Some(false)) => LastingType::Plain(Plain::False),
            Type::Regexp(None) => LastingType::Plain(Plain::Regexp),
            Type::Callable(callable) if callable.unspecified => LastingType::Plain(Plain::Callable),
            Type::Binary => LastingType::Plain(Plain::Binary),
            Type::SemVer([]) => LastingType::Plain(Plain::SemVer),
            Type::SemVerRange => LastingType::Plain(Plain::SemVerRange),
            Type::Timestamp { from: None, to: None } => LastingType::Plain(Plain::Timestamp),
            Type::Timespan { from: None, to: None } => LastingType::Plain(Plain::Timespan),
            Type::Integer(range) => LastingType::Integer(*range),
            Type::Float { min, max } => LastingType::Float(*min, *max),
            Type::String { size } => LastingType::String(*size),
            Type::StringValue(text) => LastingType::StringValue((*text).into()),
            Type::Enum { values, ignore_case } => LastingType::Enum(texts(values), *ignore_case),
            Type::Pattern(sources) => LastingType::Pattern(texts(sources)),
            Type::Regexp(Some(source)) => LastingType::Regexp((*source).into()),
            Type::Collection(size) => LastingType::Collection(*size),
            Type::Array { element, size } => LastingType::Array(own(element)?, *size),
            Type::Tuple { types, size } => LastingType::Tuple(list(types)?, *size),
            Type::Hash { key, value, size } => LastingType::Hash(own(key)?, own(value)?, *size),
            Type::Struct(members) => {
                let member =
                    |m: &StructMember<'_>| Some((m.name.into(), m.optional, LastingType::of(m.value)?));
                LastingType::Struct(members.iter().map(member).collect::<Option<_>>()?)
            }
            Type::Optional(inner) => LastingType::Optional(own(inner)?),
            Type::NotUndef(inner) => LastingType::NotUndef(own(inner)?),
            Type::Variant(types) => LastingType::Variant(list(types)?),
            Type::Sensitive(inner) => LastingType::Sensitive(own(inner)?),
            Type::Type(inner) => LastingType::Type(own(inner)?),
            Type::Iterable(inner) => LastingType::Iterable(own(inner)?),
            Type::Iterator(inner) => LastingType::Iterator(own(inner)?),
            Type::Callable(callable) => LastingType::Callable(
                list(callable.params)?,
                callable.size,
                perhaps(callable.block)?,
                perhaps(callable.returns)?,
            ),
            Type::Alias(Alias { name, .. }) => LastingType::Alias((*name).into()),
            _ => return None,
        })
    }

    /// The type, of a compile.
    ///
    /// # Errors
    /// Those of loading an alias.
    pub fn make<'c>(&'c self, context: &mut dyn TypeContext<'c>) -> Eval<'c, &'c Type<'c>> {
        let ty = match self {
            LastingType::Plain(plain) => return Ok(plain.get()),
            LastingType::Integer(range) if *range == Range::ANY => return Ok(&Type::Integer(Range::ANY)),
            LastingType::Integer(range) => Type::Integer(*range),
            LastingType::Float(min, max) => Type::Float { min: *min, max: *max },
            LastingType::String(size) if *size == Range::ANY => {
                return Ok(&Type::String { size: Range::ANY });
            }
            LastingType::String(size) => Type::String { size: *size },
            LastingType::StringValue(text) => Type::StringValue(text),
            LastingType::Enum(values, ignore_case) => {
                Type::Enum { values: borrowed(context, values), ignore_case: *ignore_case }
            }
            LastingType::Pattern(sources) => Type::Pattern(borrowed(context, sources)),
            LastingType::Regexp(source) => Type::Regexp(Some(source)),
            LastingType::Collection(size) => Type::Collection(*size),
            LastingType::Array(element, size) => Type::Array { element: element.make(context)?, size: *size },
            LastingType::Tuple(types, size) => Type::Tuple { types: all(context, types)?, size: *size },
            LastingType::Hash(key, value, size) => {
                Type::Hash { key: key.make(context)?, value: value.make(context)?, size: *size }
            }
            LastingType::Struct(members) => {
                let arena = context.arena();
                let unknown = |_| StructMember { name: "", optional: false, value: &Type::Any };
                let made = arena.alloc_slice_fill_with(members.len(), unknown);
                for (place, (name, optional, value)) in made.iter_mut().zip(members) {
                    *place = StructMember { name, optional: *optional, value: value.make(context)? };
                }
                Type::Struct(made)
            }
            LastingType::Optional(inner) => Type::Optional(inner.make(context)?),
            LastingType::NotUndef(inner) => Type::NotUndef(inner.make(context)?),
            LastingType::Variant(types) => Type::Variant(all(context, types)?),
            LastingType::Sensitive(inner) => Type::Sensitive(inner.make(context)?),
            LastingType::Type(inner) => Type::Type(inner.make(context)?),
            LastingType::Iterable(inner) => Type::Iterable(inner.make(context)?),
            LastingType::Iterator(inner) => Type::Iterator(inner.make(context)?),
            LastingType::Callable(params, size, block, returns) => Type::Callable(CallableType {
                params: all(context, params)?,
                size: *size,
                block: block.as_ref().map(|block| block.make(context)).transpose()?,
                returns: returns.as_ref().map(|returns| returns.make(context)).transpose()?,
                unspecified: false,
            }),
            LastingType::Alias(name) => return context.named_type(name),
        };
        Ok(ty.alloc(context.arena()))
    }
}

impl Plain {
    fn get<'c>(self) -> &'c Type<'c> {
        match self {
            Plain::Any => &Type::Any,
            Plain::Unit => &Type::Unit,
            Plain::Undef => &Type::Undef,
            Plain::Default => &Type::Default,
            Plain::Scalar => &Type::Scalar,
            Plain::ScalarData => &Type::ScalarData,
            Plain::Numeric => &Type::Numeric,
            Plain::Boolean => &Type::Boolean(None),
            Plain::True => &Type::Boolean(Some(true)),
            Plain::False => &Type::Boolean(Some(false)),
            Plain::Regexp => &Type::Regexp(None),
            Plain::Callable => &Type::Callable(CallableType::ANY),
            Plain::Binary => &Type::Binary,
            Plain::SemVer => &Type::SemVer(&[]),
            Plain::SemVerRange => &Type::SemVerRange,
            Plain::Timestamp => &Type::Timestamp { from: None, to: None },
            Plain::Timespan => &Type::Timespan { from: None, to: None },
        }
    }
}

fn texts(all: &[&str]) -> Texts {
    all.iter().map(|text| Box::from(*text)).collect()
}

fn list(types: &[&Type<'_>]) -> Option<List> {
    types.iter().map(|ty| LastingType::of(ty)).collect()
}

fn borrowed<'c>(context: &dyn TypeContext<'c>, all: &'c Texts) -> &'c [&'c str] {
    context.arena().alloc_slice_fill_iter(all.iter().map(|text| &**text))
}

fn all<'c>(context: &mut dyn TypeContext<'c>, types: &'c List) -> Eval<'c, &'c [&'c Type<'c>]> {
    let arena = context.arena();
    let made = arena.alloc_slice_fill_copy(types.len(), &Type::Any);
    for (place, ty) in made.iter_mut().zip(types) {
        *place = ty.make(context)?;
    }
    Ok(made)
}
