//! ERB templates rendered without Ruby: never another text than Ruby's, and most of them.

use std::collections::BTreeMap;

use bunraku_tests::corpus::{MACHINES, classes, fetch, run};
use bunraku_tests::differential::erb;
use bunraku_tests::{bunraku, canonical, compare, control_repo};
use serde_json::Value;

/// Of a hundred renderings of the corpus' classes, and of the control repo's machines, so many at least need no Ruby.
const CORPUS_SHARE: f64 = 99.0;
const CONTROL_REPO_SHARE: f64 = 90.0;

/// What is compared: all that a compile gives.
fn parts(result: &Value) -> [&Value; 4] {
    ["ok", "catalog", "error", "logs"].map(|part| &result[part])
}

/// What differs between results with Ruby and without, by name.
fn differing(names: &[&str], ruby: &[Value], native: &[Value]) -> Vec<String> {
    let mut differ = Vec::new();
    for ((name, ruby), native) in names.iter().zip(ruby).zip(native) {
        if parts(ruby) != parts(native) {
            let first = compare::differences(ruby, native).into_iter().next();
            differ.push(format!("{name}: {}", first.map_or_else(|| "logs".to_owned(), |d| d.detail)));
        }
    }
    differ
}

/// Counts renderings, says why Ruby rendered some, and gives the share it did not.
fn share(what: &str, results: &[Value]) -> f64 {
    let count = |kind: &str| -> u64 {
        results.iter().filter_map(|result| result["stats"][kind]["calls"].as_u64()).sum()
    };
    let time = |kind: &str| -> f64 {
        results.iter().filter_map(|result| result["stats"][kind]["seconds"].as_f64()).sum()
    };
    let (native, ruby) = (count("erb_native"), count("erb"));
    let share = native as f64 * 100.0 / (native + ruby).max(1) as f64;
    println!("{what}: {native} of {} ERB renderings without Ruby, {share:.1} %", native + ruby);
    let each = |kind, calls: u64| time(kind) * 1e6 / calls.max(1) as f64;
    println!("  {:.1} µs each, in Ruby {:.1} µs", each("erb_native", native), each("erb", ruby));
    let mut reasons: BTreeMap<(String, String), u64> = BTreeMap::new();
    for result in results {
        for (name, count) in result["stats"]["erb"]["by_name"].as_object().into_iter().flatten() {
            let reason = result["stats"]["erb"]["reasons"][name].as_str().unwrap_or("none").to_owned();
            *reasons.entry((name.clone(), reason)).or_default() += count["calls"].as_u64().unwrap_or(0);
        }
    }
    for ((name, reason), count) in reasons {
        println!("  {count} × {name}: {reason}");
    }
    share
}

#[test]
fn native_templates_change_no_catalog_of_the_corpus() {
    if let Err(reason) = fetch::fetch() {
        eprintln!("SKIPPED: nothing compared with and without native templates, since {reason}");
        return;
    }
    let classes = classes::read();
    let [native, ruby] = [true, false].map(|native| {
        let change = |job: &mut Value| {
            job["settings"]["native_ruby"] = Value::Bool(native);
            job["stats"] = Value::Bool(native);
        };
        run::compile_as(&classes, MACHINES[0], change).expect("Bunraku builds and starts")
    });
    let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
    let differ = differing(&names, &ruby, &native);
    assert!(differ.is_empty(), "{} of {} classes:\n{}", differ.len(), names.len(), differ.join("\n"));
    let share = share("corpus", &native);
    assert!(share >= CORPUS_SHARE, "only {share:.1} % of the renderings need no Ruby");
}

#[test]
fn native_templates_change_no_catalog_of_the_control_repo() {
    if let Err(reason) = fetch::fetch() {
        eprintln!("SKIPPED: nothing compared with and without native templates, since {reason}");
        return;
    }
    let [native, ruby] = [true, false].map(|native| {
        let job = |node: &&str| {
            let mut job = control_repo::job(node);
            job["settings"]["native_ruby"] = Value::Bool(native);
            job["stats"] = Value::Bool(native);
            job
        };
        let jobs: Vec<Value> = control_repo::NODES.iter().map(job).collect();
        let mut results = bunraku::collect(&jobs).expect("Bunraku builds and starts");
        results.iter_mut().for_each(|result| canonical::normalise(result, &control_repo::places()));
        results
    });
    let differ = differing(&control_repo::NODES, &ruby, &native);
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    let share = share("control repo", &native);
    assert!(share >= CONTROL_REPO_SHARE, "only {share:.1} % of the renderings need no Ruby");
}

