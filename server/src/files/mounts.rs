//! Mounts: what the first part of a path stands for, and which file or folders the rest means in it.
//! Source: the mounts of Puppet 7.23.0 and 8.10.0.

use super::Shared;
use super::file_root::{FileRoot, Links};
use super::fileserver_conf::{FileserverConf, Named, is_name};
use crate::exchange::{Failure, Request, server_error};
use std::io;
use std::path::{Path, PathBuf};

/// What a mount hands out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mount {
    /// A folder of one module, which the path names: `modules`, `scripts`, `tasks`.
    OfModule {
        /// The folder in the module.
        folder: &'static str,
        /// What a path without a module is told to lack.
        lacks: &'static str,
    },
    /// The same folder of all modules, one over the other: `plugins`, `pluginfacts`, `locales`.
    OfAll(&'static str),
    /// A folder of `fileserver.conf`.
    Named(Named),
}

/// The mount of a name, as `fileserver.conf` has it or by default.
pub fn find(name: &str, conf: &FileserverConf) -> Option<Mount> {
    let named = conf.mounts.iter().find(|mount| mount.name == name);
    match (name, named) {
        ("modules", _) => Some(Mount::OfModule { folder: "files", lacks: "No module specified" }),
        ("scripts", _) => Some(Mount::OfModule { folder: "scripts", lacks: "No module specified" }),
        ("tasks", _) => Some(Mount::OfModule { folder: "tasks", lacks: "No task specified" }),
        ("plugins", _) => Some(Mount::OfAll("lib")),
        ("locales", _) => Some(Mount::OfAll("locales")),
        (_, Some(named)) => Some(Mount::Named(named.clone())),
        ("pluginfacts", None) => Some(Mount::OfAll("facts.d")),
        _ => None,
    }
}

/// The name of the mount and the path in it.
///
/// # Errors
/// Puppet's message where the name can't be one, or the path goes up.
pub fn split(rest: &str) -> Result<(&str, Option<String>), Failure> {
    let (name, path) = rest.split_once('/').map_or((rest, None), |(name, path)| (name, Some(path)));
    if !name.split('\n').any(is_name) {
        return Err(server_error(format!("Cannot find file: Invalid mount '{name}'")));
    }
    if let Some(path) = path
        && path.split('/').any(|part| part == "..")
    {
        return Err(server_error(format!("Cannot find file: Invalid relative path '{path}'")));
    }
    let mut clean = String::new();
    for c in path.unwrap_or_default().chars() {
        if c != '/' || !clean.ends_with('/') {
            clean.push(c);
        }
    }
    Ok((name, (!clean.is_empty()).then_some(clean)))
}

impl Mount {
    /// The file or folder that a path means.
    ///
    /// # Errors
    /// Puppet's message where the path names no module, can't be a path, or the mount needs to know the client.
    pub fn find(
        &self,
        shared: &Shared,
        root: &FileRoot,
        path: Option<&str>,
        request: &Request,
    ) -> Result<Option<String>, Failure> {
        match self {
            Mount::OfModule { folder, lacks } => {
                let path = path.ok_or_else(|| server_error(*lacks))?;
                let (module, rest) =
                    path.split_once('/').map_or((path, None), |(module, rest)| (module, Some(rest)));
                let found = shared.module(root, module)?;
                found.map_or(Ok(None), |module| existing(root, join(&join(&text(module)?, *folder), rest)))
            }
            Mount::OfAll(folder) => {
                for module in shared.modules(root)?.iter() {
                    let base = join(&text(module.clone())?, *folder);
                    if let Some(found) = existing(root, join(&base, path))? {
                        return Ok(Some(found));
                    }
                }
                Ok(None)
            }
            Mount::Named(named) => {
                let base = expanded(named, request)?;
                match path {
                    None => Ok(Some(base)),
                    Some(path) => {
                        let file = join(&base, path);
                        refuse_nul(&file)?;
                        Ok(root.stat(Path::new(&file), Links::Manage).is_ok().then_some(file))
                    }
                }
            }
        }
    }

    /// The folders that a search goes through, the first having a name before the others; and whether it goes down at all.
    /// None where there is no such folder.
    ///
    /// # Errors
    /// As of [`Mount::find`].
    pub fn search(
        &self,
        shared: &Shared,
        root: &FileRoot,
        path: Option<&str>,
        request: &Request,
    ) -> Result<Option<(Vec<String>, bool)>, Failure> {
        let Mount::OfAll(folder) = self else {
            return Ok(self.find(shared, root, path, request)?.map(|found| (vec![found], true)));
        };
        let mut folders = Vec::new();
        for module in shared.modules(root)?.iter() {
            folders.extend(existing(root, join(&text(module.clone())?, *folder))?);
        }
        if !folders.is_empty() {
            return Ok(Some((folders, true)));
        }
        let mut folders = root.modulepath().iter().cloned().map(text).collect::<Result<Vec<_>, _>>()?;
        if folders.is_empty() {
            let configuration = shared.environments.configuration();
            folders.push(configuration.get("codedir").map_err(server_error)?.text);
        }
        Ok(Some((folders, false)))
    }
}

