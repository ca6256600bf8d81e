//! What makes a catalog a static one: the metadata of its files' sources, as they were when it was compiled.
//! Source: the terminus `compiler` of catalogs in Puppet 7.23.0 and 8.10.0.

use super::checksums::{ChecksumType, SHA256};
use super::entry::{File, MetadataRequest};
use super::file_root::{FileRoot, Kind, Links};
use super::fileset::Search;
use super::{Files, mounts};
use crate::environments::Served;
use crate::exchange::{Client, Failure, Request, server_error};
use crate::parameters::Parameter;
use http::Method;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};
use std::borrow::Cow;
use std::path::Path;

/// What is looked at of a catalog.
#[derive(Deserialize)]
struct Catalog<'c> {
    #[serde(borrow)]
    resources: Vec<Listed<'c>>,
}

/// A resource, whose parameters are looked into for files alone.
#[derive(Deserialize)]
struct Listed<'c> {
    #[serde(rename = "type", borrow)]
    type_name: Cow<'c, str>,
    #[serde(borrow)]
    title: Cow<'c, str>,
    #[serde(borrow, default)]
    parameters: Option<&'c RawValue>,
}

/// A `File` of a catalog, with what metadata hangs on.
struct Resource {
    title: String,
    parameters: Map<String, Json>,
    sources: Vec<String>,
    /// What is asked of each source, as an agent would.
    request: Request,
}

impl Files {
    /// The entries that a static catalog has besides, `metadata` and `recursive_metadata`, as far as there are any: of all
    /// files of a catalog (as JSON) whose sources are files of modules in the folder of its environment. `checksum_types` are those that the agent knows, the best first, with dots between them.
    ///
    /// # Errors
    /// Puppet's, where none of these types is known, or a source of a file is nowhere; that `catalog` is none.
    pub fn static_metadata(
        &self,
        catalog: &str,
        served: &Served,
        checksum_types: &str,
        client: &Client,
    ) -> Result<Map<String, Json>, Failure> {
        let checksum = checksum_types.split('.').find_map(ChecksumType::of).ok_or_else(|| {
            server_error(format!(
                "Unable to find a common checksum type between agent '{checksum_types}' and master '[{KNOWN_TYPES}]'."
            ))
        })?;
        let root = self.root_of(served)?;
        // All modules are asked for once, not each by its name.
        self.shared.modules(&root)?;
        let (mut single, mut recursive) = (Map::new(), Map::new());
        let catalog: Catalog<'_> =
            serde_json::from_str(catalog).map_err(|error| server_error(error.to_string()))?;
        for resource in &catalog.resources {
            let Some(resource) = Resource::of(resource, checksum, client) else { continue };
            let found = match resource.recurses() {
                true => (&mut recursive, self.below(&resource, &root, served)?),
                false => (&mut single, self.of_file(&resource, &root, served)?),
            };
            if let (entries, Some(entry)) = found {
                entries.insert(resource.title, entry);
            }
        }
        let both = [("metadata", single), ("recursive_metadata", recursive)];
        let both = both.into_iter().filter(|(_, entries)| !entries.is_empty());
        Ok(both.map(|(key, entries)| (key.to_owned(), Json::Object(entries))).collect())
    }

    /// The metadata of the first source that is there; none where that is no file of the environment.
    fn of_file(
        &self,
        resource: &Resource,
        root: &FileRoot,
        served: &Served,
    ) -> Result<Option<Json>, Failure> {
        let metadata = MetadataRequest::of(&resource.request, self.shared.digest)?;
        for source in &resource.sources {
            let source = source.trim_end_matches('/');
            let (_, path) = parts(source);
            let (name, path) = mounts::split(&path)?;
            let Some(mount) = mounts::find(name, &self.mounted()) else { continue };
            let found = mount.find(&self.shared, root, path.as_deref(), &resource.request)?;
            let Some(found) = found else { continue };
            let file = File { base: &found, relative: None, folder: None };
            let mut entry = self.entry(&file, root, &metadata)?;
            let uri = content_uri(&file, source, served);
            if uri.is_some() {
                self.keep(&file, root, served)?;
            }
            return Ok(uri.map(|uri| {
                entry.insert("content_uri".to_owned(), Json::from(uri));
                entry.insert("source".to_owned(), Json::from(source));
                Json::Object(entry)
            }));
        }
        let source = resource.parameters.get("source").map(shown).unwrap_or_default();
        let message = format!("Could not get metadata for {source}");
        // A site with archives has not asked for static catalogs: the agent will fail this file, and go on with the others.
        match self.versions_kept {
            Some(_) => {
                let source = resource.request.client.source();
                self.notices.say("warning", &source, format!("File[{}]: {message}", resource.title));
            }
            None => return Err(server_error(message)),
        }
        Ok(None)
    }

