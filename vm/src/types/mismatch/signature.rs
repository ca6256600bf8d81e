//! Calls that no signature accepts.

use crate::scope::Closure;
use crate::types::assign::is_assignable;
use crate::types::context::TypeContext;
use crate::types::infer::{infer, infer_set};
use crate::types::mismatch::describe::{Alternatives, Describer, block_is_optional};
use crate::types::mismatch::difference::{Difference, Mismatch, Mismatches, Step, extended};
use crate::types::name::is_callable;
use crate::types::print::print;
use crate::types::signature::Signature;
use crate::types::ty::{Range, Type};
use crate::value::Value;

/// What is wrong about a call (Ruby: `describe_signatures`): `'f' expects 1 argument, got 2`. A lambda's name
/// is `lambda`.
pub fn describe_arguments<'c>(
    context: &mut dyn TypeContext<'c>,
    name: &str,
    signatures: &[Signature<'c>],
    args: &[Value<'c>],
    block: Option<&'c Closure<'c>>,
) -> String {
    let types: Vec<_> = args.iter().map(|arg| infer_set(context, *arg)).collect();
    let block = block.map(|block| infer(context, Value::Closure(block)));
    let call = RefusedCall { describer: Describer { arena: context.arena() }, types, block };
    let mut errors: Vec<Mismatches<'c>> =
        signatures.iter().enumerate().map(|(n, signature)| call.arguments(signature, n)).collect();
    if errors.iter().any(Vec::is_empty) {
        let blocks: Vec<Mismatches<'c>> =
            signatures.iter().enumerate().map(|(n, signature)| call.block(signature, n)).collect();
        if blocks.iter().all(|found| !found.is_empty()) {
            errors = blocks;
        } else {
            for (found, block) in errors.iter_mut().zip(blocks) {
                if found.is_empty() && !block.is_empty() {
                    *found = block;
                }
            }
        }
    }
    let arena = context.arena();
    let label = if name == "lambda" { "block".to_owned() } else { format!("'{name}'") };
    let merged = call.describer.merge(0, Alternatives::Signatures, errors.clone());
    if let [only] = &merged[..] {
        return format!("{label}{}", only.format(arena));
    }
    let rejected = |indent: &str, found: &Mismatches<'c>| -> Vec<String> {
        let each = found.iter().cloned().map(|m| m.without_step(0).format(arena));
        each.map(|text| format!("{indent}rejected:{text}")).collect()
    };
    if let [signature] = signatures {
        let mut lines = vec![format!("{label} expects ({})", print_signature(signature))];
        lines.extend(rejected("  ", &errors[0]));
        return lines.join("\n");
    }
    let mut lines = vec![format!(
        "The function {label} was called with arguments it does not accept. It expects one of:"
    )];
    for (signature, found) in signatures.iter().zip(&errors) {
        lines.push(format!("  ({})", print_signature(signature)));
        lines.extend(rejected("    ", found));
    }
    lines.join("\n")
}

struct RefusedCall<'c> {
    describer: Describer<'c>,
    types: Vec<&'c Type<'c>>,
    block: Option<&'c Type<'c>>,
}

impl<'c> RefusedCall<'c> {
    fn arguments(&self, signature: &Signature<'c>, n: usize) -> Mismatches<'c> {
        let path = [Step::Signature(n)];
        let expected = signature.callable.range();
        // A function given as the last argument counts as a block.
        let given = match (self.block, self.types.last()) {
            (None, Some(last)) if is_callable(last) => &self.types[..self.types.len() - 1],
            _ => &self.types[..],
        };
        let actual = Range::exactly(given.len() as i64);
        if !expected.covers(actual) {
            return vec![Mismatch::new(&path, Difference::Count { expected, actual })];
        }
        let params = signature.callable.params;
        for (n, actual) in given.iter().enumerate() {
            let Some(n) = params.len().checked_sub(1).map(|last| n.min(last)) else { break };
            if !is_assignable(self.describer.arena, params[n], actual) {
                let name = signature.names.get(n).copied().unwrap_or("").to_owned();
                let found =
                    self.describer.describe(params[n], actual, &extended(&path, Step::Parameter(name)));
                if !found.is_empty() {
                    return found;
                }
            }
        }
        Vec::new()
    }

    fn block(&self, signature: &Signature<'c>, n: usize) -> Mismatches<'c> {
        let path = [Step::Signature(n)];
        let wanted = signature.callable.block;
        let last = self.types.last().copied().filter(|ty| is_callable(ty));
        match (self.block.or(last), wanted) {
            (Some(_), None) => vec![Mismatch::new(&path, Difference::UnexpectedBlock)],
            (Some(given), Some(wanted)) => {
                self.describer.describe(wanted, given, &extended(&path, Step::Block))
            }
            (None, wanted) if block_is_optional(wanted) => Vec::new(),
            (None, _) => vec![Mismatch::new(&path, Difference::MissingBlock)],
        }
    }
}

/// A signature as messages show it: `String name, Integer count?`.
fn print_signature(signature: &Signature<'_>) -> String {
    let callable = &signature.callable;
    let Range { min, max } = callable.range();
    let least = min.unwrap_or(0);
    if least == 0 && max == Some(0) {
        return String::new();
    }
    let count = if signature.names.is_empty() { callable.params.len() } else { signature.names.len() };
    let mut parts = Vec::new();
    for n in 0..count {
        let Some(mut ty) = callable.params.get(n).or(callable.params.last()).copied() else { break };
        let name = signature.names.get(n).copied().unwrap_or("");
        let mut mark = "";
        if max.is_none() && n == count - 1 {
            mark = if least == count as i64 { "+" } else { "*" };
        } else if n as i64 + 1 > least {
            mark = "?";
            if let Type::Optional(inner) = ty
                && !inner.is_unit()
            {
                ty = inner;
            }
        }
        parts.push(format!("{} {name}{mark}", print(ty)));
    }
    match callable.block {
        Some(Type::Optional(inner)) => parts.push(format!("{} {}?", print(inner), signature.block_name)),
        Some(block @ Type::Callable(_)) => parts.push(format!("{} {}", print(block), signature.block_name)),
        _ => {}
    }
    parts.join(", ")
}
