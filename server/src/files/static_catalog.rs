//! What makes a catalog a static one: the metadata of its files' sources, as they were when it was compiled.
//! Source: the terminus `compiler` of catalogs in Puppet 7.23.0 and 8.10.0.

use super::checksums::ChecksumType;
use super::entry::{Asked, File};
use super::fileset::Search;
use super::mounts::{self, server_error};
use super::{Files, Place};
use crate::environments::Served;
use crate::exchange::{Client, Failure, Request};
use crate::parameters::Parameter;
use http::Method;
use serde_json::{Map, Value as Json};

/// A `File` of a catalog, with what metadata hangs on.
struct Resource<'c> {
    title: &'c str,
    parameters: &'c Map<String, Json>,
    sources: Vec<&'c str>,
    /// What is asked of each source, as an agent would.
    request: Request,
}

impl Files {
    /// The entries that a static catalog has besides, `metadata` and `recursive_metadata`, as far as there are any: of all
    /// files of a catalog (as JSON, before its exported resources are taken out) whose sources are files of modules in the
    /// folder of its environment. `checksum_types` are those that the agent knows, the best first, with dots between them.
    ///
    /// # Errors
    /// Puppet's, where none of these types is known, or a source of a file is nowhere.
    pub fn static_metadata(
        &self,
        catalog: &Json,
        served: &Served,
        checksum_types: &str,
        client: &Client,
    ) -> Result<Map<String, Json>, Failure> {
        let checksum = checksum_types.split('.').find_map(ChecksumType::of).ok_or_else(|| {
            server_error(format!(
                "Unable to find a common checksum type between agent '{checksum_types}' and master '[{KNOWN_TYPES}]'."
            ))
        })?;
        let place = self.place(&served.name)?;
        // All modules are asked for once, not each by its name.
        self.shared.modules(&place)?;
        let (mut single, mut recursive) = (Map::new(), Map::new());
        for resource in catalog["resources"].as_array().into_iter().flatten() {
            let Some(resource) = Resource::of(resource, checksum, client) else { continue };
            let found = match resource.recurses() {
                true => (&mut recursive, self.below(&resource, &place, served)?),
                false => (&mut single, self.of_file(&resource, &place, served)?),
            };
            if let (entries, Some(entry)) = found {
                entries.insert(resource.title.to_owned(), entry);
            }
        }
        let both = [("metadata", single), ("recursive_metadata", recursive)];
        let both = both.into_iter().filter(|(_, entries)| !entries.is_empty());
        Ok(both.map(|(key, entries)| (key.to_owned(), Json::Object(entries))).collect())
    }

    /// The metadata of the first source that is there; none where that is no file of the environment.
    fn of_file(
        &self,
        resource: &Resource<'_>,
        place: &Place,
        served: &Served,
    ) -> Result<Option<Json>, Failure> {
        let asked = Asked::of(&resource.request, self.shared.digest)?;
        for source in &resource.sources {
            let source = source.trim_end_matches('/');
            let (_, path) = parts(source);
            let (name, path) = mounts::split(&path)?;
            let Some(mount) = mounts::find(name, &self.mounted()) else { continue };
            let found = mount.find(&self.shared, place, path.as_deref(), &resource.request)?;
            let Some(found) = found else { continue };
            let file = File { base: &found, relative: None, folder: None };
            let mut entry = self.entry(&file, &asked)?;
            return Ok(content_uri(&file, source, served).map(|uri| {
                entry.insert("content_uri".to_owned(), Json::from(uri));
                entry.insert("source".to_owned(), Json::from(source));
                Json::Object(entry)
            }));
        }
        let source = resource.parameters.get("source").map(shown).unwrap_or_default();
        Err(server_error(format!("Could not get metadata for {source}")))
    }

    /// The metadata of all files below the sources; none where one is no folder of the environment, or none is there.
    fn below(
        &self,
        resource: &Resource<'_>,
        place: &Place,
        served: &Served,
    ) -> Result<Option<Json>, Failure> {
        let asked = Asked::of(&resource.request, self.shared.digest)?;
        let select = resource.parameters.get("sourceselect");
        let is_first_only = select.is_none_or(|select| select == "first" || select.is_null());
        let mut all = Map::new();
        for source in &resource.sources {
            let source = source.trim_end_matches('/');
            let (_, path) = parts(source);
            let (name, path) = mounts::split(&path)?;
            let Some(mount) = mounts::find(name, &self.mounted()) else { continue };
            let found = mount.search(&self.shared, place, path.as_deref(), &resource.request)?;
            let Some((folders, may_recurse)) = found else { continue };
            let (files, warnings) = Search::of(&resource.request, may_recurse)?.files(&folders)?;
            warnings.into_iter().for_each(|warning| self.notices.say("warning", "Puppet", warning));
            let root = files.iter().find(|found| found.relative == ".");
            let root = root.map(|root| File {
                base: &folders[root.folder],
                relative: Some(&root.relative),
                folder: None,
            });
            let Some(uri) = root.and_then(|root| content_uri(&root, source, served)) else {
                return Ok(None);
            };
            let mut entries = Vec::new();
            for found in &files {
                let file =
                    File { base: &folders[found.folder], relative: Some(&found.relative), folder: None };
                let mut entry = self.entry(&file, &asked)?;
                let own = match found.relative.as_str() {
                    "." => uri.clone(),
                    relative => format!("{uri}/{relative}"),
                };
                entry.insert("content_uri".to_owned(), Json::from(own));
                entries.push(Json::Object(entry));
            }
            all.insert(source.to_owned(), Json::Array(entries));
            if is_first_only {
                break;
            }
        }
        Ok((!all.is_empty()).then_some(Json::Object(all)))
    }

