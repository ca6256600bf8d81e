//! Declaring resources: what a resource expression or `create_resources` adds to the catalog.
//! Source: `Puppet::Pops::Evaluator::Runtime3ResourceSupport` and `Puppet::Parser::Resource`, by running them.

use crate::compile::Compile;
use crate::state::definitions::Definition;
use crate::state::resources::TypeEntry;
use bumpalo::collections::{CollectIn, Vec as List};
use bunraku_catalog::tags::Tags;
use bunraku_catalog::{Kind, Origin, Param, Params, Progress, Resource};
use bunraku_data::names;
use bunraku_data::rich;
use bunraku_environment::taken::location;
use bunraku_resource_types::{Identity, ResourceType};
use bunraku_vm::budget;
use bunraku_vm::cause::Cause;
use bunraku_vm::diagnostic::{Diagnostic, Place, Severity};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format;
use bunraku_vm::host::{AttrOp, Attribute, ResourceForm, Site};
use bunraku_vm::iterator;
use bunraku_vm::raised::{ARGUMENT_ERROR, PARSE_ERROR, TYPE_ERROR};
use bunraku_vm::scope::{ResourceId, Scope};
use bunraku_vm::types::Type;
use bunraku_vm::value::{Array, Hash, Str, Value};
use bunraku_vm::vm::Vm;

/// What the resources of one call of [`Compile::create`] have in common.
pub(crate) struct Creation<'c> {
    pub type_name: &'c str,
    pub is_virtual: bool,
    pub exported: Option<bool>,
    pub file: Option<&'c str>,
    pub line: u32,
    /// See [`Resource::title_value`].
    pub title_value: Option<Value<'c>>,
}

/// A resource type that a name was found to mean.
enum Resolved<'c> {
    Class,
    Define(&'c Definition<'c>),
    Ruby,
}

impl<'c> Compile<'c> {
    /// What the resources of a type have in common; its name in any case.
    pub(crate) fn type_entry(&self, name: &str) -> &'c TypeEntry<'c> {
        if let Some(known) = self.resources.type_entries.borrow().get(name) {
            return known;
        }
        let capitalized = self.text(&names::capitalize(name));
        let is_ruby = !name.contains(':') && !name.eq_ignore_ascii_case("class");
        let mut tags = Tags::new(self.arena);
        tags.tag_if_valid(&self.tags.names, capitalized);
        let named = self.environment.types.named(name).filter(|_| is_ruby);
        let (ty, is_absent) =
            (named.filter(|ty| !ty.is_absent()), named.is_some_and(ResourceType::is_absent));
        let number = self.catalog.borrow_mut().number(capitalized);
        let found = &*self.arena.alloc(TypeEntry { capitalized, ty, is_absent, tags, number });
        self.resources.type_entries.borrow_mut().insert(self.text(name), found);
        found
    }

