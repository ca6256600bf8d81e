//! Reports made at random are kept as Puppet keeps them: real Puppet reads the same from both files.

use crate::exchange::{Answer, Case, check, configuration, puppet};
use bunraku_server::reports::Reports;
use bunraku_tests::differential::rng::Rng;
use bunraku_tests::oracle::{Oracle, seven_and_eight};
use serde_json::{Map, Value, json};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

const TEXTS: [&str; 30] = [
    "",
    " ",
    "plain",
    "a b",
    "true",
    "no",
    "~",
    "null",
    "- a",
    "a: b",
    "a #b",
    "'",
    "\"",
    "\\",
    "\n",
    "a\nb\n",
    "\ttab",
    "0x1f",
    "1",
    "1.5",
    "1e3",
    "12:30:45",
    "2026-01-02",
    "!ruby/object:Object {}",
    "&a",
    "*a",
    "\u{e4}\u{1f600}",
    "\u{7f}\u{85}\u{a0}",
    "\u{2028}\u{feff}\u{1b}[0m",
    "{sha256}0",
];

fn text(rng: &mut Rng) -> String {
    (0..1 + rng.below(3)).map(|_| TEXTS[rng.below(TEXTS.len())]).collect()
}

fn time(rng: &mut Rng) -> String {
    let zone = ["Z", "+00:00", "-07:00", "+05:30"][rng.below(4)];
    let digits = ["", ".5", ".123456789"][rng.below(3)];
    format!(
        "2026-0{}-1{}T0{}:00:0{}{digits}{zone}",
        1 + rng.below(9),
        rng.below(9),
        rng.below(9),
        rng.below(9)
    )
}

fn tags(rng: &mut Rng) -> Value {
    (0..rng.below(4)).map(|_| ["class", "file", "t"][rng.below(3)]).collect()
}

fn scalar(rng: &mut Rng) -> Value {
    match rng.below(6) {
        0 => Value::Null,
        1 => Value::from(rng.below(2) == 0),
        2 => Value::from(rng.below(1 << 40)),
        3 => json!([2.2293e-05, 1e-7, 1e300, 0.5, 123456789.25, 1e20][rng.below(6)]),
        _ => Value::from(text(rng)),
    }
}

fn event(rng: &mut Rng) -> Value {
    let mut event = json!({
        "audited": rng.below(2) == 0, "property": text(rng), "previous_value": scalar(rng),
        "desired_value": scalar(rng), "historical_value": scalar(rng), "message": text(rng), "name": "content_changed",
        "status": (["success", "failure", "noop", "audit"][rng.below(4)]), "time": time(rng),
        "redacted": rng.below(2) == 0, "corrective_change": rng.below(2) == 0,
    });
    if rng.below(3) == 0
        && let Some(event) = event.as_object_mut()
    {
        event.remove(["redacted", "historical_value", "audited"][rng.below(3)]);
    }
    event
}

fn status(rng: &mut Rng, title: &str) -> Value {
    let flag = |rng: &mut Rng| Value::from(rng.below(3) == 0);
    json!({
        "title": title, "file": if rng.below(2) == 0 { Value::Null } else { text(rng).into() }, "line": rng.below(99),
        "resource": format!("File[{title}]"), "resource_type": "File", "provider_used": "posix",
        "containment_path": ["Stage[main]", text(rng)],
        "evaluation_time": ([0.001, 1e-5, 12.5, 3.0][rng.below(4)]), "tags": tags(rng), "time": time(rng),
        "failed": flag(rng), "failed_to_restart": if rng.below(2) == 0 { Value::Null } else { flag(rng) },
        "changed": flag(rng), "out_of_sync": flag(rng), "skipped": flag(rng), "change_count": rng.below(3),
        "out_of_sync_count": rng.below(3), "corrective_change": flag(rng),
        "events": (0..rng.below(3)).map(|_| event(rng)).collect::<Vec<_>>(),
    })
}