    fn entry(&self, file: &File<'_>, asked: &Asked) -> Result<Map<String, Json>, Failure> {
        let mut text = Vec::new();
        file.write(asked, &self.shared.checksums, &mut text)?;
        serde_json::from_slice(&text).map_err(|error| server_error(error.to_string()))
    }
}

/// The types of checksums, as Ruby shows the list.
const KNOWN_TYPES: &str = ":sha256, :sha256lite, :md5, :md5lite, :sha1, :sha1lite, :sha512, :sha384, :sha224, :mtime, :ctime, :none";

impl<'c> Resource<'c> {
    /// A file that is to be there and has sources, all of them on servers of Puppet.
    fn of(resource: &'c Json, checksum: ChecksumType, client: &Client) -> Option<Resource<'c>> {
        let parameters = resource["parameters"].as_object().filter(|_| resource["type"] == "File")?;
        let sources: Vec<&str> = match parameters.get("source")? {
            Json::Array(all) => all.iter().filter_map(Json::as_str).collect(),
            one => one.as_str().into_iter().collect(),
        };
        let is_wanted = parameters.get("ensure").is_none_or(|ensure| ensure != "absent");
        let is_inline = !sources.is_empty() && sources.iter().all(|source| source.starts_with("puppet:"));
        let title = resource["title"].as_str().filter(|_| is_wanted && is_inline)?;
        let request = Request {
            method: Method::GET,
            path: String::new(),
            query: query(parameters, checksum),
            accept: Vec::new(),
            content_type: None,
            since: None,
            passed_on: false,
            body: bytes::Bytes::new(),
            client: client.clone(),
        };
        Some(Resource { title, parameters, sources, request })
    }

    fn recurses(&self) -> bool {
        let recurse = self.parameters.get("recurse");
        recurse.is_some_and(|recurse| *recurse == true || recurse == "true" || recurse == "remote")
    }
}

/// The parameters of a resource as those of a request.
fn query(parameters: &Map<String, Json>, checksum: ChecksumType) -> Vec<(String, String)> {
    let mut query = vec![("recurse".to_owned(), "true".to_owned())];
    let said =
        |name: &str| parameters.get(name).filter(|value| !matches!(value, Json::Null | Json::Bool(false)));
    let texts = |value: &Json| match value {
        Json::Array(all) => all.iter().map(shown).collect(),
        one => vec![shown(one)],
    };
    for (name, key) in
        [("links", "links"), ("checksum", "checksum_type"), ("source_permissions", "source_permissions")]
    {
        query.extend(said(name).into_iter().flat_map(texts).map(|value| (key.to_owned(), value)));
    }
    if said("checksum").is_none() {
        query.push(("checksum_type".to_owned(), checksum.name().to_owned()));
    }
    for name in ["recurselimit", "max_files", "ignore"] {
        let value = parameters.get(name).filter(|value| !value.is_null());
        query.extend(value.into_iter().flat_map(texts).map(|value| (name.to_owned(), value)));
    }
    query
}

/// A value as Ruby's `to_s` writes it.
fn shown(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(all) => {
            let all = all.iter().map(|one| Parameter::Text(shown(one)));
            Parameter::List(all.collect()).to_string()
        }
        other => other.to_string(),
    }
}

/// The server of a source, with its port, and the path there.
fn parts(source: &str) -> (&str, String) {
    let rest = source.strip_prefix("puppet:").unwrap_or(source);
    let (server, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.find('/').map_or((rest, ""), |at| rest.split_at(at)),
        None => ("", rest),
    };
    let path = path.split('?').next().unwrap_or_default();
    (server, path.strip_prefix('/').unwrap_or(path).to_owned())
}

/// Where an agent finds the content of a file in this version of the code, if it is one that a module of the environment's
/// folder hands out.
fn content_uri(file: &File<'_>, source: &str, served: &Served) -> Option<String> {
    let (server, path) = parts(source);
    let full = file.path();
    let below = full.strip_prefix(served.folder.to_str()?)?.strip_prefix('/')?;
    let mut names = below.splitn(4, '/');
    let is_of_module = path.starts_with("modules/")
        && names.by_ref().take(2).all(|name| !name.is_empty())
        && names.next() == Some("files")
        && names.next().is_some_and(|rest| !rest.is_empty());
    is_of_module.then(|| format!("puppet://{server}/{below}"))
}
