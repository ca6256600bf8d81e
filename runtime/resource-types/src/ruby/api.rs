//! Types of the Resource API: the hash that `Puppet::ResourceApi.register_type` is given.

use super::source::Code;
use super::value::{Scope, Value};
use super::{Pattern, Presence, Reader};

/// Reads the call, in the file that is named for the type `name`.
pub(super) fn read<'t>(reader: &mut Reader<'_, 't>, call: Code<'t>, name: &str) {
    let mut scope = Scope::default();
    let arguments =
        call.field("arguments").map_or(Vec::new(), |list| reader.evaluator.arguments(list, &mut scope));
    if let Some(definition) = arguments.first().filter(|_| is_whole(call)) {
        if let Some(refusal) = refusal(definition) {
            reader.failure = Some(refusal);
        } else if definition.get("name").and_then(Value::name).is_some_and(|own| own.to_lowercase() != name) {
            return reader.declares_other(Presence::Absent);
        }
    }
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

/// Whether the call is all that its file does besides loading others, so that it is known to be run as it stands.
fn is_whole(call: Code<'_>) -> bool {
    let receiver = call.field("receiver").map(Code::text);
    let is_api = matches!(receiver, Some("Puppet::ResourceApi" | "::Puppet::ResourceApi"));
    call.parent().filter(|file| is_api && file.node.kind() == "program").is_some_and(|file| {
        let is_require = |code: &Code<'_>| {
            code.field("receiver").is_none()
                && matches!(code.field("method").map(Code::text), Some("require" | "require_relative"))
        };
        file.children().iter().all(|code| code.node == call.node || is_require(code))
    })
}

/// What the Resource API says of a definition that it refuses, where that is certain: of what code computes it is not.
fn refusal(definition: &Value) -> Option<String> {
    let name = definition.get("name").and_then(Value::name)?;
    let attributes = symbols(symbols(definition)?.iter().find(|(key, _)| *key == "attributes")?.1)?;
    let described: Vec<(&str, Vec<(&str, &Value)>)> =
        attributes.iter().map(|(key, value)| Some((*key, symbols(value)?))).collect::<Option<_>>()?;
    for (attribute, parts) in &described {
        let has = |part: &str| parts.iter().any(|(key, _)| *key == part);
        if !has("type") {
            return Some(format!("`{name}.{attribute}` has no type"));
        }
        if has("behavior") && has("behaviour") {
            let both = "has both a `behavior` and a `behaviour`, only use one";
            return Some(format!("the '{attribute}' attribute {both}"));
        }
    }
    if let Some(taken) = TAKEN.iter().find(|taken| described.iter().any(|(attribute, _)| attribute == *taken))
    {
        return Some(format!("must not define an attribute called `:{taken}`"));
    }
    let behaviours = described.iter().flat_map(|(_, parts)| parts);
    for (_, behaviour) in behaviours.filter(|(key, _)| matches!(*key, "behaviour" | "behavior")) {
        let is_one = matches!(behaviour, Value::Symbol(word) if BEHAVIOURS.contains(&word.as_str()));
        if !is_one && behaviour.truth()? {
            return Some(format!("`{}` is not a valid behaviour value", behaviour.name()?));
        }
    }
    None
}

/// The pairs of a hash whose keys are all symbols.
fn symbols(value: &Value) -> Option<Vec<(&str, &Value)>> {
    let Value::Hash(pairs) = value else { return None };
    let is_symbol = |key: &Value| matches!(key, Value::Symbol(_));
    pairs
        .iter()
        .all(|(key, _)| is_symbol(key))
        .then(|| pairs.iter().filter_map(|(key, value)| Some((key.name()?, value))).collect())
}

/// Names that no attribute may have, in the order in which they are looked for.
const TAKEN: &[&str] = &[
    "title",
    "provider",
    "alias",
    "audit",
    "before",
    "consume",
    "export",
    "loglevel",
    "noop",
    "notify",
    "require",
    "schedule",
    "stage",
    "subscribe",
    "tag",
];

/// What an attribute may be besides a property.
const BEHAVIOURS: &[&str] = &["read_only", "namevar", "parameter", "init_only"];

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
