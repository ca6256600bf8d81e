//! Data files: [`yaml`], JSON and [`hocon`] are parsed to [`data`]; [`layout`] is their encoded form, which archives hold
//! and [`decode`] goes through; [`indexed`] is a file in that form with what is known of its keys, [`plain_options`] of
//! its `lookup_options`; [`cache`] keeps files; [`lines`] says where in a file its values stand.

pub mod cache;
pub mod data;
pub(crate) mod decode;
mod format;
pub(crate) mod from_value;
pub mod hocon;
mod indexed;
pub mod layout;
pub(crate) mod lines;
pub(crate) mod plain_options;
pub mod yaml;

pub use format::{DataFault, DataFormat};
use lines::Lines;
use std::path::Path;

pub use indexed::{DataFile, DataReader, FoundKey, hash_of, touch_of};

/// The keys of a file that holds a hash, in their order, each with its line; none of one that does not.
pub fn key_lines(path: &Path, bytes: &[u8], format: DataFormat) -> Vec<(String, u32)> {
    match lines::lines(path, bytes, format).as_deref() {
        Some(Lines::Map(all)) => all.iter().map(|(key, line, _)| (key.clone(), *line)).collect(),
        _ => Vec::new(),
    }
}

/// The lines of the items of the list that a file's hash has under a key: of a hash that of its `name`.
pub fn item_lines(path: &Path, bytes: &[u8], format: DataFormat, key: &str) -> Vec<u32> {
    let Some(lines) = lines::lines(path, bytes, format) else { return Vec::new() };
    let under = |lines: &Lines, key: &str| match lines {
        Lines::Map(all) => {
            all.iter().find(|(known, ..)| known == key).map(|(_, line, value)| (*line, value.clone()))
        }
        _ => None,
    };
    match under(&lines, key).as_ref().map(|(_, items)| &**items) {
        Some(Lines::List(items)) => {
            items.iter().map(|(line, item)| under(item, "name").map_or(*line, |(line, _)| line)).collect()
        }
        _ => Vec::new(),
    }
}

/// Which keys of a file rest on others by aliases of YAML: the key that is named, and the one that names it, or none where all of the
/// file does (`<<` at its first level). None of a file in another format.
pub fn aliased_keys(bytes: &[u8], format: DataFormat) -> Vec<(String, Option<String>)> {
    match (format, std::str::from_utf8(bytes)) {
        (DataFormat::Yaml, Ok(text)) if text.contains('*') => lines::aliases::of_text(text),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_have_the_lines_of_their_names() {
        let text = "version: 5\nhierarchy:\n  - {name: os, path: c}\n  - path: x\n    name: of c\n\n  # c\n  - name: c\n  - 1\n";
        let lines = |key| item_lines(Path::new("hiera.yaml"), text.as_bytes(), DataFormat::Yaml, key);
        assert_eq!(lines("hierarchy"), [3, 5, 8, 9]);
        assert!(lines("version").is_empty() && lines("nosuch").is_empty());
    }
}
