//! Checking files without running them: syntax and static errors, with the verdict of `puppet parser validate` and
//! `puppet epp validate`.

use crate::placement::Placement;
use crate::relative::DefinedNames;
use crate::{taken, units};
use bumpalo::Bump;
use bunraku_compiler::check::{CheckOptions, Strict, check};
use bunraku_compiler::source::decode;
use bunraku_compiler::{ParseLimits, SourceFile, SourceKind, parse};
use bunraku_files::read;
use bunraku_files::tree::Tree;
use bunraku_resource_types::{Folders, ResourceTypes};
use bunraku_vm::compat::Compat;
use bunraku_vm::diagnostic::{Diagnostic, Place, Severity};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{DirEntry, FileType};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a checked file came to.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// What was found, in order.
    pub diagnostics: Vec<Diagnostic>,
    /// Size of the text in bytes.
    pub bytes: usize,
}

impl Checked {
    /// How many errors there are.
    pub fn errors(&self) -> usize {
        self.diagnostics.iter().filter(|d| d.severity >= Severity::Err).count()
    }
}

/// How files are checked.
#[derive(Default)]
pub struct How {
    /// Puppet's setting `strict`.
    pub strict: Strict,
    /// The version of the language.
    pub compat: Compat,
    /// Warn of names that Puppet 3 would have resolved otherwise, by what is known here.
    pub relative: Option<DefinedNames>,
    /// Tell further syntax errors of a manifest, too; Puppet stops at the first.
    pub further: bool,
    /// Where modules lie; without it, files may define what they like.
    pub placement: Option<Placement>,
}

/// More syntax errors of a file than this help nobody.
const MOST_ERRORS: usize = 20;

/// Checks a file that the user has named or a walk has found. One that ends in `.epp` is a template, every other one a manifest.
pub fn file(path: &Path, how: &How) -> Checked {
    match read::given(path, read::MAX_FILE) {
        Ok(bytes) => content_of(Some(path), &bytes, how),
        Err(error) => Checked { diagnostics: vec![unreadable(path, &error)], bytes: 0 },
    }
}

/// Checks what stands in for a file: an editor has it, and may not have saved it. Without a path it is a manifest.
pub fn content_of(path: Option<&Path>, bytes: &[u8], how: &How) -> Checked {
    let name = path.map(Path::to_string_lossy);
    let kind = path.map(kind).unwrap_or_default();
    let found = match decode(name.as_deref(), bytes) {
        Ok(text) => source(&SourceFile { path: name.as_deref(), text, kind }, how),
        Err(fault) => vec![*fault],
    };
    let located = found.into_iter().map(|one| located(one, name.as_deref()));
    Checked { diagnostics: located.collect(), bytes: bytes.len() }
}

/// What was found, with its file and line where Puppet's message has none: who checks a tree wants to know of which file it is
/// told, and editors and forges show nothing that has no line.
fn located(mut found: Diagnostic, file: Option<&str>) -> Diagnostic {
    if found.place.file.is_none() {
        found.place.file = file.map(Arc::from);
    }
    if let (None, Some((line, column))) = (found.place.line, found.unnamed) {
        found.place.line = Some(line);
        found.place.column = column;
    }
    found
}

fn kind(path: &Path) -> SourceKind {
    if path.extension().is_some_and(|e| e == "epp") { SourceKind::Epp } else { SourceKind::Manifest }
}

