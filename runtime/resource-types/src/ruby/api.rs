//! Types of the Resource API: the hash that `Puppet::ResourceApi.register_type` is given.

use super::source::Code;
use super::value::{Scope, Value};
use super::{Pattern, Reader};

/// Reads the call.
pub(super) fn read<'t>(reader: &mut Reader<'_, 't>, call: Code<'t>) {
    let mut scope = Scope::default();
    let arguments =
        call.field("arguments").map_or(Vec::new(), |list| reader.evaluator.arguments(list, &mut scope));
    let attributes = arguments.first().and_then(|definition| definition.get("attributes"));
    let (Some(definition), Some(Value::Hash(attributes))) = (arguments.first(), attributes) else {
        return reader.give_up(call, "its attributes are computed");
    };
    for (name, attribute) in attributes {
        let Some(name) = name.name() else { return reader.give_up(call, "an attribute's name is computed") };
        let behaviour = attribute.get("behaviour").or_else(|| attribute.get("behavior"));
        match behaviour.and_then(Value::name) {
            Some("namevar") => {
                reader.namevars.push(name.to_owned());
                reader.parameters.push(name.to_owned());
            }
            Some("parameter") => reader.parameters.push(name.to_owned()),
            _ => reader.property(name),
        }
    }
    match definition.get("title_patterns") {
        None if reader.namevars.len() > 1 => {
            let attributes = vec![reader.namevars[0].clone()];
            reader.titles = Some(vec![Pattern { regex: "(?m-ix:(.*))".to_owned(), attributes }]);
        }
        None => {}
        Some(Value::Array(all)) => {
            let patterns = all.iter().map(|entry| match entry.get("pattern") {
                Some(Value::Regex(regex)) => {
                    Some(Pattern { attributes: groups(regex), regex: regex.clone() })
                }
                _ => None,
            });
            match patterns.collect::<Option<Vec<_>>>() {
                Some(patterns) => reader.titles = Some(patterns),
                None => reader.give_up(call, "title patterns are computed"),
            }
        }
        Some(_) => reader.give_up(call, "title patterns are computed"),
    }
}

/// Names of a regular expression's groups, in order.
fn groups(regex: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in regex.match_indices("(?<") {
        let rest = &regex[at + 3..];
        let escaped = regex[..at].chars().rev().take_while(|c| *c == '\\').count() % 2 == 1;
        if escaped || rest.starts_with(['=', '!']) {
            continue;
        }
        if let Some((name, _)) = rest.split_once('>')
            && !names.iter().any(|known| known == name)
        {
            names.push(name.to_owned());
        }
    }
    names
}
