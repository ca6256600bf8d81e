//! A `Deferred` for a parameter's value: what is checked is what its function says that it returns. Where that says nothing,
//! Puppet warns.

use crate::cause::Cause;
use crate::error::{Eval, Flow};
use crate::format::inspect::inspect;
use crate::types::{Signature, Type, signatures};
use crate::value::{Object, Value};
use crate::vm::Vm;

/// The type that the function of a `Deferred` returns; none, with a warning, where nobody can tell.
///
/// # Errors
/// For a function that is not there, or takes no such arguments.
pub(super) fn returned<'c>(vm: &mut Vm<'c>, deferred: &Object<'c>) -> Eval<'c, Option<&'c Type<'c>>> {
    let name = deferred.attributes.get_str("name").and_then(Value::as_str).unwrap_or_default();
    let args = match deferred.attributes.get_str("arguments") {
        Some(Value::Array(items)) => items.items().to_vec(),
        _ => Vec::new(),
    };
    let Some(signatures) = known(vm, name)? else {
        let message = "undefined method `dispatcher' for NilClass:Class";
        return Err(Flow::caused(Cause::UndefinedMethod, message));
    };
    let mut matching = None;
    for signature in &signatures {
        if signature.callable.unspecified || vm.accepts(signature, &args, None)? {
            matching = Some(signature.callable.returns);
            break;
        }
    }
    let Some(returns) = matching else {
        let args = inspect(vm.array(&args));
        return Err(Flow::raw(format!("No matching arity found for {name} with arguments {args}")));
    };
    if returns.is_none() {
        let message = format!(
            "Deferred function {name} has no return_type, unable to guarantee value type during compilation.\n   \
             (file & line not available)"
        );
        vm.host.warn_once_for(&format!("{name}_deferred_warning"), &message);
    }
    Ok(returns)
}

/// The signatures of a function; none where there is none.
fn known<'c>(vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<Vec<Signature<'c>>>> {
    let own = match vm.host.manifest_function(name) {
        Some(closure) => Some(closure),
        None => match vm.host.native(name, "") {
            Some(native) => return signatures(vm, native).map(|(all, _)| Some(all)),
            None => vm.host.function(vm, name, "")?,
        },
    };
    match own {
        Some(closure) => {
            let mut signature = vm.closure_signature(closure)?;
            signature.callable.returns = vm.declared_return(closure)?;
            Ok(Some(vec![signature]))
        }
        None => vm.host.foreign_signatures(vm, name),
    }
}