/// Checks a text.
pub fn source(source: &SourceFile<'_>, how: &How) -> Vec<Diagnostic> {
    let arena = Bump::new();
    let mut limits = ParseLimits::default();
    if how.further {
        limits.errors = MOST_ERRORS;
    }
    match parse(&arena, source, &limits) {
        Ok(parsed) => {
            let namespace = source.path.and_then(|path| how.placement.as_ref()?.namespace(Path::new(path)));
            let location = units::location(namespace.as_ref());
            let options = CheckOptions { strict: how.strict, compat: how.compat, location };
            let mut found = parsed.warnings;
            for fault in check(&parsed.program, source, &options) {
                // What a single error of a text in the text says is in the error of this one.
                if fault.inner.iter().filter(|inner| inner.severity >= Severity::Err).count() > 1 {
                    found.extend(fault.inner.iter().cloned());
                }
                found.push(fault);
            }
            // Puppet takes the definitions in once nothing else is wrong with the manifest.
            if source.kind == SourceKind::Manifest && found.iter().all(|one| one.severity < Severity::Err) {
                found.extend(taken::faults(&parsed.program, source, how.compat));
            }
            if let Some(known) = &how.relative {
                found.extend(known.warnings(&parsed.program, source));
            }
            found
        }
        Err(found) => found,
    }
}

/// The files to check under some paths.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Files named, and those under the folders named that end in `.pp` or `.epp` and are not hidden; sorted within each folder.
    pub files: Vec<PathBuf>,
    /// How many other files lie in those folders.
    pub others: usize,
    /// Folders that were left out, for no compile parses what lies in them.
    pub left_out: Vec<PathBuf>,
    /// Folders and links that could not be read.
    pub faults: Vec<Diagnostic>,
    /// Whether what no compile parses is left out.
    compiled: bool,
    /// Whether it is, too, of files that are named.
    of_named: bool,
}

/// Folders of a module or an environment with files whose names end as those of manifests do: what agents download, where policies
/// of SELinux are called so, and plans, which are Bolt's and have a grammar of their own.
const NOT_COMPILED: &[&str] = &["files", "plans"];

impl Sources {
    /// Walks `paths`, each a file or a folder. Links are followed, save those to nothing; no folder is walked twice.
    pub fn find(paths: &[PathBuf]) -> Sources {
        Sources::default().found(paths)
    }

    /// The same, but for folders of modules and environments that no compile parses, unless they are named: `files` and `plans`.
    pub fn find_compiled(paths: &[PathBuf]) -> Sources {
        Sources { compiled: true, ..Sources::default() }.found(paths)
    }

    /// The same, and of files that are named those below such folders of the working folder are left out, too.
    pub fn find_compiled_of_named(paths: &[PathBuf]) -> Sources {
        Sources { compiled: true, of_named: true, ..Sources::default() }.found(paths)
    }

    fn found(mut self, paths: &[PathBuf]) -> Sources {
        let mut seen = HashSet::new();
        for path in paths {
            if path.is_dir() {
                self.walk_link(path, &mut seen);
            } else if self.of_named && self.would_leave_out(path) {
                self.left_out.push(path.clone());
            } else {
                self.files.push(path.clone());
            }
        }
        self
    }

    /// Whether the working folder, walked, would leave out a file in it. What lies elsewhere is not looked at: whose folder that is,
    /// nobody says.
    fn would_leave_out(&self, file: &Path) -> bool {
        let here = std::env::current_dir().unwrap_or_default();
        let file = file.strip_prefix(&here).unwrap_or(file);
        let folders = file.ancestors().skip(1).filter(|_| file.is_relative());
        folders.into_iter().any(|folder| {
            let (Some(within), Some(name)) = (folder.parent(), folder.file_name()) else { return false };
            let within = if within.as_os_str().is_empty() { Path::new(".") } else { within };
            within.canonicalize().is_ok_and(|real| self.leaves_out(within, &real, name))
        })
    }

    /// Whether a folder in the folder `within`, whose path without links is `real`, is left out. A module may be called as these
    /// are, and so may a namespace of its manifests.
    fn leaves_out(&self, within: &Path, real: &Path, name: &OsStr) -> bool {
        self.compiled
            && NOT_COMPILED.iter().any(|known| name == *known)
            && real.components().all(|part| part.as_os_str() != "manifests")
            && !within.join(name).join("manifests").is_dir()
    }

    /// Walks a folder that may be reached through links.
    fn walk_link(&mut self, folder: &Path, seen: &mut HashSet<OsString>) {
        match folder.canonicalize() {
            Ok(real) => self.walk(folder, real, seen),
            Err(error) => self.faults.push(unreadable(folder, &error)),
        }
    }

