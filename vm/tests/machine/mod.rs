//! What the machine's tests share: a world with nothing in it but one function, and a small assembler.

#![allow(dead_code, reason = "each test uses its part")]

use bumpalo::Bump;
use bunraku_vm::closure::Closure;
use bunraku_vm::diagnostic::{Place, Severity};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::{Call, Native, dispatch, native, param};
use bunraku_vm::host::{
    Attribute, CatalogPort, ClassPort, Collect, Declaration, Erb, FilePort, FormatPort, FunctionPort,
    Include, LogPort, LookupPort, ModuleFolder, ObjectClass, Relation, ResourcePort, SettingsPort, Site,
    Strict, TemplatePort, TypePort, WitnessPort,
};
use bunraku_vm::scope::{Scope, ScopeKind, ScopeSpec};
use bunraku_vm::types::{Signature, Type};
use bunraku_vm::unit::ChunkRef;
use bunraku_vm::unit::verify::Passed;
use bunraku_vm::unit::writer::{ChunkKind, ChunkSpec, Position, UnitWriter};
use bunraku_vm::value::{Hash, Held, Object, Str, Value};
use bunraku_vm::vm::Vm;
use std::cell::RefCell;
use std::rc::Rc;

/// A world that knows the function `twice` and remembers what it is told.
#[derive(Default)]
pub struct Stub {
    /// Resource expressions seen: type and titles.
    pub declared: RefCell<Vec<String>>,
    /// What writes YAML; nothing where there is none.
    pub yaml: Option<YamlOf>,
}

/// Writes a value as YAML, with options; of its strings the last says which are symbols.
pub type YamlOf = for<'c> fn(Value<'c>, Option<Hash<'c>>, &dyn Fn(Str<'c>) -> bool) -> Option<String>;

const FUNCTIONS: &[Native] = &[
    native(
        "twice",
        "Calls its lambda twice.",
        &[dispatch(&[param("Any", "seed")], twice).block("Callable[1,1]")],
    ),
    native("same", "Gives its argument back.", &[dispatch(&[param("Any", "value")], same)]),
];

fn twice<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Some(block) = call.block else { return Ok(Value::Undef) };
    let once = vm.call(block, call.args)?;
    vm.call(block, &[once])
}

fn same<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(call.args[0])
}

fn absent<'c, T>() -> Eval<'c, T> {
    Err(Flow::raw("not in this world"))
}

impl<'c> LogPort<'c> for Stub {
    fn log(&self, _: Severity, _: &str, _: Option<Place>) {}
    fn log_from(&self, _: &'c Scope<'c>, _: Severity, _: &str) {}
    fn is_logged(&self, _: Severity) -> bool {
        true
    }
    fn log_length(&self) -> usize {
        0
    }
    fn warn_once(&self, _: &str) {}
    fn warn_of_deprecated(&self, _: &str) {}
    fn warn_once_for(&self, _: &str, _: &str) -> bool {
        false
    }
}

impl WitnessPort<'_> for Stub {}

impl<'c> SettingsPort<'c> for Stub {
    fn compat(&self) -> bunraku_vm::compat::Compat {
        bunraku_vm::compat::Compat::default()
    }
    fn strict(&self) -> Strict {
        Strict::Error
    }
    fn strict_variables(&self) -> bool {
        true
    }
    fn setting(&self, _: &str) -> Option<Value<'c>> {
        None
    }
    fn environment(&self) -> &'c str {
        "test"
    }
}

impl<'c> FunctionPort<'c> for Stub {
    fn native(&self, name: &str, _: &str) -> Option<&'static Native> {
        FUNCTIONS.iter().find(|function| function.name == name)
    }
    fn has_old_function(&self, _: &str) -> bool {
        false
    }
    fn manifest_function(&self, _: &str) -> Option<&'c Closure<'c>> {
        None
    }
    fn function(&self, _: &mut Vm<'c>, _: &str, _: &str) -> Eval<'c, Option<&'c Closure<'c>>> {
        Ok(None)
    }
    fn foreign(&self, _: &mut Vm<'c>, _: &str, _: Call<'c, '_>) -> Eval<'c, Option<Value<'c>>> {
        Ok(None)
    }
    fn foreign_number(&self, _: &str, _: &str) -> Option<u32> {
        None
    }
    fn call_foreign(&self, _: &mut Vm<'c>, _: u32, _: Call<'c, '_>) -> Eval<'c> {
        absent()
    }
    fn foreign_signatures(&self, _: &mut Vm<'c>, _: &str) -> Eval<'c, Option<Vec<Signature<'c>>>> {
        Ok(None)
    }
}

impl<'c> TypePort<'c> for Stub {
    fn type_alias(&self, _: &mut Vm<'c>, _: &str) -> Eval<'c, Option<&'c Type<'c>>> {
        Ok(None)
    }
    fn is_resource_type(&self, _: &mut Vm<'c>, name: &str) -> Eval<'c, bool> {
        Ok(name == "file")
    }
    fn object_class(&self, _: &mut Vm<'c>, _: &'c Type<'c>) -> Eval<'c, ObjectClass<'c>> {
        absent()
    }
    fn make_object(&self, _: &mut Vm<'c>, _: &'c Type<'c>, _: &[Value<'c>], _: bool) -> Eval<'c> {
        absent()
    }
    fn object_member(
        &self,
        _: &mut Vm<'c>,
        _: &'c Object<'c>,
        _: &str,
        _: &[Value<'c>],
        _: Option<&'c Closure<'c>>,
    ) -> Eval<'c> {
        absent()
    }
}

impl<'c> ClassPort<'c> for Stub {
    fn class_scope(&self, _: &str) -> Option<&'c Scope<'c>> {
        None
    }
    fn class_exists(&self, _: &mut Vm<'c>, _: &str) -> Eval<'c, bool> {
        Ok(false)
    }
    fn include(&self, _: &mut Vm<'c>, _: &'c Scope<'c>, _: Include, _: &[Value<'c>]) -> Eval<'c> {
        absent()
    }
}

