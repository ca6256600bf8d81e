//! `annotate`: objects hung onto other objects, by type. Source: puppet-specifications, "Annotations".

use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::inspect;
use bunraku_vm::function::Call;
use bunraku_vm::label;
use bunraku_vm::types::{self, Type, equal, new};
use bunraku_vm::value::{Hash, Value};
use bunraku_vm::vm::Vm;

natives! {
    /// The annotation of a type that a value has; made from a hash, or from that which a block yields; or taken
    /// away with `clear`. With the type `Pcore`, several annotations are made at once.
    function "annotate" {
        dispatch annotate(param "Type[Annotation]" type, param "Any" value) [optional_block_param "Callable[0, 0]" block];
        dispatch annotate_new(
            param "Type[Annotation]" type,
            param "Any" value,
            param "Variant[Enum[clear],Hash[Pcore::MemberName,Any]]" annotation_hash
        );
        dispatch annotate_multi(
            param "Type[Pcore]" type,
            param "Any" value,
            param "Hash[Type[Annotation], Hash[Pcore::MemberName,Any]]" annotations
        );
    }
}

fn annotation_type<'c>(value: Option<Value<'c>>) -> Eval<'c, &'c Type<'c>> {
    match value {
        Some(Value::Type(ty)) => Ok(types::resolved(ty)),
        _ => Err(Flow::raw("an annotation needs a type")),
    }
}

/// What the definition of an Object type says about itself.
fn declared<'c>(ty: &'c Type<'c>, value: Value<'c>) -> Option<Hash<'c>> {
    let Value::Type(target) = value else { return None };
    let Some(Value::Hash(all)) = types::object::definition(target)?.annotations else { return None };
    all.entries().iter().find_map(|(key, init)| match (key, init) {
        (Value::Type(key), Value::Hash(init)) if equal(types::resolved(key), ty) => Some(*init),
        _ => None,
    })
}

fn annotate<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let ty = annotation_type(call.arg(0))?;
    let value = call.arg(1).unwrap_or(Value::Undef);
    if let Some(known) = vm.annotations.get(value, ty) {
        return Ok(known);
    }
    let init = match (declared(ty, value), call.block) {
        (Some(init), _) => Value::Hash(init),
        (None, Some(block)) => vm.call(block, &[])?,
        (None, None) => Value::Undef,
    };
    if init.is_undef() { Ok(Value::Undef) } else { hang(vm, ty, value, init) }
}

fn annotate_new<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let ty = annotation_type(call.arg(0))?;
    let value = call.arg(1).unwrap_or(Value::Undef);
    let init = call.arg(2).unwrap_or(Value::Undef);
    let clears = matches!(init, Value::Str(_));
    if declared(ty, value).is_some() {
        let action = if clears { "clear" } else { "redefine" };
        let owner = match value {
            Value::Type(target) => types::name(target),
            _ => "",
        };
        return Err(Flow::raw(format!(
            "attempt to {action} {} annotation declared on {owner}",
            types::name(ty)
        )));
    }
    if clears {
        return Ok(vm.annotations.remove(value, ty).unwrap_or(Value::Undef));
    }
    hang(vm, ty, value, init)
}

fn annotate_multi<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let value = call.arg(1).unwrap_or(Value::Undef);
    if let Some(Value::Hash(all)) = call.arg(2) {
        for (ty, init) in all.entries() {
            let ty = annotation_type(Some(*ty))?;
            hang(vm, ty, value, *init)?;
        }
    }
    Ok(value)
}

fn hang<'c>(vm: &mut Vm<'c>, ty: &'c Type<'c>, value: Value<'c>, init: Value<'c>) -> Eval<'c> {
    let annotation = new::from_hash(vm, ty, init)?;
    if vm.annotations.set(value, ty, annotation) {
        return Ok(annotation);
    }
    let class = label::ruby_class(value);
    Err(Flow::raw(format!("can't modify frozen {class}: {}", inspect(value))))
}