    /// The same, where Ruby may have to be asked what the type's parameters are, and whether it can be loaded.
    ///
    /// # Errors
    /// Why it can't be loaded.
    pub(crate) fn loaded_type(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, &'c TypeEntry<'c>> {
        let found = self.type_entry(name);
        let Some(ty) = found.ty.filter(|ty| !ty.is_plain()) else { return Ok(found) };
        self.expect_loaded(vm, ty)?;
        if self.environment.types.get(&ty.name).is_some_and(|now| std::ptr::eq(now, ty)) {
            return Ok(found);
        }
        self.resources.type_entries.borrow_mut().clear();
        Ok(self.type_entry(name))
    }

    /// Warns of a file that makes no type of its name, as Puppet does each time it looks for the type.
    pub(crate) fn warn_if_absent(&self, type_name: &TypeEntry<'c>) {
        if type_name.is_absent {
            let name = type_name.capitalized.to_lowercase();
            let message = format!("Loaded puppet/type/{name} but no class was created");
            self.push_log(Severity::Warning, message, Place::default());
        }
    }

    /// Adds resources of one type, and references to them to a list, if there is one.
    pub(crate) fn create(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        creation: &Creation<'c>,
        titles: &[&'c str],
        params: Params<'c>,
        mut references: Option<&mut List<'c, Value<'c>>>,
    ) -> Eval<'c, ()> {
        let name = creation.type_name;
        let type_name = self.loaded_type(vm, name)?;
        self.warn_if_absent(type_name);
        let resolved = if name.eq_ignore_ascii_case("class") {
            Resolved::Class
        } else if type_name.ty.is_some() {
            Resolved::Ruby
        } else if let Some(definition) = self.find_define(vm, name)? {
            Resolved::Define(definition)
        } else {
            return Err(Flow::of_class(ARGUMENT_ERROR, format!("Unknown resource type: '{name}'")));
        };
        let mut create = |title, params| {
            let title = self.create_one(vm, scope, creation, &resolved, type_name, title, params)?;
            if let Some(references) = &mut references {
                // What the expression yields for a class is a resource of type Class, not a Class.
                let reference = match resolved {
                    Resolved::Class => ("Class", self.text(&names::capitalize(&title.to_lowercase()))),
                    _ => (type_name.capitalized, title),
                };
                let ty =
                    Type::Resource { type_name: Some(reference.0), title: Some(reference.1), held: false };
                references.push(Value::Type(self.arena.alloc(ty)));
            }
            Ok(())
        };
        let Some((last, others)) = titles.split_last() else { return Ok(()) };
        others.iter().try_for_each(|title| create(title, params.clone()))?;
        create(last, params)
    }

    /// Adds a resource; yields the title it has in the catalog.
    #[allow(clippy::too_many_arguments)]
    fn create_one(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        creation: &Creation<'c>,
        resolved: &Resolved<'c>,
        of_type: &TypeEntry<'c>,
        title: &'c str,
        params: Params<'c>,
    ) -> Eval<'c, &'c str> {
        let class = match resolved {
            Resolved::Class => self.find_class(vm, title)?,
            _ => None,
        };
        let body = match resolved {
            Resolved::Define(definition) => Some(*definition),
            _ => class,
        };
        let given = title;
        let title = match resolved {
            Resolved::Class => {
                self.text(&names::capitalize(class.map_or(title, |definition| definition.name)))
            }
            _ => title,
        };
        let mut resource = Resource {
            type_name: of_type.capitalized,
            title,
            title_value: creation.title_value,
            ty: of_type.ty,
            kind: match resolved {
                Resolved::Class => Kind::Class,
                Resolved::Define(_) => Kind::Defined,
                Resolved::Ruby => Kind::Compilable,
            },
            file: creation.file,
            line: creation.line,
            is_virtual: creation.is_virtual,
            exported: creation.exported,
            params,
            parsed: None,
            sensitive: &[],
            tags: Tags::new(self.arena),
            origin: Origin {
                scope,
                source: self.source_of(scope),
                body: body.map(|definition| definition.number),
            },
            progress: Progress::default(),
            of_type: 0,
        };
        if matches!(resolved, Resolved::Class) && class.is_none() {
            return Err(Flow::raw(format!("Could not find declared class {given}")));
        }
        self.initialize(vm, &mut resource, of_type)?;
        if let Some(definition) = class {
            self.instantiate(vm, scope, definition, &mut resource)?;
        }
        self.add_resource(scope, resource)?;
        if matches!(resolved, Resolved::Class) {
            self.evaluate_classes(vm, scope, &[names::key(title).into_owned()])?;
        }
        Ok(title)
    }

    /// As [`Compile::initialize`], for a resource that no expression declares.
    pub(crate) fn initialize_alone(&self, vm: &mut Vm<'c>, resource: &mut Resource<'c>) -> Eval<'c, ()> {
        let of_type = self.type_entry(resource.type_name);
        self.initialize(vm, resource, of_type)
    }