/// How many templates are generated, and how many of a hundred must need no Ruby: those that end in errors do.
const GENERATED: usize = 6000;
const GENERATED_SHARE: f64 = 40.0;

#[test]
fn generated_templates_give_what_ruby_makes_of_them() {
    let seed = std::env::var("ERB_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(erb::SEED);
    let templates = erb::templates(seed, GENERATED);
    let prelude = erb::prelude();
    let job = |template: &String, native: bool| {
        let text = template.replace('\\', "\\\\").replace('\'', "\\'");
        serde_json::json!({
            "id": 1,
            "code": format!("{prelude}notice(inline_template('{text}'))\n"),
            "settings": {"strict": "warning", "strict_variables": false, "native_ruby": native},
            "stats": native,
        })
    };
    let [native, ruby] = [true, false].map(|native| {
        let jobs: Vec<Value> = templates.iter().map(|template| job(template, native)).collect();
        bunraku::collect(&jobs).expect("Bunraku builds and starts")
    });
    let side = |result: &Value| {
        let message = result["error"]["message"].as_str().unwrap_or_default();
        // Ruby shows an object with its address and variables.
        let message = match message.split_once("#<Puppet::Parser::TemplateWrapper") {
            Some((before, _)) => before,
            None => message,
        };
        format!("{} {message}", result["logs"])
    };
    let mut differ = Vec::new();
    for ((template, ruby), native) in templates.iter().zip(&ruby).zip(&native) {
        if side(ruby) != side(native) {
            differ.push(format!("{template:?}\n  - {}\n  + {}", side(ruby), side(native)));
        }
    }
    let failed = ruby.iter().filter(|result| result["ok"] == Value::Bool(false)).count();
    println!("{failed} of {GENERATED} templates are errors");
    let share = share("generated", &native);
    differ.sort_by_key(String::len);
    assert!(differ.is_empty(), "{} templates differ:\n{}", differ.len(), differ.join("\n"));
    assert!(share >= GENERATED_SHARE, "only {share:.1} % need no Ruby");
}

#[test]
fn hostile_templates_are_given_up_in_time() {
    let codes = [
        "x = [1]; 60.times { x = [x, x] }; x.flatten.size",
        "x = [1]; 60.times { x = [x, x] }; x.inspect",
        "x = [1]; y = [1]; 60.times { x = [x, x]; y = [y, y] }; x == y",
        "x = [[]]; 50.times { x = [x, x] }; x.join",
        "x = 'a'; 80.times { x = x + x }; x",
        "x = []; 2000000.times { x << ('a' * 1000000) }; x.size",
        "while true; end",
        "while true; 1; end",
        "x = 1; while x do x end",
        "x = [1]; x.each { |i| x << i }",
        "x = [1]; x << x; x.inspect",
        "h = {}; h['h'] = h; h.inspect",
        "def f(n) f(n + 1) end; f(0)",
        "(1..9223372036854775807).to_a.size",
        "'abc'[1..9223372036854775807] + [1][0..9223372036854775807].inspect",
        "2 ** 9223372036854775807",
        "x = 3; 200.times { x = x * x }; x",
        "1 << 9223372036854775807",
        "scope.function_inline_template([@me])",
    ];
    let jobs: Vec<Value> = codes
        .iter()
        .map(|code| {
            let code = code.replace('\'', "\\'");
            serde_json::json!({
                "id": 1,
                "code": format!("$me = 'x'\nnotice(inline_template('<%= {code} %>'))\n"),
                "ruby": "/nowhere/ruby",
            })
        })
        .collect();
    let nested = format!("<%= {}1{} %>", "[".repeat(5000), "]".repeat(5000));
    let deep = format!("{}x{}", "<% if true %>".repeat(3000), "<% end %>".repeat(3000));
    let more = [nested, deep].map(|text| {
        serde_json::json!({"id": 1, "code": format!("notice(inline_template('{text}'))"), "ruby": "/nowhere/ruby"})
    });
    let jobs: Vec<Value> = jobs.into_iter().chain(more).collect();
    let began = std::time::Instant::now();
    let results = bunraku::collect(&jobs).expect("Bunraku builds and starts");
    for (job, result) in jobs.iter().zip(&results) {
        let message = result["error"]["message"].as_str().unwrap_or_default();
        let code = &job["code"].as_str().unwrap_or_default();
        let shown: String = code.chars().take(80).collect();
        assert!(message.contains("needs Ruby, and no Ruby was found"), "{shown}: {result}");
    }
    assert!(began.elapsed() < std::time::Duration::from_secs(120), "{:?}", began.elapsed());
}
