//! The entries of a hierarchy as variables stand: which function each names, with which options, and what it looks at.

use super::location::Location;
use super::{Config, FUNCTIONS_OF_ENTRIES, HierarchyName, LOCATIONS, has_word, text_at, version3};
use crate::data_file::decode::may_interpolate;
use crate::fault::{issue, lookup_error};
use crate::hierarchy::entry::{BackendKind, HierarchyEntry};
use crate::interpolate::Functions;
use crate::invocation::{InterpolatedInto, Invocation};
use crate::state::Lookups;
use bunraku_files::glob::glob;
use bunraku_files::paths::{left, plus};
use bunraku_files::reads::{self, PathQuestion};
use bunraku_vm::cause::Cause;
use bunraku_vm::error::{Eval, Flow, Stage};
use bunraku_vm::host::Change;
use bunraku_vm::value::{Hash, HashBuilder, Value};
use bunraku_vm::vm::Vm;
use std::path::{Path, PathBuf};

/// What an entry names: its function, and what version 4 puts behind its paths.
struct NamedFunction<'c> {
    kind: BackendKind,
    name: &'c str,
    extension: Option<&'static str>,
}

/// What an entry looks at, as it is written.
struct WrittenLocations<'c> {
    /// Under which key.
    key: &'static str,
    texts: Vec<&'c str>,
    /// The folder that paths are relative to, variables resolved.
    datadir: PathBuf,
    /// What version 4 puts behind paths that don't end so.
    extension: Option<&'static str>,
}

