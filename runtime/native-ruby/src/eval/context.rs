//! The context of a look-up, as Hiera's backends in Ruby are given it. What they keep there is kept for the compile.

use super::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::functions::rests::key_of_text;
use crate::space::{CachedFile, ContextCache};
use crate::tree::{Block, MethodCall};
use crate::value::V;
use bunraku_files::reads;
use bunraku_vm::budget;
use bunraku_vm::function::Call;
use bunraku_vm::value::{Object, Value};
use std::path::Path;
use std::rc::Rc;

impl<'c> Run<'_, 'c> {
    /// A method of a look-up's context; none where the object is no such.
    pub(super) fn method_of_context(
        &mut self,
        object: &'c Object<'c>,
        name: &str,
        args: &[V<'c>],
    ) -> Done<'c, Option<V<'c>>> {
        let Some(number) = self.world.context_number(object) else { return Ok(None) };
        let kept = self.space.context(number);
        self.rests.more |= match (name, args) {
            // Nothing in it stands for something else.
            ("interpolate", [value]) => !(is_fixed(value) && value.to_value(self.vm).is_ok_and(is_whole)),
            _ => !matches!(name, "cache" | "cache_has_key" | "cached_value" | "not_found"),
        };
        Ok(Some(match (name, args) {
            ("cache", [key, value]) => {
                self.may_keep(value)?;
                let key = self.key(key)?;
                let lasting = is_fixed(value).then(|| value.to_value(self.vm)).transpose()?;
                match lasting.filter(|value| self.rests.is_alone(*value)) {
                    Some(lasting) => self.rests.cached.push((key.clone(), lasting)),
                    None => self.rests.more = true,
                }
                kept.set(key, value.clone());
                value.clone()
            }
            ("cache_all", [all]) => {
                for (key, value) in all.entries()?.ok_or(ForRuby("what is cached is no hash"))? {
                    self.may_keep(&value)?;
                    kept.set(self.key(&key)?, value);
                }
                V::Nil
            }
            ("cache_has_key", [key]) => V::Bool(self.cached(&kept, key)?.is_some()),
            ("cached_value", [key]) => self.cached(&kept, key)?.unwrap_or(V::Nil),
            ("interpolate", [value]) => {
                let value = value.to_value(self.vm)?;
                let made = self.ask_context(object, "interpolate", value)?;
                if made.address().is_some() {
                    self.rests.fresh.push(made);
                }
                V::from(made)
            }
            ("not_found", []) => V::from(self.ask_context(object, "not_found", Value::Undef)?),
            ("environment_name" | "module_name", []) => {
                return Err(ForRuby("an attribute of the context").into());
            }
            _ => return Ok(None),
        }))
    }

    fn cached(&mut self, kept: &ContextCache<'c>, key: &V<'c>) -> Done<'c, Option<V<'c>>> {
        let key = self.key(key)?;
        let found = kept.get(&key);
        match found {
            None => self.rests.uncached.push(key),
            Some(_) => self.rests.more = true,
        }
        Ok(found)
    }

    /// Whether a value may be kept for later calls: the key of this one must not be in it.
    fn may_keep(&self, value: &V<'c>) -> OrRuby<()> {
        if self.key.is_some() { value.to_value(self.vm).map(drop) } else { Ok(()) }
    }

    fn key(&mut self, key: &V<'c>) -> Done<'c, String> {
        if let Some(text) = self.key.as_ref().and_then(|sealed| sealed.text_of(key)) {
            return Ok(key_of_text(text));
        }
        let value = key.to_value(self.vm)?;
        Ok(key_of(&value).ok_or(ForRuby("a key of another kind"))?)
    }

    fn ask_context(&mut self, object: &'c Object<'c>, name: &str, value: Value<'c>) -> Done<'c, Value<'c>> {
        self.asked(|run| {
            let args = [Value::Object(object), value];
            let call = Call { args: &args, block: None, scope: run.vm.top.into() };
            let world = run.world;
            let answer = world.context_method(run.vm, name, call)?;
            answer.ok_or_else(|| bunraku_vm::error::Flow::raw("the look-up this context belongs to is over"))
        })
    }

    /// `cached_file_data`: what was made of a file, or its text.
    pub(super) fn cached_file_data(
        &mut self,
        object: &'c Object<'c>,
        path: &str,
        (call, block): (&'c MethodCall, Option<&'c Block>),
    ) -> Done<'c, Option<V<'c>>> {
        let Some(number) = self.world.context_number(object) else { return Ok(None) };
        let kept: Rc<ContextCache<'c>> = self.space.context(number);
        if let Some(file) = kept.files.borrow().get(path) {
            self.rests.more |= file.rests_on_more;
            reads::take_in(&file.reads);
            return Ok(Some(file.data.clone()));
        }
        let before = std::mem::take(&mut self.rests.more);
        let (data, reads) = reads::gather(|| self.data_of_file(path, (call, block)));
        reads::pass_on(&reads);
        let data = data?;
        self.may_keep(&data)?;
        // What may be changed in place is not the same for each call.
        let rests_on_more = self.rests.more
            || !is_fixed(&data)
            || !self.world.tree().holds(Path::new(path))
            || !reads.unknown.is_empty();
        self.rests.more = before || rests_on_more;
        let file = CachedFile { data: data.clone(), reads, rests_on_more };
        kept.files.borrow_mut().insert(path.to_owned(), file);
        Ok(Some(data))
    }

    fn data_of_file(&mut self, path: &str, (call, block): (&'c MethodCall, Option<&'c Block>)) -> Done<'c> {
        let text = self.world.file_text(path).ok_or(ForRuby("a file outside of the environment"))?;
        // Its mark of the order of bytes is not part of it.
        let text = V::made(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned));
        match block {
            Some(block) => {
                let given = self.yield_one(block, text);
                self.landed(given, call)
            }
            None => Ok(text),
        }
    }
}

/// Whether nothing can be changed in a value.
fn is_fixed(value: &V<'_>) -> bool {
    matches!(value, V::Str(_) | V::Nil | V::Bool(_) | V::Int(_) | V::Float(_) | V::Hash(_) | V::Array(_))
}

/// Whether a value is what interpolation makes of it, but for being another object.
fn is_whole(value: Value<'_>) -> bool {
    budget::within(1, || match value {
        Value::Undef | Value::Bool(_) | Value::Int(_) | Value::Float(_) => true,
        Value::Str(text) => !text.contains("%{"),
        Value::Array(items) => items.items().iter().all(|item| is_whole(*item)),
        Value::Hash(hash) => hash.entries().iter().all(|(key, value)| is_whole(*key) && is_whole(*value)),
        _ => false,
    })
}

impl<'c> ContextCache<'c> {
    fn get(&self, key: &str) -> Option<V<'c>> {
        self.values.borrow().get(key).cloned()
    }

    pub fn set(&self, key: String, value: V<'c>) {
        self.values.borrow_mut().insert(key, value);
    }
}

/// A key of a context's cache as it is found again: what is no string is shown with its kind in front.
fn key_of(value: &Value<'_>) -> Option<String> {
    match value {
        Value::Str(text) => Some(key_of_text(text.as_str())),
        Value::Int(number) => Some(format!("i{number}")),
        _ => None,
    }
}
