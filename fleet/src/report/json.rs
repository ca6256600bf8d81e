//! Reports for programs: of each node what octocatalog-diff's `--output-format json` says (`header`, `diff`), with its name and state beside it.

use super::Head;
use crate::compare::{Declared, Difference};
use crate::diff::{Found, State};
use bunraku::Data;
use serde_json::{Map, Value as Json, json};

/// What was found of a node as one object.
pub fn node(head: &Head, name: &str, found: &Found) -> Json {
    let mut all = Map::new();
    all.insert("node".into(), name.into());
    all.insert("state".into(), found.state.kind().name().into());
    all.insert("header".into(), format!("diff {}/{name} {}/{name}", head.from, head.to).into());
    all.insert("diff".into(), document(found.state.differences()));
    if let Some(message) = found.state.message() {
        all.insert("error".into(), message.into());
    }
    if let State::FailsBefore(_, before) = &found.state {
        all.insert("error_before".into(), before.message.as_str().into());
    }
    Json::Object(all)
}

/// Differences as octocatalog-diff's list of them.
pub fn document(differences: &[Difference]) -> Json {
    differences.iter().map(one).collect()
}

fn one(one: &Difference) -> Json {
    let place = |place: &Option<Declared>| place.clone().unwrap_or_default();
    let (old, new) = (place(&one.old_place), place(&one.new_place));
    let location = |own: &Option<Declared>| match own {
        Some(Declared { file, line }) => json!({"file": file, "line": line}),
        None => Json::Null,
    };
    json!({
        "diff_type": one.sign.text(),
        "type": one.type_name,
        "title": one.title,
        "structure": one.structure,
        "old_value": value(one.old.as_ref()),
        "new_value": value(one.new.as_ref()),
        "old_file": old.file,
        "old_line": old.line,
        "new_file": new.file,
        "new_line": new.line,
        "old_location": location(&one.old_place),
        "new_location": location(&one.new_place),
    })
}

fn value(data: Option<&Data>) -> Json {
    match data {
        None | Some(Data::Undef) => Json::Null,
        Some(Data::Boolean(value)) => (*value).into(),
        Some(Data::Integer(whole)) => (*whole).into(),
        Some(Data::Float(number)) => (*number).into(),
        Some(Data::Text(text)) => text.as_str().into(),
        Some(Data::List(all)) => all.iter().map(|one| value(Some(one))).collect(),
        Some(Data::Map(all)) => {
            Json::Object(all.iter().map(|(name, one)| (name.clone(), value(Some(one)))).collect())
        }
    }
}
