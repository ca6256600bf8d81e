//! Catalogs as orchestrators ask for them (`POST /puppet/v4/catalog`): with facts and trusted data of the request's own, and what
//! was logged. Source: Puppet Server 7.9.5.

use crate::environments::Served;
use crate::exchange::{Failure, Request, Response, server_error};
use crate::identity::is_certname;
use crate::site::Site;
use crate::{catalog, node, weight};
use bunraku::{Data, Facts, Node, Severity, is_environment_name, search_failed};
use http::StatusCode;
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

/// What is asked for.
struct Asked {
    certname: String,
    environment: String,
    facts: Option<Data>,
    trusted: Option<Data>,
    prefers_requested: bool,
    /// The least level of logs that are answered, if they are.
    logs: Option<Severity>,
}

/// The catalog, and the logs where they are asked for.
///
/// # Errors
/// 413 where the body has more values than a node's facts may have; what else is wrong with it is a text, as is what ends the compile.
pub fn answer(site: &Site, request: &Request) -> Result<Response, Failure> {
    weight::check(&request.body, weight::OF_FACTS)?;
    let asked = match asked(&request.body) {
        Ok(asked) => asked,
        Err(why) => return Ok(Response::text(StatusCode::BAD_REQUEST, format!("Invalid input: {why}"))),
    };
    let failed = |why: String| {
        Response::text(StatusCode::INTERNAL_SERVER_ERROR, format!("Internal Server Error: {why}"))
    };
    match catalog(site, &asked) {
        Ok(body) => Ok(Response::of("application/json", body)),
        Err(failure) => {
            site.notices.say("err", &request.client.source(), &failure.message);
            Ok(failed(failure.message))
        }
    }
}

fn catalog(site: &Site, asked: &Asked) -> Result<String, Failure> {
    let name = asked.certname.as_str();
    let requested =
        site.environments.get(&asked.environment).map_err(|failure| server_error(failure.message))?;
    let mut node = Node::new(name).with_server(site.compat(), &site.machine, site.addresses.clone());
    if let Some(facts) = &asked.facts {
        node = node.with_facts(Facts::from_data(facts.clone()));
    }
    if let Some(Data::Map(trusted)) = &asked.trusted {
        node = node.with_trusted(trusted);
    } else if let Some(external) = node::external(site, name).map_err(server_error)? {
        node = node.with_external(&external);
    }
    let searching = |why: String| server_error(search_failed(name, &why));
    let (node, said) = node::classify(site, node).map_err(searching)?;
    let said = said.filter(|_| !asked.prefers_requested);
    let environment = node::environment_of(site, name, Some(&requested), said.as_deref())?;
    let environment = match asked.logs {
        Some(least) => logging(site, environment, least)?,
        None => environment,
    };
    let compiled = catalog::compile(site, (&environment, &site.settings), &node);
    let catalog = compiled.result.map_err(|error| server_error(error.message))?;
    let Some(least) = asked.logs else { return Ok(format!("{{\"catalog\":{}}}", catalog.to_json())) };
    let logs = compiled.logs.iter().filter(|log| log.level >= least);
    // That of the compile's end: what is logged has no time of its own.
    let time = bunraku::time::format(bunraku::time::now(), "%Y-%m-%dT%H:%M:%S.%N+00:00");
    let told = |log: &bunraku::Log| {
        json!({
            "level": log.level.name(), "message": log.message, "source": log.source.as_deref().unwrap_or("Puppet"),
            "tags": [log.level.name()], "time": time, "file": log.place.file, "line": log.place.line,
        })
    };
    let logs: Vec<Json> = logs.map(told).collect();
    Ok(format!("{{\"catalog\":{},\"logs\":{}}}", catalog.to_json(), Json::Array(logs)))
}

/// An environment whose compiles log messages of so low a level; what is usual is the setting `log_level`'s to say.
fn logging(site: &Site, environment: Arc<Served>, least: Severity) -> Result<Arc<Served>, Failure> {
    if least >= Severity::Notice {
        return Ok(environment);
    }
    let given = [("log_level".to_owned(), least.name().to_owned())];
    let configuration = site.configuration().with(&given).map_err(server_error)?;
    let logs = environment.environment.clone().with_configuration(&configuration);
    Ok(Arc::new(Served { environment: logs, ..Served::clone(&environment) }))
}

fn asked(body: &[u8]) -> Result<Asked, String> {
    let body: Json = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let Json::Object(all) = body else { return Err("it is no object".to_owned()) };
    let missing: Vec<String> = ["certname", "environment", "persistence"]
        .into_iter()
        .filter(|key| !all.contains_key(*key))
        .map(|key| format!("\"{key}\" missing-required-key"))
        .collect();
    if !missing.is_empty() {
        return Err(format!("{{{}}}", missing.join(", ")));
    }
    let text = |key: &str| all[key].as_str().map(str::to_owned).ok_or_else(|| format!("{key} is no text"));
    let (certname, environment) = (text("certname")?, text("environment")?);
    if !is_certname(&certname) {
        return Err(format!("'{certname}' is no name of a node"));
    }
    if !is_environment_name(&environment) {
        return Err(format!("The environment must be purely alphanumeric, not '{environment}'"));
    }
    let persistence = all["persistence"].as_object().ok_or("persistence is no object")?;
    if let Some((key, _)) = persistence.iter().find(|(_, wanted)| **wanted == Json::Bool(true)) {
        return Err(format!("persistence.{key} is not supported: nothing of this request is kept"));
    }
    let values = |key: &str| match all.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(data) => match data.get("values") {
            Some(values @ Json::Object(_)) => Data::from_json(&values.to_string()).map(Some),
            _ => Err(format!("{key} has no values")),
        },
    };
    let none = Map::new();
    let options = all.get("options").and_then(Json::as_object).unwrap_or(&none);
    let is_on = |key: &str| options.get(key) == Some(&Json::Bool(true));
    let least = options.get("log_level").and_then(Json::as_str).unwrap_or("warning");
    let least = Severity::by_name(least).ok_or_else(|| format!("there is no level '{least}'"))?;
    Ok(Asked {
        certname,
        environment,
        facts: values("facts")?,
        trusted: values("trusted_facts")?,
        prefers_requested: is_on("prefer_requested_environment"),
        logs: is_on("capture_logs").then_some(least),
    })
}
