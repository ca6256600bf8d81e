//! The parameters of a resource as a store of catalogs has them, which others may read and collect from: without what is Sensitive, rich
//! values as their texts, with the names that the resource is known by besides its title, and without an order where there is none.
//! Source: PuppetDB's terminus 7.12.1, with Puppet 7.23.

use super::Resource;
use super::shown::Shown;
use super::value;
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

/// Writes the parameters that a catalog shows of a resource, as an object.
pub struct StoredParameters<'o> {
    out: &'o mut String,
    known_by: KnownBy<'o>,
    sensitive: &'o [&'o str],
    is_first: bool,
    /// Its aliases, and the name that it has beside its title.
    aliases: Vec<Json>,
    name: Option<Json>,
}

impl<'o> StoredParameters<'o> {
    /// Those of a resource that is known by so much, whose parameters of the names `sensitive` are left out.
    pub fn new(out: &'o mut String, known_by: KnownBy<'o>, sensitive: &'o [&'o str]) -> StoredParameters<'o> {
        StoredParameters { out, known_by, sensitive, is_first: true, aliases: Vec::new(), name: None }
    }

    /// Writes one.
    pub fn add(&mut self, name: &str, value: Shown<'_>) {
        if self.sensitive.contains(&name) {
            return;
        }
        if self.known_by == KnownBy::Name(name) {
            self.name = Some(parsed(name, value));
        }
        match name {
            "alias" if self.known_by != KnownBy::Nothing => flat(parsed(name, value), &mut self.aliases),
            name if UNORDERED.contains(&name) => self.list(name, parsed(name, value)),
            name => {
                self.begin(name);
                value::written(self.out, name, value, Style::Stored);
            }
        }
    }

    /// Writes what it is known by, and the end.
    pub fn end(mut self) {
        let mut aliases = std::mem::take(&mut self.aliases);
        aliases.extend(self.name.take().filter(|name| !name.is_null() && !aliases.contains(name)));
        if !aliases.is_empty() {
            self.list("alias", Json::Array(aliases));
        }
        self.out.push_str(if self.is_first { "{}" } else { "}" });
    }

    fn list(&mut self, name: &str, value: Json) {
        self.begin(name);
        self.out.push_str(&sorted(value).to_string());
    }

    fn begin(&mut self, name: &str) {
        self.out.push(if std::mem::take(&mut self.is_first) { '{' } else { ',' });
        string(self.out, name);
        self.out.push(':');
    }
}

/// A value as plain JSON.
fn parsed(name: &str, value: Shown<'_>) -> Json {
    let mut text = String::new();
    value::written(&mut text, name, value, Style::Stored);
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
