//! `yaml_data`, `json_data`, `hocon_data`, `eyaml_lookup_key`: what Hiera calls to read data. Called from a
//! manifest they need a lookup context, which nothing but Hiera makes; they fail by name.

use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::{Call, Dispatch, Native, ParamSpec, dispatch, native, param};
use bunraku_vm::vm::Vm;

const OPTIONS: &[ParamSpec] =
    &[param("Struct[{path => String[1]}]", "options"), param("Puppet::LookupContext", "context")];
const READER: &[Dispatch] = &[dispatch(OPTIONS, no_context)];
const EYAML_KEY: &[ParamSpec] = &[
    param("String[1]", "key"),
    param("Hash[String[1],Any]", "options"),
    param("Puppet::LookupContext", "context"),
];
const EYAML: &[Dispatch] = &[dispatch(EYAML_KEY, no_context)];

/// The group.
pub const FUNCTIONS: &[Native] = &[
    native("yaml_data", "Reads a YAML file for Hiera.", READER),
    native("json_data", "Reads a JSON file for Hiera.", READER),
    native("hocon_data", "Reads a HOCON file for Hiera.", READER),
    native("eyaml_lookup_key", "Looks a key up in encrypted YAML for Hiera.", EYAML),
];

fn no_context<'c>(_: &mut Vm<'c>, _: Call<'c, '_>) -> Eval<'c> {
    Err(Flow::raw(
        "yaml_data, json_data, hocon_data and eyaml_lookup_key are called by Hiera: they read nothing for other callers",
    ))
}