impl<'c> Lookups<'_, 'c> {
    /// The entries of a hierarchy as the variables stand now.
    ///
    /// # Errors
    /// Those of the configuration, with its file and a line of it; those of variables.
    pub(crate) fn resolve_entries(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        config: &Config<'c>,
        hierarchy: HierarchyName,
    ) -> Eval<'c, Vec<HierarchyEntry<'c>>> {
        if config.version == version3::VERSION {
            let entries = self.resolve_version_3(vm, inv, config);
            return entries.map_err(|flow| undefined_in_config(config, flow));
        }
        let mut entries: Vec<HierarchyEntry<'c>> = Vec::new();
        for entry in config.hierarchy(hierarchy.key()) {
            let name = text_at(entry, "name").unwrap_or_default();
            if entries.iter().any(|other| other.name == name) {
                let fits = |line: &str| {
                    line.split_once("name:")
                        .is_some_and(|(_, rest)| rest.trim().trim_matches(['\'', '"']) == name)
                };
                let first = config.line(0, fits);
                let second = first.and_then(|first| config.line(first, fits));
                let mut message = format!("Hierarchy name '{name}' defined more than once.");
                if let (Some(first), Some(_)) = (first, second) {
                    message.push_str(&format!(" First defined at (line: {first})"));
                }
                return Err(config.fail("HIERA_HIERARCHY_NAME_MULTIPLY_DEFINED", message, second.or(first)));
            }
            let before = self.around.enter_file(config.path.as_deref());
            let resolved = self.resolve_entry(vm, inv, config, entry);
            self.around.enter_file(before.as_deref());
            let resolved = resolved.map_err(|flow| undefined_in_config(config, flow))?;
            entries.extend(resolved);
        }
        Ok(entries)
    }

    /// An entry; none for one of the default configuration that looks at nothing.
    fn resolve_entry(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        config: &Config<'c>,
        entry: Hash<'c>,
    ) -> Eval<'c, Option<HierarchyEntry<'c>>> {
        let name = text_at(entry, "name").unwrap_or_default();
        let defaults = config.defaults();
        let function = function_of(config, entry)?;
        let base = if config.version == 4 { Some(config.data) } else { defaults };
        let datadir = text_at(entry, "datadir").or_else(|| text_at(base?, "datadir")).unwrap_or("data");
        let datadir = plus(&config.root.to_string_lossy(), datadir);
        let datadir = PathBuf::from(self.interpolate_path(vm, inv, &datadir)?);
        let declared = if config.version == 4 {
            let paths = entry.get_str("paths").or_else(|| entry.get_str("path"));
            Some(("paths", texts(paths.unwrap_or_else(|| vm.string(name)))))
        } else {
            LOCATIONS.into_iter().find_map(|key| Some((key, texts(entry.get_str(key)?))))
        };
        let mut locations = None;
        if let Some((key, texts)) = declared {
            let written = WrittenLocations { key, texts, datadir, extension: function.extension };
            let is_path = config.version >= 5;
            let interpolated_into = if is_path { InterpolatedInto::Path } else { InterpolatedInto::Value };
            let all = self.locations(vm, &Invocation { interpolated_into, ..*inv }, config, &written)?;
            if config.path.is_none() && all.is_empty() {
                return Ok(None);
            }
            if !READS_DATA_FILES.contains(&function.name) {
                // What it makes of a file nobody knows.
                for location in all.iter().filter(|location| location.is_file()) {
                    self.tree.note_asked(PathQuestion::Kind, Path::new(&location.text));
                    self.tree.note_asked(PathQuestion::Content, Path::new(&location.text));
                }
            }
            locations = Some(all);
        }
        let options = entry.get_str("options").or_else(|| defaults?.get_str("options"));
        let options = match options {
            Some(options) => self.interpolate(vm, inv, options, Functions::Refused)?,
            None => Value::Undef,
        };
        let options = match options {
            Value::Hash(hash) => hash,
            _ => HashBuilder::new(self.arena).finish(),
        };
        Ok(Some(HierarchyEntry::new(name, function.kind, function.name, options, locations)))
    }

    /// What an entry looks at.
    fn locations(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        config: &Config<'c>,
        written: &WrittenLocations<'c>,
    ) -> Eval<'c, Vec<Location>> {
        let WrittenLocations { key, texts, datadir, extension } = written;
        if *key == "mapped_paths" {
            return self.mapped_paths(vm, inv, datadir, texts);
        }
        let mut all = Vec::new();
        for original in texts {
            let reads = self.around.withheld_reads();
            let mut text = self.interpolate_path(vm, inv, original)?;
            let is_withheld = self.around.withheld_reads() != reads;
            match *key {
                "glob" | "globs" => {
                    let pattern = self.path_of(datadir, &text).to_string_lossy().into_owned();
                    let files = glob(self.tree, &pattern).map_err(lookup_error)?.into_iter();
                    if is_withheld && files.len() > 0 {
                        self.around.witness(Change::HieraLevel, Path::new(&pattern), original);
                    }
                    all.extend(files.map(|path| Location::existing_file(path, &pattern)));
                }
                "uri" | "uris" => all.push(Location::uri(text, original)),
                _ => {
                    if let Some(extension) = extension
                        && !text.ends_with(extension)
                    {
                        text.push_str(extension);
                    }
                    let location = self.file_location(datadir, &text, original);
                    if location.exists && is_withheld {
                        self.around.witness(Change::HieraLevel, Path::new(&*location.text), original);
                    }
                    if location.exists || config.path.is_some() {
                        all.push(location);
                    }
                }
            }
        }
        Ok(all)
    }

    /// A file in a folder, whether it is there or not.
    pub(super) fn file_location(&self, folder: &Path, text: &str, original: &str) -> Location {
        let path = self.path_of(folder, text);
        self.tree.note_asked(PathQuestion::Data, &path);
        let leads_on = left(&path).all(|folder| self.tree.is_dir(&folder));
        let exists = leads_on && reads::unnoted(|| self.tree.exists(&path));
        Location { exists, ..Location::existing_file(path, original) }
    }

    fn path_of(&self, folder: &Path, text: &str) -> PathBuf {
        self.around.placed(plus(&folder.to_string_lossy(), text).into())
    }

    fn mapped_paths(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        datadir: &Path,
        declared: &[&str],
    ) -> Eval<'c, Vec<Location>> {
        let [variable, name, template] = declared else { return Ok(Vec::new()) };
        let values = match self.variable_at(vm, inv, variable, "mapped_path[0]")? {
            Value::Array(items) => items.items().to_vec(),
            Value::Hash(hash) => hash.entries().iter().map(|(k, v)| vm.array(&[*k, *v])).collect(),
            Value::Str(text) if text.is_empty() => Vec::new(),
            Value::Undef => Vec::new(),
            other => vec![other],
        };
        let mut all = Vec::new();
        for value in values {
            let path = self
                .state
                .configured_variables
                .with_local(name, value, || self.interpolate_path(vm, inv, template))?;
            all.push(self.file_location(datadir, &path, template));
        }
        Ok(all)
    }

    /// A path with its variables resolved; functions are not allowed in it.
    pub(super) fn interpolate_path(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        text: &str,
    ) -> Eval<'c, String> {
        if !may_interpolate(text) {
            return Ok(text.to_owned());
        }
        let text = vm.string(text);
        let value = self.interpolate(vm, inv, text, Functions::Refused)?;
        Ok(bunraku_vm::format::to_interpolated(value))
    }
}

