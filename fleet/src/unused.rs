//! What of a tree no node of a fleet uses: each of its [pieces](bunraku::pieces) that no compile has asked for. Who has not asked
//! for it comes to the same catalog without it, so this is certain for the nodes as they are; what another node, or the same with
//! other facts, may ask for is told as doubts: where code computes names, and where it is not known what was read.

use crate::used::{Used, used};
use bunraku::Compiler;
use bunraku::pieces::{Named, Piece, PieceKind, Pieces, named, shown};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

pub use crate::used::TargetOf;

/// A piece that nobody uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dead {
    /// The piece.
    pub piece: Piece,
    /// Why it counts as unused.
    pub reason: String,
    /// Why that may not hold for ever; none where it is certain.
    pub doubts: Vec<String>,
}

impl Dead {
    /// Whether nothing speaks against it.
    pub fn is_certain(&self) -> bool {
        self.doubts.is_empty()
    }
}

/// The answer.
#[derive(Debug, Default)]
pub struct Unused {
    /// How many nodes were compiled.
    pub nodes: usize,
    /// How many pieces the tree has.
    pub pieces: usize,
    /// Those that nobody uses, by kind, in the order of their files.
    pub dead: Vec<Dead>,
    /// Modules of which nobody uses anything.
    pub modules: BTreeSet<String>,
    /// All modules that pieces are of.
    pub all_modules: BTreeSet<String>,
    /// Nodes that do not compile, with what is wrong: what they would use is not known.
    pub failed: BTreeMap<String, String>,
    /// Files that could not be looked into, and why.
    pub unread: Vec<(PathBuf, String)>,
}

/// How many doubts are told of a piece.
const MOST_DOUBTS: usize = 3;

/// Finds out what of a tree these nodes, by their sorted names, do not use. The tree is that of the first of them.
///
/// # Errors
/// When there are no nodes or threads, the tree can't be read, or of a node nothing can be found out.
pub fn unused(
    compiler: &Compiler,
    names: &[String],
    target: &TargetOf<'_>,
    threads: usize,
    each: impl FnMut(),
) -> Result<Unused, String> {
    let used = used(compiler, names, target, threads, None, each)?;
    let judge = Judge::new(&used);
    let (dead, modules) = (judge.dead(), judge.modules());
    let pieces = used.pieces.all.len();
    let all_modules = used.pieces.all.iter().filter_map(|piece| piece.module.clone()).collect();
    Ok(Unused {
        nodes: names.len(),
        pieces,
        dead,
        modules,
        all_modules,
        failed: used.failed,
        unread: used.pieces.unread,
    })
}

struct Judge<'p> {
    pieces: &'p Pieces,
    is_used: &'p [bool],
    is_loaded: &'p [bool],
    unknown: &'p BTreeMap<String, String>,
    failed: &'p BTreeMap<String, String>,
    /// Classes and defined types that are used.
    definitions: HashSet<&'p str>,
    /// Files of data that are not.
    data: HashSet<&'p PathBuf>,
}

impl<'p> Judge<'p> {
    fn new(used: &'p Used) -> Judge<'p> {
        let Used { pieces, is_used, is_loaded, unknown, failed, .. } = used;
        let of = |kinds: &'static [PieceKind], used: bool| {
            let all = pieces.all.iter().zip(is_used);
            all.filter(move |(piece, is_used)| kinds.contains(&piece.kind) && **is_used == used)
                .map(|(piece, _)| piece)
        };
        let definitions = of(&[PieceKind::Class, PieceKind::Define], true).map(|piece| piece.name.as_str());
        let data = of(&[PieceKind::Data], false).map(|piece| &piece.file);
        let (definitions, data) = (definitions.collect(), data.collect());
        Judge { pieces, is_used, is_loaded, unknown, failed, definitions, data }
    }

    fn dead(&self) -> Vec<Dead> {
        let all = self.pieces.all.iter().zip(self.is_used).zip(self.is_loaded);
        // Of a file that nobody reads its keys are not told one by one.
        let is_told = |piece: &Piece| piece.kind != PieceKind::Key || !self.data.contains(&piece.file);
        let mut dead: Vec<Dead> = all
            .filter(|((piece, is_used), _)| !**is_used && is_told(piece))
            .map(|((piece, _), is_loaded)| Dead {
                piece: piece.clone(),
                reason: self.reason(piece, *is_loaded),
                doubts: self.doubts(piece),
            })
            .collect();
        dead.sort_by(|a, b| {
            (a.piece.kind, &a.piece.file, a.piece.line).cmp(&(b.piece.kind, &b.piece.file, b.piece.line))
        });
        dead
    }

