//! `fileserver.conf`: mounts besides those of modules. Source: the parser of Puppet 7.23.0 and 8.10.0.

use std::path::Path;

/// A mount that the file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// The folder that it stands for; `%h`, `%H`, `%d` in it stand for the client's host, name, domain.
    pub path: Option<String>,
}

/// What the file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileserverConf {
    /// Mounts in the order of the file.
    pub mounts: Vec<Named>,
    /// What is to be told of it: level and message.
    pub told: Vec<(&'static str, String)>,
}

/// The mounts that modules have, whatever the file says of them.
const OF_MODULES: [&str; 5] = ["modules", "plugins", "scripts", "tasks", "locales"];

impl FileserverConf {
    /// Reads the text of the file at `path`.
    ///
    /// # Errors
    /// Puppet's message where a line is none of the form or a mount has no path.
    pub fn parse(path: &str, text: &str) -> Result<FileserverConf, String> {
        let mut conf = FileserverConf::default();
        let mut current: Option<usize> = None;
        for (number, line) in text.lines().enumerate() {
            let at = format!("(file: {path}, line: {})", number + 1);
            let trimmed = line.trim();
            if trimmed.is_empty() || trimmed.starts_with('#') {
                continue;
            }
            if let Some(name) = section(line) {
                if conf.mounts.iter().any(|mount| mount.name == name) {
                    return Err(format!("mount[{name}] is already mounted at {name} at {at}"));
                }
                conf.mounts.push(Named { name: name.to_owned(), path: None });
                current = Some(conf.mounts.len() - 1);
                continue;
            }
            let (variable, value) = entry(trimmed)
                .ok_or_else(|| format!("Invalid entry at {at}: '{}'", line.trim_end_matches(['\r', '\n'])))?;
            match variable {
                _ if value.starts_with('=') => {
                    return Err("Fileserver configuration file does not use '=' as a separator".to_owned());
                }
                "path" => conf.set_path(&mut current, value),
                "allow" if value == "*" => {}
                "allow" | "deny" => {
                    let message = format!("Entry '{line}' is unsupported and will be ignored at {at}");
                    conf.told.push(("err", message));
                }
                other => return Err(format!("Invalid argument '{other}' at {at}")),
            }
        }
        let is_usable = |mount: &Named| mount.path.is_some() || OF_MODULES.contains(&mount.name.as_str());
        match conf.mounts.iter().all(is_usable) {
            true => Ok(conf),
            false => Err("Mounts without paths are not usable".to_owned()),
        }
    }

    fn set_path(&mut self, current: &mut Option<usize>, value: &str) {
        let Some(mount) = current.and_then(|at| self.mounts.get_mut(at)) else {
            let message = format!("The path {value} stands before any mount. Ignoring attempt to set it");
            return self.told.push(("warning", message));
        };
        if OF_MODULES.contains(&mount.name.as_str()) {
            let message =
                format!("The 'mount[{}]' module can not have a path. Ignoring attempt to set it", mount.name);
            return self.told.push(("warning", message));
        }
        let is_template = value.split('%').skip(1).any(|behind| !behind.is_empty());
        if is_template || Path::new(value).is_dir() {
            mount.path = Some(value.to_owned());
            return;
        }
        let name = mount.name.clone();
        let message =
            format!("Removing mount \"mount[{name}]\": {value} does not exist or is not a directory");
        self.told.push(("err", message));
        self.mounts.retain(|mount| mount.name != name);
        *current = None;
    }
}

/// The name in brackets, wherever it stands in a line.
fn section(line: &str) -> Option<&str> {
    line.match_indices('[').find_map(|(at, _)| {
        let (name, _) = line[at + 1..].split_once(']')?;
        is_name(name).then_some(name)
    })
}

/// A word, blanks, and a value in front of a comment.
fn entry(line: &str) -> Option<(&str, &str)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = line.find(|c| !is_word(c)).filter(|end| *end > 0)?;
    let (word, rest) = line.split_at(end);
    if !rest.starts_with(char::is_whitespace) {
        return None;
    }
    let rest = rest.trim_start();
    // A value has at least one character, be it a `#`.
    let first = rest.chars().next()?.len_utf8();
    let comment = rest[first..].find('#').map_or(rest.len(), |at| first + at);
    Some((word, rest[..comment].trim()))
}

/// Whether a name may be that of a mount.
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_are_read() {
        let parse = |text: &str| FileserverConf::parse("/f", text);
        let text = "# mounts\n[one]\n  path /tmp # a folder\n  allow *\n[two]\npath /srv/%h/%d\n[plugins]\npath /x\n";
        let conf = parse(text).unwrap();
        let paths: Vec<_> =
            conf.mounts.iter().map(|mount| (mount.name.as_str(), mount.path.as_deref())).collect();
        assert_eq!(paths, [("one", Some("/tmp")), ("two", Some("/srv/%h/%d")), ("plugins", None)]);
        let told = "The 'mount[plugins]' module can not have a path. Ignoring attempt to set it";
        assert_eq!(conf.told, [("warning", told.to_owned())]);
        let gone = parse("[one]\npath /nowhere/at/all\n").unwrap();
        assert_eq!((gone.mounts.len(), gone.told.len()), (0, 1));
        for (text, error) in [
            ("[one]\n", "Mounts without paths are not usable"),
            ("[one]\npath = /tmp\n", "Fileserver configuration file does not use '=' as a separator"),
            ("[one]\nfolder /tmp\n", "Invalid argument 'folder' at (file: /f, line: 2)"),
            ("[one]\npath\n", "Invalid entry at (file: /f, line: 2): 'path'"),
            ("[a]\npath /tmp\n[a]\n", "mount[a] is already mounted at a at (file: /f, line: 3)"),
        ] {
            assert_eq!(parse(text).unwrap_err(), error);
        }
    }
}
