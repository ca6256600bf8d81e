//! How types, and values inside types, are printed: Puppet's type formatter.

use crate::budget;
use crate::format::float::float_to_s;
use crate::time::{timespan, timestamp};
use crate::types::check_fault::note_regexp;
use crate::types::definition::{Definition, attributes, foreign_text, member};
use crate::types::equal::parts;
use crate::types::guard::{Guard, Guarded, Key};
use crate::types::held;
use crate::types::name::simple_name;
use crate::types::quote::{capitalize_segments, quote};
use crate::types::ty::{Alias, CallableType, Range, StructMember, Type};
use crate::types::undef::accepts_undef;
use crate::value::{Hash, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// The type as text: `Integer[1, 10]`. An alias is followed by what it stands for, an Object type is its
/// definition; inside of another type both are names.
pub fn print(ty: &Type<'_>) -> String {
    let expanded = matches!(ty, Type::Alias(_) | Type::Object { .. } | Type::TypeSet { .. });
    let mut printer = Printer { expanded, ..Printer::new() };
    printer.ty(ty);
    printer.out
}

/// The type as text, every alias followed by ` = ` and what it stands for.
pub fn print_expanded(ty: &Type<'_>) -> String {
    let mut printer = Printer { expanded: true, ..Printer::new() };
    printer.ty(ty);
    printer.out
}

/// A value as types and error messages show it: strings quoted, `undef`, arrays and hashes in full.
pub fn print_value(value: Value<'_>) -> String {
    let mut printer = Printer::new();
    printer.value(value);
    printer.out
}

/// A value as messages show it, over several lines, from indentation `level` (of two spaces).
pub fn print_value_indented(value: Value<'_>, level: usize) -> String {
    let mut printer = Printer { indent: Some(level), ..Printer::new() };
    printer.value(value);
    printer.out
}

/// What an Object type without a name declares, as text; whatever type set was printed last.
pub(super) fn print_definition(definition: &Definition<'_>) -> String {
    let set = LAST_SET.take();
    let mut printer = Printer { expanded: true, ..Printer::new() };
    printer.object_type(None, Some(definition));
    LAST_SET.set(set);
    printer.out
}

pub(super) struct Printer<'c> {
    out: String,
    pub(super) expanded: bool,
    indent: Option<usize>,
    /// Aliases being expanded.
    guard: Option<Box<Guard<'c>>>,
    /// What the type set calls types that was printed last, or is being printed.
    pub(super) set: Option<SetNames>,
}

/// Prefixes of the names that a type set shortens, what it puts there, whether they are its own.
pub(super) type SetNames = Rc<[(String, String, bool)]>;

thread_local! {
    /// Puppet never forgets the type set that it has printed last: types go on to have the names they have in it.
    static LAST_SET: RefCell<Option<SetNames>> = const { RefCell::new(None) };
}

/// Forgets the type set printed last: a compile begins.
pub(crate) fn forget() {
    LAST_SET.take();
}

impl<'c> Guarded<'c> for Printer<'c> {
    fn guard(&mut self) -> &mut Option<Box<Guard<'c>>> {
        &mut self.guard
    }
}

impl<'c> Printer<'c> {
    fn new() -> Self {
        let set = LAST_SET.with_borrow(Clone::clone);
        Printer { out: String::new(), expanded: false, indent: None, guard: None, set }
    }

    /// From here on types have the names they have in this set.
    pub(super) fn name_by(&mut self, set: SetNames) {
        LAST_SET.set(Some(set.clone()));
        self.set = Some(set);
    }

    pub(super) fn str(&mut self, text: &str) {
        budget::push_str(&mut self.out, text);
    }

    /// `Name[…]`, or just `Name` where nothing would stand in the brackets.
    fn bracketed(&mut self, name: &str, parts: impl FnOnce(&mut List<'_, 'c>)) {
        self.str(name);
        let start = self.out.len();
        self.str("[");
        let mut list = List { printer: self, any: false };
        parts(&mut list);
        if list.any {
            self.str("]");
        } else {
            self.out.truncate(start);
        }
    }

    pub(super) fn ty(&mut self, ty: &Type<'c>) {
        budget::within(parts(ty), || self.kind(ty));
    }

