//! A node's catalog, as its agent asks for it. Source: Puppet 7.23.0's `catalog` route and its compiler terminus; the order of what
//! is looked at is theirs.

use crate::environments::Served;
use crate::exchange::{Failure, Request, Response, server_error};
use crate::facts;
use crate::formats::{self, Format};
use crate::node;
use crate::site::Site;
use crate::weight;
use bunraku::{
    Catalog, Compat, Compilation, Compiler, Environment, Node, Rule, Settings, is_environment_name,
    search_failed,
};
use http::{Method, StatusCode};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value as Json, json};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

/// Fields of a form, at most: agents send some fifteen.
const MAX_FIELDS: usize = 1000;

/// What a request says: its query, and, sent with it, a form, which goes before.
struct Fields(Vec<(String, String)>);

impl Fields {
    /// # Errors
    /// 413 where a form has too many.
    fn of(request: &Request) -> Result<Fields, Failure> {
        let is_form = request.content_type.as_deref() == Some("application/x-www-form-urlencoded");
        let sent: &[u8] = if is_form { &request.body } else { &[] };
        if sent.iter().filter(|byte| **byte == b'&').count() >= MAX_FIELDS {
            let message = format!("The form has more than {MAX_FIELDS} fields");
            return Err(Failure::new(StatusCode::PAYLOAD_TOO_LARGE, message));
        }
        let sent = form_urlencoded::parse(sent);
        let mut all: Vec<(String, String)> = sent.into_owned().collect();
        all.extend(request.query.iter().cloned());
        Ok(Fields(all))
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// `GET` and `POST /puppet/v3/catalog/NAME`.
///
/// # Errors
/// What ends the compile, or what is wrong with the request.
pub fn answer(site: &Site, request: &Request, name: &str) -> Result<Response, Failure> {
    let fields = Fields::of(request)?;
    let environment = fields.get("environment").unwrap_or("null");
    if fields.get("environment").is_none() || !is_environment_name(environment) {
        let text = format!("The environment must be purely alphanumeric, not '{environment}'");
        return Ok(Response::text(StatusCode::BAD_REQUEST, text));
    }
    let format = format(site.compat(), request)?;
    if fields.get("use_node").is_some() {
        return Err(server_error("Invalid option use_node for a remote request".to_owned()));
    }
    let asked = match site.environments.get(environment) {
        Err(failure) if failure.status == StatusCode::NOT_FOUND => Ok(None),
        found => found.map(Some),
    };
    let sent = sent_facts(&fields, name)?;
    let trusted = node::trusted_of(site, &request.client, name)?;
    let facts = match &sent {
        Some(sent) => {
            site.facts.save_from(name, sent, Some((environment, trusted.to_json())))?;
            Some(facts::values(sent))
        }
        None => site.facts.find(name)?.as_ref().map(facts::values),
    };
    // Facts are kept even where nothing can be compiled.
    let asked = asked?;
    let node = node::of_client(site, name, facts, &trusted);
    let searching = |why: String| server_error(search_failed(name, &why));
    let (node, said) = node::classify(site, node).map_err(searching)?;
    let environment = node::environment_of(site, name, asked.as_ref(), said.as_deref())?;
    let is_moved = said.is_some() && asked.as_ref().is_none_or(|asked| asked.name != environment.name);
    let checks = fields.get("check_environment").is_some_and(|checks| checks == "true");
    if is_moved && checks && request.method == Method::POST {
        return answered(format, elsewhere(name, &environment.name));
    }
    let environment = versioned(site, environment);
    let settings = in_form(site, format)?;
    answered(format, catalog(site, request, &fields, (&environment, &settings), &node)?)
}

/// Compiles a catalog, makes it a static one where its agent wants that, and tells PuppetDB of it.
fn catalog(
    site: &Site,
    request: &Request,
    fields: &Fields,
    (environment, settings): (&Served, &Settings),
    node: &Node,
) -> Result<String, Failure> {
    let checksums = checksum_types(site, fields, environment)?;
    let (catalog, stored) = match site.catalogs.is_some() {
        true => {
            let compiled = timed(site, (environment, settings), node, Compiler::compile_with_exported).result;
            compiled.map(|(catalog, stored)| (catalog, Some(stored)))
        }
        false => compile(site, (environment, settings), node).result.map(|catalog| (catalog, None)),
    }
    .map_err(|error| server_error(error.message))?;
    let mut json = catalog.into_json();
    if let Some(types) = checksums {
        let metadata = site.files.static_metadata(&json, environment, types, &request.client)?;
        append(&mut json, &metadata);
    }
    if let (Some(commands), Some(stored)) = (&site.catalogs, stored) {
        let stored: Json =
            serde_json::from_str(stored.to_json()).map_err(|error| server_error(error.to_string()))?;
        let run = (fields.get("transaction_uuid"), fields.get("job_id"));
        commands.replace_catalog(node.name(), &stored, run)?;
    }
    Ok(json)
}

/// An environment with the version of its code: its archive's, or what the site's program says of it.
fn versioned(site: &Site, environment: Arc<Served>) -> Arc<Served> {
    let Some(versions) = &site.versions else { return environment };
    let code_id = versions.of(&environment.name).unwrap_or_else(|why| {
        site.notices.say("err", "Puppet", why);
        None
    });
    Arc::new(Served { code_id, ..Served::clone(&environment) })
}

/// The types of checksums that an agent knows, with dots between them, where its catalog is to be a static one.
fn checksum_types<'f>(
    site: &Site,
    fields: &'f Fields,
    environment: &Served,
) -> Result<Option<&'f str>, Failure> {
    if fields.get("static_catalog") != Some("true") || environment.code_id.is_none() {
        return Ok(None);
    }
    let is_on =
        site.environments.setting("static_catalogs", &environment.name)?.is_some_and(|text| text == "true");
    Ok(is_on.then(|| fields.get("checksum_type").unwrap_or_default()))
}