    /// Sets the tags of a new resource (its type's first) and defaults, in Puppet's order.
    fn initialize(
        &self,
        vm: &mut Vm<'c>,
        resource: &mut Resource<'c>,
        of_type: &TypeEntry<'c>,
    ) -> Eval<'c, ()> {
        resource.of_type = of_type.number;
        for n in 0..resource.params.len() {
            let param = resource.params[n];
            if param.name == "tag" {
                self.tag_by_parameter(resource, param.value)?;
            }
        }
        resource.tags.merge(&of_type.tags, &mut self.tags.marks.borrow_mut());
        // Main's title is a symbol in Puppet, and symbols are no tags.
        let main = resource.title == "main" && matches!(resource.type_name, "Stage" | "Class");
        if !main && resource.title_value.is_none() {
            resource.tags.tag_if_valid(&self.tags.names, resource.title);
        }
        self.with_defaults(vm, resource.origin.scope, resource.type_name, |defaults| {
            for param in defaults {
                if !resource.params.iter().any(|p| p.name == param.name) {
                    if param.name == "tag" {
                        self.tag_by_parameter(resource, param.value)?;
                    }
                    resource.params.push(*param);
                }
            }
            Ok(())
        })?
    }

    /// Tags a resource with the value of its parameter `tag`, which Ruby makes the arguments of a call: of a hash its keys and values,
    /// of a reference nothing.
    pub(crate) fn tag_by_parameter(&self, resource: &mut Resource<'c>, value: Value<'c>) -> Eval<'c, ()> {
        match value {
            Value::Hash(hash) => {
                let mut words = hash.entries().iter().flat_map(|(key, value)| [*key, *value]);
                words.try_for_each(|word| self.tag_value(resource, word))
            }
            Value::Type(Type::Class(_) | Type::Resource { .. }) => Ok(()),
            other => self.tag_value(resource, other),
        }
    }

    /// Tags a resource with the words of a value: a string, or an array of them, however deep.
    pub(crate) fn tag_value(&self, resource: &mut Resource<'c>, value: Value<'c>) -> Eval<'c, ()> {
        budget::within(1, || match value {
            Value::Undef => Ok(()),
            Value::Array(items) => items.iter().try_for_each(|item| self.tag_value(resource, *item)),
            other => resource.tags.tag(&self.tags.names, &tag_text(other)).map_err(|tag| {
                let message = format!("Invalid tag '{tag}'");
                match resource.line {
                    0 => Flow::of_class(PARSE_ERROR, message),
                    line => self.placed_error(message, resource.file, line),
                }
            }),
        })
    }

    /// Adds a resource to the catalog: its reference and the values that identify it must be free.
    pub(crate) fn add_resource(
        &self,
        scope: &'c Scope<'c>,
        mut resource: Resource<'c>,
    ) -> Eval<'c, ResourceId> {
        let mut catalog = self.catalog.borrow_mut();
        // A title that is another's alias or name is taken too.
        if let Some(other) = catalog.find_numbered(resource.of_type, resource.title) {
            let message = is_declared(&resource, &catalog[other]) + &behind(&resource);
            return Err(Flow::caused(Cause::Duplicate, message));
        }
        let is_class = resource.is_class();
        let is_stage = resource.type_name == "Stage";
        let title = resource.title;
        let identity = self.identity(&mut resource)?;
        let (mut aliases, mut has_stage) = (None, false);
        for param in resource.params.iter().filter(|param| !param.value.is_undef()) {
            match param.name {
                "alias" => aliases = Some(param.value),
                "stage" => has_stage = true,
                _ => {}
            }
        }
        let id = catalog.add(resource);
        let mut given = Vec::new();
        if let Some(aliases) = aliases {
            flatten(aliases, &mut given);
        }
        for alias in given {
            let alias = self.interpolated(alias);
            self.alias(&mut catalog, id, alias, || (format!("{alias:?}"), format!("{alias:?}")))?;
        }
        if let Some(identity) = identity.filter(|identity| !identity.is_only(title)) {
            let key = self.text(&identity.key());
            let shown = || {
                let shown = identity.shown();
                (format!("[{shown}]"), shown)
            };
            self.alias(&mut catalog, id, key, shown)?;
        }
        if !is_class && has_stage {
            let reference = catalog[id].reference();
            let message = format!(
                "Only classes can set 'stage'; normal resources like {reference} cannot change run stage"
            );
            return Err(Flow::raw(message));
        }
        if !is_stage
            && !is_class
            && let Some(container) = self.resource_of(scope)
        {
            catalog.add_edge(container, id);
        }
        Ok(id)
    }

    /// What identifies a resource besides its title: its name variables' values, in order of their names. None where
    /// nothing does.
    fn identity(&self, resource: &mut Resource<'c>) -> Eval<'c, Option<Identity>> {
        let Some(ty) = resource.ty else { return Ok(None) };
        if ty.is_titled_by(resource.title) && resource.param(ty.namevar()).is_none() {
            return Ok(None);
        }
        if !ty.isomorphic || !ty.is_identifiable() {
            return Ok(None);
        }
        let parsed = ty.parse_title(resource.title).map_err(Flow::raw)?;
        let identity = Identity::of(ty, &parsed, |name| resource.param(name).map(format::to_interpolated));
        resource.parsed = Some(self.arena.alloc_slice_copy(&parsed));
        Ok(Some(identity))
    }

    fn alias(
        &self,
        catalog: &mut bunraku_catalog::Catalog<'c>,
        id: ResourceId,
        alias: &'c str,
        shown: impl FnOnce() -> (String, String),
    ) -> Eval<'c, ()> {
        let Err(other) = catalog.alias(id, alias) else { return Ok(()) };
        let (key, values) = shown();
        let message = is_taken(&catalog[id], &key, &values) + &behind(&catalog[other]);
        Err(Flow::raw(message))
    }

    /// `create_resources`
    pub(crate) fn create_from_hash(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        type_name: &str,
        resources: Hash<'c>,
        defaults: Option<Hash<'c>>,
    ) -> Eval<'c> {
        iterator::refuse(vm, Value::Hash(resources))?;
        let bare = type_name.trim_start_matches('@');
        let marks = (type_name.len() - bare.len()).min(2);
        let type_name = self.text(&bare.to_lowercase());
        if type_name == "class" && marks > 0 {
            let site = vm.site();
            let place = Place {
                file: Some(site.file.unwrap_or("unknown").into()),
                line: Some(site.line),
                column: None,
            };
            let diagnostic = Diagnostic::error("Evaluation Error: Classes are not virtualizable").at(place);
            return Err(Flow::formed(diagnostic.with_code("CLASS_NOT_VIRTUALIZABLE")));
        }
        let site = vm.site();
        let mut creation = Creation {
            type_name,
            is_virtual: marks > 0,
            exported: if marks == 2 { Some(true) } else { None },
            // Puppet's call stack says so of code given as text.
            file: Some(site.file.unwrap_or("unknown")),
            line: site.line,
            title_value: None,
        };
        let source = self.source_of(scope);
        let mut references = List::new_in(self.arena);
        let as_param = |(name, value): &(Value<'c>, Value<'c>)| {
            let name = self.interpolated(*name);
            let value = Attribute::own_list(self.arena, name, *value);
            Param { name, value, at: None, append: false, source }
        };
        let set = |params: &mut Params<'c>, param: Param<'c>| match params
            .iter_mut()
            .find(|p| p.name == param.name)
        {
            Some(old) => *old = param,
            None => params.push(param),
        };
        let mut of_all = Params::new_in(self.arena);
        defaults.iter().flat_map(|hash| hash.entries()).for_each(|entry| set(&mut of_all, as_param(entry)));
        for (title, given) in resources.entries() {
            let mut titles = Vec::new();
            flatten(*title, &mut titles);
            let titles: Vec<&'c str> = titles.iter().map(|title| self.interpolated(*title)).collect();
            let mut params = of_all.clone();
            let given = match given {
                Value::Hash(hash) => hash.entries(),
                other => {
                    let actual = if other.is_undef() { "nil".to_owned() } else { vm.type_text(*other) };
                    return Err(Flow::of_class(
                        TYPE_ERROR,
                        format!("no implicit conversion of {actual} into Hash"),
                    ));
                }
            };
            given.iter().for_each(|entry| set(&mut params, as_param(entry)));
            creation.title_value = (!matches!(title, Value::Str(_) | Value::Array(_))).then_some(*title);
            self.create(vm, scope, &creation, &titles, params, Some(&mut references))?;
        }
        Ok(Value::Array(Array::wrap(self.arena, references.into_bump_slice())))
    }

    /// Attributes as parameters set by the code of `scope`.
    pub(crate) fn params_of(&self, scope: &'c Scope<'c>, attributes: &[Attribute<'c>]) -> Params<'c> {
        let source = self.source_of(scope);
        let param = |attribute: &Attribute<'c>| Param {
            name: attribute.name,
            value: attribute.value,
            at: attribute.at,
            append: attribute.op == AttrOp::Append,
            source,
        };
        attributes.iter().map(param).collect_in(self.arena)
    }

    /// What the resources of an expression have in common.
    pub(crate) fn creation(&self, form: ResourceForm, type_name: &'c str, at: Site<'c>) -> Creation<'c> {
        Creation {
            type_name,
            is_virtual: form != ResourceForm::Regular,
            exported: Some(form == ResourceForm::Exported),
            file: Some(at.file.unwrap_or("")),
            line: at.line,
            title_value: None,
        }
    }

    /// A value as text; that of a string is there.
    pub(crate) fn interpolated(&self, value: Value<'c>) -> &'c str {
        match value {
            Value::Str(text) => text.as_str(),
            other => self.text(&format::to_interpolated(other)),
        }
    }

    /// A string in the compile's arena as a value.
    pub(crate) fn string_value(&self, text: &str) -> Value<'c> {
        Value::Str(Str::new(self.arena, text))
    }
}

