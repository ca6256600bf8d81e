//! How Object types and type sets are printed.

use crate::types::definition::{AttributeKind, Definition, Feature, Member};
use crate::types::name::name as name_of;
use crate::types::print::{Printer, SetNames};
use crate::types::quote::quote;
use crate::types::ty::Type;
use crate::value::{Hash, Value};

// The definitions of the Object types that Puppet itself defines, as it prints them.
const ERROR: &str = "Object[{name => 'Error', type_parameters => {'kind' => Variant[String, Regexp, Type[Enum], \
    Type[Pattern], Type[NotUndef], Type[Undef]], 'issue_code' => Variant[String, Regexp, Type[Enum], \
    Type[Pattern], Type[NotUndef], Type[Undef]]}, attributes => {'msg' => String[1], 'kind' => {type => \
    Optional[String[1]], value => undef}, 'details' => {type => Optional[Hash[String[1], Data]], value => undef}, \
    'issue_code' => {type => Optional[String[1]], value => undef}}, functions => {'message' => Callable[[0, 0], \
    String[1]]}}]";
const DEFERRED: &str = "Object[{name => 'Deferred', attributes => {'name' => \
    Pattern[/\\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\\z/], 'arguments' => {type => Optional[Array], value => \
    undef}}}]";
const TYPE_SET: &str = "TypeSet[{pcore_uri => 'http://puppet.com/2016.1/pcore', pcore_version => '1.0.0', \
    name_authority => 'http://puppet.com/2016.1/runtime', name => 'DefaultTypeSet', version => '0.0.0'}]";
const LOOKUP_CONTEXT: &str = "Object[{name => 'Puppet::LookupContext', parent => Any, attributes => {'environment_name' => \
    {type => String[1], kind => derived}, 'module_name' => Variant[String[1], Undef]}, functions => \
    {'not_found' => Callable[[0, 0], Undef], 'explain' => Callable[[0, 0, Callable[0, 0]], Undef], \
    'interpolate' => Callable[1, 1], 'cache' => Callable[Optional[Scalar], Any], 'cache_all' => \
    Callable[[Hash[Optional[Scalar], Any]], Undef], 'cache_has_key' => Callable[[Optional[Scalar]], \
    Boolean], 'cached_value' => Callable[Optional[Scalar]], 'cached_entries' => Variant[Callable[[0, \
    0, Callable[1, 1]], Undef], Callable[[0, 0, Callable[2, 2]], Undef], Callable[[0, 0], \
    Iterable[Tuple[Optional[Scalar], Any]]]], 'cached_file_data' => Callable[String, \
    Optional[Callable[Array[Integer]]]]}}]";

impl<'c> Printer<'c> {
    /// An Object type: its name, or where types are expanded its definition.
    pub(super) fn object_type(&mut self, name: Option<&str>, definition: Option<&Definition<'c>>) {
        let short = name.and_then(|name| self.set_name(name));
        if !self.expanded {
            match short {
                Some((short, _)) => self.str(&short),
                None => self.str(name.unwrap_or("Object")),
            }
            return;
        }
        let name = name.filter(|_| !matches!(short, Some((_, true))));
        self.expanded = false;
        match (name, definition) {
            (name, Some(definition)) => self.definition(name, definition),
            (Some("Error"), None) => self.str(ERROR),
            (Some("Deferred"), None) => self.str(DEFERRED),
            (Some("Puppet::LookupContext"), None) => self.str(LOOKUP_CONTEXT),
            (Some(name), None) => self.str(&format!("Object[{{name => {}}}]", quote(name))),
            (None, None) => self.str("Object[{}]"),
        }
        self.expanded = true;
    }

    /// What the type set being printed calls a type, and whether that is one of its own.
    pub(super) fn set_name(&self, name: &str) -> Option<(String, bool)> {
        self.set.iter().flat_map(|set| set.iter()).find_map(|(prefix, short, own)| {
            let rest = name.strip_prefix(prefix.as_str())?;
            (!rest.contains("::")).then(|| (format!("{short}{rest}"), *own))
        })
    }

    fn definition(&mut self, name: Option<&str>, definition: &Definition<'c>) {
        self.str("Object[{");
        let mut first = true;
        if let Some(annotations) = definition.annotations {
            self.key(&mut first, "annotations");
            self.value(annotations);
        }
        if let Some(name) = name {
            self.key(&mut first, "name");
            self.str(&quote(name));
        }
        if let Some(parent) = definition.parent {
            self.key(&mut first, "parent");
            self.ty(parent);
        }
        if !definition.type_parameters.is_empty() {
            self.key(&mut first, "type_parameters");
            self.members(definition.type_parameters.iter());
        }
        let is_constant = |a: &&Member<'c>| a.kind == Some(AttributeKind::Constant);
        let others = definition.attributes.iter().filter(|a| !is_constant(a));
        if others.clone().next().is_some() {
            self.key(&mut first, "attributes");
            self.members(others);
        }
        let constants = definition.attributes.iter().filter(is_constant);
        if constants.clone().next().is_some() {
            self.key(&mut first, "constants");
            let all: Vec<_> = constants.map(|a| (a.name, a.value.unwrap_or(Value::Undef))).collect();
            self.named_values(&all);
        }
        if !definition.functions.is_empty() {
            self.key(&mut first, "functions");
            self.members(definition.functions.iter());
        }
        if let Some(names) = definition.equality {
            self.key(&mut first, "equality");
            let names: Vec<_> = names.iter().map(|name| quote(name)).collect();
            self.str(&format!("[{}]", names.join(", ")));
        }
        if let Some(checks) = definition.checks {
            self.key(&mut first, "checks");
            self.value(checks);
        }
        self.str("}]");
    }

