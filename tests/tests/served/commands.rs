//! What PuppetDB is told of reports and facts is what its own termini tell it.

use crate::reports::report;
use bunraku_server::commands::payload::{Producer, replace_facts, store_report};
use bunraku_tests::differential::rng::Rng;
use bunraku_tests::oracle::SEVEN;
use bunraku_tests::paths;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder with PuppetDB's termini: where they are installed, or of Debian's package, unpacked; none with the reason.
fn termini() -> Result<PathBuf, String> {
    let below = "usr/lib/ruby/vendor_ruby";
    let is_there = |root: &Path| root.join(below).join("puppet/reports/puppetdb.rb").exists();
    let own = paths::root().join(".cache/oracles/termini");
    for root in [Path::new("/"), &own] {
        if is_there(root) {
            return Ok(root.join(below));
        }
    }
    let said = |what: &str, error: &dyn std::fmt::Display| format!("{what}: {error}");
    let folder = tempfile::tempdir().map_err(|error| said("no folder", &error))?;
    let download = Command::new("apt-get")
        .args(["-qq", "download", "puppet-terminus-puppetdb"])
        .current_dir(folder.path())
        .stderr(Stdio::null())
        .status();
    let files = std::fs::read_dir(folder.path()).map_err(|error| said("no folder", &error))?;
    let package = files
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|end| end == "deb"));
    let package = package.ok_or_else(|| format!("apt has no puppet-terminus-puppetdb: {download:?}"))?;
    std::fs::create_dir_all(&own).map_err(|error| said("no folder", &error))?;
    let unpacked = Command::new("dpkg").arg("-x").arg(package).arg(&own).status();
    if is_there(&own) { Ok(own.join(below)) } else { Err(format!("dpkg: {unpacked:?}")) }
}

fn ask(termini: &Path, jobs: &[Value]) -> Vec<Value> {
    let mut command = SEVEN.script("puppetdb_commands.rb");
    let command = command.arg(termini).env("TZ", "UTC").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("Ruby starts");
    let lines: String = jobs.iter().map(|job| format!("{job}\n")).collect();
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("all is read");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn producer() -> Producer {
    Producer { name: "server.example.com".to_owned(), time: "2026-01-02T03:04:05.678Z".to_owned() }
}

/// The time when it was made is another one each time.
fn without_time(mut payload: Value) -> Value {
    if let Some(payload) = payload.as_object_mut() {
        payload.remove("producer_timestamp").expect("it has one");
    }
    payload
}

#[test]
fn puppetdb_is_told_what_its_termini_tell_it() {
    let termini = match termini() {
        Ok(termini) if SEVEN.ready().is_ok() => termini,
        Ok(_) => return eprintln!("SKIPPED commands beside PuppetDB's termini: Puppet 7.23 is not here"),
        Err(why) => return eprintln!("SKIPPED commands beside PuppetDB's termini: {why}"),
    };
    let mut rng = Rng::new(11);
    let mut jobs: Vec<Value> = (0..400)
        .map(|number| json!({"report": report(&mut rng, &format!("n{number}")), "all": number % 2 == 0}))
        .collect();
    for job in jobs.iter_mut().take(100) {
        job["report"]["noop"] = Value::Null;
    }
    let trusted = json!({"authenticated": "remote", "certname": "n", "extensions": {}, "hostname": "n", "domain": null});
    for values in [
        json!({"a": 1, "b": {"c": [1, null, 2.5]}, "trusted": "mine"}),
        json!({"_puppet_inventory_1": {"packages": [["a", "1", "apt"]]}, "x": "y"}),
        json!({"_puppet_inventory_1": {}, "x": "y"}),
        json!({"_puppet_inventory_1": null}),
        json!({}),
    ] {
        let facts = json!({"name": "n", "values": values, "timestamp": "2026-01-02T03:04:05Z"});
        jobs.push(json!({"facts": facts, "trusted": trusted, "environment": "production"}));
    }
    let expected = ask(&termini, &jobs);
    assert_eq!(expected.len(), jobs.len());
    for (job, expected) in jobs.iter().zip(expected) {
        let found = match job.get("report") {
            Some(report) => {
                let report = bunraku_server::reports::form::read(report.to_string().as_bytes(), false)
                    .expect("a report");
                store_report(&report, job["all"] == true, &producer()).expect("a payload")
            }
            None => {
                let facts = job["facts"].as_object().expect("facts");
                replace_facts("n", facts, "production", &job["trusted"], &producer())
            }
        };
        assert_eq!(expected.get("error"), None, "{job:#}");
        assert_eq!(without_time(expected["payload"].clone()), without_time(found), "{job:#}");
    }
    println!("{} commands are those of PuppetDB's termini", jobs.len());
}
