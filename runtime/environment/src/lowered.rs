//! The sources of a tree's code, and which instruction of its unit each expression begins with: for whoever tells of sources what has
//! been run. Sources are lowered again for it, as they are now; a unit that was made of another text has another fingerprint.

use crate::snapshot::Snapshot;
use crate::units::location;
use bumpalo::Bump;
use bunraku_compiler::check::{CheckOptions, Strict, check, namespace_of};
use bunraku_compiler::lower::{Points, lower_with_points};
use bunraku_compiler::source::decode;
use bunraku_compiler::{LineIndex, ParseLimits, SourceFile, SourceKind, parse};
use bunraku_vm::diagnostic::{Diagnostic, Severity};
use bunraku_vm::unit::reader::Unit;
use std::path::{Path, PathBuf};

/// A file of code.
#[derive(Debug)]
pub struct LoweredFile {
    /// The file on the disk, as units are called.
    pub file: PathBuf,
    /// The module it is in, where it is in one.
    pub module: Option<String>,
    /// Whether it is a template.
    pub is_template: bool,
    /// Its text, and what is in its unit; or what is wrong with it.
    pub source: Result<Lowered, String>,
}

/// What is known of a source.
#[derive(Debug)]
pub struct Lowered {
    /// The text.
    pub text: String,
    /// Where its lines begin.
    pub lines: LineIndex,
    /// What is where in its unit.
    pub points: Points,
    /// The unit's, as [`bunraku_vm::coverage::RanUnit`] has it.
    pub fingerprint: u64,
    /// Words of the code of its unit.
    pub words: usize,
}

/// The manifests and EPP templates of an environment: those of its modules and its own, in the order of their names.
///
/// # Errors
/// When a folder or archive can't be listed.
pub fn lowered_files(snapshot: &Snapshot, strict: Strict) -> Result<Vec<LoweredFile>, String> {
    let manifests = snapshot.manifest_files();
    let mut files: Vec<PathBuf> =
        crate::changes::listed_files(snapshot)?.into_iter().map(|(_, path)| path).collect();
    files.extend(manifests.iter().cloned());
    files.sort();
    files.dedup();
    Ok(files
        .into_iter()
        .filter_map(|file| {
            let placed = snapshot.modules.place(&file);
            let in_module = placed.as_ref().map(|(place, _)| place.clone());
            let inside = match &in_module {
                Some(place) => place.split_once('/')?.1.to_owned(),
                None => file
                    .strip_prefix(snapshot.directory.as_deref()?)
                    .ok()
                    .and_then(Path::to_str)
                    .unwrap_or_default()
                    .to_owned(),
            };
            let is_main = manifests.contains(&file);
            let is_template = inside.ends_with(".epp") && inside.starts_with("templates/");
            let below = |folder: &str| inside.starts_with(folder);
            let is_code = inside.ends_with(".pp")
                && (is_main
                    || below("functions/")
                    || below("types/")
                    || (below("manifests/") && placed.is_some()));
            (is_code || is_template).then(|| LoweredFile {
                module: placed.map(|(_, module)| module.name.clone()),
                source: lowered((snapshot, strict), &file, is_template, in_module.as_deref()),
                is_template,
                file,
            })
        })
        .collect())
}

fn lowered(
    (snapshot, strict): (&Snapshot, Strict),
    file: &Path,
    is_template: bool,
    in_module: Option<&str>,
) -> Result<Lowered, String> {
    let name = file.to_string_lossy();
    let bytes = snapshot.tree().read(file).map_err(|error| format!("Could not read {name}: {error}"))?;
    let told = |fault: &Diagnostic| fault.to_string();
    let text = decode(Some(&name), &bytes).map_err(|fault| told(&fault))?;
    let kind = if is_template { SourceKind::Epp } else { SourceKind::Manifest };
    let source = SourceFile { path: Some(&name), text, kind };
    let arena = Bump::new();
    let parsed = parse(&arena, &source, &ParseLimits::default());
    let parsed = parsed.map_err(|faults| faults.first().map_or_else(String::new, told))?;
    let namespace = in_module.filter(|_| !is_template).map(namespace_of);
    let location = location(namespace.as_ref());
    let options = CheckOptions { strict, compat: snapshot.compat, location };
    let faults = check(&parsed.program, &source, &options);
    if let Some(fault) = faults.iter().find(|fault| fault.severity >= Severity::Err) {
        return Err(told(fault));
    }
    let lines = LineIndex::new(text);
    let (words, points) =
        lower_with_points(&parsed.program, text, &lines, Some(&name)).map_err(|fault| told(&fault))?;
    let unit = Unit::open(&words).map_err(|fault| fault.to_string())?;
    let (fingerprint, words) = (unit.fingerprint(), unit.code().len());
    Ok(Lowered { text: text.to_owned(), lines, points, fingerprint, words })
}
