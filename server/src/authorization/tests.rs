//! Each sentence of how rules are asked.

use super::*;
use crate::identity::Extension;
use std::net::{IpAddr, Ipv4Addr};

fn extension(name: &str, value: &str) -> Extension {
    let number = match name {
        "pp_role" => "1.3.6.1.4.1.34380.1.1.13",
        "pp_zone" => "1.3.6.1.4.1.34380.1.1.26",
        "pp_cli_auth" => "1.3.6.1.4.1.34380.1.3.39",
        number => number,
    };
    // Those outside of Puppet's numbers have no names.
    let name = number.starts_with("1.3.6.1.4.1.34380.").then(|| name.to_owned());
    Extension { number: number.to_owned(), name, value: value.to_owned() }
}

fn client(certname: Option<&str>, extensions: &[(&str, &str)]) -> Client {
    Client {
        certname: certname.map(str::to_owned),
        extensions: extensions.iter().map(|(name, value)| extension(name, value)).collect(),
        address: IpAddr::V4(Ipv4Addr::LOCALHOST),
        version: None,
        certificate: None,
        passes_on: None,
    }
}

fn rules(all: &str) -> Rules {
    Rules::parse(&format!("authorization: {{ version: 1, rules: [{all}] }}")).expect("the rules can be read")
}

fn decides(rules: &Rules, method: Method, url: &str, client: &Client) -> Decision {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let pair = |pair: &str| pair.split_once('=').map(|(k, v)| (k.to_owned(), v.to_owned()));
    let query: Vec<_> = query.split('&').filter_map(pair).collect();
    rules.decide(&method, path, &query, client)
}

fn may(rules: &Rules, url: &str, client: &Client) -> bool {
    decides(rules, Method::GET, url, client) == Decision::Allowed
}

fn rule(path: &str, kind: &str, access: &str, order: u32, name: &str) -> String {
    format!(
        "{{ match-request: {{ path: \"{path}\", type: {kind} }}, {access}, sort-order: {order}, name: \"{name}\" }}"
    )
}

#[test]
fn the_first_that_fits_decides() {
    let web = client(Some("web01"), &[]);
    let both = [rule("/a", "path", "allow: \"*\"", 2, "b"), rule("/a/b", "path", "deny: \"*\"", 1, "a")];
    let rules = rules(&both.join(","));
    assert!(may(&rules, "/a/c", &web) && may(&rules, "/abc", &web));
    assert_eq!(decides(&rules, Method::GET, "/a/b", &web), Decision::Denied(Some("a".into())));
    assert_eq!(decides(&rules, Method::GET, "/c/a", &web), Decision::Denied(None));
}

#[test]
fn rules_of_one_number_are_asked_by_name() {
    let both = [rule("/", "path", "allow: \"*\"", 1, "b"), rule("/", "path", "deny: \"*\"", 1, "a")];
    assert!(!may(&rules(&both.join(",")), "/x", &client(Some("web01"), &[])));
}

#[test]
fn clients_are_named_in_many_ways() {
    let of = |entry: &str| rules(&rule("/", "path", &format!("allow: [{entry}]"), 1, "r"));
    let all =
        [("pp_role", "web"), ("pp_zone", "a"), ("1.3.6.1.4.1.34380.1.2.7", "own"), ("1.2.3.4", "other")];
    let web = client(Some("web01.example.com"), &all);
    for entry in [
        "\"web01.example.com\"",
        "\"WEB01.example.com\"",
        "\"*.example.com\"",
        "\"*.com\"",
        "\"*.web01.example.com\"",
        "\"/^web\\\\d+/\"",
        "\"*\"",
        "{ certname: \"web01.example.com\" }",
        "{ extensions: { pp_role: web } }",
        "{ extensions: { pp_role: [db, web], pp_zone: a } }",
        "{ certname: \"*.example.com\", extensions: { pp_role: web } }",
        "{ extensions: { \"1.3.6.1.4.1.34380.1.1.13\": web } }",
        "{ extensions: { \"1.3.6.1.4.1.34380.1.1.13\": [db, web], pp_zone: a } }",
        "{ extensions: { \"1.3.6.1.4.1.34380.1.2.7\": own } }",
        "{ extensions: { \"1.2.3.4\": other } }",
    ] {
        assert!(may(&of(entry), "/x", &web), "{entry}");
        assert!(!may(&of(entry), "/x", &client(None, &all)), "{entry}");
        let denies = rules(&rule("/", "path", &format!("allow: \"*\", deny: [{entry}]"), 1, "r"));
        assert!(!may(&denies, "/x", &web), "{entry}");
    }
    for entry in [
        "\"web02.example.com\"",
        "\"*.ample.com\"",
        "\"/^eb/\"",
        "{ extensions: { pp_role: db } }",
        "{ extensions: { \"1.3.6.1.4.1.34380.1.1.13\": db } }",
        "{ extensions: { \"1.3.6.1.4.1.34380.1.1.1\": web } }",
        "{ extensions: { pp_role: web, pp_zone: b } }",
        "{ certname: other, extensions: { pp_role: web } }",
    ] {
        assert!(!may(&of(entry), "/x", &web), "{entry}");
    }
}

#[test]
fn denial_goes_before_permission() {
    let rules = rules(&rule("/", "path", "allow: \"*\", deny: web01", 1, "r"));
    assert!(
        !may(&rules, "/x", &client(Some("web01"), &[])) && may(&rules, "/x", &client(Some("web02"), &[]))
    );
}

