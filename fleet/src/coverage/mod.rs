//! What of a tree the compiles of a fleet run and read: lines, arms of conditions and definitions by the code that has run
//! ([`bunraku::coverage`]); templates, files, keys and files of data by what was asked for, as [`crate::unused`] does. Forms of it:
//! [`report`].

pub mod report;

use crate::ran::Ran;
use crate::used::{TargetOf, used};
use bunraku::Compiler;
use bunraku::coverage::{Arm, DefKind, Fork, LoweredFile};
use bunraku::pieces::{Piece, PieceKind, shown};
use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::path::PathBuf;

/// The answer.
#[derive(Debug, Default)]
pub struct Coverage {
    /// How many nodes were compiled.
    pub nodes: usize,
    /// Nodes that do not compile, with what is wrong: what they would run is not known.
    pub failed: BTreeMap<String, String>,
    /// Files of code, by path.
    pub files: Vec<FileCoverage>,
    /// Everything that is read, and whether some node does: templates, files of modules, files of data, keys, layers; functions in
    /// Ruby and data types.
    pub pieces: Vec<(Piece, bool)>,
    /// The tree's folder, where it has one.
    pub folder: Option<PathBuf>,
    /// Files that could not be looked into, and why.
    pub unread: Vec<(PathBuf, String)>,
}

/// What of a file has run.
#[derive(Clone, Debug, Default)]
pub struct FileCoverage {
    /// The file on the disk.
    pub file: PathBuf,
    /// As reports call it: below the tree's folder, where it is there.
    pub name: String,
    /// The module it is in, where it is in one.
    pub module: Option<String>,
    /// Its text.
    pub text: String,
    /// Lines with code, from 1, and how many nodes have run some of it.
    pub lines: BTreeMap<u32, u32>,
    /// Conditions, in the order of the source.
    pub forks: Vec<ForkCoverage>,
    /// Definitions, likewise.
    pub definitions: Vec<DefinitionCoverage>,
}

/// What of a condition was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForkCoverage {
    /// What it is.
    pub fork: Fork,
    /// The line it begins on.
    pub line: u32,
    /// For each arm the line that it begins on, none of an `else` or `default` that is not written, and how many nodes took it.
    pub arms: Vec<(Option<u32>, u32)>,
}

/// Whether a definition was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionCoverage {
    /// `class`, `define`, `function` or `node`.
    pub kind: &'static str,
    /// Its name; of a node definition what is written.
    pub name: String,
    /// The line.
    pub line: u32,
    /// How many nodes have run its body.
    pub nodes: u32,
}

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Used ones.
    pub covered: usize,
    /// All.
    pub all: usize,
}

/// What is told of a module, and of all together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Lines with code.
    pub lines: Share,
    /// Arms of conditions.
    pub branches: Share,
    /// Classes, defined types, functions, node definitions, data types.
    pub definitions: Share,
    /// Templates, of either language.
    pub templates: Share,
    /// Files that agents get, or `file` reads.
    pub files: Share,
    /// Files of data and layers of Hiera.
    pub data: Share,
    /// Keys of Hiera.
    pub keys: Share,
}

impl Share {
    /// In hundredths, rounded down, so that nothing is whole that is not; none where there is nothing.
    pub fn percent(self) -> Option<usize> {
        (self.covered * 100).checked_div(self.all)
    }

    fn count(&mut self, is_covered: bool) {
        *self += Share { covered: usize::from(is_covered), all: 1 };
    }
}

impl AddAssign for Share {
    fn add_assign(&mut self, other: Share) {
        self.covered += other.covered;
        self.all += other.all;
    }
}

impl FileCoverage {
    /// Lines and arms of it.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        self.lines.values().for_each(|nodes| totals.lines.count(*nodes > 0));
        let arms = self.forks.iter().flat_map(|fork| &fork.arms);
        arms.for_each(|(_, nodes)| totals.branches.count(*nodes > 0));
        self.definitions.iter().for_each(|one| totals.definitions.count(one.nodes > 0));
        totals
    }
}

impl Coverage {
    /// By module, none for what is in none, and of all together.
    pub fn totals(&self) -> (BTreeMap<Option<&str>, Totals>, Totals) {
        let mut modules: BTreeMap<Option<&str>, Totals> = BTreeMap::new();
        for file in &self.files {
            let (own, of) = (modules.entry(file.module.as_deref()).or_default(), file.totals());
            own.lines += of.lines;
            own.branches += of.branches;
            own.definitions += of.definitions;
        }
        for (piece, is_used) in &self.pieces {
            let own = modules.entry(piece.module.as_deref()).or_default();
            let share = match piece.kind {
                PieceKind::Template => &mut own.templates,
                PieceKind::File => &mut own.files,
                PieceKind::Data | PieceKind::Layer => &mut own.data,
                PieceKind::Key => &mut own.keys,
                _ => &mut own.definitions,
            };
            share.count(*is_used);
        }
        let mut total = Totals::default();
        for of in modules.values() {
            let Totals { lines, branches, definitions, templates, files, data, keys } = *of;
            total.lines += lines;
            total.branches += branches;
            total.definitions += definitions;
            total.templates += templates;
            total.files += files;
            total.data += data;
            total.keys += keys;
        }
        (modules, total)
    }
}

