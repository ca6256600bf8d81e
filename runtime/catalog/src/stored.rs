//! The parameters of a resource as a store of catalogs has them, which others may read and collect from: without what is Sensitive, rich
//! values as their texts, with the names that the resource is known by besides its title, and without an order where there is none.
//! Source: PuppetDB's terminus 7.12.1, with Puppet 7.23.

use super::Resource;
use super::json;
use super::shown::Shown;
use bunraku_data::rich::{Style, string};
use serde_json::Value as Json;

/// Parameters whose lists have no order.
const UNORDERED: [&str; 8] = ["alias", "audit", "before", "check", "notify", "require", "subscribe", "tag"];

/// What a resource is known by besides its title.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownBy<'c> {
    /// Its aliases, and the value of this parameter.
    Name(&'c str),
    /// Its aliases: others may have its name, too.
    Aliases,
    /// Nothing else: its name has several parts.
    Nothing,
}

impl<'c> KnownBy<'c> {
    /// That of a resource.
    pub fn of(resource: &Resource<'c>) -> KnownBy<'c> {
        match resource.ty {
            Some(ty) if ty.namevars.len() != 1 => KnownBy::Nothing,
            Some(ty) if !ty.isomorphic => KnownBy::Aliases,
            Some(ty) => KnownBy::Name(ty.namevar()),
            None => KnownBy::Name("name"),
        }
    }
}

/// Writes the parameters that a catalog shows of a resource as an object.
pub fn parameters<'c>(
    out: &mut String,
    known_by: KnownBy<'_>,
    sensitive: &[&str],
    given: impl IntoIterator<Item = (&'c str, Shown<'c>)>,
) {
    let mut names: Vec<Json> = Vec::new();
    let mut is_first = true;
    let mut begin = |out: &mut String, name: &str| {
        out.push(if std::mem::take(&mut is_first) { '{' } else { ',' });
        string(out, name);
        out.push(':');
    };
    let mut own_name = None;
    for (name, value) in given {
        if sensitive.contains(&name) {
            continue;
        }
        if known_by == KnownBy::Name(name) {
            own_name = Some(parsed(name, value));
        }
        match name {
            "alias" if known_by != KnownBy::Nothing => flat(parsed(name, value), &mut names),
            name if UNORDERED.contains(&name) => {
                begin(out, name);
                out.push_str(&sorted(parsed(name, value)).to_string());
            }
            name => {
                begin(out, name);
                json::written(out, name, value, Style::Stored);
            }
        }
    }
    names.extend(own_name.filter(|own| !own.is_null() && !names.contains(own)));
    if !names.is_empty() {
        begin(out, "alias");
        out.push_str(&sorted(Json::Array(names)).to_string());
    }
    out.push_str(if is_first { "{}" } else { "}" });
}

/// A value as plain JSON.
fn parsed(name: &str, value: Shown<'_>) -> Json {
    let mut text = String::new();
    json::written(&mut text, name, value, Style::Stored);
    // It was written by ourselves; a number that JSON has no form for is told by who looks for it.
    serde_json::from_str(&text).unwrap_or_default()
}

/// Adds a value, or those of a list however deep.
fn flat(value: Json, into: &mut Vec<Json>) {
    match value {
        Json::Null => {}
        Json::Array(items) => items.into_iter().for_each(|item| flat(item, into)),
        one => into.push(one),
    }
}

/// A list in the order of its items' texts.
fn sorted(value: Json) -> Json {
    match value {
        Json::Array(mut items) => {
            items.sort_by_key(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned));
            Json::Array(items)
        }
        other => other,
    }
}
