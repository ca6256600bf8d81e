//! Data types in Ruby: `lib/puppet/datatypes`. The interface is an Object type's, and is compiled as one; where there is
//! an implementation the worker makes a class of both, and holds the instances. Here an instance is an object with the
//! attributes that Ruby would make it from again; its members are asked of Ruby.

use super::talk::subject;
use super::text;
use crate::compile::Compile;
use crate::stats::Kind;
use crate::units::Compiled;
use bunraku_vm::closure::Closure;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::host::ObjectClass;
use bunraku_vm::types::object::{self, Definition, Member};
use bunraku_vm::types::{self, Type};
use bunraku_vm::value::{Object, Value};
use bunraku_vm::vm::Vm;
use std::path::{Path, PathBuf};

/// Where data types lie in a module or an environment.
const FOLDER: &str = "lib/puppet/datatypes";

impl<'c> Compile<'c> {
    /// The Ruby file of a type (`m::user`): in the module of its name space, or in the environment. Names without a
    /// name space are everybody's.
    pub(crate) fn datatype_file(&self, key: &str) -> Option<PathBuf> {
        let relative = format!("{FOLDER}/{}.rb", key.replace("::", "/"));
        let own = || self.environment.directory.as_ref().map(|directory| directory.join(&relative));
        let file = match key.split_once("::") {
            Some(("environment", _)) => own()?,
            Some((module, _)) => self.environment.modules.get(module)?.path.join(&relative),
            None => match own().filter(|file| self.tree().is_file(file)) {
                Some(file) => file,
                None => self.environment.provided(&relative)?,
            },
        };
        self.tree().is_file(&file).then_some(file)
    }

