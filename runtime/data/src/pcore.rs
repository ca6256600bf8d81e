//! Types as rich data: `{"__ptype":"Pcore::IntegerType","from":1,"to":5}`. A type without parameters of its own
//! is just its name.

use crate::rich::{self, Style};
use bunraku_vm::budget;
use bunraku_vm::types::{self, CallableType, Range, Type};
use bunraku_vm::value::Value;

/// An object under construction.
struct Pcore<'o> {
    out: &'o mut String,
}

impl Pcore<'_> {
    fn open<'o>(out: &'o mut String, name: &str) -> Pcore<'o> {
        out.push_str("{\"__ptype\":\"Pcore::");
        out.push_str(name);
        out.push('"');
        Pcore { out }
    }

    fn key(&mut self, name: &str) -> &mut String {
        self.out.push(',');
        rich::string(self.out, name);
        self.out.push(':');
        self.out
    }

    fn text(mut self, name: &str, text: &str) -> Self {
        rich::string(self.key(name), text);
        self
    }

    fn ty(mut self, name: &str, ty: &Type<'_>) -> Self {
        write(self.key(name), ty);
        self
    }

    /// The type in brackets, if there is one.
    fn contained(self, ty: &Type<'_>) -> Self {
        if ty.is_unit() { self } else { self.ty("type", ty) }
    }

    /// Parameters, block and return type, all of which are named.
    fn callable(mut self, callable: &CallableType<'_>) -> Self {
        let out = self.key("param_types");
        match callable.unspecified {
            true => out.push_str("null"),
            false => {
                let types: Vec<_> = callable.params.iter().filter(|ty| !ty.is_unit()).collect();
                let open = Pcore::open(out, "TupleType").list("types", &types, |out, ty| write(out, ty));
                open.size(callable.size.unwrap_or(Range::ANY)).close();
            }
        }
        for (name, ty) in [("block_type", callable.block), ("return_type", callable.returns)] {
            match ty {
                Some(ty) => write(self.key(name), ty),
                None => self.key(name).push_str("null"),
            }
        }
        self
    }

    /// The ends of a range. One that is open at its begin says so where it has an end.
    fn ends<T>(mut self, from: Option<T>, to: Option<T>, end: impl Fn(&mut String, T)) -> Self {
        match from {
            Some(from) => end(self.key("from"), from),
            None if to.is_some() => self.key("from").push_str("null"),
            None => {}
        }
        if let Some(to) = to {
            end(self.key("to"), to);
        }
        self
    }

    /// A value of the type.
    fn value(mut self, name: &str, value: Value<'_>) -> Self {
        rich::value(self.key(name), value, Style::Plain);
        self
    }

    fn size(mut self, range: Range) -> Self {
        if range != Range::SIZE && range != Range::ANY {
            integer(self.key("size_type"), range);
        }
        self
    }

    fn list<T>(mut self, name: &str, items: &[T], item: impl Fn(&mut String, &T)) -> Self {
        let out = self.key(name);
        out.push('[');
        for (n, one) in items.iter().enumerate() {
            if n > 0 {
                out.push(',');
            }
            item(out, one);
        }
        out.push(']');
        self
    }

    fn close(self) {
        self.out.push('}');
    }
}

fn integer(out: &mut String, range: Range) {
    let number = |out: &mut String, n: i64| out.push_str(itoa::Buffer::new().format(n));
    Pcore::open(out, "IntegerType").ends(range.min, range.max, number).close();
}

