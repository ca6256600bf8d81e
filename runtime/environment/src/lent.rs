//! What a compile of an environment may read of its machine's disk outside of the environment, to be lent to another machine that
//! compiles it: Hiera's global layer (its configuration and the folders of data that this names), and the Ruby of the modules that
//! packages of Puppet bring along.
//!
//! What else lies there is not lent, and asked for elsewhere it is refused: so whoever compiles elsewhere knows that it could not tell.
//! Private keys are never lent.

use crate::archive::keys::is_private;
use crate::pieces::data::{DATADIR, format_of, get, list, plain, text};
use crate::snapshot::{EnvironmentSpec, vendored_modules};
use bunraku_configuration::configuration::Configuration;
use bunraku_files::lent::{Item, Lent};
use bunraku_files::paths;
use bunraku_files::read;
use bunraku_hiera::data_file::DataFormat;
use bunraku_hiera::data_file::cache::parse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Bytes that are lent at most.
const MOST: u64 = 256 << 20;

/// What is lent of the disk for an environment whose folders are known: its own and those of its module path.
///
/// # Errors
/// When something that is to be lent can't be read, or is too much.
pub fn lent(spec: &EnvironmentSpec, modulepath: &[PathBuf]) -> Result<Lent, String> {
    let roots = paths::roots(spec.directory.as_deref(), modulepath);
    let mut lending = Lending::default();
    let configured = spec.configuration.as_deref().filter(|configuration| configuration.is_read());
    let hiera = match (&spec.hiera_config, configured) {
        (Some(file), _) => Some(file.clone()),
        (None, Some(configuration)) => configuration.in_force().path("hiera_config")?,
        (None, None) => None,
    };
    if let Some(file) = hiera.map(|file| absolute(&file)).transpose()?
        && !paths::is_inside(&roots, &file)
    {
        lending.hiera(&file, &roots)?;
    }
    if let Some(configuration) = configured {
        lending.vendored(configuration)?;
    }
    Ok(Lent::new(lending.places, lending.items))
}

fn absolute(path: &Path) -> Result<PathBuf, String> {
    let absolute = std::path::absolute(path);
    absolute.map(|path| plain(&path)).map_err(|error| format!("{}: {error}", path.display()))
}

#[derive(Default)]
struct Lending {
    places: Vec<PathBuf>,
    items: BTreeMap<PathBuf, Item>,
    bytes: u64,
}

impl Lending {
    /// A configuration of Hiera, and its folders of data.
    fn hiera(&mut self, file: &Path, roots: &[(PathBuf, String)]) -> Result<(), String> {
        // That there is none is known elsewhere, too.
        self.places.push(file.to_owned());
        if !file.exists() {
            return Ok(());
        }
        let bytes = self.file(file)?;
        let data = parse(file, &bytes, DataFormat::Yaml);
        self.items.insert(file.to_owned(), Item::File(bytes));
        // What is wrong with it the compile says.
        let Ok(data) = data else { return Ok(()) };
        let folder = file.parent().unwrap_or(Path::new("/"));
        let default = get(&data, "defaults").and_then(|all| get(all, "datadir")).and_then(text);
        let mut folders = Vec::new();
        for key in ["hierarchy", "default_hierarchy"] {
            for entry in get(&data, key).map(list).unwrap_or_default() {
                folders.push(get(entry, "datadir").and_then(text).or(default).unwrap_or(DATADIR));
            }
        }
        if get(&data, "hierarchy").is_none() {
            folders.push(default.unwrap_or(DATADIR));
        }
        folders.sort_unstable();
        folders.dedup();
        for datadir in folders {
            // One that is computed may be any folder: none is lent.
            let datadir = plain(&folder.join(datadir));
            let is_computed = datadir.to_string_lossy().contains("%{");
            if is_computed || paths::is_inside(roots, &datadir) || self.places.contains(&datadir) {
                continue;
            }
            self.places.push(datadir.clone());
            self.folder(&datadir, &|path| format_of(path).is_some())?;
        }
        Ok(())
    }

