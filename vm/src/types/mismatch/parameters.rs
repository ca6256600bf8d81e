//! Parameters of classes, defined types and templates by name.

use crate::error::Eval;
use crate::types::assign::is_assignable;
use crate::types::context::TypeContext;
use crate::types::generalize::generalize;
use crate::types::infer::infer_set;
use crate::types::instance::is_instance;
use crate::types::mismatch::deferred;
use crate::types::mismatch::describe::Describer;
use crate::types::mismatch::difference::{Difference, Mismatch, Mismatches, Step};
use crate::types::mismatch::value::join;
use crate::types::ty::Type;
use crate::value::Value;
use std::fmt::Display;

/// A declared parameter.
#[derive(Clone, Copy)]
pub struct Parameter<'c> {
    /// Name.
    pub name: &'c str,
    /// Declared type.
    pub ty: &'c Type<'c>,
    /// Whether it has a default.
    pub optional: bool,
}

/// Checks values given by name against declared parameters (Ruby: `validate_parameters`). The message, or
/// nothing where all is well. The subject is what Puppet puts
/// before the colon: `Class[Foo]`.
///
/// # Errors
/// For a `Deferred` whose function is not there or takes no such arguments.
pub fn describe_parameters<'c>(
    context: &mut dyn TypeContext<'c>,
    subject: &dyn Display,
    parameters: &[Parameter<'c>],
    given: &[(&str, Value<'c>)],
) -> Eval<'c, Option<String>> {
    let mut found: Mismatches<'c> = Vec::new();
    for (n, (name, _)) in given.iter().enumerate() {
        let in_place = parameters.get(n).is_some_and(|p| p.name == *name);
        if !in_place && !parameters.iter().any(|p| p.name == *name) {
            found.push(Mismatch::new(&[], Difference::InvalidParameter((*name).to_owned())));
        }
    }
    for (n, parameter) in parameters.iter().enumerate() {
        // Most callers give them in order.
        let in_place = given.get(n).filter(|(name, _)| *name == parameter.name);
        match in_place.or_else(|| given.iter().find(|(name, _)| *name == parameter.name)) {
            Some((_, Value::Object(object))) if object.type_name == "Deferred" => {
                if let Some(returns) = deferred::returned(context, object)? {
                    let (wanted, got) =
                        (generalize(context.arena(), parameter.ty), generalize(context.arena(), returns));
                    if !is_assignable(context.arena(), wanted, got) {
                        let path = [Step::Parameter(parameter.name.to_owned())];
                        found.extend(Describer { arena: context.arena() }.describe(
                            parameter.ty,
                            returns,
                            &path,
                        ));
                    }
                }
            }
            Some((_, value)) if is_instance(context, parameter.ty, *value) => {}
            Some((_, value)) => {
                let actual = infer_set(context, *value);
                let path = [Step::Parameter(parameter.name.to_owned())];
                found.extend(Describer { arena: context.arena() }.describe(parameter.ty, actual, &path));
            }
            None if !parameter.optional => {
                found.push(Mismatch::new(&[], Difference::MissingParameter(parameter.name.to_owned())));
            }
            None => {}
        }
    }
    Ok(join(context.arena(), subject, &found))
}
