//! `epp` and `inline_epp`; and `template` and `inline_template`, which the host has Ruby for.

use super::old::{arguments, old};
use crate::support::class;
use bunraku_vm::cause::Cause;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format;
use bunraku_vm::function::{
    Call, Dispatch, Native, NativeFn, ParamSpec, dispatch, native, optional_param, param,
};
use bunraku_vm::host::{Erb, ModuleFolder};
use bunraku_vm::observer::Called;
use bunraku_vm::raised::PARSE_ERROR;
use bunraku_vm::value::{Hash, Value};
use bunraku_vm::vm::Vm;

const PARAMETERS: ParamSpec = optional_param(r"Hash[Pattern[/^\w+$/], Any]", "parameters");

const fn rendering(params: &'static [ParamSpec], body: NativeFn) -> Dispatch {
    dispatch(params, body).returns("Variant[String, Sensitive[String]]")
}

/// The group.
pub const FUNCTIONS: &[Native] = &[
    native(
        "epp",
        "The text of an EPP template, by `module/path` (under the module's `templates/`) or absolute path.",
        &[rendering(&[param("String", "path"), PARAMETERS], epp)],
    ),
    native(
        "inline_epp",
        "The text of an EPP template given as a string; it sees the variables of the calling scope.",
        &[rendering(&[param("String", "template"), PARAMETERS], inline_epp)],
    ),
    native(
        "template",
        "The text of ERB templates, one after the other, by `module/path` or absolute path.",
        &[old(template)],
    ),
    native(
        "inline_template",
        "The text of ERB templates given as strings, one after the other.",
        &[old(inline_template)],
    ),
];

fn text<'c>(call: &Call<'c, '_>) -> &'c str {
    call.arg(0).and_then(Value::as_str).unwrap_or_default()
}

fn parameters<'c>(call: &Call<'c, '_>) -> Option<Hash<'c>> {
    match call.arg(1) {
        Some(Value::Hash(hash)) => Some(hash),
        _ => None,
    }
}

fn epp<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let template = vm.host.template(vm, text(&call))?;
    // A template file sees top scope only.
    vm.counted(Called::Epp(text(&call)), |vm| vm.render(template, parameters(&call), None))
}

fn inline_epp<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let template = vm.host.inline_template(vm, text(&call))?;
    vm.counted(Called::Epp("inline_epp"), |vm| {
        vm.render(template, parameters(&call), Some(call.scope.keep()))
    })
}

fn template<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut out = String::new();
    for name in arguments(vm, "template", &call, 1)? {
        let name = format::to_interpolated(name);
        let Some(file) = vm.host.find_file(vm, ModuleFolder::Templates, &name)? else {
            return Err(Flow::of_class(PARSE_ERROR, format!("Could not find template '{name}'")));
        };
        let text = vm.host.erb(vm, call.scope.keep(), Erb::File { name: &name, file: &file })?;
        out.push_str(text.as_str().unwrap_or_default());
    }
    Ok(vm.string(&out))
}

/// The text of an inline template: a string, or what Puppet makes one. For all else, Ruby's compiler of templates has an error.
fn inline_text<'c>(template: Value<'c>) -> Eval<'c, String> {
    let (line, missing) = match template {
        Value::Str(_) | Value::Undef | Value::Regexp(_) => return Ok(format::to_interpolated(template)),
        Value::Default => ("s = s.b # see String#b\n           ^^", "b"),
        _ => ("enc = s.encoding\n             ^^^^^^^^^", "encoding"),
    };
    let shown = match template {
        Value::Sensitive(_) => "#<Sensitive [value redacted]>".to_owned(),
        other => format!("{}:{}", format::inspect(other), class(other)),
    };
    let message =
        format!("Failed to parse inline template: undefined method `{missing}' for {shown}\n\n      {line}");
    Err(Flow::caused(Cause::UndefinedMethod, message))
}

fn inline_template<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut out = String::new();
    for template in arguments(vm, "inline_template", &call, 1)? {
        let template = inline_text(template)?;
        let text = vm.host.erb(vm, call.scope.keep(), Erb::Text(&template))?;
        out.push_str(text.as_str().unwrap_or_default());
    }
    Ok(vm.string(&out))
}
