//! A report as an agent sends it, brought to the one form in which Puppet keeps and passes on reports: all keys, in order.
//! Source: `to_data_hash` of reports, their statuses, events, logs and metrics in Puppet 7.23.0 and 8.10.0.

use serde_json::{Map, Value as Json};

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

/// The report that a text of JSON is. `only_changed` leaves out resources of which there is nothing to tell: the setting
/// `exclude_unchanged_resources`.
///
/// # Errors
/// What is wrong with it.
pub fn read(text: &[u8], only_changed: bool) -> Result<Map<String, Json>, String> {
    let given: Json = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let given = given.as_object().ok_or("it is no hash")?;
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
        let found = given.get(name).filter(|found| is_true(found)).or_else(|| given.get(old));
        if let Some(found) = found.filter(|found| is_true(found)) {
            report.insert(name.to_owned(), found.clone());
        }
    }
    Ok(report)
}

fn metrics(given: &Map<String, Json>) -> Result<Json, String> {
    let mut metrics = Map::new();
    for (key, metric) in hash_of(given, "metrics")? {
        let metric = hash(metric)?;
        let name = value(metric, "name");
        let label = match value(metric, "label") {
            label if is_true(&label) => label,
            _ => Json::String(labelled(name.as_str().unwrap_or_default())),
        };
        let values = value(metric, "values");
        let pairs = [("name", name), ("label", label), ("values", values)];
        let metric: Map<String, Json> =
            pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        metrics.insert(key.clone(), Json::Object(metric));
    }
    Ok(Json::Object(metrics))
}

/// A metric's name as words.
fn labelled(name: &str) -> String {
    let name = name.to_lowercase().replace('_', " ");
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn statuses(given: &Map<String, Json>, only_changed: bool) -> Result<Json, String> {
    let mut statuses = Map::new();
    for (key, status) in hash_of(given, "resource_statuses")? {
        let given = hash(status)?;
        if given.is_empty() {
            if !only_changed {
                statuses.insert(key.clone(), Json::Null);
            }
            continue;
        }
        let mut status = kept(given, &STATUS);
        let events = each(given, "events", |event| {
            let mut event = kept(hash(event)?, &EVENT);
            let redacted = event.get_mut("redacted").filter(|redacted| redacted.is_null());
            redacted.into_iter().for_each(|redacted| *redacted = Json::Bool(false));
            Ok(Json::Object(event))
        })?;
        status.insert("events".to_owned(), events);
        let failed = status.get("failed_to_restart").is_some_and(is_true);
        status.insert("failed_to_restart".to_owned(), Json::Bool(failed));
        let is_changed = CHANGED.iter().any(|state| status.get(*state).is_some_and(is_true));
        if is_changed || !only_changed {
            statuses.insert(key.clone(), Json::Object(status));
        }
    }
    Ok(Json::Object(statuses))
}

/// What a hash has of these keys, in their order; null of those that it has not.
fn kept(given: &Map<String, Json>, keys: &[&str]) -> Map<String, Json> {
    let of = |key: &&str| {
        let found = match *key {
            "time" => time(value(given, key)),
            "tags" => once_each(value(given, key)),
            _ => value(given, key),
        };
        ((*key).to_owned(), found)
    };
    keys.iter().map(of).collect()
}

fn value(given: &Map<String, Json>, key: &str) -> Json {
    given.get(key).cloned().unwrap_or(Json::Null)
}

fn hash(json: &Json) -> Result<&Map<String, Json>, String> {
    json.as_object().ok_or_else(|| "what should be a hash is none".to_owned())
}

fn hash_of<'j>(given: &'j Map<String, Json>, key: &str) -> Result<&'j Map<String, Json>, String> {
    given.get(key).and_then(Json::as_object).ok_or_else(|| format!("its {key} are no hash"))
}

fn each(
    given: &Map<String, Json>,
    key: &str,
    one: impl Fn(&Json) -> Result<Json, String>,
) -> Result<Json, String> {
    let all = given.get(key).and_then(Json::as_array).ok_or_else(|| format!("its {key} are no list"))?;
    all.iter().map(one).collect::<Result<_, _>>().map(Json::Array)
}

fn is_true(json: &Json) -> bool {
    !matches!(json, Json::Null | Json::Bool(false))
}

/// Each tag once.
fn once_each(tags: Json) -> Json {
    let Json::Array(tags) = tags else { return tags };
    let mut seen = std::collections::HashSet::new();
    Json::Array(tags.into_iter().filter(|tag| seen.insert(tag.to_string())).collect())
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

    #[test]
    fn what_is_no_report_is_said() {
        for (text, error) in [
            ("[]", "it is no hash"),
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
