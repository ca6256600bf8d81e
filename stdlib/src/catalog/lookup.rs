//! `lookup`: a value from the caller's overrides, from Hiera, from the caller's defaults, from a block or a default,
//! in this order. Hiera itself is the host's.

use bunraku_vm::cause::Cause;
use bunraku_vm::closure::Closure;
use bunraku_vm::diagnostic::Diagnostic;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::{Call, Native, ParamSpec, dispatch, optional_param, param};
use bunraku_vm::host::Lookup;
use bunraku_vm::scope::Scope;
use bunraku_vm::types::{self, Type};
use bunraku_vm::value::{Hash, Value};
use bunraku_vm::vm::Vm;

const LOCAL_TYPES: &[&str] = &[
    "NameType = Variant[String, Array[String]]",
    "ValueType = Type",
    "DefaultValueType = Any",
    "MergeType = Variant[String[1], Hash[String, Scalar]]",
    "BlockType = Callable[NameType]",
    "OptionsWithName = Struct[{\
       name                => NameType,\
       value_type          => Optional[ValueType],\
       default_value       => Optional[DefaultValueType],\
       override            => Optional[Hash[String,Any]],\
       default_values_hash => Optional[Hash[String,Any]],\
       merge               => Optional[MergeType]\
     }]",
    "OptionsWithoutName = Struct[{\
       value_type          => Optional[ValueType],\
       default_value       => Optional[DefaultValueType],\
       override            => Optional[Hash[String,Any]],\
       default_values_hash => Optional[Hash[String,Any]],\
       merge               => Optional[MergeType]\
     }]",
];

const PLAIN: &[ParamSpec] = &[
    param("NameType", "name"),
    optional_param("ValueType", "value_type"),
    optional_param("MergeType", "merge"),
];

const WITH_DEFAULT: &[ParamSpec] = &[
    param("NameType", "name"),
    param("Optional[ValueType]", "value_type"),
    param("Optional[MergeType]", "merge"),
    param("DefaultValueType", "default_value"),
];

const NAME_AND_OPTIONS: &[ParamSpec] =
    &[param("Variant[String,Array[String]]", "name"), param("OptionsWithoutName", "options_hash")];

/// The group.
pub const FUNCTIONS: &[Native] = &[Native {
    name: "lookup",
    doc: "Looks a key up in Hiera.",
    local_types: LOCAL_TYPES,
    dispatches: &[
        dispatch(PLAIN, positional),
        dispatch(WITH_DEFAULT, positional),
        dispatch(PLAIN, positional).block("BlockType"),
        dispatch(&[param("OptionsWithName", "options_hash")], with_options).optional_block("BlockType"),
        dispatch(NAME_AND_OPTIONS, with_options).optional_block("BlockType"),
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
    /// Whether one of the old functions asks.
    pub hiera: bool,
    /// See [`Lookup::level`].
    pub level: Option<Value<'c>>,
}

fn positional<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let request = Request {
        name: call.args[0],
        value_type: call.arg(1).and_then(type_of),
        merge: call.arg(2).filter(|merge| !merge.is_undef()),
        default: call.arg(3),
        block: call.block,
        hiera: false,
        level: None,
        overrides: None,
        defaults: None,
    };
    request.answer(vm, call.scope.keep())
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
        hiera: false,
        level: None,
    };
    request.answer(vm, call.scope.keep())
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
        let names = match &self.name {
            Value::Array(names) => names.items(),
            one => std::slice::from_ref(one),
        };
        for key in names {
            let text = key.as_str().unwrap_or_default();
            let overriding = self.overrides.and_then(|hash| hash.get(*key));
            if let Some(value) = overriding {
                let subject = format!("Value found for key '{text}' in override hash");
                return self.checked(vm, &subject, value);
            }
            let lookup = Lookup {
                key: text,
                merge: self.merge,
                overrides: self.overrides,
                defaults: self.defaults,
                hiera: self.hiera,
                level: self.level,
            };
            if let Some(value) = vm.host.lookup(vm, scope, &lookup)? {
                return self.checked(vm, "Found value", value);
            }
        }
        for key in names {
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
        // Puppet's one error of a function that says nothing of where it was called.
        let message = match quoted.as_slice() {
            [one] => format!("Function lookup() did not find a value for the name {one}"),
            many => {
                format!("Function lookup() did not find a value for any of the names [{}]", many.join(", "))
            }
        };
        Err(Flow::formed(Diagnostic::error(message).because(Cause::NotFound)))
    }

    fn checked(&self, vm: &mut Vm<'c>, subject: &str, value: Value<'c>) -> Eval<'c> {
        match self.value_type {
            Some(ty) if !types::is_instance(vm, ty, value) => {
                Err(match types::mismatch::assert_instance(vm, subject, ty, value) {
                    Err(flow) => flow,
                    Ok(()) => Flow::raw(subject),
                })
            }
            _ => Ok(value),
        }
    }
}
