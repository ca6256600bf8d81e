//! A report as an agent sends it, brought to the one form in which Puppet keeps and passes on reports: all keys, in order.
//! Source: `to_data_hash` of reports, their statuses, events, logs and metrics in Puppet 7.23.0 and 8.10.0.

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json};
use std::cmp::Ordering;
use std::fmt::{self, Formatter};

/// Keys of a report, in order.
const REPORT: [&str; 11] = [
    "host",
    "time",
    "configuration_version",
    "transaction_uuid",
    "report_format",
    "puppet_version",
    "status",
    "transaction_completed",
    "noop",
    "noop_pending",
    "environment",
];

/// Those that are there only where they are said.
const OPTIONAL: [&str; 5] = ["server_used", "catalog_uuid", "code_id", "job_id", "cached_catalog_status"];

const LOG: [&str; 7] = ["level", "message", "source", "tags", "time", "file", "line"];

const STATUS: [&str; 19] = [
    "title",
    "file",
    "line",
    "resource",
    "resource_type",
    "provider_used",
    "containment_path",
    "evaluation_time",
    "tags",
    "time",
    "failed",
    "failed_to_restart",
    "changed",
    "out_of_sync",
    "skipped",
    "change_count",
    "out_of_sync_count",
    "events",
    "corrective_change",
];

const EVENT: [&str; 11] = [
    "audited",
    "property",
    "previous_value",
    "desired_value",
    "historical_value",
    "message",
    "name",
    "status",
    "time",
    "redacted",
    "corrective_change",
];

/// What makes a resource one that has changed.
const CHANGED: [&str; 4] = ["failed", "failed_to_restart", "out_of_sync", "skipped"];

/// Those that there are besides: what is made one form of, and what the server's name was called before.
const OTHERS: [&str; 5] = ["logs", "metrics", "resource_statuses", "corrective_change", "master_used"];

/// The report that a text of JSON is. `only_changed` leaves out resources of which there is nothing to tell: the setting
/// `exclude_unchanged_resources`.
///
/// # Errors
/// What is wrong with it.
pub fn read(text: &[u8], only_changed: bool) -> Result<Map<String, Json>, String> {
    if text.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        let read = serde_json::from_slice::<IgnoredAny>(text).map_err(|error| error.to_string());
        return read.and(Err("it is no hash".to_owned()));
    }
    let Given(mut given) = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let given = &mut given;
    if !given.get("host").is_some_and(Json::is_string) {
        return Err("it has no host".to_owned());
    }
    let mut report = kept(given, &REPORT);
    report.insert("logs".to_owned(), each(given, "logs", |log| Ok(Json::Object(kept(hash(log)?, &LOG))))?);
    report.insert("metrics".to_owned(), metrics(given)?);
    report.insert("resource_statuses".to_owned(), statuses(given, only_changed)?);
    report.insert("corrective_change".to_owned(), value(given, "corrective_change"));
    for name in OPTIONAL {
        let old = if name == "server_used" { "master_used" } else { name };
        let found = Some(value(given, name)).filter(is_true).unwrap_or_else(|| value(given, old));
        if is_true(&found) {
            report.insert(name.to_owned(), found);
        }
    }
    Ok(report)
}

/// A report as it is sent, without keys that no report has: those are read over and never kept.
struct Given(Map<String, Json>);

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Given, D::Error> {
        deserializer.deserialize_map(OfReport).map(Given)
    }
}

struct OfReport;

impl<'de> Visitor<'de> for OfReport {
    type Value = Map<String, Json>;

    fn expecting(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("a hash")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut given: A) -> Result<Self::Value, A::Error> {
        let mut report = Map::new();
        while let Some(key) = given.next_key::<String>()? {
            match [&REPORT[..], &OPTIONAL, &OTHERS].iter().any(|keys| keys.contains(&key.as_str())) {
                true => drop(report.insert(key, given.next_value()?)),
                false => drop(given.next_value::<IgnoredAny>()?),
            }
        }
        Ok(report)
    }
}

