//! From the hash of `Object[{…}]` to a definition, with Puppet's checks in Puppet's order.

use crate::compat::Rule;
use crate::error::{Eval, Flow};
use crate::types::assign::is_assignable;
use crate::types::build::optional;
use crate::types::context::TypeContext;
use crate::types::definition::{
    AttributeKind, Definition, Feature, Member, definition, equality_attributes, is_in_ruby, member, members,
};
use crate::types::generalize::generalize;
use crate::types::infer::infer;
use crate::types::mismatch::value::assert_instance;
use crate::types::name::name as name_of;
use crate::types::print::{print_definition, print_value};
use crate::types::ty::{CallableType, Type, resolved};
use crate::value::{Hash, Value};
use std::cell::{Cell, OnceCell};

const MEMBER: &str = "Pattern[/\\A[a-z_]\\w*\\z/]";
const ANNOTATIONS: &str = "Optional[Hash[Type[Annotation], Hash[Pattern[/\\A[a-z_]\\w*\\z/], Any]]]";

/// The type of qualified names of types, as messages show it.
pub(super) fn type_name<'c>(context: &dyn TypeContext<'c>) -> &'static str {
    match context.holds(Rule::NamePatternIsPlain) {
        true => "Pattern[/\\A[A-Z]\\w*(?:::[A-Z]\\w*)*\\z/]",
        false => "Pattern[/\\A[A-Z][\\w]*(?:::[A-Z][\\w]*)*\\z/]",
    }
}

/// The Object type a hash defines. `name` is what a `type` statement calls it; without one the hash may say.
///
/// # Errors
/// Whatever Puppet finds wrong with the hash.
pub fn define<'c>(
    context: &mut dyn TypeContext<'c>,
    name: Option<&'c str>,
    init: Hash<'c>,
) -> Eval<'c, Type<'c>> {
    let type_name = type_name(context);
    let shape = format!(
        "Struct[{{Optional[name] => {type_name}, Optional[parent] => Type, \
         Optional[type_parameters] => Hash[{MEMBER}, NotUndef], Optional[attributes] => Hash[{MEMBER}, NotUndef], \
         Optional[constants] => Hash[{MEMBER}, Any], \
         Optional[functions] => Hash[Variant[{MEMBER}, Enum['[]']], NotUndef], \
         Optional[equality] => Variant[{MEMBER}, Array[{MEMBER}]], Optional[equality_include_type] => Boolean, \
         Optional[checks] => Any, Optional[annotations] => {ANNOTATIONS}}}]"
    );
    let shape = context.parsed_type(&shape)?;
    assert_instance(context, "object initializer", shape, Value::Hash(init))?;
    let name = name.or_else(|| init.get_str("name").and_then(Value::as_str));
    let parent = match init.get_str("parent") {
        Some(Value::Type(ty)) => Some(ty),
        _ => None,
    };
    if let Some(Type::Reference(text)) = parent.map(resolved) {
        return Err(Flow::raw(format!("reference to unresolved type '{text}'")));
    }
    inherits_itself(name, parent)?;
    let definer = Definer { name: name.unwrap_or("Object"), parent, init };
    let definition: &'c Definition<'c> = context.arena().alloc(definer.run(context)?);
    if name.is_none() {
        let text = context.arena().alloc_str(&print_definition(definition));
        definition.text.get_or_init(|| text);
    }
    Ok(Type::Object { name, parent, definition: Some(definition) })
}

/// Fails for a type among its own ancestors: one that is still being defined.
fn inherits_itself<'c>(name: Option<&str>, parent: Option<&'c Type<'c>>) -> Eval<'c, ()> {
    if let (Some(_), Some(Type::Alias(alias))) = (name, parent)
        && alias.target.get().is_none()
    {
        let name = alias.name;
        return Err(Flow::raw(format!("The Object type '{name}' inherits from itself")));
    }
    Ok(())
}

/// What is said of `Object[x]` and `TypeSet[x]` where `x` is no hash.
pub fn not_a_definition<'c>(
    context: &mut dyn TypeContext<'c>,
    what: &str,
    value: Value<'c>,
) -> Box<Flow<'c>> {
    let name = context.parsed_type(type_name(context));
    match name.and_then(|name| assert_instance(context, format!("{what} name"), name, value)) {
        Err(flow) => flow,
        Ok(()) => Flow::raw(format!("'{what}' needs a hash, got {}", print_value(value))),
    }
}

