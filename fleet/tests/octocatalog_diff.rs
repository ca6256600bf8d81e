//! The comparison beside octocatalog-diff 2.1.0, where that is installed: pairs of catalogs made at random, and rules; both print the same JSON,
//! to the order of the differences. Only what stands in place of secrets differs: octocatalog-diff prints their MD5.
#![allow(clippy::disallowed_macros, reason = "a test says what it skips")]

use bunraku::{Catalog, CatalogView};
use bunraku_fleet::compare::{Filter, Ignore, Rules, Side, compare};
use bunraku_fleet::report::document;
use serde_json::{Map, Value as Json, json};
use std::process::Command;

/// Numbers at random, the same in each run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn one<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

const WORDS: &[&str] =
    &["a", "b", "c", "absent", "present", "x y", "ü", "a\nb\n", "a\nc\n", "a\nb", "{\"a\": 1}", "1"];

fn value(chance: &mut Chance, depth: u64) -> Json {
    let kinds = if depth == 0 { 5 } else { 8 };
    match chance.below(kinds) {
        0 => chance.below(4).into(),
        1 => (chance.below(2) == 0).into(),
        2 => json!(chance.below(3) as f64 + 0.5),
        3 | 4 => chance.one(WORDS).into(),
        // Lists of scalars and hashes: of a list right within a list octocatalog-diff loses the values.
        5 | 6 => {
            let count = chance.below(5);
            let inner = |chance: &mut Chance| match chance.below(3) {
                0 if depth > 1 => hash(chance, depth - 1),
                _ => value(chance, 0),
            };
            (0..count).map(|_| inner(chance)).collect()
        }
        _ => hash(chance, depth - 1),
    }
}

fn hash(chance: &mut Chance, depth: u64) -> Json {
    let names = ["k", "l", "m", "n"];
    let count = chance.below(4);
    Json::Object((0..count).map(|_| (chance.one(&names).to_owned(), value(chance, depth))).collect())
}

fn parameters(chance: &mut Chance) -> Map<String, Json> {
    let names = [
        "ensure", "mode", "content", "list", "hash", "tag", "require", "before", "notify", "backup", "source",
    ];
    let mut all = Map::new();
    for _ in 0..chance.below(7) {
        let name = chance.one(&names);
        let own = match name {
            "ensure" | "mode" | "content" | "source" => chance.one(WORDS).into(),
            "notify" | "require" | "before" | "tag" => {
                (0..2).map(|_| Json::from(chance.one(&["File[a]", "File[b]", "Class[C]"]))).collect()
            }
            _ => value(chance, 3),
        };
        all.insert(name.to_owned(), own);
    }
    all
}

fn resource(chance: &mut Chance, type_name: &str, title: &str) -> Json {
    let tags: Vec<&str> = (0..chance.below(3)).map(|_| chance.one(&["one", "two", "skip"])).collect();
    let mut parameters = parameters(chance);
    let mut all = json!({
        "type": type_name, "title": title, "tags": tags, "file": "/m/init.pp", "line": chance.below(9) + 1,
        "exported": chance.below(12) == 0, "kind": "compilable_type",
    });
    if type_name == "File" && chance.below(4) == 0 {
        parameters.insert("path".into(), format!("/p/{}", chance.below(3)).into());
    }
    if chance.below(6) == 0 {
        parameters.insert("password".into(), chance.one(WORDS).into());
        all["sensitive_parameters"] = json!(["password"]);
    }
    if !parameters.is_empty() {
        all["parameters"] = parameters.into();
    }
    all
}

fn catalog(resources: &[Json]) -> Json {
    json!({
        "tags": [], "name": "n.example.com", "version": 1, "environment": "production", "resources": resources,
        "edges": [], "classes": [],
    })
}

