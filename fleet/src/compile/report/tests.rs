//! Reports of a few nodes.

use super::*;

fn node(name: &str, message: Option<&str>) -> Node {
    let failure = message.map(|message| message.to_owned().into());
    Node { name: name.to_owned(), time: Duration::ZERO, resources: 2, failure, saved: None }
}

fn nodes() -> Vec<Node> {
    vec![
        node("a", None),
        node("b1", Some("no <x> on node b1")),
        node("b2", Some("no <x> on node b2")),
        node("c", Some("other on node c")),
    ]
}

#[test]
fn the_same_errors_are_told_once() {
    let (nodes, expected) = (nodes(), Expected::default());
    let summary = Summary::new(&nodes, &expected, Some(Duration::from_millis(500)));
    assert!(!summary.is_well());
    assert_eq!(
        summary.text(80, 10),
        "4 nodes: 1 compiled, 3 failed; 0.50 s, 8 a second\n\nno <x> on node NODE\n  2 nodes: b1, b2\n\n\
         other on node c\n  1 node: c\n"
    );
    assert!(summary.text(15, 1).contains("  2 nodes: b1,\n    and 1 more\n"), "{}", summary.text(15, 1));
    let json: Json = serde_json::from_str(&summary.json()).unwrap();
    assert_eq!(json["errors"][0]["nodes"], json!(["b1", "b2"]));
    assert_eq!(json["failed"], 3);
}

#[test]
fn a_name_is_a_word() {
    let text = without_name("a fail at /data/a.yaml, a-b, b_a on node a", "a");
    assert_eq!(text, "NODE fail at /data/NODE.yaml, a-b, b_a on node NODE");
}

#[test]
fn junit_escapes_what_messages_say() {
    let nodes = [node("a", Some("<\"&>\u{1}\nü"))];
    let expected = Expected::default();
    let text = Summary::new(&nodes, &expected, None).junit();
    assert!(text.contains("<failure message=\"&lt;&quot;&amp;&gt;\u{fffd}&#10;ü\"/>"), "{text}");
}

#[test]
fn a_line_says_what_came_of_a_node() {
    let failed = line(&node("c", Some("no")), Verdict::Fails);
    assert_eq!(
        failed,
        r#"{"node":"c","state":"failed","expected":false,"milliseconds":0.0,"message":"no","place":{"file":null,"line":null,"column":null}}"#
    );
    let compiled = line(&node("a", None), Verdict::Compiles);
    assert_eq!(
        compiled,
        r#"{"node":"a","state":"compiled","expected":true,"milliseconds":0.0,"resources":2}"#
    );
}
