//! The files of a task: what may be run, of which there is one unless its metadata says which there are; and what that needs besides,
//! which lies in folders that modules hand out.

use super::found::stem;
use super::metadata::TaskFault;
use crate::below::files_below;
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

/// The folders of modules that tasks may take files from.
const MOUNTS: [&str; 4] = ["files", "lib", "scripts", "tasks"];

/// A file of a task.
#[derive(Debug, PartialEq, Eq)]
pub struct TaskFile {
    /// What it is called: its own name if it may be run, or else module, folder and path.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its module.
    pub module: String,
    /// The folder of the module that it is in.
    pub mount: String,
    /// Its path in that.
    pub below: String,
}

/// The files that may be run of the task of a name, whose module has these executables in its folder of tasks.
///
/// # Errors
/// Puppet's, where there are none, or too many, or those that the metadata names are not there.
pub fn of(
    name: &str,
    folder: &Path,
    metadata: &Json,
    executables: &[PathBuf],
) -> Result<Vec<TaskFile>, TaskFault> {
    let own_name = |path: &Path| path.file_name().map(|own| own.to_string_lossy().into_owned());
    let file = |path: &PathBuf| {
        let own = own_name(path).unwrap_or_default();
        let module = name.split("::").next().unwrap_or_default();
        TaskFile {
            name: own.clone(),
            path: path.clone(),
            module: module.to_owned(),
            mount: "tasks".to_owned(),
            below: own,
        }
    };
    if let Some(said) = metadata.get("implementations") {
        let Some(said) = said.as_array() else {
            let message =
                format!("Task metadata for task {name} does not specify implementations as an array");
            return Err(TaskFault::metadata(message));
        };
        return said
            .iter()
            .map(|one| {
                if !matches!(one.get("requirements"), None | Some(Json::Null | Json::Array(_))) {
                    let message =
                        format!("Task metadata for task {name} does not specify requirements as an array");
                    return Err(TaskFault::metadata(message));
                }
                let wanted = one.get("name").unwrap_or(&Json::Null);
                let found = executables.iter().find(|path| own_name(path).as_deref() == wanted.as_str());
                found.map(file).ok_or_else(|| TaskFault {
                    kind: "puppet.tasks/missing-implementation",
                    message: format!(
                        "Task metadata for task {name} specifies missing implementation {}",
                        text(wanted)
                    ),
                    details: json!({"missing": [wanted]}),
                })
            })
            .collect();
    }
    let own = name.split("::").nth(1).unwrap_or("init");
    let mut fitting = executables.iter().filter(|path| own_name(path).is_some_and(|file| stem(&file) == own));
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Ok(vec![file(only)]),
        (None, _) => {
            let message = format!(
                "No source besides task metadata was found in directory {} for task {name}",
                folder.display()
            );
            Err(TaskFault::new("puppet.tasks/no-implementation", message))
        }
        (Some(first), Some(_)) => {
            let message = format!(
                "Multiple executables were found in directory {} for task {name}; define 'implementations' in metadata to differentiate between them",
                first.display()
            );
            Err(TaskFault::new("puppet.tasks/multiple-implementations", message))
        }
    }
}

/// What a task needs besides, each file once as it is named; `find` knows the folders of modules.
///
/// # Errors
/// Puppet's, where a file is not there, or none that a task may have.
pub fn more(
    metadata: &Json,
    find: &dyn Fn(&str) -> Result<Option<PathBuf>, String>,
) -> Result<Vec<TaskFile>, TaskFault> {
    let implementations = metadata.get("implementations").and_then(Json::as_array);
    let lists = std::iter::once(metadata).chain(implementations.into_iter().flatten());
    let mut names: Vec<&str> = Vec::new();
    for list in lists.filter_map(|one| one.get("files")) {
        let wrong = || {
            let message = format!("The 'files' task metadata expects an array, got {}.", text(list));
            TaskFault::metadata(message)
        };
        for name in list.as_array().ok_or_else(wrong)? {
            let name = name.as_str().ok_or_else(wrong)?;
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let mut files = Vec::new();
    for name in names {
        files.extend(named(name, find)?);
    }
    Ok(files)
}

/// The file of a name, or the files of the folder.
fn named(
    name: &str,
    find: &dyn Fn(&str) -> Result<Option<PathBuf>, String>,
) -> Result<Vec<TaskFile>, TaskFault> {
    let mut parts = name.splitn(3, '/');
    let [module, mount, below] = [(); 3].map(|()| parts.next().unwrap_or_default());
    let Some(folder) = find(module).map_err(TaskFault::metadata)? else {
        let message = format!("Could not find module {module} containing task file {below}");
        return Err(TaskFault::metadata(message));
    };
    if !MOUNTS.contains(&mount) {
        let message = format!(
            "Files must be saved in module directories that Puppet makes available via mount points: {}",
            MOUNTS.join(", ")
        );
        return Err(TaskFault::metadata(message));
    }
    let below = below.trim_start_matches('/');
    let plain = below.strip_suffix('/').unwrap_or(below);
    let is_odd = |part: &str| matches!(part, "" | "." | "..") || part.contains('\0');
    if !plain.is_empty() && plain.split('/').any(is_odd) {
        return Err(TaskFault::metadata("File pathnames cannot include relative paths"));
    }
    let path = folder.join(mount).join(below);
    let file = |below: String| TaskFile {
        name: format!("{module}/{mount}/{below}"),
        path: folder.join(mount).join(&below),
        module: module.to_owned(),
        mount: mount.to_owned(),
        below,
    };
    match std::fs::metadata(&path) {
        Err(_) => {
            let message = format!("Could not find {} on disk", path.display());
            Err(TaskFault::new("puppet.tasks/invalid-file", message))
        }
        Ok(found) if found.is_dir() && !name.ends_with('/') => {
            let message =
                format!("Directories specified in task metadata must include a trailing slash: {name}");
            Err(TaskFault::metadata(message))
        }
        Ok(found) if found.is_dir() => {
            let start = if plain.is_empty() { String::new() } else { format!("{plain}/") };
            Ok(files_below(&path, |_, path| path.is_file())
                .into_iter()
                .map(|below| file(format!("{start}{below}")))
                .collect())
        }
        Ok(_) => Ok(vec![file(plain.to_owned())]),
    }
}

/// A value in a message: texts as they are, nothing for null.
fn text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Null => String::new(),
        other => other.to_string(),
    }
}
