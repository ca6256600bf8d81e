//! Reading values from a message of the worker's. What does not have the form of the protocol is an error, never a panic.

use super::{BILLION, MAX_NESTING};
use crate::Ruby;
use crate::protocol::ValueTag;
use crate::values::{Handle, foreign};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::value::{Hash, HashBuilder, Held, Object, PlainObject, Str, Value};
use bunraku_vm::vm::Vm;

/// What is left of a message.
pub(crate) struct MessageReader<'m, 'c> {
    bytes: &'m [u8],
    ruby: &'m Ruby<'c>,
}

impl<'m, 'c> MessageReader<'m, 'c> {
    pub(crate) fn new(bytes: &'m [u8], ruby: &'m Ruby<'c>) -> Self {
        MessageReader { bytes, ruby }
    }

    fn take(&mut self, count: usize) -> Eval<'c, &'m [u8]> {
        let Some((head, rest)) = self.bytes.split_at_checked(count) else {
            return Err(Flow::raw("a message of the Ruby worker ends too early"));
        };
        self.bytes = rest;
        Ok(head)
    }

    /// The next byte.
    pub(crate) fn byte(&mut self) -> Eval<'c, u8> {
        Ok(self.take(1)?[0])
    }

    /// The next integer.
    pub(crate) fn integer(&mut self) -> Eval<'c, i64> {
        Ok(i64::from_le_bytes(self.word()?))
    }

    fn word(&mut self) -> Eval<'c, [u8; 8]> {
        let mut word = [0; 8];
        word.copy_from_slice(self.take(8)?);
        Ok(word)
    }

    fn size(&mut self) -> Eval<'c, usize> {
        match self.byte()? {
            255 => {
                let mut word = [0; 4];
                word.copy_from_slice(self.take(4)?);
                Ok(u32::from_le_bytes(word) as usize)
            }
            small => Ok(usize::from(small)),
        }
    }

    pub(crate) fn text(&mut self) -> Eval<'c, std::borrow::Cow<'m, str>> {
        let size = self.size()?;
        Ok(String::from_utf8_lossy(self.take(size)?))
    }

    fn string(&mut self, vm: &Vm<'c>) -> Eval<'c, Str<'c>> {
        Ok(Str::new(vm.arena, &self.text()?))
    }

    fn time(&mut self) -> Eval<'c, i128> {
        let seconds = self.integer()?;
        let nanoseconds = self.integer()?;
        Ok(i128::from(seconds) * BILLION + i128::from(nanoseconds))
    }

    fn handle(&mut self) -> Eval<'c, Handle<'c>> {
        let number = self.size()?;
        let handle = self.ruby.values.handle_of(number);
        handle.ok_or_else(|| Flow::raw("a message of the Ruby worker names a value there is not"))
    }

    /// The next value.
    pub(crate) fn value(&mut self, vm: &Vm<'c>) -> Eval<'c> {
        self.nested(vm, 0)
    }

    fn nested(&mut self, vm: &Vm<'c>, depth: usize) -> Eval<'c> {
        if depth > MAX_NESTING {
            return Err(Flow::raw(format!("a value is nested more than {MAX_NESTING} levels deep")));
        }
        let byte = self.byte()?;
        let Some(form) = ValueTag::of_byte(byte) else {
            return Err(Flow::raw(format!("a message of the Ruby worker has a value of form {byte}")));
        };
        Ok(match form {
            ValueTag::Named => {
                return Err(Flow::raw("a message of the Ruby worker names what only Ruby is told of"));
            }
            ValueTag::Undef => Value::Undef,
            ValueTag::True => Value::Bool(true),
            ValueTag::False => Value::Bool(false),
            ValueTag::Integer => Value::Int(self.integer()?),
            ValueTag::Float => Value::Float(f64::from_le_bytes(self.word()?)),
            ValueTag::String => Value::Str(self.string(vm)?),
            ValueTag::Array => self.list(vm, depth)?,
            ValueTag::Hash => self.entries(vm, depth)?,
            ValueTag::KnownArray => {
                let number = self.size()? as u32;
                let list = self.list(vm, depth)?;
                self.ruby.values.shared.borrow_mut().received(number, list)
            }
            ValueTag::KnownHash => {
                let number = self.size()? as u32;
                let hash = self.entries(vm, depth)?;
                self.ruby.values.shared.borrow_mut().received(number, hash)
            }
            ValueTag::Frozen => self.nested(vm, depth + 1)?,
            ValueTag::Again => {
                let number = self.size()? as u32;
                let known = self.ruby.values.shared.borrow().value(number);
                known.ok_or_else(|| Flow::raw("a message of the Ruby worker names a value there is not"))?
            }
            ValueTag::Default => Value::Default,
            ValueTag::Sensitive => Value::Sensitive(vm.arena.alloc(self.nested(vm, depth + 1)?)),
            ValueTag::Regexp => Value::Regexp(self.string(vm)?),
            ValueTag::Type | ValueTag::Lambda | ValueTag::Object => match self.handle()? {
                Handle::Type(ty) => Value::Type(ty),
                Handle::Closure(closure) => Value::Closure(closure),
                Handle::Object(object) => Value::Object(object),
            },
            ValueTag::Timestamp => Value::Timestamp(vm.arena.alloc(self.time()?)),
            ValueTag::Timespan => Value::Timespan(vm.arena.alloc(self.time()?)),
            ValueTag::Version => Value::SemVer(self.string(vm)?),
            ValueTag::Range => Value::SemVerRange(self.string(vm)?),
            ValueTag::Binary => {
                let size = self.size()?;
                let bytes = &*vm.arena.alloc_slice_copy(self.take(size)?);
                Value::Binary(vm.arena.alloc(bytes))
            }
            ValueTag::Uri => Value::Uri(self.string(vm)?),
            ValueTag::Bytes => {
                let size = self.size()?;
                let bytes = self.take(size)?;
                Value::Str(self.ruby.values.string_of_bytes(vm, bytes))
            }
            ValueTag::Scope => {
                self.size()?;
                self.foreign(vm, u32::MAX, "Puppet::Parser::Scope", "Scope()")
            }
            ValueTag::Foreign => {
                let number = self.size()? as u32;
                let class = self.text()?.into_owned();
                let text = self.text()?;
                self.foreign(vm, number, &class, &text)
            }
            ValueTag::Instance => {
                let number = self.size()? as u32;
                let name = self.text()?.into_owned();
                let attributes = self.nested(vm, depth + 1)?;
                let data = match self.nested(vm, depth + 1)? {
                    Value::Hash(data) => Some(data),
                    _ => None,
                };
                let plain = match self.nested(vm, depth + 1)? {
                    Value::Array(said) => match said.items() {
                        [Value::Str(class), Value::Str(text)] => {
                            Some(PlainObject { class: class.as_str(), text: text.as_str() })
                        }
                        _ => None,
                    },
                    _ => None,
                };
                self.instance(vm, number, &name, attributes, (data, plain))?
            }
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
        (data, plain): (Option<Hash<'c>>, Option<PlainObject<'c>>),
    ) -> Eval<'c> {
        let ty = self.ruby.datatypes.of_name(name);
        let (Some(ty), Value::Hash(attributes)) = (ty, attributes) else {
            return Err(Flow::raw(format!("the Ruby worker names a data type there is not: '{name}'")));
        };
        let mut objects = self.ruby.values.objects.borrow_mut();
        if let Some(known) = objects.get(&number)
            && Value::Hash(known.attributes).same(Value::Hash(attributes))
            && known.data.map_or(Value::Undef, Value::Hash).same(data.map_or(Value::Undef, Value::Hash))
            && known.plain == plain
        {
            return Ok(Value::Object(known));
        }
        let type_name = bunraku_vm::types::name(ty);
        let object =
            &*vm.arena.alloc(Object { ty, type_name, attributes, held: Held::InRuby(number), data, plain });
        objects.insert(number, object);
        Ok(Value::Object(object))
    }

    /// An object of Ruby's that has no form of its own in the Puppet language.
    fn foreign(&self, vm: &Vm<'c>, number: u32, class: &str, text: &str) -> Value<'c> {
        let values = &self.ruby.values;
        let known = match class {
            "Symbol" => Some(values.named(vm, class, text)),
            "Class" | "Module" => values.known_by_name(class, text),
            _ => None,
        };
        Value::Object(known.unwrap_or_else(|| {
            values.objects.borrow_mut().entry(number).or_insert_with(|| foreign(vm, number, class, text))
        }))
    }
}
