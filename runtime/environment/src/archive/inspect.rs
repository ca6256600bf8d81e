//! Shows what an archive holds: sections, files, definitions, what refers to what; a unit beside its source.

use crate::metadata::Metadata;
use bunraku_files::archive::OpenArchive;
use bunraku_files::read;
use bunraku_native_ruby::Lowered;
use bunraku_stdlib::module::Api;
use bunraku_vm::archive::layout::Section;
use bunraku_vm::archive::reader::{Archive, Entry};
use bunraku_vm::archive::{ArchiveFault, Read};
use bunraku_vm::unit::disassemble;
use bunraku_vm::unit::reader::Unit;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What an archive holds.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Bytes in all.
    pub bytes: usize,
    /// Whether it is of an environment.
    pub environment: bool,
    /// How many folders of a module path lie beside it.
    pub folders: usize,
    /// Whether all files' contents are in it.
    pub embedded: bool,
    /// The version of the language that it was built for.
    pub compat: u8,
    /// Sections in file order.
    pub sections: Vec<SectionReport>,
    /// How many files and folders there are.
    pub entries: u32,
    /// Files with a unit, data or errors.
    pub files: Vec<FileReport>,
    /// Modules and the modules they list as dependencies; none where they list none at all.
    pub modules: BTreeMap<String, Option<Vec<String>>>,
}

/// A section.
#[derive(Debug, Serialize)]
pub struct SectionReport {
    /// Name.
    pub name: String,
    /// What it holds.
    pub holds: &'static str,
    /// Bytes.
    pub bytes: usize,
}

