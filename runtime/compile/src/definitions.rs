//! What a definition does when its file is read: it takes its name, unless something has it already.

use crate::compile::Compile;
use crate::load::Read;
use crate::state::aliases::AliasBody;
use crate::state::arena::List;
use crate::state::definitions::{Definition, DefinitionKind, FunctionDefinition, NodeDefinition};
use bunraku_data::names;
use bunraku_environment::taken::{self, OF_THE_LANGUAGE, location};
use bunraku_vm::cause::Cause;
use bunraku_vm::closure::Closure;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::regex;
use bunraku_vm::scope::Scope;
use bunraku_vm::types::{self, Alias};
use bunraku_vm::unit::{ChunkRef, Def, DefKind, HostMatch};
use bunraku_vm::vm::Vm;
use std::cell::Cell;

impl<'c> Compile<'c> {
    pub(crate) fn definition(&self, number: u32) -> &'c Definition<'c> {
        self.definitions.all.borrow()[number as usize]
    }

    pub(crate) fn add_definition(&self, make: impl FnOnce(u32) -> Definition<'c>) -> &'c Definition<'c> {
        let mut all = self.definitions.all.borrow_mut();
        let definition = &*self.arena.alloc(make(all.len() as u32));
        all.push(definition);
        definition
    }

    /// The class, defined type or node whose code runs in `scope`, if it is known.
    pub(crate) fn definition_of(&self, scope: &'c Scope<'c>) -> Option<&'c Definition<'c>> {
        scope.container().source.get().map(|number| self.definition(number))
    }