#[test]
fn groups_of_the_path_stand_in_names() {
    let rules = rules(&rule("^/catalog/([^/]+)$", "regex", "allow: \"$1\"", 1, "r"));
    let web = client(Some("web01"), &[]);
    assert!(may(&rules, "/catalog/web01", &web) && may(&rules, "/catalog/WEB01", &web));
    assert!(!may(&rules, "/catalog/web02", &web) && !may(&rules, "/catalog/web01/x", &web));
    // There is no second group.
    let rules = self::rules(&rule("^/catalog/([^/]+)$", "regex", "allow: \"$2\"", 1, "r"));
    assert!(!may(&rules, "/catalog/web01", &web));
}

#[test]
fn methods_and_queries_tell_requests_apart() {
    let web = client(Some("web01"), &[]);
    let text = "{ match-request: { path: \"/\", type: path, method: [get, put], query-params: { environment: [a, b] } }, \
                allow: \"*\", sort-order: 1, name: r }";
    let rules = rules(text);
    assert!(may(&rules, "/x?environment=a", &web) && may(&rules, "/x?environment=b&c=d", &web));
    assert!(!may(&rules, "/x", &web) && !may(&rules, "/x?environment=c", &web));
    assert_ne!(decides(&rules, Method::POST, "/x?environment=a", &web), Decision::Allowed);
    assert_eq!(decides(&rules, Method::PUT, "/x?environment=a", &web), Decision::Allowed);
}

#[test]
fn anyone_needs_no_certificate() {
    let rules = rules(&rule("/", "path", "allow-unauthenticated: true", 1, "r"));
    assert!(may(&rules, "/x", &client(None, &[])));
}

#[test]
fn what_is_not_known_is_refused_by_name() {
    let refused = |text: &str| Rules::parse(text).expect_err("it is refused").to_string();
    let of = |rule: &str| refused(&format!("authorization: {{ version: 1, rules: [{rule}] }}"));
    assert!(of(&rule("/", "path", "allow: { rbac: x }", 1, "r")).contains("'rbac'"));
    assert!(of(&rule("/", "path", "allow: \"*\", allow-unauthenticated: true", 1, "r")).contains("rule 'r'"));
    assert!(of(&rule("/", "glob", "allow: \"*\"", 1, "r")).contains("match-request.type"));
    assert!(of(&rule("(", "regex", "allow: \"*\"", 1, "r")).contains("no regular expression"));
    assert!(of(&rule("/", "path", "allow: \"*\"", 0, "r")).contains("sort-order"));
    assert!(of(&rule("/", "path", "alow: \"*\"", 1, "r")).contains("'alow'"));
    assert!(refused("authorization: { version: 2, rules: [] }").contains("version"));
    assert!(refused("rules: []").contains("authorization"));
    assert!(refused("{").contains("line") || !refused("{").is_empty());
}

#[test]
fn defaults_are_puppet_servers() {
    let rules = Rules::defaults();
    let (web, nobody) = (client(Some("web01"), &[]), client(None, &[]));
    for url in ["/puppet/v3/catalog/web01", "/puppet/v3/node/web01", "/puppet/v3/file_metadatas/plugins"] {
        assert!(may(&rules, url, &web) && !may(&rules, url, &nobody), "{url}");
    }
    for url in
        ["/puppet/v3/catalog/web02", "/puppet/v4/catalog", "/puppet-admin-api/v1/environment-cache", "/"]
    {
        assert!(!may(&rules, url, &web), "{url}");
    }
    for url in ["/status/v1/simple/server", "/puppet-ca/v1/certificate/ca"] {
        assert!(may(&rules, url, &nobody), "{url}");
    }
    let admin = client(Some("admin"), &[("pp_cli_auth", "true")]);
    assert!(may(&rules, "/puppet-ca/v1/certificate_statuses/all", &admin));
    assert!(!may(&rules, "/puppet-ca/v1/certificate_statuses/all", &web));
}

/// A pattern that the engine gives up on may be one that is to deny: nobody is let through by a later rule.
#[test]
fn a_pattern_without_an_end_denies() {
    let web = client(Some("web01"), &[]);
    let slow = r"^/a/(?:(?:(?!public)\\w+/?)+$|.*)";
    let all = rule("/", "path", "allow: \"*\"", 500, "rest");
    let first = rules(&[rule(slow, "regex", "deny: \"*\"", 1, "secret"), all.clone()].join(","));
    assert_eq!(decides(&first, Method::GET, "/a/b", &web), Decision::Denied(Some("secret".into())));
    let long = format!("/a/{}!", "a".repeat(40));
    let decided = decides(&first, Method::GET, &long, &web);
    assert!(
        matches!(&decided, Decision::Unclear(rule, why) if rule == "secret" && !why.is_empty()),
        "{decided:?}"
    );
    assert!(may(&first, "/b", &web));
    // The same of patterns of names, whether they deny or allow.
    let odd = client(Some(&"a".repeat(40)), &[]);
    for access in [r#"deny: "/^(?:(?!b)\\w+)+\\.$/", allow: "*""#, r#"allow: ["/^(?:(?!b)\\w+)+\\.$/", "*"]"#]
    {
        let named = rules(&[rule("/a", "path", access, 1, "names"), all.clone()].join(","));
        assert!(matches!(decides(&named, Method::GET, "/a", &odd), Decision::Unclear(..)), "{access}");
        assert!(may(&named, "/a", &web), "{access}");
    }
}
