//! What a compile has asked of its node's facts tells whom a change of facts can touch: whatever is changed in them, a node that
//! gets another catalog, other logs or another error has asked for something that differs.
//!
//! `AFFECTED_FACT_CHANGES` says how many changes are tried on each tree, `AFFECTED_SEED` where they begin; `AFFECTED_REPORT=1`
//! prints how many compiles were touched beside those that changed.

use bunraku::bench::Target;
use bunraku::{Compiler, Environment, Facts, Node, NodeChange, Reads, Settings};
use bunraku_tests::corpus::fetch;
use bunraku_tests::differential::rng::Rng;
use bunraku_tests::{control_repo, hiera_repo, paths};
use serde_json::{Map, Value as Json, json};

/// What compiles that are the same have in common: the catalog without what is new each time, or the error; and the logs.
fn outcome(compiler: &Compiler, target: &Target) -> (String, Reads) {
    let compiled = compiler.trial(target);
    let text = match compiled.result {
        Ok(catalog) => {
            let mut json: Json = serde_json::from_str(catalog.to_json()).expect("a catalog is JSON");
            let head = json.as_object_mut().expect("a catalog is an object");
            head.remove("version");
            head.remove("catalog_uuid");
            json.to_string()
        }
        Err(error) => error.to_string(),
    };
    let logs: Vec<String> = compiled.logs.into_iter().map(|log| log.message).collect();
    (format!("{text}\n{}", logs.join("\n")), compiled.reads.expect("the settings ask for it"))
}

fn with_facts(target: &Target, facts: &Json) -> Target {
    let facts = Facts::from_json(&facts.to_string()).expect("they are facts");
    Target { node: target.node.clone().with_facts(facts), ..target.clone() }
}

/// A tree with its nodes.
struct Site {
    name: &'static str,
    /// Each with its facts.
    targets: Vec<(Target, Json)>,
}

impl Site {
    fn new(
        name: &'static str,
        nodes: &[&str],
        environment: &Environment,
        settings: &Settings,
        facts: impl Fn(&str) -> Json,
    ) -> Site {
        let settings = Settings { reads: true, ..settings.clone() };
        let targets = nodes.iter().map(|name| {
            let facts = facts(name);
            let node = Node::new(name);
            let plain = Target { environment: environment.clone(), node, settings: settings.clone() };
            (with_facts(&plain, &facts), facts)
        });
        Site { name, targets: targets.collect() }
    }

    fn fixture() -> Site {
        let repo = paths::root().join("fixtures/control-repo");
        let facts = |name: &str| read(&repo.join(format!("facts/{name}.json")));
        let nodes = ["db01.example.com", "web01.example.com"];
        Site::new("fixture", &nodes, &Environment::at(&repo), &Settings::default(), facts)
    }

    fn hiera() -> Site {
        let repo = hiera_repo::repo();
        let facts = |name: &str| {
            let mut facts = read(&repo.join(format!("facts/{name}.json")));
            facts["keys"] = repo.join("keys").to_string_lossy().into();
            facts
        };
        let environment = Environment::at(&repo).with_hiera_config(repo.join("global/hiera.yaml"));
        Site::new("hiera", &hiera_repo::NODES, &environment, &Settings::default(), facts)
    }

    fn modules() -> Site {
        let environment = Environment::at(control_repo::root()).with_modulepath(control_repo::modulepath());
        let settings = Settings::of_compat(bunraku::Compat::V7);
        let facts = |name: &str| read(&control_repo::facts(name));
        Site::new("modules", &control_repo::NODES, &environment, &settings, facts)
    }

