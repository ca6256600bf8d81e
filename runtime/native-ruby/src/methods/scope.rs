//! What templates ask of the compile: the scope's variables, and what they call without a receiver.

use super::{called, kernel};
use crate::eval::{Done, Run, UNDEFINED_VARIABLE, Unwind};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::libraries;
use crate::method::Method;
use crate::tree::{Block, SHARED};
use crate::value::text;
use crate::value::{Class, Text, V};
use crate::world::{MissingVariable, WorkerState};
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::host::{Change, Strict};

/// The method of the scope of a name.
pub(crate) fn of_scope(name: &str) -> Option<Method> {
    Some(match name {
        "lookupvar" => Method::LookUp,
        "to_hash" => Method::Variables,
        "include?" => Method::HasVariable,
        "exist?" => Method::IsVariable,
        "setvar" => Method::SetVariable,
        _ => return None,
    })
}

/// Calls a method of the scope.
pub(crate) fn call<'c>(run: &mut Run<'_, 'c>, method: Method, args: &[V<'c>]) -> Done<'c> {
    match (method, args) {
        (Method::LookUp | Method::Element, [name]) => {
            let name = name.text().ok_or(ForRuby("a variable whose name is no string"))?;
            match look_up(run, &name)? {
                Some(value) => Ok(value),
                None if run.vm.host.strict() == Strict::Off => Ok(V::Nil),
                None => missing(run, &name),
            }
        }
        (Method::HasVariable, [name]) => has_variable(run, name),
        (Method::IsVariable, [name]) => {
            let name = name.text().ok_or(ForRuby("a variable whose name is no string"))?;
            Ok(V::Bool(look_up(run, &name)?.is_some()))
        }
        (Method::SetVariable, [name, value]) => {
            let name = name.text().ok_or(ForRuby("a variable whose name is no string"))?;
            let (set, worker) = (&run.engine.set_by_templates, run.world.worker());
            set.set(run.vm, run.scope, (&name, value.clone()), worker)?;
            Ok(value.clone())
        }
        (Method::Variables, []) if !run.sees_set_by_templates() => {
            // Templates ask in each round of a loop, and nothing sets a variable during a rendering.
            let all = match run.variables.all {
                Some(all) => all,
                None => run.world.variables(run.vm, run.scope),
            };
            run.variables.all = Some(all);
            Ok(V::from(all))
        }
        _ => Err(ForRuby("a method of the scope").into()),
    }
}

/// Calls a method of the scope at the top, for a function that runs in another one.
pub(crate) fn of_top<'c>(run: &mut Run<'_, 'c>, name: &str, args: &[V<'c>]) -> Done<'c> {
    let method = match name {
        "[]" => Method::Element,
        "lookupvar" => Method::LookUp,
        "exist?" => Method::IsVariable,
        "include?" => Method::HasVariable,
        "find_global_scope" if args.is_empty() => return Ok(V::Class(Class::GlobalScope)),
        _ => return Err(ForRuby("a method of the scope at the top").into()),
    };
    let scope = std::mem::replace(&mut run.scope, run.vm.top);
    let value = call(run, method, args);
    run.scope = scope;
    value
}

/// What Puppet makes of a variable there is not. Code in Ruby may catch what it throws first, whose value nobody looks at
/// here. The warning of a template waits for its end, as all that it logs does.
fn missing<'c>(run: &mut Run<'_, 'c>, name: &str) -> Done<'c> {
    run.vm.witness(Change::UndefinedVariable, name);
    if run.space.is_catching() {
        return Err(Unwind::throw(V::Symbol(UNDEFINED_VARIABLE), V::Void));
    }
    if run.world.worker() != WorkerState::None {
        return Err(ForRuby("a variable there is not").into());
    }
    let missing = run.world.missing_variable(run.vm, name);
    let MissingVariable { name, reason } =
        missing.map_err(|_| ForRuby("a variable of a class that cannot be loaded"))?;
    let message = format!("Undefined variable '{name}'; {reason}");
    if run.vm.host.strict() == Strict::Error {
        return Err(Unwind::error(Class::ArgumentError, message));
    }
    let (what, message) =
        (format!("once:Variable: {name}"), format!("{message}\n   (file & line not available)"));
    run.tell_once(what, message)?;
    Ok(V::Nil)
}

fn look_up<'c>(run: &mut Run<'_, 'c>, name: &str) -> OrRuby<Option<V<'c>>> {
    let symbol = run.vm.symbols.get(name);
    if let Some(value) = run.engine.set_by_templates.find(symbol, run.scope, name, usize::MAX)? {
        return Ok(Some(value));
    }
    let scope = if SHARED.contains(&name) { run.vm.top } else { run.scope };
    let found = run.world.variable(run.vm, scope, name);
    let found = found.map_err(|_| ForRuby("a variable of a class that cannot be loaded"))?;
    match found {
        None => Ok(None),
        Some(found) => run.lend(name, found).map(Some),
    }
}

fn has_variable<'c>(run: &mut Run<'_, 'c>, name: &V<'c>) -> Done<'c> {
    let name = text::to_s(name)?;
    let found = look_up(run, &name)?;
    if found.is_none() && name.trim_start_matches("::").contains("::") {
        // Its class is looked for.
        let missing = run.world.missing_variable(run.vm, &name);
        missing.map_err(|_| ForRuby("a variable of a class that cannot be loaded"))?;
    }
    Ok(V::Bool(found.is_some_and(|value| !matches!(value, V::Nil))))
}

/// Calls what has no receiver.
pub(crate) fn function<'c>(
    run: &mut Run<'_, 'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    if block.is_some() {
        return Err(ForRuby("a block for a function").into());
    }
    if let Some(value) = kernel::call(method, args)? {
        return Ok(value);
    }
    Ok(match (method, args) {
        (Method::HasVariable, [name]) => return has_variable(run, name),
        (Method::Global, [name]) => run.global(name)?,
        (Method::Global, [name, value]) => run.set_global(name, value)?,
        (Method::InstanceVariables, []) => run.instance_variables()?,
        (Method::LastMatch, []) => run.last_match()?,
        (Method::Rand | Method::Srand, args) => {
            let known = libraries::random_of_ruby(run, Class::Kernel, method.name(), args)?;
            known.ok_or(ForRuby("a random number of that kind"))?
        }
        (Method::Puppet, [name, V::Bool(is_method), list]) => {
            return called::call(run, (name, *is_method), list);
        }
        (Method::Log, [name, list]) => {
            let words = list.items()?.ok_or(ForRuby("arguments that are no array"))?;
            let words: Option<Vec<Text<'_>>> = words.iter().map(V::text).collect();
            let words = words.ok_or(ForRuby("a message that is no string"))?;
            let words = words.iter().map(|word| &**word).collect::<Vec<_>>().join(" ");
            let level = name.text().and_then(|name| Severity::by_name(&name)).ok_or(ForRuby("a level"))?;
            run.log(level, words, true);
            V::Nil
        }
        (Method::Template, [_, list]) => {
            let names = list.items()?.ok_or(ForRuby("arguments that are no array"))?;
            let mut out = String::new();
            for name in names {
                let name = name.text().ok_or(ForRuby("a template whose name is no string"))?;
                out.push_str(&run.nested(&name)?);
            }
            V::made(out)
        }
        _ => return Err(ForRuby("a function").into()),
    })
}
