//! Data types in Ruby: `lib/puppet/datatypes`. The interface is an Object type's, and is compiled as one; where there is
//! an implementation the worker makes a class of both, and holds the instances. Here an instance is an object with the
//! attributes that Ruby would make it from again; its members are asked of Ruby.

use super::protocol::Request;
use super::talk::RequestArgument;
use super::world::Counted;
use super::{Talk, subject, text};
use bunraku_vm::closure::Closure;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::host::ObjectClass;
use bunraku_vm::types::object::{self, Definition, Member};
use bunraku_vm::types::{self, Type};
use bunraku_vm::value::{Object, Value};
use bunraku_vm::vm::Vm;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The data types of a compile that are Ruby's.
#[derive(Default)]
pub(super) struct DataTypes<'c> {
    /// The files of those that are implemented there, by the type's name in lower case.
    files: RefCell<HashMap<String, PathBuf>>,
    /// Object types that have a class in the worker, by name, and how it makes instances.
    ///
    /// Bound: the types that instances are made of. Stale: never within a compile, whose types stay as they were defined.
    /// Held by the cases of data types in `tests/tests/ruby.rs`.
    classes: RefCell<HashMap<String, (&'c Type<'c>, ObjectClass<'c>)>>,
}

impl<'c> DataTypes<'c> {
    /// The type of a name that has a class in the worker.
    pub fn of_name(&self, name: &str) -> Option<&'c Type<'c>> {
        self.classes.borrow().get(name).map(|(ty, _)| *ty)
    }

    /// Drops all that lies on the heap.
    pub fn release(&self) {
        let DataTypes { files, classes } = self;
        files.take();
        classes.take();
    }
}

/// What an instance is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadeFrom {
    /// The arguments of `new`, in order.
    Arguments,
    /// One hash of its attributes.
    Hash,
}

/// What the file of a data type says.
pub struct DataTypeInterface<'c> {
    /// The type's name, as the file spells it.
    pub name: &'c str,
    /// What stands between the braces of its interface, in the Puppet language.
    pub interface: &'c str,
    /// Whether its instances are Ruby's.
    pub implemented: bool,
}

