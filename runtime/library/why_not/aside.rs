//! What is told beside the places in code: the node's classifier, and Hiera's data that has a class's name.

use super::finder::class_name;
use super::{Classifier, DataText, NamedInData};
use crate::bench::Target;
use bunraku_environment::pieces::shown;
use bunraku_vm::unit::DefKind;
use std::collections::HashSet;
use std::path::Path;

/// How many places of data are told.
const MOST_PLACES: usize = 8;

/// What the classifier of a node has to do with a class, whose ways lead through these definitions; none of a node that has none.
pub(super) fn classifier(
    target: &Target,
    name: &str,
    through: &HashSet<(DefKind, String)>,
) -> Option<Classifier> {
    let node = &target.node.node;
    if node.classes.is_empty() && node.parameters.is_empty() {
        return None;
    }
    let classes = through.iter().filter(|(kind, other)| *kind == DefKind::Class && other != name);
    let mut others: Vec<String> = classes.map(|(_, other)| other.clone()).collect();
    others.sort();
    let gives = node.classes.iter().map(|(name, _)| class_name(name)).collect();
    Some(Classifier { gives, could_give: [vec![name.to_owned()], others].concat() })
}

/// The lines of data that have a name by itself.
pub(super) fn named_in(texts: &[DataText], name: &str, folder: Option<&Path>) -> Vec<NamedInData> {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let has = |line: &str| {
        line.match_indices(name).any(|(at, _)| {
            // In front may be `::`; behind, a colon ends a key.
            let before = line[..at].strip_suffix("::").unwrap_or(&line[..at]);
            let behind = &line[at + name.len()..];
            !before.ends_with(part)
                && (!behind.starts_with(part) || (behind.starts_with(':') && !behind.starts_with("::")))
        })
    };
    let mut all: Vec<NamedInData> = texts
        .iter()
        .flat_map(|text| {
            let lines = (1u32..)
                .zip(text.text.lines())
                .filter(|(_, line)| !line.trim_start().starts_with('#') && has(line));
            lines.map(|(line, _)| NamedInData {
                file: shown(&text.file, folder),
                line,
                is_read: text.is_read,
            })
        })
        .collect();
    all.sort_by_key(|one| !one.is_read);
    all.truncate(MOST_PLACES);
    all
}
