//! Puppet's own module: settings, logs; values that hide what they hold.

use crate::eval::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::tree::{Block, WARN_OF_DEPRECATION};
use crate::value::{Class, V, text};
use bunraku_files::reads::PathQuestion;
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::host::Strict;
use bunraku_vm::value::Value;
use std::path::Path;

/// Where the calls of the Puppet language stand, innermost first.
fn stack<'c>(run: &mut Run<'_, 'c>) -> V<'c> {
    let sites = run.vm.call_stack();
    // Lines show more of a file than what its code does.
    let tree = run.world.tree();
    sites
        .iter()
        .filter_map(|at| at.file)
        .for_each(|file| tree.note_asked(PathQuestion::Content, Path::new(file)));
    let site = |file: Option<&'c str>, line: u32| {
        V::list(vec![V::Str(file.unwrap_or("unknown")), V::Int(line.into())])
    };
    V::list(sites.iter().map(|at| site(at.file, at.line)).collect())
}

/// Warns, once of each name, that code loads functions of the 3.x interface by their names.
fn warn_of_loader(run: &mut Run<'_, '_>, key: &str, shown: &str) -> OrRuby<()> {
    if run.vm.host.strict() == Strict::Off {
        return Ok(());
    }
    let message = format!(
        "The method 'Puppet::Parser::Functions.autoloader#{shown}' is deprecated in favor of using \
         'Scope#call_function'.\n   (file & line not available)"
    );
    run.tell_once(format!("once:Puppet::Parser::Functions{key}"), message)
}

/// Calls a method of Puppet's modules.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    class: Class,
    name: &str,
    args: &[V<'c>],
    (block, line): (Option<&'c Block>, usize),
) -> Done<'c, Option<V<'c>>> {
    Ok(Some(match (class, name, args) {
        (Class::Puppet, name, args) if Severity::by_name(name).is_some() => {
            let level = Severity::by_name(name).unwrap_or(Severity::Notice);
            if !run.vm.host.is_logged(level) {
                // Another compile may log it.
                run.rests.more |= !matches!(level, Severity::Debug | Severity::Info);
                return Ok(Some(V::Nil));
            }
            let message = match (args, block) {
                ([message], None) => message.text().map(|text| text.to_string()),
                _ => None,
            };
            run.log_now(level, message.ok_or(ForRuby("a message of another form"))?)?;
            V::Nil
        }
        (Class::Puppet | Class::PuppetSettings, "[]", [V::Symbol(name)]) => run.setting(name)?,
        (Class::Puppet, "settings", []) => V::Class(Class::PuppetSettings),
        (Class::Puppet, "version", []) => V::Str(run.vm.host.compat().server_version()),
        (Class::Puppet, WARN_OF_DEPRECATION, [label, message, key @ ..]) if key.len() < 2 => {
            let (label, message) = (text::to_s(label)?, text::to_s(message)?);
            let key = match key {
                [] | [V::Nil | V::Bool(false)] => None,
                key => Some(text::to_s(&key[0])?),
            };
            run.warn_of_deprecation(message, key, (line, &label))?
        }
        (Class::PuppetStack, "stacktrace", []) => stack(run),
        (Class::PuppetStack, "top_of_stack", []) => {
            stack(run).items()?.unwrap_or_default().into_iter().next().unwrap_or_else(|| V::list(Vec::new()))
        }
        (Class::ParserFunctions, "function", [name]) => run.name_of_old_function(name)?,
        (Class::ParserFunctions, "autoloader", []) => V::Class(Class::FunctionsLoader),
        (Class::FunctionsLoader, "load", [name]) => {
            let shown = text::to_s(name)?;
            warn_of_loader(run, &format!("#load('{shown}')"), &format!("load(\"{shown}\")"))?;
            V::Bool(run.name_of_old_function(name)?.truthy())
        }
        (Class::FunctionsLoader, "loaded?", [V::Symbol(name)]) => {
            warn_of_loader(run, &format!(".loaded?('{name}')"), &format!("loaded?(\"{name}\")"))?;
            V::Bool(run.space.old_function(name).is_some())
        }
        // They are loaded when they are called.
        (Class::FunctionsLoader, "loadall", []) => {
            warn_of_loader(run, "#loadall", "loadall")?;
            V::Void
        }
        (Class::Env, "[]", [name]) => {
            let name = name.text().ok_or(ForRuby("a variable without a name"))?.to_string();
            run.rests.more = true;
            run.world.process_variable(&name).map_or(V::Nil, V::made)
        }
        (Class::Sensitive, "new", [value]) => {
            let inner = value.to_value(run.vm)?;
            V::Other(Value::Sensitive(run.vm.arena.alloc(inner)))
        }
        _ => return Ok(None),
    }))
}