/// A catalog and what a change has made of it.
fn pair(chance: &mut Chance) -> (Json, Json) {
    let types = ["File", "Exec", "Class", "Apt::Source", "Service"];
    // With a number in brackets in a title octocatalog-diff stops: "BUG (Please report)".
    let titles = ["/a", "/b.json", "/c.yaml", "d e", "f::g", "h [x]", "/p/1"];
    let mut names: Vec<(&str, &str)> = Vec::new();
    for _ in 0..12 {
        let name = (chance.one(&types), chance.one(&titles));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let before: Vec<Json> =
        names.iter().map(|(type_name, title)| resource(chance, type_name, title)).collect();
    let mut after = Vec::new();
    for (old, (type_name, title)) in before.iter().zip(&names) {
        match chance.below(6) {
            0 => {}
            1 | 2 => after.push(old.clone()),
            3 => after.push(resource(chance, type_name, title)),
            _ => {
                let mut new = old.clone();
                for (name, value) in parameters(chance) {
                    new["parameters"][name] = value;
                }
                after.push(new);
            }
        }
    }
    after.push(resource(chance, "Package", "new"));
    (catalog(&before), catalog(&after))
}

/// Without what stands in place of a secret.
fn plain(value: &Json) -> Json {
    match value {
        Json::String(text) if text.starts_with("Sensitive [") => "Sensitive".into(),
        Json::Array(all) => all.iter().map(plain).collect(),
        Json::Object(all) => {
            let mut sorted: Vec<(&String, &Json)> = all.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            Json::Object(sorted.into_iter().map(|(name, value)| (name.clone(), plain(value))).collect())
        }
        other => other.clone(),
    }
}

fn theirs(folder: &std::path::Path, (from, to): (&Json, &Json), arguments: &[&str]) -> Json {
    for (name, catalog) in [("from.json", from), ("to.json", to)] {
        std::fs::write(folder.join(name), catalog.to_string()).expect("it can be written");
    }
    let mut command = Command::new("octocatalog-diff");
    command.current_dir(folder).args([
        "--from-catalog",
        "from.json",
        "--to-catalog",
        "to.json",
        "-n",
        "n.example.com",
    ]);
    let output =
        command.args(["--output-format", "json", "--quiet"]).args(arguments).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let json: Json = serde_json::from_str(text.trim()).unwrap_or_else(|error| {
        panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr));
    });
    json["diff"].clone()
}

fn ours((from, to): (&Json, &Json), rules: &Rules) -> Json {
    let read = |json: &Json| Catalog::from_json(json.to_string()).expect("a catalog");
    let (from, to) = (read(from), read(to));
    let (from, to) = (CatalogView::from(&from), CatalogView::from(&to));
    document(&compare(&Side::from(&from), &Side::from(&to), rules))
}

/// Arguments of octocatalog-diff and the rules that are the same.
fn rules(number: usize) -> (Vec<&'static str>, Rules) {
    let mut rules = Rules::default();
    let mut ignore = |text: &'static str| {
        rules.ignore.extend(Ignore::parse(text).expect("a rule"));
        vec!["--ignore", text]
    };
    let arguments = match number % 10 {
        1 => ignore("File[*]::parameters::content,Exec[d*]"),
        2 => ignore("*[*]+"),
        3 => ignore("File[/a]mode=>a,*[*]content=~>^.b$"),
        4 => ignore("*[*]content=&>^[+-][bc]$"),
        5 => ignore("*[*]hash::k,Service[*]-"),
        6 => ignore("*[*]list=s>=,*[*]mode=+>b,*[*]mode=->c"),
        7 => {
            rules.include_tags = true;
            vec!["--include-tags"]
        }
        8 => {
            rules.ignore_tags = vec!["skip".to_owned()];
            vec!["--ignore-tags", "skip"]
        }
        9 => {
            rules.filters.extend([Filter::Json, Filter::Yaml, Filter::SingleItemArray]);
            rules.ignore.push(Ignore::attribute("mode").expect("a rule"));
            vec!["--filters", "JSON,YAML,SingleItemArray", "--ignore-attr", "mode"]
        }
        _ => Vec::new(),
    };
    (arguments, rules)
}

#[test]
fn differences_are_octocatalog_diffs() {
    if Command::new("octocatalog-diff").arg("--version").output().is_err() {
        eprintln!("SKIPPED octocatalog-diff: 60 pairs not compared, since it is not installed");
        return;
    }
    let work = tempfile::tempdir().expect("a folder");
    let mut chance = Chance(22);
    let mut differences = 0;
    for number in 0..60 {
        let (from, to) = pair(&mut chance);
        let (arguments, rules) = rules(number);
        let (want, got) =
            (plain(&theirs(work.path(), (&from, &to), &arguments)), plain(&ours((&from, &to), &rules)));
        let list = |json: &Json| json.as_array().cloned().unwrap_or_default();
        for (want, got) in list(&want).iter().zip(&list(&got)) {
            assert_eq!(got, want, "pair {number} {arguments:?}\n{from}\n{to}");
        }
        assert_eq!(
            list(&got).len(),
            list(&want).len(),
            "pair {number} {arguments:?}: {got:#}\n{want:#}\n{from}\n{to}"
        );
        differences += list(&got).len();
    }
    assert!(differences > 300, "{differences}: the test has lost its point");
}
