//! Resource defaults of a scope whose `lookupdefaults` code in Ruby has written anew.

use super::Talk;
use super::protocol::Request;
use super::talk::RequestArgument;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

impl<'c> Talk<'_, 'c> {
    /// The defaults of a resource type that the scope's own method in Ruby gives, with their values.
    ///
    /// # Errors
    /// Those of the method.
    pub fn defaults_of(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        type_name: &str,
    ) -> Eval<'c, Vec<(&'c str, Value<'c>)>> {
        let subject = "A scope's 'lookupdefaults' that a function has written anew";
        let arguments = [RequestArgument::Scope(scope), vm.string(type_name).into()];
        let told = self.request(vm, subject, Request::LookUpDefaults, &arguments)?;
        let pair = |told: &Value<'c>| match told {
            Value::Array(pair) => match pair.items() {
                [Value::Str(name), value] => Some((name.as_str(), *value)),
                _ => None,
            },
            _ => None,
        };
        match told {
            Value::Array(pairs) => pairs.items().iter().map(pair).collect(),
            _ => None,
        }
        .ok_or_else(|| Flow::raw(format!("{subject} gives something else than defaults")))
    }
}
