//! What looks like a collector and is none: the type of one, or a type of such a name, stands for no collector of the
//! compile. (Real Puppet 7.23 fails at these manifests, too, with an error of its error message.)

use bunraku_compile::job::Session;
use serde_json::{Value, json};

fn error(code: &str) -> String {
    let job = json!({"id": 1, "code": code});
    let answer = Session::default().answer(&job.to_string());
    let answer: Value = serde_json::from_str(&answer).expect("an answer is JSON");
    answer["error"]["message"].as_str().unwrap_or("no error").to_owned()
}

#[test]
fn no_type_is_taken_for_a_collector() {
    let collector = "notify { 'a': } Notify <| title == 'a' |>\n";
    for operand in [
        "Runtime['collector', '7:x']",
        "Runtime['collector', '0:x']",
        "Runtime['ruby', 'Puppet::Pops::Evaluator::Collectors::CatalogCollector']",
        "type(Notify <| title == 'a' |>)",
    ] {
        for arrow in [format!("{operand} -> Notify['a']"), format!("Notify['a'] ~> {operand}")] {
            let message = error(&format!("{collector}{arrow}"));
            assert!(message.contains("A Catalog type is required."), "{arrow}: {message}");
        }
    }
}

#[test]
fn no_constructor_makes_a_collector() {
    let message = error("Runtime['ruby', 'Puppet::Pops::Evaluator::Collectors::CatalogCollector'].new(0)");
    assert!(message.contains("is not supported"), "{message}");
}

#[test]
fn a_collector_has_no_members() {
    let code = "notify { 'a': } $x = with(Notify <| |>) |$c| { $c.number }";
    assert_ne!(error(code), "no error");
}

#[test]
fn a_collector_goes_on_being_one_as_a_value() {
    let code = "notify { ['a', 'b']: } with(Notify <| title == 'a' |>) |$c| { $c -> Notify['b'] }";
    assert_eq!(error(code), "no error");
}
