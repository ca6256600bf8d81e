//! Object types with values for their type parameters: `Car['volvo']`, `Error['kind']`.

use super::{Member, attributes, definition, members, value_of};
use crate::compare::matches_option;
use crate::error::{Eval, Flow};
use crate::types::mismatch::assert_instance;
use crate::types::{Type, is_assignable, is_instance, name, parse_with};
use crate::value::{Object, Value};
use crate::vm::Vm;

/// The types an `Error`'s parameters may have.
const ERROR_PARAMETER: &str =
    "Optional[Variant[String, Regexp, Type[Enum], Type[Pattern], Type[NotUndef], Type[Undef]]]";

/// A type parameter: its name and type.
type Parameter<'c> = (&'c str, &'c Type<'c>);

fn parameters<'c>(vm: &mut Vm<'c>, base: &'c Type<'c>) -> Eval<'c, Vec<Parameter<'c>>> {
    if matches!(base, Type::Object { name: Some("Error"), definition: None, .. }) {
        let ty = parse_with(vm, ERROR_PARAMETER, &[])?;
        return Ok(vec![("kind", ty), ("issue_code", ty)]);
    }
    let all: Vec<&'c Member<'c>> = members(base, |definition| definition.type_parameters);
    Ok(all.into_iter().map(|member| (member.name, member.ty)).collect())
}

/// Whether an Object type has type parameters.
pub fn has_parameters<'c>(base: &'c Type<'c>) -> bool {
    matches!(base, Type::Object { name: Some("Error"), definition: None, .. })
        || definition(base)
            .is_some_and(|d| !d.type_parameters.is_empty() || d.parent.is_some_and(has_parameters))
}

/// `base[keys]`
///
/// # Errors
/// For a type that takes no parameters, unknown names, values of the wrong type.
pub fn extension<'c>(vm: &mut Vm<'c>, base: &'c Type<'c>, keys: &[Value<'c>]) -> Eval<'c, Type<'c>> {
    let known = parameters(vm, base)?;
    let label = name(base);
    if known.is_empty() {
        return Err(Flow::raw(format!("The {label}-Type cannot be parameterized using []")));
    }
    let by_name = matches!(keys, [value @ Value::Hash(_)] if !is_instance(vm, known[0].1, *value));
    let mut given = Vec::new();
    if let (true, Some(Value::Hash(hash))) = (by_name, keys.first()) {
        for (key, value) in hash.entries() {
            let Some(parameter) = known.iter().find(|(name, _)| key.as_str() == Some(name)) else {
                let key = crate::format::to_interpolated(*key);
                return Err(Flow::raw(format!("'{key}' is not a known type parameter for {label}-Type")));
            };
            given.push((*parameter, *value));
        }
    } else {
        given.extend(known.iter().copied().zip(keys.iter().copied()));
    }
    let mut values = Vec::new();
    for ((name, ty), value) in given {
        if !matches!(value, Value::Default) {
            assert_instance(vm, &format!("type_parameter {label}[{name}]"), ty, value)?;
            values.push((name, value));
        }
    }
    if values.is_empty() {
        return Err(Flow::raw(format!(
            "The {label}-Type cannot be parameterized using an empty parameter list"
        )));
    }
    let order = vm.arena.alloc_slice_fill_iter(known.iter().map(|(name, _)| *name));
    Ok(Type::ObjectExtension { base, order, parameters: vm.arena.alloc_slice_copy(&values) })
}

/// The type of an instance: with its values for the type parameters, where its type has such.
pub fn of_instance<'c>(vm: &mut Vm<'c>, object: &'c Object<'c>) -> &'c Type<'c> {
    if !has_parameters(object.ty) {
        return object.ty;
    }
    let Ok(known) = parameters(vm, object.ty) else { return object.ty };
    let keys: Vec<_> =
        known.iter().map(|(name, _)| attribute(object, name).unwrap_or(Value::Undef)).collect();
    match extension(vm, object.ty, &keys) {
        Ok(ty) => ty.alloc(vm.arena),
        Err(_) => object.ty,
    }
}

fn attribute<'c>(object: &Object<'c>, name: &str) -> Option<Value<'c>> {
    if definition(object.ty).is_none() {
        return Some(object.attributes.get_str(name).unwrap_or(Value::Undef));
    }
    attributes(object.ty).into_iter().find(|known| known.name == name).map(|known| value_of(object, known))
}

/// Whether an instance has the values, as `case` compares them.
pub fn matches_value<'c>(vm: &mut Vm<'c>, object: &Object<'c>, parameters: &[(&'c str, Value<'c>)]) -> bool {
    parameters.iter().all(|(name, wanted)| {
        attribute(object, name).is_some_and(|value| matches_option(vm, value, *wanted).unwrap_or(false))
    })
}

/// Whether values `given` of another extension of the type are among those `wanted`.
pub fn matches_type<'c>(
    arena: &'c bumpalo::Bump,
    wanted: &[(&'c str, Value<'c>)],
    given: &[(&'c str, Value<'c>)],
) -> bool {
    wanted.iter().all(|(name, wanted)| {
        given.iter().find(|(known, _)| known == name).is_some_and(|(_, value)| match (wanted, value) {
            (Value::Type(wanted), Value::Type(value)) => is_assignable(arena, wanted, value),
            (Value::Type(wanted), Value::Str(text)) => {
                is_assignable(arena, wanted, Type::StringValue(text.as_str()).alloc(arena))
            }
            (Value::Regexp(source), Value::Str(text)) => {
                let pattern = Type::Pattern(arena.alloc_slice_copy(&[source.as_str()])).alloc(arena);
                is_assignable(arena, pattern, Type::StringValue(text.as_str()).alloc(arena))
            }
            (Value::Str(wanted), Value::Str(text)) => wanted.eq_ignore_ascii_case(text),
            (wanted, value) => wanted.same(*value),
        })
    })
}