    fn kind(&mut self, ty: &Type<'c>) {
        match ty {
            Type::Integer(range) => self.bracketed("Integer", |l| l.range(*range)),
            Type::Float { min, max } => self.bracketed("Float", |l| {
                if min.is_some() || max.is_some() {
                    l.text(&min.map_or("default".to_owned(), float_to_s));
                    if let Some(max) = max {
                        l.text(&float_to_s(*max));
                    }
                }
            }),
            Type::Boolean(Some(value)) => self.bracketed("Boolean", |l| l.text(&value.to_string())),
            Type::String { size } => self.bracketed("String", |l| l.range(*size)),
            Type::Enum { values, ignore_case } => self.bracketed("Enum", |l| {
                values.iter().for_each(|v| l.text(&quote(v)));
                if *ignore_case {
                    l.text("true");
                }
            }),
            Type::Pattern(sources) => {
                self.bracketed("Pattern", |l| sources.iter().for_each(|s| l.text(&regexp(s))));
            }
            Type::Regexp(Some(source)) => {
                note_regexp(source);
                self.bracketed("Regexp", |l| l.text(&regexp(source)));
            }
            Type::Collection(size) => self.bracketed("Collection", |l| l.range(*size)),
            Type::Array { size: Range { min: Some(0), max: Some(0) }, .. } => self.str("Array[0, 0]"),
            Type::Hash { size: Range { min: Some(0), max: Some(0) }, .. } => self.str("Hash[0, 0]"),
            Type::Array { element: Type::Any, size } if size.is_unbounded() => self.str("Array"),
            Type::Array { element, size } => self.bracketed("Array", |l| {
                l.ty(element);
                l.range(*size);
            }),
            Type::Tuple { types, size } => self.bracketed("Tuple", |l| {
                if !types.is_empty() {
                    types.iter().for_each(|t| l.ty(t));
                    l.range(size.unwrap_or(Range::ANY));
                }
            }),
            Type::Hash { key: Type::Any, value: Type::Any, size } if size.is_unbounded() => self.str("Hash"),
            Type::Hash { key, value, size } => self.bracketed("Hash", |l| {
                l.ty(key);
                l.ty(value);
                l.range(*size);
            }),
            Type::Struct(members) if !members.is_empty() => self.structure(members),
            Type::Optional(inner) => self.bracketed("Optional", |l| l.contained(inner)),
            Type::NotUndef(inner) if !matches!(inner, Type::Any) => {
                self.bracketed("NotUndef", |l| l.contained(inner));
            }
            Type::Variant(types) => self.bracketed("Variant", |l| types.iter().for_each(|t| l.ty(t))),
            Type::Sensitive(inner) if !matches!(inner, Type::Any) => {
                self.bracketed("Sensitive", |l| l.ty(inner));
            }
            Type::Type(inner) => self.bracketed("Type", |l| l.parameter(inner)),
            Type::Iterable(inner) => self.bracketed("Iterable", |l| l.parameter(inner)),
            Type::Iterator(inner) => self.bracketed("Iterator", |l| l.parameter(inner)),
            Type::Callable(callable) => self.callable(callable),
            Type::Class(Some(name)) => self.bracketed("Class", |l| l.text(name)),
            Type::Resource { type_name: Some(name), title: Some(title), held: true } => {
                self.str(&held::text(name, title));
            }
            Type::Resource { type_name: Some(name), title, .. } => {
                self.bracketed(&capitalize_segments(name), |l| {
                    if let Some(title) = title {
                        l.text(&quote(title));
                    }
                });
            }
            Type::Timestamp { from, to } => self.times("Timestamp", *from, *to, timestamp::to_s),
            Type::Timespan { from, to } => self.times("Timespan", *from, *to, timespan::to_s),
            Type::SemVer(ranges) => {
                self.bracketed("SemVer", |l| ranges.iter().for_each(|r| l.text(&format!("'{r}'"))));
            }
            Type::Uri(Some(value)) => self.bracketed("URI", |l| l.value(*value)),
            Type::Runtime { runtime, name } => self.bracketed("Runtime", |l| {
                if runtime.is_some() || name.is_some() {
                    l.text(runtime.unwrap_or("undef"));
                    l.text(&name.map_or("undef".to_owned(), quote));
                }
            }),
            Type::Init { ty: Some(ty), args } => self.bracketed("Init", |l| {
                l.ty(ty);
                args.iter().for_each(|a| l.value(*a));
            }),
            Type::Object { name, definition, .. } => self.object_type(*name, *definition),
            Type::ObjectExtension { base, order, parameters } => self.extension(base, order, parameters),
            Type::TypeSet { name, init } => self.type_set(*name, *init),
            Type::Alias(alias) => self.alias(alias),
            Type::Reference(text) => self.bracketed("TypeReference", |l| l.text(&quote(text))),
            _ => self.str(simple_name(ty)),
        }
    }

