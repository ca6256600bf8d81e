//! What a catalog has no form for becomes text, with a warning for each, or an error where `strict` says so: Ruby's own objects, and
//! without rich data (`rich_data = false`) all that JSON has no form for. Source: what the oracle logs and prints.

use crate::compile::Compile;
use bunraku_catalog::Resource;
use bunraku_configuration::value::Value as Setting;
use bunraku_data::rich;
use bunraku_environment::taken::location;
use bunraku_vm::budget;
use bunraku_vm::cause::UNCAUGHT;
use bunraku_vm::compat::Rule;
use bunraku_vm::diagnostic::{Diagnostic, Place, Severity};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format;
use bunraku_vm::host::Strict;
use bunraku_vm::label;
use bunraku_vm::types::{object, quote};
use bunraku_vm::value::{Hash, HashBuilder, Value};
use std::fmt::Write as _;

impl<'c> Compile<'c> {
    /// Tells of each value that the catalog has no form for, in all resources that it shows, and puts text in its place. A hash with
    /// a key `__ptype` stays as rich data has it.
    ///
    /// # Errors
    /// The first such value, under `strict = error`.
    pub(crate) fn tell_of_formless_data(&self) -> Eval<'c, ()> {
        let is_rich = self.setting_in_force("rich_data") != Some(Setting::Boolean(false));
        // Code in Ruby that looks at a catalog sees the objects themselves.
        let is_for_ruby = self.options.settings.form.references;
        if is_rich && (is_for_ruby || !self.ruby.has_objects()) {
            return Ok(());
        }
        self.make_bytes_binary();
        let mut catalog = self.catalog.borrow_mut();
        for resource in catalog.resources.iter_mut().filter(|resource| !resource.is_virtual) {
            let mut found = Vec::new();
            let mut prefix = resource.reference();
            for param in &mut resource.params {
                let mut plain = Plain {
                    compile: self,
                    is_rich,
                    prefix: &mut prefix,
                    path: format!("[{}]", quote(param.name)),
                    found: &mut found,
                };
                if is_rich {
                    plain.say_objects(param.value);
                } else if let Some(value) = plain.of(param.value) {
                    param.value = value;
                }
            }
            self.report(resource, found)?;
        }
        Ok(())
    }

    fn report(&self, resource: &Resource<'c>, found: Vec<String>) -> Eval<'c, ()> {
        for message in found {
            let message = [message, location(resource.file, resource.line)].join(" ").trim_end().to_owned();
            if self.options.settings.strict == Strict::Error {
                // It comes up after the compile: nobody adds the node's name.
                let message = format!("Evaluation Error: {message}");
                return Err(Flow::formed(Diagnostic::error(message).with_code(UNCAUGHT)));
            }
            self.push_log(Severity::Warning, message, Place::default());
        }
        Ok(())
    }
}

/// What makes the values of one parameter plain.
struct Plain<'a, 'c> {
    compile: &'a Compile<'c>,
    is_rich: bool,
    /// What messages begin with: the resource.
    prefix: &'a mut String,
    /// Where the value stands: `['message'][0]`.
    path: String,
    /// Messages, in order.
    found: &'a mut Vec<String>,
}

