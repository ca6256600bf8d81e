//! `Binary` from Base64, text and bytes.

use crate::base64;
use crate::error::{Eval, Flow};
use crate::types::new::check::{Params, check};
use crate::value::{Array, Value};
use crate::vm::Vm;

const LOCALS: [(&str, &str); 5] = [
    ("ByteInteger", "Integer[0,255]"),
    ("Base64Format", "Enum[\"%b\", \"%u\", \"%B\", \"%s\", \"%r\"]"),
    ("StringHash", "Struct[{value => String, \"format\" => Optional[Base64Format]}]"),
    ("ArrayHash", "Struct[{value => Array[ByteInteger]}]"),
    ("BinaryArgsHash", "Variant[StringHash, ArrayHash]"),
];

/// `Binary.new`
pub(super) fn binary<'c>(vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
    let signatures: [&Params; 3] = [
        &[("String", "str", true), ("Base64Format", "format", false)],
        &[("Array[ByteInteger]", "byte_array", true)],
        &[("BinaryArgsHash", "hash_args", true)],
    ];
    check(vm, "new_Binary", &LOCALS, &signatures, args)?;
    let bytes = match args {
        [Value::Str(text), rest @ ..] => decode(text, rest.first().and_then(|f| f.as_str()))?,
        [Value::Array(items)] => of_items(*items),
        [Value::Hash(hash)] => match hash.get_str("value") {
            Some(Value::Str(text)) => decode(&text, hash.get_str("format").and_then(Value::as_str))?,
            Some(Value::Array(items)) => of_items(items),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let bytes: &'c [u8] = vm.arena.alloc_slice_copy(&bytes);
    Ok(Value::Binary(vm.arena.alloc(bytes)))
}

fn of_items(items: Array<'_>) -> Vec<u8> {
    items.iter().map(|item| if let Value::Int(n) = item { *n as u8 } else { 0 }).collect()
}

fn decode<'c>(text: &str, format: Option<&str>) -> Eval<'c, Vec<u8>> {
    let decoded = match format.unwrap_or("%B") {
        "%b" => Some(base64::decode_lenient(text)),
        "%u" => base64::decode_url(text),
        "%B" => base64::decode_strict(text),
        _ => Some(text.as_bytes().to_vec()),
    };
    decoded.ok_or_else(|| Flow::raw("invalid base64"))
}
