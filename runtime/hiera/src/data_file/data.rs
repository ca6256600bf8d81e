//! Data as a file holds it, owned and free of any compile, and its way into a compile's arena.

use bumpalo::Bump;
use bunraku_vm::types::Type;
use bunraku_vm::value::{Array, Hash, HashBuilder, Str, Value};

/// A value of a YAML or JSON file.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Null.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text.
    Text(String),
    /// A Ruby symbol (`:name`): text as a key, refused as a value.
    Symbol(String),
    /// A regular expression by its source, where what is loaded may have some.
    Pattern(String),
    /// A list.
    List(Vec<Data>),
    /// Pairs in order; no key twice.
    Map(Vec<(Data, Data)>),
    /// A list or map with the address and length of the object it was made from: the same object may stand in several
    /// places.
    Object((usize, usize), Box<Data>),
    /// An object of a class of Ruby's by its name, with its instance variables as a map.
    Instance(&'static str, Box<Data>),
}

/// The name of the runtime type of symbols.
const SYMBOL: &str = "Symbol";

impl Data {
    /// The value in a compile's arena. Keys that are symbols become strings.
    pub fn value<'c>(&self, arena: &'c Bump) -> Value<'c> {
        match self {
            Data::Null => Value::Undef,
            Data::Bool(b) => Value::Bool(*b),
            Data::Int(n) => Value::Int(*n),
            Data::Float(f) => Value::Float(*f),
            Data::Text(text) => Value::str(arena, text),
            Data::Symbol(_) => symbol(arena),
            Data::Pattern(source) => Value::Regexp(Str::new(arena, source)),
            Data::Object(_, data) | Data::Instance(_, data) => data.value(arena),
            Data::List(items) => Value::Array(Array::made(arena, items.iter().map(|item| item.value(arena)))),
            // Texts that differ are keys that differ.
            Data::Map(pairs) if pairs.iter().all(|(key, _)| matches!(key, Data::Text(_))) => {
                let entries = pairs.iter().map(|(key, item)| (key.value(arena), item.value(arena)));
                Value::Hash(Hash::made_unique(arena, entries))
            }
            Data::Map(pairs) => {
                let mut builder = HashBuilder::new(arena);
                for (key, item) in pairs {
                    let key = match key {
                        Data::Symbol(text) => Value::str(arena, text),
                        other => other.value(arena),
                    };
                    builder.insert(key, item.value(arena));
                }
                Value::Hash(builder.finish())
            }
        }
    }

    /// Whether there are symbols in it, or objects.
    pub fn has_symbols(&self) -> bool {
        match self {
            Data::Symbol(_) | Data::Object(..) | Data::Instance(..) => true,
            Data::List(items) => items.iter().any(Data::has_symbols),
            Data::Map(pairs) => pairs.iter().any(|(key, value)| key.has_symbols() || value.has_symbols()),
            _ => false,
        }
    }

    /// The same with text for symbols, however deep.
    pub fn with_symbols_as_text(self) -> Data {
        match self {
            Data::Symbol(text) => Data::Text(text),
            Data::Object(_, data) => data.with_symbols_as_text(),
            Data::List(items) => Data::List(items.into_iter().map(Data::with_symbols_as_text).collect()),
            Data::Map(pairs) => {
                let pairs = pairs.into_iter();
                Data::Map(pairs.map(|(k, v)| (k.with_symbols_as_text(), v.with_symbols_as_text())).collect())
            }
            other => other,
        }
    }

    /// The data of a parsed JSON text.
    pub fn from_json(json: serde_json::Value) -> Data {
        use serde_json::Value as Json;
        match json {
            Json::Null => Data::Null,
            Json::Bool(b) => Data::Bool(b),
            Json::Number(number) => match number.as_i64() {
                Some(integer) => Data::Int(integer),
                None => Data::Float(number.as_f64().unwrap_or_default()),
            },
            Json::String(text) => Data::Text(text),
            Json::Array(items) => Data::List(items.into_iter().map(Data::from_json).collect()),
            Json::Object(map) => Data::Map(
                map.into_iter().map(|(key, value)| (Data::Text(key), Data::from_json(value))).collect(),
            ),
        }
    }
}

impl From<&str> for Data {
    fn from(text: &str) -> Data {
        Data::Text(text.to_owned())
    }
}

/// The value that stands for a symbol: a type, so that checks of values refuse it.
pub(crate) fn symbol(arena: &Bump) -> Value<'_> {
    Value::Type(Type::Runtime { runtime: Some("ruby"), name: Some(SYMBOL) }.alloc(arena))
}

/// Whether a value is what most data is, and needs no type to be told so.
pub(crate) fn is_plain(value: Value<'_>) -> bool {
    match value {
        Value::Undef | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) => true,
        Value::Array(items) => items.items().iter().all(|item| is_plain(*item)),
        Value::Hash(hash) => {
            hash.entries().iter().all(|(key, item)| matches!(key, Value::Str(_)) && is_plain(*item))
        }
        _ => false,
    }
}

/// Whether a symbol stands anywhere in a value that came from [`Data`].
pub fn has_symbol(value: Value<'_>) -> bool {
    match value {
        Value::Type(Type::Runtime { name: Some(name), .. }) => *name == SYMBOL,
        Value::Array(items) => items.items().iter().any(|item| has_symbol(*item)),
        Value::Hash(hash) => hash.entries().iter().any(|(_, value)| has_symbol(*value)),
        _ => false,
    }
}
