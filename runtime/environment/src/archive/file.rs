//! One file of a tree on its way into an archive: what it is by its place, and the parts it is made into.

use super::build::Summary;
use super::literals::{self, Literal};
use super::parts::{self, Made};
use super::readers::Readers;
use super::reads::Reads;
use super::walk::{Found, Kind};
use crate::metadata::Metadata;
use crate::units;
use bunraku_compiler::SourceKind;
use bunraku_compiler::check::namespace_of;
use bunraku_files::archive::{OpenArchive, SELF};
use bunraku_hiera::data_file::cache::{self, WRONG};
use bunraku_hiera::data_file::layout::Item;
use bunraku_hiera::data_file::{DataFault, DataFormat, hocon, layout};
use bunraku_native_ruby::Lowered;
use bunraku_resource_types::{Doubt, Library, ResourceType, Titles};
use bunraku_vm::archive::cold;
use bunraku_vm::archive::layout::Section;
use bunraku_vm::archive::reader::Entry;
use bunraku_vm::archive::writer::{EntrySpec, PartSpec};
use bunraku_vm::compat::Compat;
use bunraku_vm::diagnostic::{Diagnostic, Severity};
use bunraku_vm::regex;
use bunraku_vm::unit::DefKind;
use bunraku_vm::unit::reader::Unit;
use std::path::Path;

/// Folders whose files are handed out, not read as data.
pub(super) fn is_asset(folder: &str) -> bool {
    matches!(folder, "files" | "templates" | "lib" | "spec" | "tasks" | "plans" | "locales" | "examples")
        || folder.starts_with('.')
}

/// What a file is made into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum What {
    Manifest,
    Template,
    Erb,
    /// A file of Ruby that functions are in, or that these may load.
    Ruby,
    Data(DataFormat),
    Metadata,
    Type,
    #[default]
    Other,
}

/// A file that is being made.
#[derive(Default)]
pub(super) struct File {
    pub entry: EntrySpec,
    pub what: What,
    /// Whether its parts were taken from the archive before.
    pub kept: bool,
    /// Whether it is a private key, whose content goes nowhere.
    pub is_key: bool,
    /// Whether it is too large for its content to be in an archive.
    pub is_large: bool,
    /// Who may read it.
    pub readers: Readers,
    /// Errors at the default level of `strict`.
    pub errors: Vec<Diagnostic>,
    /// The texts in it that something is made of.
    pub literals: Vec<Literal>,
    /// Templates of ERB that its code gives as text, each with its line.
    pub inline: Vec<(u32, String)>,
}

impl File {
    /// Takes what an archive has of the file, if it is the same file.
    pub fn take(&mut self, before: &OpenArchive, old: &Entry<'_>, library: &dyn Library) -> Option<()> {
        if old.hash != self.entry.hash || old.module_at != self.entry.module_at {
            return None;
        }
        let mut parts = Vec::new();
        for part in before.archive().parts(old).ok()? {
            if part.section != Section::Texts {
                let bytes = before.archive().part_bytes(&part).ok()?.to_vec();
                parts.push(PartSpec { section: part.section, variant: part.variant, bytes });
            }
        }
        // It may have been something else then: what the main manifest is can change.
        let has = |section| parts.iter().any(|part| part.section == section);
        let fits = match self.what {
            What::Manifest | What::Template => has(Section::Units) || has(Section::Findings),
            What::Data(_) => has(Section::Data),
            What::Metadata => has(Section::Metadata),
            What::Erb | What::Ruby => has(Section::Templates),
            // What else the type was made of is not known to be the same.
            What::Type => before
                .archive()
                .part_in(old, Section::Types)
                .ok()
                .flatten()
                .and_then(|part| before.archive().decode::<ResourceType>(&part).ok())
                .is_some_and(|ty| {
                    let is_alone = ty.requires.is_empty() && ty.providers.is_empty();
                    is_alone && library.providers(&ty.name).is_empty()
                }),
            What::Other => parts.is_empty(),
        };
        if !fits {
            return None;
        }
        let (_, findings) = units::code(before, old).ok()?;
        self.findings(&findings.unwrap_or_default());
        self.entry.parts = parts;
        Some(())
    }

    fn part(&mut self, section: Section, variant: u32, bytes: Option<Vec<u8>>) {
        self.entry.parts.extend(bytes.map(|bytes| PartSpec { section, variant, bytes }));
    }

    fn findings(&mut self, findings: &parts::Findings) {
        let mut found = findings.at(bunraku_compiler::check::Strict::default(), SELF);
        found.retain(|diagnostic| diagnostic.severity >= Severity::Err);
        self.errors = found;
    }

