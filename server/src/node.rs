//! What is known of a node before its catalog is compiled: what its classifier says, its trusted data; and the route by which an
//! agent asks for its environment.

use crate::environments::Served;
use crate::exchange::{Client, Failure, Request, Response, server_error};
use crate::facts;
use crate::files::environment;
use crate::formats::{self, Format, json_of};
use crate::identity::Extension;
use crate::site::Site;
use bunraku::process::keeping_errors;
use bunraku::{Data, Facts, Node, search_failed, unknown_node};
use serde_json::{Map, Value as Json};
use std::sync::Arc;

/// `GET /puppet/v3/node/NAME`: name and environment, what the classifier says, and the facts that are kept.
///
/// # Errors
/// Where there is no such environment, be it the classifier that names it; where the classifier knows nothing of the node, or fails.
pub fn answer(site: &Site, request: &Request, name: &str) -> Result<Response, Failure> {
    let forms = [formats::of_data(site.compat()), &[Format::Yaml]].concat();
    let format = formats::of_answer(request, &forms)?;
    let asked = site.environments.get(environment(request)?)?;
    let (node, said) = classify(site, Node::new(name)).map_err(|why| match why == unknown_node(name) {
        true => Failure::not_found(format!("Could not find node {name}")),
        false => server_error(why),
    })?;
    // Who was told of one that is not there would go on in it, and its report would find no place.
    let environment = match said {
        Some(said) => of_classifier(site, &said, |why| why)?,
        None => asked,
    };
    let mut all = Map::new();
    all.insert("name".to_owned(), name.into());
    all.insert("environment".to_owned(), environment.name.clone().into());
    let parameters = with_facts(node.parameters(), site.facts.find(name)?.as_ref().map(facts::values));
    for (key, data) in [("classes", node.classes()), ("parameters", parameters)] {
        if data != Data::Map(Vec::new()) {
            all.insert(key.to_owned(), json_of(&data));
        }
    }
    let (content_type, text) = formats::of_object(format, "Puppet::Node", &all);
    Ok(Response::of(content_type, text))
}

/// What a classifier says of a node, and its facts, where they are kept, behind it: what is there already they don't change.
fn with_facts(parameters: Data, facts: Option<Facts>) -> Data {
    let mut all = match parameters {
        Data::Map(all) => all,
        _ => Vec::new(),
    };
    if let Some(Data::Map(facts)) = facts.map(|facts| facts.to_data()) {
        for (name, value) in facts {
            if !all.iter().any(|(known, _)| *known == name) {
                all.push((name, value));
            }
        }
    }
    Data::Map(all)
}

/// A node with its facts and what is trusted of it.
pub fn of_client(site: &Site, name: &str, facts: Option<Facts>, trusted: &Trusted) -> Node {
    let node = Node::new(name).with_trusted(&trusted.0);
    let node = node.with_server(site.compat(), &site.machine, site.addresses.clone());
    match facts {
        Some(facts) => node.with_facts(facts),
        None => node,
    }
}

/// `$trusted`: what the certificate says and, if a program is there to be asked, trusted data from outside.
pub struct Trusted(Vec<(String, Data)>);

impl Trusted {
    /// What the certificate says, and nothing that the client says besides.
    pub fn of(client: &Client, external: Option<Data>) -> Trusted {
        let certname = client.certname.as_deref();
        let (hostname, domain) = match certname.map(|name| name.split_once('.').unwrap_or((name, ""))) {
            Some((hostname, "")) => (Some(hostname), None),
            Some((hostname, domain)) => (Some(hostname), Some(domain)),
            None => (None, None),
        };
        let text = |text: Option<&str>| text.map_or(Data::Undef, Data::from);
        let extension = |extension: &Extension| {
            extension.name.as_ref().map(|name| (name.clone(), Data::from(extension.value.as_str())))
        };
        let authenticated = if certname.is_some() { Data::from("remote") } else { Data::Boolean(false) };
        let all = [
            ("authenticated", authenticated),
            ("certname", text(certname)),
            ("extensions", Data::Map(client.extensions.iter().filter_map(extension).collect())),
            ("hostname", text(hostname)),
            ("domain", text(domain)),
            ("external", external.unwrap_or(Data::Map(Vec::new()))),
        ];
        Trusted(all.map(|(name, value)| (name.to_owned(), value)).to_vec())
    }

    /// As PuppetDB gets it beside the facts.
    pub fn to_json(&self) -> Json {
        json_of(&Data::Map(self.0.clone()))
    }
}

/// What is trusted of who asks, for a node: a program, where there is one, is asked now.
///
/// # Errors
/// What the program fails with.
pub fn trusted_of(site: &Site, client: &Client, name: &str) -> Result<Trusted, Failure> {
    let external = external(site, client.certname.as_deref().unwrap_or(name)).map_err(server_error)?;
    Ok(Trusted::of(client, external))
}

/// Trusted data of a node from outside; none where no program is there to ask.
///
/// # Errors
/// What it fails with.
pub fn external(site: &Site, name: &str) -> Result<Option<Data>, String> {
    let ask = || site.configuration().trusted_external(name, site.settings.programs);
    site.external.get(name, || telling_errors(site, name, ask))
}

/// A node with what the classifier says of it; and the environment that it names.
///
/// # Errors
/// What it fails with.
pub fn classify(site: &Site, node: Node) -> Result<(Node, Option<String>), String> {
    let name = node.name();
    let ask = || site.configuration().classify(Node::new(name), site.settings.programs);
    let (classified, environment) = site.classified.get(name, || telling_errors(site, name, ask))?;
    Ok((node.classified_as(&classified), environment))
}

/// Asks programs of a node, and tells what they have printed on their standard error: whose it is, and of whom.
fn telling_errors<T>(site: &Site, node: &str, ask: impl FnOnce() -> T) -> T {
    let (said, complaints) = keeping_errors(ask);
    for complaint in complaints {
        for line in complaint.text.lines().filter(|line| !line.trim().is_empty()) {
            site.notices.say("warning", &format!("//{node}"), format!("{}: {line}", complaint.program));
        }
    }
    said
}

/// The environment that a node is compiled in: the one that its classifier names, or else that of the request, or else the
/// configured one, where nobody has one of that name.
///
/// # Errors
/// Puppet's message where the classifier names one that there is not.
pub fn environment_of(
    site: &Site,
    name: &str,
    asked: Option<&Arc<Served>>,
    said: Option<&str>,
) -> Result<Arc<Served>, Failure> {
    match (said, asked) {
        (None, Some(asked)) => Ok(Arc::clone(asked)),
        (None, None) => {
            let configured = site.configuration().get("environment").map_err(server_error)?.text;
            site.environments.get(&configured)
        }
        (Some(said), _) => of_classifier(site, said, |why| search_failed(name, &why)),
    }
}

/// The environment that a classifier names; what is said where there is none is made of Puppet's message, which names the path that was
/// searched.
fn of_classifier(
    site: &Site,
    said: &str,
    told: impl FnOnce(String) -> String,
) -> Result<Arc<Served>, Failure> {
    let found = site.configuration().environment_folder(Some(said));
    found.map_err(|why| server_error(told(why)))?;
    site.environments.get(said)
}
