//! Data files, parsed once a session: a file is read again when its size or time of change differs.

use crate::hiera::data_file::DataFile;
use crate::hiera::data_file::data::Data;
use crate::hiera::data_file::hocon;
use crate::hiera::data_file::yaml::{self, Fault};
use crate::recent::{self, Recent};
use crate::tree::{Stamp, Tree};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// YAML, as Psych reads it.
    Yaml,
    /// JSON.
    Json,
    /// HOCON, as Ruby's gem reads it.
    Hocon,
}

/// The data of a file, or why it has none.
pub type Parsed = Result<Arc<DataFile>, String>;

/// Parsed files.
pub struct DataFiles(Mutex<Recent<(PathBuf, Format), (Stamp, Parsed)>>);

impl Default for DataFiles {
    fn default() -> Self {
        DataFiles(Mutex::new(Recent::new(recent::FILES)))
    }
}

impl DataFiles {
    /// The data of a file.
    ///
    /// # Errors
    /// Why it has none, with the file's name.
    pub fn get(&self, tree: &Tree, path: &Path, format: Format) -> Parsed {
        let unreadable = |error: std::io::Error| format!("Unable to read {}: {error}", path.display());
        if tree.is_frozen()
            && let Some(outcome) = tree.data(path, format)
        {
            return outcome;
        }
        let stamp = tree.stamp(path).map_err(unreadable)?;
        if tree.is_dir(path) {
            return Err(format!("Unable to read {}: it is no file", path.display()));
        }
        let key = (path.to_path_buf(), format);
        if let Ok(mut files) = self.0.lock()
            && let Some((kept, outcome)) = files.get(&key)
            && *kept == stamp
        {
            return outcome.clone();
        }
        let outcome = match tree.data(path, format) {
            Some(outcome) => outcome,
            None => {
                let data = parse(path, &tree.read(path).map_err(unreadable)?, format);
                data.and_then(|data| match DataFile::of(&data) {
                    Some(file) => Ok(Arc::new(file)),
                    None => Err(format!("Unable to parse ({}): it is too large", path.display())),
                })
            }
        };
        if let Ok(mut files) = self.0.lock() {
            files.insert(key, (stamp, outcome.clone()));
        }
        outcome
    }
}

/// The data of a file's content.
///
/// # Errors
/// What is wrong with it, with the path.
pub(crate) fn parse(path: &Path, bytes: &[u8], format: Format) -> Result<Data, String> {
    let place = path.display();
    let text = std::str::from_utf8(bytes)
        .map_err(|_| format!("Unable to parse ({place}): invalid byte sequence in UTF-8"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        Format::Yaml => yaml::parse(text).map_err(|fault| match fault {
            Fault::Syntax(what) => format!("Unable to parse ({place}): {what}"),
            Fault::Alias(name) => format!("Unable to parse Unknown alias: {name}"),
            Fault::Class(class) => {
                format!("Unable to parse ({place}): Tried to load unspecified class: {class}")
            }
        }),
        Format::Json => serde_json::from_str(text)
            .map(Data::from_json)
            .map_err(|error| format!("Unable to parse ({place}): {error}")),
        Format::Hocon => hocon::parse(text).map_err(|what| format!("Unable to parse ({place}): {what}")),
    }
}
