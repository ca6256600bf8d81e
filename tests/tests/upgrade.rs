//! `bunraku upgrade` over `fixtures/upgrade`: each node has one cause, which is held against what real Puppet of the newer
//! version refuses or does otherwise.
//!
//! `UPDATE=1` writes the goldens of the report's forms anew, from Bunraku: the states in them are the oracles', by
//! `states_are_what_the_oracles_do`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;

use bunraku_tests::canonical::{self, Places};
use bunraku_tests::corpus::{self, fetch};
use bunraku_tests::oracle::Oracle;
use bunraku_tests::{bunraku, compare, golden, paths};
use serde_json::{Value, json};

/// A node's one cause on the way from 7 to 8: its kind, its subject, its place.
const CAUSES: &[(&str, &str, &str, &str)] = &[
    ("fact", "legacy-fact", "osfamily", "modules/causes/manifests/fact.pp:3"),
    (
        "fact-of-hash",
        "legacy-fact",
        "operatingsystemmajrelease",
        "modules/causes/manifests/fact_of_hash.pp:3",
    ),
    ("fact-in-erb", "legacy-fact", "architecture", "modules/causes/templates/fact.erb:2"),
    ("fact-in-ruby", "legacy-fact", "lsbdistcodename", "modules/causes/manifests/fact_in_ruby.pp:3"),
    ("fact-in-epp", "legacy-fact", "processor0", "modules/causes/templates/fact.epp:2"),
    ("data-fact", "legacy-fact", "hostname", "data/common.yaml:2"),
    ("data-unknown", "undefined-variable", "nobody_knows", "data/common.yaml:3"),
    ("unknown", "unknown-variable", "nobody_set", "modules/causes/manifests/unknown.pp:3"),
    ("unknown-in-erb", "undefined-variable", "nobody_set_this", "modules/causes/templates/unknown.erb:1"),
    ("coercion", "numeric-coercion", "", "modules/causes/manifests/coercion.pp:4"),
    ("key", "static-error", "The key 'a' is declared more than once", "modules/causes/manifests/key.pp:5"),
    (
        "type-key",
        "static-error",
        "The key 'integer' is declared more than once",
        "modules/causes/manifests/type_key.pp:5",
    ),
    ("override", "override-of-evaluated-resource", "", "modules/causes/manifests/late.pp:3"),
    ("versions", "versions-are-compared", "", "modules/causes/manifests/versions.pp:3"),
    ("pairs", "added-lists-are-of-pairs", "", "modules/causes/manifests/pairs.pp:3"),
    ("setting", "setting", "strict_variables", "modules/causes/manifests/setting.pp:3"),
    ("metadata", "metadata-without-json", "mistaken", "modules/mistaken/metadata.json:null"),
    ("lookahead", "node-patterns-spell-lookaround", "", "manifests/site.pp:22"),
];

/// Causes of nodes that look keys up: `%{::osfamily}` is in the hierarchy that all of them have.
const LEVEL: &[(&str, &str)] =
    &[("legacy-fact", "osfamily"), ("hiera-level-without-legacy-fact", "data/osfamily/Debian.yaml")];

fn repo() -> PathBuf {
    paths::root().join("fixtures/upgrade")
}

fn upgrade(more: &[&str]) -> Output {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    command.args(["upgrade", "--no-config", "--environment_name", "production", "--environment"]).arg(repo());
    command.arg("--factpath").arg(repo().join("facts")).args(more);
    command.output().expect("Bunraku starts")
}

/// A text without this machine's paths.
fn plain(text: &[u8]) -> String {
    String::from_utf8_lossy(text).replace(&format!("{}/", repo().display()), "")
}

fn report(from: u8, to: u8, more: &[&str]) -> Value {
    let versions = [format!("--from={from}"), format!("--to={to}")];
    let mut arguments = vec![versions[0].as_str(), &versions[1], "--format=json"];
    arguments.extend(more);
    let output = upgrade(&arguments);
    let text = plain(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}{}", plain(&output.stderr)))
}

