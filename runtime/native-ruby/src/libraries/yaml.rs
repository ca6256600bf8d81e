//! `YAML.load`, `YAML.safe_load`: what is loaded is plain data. Whatever else a text would become is Ruby's.

use crate::eval::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::value::{Class, V};

/// What a text may have.
#[derive(Default)]
struct Allowed {
    aliases: bool,
    patterns: bool,
}

/// Loads a text; none for other methods.
pub(crate) fn call<'c>(run: &mut Run<'_, 'c>, name: &str, args: &[V<'c>]) -> Done<'c, Option<V<'c>>> {
    let (text, allowed) = match (name, args) {
        ("load" | "safe_load", [text]) => (text, Allowed::default()),
        ("safe_load", [text, options]) => {
            let Some(allowed) = allowed(options)? else { return Ok(None) };
            (text, allowed)
        }
        _ => return Ok(None),
    };
    let Some(text) = text.text() else { return Ok(None) };
    // An alias that is not allowed is an error, and an empty text is false or nil.
    let plain = !text.contains(['&', '*']) || allowed.aliases;
    if !plain || text.trim().is_empty() {
        return Err(ForRuby("YAML that is not plain data").into());
    }
    let value = run.world.yaml(&text, allowed.patterns);
    Ok(Some(V::from(value.ok_or(ForRuby("YAML that is not plain data"))?)))
}

/// What the options of `safe_load` allow; none where they are not known.
fn allowed(options: &V<'_>) -> OrRuby<Option<Allowed>> {
    let mut allowed = Allowed::default();
    for (key, value) in options.entries()?.unwrap_or_default() {
        match (key, value) {
            (V::Symbol("aliases"), value) => allowed.aliases = value.truthy(),
            (V::Symbol("filename"), _) => {}
            (V::Symbol("permitted_classes"), classes) => {
                for class in classes.items()?.unwrap_or_default() {
                    match class {
                        V::Class(Class::Regexp) => allowed.patterns = true,
                        _ => return Ok(None),
                    }
                }
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(allowed))
}