    /// The Ruby of the modules that packages bring along.
    fn vendored(&mut self, configuration: &Configuration) -> Result<(), String> {
        for folder in configuration.in_force().folders("vendormoduledir")? {
            self.places.push(plain(&folder));
            if folder.is_dir() {
                self.items.insert(plain(&folder), Item::Folder);
            }
        }
        for module in vendored_modules(configuration, None)? {
            let module = plain(&module);
            self.items.insert(module.clone(), Item::Folder);
            for child in children(&module)? {
                if child.ends_with("lib") {
                    let is_ruby = |path: &Path| path.extension().is_some_and(|ending| ending == "rb");
                    self.folder(&child, &is_ruby)?;
                } else {
                    self.items.insert(child, Item::Withheld);
                }
            }
        }
        Ok(())
    }

    /// A folder with all files in it that are meant. Links to folders are not followed, so there is no loop.
    fn folder(&mut self, folder: &Path, is_meant: &dyn Fn(&Path) -> bool) -> Result<(), String> {
        if !folder.is_dir() {
            return Ok(());
        }
        self.items.insert(folder.to_owned(), Item::Folder);
        for path in children(folder)? {
            if path.is_dir() && !path.is_symlink() {
                self.folder(&path, is_meant)?;
                continue;
            }
            let bytes = match is_meant(&path) && path.is_file() {
                true => Some(self.file(&path)?).filter(|bytes| !is_private(&path, bytes)),
                false => None,
            };
            self.items.insert(path, bytes.map_or(Item::Withheld, Item::File));
        }
        Ok(())
    }

    fn file(&mut self, path: &Path) -> Result<Vec<u8>, String> {
        let bytes = read::regular(path, read::MAX_FILE);
        let bytes = bytes.map_err(|error| format!("Could not read {}: {error}", path.display()))?;
        self.bytes += bytes.len() as u64;
        match self.bytes <= MOST {
            true => Ok(bytes),
            false => Err(format!(
                "What lies outside of the environment is too much to go with a job: more than {} MiB, with {}",
                MOST >> 20,
                path.display()
            )),
        }
    }
}

fn children(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let listed = std::fs::read_dir(folder).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()
    });
    listed.map_err(|error| format!("Could not list {}: {error}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_global_layer_is_lent_without_keys_and_what_is_no_data() {
        let work = tempfile::tempdir().unwrap();
        let at = |name: &str| work.path().join(name);
        for folder in ["etc/data/nodes", "etc/ssl", "env/data", "other"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        let files = [
            (
                "etc/hiera.yaml",
                "version: 5\nhierarchy:\n- {name: a}\n- {name: b, datadir: '/x/%{environment}'}\n- {name: c, datadir: ENV/data}\n- {name: d, datadir: ../other}\n",
            ),
            ("etc/data/nodes/a.yaml", "a: 1\n"),
            ("etc/data/notes.txt", "no data"),
            ("etc/data/key.yaml", "-----BEGIN PRIVATE KEY-----\n"),
            ("etc/ssl/x.yaml", "a: 2\n"),
            ("env/data/common.yaml", "a: 3\n"),
        ];
        for (name, text) in files {
            fs::write(at(name), text.replace("ENV", &at("env").display().to_string())).unwrap();
        }
        let spec = EnvironmentSpec {
            directory: Some(at("env")),
            hiera_config: Some(at("etc/hiera.yaml")),
            ..EnvironmentSpec::default()
        };
        let lent = lent(&spec, &[]).unwrap();
        assert_eq!(lent.places(), [at("etc/data"), at("etc/hiera.yaml"), at("other")]);
        let item = |name: &str| lent.items().get(&at(name));
        assert_eq!(item("etc/data/nodes/a.yaml"), Some(&Item::File(b"a: 1\n".to_vec())));
        assert_eq!(item("other"), Some(&Item::Folder));
        for withheld in ["etc/data/notes.txt", "etc/data/key.yaml"] {
            assert_eq!(item(withheld), Some(&Item::Withheld), "{withheld}");
        }
        assert!(item("etc/ssl/x.yaml").is_none() && item("env/data/common.yaml").is_none());
    }
}
