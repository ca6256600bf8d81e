//! The tasks of environments, which orchestrators ask for before they run one: all of them, and the files of one.
//! Source: Puppet Server 7.9.5, and Puppet 7.23's tasks of modules.

mod found;
mod implementations;
mod metadata;

pub(crate) use found::{full_name, is_name, names_in, stem};

use crate::environments::{Environments, Served, absent};
use crate::exchange::{Failure, Request, Response, server_error};
use crate::files::checksums::{ChecksumType, Checksums, Hash};
use crate::notices::Notices;
use crate::ordered::sorted;
use found::{FoundTask, ModuleTasks};
use http::StatusCode;
use implementations::TaskFile;
use metadata::TaskFault;
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const JSON: &str = "application/json; charset=utf-8";

/// Tells tasks. It may be shared by threads.
pub struct Tasks {
    environments: Arc<Environments>,
    checksums: Checksums,
    notices: Notices,
}

/// Where the files of tasks are looked for.
struct Place {
    served: Arc<Served>,
    modulepath: Vec<PathBuf>,
}

impl Tasks {
    /// The tasks of these environments.
    pub fn new(environments: Arc<Environments>) -> Tasks {
        Tasks { environments, checksums: Checksums::default(), notices: Notices::default() }
    }

    /// The same, which tells of tasks that are left out of lists.
    pub fn with_notices(self, notices: Notices) -> Tasks {
        Tasks { notices, ..self }
    }

    /// `GET /puppet/v3/tasks`: the tasks of an environment. One that is malformed is left out, and told of.
    ///
    /// # Errors
    /// When the environment's modules can't be read.
    pub fn all(&self, request: &Request) -> Result<Response, Failure> {
        let place = match self.environments.named(request) {
            Ok(served) => self.place(served)?,
            Err(refused) => return Ok(refused),
        };
        let configuration = self.environments.configuration();
        let mut all = Vec::new();
        for module in configuration.modules(&place.modulepath).map_err(server_error)? {
            let tasks = ModuleTasks::of(&module);
            for task in &tasks.tasks {
                let name = full_name(&tasks.module, &task.name);
                match self.checked(&place, &module, &tasks, task) {
                    Ok((metadata, _)) => all.push(json!({
                        "name": name,
                        "private": metadata.get("private").unwrap_or(&Json::Bool(false)),
                        "description": metadata.get("description").unwrap_or(&json!("")),
                        "environment": [{"name": place.served.name, "code_id": null}],
                    })),
                    Err(fault) => {
                        let message = format!("Failed to validate task {name}: {}", fault.message);
                        self.notices.say("err", "Puppet", message);
                    }
                }
            }
        }
        Ok(Response::of(JSON, sorted(Json::Array(all)).to_string()))
    }

    /// `GET /puppet/v3/tasks/MODULE/TASK`: what a task says of itself, and its files.
    ///
    /// # Errors
    /// When the environment's modules can't be read, or a file can't.
    pub fn one(&self, request: &Request, module: &str, task: &str) -> Result<Response, Failure> {
        let place = match self.environments.named(request) {
            Ok(served) => self.place(served)?,
            Err(refused) => return Ok(refused),
        };
        let configuration = self.environments.configuration();
        let Some(folder) = configuration.module(&place.modulepath, module).map_err(server_error)? else {
            return Ok(absent(format!("Could not find module '{module}'")));
        };
        let tasks = ModuleTasks::of(&folder);
        let name = full_name(&tasks.module, task);
        let wanted = tasks.tasks.iter().find(|one| full_name(&tasks.module, &one.name) == name);
        let Some(wanted) = wanted else {
            return Ok(absent(format!("Could not find task '{task}'")));
        };
        match self.checked(&place, &folder, &tasks, wanted) {
            Ok((metadata, files)) => {
                let files: Result<Vec<Json>, Failure> =
                    files.iter().map(|file| self.described(&place, file)).collect();
                let metadata = match metadata {
                    Json::Null => json!({}),
                    metadata => sorted(metadata),
                };
                let body = json!({"metadata": metadata, "name": name, "files": files?});
                Ok(Response::of(JSON, body.to_string()))
            }
            Err(TaskFault { kind, message, details }) => {
                let body = json!({"kind": kind, "msg": message, "details": details});
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                Ok(Response { status, ..Response::of(JSON, body.to_string()) })
            }
        }
    }

    fn place(&self, served: Arc<Served>) -> Result<Place, Failure> {
        let modulepath = self.environments.configuration().modulepath(&served.name).map_err(server_error)?;
        Ok(Place { served, modulepath })
    }

    /// What a task says of itself, and its files: those that may be run, then the others.
    fn checked(
        &self,
        place: &Place,
        module: &Path,
        tasks: &ModuleTasks,
        task: &FoundTask,
    ) -> Result<(Json, Vec<TaskFile>), TaskFault> {
        let configuration = self.environments.configuration();
        let metadata = metadata::read(task.metadata.as_deref(), configuration.compat())?;
        let name = full_name(&tasks.module, &task.name);
        let mut files = implementations::of(&name, &module.join("tasks"), &metadata, &tasks.executables)?;
        let find = |module: &str| configuration.module(&place.modulepath, module);
        files.extend(implementations::more(&metadata, &find)?);
        Ok((metadata, files))
    }

    /// A file with its hash, and where it is handed out.
    fn described(&self, place: &Place, file: &TaskFile) -> Result<Json, Failure> {
        let told = |error: std::io::Error| server_error(format!("{}: {error}", file.path.display()));
        let metadata = std::fs::metadata(&file.path).map_err(told)?;
        let checksum = ChecksumType::Hash(Hash::Sha256, false);
        let sum = self.checksums.get(&file.path, &metadata, checksum).map_err(told)?;
        Ok(json!({
            "filename": file.name, "sha256": &*sum, "size_bytes": metadata.len(), "uri": uri(&place.served, file),
        }))
    }
}

/// Where a file is handed out: as of a version of the code where there is one, or else as it is.
fn uri(served: &Served, file: &TaskFile) -> Json {
    let below = file.path.strip_prefix(&served.folder).ok().map(Path::to_string_lossy);
    if let (Some(code_id), Some(below)) = (&served.code_id, below) {
        let path = format!("/puppet/v3/static_file_content/{below}");
        return json!({"path": path, "params": {"environment": served.name, "code_id": code_id}});
    }
    let TaskFile { module, mount, below, .. } = file;
    let path = match mount.as_str() {
        "files" => format!("modules/{module}/{below}"),
        "lib" => format!("plugins/{below}"),
        mount => format!("{mount}/{module}/{below}"),
    };
    json!({"path": format!("/puppet/v3/file_content/{path}"), "params": {"environment": served.name}})
}

#[cfg(test)]
mod tests;
