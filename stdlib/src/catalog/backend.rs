//! `yaml_data`, `json_data`, `hocon_data`, `eyaml_lookup_key`: what Hiera calls to read data. A function that wraps one gives it the options and
//! the context that Hiera has given to itself.

use bunraku_vm::error::Eval;
use bunraku_vm::function::{Call, Dispatch, Native, ParamSpec, dispatch, native, param};
use bunraku_vm::host::no_data_file;
use bunraku_vm::vm::Vm;

const OPTIONS: &[ParamSpec] =
    &[param("Struct[{path => String[1]}]", "options"), param("Puppet::LookupContext", "context")];
/// Options without a path, or with more than that.
const NO_PATH: &[Dispatch] =
    &[dispatch(&[param("Hash", "options"), param("Puppet::LookupContext", "context")], no_path)];
const YAML: &[Dispatch] = &[dispatch(OPTIONS, yaml_data)];
const JSON: &[Dispatch] = &[dispatch(OPTIONS, json_data)];
const HOCON: &[Dispatch] = &[dispatch(OPTIONS, hocon_data)];
const EYAML_KEY: &[ParamSpec] = &[
    param("String[1]", "key"),
    param("Hash[String[1],Any]", "options"),
    param("Puppet::LookupContext", "context"),
];
const EYAML: &[Dispatch] = &[dispatch(EYAML_KEY, eyaml_lookup_key)];

/// The group.
pub const FUNCTIONS: &[Native] = &[
    Native { mismatches: NO_PATH, ..native("yaml_data", "Reads a YAML file for Hiera.", YAML) },
    Native { mismatches: NO_PATH, ..native("json_data", "Reads a JSON file for Hiera.", JSON) },
    Native { mismatches: NO_PATH, ..native("hocon_data", "Reads a HOCON file for Hiera.", HOCON) },
    native("eyaml_lookup_key", "Looks a key up in encrypted YAML for Hiera.", EYAML),
];

fn yaml_data<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    vm.host.read_for_code(vm, "yaml_data", call.args)
}

fn json_data<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    vm.host.read_for_code(vm, "json_data", call.args)
}

fn hocon_data<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    vm.host.read_for_code(vm, "hocon_data", call.args)
}

fn no_path<'c>(vm: &mut Vm<'c>, _: Call<'c, '_>) -> Eval<'c> {
    Ok(vm.string(&no_data_file("data_hash")))
}

fn eyaml_lookup_key<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    vm.host.read_for_code(vm, "eyaml_lookup_key", call.args)
}
