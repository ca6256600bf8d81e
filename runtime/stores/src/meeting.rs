//! What the nodes of one run export, in memory: nodes of a tree meet in it before any of them has been there. What they have
//! exported before, by another store, counts for those only that are not in the run.
//!
//! It grows with what is exported, about 1 kB a resource; resources of two runs that are equal may be shared ([`Exports`]).

use super::{Exported, Filter, Store};
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// What one node exports.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exports(Arc<Vec<Exported>>);

impl Exports {
    /// Of resources.
    pub fn new(resources: Vec<Exported>) -> Exports {
        Exports(Arc::new(resources))
    }

    /// How many resources there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What the nodes of a run export, and which of them collect.
#[derive(Debug, Default)]
pub struct Meeting {
    gathered: RwLock<Gathered>,
    asked: Mutex<BTreeSet<String>>,
}

#[derive(Debug, Default)]
struct Gathered {
    nodes: BTreeMap<String, Exports>,
    /// The nodes that export resources of a type, and the numbers of these among their exports.
    by_type: HashMap<String, BTreeMap<String, Vec<usize>>>,
    is_answered: bool,
}

impl Meeting {
    /// Takes in what a node exports, until what was gathered is answered: what nodes export because of what they have collected
    /// is for the next run.
    pub fn take_in(&self, node: &str, exports: Exports) {
        let mut gathered = self.gathered.write().unwrap_or_else(PoisonError::into_inner);
        if gathered.is_answered || gathered.nodes.contains_key(node) {
            return;
        }
        for (number, resource) in exports.0.iter().enumerate() {
            let of_type = match gathered.by_type.get_mut(&resource.type_name) {
                Some(of_type) => of_type,
                None => gathered.by_type.entry(resource.type_name.clone()).or_default(),
            };
            of_type.entry(node.to_owned()).or_default().push(number);
        }
        gathered.nodes.insert(node.to_owned(), exports);
    }

    /// From now on collectors get what was gathered. Before they get what another store has: an answer must not depend on
    /// who was compiled first.
    pub fn answer(&self) {
        self.gathered.write().unwrap_or_else(PoisonError::into_inner).is_answered = true;
    }

    /// Whether a node has asked for anything: otherwise what is gathered is nothing to it.
    pub fn has_asked(&self, node: &str) -> bool {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).contains(node)
    }

    fn exported(
        &self,
        type_name: &str,
        node: &str,
        filter: Option<&Filter>,
        others: Vec<Exported>,
    ) -> Vec<Exported> {
        let gathered = self.gathered.read().unwrap_or_else(PoisonError::into_inner);
        if !gathered.is_answered {
            return others;
        }
        let is_outside = |resource: &Exported| !gathered.nodes.contains_key(&resource.certname);
        let mut found: Vec<Exported> = others.into_iter().filter(is_outside).collect();
        for (certname, numbers) in gathered.by_type.get(type_name).into_iter().flatten() {
            let Some(Exports(all)) = gathered.nodes.get(certname).filter(|_| certname != node) else {
                continue;
            };
            let resources = numbers.iter().filter_map(|number| all.get(*number));
            found.extend(resources.filter(|one| filter.is_none_or(|filter| one.fits(filter))).cloned());
        }
        found
    }
}

/// A meeting as compiles see it, over the store that has what others exported before.
#[derive(Debug)]
pub struct MeetingOver {
    meeting: Arc<Meeting>,
    before: Option<Arc<dyn Store>>,
}

impl MeetingOver {
    /// A meeting over a store, if there is one.
    pub fn new(meeting: Arc<Meeting>, before: Option<Arc<dyn Store>>) -> MeetingOver {
        MeetingOver { meeting, before }
    }
}

impl Store for MeetingOver {
    fn exported(
        &self,
        type_name: &str,
        node: &str,
        filter: Option<&Filter>,
    ) -> Result<Vec<Exported>, String> {
        self.meeting.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(node.to_owned());
        let before = self.before.as_ref().map(|store| store.exported(type_name, node, filter));
        Ok(self.meeting.exported(type_name, node, filter, before.transpose()?.unwrap_or_default()))
    }

    fn facts(&self, node: &str) -> Result<Option<Map<String, Json>>, String> {
        self.before.as_ref().map_or(Ok(None), |store| store.facts(node))
    }

    fn is_puppetdb(&self) -> bool {
        self.before.as_ref().is_some_and(|store| store.is_puppetdb())
    }

    fn ask(&self, query: &Json) -> Result<Vec<Json>, String> {
        match &self.before {
            Some(store) => store.ask(query),
            None => Err("There is no PuppetDB to ask".to_owned()),
        }
    }

    fn save(&self, node: &str, _catalog: &Json) -> Result<(), String> {
        Err(super::not_taken_in(node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Files;
    use serde_json::json;

    fn notify(certname: &str, title: &str) -> Exported {
        Exported::read(certname, &json!({"type": "Notify", "title": title, "tags": ["t"]})).unwrap()
    }

    #[test]
    fn what_is_gathered_stands_in_the_place_of_what_was() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::new(folder.path());
        for name in ["in", "out"] {
            let resource =
                json!({"type": "Notify", "title": format!("old {name}"), "exported": true, "tags": []});
            files.save(name, &json!({"name": name, "resources": [resource]})).unwrap();
        }
        let meeting = Arc::new(Meeting::default());
        let store = MeetingOver::new(meeting.clone(), Some(Arc::new(files)));
        let titles = |node: &str, filter: Option<&Filter>| {
            let all = store.exported("Notify", node, filter).unwrap();
            all.into_iter().map(|one| one.title).collect::<Vec<_>>()
        };
        meeting.take_in("in", Exports::new(vec![notify("in", "new"), notify("in", "other")]));
        assert!(!meeting.has_asked("asks"));
        assert_eq!(titles("asks", None), ["old in", "old out"]);
        assert!(meeting.has_asked("asks") && !meeting.has_asked("in"));
        meeting.answer();
        assert_eq!(titles("asks", None), ["old out", "new", "other"]);
        assert_eq!(titles("asks", Some(&Filter::Eq("title".to_owned(), json!("other")))), ["other"]);
        // Its own it has from itself.
        assert_eq!(titles("in", None), ["old out"]);
    }
}
