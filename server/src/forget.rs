//! What a server keeps of a node that is gone: its facts and reports are removed, and PuppetDB is told that it is not there any more.
//! Source: `puppet node clean` and `puppet node deactivate`.

use crate::commands;
use bunraku::Configuration;
use std::io;
use std::path::{Path, PathBuf};

/// What was there of a node and is no more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Whether facts were, or what a classifier had said.
    pub facts: bool,
    /// How many reports were.
    pub reports: usize,
}

/// Removes what is kept of a node below `vardir`: its facts in either form, what Puppet has kept of its classifier, its reports.
///
/// # Errors
/// When it is no name of a node, or something can't be removed: what was removed before stays so.
pub fn forget(configuration: &Configuration, name: &str) -> Result<Forgotten, String> {
    check_name(name)?;
    let folder = |setting: &str| Ok::<_, String>(PathBuf::from(configuration.get(setting)?.text));
    let (data, yaml) = (folder("server_datadir")?, folder("yamldir")?);
    let files = [
        data.join("facts").join(format!("{name}.json")),
        yaml.join("facts").join(format!("{name}.yaml")),
        yaml.join("node").join(format!("{name}.yaml")),
    ];
    let mut forgotten = Forgotten::default();
    for file in files {
        forgotten.facts |= there(&file, std::fs::remove_file(&file))?.is_some();
    }
    let reports = folder("reportdir")?.join(name);
    // What is there in place of a folder is not the server's: a link is not followed.
    if reports.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        let listed = there(&reports, std::fs::read_dir(&reports))?;
        forgotten.reports = listed.map_or(0, Iterator::count);
        there(&reports, std::fs::remove_dir_all(&reports))?;
    }
    Ok(forgotten)
}

/// Tells PuppetDB that a node is not there any more.
///
/// # Errors
/// When it is no name of a node, or PuppetDB does not take it.
pub fn deactivate(configuration: &Configuration, name: &str) -> Result<(), String> {
    check_name(name)?;
    commands::deactivate(configuration, name)
}

fn check_name(name: &str) -> Result<(), String> {
    match bunraku_authority::names::is_certname(name) && !name.starts_with('.') {
        true => Ok(()),
        false => Err(format!("{name:?} is no name of a node")),
    }
}

/// What was done to a file, or none where it is not there.
fn there<T>(file: &Path, done: io::Result<T>) -> Result<Option<T>, String> {
    match done {
        Ok(done) => Ok(Some(done)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("Could not remove {}: {error}", file.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku::Compat;
    use std::fs;

    #[test]
    fn what_is_kept_of_a_node_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        let of = |setting: &str, path: &str| (setting.to_owned(), at(path).display().to_string());
        let given = [of("confdir", "conf"), of("vardir", "var")];
        let configuration = Configuration::read(Compat::V8, &given).unwrap();
        let kept = ["server_data/facts/a.b.json", "yaml/facts/a.b.yaml", "yaml/node/a.b.yaml"];
        let others = ["server_data/facts/a.json", "reports/a/1.yaml", "outside/1.yaml"];
        for file in kept.iter().chain(&others).chain(&["reports/a.b/1.yaml", "reports/a.b/2.yaml"]) {
            let file = at(&format!("var/{file}"));
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        std::os::unix::fs::symlink(at("var/outside"), at("var/reports/linked")).unwrap();
        assert_eq!(forget(&configuration, "a.b"), Ok(Forgotten { facts: true, reports: 2 }));
        assert_eq!(forget(&configuration, "a.b"), Ok(Forgotten::default()));
        assert_eq!(forget(&configuration, "linked"), Ok(Forgotten::default()));
        for odd in ["..", ".", "", "a/b", "../reports", "A", "a\0"] {
            assert!(forget(&configuration, odd).is_err(), "{odd:?}");
            assert!(deactivate(&configuration, odd).is_err(), "{odd:?}");
        }
        assert!(others.iter().all(|file| at(&format!("var/{file}")).exists()));
        assert!(!at("var/reports/a.b").exists() && !at(&format!("var/{}", kept[0])).exists());
    }
}