/// Compiles these nodes, by their sorted names, and tells what of the tree of the first of them they have run and read.
///
/// # Errors
/// When there are no nodes or threads, the tree can't be read, or of a node nothing can be found out.
pub fn coverage(
    compiler: &Compiler,
    names: &[String],
    target: &TargetOf<'_>,
    threads: usize,
    each: impl FnMut(),
) -> Result<Coverage, String> {
    let mut ran = Ran::default();
    let used = used(compiler, names, target, threads, Some(&mut ran), each)?;
    let first = target(names.first().ok_or("No node fits")?)?;
    let folder = used.pieces.folder.clone();
    let mut all = Coverage { nodes: names.len(), failed: used.failed, folder, ..Coverage::default() };
    all.unread = used.pieces.unread;
    for file in compiler.lowered(&first.environment, &first.settings)? {
        match of_file(&file, &ran) {
            Ok(covered) => {
                let name = shown(&file.file, all.folder.as_deref());
                all.files.push(FileCoverage { file: file.file, name, module: file.module, ..covered });
            }
            Err(why) => {
                all.unread.retain(|(path, _)| *path != file.file);
                all.unread.push((file.file, why));
            }
        }
    }
    if all.files.is_empty()
        && let Some((file, why)) = all.unread.last()
    {
        return Err(format!("Nothing of the tree's code can be read: {}: {why}", file.display()));
    }
    // What has a body is told by the code that has run.
    let is_told = |piece: &Piece| match piece.kind {
        PieceKind::Class | PieceKind::Define | PieceKind::Node => false,
        PieceKind::Function => piece.line.is_none(),
        _ => true,
    };
    let pieces = used.pieces.all.into_iter().zip(used.is_used);
    all.pieces = pieces.filter(|(piece, _)| is_told(piece)).collect();
    Ok(all)
}

fn of_file(file: &LoweredFile, ran: &Ran) -> Result<FileCoverage, String> {
    let source = file.source.as_ref().map_err(String::clone)?;
    let ran = ran.of(&file.file.to_string_lossy(), source)?;
    let nodes = |at: u32| ran.and_then(|ran| ran.ran.get(at as usize)).copied().unwrap_or_default();
    let jumped = |at: u32| ran.and_then(|ran| ran.jumped.get(at as usize)).copied().unwrap_or_default();
    let line = |at: u32| source.lines.line_column(&source.text, at).0;
    let mut covered = FileCoverage { text: source.text.clone(), ..FileCoverage::default() };
    let mut add = |line: u32, nodes: u32| {
        let most = covered.lines.entry(line).or_default();
        *most = nodes.max(*most);
    };
    for point in &source.points.points {
        add(line(point.span.start), nodes(point.from));
    }
    for definition in &source.points.definitions {
        add(definition.place.0, nodes(definition.at));
    }
    for arms in source.points.arms.chunk_by(|one, next| one.of == next.of) {
        let of = |arm: &Arm| if arm.by_jump { jumped(arm.at) } else { nodes(arm.at) };
        let arm = |arm: &Arm| (arm.body.map(|body| line(body.start)), of(arm));
        let (fork, line) = (arms[0].fork, line(arms[0].of.start));
        covered.forks.push(ForkCoverage { fork, line, arms: arms.iter().map(arm).collect() });
    }
    for definition in &source.points.definitions {
        let kind = match definition.kind {
            DefKind::Class => "class",
            DefKind::Define => "define",
            DefKind::Node => "node",
            _ => "function",
        };
        let (at, nodes) = (definition.place.0, nodes(definition.at));
        let name = match definition.kind {
            DefKind::Node => written_node(&source.text, at),
            _ => definition.name.clone(),
        };
        covered.definitions.push(DefinitionCoverage { kind, name, line: at, nodes });
    }
    Ok(covered)
}

/// What a node definition that begins on a line is for, as it is written there.
fn written_node(text: &str, line: u32) -> String {
    let line = text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
    let begin = line.find("node").map_or(line, |at| &line[at + "node".len()..]);
    begin.split('{').next().unwrap_or_default().trim().to_owned()
}