/// The folder of a mount for a client.
fn expanded(named: &Named, request: &Request) -> Result<String, Failure> {
    let unusable = || server_error("Mounts without paths are not usable");
    let path = named.path.as_deref().ok_or_else(unusable)?;
    let mut pieces = path.split('%');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    // A sign with nothing behind it stands for itself.
    let mut rest = pieces.collect::<Vec<_>>().join("%");
    if path.contains('%') {
        rest.insert(0, '%');
    }
    let mut chars = rest.chars();
    while let Some(c) = chars.next() {
        let key = if c == '%' { chars.next() } else { None };
        match (c, key) {
            ('%', Some('%')) => out.push('%'),
            ('%', Some(key @ ('h' | 'H' | 'd'))) => out.push_str(&part_of_client(key, named, request)?),
            (c, key) => out.extend([Some(c), key].into_iter().flatten()),
        }
    }
    Ok(out)
}

/// The client's host, name or domain; never a part of a path that leads elsewhere.
fn part_of_client(key: char, named: &Named, request: &Request) -> Result<String, Failure> {
    let Some(name) = request.client.certname.as_deref() else {
        let message =
            format!("The path of mount[{}] is that of a node, and the client has no name", named.name);
        return Err(server_error(message));
    };
    let part = match (key, name.split_once('.')) {
        ('h', Some((host, _))) => host,
        ('d', Some((host, domain))) if !host.is_empty() => domain,
        _ => name,
    };
    if matches!(part, "" | "." | "..") || part.contains(['/', '\0']) {
        return Err(server_error(format!("The name '{name}' makes no path of mount[{}]", named.name)));
    }
    Ok(part.to_owned())
}

/// Two parts of a path with one slash between them.
fn join<'p>(base: &str, rest: impl Into<Option<&'p str>>) -> String {
    match rest.into() {
        None => base.to_owned(),
        Some(rest) => format!("{}/{}", base.trim_end_matches('/'), rest.trim_start_matches('/')),
    }
}

/// The path where something is there, links followed.
fn existing(root: &FileRoot, path: String) -> Result<Option<String>, Failure> {
    refuse_nul(&path)?;
    match root.stat(Path::new(&path), Links::Follow) {
        Ok(_) => Ok(Some(path)),
        // The disk has no such errors: it is the archive that is damaged.
        Err(error) if error.kind() == io::ErrorKind::Other => Err(server_error(error.to_string())),
        Err(_) => Ok(None),
    }
}

fn refuse_nul(path: &str) -> Result<(), Failure> {
    match path.contains('\0') {
        true => Err(server_error("string contains null byte")),
        false => Ok(()),
    }
}

fn text(path: PathBuf) -> Result<String, Failure> {
    let unreadable =
        |path: std::ffi::OsString| server_error(format!("The path {} is not UTF-8", path.to_string_lossy()));
    path.into_os_string().into_string().map_err(unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::get;

    #[test]
    fn paths_are_split_and_what_leads_up_is_refused() {
        let ok = |rest| split(rest).unwrap();
        assert_eq!(ok("modules"), ("modules", None));
        assert_eq!(ok("modules/"), ("modules", None));
        assert_eq!(ok("modules//a///b/"), ("modules", Some("/a/b/".to_owned())));
        for rest in
            ["", "/etc/passwd", "a b/c", "puppet:///modules/a", "modules/a/../b", "modules/..", "modules/.."]
        {
            assert_eq!(split(rest).unwrap_err().status, 500, "{rest}");
        }
    }

    #[test]
    fn mounts_of_clients_stay_below_their_folder() {
        let of = |path: &str, certname: Option<&str>| {
            let mut request = get("/");
            request.client.certname = certname.map(str::to_owned);
            expanded(&Named { name: "m".to_owned(), path: Some(path.to_owned()) }, &request).ok()
        };
        let name = Some("web.example.com");
        assert_eq!(
            of("/s/%h/%d/%H/%%/%x/%", name).as_deref(),
            Some("/s/web/example.com/web.example.com/%/%x/%")
        );
        assert_eq!(of("/s/%d", Some("web")).as_deref(), Some("/s/web"));
        for hostile in [Some(".."), Some("."), Some(""), Some("..."), Some("a/.."), None] {
            assert_eq!(of("/s/%h", hostile), None, "{hostile:?}");
        }
        assert_eq!(of("/s/%h", None), None);
        assert_eq!(of("/s", None).as_deref(), Some("/s"));
    }
}