impl<'c> ResourcePort<'c> for Stub {
    fn exporting(&self, _: Site<'c>) {}
    fn declare(&self, vm: &mut Vm<'c>, _: &'c Scope<'c>, declaration: &Declaration<'c>) -> Eval<'c> {
        for body in declaration.bodies {
            let names: Vec<_> = body.attributes.iter().map(|attribute| attribute.name).collect();
            let line = format!("{} {} {}", declaration.type_name, body.titles.join(","), names.join(","));
            self.declared.borrow_mut().push(line);
        }
        Ok(vm.array(&[]))
    }
    fn set_defaults(
        &self,
        _: &mut Vm<'c>,
        _: &'c Scope<'c>,
        _: Value<'c>,
        _: &'c [Attribute<'c>],
    ) -> Eval<'c> {
        absent()
    }
    fn override_resources(
        &self,
        _: &mut Vm<'c>,
        _: &'c Scope<'c>,
        _: Value<'c>,
        _: &'c [Attribute<'c>],
        _: Site<'c>,
    ) -> Eval<'c> {
        absent()
    }
    fn collect(&self, _: &mut Vm<'c>, _: &'c Scope<'c>, _: &Collect<'c>) -> Eval<'c> {
        absent()
    }
    fn relate(&self, _: &mut Vm<'c>, _: Relation, _: Value<'c>, right: Value<'c>) -> Eval<'c> {
        Ok(right)
    }
    fn realize(&self, _: &mut Vm<'c>, _: &'c Scope<'c>, _: &[Value<'c>]) -> Eval<'c> {
        absent()
    }
    fn create_resources(
        &self,
        _: &mut Vm<'c>,
        _: &'c Scope<'c>,
        _: &str,
        _: Hash<'c>,
        _: Option<Hash<'c>>,
    ) -> Eval<'c> {
        absent()
    }
}

impl<'c> CatalogPort<'c> for Stub {
    fn defined(&self, _: &mut Vm<'c>, _: &'c Scope<'c>, _: &[Value<'c>]) -> Eval<'c, bool> {
        Ok(false)
    }
    fn tag(&self, _: &mut Vm<'c>, _: &'c Scope<'c>, _: &[Value<'c>]) -> Eval<'c> {
        absent()
    }
    fn tagged(&self, _: &mut Vm<'c>, _: &'c Scope<'c>, _: &[Value<'c>]) -> Eval<'c, bool> {
        Ok(false)
    }
    fn resource_parameter(
        &self,
        _: &mut Vm<'c>,
        _: &'c Scope<'c>,
        _: &str,
        _: &str,
        _: &str,
    ) -> Eval<'c, Option<Value<'c>>> {
        Ok(None)
    }
    fn titles(&self, _: &str) -> Vec<&'c str> {
        Vec::new()
    }
    fn declared(&self, _: &mut Vm<'c>, _: &str, _: &str) -> Eval<'c, Option<(&'c str, &'c str, Hash<'c>)>> {
        Ok(None)
    }
    fn resource_of(&self, _: &'c Scope<'c>) -> Option<(&'c str, &'c str)> {
        None
    }
}