struct Definer<'c> {
    name: &'c str,
    parent: Option<&'c Type<'c>>,
    init: Hash<'c>,
}

impl<'c> Definer<'c> {
    fn entries(&self, key: &str) -> &'c [(Value<'c>, Value<'c>)] {
        match self.init.get_str(key) {
            Some(Value::Hash(hash)) => hash.entries(),
            _ => &[],
        }
    }

    fn run(&self, context: &mut dyn TypeContext<'c>) -> Eval<'c, Definition<'c>> {
        let type_parameters = self.type_parameters(context)?;
        let attributes = self.attributes(context)?;
        let functions = self.functions(context, &attributes)?;
        let include_type = !matches!(self.init.get_str("equality_include_type"), Some(Value::Bool(false)));
        let equality = self.equality(&attributes, &functions, include_type)?;
        Ok(Definition {
            parent: self.parent,
            type_parameters: context.arena().alloc_slice_copy(&type_parameters),
            attributes: context.arena().alloc_slice_copy(&attributes),
            functions: context.arena().alloc_slice_copy(&functions),
            equality: equality.map(|names| &*context.arena().alloc_slice_copy(&names)),
            equality_include_type: include_type,
            checks: self.init.get_str("checks").filter(|checks| !checks.is_undef()),
            annotations: self.init.get_str("annotations").filter(|given| !given.is_undef()),
            in_ruby: Cell::new(self.parent.is_some_and(is_in_ruby)),
            ruby_class: Cell::new(None),
            text: OnceCell::new(),
        })
    }

    fn type_parameters(&self, context: &mut dyn TypeContext<'c>) -> Eval<'c, Vec<Member<'c>>> {
        let mut all = Vec::new();
        for (name, spec) in self.entries("type_parameters") {
            let name = name.as_str().unwrap_or_default();
            let (ty, value) = match spec {
                Value::Hash(spec) => (spec.get_str("type").unwrap_or(Value::Undef), spec.get_str("value")),
                other => (*other, None),
            };
            let ty = self.type_of(context, Feature::TypeParameter, name, ty)?;
            let ty = match ty {
                Type::Optional(_) => ty,
                ty => optional(context.arena(), ty),
            };
            self.reserved(name)?;
            let feature = Feature::TypeParameter;
            let parameter = Member {
                feature,
                name,
                ty,
                value,
                kind: None,
                is_final: false,
                overrides: false,
                annotations: None,
            };
            let inherited = self.parent.map(|parent| members(parent, |d| d.type_parameters));
            let inherited = inherited.unwrap_or_default().into_iter().find(|known| known.name == name);
            self.check_override(context, &parameter, inherited)?;
            all.push(parameter);
        }
        Ok(all)
    }

    fn type_of(
        &self,
        context: &mut dyn TypeContext<'c>,
        feature: Feature,
        name: &str,
        value: Value<'c>,
    ) -> Eval<'c, &'c Type<'c>> {
        let wanted = match feature {
            Feature::Function => &Type::Type(&Type::Callable(CallableType::ANY)),
            _ => &Type::Type(&Type::Unit),
        };
        assert_instance(context, format!("{} {}[{name}]", feature.name(), self.name), wanted, value)?;
        match value {
            Value::Type(ty) => Ok(ty),
            _ => Ok(&Type::Any),
        }
    }

    fn attributes(&self, context: &mut dyn TypeContext<'c>) -> Eval<'c, Vec<Member<'c>>> {
        let given = self.entries("attributes");
        for (key, _) in self.entries("constants") {
            if given.iter().any(|(name, _)| name.same(*key)) {
                let (owner, key) = (self.name, key.as_str().unwrap_or_default());
                let message =
                    format!("attribute {owner}[{key}] is defined as both a constant and an attribute");
                return Err(Flow::raw(message));
            }
        }
        let mut all = Vec::new();
        for (name, spec) in given {
            let attribute = self.attribute(context, name.as_str().unwrap_or_default(), *spec)?;
            self.check_override(context, &attribute, self.inherited(attribute.name))?;
            all.push(attribute);
        }
        for (name, value) in self.entries("constants") {
            let name = name.as_str().unwrap_or_default();
            self.reserved(name)?;
            let inferred = infer(context, *value);
            let constant = Member {
                feature: Feature::Attribute,
                name,
                ty: generalize(context.arena(), inferred),
                value: Some(*value),
                kind: Some(AttributeKind::Constant),
                is_final: true,
                overrides: self.inherited(name).is_some(),
                annotations: None,
            };
            self.check_override(context, &constant, self.inherited(name))?;
            all.push(constant);
        }
        Ok(all)
    }

    /// Fails for the names that objects as data have for something else.
    fn reserved(&self, name: &str) -> Eval<'c, ()> {
        match name {
            "__ptype" | "__pvalue" => {
                Err(Flow::raw(format!("The attribute '{name}' is reserved and cannot be used")))
            }
            _ => Ok(()),
        }
    }

    fn inherited(&self, name: &str) -> Option<&'c Member<'c>> {
        member(self.parent?, name)
    }

    fn attribute(
        &self,
        context: &mut dyn TypeContext<'c>,
        name: &'c str,
        spec: Value<'c>,
    ) -> Eval<'c, Member<'c>> {
        let feature = Feature::Attribute;
        self.reserved(name)?;
        let label = format!("attribute {}[{name}]", self.name);
        let Value::Hash(spec) = spec else {
            let ty = self.type_of(context, feature, name, spec)?;
            let value = matches!(ty, Type::Optional(_)).then_some(Value::Undef);
            let (kind, annotations) = (None, None);
            return Ok(Member {
                feature,
                name,
                ty,
                value,
                kind,
                is_final: false,
                overrides: false,
                annotations,
            });
        };
        let shape = format!(
            "Struct[{{type => Type, Optional[final] => Boolean, Optional[override] => Boolean, Optional[kind] => \
             Enum[constant, derived, given_or_derived, reference], value => Any, \
             Optional[annotations] => {ANNOTATIONS}}}]"
        );
        let shape = context.parsed_type(&shape)?;
        assert_instance(context, format!("initializer for {label}"), shape, Value::Hash(spec))?;
        let Some(Value::Type(ty)) = spec.get_str("type") else {
            return Err(Flow::raw(format!("{label} has no type")));
        };
        let kind = spec.get_str("kind").and_then(Value::as_str).and_then(AttributeKind::by_name);
        let mut is_final = matches!(spec.get_str("final"), Some(Value::Bool(true)));
        if kind == Some(AttributeKind::Constant) {
            if spec.get_str("final").is_some() && !is_final {
                let message = format!("{label} of kind 'constant' cannot be combined with final => false");
                return Err(Flow::raw(message));
            }
            is_final = true;
        }
        let value = spec.get_str("value").or_else(|| {
            let may_be_none =
                matches!(ty, Type::Optional(_)) && matches!(kind, None | Some(AttributeKind::Reference));
            may_be_none.then_some(Value::Undef)
        });
        match (kind, value) {
            (Some(kind @ (AttributeKind::Derived | AttributeKind::GivenOrDerived)), Some(_)) => {
                let kind = kind.name();
                let message = format!("{label} of kind '{kind}' cannot be combined with an attribute value");
                return Err(Flow::raw(message));
            }
            (Some(AttributeKind::Constant), None) => {
                return Err(Flow::raw(format!("{label} of kind 'constant' requires a value")));
            }
            (_, Some(value)) if !matches!(value, Value::Default) => {
                assert_instance(context, format!("{label} value"), ty, value)?;
            }
            _ => {}
        }
        Ok(Member {
            feature,
            name,
            ty,
            value,
            kind,
            is_final,
            overrides: matches!(spec.get_str("override"), Some(Value::Bool(true))),
            annotations: spec.get_str("annotations").filter(|given| !given.is_undef()),
        })
    }

    fn functions(
        &self,
        context: &mut dyn TypeContext<'c>,
        attributes: &[Member<'c>],
    ) -> Eval<'c, Vec<Member<'c>>> {
        let mut all = Vec::new();
        for (name, spec) in self.entries("functions") {
            let name = name.as_str().unwrap_or_default();
            let feature = Feature::Function;
            let mut function = Member {
                feature,
                name,
                ty: &Type::Any,
                value: None,
                kind: None,
                is_final: false,
                overrides: false,
                annotations: None,
            };
            match spec {
                Value::Hash(spec) => {
                    let shape = format!(
                        "Struct[{{type => Type[Callable], Optional[final] => Boolean, Optional[override] => \
                         Boolean, Optional[annotations] => {ANNOTATIONS}}}]"
                    );
                    let shape = context.parsed_type(&shape)?;
                    let subject = format!("initializer for function '{name}'");
                    assert_instance(context, &subject, shape, Value::Hash(*spec))?;
                    if let Some(Value::Type(ty)) = spec.get_str("type") {
                        function.ty = ty;
                    }
                    function.is_final = matches!(spec.get_str("final"), Some(Value::Bool(true)));
                    function.overrides = matches!(spec.get_str("override"), Some(Value::Bool(true)));
                    function.annotations = spec.get_str("annotations").filter(|given| !given.is_undef());
                }
                other => function.ty = self.type_of(context, feature, name, *other)?,
            }
            if attributes.iter().any(|attribute| attribute.name == name) {
                let label = function.label(self.name);
                return Err(Flow::raw(format!("{label} conflicts with attribute with the same name")));
            }
            self.check_override(context, &function, self.inherited(name))?;
            all.push(function);
        }
        Ok(all)
    }

    /// Whether a member may stand over the inherited one of its name, and says so.
    fn check_override(
        &self,
        context: &mut dyn TypeContext<'c>,
        own: &Member<'c>,
        inherited: Option<&'c Member<'c>>,
    ) -> Eval<'c, ()> {
        let label = own.label(self.name);
        let Some(inherited) = inherited else {
            if own.overrides {
                let feature = own.feature.name();
                return Err(Flow::raw(format!(
                    "expected {label} to override an inherited {feature}, but no such {feature} was found"
                )));
            }
            return Ok(());
        };
        let owner = self.owner(own).unwrap_or("Object");
        let over = inherited.label(owner);
        let constants =
            inherited.kind == Some(AttributeKind::Constant) && own.kind == Some(AttributeKind::Constant);
        let problem = if inherited.feature != own.feature {
            format!("{label} attempts to override {over}")
        } else if inherited.is_final && !constants {
            format!("{label} attempts to override final {over}")
        } else if !own.overrides {
            format!("{label} attempts to override {over} without having override => true")
        } else if !is_assignable(context.arena(), inherited.ty, own.ty) {
            format!("{label} attempts to override {over} with a type that does not match")
        } else {
            return Ok(());
        };
        Err(Flow::raw(problem))
    }

    /// The name of the nearest ancestor that has a member of its own like this one.
    fn owner(&self, own: &Member<'c>) -> Option<&'c str> {
        let mut parent = self.parent;
        while let Some(ty) = parent.map(resolved) {
            let definition = definition(ty)?;
            let lists = [definition.attributes, definition.functions, definition.type_parameters];
            if lists.iter().any(|list| list.iter().any(|known| known.name == own.name)) {
                return Some(name_of(ty));
            }
            parent = definition.parent;
        }
        None
    }

    fn equality(
        &self,
        attributes: &[Member<'c>],
        functions: &[Member<'c>],
        include_type: bool,
    ) -> Eval<'c, Option<Vec<&'c str>>> {
        let names: Vec<&'c str> = match self.init.get_str("equality") {
            Some(Value::Str(name)) => vec![name.as_str()],
            Some(Value::Array(names)) => names.iter().filter_map(|name| name.as_str()).collect(),
            _ => return Ok(None),
        };
        if !names.is_empty() && !include_type {
            return Err(Flow::raw(
                "equality_include_type = false cannot be combined with non empty equality specification",
            ));
        }
        for name in &names {
            let label = self.name;
            let inherited = self.inherited(name);
            if let (Some(inherited), Some(parent)) = (inherited, self.parent)
                && inherited.feature == Feature::Attribute
                && equality_attributes(parent).contains(name)
            {
                let owner = self.owner(inherited).unwrap_or("Object");
                let attribute = inherited.label(owner);
                return Err(Flow::raw(format!(
                    "{label} equality is referencing {attribute} which is included in equality of {owner}"
                )));
            }
            let own = attributes.iter().chain(functions).find(|member| member.name == *name);
            let Some(member) = inherited.or(own) else {
                return Err(Flow::raw(format!(
                    "{label} equality is referencing non existent attribute '{name}'"
                )));
            };
            let attribute = member.label(self.owner(member).filter(|_| inherited.is_some()).unwrap_or(label));
            if member.feature != Feature::Attribute {
                return Err(Flow::raw(format!(
                    "{label} equality is referencing {attribute}. Only attribute references are allowed"
                )));
            }
            if member.kind == Some(AttributeKind::Constant) {
                return Err(Flow::raw(format!(
                    "{label} equality is referencing constant {attribute}. Reference to constant is not allowed \
                     in equality"
                )));
            }
        }
        Ok(Some(names))
    }
}