    /// Makes a definition known. A file that is loaded for the one thing it defines is itself the `origin` of that.
    ///
    /// # Errors
    /// Puppet's, where the name is taken; those of checking the parameters.
    pub(crate) fn define(
        &self,
        vm: &mut Vm<'c>,
        read: Read<'c>,
        def: &Def<'c>,
        origin: Option<&'c str>,
    ) -> Eval<'c, ()> {
        match def.kind {
            DefKind::Class => self.define_class(vm, read, def),
            DefKind::Define => self.define_defined_type(vm, read, def, origin),
            DefKind::Node => self.define_node(read, def),
            DefKind::Function => self.define_function(vm, read, def, origin),
            DefKind::TypeAlias | DefKind::ObjectType | DefKind::TypeSet => {
                self.define_type(vm, read, def, origin)
            }
        }
    }

    /// Numbers a definition of this name.
    fn number(
        &self,
        kind: DefinitionKind,
        name: &'c str,
        Read { unit, manifest, module }: Read<'c>,
        def: &Def<'c>,
    ) -> &'c Definition<'c> {
        self.add_definition(|number| Definition {
            number,
            kind,
            name,
            chunk: Some(ChunkRef { unit, chunk: def.chunk }),
            parent: if kind == DefinitionKind::Node { None } else { def.parent },
            module,
            manifest,
            line: def.line,
            overrides: Cell::new(false),
            is_noted: Cell::new(false),
        })
    }

    fn define_class(&self, vm: &mut Vm<'c>, read: Read<'c>, def: &Def<'c>) -> Eval<'c, ()> {
        let definition = self.number(DefinitionKind::Class, def.name, read, def);
        self.check_parameters(vm, definition)?;
        self.check_name(definition, DefKind::Class)?;
        self.definitions.classes.borrow_mut().insert(def.name, definition);
        Ok(())
    }

    fn define_defined_type(
        &self,
        vm: &mut Vm<'c>,
        read: Read<'c>,
        def: &Def<'c>,
        origin: Option<&'c str>,
    ) -> Eval<'c, ()> {
        let definition = self.number(DefinitionKind::Define, def.name, read, def);
        let site = self.site_of_definition(read.manifest.file, def, origin);
        if let Some(old) = self.definitions.define_sites.borrow_mut().insert(def.name, site) {
            return Err(redefined("type", def.name, &format!("Originally set {old}.")));
        }
        self.check_parameters(vm, definition)?;
        self.check_name(definition, DefKind::Define)?;
        self.definitions.defines.borrow_mut().insert(def.name, definition);
        Ok(())
    }

    fn define_node(&self, read: Read<'c>, def: &Def<'c>) -> Eval<'c, ()> {
        for matching in def.matches.iter().copied() {
            let name = match matching {
                HostMatch::Name(name) => name,
                HostMatch::Regex(source) => {
                    // Puppet compiles it when it reads it.
                    regex::check(source).map_err(Flow::raw)?;
                    self.text(&names::of_node_pattern(source, self.options.settings.compat))
                }
                HostMatch::Default => "default",
            };
            let definition = self.number(DefinitionKind::Node, name, read, def);
            self.check_name(definition, DefKind::Node)?;
            self.definitions.nodes_by_name.borrow_mut().insert(name, definition);
            self.definitions.nodes.borrow_mut().push(NodeDefinition { matching, definition });
        }
        Ok(())
    }

    fn define_function(
        &self,
        vm: &Vm<'c>,
        read: Read<'c>,
        def: &Def<'c>,
        origin: Option<&'c str>,
    ) -> Eval<'c, ()> {
        let chunk = ChunkRef { unit: read.unit, chunk: def.chunk };
        let closure = &*self.arena.alloc(Closure::new(chunk, vm.top, Some(def.name)));
        let site = self.site_of_definition(read.manifest.file, def, origin);
        if let Some(old) = self.definitions.function_sites.borrow_mut().insert(def.name, site) {
            return Err(redefined("function", def.name, &format!("Originally set {old}.")));
        }
        let definition = FunctionDefinition { closure, manifest: read.manifest, is_noted: Cell::new(false) };
        let definition = &*self.arena.alloc(definition);
        self.definitions.functions.borrow_mut().insert(def.name, Some(definition));
        Ok(())
    }

    fn define_type(
        &self,
        vm: &mut Vm<'c>,
        read: Read<'c>,
        def: &Def<'c>,
        origin: Option<&'c str>,
    ) -> Eval<'c, ()> {
        if !self.types.is_sought.get() || def.kind == DefKind::TypeSet {
            self.expect_own_types(vm)?;
        }
        let key = self.text(&def.name.to_lowercase());
        if types::builtin(self.arena, def.name).is_some() {
            return Err(redefined("type", key, OF_THE_LANGUAGE));
        }
        if key == "node" || self.environment.types.get(key).is_some() {
            return Err(redefined("type", key, "Set at unknown location"));
        }
        let body = AliasBody::Chunk(ChunkRef { unit: read.unit, chunk: def.chunk });
        let alias = &*self.arena.alloc(Alias::new(def.name));
        // A type of a type set is found once the set has been looked at.
        if let Some(set) = def.parent {
            let set = self.text(&set.to_lowercase());
            let mut all = self.types.set_types.borrow_mut();
            all.entry(set).or_insert_with(|| List::new_in(self.arena)).push((key, (alias, def.kind, body)));
            return Ok(());
        }
        let site = self.site_of_definition(read.manifest.file, def, origin);
        let old = self.types.sites.borrow_mut().insert(key, site);
        if let Some(old) = old.or_else(|| self.definitions.define_sites.borrow().get(key).copied()) {
            return Err(redefined("type", key, &format!("Originally set {old}.")));
        }
        self.types.aliases.borrow_mut().insert(key, Some((alias, def.kind, body)));
        Ok(())
    }

    pub(crate) fn class_named(&self, name: &str) -> Option<&'c Definition<'c>> {
        self.definitions.classes.borrow().get(name).copied()
    }

    pub(crate) fn define_named(&self, name: &str) -> Option<&'c Definition<'c>> {
        self.definitions.defines.borrow().get(name).copied()
    }

    /// Fails if something that such a definition may not share its name with has the name of `known`.
    fn check_name(&self, definition: &'c Definition<'c>, new: DefKind) -> Eval<'c, ()> {
        for old in taken::in_the_way(new) {
            let other = match old {
                DefKind::Node => self.definitions.nodes_by_name.borrow().get(definition.name).copied(),
                DefKind::Define => self.define_named(definition.name),
                // The class of the code outside all definitions.
                _ if definition.name.is_empty() => Some(self.definition(0)),
                _ => self.class_named(definition.name),
            };
            if let Some(other) = other {
                let message =
                    taken::taken(new, *old, definition.name, &location(other.manifest.file, other.line));
                let flow = self.placed_error(message, definition.manifest.file, definition.line);
                return Err(flow.because(Cause::Duplicate));
            }
        }
        Ok(())
    }

    /// Where a definition stands, as Puppet's loaders name the place.
    pub(crate) fn site_of_definition(
        &self,
        file: Option<&str>,
        def: &Def<'c>,
        origin: Option<&'c str>,
    ) -> &'c str {
        if let Some(origin) = origin {
            return origin;
        }
        self.text(&taken::site(file, def.line, def.column))
    }
}

/// The error that a name has been defined before.
fn redefined<'c>(what: &str, name: &str, origin: &str) -> Box<Flow<'c>> {
    Flow::caused(Cause::Duplicate, taken::redefined(what, name, origin))
}
