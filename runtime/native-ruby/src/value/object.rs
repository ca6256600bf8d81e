//! What code defines and makes: modules, classes, their instances, exceptions, lambdas.

use super::{Class, Frame, UNKNOWN, V};
use crate::for_ruby::OrRuby;
use crate::tree::{BlockBody, Program};
use bunraku_vm::closure::Closure;
use bunraku_vm::error::Flow;
use bunraku_vm::types;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use hashbrown::{HashMap, HashSet};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// A class or module, there already or defined by code.
#[derive(Clone)]
pub(crate) enum ClassRef<'c> {
    Builtin(Class),
    Own(Rc<Module<'c>>),
}

/// A class or module that code defines.
pub(crate) struct Module<'c> {
    /// Its name in full; none of one that `Class.new` has made, until a constant has it.
    pub full_name: OnceCell<String>,
    /// What it inherits from; none of a module.
    pub superclass: Option<ClassRef<'c>>,
    /// Methods of its instances.
    pub methods: RefCell<HashMap<&'c str, Method<'c>>>,
    /// Its own methods.
    pub singleton: RefCell<HashMap<&'c str, Method<'c>>>,
    /// Methods that are private or protected; `true` with those of its own.
    pub hidden: RefCell<HashSet<(bool, &'c str)>>,
    /// Modules that it includes, those that it is extended by.
    pub included: RefCell<Vec<Rc<Module<'c>>>>,
    pub extended: RefCell<Vec<Rc<Module<'c>>>>,
    /// Its own instance variables.
    pub variables: RefCell<Vec<(&'c str, V<'c>)>>,
    /// Whether a function sets each of its instance variables whenever it is called, before it looks at any: then it
    /// does not matter who has called it before, Ruby or not.
    pub sets_first: Cell<bool>,
    /// Whether it includes `Enumerable`, `Comparable`.
    pub enumerable: Cell<bool>,
    pub comparable: Cell<bool>,
    /// Whether any hash has been extended with it.
    pub extends_hashes: Cell<bool>,
}

/// A method that code defines.
#[derive(Clone)]
pub(crate) enum Method<'c> {
    /// `def`: of a program, by number; and the modules it stands in.
    Body { program: &'c Program, number: u32, nesting: Option<Rc<Nesting<'c>>> },
    /// `attr_reader`
    Reader(&'c str),
    /// `attr_writer`
    Writer(&'c str),
}

/// A method, and the class or module it was found in.
pub(crate) type FoundMethod<'c> = (Rc<Module<'c>>, Method<'c>);

/// The modules that code stands in, innermost first.
pub(crate) struct Nesting<'c> {
    pub module: V<'c>,
    pub outer: Option<Rc<Nesting<'c>>>,
}

/// An instance of a class that code defines.
pub(crate) struct Object<'c> {
    pub class: Rc<Module<'c>>,
    pub variables: RefCell<Vec<(&'c str, V<'c>)>>,
}

/// An exception.
pub(crate) struct ErrorValue<'c> {
    pub class: ClassRef<'c>,
    /// None where it has no message of its own: then it is the name of its class.
    pub message: Option<V<'c>>,
    /// What else it was made from: file and line of Puppet's errors.
    pub details: Vec<V<'c>>,
    /// The error of the compile that it stands for.
    pub carried: RefCell<Option<Box<Flow<'c>>>>,
    /// The call that has raised it, by its line.
    pub raised_at: Cell<Option<(&'c Program, usize)>>,
}

/// A lambda, or a block that was taken as a value.
pub(crate) struct Proc<'c> {
    pub body: ProcBody<'c>,
    /// Whether its parameters are strict, and `return` leaves it only.
    pub lambda: bool,
    /// Where it was made.
    pub home: Option<Frame<'c>>,
    /// The call that it was handed to, by its serial, where it may be called for as long as that runs only.
    pub within: Option<u64>,
}

/// What a lambda or block does.
#[derive(Clone, Copy)]
pub(crate) enum ProcBody<'c> {
    Block(&'c BlockBody),
    /// `&:name`
    Method(crate::method::Method),
    /// A lambda of Puppet's.
    Puppet(&'c Closure<'c>),
}

impl<'c> Module<'c> {
    /// An empty class or module.
    pub fn new(name: String, superclass: Option<ClassRef<'c>>) -> Self {
        Module { full_name: OnceCell::from(name), ..Module::unnamed(superclass) }
    }

    /// One that has no name yet.
    pub fn unnamed(superclass: Option<ClassRef<'c>>) -> Self {
        Module {
            full_name: OnceCell::new(),
            superclass,
            methods: RefCell::default(),
            singleton: RefCell::default(),
            hidden: RefCell::default(),
            included: RefCell::default(),
            extended: RefCell::default(),
            variables: RefCell::default(),
            sets_first: Cell::default(),
            enumerable: Cell::default(),
            comparable: Cell::default(),
            extends_hashes: Cell::default(),
        }
    }

    /// Its name in full; empty where it has none.
    pub fn name(&self) -> &str {
        self.full_name.get().map_or("", String::as_str)
    }

    /// Whether it or what it inherits from includes `Enumerable`.
    pub fn is_enumerable(&self) -> bool {
        self.enumerable.get()
            || matches!(&self.superclass, Some(ClassRef::Own(parent)) if parent.is_enumerable())
    }

    /// The same of `Comparable`.
    pub fn is_comparable(&self) -> bool {
        self.comparable.get()
            || matches!(&self.superclass, Some(ClassRef::Own(parent)) if parent.is_comparable())
    }

