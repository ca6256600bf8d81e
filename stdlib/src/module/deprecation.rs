//! puppetlabs-stdlib: `deprecation`, and what other functions make of it.

use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::inspect::inspect_str;
use bunraku_vm::function::Call;
use bunraku_vm::host::{Change, ModuleFolder, Site, Strict};
use bunraku_vm::raised::RUNTIME_ERROR;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

natives! {
    /// Warns of something deprecated, once a key; fails where the setting `strict` says so.
    function "deprecation" {
        dispatch deprecation(param "String" key, param "String" message);
    }
}

old_functions! {
    /// The same for callers of the old kind: logs nothing unless the environment of Puppet's process asks for it.
    "deprecation" old_deprecation;
}

fn deprecation<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let (key, message) = (crate::support::text(call.arg(0)), crate::support::text(call.arg(1)));
    deprecate(vm, key, message)
}

/// A deprecation that stands at the place of the call.
pub(super) fn deprecate<'c>(vm: &mut Vm<'c>, key: &str, message: &str) -> Eval<'c> {
    let message = format!("{message} at {}", calls(vm));
    vm.witness(Change::DeprecatedFunction, key);
    match vm.host.strict() {
        Strict::Off => Ok(Value::Undef),
        Strict::Error => Err(Flow::of_class(RUNTIME_ERROR, format!("deprecation. {key}. {message}"))),
        Strict::Warning => {
            let location = location(vm);
            let message = format!("{message}\n   (location: {location})");
            let new = vm.host.warn_once_for(&format!("deprecation {key}"), &message);
            Ok(if new { vm.string(&message) } else { Value::Undef })
        }
    }
}

/// The innermost two places of the stack of calls, as Ruby shows them; nothing for one that there is not.
pub(super) fn calls(vm: &Vm<'_>) -> String {
    let mut sites = vm.call_stack().into_iter();
    let mut frame = || {
        let frame =
            |site: Site<'_>| format!("[{}, {}]", inspect_str(site.file.unwrap_or("unknown")), site.line);
        sites.next().map(frame).unwrap_or_default()
    };
    format!("{}:{}", frame(), frame())
}

/// Where the module's own function would have warned: Puppet shows that place.
pub(super) fn location(vm: &mut Vm<'_>) -> String {
    const FILE: &str = "lib/puppet/functions/deprecation.rb";
    let Some(directory) = vm.host.module_directory("stdlib") else { return FILE.to_owned() };
    let file = format!("{directory}/{FILE}");
    let source = vm.host.read_file(vm, ModuleFolder::Files, &file).ok().flatten().unwrap_or_default();
    let source = String::from_utf8_lossy(&source);
    let line = source.lines().position(|line| line.contains("deprecation_warning(")).map_or(0, |n| n + 1);
    format!("{file}:{line}:in `deprecation'")
}

fn old_deprecation<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match call.args.len() {
        2 => Ok(Value::Undef),
        count => Err(Flow::raw(format!("deprecation: Wrong number of arguments given ({count} for 2)"))),
    }
}

/// A table of functions that warn of their deprecation and then do what the old function of their name does, as the
/// module's `NATIVES`, beside others.
macro_rules! deprecated_functions {
    ($table:ident { $( $name:literal $key:literal $message:expr; )* }) => {
        /// The deprecated functions of this group.
        pub(crate) static $table: &[bunraku_vm::function::Native] = &[$(
            bunraku_vm::function::native(
                $name,
                concat!("Deprecated: warns, and then does what the old function `", $name, "` does."),
                {
                    fn from_language<'c>(
                        vm: &mut bunraku_vm::vm::Vm<'c>,
                        call: bunraku_vm::function::Call<'c, '_>,
                    ) -> bunraku_vm::error::Eval<'c> {
                        $crate::module::deprecation::deprecate(vm, $key, $message)?;
                        $crate::module::old::call_old($name, vm, call)
                    }
                    const PARAMS: &[bunraku_vm::function::ParamSpec] =
                        &[bunraku_vm::function::repeated_param("Any", "args")];
                    const DISPATCHES: &[bunraku_vm::function::Dispatch] =
                        &[bunraku_vm::function::dispatch(PARAMS, from_language)];
                    DISPATCHES
                },
            )
        ),*];
    };
}