impl<'c> FilePort<'c> for Stub {
    fn read_file(&self, _: &mut Vm<'c>, _: ModuleFolder, _: &str) -> Eval<'c, Option<Vec<u8>>> {
        Ok(None)
    }
    fn find_file(&self, _: &mut Vm<'c>, _: ModuleFolder, _: &str) -> Eval<'c, Option<String>> {
        Ok(None)
    }
    fn module_directory(&self, _: &str) -> Option<String> {
        None
    }
    fn glob(&self, _: &str) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }
    fn generate(&self, _: &[String]) -> Result<String, String> {
        Err("no commands here".to_owned())
    }
}

impl<'c> TemplatePort<'c> for Stub {
    fn template(&self, _: &mut Vm<'c>, _: &str) -> Eval<'c, ChunkRef> {
        absent()
    }
    fn inline_template(&self, _: &mut Vm<'c>, _: &str) -> Eval<'c, ChunkRef> {
        absent()
    }
    fn erb(&self, _: &mut Vm<'c>, _: &'c Scope<'c>, _: Erb<'_>) -> Eval<'c> {
        absent()
    }
}

impl<'c> FormatPort<'c> for Stub {
    fn check_syntax(&self, _: &mut Vm<'c>, _: &str, _: &str, _: Place) -> Eval<'c, ()> {
        Ok(())
    }
    fn string_of_bytes(&self, vm: &Vm<'c>, bytes: &[u8]) -> Str<'c> {
        Str::new(vm.arena, &String::from_utf8_lossy(bytes))
    }
    fn named_in_ruby(&self, vm: &Vm<'c>, class: &str, text: &str) -> &'c Object<'c> {
        let class = &*vm.arena.alloc_str(class);
        let attributes = Hash::from_unique(vm.arena, &[]);
        let data = Hash::from_unique(vm.arena, &[(vm.string("to_s"), vm.string(text))]);
        let ty = vm.arena.alloc(Type::Runtime { runtime: Some("ruby"), name: Some(class) });
        vm.arena.alloc(Object {
            ty,
            type_name: class,
            attributes,
            held: Held::InRuby(0),
            data: Some(data),
            plain: None,
        })
    }
    fn parse_json(&self, _: &Vm<'c>, _: &str) -> Option<Value<'c>> {
        None
    }
    fn parse_yaml(&self, _: &Vm<'c>, _: &str, _: &str) -> Result<Value<'c>, String> {
        Err("no YAML here".to_owned())
    }
    fn yaml_of_file(&self, _: &Vm<'c>, _: &str) -> Option<Value<'c>> {
        None
    }
    fn parse_hocon(&self, _: &Vm<'c>, _: &str) -> Result<Value<'c>, String> {
        Err("no HOCON here".to_owned())
    }
    fn yaml(
        &self,
        value: Value<'c>,
        options: Option<Hash<'c>>,
        is_symbol: &dyn Fn(Str<'c>) -> bool,
    ) -> Option<String> {
        self.yaml?(value, options, is_symbol)
    }
    fn plain_data(&self, _: &Vm<'c>, value: Value<'c>) -> Value<'c> {
        value
    }
}

impl<'c> LookupPort<'c> for Stub {
    fn lookup(
        &self,
        _: &mut Vm<'c>,
        _: &'c Scope<'c>,
        _: &bunraku_vm::host::Lookup<'c, '_>,
    ) -> Eval<'c, Option<Value<'c>>> {
        Ok(None)
    }
    fn read_for_code(&self, _: &mut Vm<'c>, _: &str, _: &[Value<'c>]) -> Eval<'c> {
        absent()
    }
    fn variable(&self, _: &mut Vm<'c>, _: &'c Scope<'c>, _: &str) -> Eval<'c> {
        absent()
    }
}

/// A chunk with code, registers and a shape, and nothing else.
pub fn chunk(kind: ChunkKind, registers: u32, shape: &[&str], code: Vec<u32>) -> ChunkSpec {
    ChunkSpec {
        kind,
        code,
        registers,
        shape: Rc::new(shape.iter().copied().collect()),
        params: Vec::new(),
        return_chunk: None,
        positions: Vec::new(),
    }
}

/// The position of the instruction that ends before `pc`: line 1, column as given.
pub fn position(pc: u32, label: &str, column: u32) -> Position {
    Position { pc, label: label.to_owned(), at: (1, column), parts: Default::default() }
}

/// A unit of one chunk: the code, made by `code`, of a manifest.
pub fn unit(registers: u32, shape: &[&str], code: impl FnOnce(&mut UnitWriter) -> Vec<u32>) -> Vec<u32> {
    let mut writer = UnitWriter::default();
    let main = writer.reserve_chunk();
    let code = code(&mut writer);
    writer.chunk(main, chunk(ChunkKind::Main, registers, shape, code));
    writer.finish()
}

/// Runs the first chunk of a unit and hands over what came of it: the value as `%p` prints it, or the error.
pub fn run(words: &[u32]) -> Result<String, String> {
    run_in(words, &Stub::default())
}

/// The same in a given world.
pub fn run_in(words: &[u32], stub: &Stub) -> Result<String, String> {
    let text = |flow: Box<Flow<'_>>| match *flow {
        Flow::Fault(fault) => fault.diagnostic.to_string(),
        Flow::Break(_) => "break".to_owned(),
        Flow::Next(..) => "next".to_owned(),
        Flow::Return(..) => "return".to_owned(),
    };
    let (arena, passed) = (Bump::new(), Passed::default());
    let mut vm = Vm::new(&arena, stub);
    let words = &*arena.alloc_slice_copy(words);
    let id = vm.load(words, &passed, None, Some("test.pp"), "").map_err(text)?;
    let main = ChunkRef { unit: id, chunk: 0 };
    let top = vm.top;
    let spec = ScopeSpec {
        kind: ScopeKind::Local,
        names: &[],
        parent: Some(top),
        declared_in: None,
        name: "",
        module: "",
    };
    let scope = vm.body_scope(main, spec).map_err(text)?;
    let value = vm.run_body(main, scope, &[]).map_err(text)?;
    Ok(bunraku_vm::types::print_value(value))
}
