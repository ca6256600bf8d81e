//! Which parameters a catalog shows of a resource, in their order: name variables that say what the title says are left
//! out, those that the title alone says are there. The catalog as JSON and the one in memory both ask here.

use super::Resource;
use bunraku_vm::value::Value;
use std::borrow::Cow;

/// The value of a parameter that is shown.
#[derive(Clone, Copy)]
pub enum Shown<'c> {
    /// A text that the title says.
    Text(&'c str),
    /// A value that was set.
    Value(Value<'c>),
}

/// Calls `each` with name and value of each parameter that a catalog has of a resource.
pub fn parameters<'c>(resource: &Resource<'c>, mut each: impl FnMut(&'c str, Shown<'c>)) {
    let namevar = resource.ty.map_or("name", |ty| ty.namevar());
    // What the title says comes first and may be overridden in its place.
    let parsed = resource.ty.filter(|ty| !ty.is_titled_by(resource.title));
    let parsed = parsed.and_then(|ty| match &resource.parsed {
        Some(parsed) => Some(Cow::Borrowed(*parsed)),
        None => ty.parse_title(resource.title).ok().map(Cow::Owned),
    });
    // Main's title is a symbol in Puppet, and a title may be a number: the name then differs from it.
    let main = resource.title_value.is_some()
        || resource.title == "main" && matches!(resource.type_name, "Stage" | "Class");
    let is_named = resource.params.iter().any(|p| p.name == "name" || p.name == namevar);
    let whole = [(namevar, resource.title)];
    let from_title = match &parsed {
        Some(parsed) => &parsed[..],
        None if main || is_named => &whole,
        // Mostly the title says nothing of its own.
        None => &[],
    };
    // `name` is another word for the one name variable, and counts before it.
    let by_name = is_named && namevar != "name" && resource.param("name").is_some();
    let params = resource.params.iter().filter(|p| !(p.value.is_undef() || by_name && p.name == namevar));
    let params = params.map(|p| (if by_name && p.name == "name" { namevar } else { p.name }, p.value));
    for (name, text) in from_title {
        let set = params.clone().find(|(other, _)| other == name).map(|(_, value)| value);
        match set {
            Some(value) if *name != namevar || value.as_str() != Some(resource.title) => {
                each(name, Shown::Value(value));
            }
            Some(_) => {}
            None if main || *name != namevar || *text != resource.title => each(name, Shown::Text(text)),
            None => {}
        }
    }
    for (name, value) in params {
        if from_title.iter().any(|(other, _)| *other == name) {
            continue;
        }
        if is_named && name == namevar && value.as_str() == Some(resource.title) {
            continue;
        }
        each(name, Shown::Value(value));
    }
}
