//! Puppet's own module: settings, logs; values that hide what they hold.

use crate::eval::{Done, Run};
use crate::for_ruby::ForRuby;
use crate::tree::Block;
use crate::value::{Class, V};
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::value::Value;

/// The level of a method that logs.
pub(crate) fn level(name: &str) -> Option<Severity> {
    use Severity::{Alert, Crit, Debug, Emerg, Err, Info, Notice, Warning};
    [Debug, Info, Notice, Warning, Err, Alert, Emerg, Crit].into_iter().find(|level| level.name() == name)
}

/// Calls a method of Puppet's modules.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    class: Class,
    name: &str,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c, Option<V<'c>>> {
    Ok(Some(match (class, name, args) {
        (Class::Puppet, name, args) if level(name).is_some() => {
            let level = level(name).unwrap_or(Severity::Notice);
            // The log keeps nothing below notice.
            if matches!(level, Severity::Debug | Severity::Info) {
                return Ok(Some(V::Nil));
            }
            let message = match (args, block) {
                ([message], None) => message.text().map(|text| text.to_string()),
                _ => None,
            };
            run.log_now(level, message.ok_or(ForRuby("a message of another form"))?);
            V::Nil
        }
        (Class::Puppet | Class::PuppetSettings, "[]", [V::Symbol(name)]) => run.setting(name)?,
        (Class::Puppet, "settings", []) => V::Class(Class::PuppetSettings),
        (Class::Sensitive, "new", [value]) => {
            let inner = value.to_value(run.vm)?;
            V::Other(Value::Sensitive(run.vm.arena.alloc(inner)))
        }
        _ => return Ok(None),
    }))
}
