//! What templates ask of the compile: the scope's variables, functions; and Ruby's conversions that look like functions.

use super::super::eval::{Done, Renderer};
use super::super::text;
use super::super::tree::Block;
use super::super::value::{Ask, Known, V};
use super::Method;
use super::string::to_i;
use bunraku_vm::host::Strict;
use bunraku_vm::value::Value;

/// Variables that are the same everywhere.
pub(in crate::erb) const SHARED: [&str; 3] = ["facts", "trusted", "server_facts"];

/// The method of the scope of a name.
pub(in crate::erb) fn of_scope(name: &str) -> Option<Method> {
    Some(match name {
        "lookupvar" => Method::LookUp,
        "to_hash" => Method::Variables,
        "include?" => Method::HasVariable,
        "exist?" => Method::IsVariable,
        _ => return None,
    })
}

/// How a function of Puppet is called: those that do nothing but give a value.
pub(in crate::erb) fn of_puppet(name: &str) -> Option<Method> {
    Some(match name {
        "versioncmp" => Method::Puppet,
        "template" => Method::Template,
        _ => return None,
    })
}

/// Calls a method of the scope.
pub(super) fn call<'c>(renderer: &mut Renderer<'_, 'c>, method: Method, args: &[V<'c>]) -> Done<'c> {
    match (method, args) {
        (Method::LookUp | Method::Element, [name]) => {
            let name = name.text().ok_or(Ask("a variable whose name is no string"))?;
            match look_up(renderer, name)? {
                Some(value) => Ok(value),
                None if renderer.compile.settings.strict == Strict::Off => Ok(V::Nil),
                None => Err(Ask("a variable there is not").into()),
            }
        }
        (Method::HasVariable, [name]) => has_variable(renderer, name),
        (Method::IsVariable, [name]) => {
            let name = name.text().ok_or(Ask("a variable whose name is no string"))?;
            Ok(V::Bool(look_up(renderer, name)?.is_some()))
        }
        (Method::Variables, []) => {
            let all = renderer.compile.variables_for_ruby(renderer.vm, renderer.scope, Value::Undef);
            Ok(V::from(all))
        }
        _ => Err(Ask("a method of the scope").into()),
    }
}

fn look_up<'c>(renderer: &mut Renderer<'_, 'c>, name: &str) -> Known<Option<V<'c>>> {
    let scope = if SHARED.contains(&name) { renderer.vm.top } else { renderer.scope };
    let found = renderer.compile.variable_for_ruby(renderer.vm, scope, name);
    let (found, _) = found.map_err(|_| Ask("a variable of a class that cannot be loaded"))?;
    Ok(found.map(V::from))
}

fn has_variable<'c>(renderer: &mut Renderer<'_, 'c>, name: &V<'c>) -> Done<'c> {
    let name = text::to_s(name)?;
    let found = look_up(renderer, &name)?;
    Ok(V::Bool(found.is_some_and(|value| !matches!(value, V::Nil))))
}

/// Calls what has no receiver.
pub(in crate::erb) fn function<'c>(
    renderer: &mut Renderer<'_, 'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    if block.is_some() {
        return Err(Ask("a block for a function").into());
    }
    Ok(match (method, args) {
        (Method::HasVariable, [name]) => return has_variable(renderer, name),
        (Method::ToArray, [value]) => match value {
            V::Nil => V::list(Vec::new()),
            V::Array(_) | V::List(_) => value.clone(),
            V::Hash(_) | V::Map(_) => {
                let entries = value.entries()?.unwrap_or_default();
                V::list(entries.into_iter().map(|(key, value)| V::pair(key, value)).collect())
            }
            V::Bool(_) | V::Int(_) | V::Float(_) | V::Str(_) | V::Made(_) | V::Symbol(_) => {
                V::list(vec![value.clone()])
            }
            _ => return Err(Ask("Array() of such a value").into()),
        },
        (Method::ToString, [value]) => V::made(text::to_s(value)?),
        (Method::ToInteger, [V::Int(n)]) => V::Int(*n),
        (Method::ToInteger, [value]) => {
            let text = value.text().ok_or(Ask("Integer() of such a value"))?;
            let digits = text.strip_prefix('-').unwrap_or(text);
            let decimal = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            if !decimal || (digits.len() > 1 && digits.starts_with('0')) {
                return Err(Ask("Integer() of a text of another form").into());
            }
            V::Int(to_i(text)?)
        }
        (Method::Puppet, [name, list]) => {
            let name = name.text().unwrap_or_default();
            let args = list.items()?.ok_or(Ask("arguments that are no array"))?;
            let args = args.iter().map(|arg| arg.to_value(renderer.vm)).collect::<Known<Vec<_>>>()?;
            let called = renderer.vm.call_known(name, "", &args, None, renderer.scope);
            V::from(called.ok().flatten().ok_or(Ask("a function that fails"))?)
        }
        (Method::Template, [_, list]) => {
            let names = list.items()?.ok_or(Ask("arguments that are no array"))?;
            let mut out = String::new();
            for name in names {
                let name = name.text().ok_or(Ask("a template whose name is no string"))?;
                out.push_str(&renderer.nested(name)?);
            }
            V::made(out)
        }
        _ => return Err(Ask("a function").into()),
    })
}
