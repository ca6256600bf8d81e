//! Constants: found from where code stands, outward, then in what the class inherits from, then at the top.

use super::variables::VariableState;
use super::{Done, Run, Unwind};
use crate::for_ruby::ForRuby;
use crate::libraries;
use crate::method::Method;
use crate::methods;
use crate::prelude::Part;
use crate::tree::{Expr, MethodCall};
use crate::value::object::{ClassRef, Module, Nesting};
use crate::value::{Class, V};
use bunraku_vm::compat::Rule;
use std::rc::Rc;

impl<'c> Run<'_, 'c> {
    /// The value of a constant, by its path.
    pub(super) fn constant(&mut self, path: &'c str) -> Done<'c> {
        self.kept_constant(path).ok_or_else(|| {
            self.left.unknown = Some(format!("the constant {path}"));
            ForRuby("a constant that is not known").into()
        })
    }

    /// The value of a constant that is asked for often; none where it is not known here.
    pub(crate) fn kept_constant(&mut self, path: &'c str) -> Option<V<'c>> {
        // While a file is loaded more constants come in.
        if self.space.is_loading() {
            return self.find_constant(path);
        }
        if let Some(known) = self.space.literals.constant(path, self.frame.nesting.as_ref()) {
            return Some(known);
        }
        let value = self.find_constant(path)?;
        self.space.literals.keep_constant(path, self.frame.nesting.as_ref(), &value);
        Some(value)
    }

    /// The value of a constant; none where it is not known here.
    pub(crate) fn find_constant(&mut self, path: &str) -> Option<V<'c>> {
        let (absolute, path) = match path.strip_prefix("::") {
            Some(path) => (true, path),
            None => (false, path),
        };
        let mut parts = path.split("::");
        let first = parts.next().unwrap_or_default();
        let mut found = match absolute {
            true => self.constant_in("", first)?,
            false => self.constant_from_here(first)?,
        };
        for part in parts {
            found = match &found {
                V::Class(class) => self.constant_in(class.name(), part)?,
                V::Module(module) => self.constant_of(&module.clone(), part)?,
                _ => return None,
            };
        }
        Some(found)
    }

    fn constant_from_here(&mut self, name: &str) -> Option<V<'c>> {
        let mut at: Option<Rc<Nesting<'c>>> = self.frame.nesting.clone();
        let innermost = at.clone();
        while let Some(nesting) = at {
            let outer = match &nesting.module {
                V::Module(module) => module.name().to_owned(),
                V::Class(class) => class.name().to_owned(),
                _ => return None,
            };
            if let Some(found) = self.constant_in(&outer, name) {
                return Some(found);
            }
            at = nesting.outer.clone();
        }
        if let Some(V::Module(module)) = innermost.map(|nesting| nesting.module.clone())
            && let Some(found) = self.constant_of(&module, name)
        {
            return Some(found);
        }
        self.constant_in("", name)
    }

    /// A constant of a class or of what that inherits from and includes.
    fn constant_of(&mut self, module: &Rc<Module<'c>>, name: &str) -> Option<V<'c>> {
        if let Some(name_of_module) = module.full_name.get()
            && let Some(found) = self.constant_in(name_of_module, name)
        {
            return Some(found);
        }
        let included: Vec<_> = module.included.borrow().clone();
        included.iter().find_map(|module| self.constant_of(module, name)).or_else(|| {
            match &module.superclass {
                Some(ClassRef::Own(parent)) => self.constant_of(&parent.clone(), name),
                Some(ClassRef::Builtin(class)) => self.constant_in(class.name(), name),
                None => None,
            }
        })
    }

    fn constant_in(&mut self, outer: &str, name: &str) -> Option<V<'c>> {
        let full = if outer.is_empty() { name.to_owned() } else { format!("{outer}::{name}") };
        if let Some(value) = self.space.constant(&full) {
            return Some(value);
        }
        if let Some(part) = Part::of(&full)
            && self.engine.load_part(self.world, self.vm, part)
        {
            return self.space.constant(&full);
        }
        // A file of Ruby's library is loaded before its constants are there; Puppet has loaded most.
        let class = Class::by_name(&full).filter(|class| {
            !matches!(class, Class::Pson | Class::PsonError | Class::PsonParserError)
                || self.vm.host.compat().holds(Rule::PsonIsThere)
        });
        class.map(V::Class).or_else(|| libraries::constant(&full))
    }

    pub(super) fn set_constant(&mut self, path: &str, value: V<'c>) -> Done<'c, ()> {
        let outer = match self.frame.nesting.as_ref().map(|nesting| &nesting.module) {
            None => String::new(),
            Some(V::Module(module)) => format!("{}::", module.name()),
            Some(V::Class(class)) => format!("{}::", class.name()),
            Some(_) => return Err(ForRuby("a constant of such an object").into()),
        };
        let full = format!("{outer}{path}");
        if !self.space.is_loading() || self.space.constant(&full).is_some() || Class::by_name(&full).is_some()
        {
            return Err(ForRuby("a constant that is set again").into());
        }
        if let V::Module(module) = &value {
            module.full_name.get_or_init(|| full.clone());
        }
        self.space.set_constant(full, value);
        Ok(())
    }

    /// `defined?` of a constant, or of a method of one.
    pub(super) fn is_defined(&mut self, named: &'c Expr) -> Done<'c> {
        let unknown = || Unwind::from(ForRuby("`defined?`"));
        match named {
            Expr::Key(on, _) => self.is_method_defined(on, "[]"),
            Expr::Call(call) if call.method == Method::Element => match &call.receiver {
                Some(on) if call.args.iter().all(is_always_defined) => self.is_method_defined(on, "[]"),
                _ => Err(unknown()),
            },
            Expr::Constant(path) => match self.find_constant(path) {
                Some(_) => Ok(V::Str("constant")),
                None => Err(unknown()),
            },
            Expr::Call(call) => {
                let MethodCall { receiver: Some(Expr::Constant(path)), method, name, .. } = &**call else {
                    return Err(unknown());
                };
                let name = if *method == Method::Other { name } else { return Err(unknown()) };
                match self.find_constant(path) {
                    Some(V::Class(class)) if libraries::has(class, name) => Ok(V::Str("method")),
                    _ => Err(unknown()),
                }
            }
            _ => Err(unknown()),
        }
    }

    /// `defined?` of a method of something: that has to be defined itself, to be computed without an error, and to have the
    /// method.
    fn is_method_defined(&mut self, on: &'c Expr, name: &str) -> Done<'c> {
        let unknown = || Unwind::from(ForRuby("`defined?`"));
        let is_defined = match on {
            Expr::Local(_) => true,
            Expr::Variable(number) => self.is_variable_defined(*number)?,
            Expr::Key(inner, _) => self.is_method_defined(inner, "[]")?.truthy(),
            Expr::Call(call) => match &call.receiver {
                Some(inner)
                    if call.block.is_none()
                        && !call.safe
                        && !matches!(inner, Expr::Scope)
                        && call.args.iter().all(is_always_defined) =>
                {
                    self.is_method_defined(inner, call.method.name())?.truthy()
                }
                _ => return Err(unknown()),
            },
            _ => return Err(unknown()),
        };
        if !is_defined {
            return Ok(V::Nil);
        }
        let value = match self.eval(on) {
            Err(stop) if stop.exception().is_some() => return Ok(V::Nil),
            value => value?,
        };
        match methods::responds(&value, name) {
            Some(true) => Ok(V::Str("method")),
            Some(false) => Ok(V::Nil),
            None => Err(unknown()),
        }
    }

    /// Whether an instance variable is defined.
    pub(super) fn is_variable_defined(&mut self, number: u32) -> Done<'c, bool> {
        if !self.is_template() {
            let name = self.variable_name(number);
            return Ok(self.own_variable(name)?.is_some());
        }
        self.look_up(number)?;
        Ok(matches!(self.variables.seen[number as usize], VariableState::Set(_)))
    }
}

/// Whether an expression is a literal, with nothing in it that might not be there.
fn is_always_defined(node: &Expr) -> bool {
    match node {
        Expr::Array(items) => items.iter().all(is_always_defined),
        Expr::Hash(pairs) => {
            pairs.iter().all(|(key, value)| is_always_defined(key) && is_always_defined(value))
        }
        node => node.is_plain(),
    }
}
