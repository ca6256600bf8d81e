//! ERB templates.

use super::protocol::Request;
use super::talk::RequestArgument;
use super::world::Counted;
use super::{Talk, subject};
use bunraku_native_ruby::Journal;
use bunraku_vm::error::Eval;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::path::Path;

impl<'c> Talk<'_, 'c> {
    /// The text of a template file, which messages call by the name it was asked for; it has called by then what the journal says.
    ///
    /// # Errors
    /// Those of the template.
    pub fn render_file(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        (shown, file): (&str, &str),
        calls: Journal<'c>,
    ) -> Eval<'c> {
        let subject = subject("template", shown, Path::new(file));
        let parts = [vm.string(file), vm.string(shown), Value::Undef];
        let render = || self.render(vm, scope, &subject, parts);
        self.counted(Counted::Template, shown, || self.replaying(shown, calls, render))
    }

    /// The text of a template given as text; likewise.
    ///
    /// # Errors
    /// Those of the template.
    pub fn render_text(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        text: &str,
        calls: Journal<'c>,
    ) -> Eval<'c> {
        let parts = [Value::Undef, Value::Undef, vm.string(text)];
        let subject = "The template given to inline_template()";
        let render = || self.render(vm, scope, subject, parts);
        self.counted(Counted::Template, "inline_template", || {
            self.replaying("inline_template", calls, render)
        })
    }

    fn render(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        subject: &str,
        [file, name, text]: [Value<'c>; 3],
    ) -> Eval<'c> {
        let arguments = [RequestArgument::Scope(scope), file.into(), name.into(), text.into()];
        self.request(vm, subject, Request::Render, &arguments)
    }
}
