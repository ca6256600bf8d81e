//! Templates rendered in a world with a few variables and no Ruby: what comes of them, and what is left to Ruby.

use bumpalo::Bump;
use bunraku_files::tree::Tree;
use bunraku_native_ruby::{
    KeptTemplates, Rendered, ReplayOf, SessionTemplates, TemplateWorld, Templates, Templating, WorkerState,
};
use bunraku_vm::closure::Closure;
use bunraku_vm::error::Eval;
use bunraku_vm::function::Call;
use bunraku_vm::host::Erb;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::{HashBuilder, Object, Value};
use bunraku_vm::vm::Vm;
use std::cell::{Cell, RefCell};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

#[path = "../../../vm/tests/machine/mod.rs"]
mod machine;

/// A world whose templates lie in one folder, which remembers what Ruby was left.
struct Folder {
    path: PathBuf,
    tree: &'static Tree,
    worker: Cell<WorkerState>,
    left: RefCell<Vec<String>>,
}

impl<'c> TemplateWorld<'c> for Folder {
    fn variable(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, name: &str) -> Eval<'c, Option<Value<'c>>> {
        Ok(scope.lookup(vm.symbols.intern(name)))
    }
    fn variables(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>) -> Value<'c> {
        let mut all = HashBuilder::new(vm.arena);
        for (symbol, value) in scope.own_variables() {
            all.insert_str(vm.symbols.text(symbol), value);
        }
        Value::Hash(all.finish())
    }
    fn template_file(&self, _: &mut Vm<'c>, name: &str) -> Eval<'c, Option<String>> {
        let file = self.path.join(name);
        Ok(file.is_file().then(|| file.to_string_lossy().into_owned()))
    }
    fn has_old_function(&self, _: &str) -> bool {
        false
    }
    fn worker(&self) -> WorkerState {
        self.worker.get()
    }
    fn tree(&self) -> &'c Tree {
        self.tree
    }
    fn ruby_file(&self, _: &str) -> Option<PathBuf> {
        None
    }
    fn old_function_file(&self, _: &str) -> Option<PathBuf> {
        None
    }
    fn file_text(&self, _: &str) -> Option<String> {
        None
    }
    fn setting(&self, _: &str) -> Option<(Value<'c>, bool)> {
        None
    }
    fn call_function(
        &self,
        vm: &mut Vm<'c>,
        (name, _): (&str, &str),
        (args, block): (&[Value<'c>], Option<&'c Closure<'c>>),
        scope: &'c Scope<'c>,
    ) -> Eval<'c> {
        vm.call_function(name, args, block, scope)
    }
    fn context_number(&self, _: &'c Object<'c>) -> Option<i64> {
        None
    }
    fn context_method(&self, _: &mut Vm<'c>, _: &str, _: Call<'c, '_>) -> Eval<'c, Option<Value<'c>>> {
        Ok(None)
    }
    fn needs_ruby(&self, template: &str, reason: &dyn Fn() -> String) {
        self.left.borrow_mut().push(format!("{template}: {}", reason()));
    }
}

/// Runs `test` with a world, and a compile in which `$words` is `['a', 'b']`.
fn with_world(
    files: &[(&str, &str)],
    test: impl for<'c> FnOnce(&Folder, &Templating<'c>, &mut Vm<'c>, &'c Scope<'c>),
) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file can be written");
    }
    let world = Folder {
        path: folder.path().to_path_buf(),
        tree: Box::leak(Box::default()),
        worker: Cell::new(WorkerState::None),
        left: RefCell::default(),
    };
    let (arena, stub) = (Bump::new(), machine::Stub::default());
    let templates = Templates::new(Arc::new(SessionTemplates::default()));
    let kept = KeptTemplates::default();
    let templating = Templating::new(&templates, &kept);
    let mut vm = Vm::new(&arena, &stub);
    let scope = vm.top;
    let words = [vm.string("a"), vm.string("b")];
    scope.set(vm.symbols.intern("words"), vm.array(&words));
    test(&world, &templating, &mut vm, scope);
    templating.release();
}

fn text(rendered: Option<Rendered<'_>>) -> Option<String> {
    rendered.map(|rendered| rendered.text)
}

#[test]
fn a_text_is_rendered_with_the_variables_of_its_scope() {
    with_world(&[], |world, templating, vm, scope| {
        let template = Erb::Text("<% @words.each do |word| -%>\n- <%= word.upcase %>\n<% end -%>");
        let rendered = text(templating.render(world, vm, scope, &template));
        assert_eq!(rendered.as_deref(), Some("- A\n- B\n"));
        assert!(world.left.borrow().is_empty());
    });
}

#[test]
fn what_is_not_known_is_left_to_ruby_with_its_reason() {
    with_world(&[], |world, templating, vm, scope| {
        for template in ["a\n<%= `date` %>", "<%= @words.frobnicate %>"] {
            assert!(templating.render(world, vm, scope, &Erb::Text(template)).is_none(), "{template}");
        }
        let left = world.left.borrow();
        let [backticks, method] = &left[..] else { panic!("{left:?}") };
        assert!(backticks.starts_with("inline_template: ") && backticks.ends_with("line 2"), "{backticks}");
        assert_eq!(method, "inline_template: the method frobnicate, line 1");
    });
}

#[test]
fn a_template_renders_another_of_the_same_scope() {
    let files = [
        ("outer.erb", "[<%= scope.function_template(['inner.erb']) %>]"),
        ("inner.erb", "<%= @words.size %>"),
    ];
    with_world(&files, |world, templating, vm, scope| {
        let file = world.path.join("outer.erb").to_string_lossy().into_owned();
        let template = Erb::File { name: "outer.erb", file: &file };
        assert_eq!(text(templating.render(world, vm, scope, &template)).as_deref(), Some("[2]"));
    });
}

#[test]
fn a_variable_that_a_template_sets_is_seen_by_the_next_until_ruby_takes_over() {
    with_world(&[], |world, templating, vm, scope| {
        let set = Erb::Text("<% scope.setvar('own_number', 7) %>");
        let seen = Erb::Text("<%= scope.lookupvar('own_number') %>");
        assert!(templating.render(world, vm, scope, &set).is_some());
        assert_eq!(text(templating.render(world, vm, scope, &seen)).as_deref(), Some("7"));
        let replays = templating.take_replays();
        let texts: Vec<_> = replays
            .iter()
            .map(|replay| match &replay.template {
                ReplayOf::Text(text) => text.as_str(),
                ReplayOf::File { name, .. } => name,
            })
            .collect();
        assert_eq!(texts, ["<% scope.setvar('own_number', 7) %>", "<%= scope.lookupvar('own_number') %>"]);
        assert!(templating.render(world, vm, scope, &seen).is_none());
        // A worker remembers variables itself.
        world.worker.set(WorkerState::Present);
        assert!(templating.render(world, vm, scope, &set).is_none());
    });
}

#[test]
fn an_array_changed_in_place_is_told_and_changed_nowhere() {
    with_world(&[], |world, templating, vm, scope| {
        let template = Erb::Text("<% @words << 'c' %><%= @words.size %>");
        let rendered = templating.render(world, vm, scope, &template).expect("it is rendered");
        assert_eq!(rendered.text, "3");
        let [(name, Value::Array(changed))] = &rendered.changed[..] else { panic!("it changes one array") };
        assert_eq!((name.as_str(), changed.size()), ("words", 3));
        let Some(Value::Array(words)) = scope.lookup(vm.symbols.intern("words")) else {
            panic!("it is an array")
        };
        assert_eq!(words.size(), 2);
    });
}
