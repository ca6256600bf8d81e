//! Collector queries: whether a resource fits.

use super::Compile;
use super::declare::flatten;
use crate::catalog::Resource;
use bunraku_vm::compare;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format;
use bunraku_vm::host::Query;
use bunraku_vm::scope::ResourceId;
use bunraku_vm::value::Value;

impl<'c> Compile<'c> {
    /// Whether a resource of the catalog fits a query.
    pub(super) fn fits(&self, id: ResourceId, query: &Query<'c>) -> bool {
        match query {
            Query::And(left, right) => self.fits(id, left) && self.fits(id, right),
            Query::Or(left, right) => self.fits(id, left) || self.fits(id, right),
            Query::Eq("tag", value) => {
                let mut tags = Vec::new();
                flatten(*value, &mut tags);
                tags.iter().any(|tag| self.is_tagged(id, &format::to_interpolated(*tag).to_lowercase()))
            }
            Query::Eq(name, value) => {
                let actual = self.attribute(id, name);
                match actual {
                    Value::Array(items) => items.iter().any(|item| compare::equals(*item, *value)),
                    actual => compare::equals(actual, *value),
                }
            }
            Query::NotEq(name, value) => !compare::equals(self.attribute(id, name), *value),
        }
    }

    fn attribute(&self, id: ResourceId, name: &str) -> Value<'c> {
        let catalog = self.catalog.borrow();
        let resource: &Resource<'c> = &catalog[id];
        if name == "title" {
            return self.string_value(resource.title);
        }
        resource.param(name).unwrap_or(Value::Undef)
    }

    /// Whether a resource has a tag, or will have it from the container it was declared in.
    pub(super) fn is_tagged(&self, id: ResourceId, tag: &str) -> bool {
        let catalog = self.catalog.borrow();
        let mut current = id;
        // Containers nest as deep as scopes do.
        loop {
            let resource = &catalog[current];
            if resource.tags.contains(tag) {
                return true;
            }
            match resource.scope.container().resource.get() {
                Some(container) if container != current => current = container,
                _ => return false,
            }
        }
    }

    /// Numbers are no tags.
    pub(super) fn check_query(&self, query: &Query<'c>) -> Eval<'c, ()> {
        match query {
            Query::And(left, right) | Query::Or(left, right) => {
                self.check_query(left)?;
                self.check_query(right)
            }
            Query::Eq("tag", value) => {
                let mut tags = Vec::new();
                flatten(*value, &mut tags);
                match tags.iter().any(|tag| matches!(tag, Value::Int(_) | Value::Float(_))) {
                    true => Err(Flow::raw("Cannot transform a number to a tag")),
                    false => Ok(()),
                }
            }
            Query::Eq(..) | Query::NotEq(..) => Ok(()),
        }
    }
}
