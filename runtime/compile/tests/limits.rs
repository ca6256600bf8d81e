//! Programs without end or measure: each limit is a setting with an error of its own, and the next job is unharmed.

use bunraku_compile::job::Session;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn error(session: &Session, code: &str, settings: Value) -> String {
    let job = json!({"id": 1, "code": code, "settings": settings});
    let answer: Value = serde_json::from_str(&session.answer(&job.to_string())).expect("an answer is JSON");
    answer["error"]["message"].as_str().unwrap_or("no error").to_owned()
}

#[test]
fn every_limit_has_an_error_of_its_own() {
    let session = Session::default();
    let endless = "function f($x) { f($x + 1) } f(1)";
    assert!(
        error(&session, endless, json!({})).contains("calls nest more than 1000 levels (setting max_depth)")
    );
    assert!(error(&session, endless, json!({"max_depth": 20})).contains("more than 20 levels"));
    let long = "Integer[1, 100000].each |$i| { }";
    assert!(
        error(&session, long, json!({"max_calls": 1000}))
            .contains("more than 1000 calls (setting max_calls)")
    );
    let large = "Integer[1, 60].reduce('a') |$m, $i| { \"${m}${m}\" }";
    assert!(
        error(&session, large, json!({"max_memory": 50_000_000})).starts_with(
            "The compile needs more than 50000000 bytes (setting max_memory) (line: 1, column: "
        )
    );
    let many = "Integer[1, 5000].map |$i| { Integer[1, 5000] == [$i] }";
    assert!(
        error(&session, many, json!({"max_steps": 1000}))
            .contains("more than 1000 steps (setting max_steps)")
    );
    let nested = "$x = Integer[1, 500].reduce([]) |$m, $i| { [$m] }  notice(\"${x}\")";
    assert_eq!(error(&session, nested, json!({})), "no error");
    let limit = "values nest more than 100 levels (setting max_nesting)";
    assert!(error(&session, nested, json!({"max_nesting": 100})).contains(limit));
    let endless = "Integer[1, 10000000000].each |$i| { }";
    let began = Instant::now();
    let answer = error(&session, endless, json!({"timeout": 0.2}));
    assert!(answer.starts_with("The compile takes more than 0.2 seconds (setting timeout)"), "{answer}");
    assert!(began.elapsed() < Duration::from_secs(20));
    let generator = "define d() { d { \"${title}x\": } } d { 'a': }";
    assert!(error(&session, generator, json!({})).contains("looped more than 1000 times"));
    let exploding = "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' =~ /^(a|aa)+(b|c)\\1$/";
    assert_ne!(error(&session, exploding, json!({})), "");
    assert_eq!(error(&session, "notice('still here')", json!({})), "no error");
}

#[test]
fn settings_take_what_they_say() {
    let session = Session::default();
    let wrong = error(&session, "1", json!({"max_depth": 1.5}));
    assert_eq!(wrong, "The setting 'max_depth' takes a whole number, not 1.5");
    let wrong = error(&session, "1", json!({"timeout": -1}));
    assert_eq!(wrong, "The setting 'timeout' takes a number of seconds, not -1");
    assert_eq!(error(&session, "1", json!({"timeout": 0})), "no error");
    assert!(error(&session, "1", json!({"no_such": true})).contains("'no_such'"));
    assert!(
        error(&session, "1", json!({"strict": "very"})).contains("Invalid value 'very' for parameter strict")
    );
}

/// Values and types that nest deeper than any stack, or whose sharing unfolds to more than there is memory or time for.
const SHAPES: &[&str] = &[
    "$x = Integer[1, 100000].reduce([]) |$m, $i| { [$m] }  $y = [$x]",
    "$x = Integer[1, 100000].reduce({}) |$m, $i| { { a => $m } }  $y = { a => $x }",
    "$x = Integer[1, 100000].reduce(1) |$m, $i| { Sensitive($m) }  $y = Sensitive($x)",
    "$x = Integer[1, 100000].reduce(Integer) |$m, $i| { Array[$m] }  $y = Array[$x]",
    "$x = Integer[1, 100000].reduce(Integer) |$m, $i| { Type[$m] }  $y = Type[$x]",
    "$x = Integer[1, 40].reduce([1]) |$m, $i| { [$m, $m] }  $y = Integer[1, 40].reduce([1]) |$m, $i| { [$m, $m] }",
    "$x = Integer[1, 40].reduce({}) |$m, $i| { { a => $m, b => $m } }  \
     $y = Integer[1, 40].reduce({}) |$m, $i| { { a => $m, b => $m } }",
    "$x = Integer[1, 40].reduce(Integer) |$m, $i| { Tuple[$m, $m] }  \
     $y = Integer[1, 40].reduce(Integer) |$m, $i| { Tuple[$m, $m] }",
];

/// What is done with them: each walk over values and types there is.
const WALKS: &[&str] = &[
    "$x == $y",
    "$x == $x",
    "{ $x => 1, $y => 2 }",
    "{ $x => 1 }[$x]",
    "unique([$x, $y, $x])",
    "[$x].flatten",
    "[$x, $y].tree_each |$v| { }",
    "\"${x}\"",
    "String($x, '%p')",
    "sprintf('%s', $x)",
    "join([$x], ',')",
    "type($x)",
    "type([$x, $y], generalized)",
    "$x =~ Data",
    "$x =~ RichData",
    "$x =~ Array[Array]",
    "[[1]] =~ Type[$x]",
    "assert_type(Integer, $x)",
    "assert_type(Tuple[Data, Integer], [$x, $y])",
    "notify { 'a': message => $x }",
    "$x in [$y]",
    "$x ? { [[1]] => 1, default => 2 }",
    "[$x] - [$y]",
    "sort([$x, $y])",
    "downcase([$x])",
    "Hash([[['a'], $x]], 'hash_tree')",
    "$x.any |$v| { $v == $y }",
    "inline_epp('<%= $x %>', { x => $x })",
    "$x",
];

