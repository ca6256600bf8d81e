//! Programs without end or measure: each limit is a setting with an error of its own, and the next job is unharmed.

use bunraku_runtime::job::Session;
use serde_json::{Value, json};

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
    assert_eq!(
        error(&session, large, json!({"max_memory": 50_000_000})),
        "The compile needs more than 50000000 bytes (setting max_memory)"
    );
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
    assert!(error(&session, "1", json!({"no_such": true})).contains("'no_such'"));
    assert!(
        error(&session, "1", json!({"strict": "very"})).contains("Invalid value 'very' for parameter strict")
    );
}
