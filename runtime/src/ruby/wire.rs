//! Values as they pass between the compiler and a worker.
//!
//! ```text
//! message  length u32, op u8, values         op: what is asked; `r` an answer, `e` an error, `c` a question back
//! value    tag u8, then
//!   0 undef   1 true   2 false   8 default
//!   3 integer i64          4 float f64
//!   5 string  10 regexp  14 version  15 range  16 binary  17 URI      size, bytes
//!   6 array   size, values         7 hash     size, key and value …
//!   9 sensitive value             12 timestamp 13 timespan            seconds i64, nanoseconds i64
//!  11 type      number, kind, text, type name, title; from Ruby the number only
//!  18 lambda    number, arity i64, parameters; from Ruby the number only
//!  19 object    number, type name, attributes; from Ruby the number only
//!  20 scope     number            21 an object of Ruby's: number; from Ruby with class and text
//!  23 string whose encoding is that of bytes                         size, bytes
//!  24 array, 25 hash that either side will know again    number, size, values or keys and values
//!  26 one of these that the other side knows            number
//!  22 instance of a data type in Ruby, from Ruby only: number, type name, attributes, what a
//!                                    catalog says of it or undef
//! size     u8, or 255 and u32
//! ```
//! All numbers are little-endian. Arrays and hashes that are one object stay one on the other side: see [`super::shared`].
//! The outermost of a message is only its envelope and has no number.

use super::{Handle, Ruby};
use crate::compile::Compile;
use bunraku_vm::budget;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::iterator;
use bunraku_vm::scope::Scope;
use bunraku_vm::types::{self, Type};
use bunraku_vm::value::{Hash, HashBuilder, Object, Str, Value};
use bunraku_vm::vm::Vm;

/// Deeper values are refused, on either side.
const MAX_NESTING: usize = 2000;
const BILLION: i128 = 1_000_000_000;

pub(super) fn put_size(out: &mut Vec<u8>, size: usize) {
    match u8::try_from(size) {
        Ok(small) if small < 255 => out.push(small),
        _ => {
            out.push(255);
            out.extend((size as u32).to_le_bytes());
        }
    }
}

pub(super) fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    put_size(out, text.len());
    out.extend(text);
}

fn tagged(out: &mut Vec<u8>, tag: u8, text: &[u8]) {
    out.push(tag);
    put_text(out, text);
}