/// Each ends soon, with a value or with one error that names a setting; what ends is the compile alone.
#[test]
fn every_walk_over_deep_and_shared_values_comes_to_an_end() {
    let session = Session::default();
    let settings = json!({"max_steps": 300_000, "max_memory": 60_000_000, "timeout": 60});
    let mut limited = 0;
    for shape in SHAPES {
        for walk in WALKS {
            let code = format!("{shape}\n{walk}");
            let job = json!({"id": 1, "code": code, "settings": settings, "want": ["value", "catalog"]});
            let answer: Value =
                serde_json::from_str(&session.answer(&job.to_string())).expect("an answer is JSON");
            let message = answer["error"]["message"].as_str().unwrap_or_default();
            assert!(
                !message.contains("Internal error") && !message.contains("setting timeout"),
                "{code}: {message}"
            );
            limited += usize::from(message.contains("(setting max_"));
        }
    }
    // What is the same is known to be so at once; the rest can't be had.
    let all = SHAPES.len() * WALKS.len();
    assert!(limited * 2 > all && limited < all, "{limited} of {all}");
    let same = "$x = Integer[1, 40].reduce([1]) |$m, $i| { [$m, $m] }  $x == $x and { $x => 1 }[$x] == 1";
    let job = json!({"id": 1, "code": same, "settings": settings, "want": ["value"]});
    assert!(session.answer(&job.to_string()).contains("\"repr\":\"true\""));
}

/// Sequences that are asked for whole, and texts as wide as asked for.
#[test]
fn what_grows_on_the_heap_counts() {
    let session = Session::default();
    let settings = json!({"max_memory": 20_000_000, "timeout": 60});
    for code in [
        "Array(Integer[1, 1000000000])",
        "Integer[1, 10000000000].map |$x| { $x }",
        "Integer[1, 10000000000].filter |$x| { true }",
        "Integer[1, 1000000000].slice(2)",
        "unique(Integer[1, 1000000000])",
        "sprintf('%1000000000d', 1)",
        "sprintf('%.1000000000d', 1)",
        "sprintf('%*d', 1000000000, 1)",
        "String(1, '%1000000000d')",
        "Integer[1, 60].reduce([1]) |$m, $i| { $m + $m }",
        "Integer[1, 60].reduce('a') |$m, $i| { \"${m}${m}\" }",
    ] {
        let message = error(&session, code, settings.clone());
        assert!(message.contains("more than 20000000 bytes (setting max_memory)"), "{code}: {message}");
    }
}

/// The same job ends in the same way, whatever ran before it on the thread.
#[test]
fn a_limit_of_memory_does_not_depend_on_what_ran_before() {
    let fits = "Integer[1, 18].reduce('abcd') |$m, $i| { \"${m}${m}\" }";
    let large = "Integer[1, 24].reduce('abcd') |$m, $i| { \"${m}${m}\" }";
    let jobs = [
        (fits, 10_000_000),
        (large, 40_000_000),
        (fits, 90_000_000),
        (large, 90_000_000),
        (large, 400_000_000),
    ];
    let fares = |session: &Session, (code, memory): (&str, u64)| {
        error(session, code, json!({"max_memory": memory})) == "no error"
    };
    let cold = jobs.map(|job| fares(&Session::default(), job));
    let session = Session::default();
    assert_eq!(cold, [true, false, true, false, true]);
    assert_eq!(jobs.map(|job| fares(&session, job)), cold);
    assert_eq!(jobs.map(|job| fares(&session, job)), cold);
}

#[test]
fn calls_may_nest_as_deep_as_asked_for() {
    let session = Session::default();
    let settings = json!({"max_depth": 30_000});
    for code in [
        "function f($n) { if $n > 0 { f($n - 1) } }  f(20000)",
        "function f($n) { with($n) |$m| { if $m > 0 { f($m - 1) } } }  f(8000)",
        "function f($n) { [1].each |$x| { if $n > 0 { f($n - 1) } } }  f(8000)",
        "function f($n) { inline_epp('<%- |$n| -%><% if $n > 0 { f($n - 1) } %>', { n => $n }) }  f(5000)",
    ] {
        assert_eq!(error(&session, code, settings.clone()), "no error", "{code}");
    }
    let classes: String = (0..3000).map(|n| format!("class c{n} {{ include c{} }}\n", n + 1)).collect();
    let code = format!("{classes}class c3000 {{ }}\ninclude c0");
    assert_eq!(error(&session, &code, settings), "no error");
}

/// A manifest cannot make what stands for a collector.
#[test]
fn what_looks_like_a_collector_is_none() {
    let session = Session::default();
    for code in [
        "Runtime['collector', '7:x'] -> Notify['a']",
        "Notify['a'] ~> Runtime['ruby', 'Puppet::Pops::Evaluator::Collectors::CatalogCollector']",
    ] {
        let message = error(&session, &format!("notify {{ 'a': }}\n{code}"), json!({}));
        assert!(message.contains("A Catalog type is required"), "{code}: {message}");
    }
    let message =
        error(&session, "notify { ['a', 'b']: }  Notify<| title == 'a' |> -> Notify['b']", json!({}));
    assert_eq!(message, "no error");
}
