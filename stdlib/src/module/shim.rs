//! puppetlabs-stdlib 9: functions that moved into the module's name space; under their old names they warn and pass
//! the call on.

use bunraku_vm::error::Eval;
use bunraku_vm::function::{Call, Dispatch, Native, ParamSpec, dispatch, native, repeated_param};
use bunraku_vm::host::ModuleFolder;
use bunraku_vm::vm::Vm;

macro_rules! shims {
    ($($name:literal)*) => {
        /// All of them.
        pub(super) static SHIMS: &[Native] = &[$(
            native($name, concat!("Deprecated: passes the call on to `stdlib::", $name, "`."), {
                fn pass<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
                    pass_on(vm, $name, call)
                }
                const PARAMS: &[ParamSpec] = &[repeated_param("Any", "args")];
                const DISPATCHES: &[Dispatch] = &[dispatch(PARAMS, pass)];
                DISPATCHES
            })
        ),*];
    };
}

shims! {
    "batch_escape" "ensure_packages" "fqdn_rand_string" "has_interface_with" "os_version_gte" "parsehocon"
    "powershell_escape" "seeded_rand" "seeded_rand_string" "shell_escape" "to_json" "to_json_pretty" "to_python"
    "to_ruby" "to_toml" "to_yaml" "type_of" "validate_domain_name" "validate_email_address"
}

fn pass_on<'c>(vm: &mut Vm<'c>, name: &str, call: Call<'c, '_>) -> Eval<'c> {
    let message = format!("This function is deprecated, please use stdlib::{name} instead.");
    if is_lenient(vm, name) {
        // Later versions warn whatever the setting `strict` says.
        let message = format!("{message} at {}", super::deprecation::calls(vm));
        let location = super::deprecation::location(vm);
        let message = format!("{message}\n   (location: {location})");
        vm.host.warn_once_for(&format!("deprecation {name}"), &message);
    } else {
        super::deprecation::deprecate(vm, name, &message)?;
    }
    vm.call_function(&format!("stdlib::{name}"), call.args, call.block, call.scope)
}

/// Whether the module's own file asks for a warning only.
fn is_lenient(vm: &mut Vm<'_>, name: &str) -> bool {
    let Some(directory) = vm.host.module_directory("stdlib") else { return false };
    let file = format!("{directory}/lib/puppet/functions/{name}.rb");
    let source = vm.host.read_file(vm, ModuleFolder::Files, &file).ok().flatten().unwrap_or_default();
    String::from_utf8_lossy(&source).contains("instead.', false)")
}