    fn key(&mut self, first: &mut bool, key: &str) {
        if !std::mem::take(first) {
            self.str(", ");
        }
        self.str(key);
        self.str(" => ");
    }

    fn named_values(&mut self, all: &[(&str, Value<'c>)]) {
        self.str("{");
        let mut first = true;
        for (name, value) in all {
            self.key(&mut first, &quote(name));
            self.value(*value);
        }
        self.str("}");
    }

    /// Attributes, functions, type parameters: a type alone where there is nothing else to say.
    fn members<'m>(&mut self, members: impl Iterator<Item = &'m Member<'c>>)
    where
        'c: 'm,
    {
        self.str("{");
        let mut first_member = true;
        for member in members {
            self.key(&mut first_member, &quote(member.name));
            let parameter = member.feature == Feature::TypeParameter;
            let ty = match member.ty {
                Type::Optional(inner) if parameter => inner,
                ty => ty,
            };
            let value = member.value.filter(|value| !(parameter && value.is_undef()));
            let plain = !member.is_final
                && !member.overrides
                && member.annotations.is_none()
                && member.kind.is_none()
                && value.is_none();
            if plain {
                self.ty(ty);
                continue;
            }
            let mut first = true;
            self.str("{");
            // Puppet quotes these two keys of a type parameter.
            self.key(&mut first, if parameter { "'type'" } else { "type" });
            self.ty(ty);
            if member.is_final {
                self.key(&mut first, "final");
                self.str("true");
            }
            if member.overrides {
                self.key(&mut first, "override");
                self.str("true");
            }
            if let Some(annotations) = member.annotations {
                self.key(&mut first, "annotations");
                self.value(annotations);
            }
            if let Some(kind) = member.kind {
                self.key(&mut first, "kind");
                self.str(kind.name());
            }
            if let Some(value) = value {
                self.key(&mut first, if parameter { "'value'" } else { "value" });
                self.value(value);
            }
            self.str("}");
        }
        self.str("}");
    }

    /// `Car['volvo']`: values by position, those at the end that were not given left out; more than two
    /// parameters by name.
    pub(super) fn extension(&mut self, base: &'c Type<'c>, order: &[&str], parameters: &[(&str, Value<'c>)]) {
        self.str(name_of(base));
        self.str("[");
        if order.len() > 2 {
            self.named_values(parameters);
        } else {
            let value = |name: &&str| {
                parameters.iter().find(|(known, _)| known == name).map_or(Value::Default, |(_, value)| *value)
            };
            let mut values: Vec<_> = order.iter().map(value).collect();
            while let Some(Value::Default) = values.last() {
                values.pop();
            }
            for (n, value) in values.iter().enumerate() {
                if n > 0 {
                    self.str(", ");
                }
                self.value(*value);
            }
        }
        self.str("]");
    }

    /// A type set, whose types are names unless types are expanded.
    pub(super) fn type_set(&mut self, name: Option<&str>, init: Option<Hash<'c>>) {
        let Some(init) = init else { return self.str(TYPE_SET) };
        let mut names = Vec::new();
        if let Some(name) = name {
            names.push((format!("{name}::"), String::new(), true));
        }
        if let Some(Value::Hash(references)) = init.get_str("references") {
            for (short, reference) in references.entries() {
                let full = match reference {
                    Value::Hash(reference) => reference.get_str("name").and_then(Value::as_str),
                    _ => None,
                };
                if let (Some(short), Some(full)) = (short.as_str(), full) {
                    names.push((format!("{full}::"), format!("{short}::"), false));
                }
            }
        }
        let names = SetNames::from(names);
        self.str("TypeSet[{");
        let mut first = true;
        const ORDER: [&str; 7] =
            ["annotations", "pcore_uri", "pcore_version", "name_authority", "name", "version", "types"];
        for key in ORDER {
            let given = match (key, name) {
                ("name", name) => {
                    self.key(&mut first, key);
                    self.str(&name.map_or("undef".to_owned(), quote));
                    continue;
                }
                ("name_authority", Some(_)) if init.get_str(key).is_none() => {
                    self.key(&mut first, key);
                    self.str("'http://puppet.com/2016.1/runtime'");
                    continue;
                }
                _ => init.get_str(key),
            };
            match given {
                Some(Value::Hash(types)) if key == "types" => {
                    self.key(&mut first, key);
                    self.name_by(names.clone());
                    self.str("{");
                    let mut first = true;
                    for (name, ty) in types.entries() {
                        self.key(&mut first, name.as_str().unwrap_or_default());
                        self.value(*ty);
                    }
                    self.str("}");
                }
                Some(value) => {
                    self.key(&mut first, key);
                    self.value(value);
                }
                None => {}
            }
        }
        if let Some(Value::Hash(references)) = init.get_str("references") {
            self.key(&mut first, "references");
            self.str("{");
            let mut first = true;
            for (name, reference) in references.entries() {
                self.key(&mut first, name.as_str().unwrap_or_default());
                self.value(*reference);
            }
            self.str("}");
        }
        self.str("}]");
    }
}