impl<'c> Talk<'_, 'c> {
    /// The interface of a data type, as its file says.
    ///
    /// # Errors
    /// Those of the file.
    pub fn data_type(&self, vm: &mut Vm<'c>, name: &str, file: &Path) -> Eval<'c, DataTypeInterface<'c>> {
        self.world.refuse_irregular(file)?;
        let subject = subject("data type", name, file);
        let arguments =
            [text(file), name.to_lowercase()].map(|text| RequestArgument::Value(vm.string(&text)));
        let Value::Array(parts) = self.request(vm, &subject, Request::LoadDataType, &arguments)? else {
            return Err(malformed());
        };
        match parts.items() {
            [Value::Str(name), Value::Str(interface), implemented] => Ok(DataTypeInterface {
                name: name.as_str(),
                interface: interface.as_str(),
                implemented: implemented.truthy(),
            }),
            _ => Err(malformed()),
        }
    }

    /// Takes note that a type's instances are Ruby's, by the file that says so.
    pub fn implements(&self, name: &str, file: &Path) {
        self.ruby.datatypes.files.borrow_mut().insert(name.to_lowercase(), file.to_path_buf());
    }

    /// Takes note that the type of a file has been defined: if it is implemented, its instances are Ruby's.
    pub fn defined(&self, key: &str, ty: Option<&'c Type<'c>>) {
        if self.ruby.datatypes.files.borrow().contains_key(key)
            && let Some(definition) = ty.and_then(object::definition)
        {
            definition.in_ruby.set(true);
        }
    }

    /// What messages call a type: with the file that it, or the nearest type it inherits from, is written in.
    fn datatype_subject(&self, ty: &'c Type<'c>) -> String {
        let mut at = Some(ty);
        while let Some(ty) = at {
            if let Some(file) = self.ruby.datatypes.files.borrow().get(&types::name(ty).to_lowercase()) {
                return subject("data type", types::name(ty), file);
            }
            at = object::definition(ty).and_then(|definition| definition.parent);
        }
        format!("The data type '{}'", types::name(ty))
    }

    /// The class of a type, made in the worker when it is first asked for.
    ///
    /// # Errors
    /// Those of making it.
    pub fn class(&self, vm: &mut Vm<'c>, ty: &'c Type<'c>) -> Eval<'c, ObjectClass<'c>> {
        let ty = types::resolved(ty);
        let name = types::name(ty);
        if let Some((_, known)) = self.ruby.datatypes.classes.borrow().get(name) {
            return Ok(*known);
        }
        let Some(definition) = object::definition(ty) else {
            return Err(Flow::raw(format!("'{name}' is no Object type that Ruby could make a class of")));
        };
        let parent = definition.parent.filter(|parent| object::definition(parent).is_some());
        if let Some(parent) = parent {
            self.class(vm, parent)?;
        }
        let subject = self.datatype_subject(ty);
        let parent = parent.map_or(Value::Undef, |parent| vm.string(types::name(types::resolved(parent))));
        let arguments = describe(vm, ty, definition, parent).map(RequestArgument::Value);
        let answer = self.request(vm, &subject, Request::MakeClass, &arguments)?;
        let Value::Array(parts) = answer else { return Err(malformed()) };
        let [takes_hash, Value::Array(parameters), class_name] = parts.items() else {
            return Err(malformed());
        };
        if let Value::Str(class_name) = class_name {
            definition.ruby_class.set(Some(class_name.as_str()));
        }
        let names = parameters.items().iter().filter_map(|name| name.as_str());
        let parameters = vm.arena.alloc_slice_fill_iter(names.collect::<Vec<_>>());
        let class = ObjectClass { parameters, takes_hash: takes_hash.truthy() };
        self.ruby.datatypes.classes.borrow_mut().insert(name.to_owned(), (ty, class));
        Ok(class)
    }

    /// A new instance.
    ///
    /// # Errors
    /// Those of making it.
    pub fn instance(
        &self,
        vm: &mut Vm<'c>,
        ty: &'c Type<'c>,
        args: &[Value<'c>],
        from: MadeFrom,
    ) -> Eval<'c> {
        self.class(vm, ty)?;
        let subject = self.datatype_subject(ty);
        let name = types::name(types::resolved(ty));
        self.counted(Counted::Function, &format!("{name}.new"), || {
            let from_hash = Value::Bool(from == MadeFrom::Hash);
            let arguments = [vm.string(name), vm.array(args), from_hash].map(RequestArgument::Value);
            self.request(vm, &subject, Request::MakeInstance, &arguments)
        })
    }

    /// What a member of an instance yields.
    ///
    /// # Errors
    /// Those of the member.
    pub fn member(
        &self,
        vm: &mut Vm<'c>,
        object: &'c Object<'c>,
        name: &str,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
    ) -> Eval<'c> {
        let subject = self.datatype_subject(object.ty);
        self.counted(Counted::Function, &format!("{}.{name}", object.type_name), || {
            let block = block.map_or(Value::Undef, Value::Closure);
            let arguments = [Value::Object(object), vm.string(name), vm.array(args), block];
            self.request(vm, &subject, Request::CallMember, &arguments.map(RequestArgument::Value))
        })
    }
}

/// What Ruby makes a class from: type, name, parent, attributes, functions, equality.
fn describe<'c>(
    vm: &mut Vm<'c>,
    ty: &'c Type<'c>,
    definition: &'c Definition<'c>,
    parent: Value<'c>,
) -> [Value<'c>; 7] {
    let own = |member: &Member<'c>| definition.attributes.iter().any(|own| own.name == member.name);
    let mut attributes = Vec::new();
    for attribute in object::attributes(ty) {
        let kind = attribute.kind.map_or("", object::AttributeKind::name);
        attributes.push(vm.array(&[
            vm.string(attribute.name),
            vm.string(kind),
            Value::Bool(attribute.value.is_some()),
            attribute.value.unwrap_or(Value::Undef),
            Value::Bool(own(attribute)),
            Value::Type(attribute.ty),
        ]));
    }
    let names: Vec<_> = definition.functions.iter().map(|function| vm.string(function.name)).collect();
    let equality = match definition.equality {
        Some(names) => {
            let names: Vec<_> = names.iter().map(|name| vm.string(name)).collect();
            vm.array(&names)
        }
        None => Value::Undef,
    };
    let parent_includes_type =
        definition.parent.and_then(object::definition).is_some_and(|parent| parent.equality_include_type);
    [
        Value::Type(ty),
        vm.string(types::name(ty)),
        parent,
        vm.array(&attributes),
        vm.array(&names),
        equality,
        Value::Bool(definition.equality_include_type && !parent_includes_type),
    ]
}

fn malformed<'c>() -> Box<Flow<'c>> {
    Flow::raw("the Ruby worker described a data type in a form that is not known")
}
