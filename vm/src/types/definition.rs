//! What an Object type declares (`Object[{…}]`): its attributes, functions and type parameters, and what follows from
//! these for its instances. Source: puppet-specifications, "Object type"; the oracle for order and words.

use crate::types::equal::equal;
use crate::types::ty::{Type, resolved};
use crate::value::{Hash, Held, Object, Value};
use std::cell::{Cell, OnceCell};

/// What an attribute may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeKind {
    /// A value that all instances share.
    Constant,
    /// Computed; nothing in the language can.
    Derived,
    /// Given, or computed.
    GivenOrDerived,
    /// A reference to another object.
    Reference,
}

impl AttributeKind {
    const ALL: [(&'static str, AttributeKind); 4] = [
        ("constant", AttributeKind::Constant),
        ("derived", AttributeKind::Derived),
        ("given_or_derived", AttributeKind::GivenOrDerived),
        ("reference", AttributeKind::Reference),
    ];

    pub(super) fn by_name(name: &str) -> Option<AttributeKind> {
        AttributeKind::ALL.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// As `kind => …` has it.
    pub fn name(self) -> &'static str {
        AttributeKind::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

/// Which of an Object type's lists a member stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// `attributes`, `constants`
    Attribute,
    /// `functions`
    Function,
    /// `type_parameters`
    TypeParameter,
}

impl Feature {
    /// As messages call it.
    pub fn name(self) -> &'static str {
        match self {
            Feature::Attribute => "attribute",
            Feature::Function => "function",
            Feature::TypeParameter => "type_parameter",
        }
    }
}

/// An attribute, a function or a type parameter.
#[derive(Clone, Copy)]
pub struct Member<'c> {
    /// Which.
    pub feature: Feature,
    /// Its name.
    pub name: &'c str,
    /// The type of its value; a function's is a `Callable`.
    pub ty: &'c Type<'c>,
    /// The value it has where none is given.
    pub value: Option<Value<'c>>,
    /// What kind of attribute.
    pub kind: Option<AttributeKind>,
    /// `final => true`
    pub is_final: bool,
    /// `override => true`
    pub overrides: bool,
    /// `annotations`
    pub annotations: Option<Value<'c>>,
}

impl Member<'_> {
    /// How messages name it: `attribute Car[wheels]`.
    pub fn label(&self, owner: &str) -> String {
        format!("{} {owner}[{}]", self.feature.name(), self.name)
    }

    /// Whether an instance is made with it.
    pub fn is_settable(&self) -> bool {
        self.feature == Feature::Attribute
            && !matches!(self.kind, Some(AttributeKind::Constant | AttributeKind::Derived))
    }
}

/// The definition of an Object type, checked.
pub struct Definition<'c> {
    /// What it inherits from.
    pub parent: Option<&'c Type<'c>>,
    /// Own type parameters in order.
    pub type_parameters: &'c [Member<'c>],
    /// Own attributes, constants last.
    pub attributes: &'c [Member<'c>],
    /// Own functions.
    pub functions: &'c [Member<'c>],
    /// Names of the attributes that make instances equal; all but constants if not given.
    pub equality: Option<&'c [&'c str]>,
    /// Whether instances of different types differ.
    pub equality_include_type: bool,
    /// `checks`
    pub checks: Option<Value<'c>>,
    /// `annotations`
    pub annotations: Option<Value<'c>>,
    /// Whether its instances, or those of what it inherits from, are Ruby's.
    pub in_ruby: Cell<bool>,
    /// The class that makes them, where what it makes is no object of Puppet's.
    pub ruby_class: Cell<Option<&'c str>>,
    /// The definition as text; only where the type has no name of its own, by which it could be told from others.
    pub text: OnceCell<&'c str>,
}

/// Whether an object of Ruby's is of the class that stands for a type.
pub fn is_made_by<'c>(ty: &'c Type<'c>, object: &Object<'c>) -> bool {
    match (object.ty, definition(ty)) {
        (Type::Runtime { name: Some(class), .. }, Some(definition)) => {
            definition.ruby_class.get() == Some(class)
        }
        _ => false,
    }
}

/// The text of an object of Ruby's that the language knows nothing else of.
pub fn foreign_text<'c>(object: &Object<'c>) -> Option<&'c str> {
    match object.ty {
        Type::Runtime { .. } => object.data?.get_str("to_s")?.as_str(),
        _ => None,
    }
}

/// The text that a catalog has in the place of an object: of one that the language knows nothing else of, and of an instance whose class
/// is none of Puppet's objects.
pub fn text_in_catalogs<'c>(object: &Object<'c>) -> Option<&'c str> {
    foreign_text(object).or_else(|| object.plain.map(|plain| plain.text))
}

/// Whether an object of Ruby's is a symbol, a class or a module: it is what its name says.
pub fn is_named_in_ruby(object: &Object<'_>) -> bool {
    matches!(object.held, Held::InRuby(_)) && matches!(object.type_name, "Symbol" | "Class" | "Module")
}

/// The text of a symbol of Ruby's.
pub fn symbol_text<'c>(object: &Object<'c>) -> Option<&'c str> {
    let is_symbol = matches!(object.held, Held::InRuby(_)) && object.type_name == "Symbol";
    object.data.filter(|_| is_symbol)?.get_str("to_s")?.as_str()
}