    /// A method of its instances, with the class it was found in.
    pub fn find(self: &Rc<Self>, name: &str) -> Option<FoundMethod<'c>> {
        if let Some(method) = self.methods.borrow().get(name) {
            return Some((self.clone(), method.clone()));
        }
        for module in self.included.borrow().iter().rev() {
            if let Some(found) = module.find(name) {
                return Some(found);
            }
        }
        match &self.superclass {
            Some(ClassRef::Own(parent)) => parent.find(name),
            _ => None,
        }
    }

    /// A method of its own.
    pub fn find_singleton(self: &Rc<Self>, name: &str) -> Option<FoundMethod<'c>> {
        if let Some(method) = self.singleton.borrow().get(name) {
            return Some((self.clone(), method.clone()));
        }
        for module in self.extended.borrow().iter().rev() {
            if let Some(found) = module.find(name) {
                return Some(found);
            }
        }
        match &self.superclass {
            Some(ClassRef::Own(parent)) => parent.find_singleton(name),
            _ => None,
        }
    }

    /// Takes note of whether a method is private or protected, an instance's or an own one.
    pub fn hide(&self, own: bool, name: &'c str, is_hidden: bool) {
        let mut hidden = self.hidden.borrow_mut();
        match is_hidden {
            true => _ = hidden.insert((own, name)),
            false => _ = hidden.remove(&(own, name)),
        }
    }

    /// Whether a method that was found here may be private or protected.
    pub fn hides(&self, name: &str) -> bool {
        let hidden = self.hidden.borrow();
        !hidden.is_empty() && (hidden.contains(&(false, name)) || hidden.contains(&(true, name)))
    }

    /// Whether it is a class or module, or inherits from or includes it.
    pub fn is(&self, other: &Rc<Module<'c>>) -> bool {
        std::ptr::eq(self, &**other)
            || self.included.borrow().iter().any(|module| module.is(other))
            || matches!(&self.superclass, Some(ClassRef::Own(parent)) if parent.is(other))
    }

    /// The nearest class that it inherits from and that code has not defined.
    pub fn builtin(&self) -> Class {
        match &self.superclass {
            Some(ClassRef::Builtin(class)) => *class,
            Some(ClassRef::Own(parent)) => parent.builtin(),
            None => Class::Object,
        }
    }

    /// Whether it is the class of a function.
    pub fn is_function(&self) -> bool {
        Class::PopsFunction.covers(self.builtin())
    }

    /// Forgets all that it holds, for what it holds may hold it.
    pub fn clear(&self) {
        self.methods.take();
        self.singleton.take();
        self.included.take();
        self.extended.take();
        self.variables.take();
    }
}

impl<'c> Object<'c> {
    /// As a value of the compile: resources are references there, as parameters hold them; nothing else is anything.
    ///
    /// # Errors
    /// That it is something else.
    pub fn to_value(&self, vm: &Vm<'c>) -> OrRuby<Value<'c>> {
        let of = |name: &str| {
            let variables = self.variables.borrow();
            let found = variables.iter().find(|(known, _)| *known == name);
            found.and_then(|(_, value)| value.text().map(|text| text.to_string()))
        };
        match (self.class.name(), of("type"), of("title")) {
            ("Puppet::Resource" | "Puppet::Parser::Resource", Some(type_name), Some(title)) => {
                let reference = types::reference(vm.arena, &type_name, &title);
                Ok(types::held(vm.arena, Value::Type(reference)))
            }
            _ => Err(UNKNOWN),
        }
    }

    /// Sets an instance variable.
    pub fn set(&self, name: &'c str, value: V<'c>) {
        let mut variables = self.variables.borrow_mut();
        match variables.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => variables.push((name, value)),
        }
    }
}

impl<'c> V<'c> {
    /// A method of an object, class or module that code defines, with the class it was found in.
    pub fn defined_method(&self, name: &str) -> Option<FoundMethod<'c>> {
        match self {
            V::Object(object) => object.class.find(name),
            V::Module(module) => module.find_singleton(name),
            _ => None,
        }
    }
}

impl<'c> ClassRef<'c> {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            ClassRef::Builtin(class) => class.name(),
            ClassRef::Own(module) => module.name(),
        }
    }

    /// The nearest class that code has not defined.
    pub fn builtin(&self) -> Class {
        match self {
            ClassRef::Builtin(class) => *class,
            ClassRef::Own(module) => module.builtin(),
        }
    }

    /// It as a value.
    pub fn value(&self) -> V<'c> {
        match self {
            ClassRef::Builtin(class) => V::Class(*class),
            ClassRef::Own(module) => V::Module(module.clone()),
        }
    }
}

impl<'c> ErrorValue<'c> {
    /// An exception of one of Ruby's or Puppet's classes.
    pub fn new(class: Class, message: String) -> Self {
        ErrorValue::of(ClassRef::Builtin(class), Some(V::made(message)), Vec::new())
    }

    /// An exception of a class with what it was made from.
    pub fn of(class: ClassRef<'c>, message: Option<V<'c>>, details: Vec<V<'c>>) -> Self {
        ErrorValue { class, message, details, carried: RefCell::default(), raised_at: Cell::default() }
    }

    /// Its message.
    pub fn message(&self) -> V<'c> {
        self.message.clone().unwrap_or_else(|| V::made(self.class.name().to_owned()))
    }
}
