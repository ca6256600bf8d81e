//! `lookup`: a value from the caller's overrides, from Hiera, from the caller's defaults, from a block or a default,
//! in this order. Hiera itself is the host's.

use super::table::{dispatch, optional, required};
use bunraku_vm::closure::Closure;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::{BlockSpec, Call, Dispatch, Native, ParamSpec};
use bunraku_vm::scope::Scope;
use bunraku_vm::types::{self, Type};
use bunraku_vm::value::{Hash, Value};
use bunraku_vm::vm::Vm;

const NAME: &str = "Variant[String, Array[String]]";
const MERGE: &str = "Variant[String[1], Hash[String, Scalar]]";
const BLOCK: BlockSpec =
    BlockSpec { ty: "Callable[Variant[String, Array[String]]]", name: "block", optional: false };

const OPTIONS_WITH_NAME: &str = "Struct[{
  name                          => Variant[String, Array[String]],
  Optional[value_type]          => Optional[Type],
  Optional[default_value]       => Any,
  Optional[override]            => Optional[Hash[String, Any]],
  Optional[default_values_hash] => Optional[Hash[String, Any]],
  Optional[merge]               => Optional[Variant[String[1], Hash[String, Scalar]]]
}]";
const OPTIONS_WITHOUT_NAME: &str = "Struct[{
  Optional[value_type]          => Optional[Type],
  Optional[default_value]       => Any,
  Optional[override]            => Optional[Hash[String, Any]],
  Optional[default_values_hash] => Optional[Hash[String, Any]],
  Optional[merge]               => Optional[Variant[String[1], Hash[String, Scalar]]]
}]";

const PLAIN: &[ParamSpec] =
    &[required(NAME, "name"), optional("Type", "value_type"), optional(MERGE, "merge")];

pub(super) const NATIVES: &[Native] = &[Native {
    name: "lookup",
    doc: "Looks a key up in Hiera.",
    local_types: &[],
    dispatches: &[
        dispatch(PLAIN, positional),
        dispatch(
            &[
                required(NAME, "name"),
                required("Optional[Type]", "value_type"),
                required("Optional[Variant[String[1], Hash[String, Scalar]]]", "merge"),
                required("Any", "default_value"),
            ],
            positional,
        ),
        Dispatch { params: PLAIN, block: Some(BLOCK), returns: None, body: positional },
        Dispatch {
            params: &[required(OPTIONS_WITH_NAME, "options_hash")],
            block: Some(BlockSpec { optional: true, ..BLOCK }),
            returns: None,
            body: with_options,
        },
        Dispatch {
            params: &[required(NAME, "name"), required(OPTIONS_WITHOUT_NAME, "options_hash")],
            block: Some(BlockSpec { optional: true, ..BLOCK }),
            returns: None,
            body: with_options,
        },
    ],
    mismatches: &[],
}];

/// A look-up, whichever way it was written.
#[derive(Clone, Copy)]
pub(super) struct Request<'c> {
    /// A name or an array of names, of which the first that is found counts.
    pub name: Value<'c>,
    /// Type that the value must have.
    pub value_type: Option<&'c Type<'c>>,
    /// Value where none is found.
    pub default: Option<Value<'c>>,
    /// Values that go before Hiera's.
    pub overrides: Option<Hash<'c>>,
    /// Values that come after Hiera's.
    pub defaults: Option<Hash<'c>>,
    /// How values of several layers are merged.
    pub merge: Option<Value<'c>>,
    /// Makes the value where none is found.
    pub block: Option<&'c Closure<'c>>,
}

fn positional<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let request = Request {
        name: call.args[0],
        value_type: call.arg(1).and_then(type_of),
        merge: call.arg(2).filter(|merge| !merge.is_undef()),
        default: call.arg(3),
        block: call.block,
        overrides: None,
        defaults: None,
    };
    request.answer(vm, call.scope)
}

fn with_options<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Some(Value::Hash(options)) = call.args.last() else { return Ok(Value::Undef) };
    let hash = |name: &str| match options.get_str(name) {
        Some(Value::Hash(hash)) => Some(hash),
        _ => None,
    };
    let name = if call.args.len() == 1 { options.get_str("name") } else { call.arg(0) };
    let request = Request {
        name: name.unwrap_or(Value::Undef),
        value_type: options.get_str("value_type").and_then(type_of),
        default: options.get_str("default_value"),
        overrides: hash("override"),
        defaults: hash("default_values_hash"),
        merge: options.get_str("merge").filter(|merge| !merge.is_undef()),
        block: call.block,
    };
    request.answer(vm, call.scope)
}

fn type_of(value: Value<'_>) -> Option<&Type<'_>> {
    match value {
        Value::Type(ty) => Some(ty),
        _ => None,
    }
}

impl<'c> Request<'c> {
    /// The value.
    pub fn answer(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>) -> Eval<'c> {
        let names = match self.name {
            Value::Array(names) => names.items().to_vec(),
            one => vec![one],
        };
        for key in &names {
            let text = key.as_str().unwrap_or_default();
            let overriding = self.overrides.and_then(|hash| hash.get(*key));
            if let Some(value) = overriding {
                let subject = format!("Value found for key '{text}' in override hash");
                return self.checked(vm, &subject, value);
            }
            if let Some(value) = vm.host.lookup(vm, scope, text, self.merge)? {
                return self.checked(vm, "Found value", value);
            }
        }
        for key in &names {
            if let Some(value) = self.defaults.and_then(|hash| hash.get(*key)) {
                let text = key.as_str().unwrap_or_default();
                let subject = format!("Value found for key '{text}' in default values hash");
                return self.checked(vm, &subject, value);
            }
        }
        if let Some(block) = self.block {
            let value = vm.call(block, &[self.name])?;
            return self.checked(vm, "Value returned from default block", value);
        }
        if let Some(value) = self.default {
            return self.checked(vm, "Default value", value);
        }
        let quoted: Vec<String> =
            names.iter().map(|name| format!("'{}'", name.as_str().unwrap_or_default())).collect();
        Err(Flow::raw(match quoted.as_slice() {
            [one] => format!("Function lookup() did not find a value for the name {one}"),
            many => format!("Function lookup() did not find a value for any of the names [{}]", many.join(", ")),
        }))
    }

    fn checked(&self, vm: &mut Vm<'c>, subject: &str, value: Value<'c>) -> Eval<'c> {
        match self.value_type {
            Some(ty) if !types::is_instance(vm, ty, value)? => {
                Err(Flow::raw(types::mismatch::describe_value(vm, subject, ty, value)?))
            }
            _ => Ok(value),
        }
    }
}
