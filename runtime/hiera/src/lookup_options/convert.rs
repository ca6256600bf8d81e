//! The option `convert_to`: the value found becomes one of another type, by `new` with arguments of the option.

use crate::fault::lookup_error;
use crate::invocation::Invocation;
use crate::state::Lookups;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::types;
use bunraku_vm::value::{Hash, Value};
use bunraku_vm::vm::Vm;

impl<'c> Lookups<'_, 'c> {
    /// A value as `convert_to` of a key's options says.
    ///
    /// # Errors
    /// When the type it names can't be parsed, or does not take the value.
    pub(crate) fn convert_found(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        key: &str,
        options: Option<Hash<'c>>,
        value: Value<'c>,
    ) -> Eval<'c> {
        let Some(convert) =
            options.and_then(|options| options.get_str("convert_to")).filter(|c| !c.is_undef())
        else {
            return Ok(value);
        };
        let mut parts = match convert {
            Value::Array(items) => items.items().to_vec(),
            one => vec![one],
        };
        let text = |flow: &Flow<'c>| match flow {
            Flow::Fault(fault) => fault.diagnostic.message.clone(),
            _ => String::new(),
        };
        if let Some(Value::Str(source)) = parts.first().copied() {
            let ty = types::parse(vm, &source).map_err(|flow| {
                lookup_error(format!(
                    "Invalid data type in lookup_options for key '{key}' could not parse '{}', error: '{}",
                    source.as_str(),
                    text(&flow)
                ))
            })?;
            parts[0] = Value::Type(ty);
        }
        parts.insert(1.min(parts.len()), value);
        let found = vm.call_function("new", &parts, None, inv.scope).map_err(|flow| {
            lookup_error(format!(
                "The convert_to lookup_option for key '{key}' raised error: {}",
                text(&flow)
            ))
        })?;
        if inv.explain.is_on() {
            parts.remove(1);
            let arguments = vm.array(&parts);
            let arguments = bunraku_vm::format::convert::repr(vm, arguments);
            inv.explain.text(|| format!("Applying convert_to lookup_option with arguments {arguments}"));
        }
        Ok(found)
    }
}