    /// Makes the parts, by the rules of a version of the language. `library` is what the file of a type would be loaded with.
    pub fn make(&mut self, bytes: &[u8], compat: Compat, library: &dyn Library) {
        match self.what {
            What::Manifest | What::Template => {
                let made = self.compile(bytes, compat);
                self.findings(&made.findings);
                self.part(Section::Units, 0, made.unit.map(|words| bytemuck::cast_slice(&words).to_vec()));
                let found = (!made.findings.is_empty()).then(|| cold::encode(&made.findings)).flatten();
                self.part(Section::Findings, 0, found);
            }
            What::Data(format) => {
                let kind = format.variant();
                if format == DataFormat::Hocon && !std::str::from_utf8(bytes).is_ok_and(hocon::is_portable) {
                    return;
                }
                match cache::parse(Path::new(SELF), bytes, format) {
                    Ok(value) => {
                        let words = layout::encode(&value);
                        self.part(
                            Section::Data,
                            kind,
                            words.map(|words| bytemuck::cast_slice(&words).to_vec()),
                        );
                    }
                    Err(what) => {
                        // Not every `.conf` means to be HOCON.
                        if format != DataFormat::Hocon {
                            let fault = DataFault::Unparsable(what.clone());
                            self.errors.push(Diagnostic::error(fault.to_string()));
                        }
                        self.part(Section::Data, kind | WRONG, Some(what.into_bytes()));
                    }
                }
            }
            What::Erb => self.part(Section::Templates, Lowered::TEMPLATE, Lowered::new(bytes).encode()),
            What::Ruby => self.part(Section::Templates, Lowered::RUBY, Lowered::of_ruby(bytes).encode()),
            What::Metadata => self.part(Section::Metadata, 0, cold::encode(&Metadata::of(bytes, compat))),
            What::Type => {
                let stem = Path::new(&self.entry.path).file_stem().unwrap_or_default().to_string_lossy();
                let declared =
                    bunraku_resource_types::of_file(Path::new(&self.entry.path), &stem, bytes, library);
                self.part(Section::Types, 0, cold::encode(&declared));
            }
            What::Other => {}
        }
    }

    fn compile(&self, bytes: &[u8], compat: Compat) -> Made {
        if self.what == What::Template {
            return parts::compile(bytes, SourceKind::Epp, units::location(None), compat);
        }
        let in_module = self.entry.module_at.map(|at| &self.entry.path[at..]);
        let namespace = in_module.map(namespace_of);
        let location = units::location(namespace.as_ref());
        parts::compile(bytes, SourceKind::Manifest, location, compat)
    }

    /// Reads from the parts what is found by name in an archive.
    pub fn index(&mut self) {
        let Some(part) = self.entry.parts.first() else { return };
        let words = || bytemuck::pod_collect_to_vec::<u8, u32>(&part.bytes);
        match part.section {
            Section::Units => self.index_unit(&words()),
            Section::Data if part.variant & WRONG == 0 => {
                self.literals = expressions(expressions_of_data(&words()));
            }
            Section::Types => self.literals = expressions(expressions_of_type(&part.bytes)),
            _ => {}
        }
    }

    fn index_unit(&mut self, words: &[u32]) {
        let Ok(unit) = Unit::open(words) else { return };
        for number in 0..unit.defs() {
            if let Ok(def) = unit.def(number)
                && def.kind != DefKind::Node
            {
                let name = def.name.to_lowercase();
                self.entry.definitions.push((name, def.kind as u32, def.line, number));
            }
        }
        (self.literals, self.inline) = literals::of_unit(&unit);
    }

    /// Why the ERB template, the file of Ruby or the type that it is needs Ruby, first; none where it does not.
    pub fn needs_ruby(&self) -> Option<String> {
        self.entry.parts.iter().find_map(|part| match part.section {
            Section::Templates => Lowered::decode(&part.bytes)?.reasons().first().map(ToString::to_string),
            Section::Types => {
                let ty = cold::decode::<ResourceType>(&part.bytes)?;
                if ty.is_absent() {
                    return None;
                }
                ty.unreadable.or_else(|| ty.doubts.first().map(Doubt::reason))
            }
            _ => None,
        })
    }

    pub fn count(&self, summary: &mut Summary, found: &Found, reads: &Reads) {
        if found.kind != Kind::File {
            return;
        }
        summary.files += 1;
        summary.bytes += self.entry.size;
        summary.data += usize::from(matches!(self.what, What::Data(_)));
        if matches!(self.what, What::Manifest | What::Template) {
            summary.code_bytes += self.entry.size;
            summary.kept += usize::from(self.kept);
            summary.compiled += usize::from(!self.kept);
            summary.units += usize::from(self.entry.parts.iter().any(|part| part.section == Section::Units));
        }
        if !self.errors.is_empty() && matches!(self.what, What::Data(_)) && !reads.may_read(&found.name) {
            summary.unread.push(found.path.clone());
        } else if !self.errors.is_empty() {
            let path = found.path.to_string_lossy();
            let named = self.errors.iter().map(|diagnostic| {
                let mut diagnostic = diagnostic.clone();
                diagnostic.message = diagnostic.message.replace(SELF, &path);
                diagnostic.place.file = diagnostic.place.file.map(|_| path.as_ref().into());
                diagnostic
            });
            summary.errors.push((found.path.clone(), named.collect()));
        }
    }
}

fn expressions(sources: Vec<String>) -> Vec<Literal> {
    sources.into_iter().map(|source| (source, Section::Automata)).collect()
}

/// What titles of a resource type are matched with.
fn expressions_of_type(bytes: &[u8]) -> Vec<String> {
    match cold::decode::<ResourceType>(bytes).map(|ty| ty.titles) {
        Some(Titles::Patterns(patterns)) => patterns.into_iter().map(|pattern| pattern.regex).collect(),
        _ => Vec::new(),
    }
}

/// Texts in data that may be regular expressions, as the keys of `lookup_options` are.
fn expressions_of_data(mut words: &[u32]) -> Vec<String> {
    let items = std::iter::from_fn(|| layout::item(&mut words));
    let texts = items.filter_map(|item| match item {
        Item::Text(text) => text.get(),
        _ => None,
    });
    texts.filter(|text| regex::is_like_one(text)).map(str::to_owned).collect()
}