    fn alias(&mut self, alias: &Alias<'c>) {
        if let Some(object) = alias.itself() {
            return self.kind(object);
        }
        match self.expanded && alias.is_recursive() {
            false => self.alias_form(alias, self.expanded),
            true => self.with_this(Key::alias(alias), |printer, again| {
                printer.alias_form(alias, !again.in_this());
            }),
        }
    }

    /// An alias, followed by what it stands for where that is to be shown.
    fn alias_form(&mut self, alias: &Alias<'c>, expand: bool) {
        match (self.set_name(alias.name), alias.target.get()) {
            (Some((_, true)), Some(target)) if expand => return self.ty(target),
            (Some((short, _)), _) => return self.str(&short),
            _ => self.str(alias.name),
        }
        if self.set.is_some() {
            return;
        }
        let known = matches!(
            alias.name,
            "Data" | "RichData" | "RichDataKey" | "Puppet::LookupKey" | "Puppet::LookupValue"
        );
        match alias.target.get() {
            Some(target) if expand && !known && !matches!(target, Type::TypeSet { .. }) => {
                self.str(" = ");
                self.ty(target);
            }
            _ => {}
        }
    }

    fn structure(&mut self, members: &[StructMember<'c>]) {
        self.str("Struct[{");
        for (n, member) in members.iter().enumerate() {
            if n > 0 {
                self.str(", ");
            }
            let accepts_undef = accepts_undef(member.value);
            let key = quote(member.name);
            match (member.optional, accepts_undef) {
                (true, false) => self.str(&format!("Optional[{key}]")),
                (false, true) => self.str(&format!("NotUndef[{key}]")),
                _ => self.str(&key),
            }
            self.str(" => ");
            self.ty(member.value);
        }
        self.str("}]");
    }

    fn callable(&mut self, callable: &CallableType<'c>) {
        let params = |l: &mut List<'_, 'c>| {
            callable.params.iter().filter(|t| !t.is_unit()).for_each(|t| l.ty(t));
            if callable.params.is_empty() {
                l.text("0");
                l.text("0");
            } else if let Some(size) = callable.size {
                l.range(size);
            }
            if let Some(block) = callable.block {
                l.ty(block);
            }
        };
        match (callable.returns, callable.unspecified) {
            (None, true) => self.str("Callable"),
            (None, false) => self.bracketed("Callable", params),
            (Some(returns), unspecified) => {
                self.str("Callable[[");
                if !unspecified {
                    params(&mut List { printer: self, any: false });
                }
                self.str("], ");
                self.ty(returns);
                self.str("]");
            }
        }
    }

    fn times(&mut self, name: &str, from: Option<i128>, to: Option<i128>, text: fn(i128) -> String) {
        self.bracketed(name, |l| {
            if from.is_some() || to.is_some() {
                l.text(&from.map_or("default".to_owned(), |n| format!("'{}'", text(n))));
                if let Some(to) = to
                    && from != Some(to)
                {
                    l.text(&format!("'{}'", text(to)));
                }
            }
        });
    }

    pub(super) fn value(&mut self, value: Value<'c>) {
        match value {
            Value::Undef => self.str("undef"),
            Value::Default => self.str("default"),
            Value::Bool(b) => self.str(if b { "true" } else { "false" }),
            Value::Int(i) => self.str(&i.to_string()),
            Value::Float(f) => self.str(&float_to_s(f)),
            Value::Str(s) => self.str(&quote(&s)),
            Value::Array(items) => budget::within(items.len(), || self.array(&items)),
            Value::Hash(hash) => budget::within(hash.len(), || self.hash(hash)),
            Value::Type(ty) => self.ty(ty),
            Value::Regexp(source) => self.str(&regexp(&source)),
            Value::Timestamp(n) => self.str(&format!("'{}'", timestamp::to_s(*n))),
            Value::Timespan(n) => self.str(&format!("'{}'", timespan::to_s(*n))),
            Value::SemVer(s) | Value::SemVerRange(s) => self.str(&format!("'{}'", s.as_str())),
            Value::Uri(s) => self.str(&format!("URI({})", quote(&s))),
            Value::Object(object) if foreign_text(object).is_some() => {
                self.str(foreign_text(object).unwrap_or_default());
            }
            Value::Object(object) => {
                self.str(object.type_name);
                self.str("(");
                // What is undef because nothing was given is not shown.
                let is_given = |name: &Value<'c>, value: &Value<'c>| {
                    let attribute = || name.as_str().and_then(|name| member(object.ty, name));
                    !value.is_undef() || attribute().is_some_and(|member| member.value.is_none())
                };
                let entries = object.attributes.entries().iter();
                let mut entries: Vec<_> =
                    entries.filter(|(name, value)| is_given(name, value)).copied().collect();
                // As they were declared, not as the constructor takes them.
                let declared = attributes(object.ty);
                entries.sort_by_key(|(name, _)| declared.iter().position(|a| name.as_str() == Some(a.name)));
                budget::within(entries.len(), || self.entries(&entries));
                self.str(")");
            }
            Value::Sensitive(_) => self.str("Instance of Sensitive"),
            Value::Binary(_) => self.str("Instance of Binary"),
            Value::Closure(_) => self.str("Instance of Callable"),
            Value::Iterator(_) => self.str("Instance of Iterator"),
        }
    }

    fn array(&mut self, items: &[Value<'c>]) {
        self.str("[");
        match self.indent {
            Some(level) if !is_short(items, level) => {
                self.indent = Some(level + 1);
                for (n, item) in items.iter().enumerate() {
                    if n > 0 {
                        self.str(",");
                    }
                    self.newline();
                    self.value(*item);
                }
                self.indent = Some(level);
                self.newline();
            }
            _ => {
                for (n, item) in items.iter().enumerate() {
                    if n > 0 {
                        self.str(", ");
                    }
                    self.value(*item);
                }
            }
        }
        self.str("]");
    }

    fn hash(&mut self, hash: Hash<'c>) {
        self.entries(hash.entries());
    }

    fn entries(&mut self, entries: &[(Value<'c>, Value<'c>)]) {
        self.str("{");
        self.indent = self.indent.map(|level| level + 1);
        for (n, (key, value)) in entries.iter().enumerate() {
            if n > 0 {
                self.str(if self.indent.is_some() { "," } else { ", " });
            }
            if self.indent.is_some() {
                self.newline();
            }
            self.value(*key);
            self.str(" => ");
            self.value(*value);
        }
        if self.indent.is_some() {
            self.indent = self.indent.map(|level| level - 1);
            self.newline();
        }
        self.str("}");
    }

    fn newline(&mut self) {
        self.out.truncate(self.out.trim_end().len());
        self.out.push('\n');
        let level = self.indent.unwrap_or(0);
        self.out.push_str(&"  ".repeat(level));
    }
}

/// Puppet keeps an array on one line when its items are simple and fit into what is left of 100 columns.
fn is_short(items: &[Value<'_>], level: usize) -> bool {
    let width: usize = items
        .iter()
        .map(|item| match item {
            Value::Undef => 3,
            Value::Bool(b) => b.to_string().len(),
            Value::Int(i) => i.to_string().len(),
            Value::Float(f) => float_to_s(*f).len(),
            Value::Default => 8,
            Value::Str(s) => 2 + s.chars().count(),
            Value::Array(a) if a.is_empty() => 2,
            Value::Hash(h) if h.is_empty() => 2,
            _ => 1000,
        })
        .sum();
    items.is_empty() || (100usize.saturating_sub(level * 2)) > width
}

/// A regular expression between slashes, as Ruby inspects it.
fn regexp(source: &str) -> String {
    crate::regex::shown(source)
}

/// What stands between brackets, commas in between.
struct List<'p, 'c> {
    printer: &'p mut Printer<'c>,
    any: bool,
}

impl<'c> List<'_, 'c> {
    fn separate(&mut self) {
        if self.any {
            self.printer.str(", ");
        }
        self.any = true;
    }

    fn text(&mut self, text: &str) {
        self.separate();
        self.printer.str(text);
    }

    fn ty(&mut self, ty: &Type<'c>) {
        self.separate();
        self.printer.ty(ty);
    }

    fn value(&mut self, value: Value<'c>) {
        self.separate();
        self.printer.value(value);
    }

    /// A parameter that may not have been given.
    fn parameter(&mut self, ty: &Type<'c>) {
        if !ty.is_unit() {
            self.ty(ty);
        }
    }

    /// A type in a list, an exact string shown as its value.
    fn contained(&mut self, ty: &Type<'c>) {
        match ty {
            Type::StringValue(value) => self.text(&quote(value)),
            ty => self.parameter(ty),
        }
    }

    fn range(&mut self, range: Range) {
        if range.is_unbounded() {
            return;
        }
        self.text(&range.min.map_or("default".to_owned(), |min| min.to_string()));
        if let Some(max) = range.max {
            self.text(&max.to_string());
        }
    }
}
