//! A store whose answers stay as they were first given: two catalogs that are compared see the same exported resources, whatever
//! other nodes export in the meantime. It is made for one node and lives as long as that node's compiles.

use super::{Exported, Filter, Store};
use serde_json::{Map, Value as Json};
use std::sync::{Arc, Mutex};

/// A question: the type, the node that asks, the filter.
type Question = (String, String, Option<Filter>);

/// A store that is asked each question once.
#[derive(Debug)]
pub struct Once {
    store: Arc<dyn Store>,
    answers: Mutex<Vec<(Question, Vec<Exported>)>>,
    /// Those to queries of code.
    queried: Mutex<Vec<(Json, Vec<Json>)>>,
}

impl Once {
    /// A store that gives the answers of `store`.
    pub fn new(store: Arc<dyn Store>) -> Once {
        Once { store, answers: Mutex::default(), queried: Mutex::default() }
    }
}

impl Store for Once {
    fn exported(
        &self,
        type_name: &str,
        node: &str,
        filter: Option<&Filter>,
    ) -> Result<Vec<Exported>, String> {
        let question = (type_name.to_owned(), node.to_owned(), filter.cloned());
        let mut answers = self.answers.lock().unwrap_or_else(|held| held.into_inner());
        if let Some((_, answer)) = answers.iter().find(|(asked, _)| *asked == question) {
            return Ok(answer.clone());
        }
        let answer = self.store.exported(type_name, node, filter)?;
        answers.push((question, answer.clone()));
        Ok(answer)
    }

    fn facts(&self, node: &str) -> Result<Option<Map<String, Json>>, String> {
        self.store.facts(node)
    }

    fn is_puppetdb(&self) -> bool {
        self.store.is_puppetdb()
    }

    fn ask(&self, query: &Json) -> Result<Vec<Json>, String> {
        let mut queried = self.queried.lock().unwrap_or_else(|held| held.into_inner());
        if let Some((_, answer)) = queried.iter().find(|(asked, _)| asked == query) {
            return Ok(answer.clone());
        }
        let answer = self.store.ask(query)?;
        queried.push((query.clone(), answer.clone()));
        Ok(answer)
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

    #[test]
    fn an_answer_stays_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let files = Arc::new(Files::new(folder.path()));
        let catalog = |title: &str| {
            let resource = json!({"type": "Notify", "title": title, "exported": true, "tags": []});
            json!({"name": "a", "resources": [resource]})
        };
        files.save("a", &catalog("old")).unwrap();
        let once = Once::new(files.clone());
        let titles = |filter: Option<&Filter>| {
            let all = once.exported("Notify", "b", filter).unwrap();
            all.into_iter().map(|one| one.title).collect::<Vec<_>>()
        };
        assert_eq!(titles(None), ["old"]);
        files.save("a2", &catalog("new")).unwrap();
        assert_eq!(titles(None), ["old"]);
        // Another question is asked.
        let filter = Filter::NotEq("title".to_owned(), json!("x"));
        assert_eq!(titles(Some(&filter)), ["old", "new"]);
        assert!(once.save("a", &catalog("x")).is_err());
    }
}
