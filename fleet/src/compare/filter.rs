//! What makes a difference none after all: octocatalog-diff's filters, by its names.

use super::{Difference, Sign};
use bunraku::Data;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::PathBuf;

use super::Rules;

/// A filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Filter {
    /// Of a file that is to be absent nothing counts but `ensure`, `backup`, `force` and `provider`.
    AbsentFile,
    /// The folders that the trees lie in are equal.
    CompilationDir,
    /// Lists whose elements are written the same way are equal, whatever their types.
    EquivalentArrayNoDatatypes,
    /// Contents of `.json` files that mean the same are equal.
    #[serde(rename = "JSON")]
    Json,
    /// A list of one is equal to that one.
    SingleItemArray,
    /// Contents of `.yaml` and `.yml` files that mean the same are equal.
    #[serde(rename = "YAML")]
    Yaml,
}

impl Filter {
    /// All of them.
    pub const ALL: [(&'static str, Filter); 6] = [
        ("AbsentFile", Filter::AbsentFile),
        ("CompilationDir", Filter::CompilationDir),
        ("EquivalentArrayNoDatatypes", Filter::EquivalentArrayNoDatatypes),
        ("JSON", Filter::Json),
        ("SingleItemArray", Filter::SingleItemArray),
        ("YAML", Filter::Yaml),
    ];
}

/// Applies the filters in their order; a tree's folder is none where nothing was compiled from one.
pub(super) fn apply(
    found: &mut Vec<Difference>,
    rules: &Rules,
    folders: (Option<&PathBuf>, Option<&PathBuf>),
) {
    for filter in &rules.filters {
        match filter {
            Filter::AbsentFile => of_absent_files(found),
            Filter::CompilationDir => of_folders(found, folders),
            other => found.retain(|one| !is_change(one) || !is_none_after_all(*other, one)),
        }
    }
}

fn is_change(one: &Difference) -> bool {
    matches!(one.sign, Sign::Changed | Sign::Nested)
}

fn of_absent_files(found: &mut Vec<Difference>) {
    let goes = |one: &&Difference| {
        let absent = match &one.new {
            Some(Data::Text(text)) => text == "absent" || text == "false",
            new => *new == Some(Data::Boolean(false)),
        };
        is_change(one) && one.type_name == "File" && one.structure == ["parameters", "ensure"] && absent
    };
    let gone: HashSet<String> = found.iter().filter(goes).map(|one| one.title.clone()).collect();
    let kept = ["ensure", "backup", "force", "provider"];
    found.retain(|one| {
        let of_file = is_change(one)
            && one.type_name == "File"
            && one.structure.first().is_some_and(|s| s == "parameters");
        !of_file
            || !gone.contains(&one.title)
            || one.structure.last().is_some_and(|last| kept.contains(&last.as_str()))
    });
}

fn of_folders(found: &mut Vec<Difference>, folders: (Option<&PathBuf>, Option<&PathBuf>)) {
    let (Some(from), Some(to)) = folders else { return };
    let (from, to) = (from.to_string_lossy().into_owned(), to.to_string_lossy().into_owned());
    found.retain(|one| match is_change(one) {
        true => without(&one.old, &from) != without(&one.new, &to),
        false => !one.title.contains(&from) && !one.title.contains(&to),
    });
}

fn without(value: &Option<Data>, folder: &str) -> Option<Data> {
    fn inner(value: &Data, folder: &str) -> Data {
        match value {
            Data::Text(text) => Data::Text(text.replace(folder, "")),
            Data::List(all) => Data::List(all.iter().map(|one| inner(one, folder)).collect()),
            Data::Map(all) => {
                Data::Map(all.iter().map(|(name, one)| (name.clone(), inner(one, folder))).collect())
            }
            other => other.clone(),
        }
    }
    value.as_ref().map(|value| inner(value, folder))
}

fn is_none_after_all(filter: Filter, one: &Difference) -> bool {
    let (Some(old), Some(new)) = (&one.old, &one.new) else { return false };
    let is_content = |endings: &[&str]| {
        let title = one.title.to_lowercase();
        one.type_name == "File"
            && one.structure == ["parameters", "content"]
            && endings.iter().any(|ending| title.ends_with(ending))
    };
    let texts = || Some((old.as_str()?, new.as_str()?));
    match filter {
        Filter::Json => {
            is_content(&[".json"])
                && texts().is_some_and(|(old, new)| means_the_same(old, new, Data::from_json))
        }
        Filter::Yaml => {
            let parse = |text: &str| Data::from_yaml(text);
            is_content(&[".yaml", ".yml"])
                && texts().is_some_and(|(old, new)| means_the_same(old, new, parse))
        }
        Filter::SingleItemArray => match (old, new) {
            (Data::List(_), Data::List(_)) => false,
            (Data::List(list), other) | (other, Data::List(list)) => list.len() == 1 && list[0] == *other,
            _ => false,
        },
        Filter::EquivalentArrayNoDatatypes => match (old, new) {
            (Data::List(old), Data::List(new)) => {
                old.len() == new.len()
                    && old.iter().zip(new).all(|(old, new)| old.to_string() == new.to_string())
            }
            _ => false,
        },
        Filter::AbsentFile | Filter::CompilationDir => false,
    }
}

/// Whether two texts mean the same, keys of maps in any order. What can't be read means nothing.
fn means_the_same(old: &str, new: &str, parse: impl Fn(&str) -> Result<Data, String>) -> bool {
    match (parse(old), parse(new)) {
        (Ok(old), Ok(new)) => is_equal(&old, &new),
        _ => false,
    }
}

fn is_equal(old: &Data, new: &Data) -> bool {
    match (old, new) {
        (Data::Map(old), Data::Map(_)) => {
            let keys = |data: &Data| if let Data::Map(all) = data { all.len() } else { 0 };
            old.len() == keys(new)
                && old.iter().all(|(name, old)| new.get(name).is_some_and(|new| is_equal(old, new)))
        }
        (Data::List(old), Data::List(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| is_equal(old, new))
        }
        _ => old == new,
    }
}
