//! What entries say of a node, without a server.

use super::*;
use serde_json::json;
use std::collections::HashMap;

fn settings() -> Settings {
    Settings {
        base: String::new(),
        user: String::new(),
        password: String::new(),
        filter: String::new(),
        class_attributes: "puppetclass".to_owned(),
        parent_attribute: "parentnode".to_owned(),
        attributes: "all".to_owned(),
        stacked_attributes: "puppetvar".to_owned(),
    }
}

fn entry(dn: &str, attributes: &[(&str, &[&str])]) -> Entry {
    let attributes = attributes.iter().map(|(name, values)| {
        let values = values.iter().map(|value| value.as_bytes().to_vec());
        ((*name).to_owned(), values.collect())
    });
    Entry { dn: dn.to_owned(), attributes: attributes.collect() }
}

fn info(dn: &str, attributes: &[(&str, &[&str])]) -> Info {
    Info::of(&entry(dn, attributes), &settings()).unwrap()
}

#[test]
fn attributes_become_variables_and_classes() {
    let web = [
        ("puppetClass", &["web", "ssh", "web"][..]),
        ("puppetVar", &["a=b=c", "on=true", "nothing"]),
        ("serialNumber", &["false"]),
        ("environment", &["test"]),
        ("l", &["x", "true"]),
    ];
    let found = info("cn=web,dc=example", &web).classification(None).unwrap();
    assert_eq!(found.classes, json!(["web", "ssh"]));
    assert_eq!(found.environment.as_deref(), Some("test"));
    assert_eq!(
        Json::Object(found.parameters),
        json!({
            "puppetclass": ["web", "ssh", "web"], "puppetvar": ["a=b=c", "on=true", "nothing"], "serialnumber": false,
            "l": ["x", true], "dn": "cn=web,dc=example", "a": "b=c", "on": true, "nothing": null,
        })
    );
}

#[test]
fn parents_fill_in_what_is_missing() {
    let nodes: HashMap<&str, Info> = [
        (
            "mid",
            info("cn=mid", &[("parentnode", &["base"]), ("puppetclass", &["b"]), ("puppetvar", &["x=1"])]),
        ),
        (
            "base",
            info(
                "cn=base",
                &[("puppetclass", &["c", "a"]), ("environment", &["e"]), ("puppetvar", &["x=2", "y=3"])],
            ),
        ),
        ("round", info("cn=round", &[("parentnode", &["round"])])),
    ]
    .into();
    let find = |name: &str| Ok(nodes.get(name).cloned());
    let whole =
        with_parents(info("cn=web", &[("parentnode", &["mid"]), ("puppetclass", &["a"])]), find).unwrap();
    let whole = whole.classification(None).unwrap();
    assert_eq!(whole.classes, json!(["a", "b", "c"]));
    assert_eq!(whole.environment.as_deref(), Some("e"));
    assert_eq!((&whole.parameters["x"], &whole.parameters["y"]), (&json!("1"), &json!("3")));
    let fault = |parent| with_parents(info("cn=web", &[("parentnode", &[parent])]), find).unwrap_err();
    assert_eq!(fault("web"), "Found loop in LDAP node parents; web appears twice");
    assert_eq!(fault("round"), "Found loop in LDAP node parents; round appears twice");
    assert_eq!(fault("nobody"), "Could not find parent node 'nobody'");
}

#[test]
fn what_is_set_twice_is_said() {
    let facts = |name: &str| Map::from_iter([(name.to_owned(), json!(1))]);
    let both = info("cn=a", &[("l", &["x"]), ("puppetvar", &["kernel=Plan9"])]);
    assert!(both.clone().classification(Some(&facts("kernel"))).is_ok());
    let twice = Err("Cannot reassign variable '$l'".to_owned());
    assert_eq!(both.classification(Some(&facts("l"))), twice);
    assert_eq!(info("cn=a", &[("l", &["x"]), ("puppetvar", &["l=y"])]).classification(None), twice);
    let two = |name| Info::of(&entry("cn=a", &[(name, &["x", "y"])]), &settings()).unwrap_err();
    assert_eq!(two("parentNode"), "Node entry cn=a specifies more than one parent: [\"x\", \"y\"]");
    assert_eq!(two("environment"), "Node entry cn=a specifies more than one environment");
}

#[test]
fn the_common_name_is_in_the_distinguished_name() {
    assert_eq!(common_name("CN = web,ou=Hosts").as_deref(), Some("web"));
    assert_eq!(common_name("ou=cn,cn=a b").as_deref(), Some("a"));
    assert_eq!(common_name("uid=x"), None);
}

#[test]
fn what_is_no_text_is_no_variable_and_no_class() {
    let bytes = |name: &str| Entry {
        dn: "cn=a".to_owned(),
        attributes: vec![(name.to_owned(), vec![vec![0xff, 0xd8]])],
    };
    let picture = Info::of(&bytes("jpegPhoto"), &settings()).unwrap();
    assert_eq!(Json::Object(picture.attributes), json!({"dn": "cn=a"}));
    let fault = Info::of(&bytes("PuppetClass"), &settings()).unwrap_err();
    assert_eq!(fault, "Node entry cn=a has a value of puppetclass that is no text");
}
