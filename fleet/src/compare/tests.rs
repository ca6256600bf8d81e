//! Comparisons of catalogs made for each rule.

use super::*;
use bunraku::Catalog;
use serde_json::json;

fn catalog(resources: serde_json::Value, edges: serde_json::Value) -> Catalog {
    let catalog = json!({"name": "a", "resources": resources, "edges": edges, "classes": []});
    Catalog::from_json(catalog.to_string()).expect("it is one")
}

fn shown(before: &Catalog, after: &Catalog, rules: &Rules) -> Vec<String> {
    let (before, after) = (CatalogView::from(before), CatalogView::from(after));
    compare(&Side::from(&before), &Side::from(&after), rules).iter().map(Difference::to_string).collect()
}

fn one(type_name: &str, parameters: serde_json::Value) -> Catalog {
    catalog(
        json!([{"type": type_name, "title": "a", "parameters": parameters, "tags": ["x"], "exported": false}]),
        json!([]),
    )
}

#[test]
fn parameters_are_compared_however_deep() {
    let of = |port: u16| {
        one(
            "Web",
            json!({"hash": {"list": [1, 2, 3, 4, {"port": port, "b": 1, "c": 2, "d": 3, "e": 4}]}, "same": "x"}),
        )
    };
    assert_eq!(shown(&of(80), &of(80), &Rules::default()), Vec::<String>::new());
    assert_eq!(shown(&of(80), &of(81), &Rules::default()), ["~ Web[a] hash.list[4].port: 80 -> 81"]);
}

#[test]
fn parameters_that_all_vanish_are_told_one_by_one() {
    let (all, none) = (
        one("Web", json!({"port": 80, "on": true})),
        catalog(json!([{"type": "Web", "title": "a", "tags": ["x"], "exported": false}]), json!([])),
    );
    let (before, after) = (CatalogView::from(&all), CatalogView::from(&none));
    let found = compare(&Side::from(&before), &Side::from(&after), &Rules::default());
    assert_eq!(found.len(), 1, "one difference, as octocatalog-diff has it");
    let told: Vec<String> = found[0].by_parameter().iter().map(Difference::to_string).collect();
    assert_eq!(told, ["! Web[a] port: 80 -> nothing", "! Web[a] on: true -> nothing"]);
    let whole = compare(
        &Side::from(&after),
        &Side::from(&CatalogView::from(&catalog(json!([]), json!([])))),
        &Rules::default(),
    );
    assert_eq!(whole[0].by_parameter(), whole);
}

#[test]
fn what_is_gone_or_new_is_told_once() {
    let file = |title: &str| json!({"type": "File", "title": title, "parameters": {"mode": "0644"}});
    let edge = |title: &str| json!({"source": "Class[A]", "target": format!("File[{title}]")});
    let class = |name: &str| json!({"type": "Class", "title": name});
    let before =
        catalog(json!([class("A"), class("B"), file("/x"), file("/z")]), json!([edge("/x"), edge("/z")]));
    let other = json!({"source": "Class[B]", "target": "File[/z]"});
    let after = catalog(json!([class("A"), class("B"), file("/y"), file("/z")]), json!([edge("/y"), other]));
    let expected = [
        "+ File[/y]",
        "- File[/x]",
        "~ Class[A] contains: \"File[/z]\" -> nothing",
        "~ Class[B] contains: nothing -> \"File[/z]\"",
    ];
    assert_eq!(shown(&before, &after, &Rules::complete()), expected);
    assert_eq!(shown(&before, &after, &Rules::default()), expected[..2]);
    // Who asks for edges means those of classes.
    let with_edges = Rules { edges: Edges::All, ..Rules::default() };
    assert_eq!(shown(&before, &after, &with_edges), expected);
}

#[test]
fn classes_and_exported_resources_are_compared_where_that_is_asked_for() {
    let class = |loud: bool| json!({"type": "Class", "title": "A", "parameters": {"loud": loud}});
    let export =
        |mode: &str| json!({"type": "File", "title": "/x", "exported": true, "parameters": {"mode": mode}});
    let require =
        |all: serde_json::Value| json!({"type": "Exec", "title": "e", "parameters": {"require": all}});
    let before = catalog(json!([class(false), export("0644"), require(json!([]))]), json!([]));
    let after = catalog(json!([class(true), export("0600"), require(json!(["Class[A]"]))]), json!([]));
    assert_eq!(shown(&before, &after, &Rules::default()), Vec::<String>::new());
    let mut rules = Rules::default();
    RulesFile::read("[diff]\ncomplete = true\n")
        .and_then(|file| file.add_to(&mut rules))
        .expect("it is right");
    let found = shown(&before, &after, &rules);
    for name in ["Class[A]", "File[/x]", "Exec[e]"] {
        assert!(found.iter().any(|line| line.contains(name)), "{name}: {found:?}");
    }
}

#[test]
fn of_files_of_one_path_the_last_counts_in_the_place_of_the_first() {
    let file = |title: &str, path: &str, mode: &str| json!({"type": "File", "title": title, "parameters": {"path": path, "mode": mode}});
    let of = |all: &[serde_json::Value]| catalog(json!(all), json!([]));
    let twice = |mode: &str| {
        of(&[file("a", "/x", "0600"), file("b", "/y", "0600"), file("c", "/x", mode), file("/y", "/y", mode)])
    };
    let once = of(&[file("c", "/x", "0644"), file("/y", "/y", "0644")]);
    let rules = Rules::default();
    assert_eq!(shown(&twice("0644"), &once, &rules), Vec::<String>::new());
    assert_eq!(shown(&once, &twice("0644"), &rules), Vec::<String>::new());
    let changed = ["~ File[/x] mode: \"0644\" -> \"0640\"", "~ File[/y] mode: \"0644\" -> \"0640\""];
    assert_eq!(shown(&once, &twice("0640"), &rules), changed);
    assert_eq!(shown(&twice("0644"), &twice("0640"), &rules), changed);
    let titles: Vec<String> = shown(&once, &twice("0644"), &Rules { by_title: true, ..Rules::default() });
    assert!(
        titles.contains(&"+ File[a]".to_owned()) && titles.contains(&"+ File[b]".to_owned()),
        "{titles:?}"
    );
}

