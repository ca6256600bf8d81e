//! `file`: the content of the first of some files that is there.

use super::old::{arguments, old};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format;
use bunraku_vm::function::{Call, Native, native};
use bunraku_vm::host::ModuleFolder;
use bunraku_vm::raised::PARSE_ERROR;
use bunraku_vm::vm::Vm;

/// The group.
pub const FUNCTIONS: &[Native] = &[native(
    "file",
    "The content of the first file found, by `module/path` (under the module's `files/`) or absolute path.",
    &[old(file)],
)];

fn file<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let args = arguments(vm, "file", &call, 1)?;
    let names: Vec<String> = args.iter().map(|arg| format::to_interpolated(*arg)).collect();
    for name in &names {
        let Some(bytes) = vm.host.read_file(vm, ModuleFolder::Files, name)? else { continue };
        return match String::from_utf8(bytes) {
            // Puppet opens it as text that may begin with a byte order mark.
            Ok(text) => Ok(vm.string(text.strip_prefix('\u{feff}').unwrap_or(&text))),
            Err(_) => Err(Flow::raw(format!("file(): {name} is not UTF-8; binary_file() reads it as it is"))),
        };
    }
    Err(Flow::of_class(PARSE_ERROR, format!("Could not find any files from {}", names.join(", "))))
}
