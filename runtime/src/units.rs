//! Source files as units: each is parsed, checked and lowered once and kept for the next compile, until the file
//! changes.

use crate::archive::open::Opened;
use crate::hiera::file::DataFile;
use crate::recent::{self, Recent};
use crate::tree::{Stamp, Tree};
use bumpalo::Bump;
use bunraku_compiler::check::{CheckOptions, Location, Strict, check, namespace_of};
use bunraku_compiler::source::decode;
use bunraku_compiler::{LineIndex, ParseLimits, SourceFile, SourceKind, lower, parse};
use bunraku_vm::archive::reader::Part;
use bunraku_vm::diagnostic::{Diagnostic, Place, Severity};
use bunraku_vm::symbol::Base;
use bunraku_vm::unit::verify::Passed;
use elsa::FrozenVec;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The words of a unit or of a data file, wherever they lie.
#[derive(Clone)]
pub enum Words {
    /// In memory.
    Owned(Arc<[u32]>),
    /// In an archive's map.
    Mapped(Arc<Opened>, Part),
}

impl Words {
    /// The words themselves.
    pub(crate) fn get(&self) -> &[u32] {
        match self {
            Words::Owned(words) => words,
            // Read before: the checksums are known to fit.
            Words::Mapped(opened, part) => opened.archive.part_words(part).unwrap_or_default(),
        }
    }
}

/// The units, data files and names that a compile uses, kept for as long as it does and lent to it where
/// they lie.
#[derive(Default)]
pub struct Kept {
    units: FrozenVec<Box<(Words, Arc<Passed>)>>,
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
    pub words: Words,
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
    Ok(Compiled { words: Words::Owned(words.into()), passed: Arc::default(), warnings: warnings.into() })
}

/// A unit, or what is wrong with its file.
pub type Outcome = Result<Compiled, Arc<[Diagnostic]>>;

/// What a file was like and how it was checked, and what came of it.
type KeptFile = ((Stamp, Strict), Outcome);

/// Units of files, kept between compiles.
pub struct Units {
    files: Mutex<Recent<PathBuf, KeptFile>>,
}

impl Default for Units {
    fn default() -> Self {
        Units { files: Mutex::new(Recent::new(recent::FILES)) }
    }
}

impl Units {
    /// The unit of a file, compiled if it is new or has changed. `in_module` is its path from the module path on
    /// (`apache/manifests/vhost.pp`), for a module's manifests.
    ///
    /// # Errors
    /// What is wrong with it, or that it can't be read.
    pub fn file(&self, tree: &Tree, path: &Path, strict: Strict, in_module: Option<&str>) -> Outcome {
        let unreadable = |error: std::io::Error| -> Arc<[Diagnostic]> {
            let message = format!("Could not read {}: {error}", path.display());
            let place = Place { file: Some(path.to_string_lossy().into()), line: None, column: None };
            [Diagnostic::error(message).at(place)].into()
        };
        // A frozen archive needs nothing kept beside it.
        if tree.is_frozen()
            && let Some(outcome) = tree.unit(path, strict, in_module)
        {
            return outcome;
        }
        let stamp = (tree.stamp(path).map_err(unreadable)?, strict);
        if let Ok(mut files) = self.files.lock()
            && let Some((kept, outcome)) = files.get(path)
            && *kept == stamp
        {
            return outcome.clone();
        }
        let outcome = match tree.unit(path, strict, in_module) {
            Some(outcome) => outcome,
            None => {
                let bytes = tree.read(path).map_err(unreadable)?;
                compile_bytes(path, &bytes, strict, in_module)
            }
        };
        if let Ok(mut files) = self.files.lock() {
            files.insert(path.to_path_buf(), (stamp, outcome.clone()));
        }
        outcome
    }
}

fn compile_bytes(path: &Path, bytes: &[u8], strict: Strict, in_module: Option<&str>) -> Outcome {
    let name = path.to_string_lossy();
    let kind =
        if path.extension().is_some_and(|e| e == "epp") { SourceKind::Epp } else { SourceKind::Manifest };
    let text = decode(Some(&name), bytes).map_err(|fault| Arc::from([*fault]))?;
    let namespace = in_module.map(namespace_of);
    let location = location(namespace.as_ref().map(Option::as_deref));
    compile(&SourceFile { path: Some(&name), text, kind }, &CheckOptions { strict, location })
        .map_err(Into::into)
}

/// What a file may define: in a module what its namespace allows, if it has a place there at all.
pub(crate) fn location<'n>(namespace: Option<Option<&'n str>>) -> Location<'n> {
    match namespace {
        None => Location::Free,
        Some(Some(namespace)) => Location::Namespace(namespace),
        Some(None) => Location::Misplaced,
    }
}
