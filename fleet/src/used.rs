//! What of a tree the nodes of a fleet use: each is compiled, and what it asks for is held against the tree's
//! [pieces](bunraku::pieces); where that is wanted, which code has run is summed up as well. What is kept does not grow with the number
//! of nodes.

use crate::pool;
use crate::ran::Ran;
use bunraku::bench::Target;
use bunraku::coverage::{RanUnit, Watches};
use bunraku::pieces::{PieceKind, Pieces};
use bunraku::{Compiler, Reads};
use std::collections::{BTreeMap, HashSet};

/// How a node is compiled, by its name.
pub type TargetOf<'q> = dyn Fn(&str) -> Result<Target, String> + Sync + 'q;

/// What nodes have used.
pub(crate) struct Used {
    /// The tree's pieces.
    pub pieces: Pieces,
    /// By piece: whether somebody uses it.
    pub is_used: Vec<bool>,
    /// By piece: whether somebody loads the file that it stands in.
    pub is_loaded: Vec<bool>,
    /// What reads nobody knows what, and for which node.
    pub unknown: BTreeMap<String, String>,
    /// Nodes that do not compile, with what is wrong.
    pub failed: BTreeMap<String, String>,
}

/// What one node has used.
struct OfNode {
    reads: Reads,
    ran: Vec<RanUnit>,
    served: HashSet<String>,
    /// Functions that agents call.
    deferred: HashSet<String>,
    error: Option<String>,
}

/// Finds out what these nodes, by their sorted names, use of the tree of the first of them. Which code has run goes to `ran`.
///
/// # Errors
/// When there are no nodes or threads, the tree can't be read, or of a node nothing can be found out.
pub(crate) fn used(
    compiler: &Compiler,
    names: &[String],
    target: &TargetOf<'_>,
    threads: usize,
    mut ran: Option<&mut Ran>,
    mut each: impl FnMut(),
) -> Result<Used, String> {
    let first = names.first().ok_or("No node fits")?;
    let first = target(first)?;
    let pieces = compiler.pieces(&first.environment, &first.settings)?;
    let count = pieces.all.len();
    let (is_used, is_loaded) = (vec![false; count], vec![false; count]);
    let mut all = Used { pieces, is_used, is_loaded, unknown: BTreeMap::new(), failed: BTreeMap::new() };
    let (mut served, mut failure, covers) = (HashSet::new(), None, ran.is_some());
    pool::run(
        names,
        threads,
        |name| use_of(compiler, target(name)?, covers),
        |name, used: Result<OfNode, String>| {
            each();
            match used {
                Ok(used) => {
                    all.take_in(name, &used);
                    if let Some(ran) = &mut ran {
                        ran.take_in(&used.ran);
                    }
                    served.extend(used.served);
                }
                Err(message) => _ = failure.get_or_insert_with(|| format!("{name}: {message}")),
            }
        },
    )?;
    if let Some(message) = failure {
        return Err(message);
    }
    for (piece, is_used) in all.pieces.all.iter().zip(&mut all.is_used) {
        *is_used |= piece.kind == PieceKind::File && is_served(&piece.name, &served);
    }
    Ok(all)
}

impl Used {
    fn take_in(&mut self, name: &str, used: &OfNode) {
        for (number, piece) in self.pieces.all.iter().enumerate() {
            let asked = |touch| used.reads.touches.binary_search(touch).is_ok();
            self.is_used[number] = self.is_used[number]
                || piece.uses.met_by(&used.reads.touches)
                || piece.kind == PieceKind::Function && used.deferred.contains(&piece.name);
            self.is_loaded[number] = self.is_loaded[number] || piece.loaded.iter().any(asked);
        }
        for what in &used.reads.unknown {
            self.unknown.entry(what.clone()).or_insert_with(|| name.to_owned());
        }
        if let Some(error) = &used.error {
            self.failed.insert(name.to_owned(), error.clone());
        }
    }
}

fn use_of(compiler: &Compiler, mut target: Target, covers: bool) -> Result<OfNode, String> {
    target.settings.reads = true;
    let (compiled, ran) = match covers {
        true => compiler.covered(&target, Watches::default()),
        false => (compiler.trial(&target), Vec::new()),
    };
    let Some(reads) = compiled.reads else {
        return Err(match compiled.result {
            Err(error) => error.message,
            Ok(_) => "its compile does not say what it has read".to_owned(),
        });
    };
    let (served, deferred, error) = match compiled.result {
        Ok(catalog) => (served(catalog.to_json()), deferred(catalog.to_json()), None),
        Err(error) => (HashSet::new(), HashSet::new(), Some(error.message)),
    };
    Ok(OfNode { reads, ran, served, deferred, error })
}

/// The files of modules that a catalog names as agents ask for them, from the module's name on.
fn served(catalog: &str) -> HashSet<String> {
    let mut all = HashSet::new();
    for (at, _) in catalog.match_indices("puppet://") {
        let rest = &catalog[at + "puppet://".len()..];
        let end = rest.find(['"', '\\', ' ', '\'']).unwrap_or(rest.len());
        let Some((_, path)) = rest[..end].split_once('/') else { continue };
        if let Some(path) = path.strip_prefix("modules/") {
            all.insert(path.trim_end_matches('/').to_owned());
        }
    }
    all
}

/// The functions that a catalog has in `Deferred` values.
fn deferred(catalog: &str) -> HashSet<String> {
    const BEGIN: &str = r#""__ptype":"Deferred","name":""#;
    let names =
        catalog.match_indices(BEGIN).filter_map(|(at, _)| catalog[at + BEGIN.len()..].split('"').next());
    names.map(|name| name.trim_start_matches("::").to_owned()).collect()
}

/// Whether a file, or a folder that it is in, is among them.
fn is_served(name: &str, served: &HashSet<String>) -> bool {
    let folders = name.match_indices('/').map(|(at, _)| &name[..at]);
    folders.chain([name]).any(|path| served.contains(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_agents_get_are_found_in_catalogs() {
        let catalog = r#"{"source":"puppet:///modules/a/b.txt","x":["puppet://s.example.com/modules/c/d/","puppet:///files/e"]}"#;
        let served = served(catalog);
        assert_eq!(served, ["a/b.txt", "c/d"].map(str::to_owned).into());
        let is = |name| is_served(name, &served);
        assert!(is("a/b.txt") && is("c/d/e/f") && !is("c/dd") && !is("a/b") && !is("files/e"));
    }
}
