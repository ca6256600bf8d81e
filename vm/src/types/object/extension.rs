//! Object types with values for their type parameters: `Car['volvo']`, `Error['kind']`.

use crate::error::{Eval, Flow};
use crate::format::interpolate::to_interpolated;
use crate::types::context::TypeContext;
use crate::types::definition::{Member, attribute_of, has_parameters, members};
use crate::types::instance::is_instance;
use crate::types::mismatch::value::assert_instance;
use crate::types::name::name;
use crate::types::ty::Type;
use crate::value::{Object, Value};

/// The types an `Error`'s parameters may have.
const ERROR_PARAMETER: &str =
    "Optional[Variant[String, Regexp, Type[Enum], Type[Pattern], Type[NotUndef], Type[Undef]]]";

/// A type parameter: its name and type.
type TypeParameter<'c> = (&'c str, &'c Type<'c>);

fn parameters<'c>(context: &mut dyn TypeContext<'c>, base: &'c Type<'c>) -> Eval<'c, Vec<TypeParameter<'c>>> {
    if matches!(base, Type::Object { name: Some("Error"), definition: None, .. }) {
        let ty = context.parsed_type(ERROR_PARAMETER)?;
        return Ok(vec![("kind", ty), ("issue_code", ty)]);
    }
    let all: Vec<&'c Member<'c>> = members(base, |definition| definition.type_parameters);
    Ok(all.into_iter().map(|member| (member.name, member.ty)).collect())
}

/// `base[keys]`
///
/// # Errors
/// For a type that takes no parameters, unknown names, values of the wrong type.
pub fn extension<'c>(
    context: &mut dyn TypeContext<'c>,
    base: &'c Type<'c>,
    keys: &[Value<'c>],
) -> Eval<'c, Type<'c>> {
    let known = parameters(context, base)?;
    let label = name(base);
    if known.is_empty() {
        return Err(Flow::raw(format!("The {label}-Type cannot be parameterized using []")));
    }
    let by_name = matches!(keys, [value @ Value::Hash(_)] if !is_instance(context, known[0].1, *value));
    let mut given = Vec::new();
    if let (true, Some(Value::Hash(hash))) = (by_name, keys.first()) {
        for (key, value) in hash.entries() {
            let Some(parameter) = known.iter().find(|(name, _)| key.as_str() == Some(name)) else {
                let key = to_interpolated(*key);
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
            assert_instance(context, format!("type_parameter {label}[{name}]"), ty, value)?;
            values.push((name, value));
        }
    }
    if values.is_empty() {
        return Err(Flow::raw(format!(
            "The {label}-Type cannot be parameterized using an empty parameter list"
        )));
    }
    let order = context.arena().alloc_slice_fill_iter(known.iter().map(|(name, _)| *name));
    Ok(Type::ObjectExtension { base, order, parameters: context.arena().alloc_slice_copy(&values) })
}

/// The type of an instance: with its values for the type parameters, where its type has such.
pub fn of_instance<'c>(context: &mut dyn TypeContext<'c>, object: &'c Object<'c>) -> &'c Type<'c> {
    if !has_parameters(object.ty) {
        return object.ty;
    }
    let Ok(known) = parameters(context, object.ty) else { return object.ty };
    let keys: Vec<_> =
        known.iter().map(|(name, _)| attribute_of(object, name).unwrap_or(Value::Undef)).collect();
    match extension(context, object.ty, &keys) {
        Ok(ty) => ty.alloc(context.arena()),
        Err(_) => object.ty,
    }
}
