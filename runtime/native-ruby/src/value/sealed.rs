//! The value that stands for the key of a look-up where nobody may look at it: [`SealedKey`](crate::functions::sealed_key::SealedKey)
//! says why.

use crate::for_ruby::{ForRuby, OrRuby};
use bunraku_vm::types::Type;
use bunraku_vm::value::{HashBuilder, Held, Object, Value};
use bunraku_vm::vm::Vm;

/// What the type of such a value is called; no type that code can name is.
const TYPE: &str = " sealed key";

/// A new one.
pub(crate) fn sealed<'c>(vm: &Vm<'c>) -> &'c Object<'c> {
    vm.arena.alloc(Object {
        ty: Type::Object { name: Some(TYPE), parent: None, definition: None }.alloc(vm.arena),
        type_name: TYPE,
        attributes: HashBuilder::new(vm.arena).finish(),
        held: Held::Here,
        data: None,
        plain: None,
    })
}

/// Whether a value of the compile may be handed to what would look at it.
///
/// # Errors
/// For one that stands for a key.
pub(crate) fn may_look_at(value: &Value<'_>) -> OrRuby<()> {
    match value {
        Value::Object(object) if object.type_name == TYPE => Err(ForRuby("a key that is looked at")),
        _ => Ok(()),
    }
}
