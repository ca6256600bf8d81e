//! What differs between two states of a node's facts, or of its trusted data, as the questions of compiles that the two answer
//! otherwise (see [`bunraku_files::reads`]): a compile that has asked none of them comes to the same with either.

use bunraku_files::reads::{NodeData, OfValue, Touch};
use serde_json::{Map, Value as Json};

/// What differs.
#[derive(Clone, Debug, Default)]
pub struct DataChange {
    /// The questions that are answered otherwise, each with the path of a value that differs.
    touches: Vec<(Touch, String)>,
}

impl DataChange {
    /// What differs between two states of what is known of a node.
    pub fn between(data: NodeData, before: &Map<String, Json>, after: &Map<String, Json>) -> DataChange {
        let mut change = DataChange::default();
        change.compare_maps(data, &mut Vec::new(), (before, after));
        change
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.touches.is_empty()
    }

    /// The paths by which a compile that has asked these questions (sorted) is touched, sorted: keys, joined by dots. Where there
    /// is none, it comes to the same.
    pub fn met_by(&self, touches: &[Touch]) -> Vec<&str> {
        let asked = |(touch, _): &&(Touch, String)| touches.binary_search(touch).is_ok();
        let mut paths: Vec<&str> = self.touches.iter().filter(asked).map(|(_, path)| path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    fn add(&mut self, data: NodeData, path: &[&str], asked: OfValue, differs: &[&str]) {
        let root = match data {
            NodeData::Facts => "facts",
            NodeData::Trusted => "trusted",
        };
        let name = [&[root], differs].concat().join(".");
        self.touches.push((Touch::of_value(data, path, asked), name));
    }

    /// Compares the values at a path.
    fn compare<'j>(
        &mut self,
        data: NodeData,
        path: &mut Vec<&'j str>,
        both: (Option<&'j Json>, Option<&'j Json>),
    ) {
        match both {
            (Some(Json::Object(before)), Some(Json::Object(after))) => {
                self.compare_maps(data, path, (before, after));
            }
            (before, after) if is_same(before, after) => {}
            _ => {
                // Whoever asks for something within has asked whether there is a hash.
                self.add(data, path, OfValue::Form, path);
                self.add(data, path, OfValue::Whole, path);
            }
        }
    }

    fn compare_maps<'j>(
        &mut self,
        data: NodeData,
        path: &mut Vec<&'j str>,
        (before, after): (&'j Map<String, Json>, &'j Map<String, Json>),
    ) {
        let first = self.touches.len();
        let added = after.keys().filter(|key| !before.contains_key(*key));
        for key in before.keys().chain(added) {
            path.push(key);
            self.compare(data, path, (before.get(key), after.get(key)));
            path.pop();
        }
        // Which of them differ is what whoever has asked for all wants to know; in another order they are others, too.
        let mut within: Vec<String> = self.touches[first..].iter().map(|(_, name)| name.clone()).collect();
        within.dedup();
        let whole = Touch::of_value(data, path, OfValue::Whole);
        if within.is_empty() && !before.keys().eq(after.keys()) {
            self.add(data, path, OfValue::Whole, path);
        }
        self.touches.extend(within.into_iter().map(|name| (whole, name)));
    }
}

/// Whether two values are the same, the order of their keys included.
fn is_same(before: Option<&Json>, after: Option<&Json>) -> bool {
    match (before, after) {
        (None, None) => true,
        (Some(before), Some(after)) => before == after && (before.is_string() || is_same_text(before, after)),
        _ => false,
    }
}

/// Whether they are written the same: equality of maps does not ask for their order.
fn is_same_text(before: &Json, after: &Json) -> bool {
    let [before, after] = [before, after].map(Json::to_string);
    before == after
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn met(before: &Json, after: &Json, asked: &[(&[&str], OfValue)]) -> Vec<String> {
        let [before, after] = [before, after].map(|json| json.as_object().expect("facts are a map").clone());
        let of = |(path, asked): &(&[&str], OfValue)| Touch::of_value(NodeData::Facts, path, *asked);
        let mut touches: Vec<Touch> = asked.iter().map(of).collect();
        touches.sort_unstable();
        let change = DataChange::between(NodeData::Facts, &before, &after);
        change.met_by(&touches).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn what_differs_meets_who_has_asked_for_it() {
        use OfValue::{Form, Whole};
        let before = json!({"os": {"family": "Debian", "release": {"major": "12", "full": "12.1"}}, "list": [{"a": 1, "b": 2}]});
        let mut after = before.clone();
        after["os"]["release"]["full"] = "12.2".into();
        assert!(met(&before, &before, &[(&[], Whole)]).is_empty());
        for asked in [&["os", "release", "full"][..], &["os", "release"], &["os"], &[]] {
            assert_eq!(met(&before, &after, &[(asked, Whole)]), ["facts.os.release.full"], "{asked:?}");
        }
        let others: [(&[&str], OfValue); 4] =
            [(&["os"], Form), (&["os", "release"], Form), (&["os", "family"], Whole), (&["list"], Whole)];
        assert!(met(&before, &after, &others).is_empty());
        // No hash any more.
        after["os"]["release"] = "12".into();
        assert_eq!(met(&before, &after, &others), ["facts.os.release"]);
        // What was looked for in vain.
        after["new"] = 1.into();
        assert_eq!(met(&before, &after, &[(&["new"], Whole)]), ["facts.new"]);
    }

    #[test]
    fn an_order_is_seen_by_who_has_asked_for_all() {
        use OfValue::Whole;
        let before = json!({"h": {"a": 1, "b": 2}, "l": [{"a": 1, "b": 2}]});
        let after = json!({"h": {"b": 2, "a": 1}, "l": [{"b": 2, "a": 1}]});
        assert_eq!(met(&before, &after, &[(&["h"], Whole)]), ["facts.h"]);
        assert_eq!(met(&before, &after, &[(&["l"], Whole)]), ["facts.l"]);
        assert!(met(&before, &after, &[(&["h", "a"], Whole)]).is_empty());
    }
}
