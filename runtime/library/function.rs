//! Functions of the embedding program that the language then has.

use crate::data::Data;
use bunraku_compile::functions::Embedded;
use bunraku_data::json;
use bunraku_vm::error::Flow;
use bunraku_vm::format;
use bunraku_vm::value::Value;

/// What a function does with its arguments, which fit its parameters.
type Body = dyn Fn(&[Data]) -> Result<Data, String> + Send + Sync;

/// A function of the embedding program. It is found like Puppet's own, everywhere and before any of a manifest's or
/// module's; calls are checked against its parameters and fail with Puppet's messages.
///
/// It may hold state of the program: compiles of several threads call it at once.
pub struct Function {
    name: String,
    parameters: Vec<(String, String)>,
    body: Box<Body>,
}

impl Function {
    /// A function without parameters; an error of `body` is the call's.
    pub fn new(
        name: &str,
        body: impl Fn(&[Data]) -> Result<Data, String> + Send + Sync + 'static,
    ) -> Function {
        Function { name: name.to_owned(), parameters: Vec::new(), body: Box::new(body) }
    }

    /// The same with one more parameter: its type in Puppet's notation, and its name, as messages show it.
    pub fn param(mut self, type_text: &str, name: &str) -> Function {
        self.parameters.push((type_text.to_owned(), name.to_owned()));
        self
    }

    pub(crate) fn embedded(self) -> Embedded {
        let Function { name, parameters, body } = self;
        Embedded {
            name,
            parameters,
            body: Box::new(move |vm, call| {
                let arguments: Vec<Data> = call.args.iter().map(|value| data(*value)).collect();
                let result = body(&arguments).map_err(Flow::raw)?;
                Ok(json::value(vm.arena, &result.json()))
            }),
        }
    }
}

/// A value of the compile: what is more than data (a type, a regular expression, a time) is its text.
fn data(value: Value<'_>) -> Data {
    match value {
        Value::Undef => Data::Undef,
        Value::Bool(value) => Data::Boolean(value),
        Value::Int(whole) => Data::Integer(whole),
        Value::Float(number) => Data::Float(number),
        Value::Array(items) => Data::List(items.items().iter().map(|item| data(*item)).collect()),
        Value::Hash(hash) => {
            let entry = |(key, value): &(Value<'_>, Value<'_>)| (format::to_interpolated(*key), data(*value));
            Data::Map(hash.entries().iter().map(entry).collect())
        }
        Value::Sensitive(inner) => data(*inner),
        other => Data::Text(format::to_interpolated(other)),
    }
}
