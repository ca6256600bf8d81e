//! Jobs of `batch` that know a server's configuration: what a job does not say comes from there.

use crate::configuration::Configuration;
use crate::data::Data;
use crate::node::{Facts, Node, StoredNode};
use bunraku_compile::job::Job;
use bunraku_compile::session::StoreAt;
use serde_json::{Map, Value as Json};
use std::path::Path;

/// Fills a job with what the configuration says of it: environment, facts, classes, trusted data, settings, PuppetDB.
///
/// # Errors
/// When the configuration is malformed, the environment is not there, facts can't be read, a program fails, or a setting has no meaning.
pub(crate) fn fill(job: &mut Job, configuration: &Configuration) -> Result<(), String> {
    // A running server of Puppet goes on with what it has read before; nothing is compiled by defaults that nobody wants.
    if let Some(fault) = configuration.fault() {
        return Err(fault.to_owned());
    }
    let settings = configuration.settings()?;
    job.configuration = Some(configuration.own().clone());
    let given = job.settings.get_or_insert_default();
    let strict = configuration.get("strict")?.value;
    for (name, value) in [
        ("compat", Json::from(settings.compat.to_string())),
        ("strict", strict.json()),
        ("strict_variables", settings.strict_variables.into()),
    ] {
        given.entry(name).or_insert(value);
    }
    if let Some(sends) = settings.include_legacy_facts() {
        given.entry("include_legacy_facts").or_insert(sends.into());
    }
    if let (None, Some(StoreAt::Place(place))) = (&job.storeconfigs, settings.store()) {
        job.storeconfigs = Some(place.place);
        job.localcacert = place.certificates.authorities;
        job.hostcert = place.certificates.certificate;
        job.hostprivkey = place.certificates.key;
        job.soft_write_failure = place.soft_write_failure;
    }
    if job.types.is_some() {
        return place(job, None, configuration);
    }
    let name = match &job.node {
        Some(name) => name.clone(),
        None => configuration.certname()?.unwrap_or_else(|| "localhost".to_owned()),
    };
    job.node = Some(name.clone());
    if job.facts.is_none() {
        job.facts = configuration.facts(&name)?.map(|Facts(all)| all);
    }
    let node = Node::new(&name);
    let (node, said) = match job.classes.is_none() && job.parameters.is_none() {
        true => configuration.complete(node, settings.programs)?,
        false => (configuration.with_trusted_external(node, settings.programs)?, None),
    };
    let node = node.node;
    if !node.classes.is_empty() {
        job.classes = Some(Json::Object(node.classes.into_iter().collect::<Map<_, _>>()));
    }
    if !node.parameters.is_empty() {
        job.parameters = Some(node.parameters);
    }
    job.trusted.get_or_insert(node.trusted);
    place(job, said, configuration)
}

/// What a place of facts has of a node, by the names of both; none where it is no such place.
pub type StoredAt<'s> = dyn Fn(&str, &str) -> Option<Result<StoredNode, String>> + 's;

/// Puts what is stored of a job's node into it, where the job names a place of facts that `stored` knows.
///
/// # Errors
/// When nothing is stored of the node there, or it can't be read.
pub(crate) fn with_stored(job: &mut Job, stored: &StoredAt<'_>) -> Result<(), String> {
    let Some(Json::String(place)) = job.facts.as_deref() else { return Ok(()) };
    let Some(found) = stored(place, job.name()) else { return Ok(()) };
    let StoredNode { facts: Facts(facts), trusted, .. } = found?;
    job.facts = Some(facts);
    if let (None, Some(Json::Object(trusted))) = (&job.trusted, trusted.map(|data: Data| data.json())) {
        job.trusted = Some(trusted);
    }
    Ok(())
}

/// Says where the environment is: what a classifier says goes before the name that the job says.
fn place(job: &mut Job, said: Option<String>, configuration: &Configuration) -> Result<(), String> {
    let is_named = |path: &Path| path.to_str().is_some_and(crate::is_environment_name) && !path.is_dir();
    let has_code = job.code.is_some() || job.manifest.is_some() || job.archive.is_some();
    let named = match job.environment.as_deref() {
        Some(path) if is_named(path) => Some(path.to_string_lossy().into_owned()),
        Some(_) => return Ok(()),
        None => None,
    };
    let wanted = said.or(named);
    match configuration.environment_folder(wanted.as_deref()) {
        Ok((folder, name)) => {
            job.environment = folder;
            job.environment_name.get_or_insert(name);
            Ok(())
        }
        Err(_) if has_code && wanted.is_none() => Ok(()),
        Err(error) => Err(error),
    }
}