/// Puts more entries behind those of an object that is JSON already.
fn append(json: &mut String, entries: &Map<String, Json>) {
    for (key, value) in entries {
        json.truncate(json.trim_end().len() - 1);
        json.push_str(&format!(",{}:{value}}}", Json::from(key.as_str())));
    }
}

/// The settings of a compile whose catalog is sent in a form: 7 has rich data in that form alone which is named for it.
fn in_form(site: &Site, format: Format) -> Result<Cow<'_, Settings>, Failure> {
    if format == Format::Rich || !site.compat().holds(Rule::PlainCatalogs) {
        return Ok(Cow::Borrowed(&site.settings));
    }
    let mut settings = site.settings.clone();
    settings.set("rich_data", &false.into()).map_err(server_error)?;
    Ok(Cow::Owned(settings))
}

/// Compiles, as soon as fewer than the machine can do are under way, and tells what the compile logs.
pub fn compile(site: &Site, of: (&Served, &Settings), node: &Node) -> Compilation<Catalog> {
    timed(site, of, node, Compiler::compile)
}

fn timed<T>(
    site: &Site,
    (environment, settings): (&Served, &Settings),
    node: &Node,
    compile: impl FnOnce(&Compiler, &Environment, &Node, &Settings) -> Compilation<T>,
) -> Compilation<T> {
    let (compiled, time) = {
        let _pass = site.gate.pass();
        let node = node.clone().with_code_id(environment.code_id.as_deref());
        let begin = Instant::now();
        (compile(&site.compiler, &environment.environment, &node, settings), begin.elapsed())
    };
    for log in &compiled.logs {
        let who = log.source.as_ref().map_or_else(String::new, |source| format!("/{source}"));
        site.notices.say(log.level.name(), &format!("//{}{who}", node.name()), log.message.clone());
    }
    if compiled.result.is_ok() {
        let (name, environment, seconds) = (node.name(), &environment.name, time.as_secs_f64());
        let message =
            format!("Compiled catalog for {name} in environment {environment} in {seconds:.2} seconds");
        site.notices.say("notice", "Puppet", message);
    }
    compiled
}

/// The facts that were sent: in JSON that was encoded for a URL before it was put into the form.
fn sent_facts(fields: &Fields, name: &str) -> Result<Option<Json>, Failure> {
    let Some(text) = fields.get("facts") else { return Ok(None) };
    let Some(format) = fields.get("facts_format") else {
        return Err(server_error(format!("Facts but no fact format provided for {name}")));
    };
    if !matches!(format, "application/json" | "json" | "text/pson" | "pson") {
        return Err(server_error("Unsupported facts format".to_owned()));
    }
    let decoded = percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    let unreadable = |why: &dyn std::fmt::Display| server_error(format!("Could not intern from json: {why}"));
    weight::check(decoded.as_bytes(), weight::OF_FACTS)?;
    let facts: Json = serde_json::from_str(&decoded).map_err(|why| unreadable(&why))?;
    if !facts["values"].is_object() {
        return Err(unreadable(&"the facts have no values"));
    }
    let owner = facts["name"].as_str().unwrap_or_default();
    if owner != name {
        return Err(server_error(format!(
            "Catalog for {name:?} was requested with fact definition for the wrong node ({owner:?})."
        )));
    }
    Ok(Some(facts))
}

/// The catalog of a node that is to ask again, in another environment.
fn elsewhere(name: &str, environment: &str) -> String {
    json!({
        "tags": [], "name": name, "version": null, "code_id": null, "catalog_uuid": uuid::Uuid::new_v4().to_string(),
        "catalog_format": 2, "environment": environment, "resources": [], "edges": [], "classes": [],
    })
    .to_string()
}

/// In which form it is sent: the first of those that the client takes.
fn format(compat: Compat, request: &Request) -> Result<Format, Failure> {
    formats::of_answer(request, &[&[Format::Rich], formats::of_data(compat), &[Format::Yaml]].concat())
}

/// A catalog that is JSON, in another form.
fn answered(format: Format, json: String) -> Result<Response, Failure> {
    if format != Format::Yaml {
        return Ok(Response::of(format.content_type(), json));
    }
    let data = serde_json::from_str(&json).map_err(|error| server_error(error.to_string()))?;
    let (content_type, text) = formats::of_object(format, "Puppet::Resource::Catalog", &data);
    Ok(Response::of(content_type, text))
}
