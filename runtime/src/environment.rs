//! An environment: its folder, `environment.conf`, module path and main manifest.
//! Source: the specification's environments page; the oracle for defaults.

use crate::modules::Modules;
use crate::natives::Natives;
use crate::resource_types::ResourceTypes;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What a compile reads its code from.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Name: `production` where nothing gives one.
    pub name: String,
    /// Its folder, where it has one.
    pub directory: Option<PathBuf>,
    /// Its main manifest: a file, or a folder whose `.pp` files are all read.
    pub manifest: Option<PathBuf>,
    /// Its modules.
    pub modules: Modules,
    /// The global layer's Hiera configuration.
    pub hiera_config: Option<PathBuf>,
    /// Resource types in Ruby: Puppet's own and those of the modules.
    pub types: ResourceTypes,
    /// Which native twins stand in for functions of its modules.
    pub natives: Natives,
    /// What opening it depended on, with the time each had.
    read: Vec<(PathBuf, Option<SystemTime>)>,
}

/// What an environment is opened with; everything may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct EnvironmentSpec {
    /// Its folder.
    pub directory: Option<PathBuf>,
    /// Its name, if not the folder's.
    pub name: Option<String>,
    /// Module path in place of the environment's own.
    pub modulepath: Option<Vec<PathBuf>>,
    /// Main manifest in place of the environment's own.
    pub manifest: Option<PathBuf>,
    /// The global layer's Hiera configuration.
    pub hiera_config: Option<PathBuf>,
}

impl Environment {
    /// Reads an environment.
    ///
    /// # Errors
    /// When a folder or manifest that was named is not there.
    pub fn open(spec: &EnvironmentSpec) -> Result<Environment, String> {
        let directory = match &spec.directory {
            Some(path) if !path.is_dir() => {
                return Err(format!("Environment directory '{}' does not exist", path.display()));
            }
            Some(path) => Some(std::path::absolute(path).unwrap_or_else(|_| path.clone())),
            None => None,
        };
        let settings = directory.as_deref().map(Settings::read).unwrap_or_default();
        let named =
            directory.as_deref().and_then(|d| d.file_name()).and_then(|n| n.to_str()).map(str::to_owned);
        let name = spec.name.clone().or(named).unwrap_or_else(|| "production".to_owned());
        let modulepath = match (&spec.modulepath, &directory) {
            (Some(path), _) => {
                path.iter().map(|p| std::path::absolute(p).unwrap_or_else(|_| p.clone())).collect()
            }
            (None, Some(directory)) => settings.modulepath.unwrap_or_else(|| vec![directory.join("modules")]),
            (None, None) => Vec::new(),
        };
        let manifest = match (&spec.manifest, &directory) {
            (Some(path), _) if !path.exists() => {
                return Err(format!("Could not find manifest '{}'", path.display()));
            }
            (Some(path), _) => Some(std::path::absolute(path).unwrap_or_else(|_| path.clone())),
            (None, Some(directory)) => {
                let default = settings.manifest.unwrap_or_else(|| directory.join("manifests"));
                default.exists().then_some(default)
            }
            (None, None) => None,
        };
        let modules = Modules::read(&modulepath);
        let mut read = Vec::new();
        if let Some(directory) = &directory {
            read.push(stamped(directory.join("environment.conf")));
            read.push(stamped(directory.join("lib/puppet/type")));
        }
        read.extend(modulepath.iter().cloned().map(stamped));
        for module in modules.iter() {
            read.push(stamped(module.path.join("metadata.json")));
            read.push(stamped(module.path.join("lib/puppet/type")));
        }
        let mut types = ResourceTypes::builtin();
        for module in modules.iter() {
            types.add_module(&module.path);
        }
        if let Some(directory) = &directory {
            types.add_module(directory);
        }
        let natives = Natives::find_all(&modules, directory.as_deref());
        read.extend(natives.folders(&modules).map(stamped));
        let hiera_config =
            spec.hiera_config.as_ref().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()));
        Ok(Environment { name, directory, manifest, modules, hiera_config, types, natives, read })
    }

    /// Whether nothing it was opened from has changed since. Manifests and data are not part of it.
    pub fn is_fresh(&self) -> bool {
        self.read.iter().all(|(path, time)| modified(path) == *time)
    }

    /// The files of the main manifest in the order Puppet reads them: a folder's by path.
    pub fn manifest_files(&self) -> Vec<PathBuf> {
        let Some(manifest) = &self.manifest else { return Vec::new() };
        if manifest.is_file() {
            return vec![manifest.clone()];
        }
        let mut files = Vec::new();
        collect(manifest, &mut files);
        files.sort();
        files
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

fn stamped(path: PathBuf) -> (PathBuf, Option<SystemTime>) {
    let time = modified(&path);
    (path, time)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        // Links to folders are not followed, so there is no loop.
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "pp") && path.is_file() {
            files.push(path);
        }
    }
}

/// What `environment.conf` sets.
#[derive(Default)]
struct Settings {
    modulepath: Option<Vec<PathBuf>>,
    manifest: Option<PathBuf>,
}

impl Settings {
    fn read(directory: &Path) -> Settings {
        let mut settings = Settings::default();
        let text = std::fs::read_to_string(directory.join("environment.conf")).unwrap_or_default();
        for line in text.lines() {
            let line = line.trim();
            let Some((key, value)) = line.split_once('=') else { continue };
            if line.starts_with('#') {
                continue;
            }
            let value = value.trim();
            match key.trim() {
                // `$basemodulepath` is the server's; an environment on its own has none.
                "modulepath" => {
                    settings.modulepath = Some(
                        value.split(':').filter(|p| !p.starts_with('$')).map(|p| directory.join(p)).collect(),
                    );
                }
                "manifest" => settings.manifest = Some(directory.join(value)),
                _ => {}
            }
        }
        settings
    }
}
