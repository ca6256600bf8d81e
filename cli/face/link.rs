//! `bunraku face`: makes the links by which this command is Puppet.

use super::handed;
use super::identity::{FILE, Identity, NAMES};
use crate::render::{MessageFormat, Renderer, When};
use crate::{FAILED, output};
use bunraku::Compat;
use bunraku::files::write::{self, Access};
use clap::Args;
use std::fmt::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Make links by which this command is `puppet`, for tools that run Puppet.
///
/// The links are `puppet`, `puppet7`, `puppet8`, `puppet9` and `openvox`: by these names the command takes Puppet's arguments
/// (`catalog compile`, `lookup`, `parser validate`, `epp`, `config print`, `facts find`) and prints what Puppet prints.
/// `docs/puppet-face.md` shows how tools are told of them.
#[derive(Args)]
pub struct Arguments {
    /// Folder for the links; it is made if it is not there.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Version that the name `puppet` stands for [default: 7].
    #[arg(long, value_name = "7|8|9")]
    compat: Option<Compat>,
    /// A real Puppet, which gets what is not built in: `agent`, `apply`, `module`, ….
    #[arg(long, value_name = "FILE")]
    puppet: Option<PathBuf>,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut renderer = Renderer::stderr(When::Auto, MessageFormat::Text);
    match make(arguments) {
        Ok(text) => output::finish(&mut renderer, &text, "the names of the links", ExitCode::SUCCESS),
        Err(message) => renderer.failure(&message, FAILED),
    }
}

/// Makes them; what is said of them.
fn make(arguments: &Arguments) -> Result<String, String> {
    let folder = &arguments.folder;
    let could_not = |what: &Path, error| format!("Could not write {}: {error}", what.display());
    std::fs::create_dir_all(folder).map_err(|error| could_not(folder, error))?;
    let own =
        std::env::current_exe().map_err(|error| format!("Where this program is, is not known: {error}"))?;
    let (compat, file) = (Compat::V7, folder.join(FILE));
    handed::real_puppet(&Identity { compat, puppet: arguments.puppet.clone(), file: file.clone() })?;
    let mut said = String::new();
    for (name, _) in NAMES {
        let link = folder.join(name);
        match std::fs::symlink_metadata(&link) {
            Ok(there) if !there.is_symlink() => {
                return Err(format!("{} is there, and no link: it stays as it is", link.display()));
            }
            Ok(_) => std::fs::remove_file(&link).map_err(|error| could_not(&link, error))?,
            Err(_) => {}
        }
        symlink(&own, &link).map_err(|error| could_not(&link, error))?;
        let _ = writeln!(said, "{}", link.display());
    }
    let settings = settings(arguments);
    if !settings.is_empty() {
        write::replace(&file, settings.as_bytes(), Access::Kept).map_err(|error| could_not(&file, error))?;
        let _ = writeln!(said, "{}", file.display());
    }
    Ok(said)
}

/// The text of the file beside the links. A text of TOML is written as one of JSON is.
fn settings(arguments: &Arguments) -> String {
    let compat = arguments.compat.map(|compat| compat.to_string());
    let whole = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let puppet = arguments.puppet.as_ref().map(|path| whole(path).to_string_lossy().into_owned());
    let all = [("compat", compat), ("puppet", puppet)];
    let said = all.into_iter().filter_map(|(name, value)| Some((name, value?)));
    said.map(|(name, value)| format!("{name} = {}\n", serde_json::Value::from(value))).collect()
}
