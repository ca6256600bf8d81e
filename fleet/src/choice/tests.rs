//! Which nodes are meant by what.

use super::*;
use bunraku::{Certificates, Environment, Node, Settings};
use std::fs;

/// Nodes `web1`, `web2`, `db1` (of another kind) and `bad1`, which does not compile.
fn keep(choice: &Choice) -> Result<(Vec<String>, Chosen), String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, role, tier) in [("web1", "web", 1), ("web2", "web", 2), ("db1", "db", 1), ("bad1", "bad", 1)] {
        let facts = format!(
            r#"{{"role": "{role}", "site": {{"tier": {tier}, "on": true, "names": ["{name}", "x"]}}}}"#
        );
        fs::write(folder.path().join(format!("{name}.json")), facts).unwrap();
    }
    let environment = Environment::of_code(
        "class web { notify { \"hello ${trusted['certname']}\": } } class db { } class bad { fail(\"no ${trusted['certname']}\") }
         include $facts['role']",
    );
    let compiler = Compiler::new();
    let mut nodes = Nodes::open(folder.path().to_str().unwrap(), &Certificates::default()).unwrap();
    let chosen = choice.keep(&mut nodes, 2, |known, see| {
        let node = Node::new(&known.name).with_facts(known.facts.clone());
        let target = Target { environment: environment.clone(), node, settings: Settings::default() };
        show(&compiler, &target, see)
    });
    chosen.map(|chosen| (nodes.names().to_vec(), chosen))
}

fn names(choice: &Choice) -> Vec<String> {
    keep(choice).unwrap().0
}

fn pattern(text: &str) -> Pattern {
    Pattern::read(text).unwrap()
}

#[test]
fn patterns_are_globs_or_expressions() {
    for (text, fitting, other) in [
        ("web*", "web1.example.com", "aweb1"),
        ("web?", "web1", "web11"),
        ("{web,db}[0-9]", "db1", "app1"),
        ("web[!1]", "web2", "web1"),
        ("a.b", "a.b", "axb"),
        ("/^web\\d+$/", "web10", "web"),
        ("/eb/", "web10", "db"),
        ("a[", "a[", "a"),
    ] {
        assert!(pattern(text).fits(fitting), "{text} {fitting}");
        assert!(!pattern(text).fits(other), "{text} {other}");
    }
    assert!(Pattern::read("/(/").unwrap_err().starts_with("\"/(/\" is no pattern: "));
    assert!(Pattern::read("{a").is_err());
}

#[test]
fn nodes_are_named_in_several_ways_at_once() {
    let choice = Choice { names: vec!["db1".into()], patterns: vec![pattern("*2")], ..Choice::default() };
    assert_eq!(names(&choice), ["db1", "web2"]);
    let missing = Choice { names: vec!["db2".into()], ..Choice::default() };
    assert!(keep(&missing).unwrap_err().starts_with("There is no node db2 in /"));
    let none = Choice { patterns: vec![pattern("app*")], ..Choice::default() };
    assert!(keep(&none).unwrap_err().ends_with(" fits app*"));
    let query = Choice { query: Some("nodes[certname] {}".into()), ..Choice::default() };
    assert!(keep(&query).unwrap_err().starts_with("A query can be asked of puppetdb:URL only"));
}

#[test]
fn facts_are_asked_for_by_path() {
    let facts = |all: &[&str]| Choice {
        facts: all.iter().map(|text| FactIs::read(text).unwrap()).collect(),
        ..Choice::default()
    };
    assert_eq!(names(&facts(&["site.tier=1"])), ["bad1", "db1", "web1"]);
    assert_eq!(names(&facts(&["site.tier=1", "role=w*"])), ["web1"]);
    assert_eq!(names(&facts(&["site.names=web2"])), ["web2"]);
    assert_eq!(names(&facts(&["site.names.0=/^db/"])), ["db1"]);
    assert_eq!(names(&facts(&["site.on"])).len(), 4);
    assert_eq!(keep(&facts(&["site.off"])).unwrap_err(), "No node is what was asked for");
    assert!(FactIs::read("=1").is_err());
}

#[test]
fn classes_and_resources_are_those_of_the_catalog() {
    let class = Choice { classes: vec!["::Web".into()], ..Choice::default() };
    let (found, chosen) = keep(&class).unwrap();
    assert_eq!(found, ["web1", "web2"]);
    assert_eq!(chosen.failed.keys().collect::<Vec<_>>(), ["bad1"]);
    let resource =
        |text: &str| Choice { resources: vec![ResourceIs::read(text).unwrap()], ..Choice::default() };
    assert_eq!(names(&resource("Notify[hello web2]")), ["web2"]);
    assert_eq!(names(&resource("notify")), ["web1", "web2"]);
    assert_eq!(names(&resource("Class[::web]")), ["web1", "web2"]);
    assert!(keep(&resource("Notify[x]")).unwrap_err().ends_with("; 1 do not compile"));
    for wrong in ["Notify[x", "[x]", "a b[x]"] {
        assert!(ResourceIs::read(wrong).unwrap_err().ends_with("is no Type[title]"), "{wrong}");
    }
}

#[test]
fn one_of_each_kind_stands_for_the_others() {
    let (found, chosen) = keep(&Choice { one_per_kind: true, ..Choice::default() }).unwrap();
    assert_eq!(found, ["bad1", "db1", "web1"]);
    let kinds: Vec<_> = chosen.kinds.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(kinds, [("bad1", 1), ("db1", 1), ("web1", 2)]);
    assert!(chosen.failed["bad1"].contains("no NODE"), "{:?}", chosen.failed);
}
