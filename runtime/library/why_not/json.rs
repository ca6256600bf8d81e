//! The answer as JSON, and the words of its conditions.

use super::{Cause, Condition, Told, Way, WhyNot, finder};
use bunraku_compiler::places::DeclaredBy;
use serde_json::{Map, Value as Json, json};

/// The document.
pub fn json(answer: &WhyNot) -> Json {
    let (ty, title) = &answer.reference;
    let ways = |ways: &[Way]| ways.iter().map(way).collect::<Vec<_>>();
    json!({
        "node": answer.node,
        "resource": format!("{ty}[{title}]"),
        "in_catalog": answer.is_there,
        "defined": answer.is_defined,
        "places": ways(&answer.ways),
        "more": answer.more,
        "computed": ways(&answer.computed),
        "data": answer.data.iter().map(|one| json!({"file": one.file, "line": one.line, "read": one.is_read})).collect::<Vec<_>>(),
        "classifier": answer.classifier.as_ref().map(|one| json!({"gives": one.gives, "could_give": one.could_give})),
        "close": answer.close,
    })
}

fn way(way: &Way) -> Json {
    json!({
        "by": by(way.how),
        "text": way.text,
        "file": way.file,
        "line": way.line,
        "in": way.inside,
        "because": cause(&way.cause),
    })
}

fn cause(cause: &Cause) -> Json {
    match cause {
        Cause::Ran { is_virtual } => json!({"kind": "ran", "virtual": is_virtual}),
        Cause::Condition(condition) => {
            let values: Map<String, Json> =
                condition.values.iter().map(|(text, values)| (text.clone(), json!(values))).collect();
            json!({
                "kind": "condition",
                "of": condition.fork.word(),
                "line": condition.line,
                "condition": condition.text,
                "options": condition.options,
                "rest": condition.is_rest,
                "values": values,
            })
        }
        Cause::Missing { definition, ways, more, told } => {
            let places: Vec<Json> = ways.iter().map(way).collect();
            json!({"kind": "missing", "definition": definition, "places": places, "more": more, "told_elsewhere": *told == Told::Above, "too_far": *told == Told::Nowhere})
        }
        Cause::OtherNode => json!({"kind": "other_node"}),
        Cause::NotCalled { function, ways, more, told } => {
            let places: Vec<Json> = ways.iter().map(way).collect();
            json!({"kind": "not_called", "function": function, "places": places, "more": more, "told_elsewhere": *told == Told::Above, "too_far": *told == Told::Nowhere})
        }
        Cause::Block(function, line) => json!({"kind": "block", "function": function, "line": line}),
        Cause::NotReached => json!({"kind": "not_reached"}),
    }
}

/// What a place declares by.
pub fn by(how: DeclaredBy) -> &'static str {
    match how {
        DeclaredBy::Include => "include",
        DeclaredBy::Contain => "contain",
        DeclaredBy::Require => "require",
        DeclaredBy::Resource => "resource",
        DeclaredBy::Inherits => "inherits",
        DeclaredBy::CreateResources => "create_resources",
        DeclaredBy::Call => "call",
    }
}

/// What a condition was, in words.
pub fn words(condition: &Condition) -> String {
    finder::words(condition)
}
