//! Source files as units: each is parsed, checked and lowered once and kept for the next compile, until the file
//! changes.

use crate::archive::parts::Findings;
use bumpalo::Bump;
use bunraku_compiler::check::{CheckOptions, Location, Strict, check, namespace_of};
use bunraku_compiler::source::decode;
use bunraku_compiler::{LineIndex, ParseLimits, SourceFile, SourceKind, lower, parse};
use bunraku_files::archive::OpenArchive;
use bunraku_files::memo::{Contract, FileMemo, SessionFiles};
use bunraku_files::reads::PathQuestion;
use bunraku_files::shared_words::SharedWords;
use bunraku_files::tree::Tree;
use bunraku_hiera::data_file::DataFile;
use bunraku_vm::archive::Read;
use bunraku_vm::archive::layout::Section;
use bunraku_vm::archive::reader::{Entry, Part};
use bunraku_vm::compat::Compat;
use bunraku_vm::diagnostic::{Diagnostic, Place, Severity};
use bunraku_vm::symbol::Base;
use bunraku_vm::unit::verify::Passed;
use elsa::FrozenVec;
use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;

/// The units, data files and names that a compile uses, kept for as long as it does and lent to it where
/// they lie.
#[derive(Default)]
pub struct Kept {
    units: FrozenVec<Box<(SharedWords, Arc<Passed>)>>,
    data: FrozenVec<Arc<DataFile>>,
    names: OnceCell<Arc<Base>>,
}

impl Kept {
    /// Keeps a unit: its words, and which of its chunks are known to be sound.
    pub fn keep(&self, compiled: &Compiled) -> (&[u32], &Passed) {
        let kept = Box::new((compiled.words.clone(), compiled.passed.clone()));
        let (words, passed) = self.units.push_get(kept);
        (words.get(), passed)
    }

    /// Keeps the names that the compile's own start from.
    pub fn keep_names(&self, names: Arc<Base>) -> &Base {
        self.names.get_or_init(|| names)
    }

    /// Keeps a data file.
    pub fn keep_data(&self, file: Arc<DataFile>) -> &DataFile {
        self.data.push_get(file)
    }
}

impl Compiled {
    /// Its words, and which of its chunks are known to be sound.
    pub fn parts(&self) -> (&[u32], &Passed) {
        (self.words.get(), &self.passed)
    }
}

/// A compiled file: its words, and what the checks warned of.
#[derive(Clone)]
pub struct Compiled {
    /// The unit; see `bunraku_vm::unit::layout`.
    pub words: SharedWords,
    /// Which of its chunks are known to be sound.
    pub passed: Arc<Passed>,
    /// Warnings in order.
    pub warnings: Arc<[Diagnostic]>,
}

/// Compiles one source text.
///
/// # Errors
/// The warnings, then every syntax error or static error found, in order.
pub fn compile(source: &SourceFile<'_>, options: &CheckOptions<'_>) -> Result<Compiled, Vec<Diagnostic>> {
    let arena = Bump::new();
    let parsed = parse(&arena, source, &ParseLimits::default())?;
    let program = parsed.program;
    let found = parsed.warnings.into_iter().chain(check(&program, source, options));
    let (errors, warnings): (Vec<_>, Vec<_>) = found.partition(|d| d.severity >= Severity::Err);
    if !errors.is_empty() {
        return Err(warnings.into_iter().chain(errors).collect());
    }
    let lines = LineIndex::new(source.text);
    let words = lower::lower(&program, source.text, &lines, source.path).map_err(|fault| vec![*fault])?;
    Ok(Compiled {
        words: SharedWords::Owned(words.into()),
        passed: Arc::default(),
        warnings: warnings.into(),
    })
}

/// What an EPP template that is given as text is called in place of a file.
pub const INLINED: &str = "inlined-epp-text";

/// A unit, or what is wrong with its file.
pub type Outcome = Result<Compiled, Arc<[Diagnostic]>>;

/// Units of all snapshots of a session, by how they were checked.
pub type SessionUnits = SessionFiles<Outcome, WAYS>;

/// How many ways there are to check a file: three of being strict, by three versions.
const WAYS: usize = 9;

const UNITS: Contract = Contract {
    holds: "units of manifests and EPP templates",
    key: "path, and how it is checked",
    bound: "the manifests and templates of the tree; of others, for the next snapshot, and for other archives, 50,000 each way",
    stale: "the file is another one, or its size or times differ; of an archive, name or content",
    test: "runtime/compile/tests/snapshot.rs: what_comes_is_seen_by_the_next_compile",
};

/// What a snapshot keeps of manifests and EPP templates.
pub struct Units {
    files: FileMemo<Outcome, WAYS>,
    compat: Compat,
}

impl Units {
    /// Nothing compiled yet but what `session` has of other snapshots.
    pub fn new(session: Arc<SessionUnits>, compat: Compat) -> Units {
        let files = FileMemo::new(&UNITS, session).asking(PathQuestion::Outline);
        Units {
            files: files.placeless(|unit| unit.as_ref().is_ok_and(|unit| unit.warnings.is_empty())),
            compat,
        }
    }

    /// The unit of a file, compiled if it is new or has changed. `in_module` is its path from the module path on
    /// (`apache/manifests/vhost.pp`), for a module's manifests.
    ///
    /// # Errors
    /// What is wrong with it, or that it can't be read.
    pub fn file(&self, tree: &Tree, path: &Path, strict: Strict, in_module: Option<&str>) -> Outcome {
        let unreadable = |error: std::io::Error| unreadable(path, &error);
        let archived = || archived(tree, path, strict, in_module);
        let make = || {
            let bytes = tree.read(path).map_err(unreadable)?;
            Ok(compile_bytes(path, &bytes, (strict, self.compat), in_module))
        };
        let way = 3 * self.compat as usize + strict as usize;
        self.files.get((tree, path, way), archived, unreadable, make)?
    }

