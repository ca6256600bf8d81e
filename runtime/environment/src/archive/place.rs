//! Where the files of an archive lie when it is used.

use crate::snapshot::{EnvironmentSpec, PRODUCTION};
use bunraku_configuration::configuration::Configuration;
use bunraku_files::archive::OpenArchive;
use std::path::PathBuf;

/// Says where the files of an archive lie, as far as the arguments do not: a frozen one's where the configuration has
/// environments and modules, or else Puppet's defaults; folders of modules that its `environment.conf` names lie where that says.
///
/// # Errors
/// When the archive is of another version or of something else, or can't tell where its folders lie.
pub(crate) fn place(
    opened: &OpenArchive,
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
        *directory = usual(spec, &configuration)?;
    }
    let folders = info.folders.len();
    if modulepath.is_none() {
        // This is what was built; what the configuration has beside it is not in the archive.
        let base = in_force.folders("basemodulepath")?;
        let unknown = || {
            format!(
                "Archive {name} holds {folders} folders of a module path: say by --modulepath where they are"
            )
        };
        let place = |folder: &String| {
            let (root, rest) = folder.split_once('/').unwrap_or((folder, ""));
            let root = match root.strip_prefix('m') {
                Some(number) => {
                    let number = number.parse::<usize>().ok()?;
                    match info.folders.get(number)? {
                        Some(path) => PathBuf::from(path),
                        // Those that it does not name are the configuration's, in their order.
                        None => base.get(number - info.folders[..number].iter().flatten().count())?.clone(),
                    }
                }
                None => directory.clone()?,
            };
            Some(if rest.is_empty() { root } else { root.join(rest) })
        };
        *modulepath = Some(info.modulepath.iter().map(place).collect::<Option<_>>().ok_or_else(unknown)?);
    }
    if let Some(path) = modulepath
        && !info.environment
        && path.len() != folders
    {
        let given = path.len();
        return Err(format!("Archive {name} holds {folders} folders of a module path, not {given}"));
    }
    Ok(())
}

/// Where an archive's environment lies if nobody says: where `environmentpath` has it on this disk, for what it runs there
/// (`config_version`) lies beside its sources; else, for these need not be there, in the first folder of that path.
///
/// # Errors
/// When the setting's value can't be told.
pub fn usual(spec: &EnvironmentSpec, configuration: &Configuration) -> Result<Option<PathBuf>, String> {
    if spec.usual.is_some() {
        return Ok(spec.usual.clone());
    }
    let environments = configuration.in_force().folders("environmentpath")?;
    let name = spec.name.as_deref().unwrap_or(PRODUCTION);
    let mut all = environments.iter().map(|folder| folder.join(name));
    let first = all.next();
    Ok(first.clone().into_iter().chain(all).find(|folder| folder.is_dir()).or(first))
}
