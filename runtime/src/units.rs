//! Source files as units: each is parsed, checked and lowered once and kept for the next compile, until the file
//! changes.

use bumpalo::Bump;
use bunraku_compiler::check::{CheckOptions, Location, Strict, check, namespace_of};
use bunraku_compiler::source::decode;
use bunraku_compiler::{LineIndex, ParseLimits, SourceFile, SourceKind, lower, parse};
use bunraku_vm::diagnostic::{Diagnostic, Place, Severity};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

/// A compiled file: its words, and what the checks warned of.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The unit; see `bunraku_vm::unit::layout`.
    pub words: Arc<[u32]>,
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
    Ok(Compiled { words: words.into(), warnings: warnings.into() })
}

/// What a kept unit was made from.
#[derive(Clone, PartialEq, Eq)]
struct Stamp {
    size: u64,
    modified: Option<SystemTime>,
    strict: Strict,
}

type Outcome = Result<Compiled, Arc<[Diagnostic]>>;

/// Units of files, kept between compiles.
#[derive(Default)]
pub struct Units {
    files: Mutex<HashMap<PathBuf, (Stamp, Outcome)>>,
}

impl Units {
    /// The unit of a file, compiled if it is new or has changed. `in_module` is its path from the module path on
    /// (`apache/manifests/vhost.pp`), for a module's manifests.
    ///
    /// # Errors
    /// What is wrong with it, or that it can't be read.
    pub fn file(&self, path: &Path, strict: Strict, in_module: Option<&str>) -> Outcome {
        let unreadable = |error: std::io::Error| -> Arc<[Diagnostic]> {
            let message = format!("Could not read {}: {error}", path.display());
            let place = Place { file: Some(path.to_string_lossy().into()), line: None, column: None };
            [Diagnostic::error(message).at(place)].into()
        };
        let metadata = std::fs::metadata(path).map_err(unreadable)?;
        let stamp = Stamp { size: metadata.len(), modified: metadata.modified().ok(), strict };
        if let Ok(files) = self.files.lock()
            && let Some((kept, outcome)) = files.get(path)
            && *kept == stamp
        {
            return outcome.clone();
        }
        let bytes = std::fs::read(path).map_err(unreadable)?;
        let outcome = compile_bytes(path, &bytes, strict, in_module);
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
    let location = match &namespace {
        None => Location::Free,
        Some(Some(namespace)) => Location::Namespace(namespace),
        Some(None) => Location::Misplaced,
    };
    compile(&SourceFile { path: Some(&name), text, kind }, &CheckOptions { strict, location })
        .map_err(Into::into)
}
