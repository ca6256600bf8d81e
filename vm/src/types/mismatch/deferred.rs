//! A `Deferred` for a parameter's value: what is checked is what its function says that it returns. Where that says
//! nothing, Puppet warns.

use crate::cause::Cause;
use crate::error::{Eval, Flow};
use crate::format::inspect::inspect;
use crate::types::accept::accepts;
use crate::types::context::TypeContext;
use crate::types::ty::Type;
use crate::value::{Object, Value};

/// The type that the function of a `Deferred` returns; none, with a warning, where nobody can tell.
///
/// # Errors
/// For a function that is not there, or takes no such arguments.
pub(super) fn returned<'c>(
    context: &mut dyn TypeContext<'c>,
    deferred: &Object<'c>,
) -> Eval<'c, Option<&'c Type<'c>>> {
    let name = deferred.attributes.get_str("name").and_then(Value::as_str).unwrap_or_default();
    let args = match deferred.attributes.get_str("arguments") {
        Some(Value::Array(items)) => items.items().to_vec(),
        _ => Vec::new(),
    };
    let Some(signatures) = context.function_signatures(name)? else {
        let message = "undefined method `dispatcher' for NilClass:Class";
        return Err(Flow::caused(Cause::UndefinedMethod, message));
    };
    let mut matching = None;
    for signature in &signatures {
        if signature.callable.unspecified || accepts(context, signature, &args, None)? {
            matching = Some(signature.callable.returns);
            break;
        }
    }
    let Some(returns) = matching else {
        let args = inspect(Value::array(context.arena(), &args));
        return Err(Flow::raw(format!("No matching arity found for {name} with arguments {args}")));
    };
    if returns.is_none() {
        let message = format!(
            "Deferred function {name} has no return_type, unable to guarantee value type during compilation.\n   \
             (file & line not available)"
        );
        context.warn_once_for(&format!("{name}_deferred_warning"), &message);
    }
    Ok(returns)
}
