//! Modules and classes that code defines, and instances of classes.

use super::asking::OF_FUNCTIONS;
use super::params::Arguments;
use super::{Done, Run, Unwind};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::lower::KNOWN_WITHOUT_RECEIVER;
use crate::method::Method as Builtin;
use crate::tree::{Block, Expr, MethodCall};
use crate::value::object::{ClassRef, Method, Module, Nesting, Object};
use crate::value::{Class, Frame, V};
use crate::world::WorkerState;
use std::cell::RefCell;
use std::rc::Rc;

/// What a class without a name costs, which is kept until the compile is over.
const COST: u64 = 64;

/// What Ruby asks errors for wherever one is raised, rescued or told: an error whose class has a method of such a name is Ruby's.
const OWN_WAYS_OF_ERRORS: [&str; 12] = [
    "initialize",
    "exception",
    "message",
    "to_s",
    "full_message",
    "detailed_message",
    "inspect",
    "class",
    "nil?",
    "is_a?",
    "kind_of?",
    "==",
];

impl<'c> Run<'_, 'c> {
    /// `def`
    pub(super) fn define(&mut self, number: u32, singleton: bool) -> Done<'c> {
        let program = self.frame.program;
        let body = &program.methods[number as usize];
        let name: &'c str = &body.name;
        let method = Method::Body { program, number, nesting: self.frame.nesting.clone() };
        match &self.frame.this {
            V::Module(module) => {
                let own = singleton || self.defining.defines_own;
                let methods = if own { &module.singleton } else { &module.methods };
                methods.borrow_mut().insert(name, method.clone());
                module.hide(own, name, self.defining.hides && !singleton);
                if self.defining.module_function && !own {
                    module.singleton.borrow_mut().insert(name, method);
                    module.hide(true, name, self.defining.hides);
                }
            }
            V::Main if !singleton && self.is_template() => self.outer_methods.push((name, method)),
            V::Main if !singleton && self.is_required_file() => {
                // Those that are known here are not looked for among such.
                let is_own = Builtin::by_name(name).is_none() && !KNOWN_WITHOUT_RECEIVER.contains(&name);
                if !is_own || !self.space.define_outside(name, method) {
                    return Err(ForRuby("a method of all objects").into());
                }
            }
            _ => return Err(ForRuby("a method of what is there already").into()),
        }
        Ok(V::Symbol(name))
    }

    /// Whether it is the body of a file that is required: what it defines outside of all classes all objects have. Functions'
    /// files are evaluated elsewhere.
    fn is_required_file(&self) -> bool {
        let file = self.space.file_of(self.frame.program);
        file.is_some_and(|file| !OF_FUNCTIONS.iter().any(|folder| file.to_string_lossy().contains(folder)))
    }

    /// `module`, `class`
    pub(super) fn module(&mut self, number: u32, is_class: bool, parent: &'c Expr) -> Done<'c> {
        let program = self.frame.program;
        let body = &program.methods[number as usize];
        let superclass = match (self.eval(parent)?, is_class) {
            (V::Nil, false) => None,
            (V::Nil, true) => Some(ClassRef::Builtin(Class::Object)),
            (V::Class(class), true) if class == Class::Object || class.is_exception() => {
                Some(ClassRef::Builtin(class))
            }
            (V::Module(parent), true) => Some(ClassRef::Own(self.inheritable(parent)?)),
            _ => return Err(ForRuby("a class that inherits from what is not known").into()),
        };
        let (this, nesting) = self.opened(&body.name, is_class, superclass)?;
        let frame = self.frame_of_module(this, Some(nesting));
        let outer = self.enter_body(false);
        let result = self.in_frame(frame, |run| run.eval(&body.body).inspect(|_| run.keep_around()));
        self.leave_body(outer);
        result
    }

    /// A class that another may inherit from: one that wants to be told of it is Ruby's.
    fn inheritable(&self, class: Rc<Module<'c>>) -> OrRuby<Rc<Module<'c>>> {
        match class.superclass.is_none() || class.find_singleton("inherited").is_some() {
            true => Err(ForRuby("a class that inherits from what is not known")),
            false => Ok(class),
        }
    }

    /// `Class.new`, with what it inherits from and a block that is its body: that sees the names and constants around it.
    pub(crate) fn new_class(&mut self, args: &[V<'c>], block: Option<&'c Block>) -> Done<'c> {
        self.used.spend(COST)?;
        let superclass = match args {
            [] => ClassRef::Builtin(Class::Object),
            [V::Class(class)] if *class == Class::Object || class.is_exception() => ClassRef::Builtin(*class),
            [V::Module(parent)] => ClassRef::Own(self.inheritable(parent.clone())?),
            _ => return Err(ForRuby("a class that inherits from what is not known").into()),
        };
        let module = Rc::new(Module::unnamed(Some(superclass)));
        self.space.add(&module);
        let made = V::Module(module);
        match block {
            None => {}
            Some(block @ Block::Body(_)) => {
                let outer = self.enter_body(false);
                let frame = Frame { this: made.clone(), ..self.frame.clone() };
                let done = self.back_in(frame, |run| run.yield_one(block, made.clone()));
                self.leave_body(outer);
                done?;
            }
            Some(_) => return Err(ForRuby("a class with such a body").into()),
        }
        Ok(made)
    }

    /// Begins the body of a module, class or function, or one of `class << self`: what `def` does there is not what it does around it.
    pub(crate) fn enter_body(&mut self, defines_own: bool) -> [bool; 3] {
        let outer = [self.defining.module_function, self.defining.defines_own, self.defining.hides];
        (self.defining.module_function, self.defining.defines_own, self.defining.hides) =
            (false, defines_own, false);
        outer
    }

    pub(crate) fn leave_body(&mut self, outer: [bool; 3]) {
        [self.defining.module_function, self.defining.defines_own, self.defining.hides] = outer;
    }

    fn frame_of_module(&self, this: V<'c>, nesting: Option<Rc<Nesting<'c>>>) -> Frame<'c> {
        Frame { this, nesting, block: None, method: None, ..self.frame.clone() }
    }

    /// The module of a path: as it is there, or a new one; and what code stands in there.
    fn opened(
        &mut self,
        path: &str,
        is_class: bool,
        superclass: Option<ClassRef<'c>>,
    ) -> Done<'c, (V<'c>, Rc<Nesting<'c>>)> {
        let outer = self.frame.nesting.clone();
        let prefix = match outer.as_ref().map(|nesting| &nesting.module) {
            None => String::new(),
            Some(V::Module(module)) => format!("{}::", module.name()),
            Some(V::Class(class)) => format!("{}::", class.name()),
            Some(_) => return Err(ForRuby("a module in such an object").into()),
        };
        let path = path.strip_prefix("::").unwrap_or(path);
        // `module A::B` opens B of whichever A is seen from here.
        let name = match path.rsplit_once("::") {
            None => format!("{prefix}{path}"),
            Some((head, last)) => match self.find_constant(head) {
                Some(V::Module(module)) => format!("{}::{last}", module.name()),
                Some(V::Class(class)) => format!("{}::{last}", class.name()),
                _ => return Err(ForRuby("a module in one that is not there").into()),
            },
        };
        let known = self.space.constant(&name).or_else(|| Class::by_name(&name).map(V::Class));
        let module = match known {
            Some(V::Module(module)) if module.superclass.is_some() == is_class => V::Module(module),
            // Functions are defined within; methods of them are not.
            Some(V::Class(class)) if class.is_module() && !is_class => V::Class(class),
            Some(_) => return Err(ForRuby("a class that is opened again").into()),
            None => {
                let module = Rc::new(Module::new(name.clone(), superclass));
                self.space.add(&module);
                self.space.set_constant(name, V::Module(module.clone()));
                V::Module(module)
            }
        };
        let nesting = Rc::new(Nesting { module: module.clone(), outer });
        Ok((module, nesting))
    }

    /// `class << self`
    pub(super) fn singleton(&mut self, number: u32) -> Done<'c> {
        let body = &self.frame.program.methods[number as usize];
        let V::Module(_) = &self.frame.this else {
            return Err(ForRuby("methods of what is there already").into());
        };
        let frame = self.frame_of_module(self.frame.this.clone(), self.frame.nesting.clone());
        let module_function = self.defining.module_function;
        let outer = self.enter_body(true);
        self.defining.module_function = module_function;
        let result = self.in_frame(frame, |run| run.eval(&body.body));
        self.leave_body(outer);
        result
    }

    /// A word in the body of a module or class; none for others.
    pub(super) fn word_of_module(
        &mut self,
        name: &str,
        args: &[V<'c>],
        call: &'c MethodCall,
    ) -> Done<'c, Option<V<'c>>> {
        let V::Module(module) = self.frame.this.clone() else { return Ok(None) };
        if module.is_function()
            && let Some(value) = self.word_of_function(name, args, call)?
        {
            return Ok(Some(value));
        }
        match (name, args) {
            ("private_constant", _) => {}
            ("private" | "public" | "protected", []) => self.defining.hides = name != "public",
            ("private" | "public" | "protected" | "private_class_method", names) => {
                let own = self.defining.defines_own || name == "private_class_method";
                for method in names {
                    let V::Symbol(method) = method else {
                        return Err(ForRuby("such names of methods").into());
                    };
                    module.hide(own, method, name != "public");
                }
            }
            ("module_function", []) => self.defining.module_function = true,
            ("module_function", names) => {
                for name in names {
                    let V::Symbol(name) = name else { return Err(ForRuby("`module_function`").into()) };
                    let found = module.methods.borrow().get(name).cloned();
                    let method = found.ok_or(ForRuby("`module_function`"))?;
                    module.singleton.borrow_mut().insert(name, method);
                    module.hide(false, name, false);
                }
            }
            ("attr_reader" | "attr_writer" | "attr_accessor", names) => {
                for attribute in names {
                    let V::Symbol(attribute) = attribute else { return Err(ForRuby("an attribute").into()) };
                    let own = self.defining.defines_own;
                    if own {
                        return Err(ForRuby("an attribute of a module").into());
                    }
                    if name != "attr_writer" {
                        module.methods.borrow_mut().insert(attribute, Method::Reader(attribute));
                        module.hide(false, attribute, self.defining.hides);
                    }
                    if name != "attr_reader" {
                        let setter = self.vm.arena.alloc_str(&format!("{attribute}="));
                        module.methods.borrow_mut().insert(setter, Method::Writer(attribute));
                        module.hide(false, setter, self.defining.hides);
                    }
                }
            }
            ("alias_method", [V::Symbol(new), V::Symbol(old)]) => {
                let methods = if self.defining.defines_own { &module.singleton } else { &module.methods };
                let found = match self.defining.defines_own {
                    true => module.find_singleton(old),
                    false => module.find(old),
                };
                let (_, method) = found.ok_or(ForRuby("an alias of what is not there"))?;
                methods.borrow_mut().insert(new, method);
            }
            ("include", [V::Class(Class::Enumerable)]) => module.enumerable.set(true),
            ("include", [V::Class(Class::Comparable)]) => module.comparable.set(true),
            ("include", [V::Module(other)]) => module.included.borrow_mut().push(other.clone()),
            ("include", [V::Class(Class::PuppetUtilErrors)]) => {}
            ("extend", [V::Class(Class::Gaps)]) => {}
            ("extend", [V::Module(other)]) if Rc::ptr_eq(other, &module) => {
                self.defining.module_function = true;
                for (name, method) in module.methods.borrow().iter() {
                    module.singleton.borrow_mut().insert(name, method.clone());
                }
            }
            ("extend", [V::Module(other)]) => module.extended.borrow_mut().push(other.clone()),
            _ => return Ok(None),
        }
        Ok(Some(V::Nil))
    }

    /// `prepend` of a class of Ruby's library that only a worker uses: that is told of it. The module has to be there in the
    /// worker, too: it stands in a file that was required, not in that of a function.
    pub(crate) fn prepended(&mut self, class: Class, name: &str, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
        let ("prepend", [V::Module(module)]) = (name, args) else { return Ok(None) };
        let space = self.space;
        let is_function = |name: &str| {
            space.find_new_function(name, |_| true).is_some() || space.old_function(name).is_some()
        };
        let file = space.file_of(self.frame.program);
        let is_required = file.is_some_and(|file| !space.made(&file).is_some_and(|name| is_function(&name)));
        if self.world.worker() != WorkerState::None || !is_required {
            return Err(ForRuby("a change of a class of Ruby's library"));
        }
        self.space.note_prepended(class.name(), module.name());
        Ok(Some(V::Class(class)))
    }

    /// `new` of a class that code defines.
    pub(crate) fn make(&mut self, class: &Rc<Module<'c>>, given: Arguments<'c>) -> Done<'c> {
        if class.superclass.is_none() {
            return Err(ForRuby("`new` of a module").into());
        }
        if class.builtin().is_exception() {
            return match OWN_WAYS_OF_ERRORS.iter().any(|name| class.find(name).is_some()) {
                false => Ok(V::Error(self.new_error(ClassRef::Own(class.clone()), &given.values)?)),
                true => Err(ForRuby("an exception with its own way to be made or told").into()),
            };
        }
        let object = Rc::new(Object { class: class.clone(), variables: RefCell::default() });
        let made = V::Object(object);
        match class.find("initialize") {
            Some((owner, method)) => {
                self.call_method(made.clone(), (Some(owner), &method), given)?;
            }
            None if given.values.is_empty() => {}
            None => return Err(Unwind::from(ForRuby("arguments that nothing takes"))),
        }
        Ok(made)
    }

    /// `super`
    pub(super) fn super_method(&mut self, args: Option<&'c [Expr]>) -> Done<'c> {
        let unusual = || Unwind::from(ForRuby("`super` of what is not known"));
        let (owner, body) = self.frame.method.clone().ok_or_else(unusual)?;
        let V::Object(object) = self.frame.this.clone() else { return Err(unusual()) };
        if !owner.included.borrow().is_empty()
            || object
                .class
                .find(&body.name)
                .is_none_or(|(found, _)| !Rc::ptr_eq(&found, &owner) && !object.class.is(&owner))
        {
            return Err(unusual());
        }
        let values = match args {
            Some(args) => self.values(args)?,
            None => self.values_of(&body.params)?,
        };
        let parent = match &owner.superclass {
            Some(ClassRef::Own(parent)) => parent.find(&body.name),
            _ => None,
        };
        match parent {
            Some((owner, method)) => {
                let block = self.frame.block.clone();
                self.call_method(
                    V::Object(object),
                    (Some(owner), &method),
                    Arguments { values, keywords: false, block },
                )
            }
            None if &*body.name == "initialize" => Ok(V::Nil),
            None => Err(unusual()),
        }
    }
}