/// The functions that look for keys in a file of data, and do nothing else with it.
const READS_DATA_FILES: [&str; 4] = ["yaml_data", "json_data", "hocon_data", "eyaml_lookup_key"];

/// One text, or those of an array.
fn texts(value: Value<'_>) -> Vec<&str> {
    match value {
        Value::Array(items) => items.items().iter().filter_map(|item| item.as_str()).collect(),
        other => other.as_str().into_iter().collect(),
    }
}

/// The function that an entry names, itself or by the defaults.
fn function_of<'c>(config: &Config<'c>, entry: Hash<'c>) -> Eval<'c, NamedFunction<'c>> {
    if config.version != 4 {
        let own = |hash: Hash<'c>| {
            FUNCTIONS_OF_ENTRIES.into_iter().find_map(|key| Some((key, text_at(hash, key)?)))
        };
        let named = own(entry).or_else(|| own(config.defaults()?));
        let (key, name) = named.unwrap_or(("data_hash", "yaml_data"));
        return Ok(NamedFunction { kind: BackendKind::of_key(key), name, extension: None });
    }
    let backend = text_at(entry, "backend").unwrap_or_default();
    let (name, extension) = match backend {
        "yaml" => ("yaml_data", ".yaml"),
        "json" => ("json_data", ".json"),
        "hocon" => ("hocon_data", ".conf"),
        _ => {
            let line = config.line(0, |line| has_word(line, backend));
            let message = format!("No data provider is registered for backend '{backend}'");
            return Err(config.fail("HIERA_NO_PROVIDER_FOR_BACKEND", message, line));
        }
    };
    Ok(NamedFunction { kind: BackendKind::DataHash, name, extension: Some(extension) })
}

/// An undefined variable in a configuration is the configuration's fault.
fn undefined_in_config<'c>(config: &Config<'c>, mut flow: Box<Flow<'c>>) -> Box<Flow<'c>> {
    let Flow::Fault(fault) = &mut *flow else { return flow };
    let is_interpolation = fault.diagnostic.code.is_some_and(|code| code.starts_with("HIERA_INTERPOLATION"));
    if is_interpolation && fault.diagnostic.place.file.is_none() {
        fault.diagnostic.place.file = config.path.as_ref().map(|path| path.to_string_lossy().into());
    }
    let name = match &fault.diagnostic.cause {
        Cause::UndefinedVariable(name) if fault.stage == Stage::Raw => name.clone(),
        _ => return flow,
    };
    let forms = [format!("%{{{name}}}"), format!("%{{'{name}'}}"), format!("%{{\"{name}\"}}")];
    let line = config.line(0, |line| forms.iter().any(|form| line.contains(form.as_str())));
    let message = format!("Undefined variable '{name}'");
    match config.path {
        Some(_) => config.fail("HIERA_UNDEFINED_VARIABLE", message, line),
        None => issue("HIERA_UNDEFINED_VARIABLE", message),
    }
}