impl<'c> Plain<'_, 'c> {
    /// The plain value; none where it is one already.
    fn of(&mut self, value: Value<'c>) -> Option<Value<'c>> {
        match value {
            Value::Undef | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) => None,
            Value::Default => {
                self.say("the special value default", "default");
                Some(self.text("default"))
            }
            Value::Array(items) => budget::within(items.len(), || {
                let all = items.iter().enumerate().map(|(n, item)| self.within(&n.to_string(), *item));
                let all: Vec<_> = all.collect();
                if all.iter().all(Option::is_none) {
                    return None;
                }
                let all = all.into_iter().zip(items.iter()).map(|(plain, item)| plain.unwrap_or(*item));
                let all: Vec<_> = all.collect();
                Some(Value::array(self.compile.arena, &all))
            }),
            Value::Hash(hash) => budget::within(hash.len(), || self.hash(hash)),
            Value::Sensitive(inner) => {
                let inner = budget::within(1, || self.of(*inner))?;
                Some(Value::Sensitive(self.compile.arena.alloc(inner)))
            }
            // In a catalog these are their text in any case.
            Value::Type(ty) if rich::entry_or_type(ty).is_some() => None,
            Value::Object(object) if object::is_named_in_ruby(object) => None,
            value => {
                let text = to_s(value);
                self.say(&format!("{} value", label::class_an(value)), &text);
                Some(self.text(&text))
            }
        }
    }

    fn hash(&mut self, hash: Hash<'c>) -> Option<Value<'c>> {
        let mut plain = HashBuilder::new(self.compile.arena);
        let mut is_changed = false;
        for (key, value) in hash.entries() {
            let text = match key {
                Value::Str(text) => text.to_string(),
                // In Ruby a symbol, whose name it is.
                Value::Default => "default".to_owned(),
                Value::Object(object) if object::is_named_in_ruby(object) => {
                    object::foreign_text(object).unwrap_or_default().to_owned()
                }
                key => self.key(*key),
            };
            is_changed |= key.as_str().is_none();
            let changed = self.within(&quote(&text), *value);
            is_changed |= changed.is_some();
            plain.insert_str(self.compile.arena.alloc_str(&text), changed.unwrap_or(*value));
        }
        is_changed.then(|| Value::Hash(plain.finish()))
    }

    /// The text of a key that is none.
    fn key(&mut self, key: Value<'c>) -> String {
        if let Value::Type(ty) = key
            && let Some((type_name, title)) = rich::entry_or_type(ty)
        {
            return format!("{type_name}[{title}]");
        }
        let text = to_s(key);
        self.say(&format!("a hash with {} key", label::class_an(key)), &text);
        text
    }

    fn within(&mut self, key: &str, value: Value<'c>) -> Option<Value<'c>> {
        self.at(key, |plain| plain.of(value))
    }

    /// Tells of Ruby's objects, whose text rich data has in their place.
    fn say_objects(&mut self, value: Value<'c>) {
        match value {
            Value::Object(object) if !object::is_named_in_ruby(object) => {
                if let Some(text) = object::text_in_catalogs(object) {
                    self.say(&format!("{} value", label::class_an(value)), text);
                }
            }
            Value::Array(items) => budget::within(items.len(), || {
                for (n, item) in items.iter().enumerate() {
                    self.at(&n.to_string(), |plain| plain.say_objects(*item));
                }
            }),
            Value::Hash(hash) => budget::within(hash.len(), || {
                for (key, value) in hash.entries() {
                    self.say_objects(*key);
                    let key = key.as_str().map_or_else(|| to_s(*key), quote);
                    self.at(&key, |plain| plain.say_objects(*value));
                }
            }),
            Value::Sensitive(inner) => budget::within(1, || self.say_objects(*inner)),
            _ => {}
        }
    }

    fn at<T>(&mut self, key: &str, look: impl FnOnce(&mut Self) -> T) -> T {
        let from = self.path.len();
        let _ = write!(self.path, "[{key}]");
        let seen = look(self);
        self.path.truncate(from);
        seen
    }

    fn say(&mut self, what: &str, text: &str) {
        let path = [&**self.prefix, &*self.path].concat();
        self.found.push(format!("{path} contains {what}. It will be converted to the String '{text}'"));
        if !self.is_rich && self.compile.options.settings.compat.holds(Rule::PathsOfPlainDataGrow) {
            *self.prefix = path;
        }
    }

    fn text(&self, text: &str) -> Value<'c> {
        Value::str(self.compile.arena, text)
    }
}

/// Ruby's `to_s`; of a regular expression, its source between slashes.
fn to_s(value: Value<'_>) -> String {
    match value {
        Value::Regexp(_) => format::to_interpolated(value),
        value => format::to_ruby_s(value),
    }
}
