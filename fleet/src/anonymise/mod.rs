//! Facts that can be shown to others: names of machines, domains, addresses, keys, serial numbers and the like replaced, the
//! same by the same wherever it stands, also inside of other texts and in names of keys. What code branches on stays: the form
//! of facts, the operating system, versions, numbers, settings.
//!
//! What is a secret is known by its form (addresses, MACs, UUIDs, keys in base64 or hexadecimal, mail addresses) or by where it
//! stands (names, domains and serial numbers are collected first, from all nodes). What is neither stays: [`Plan::replace`]
//! names such facts.

mod addresses;
mod secret;
mod texts;

use super::nodes::{FleetNode, Nodes};
use bunraku::{Data, Facts};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};

pub use secret::Secret;

/// Facts that say what the machine runs: nothing in them is replaced.
const KEPT: [&str; 27] = [
    "os",
    "kernel",
    "kernelrelease",
    "kernelversion",
    "kernelmajversion",
    "operatingsystem",
    "operatingsystemrelease",
    "operatingsystemmajrelease",
    "osfamily",
    "architecture",
    "hardwaremodel",
    "hardwareisa",
    "virtual",
    "is_virtual",
    "processors",
    "timezone",
    "facterversion",
    "puppetversion",
    "clientversion",
    "aio_agent_version",
    "rubyversion",
    "ruby",
    "augeas",
    "augeasversion",
    "lsbdistid",
    "lsbdistcodename",
    "lsbdistdescription",
];
/// Names of facts and of their parts that hold what tells a machine from others.
const OWN: [&str; 23] = [
    "serialnumber",
    "serial_number",
    "serial",
    "boardserialnumber",
    "chassisassettag",
    "boardassettag",
    "asset_tag",
    "machine_id",
    "machineid",
    "instance-id",
    "instance_id",
    "account-id",
    "account_id",
    "accountid",
    "project-id",
    "project_id",
    "projectid",
    "reservation-id",
    "reservation_id",
    "uuid",
    "partuuid",
    "wwn",
    "wwid",
];
/// Parts of such names: what they hold is replaced as a whole.
const SECRET: [&str; 8] =
    ["password", "passwd", "secret", "token", "private_key", "userdata", "user-data", "credential"];
/// What serial numbers are where there are none.
const NONE: [&str; 6] = ["none", "n/a", "unknown", "default string", "to be filled by o.e.m.", "0"];
/// Names of facts that hold the machine's name and domain.
const NAMES: [&str; 6] = ["fqdn", "hostname", "domain", "clientcert", "certname", "dhcp_servers"];

/// How nodes are anonymised.
pub struct Plan {
    secret: Secret,
    /// Paths of facts whose texts are replaced as a whole.
    replace: BTreeSet<String>,
    /// Labels that are names of machines: what stands before the first dot.
    hosts: BTreeSet<String>,
    /// Domains of machines, and what these are part of.
    domains: BTreeSet<String>,
    /// Serial numbers and the like, with what stands for each.
    own: BTreeMap<String, String>,
    /// Addresses of networks, with what they are when their machines have other addresses.
    networks: BTreeMap<Ipv4Addr, u32>,
}

impl Plan {
    /// Looks at all nodes for what is to be replaced. `replace` are paths of more facts (names joined by dots) whose texts are
    /// replaced.
    ///
    /// # Errors
    /// When facts can't be read.
    pub fn of(nodes: &Nodes, secret: Secret, replace: &[String]) -> Result<Plan, String> {
        let mut plan = Plan {
            secret,
            replace: replace.iter().cloned().collect(),
            hosts: BTreeSet::new(),
            domains: BTreeSet::new(),
            own: BTreeMap::new(),
            networks: BTreeMap::new(),
        };
        for name in nodes.names() {
            plan.learn_name(name);
            let node = nodes.node(name)?;
            let trusted = node.trusted.clone().unwrap_or_default();
            for (name, value) in entries(&node.facts.to_data()).iter().chain(entries(&trusted)) {
                plan.learn(name, value);
            }
        }
        Ok(plan)
    }

    /// What stands for a node's name.
    pub fn name(&self, name: &str) -> String {
        texts::host_or_domain(&self.secret, name)
    }

