//! Where report processors in Ruby lie; those that nobody has are told of when the server starts, not only with the first report.

use bunraku::Configuration;
use bunraku::process::{Errors, Limits, run};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What a Ruby may take to say where its libraries lie.
const LIMITS: Limits = Limits { bytes: 64 << 10, time: Duration::from_secs(10) };

/// Whether a module of some environment defines a processor, or the folder of the setting `libdir`.
///
/// # Errors
/// When the configuration can't be read.
pub fn have(configuration: &Configuration, processor: &str) -> Result<bool, String> {
    let mut folders = vec![PathBuf::from(configuration.get("libdir")?.text)];
    for environment in configuration.environment_names()? {
        let modules = configuration.modules(&configuration.modulepath(&environment)?)?;
        folders.extend(modules.iter().map(|module| module.join("lib")));
    }
    Ok(defined_in(&folders, processor))
}

/// Whether one of some folders of Ruby defines a processor.
pub fn defined_in(folders: &[PathBuf], processor: &str) -> bool {
    let file = format!("puppet/reports/{processor}.rb");
    folders.iter().any(|folder| folder.join(&file).is_file())
}

/// The folders in which a Ruby looks for libraries, where Puppet finds processors, too: packages put some there. None where it
/// does not run.
pub fn load_path(ruby: &Path) -> Vec<PathBuf> {
    let mut asks = Command::new(ruby);
    asks.args(["-e", "puts $LOAD_PATH"]);
    match run(&mut asks, Errors::Passed, LIMITS) {
        Ok(ended) if ended.status.success() => {
            let text = String::from_utf8_lossy(&ended.output).into_owned();
            text.lines().map(PathBuf::from).filter(|folder| folder.is_absolute()).collect()
        }
        _ => Vec::new(),
    }
}
