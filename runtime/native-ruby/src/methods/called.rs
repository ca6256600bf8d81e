//! Functions of Puppet's, of manifests and of modules that templates call, by `scope.call_function('x', […])` or
//! `scope.function_x([…])`.
//!
//! A template that turns out to need Ruby is rendered there from its begin. What it has called by then is noted, and Ruby is answered
//! from the notes: nothing is done twice. Where something else that Ruby asks of the compile would come before, or be seen by a
//! function, the template is Ruby's.

use crate::eval::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::functions::journal::Asked;
use crate::functions::pure::{PURE, is_pure};
use crate::method::Method;
use crate::value::V;
use bunraku_stdlib::module::Api;
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::value::Value;

/// How a function is called; none for those of Puppet's whose methods of the scope are Ruby's.
pub(crate) fn of_puppet(name: &str, api: Api) -> Option<Method> {
    match (name, api) {
        ("template", _) => Some(Method::Template),
        (name, Api::Old) if Severity::by_name(name).is_some() => Some(Method::Log),
        (_, Api::New) => Some(Method::Puppet),
        (name, Api::Old) => {
            let is_ruby = OF_PUPPET.contains(&name) && !PURE.contains(&name);
            (!is_ruby).then_some(Method::Puppet)
        }
    }
}

/// Functions of Puppet's that have a 3.x form and do more than compute: left to Ruby. Modules' are found when they are called.
const OF_PUPPET: &[&str] = &[
    "contain",
    "create_resources",
    "defined",
    "digest",
    "fail",
    "file",
    "fqdn_rand",
    "generate",
    "hiera",
    "hiera_array",
    "hiera_hash",
    "hiera_include",
    "include",
    "inline_template",
    "lookup",
    "realize",
    "require",
    "tag",
    "tagged",
];

/// Functions without effects of stdlib's, of the 3.x interface and of no other, that have a native twin.
const TWINS: &[&str] = &["to_bytes", "bool2num", "num2bool", "str2bool", "bool2str", "pick", "is_ip_address"];
/// Whether it is a function of numbers, and is given some: of texts, these warn.
fn is_pure_of_numbers(name: &str, args: &[Value<'_>]) -> bool {
    let is_number = |value: &Value<'_>| matches!(value, Value::Int(_) | Value::Float(_));
    matches!(name, "abs" | "ceiling" | "floor" | "max" | "min" | "round") && args.iter().all(is_number)
}

/// Calls a function by its name, as a method of the scope or not.
pub(crate) fn call<'c>(run: &mut Run<'_, 'c>, (name, is_method): (&V<'c>, bool), list: &V<'c>) -> Done<'c> {
    let name = &*name.text().unwrap_or_default();
    let args = match is_method {
        true => list.items()?.ok_or(ForRuby("arguments that are no array"))?,
        false => list.spread()?,
    };
    let args = args.iter().map(|arg| arg.to_value(run.vm)).collect::<OrRuby<Vec<_>>>()?;
    let host = run.vm.host;
    let has_old = run.world.has_old_function(name);
    let native = host.native(name, "").filter(|_| host.manifest_function(name).is_none());
    let native = match is_method && TWINS.contains(&name) {
        true => native.filter(|_| has_old),
        false if is_method => native.filter(|_| !has_old && PURE.contains(&name)),
        // Puppet's own is found before any that modules have.
        false if is_pure_of_numbers(name, &args) => native,
        false => native.filter(|_| !has_old && is_pure(name)),
    };
    let value = match native {
        Some(native) => {
            let value = run.vm.call_native(native, &args, None, run.scope);
            value.map_err(|_| ForRuby("a function that fails"))?
        }
        None if is_method => return call_old(run, name, list),
        None => call_any(run, name, args)?,
    };
    Ok(V::from(value))
}

/// Calls a function of the 3.x interface that a module has in Ruby, as the method of the scope that it is. What it asks of the
/// compile is noted: should the template be Ruby's after all, so is the function, and Ruby is answered from the notes.
fn call_old<'c>(run: &mut Run<'_, 'c>, name: &str, list: &V<'c>) -> Done<'c> {
    let file = run.world.old_function_file(name).ok_or(ForRuby("a function in Ruby"))?;
    let before = before_call(run)?;
    run.load_file(&file)?;
    let function = run.space.old_function(name).ok_or(ForRuby("a function that is not there"))?;
    let count = run.noted.count();
    run.journal = Some(std::mem::take(&mut run.noted));
    let result = run.call_old_function(&function, list.clone());
    run.noted = run.journal.take().unwrap_or_default();
    if run.noted.count() > count {
        after_call(run, &before)?;
    }
    result
}

/// Calls a function that may do whatever functions do.
fn call_any<'c>(run: &mut Run<'_, 'c>, name: &str, args: Vec<Value<'c>>) -> OrRuby<Value<'c>> {
    let before = before_call(run)?;
    let used = run.used;
    let answer = used.apart(|| run.world.call_function(run.vm, (name, ""), None, (&args, None), run.scope));
    run.noted.note(Asked::Function(name.to_owned(), args), &answer);
    after_call(run, &before)?;
    answer.map_err(|_| ForRuby("a function that fails"))
}

/// Readies a template for the call of a function; gives the values of its variables.
fn before_call<'c>(run: &mut Run<'_, 'c>) -> OrRuby<Vec<Option<Value<'c>>>> {
    if !run.notes_calls() || !run.is_template() {
        return Err(ForRuby("a function called amid other things"));
    }
    run.may_ask()?;
    // What Ruby gives a template it has from the begin.
    let variables = run.frame.program.variables.len();
    (0..variables as u32).try_for_each(|number| run.look_up(number))?;
    if run.lends_any() {
        return Err(ForRuby("a function called by a template that changes variables"));
    }
    Ok(run.variables_of_scope())
}

/// Takes note of the call of a function by a template, whose variables had these values before.
fn after_call<'c>(run: &mut Run<'_, 'c>, before: &[Option<Value<'c>>]) -> OrRuby<()> {
    run.has_called = true;
    // What it has rendered has nothing to do with this rendering; the variables that there are may be others now.
    run.engine.set_by_templates.begin();
    run.variables.all = None;
    let is_same = |(one, other): (&Option<Value<'c>>, &Option<Value<'c>>)| match (one, other) {
        (Some(one), Some(other)) => one.address() == other.address(),
        _ => true,
    };
    if !before.iter().zip(&run.variables_of_scope()).all(is_same) {
        return Err(ForRuby("a function that has changed a variable in place"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::OF_PUPPET;

    #[test]
    fn what_is_left_to_ruby_has_a_form_of_the_3x_interface() {
        assert!(OF_PUPPET.iter().all(|name| bunraku_stdlib::form_3x(name).is_some()));
    }
}
