//! The classes of environments, which consoles import: every manifest with its classes, their parameters, types and defaults.
//! Source: Puppet Server 7.9.5 (`environment_classes`, with its cache of classes on).
//!
//! What a file came to is kept until the file changes; the answer's tag is the hash of its text, so that a client which has it already
//! is told so.

use crate::below::files_below;
use crate::environments::{Environments, Served};
use crate::exchange::{Failure, Request, Response, server_error};
use crate::files::checksums::Status;
use crate::formats::json_of;
use crate::ordered::{by_units, sorted};
use crate::tagged::tagged;
use bunraku::{Class, ClassOptions, ClassParameter, ClassReader, Strict};
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Files that are kept, which is more than a server has; then all are forgotten.
const MAX_KEPT: usize = 100_000;

/// Tells classes. It may be shared by threads.
pub struct Classes {
    environments: Arc<Environments>,
    reader: ClassReader,
    strict: Strict,
    kept: Mutex<HashMap<PathBuf, Kept>>,
}

/// What a file came to.
struct Kept {
    status: Status,
    in_module: Option<String>,
    text: Arc<str>,
}

/// Where files are held against the names in them: below the module path of the environment that the server itself is in. Of files
/// of other environments Puppet Server does not know that they are modules'.
struct Place {
    manifest: String,
    modulepath: Vec<String>,
}

impl Classes {
    /// The classes of these environments, by Puppet's setting `strict`.
    ///
    /// # Errors
    /// None but a fault of this program.
    pub fn new(environments: Arc<Environments>, strict: Strict) -> Result<Classes, String> {
        Ok(Classes { environments, reader: ClassReader::new()?, strict, kept: Mutex::default() })
    }

    /// `GET /puppet/v3/environment_classes`: the classes of an environment, or that the client has them already.
    ///
    /// # Errors
    /// When the environment's settings or modules can't be read. A manifest that can't is told of in its place.
    pub fn answer(&self, request: &Request) -> Result<Response, Failure> {
        let served = match self.environments.named(request) {
            Ok(served) => served,
            Err(refused) => return Ok(refused),
        };
        let place = self.place()?;
        let texts: Vec<Arc<str>> =
            self.manifests(&served)?.iter().map(|file| self.entry(file, &place)).collect();
        let body = format!(r#"{{"files":[{}],"name":{}}}"#, texts.join(","), json!(served.name));
        tagged(request, body)
    }

    /// The manifests of an environment and of its modules, in the order that they are told in.
    fn manifests(&self, served: &Served) -> Result<Vec<PathBuf>, Failure> {
        let configuration = self.environments.configuration();
        let manifest = PathBuf::from(self.manifest_of(&served.name)?);
        let mut files = match (manifest.is_dir(), manifest.exists()) {
            (true, _) => manifests_below(&manifest),
            (false, true) => vec![manifest],
            (false, false) => Vec::new(),
        };
        let modulepath = configuration.modulepath(&served.name).map_err(server_error)?;
        for module in configuration.modules(&modulepath).map_err(server_error)? {
            files.extend(manifests_below(&module.join("manifests")));
        }
        files.sort_by(|one, other| by_units(&one.to_string_lossy(), &other.to_string_lossy()));
        files.dedup();
        Ok(files)
    }

    /// A manifest with its classes or its error, as JSON.
    fn entry(&self, file: &Path, place: &Place) -> Arc<str> {
        let path = file.to_string_lossy();
        let in_module = place.of(&path);
        let status = std::fs::metadata(file).ok().map(|metadata| Status::of(&metadata));
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = lock().get(file)
            && Some(kept.status) == status
            && kept.in_module.as_deref() == in_module
        {
            return Arc::clone(&kept.text);
        }
        let now = SystemTime::now();
        let compat = self.environments.configuration().compat();
        let read = self.reader.read(file, &ClassOptions { strict: self.strict, compat, in_module });
        let told = match read {
            Ok(classes) => json!({"classes": classes.iter().map(class).collect::<Vec<_>>(), "path": path}),
            Err(error) => json!({"error": error, "path": path}),
        };
        let text: Arc<str> = told.to_string().into();
        // As of checksums: what has just changed may change again without its times showing it.
        if let Some(status) = status.filter(|status| status.is_settled(now)) {
            let mut kept = lock();
            if kept.len() >= MAX_KEPT {
                kept.clear();
            }
            let in_module = in_module.map(str::to_owned);
            kept.insert(file.to_path_buf(), Kept { status, in_module, text: Arc::clone(&text) });
        }
        text
    }

    fn manifest_of(&self, environment: &str) -> Result<String, Failure> {
        Ok(self.environments.setting("manifest", environment)?.unwrap_or_default())
    }

    fn place(&self) -> Result<Place, Failure> {
        let configuration = self.environments.configuration();
        let own = configuration.get("environment").map_err(server_error)?.text;
        if self.environments.get(&own).is_err() {
            return Ok(Place { manifest: String::new(), modulepath: Vec::new() });
        }
        let modulepath = configuration.modulepath(&own).map_err(server_error)?;
        let text = |folder: &PathBuf| format!("{}/", folder.to_string_lossy().trim_end_matches('/'));
        Ok(Place { manifest: self.manifest_of(&own)?, modulepath: modulepath.iter().map(text).collect() })
    }
}

impl Place {
    /// The path of a file from the module path on, if it lies there and is no main manifest.
    fn of<'p>(&self, path: &'p str) -> Option<&'p str> {
        if !self.manifest.is_empty() && path.starts_with(&self.manifest) {
            return None;
        }
        self.modulepath.iter().find_map(|folder| path.strip_prefix(folder.as_str()))
    }
}

/// The manifests below a folder.
fn manifests_below(folder: &Path) -> Vec<PathBuf> {
    let found = files_below(folder, |name, path| name.ends_with(".pp") && !path.is_dir());
    found.into_iter().map(|below| folder.join(below)).collect()
}

fn class(class: &Class) -> Json {
    json!({"name": class.name, "params": class.parameters.iter().map(parameter).collect::<Vec<_>>()})
}

fn parameter(parameter: &ClassParameter) -> Json {
    let ClassParameter { name, type_text, default_literal, default_source } = parameter;
    let mut all = Map::new();
    let mut put = |key: &str, value: Option<Json>| {
        all.extend(value.map(|value| (key.to_owned(), value)));
    };
    put("default_literal", default_literal.as_ref().map(|literal| sorted(json_of(literal))));
    put("default_source", default_source.as_ref().map(|source| json!(source)));
    put("name", Some(json!(name)));
    put("type", type_text.as_ref().map(|text| json!(text)));
    Json::Object(all)
}

#[cfg(test)]
mod tests;
