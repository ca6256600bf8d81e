//! Parameters of classes, defined types and templates by name; single values.

use super::deferred;
use super::describe::Describer;
use super::{Fault, Mismatch, Mismatches, Step};
use crate::error::{Eval, Flow};
use crate::types::{Type, generalize, infer_set, is_assignable, is_instance, noted};
use crate::value::Value;
use crate::vm::Vm;
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
/// nothing where all is well; `missing_ok` lets required ones be absent. The subject is what Puppet puts
/// before the colon: `Class[Foo]`.
///
/// # Errors
/// For a `Deferred` whose function is not there or takes no such arguments.
pub fn describe_parameters<'c>(
    vm: &mut Vm<'c>,
    subject: &dyn Display,
    parameters: &[Parameter<'c>],
    given: &[(&str, Value<'c>)],
    missing_ok: bool,
) -> Eval<'c, Option<String>> {
    let mut found: Mismatches<'c> = Vec::new();
    for (n, (name, _)) in given.iter().enumerate() {
        let in_place = parameters.get(n).is_some_and(|p| p.name == *name);
        if !in_place && !parameters.iter().any(|p| p.name == *name) {
            found.push(Mismatch::new(&[], Fault::InvalidParameter((*name).to_owned())));
        }
    }
    for (n, parameter) in parameters.iter().enumerate() {
        // Most callers give them in order.
        let in_place = given.get(n).filter(|(name, _)| *name == parameter.name);
        match in_place.or_else(|| given.iter().find(|(name, _)| *name == parameter.name)) {
            Some((_, Value::Object(object))) if object.type_name == "Deferred" => {
                if let Some(returns) = deferred::returned(vm, object)? {
                    let (wanted, got) = (generalize(vm.arena, parameter.ty), generalize(vm.arena, returns));
                    if !is_assignable(vm.arena, wanted, got) {
                        let path = [Step::Parameter(parameter.name.to_owned())];
                        found.extend(Describer { arena: vm.arena }.describe(parameter.ty, returns, &path));
                    }
                }
            }
            Some((_, value)) if is_instance(vm, parameter.ty, *value) => {}
            Some((_, value)) => {
                let actual = infer_set(vm, *value);
                let path = [Step::Parameter(parameter.name.to_owned())];
                found.extend(Describer { arena: vm.arena }.describe(parameter.ty, actual, &path));
            }
            None if !missing_ok && !parameter.optional => {
                found.push(Mismatch::new(&[], Fault::MissingParameter(parameter.name.to_owned())));
            }
            None => {}
        }
    }
    Ok(join(vm, subject, &found))
}

/// Checks the value of a parameter's default (Ruby: `validate_default_parameter`).
pub fn describe_default<'c>(
    vm: &mut Vm<'c>,
    subject: &str,
    name: &str,
    expected: &'c Type<'c>,
    value: Value<'c>,
) -> Option<String> {
    if is_instance(vm, expected, value) {
        return None;
    }
    let actual = infer_set(vm, value);
    let actual = generalize(vm.arena, actual);
    let path = [Step::Parameter(name.to_owned())];
    let found = Describer { arena: vm.arena }.describe(expected, actual, &path);
    join(vm, &subject, &found)
}

fn join<'c>(vm: &Vm<'c>, subject: &dyn Display, found: &[Mismatch<'c>]) -> Option<String> {
    match found {
        [] => None,
        [only] => Some(format!("{subject}:{}", only.format(vm.arena))),
        several => {
            let lines: Vec<_> = several.iter().map(|m| m.format(vm.arena)).collect();
            Some(format!("{subject}:\n {}", lines.join("\n ")))
        }
    }
}

/// What is wrong about a type under a subject's name (Ruby: `describe_mismatch`); empty where nothing is.
pub fn describe_mismatch<'c>(
    vm: &Vm<'c>,
    subject: &str,
    expected: &'c Type<'c>,
    actual: &'c Type<'c>,
) -> String {
    let path = [Step::Subject(subject.to_owned())];
    let found = Describer { arena: vm.arena }.describe(expected, actual, &path);
    match &found[..] {
        [] => String::new(),
        [only] => only.format(vm.arena).trim().to_owned(),
        several => several.iter().map(|m| m.format(vm.arena)).collect::<Vec<_>>().join("\n "),
    }
}

/// Fails unless the value is an instance: "SUBJECT has wrong type, expects …" (Ruby: `TypeAsserter`). For
/// return values the subject is `value returned from NAME`.
///
/// # Errors
/// The mismatch.
pub fn assert_instance<'c>(
    vm: &mut Vm<'c>,
    subject: &str,
    expected: &'c Type<'c>,
    value: Value<'c>,
) -> Eval<'c, ()> {
    let fits = is_instance(vm, expected, value);
    noted()?;
    if fits {
        return Ok(());
    }
    let actual = infer_set(vm, value);
    Err(Flow::raw(describe_mismatch(vm, &format!("{subject} has wrong type,"), expected, actual)))
}