    /// A node as it is to be shown.
    pub fn node(&self, node: &FleetNode) -> FleetNode {
        let map = |all: &Data| {
            let one = |(name, value): &(String, Data)| match KEPT.contains(&name.as_str()) {
                true => (name.clone(), value.clone()),
                false => (self.key(name), self.value(name, name, value)),
            };
            Data::Map(entries(all).iter().map(one).collect())
        };
        FleetNode {
            name: self.name(&node.name),
            facts: Facts::from_data(map(&node.facts.to_data())),
            trusted: node.trusted.as_ref().map(map),
            environment: node.environment.clone(),
            timestamp: node.timestamp.clone(),
        }
    }

    fn learn_name(&mut self, name: &str) {
        let name = name.trim_end_matches('.').to_lowercase();
        let is_name =
            |label: &str| !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        if !name.split('.').all(is_name) || name.parse::<IpAddr>().is_ok() || name == "localhost" {
            return;
        }
        match name.split_once('.') {
            Some((host, domain)) => {
                self.hosts.insert(host.to_owned());
                self.learn_domain(domain);
            }
            None => drop(self.hosts.insert(name)),
        }
    }

    fn learn_domain(&mut self, domain: &str) {
        let mut rest = domain;
        self.domains.insert(rest.to_owned());
        while let Some((_, parent)) = rest.split_once('.').filter(|(_, parent)| parent.contains('.')) {
            self.domains.insert(parent.to_owned());
            rest = parent;
        }
    }

    fn learn(&mut self, key: &str, value: &Data) {
        let name = key.to_lowercase();
        match value {
            Data::Text(text) if name == "domain" && !text.is_empty() => {
                self.learn_domain(&text.to_lowercase())
            }
            Data::Text(text) if NAMES.contains(&name.as_str()) => self.learn_name(text),
            Data::Text(text) if OWN.contains(&name.as_str()) => {
                let is_one = text.len() > 2 && !NONE.contains(&text.to_lowercase().as_str());
                // Those of the usual form are known by it.
                let is_plain = texts::uuid(&self.secret, text).is_none();
                if is_one && is_plain && text.chars().any(|sign| sign.is_ascii_digit()) {
                    let other = self.secret.stream("own", text.as_bytes()).like(text);
                    self.own.insert(text.clone(), other);
                }
            }
            Data::Map(all) => {
                let text = |name: &str| value.get(name).and_then(Data::as_str);
                let mask = text("netmask").and_then(|mask| mask.parse::<Ipv4Addr>().ok());
                if let (Some(network), Some(mask)) = (text("network").and_then(|one| one.parse().ok()), mask)
                {
                    self.networks.insert(network, mask.to_bits());
                }
                all.iter().for_each(|(name, value)| self.learn(name, value));
            }
            Data::List(all) => all.iter().for_each(|value| self.learn(key, value)),
            _ => {}
        }
    }

    /// A value; `path` is where it stands, `key` the last name of that.
    fn value(&self, path: &str, key: &str, value: &Data) -> Data {
        match value {
            Data::Text(text) => Data::Text(self.text(path, key, text)),
            Data::List(all) => {
                let one = |(at, value): (usize, &Data)| self.value(&format!("{path}.{at}"), key, value);
                Data::List(all.iter().enumerate().map(one).collect())
            }
            Data::Map(all) => {
                let one = |(name, value): &(String, Data)| {
                    (self.key(name), self.value(&format!("{path}.{name}"), name, value))
                };
                Data::Map(all.iter().map(one).collect())
            }
            other => other.clone(),
        }
    }

    fn text(&self, path: &str, key: &str, text: &str) -> String {
        let key = key.to_lowercase();
        let is_named = self.replace.iter().any(|named| {
            path.strip_prefix(named.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        let is_secret = SECRET.iter().any(|part| key.contains(part));
        if is_named || is_secret && !text.is_empty() {
            return self.secret.stream("own", text.as_bytes()).like(text);
        }
        if NAMES.contains(&key.as_str())
            && !text.contains(char::is_whitespace)
            && text.parse::<IpAddr>().is_err()
        {
            return match text {
                "" | "localhost" => text.to_owned(),
                name => texts::host_or_domain(&self.secret, name),
            };
        }
        let is_version = key.contains("version") || key.contains("release");
        texts::replaced(self, text, is_version)
    }

    /// A name of a fact's part: of a share, an interface, a machine.
    fn key(&self, name: &str) -> String {
        texts::replaced(self, name, false)
    }
}

fn entries(map: &Data) -> &[(String, Data)] {
    match map {
        Data::Map(all) => all,
        _ => &[],
    }
}

#[cfg(test)]
mod tests;
