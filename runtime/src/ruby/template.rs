//! ERB templates.

use super::Compile;
use super::talk::{TEMPLATE, subject};
use crate::stats::Kind;
use bunraku_vm::error::Eval;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::path::Path;

impl<'c> Compile<'c> {
    /// The text of a template file, which messages call by the name it was asked for.
    pub(crate) fn render_file(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        shown: &str,
        file: &str,
    ) -> Eval<'c> {
        let subject = subject("template", shown, Path::new(file));
        let parts = [vm.string(file), vm.string(shown), Value::Undef];
        self.counter.count(Kind::Erb, shown, || self.render(vm, scope, &subject, &parts))
    }

    /// The text of a template given as text.
    pub(crate) fn render_text(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, text: &str) -> Eval<'c> {
        let parts = [Value::Undef, Value::Undef, vm.string(text)];
        let subject = "The template given to inline_template()";
        self.counter.count(Kind::Erb, "inline_template", || self.render(vm, scope, subject, &parts))
    }

    fn render(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, subject: &str, parts: &[Value<'c>]) -> Eval<'c> {
        self.ask_ruby(vm, subject, TEMPLATE, |vm, out| {
            out.extend([6, 4]);
            self.put_scope(out, scope);
            parts.iter().try_for_each(|part| self.put_value(vm, out, *part, 0))
        })
    }
}