fn nodes() -> Vec<String> {
    let files = fs::read_dir(repo().join("facts")).expect("there are facts");
    let mut names: Vec<String> = files
        .map(|file| file.expect("a file").path().file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

#[test]
fn each_cause_is_found_with_its_place() {
    let report = report(7, 8, &[]);
    let mut found: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
    let mut places: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for cause in report["causes"].as_array().expect("causes") {
        let key = (text(cause, "kind").to_owned(), text(cause, "subject").to_owned());
        for node in cause["nodes"].as_array().expect("nodes") {
            let node = node.as_str().unwrap_or_default().trim_end_matches(".example.com").to_owned();
            found.entry(node).or_default().insert(key.clone());
        }
        for place in cause["places"].as_array().expect("places") {
            let place = format!("{}:{}", text(&place["place"], "file"), place["place"]["line"]);
            places.entry(key.clone()).or_default().insert(place);
        }
    }
    let key = |kind: &str, subject: &str| (kind.to_owned(), subject.to_owned());
    let level: BTreeSet<_> = LEVEL.iter().map(|(kind, subject)| key(kind, subject)).collect();
    let no_hash = [key("data-file-without-hash", "data/list/no-hash.example.com.yaml")];
    let mut of_all = level.clone();
    for (node, kind, subject, place) in CAUSES {
        let own = key(kind, subject);
        let mut expected = BTreeSet::from([own.clone()]);
        // Whatever class has parameters asks Hiera, and so does a defined type's.
        if ["data-fact", "data-unknown"].contains(node) {
            expected.extend(level.clone());
        }
        let others: BTreeSet<_> = found.get(*node).cloned().unwrap_or_default();
        assert_eq!(others, expected, "{node}");
        assert!(places[&own].contains(*place), "{node}: {place} is not in {:?}", places[&own]);
        if *node != "lookahead" {
            of_all.insert(own);
        }
    }
    assert_eq!(found["level"], level);
    assert_eq!(found["no-hash"], level.iter().cloned().chain(no_hash).collect());
    of_all.insert(key("data-file-without-hash", "data/list/all.example.com.yaml"));
    assert_eq!(found["all"], of_all, "one node with all causes has each of them");
    assert!(!found.contains_key("clean"), "{:?}", found.get("clean"));
    assert!(!found.contains_key("encoding"), "8 only warns: {:?}", found.get("encoding"));
}

/// What a version makes of each node: the catalog or the error, in canonical form. Each version is asked once, however many tests want to
/// know. Its agents send the facts that they usually do: legacy ones by 7 only.
fn by_oracle(number: u8) -> Option<&'static [Value]> {
    static KNOWN: [OnceLock<Option<Vec<Value>>>; 3] = [const { OnceLock::new() }; 3];
    KNOWN[usize::from(number) - 7].get_or_init(|| ask_oracle(number)).as_deref()
}

fn ask_oracle(number: u8) -> Option<Vec<Value>> {
    let oracle = Oracle::of(&number.to_string()).expect("there is one");
    if let Err(why) = oracle.ready() {
        eprintln!("SKIPPED upgrades with {number}: {why}");
        return None;
    }
    let version = ["7.23.0", "8.10.0", "9.0.0-rc1"][usize::from(number) - 7];
    let settings = match number {
        7 => json!({ "strict": "warning", "strict_variables": false }),
        _ => json!({ "strict": "error", "strict_variables": true }),
    };
    let jobs: Vec<Value> = nodes()
        .iter()
        .map(|node| {
            let file = repo().join("facts").join(format!("{node}.json"));
            let text = fs::read_to_string(file).expect("facts can be read");
            let mut facts: Value = serde_json::from_str(&text).expect("facts are JSON");
            if number != 7 {
                let structured = ["networking", "os", "processors"];
                facts.as_object_mut().expect("a map").retain(|name, _| structured.contains(&name.as_str()));
            }
            facts["clientcert"] = node.as_str().into();
            facts["clientversion"] = version.into();
            facts["clientnoop"] = false.into();
            json!({
                "id": node, "node": node, "facts": facts, "settings": settings,
                "environment": repo(), "environment_name": "production",
            })
        })
        .collect();
    let mut results = oracle.collect(&jobs);
    let places = Places::new(vec![(format!("{}/", repo().display()), "")]);
    results.iter_mut().for_each(|result| canonical::normalise(result, &places));
    Some(results)
}

/// What differs between two catalogs, but for what an agent does not heed: tags, places, the order of resources.
fn state(before: &Value, after: &Value) -> (&'static str, String) {
    let ok = |result: &Value| result["ok"] == Value::Bool(true);
    let message = |result: &Value| text(&result["error"], "message").to_owned();
    match (ok(before), ok(after)) {
        (false, _) => ("failed before", message(before)),
        (true, false) => ("fails", message(after)),
        (true, true) => {
            let found = compare::differences(before, after);
            let heeded = found
                .iter()
                .any(|one| !["tags", "order", "line", "JSON"].iter().any(|word| one.cause.contains(word)));
            (if heeded { "changed" } else { "same" }, String::new())
        }
    }
}

/// A message without the lines that say where in Ruby a template failed: an unpacked Puppet takes its own files for the
/// template's, as they do not lie where Ruby has them.
fn without_ruby_place(message: &str) -> String {
    let is_place = |line: &&str| line.starts_with("  Filepath: ") || line.starts_with("  Line: ");
    message.lines().filter(|line| !is_place(line)).collect::<Vec<_>>().join("\n")
}

fn states_from_to(from: u8, to: u8) {
    let (Some(before), Some(after)) = (by_oracle(from), by_oracle(to)) else { return };
    let report = report(from, to, &[]);
    let mut wrong = String::new();
    for ((node, before), after) in nodes().iter().zip(before).zip(after) {
        let (want, message) = state(before, after);
        let own = report["nodes"].as_array().expect("nodes").iter().find(|own| text(own, "node") == node);
        let own = own.unwrap_or(&Value::Null);
        let (got, said) = (text(own, "state"), text(&own["error"], "message"));
        if got != want || without_ruby_place(said) != without_ruby_place(&message) {
            wrong += &format!("{node}: Puppet: {want} {message}\n   ours: {got} {said}\n");
        }
    }
    assert!(wrong.is_empty(), "from {from} to {to}:\n{wrong}");
}

#[test]
fn states_from_7_to_8_are_what_the_oracles_do() {
    states_from_to(7, 8);
}

#[test]
fn states_from_8_to_9_are_what_the_oracles_do() {
    states_from_to(8, 9);
}

#[test]
fn states_from_7_to_9_are_what_the_oracles_do() {
    states_from_to(7, 9);
}

#[test]
fn causes_from_8_to_9() {
    let report = report(8, 9, &[]);
    let causes = report["causes"].as_array().expect("causes");
    let kinds: BTreeSet<&str> = causes.iter().map(|cause| text(cause, "kind")).collect();
    // Agents of 8 send no legacy facts either; and most nodes fail by 8 already.
    assert_eq!(kinds, BTreeSet::from(["regsubst-takes-encoding"]));
}

#[test]
fn agents_may_go_on_to_send_legacy_facts() {
    let report = report(7, 8, &["--include_legacy_facts"]);
    let causes = report["causes"].as_array().expect("causes");
    assert!(!causes.iter().any(|cause| text(cause, "kind").contains("legacy")));
    for own in report["nodes"].as_array().expect("nodes") {
        let name = text(own, "node");
        if name.starts_with("fact") || name.starts_with("level") {
            assert_eq!(text(own, "state"), "same", "{name}");
        }
    }
}

/// Puppet 8's packages bring `zone` along, OpenVox 9's do not; the unpacked Puppets have no such packages.
#[test]
fn types_that_packages_bring_no_more() {
    let zone = "-e=zone { 'a': }";
    let report = report(8, 9, &["clean.example.com", zone]);
    assert_eq!(report["causes"][0]["kind"], "resource-type", "{report}");
    assert_eq!(report["causes"][0]["subject"], "zone");
    assert_eq!(report["causes"].as_array().map(Vec::len), Some(1), "the failure is explained: {report}");
    assert_eq!(report["nodes"][0]["state"], "fails");
}

#[test]
fn forms_of_the_report() {
    for (form, extension) in [("text", "txt"), ("json", "json"), ("markdown", "md")] {
        let output = upgrade(&["--from=7", "--to=8", "--format", form, "--places=3"]);
        assert_eq!(output.status.code(), Some(1), "{}", plain(&output.stderr));
        golden::holds(&format!("upgrade/7-to-8.{extension}"), &plain(&output.stdout));
    }
}

/// Debian's modules are written for Puppet 5 to 7, and read legacy facts everywhere.
#[test]
fn each_class_of_the_corpus_that_breaks_has_a_cause() {
    if let Err(why) = fetch::fetch() {
        eprintln!("SKIPPED the corpus: {why}");
        return;
    }
    let summary = corpus::upgrade::run("debian12", "7", "8", &[]).expect("there is a report");
    assert!(summary.text.contains("legacy-fact"), "{}", summary.text);
    assert_eq!(summary.without_cause, Vec::<String>::new(), "{}", summary.text);
}

#[test]
fn statuses() {
    let clean = upgrade(&["--from=7", "--to=8", "clean.example.com"]);
    assert_eq!(clean.status.code(), Some(0), "{}", plain(&clean.stderr));
    for arguments in [["--from=8", "--to=7"], ["--from=8", "--to=8"], ["--from=7", "--to=6"]] {
        let output = upgrade(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", plain(&output.stderr));
    }
    let output = upgrade(&["--from=7", "--to=8", "--compat=7"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(plain(&output.stderr).contains("--from and --to in place of --compat"));
    let output = upgrade(&["--from=7", "--to=8", "--archive=a.bnr"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(plain(&output.stderr).contains("takes no --archive"));
}
