//! Which Puppet the command stands for: the name that it was called by says so, and a file beside the link,
//! `bunraku-face.toml`, where `bunraku face` was told more. (An environment variable would not do: octocatalog-diff runs
//! Puppet with next to none.)

use bunraku::Compat;
use bunraku::files::read;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The file beside the links.
pub const FILE: &str = "bunraku-face.toml";
/// Bytes that it may hold.
const MAX_FILE: u64 = 64 << 10;
/// Links that are followed, one after the other.
const MOST_LINKS: usize = 40;
/// The variable that names a real Puppet, before what the file says.
pub const REAL_PUPPET: &str = "BUNRAKU_PUPPET";
/// Whose rules are in force by the name `puppet`, if the file does not say: those of the version that the tools were made for.
const USUAL: Compat = Compat::V7;

/// The names by which the command is Puppet, each with its version; none where the file says.
pub const NAMES: [(&str, Option<Compat>); 5] = [
    ("puppet", None),
    ("puppet7", Some(Compat::V7)),
    ("puppet8", Some(Compat::V8)),
    ("puppet9", Some(Compat::V9)),
    ("openvox", Some(Compat::V9)),
];

/// Which Puppet the command stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Whose rules are in force.
    pub compat: Compat,
    /// A real Puppet, for what is not built here.
    pub puppet: Option<PathBuf>,
    /// The file that may name it.
    pub file: PathBuf,
}

/// What `bunraku-face.toml` says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said {
    compat: Option<Compat>,
    puppet: Option<PathBuf>,
}

/// The Puppet that this process was called as; none where it was called by another name.
///
/// # Errors
/// When the file beside the link can't be read, or says something else.
pub fn of_this_process() -> Option<Result<Identity, String>> {
    let called = std::env::args_os().next().map(PathBuf::from)?;
    let name = called.file_name()?.to_str()?;
    let (_, compat) = NAMES.into_iter().find(|(known, _)| *known == name)?;
    Some(identity(&called, compat))
}

fn identity(called: &Path, compat: Option<Compat>) -> Result<Identity, String> {
    let folder = folder_of(called, std::env::var_os("PATH").as_deref());
    let file = file_beside(&folder.unwrap_or_default().join(called.file_name().unwrap_or_default()));
    let said = match read::regular_text(&file, MAX_FILE) {
        Ok(text) => parse(&text).map_err(|error| format!("Could not parse {}: {error}", file.display()))?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Said::default(),
        Err(error) => return Err(format!("Could not read {}: {error}", file.display())),
    };
    let named = std::env::var_os(REAL_PUPPET).filter(|path| !path.is_empty()).map(PathBuf::from);
    Ok(Identity { compat: compat.or(said.compat).unwrap_or(USUAL), puppet: named.or(said.puppet), file })
}

/// The folder that the link lies in: a name without one was found by way of `PATH`.
fn folder_of(called: &Path, path: Option<&OsStr>) -> Option<PathBuf> {
    match called.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => Some(folder.to_owned()),
        _ => std::env::split_paths(path?).find(|folder| folder.join(called).is_file()),
    }
}

/// The file beside a link, or beside the next one that it leads to (`/usr/local/bin/puppet` to the one that `bunraku face` has made); where
/// there is none, that beside the first.
fn file_beside(link: &Path) -> PathBuf {
    let beside = |link: &Path| link.with_file_name(FILE);
    let mut at = link.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = at.read_link() else { break };
        if beside(&at).symlink_metadata().is_ok() {
            return beside(&at);
        }
        at = at.parent().unwrap_or(Path::new("")).join(target);
    }
    beside(link)
}

fn parse(text: &str) -> Result<Said, String> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let mut said = Said::default();
    for (name, value) in table {
        match (name.as_str(), value) {
            ("compat", toml::Value::String(version)) => said.compat = Some(version.parse()?),
            ("puppet", toml::Value::String(path)) => said.puppet = Some(path.into()),
            ("compat" | "puppet", other) => {
                return Err(format!("{name} is no text, but of the kind {}", other.type_str()));
            }
            (name, _) => return Err(format!("there is no setting '{name}': there are compat and puppet")),
        }
    }
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_which_version_and_where_puppet_is() {
        let said = parse("compat = \"8\"\npuppet = \"/usr/bin/puppet\"\n");
        let wanted = Said { compat: Some(Compat::V8), puppet: Some("/usr/bin/puppet".into()) };
        assert_eq!(said, Ok(wanted));
        assert_eq!(parse(""), Ok(Said::default()));
        assert!(parse("compat = 8").is_err_and(|error| error.contains("compat is no text")));
        assert!(parse("compat = \"6\"").is_err());
        assert!(parse("nosuch = \"1\"").is_err_and(|error| error.contains("nosuch")));
    }

    #[test]
    fn links_may_lead_to_links() {
        use std::os::unix::fs::symlink;
        let work = tempfile::tempdir().expect("a folder");
        let at = |name: &str| work.path().join(name);
        for folder in ["own", "far", "bin"] {
            std::fs::create_dir(at(folder)).expect("a folder");
        }
        std::fs::write(at("bin/bunraku"), "").expect("a file");
        std::fs::write(at("bin").join(FILE), "").expect("a file");
        symlink(at("bin/bunraku"), at("own/puppet")).expect("a link");
        symlink("../own/puppet", at("far/puppet")).expect("a link");
        symlink("circle", at("far/circle")).expect("a link");
        // What lies beside the program itself is for other links.
        assert_eq!(file_beside(&at("far/puppet")), at("far").join(FILE));
        std::fs::write(at("own").join(FILE), "").expect("a file");
        let found = file_beside(&at("far/puppet")).canonicalize();
        assert_eq!(found.ok(), at("own").join(FILE).canonicalize().ok());
        assert_eq!(file_beside(&at("own/puppet")), at("own").join(FILE));
        assert_eq!(file_beside(&at("far/circle")), at("far").join(FILE));
        std::fs::write(at("far").join(FILE), "").expect("a file");
        assert_eq!(file_beside(&at("far/puppet")), at("far").join(FILE));
    }

    #[test]
    fn a_name_without_a_folder_was_found_by_path() {
        let work = tempfile::tempdir().expect("a folder");
        bunraku::files::write::replace(&work.path().join("puppet"), b"", bunraku::files::write::Access::Kept)
            .expect("a file");
        let path = std::env::join_paths([Path::new("/nosuch"), work.path()]).expect("a path");
        assert_eq!(folder_of(Path::new("puppet"), Some(&path)).as_deref(), Some(work.path()));
        assert_eq!(folder_of(Path::new("./puppet"), Some(&path)).as_deref(), Some(Path::new(".")));
        assert_eq!(folder_of(Path::new("puppet9"), Some(&path)), None);
    }
}