    /// The type's interface as a definition in the Puppet language.
    ///
    /// # Errors
    /// Those of the file, and of the interface's syntax.
    pub(crate) fn datatype_interface(&self, vm: &mut Vm<'c>, name: &str, file: &Path) -> Eval<'c, Compiled> {
        self.refuse_irregular(file)?;
        let subject = subject("data type", name, file);
        let described = self.ask_ruby(vm, &subject, b'd', |vm, out| {
            let args = [text(file), name.to_lowercase()].map(|text| vm.string(&text));
            let args = vm.array(&args);
            self.put_value(vm, out, args, 0)
        })?;
        let (name, interface, implemented) = match described {
            Value::Array(parts) => match parts.items() {
                [Value::Str(name), Value::Str(interface), implemented] => (*name, *interface, *implemented),
                _ => return Err(malformed()),
            },
            _ => return Err(malformed()),
        };
        // Puppet parses it by itself first: that is what places in its errors are of.
        let hash = format!("{{ {} }}", interface.as_str());
        self.compile_code(&hash).map_err(|flow| match *flow {
            Flow::Fault(fault) => {
                Flow::raw(format!("Data Type Load Error for type '{}': {}", name.as_str(), fault.diagnostic))
            }
            _ => flow,
        })?;
        let compiled = self.compile_code(&format!("type {} = Object[{hash}]", name.as_str()))?;
        if implemented.truthy() {
            self.ruby.datatypes.borrow_mut().insert(name.to_lowercase(), file.to_path_buf());
        }
        Ok(compiled)
    }

    /// Notes that the type of a file has been defined: if it is implemented, its instances are Ruby's.
    pub(crate) fn note_datatype(&self, key: &str, ty: Option<&'c Type<'c>>) {
        if self.ruby.datatypes.borrow().contains_key(key)
            && let Some(definition) = ty.and_then(object::definition)
        {
            definition.in_ruby.set(true);
        }
    }

    /// What messages call a type: with the file that it, or the nearest type it inherits from, is written in.
    fn datatype_subject(&self, ty: &'c Type<'c>) -> String {
        let mut at = Some(ty);
        while let Some(ty) = at {
            if let Some(file) = self.ruby.datatypes.borrow().get(&types::name(ty).to_lowercase()) {
                return subject("data type", types::name(ty), file);
            }
            at = object::definition(ty).and_then(|definition| definition.parent);
        }
        format!("The data type '{}'", types::name(ty))
    }

    /// The class of a type, made in the worker when it is first asked for.
    pub(crate) fn class_in_ruby(&self, vm: &mut Vm<'c>, ty: &'c Type<'c>) -> Eval<'c, ObjectClass<'c>> {
        let ty = types::resolved(ty);
        let name = types::name(ty);
        if let Some(known) = self.ruby.classes.borrow().get(name) {
            return Ok(*known);
        }
        let Some(definition) = object::definition(ty) else {
            return Err(Flow::raw(format!("'{name}' is no Object type that Ruby could make a class of")));
        };
        let parent = definition.parent.filter(|parent| object::definition(parent).is_some());
        if let Some(parent) = parent {
            self.class_in_ruby(vm, parent)?;
        }
        let subject = self.datatype_subject(ty);
        let answer = self.ask_ruby(vm, &subject, b'k', |vm, out| {
            let parent =
                parent.map_or(Value::Undef, |parent| vm.string(types::name(types::resolved(parent))));
            let spec = describe(vm, ty, definition, parent);
            self.put_value(vm, out, spec, 0)
        })?;
        let Value::Array(parts) = answer else { return Err(malformed()) };
        let [takes_hash, Value::Array(parameters), class_name] = parts.items() else {
            return Err(malformed());
        };
        if let Value::Str(class_name) = class_name {
            definition.ruby_class.set(Some(class_name.as_str()));
        }
        let names = parameters.items().iter().filter_map(|name| name.as_str());
        let parameters = self.arena.alloc_slice_fill_iter(names.collect::<Vec<_>>());
        let class = ObjectClass { parameters, takes_hash: takes_hash.truthy() };
        self.ruby.types.borrow_mut().insert(name.to_owned(), ty);
        self.ruby.classes.borrow_mut().insert(name.to_owned(), class);
        Ok(class)
    }

    /// A new instance.
    pub(crate) fn instance_in_ruby(
        &self,
        vm: &mut Vm<'c>,
        ty: &'c Type<'c>,
        args: &[Value<'c>],
        from_hash: bool,
    ) -> Eval<'c> {
        self.class_in_ruby(vm, ty)?;
        let subject = self.datatype_subject(ty);
        let name = types::name(types::resolved(ty));
        self.counter.count(Kind::Ruby, &format!("{name}.new"), || {
            self.ask_ruby(vm, &subject, b'n', |vm, out| {
                let name = vm.string(name);
                let args = vm.array(args);
                let all = vm.array(&[name, args, Value::Bool(from_hash)]);
                self.put_value(vm, out, all, 0)
            })
        })
    }

    /// What a member of an instance yields.
    pub(crate) fn member_in_ruby(
        &self,
        vm: &mut Vm<'c>,
        object: &'c Object<'c>,
        name: &str,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
    ) -> Eval<'c> {
        let subject = self.datatype_subject(object.ty);
        self.counter.count(Kind::Ruby, &format!("{}.{name}", object.type_name), || {
            self.ask_ruby(vm, &subject, b'm', |vm, out| {
                let name = vm.string(name);
                let args = vm.array(args);
                let block = block.map_or(Value::Undef, Value::Closure);
                let all = vm.array(&[Value::Object(object), name, args, block]);
                self.put_value(vm, out, all, 0)
            })
        })
    }
}

/// What Ruby makes a class from: type, name, parent, attributes, functions, equality.
fn describe<'c>(
    vm: &mut Vm<'c>,
    ty: &'c Type<'c>,
    definition: &'c Definition<'c>,
    parent: Value<'c>,
) -> Value<'c> {
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
    vm.array(&[
        Value::Type(ty),
        vm.string(types::name(ty)),
        parent,
        vm.array(&attributes),
        vm.array(&names),
        equality,
        Value::Bool(definition.equality_include_type && !parent_includes_type),
    ])
}

fn malformed<'c>() -> Box<Flow<'c>> {
    Flow::raw("the Ruby worker described a data type in a form that is not known")
}
