//! What PuppetDB is told of reports, facts and catalogs is what its own termini tell it.

use crate::reports::report;
use bunraku::{Compat, Compiler, Environment, Node, Settings, replace_catalog_payload};
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

/// The same, where Puppet is here, too; what is skipped is said aloud.
fn ready(what: &str) -> Option<PathBuf> {
    let why = match termini() {
        Ok(termini) if SEVEN.ready().is_ok() => return Some(termini),
        Ok(_) => "Puppet 7.23 is not here".to_owned(),
        Err(why) => why,
    };
    eprintln!("SKIPPED {what} beside PuppetDB's termini: {why}");
    None
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

/// A catalog with all that PuppetDB is not told as agents are: secrets, rich values, names, lists without an order, what is only exported.
const CATALOG: &str = r#"class cc($opts, $pw) { }
define ddd($p, $q = undef) { }
node default {
  ddd { 'x': p => { 'pw' => Sensitive('topsecret1'), 'u' => undef, 'd' => default }, q => Sensitive('topsecret2') }
  class { 'cc':
    opts => { 'deep' => { 'pw' => Sensitive('topsecret3') }, 1 => 2, '__ptype' => 'x', '__pvalue' => 'y', true => /a\/b/ },
    pw   => Sensitive('topsecret4'),
  }
  @@ddd { 'exp': p => { 'pw' => [Sensitive('topsecret5')] } }
  ddd { 'def': p => Deferred('sprintf', ['%s', 1, Deferred('x', [])]), q => [Deferred('y')] }
  ddd { 'types': p => [Integer[1, 2], String, Notify['xx'], Class['cc'], Array[String], Variant[Integer, Enum['a']],
                       Regexp[/a/], Type[Integer], Any, Timestamp, Struct[{a => Integer}], Callable[String], Sensitive[String], Optional[Notify]] }
  ddd { 'vals': p => [/a/, /a\/b/, /(?i:x)"'/, Timestamp('2020-01-01T00:00:00.123Z'), Timespan('1-02:03:04.5'), SemVer('1.2.3-a+b'),
                      SemVerRange('>=1.0.0 <2.0.0'), URI('http://a/b?c#d'), Binary('AAEC'), 1.5, 1.0e20, 12345678901234, true, undef, default, '', 'ü'] }
  ddd { 'keys': p => { Integer => 1, Notify['xx'] => 2, /re/ => 3, undef => 4, 1.5 => 5, [1, 'a'] => 6, {a => 1} => 7, default => 8,
                       Timestamp('2020-01-01') => 9, 'k' => {2 => [ {3 => 'x'} ]} } }
  ddd { 'named': name => 'other', p => 1 }
  ddd { 'al': p => 1, alias => 'one', tag => ['z', 'a', ['c', 'b']], require => [Notify['xx'], Class['cc']], audit => ['b', 'a'] }
  ddd { '5': p => 1 }
  notify { 'xx': message => Binary('AAEC'), alias => ['z', 'b'], }
  notify { 'yy': name => 'nn', loglevel => 'info' }
  notify { 'se': message => Sensitive('topsecret6'), alias => 'm' }
  file { '/s/': ensure => directory, content => undef }
  file { 'a': path => '/pp', alias => ['/pp', 'bb'], before => File['/s'] }
  package { 'p1': name => 'pn', provider => 'apt' }
  package { 'p2': name => 'pn', provider => 'gem' }
  exec { 'ex': command => '/bin/x', alias => 'eal' }
  user { 'u1': name => 'u2', before => User['u3'] }
  user { 'u3': }
  notify { 'w': require => [User['u2'], Exec['eal'], File['/s//']] }
  @@file { '/exported': content => Binary('AAEC'), tag => ['b', 'a'], require => File['/pp'] }
  @@user { 'eu': name => 'eun', alias => 'ea' }
  @notify { 'never': }
  Notify['w'] -> Class['cc'] ~> Notify['xx', 'yy']
}
"#;

/// Without what is another in each compile: the numbers of secrets among them. Puppet has tags and edges in another order.
fn comparable(mut payload: Value) -> Value {
    let all = payload.as_object_mut().expect("an object");
    all.retain(|name, _| {
        matches!(name.as_str(), "certname" | "environment" | "code_id" | "resources" | "edges")
    });
    fn without_numbers(value: &mut Value) {
        match value {
            Value::String(text) if text.starts_with("#<Sensitive [value redacted]:") => {
                *text = "#<Sensitive [value redacted]>".to_owned();
            }
            Value::Array(items) => items.iter_mut().for_each(without_numbers),
            Value::Object(map) => map.values_mut().for_each(without_numbers),
            _ => {}
        }
    }
    without_numbers(&mut payload);
    let name = |end: &Value| format!("{}[{}]", end["type"], end["title"]);
    let edge = |edge: &Value| {
        format!("{} {} {}", name(&edge["source"]), edge["relationship"], name(&edge["target"]))
    };
    payload["edges"].as_array_mut().expect("a list").sort_by_key(edge);
    for resource in payload["resources"].as_array_mut().expect("a list") {
        resource["tags"].as_array_mut().expect("a list").sort_by_key(Value::to_string);
        // What Puppet has not is not told.
        resource.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
    }
    payload
}

#[test]
fn puppetdb_is_told_of_catalogs_what_its_termini_tell_it() {
    let Some(termini) = ready("catalogs") else { return };
    let settings = Settings { compat: Compat::V7, ..Settings::default() };
    let compiled =
        Compiler::new().compile_with_exported(&Environment::of_code(CATALOG), &Node::new("n"), &settings);
    let (_, stored) = compiled.result.expect("it compiles");
    let stored: Value = serde_json::from_str(&stored.into_json()).expect("JSON");
    let found = replace_catalog_payload(&stored);
    assert!(!found.to_string().contains("topsecret"), "{found:#}");
    let expected = ask(&termini, &[json!({"code": CATALOG, "node": "n"})]).remove(0);
    assert_eq!(expected.get("error"), None);
    let (expected, found) = (comparable(expected["payload"].clone()), comparable(found));
    let both = expected["resources"]
        .as_array()
        .into_iter()
        .flatten()
        .zip(found["resources"].as_array().into_iter().flatten());
    for (expected, found) in both {
        assert_eq!(expected, found);
    }
    assert_eq!(expected, found);
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
    let Some(termini) = ready("commands") else { return };
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
