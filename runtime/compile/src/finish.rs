//! What completes a catalog: pending overrides, tags of containers, Sensitive values taken apart, metaparameters
//! handed down, parameters and relationships validated.

use crate::compile::Compile;
use crate::declare::flatten;
use crate::state::arena::Set;
use crate::state::recorded::Given;
use bunraku_catalog::{Param, Params, Resource, tags::Tags};
use bunraku_data::names;
use bunraku_data::rich;
use bunraku_environment::taken::location;
use bunraku_resource_types::{Identity, METAPARAMETERS, is_relationship};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format;
use bunraku_vm::scope::ResourceId;
use bunraku_vm::types::Type;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use hashbrown::HashMap;
use std::borrow::Cow;
use std::collections::VecDeque;

impl<'c> Compile<'c> {
    /// Completes every resource.
    pub(crate) fn finish(&self, vm: &mut Vm<'c>) -> Eval<'c, ()> {
        self.evaluate_relationships()?;
        let count = self.catalog.borrow().resources.len() as u32;
        for id in (0..count).map(ResourceId) {
            if !self.resources.overrides.borrow().is_empty() {
                let reference = self.catalog.borrow()[id].reference();
                let pending = self.resources.overrides.borrow_mut().remove(reference.as_str());
                for over in pending.iter().flatten() {
                    self.merge(vm, id, over)?;
                }
            }
            self.finish_resource(vm, id)?;
        }
        self.hand_down();
        Ok(())
    }

    fn finish_resource(&self, vm: &mut Vm<'c>, id: ResourceId) -> Eval<'c, ()> {
        if std::mem::replace(&mut self.catalog.borrow_mut()[id].progress.finished, true) {
            return Ok(());
        }
        // Stage[main] and settings are in the catalog but not among what the compiler finishes.
        if id.0 < 2 {
            return Ok(());
        }
        self.add_scope_tags(id);
        let is_doubtful = {
            let resource = &self.catalog.borrow()[id];
            resource.ty.is_none() && !resource.progress.validated
        };
        if is_doubtful {
            self.validate_as_given(vm, id)?;
        }
        let mut catalog = self.catalog.borrow_mut();
        let resource = &mut catalog[id];
        let mut sensitive = Vec::new();
        for param in &mut resource.params {
            if let Value::Sensitive(inner) = param.value {
                sensitive.push(param.name);
                param.value = *inner;
            }
        }
        if resource.ty.is_none() {
            lower_names(self, resource);
        }
        if !sensitive.is_empty() {
            resource.sensitive = self.arena.alloc_slice_copy(&sensitive);
        }
        if let Some(why) = resource.ty.and_then(|ty| ty.unreadable.as_ref()) {
            let name = resource.type_name;
            self.warn_once(format!("Resource type {name} takes any parameter here: {why}"));
        }
        if let Some(ty) = resource.ty
            && let Some(doubt) = ty.doubts.first()
            && ty.unreadable.is_none()
            && !self.environment.types.is_untold(ty)
        {
            let name = resource.type_name;
            self.warn_once(format!(
                "Resource type {name} is taken as declared, since no Ruby says whether it can be loaded: {}",
                doubt.reason()
            ));
        }
        if let Some(name) = catalog.unknown_parameter(id) {
            let resource = &catalog[id];
            let reference = resource.reference();
            let at = location(resource.file, resource.line);
            let message = format!("no parameter named '{name}' {at} on {reference}");
            return Err(self.placed_error(message, resource.file, resource.line));
        }
        Ok(())
    }

    /// Hands metaparameters other than relationships, and tags, down from main along the containment edges.
    fn hand_down(&self) {
        let names: Vec<&'static str> =
            METAPARAMETERS.iter().copied().filter(|name| !is_relationship(name)).collect();
        let mut catalog = self.catalog.borrow_mut();
        let Some(main) = catalog.find("Class", "main") else { return };
        let own = |params: &[Param<'c>]| -> Vec<Param<'c>> {
            names
                .iter()
                .filter_map(|name| params.iter().find(|p| p.name == *name && !p.value.is_undef()).copied())
                .collect()
        };
        let mut data: HashMap<ResourceId, Vec<Param<'c>>> = HashMap::new();
        let mut queue = VecDeque::from([main]);
        let mut seen = vec![false; catalog.resources.len()];
        while let Some(container) = queue.pop_front() {
            let count = catalog.contents(container).len();
            if std::mem::replace(&mut seen[container.0 as usize], true) || count == 0 {
                continue;
            }
            let handed = match data.remove(&container) {
                Some(known) => known,
                None => own(&catalog[container].params),
            };
            let tags = std::mem::replace(&mut catalog[container].tags, Tags::new(self.arena));
            for n in 0..count {
                let id = catalog.contents(container)[n];
                if !handed.is_empty() {
                    for param in &handed {
                        if catalog[id].param(param.name).is_none() {
                            catalog[id].set(*param);
                            if let Some(recorded) = self.recorded {
                                recorded.give(id, param.name, Given::Container(container));
                            }
                        }
                    }
                    let mut merged = handed.clone();
                    for param in own(&catalog[id].params) {
                        match merged.iter_mut().find(|p| p.name == param.name) {
                            Some(old) => *old = param,
                            None => merged.push(param),
                        }
                    }
                    data.insert(id, merged);
                }
                let content = &mut catalog[id];
                // Mostly what it was declared in: those tags it has.
                let known =
                    content.progress.scope_tagged.filter(|inherited| inherited.container == Some(container));
                let known = known.map_or(0, |inherited| inherited.count as usize);
                content.tags.merge_from(&tags, known, &mut self.tags.marks.borrow_mut());
            }
            catalog[container].tags = tags;
            queue.extend(catalog.contents(container).iter().filter(|id| !seen[id.0 as usize]));
        }
    }

    /// Every resource that a relationship parameter names must be there.
    pub(crate) fn validate_relationships(&self) -> Eval<'c, ()> {
        let catalog = self.catalog.borrow();
        // An arrow enters one text with many resources, which it has found; so may code.
        let mut known = self.links.entered.replace(Set::new_in(self.arena));
        let mut references = Vec::new();
        for resource in catalog.resources.iter().filter(|r| !r.is_virtual) {
            for param in resource.params.iter().filter(|p| is_relationship(p.name)) {
                references.clear();
                flatten(param.value, &mut references);
                for reference in references.iter().copied() {
                    if let Value::Str(text) = reference
                        && !known.insert(names::address(&text))
                    {
                        continue;
                    }
                    if let Value::Type(ty) = reference
                        && let Some((name, title)) = rich::entry(ty)
                        && !title.is_empty()
                        && self.find_in(&catalog, &name, &title).is_some()
                    {
                        continue;
                    }
                    let text = match reference {
                        Value::Type(ty) => rich::reference(ty).unwrap_or_else(|| match ty {
                            // A type alone: Puppet has a resource of it without a title.
                            Type::Resource { type_name: Some(name), title: None, .. } => {
                                format!("{}[]", names::capitalize(name))
                            }
                            _ => format::to_interpolated(reference),
                        }),
                        other => format::to_interpolated(other),
                    };
                    let found =
                        names::split_reference(&text).map(|(ty, title)| self.find_in(&catalog, ty, title));
                    let message = match found {
                        Some(Some(_)) => continue,
                        Some(None) => {
                            format!("Could not find resource '{text}' in parameter '{}'", param.name)
                        }
                        None => format!("No title provided and {text:?} is not a valid resource reference"),
                    };
                    let (file, line) = param.place();
                    return Err(self.placed_error(message, file, line));
                }
            }
        }
        Ok(())
    }

    /// The resource of a type (in any case) and a title, an alias, or a title that means the same resource.
    pub(crate) fn find_resource(&self, ty: &str, title: &str) -> Option<ResourceId> {
        self.find_in(&self.catalog.borrow(), ty, title)
    }

    pub(crate) fn find_in(
        &self,
        catalog: &bunraku_catalog::Catalog<'c>,
        ty: &str,
        title: &str,
    ) -> Option<ResourceId> {
        let type_name = names::capitalized(ty);
        let title = match &*type_name {
            "Class" if title == "main" || title == "Main" || title.is_empty() => "main".into(),
            "Class" => names::capitalized(title),
            _ => Cow::Borrowed(title),
        };
        catalog.find(&type_name, &title).or_else(|| {
            let ty = self.environment.types.get(&type_name)?;
            let identity = Identity::of(ty, &ty.parse_title(&title).ok()?, |_| None);
            catalog.find(&type_name, &identity.key())
        })
    }

    /// The value of a parameter of a declared resource, or what its defaults give.
    ///
    /// # Errors
    /// Those of looking for the defaults.
    pub(crate) fn parameter_of(
        &self,
        vm: &mut Vm<'c>,
        id: ResourceId,
        name: &str,
    ) -> Eval<'c, Option<Value<'c>>> {
        let (scope, type_name, title, value) = {
            let resource = &self.catalog.borrow()[id];
            (resource.origin.scope, resource.type_name, resource.title, resource.param(name))
        };
        if name == "title" {
            return Ok(Some(self.string_value(title)));
        }
        if value.is_some() {
            return Ok(value);
        }
        self.with_defaults(vm, scope, type_name, |defaults| {
            defaults.iter().find(|p| p.name == name).map(|p| p.value)
        })
    }

    /// The error for a reference that names no resource of the catalog.
    pub(crate) fn unknown_resource(&self, type_name: &str, title: &str) -> Box<Flow<'c>> {
        let message = format!("Resource not found: {}['{title}']", names::capitalize(type_name));
        Flow::issue("UNKNOWN_RESOURCE", message)
    }
}

/// A catalog has the names of parameters in lower case; of two that differ in case only, the later value stands in
/// the earlier one's place. Only definitions of the language can have such.
fn lower_names<'c>(compile: &Compile<'c>, resource: &mut Resource<'c>) {
    let has_capitals = |name: &str| name.bytes().any(|byte| byte.is_ascii_uppercase());
    if !resource.params.iter().any(|param| has_capitals(param.name)) {
        return;
    }
    let mut lowered = Params::new_in(compile.arena);
    for mut param in resource.params.iter().copied() {
        param.name =
            if has_capitals(param.name) { compile.text(&names::lower(param.name)) } else { param.name };
        match lowered.iter_mut().find(|other| other.name == param.name) {
            Some(other) => *other = param,
            None => lowered.push(param),
        }
    }
    resource.params = lowered;
}