#[test]
fn an_edge_that_is_gone_is_none_where_the_way_is_left() {
    let notify = |title: &str, requires: &[&str]| json!({"type": "Notify", "title": title, "parameters": {"require": requires}});
    let of = |last: &[&str]| {
        let all = [notify("a", &[]), notify("b", &["Notify[a]"]), notify("c", last)];
        catalog(json!(all), json!([]))
    };
    let rules = Rules { edges: Edges::Relationships, ..Rules::default() };
    let (both, one, none) = (of(&["Notify[a]", "Notify[b]"]), of(&["Notify[b]"]), of(&[]));
    assert_eq!(shown(&both, &one, &rules), Vec::<String>::new());
    let gone = ["~ Notify[b] before: \"Notify[c]\" -> nothing"];
    assert_eq!(shown(&one, &none, &rules), gone);
}

#[test]
fn secrets_are_told_apart_and_never_shown() {
    let of = |secret: &str| {
        let parameters = json!({
            "password": secret, "deep": {"list": [{"__ptype": "Sensitive", "__pvalue": secret}]}
        });
        let resource = json!({
            "type": "Web", "title": "a", "parameters": parameters, "sensitive_parameters": ["password"]
        });
        catalog(json!([resource]), json!([]))
    };
    let (one, other) = (of("s3cret"), of("0ther"));
    assert_eq!(shown(&one, &one, &Rules::default()), Vec::<String>::new());
    let lines = shown(&one, &other, &Rules::default());
    assert_eq!(lines.len(), 2, "{lines:?}");
    let added = {
        let (before, after) = (catalog(json!([]), json!([])), other);
        let (before, after) = (CatalogView::from(&before), CatalogView::from(&after));
        format!("{:?}", compare(&Side::from(&before), &Side::from(&after), &Rules::default()))
    };
    for text in lines.iter().chain([&added]) {
        assert!(
            text.contains("Sensitive [") && !text.contains("s3cret") && !text.contains("0ther"),
            "{text}"
        );
    }
}

fn left(rule: &str) -> Vec<String> {
    let before = one("File", json!({"mode": "0644", "content": "a\nb\n", "list": [1, 2], "gone": "x"}));
    let after = one("File", json!({"mode": "0755", "content": "a\nc\n", "list": [2, 1], "came": "y"}));
    let mut rules = Rules::default();
    rules.ignore.extend(Ignore::parse(rule).expect("a rule"));
    let lines = shown(&before, &after, &rules);
    lines.iter().filter_map(|line| Some(line.split_once("] ")?.1.split_once(':')?.0.to_owned())).collect()
}

#[test]
fn rules_leave_out_what_they_name() {
    assert_eq!(left(""), ["content", "mode", "gone", "list", "came"]);
    assert_eq!(left("file[A]::parameters::mode"), ["content", "gone", "list", "came"]);
    assert_eq!(left("File[*]mode"), ["content", "gone", "list", "came"]);
    assert_eq!(left("*[*]!"), ["content", "mode"]);
    assert_eq!(left("*[a*]~"), ["gone", "list", "came"]);
    assert_eq!(left("*[*]+came"), ["content", "mode", "gone", "list"]);
    assert_eq!(left("*[*]-gone"), ["content", "mode", "list", "came"]);
    assert_eq!(left("*[*]mode=>0755"), ["content", "gone", "list", "came"]);
    assert_eq!(left("*[*]mode=->0755"), ["content", "mode", "gone", "list", "came"]);
    assert_eq!(left("*[*]mode=+>0755"), ["content", "gone", "list", "came"]);
    assert_eq!(left("*[*]content=~>^.B$"), ["mode", "gone", "list", "came"]);
    assert_eq!(left("*[*]content=&>^.B$"), ["content", "mode", "gone", "list", "came"]);
    assert_eq!(left("*[*]content=&>^.[bc]$"), ["mode", "gone", "list", "came"]);
    assert_eq!(left("*[*]list=s>="), ["content", "mode", "gone", "came"]);
    assert_eq!(left("Service[*],File[b]"), ["content", "mode", "gone", "list", "came"]);
    assert_eq!(left("File[*]"), Vec::<String>::new());
    assert!(Ignore::parse("File").is_err() && Ignore::parse("File[a]x=~>(").is_err());
}

#[test]
fn a_file_of_rules_is_read_and_its_faults_are_named() {
    let text = "[diff]\nignore = [\"File[/a,b]::parameters::mode\"]\nfilters = [\"JSON\"]\nedges = \"all\"\n";
    let mut rules = Rules::default();
    RulesFile::read(text).and_then(|file| file.add_to(&mut rules)).expect("it is right");
    assert_eq!((rules.ignore.len(), rules.edges), (1, Edges::All));
    let error = RulesFile::read("[diff]\nignores = []\n").expect_err("no such key");
    assert!(error.contains("line 2") && error.contains("ignores"), "{error}");
    for (text, what) in [("[dif]\nedges = \"all\"\n", "dif"), ("ignore = [\"File[*]\"]\n[diff]\n", "ignore")]
    {
        let error = RulesFile::read(text).expect_err("there is the table diff alone");
        assert!(error.contains(&format!("unknown field `{what}`, expected `diff`")), "{error}");
    }
}
