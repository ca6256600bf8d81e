//! What is replaced by what, and what stays.

use super::*;
use bunraku::Certificates;
use std::fs;

const FACTS: &str = r#"{
  "fqdn": "web01.dc1.example.com", "hostname": "web01", "domain": "dc1.example.com", "ipaddress": "10.1.6.5",
  "os": {"family": "Debian", "release": {"full": "12.4", "major": "12"}, "name": "web01"},
  "kernelrelease": "6.1.0-18-amd64", "java_version": "1.8.0.402", "bios_release_date": "04/01/2014",
  "serialnumber": "VMware-56 4d 8a", "dmi": {"product": {"serial_number": "CZ3412X9", "name": "KVM", "uuid": "564D8A1B-0000-1111-2222-333344445555"}},
  "chassis": "rack of CZ3412X9", "asset_tag": "None",
  "networking": {"ip": "10.1.6.5", "mac": "52:54:00:01:02:03", "netmask": "255.255.252.0", "network": "10.1.4.0",
    "ip6": "2001:db8:1:2:5054:ff:fe01:203", "hostname": "web01", "dhcp": "10.1.6.1", "mtu": 1500,
    "interfaces": {"eth0": {"ip": "10.1.6.5", "network": "10.1.4.0", "netmask": "255.255.252.0", "mac": "52:54:00:01:02:03"}}},
  "ssh": {"rsa": {"key": "AAAAB3NzaC1yc2EAAAADAQABAAABAQDGx8Nn2Wz7QmT9t1vT0GJ5X5l4u8Wq0T1jSxk3vP6f", "type": "ssh-rsa",
    "fingerprints": {"sha1": "SSHFP 1 1 3f786850e387550fdab836ed7e6dc881de23001b"}}},
  "motd": "Welcome to web01 (10.1.6.5, route 10.1.4.0/22), see wiki.example.com; not web011, ask ops+night@other.org",
  "mountpoints": {"/mnt/web01": {"device": "nas.dc1.example.com:/vol"}},
  "path": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/opt/puppetlabs/bin", "classes_seen": "profile::web cafe::bad",
  "db_password": "hunter2", "customer": "Acme 7", "count": 3, "on": true, "partitions": {"/dev/sda2": {"uuid": "9x9cKz-OdFp-R1be-hG92"}}, "mac_of_none": "00:00:00:00:00:00"
}"#;

fn nodes(folder: &std::path::Path) -> Nodes {
    fs::write(folder.join("web01.dc1.example.com.json"), FACTS).unwrap();
    Nodes::open(folder.to_str().unwrap(), &Certificates::default()).unwrap()
}

/// The name, and the facts.
fn shown(secret: &str) -> (String, Data) {
    let folder = tempfile::tempdir().unwrap();
    let nodes = nodes(folder.path());
    let plan = Plan::of(&nodes, Secret::new(secret.as_bytes()), &["customer".to_owned()]).unwrap();
    let node = plan.node(&nodes.node("web01.dc1.example.com").unwrap());
    (node.name, node.facts.to_data())
}

fn at<'d>(data: &'d Data, path: &str) -> &'d str {
    let found = path.split('/').try_fold(data, |data, step| data.get(step));
    found.and_then(Data::as_str).unwrap_or_else(|| panic!("{path}"))
}

#[test]
fn the_same_stands_for_the_same_everywhere() {
    let (name, facts) = shown("s");
    let at = |path: &str| at(&facts, path);
    assert_eq!(at("fqdn"), name);
    assert_eq!(name, format!("{}.{}", at("hostname"), at("domain")));
    assert!(name.ends_with(".com") && name.split('.').count() == 4, "{name}");
    assert_eq!(at("networking/hostname"), at("hostname"));
    let (ip, network) = (at("networking/ip"), at("networking/network"));
    assert_eq!((at("ipaddress"), at("networking/interfaces/eth0/ip")), (ip, ip));
    let bits = |text: &str| text.parse::<Ipv4Addr>().unwrap().to_bits();
    assert_eq!(bits(ip) & 0xffff_fc00, bits(network));
    let example = at("domain").split_once('.').unwrap().1;
    let motd = at("motd");
    let begin = format!("Welcome to {} ({ip}, route {network}/22), see ", at("hostname"));
    assert!(motd.starts_with(&begin), "{motd}");
    assert!(motd.contains(&format!(".{example}; not web011, ask n")), "{motd}");
    assert!(motd.ends_with(".org") && motd.contains('@'), "{motd}");
    let shares = facts.get("mountpoints").unwrap();
    let share = shares.get(&format!("/mnt/{}", at("hostname"))).unwrap();
    assert!(share.get("device").unwrap().as_str().unwrap().ends_with(&format!(".{}:/vol", at("domain"))));
    assert_eq!(at("chassis"), format!("rack of {}", at("dmi/product/serial_number")));
    let mac = at("networking/mac").replace(':', "");
    let v6 = at("networking/ip6").parse::<std::net::Ipv6Addr>().unwrap().octets();
    assert_eq!(format!("{:02x}{:02x}", v6[14], v6[15]), mac[8..]);
}

#[test]
fn nothing_that_tells_the_machine_is_left() {
    let (name, facts) = shown("s");
    let text = facts.to_json();
    for word in [
        "web01.",
        "dc1",
        "example",
        "10.1.6",
        "10.1.4",
        "52:54:00",
        "2001:db8",
        "CZ3412X9",
        "56 4d 8a",
        "564D8A1B",
        "9x9cKz",
        "8Nn2Wz7",
        "3f786850",
        "hunter2",
        "Acme",
        "other.org",
        "ops+",
        "night",
    ] {
        assert!(!text.contains(word), "{word} is in {text}");
    }
    assert!(!name.contains("web01"));
}

#[test]
fn what_code_branches_on_stays() {
    let (_, facts) = shown("s");
    let before = Data::from_json(FACTS).unwrap();
    for name in [
        "os",
        "kernelrelease",
        "java_version",
        "bios_release_date",
        "path",
        "classes_seen",
        "count",
        "on",
        "asset_tag",
        "mac_of_none",
    ] {
        assert_eq!(facts.get(name), before.get(name), "{name}");
    }
    assert_eq!(at(&facts, "ssh/rsa/type"), "ssh-rsa");
    assert!(at(&facts, "ssh/rsa/key").starts_with("AAAAB3NzaC1yc2EAAAADAQAB"));
    assert_eq!(at(&facts, "networking/netmask"), "255.255.252.0");
    assert_eq!(at(&facts, "customer").len(), 6);
}

#[test]
fn a_secret_gives_the_same_again_and_another_one_something_else() {
    assert_eq!(shown("s"), shown("s"));
    let ((one, left), (other, right)) = (shown("s"), shown("t"));
    assert_ne!(one, other);
    assert_ne!(left.get("ipaddress"), right.get("ipaddress"));
}