    /// The unit of an EPP template that is given as text, which nobody keeps: from the tree's archive, where that has it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn text(&self, tree: &Tree, text: &str, strict: Strict) -> Result<Compiled, Vec<Diagnostic>> {
        let archived = tree.made_of(text, Section::Units, |opened, part| {
            opened.archive().part_words(&part)?;
            Ok(SharedWords::Mapped(opened.clone(), part))
        });
        match archived {
            Some(words) => Ok(Compiled { words, passed: Arc::default(), warnings: Arc::default() }),
            None => {
                let options = CheckOptions { strict, compat: self.compat, location: Location::Free };
                compile(&inlined(text), &options)
            }
        }
    }
}

/// An EPP template that is given as text.
fn inlined(text: &str) -> SourceFile<'_> {
    SourceFile { path: Some(INLINED), text, kind: SourceKind::Epp }
}

/// The words of the unit of such a template, for an archive; none where something is wrong with it at any level of `strict`.
pub fn of_text(text: &str, compat: Compat) -> Option<Vec<u32>> {
    let at = |strict| compile(&inlined(text), &CheckOptions { strict, compat, location: Location::Free });
    let [off, ..] = [at(Strict::Off).ok()?, at(Strict::Warning).ok()?, at(Strict::Error).ok()?];
    Some(off.words.get().to_vec())
}

/// The unit of an EPP template whose name does not say that it is one, which nobody keeps.
///
/// # Errors
/// What is wrong with it, or that it can't be read.
pub fn unnamed_template(tree: &Tree, path: &Path, options: CheckOptions<'_>) -> Outcome {
    let bytes = tree.read(path).map_err(|error| unreadable(path, &error))?;
    let name = path.to_string_lossy();
    let text = decode(Some(&name), &bytes).map_err(|fault| Arc::from([*fault]))?;
    compile(&SourceFile { path: Some(&name), text, kind: SourceKind::Epp }, &options).map_err(Into::into)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Arc<[Diagnostic]> {
    let message = format!("Could not read {}: {error}", path.display());
    let place = Place { file: Some(path.to_string_lossy().into()), line: None, column: None };
    [Diagnostic::error(message).at(place)].into()
}

/// The unit of a file as another version makes it, which nobody keeps.
///
/// # Errors
/// What that version finds wrong with it. A file that can't be read has no fault: whoever loads it says so.
pub fn checked_as(tree: &Tree, path: &Path, how: (Strict, Compat), in_module: Option<&str>) -> Outcome {
    match tree.read(path) {
        Ok(bytes) => compile_bytes(path, &bytes, how, in_module),
        Err(_) => Err(Arc::default()),
    }
}

/// The unit of a file, as far as the tree's archive has it.
fn archived(tree: &Tree, path: &Path, strict: Strict, in_module: Option<&str>) -> Option<Outcome> {
    let (unit, findings) = tree.archived(path, |opened, entry| {
        // What a manifest may define depends on where the module path has it.
        let is_template = path.extension().is_some_and(|extension| extension == "epp");
        if !is_template && entry.module_at.map(|at| &entry.path[at..]) != in_module {
            return Ok(None);
        }
        let (unit, findings) = code(opened, entry)?;
        Ok(Some((unit.map(|part| SharedWords::Mapped(opened.clone(), part)), findings)))
    })?;
    let found = findings.map(|findings| findings.at(strict, &path.to_string_lossy())).unwrap_or_default();
    match unit {
        Some(words) if found.iter().all(|d| d.severity < Severity::Err) => {
            Some(Ok(Compiled { words, passed: Arc::default(), warnings: found.into() }))
        }
        None if found.is_empty() => None,
        _ => Some(Err(found.into())),
    }
}

/// The unit and the findings that an archive has of a file; neither if it was not compiled.
pub fn code(opened: &OpenArchive, entry: &Entry<'_>) -> Read<(Option<Part>, Option<Findings>)> {
    let archive = opened.archive();
    let (mut unit, mut findings) = (None, None);
    for part in archive.parts(entry)? {
        match part.section {
            Section::Units => {
                archive.part_words(&part)?;
                unit = Some(part);
            }
            Section::Findings => findings = Some(archive.decode(&part)?),
            _ => {}
        }
    }
    Ok((unit, findings))
}

fn compile_bytes(
    path: &Path,
    bytes: &[u8],
    (strict, compat): (Strict, Compat),
    in_module: Option<&str>,
) -> Outcome {
    let name = path.to_string_lossy();
    let kind =
        if path.extension().is_some_and(|e| e == "epp") { SourceKind::Epp } else { SourceKind::Manifest };
    let text = decode(Some(&name), bytes).map_err(|fault| Arc::from([*fault]))?;
    let namespace = in_module.map(namespace_of);
    let location = location(namespace.as_ref());
    compile(&SourceFile { path: Some(&name), text, kind }, &CheckOptions { strict, compat, location })
        .map_err(Into::into)
}

/// What a file may define: in a module what its namespace allows, if it has a place there at all.
pub fn location(namespace: Option<&Option<String>>) -> Location<'_> {
    match namespace {
        None => Location::Free,
        Some(Some(namespace)) => Location::Namespace(namespace),
        Some(None) => Location::Misplaced,
    }
}