    /// Walks a folder; `real` is its path without links.
    fn walk(&mut self, folder: &Path, real: PathBuf, seen: &mut HashSet<OsString>) {
        // As a text, which is hashed in one piece.
        if !seen.insert(real.clone().into_os_string()) {
            return;
        }
        let named = |entry: DirEntry| Ok((entry.file_name(), entry.file_type()?));
        let entries = std::fs::read_dir(folder).and_then(|all| all.map(|entry| named(entry?)).collect());
        let mut entries: Vec<(OsString, FileType)> = match entries {
            Ok(entries) => entries,
            Err(error) => return self.faults.push(unreadable(folder, &error)),
        };
        // What is hidden no compile reads, nor does Puppet check it.
        entries.retain(|(name, _)| !name.as_encoded_bytes().starts_with(b"."));
        entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        for (name, of_type) in entries {
            let path = folder.join(&name);
            if !of_type.is_file() && self.leaves_out(folder, &real, &name) {
                self.left_out.push(path);
                continue;
            }
            if of_type.is_dir() {
                self.walk(&path, real.join(&name), seen);
                continue;
            }
            let is_source = path.extension().is_some_and(|e| e == "pp" || e == "epp");
            if of_type.is_file() {
                if is_source {
                    self.files.push(path)
                } else {
                    self.others += 1
                }
                continue;
            }
            match std::fs::metadata(&path) {
                Ok(target) if target.is_dir() => self.walk_link(&path, seen),
                Ok(target) if is_source => match read::check(&target, u64::MAX) {
                    Ok(()) => self.files.push(path),
                    Err(error) => self.faults.push(unreadable(&path, &error)),
                },
                Ok(_) => self.others += 1,
                // For Puppet, too, there is nothing where a link leads to nothing: private data, say, that is not here.
                Err(error) if error.kind() == ErrorKind::NotFound && !is_source => self.others += 1,
                Err(error) => self.faults.push(unreadable(&path, &error)),
            }
        }
    }
}

/// The resource types below some folders whose Ruby source can't be read for their parameters, each a warning that
/// says why. A folder of types is one called `lib/puppet/type`, of a module or an environment.
pub fn unreadable_types(paths: &[PathBuf]) -> Vec<Diagnostic> {
    let mut modules = Vec::new();
    let mut seen = HashSet::new();
    let mut pending = paths.to_vec();
    while let Some(folder) = pending.pop() {
        if !folder.canonicalize().is_ok_and(|real| seen.insert(real)) {
            continue;
        }
        if folder.join("lib/puppet/type").is_dir() {
            modules.push(folder.clone());
        }
        let folders = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        pending.extend(folders.filter(|path| path.is_dir()));
    }
    modules.sort();
    let mut types = ResourceTypes::default();
    let library = bunraku_native_ruby::is_library_file;
    types.find_more(Folders::new(
        Arc::new(Tree::default()),
        None,
        Box::new(move || modules.clone()),
        library,
    ));
    let warning = |name: &str| {
        let ty = types.named(name)?;
        let message = match (&ty.failure, &ty.unreadable) {
            (Some(failure), _) => failure.messages.last()?.clone(),
            (None, Some(why)) if ty.is_absent() => format!("There is no resource type {name}: {why}"),
            (None, Some(why)) => format!("Resource type {name} takes any parameter here: {why}"),
            (None, None) => return None,
        };
        let file = types.file(name).map(|file| file.to_string_lossy().into());
        let mut found = Diagnostic::error(message).at(Place { file, line: None, column: None });
        found.severity = Severity::Warning;
        Some(found)
    };
    types.of_modules().into_iter().filter_map(warning).collect()
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    let place = Place { file: Some(path.to_string_lossy().into()), line: None, column: None };
    Diagnostic::error(format!("Could not read {}: {error}", path.display())).at(place)
}