/// A file.
#[derive(Debug, Serialize)]
pub struct FileReport {
    /// Path in the archive.
    pub path: String,
    /// Size of the source.
    pub source_bytes: u64,
    /// What it was made into: section and bytes.
    pub parts: Vec<(String, usize)>,
    /// What it defines: kind and name.
    pub defines: Vec<(&'static str, String)>,
    /// Definitions of the archive that its code names: in calls, types or texts.
    pub refers_to: BTreeSet<String>,
}

/// Names of the kinds of definitions.
const KINDS: [&str; 7] =
    ["class", "defined type", "function", "type alias", "node", "object type", "type set"];

/// A report of all that is in an archive.
///
/// # Errors
/// What is wrong with the archive.
pub fn inspect(opened: &OpenArchive) -> Result<Report, String> {
    report(opened).map_err(|fault| opened.explain(&fault))
}

fn report(opened: &OpenArchive) -> Read<Report> {
    let archive = &opened.archive();
    let section = |section: Section| SectionReport {
        name: section.to_string(),
        holds: section.about().1,
        bytes: archive.section_size(section),
    };
    let mut defined: BTreeMap<u32, Vec<(&'static str, String)>> = BTreeMap::new();
    let mut names = BTreeSet::new();
    for number in 0..archive.definitions() {
        let definition = archive.definition(number)?;
        let kind = KINDS.get(definition.kind as usize).copied().unwrap_or("unknown");
        names.insert(definition.name);
        defined.entry(definition.entry).or_default().push((kind, definition.name.to_owned()));
    }
    let (mut files, mut modules) = (Vec::new(), BTreeMap::new());
    for number in 0..archive.entries() {
        let entry = archive.entry(number)?;
        let parts = archive.parts(&entry)?;
        let mut refers_to = BTreeSet::new();
        for part in &parts {
            match part.section {
                Section::Units => {
                    if let Ok(unit) = Unit::open(archive.part_words(part)?) {
                        refers_to = references(&unit, &names);
                    }
                }
                Section::Metadata => {
                    let module = entry.module_at.and_then(|at| entry.path[at..].split('/').next());
                    modules.insert(
                        module.unwrap_or_default().to_owned(),
                        archive.decode::<Metadata>(part)?.dependencies,
                    );
                }
                _ => {}
            }
        }
        let defines = defined.remove(&number).unwrap_or_default();
        defines.iter().for_each(|(_, name)| _ = refers_to.remove(name));
        let shown = parts.iter().any(|part| part.section != Section::Texts);
        if shown {
            files.push(FileReport {
                path: entry.path.to_owned(),
                source_bytes: entry.size,
                parts: parts.iter().map(|part| (part.section.to_string(), part.len())).collect(),
                defines,
                refers_to,
            });
        }
    }
    Ok(Report {
        bytes: archive.size(),
        environment: opened.info.environment,
        folders: opened.info.folders.len(),
        embedded: opened.info.embedded,
        compat: opened.info.compat,
        sections: Section::ALL.into_iter().map(section).collect(),
        entries: archive.entries(),
        files,
        modules,
    })
}

/// Definitions that a unit names. What it only computes at run time can't be seen.
fn references(unit: &Unit<'_>, known: &BTreeSet<&str>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut see = |text: &str| {
        let name = text.trim_start_matches("::").to_lowercase();
        if known.contains(name.as_str()) {
            found.insert(name);
        }
    };
    (0..unit.names()).filter_map(|n| unit.name(n).ok()).for_each(&mut see);
    unit.texts().for_each(&mut see);
    for number in 0..unit.defs() {
        unit.def(number).ok().and_then(|def| def.parent).into_iter().for_each(&mut see);
    }
    found
}

/// A file's code as text, and its source where it is known.
#[derive(Debug, Serialize)]
pub struct Listing {
    /// Path in the archive.
    pub path: String,
    /// The source: embedded, or found below one of the folders given with the same content.
    pub source: Option<String>,
    /// The instructions of a unit; the tree of an ERB template or a file of Ruby.
    pub disassembly: String,
}

/// The code that a name means: the unit of a definition, the file of a function in Ruby, or what is at a path in the
/// archive: a unit, or the tree of an ERB template or a file of Ruby. Sources that are not embedded are
/// looked for below `folders`, which stand for the archive's roots in order.
///
/// # Errors
/// What is wrong with the archive; that it has nothing of that name.
pub fn list(opened: &OpenArchive, name: &str, folders: &[&Path]) -> Result<Vec<Listing>, String> {
    let archive = &opened.archive();
    let explain = |fault: ArchiveFault| opened.explain(&fault);
    let defined = archive.defined(&name.trim_start_matches("::").to_lowercase()).map_err(explain)?;
    let mut numbers: BTreeSet<u32> = defined.iter().map(|definition| definition.entry).collect();
    numbers.extend(archive.find(name).map_err(explain)?.map(|entry| entry.number));
    numbers.extend(in_ruby(archive, name).map_err(explain)?);
    let mut listings = Vec::new();
    for number in numbers {
        let entry = archive.entry(number).map_err(explain)?;
        let fault =
            |fault: &dyn std::fmt::Display| format!("{} in {}: {fault}", entry.path, opened.path.display());
        let disassembly = if let Some(part) = archive.part_in(&entry, Section::Units).map_err(explain)? {
            let words = archive.part_words(&part).map_err(explain)?;
            let text = Unit::open(words).and_then(|unit| disassemble::unit(&unit));
            text.map_err(|why| fault(&why))?
        } else if let Some(part) = archive.part_in(&entry, Section::Templates).map_err(explain)? {
            let lowered = Lowered::decode(archive.part_bytes(&part).map_err(explain)?);
            lowered.ok_or_else(|| fault(&ArchiveFault::Cold(Section::Templates)))?.shown()
        } else {
            continue;
        };
        let source = source(archive, &entry, &roots(opened), folders).map_err(explain)?;
        listings.push(Listing { path: entry.path.to_owned(), source, disassembly });
    }
    match listings.is_empty() {
        true => Err(format!("Archive {} has no unit of the name '{name}'", opened.path.display())),
        false => Ok(listings),
    }
}

/// The files of a function in Ruby.
fn in_ruby(archive: &Archive, name: &str) -> Read<Vec<u32>> {
    let below = name.trim_start_matches("::").replace("::", "/");
    let ends: Vec<String> =
        [Api::New, Api::Old].iter().map(|api| format!("/{}/{below}.rb", api.folder())).collect();
    let mut found = Vec::new();
    for number in 0..archive.entries() {
        let entry = archive.entry(number)?;
        if ends.iter().any(|end| entry.path.ends_with(end)) {
            found.push(number);
        }
    }
    Ok(found)
}

/// Names of the roots, as `bunraku_files::tree` gives them.
fn roots(opened: &OpenArchive) -> Vec<String> {
    let folders = (0..opened.info.folders.len()).map(|n| format!("m{n}"));
    opened.info.environment.then(|| "e".to_owned()).into_iter().chain(folders).collect()
}

fn source(archive: &Archive, entry: &Entry<'_>, roots: &[String], folders: &[&Path]) -> Read<Option<String>> {
    use sha2::{Digest, Sha256};
    if let Some(part) = archive.part_in(entry, Section::Texts)? {
        return Ok(Some(String::from_utf8_lossy(archive.part_bytes(&part)?).into_owned()));
    }
    let (root, below) = entry.path.split_once('/').unwrap_or_default();
    let folder = roots.iter().position(|name| name == root).and_then(|n| folders.get(n));
    let bytes = folder.and_then(|folder| read::regular(&folder.join(below), entry.size).ok());
    let same = bytes.filter(|bytes| Sha256::digest(bytes)[..] == entry.hash);
    Ok(same.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}