impl<'c> Compile<'c> {
    /// Writes a value.
    ///
    /// # Errors
    /// Those of running through an iterator; for what is nested too deeply.
    pub(super) fn put_value(
        &self,
        vm: &mut Vm<'c>,
        out: &mut Vec<u8>,
        value: Value<'c>,
        depth: usize,
    ) -> Eval<'c, ()> {
        if depth > MAX_NESTING {
            return Err(Flow::raw(format!("a value is nested more than {MAX_NESTING} levels deep")));
        }
        match value {
            Value::Undef => out.push(0),
            Value::Bool(true) => out.push(1),
            Value::Bool(false) => out.push(2),
            Value::Int(n) => {
                out.push(3);
                out.extend(n.to_le_bytes());
            }
            Value::Float(n) => {
                out.push(4);
                out.extend(n.to_le_bytes());
            }
            Value::Str(text) => match self.ruby.bytes_of(text) {
                Some(bytes) => tagged(out, 23, bytes),
                None => tagged(out, 5, text.as_bytes()),
            },
            Value::Array(items) => {
                if depth == 0 {
                    out.push(6);
                } else if !self.put_number(out, 24, items.address(), value) {
                    return Ok(());
                }
                self.put_items(vm, out, items.items(), depth)?;
            }
            Value::Iterator(iter) => {
                let items = iterator::collect(vm.arena, iter);
                out.push(6);
                self.put_items(vm, out, &items, depth)?;
            }
            Value::Hash(hash) => budget::within(hash.len(), || -> Eval<'c, ()> {
                budget::room(2 * out.len());
                if depth == 0 {
                    out.push(7);
                } else if !self.put_number(out, 25, hash.address(), value) {
                    return Ok(());
                }
                put_size(out, hash.len());
                for (key, value) in hash.entries() {
                    self.put_value(vm, out, *key, depth + 1)?;
                    self.put_value(vm, out, *value, depth + 1)?;
                }
                Ok(())
            })?,
            Value::Default => out.push(8),
            Value::Sensitive(inner) => {
                out.push(9);
                self.put_value(vm, out, *inner, depth + 1)?;
            }
            Value::Regexp(source) => tagged(out, 10, source.as_bytes()),
            Value::Type(ty) => self.put_type(vm, out, ty)?,
            Value::Timestamp(time) => put_time(out, 12, *time),
            Value::Timespan(time) => put_time(out, 13, *time),
            Value::SemVer(text) => tagged(out, 14, text.as_bytes()),
            Value::SemVerRange(text) => tagged(out, 15, text.as_bytes()),
            Value::Binary(bytes) => tagged(out, 16, bytes),
            Value::Uri(text) => tagged(out, 17, text.as_bytes()),
            Value::Closure(closure) => {
                let params = vm.params(closure.chunk)?;
                let required = params.iter().filter(|p| !p.has_default && !p.captures_rest).count() as i64;
                let arity = if required == params.len() as i64 { required } else { -required - 1 };
                let names: Vec<String> = params
                    .iter()
                    .map(|param| match (param.captures_rest, param.has_default) {
                        (true, _) => format!("*{}", param.name),
                        (_, true) => format!("?{}", param.name),
                        _ => format!("!{}", param.name),
                    })
                    .collect();
                out.push(18);
                put_size(out, self.ruby.handle(Handle::Closure(closure)) as usize);
                out.extend(arity.to_le_bytes());
                put_text(out, names.join(",").as_bytes());
            }
            Value::Object(object) => match object.foreign {
                Some(number) => {
                    out.push(21);
                    put_size(out, number as usize);
                }
                None => {
                    out.push(19);
                    put_size(out, self.ruby.handle(Handle::Object(object)) as usize);
                    put_text(out, object.type_name.as_bytes());
                    let attributes = self.attributes_for_ruby(object);
                    self.put_value(vm, out, Value::Hash(attributes), depth + 1)?;
                }
            },
        }
        Ok(())
    }

    /// Attributes of an object; those of a look-up's context tell which cache it has.
    fn attributes_for_ruby(&self, object: &'c Object<'c>) -> Hash<'c> {
        match self.context_number(object) {
            None => object.attributes,
            Some(number) => {
                let mut attributes = HashBuilder::with(self.arena, object.attributes);
                attributes.insert_str("cache", Value::Int(number));
                attributes.finish()
            }
        }
    }

    fn put_items(
        &self,
        vm: &mut Vm<'c>,
        out: &mut Vec<u8>,
        items: &[Value<'c>],
        depth: usize,
    ) -> Eval<'c, ()> {
        budget::room(2 * out.len());
        put_size(out, items.len());
        budget::within(items.len(), || {
            items.iter().try_for_each(|item| self.put_value(vm, out, *item, depth + 1))
        })
    }

    fn put_type(&self, vm: &mut Vm<'c>, out: &mut Vec<u8>, ty: &'c Type<'c>) -> Eval<'c, ()> {
        out.push(11);
        put_size(out, self.ruby.handle(Handle::Type(ty)) as usize);
        put_text(out, types::simple_name(ty).as_bytes());
        put_text(out, types::print(ty).as_bytes());
        let (name, title) = match ty {
            Type::Object { name, .. } => (*name, None),
            Type::Resource { type_name, title } => (*type_name, *title),
            Type::Class(title) => (None, *title),
            _ => (None, None),
        };
        for part in [name, title] {
            let part = part.map_or(Value::Undef, |part| vm.string(part));
            self.put_value(vm, out, part, 0)?;
        }
        Ok(())
    }

    /// Writes an array of values in front of which the scope's number may stand.
    pub(super) fn put_scope(&self, out: &mut Vec<u8>, scope: &'c Scope<'c>) {
        let number = i64::from(self.ruby.scope_number(scope));
        out.push(3);
        out.extend(number.to_le_bytes());
    }
}

