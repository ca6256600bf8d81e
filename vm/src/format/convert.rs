//! `String.new(value, formats)`: Puppet's string converter.

use super::formats::{Format, Formats, default_formats, formats_of, inner_formats, merge_formats};
use super::indent::Indentation;
use super::scalar::{bad_format, scalar};
use crate::budget;
use crate::error::{Eval, Flow};
use crate::format::interpolate::to_interpolated;
use crate::iterator;
use crate::types::assign::is_assignable;
use crate::types::context::TypeContext;
use crate::types::infer::infer_set;
use crate::types::print::{print_value, print_value_indented};
use crate::types::ty::{Range, Type};
use crate::value::{Array, Hash, Value};
use std::rc::Rc;

/// The value as text; `formats` is `default`, one format, or a hash of type to format.
///
/// # Errors
/// Puppet's, for formats that are none or that the value's type does not take.
pub fn convert<'c>(
    context: &mut dyn TypeContext<'c>,
    value: Value<'c>,
    formats: Value<'c>,
) -> Eval<'c, String> {
    let arena = context.arena();
    let ty = infer_set(context, value);
    let user = match formats {
        Value::Default => None,
        Value::Str(text) => {
            let format = Format::parse(&text).map_err(Flow::raw)?;
            if !is_container(value) && !matches!(value, Value::Iterator(_)) {
                // The defaults differ in what they say of containers; a format for the value's own type goes before them.
                return scalar(value, &format);
            }
            if matches!(value, Value::Object(object) if object.type_name == "Error") {
                // A format for a parameterised type is not found again under the bare one.
                return Ok(print_value(value));
            }
            let key: &'c Type<'c> = match value {
                Value::Array(_) => &Type::Array { element: &Type::Any, size: Range::ANY },
                Value::Hash(_) => &Type::Hash { key: &Type::Any, value: &Type::Any, size: Range::ANY },
                _ => ty,
            };
            Some(vec![(key, Rc::new(format))])
        }
        Value::Hash(hash) => Some(formats_of(hash)?),
        other => {
            let class = crate::label::ruby_class(other);
            return Err(Flow::raw(format!(
                "string conversion expects a Default value or a Hash of type to format mappings, got a '{class}'"
            )));
        }
    };
    let defaults = default_formats();
    let all = match user {
        Some(user) => merge_formats(arena, &defaults, &user),
        None => defaults,
    };
    let mut converter = Converter { context };
    converter.convert(ty, value, &all, Indentation::START)
}

/// The value as `String($value, '%p')` prints it; with the type printer where that fails.
pub fn repr<'c>(context: &mut dyn TypeContext<'c>, value: Value<'c>) -> String {
    let format = Value::str(context.arena(), "%p");
    convert(context, value, format).unwrap_or_else(|_| print_value(value))
}

fn is_container(value: Value<'_>) -> bool {
    matches!(value, Value::Array(_) | Value::Hash(_) | Value::Object(_))
}

fn is_collection(value: Value<'_>) -> bool {
    matches!(value, Value::Array(_) | Value::Hash(_))
}

struct Converter<'v, 'c> {
    context: &'v mut dyn TypeContext<'c>,
}