/// A value as the text of a tag.
fn tag_text(value: Value<'_>) -> String {
    match value {
        Value::Hash(_) | Value::Regexp(_) => format::to_ruby_s(value),
        other => rich::text_or_reference(other),
    }
}

/// Puppet's message for a resource whose reference is another's; where the resource stands comes behind it.
pub(crate) fn is_declared(resource: &Resource<'_>, other: &Resource<'_>) -> String {
    let reference = resource.reference();
    let there = location(other.file, other.line);
    let at = if there.is_empty() { "" } else { " at " };
    format!("Duplicate declaration: {reference} is already declared{at}{there}; cannot redeclare")
}

/// Puppet's message for a resource whose alias is another's name, which is shown as it is given, and as a part of a reference; where
/// the other stands comes behind it.
pub(crate) fn is_taken(resource: &Resource<'_>, alias: &str, values: &str) -> String {
    let reference = resource.reference();
    let here = location(resource.file, resource.line);
    let at = if here.is_empty() { "" } else { " at " };
    let ty = resource.type_name;
    format!("Cannot alias {reference} to {alias}{at}{here}; resource [{ty:?}, {values}] already declared")
}

/// Where a resource stands, to be put behind a message.
fn behind(resource: &Resource<'_>) -> String {
    let place = location(resource.file, resource.line);
    if place.is_empty() { place } else { format!(" {place}") }
}

/// The elements of an array, however deep; a single value is one element, `undef` none.
pub(crate) fn flatten<'c>(value: Value<'c>, into: &mut Vec<Value<'c>>) {
    flattened(value, false, into);
}

/// The same, where `undef` is one, too.
pub(crate) fn flatten_with_undef<'c>(value: Value<'c>, into: &mut Vec<Value<'c>>) {
    flattened(value, true, into);
}

fn flattened<'c>(value: Value<'c>, with_undef: bool, into: &mut Vec<Value<'c>>) {
    budget::within(1, || match value {
        Value::Array(items) => items.iter().for_each(|item| flattened(*item, with_undef, into)),
        Value::Undef if !with_undef => {}
        other => budget::push(into, other),
    })
}
