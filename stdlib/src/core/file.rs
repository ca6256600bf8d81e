//! Files of modules and of the machine that compiles.

use crate::support::text;
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::{inspect, to_ruby_s};
use bunraku_vm::function::Call;
use bunraku_vm::host::ModuleFolder;
use bunraku_vm::label;
use bunraku_vm::raised::PARSE_ERROR;
use bunraku_vm::value::Value;
use bunraku_vm::value::flatten;
use bunraku_vm::vm::Vm;

natives! {
    /// The contents of a file of a module, as a Binary.
    function "binary_file" { dispatch binary_file(param "String" path); }
    /// The path of the first file that exists.
    function "find_file" {
        dispatch find_file(repeated_param "String" paths);
        dispatch find_file(repeated_param "Array[String]" paths_array);
    }
    /// The path of the first template that exists.
    function "find_template" {
        dispatch find_template(repeated_param "String" paths);
        dispatch find_template(repeated_param "Array[String]" paths_array);
    }
    /// The folder of the first module that exists.
    function "module_directory" {
        dispatch module_directory(repeated_param "String" names);
        dispatch module_directory(repeated_param "Array[String]" names);
    }
    /// What a command, run while compiling, writes to its standard output.
    function "generate" { dispatch generate(repeated_param "Any" p0) [optional_block_param]; }
}

fn binary_file<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let path = text(call.arg(0));
    let host = vm.host;
    match host.read_file(vm, ModuleFolder::Files, path)? {
        Some(bytes) => {
            let bytes: &'c [u8] = vm.arena.alloc_slice_copy(&bytes);
            Ok(Value::Binary(vm.arena.alloc(bytes)))
        }
        None => {
            Err(Flow::of_class(PARSE_ERROR, format!("binary_file(): The given file '{path}' does not exist")))
        }
    }
}

fn find<'c>(vm: &mut Vm<'c>, call: &Call<'c, '_>, folder: ModuleFolder) -> Eval<'c> {
    let mut paths = Vec::new();
    flatten(call.args, &mut paths);
    let host = vm.host;
    for path in paths {
        if let Some(found) = host.find_file(vm, folder, text(Some(path)))? {
            return Ok(vm.string(&found));
        }
    }
    Ok(Value::Undef)
}

fn find_file<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    find(vm, &call, ModuleFolder::Files)
}

fn find_template<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    find(vm, &call, ModuleFolder::Templates)
}

fn module_directory<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut names = Vec::new();
    flatten(call.args, &mut names);
    for name in names {
        if let Some(found) = vm.host.module_directory(text(Some(name))) {
            return Ok(vm.string(&found));
        }
    }
    Ok(Value::Undef)
}

fn generate<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let args = crate::support::legacy(vm, "generate", call.args, 1, None)?;
    let command = to_ruby_s(args[0]);
    if !matches!(args[0], Value::Str(_)) {
        let (text, class) = (inspect(args[0]), label::ruby_class(args[0]));
        let message =
            format!("Cannot check if {text} is an absolute path because it is a '{class}' and not a String'");
        vm.host.log(Severity::Warning, &message, None);
    }
    if !command.starts_with('/') {
        return Err(Flow::of_class(PARSE_ERROR, "Generators must be fully qualified"));
    }
    if !command.chars().all(|c| c.is_alphanumeric() || "-/_.+".contains(c)) {
        return Err(Flow::of_class(
            PARSE_ERROR,
            "Generators can only contain alphanumerics, file separators, and dashes",
        ));
    }
    if command.contains("..") {
        return Err(Flow::of_class(PARSE_ERROR, "Can not use generators with '..' in them."));
    }
    let args: Vec<String> = args.iter().map(|arg| to_ruby_s(*arg)).collect();
    let output = vm.host.generate(&args).map_err(Flow::raw)?;
    Ok(vm.string(&output))
}