fn put_time(out: &mut Vec<u8>, tag: u8, time: i128) {
    out.push(tag);
    out.extend((time.div_euclid(BILLION) as i64).to_le_bytes());
    out.extend((time.rem_euclid(BILLION) as i64).to_le_bytes());
}

/// Reads values from a message. What does not have the form drawn above is an error, never a panic.
pub(super) struct Message<'m, 'c> {
    bytes: &'m [u8],
    ruby: &'m Ruby<'c>,
}

impl<'m, 'c> Message<'m, 'c> {
    pub(super) fn new(bytes: &'m [u8], ruby: &'m Ruby<'c>) -> Self {
        Message { bytes, ruby }
    }

    fn take(&mut self, count: usize) -> Eval<'c, &'m [u8]> {
        let Some((head, rest)) = self.bytes.split_at_checked(count) else {
            return Err(Flow::raw("a message of the Ruby worker ends too early"));
        };
        self.bytes = rest;
        Ok(head)
    }

    fn word(&mut self) -> Eval<'c, [u8; 8]> {
        let mut word = [0; 8];
        word.copy_from_slice(self.take(8)?);
        Ok(word)
    }

    fn size(&mut self) -> Eval<'c, usize> {
        match self.take(1)?[0] {
            255 => {
                let mut word = [0; 4];
                word.copy_from_slice(self.take(4)?);
                Ok(u32::from_le_bytes(word) as usize)
            }
            small => Ok(usize::from(small)),
        }
    }

    pub(super) fn text(&mut self) -> Eval<'c, std::borrow::Cow<'m, str>> {
        let size = self.size()?;
        Ok(String::from_utf8_lossy(self.take(size)?))
    }

    fn string(&mut self, vm: &Vm<'c>) -> Eval<'c, Str<'c>> {
        Ok(Str::new(vm.arena, &self.text()?))
    }

    fn time(&mut self) -> Eval<'c, i128> {
        let seconds = i64::from_le_bytes(self.word()?);
        let nanoseconds = i64::from_le_bytes(self.word()?);
        Ok(i128::from(seconds) * BILLION + i128::from(nanoseconds))
    }

    fn handle(&mut self) -> Eval<'c, Handle<'c>> {
        let number = self.size()?;
        let handle = self.ruby.handles.borrow().get(number).copied();
        handle.ok_or_else(|| Flow::raw("a message of the Ruby worker names a value there is not"))
    }

    /// The next value.
    pub(super) fn value(&mut self, vm: &Vm<'c>) -> Eval<'c> {
        self.nested(vm, 0)
    }

    fn nested(&mut self, vm: &Vm<'c>, depth: usize) -> Eval<'c> {
        if depth > MAX_NESTING {
            return Err(Flow::raw(format!("a value is nested more than {MAX_NESTING} levels deep")));
        }
        let tag = self.take(1)?[0];
        Ok(match tag {
            0 => Value::Undef,
            1 => Value::Bool(true),
            2 => Value::Bool(false),
            3 => Value::Int(i64::from_le_bytes(self.word()?)),
            4 => Value::Float(f64::from_le_bytes(self.word()?)),
            5 => Value::Str(self.string(vm)?),
            6 => self.list(vm, depth)?,
            7 => self.entries(vm, depth)?,
            24 => {
                let number = self.size()? as u32;
                let list = self.list(vm, depth)?;
                self.ruby.shared.borrow_mut().received(number, list)
            }
            25 => {
                let number = self.size()? as u32;
                let hash = self.entries(vm, depth)?;
                self.ruby.shared.borrow_mut().received(number, hash)
            }
            26 => {
                let number = self.size()? as u32;
                let known = self.ruby.shared.borrow().value(number);
                known.ok_or_else(|| Flow::raw("a message of the Ruby worker names a value there is not"))?
            }
            8 => Value::Default,
            9 => Value::Sensitive(vm.arena.alloc(self.nested(vm, depth + 1)?)),
            10 => Value::Regexp(self.string(vm)?),
            11 | 18 | 19 => match self.handle()? {
                Handle::Type(ty) => Value::Type(ty),
                Handle::Closure(closure) => Value::Closure(closure),
                Handle::Object(object) => Value::Object(object),
            },
            12 => Value::Timestamp(vm.arena.alloc(self.time()?)),
            13 => Value::Timespan(vm.arena.alloc(self.time()?)),
            14 => Value::SemVer(self.string(vm)?),
            15 => Value::SemVerRange(self.string(vm)?),
            16 => {
                let size = self.size()?;
                let bytes = &*vm.arena.alloc_slice_copy(self.take(size)?);
                Value::Binary(vm.arena.alloc(bytes))
            }
            17 => Value::Uri(self.string(vm)?),
            23 => {
                let size = self.size()?;
                let bytes = self.take(size)?;
                Value::Str(self.ruby.string_of_bytes(vm, bytes))
            }
            20 => {
                self.size()?;
                self.foreign(vm, u32::MAX, "Puppet::Parser::Scope", "Scope()")
            }
            21 => {
                let number = self.size()? as u32;
                let class = self.text()?.into_owned();
                let text = self.text()?;
                self.foreign(vm, number, &class, &text)
            }
            22 => {
                let number = self.size()? as u32;
                let name = self.text()?.into_owned();
                let attributes = self.nested(vm, depth + 1)?;
                let data = match self.nested(vm, depth + 1)? {
                    Value::Hash(data) => Some(data),
                    _ => None,
                };
                self.instance(vm, number, &name, attributes, data)?
            }
            tag => return Err(Flow::raw(format!("a message of the Ruby worker has a value of form {tag}"))),
        })
    }

    fn list(&mut self, vm: &Vm<'c>, depth: usize) -> Eval<'c> {
        let size = self.size()?;
        let mut items = Vec::with_capacity(size.min(4096));
        for _ in 0..size {
            items.push(self.nested(vm, depth + 1)?);
        }
        Ok(vm.array(&items))
    }

    fn entries(&mut self, vm: &Vm<'c>, depth: usize) -> Eval<'c> {
        let size = self.size()?;
        let mut hash = HashBuilder::new(vm.arena);
        for _ in 0..size {
            let key = self.nested(vm, depth + 1)?;
            let value = self.nested(vm, depth + 1)?;
            hash.insert(key, value);
        }
        Ok(Value::Hash(hash.finish()))
    }

    /// An instance of a data type in Ruby: the one there is already, unless its attributes are others by now.
    fn instance(
        &self,
        vm: &Vm<'c>,
        number: u32,
        name: &str,
        attributes: Value<'c>,
        data: Option<Hash<'c>>,
    ) -> Eval<'c> {
        let ty = self.ruby.types.borrow().get(name).copied();
        let (Some(ty), Value::Hash(attributes)) = (ty, attributes) else {
            return Err(Flow::raw(format!("the Ruby worker names a data type there is not: '{name}'")));
        };
        let mut objects = self.ruby.objects.borrow_mut();
        if let Some(known) = objects.get(&number)
            && Value::Hash(known.attributes).same(Value::Hash(attributes))
            && known.data.map_or(Value::Undef, Value::Hash).same(data.map_or(Value::Undef, Value::Hash))
        {
            return Ok(Value::Object(known));
        }
        let type_name = bunraku_vm::types::name(ty);
        let object = &*vm.arena.alloc(Object { ty, type_name, attributes, foreign: Some(number), data });
        objects.insert(number, object);
        Ok(Value::Object(object))
    }

    /// An object of Ruby's that has no form of its own in the Puppet language.
    fn foreign(&self, vm: &Vm<'c>, number: u32, class: &str, text: &str) -> Value<'c> {
        let object = *self.ruby.objects.borrow_mut().entry(number).or_insert_with(|| {
            let class = &*vm.arena.alloc_str(class);
            let mut data = HashBuilder::new(vm.arena);
            data.insert_str("to_s", vm.string(text));
            vm.arena.alloc(Object {
                ty: Type::Runtime { runtime: Some("ruby"), name: Some(class) }.alloc(vm.arena),
                type_name: class,
                attributes: HashBuilder::new(vm.arena).finish(),
                foreign: Some(number),
                data: Some(data.finish()),
            })
        });
        Value::Object(object)
    }
}
