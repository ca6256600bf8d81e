//! What PuppetDB is told: facts, reports and nodes in the form of its commands.
//! Source: PuppetDB's termini 7.12.1 (`replace facts` 5, `store report` 8, `deactivate node` 3).

use serde_json::{Map, Number, Value as Json, json};

/// Who tells it, and when.
#[derive(Clone, Debug)]
pub struct Producer {
    /// The name of the server.
    pub name: String,
    /// A time with three digits behind its seconds.
    pub time: String,
}

/// `replace facts`, version 5. `facts` are kept facts (`values`), `trusted` is what a certificate proves of the node.
pub fn replace_facts(
    certname: &str,
    facts: &Map<String, Json>,
    environment: &str,
    trusted: &Json,
    producer: &Producer,
) -> Json {
    let mut values = facts.get("values").and_then(Json::as_object).cloned().unwrap_or_default();
    let inventory = values.shift_remove("_puppet_inventory_1");
    values.insert("trusted".to_owned(), trusted.clone());
    let mut payload = json!({
        "certname": certname,
        "values": values,
        "environment": environment,
        "producer_timestamp": producer.time,
        "producer": producer.name,
    });
    if let Some(inventory) =
        inventory.filter(|inventory| !matches!(inventory, Json::Null | Json::Bool(false)))
    {
        payload["package_inventory"] = inventory.get("packages").cloned().unwrap_or(Json::Null);
    }
    payload
}

/// `deactivate node`, version 3.
pub fn deactivate_node(certname: &str, producer: &Producer) -> Json {
    json!({"certname": certname, "producer_timestamp": producer.time})
}

/// `store report`, version 8, of a report in Puppet's one form. Resources of which there is nothing to tell are left out
/// unless they are `all` wanted.
///
/// # Errors
/// When it has no environment, or a time of it is none.
pub fn store_report(report: &Map<String, Json>, all: bool, producer: &Producer) -> Result<Json, String> {
    let value = |key: &str| report.get(key).cloned().unwrap_or(Json::Null);
    if value("environment").is_null() {
        return Err("Environment is nil, unable to submit report".to_owned());
    }
    let resources = resources(report, all)?;
    let noop = match value("noop") {
        Json::Null => Json::Bool(is_noop(&resources)),
        noop => noop,
    };
    let start = value("time");
    Ok(json!({
        "certname": value("host"),
        "job_id": value("job_id"),
        "puppet_version": value("puppet_version"),
        "report_format": value("report_format"),
        "configuration_version": text(&value("configuration_version")),
        "producer_timestamp": producer.time,
        "start_time": wire_time(&start)?,
        "end_time": later(&start, duration(report))?,
        "environment": value("environment"),
        "transaction_uuid": value("transaction_uuid"),
        "status": value("status"),
        "noop": noop,
        "noop_pending": value("noop_pending"),
        "corrective_change": value("corrective_change"),
        "logs": logs(report)?,
        "metrics": metrics(report),
        "resources": resources,
        "catalog_uuid": value("catalog_uuid"),
        "code_id": value("code_id"),
        "cached_catalog_status": value("cached_catalog_status"),
        "producer": producer.name,
    }))
}

fn is_noop(resources: &[Json]) -> bool {
    let events = || resources.iter().flat_map(|resource| resource["events"].as_array().into_iter().flatten());
    events().any(|event| event["status"] == "noop") && events().all(|event| event["status"] == "noop")
}

fn logs(report: &Map<String, Json>) -> Result<Vec<Json>, String> {
    let logs = report.get("logs").and_then(Json::as_array).into_iter().flatten();
    logs.map(|log| {
        Ok(json!({
            "file": log["file"],
            "line": log["line"],
            "level": log["level"],
            "message": log["message"],
            "source": log["source"],
            "tags": log["tags"].as_array().cloned().unwrap_or_default(),
            "time": wire_time(&log["time"])?,
        }))
    })
    .collect()
}

/// All metrics one after the other, those of one category by their labels.
fn metrics(report: &Map<String, Json>) -> Vec<Json> {
    let categories = report.get("metrics").and_then(Json::as_object).into_iter().flatten();
    let mut all = Vec::new();
    for (_, metric) in categories {
        let mut values = metric["values"].as_array().cloned().unwrap_or_default();
        values.sort_by_key(|value| value[1].as_str().unwrap_or_default().to_owned());
        all.extend(values.iter().map(|value| {
            let last = value.as_array().and_then(|value| value.last()).cloned().unwrap_or(Json::Null);
            json!({"category": metric["name"], "name": value[0], "value": last})
        }));
    }
    all
}

/// Seconds that the run took: the total of the metric of times.
fn duration(report: &Map<String, Json>) -> f64 {
    let values = report.get("metrics").and_then(|metrics| metrics["time"]["values"].as_array());
    let total = values.into_iter().flatten().find(|value| value[0] == "total");
    total.and_then(|total| total[2].as_f64()).unwrap_or(0.0)
}

fn resources(report: &Map<String, Json>, all: bool) -> Result<Vec<Json>, String> {
    let statuses = report.get("resource_statuses").and_then(Json::as_object).into_iter().flatten();
    let mut resources = Vec::new();
    for (_, status) in statuses.filter(|(_, status)| status.is_object()) {
        let given = status["events"].as_array().cloned().unwrap_or_default();
        let is_skipped = !matches!(status["skipped"], Json::Null | Json::Bool(false));
        if !all && given.is_empty() && !is_skipped {
            continue;
        }
        let events = given.iter().map(event).collect::<Result<Vec<_>, _>>()?;
        resources.push(json!({
            "skipped": status["skipped"],
            "timestamp": wire_time(&status["time"])?,
            "resource_type": status["resource_type"],
            "resource_title": text(&status["title"]),
            "file": status["file"],
            "line": status["line"],
            "containment_path": status["containment_path"],
            "corrective_change": status["corrective_change"],
            "events": events,
        }));
    }
    Ok(resources)
}