    fn modules(&self) -> BTreeSet<String> {
        let mut modules: BTreeMap<&str, bool> = BTreeMap::new();
        for (piece, is_used) in self.pieces.all.iter().zip(self.is_used) {
            if let Some(module) = &piece.module {
                *modules.entry(module).or_default() |= *is_used;
            }
        }
        modules.into_iter().filter(|(_, is_used)| !is_used).map(|(module, _)| module.to_owned()).collect()
    }

    fn reason(&self, piece: &Piece, is_loaded: bool) -> String {
        let reason = match piece.kind {
            PieceKind::Class => "no node declares it",
            PieceKind::Define => "no node declares a resource of it",
            PieceKind::Node => "it fits no node",
            PieceKind::Type => "no node loads it",
            PieceKind::Function => "no node calls it",
            PieceKind::Template => "no node renders it",
            PieceKind::File => "no node gets or reads it",
            PieceKind::Data => "no node reads it",
            PieceKind::Layer => "no node reads a file of it",
            PieceKind::Key => return self.reason_of_key(piece),
        };
        match is_loaded {
            true => format!("{reason}, though some read what else stands in its file"),
            false => reason.to_owned(),
        }
    }

    fn reason_of_key(&self, piece: &Piece) -> String {
        let reason = "no node that reads the file looks it up";
        let Some((definition, parameter)) = piece.name.rsplit_once("::") else { return reason.to_owned() };
        match self.pieces.parameters.get(definition) {
            None => reason.to_owned(),
            Some(parameters) if !parameters.iter().any(|own| own == parameter) => {
                format!("{reason}: {definition} has no such parameter")
            }
            Some(_) if !self.definitions.contains(definition) => {
                format!("{reason}: no node declares {definition}")
            }
            Some(_) => reason.to_owned(),
        }
    }

    fn doubts(&self, piece: &Piece) -> Vec<String> {
        let failed = self.failed.keys().take(1).map(|node| match self.failed.len() {
            1 => format!("{node} does not compile, so what it uses is not known"),
            all => format!("{node} and {} more nodes do not compile, so what they use is not known", all - 1),
        });
        let unknown = self.unknown.iter().filter(|_| is_of_files(piece.kind)).map(|(what, node)| {
            format!("{what}, which runs for {node} in a process of Ruby, may read any file")
        });
        let computed = self.pieces.computed.iter().filter(|name| self.may_mean(name, piece)).map(|name| {
            let line = name.computed.line;
            let file = shown(&name.file, self.pieces.folder.as_deref());
            format!("a name that is computed at {file}:{line} may be its")
        });
        failed.chain(unknown).chain(computed).take(MOST_DOUBTS).collect()
    }

    /// Whether a name that code computes may be that of a piece.
    fn may_mean(&self, name: &bunraku::pieces::ComputedName, piece: &Piece) -> bool {
        let computed = &name.computed;
        if named(piece.kind) != Some(computed.of) {
            return false;
        }
        let is_own = name.module == piece.module || name.module.is_none();
        match computed.prefix.as_deref() {
            // It begins with what is computed: mostly the module's name.
            Some("") => is_own,
            Some(prefix) => piece.name.starts_with(&prefix.to_lowercase()) || piece.name.starts_with(prefix),
            None if matches!(computed.of, Named::Template | Named::File) && is_own => true,
            None => self.is_mentioned(&piece.name),
        }
    }

    /// Whether code or data has the name written out somewhere, by itself.
    fn is_mentioned(&self, name: &str) -> bool {
        self.pieces.texts.contains(name) || self.pieces.texts.contains(&format!("::{name}"))
    }
}

/// Whether what a process of Ruby reads may be such a piece.
fn is_of_files(kind: PieceKind) -> bool {
    matches!(
        kind,
        PieceKind::Template
            | PieceKind::File
            | PieceKind::Data
            | PieceKind::Key
            | PieceKind::Function
            | PieceKind::Layer
    )
}
