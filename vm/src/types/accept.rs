//! Whether a signature takes a call.

use crate::error::Eval;
use crate::scope::Closure;
use crate::types::assign::is_assignable;
use crate::types::check_fault;
use crate::types::context::TypeContext;
use crate::types::instance::is_instance;
use crate::types::signature::Signature;
use crate::types::ty::Type;
use crate::value::Value;

/// Whether a signature takes a call with these arguments and this lambda.
///
/// # Errors
/// Those of evaluating a lambda's parameter types.
pub fn accepts<'c>(
    context: &mut dyn TypeContext<'c>,
    signature: &Signature<'c>,
    args: &[Value<'c>],
    block: Option<&'c Closure<'c>>,
) -> Eval<'c, bool> {
    let callable = &signature.callable;
    if !callable.range().contains(args.len() as i64) {
        return Ok(false);
    }
    for (n, arg) in args.iter().enumerate() {
        let Some(ty) = callable.params.get(n).or(callable.params.last()) else { return Ok(false) };
        let fits = is_instance(context, ty, *arg);
        check_fault::raise()?;
        if !fits {
            return Ok(false);
        }
    }
    match (callable.block, block) {
        (None, block) => Ok(block.is_none()),
        (Some(ty), None) => Ok(matches!(ty, Type::Optional(_))),
        (Some(ty), Some(block)) => {
            let own = context.closure_type(block)?;
            Ok(is_assignable(context.arena(), ty, own))
        }
    }
}
