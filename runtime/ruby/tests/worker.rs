//! A worker and the compiler, both real, and a world with nothing in it: what either does not know is an error.

use bumpalo::Bump;
use bunraku_native_ruby::{Called, Function, Journal};
use bunraku_ruby::world::{
    Beginning, CallObserver, CatalogSide, CheckerFault, CodeSide, Counted, DefinitionView, EnvironmentSide,
    FoundVariable, FunctionSource, NativeSide, ResourceTypeKind, ResourceView, SettingValue,
};
use bunraku_ruby::{Ruby, WorkerSettings, Workers};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::scope::Scope;
use bunraku_vm::unit::UnitId;
use bunraku_vm::value::{Object, Value};
use bunraku_vm::vm::Vm;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[path = "../../../vm/tests/machine/mod.rs"]
mod machine;

/// A world without code, files or resources, which remembers what was counted.
#[derive(Default)]
struct Nothing {
    counted: RefCell<Vec<String>>,
}

fn absent<'c, T>() -> Eval<'c, T> {
    Err(Flow::raw("not in this world"))
}

impl<'c> NativeSide<'c> for Nothing {
    fn describe_natively(&self, _: &mut Vm<'c>, _: Function<'_>) -> Option<Value<'c>> {
        None
    }
    fn call_natively(&self, _: &mut Vm<'c>, _: (Function<'_>, Option<usize>), _: Call<'c, '_>) -> Called<'c> {
        Called::ForRuby(Journal::default())
    }
    fn call_beside_natively(
        &self,
        _: &mut Vm<'c>,
        _: &str,
        _: Call<'c, '_>,
    ) -> Option<(PathBuf, Called<'c>)> {
        None
    }
    fn call_native_block(&self, _: &mut Vm<'c>, _: (i64, &[Value<'c>])) -> Eval<'c> {
        absent()
    }
    fn call_old_natively(&self, _: &mut Vm<'c>, _: Function<'_>, _: Call<'c, '_>) -> Called<'c> {
        Called::ForRuby(Journal::default())
    }
}

impl<'c> EnvironmentSide<'c> for Nothing {
    fn beginning(&self) -> Beginning {
        Beginning { node: "n".to_owned(), environment: "e".to_owned(), folders: Vec::new() }
    }
    fn worker_started(&self, _: &mut Vm<'c>) -> Eval<'c, ()> {
        Ok(())
    }
    fn refuse_irregular(&self, _: &Path) -> Eval<'c, ()> {
        Ok(())
    }
    fn function(&self, _: &str, _: &str) -> Option<FunctionSource<'c>> {
        None
    }
    fn modules(&self) -> Vec<(&'c str, &'c Path)> {
        Vec::new()
    }
    fn manifest(&self) -> Option<&'c Path> {
        None
    }
    fn extensions(&self) -> &'c [(String, PathBuf)] {
        &[]
    }
    fn setting(&self, _: &str) -> Option<SettingValue<'c>> {
        None
    }
}

impl<'c> CodeSide<'c> for Nothing {
    fn load_code(&self, _: &mut Vm<'c>, _: &str) -> Eval<'c, UnitId> {
        absent()
    }
    fn variable(&self, _: &mut Vm<'c>, _: &'c Scope<'c>, _: &str) -> Eval<'c, FoundVariable<'c>> {
        Ok(FoundVariable { value: None, missing: None })
    }
    fn render_for_variables(&self, _: &mut Vm<'c>, _: &'c Scope<'c>, _: Option<&[&str]>) -> Eval<'c, ()> {
        Ok(())
    }
    fn variables(&self, vm: &mut Vm<'c>, _: &'c Scope<'c>, _: Option<&[Value<'c>]>) -> Value<'c> {
        Value::Hash(bunraku_vm::value::HashBuilder::new(vm.arena).finish())
    }
    fn change_variable(&self, _: &Vm<'c>, _: &'c Scope<'c>, _: &str, _: Value<'c>) {}
    fn class_scopes(&self) -> Vec<&'c Scope<'c>> {
        Vec::new()
    }
    fn to_data(&self, _: &Vm<'c>, value: Value<'c>) -> Eval<'c> {
        Ok(value)
    }
    fn check_text(&self, _: &str, _: &str, _: &str) -> Result<(), CheckerFault> {
        Ok(())
    }
    fn context_number(&self, _: &'c Object<'c>) -> Option<i64> {
        None
    }
    fn context_method(&self, _: &mut Vm<'c>, _: &str, _: Call<'c, '_>) -> Eval<'c, Option<Value<'c>>> {
        Ok(None)
    }
    fn first_time(&self, _: String) -> bool {
        true
    }
}