fn metrics(given: &mut Map<String, Json>) -> Result<Json, String> {
    let mut metrics = Map::new();
    for (key, metric) in hash_of(given, "metrics")? {
        let mut metric = metric;
        let metric = hash(&mut metric)?;
        let name = value(metric, "name");
        let label = match value(metric, "label") {
            label if is_true(&label) => label,
            _ => Json::String(labelled(name.as_str().unwrap_or_default())),
        };
        let values = value(metric, "values");
        let pairs = [("name", name), ("label", label), ("values", values)];
        let metric: Map<String, Json> =
            pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        metrics.insert(key, Json::Object(metric));
    }
    Ok(Json::Object(metrics))
}

/// A metric's name as words.
fn labelled(name: &str) -> String {
    let name = name.to_lowercase().replace('_', " ");
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn statuses(given: &mut Map<String, Json>, only_changed: bool) -> Result<Json, String> {
    let mut statuses = Map::new();
    for (key, status) in hash_of(given, "resource_statuses")? {
        let mut status = status;
        let given = hash(&mut status)?;
        if given.is_empty() {
            if !only_changed {
                statuses.insert(key, Json::Null);
            }
            continue;
        }
        let events = each(given, "events", |event| {
            let mut event = kept(hash(event)?, &EVENT);
            let redacted = event.get_mut("redacted").filter(|redacted| redacted.is_null());
            redacted.into_iter().for_each(|redacted| *redacted = Json::Bool(false));
            Ok(Json::Object(event))
        })?;
        let mut status = kept(given, &STATUS);
        status.insert("events".to_owned(), events);
        let failed = status.get("failed_to_restart").is_some_and(is_true);
        status.insert("failed_to_restart".to_owned(), Json::Bool(failed));
        let is_changed = CHANGED.iter().any(|state| status.get(*state).is_some_and(is_true));
        if is_changed || !only_changed {
            statuses.insert(key, Json::Object(status));
        }
    }
    Ok(Json::Object(statuses))
}

/// What a hash has of these keys, taken out of it, in their order; null of those that it has not.
fn kept(given: &mut Map<String, Json>, keys: &[&str]) -> Map<String, Json> {
    let mut of = |key: &&str| {
        let found = match *key {
            "time" => time(value(given, key)),
            "tags" => once_each(value(given, key)),
            _ => value(given, key),
        };
        ((*key).to_owned(), found)
    };
    keys.iter().map(&mut of).collect()
}

/// A value, taken out of its hash: a report may be large, and is not to be there twice.
fn value(given: &mut Map<String, Json>, key: &str) -> Json {
    given.get_mut(key).map_or(Json::Null, Json::take)
}

fn hash(json: &mut Json) -> Result<&mut Map<String, Json>, String> {
    json.as_object_mut().ok_or_else(|| "what should be a hash is none".to_owned())
}

fn hash_of(given: &mut Map<String, Json>, key: &str) -> Result<Map<String, Json>, String> {
    match value(given, key) {
        Json::Object(hash) => Ok(hash),
        _ => Err(format!("its {key} are no hash")),
    }
}

fn each(
    given: &mut Map<String, Json>,
    key: &str,
    one: impl Fn(&mut Json) -> Result<Json, String>,
) -> Result<Json, String> {
    let Json::Array(mut all) = value(given, key) else { return Err(format!("its {key} are no list")) };
    for entry in &mut all {
        *entry = one(entry)?;
    }
    Ok(Json::Array(all))
}

fn is_true(json: &Json) -> bool {
    !matches!(json, Json::Null | Json::Bool(false))
}

/// Each tag once.
fn once_each(tags: Json) -> Json {
    let Json::Array(mut tags) = tags else { return tags };
    // By sorted places in the list, which take a twentieth of what the tags themselves do.
    let mut places: Vec<usize> = (0..tags.len()).collect();
    places.sort_by(|one, other| compare(&tags[*one], &tags[*other]));
    let mut is_first = vec![true; tags.len()];
    for pair in places.windows(2) {
        // Those that are the same have kept their order.
        is_first[pair[1]] = compare(&tags[pair[0]], &tags[pair[1]]).is_ne();
    }
    let mut is_first = is_first.into_iter();
    tags.retain(|_| is_first.next().unwrap_or(true));
    Json::Array(tags)
}

/// Texts before all else, which is no tag of Puppet's.
fn compare(one: &Json, other: &Json) -> Ordering {
    match (one, other) {
        (Json::String(one), Json::String(other)) => one.cmp(other),
        (one, other) => {
            other.is_string().cmp(&one.is_string()).then_with(|| one.to_string().cmp(&other.to_string()))
        }
    }
}

/// A time with nine digits behind its seconds; anything else as it is.
pub(crate) fn time(json: Json) -> Json {
    let normal = json.as_str().and_then(|text| {
        let (head, rest) = text.split_at_checked(19)?;
        let is_time = head.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            10 => byte == b'T',
            13 | 16 => byte == b':',
            _ => byte.is_ascii_digit(),
        });
        let (digits, zone) = match rest.strip_prefix('.') {
            Some(rest) => rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?),
            None => ("", rest),
        };
        (is_time && digits.len() <= 9 && !zone.is_empty()).then(|| format!("{head}.{digits:0<9}{zone}"))
    });
    normal.map_or(json, Json::String)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reports_come_to_one_form() {
        let given = json!({
            "host": "a", "time": "2026-01-02T03:04:05.5+01:00", "unknown": 1, "code_id": null, "master_used": "m",
            "metrics": {"events": {"name": "corrective_change", "values": [["a", "A", 1]]}},
            "logs": [{"level": "notice", "tags": ["a", "b", "a"], "time": "yesterday", "more": 1}],
            "resource_statuses": {
                "File[a]": {"title": "a", "events": [{"status": "success"}], "changed": true},
                "File[b]": {"title": "b", "events": [], "out_of_sync": true},
                "File[c]": {},
            },
        });
        let read = |only_changed| read(given.to_string().as_bytes(), only_changed).unwrap();
        let report = read(false);
        assert_eq!(report["time"], "2026-01-02T03:04:05.500000000+01:00");
        assert_eq!(report["server_used"], "m");
        assert!(!report.contains_key("code_id") && !report.contains_key("unknown"));
        assert_eq!(report["metrics"]["events"]["label"], "Corrective change");
        assert_eq!(report["logs"][0]["tags"], json!(["a", "b"]));
        assert_eq!(report["logs"][0].as_object().unwrap().len(), 7);
        assert_eq!(report["resource_statuses"]["File[a]"]["events"][0]["redacted"], false);
        assert_eq!(report["resource_statuses"]["File[c]"], Json::Null);
        let changed = read(true);
        let names: Vec<_> = changed["resource_statuses"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["File[b]"]);
    }

    /// What has no place in a report is not kept, whatever it is; that it is JSON is asked all the same.
    #[test]
    fn what_no_report_has_is_read_over() {
        let rest = r#""logs":[],"metrics":{},"resource_statuses":{}}"#;
        let text = format!(r#"{{"host":"a","host":"b","more":[{{"a":[1,2]}},"}}"],{rest}"#);
        let report = read(text.as_bytes(), false).unwrap();
        assert_eq!((report.len(), &report["host"]), (REPORT.len() + 4, &json!("b")));
        assert!(read(format!(r#"{{"host":"a","more":[1,,2],{rest}"#).as_bytes(), false).is_err());
    }

    #[test]
    fn tags_are_there_once_in_their_order() {
        let tags = json!(["b", "a", 1, "b", "1", [1], 1, "a", {"a": 1}, [1], "c", null, null, {"a": 1}]);
        assert_eq!(once_each(tags), json!(["b", "a", 1, "1", [1], {"a": 1}, "c", null]));
        assert_eq!(once_each(json!("a")), json!("a"));
    }

    #[test]
    fn what_is_no_report_is_said() {
        for (text, error) in [
            ("[]", "it is no hash"),
            (" 1", "it is no hash"),
            ("{}", "it has no host"),
            (r#"{"host":"a"}"#, "its logs are no list"),
            (r#"{"host":"a","logs":[]}"#, "its metrics are no hash"),
            (r#"{"host":"a","logs":[],"metrics":{}}"#, "its resource_statuses are no hash"),
            (
                r#"{"host":"a","logs":[1],"metrics":{},"resource_statuses":{}}"#,
                "what should be a hash is none",
            ),
        ] {
            assert_eq!(read(text.as_bytes(), false).unwrap_err(), error);
        }
        assert!(read("[".repeat(100_000).as_bytes(), false).is_err());
    }
}
