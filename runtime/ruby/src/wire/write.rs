//! Writing values into a message for the worker.

use super::{BILLION, MAX_NESTING};
use crate::Talk;
use crate::protocol::ValueTag;
use crate::values::{Handle, is_named};
use bunraku_vm::budget;
use bunraku_vm::closure::Closure;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::iterator;
use bunraku_vm::types::{self, Type};
use bunraku_vm::value::{Hash, HashBuilder, Held, Object, Value};
use bunraku_vm::vm::Vm;

pub(crate) fn put_size(out: &mut Vec<u8>, size: usize) {
    match u8::try_from(size) {
        Ok(small) if small < 255 => out.push(small),
        _ => {
            out.push(255);
            out.extend((size as u32).to_le_bytes());
        }
    }
}

pub(crate) fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    put_size(out, text.len());
    out.extend(text);
}

/// What follows the number of an array or hash.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Followed {
    /// Its items: the worker does not know it yet.
    ByItems,
    /// Nothing: the worker knows it.
    ByNothing,
}

fn tagged(out: &mut Vec<u8>, form: ValueTag, text: &[u8]) {
    out.push(form.byte());
    put_text(out, text);
}

impl<'c> Talk<'_, 'c> {
    /// Writes a value. One at a depth of 0 is an envelope: what it holds is what is sent.
    ///
    /// # Errors
    /// Those of running through an iterator; for what is nested too deeply.
    pub(crate) fn put_value(
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
            Value::Undef => out.push(ValueTag::Undef.byte()),
            Value::Bool(true) => out.push(ValueTag::True.byte()),
            Value::Bool(false) => out.push(ValueTag::False.byte()),
            Value::Int(n) => {
                out.push(ValueTag::Integer.byte());
                out.extend(n.to_le_bytes());
            }
            Value::Float(n) => {
                out.push(ValueTag::Float.byte());
                out.extend(n.to_le_bytes());
            }
            Value::Str(text) => match self.ruby.values.bytes_of(text) {
                Some(bytes) => tagged(out, ValueTag::Bytes, bytes),
                None => {
                    if self.ruby.values.is_frozen_text(vm, text) {
                        out.push(ValueTag::Frozen.byte());
                    }
                    tagged(out, ValueTag::String, text.as_bytes());
                }
            },
            Value::Array(items) => {
                if depth == 0 {
                    out.push(ValueTag::Array.byte());
                } else if self.put_number(vm, out, ValueTag::KnownArray, value) == Followed::ByNothing {
                    return Ok(());
                }
                self.put_items(vm, out, items.items(), depth)?;
            }
            Value::Iterator(iter) => {
                let items = iterator::collect(vm.arena, iter);
                out.push(ValueTag::Array.byte());
                self.put_items(vm, out, &items, depth)?;
            }
            Value::Hash(hash) => self.put_hash(vm, out, hash, depth)?,
            Value::Default => out.push(ValueTag::Default.byte()),
            Value::Sensitive(inner) => {
                out.push(ValueTag::Sensitive.byte());
                self.put_value(vm, out, *inner, depth + 1)?;
            }
            Value::Regexp(source) => tagged(out, ValueTag::Regexp, source.as_bytes()),
            Value::Type(ty) => self.put_type(vm, out, ty)?,
            Value::Timestamp(time) => put_time(out, ValueTag::Timestamp, *time),
            Value::Timespan(time) => put_time(out, ValueTag::Timespan, *time),
            Value::SemVer(text) => tagged(out, ValueTag::Version, text.as_bytes()),
            Value::SemVerRange(text) => tagged(out, ValueTag::Range, text.as_bytes()),
            Value::Binary(bytes) => tagged(out, ValueTag::Binary, bytes),
            Value::Uri(text) => tagged(out, ValueTag::Uri, text.as_bytes()),
            Value::Closure(closure) => self.put_lambda(vm, out, closure)?,
            Value::Object(object) => self.put_object(vm, out, object, depth)?,
        }
        Ok(())
    }

    fn put_hash(&self, vm: &mut Vm<'c>, out: &mut Vec<u8>, hash: Hash<'c>, depth: usize) -> Eval<'c, ()> {
        budget::within(hash.len(), || -> Eval<'c, ()> {
            budget::room(2 * out.len());
            if depth == 0 {
                out.push(ValueTag::Hash.byte());
            } else if self.put_number(vm, out, ValueTag::KnownHash, Value::Hash(hash)) == Followed::ByNothing
            {
                return Ok(());
            }
            put_size(out, hash.len());
            for (key, value) in hash.entries() {
                self.put_value(vm, out, *key, depth + 1)?;
                self.put_value(vm, out, *value, depth + 1)?;
            }
            Ok(())
        })
    }

    /// Writes a lambda, with its arity and its parameters as Ruby has them (`!` required, `?` optional, `*` the rest).
    fn put_lambda(&self, vm: &mut Vm<'c>, out: &mut Vec<u8>, closure: &'c Closure<'c>) -> Eval<'c, ()> {
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
        out.push(ValueTag::Lambda.byte());
        put_size(out, self.ruby.values.handle(Handle::Closure(closure)) as usize);
        out.extend(arity.to_le_bytes());
        put_text(out, names.join(",").as_bytes());
        Ok(())
    }

    /// Writes an object: Ruby's own by its number there, any other with its attributes.
    fn put_object(
        &self,
        vm: &mut Vm<'c>,
        out: &mut Vec<u8>,
        object: &'c Object<'c>,
        depth: usize,
    ) -> Eval<'c, ()> {
        match object.held {
            Held::InRuby(number) if is_named(number) => {
                out.push(ValueTag::Named.byte());
                put_text(out, object.type_name.as_bytes());
                let text = object.data.and_then(|data| data.get_str("to_s")).and_then(|text| text.as_str());
                put_text(out, text.unwrap_or_default().as_bytes());
                Ok(())
            }
            Held::InRuby(number) => {
                out.push(ValueTag::Foreign.byte());
                put_size(out, number as usize);
                Ok(())
            }
            Held::Here | Held::Collector(_) => {
                out.push(ValueTag::Object.byte());
                put_size(out, self.ruby.values.handle(Handle::Object(object)) as usize);
                put_text(out, object.type_name.as_bytes());
                let attributes = self.attributes_of(vm, object);
                self.put_value(vm, out, Value::Hash(attributes), depth + 1)
            }
        }
    }

    /// Writes the number of an array or hash.
    fn put_number(&self, vm: &Vm<'c>, out: &mut Vec<u8>, tag: ValueTag, value: Value<'c>) -> Followed {
        let mut shared = self.ruby.values.shared.borrow_mut();
        let (tag, number, followed) = match shared.number_of(value) {
            Some(number) => (ValueTag::Again, number, Followed::ByNothing),
            None => (tag, shared.give(value), Followed::ByItems),
        };
        if followed == Followed::ByItems && self.ruby.values.is_frozen(vm, value) {
            out.push(ValueTag::Frozen.byte());
        }
        out.push(tag.byte());
        put_size(out, number as usize);
        followed
    }

    /// Attributes of an object; those of a look-up's context tell which cache it has.
    fn attributes_of(&self, vm: &Vm<'c>, object: &'c Object<'c>) -> Hash<'c> {
        match self.world.context_number(object) {
            None => object.attributes,
            Some(number) => {
                let mut attributes = HashBuilder::with(vm.arena, object.attributes);
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
        out.push(ValueTag::Type.byte());
        let (number, kind) = match types::is_held(ty) {
            true => (self.ruby.values.held_handle(ty), "Held"),
            false => (self.ruby.values.handle(Handle::Type(ty)), types::simple_name(ty)),
        };
        put_size(out, number as usize);
        put_text(out, kind.as_bytes());
        put_text(out, types::print(ty).as_bytes());
        let (name, title) = match ty {
            Type::Object { name, .. } => (*name, None),
            Type::Resource { type_name, title, .. } => (*type_name, *title),
            Type::Class(title) => (None, *title),
            _ => (None, None),
        };
        for part in [name, title] {
            let part = part.map_or(Value::Undef, |part| vm.string(part));
            self.put_value(vm, out, part, 0)?;
        }
        Ok(())
    }
}

fn put_time(out: &mut Vec<u8>, form: ValueTag, time: i128) {
    out.push(form.byte());
    out.extend((time.div_euclid(BILLION) as i64).to_le_bytes());
    out.extend((time.rem_euclid(BILLION) as i64).to_le_bytes());
}