fn event(event: &Json) -> Result<Json, String> {
    Ok(json!({
        "status": event["status"],
        "timestamp": wire_time(&event["time"])?,
        "name": event["name"],
        "property": event["property"],
        "new_value": text(&event["desired_value"]),
        "old_value": text(&event["previous_value"]),
        "corrective_change": event["corrective_change"],
        "message": event["message"],
    }))
}

/// A value as Ruby's `to_s` writes it.
fn text(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => inspect(other),
    }
}

/// A value as Ruby's `inspect` writes it.
fn inspect(value: &Json) -> String {
    match value {
        Json::Null => "nil".to_owned(),
        Json::Bool(value) => value.to_string(),
        Json::Number(number) => number_text(number),
        Json::String(text) => crate::parameters::inspect(text),
        Json::Array(all) => format!("[{}]", all.iter().map(inspect).collect::<Vec<_>>().join(", ")),
        Json::Object(map) => {
            let pairs = map
                .iter()
                .map(|(key, value)| format!("{}=>{}", crate::parameters::inspect(key), inspect(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A number as Ruby writes it: floats from 1e16 on, and below 0.0001, with an exponent of at least two digits.
fn number_text(number: &Number) -> String {
    let Some(float) = number.as_f64().filter(|_| number.is_f64()) else { return number.to_string() };
    let scientific = format!("{float:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if float != 0.0 && !(-4..16).contains(&exponent) {
        let point = if mantissa.contains('.') { "" } else { ".0" };
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}{point}e{sign}{:02}", exponent.abs());
    }
    let plain = float.to_string();
    if plain.contains('.') { plain } else { format!("{plain}.0") }
}

/// A time of nine digits behind its seconds, cut to three.
fn wire_time(time: &Json) -> Result<String, String> {
    let (head, rest) = parts(time)?;
    Ok(format!("{head}.{}{}", &rest[1..4], &rest[10..]))
}

/// Date and time to the second; and the nine digits with the zone, from the point on.
fn parts(time: &Json) -> Result<(&str, &str), String> {
    let text = time.as_str().filter(|text| text.is_ascii());
    let split = text.and_then(|text| text.split_at_checked(19));
    split
        .filter(|(_, rest)| {
            rest.len() > 10 && rest.starts_with('.') && rest[1..10].bytes().all(|b| b.is_ascii_digit())
        })
        .ok_or_else(|| format!("{time} is no time"))
}

/// A time so many seconds later, by the same clock: a fraction of a millisecond is cut off.
fn later(time: &Json, seconds: f64) -> Result<String, String> {
    let (head, rest) = parts(time)?;
    let failed = || format!("{time} is no time");
    let at = bunraku::time::parse(&format!("{head}Z")).map_err(|_| failed())?;
    let fraction: i128 = rest[1..10].parse().map_err(|_| failed())?;
    let sum = at + fraction + nanoseconds(seconds);
    Ok(format!("{}{}", bunraku::time::format(sum, "%Y-%m-%dT%H:%M:%S.%L"), &rest[10..]))
}

/// Whole nanoseconds of a number of seconds, none of the bits of which are lost before they are cut off.
fn nanoseconds(seconds: f64) -> i128 {
    if !seconds.is_finite() || seconds.abs() > 1e9 {
        return 0;
    }
    let whole = seconds.floor();
    // The difference is exact, and so is its product with a power of two.
    let rest = ((seconds - whole) * 2_f64.powi(62)) as i128;
    whole as i128 * 1_000_000_000 + ((rest * 1_000_000_000) >> 62)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_texts_as_ruby_writes_them() {
        let cases = [
            (json!(null), ""),
            (json!(true), "true"),
            (json!(1e20), "1.0e+20"),
            (json!(1.5e-7), "1.5e-07"),
            (json!(0.0001), "0.0001"),
            (json!(100.0), "100.0"),
            (json!(1e15), "1000000000000000.0"),
            (json!([1, null, "a\"b"]), r#"[1, nil, "a\"b"]"#),
            (json!({"a": "b"}), r#"{"a"=>"b"}"#),
            (json!("a"), "a"),
        ];
        for (value, expected) in cases {
            assert_eq!(text(&value), expected);
        }
    }

    #[test]
    fn times_are_cut_and_added_to() {
        let time = json!("2026-12-31T23:59:59.998999999+05:30");
        assert_eq!(wire_time(&time).unwrap(), "2026-12-31T23:59:59.998+05:30");
        assert_eq!(later(&time, 0.002).unwrap(), "2027-01-01T00:00:00.000+05:30");
        assert_eq!(later(&time, 0.0).unwrap(), "2026-12-31T23:59:59.998+05:30");
        for broken in [json!(null), json!("yesterday"), json!("2026-12-31"), json!("2026-12-31T23:59:59Z")] {
            assert!(later(&broken, 1.0).is_err());
        }
        assert!(later(&json!("2026-99-31T23:59:59.000000000Z"), 1.0).is_err());
    }
}
