//! Collector queries: whether a resource fits.

use crate::compile::Compile;
use crate::declare::flatten;
use bumpalo::Bump;
use bunraku_catalog::{Catalog, Resource};
use bunraku_vm::compare;
use bunraku_vm::diagnostic::Diagnostic;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::{self, inspect::inspect};
use bunraku_vm::host::CollectorQuery;
use bunraku_vm::label;
use bunraku_vm::scope::ResourceId;
use bunraku_vm::symbol::{Interner, Symbol};
use bunraku_vm::value::{Str, Value};
use std::cell::Cell;

/// A query made ready to be asked of many resources.
pub(crate) enum PreparedQuery<'q, 'c> {
    And(Box<(PreparedQuery<'q, 'c>, PreparedQuery<'q, 'c>)>),
    Or(Box<(PreparedQuery<'q, 'c>, PreparedQuery<'q, 'c>)>),
    /// Any of these tags; whether the container asked last has one, too: resources come in order of their containers.
    Tagged(Vec<Symbol>, Cell<Option<(ResourceId, bool)>>),
    Eq(&'q str, Value<'c>),
    NotEq(&'q str, Value<'c>),
    /// A value where a query should stand, which nothing can be asked of.
    Lone(Value<'c>),
}

impl<'q, 'c> PreparedQuery<'q, 'c> {
    /// The query, its tags as resources have them.
    pub(crate) fn new(words: &Interner<'c>, query: &'q CollectorQuery<'c>) -> Self {
        match query {
            CollectorQuery::And(left, right) => PreparedQuery::And(Box::new((
                PreparedQuery::new(words, left),
                PreparedQuery::new(words, right),
            ))),
            CollectorQuery::Or(left, right) => PreparedQuery::Or(Box::new((
                PreparedQuery::new(words, left),
                PreparedQuery::new(words, right),
            ))),
            CollectorQuery::Eq("tag", value) => {
                let mut tags = Vec::new();
                flatten(*value, &mut tags);
                let word = |tag: &Value<'c>| words.intern(&format::to_interpolated(*tag).to_lowercase());
                PreparedQuery::Tagged(tags.iter().map(word).collect(), Cell::new(None))
            }
            CollectorQuery::Eq(name, value) => PreparedQuery::Eq(name, *value),
            CollectorQuery::NotEq(name, value) => PreparedQuery::NotEq(name, *value),
            CollectorQuery::Lone(value) => PreparedQuery::Lone(*value),
        }
    }

    /// Whether a resource of the catalog fits.
    ///
    /// # Errors
    /// Where it would be asked of a value that is no query.
    fn fits(&self, arena: &'c Bump, catalog: &Catalog<'c>, id: ResourceId) -> Eval<'c, bool> {
        Ok(match self {
            PreparedQuery::And(both) => {
                both.0.fits(arena, catalog, id)? && both.1.fits(arena, catalog, id)?
            }
            PreparedQuery::Or(either) => {
                either.0.fits(arena, catalog, id)? || either.1.fits(arena, catalog, id)?
            }
            PreparedQuery::Tagged(tags, last) => {
                let resource = &catalog[id];
                let is_own = tags.iter().any(|tag| resource.tags.has(*tag));
                is_own
                    || resource
                        .origin
                        .scope
                        .container()
                        .resource
                        .get()
                        .filter(|container| *container != id)
                        .is_some_and(|container| match last.get() {
                            Some((asked, answer)) if asked == container => answer,
                            _ => {
                                let answer = tags.iter().any(|tag| is_tagged(catalog, container, *tag));
                                last.set(Some((container, answer)));
                                answer
                            }
                        })
            }
            PreparedQuery::Eq(name, value) => match attribute(arena, catalog, id, name) {
                Value::Array(items) => items.iter().any(|item| compare::equals(*item, *value)),
                actual => compare::equals(actual, *value),
            },
            PreparedQuery::NotEq(name, value) => {
                !compare::equals(attribute(arena, catalog, id, name), *value)
            }
            PreparedQuery::Lone(value) => {
                let (text, class) = (inspect(*value), label::ruby_class(*value));
                let message = format!(
                    "Puppet::Parser::Compiler failed with error NoMethodError: undefined method `call' for {text}:{class}"
                );
                return Err(Flow::formed(Diagnostic::error(message)));
            }
        })
    }
}

/// Those of some resources that fit a query: without one, all.
///
/// # Errors
/// Of [`PreparedQuery::fits`].
pub(crate) fn fitting<'c>(
    query: Option<&PreparedQuery<'_, 'c>>,
    arena: &'c Bump,
    catalog: &Catalog<'c>,
    resources: impl Iterator<Item = ResourceId>,
) -> Eval<'c, Vec<ResourceId>> {
    let Some(query) = query else { return Ok(resources.collect()) };
    let mut found = Vec::new();
    for id in resources {
        if query.fits(arena, catalog, id)? {
            found.push(id);
        }
    }
    Ok(found)
}

fn attribute<'c>(arena: &'c Bump, catalog: &Catalog<'c>, id: ResourceId, name: &str) -> Value<'c> {
    let resource: &Resource<'c> = &catalog[id];
    match name {
        "title" => Value::Str(Str::wrap(arena, resource.title)),
        name => resource.param(name).unwrap_or(Value::Undef),
    }
}

/// Whether a resource has a tag, or will have it from the container it was declared in.
pub(crate) fn is_tagged(catalog: &Catalog<'_>, id: ResourceId, tag: Symbol) -> bool {
    let mut current = id;
    // Containers nest as deep as scopes do.
    loop {
        let resource = &catalog[current];
        if resource.tags.has(tag) {
            return true;
        }
        match resource.origin.scope.container().resource.get() {
            Some(container) if container != current => current = container,
            _ => return false,
        }
    }
}

impl<'c> Compile<'c> {
    /// Numbers are no tags.
    pub(crate) fn check_query(&self, query: &CollectorQuery<'c>) -> Eval<'c, ()> {
        match query {
            CollectorQuery::And(left, right) | CollectorQuery::Or(left, right) => {
                self.check_query(left)?;
                self.check_query(right)
            }
            CollectorQuery::Eq("tag", value) => {
                let mut tags = Vec::new();
                flatten(*value, &mut tags);
                match tags.iter().any(|tag| matches!(tag, Value::Int(_) | Value::Float(_))) {
                    true => Err(Flow::raw("Cannot transform a number to a tag")),
                    false => Ok(()),
                }
            }
            CollectorQuery::Eq(..) | CollectorQuery::NotEq(..) | CollectorQuery::Lone(_) => Ok(()),
        }
    }
}
