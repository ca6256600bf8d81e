//! Where the files of an archive lie when it is used.

use crate::snapshot::{EnvironmentSpec, PRODUCTION};
use bunraku_configuration::configuration::Configuration;
use bunraku_files::archive::Opened;
use std::path::PathBuf;

/// Says where the files of an archive lie, as far as the arguments do not: a frozen one's where the configuration has
/// environments and modules, or else Puppet's defaults. The module path is left open where the archive was built with that of the
/// environment's `environment.conf`, which is in it.
///
/// # Errors
/// When the archive is of another version or of something else, or can't tell where its folders lie.
pub(crate) fn place(
    opened: &Opened,
    spec: &EnvironmentSpec,
    directory: &mut Option<PathBuf>,
    modulepath: &mut Option<Vec<PathBuf>>,
) -> Result<(), String> {
    let (name, info) = (opened.path.display(), &opened.info);
    if info.compat != spec.compat.number() {
        return Err(format!(
            "Archive {name} was built for version {built} of the language: compile with --compat {built}, or build it again with --compat {wanted}",
            built = info.compat,
            wanted = spec.compat,
        ));
    }
    if !spec.frozen {
        let wanted = match (info.environment, &directory, &modulepath) {
            (true, None, _) => "--environment",
            (false, _, None) => "--modulepath",
            _ => return Ok(()),
        };
        return Err(format!(
            "Archive {name} is compared with its sources: say by {wanted} where they are, or use it without them by --frozen"
        ));
    }
    if directory.is_some() && !info.environment {
        return Err(format!("Archive {name} holds a module path and no environment"));
    }
    let configuration = spec.configuration.clone().unwrap_or_else(|| Configuration::none(spec.compat).into());
    let in_force = configuration.in_force();
    if info.environment && directory.is_none() {
        let environments = in_force.folders("environmentpath")?;
        let name = spec.name.as_deref().unwrap_or(PRODUCTION);
        *directory = environments.first().map(|folder| folder.join(name));
    }
    let folders = info.folders as usize;
    if modulepath.is_none() && (info.modulepath_given || !info.environment) {
        // What `environment.conf` says goes for the sources; this is what was built.
        let base = in_force.folders("basemodulepath")?;
        let defaults = base.get(..folders).ok_or_else(|| {
            format!(
                "Archive {name} holds {folders} folders of a module path: say by --modulepath where they are"
            )
        })?;
        let place = |folder: &String| {
            let (root, rest) = folder.split_once('/').unwrap_or((folder, ""));
            let root = match root.strip_prefix('m') {
                Some(number) => defaults.get(number.parse::<usize>().ok()?)?.as_path(),
                None => directory.as_deref()?,
            };
            Some(if rest.is_empty() { root.to_path_buf() } else { root.join(rest) })
        };
        let unknown = || format!("Archive {name} does not say where its module path lies");
        *modulepath = Some(info.modulepath.iter().map(place).collect::<Option<_>>().ok_or_else(unknown)?);
    }
    if let Some(path) = modulepath
        && !info.environment
    {
        check_folders(opened, path.len())?;
    }
    Ok(())
}

/// Refuses a module path with another number of folders outside of the environment's than the archive has: each is found by its number.
///
/// # Errors
/// Says so.
pub(crate) fn check_folders(opened: &Opened, given: usize) -> Result<(), String> {
    let (name, folders) = (opened.path.display(), opened.info.folders as usize);
    match given == folders {
        true => Ok(()),
        false => Err(format!("Archive {name} holds {folders} folders of a module path, not {given}")),
    }
}
