//! What a session answers to a job, without what differs from one catalog of a node to the next.

use bunraku_compile::job::Session;
use serde_json::Value;

/// The answer to `job`, its catalog without `catalog_uuid` and `version`.
pub fn answer(session: &Session, job: &Value) -> Value {
    let mut answer: Value =
        serde_json::from_str(&session.answer(&job.to_string())).expect("an answer is JSON");
    if let Some(catalog) = answer["catalog"].as_object_mut() {
        catalog.remove("catalog_uuid");
        catalog.remove("version");
    }
    answer
}