/// Writes a type.
pub(super) fn write(out: &mut String, ty: &Type<'_>) {
    budget::room(2 * out.len());
    budget::within(1, || {
        let strings = |out: &mut String, text: &&str| rich::string(out, text);
        let nested = |out: &mut String, ty: &&Type<'_>| write(out, ty);
        match ty {
            Type::Integer(range) => integer(out, *range),
            Type::Float { min, max } => {
                let float =
                    |out: &mut String, bound: f64| rich::value(out, Value::Float(bound), Style::Plain);
                Pcore::open(out, "FloatType").ends(*min, *max, float).close();
            }
            // Puppet leaves out which of the two it is, and what is sensitive.
            Type::Boolean(_) => Pcore::open(out, "BooleanType").close(),
            Type::Sensitive(_) => Pcore::open(out, "SensitiveType").close(),
            Type::Timestamp { from, to } => {
                let moment = |out: &mut String, n: i128| rich::value(out, Value::Timestamp(&n), Style::Plain);
                Pcore::open(out, "TimestampType").ends(*from, *to, moment).close();
            }
            Type::Timespan { from, to } => {
                let span = |out: &mut String, n: i128| rich::value(out, Value::Timespan(&n), Style::Plain);
                Pcore::open(out, "TimespanType").ends(*from, *to, span).close();
            }
            Type::SemVer(ranges) if !ranges.is_empty() => {
                let range = |out: &mut String, text: &&str| rich::tagged(out, "SemVerRange", text);
                Pcore::open(out, "SemVerType").list("ranges", ranges, range).close();
            }
            Type::Uri(Some(parameters)) => {
                Pcore::open(out, "URIType").value("parameters", *parameters).close();
            }
            Type::Runtime { runtime: Some(runtime), name } => {
                let open = Pcore::open(out, "RuntimeType").text("runtime", runtime);
                match name {
                    Some(name) => open.text("name_or_pattern", name).close(),
                    None => open.close(),
                }
            }
            Type::Init { ty: Some(ty), args } => {
                let open = Pcore::open(out, "InitType").ty("type", ty);
                let arg = |out: &mut String, arg: &Value<'_>| rich::value(out, *arg, Style::Plain);
                match args {
                    [] => open.close(),
                    args => open.list("init_args", args, arg).close(),
                }
            }
            Type::Alias(alias) if !alias.is_recursive() => match alias.target.get() {
                Some(target) => {
                    let mut open = Pcore::open(out, "TypeAliasType").text("name", alias.name);
                    open.key("type_expr").push_str("null");
                    open.ty("resolved_type", target).close();
                }
                None => named(out, ty),
            },
            Type::String { size } => {
                let mut open = Pcore::open(out, "StringType");
                if *size != Range::ANY {
                    integer(open.key("size_type_or_value"), *size);
                }
                open.close();
            }
            Type::StringValue(text) => {
                Pcore::open(out, "StringType").text("size_type_or_value", text).close()
            }
            Type::Enum { values, ignore_case } => {
                let mut open = Pcore::open(out, "EnumType").list("values", values, strings);
                if *ignore_case {
                    open.key("case_insensitive").push_str("true");
                }
                open.close();
            }
            Type::Pattern(patterns) => {
                Pcore::open(out, "PatternType")
                    .list("patterns", patterns, |out, source| {
                        Pcore::open(out, "RegexpType").text("pattern", source).close();
                    })
                    .close();
            }
            Type::Regexp(Some(source)) => Pcore::open(out, "RegexpType").text("pattern", source).close(),
            Type::Collection(range) => {
                let mut open = Pcore::open(out, "CollectionType");
                if *range != Range::ANY {
                    integer(open.key("size_type"), *range);
                }
                open.close();
            }
            // What is as by default at the end is left out.
            Type::Array { element, size } => {
                let mut open = Pcore::open(out, "ArrayType");
                if !(matches!(element, Type::Any) && size.is_unbounded()) {
                    open = open.ty("element_type", element);
                }
                open.size(*size).close();
            }
            Type::Hash { key, value, size } => {
                let mut open = Pcore::open(out, "HashType");
                let plain_value = matches!(value, Type::Any) && size.is_unbounded();
                if !(plain_value && matches!(key, Type::Any)) {
                    open = open.ty("key_type", key);
                }
                if !plain_value {
                    open = open.ty("value_type", value);
                }
                open.size(*size).close();
            }
            Type::Callable(callable) => Pcore::open(out, "CallableType").callable(callable).close(),
            Type::Tuple { types, size } => {
                let open = Pcore::open(out, "TupleType").list("types", types, nested);
                match size {
                    Some(range) => open.size(*range).close(),
                    None => open.close(),
                }
            }
            Type::Struct(members) => {
                Pcore::open(out, "StructType")
                    .list("elements", members, |out, member| {
                        let mut open = Pcore::open(out, "StructElement");
                        let key = open.key("key_type");
                        if member.optional {
                            let mut optional = Pcore::open(key, "OptionalType");
                            Pcore::open(optional.key("type"), "StringType")
                                .text("size_type_or_value", member.name)
                                .close();
                            optional.close();
                        } else {
                            Pcore::open(key, "StringType").text("size_type_or_value", member.name).close();
                        }
                        open.ty("value_type", member.value).close();
                    })
                    .close();
            }
            Type::NotUndef(Type::Any) => Pcore::open(out, "NotUndefType").close(),
            Type::Optional(inner) => Pcore::open(out, "OptionalType").contained(inner).close(),
            Type::NotUndef(inner) => Pcore::open(out, "NotUndefType").contained(inner).close(),
            Type::Type(inner) => Pcore::open(out, "TypeType").contained(inner).close(),
            Type::Iterable(inner) => Pcore::open(out, "IterableType").contained(inner).close(),
            Type::Iterator(inner) => Pcore::open(out, "IteratorType").contained(inner).close(),
            Type::Variant(types) => Pcore::open(out, "VariantType").list("types", types, nested).close(),
            Type::Class(Some(name)) => Pcore::open(out, "ClassType").text("class_name", name).close(),
            Type::Resource { type_name: Some(name), title, .. } => {
                let open =
                    Pcore::open(out, "ResourceType").text("type_name", &crate::names::capitalize(name));
                match title {
                    Some(title) => open.text("title", title).close(),
                    None => open.close(),
                }
            }
            Type::Reference(text) => Pcore::open(out, "TypeReference").text("type_string", text).close(),
            // Aliases that lead back to themselves, Object types and the types that take no parameter are their printed name.
            other => named(out, other),
        }
    })
}

/// A type as its printed name.
fn named(out: &mut String, ty: &Type<'_>) {
    let name = types::print(ty);
    let simple = name.bytes().all(|b| b.is_ascii_alphanumeric());
    out.push_str("{\"__ptype\":");
    rich::string(out, &if simple { format!("Pcore::{name}Type") } else { name });
    out.push('}');
}
