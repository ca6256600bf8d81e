//! Report processors in Ruby that nobody has: told when the server starts, not only with the first report.

use bunraku::Configuration;
use std::path::PathBuf;

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
    let file = format!("puppet/reports/{processor}.rb");
    Ok(folders.iter().any(|folder| folder.join(&file).is_file()))
}