    /// The metadata of all files below the sources; none where one is no folder of the environment, or none is there.
    fn below(&self, resource: &Resource, root: &FileRoot, served: &Served) -> Result<Option<Json>, Failure> {
        let metadata = MetadataRequest::of(&resource.request, self.shared.digest)?;
        let select = resource.parameters.get("sourceselect");
        let is_first_only = select.is_none_or(|select| select == "first" || select.is_null());
        let mut all = Map::new();
        for source in &resource.sources {
            let source = source.trim_end_matches('/');
            let (_, path) = parts(source);
            let (name, path) = mounts::split(&path)?;
            let Some(mount) = mounts::find(name, &self.mounted()) else { continue };
            let found = mount.search(&self.shared, root, path.as_deref(), &resource.request)?;
            let Some((folders, may_recurse)) = found else { continue };
            let (files, warnings) = Search::of(&resource.request, may_recurse)?.files(root, &folders)?;
            warnings
                .into_iter()
                .for_each(|warning| self.notices.say("warning", &resource.request.client.source(), warning));
            let top = files.iter().find(|found| found.relative == ".");
            let top = top.map(|top| File {
                base: &folders[top.folder],
                relative: Some(&top.relative),
                folder: None,
            });
            let Some(uri) = top.and_then(|top| content_uri(&top, source, served)) else {
                return Ok(None);
            };
            let mut entries = Vec::new();
            for found in &files {
                let file =
                    File { base: &folders[found.folder], relative: Some(&found.relative), folder: None };
                let mut entry = self.entry(&file, root, &metadata)?;
                self.keep(&file, root, served)?;
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

    /// Keeps what a file holds for those who ask for it in this version of the code, where that is done here.
    fn keep(&self, file: &File<'_>, root: &FileRoot, served: &Served) -> Result<(), Failure> {
        let (Some(kept), Some(version)) = (&self.versions_kept, &served.code_id) else { return Ok(()) };
        let path = file.path();
        let (path, below) = (Path::new(&*path), Path::new(&*path).strip_prefix(&served.folder));
        let found = root.stat(path, Links::Follow).ok().filter(|found| found.kind == Kind::File);
        let (Some(below), Some(found)) = (below.ok().and_then(Path::to_str), found) else { return Ok(()) };
        let checksums = &self.shared.checksums;
        let sum = root.checksum(path, &found, SHA256, checksums);
        let open = || Ok(root.content(path, checksums)?.reader());
        let is_kept = sum.and_then(|sum| kept.keep(version, below, &sum, open));
        is_kept.map_err(|error| server_error(format!("Could not keep {}: {error}", path.display())))
    }

    fn entry(
        &self,
        file: &File<'_>,
        root: &FileRoot,
        request: &MetadataRequest,
    ) -> Result<Map<String, Json>, Failure> {
        let mut text = Vec::new();
        file.write(request, (root, &self.shared.checksums), &mut text)?;
        serde_json::from_slice(&text).map_err(|error| server_error(error.to_string()))
    }
}

/// The types of checksums, as Ruby shows the list.
const KNOWN_TYPES: &str = ":sha256, :sha256lite, :md5, :md5lite, :sha1, :sha1lite, :sha512, :sha384, :sha224, :mtime, :ctime, :none";

impl Resource {
    /// A file that is to be there and has sources, all of them on servers of Puppet.
    fn of(resource: &Listed<'_>, checksum: ChecksumType, client: &Client) -> Option<Resource> {
        let raw = resource.parameters.filter(|_| resource.type_name == "File")?;
        let parameters: Map<String, Json> = serde_json::from_str(raw.get()).ok()?;
        let sources: Vec<String> = match parameters.get("source")? {
            Json::Array(all) => all.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
            one => one.as_str().map(str::to_owned).into_iter().collect(),
        };
        let is_wanted = parameters.get("ensure").is_none_or(|ensure| ensure != "absent");
        let is_inline = !sources.is_empty() && sources.iter().all(|source| source.starts_with("puppet:"));
        if !(is_wanted && is_inline) {
            return None;
        }
        let title = resource.title.clone().into_owned();
        let request = Request {
            method: Method::GET,
            path: String::new(),
            query: query(&parameters, checksum),
            accept: Vec::new(),
            content_type: None,
            if_none_match: None,
            if_modified_since: None,
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