    /// Tries so many changes, each on one node. The answer: those that were missed; how many changed something; how many touched.
    fn try_changes(&self, count: usize, seed: u64) -> (Vec<String>, usize, usize) {
        let (compiler, mut random) = (Compiler::new().with_fixed_environments(), Rng::new(seed));
        let usual: Vec<_> = self.targets.iter().map(|(target, _)| outcome(&compiler, target)).collect();
        let again: Vec<_> = self.targets.iter().map(|(target, _)| outcome(&compiler, target)).collect();
        assert_eq!(usual, again, "{}: not the same the second time", self.name);
        let (mut wrong, mut changed, mut touched) = (Vec::new(), 0, 0);
        for number in 0..count {
            let which = random.below(self.targets.len());
            let ((before, facts), (usual, reads)) = (&self.targets[which], &usual[which]);
            // Most often something that code has asked for.
            let tries = if random.chance(70) { 60 } else { 1 };
            let (what, after) = (0..tries)
                .map(|_| {
                    let (what, facts) = change(&mut random, facts);
                    (what, with_facts(before, &facts))
                })
                .enumerate()
                .find(|(at, (_, after))| {
                    *at + 1 == tries || !NodeChange::between(before, after).met_by(&reads.touches).is_empty()
                })
                .expect("the last is taken in any case")
                .1;
            let change = NodeChange::between(before, &after);
            assert!(!change.is_empty() && !change.others, "{what}");
            let met = !change.met_by(&reads.touches).is_empty();
            let differs = outcome(&compiler, &after).0 != *usual;
            (changed, touched) = (changed + usize::from(differs), touched + usize::from(met));
            if differs && !met {
                wrong.push(format!("{} {number} {}: {what}", self.name, before.node.name()));
            }
        }
        (wrong, changed, touched)
    }
}

fn read(file: &std::path::Path) -> Json {
    let text = std::fs::read_to_string(file).expect("there are facts");
    serde_json::from_str(&text).expect("facts are JSON")
}

/// Facts in which one thing is another, and which.
fn change(random: &mut Rng, facts: &Json) -> (String, Json) {
    let mut changed = facts.clone();
    let mut at = changed.as_object_mut().expect("facts are a map");
    let mut path = Vec::new();
    loop {
        let keys: Vec<String> = at.keys().cloned().collect();
        if keys.is_empty() || random.chance(4) {
            let name = random.pick(&["added", "family", "ip", "role", "osfamily", "datacenter"]);
            at.insert(format!("{name}{}", if at.contains_key(name) { "_2" } else { "" }), json!("new"));
            return (format!("{}.{name} added", path.join(".")), changed);
        }
        let key = keys[random.below(keys.len())].clone();
        path.push(key.clone());
        let goes_on = at[&key].as_object().is_some_and(|within| !within.is_empty()) && random.chance(85);
        if goes_on {
            at = at.get_mut(&key).and_then(Json::as_object_mut).expect("it is a map");
            continue;
        }
        let how = change_value(random, at, &key);
        return (format!("{} {how}", path.join(".")), changed);
    }
}

fn change_value(random: &mut Rng, map: &mut Map<String, Json>, key: &str) -> &'static str {
    match random.below(8) {
        0 => {
            map.shift_remove(key);
            "removed"
        }
        1 => {
            let value = if map[key].is_object() { json!("a text") } else { json!({"a": "hash"}) };
            map.insert(key.to_owned(), value);
            "of another kind"
        }
        2 if map.len() > 1 && map.keys().next_back().is_some_and(|last| last != key) => {
            let value = map.shift_remove(key).expect("it is there");
            map.insert(key.to_owned(), value);
            "at another place"
        }
        _ => {
            let value = match &map[key] {
                Json::String(text) => match random.pick(&["x", "Debian", "RedHat", "12"]) {
                    other if other != text => json!(other),
                    _ => json!("y"),
                },
                Json::Number(number) => json!(number.as_f64().unwrap_or(0.0) as i64 + 7),
                Json::Bool(value) => json!(!value),
                Json::Array(items) => [&items[..], &[json!("more")]].concat().into(),
                _ => json!("other"),
            };
            map.insert(key.to_owned(), value);
            "changed"
        }
    }
}

fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).map_or(usual, |text| text.parse().expect("a number"))
}

