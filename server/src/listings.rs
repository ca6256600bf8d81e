//! What environments and modules there are. Source: Puppet Server 7.9.5.

use crate::below::files_below;
use crate::exchange::{Failure, Request, Response, server_error};
use crate::formats::json_of;
use crate::site::Site;
use crate::tagged::tagged;
use bunraku::files::read;
use bunraku::{Data, SERVER_SECTION};
use serde_json::{Map, Value as Json, json};
use std::path::Path;

/// Bytes of a module's metadata that are read.
const MAX_METADATA: u64 = 1 << 20;

/// Where in a module its transports are defined.
const SCHEMAS: &str = "lib/puppet/transport/schema";

const SETTINGS: [&str; 4] = ["modulepath", "manifest", "environment_timeout", "config_version"];

/// `GET /puppet/v3/environments`: where they are searched, and the settings of each.
///
/// # Errors
/// When the configuration can't be read.
pub fn environments(site: &Site) -> Result<Response, Failure> {
    let configuration = site.configuration();
    let path = configuration.get("environmentpath").map_err(server_error)?.text;
    let mut searched: Vec<String> =
        path.split(':').filter(|one| !one.is_empty()).map(|one| format!("file://{one}")).collect();
    searched.push("data:text/plain,internal".to_owned());
    let names = SETTINGS.map(str::to_owned);
    let mut all = Map::new();
    for name in configuration.environment_names().map_err(server_error)? {
        let found = configuration.print(&names, SERVER_SECTION, Some(&name)).map_err(server_error)?;
        let mut settings = Map::new();
        for setting in found {
            let value = match (setting.name, &setting.value) {
                ("modulepath", _) => {
                    let folders = bunraku::modulepath(&setting.text);
                    json!(folders.iter().map(|folder| folder.to_string_lossy()).collect::<Vec<_>>())
                }
                ("environment_timeout", Data::Integer(_)) => json_of(&setting.value),
                ("environment_timeout", _) => json!("unlimited"),
                _ => json!(setting.text),
            };
            settings.insert(setting.name.to_owned(), value);
        }
        all.insert(name, json!({ "settings": settings }));
    }
    let body = json!({"search_paths": searched, "environments": all});
    Ok(Response::of("application/json; charset=utf-8", body.to_string()))
}

/// `GET /puppet/v3/environment_modules`: of one environment, or of all.
///
/// # Errors
/// When modules can't be read.
pub fn modules(site: &Site, request: &Request) -> Result<Response, Failure> {
    let body = match request.query("environment") {
        Some(name) => match site.environments.named(request) {
            Ok(_) => modules_of(site, name)?,
            Err(refused) => return Ok(refused),
        },
        None => {
            let names = site.configuration().environment_names().map_err(server_error)?;
            Json::Array(names.iter().map(|name| modules_of(site, name)).collect::<Result<_, _>>()?)
        }
    };
    Ok(Response::of("application/json; charset=utf-8", body.to_string()))
}

/// Each by the name of its metadata, author and all, with its version; by its folder's name where it has none.
fn modules_of(site: &Site, environment: &str) -> Result<Json, Failure> {
    let configuration = site.configuration();
    let modulepath = configuration.modulepath(environment).map_err(server_error)?;
    let folders = configuration.modules(&modulepath).map_err(server_error)?;
    Ok(
        json!({"modules": folders.iter().map(|folder| module(folder)).collect::<Vec<_>>(), "name": environment}),
    )
}

/// `GET /puppet/v3/environment_transports`: the name of an environment whose modules define no transports.
///
/// # Errors
/// When modules can't be read, or when one of them defines transports, whose schemas only Ruby can read.
pub fn transports(site: &Site, request: &Request) -> Result<Response, Failure> {
    let served = match site.environments.named(request) {
        Ok(served) => served,
        Err(refused) => return Ok(refused),
    };
    let configuration = site.configuration();
    let modulepath = configuration.modulepath(&served.name).map_err(server_error)?;
    for folder in configuration.modules(&modulepath).map_err(server_error)? {
        let schemas = folder.join(SCHEMAS);
        if let Some(schema) = files_below(&schemas, |name, _| name.ends_with(".rb")).first() {
            let path = schemas.join(schema);
            return Err(server_error(format!("transports are not read: {} defines one", path.display())));
        }
    }
    tagged(request, json!({"name": served.name, "transports": []}).to_string())
}

fn module(folder: &Path) -> Json {
    let text = read::regular_text(&folder.join("metadata.json"), MAX_METADATA).unwrap_or_default();
    let metadata: Json = serde_json::from_str(&text).unwrap_or_default();
    let own = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = metadata["name"].as_str().map(|name| name.replacen('-', "/", 1)).or(own);
    json!({"name": name, "version": metadata["version"]})
}
