//! A world with a few variables and no Ruby, for templates to be rendered in.

use bumpalo::Bump;
use bunraku_files::tree::Tree;
use bunraku_hiera::data_file::yaml::write;
use bunraku_native_ruby::{
    CallSide, Changes, FileSide, KeptTemplates, MissingVariable, ScopeSide, SessionTemplates, Templates,
    Templating, WorkerState,
};
use bunraku_vm::closure::Closure;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::{HashBuilder, Object, Value};
use bunraku_vm::vm::Vm;
use std::cell::{Cell, RefCell};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

#[path = "../../../../vm/tests/machine/mod.rs"]
mod machine;

/// A world whose templates lie in one folder, which remembers what Ruby was left.
pub struct Folder {
    pub path: PathBuf,
    tree: &'static Tree,
    pub worker: Cell<WorkerState>,
    pub left: RefCell<Vec<String>>,
}

impl<'c> ScopeSide<'c> for Folder {
    fn variable(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, name: &str) -> Eval<'c, Option<Value<'c>>> {
        Ok(scope.lookup(vm.symbols.intern(name)))
    }

    fn missing_variable(&self, _: &mut Vm<'c>, name: &str) -> Eval<'c, MissingVariable> {
        Ok(MissingVariable { name: name.to_owned(), reason: String::new() })
    }

    fn variables(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>) -> Value<'c> {
        let mut all = HashBuilder::new(vm.arena);
        for (symbol, value) in scope.own_variables() {
            all.insert_str(vm.symbols.text(symbol), value);
        }
        Value::Hash(all.finish())
    }

    fn setting(&self, _: &str) -> Option<(Value<'c>, bool)> {
        None
    }

    fn process_variable(&self, _: &str) -> Option<String> {
        None
    }

    fn first_time(&self, _: &str) -> bool {
        true
    }

    fn worker(&self) -> WorkerState {
        self.worker.get()
    }

    fn needs_ruby(&self, template: &str, reason: &dyn Fn() -> String) {
        self.left.borrow_mut().push(format!("{template}: {}", reason()));
    }
}

impl<'c> FileSide<'c> for Folder {
    fn template_file(&self, _: &mut Vm<'c>, name: &str) -> Eval<'c, Option<String>> {
        let file = self.path.join(name);
        Ok(file.is_file().then(|| file.to_string_lossy().into_owned()))
    }

    fn has_old_function(&self, _: &str) -> bool {
        false
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

    fn yaml(&self, _: &str, _: bool) -> Option<Value<'c>> {
        None
    }

    fn hocon(&self, _: &str) -> Option<Result<Value<'c>, String>> {
        None
    }
}

impl<'c> CallSide<'c> for Folder {
    fn call_function(
        &self,
        vm: &mut Vm<'c>,
        (name, _): (&str, &str),
        _: Option<&str>,
        (args, block): (&[Value<'c>], Option<&'c Closure<'c>>),
        scope: &'c Scope<'c>,
    ) -> Eval<'c> {
        vm.call_function(name, args, block, scope)
    }

    fn lambda(&self, _: &mut Vm<'c>, _: (i64, &str), _: &'c Scope<'c>) -> Eval<'c, &'c Closure<'c>> {
        Err(Flow::raw("not in this world"))
    }

    fn answer(&self, _: &mut Vm<'c>, _: &str, _: &[Value<'c>]) -> Eval<'c, Option<Value<'c>>> {
        Ok(None)
    }

    fn scope_number(&self, _: &'c Scope<'c>) -> i64 {
        0
    }

    fn spread_changes(&self, _: &mut Vm<'c>, _: &'c Scope<'c>, _: Changes<'c>) -> Eval<'c, ()> {
        Ok(())
    }

    fn context_number(&self, _: &'c Object<'c>) -> Option<i64> {
        None
    }

    fn context_method(&self, _: &mut Vm<'c>, _: &str, _: Call<'c, '_>) -> Eval<'c, Option<Value<'c>>> {
        Ok(None)
    }
}

/// Runs `test` with a world, and a compile in which `$words` is `['a', 'b']`.
pub fn with_world(
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
    let (arena, stub) =
        (Bump::new(), machine::Stub { yaml: Some(write::of_value), ..machine::Stub::default() });
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
