//! Downloads Debian's module packages and lays them out as one module path.
//!
//! Nothing is installed: `apt-get download` and `dpkg -x` only. Running it again does nothing
//! when the layout is whole. `packages.txt` keeps the versions that the goldens were made with.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::paths;

/// Not downloaded: by far the largest, generated, and depended on by nothing.
const LEFT_OUT: &[&str] = &["puppet-module-oci"];

/// Makes the module path ready; says why when it cannot.
pub fn fetch() -> Result<(), String> {
    let stamp = paths::cache().join("complete");
    let wanted = read_packages();
    let is_whole = || fs::read_to_string(&stamp).is_ok_and(|text| text == packages_text(&wanted));
    if is_whole() {
        return Ok(());
    }
    let debs = paths::cache().join("debs");
    fs::create_dir_all(&debs).map_err(|error| format!("{}: {error}", debs.display()))?;
    // Tests run at once, in threads and in processes: one downloads, the others wait for it and find all there.
    let _held = lock(&paths::cache().join("lock"))?;
    if is_whole() {
        return Ok(());
    }
    let names: Vec<String> = if wanted.is_empty() { available()? } else { wanted.keys().cloned().collect() };
    let have = downloaded(&debs)?;
    let missing: Vec<&String> = names.iter().filter(|name| !have.contains_key(*name)).collect();
    if !missing.is_empty() {
        eprintln!("corpus: downloading {} packages", missing.len());
        run(Command::new("apt-get").args(["-qq", "download"]).args(&missing).current_dir(&debs))?;
    }
    let have = downloaded(&debs)?;
    let versions: BTreeMap<String, String> = names
        .iter()
        .map(|name| (name.clone(), have.get(name).map(|(version, _)| version.clone()).unwrap_or_default()))
        .collect();
    for (name, version) in &wanted {
        if versions[name] != *version {
            eprintln!("corpus: {name} is {}, the goldens were made with {version}", versions[name]);
        }
    }
    let unpacked = paths::cache().join("unpacked");
    eprintln!("corpus: unpacking {} packages", names.len());
    for name in &names {
        let (_, path) = have.get(name).ok_or_else(|| format!("{name} was not downloaded"))?;
        run(Command::new("dpkg").arg("-x").arg(path).arg(&unpacked))?;
    }
    link(&unpacked.join("usr/share/puppet/modules.available"))?;
    if wanted.is_empty() {
        write(&packages_path(), &packages_text(&versions))?;
    }
    write(&stamp, &packages_text(if wanted.is_empty() { &versions } else { &wanted }))
}

/// Waits until no other has the file locked; the lock lasts as long as what is returned.
fn lock(path: &Path) -> Result<File, String> {
    let file = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
    file.lock().map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(file)
}

fn packages_path() -> PathBuf {
    paths::corpus_lists().join("packages.txt")
}

fn read_packages() -> BTreeMap<String, String> {
    let text = fs::read_to_string(packages_path()).unwrap_or_default();
    text.lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, version)| (name.to_owned(), version.to_owned()))
        .collect()
}

fn packages_text(packages: &BTreeMap<String, String>) -> String {
    packages.iter().map(|(name, version)| format!("{name} {version}\n")).collect()
}

fn available() -> Result<Vec<String>, String> {
    let output = Command::new("apt-cache")
        .args(["pkgnames", "puppet-module-"])
        .output()
        .map_err(|error| format!("apt-cache: {error}"))?;
    let mut names: Vec<String> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    names.retain(|name| !LEFT_OUT.contains(&name.as_str()));
    names.sort();
    if names.is_empty() {
        return Err("apt knows no puppet-module-* packages (try `apt-get update`)".to_owned());
    }
    Ok(names)
}

/// Package name to version and file; a file is `NAME_VERSION_ARCH.deb`, `:` written as `%3a`.
fn downloaded(debs: &Path) -> Result<BTreeMap<String, (String, PathBuf)>, String> {
    let entries = fs::read_dir(debs).map_err(|error| format!("{}: {error}", debs.display()))?;
    let mut found = BTreeMap::new();
    for entry in entries.flatten() {
        let file = entry.file_name().to_string_lossy().into_owned();
        let mut parts = file.split('_');
        if let (Some(name), Some(version), Some(_)) = (parts.next(), parts.next(), parts.next()) {
            found.insert(name.to_owned(), (version.replace("%3a", ":"), entry.path()));
        }
    }
    Ok(found)
}

/// One symbolic link a module, named as its metadata says.
fn link(available: &Path) -> Result<(), String> {
    let modules = paths::modules();
    let _ = fs::remove_dir_all(&modules);
    fs::create_dir_all(&modules).map_err(|error| format!("{}: {error}", modules.display()))?;
    let entries = fs::read_dir(available).map_err(|error| format!("{}: {error}", available.display()))?;
    for entry in entries.flatten() {
        let name = module_name(&entry.path());
        let to = Path::new("../unpacked/usr/share/puppet/modules.available").join(entry.file_name());
        std::os::unix::fs::symlink(to, modules.join(&name)).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}

/// The part after the author in `metadata.json`'s name, or in the directory's.
fn module_name(dir: &Path) -> String {
    let metadata = fs::read_to_string(dir.join("metadata.json")).ok();
    let full = metadata
        .and_then(|text| serde_json::from_str::<Value>(&text).ok())
        .and_then(|metadata| metadata["name"].as_str().map(str::to_owned))
        .unwrap_or_else(|| dir.file_name().unwrap_or_default().to_string_lossy().into_owned());
    match full.split_once(['-', '/']) {
        Some((_, name)) => name.to_owned(),
        None => full,
    }
}

fn run(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|error| format!("{program}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{program} failed: {status}")) }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