/// A report of format 12, as an agent might send it.
pub fn report(rng: &mut Rng, host: &str) -> Value {
    let logs: Vec<Value> = (0..rng.below(5))
        .map(|_| {
            json!({
                "level": (["notice", "err", "warning", "debug"][rng.below(4)]), "message": text(rng),
                "source": text(rng), "tags": tags(rng), "time": time(rng), "file": Value::Null,
                "line": if rng.below(2) == 0 { Value::Null } else { 7.into() },
            })
        })
        .collect();
    let mut statuses = Map::new();
    for number in 0..rng.below(6) {
        let title = format!("/{number}{}", text(rng));
        let status = status(rng, &title);
        statuses.insert(format!("File[{title}]"), status);
    }
    let metrics = json!({
        "time": {"name": "time", "label": "Time", "values": [["file", "File", 2.2293e-05], ["total", "Total", 1.5 + rng.below(9) as f64]]},
        "resources": {"name": "resources", "label": "Resources", "values": [["total", "Total", rng.below(99)]]},
        "changes": {"name": "changes", "values": []},
    });
    let mut report = json!({
        "host": host, "time": time(rng), "configuration_version": scalar(rng), "transaction_uuid": "0175ba94-ae58-4a76",
        "report_format": 12, "puppet_version": "7.23.0", "status": (["failed", "changed", "unchanged"][rng.below(3)]),
        "transaction_completed": rng.below(2) == 0, "noop": rng.below(2) == 0, "noop_pending": rng.below(2) == 0,
        "environment": "production", "logs": logs, "metrics": metrics, "resource_statuses": statuses,
        "corrective_change": rng.below(2) == 0,
    });
    for name in ["server_used", "catalog_uuid", "code_id", "job_id", "cached_catalog_status"] {
        if rng.below(2) == 0 {
            report[name] = if rng.below(3) == 0 { Value::Null } else { text(rng).into() };
        }
    }
    report
}

/// What real Puppet reads from files of reports.
fn read(oracle: Oracle, files: &[PathBuf]) -> Vec<Value> {
    let mut command = oracle.script("reports.rb");
    let command = command.env("TZ", "UTC").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("Ruby starts");
    let lines: String = files.iter().map(|file| format!("{}\n", file.display())).collect();
    child.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("it is read");
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let read: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(read.len(), files.len(), "Puppet could not read all of them");
    read
}

/// The one report of each host.
fn kept(folder: &Path, hosts: &[String]) -> Vec<PathBuf> {
    let of = |host: &String| {
        let folder = folder.join("reports").join(host);
        let mut files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        files.next().expect("a report").expect("it can be read").path()
    };
    hosts.iter().map(of).collect()
}

#[test]
fn reports_are_kept_as_puppet_does() {
    let hosts: Vec<String> = (0..120).map(|number| format!("n{number}.example.com")).collect();
    let mut rng = Rng::new(7);
    let mut cases: Vec<Case> = hosts
        .iter()
        .map(|host| {
            let url = format!("/puppet/v3/report/{host}?environment=production");
            Case::put(url, "application/json", report(&mut rng, host).to_string())
        })
        .collect();
    let first = String::from_utf8(cases[0].body.clone()).expect("JSON");
    for (url, content_type) in [
        ("other?environment=production", "application/json"),
        ("n0.example.com?environment=none", "application/json"),
        ("n0.example.com", "application/json"),
        ("n0.example.com?environment=production", "text/yaml"),
    ] {
        cases.push(Case::put(format!("/puppet/v3/report/{url}"), content_type, first.clone()));
    }
    for oracle in seven_and_eight("reports") {
        let folders = [0, 1].map(|_| tempfile::tempdir().expect("a folder"));
        for folder in &folders {
            fs::create_dir_all(folder.path().join("environments/production")).expect("folders can be made");
        }
        let settings = [("reports", "store")];
        let expected = puppet(oracle, folders[0].path(), &settings, &cases);
        let reports = Reports::new(&configuration(oracle, folders[1].path(), &settings)).expect("reports");
        let answer = |case: &Case| {
            let (request, _, rest) = case.request();
            Answer::of(reports.save(&request, &rest))
        };
        check(oracle, &cases, &expected, &cases.iter().map(answer).collect::<Vec<_>>());
        let [theirs, ours] = folders.each_ref().map(|folder| read(oracle, &kept(folder.path(), &hosts)));
        for (theirs, ours) in theirs.iter().zip(&ours) {
            assert_eq!(theirs, ours, "{theirs:#}\n{ours:#}");
        }
    }
}
