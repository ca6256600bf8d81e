//! Single values: of a parameter's default, or under any other name.

use crate::error::{Eval, Flow};
use crate::raised::TYPE_ASSERTION_ERROR;
use crate::types::check_fault;
use crate::types::context::TypeContext;
use crate::types::generalize::generalize;
use crate::types::infer::infer_set;
use crate::types::instance::is_instance;
use crate::types::mismatch::describe::Describer;
use crate::types::mismatch::difference::{Mismatch, Step};
use crate::types::ty::Type;
use crate::value::Value;
use bumpalo::Bump;
use std::fmt::Display;

/// Checks the value of a parameter's default (Ruby: `validate_default_parameter`).
pub fn describe_default<'c>(
    context: &mut dyn TypeContext<'c>,
    subject: &str,
    name: &str,
    expected: &'c Type<'c>,
    value: Value<'c>,
) -> Option<String> {
    if is_instance(context, expected, value) {
        return None;
    }
    let actual = infer_set(context, value);
    let actual = generalize(context.arena(), actual);
    let path = [Step::Parameter(name.to_owned())];
    let found = Describer { arena: context.arena() }.describe(expected, actual, &path);
    join(context.arena(), &subject, &found)
}

/// What is wrong about a type under a subject's name (Ruby: `describe_mismatch`); empty where nothing is.
pub fn describe_mismatch<'c>(
    arena: &'c Bump,
    subject: &str,
    expected: &'c Type<'c>,
    actual: &'c Type<'c>,
) -> String {
    let path = [Step::Subject(subject.to_owned())];
    let found = Describer { arena }.describe(expected, actual, &path);
    match &found[..] {
        [] => String::new(),
        [only] => only.format(arena).trim().to_owned(),
        several => several.iter().map(|m| m.format(arena)).collect::<Vec<_>>().join("\n "),
    }
}

/// Fails unless the value is an instance: "SUBJECT has wrong type, expects …" (Ruby: `TypeAsserter`). For
/// return values the subject is `value returned from NAME`.
///
/// # Errors
/// The mismatch.
pub fn assert_instance<'c>(
    context: &mut dyn TypeContext<'c>,
    subject: impl Display,
    expected: &'c Type<'c>,
    value: Value<'c>,
) -> Eval<'c, ()> {
    let fits = is_instance(context, expected, value);
    check_fault::raise()?;
    if fits {
        return Ok(());
    }
    let actual = infer_set(context, value);
    let subject = format!("{subject} has wrong type,");
    let message = describe_mismatch(context.arena(), &subject, expected, actual);
    Err(Flow::of_class(TYPE_ASSERTION_ERROR, message))
}

/// The message for all that was found under a subject's name; none where nothing was.
pub(super) fn join<'c>(arena: &'c Bump, subject: &dyn Display, found: &[Mismatch<'c>]) -> Option<String> {
    match found {
        [] => None,
        [only] => Some(format!("{subject}:{}", only.format(arena))),
        several => {
            let lines: Vec<_> = several.iter().map(|m| m.format(arena)).collect();
            Some(format!("{subject}:\n {}", lines.join("\n ")))
        }
    }
}