impl<'c> Converter<'_, 'c> {
    fn format_for(&self, ty: &'c Type<'c>, formats: &Formats<'c>) -> Rc<Format<'c>> {
        match formats.iter().find(|(key, _)| is_assignable(self.context.arena(), key, ty)) {
            Some((_, format)) => Rc::clone(format),
            None => Rc::new(Format::known("%s")),
        }
    }

    fn convert(
        &mut self,
        ty: &'c Type<'c>,
        value: Value<'c>,
        formats: &Formats<'c>,
        indentation: Indentation,
    ) -> Eval<'c, String> {
        let format = self.format_for(ty, formats);
        let f = &*format;
        match value {
            Value::Array(items) => budget::within(items.len(), || self.array(items, formats, f, indentation)),
            Value::Hash(hash) => budget::within(hash.len(), || self.hash(hash, formats, f, indentation)),
            Value::Iterator(iter) => {
                let items = iterator::collect(self.context.arena(), iter);
                let value = Value::array(self.context.arena(), &items);
                let ty = infer_set(self.context, value);
                self.convert(ty, value, formats, indentation)
            }
            Value::Object(_) => match f.letter {
                'p' => {
                    let indentation = indentation.within(f);
                    Ok(if indentation.indenting {
                        print_value_indented(value, indentation.level)
                    } else {
                        print_value(value)
                    })
                }
                's' | 'q' => Ok(to_interpolated(value)),
                letter => Err(bad_format("Object", letter, "spq")),
            },
            _ => scalar(value, f),
        }
    }

    fn array(
        &mut self,
        items: Array<'c>,
        formats: &Formats<'c>,
        f: &Format<'c>,
        indentation: Indentation,
    ) -> Eval<'c, String> {
        if !matches!(f.letter, 'a' | 's' | 'p') {
            return Err(bad_format("Array", f.letter, "asp"));
        }
        let items = items.items();
        let inner = f.inner.clone().unwrap_or_else(|| Rc::new(inner_formats()));
        let (open, close) = f.pair(("[", "]"));
        let indentation = indentation.within(f);
        let mut out = String::new();
        if indentation.breaks() {
            out.push('\n');
            out.push_str(&indentation.padding());
        }
        out.push_str(open);
        let mut children = indentation.deeper_in(f);
        let mut texts = Vec::with_capacity(items.len());
        let mut length = 0usize;
        for item in items {
            if children.first {
                children = children.subsequent();
            }
            let ty = infer_set(self.context, *item);
            let formats = if is_container(*item) { formats } else { &inner };
            let text = self.convert(ty, *item, formats, children)?;
            length += text.len();
            budget::room(length);
            texts.push(text);
        }
        join_items(&mut out, items, &texts, f, indentation.deeper_in(f));
        out.push_str(close);
        Ok(out)
    }

    fn hash(
        &mut self,
        hash: Hash<'c>,
        formats: &Formats<'c>,
        f: &Format<'c>,
        indentation: Indentation,
    ) -> Eval<'c, String> {
        match f.letter {
            'a' => {
                let pairs: Vec<_> = hash
                    .entries()
                    .iter()
                    .map(|(k, v)| Value::array(self.context.arena(), &[*k, *v]))
                    .collect();
                let value = Value::array(self.context.arena(), &pairs);
                let ty = infer_set(self.context, value);
                return self.convert(ty, value, formats, indentation);
            }
            'h' | 's' | 'p' => {}
            letter => return Err(bad_format("Hash", letter, "hasp")),
        }
        let mut separator = f.separator.unwrap_or(", ").to_owned();
        if f.alt {
            if !separator.ends_with('\n') {
                separator.truncate(separator.trim_end().len());
            }
            separator.push('\n');
        }
        let assoc = f.separator2.unwrap_or(" => ");
        let inner = f.inner.clone().unwrap_or_else(|| Rc::new(inner_formats()));
        let (open, close) = f.pair(("{", "}"));
        let indentation = indentation.within(f);
        let mut out = String::new();
        if indentation.breaks() {
            out.push('\n');
            out.push_str(&indentation.padding());
        }
        let children = indentation.deeper();
        let padding = if f.alt { children.padding() } else { String::new() };
        out.push_str(open);
        if f.alt {
            out.push('\n');
        }
        for (n, (key, value)) in hash.entries().iter().enumerate() {
            if n > 0 {
                out.push_str(&separator);
            }
            out.push_str(&padding);
            for (part, value) in [key, value].into_iter().enumerate() {
                let ty = infer_set(self.context, *value);
                let formats = if is_container(*value) { formats } else { &inner };
                let text = self.convert(ty, *value, formats, children)?;
                budget::push_str(&mut out, &text);
                if part == 0 {
                    out.push_str(assoc);
                }
            }
        }
        if f.alt {
            out.push('\n');
            out.push_str(&indentation.padding());
        }
        out.push_str(close);
        Ok(out)
    }
}

/// Puts the texts of an array's items together: with line breaks where the format asks for them, or where they would
/// be wider than it allows.
fn join_items(
    out: &mut String,
    items: &[Value<'_>],
    texts: &[String],
    f: &Format<'_>,
    indentation: Indentation,
) {
    let separator = f.separator.unwrap_or(", ");
    let breaks = f.alt && f.width.is_some_and(|width| widest_run(items, texts) > width);
    for (n, text) in texts.iter().enumerate() {
        let nested = is_collection(items[n]);
        if n == 0 {
            if breaks && !nested {
                out.push(' ');
            }
        } else {
            out.push_str(separator);
            if (breaks && !nested) || (f.alt && is_collection(items[n - 1]) && !nested) {
                if !out.ends_with('\n') {
                    out.truncate(out.trim_end().len());
                }
                out.push('\n');
                out.push_str(&indentation.padding());
            }
        }
        if out.ends_with(' ') && text.starts_with('\n') {
            out.truncate(out.trim_end().len());
        }
        budget::push_str(out, text);
    }
}

/// How many characters the items between two collections have at most.
fn widest_run(items: &[Value<'_>], texts: &[String]) -> usize {
    let (mut widest, mut run) = (0, 0);
    for (item, text) in items.iter().zip(texts) {
        run = if is_collection(*item) { 0 } else { run + text.chars().count() };
        widest = widest.max(run);
    }
    widest
}
