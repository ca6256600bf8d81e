//! The order of what Puppet Server's own routes write: names by Java's rule, so that one answer is always the same text.

use serde_json::{Map, Value as Json};
use std::cmp::Ordering;

/// Compares texts as Java does: by the units of UTF-16.
pub fn by_units(one: &str, other: &str) -> Ordering {
    one.encode_utf16().cmp(other.encode_utf16())
}

/// A value whose maps are sorted, however deep. Names with a slash come last: to Puppet Server what is before it is a namespace.
/// Source: Puppet Server 7.9.5, whose maps are Clojure's, of keywords.
pub fn sorted(value: Json) -> Json {
    match value {
        Json::Array(items) => Json::Array(items.into_iter().map(sorted).collect()),
        Json::Object(map) => {
            let mut all: Vec<(String, Json)> = map.into_iter().collect();
            all.sort_by(|(one, _), (other, _)| by_keyword(one, other));
            Json::Object(all.into_iter().map(|(key, value)| (key, sorted(value))).collect::<Map<_, _>>())
        }
        other => other,
    }
}

fn by_keyword(one: &str, other: &str) -> Ordering {
    fn parts(key: &str) -> (Option<&str>, &str) {
        match key.split_once('/') {
            Some((space, name)) if key != "/" => (Some(space), name),
            _ => (None, key),
        }
    }
    let ((space, name), (other_space, other_name)) = (parts(one), parts(other));
    let spaces = match (space, other_space) {
        (Some(space), Some(other)) => by_units(space, other),
        (space, other) => space.is_some().cmp(&other.is_some()),
    };
    spaces.then_with(|| by_units(name, other_name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn maps_are_sorted_as_keywords_are() {
        let value = json!({"z": 1, "a/y": 2, "b": [{"d": 1, "c": 2}], "a/b": 3, "": 4, "/": 5});
        let wanted = r#"{"":4,"/":5,"b":[{"c":2,"d":1}],"z":1,"a/b":3,"a/y":2}"#;
        assert_eq!(sorted(value).to_string(), wanted);
        assert_eq!(by_units("\u{1f600}", "\u{ff5e}"), Ordering::Less);
    }
}