impl<'c> CatalogSide<'c> for Nothing {
    fn resource(&self, _: &str, _: &str) -> Option<ResourceView<'c>> {
        None
    }
    fn titled(&self, _: &str, _: &str) -> Eval<'c, Vec<(String, String)>> {
        Ok(Vec::new())
    }
    fn scope_of(&self, _: &str, _: &str) -> Option<&'c Scope<'c>> {
        None
    }
    fn resources(&self) -> Vec<ResourceView<'c>> {
        Vec::new()
    }
    fn resource_of(&self, _: &'c Scope<'c>) -> Option<ResourceView<'c>> {
        None
    }
    fn definition_of(&self, _: &'c Scope<'c>) -> Option<DefinitionView<'c>> {
        None
    }
    fn class(&self, _: &mut Vm<'c>, _: &str) -> Eval<'c, Option<DefinitionView<'c>>> {
        Ok(None)
    }
    fn define(&self, _: &mut Vm<'c>, _: &str) -> Eval<'c, Option<DefinitionView<'c>>> {
        Ok(None)
    }
    fn resource_type(&self, _: &mut Vm<'c>, _: &str) -> Eval<'c, Option<ResourceTypeKind>> {
        Ok(None)
    }
    fn defaults(
        &self,
        _: &mut Vm<'c>,
        _: &'c Scope<'c>,
        _: &str,
        _: bool,
    ) -> Eval<'c, Vec<(&'c str, Value<'c>)>> {
        Ok(Vec::new())
    }
    fn own_defaults(&self, _: &'c Scope<'c>, _: &str) -> Vec<(&'c str, Value<'c>)> {
        Vec::new()
    }
    fn set_default(&self, _: &'c Scope<'c>, _: &str, _: &str, _: Value<'c>) {}
    fn defaults_are_ruby(&self, _: &'c Scope<'c>) {}
    fn classes(&self) -> Vec<&'c str> {
        Vec::new()
    }
    fn tags(&self) -> Vec<&'c str> {
        Vec::new()
    }
}

impl CallObserver for Nothing {
    fn begins(&self, what: Counted, name: &str) {
        self.counted.borrow_mut().push(format!("{what:?} {name}"));
    }
    fn ends(&self) {
        self.counted.borrow_mut().push("end".to_owned());
    }
    fn spent(&self, _: Counted, _: Duration) {}
}

/// What templates come to, one after the other in one compile: the text, or the message.
fn rendered(templates: &[&str]) -> (Vec<Result<String, String>>, Vec<String>) {
    let (arena, workers, settings) = (Bump::new(), Workers::default(), WorkerSettings::default());
    let (world, stub) = (Nothing::default(), machine::Stub::default());
    let ruby = Ruby::new(&workers, &settings);
    let mut vm = Vm::new(&arena, &stub);
    let scope = vm.top;
    let mut all = Vec::new();
    for template in templates {
        all.push(match ruby.with(&world).render_text(&mut vm, scope, template, Journal::default()) {
            Ok(text) => Ok(text.as_str().unwrap_or_default().to_owned()),
            Err(flow) => match *flow {
                Flow::Fault(fault) => Err(fault.diagnostic.message),
                _ => Err("something left the template".to_owned()),
            },
        });
    }
    ruby.release();
    assert!(!ruby.has_worker() && !ruby.is_running());
    (all, world.counted.into_inner())
}

fn message(template: &str) -> String {
    let (mut all, _) = rendered(&[template]);
    all.remove(0).expect_err("the template fails")
}

#[test]
fn templates_are_rendered_and_counted() {
    let (all, counted) = rendered(&["<%= 1 + 1 %>", "<%= [1, 'a'].inspect %>"]);
    assert_eq!(all, [Ok("2".to_owned()), Ok("[1, \"a\"]".to_owned())]);
    let template = "Template inline_template";
    assert_eq!(counted, [template, "Start ruby", "end", "end", template, "end"]);
}

#[test]
fn a_question_there_is_not_is_an_error_in_ruby() {
    let said = message("<% Bunraku.ask('nonsense', []) %>");
    assert!(said.ends_with("question 'nonsense', which there is not"), "{said}");
    let said = message("<% Bunraku.ask('text', [1, 2]) %>");
    assert!(said.ends_with("question 'text' in another form"), "{said}");
}

/// A template that sends these bytes as a message, and waits for what answers it if anything does.
fn sending(bytes: &str) -> String {
    format!("<% Bunraku.converse(Bunraku.send_message([{bytes}].pack('C*'), 0)) %>")
}

#[test]
fn a_question_there_is_not_is_an_error_in_the_compiler() {
    let protocol = "Bunraku::Protocol";
    let asked = |rest: &str| message(&sending(&format!("{protocol}::Message::ASK, {rest}")));
    let said = asked(&format!("250, {protocol}::ValueTag::ARRAY, 0"));
    assert!(said.ends_with("the Ruby worker asks question 250, which there is not"), "{said}");
    let said = asked(&format!("{protocol}::QUESTIONS['text'][0], {protocol}::ValueTag::ARRAY, 0"));
    assert!(said.ends_with("the Ruby worker asks 'text' in another form"), "{said}");
}

#[test]
fn what_is_no_message_ends_the_worker_and_the_next_is_unharmed() {
    let protocol = "Bunraku::Protocol";
    let bytes = [
        // No kind of message; a request, which is the compiler's to make; a question with a form there is not.
        "250".to_owned(),
        format!("{protocol}::Message::DO, 14, {protocol}::ValueTag::ARRAY, 0"),
        format!("{protocol}::Message::ASK, {protocol}::QUESTIONS['text'][0], 250"),
        format!("{protocol}::Message::ASK"),
        // An answer to nothing.
        format!("{protocol}::Message::ANSWER, {protocol}::ValueTag::UNDEF"),
    ];
    for bytes in bytes {
        let (all, _) = rendered(&[&sending(&bytes), "<%= 'next' %>"]);
        let [Err(said), next] = &all[..] else { panic!("{bytes}: {all:?}") };
        assert!(said.ends_with("its Ruby worker sent what is no message of this compile"), "{bytes}: {said}");
        assert_eq!(*next, Ok("next".to_owned()), "{bytes}");
    }
}

#[test]
fn a_failure_of_a_cause_there_is_not_ends_the_worker() {
    let failing = "<% Bunraku.send_message([Bunraku::Protocol::Message::FAILURE, 250].pack('C*'), \
                   Bunraku.instance_variable_get(:@number)); sleep %>";
    let said = message(failing);
    assert!(said.ends_with("its Ruby worker sent what is no message of this compile"), "{said}");
}