/// What data says of an instance, as arguments of its constructor by name: those that have their default are left
/// out at the end only.
pub fn data<'c>(object: &Object<'c>) -> Vec<(&'c str, Value<'c>)> {
    let named = |hash: Hash<'c>| {
        hash.entries().iter().filter_map(|(name, value)| Some((name.as_str()?, *value))).collect()
    };
    if let Some(data) = object.data {
        return named(data);
    }
    if definition(object.ty).is_none() {
        return named(object.attributes);
    }
    let mut all: Vec<_> = constructor(object.ty)
        .into_iter()
        .map(|(name, _, default)| (name, object.attributes.get_str(name), default))
        .collect();
    while let Some((_, None, Some(_))) = all.last() {
        all.pop();
    }
    all.into_iter().map(|(name, value, default)| (name, value.or(default).unwrap_or(Value::Undef))).collect()
}

/// Whether the instances of a type are Ruby's.
pub fn is_in_ruby<'c>(ty: &'c Type<'c>) -> bool {
    definition(ty).is_some_and(|definition| definition.in_ruby.get())
}

/// The definition of an Object type of the user's; none for the types Puppet itself defines and for all else.
pub fn definition<'c>(ty: &'c Type<'c>) -> Option<&'c Definition<'c>> {
    match resolved(ty) {
        Type::Object { definition, .. } => *definition,
        Type::ObjectExtension { base, .. } => definition(base),
        _ => None,
    }
}

/// Members of a type and its ancestors, an ancestor's first; one that is overridden keeps its place.
pub fn members<'c>(
    ty: &'c Type<'c>,
    own: impl Fn(&'c Definition<'c>) -> &'c [Member<'c>] + Copy,
) -> Vec<&'c Member<'c>> {
    let Some(definition) = definition(ty) else { return Vec::new() };
    let mut all = definition.parent.map_or_else(Vec::new, |parent| members(parent, own));
    for member in own(definition) {
        match all.iter().position(|known| known.name == member.name) {
            Some(at) => all[at] = member,
            None => all.push(member),
        }
    }
    all
}

/// All attributes, constants among them.
pub fn attributes<'c>(ty: &'c Type<'c>) -> Vec<&'c Member<'c>> {
    members(ty, |definition| definition.attributes)
}

/// The attribute or function of a name.
pub fn member<'c>(ty: &'c Type<'c>, name: &str) -> Option<&'c Member<'c>> {
    let definition = definition(ty)?;
    let own = definition.attributes.iter().chain(definition.functions).find(|member| member.name == name);
    own.or_else(|| member(definition.parent?, name))
}

/// The value an instance has of an attribute.
pub fn value_of<'c>(object: &Object<'c>, attribute: &Member<'c>) -> Value<'c> {
    object.attributes.get_str(attribute.name).or(attribute.value).unwrap_or(Value::Undef)
}

/// Names of the attributes by which instances are equal.
pub(super) fn equality_attributes<'c>(ty: &'c Type<'c>) -> Vec<&'c str> {
    let Some(definition) = definition(ty) else { return Vec::new() };
    let mut all = definition.parent.map_or_else(Vec::new, equality_attributes);
    match definition.equality {
        Some(names) => all.extend(names),
        None => all.extend(
            definition.attributes.iter().filter(|a| a.kind != Some(AttributeKind::Constant)).map(|a| a.name),
        ),
    }
    all
}

fn includes_type<'c>(ty: &'c Type<'c>) -> bool {
    definition(ty).is_none_or(|d| d.equality_include_type && d.parent.is_none_or(includes_type))
}

/// Whether two instances are equal.
pub fn same<'c>(a: &Object<'c>, b: &Object<'c>) -> bool {
    if definition(a.ty).is_none() {
        // What has a name in Ruby is that alone; of other objects of a class there, which of them are equal is their own to say.
        if let (Held::InRuby(one), Held::InRuby(other)) = (a.held, b.held)
            && is_named_in_ruby(a)
        {
            return one == other;
        }
        return a.type_name == b.type_name && Value::Hash(a.attributes).same(Value::Hash(b.attributes));
    }
    if includes_type(a.ty) && !equal(a.ty, b.ty) {
        return false;
    }
    let (left, right) = (attributes(a.ty), attributes(b.ty));
    equality_attributes(a.ty).into_iter().all(|name| {
        let find = |all: &[&'c Member<'c>]| all.iter().copied().find(|member| member.name == name);
        // Ruby asks the other one's reader.
        let read = |member: &Member<'c>| match b.data {
            Some(data) => data.get_str(name).or(member.value).unwrap_or(Value::Undef),
            None => value_of(b, member),
        };
        match (find(&left).map(|member| value_of(a, member)), find(&right).map(read)) {
            (Some(a), Some(b)) => a.same(b),
            _ => false,
        }
    })
}

/// What `new` takes, what is required first: name, type, default.
pub fn constructor<'c>(ty: &'c Type<'c>) -> Vec<(&'c str, &'c Type<'c>, Option<Value<'c>>)> {
    let settable = attributes(ty).into_iter().filter(|attribute| attribute.is_settable());
    let (rest, required): (Vec<_>, Vec<_>) =
        settable.map(|a| (a.name, a.ty, a.value)).partition(|(_, _, default)| default.is_some());
    required.into_iter().chain(rest).collect()
}

/// The value an instance has of an attribute; none where it has no such attribute.
pub(super) fn attribute_of<'c>(object: &Object<'c>, name: &str) -> Option<Value<'c>> {
    if definition(object.ty).is_none() {
        return Some(object.attributes.get_str(name).unwrap_or(Value::Undef));
    }
    attributes(object.ty).into_iter().find(|known| known.name == name).map(|known| value_of(object, known))
}

/// Whether an Object type has type parameters.
pub fn has_parameters<'c>(base: &'c Type<'c>) -> bool {
    matches!(base, Type::Object { name: Some("Error"), definition: None, .. })
        || definition(base)
            .is_some_and(|d| !d.type_parameters.is_empty() || d.parent.is_some_and(has_parameters))
}
