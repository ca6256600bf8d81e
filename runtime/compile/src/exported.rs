//! Exported resources: what this node's collectors get from the store, and the filter they ask it by.
//! Source: `Puppet::Pops::Evaluator::Collectors::ExportedCollector` and PuppetDB's terminus, by running them: a resource
//! from the store brings its parameters, and neither its place nor its tags.

use crate::compile::Compile;
use crate::query::{PreparedQuery, fitting};
use bumpalo::collections::CollectIn;
use bunraku_catalog::{Kind, Param};
use bunraku_data::json as data;
use bunraku_data::names;
use bunraku_data::rich::{self, Style};
use bunraku_files::reads;
use bunraku_stores::{Exported, Filter};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::host::CollectorQuery;
use bunraku_vm::scope::{ResourceId, Scope};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use serde_json::Value as Json;

impl<'c> Compile<'c> {
    /// The exported resources of a type that fit: this node's own, then those of the store, which are added.
    pub(crate) fn exported(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        type_name: &'c str,
        query: Option<&CollectorQuery<'c>>,
    ) -> Eval<'c, Vec<ResourceId>> {
        let mut found: Vec<ResourceId> = {
            let catalog = self.catalog.borrow();
            let prepared = query.map(|query| PreparedQuery::new(&self.tags.names, query));
            let own = catalog.of_type(type_name).iter().copied();
            let own = own.filter(|id| catalog[*id].exported == Some(true));
            fitting(prepared.as_ref(), self.arena, &catalog, own)?
        };
        let Some(store) = self.options.store else { return Ok(found) };
        // What others export is in no file of the tree.
        reads::note_unknown(|| format!("a collector of exported {type_name}"));
        let filter = query.map(filter);
        let resources = store
            .exported(type_name, self.options.node_name, filter.as_ref())
            .map_err(|why| self.placed_error(why, None, 0))?;
        for resource in &resources {
            found.extend(self.take_in(vm, scope, resource)?);
        }
        Ok(found)
    }

    /// Adds a resource of the store unless it is there from before.
    fn take_in(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        resource: &Exported,
    ) -> Eval<'c, Option<ResourceId>> {
        let origin = [&*resource.certname, &*resource.type_name, &*resource.title];
        if let Some(id) = self.find_resource(&resource.type_name, &resource.title) {
            let known = self.resources.taken_in.borrow().get(&id) == Some(&origin);
            return match known {
                true => Ok(None),
                false => {
                    let reference = format!("{}[{}]", names::capitalize(&resource.type_name), resource.title);
                    Err(Flow::raw(format!(
                        "A duplicate resource was found while collecting exported resources, with the type and title {reference}"
                    )))
                }
            };
        }
        let type_name = self.text(&names::capitalize(&resource.type_name));
        let source = self.source_of(scope);
        let params = resource.parameters.iter().map(|(name, value)| Param {
            name: self.text(name),
            value: data::value(self.arena, value),
            at: None,
            append: false,
            source,
        });
        let title = self.text(&resource.title);
        let mut new = self.new_resource(vm, type_name, title, scope, params.collect_in(self.arena))?;
        new.kind = match self.find_define(vm, &names::key(type_name))? {
            Some(_) => Kind::Defined,
            None => Kind::Compilable,
        };
        let id = self.add_resource(scope, new)?;
        self.resources.taken_in.borrow_mut().insert(id, origin.map(|text| self.text(text)));
        Ok(Some(id))
    }
}

/// The function that comes with PuppetDB's termini.
const PUPPETDB_QUERY: &str = "puppetdb_query";

impl<'c> Compile<'c> {
    /// Whether a name is that of the function that asks PuppetDB, and there is one to ask. Without, it is not known, as where
    /// PuppetDB's termini are not installed.
    pub(crate) fn asks_puppetdb(&self, name: &str) -> bool {
        name == PUPPETDB_QUERY && self.options.store.is_some_and(|store| store.is_puppetdb())
    }

    /// `puppetdb_query(QUERY)`: a text in PQL, or the syntax tree as an array.
    ///
    /// # Errors
    /// When it is neither, or PuppetDB can't be asked.
    pub(crate) fn ask_puppetdb(&self, args: &[Value<'c>]) -> Eval<'c> {
        let query = match args {
            [query @ (Value::Str(_) | Value::Array(_))] => query,
            [_] => {
                let what = "parameter 'query' expects a value of type String or Array";
                return Err(Flow::raw(format!("'{PUPPETDB_QUERY}' {what}")));
            }
            _ => return Err(Flow::raw(format!("'{PUPPETDB_QUERY}' expects 1 argument, got {}", args.len()))),
        };
        let Some(store) = self.options.store else { return Ok(Value::Undef) };
        // What PuppetDB knows is in no file of the tree.
        reads::note_unknown(|| PUPPETDB_QUERY.to_owned());
        let found = store.ask(&json(query)).map_err(Flow::raw)?;
        Ok(data::value(self.arena, &Json::Array(found)))
    }
}

/// A value as JSON.
fn json(value: &Value<'_>) -> Json {
    let mut text = String::new();
    rich::value(&mut text, *value, Style::Catalog);
    serde_json::from_str(&text).unwrap_or_default()
}

/// A query as stores understand it: without values of the compile.
fn filter(query: &CollectorQuery<'_>) -> Filter {
    match query {
        CollectorQuery::Eq(name, value) => Filter::Eq((*name).to_owned(), json(value)),
        CollectorQuery::NotEq(name, value) => Filter::NotEq((*name).to_owned(), json(value)),
        CollectorQuery::And(left, right) => Filter::And(Box::new(filter(left)), Box::new(filter(right))),
        CollectorQuery::Or(left, right) => Filter::Or(Box::new(filter(left)), Box::new(filter(right))),
        // No attribute has such a name.
        CollectorQuery::Lone(value) => Filter::Eq(String::new(), json(value)),
    }
}