fn none_is_missed(site: &Site, changes: usize) {
    let (changes, seed) = (number("AFFECTED_FACT_CHANGES", changes), number("AFFECTED_SEED", 1));
    let (wrong, changed, touched) = site.try_changes(changes, seed as u64);
    if std::env::var_os("AFFECTED_REPORT").is_some() {
        eprintln!("{}: {changes} changes, {changed} catalogs changed, {touched} touched", site.name);
    }
    assert!(changed > changes / 20, "{}: hardly a change changes anything: {changed}", site.name);
    assert!(touched < changes, "{}: every change touches", site.name);
    assert!(wrong.is_empty(), "{} changed without being touched:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_node_of_the_fixture_is_missed() {
    none_is_missed(&Site::fixture(), 350);
}

#[test]
fn no_node_with_data_at_many_levels_is_missed() {
    none_is_missed(&Site::hiera(), 350);
}

#[test]
fn no_node_over_the_corpus_is_missed() {
    match fetch::fetch() {
        Ok(_) => none_is_missed(&Site::modules(), 300),
        Err(reason) => eprintln!("SKIPPED changes of facts over the corpus' modules: {reason}"),
    }
}

/// Ways to look at facts: code, what a change of touches it, what a change of does not.
const WAYS: &[(&str, &[&str], &[&str])] = &[
    ("notify { $facts['os']['family']: }", &["os.family", "os"], &["os.name", "os.release.full", "kernel"]),
    (
        "notify { \"${facts['os']['release']['major']}\": }",
        &["os.release.major", "os.release"],
        &["os.release.full"],
    ),
    ("notify { $osfamily: }", &["osfamily"], &["os.family", "kernel"]),
    ("notify { $::osfamily: }", &["osfamily"], &["os.family"]),
    ("notify { $os['name']: }", &["os.name"], &["os.family", "osfamily"]),
    ("$x = $facts['os']\nnotify { $x['family']: }", &["os.family"], &["os.name"]),
    (
        "notify { $facts.dig('os', 'release', 'full'): }",
        &["os.release.full"],
        &["os.release.major", "os.name"],
    ),
    ("notify { getvar('facts.os.family'): }", &["os.family"], &["os.name", "kernel"]),
    ("notify { $facts.get('os.family'): }", &["os.family"], &["os.name"]),
    ("notify { get($facts, 'os.nothing', 'none'): }", &["os.nothing"], &["os.name", "os.family"]),
    ("notify { \"${facts['nothing']}\": }", &["nothing"], &["kernel", "os"]),
    ("notify { \"x${$facts['os']['nothing']}\": }", &["os.nothing", "os"], &["os.name"]),
    (
        "$facts.each |$name, $value| { notify { $name: message => String($value) } }",
        &["kernel", "os.family", "new"],
        &[],
    ),
    ("$facts['os'].each |$name, $value| { notify { $name: } }", &["os.family", "os.new"], &["kernel", "new"]),
    ("notify { String($facts['os']['release']): }", &["os.release.full", "os.release.major"], &["os.name"]),
    ("notify { 'x': message => $facts['os'] }", &["os.name", "os.release.full"], &["kernel"]),
    ("notify { String($facts['list'][0]): }", &["list"], &["os.name", "kernel"]),
    ("if 'kernel' in $facts { notify { 'x': } }", &["kernel"], &[]),
    (
        "case $facts['os']['family'] { 'Debian': { notify { $facts['kernel']: } } default: { } }",
        &["os.family", "kernel"],
        &["os.name"],
    ),
    (
        "if $facts['os']['family'] == 'RedHat' { notify { $facts['kernel']: } }",
        &["os.family"],
        &["kernel", "os.name"],
    ),
    (
        "class c(Hash $all) { notify { $all['os']['name']: } }\nclass { 'c': all => $facts }",
        &["os.name", "kernel"],
        &[],
    ),
    (
        "function f($all) { $all['os']['name'] }\nnotify { f($facts): }",
        &["os.name"],
        &["kernel", "os.family"],
    ),
    ("[1].each |$n| { notify { $facts['kernel']: } }", &["kernel"], &["osfamily"]),
    ("notify { inline_epp('<%= $facts[\"os\"][\"family\"] %>'): }", &["os.family"], &["os.name", "kernel"]),
    ("notify { inline_template('<%= @kernel %>'): }", &["kernel"], &["os.name", "osfamily"]),
    ("notify { inline_template('<%= @os[\"family\"] %>'): }", &["os.family"], &["kernel", "osfamily"]),
    ("notify { inline_template('<%= scope[\"facts\"][\"kernel\"] %>'): }", &["kernel"], &[]),
    ("notify { inline_template('<%= scope.lookupvar(\"::kernel\") %>'): }", &["kernel"], &["os.name"]),
    ("if defined('$nothing') { notify { 'x': } }", &["nothing"], &["kernel"]),
    (
        "$kernel_is = $facts['kernel'] ? { 'Linux' => 'l', default => 'o' }\nnotify { $kernel_is: }",
        &["kernel"],
        &["os"],
    ),
    ("$x = $facts + { 'a' => 1 }\nnotify { String($x['a']): }", &["kernel", "os.name"], &[]),
    ("notify { 'nothing of facts': }", &[], &["kernel", "os", "os.family", "list", "new"]),
];

#[test]
fn facts_are_told_as_deep_as_code_looks() {
    let facts = json!({
        "kernel": "Linux", "osfamily": "Debian", "list": ["a", "b"],
        "os": {"family": "Debian", "name": "Debian", "release": {"major": "12", "full": "12.5"}},
    });
    let compiler = Compiler::new();
    let settings = Settings { reads: true, ..Settings::default() };
    for (code, touching, others) in WAYS {
        let plain = Target {
            environment: Environment::of_code(*code),
            node: Node::new("n.example.com"),
            settings: settings.clone(),
        };
        let before = with_facts(&plain, &facts);
        let (usual, reads) = outcome(&compiler, &before);
        let is_touched = |path: &str| {
            let mut facts = facts.clone();
            let pointer = format!("/{}", path.replace('.', "/"));
            match facts.pointer_mut(&pointer) {
                Some(value) => *value = json!("another"),
                None => {
                    let (within, name) = pointer.rsplit_once('/').expect("it begins with one");
                    facts.pointer_mut(within).expect("it is there")[name] = json!("another");
                }
            }
            let after = with_facts(&before, &facts);
            let met = !NodeChange::between(&before, &after).met_by(&reads.touches).is_empty();
            assert!(met || outcome(&compiler, &after).0 == usual, "{code}: {path} is missed");
            met
        };
        for path in *touching {
            assert!(is_touched(path), "{code}: {path} touches");
        }
        for path in *others {
            assert!(!is_touched(path), "{code}: {path} does not touch: {usual}");
        }
    }
}

#[test]
fn trusted_data_is_told_as_deep_as_code_looks() {
    let target = |code: &str, domain: &str, role: &str| {
        let extensions = json!({"pp_role": role}).to_string();
        let extensions = Facts::from_json(&extensions).expect("it is a map").to_data();
        let trusted = [("domain".to_owned(), domain.into()), ("extensions".to_owned(), extensions)];
        Target {
            environment: Environment::of_code(code),
            node: Node::new("n.example.com").with_trusted(&trusted),
            settings: Settings { reads: true, ..Settings::default() },
        }
    };
    let compiler = Compiler::new();
    let code = "notify { $trusted['extensions']['pp_role']: }";
    let before = target(code, "one", "web");
    let (_, reads) = outcome(&compiler, &before);
    let met = |after: &Target| {
        let change = NodeChange::between(&before, after);
        change.met_by(&reads.touches).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(met(&target(code, "one", "db")), ["trusted.extensions.pp_role"]);
    assert!(met(&target(code, "two", "web")).is_empty());
}
