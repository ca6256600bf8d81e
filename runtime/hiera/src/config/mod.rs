//! `hiera.yaml`: read, checked, and its entries resolved to functions, options and locations.
//! Source: `Puppet::Pops::Lookup::HieraConfig`.

pub(crate) mod version3;

use crate::data_file::cache::Format;
use crate::data_file::encoded as words;
use crate::explain::What;
use crate::glob::glob;
use crate::hierarchy::entry::{Entry, Kind};
use crate::interpolate::issue;
use crate::invocation::Invocation;
use crate::key::lookup_error;
use crate::layer::Place;
use crate::merge::Strategy;
use crate::state::Lookups;
use crate::surroundings::Repeat;
use bumpalo::Bump;
use bunraku_files::paths::clean;
use bunraku_files::tree::Tree;
use bunraku_vm::diagnostic::{Diagnostic, Place as Position};
use bunraku_vm::error::{Eval, Flow, Stage};
use bunraku_vm::host::Strict;
use bunraku_vm::types::{self, Type, mismatch};
use bunraku_vm::value::{Hash, HashBuilder, Value};
use bunraku_vm::vm::Vm;
use std::path::{Path, PathBuf};

/// A configuration that has passed its checks.
pub struct Config<'c> {
    /// Its file; none for the defaults.
    pub path: Option<PathBuf>,
    /// What relative paths are relative to.
    root: PathBuf,
    /// 3, 4 or 5.
    pub version: i64,
    /// What the old functions merge hashes with, if the configuration (version 3) says so.
    pub merge: Option<Strategy<'c>>,
    pub(crate) data: Hash<'c>,
    tree: &'c Tree,
}

const FUNCTIONS: [&str; 4] = ["data_hash", "lookup_key", "data_dig", "hiera3_backend"];
/// What an entry may have of these and more than that: Puppet has it for the data providers of old.
const FUNCTIONS_OF_ENTRIES: [&str; 5] =
    ["data_hash", "lookup_key", "data_dig", "hiera3_backend", "v4_data_hash"];
const LOCATIONS: [&str; 7] = ["path", "paths", "glob", "globs", "uri", "uris", "mapped_paths"];

const OPTIONS: &str = "Hash[Pattern['\\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\\z'], Data]";

fn version_5() -> String {
    let entry = format!(
        "Array[Struct[{{'name'=>String[1],Optional['options']=>{OPTIONS},Optional['data_hash']=>String[1],\
         Optional['lookup_key']=>String[1],Optional['hiera3_backend']=>String[1],\
         Optional['v4_data_hash']=>String[1],Optional['data_dig']=>String[1],Optional['path']=>String[1],\
         Optional['paths']=>Array[String[1],1],Optional['glob']=>String[1],Optional['globs']=>Array[String[1],1],\
         Optional['uri']=>String[1],Optional['uris']=>Array[String[1],1],\
         Optional['mapped_paths']=>Array[String[1],3,3],Optional['datadir']=>String[1]}}]]"
    );
    format!(
        "Struct[{{'version'=>Integer[5,5],Optional['defaults']=>Struct[{{Optional['data_hash']=>String[1],\
         Optional['lookup_key']=>String[1],Optional['data_dig']=>String[1],Optional['datadir']=>String[1],\
         Optional['options']=>{OPTIONS}}}],Optional['hierarchy']=>{entry},Optional['plan_hierarchy']=>{entry},\
         Optional['default_hierarchy']=>{entry}}}]"
    )
}

const VERSION_4: &str = "Struct[{'version'=>Integer[4,4],Optional['datadir']=>String[1],\
    Optional['hierarchy']=>Array[Struct[{'backend'=>String[1],'name'=>String[1],\
    Optional['datadir']=>String[1],Optional['path']=>String[1],Optional['paths']=>Array[String[1]]}]]}]";

fn list(words: &[&str]) -> String {
    match words {
        [head @ .., last] if !head.is_empty() => format!("{}, or {last}", head.join(", ")),
        _ => words.join(""),
    }
}

fn text_at<'c>(hash: Hash<'c>, key: &str) -> Option<&'c str> {
    hash.get_str(key).and_then(Value::as_str)
}

impl<'c> Config<'c> {
    /// The configuration of a function that gives all data: one entry, which no file says.
    pub(crate) fn of_legacy_function(
        arena: &'c Bump,
        tree: &'c Tree,
        root: &Path,
        function: &str,
    ) -> Config<'c> {
        let mut entry = HashBuilder::new(arena);
        entry.insert_str("name", Value::str(arena, &format!("Legacy function '{function}'")));
        entry.insert_str("v4_data_hash", Value::str(arena, function));
        let mut data = HashBuilder::new(arena);
        data.insert_str("version", Value::Int(5));
        data.insert_str("hierarchy", Value::array(arena, &[Value::Hash(entry.finish())]));
        Config { path: None, root: root.to_path_buf(), version: 5, merge: None, data: data.finish(), tree }
    }

    pub(crate) fn fail(&self, code: &'static str, message: String, line: Option<u32>) -> Box<Flow<'c>> {
        let file = self.path.as_ref().map(|path| path.to_string_lossy().into());
        let place = Position { file, line, column: None };
        Flow::formed(Diagnostic::error(message).at(place).with_code(code))
    }

    /// The first line behind `after` that `fits`, comments left out.
    pub(crate) fn line(&self, after: u32, fits: impl Fn(&str) -> bool) -> Option<u32> {
        let text = self.tree.read_to_string(self.path.as_ref()?).ok()?;
        let found = text
            .lines()
            .enumerate()
            .find(|(n, line)| *n as u32 + 1 > after && fits(line.split(" #").next().unwrap_or_default()));
        found.map(|(n, _)| n as u32 + 1)
    }

    /// Whether a module has a hierarchy that comes after everything.
    pub fn has_default_hierarchy(&self) -> bool {
        self.data.get_str("default_hierarchy").is_some()
    }

    fn hierarchy(&self, key: &str) -> Vec<Hash<'c>> {
        match self.data.get_str(key) {
            Some(Value::Array(entries)) => {
                let hashes = entries.items().iter().filter_map(|entry| match entry {
                    Value::Hash(hash) => Some(*hash),
                    _ => None,
                });
                hashes.collect()
            }
            _ => Vec::new(),
        }
    }

    fn defaults(&self) -> Option<Hash<'c>> {
        match self.data.get_str("defaults") {
            Some(Value::Hash(hash)) => Some(hash),
            _ => None,
        }
    }

    fn check_entry(&self, entry: Hash<'c>, place: Place) -> Eval<'c, ()> {
        let name = text_at(entry, "name").unwrap_or_default();
        let all = FUNCTIONS;
        let has =
            |hash: Hash<'c>, keys: &[&str]| keys.iter().filter(|key| hash.get_str(key).is_some()).count();
        match has(entry, &FUNCTIONS_OF_ENTRIES) {
            0 if self.defaults().is_none_or(|defaults| has(defaults, &all) == 0) => {
                let message = format!("One of {} must be defined in hierarchy '{name}'", list(&all));
                return Err(self.fail("HIERA_MISSING_DATA_PROVIDER_FUNCTION", message, None));
            }
            0 | 1 => {}
            _ => {
                let message = format!("Only one of {} can be defined in hierarchy '{name}'", list(&all));
                return Err(self.fail("HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS", message, None));
            }
        }
        if let Some(backend) = text_at(entry, "hiera3_backend") {
            if place != Place::Global {
                let line = self.line(0, |line| line.contains(" hiera3_backend:"));
                let message = "'hiera3_backend' is only allowed in the global layer".to_owned();
                return Err(self.fail("HIERA_V3_BACKEND_NOT_GLOBAL", message, line));
            }
            if matches!(backend, "yaml" | "json" | "hocon") {
                let named = |line: &str| {
                    line.split_once(" hiera3_backend:").is_some_and(|(_, rest)| has_word(rest, backend))
                };
                let message =
                    format!("Use \"data_hash: {backend}_data\" instead of \"hiera3_backend: {backend}\"");
                return Err(self.fail(
                    "HIERA_V3_BACKEND_REPLACED_BY_DATA_HASH",
                    message,
                    self.line(0, named),
                ));
            }
        }
        if has(entry, &LOCATIONS) > 1 {
            let message = format!("Only one of {} can be defined in hierarchy '{name}'", list(&LOCATIONS));
            return Err(self.fail("HIERA_MULTIPLE_LOCATION_SPECS", message, None));
        }
        if let Some(Value::Hash(options)) = entry.get_str("options")
            && let Some(key) = ["path", "uri"].iter().find(|key| options.get_str(key).is_some())
        {
            let message = format!("Option key '{key}' used in hierarchy '{name}' is reserved by Puppet");
            return Err(self.fail("HIERA_OPTION_RESERVED_BY_PUPPET", message, None));
        }
        Ok(())
    }

    /// Fails if the configuration is no instance of its version's type.
    pub(crate) fn check_type(&self, vm: &mut Vm<'c>, ty: &'c Type<'c>) -> Eval<'c, ()> {
        let file = self.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        let subject = format!("The Lookup Configuration at '{file}'");
        let data = Value::Hash(self.data);
        mismatch::assert_instance(vm, &subject, ty, data).map_err(|mut flow| {
            // What stands for a symbol is a type, the symbol itself is an instance of it.
            if let Flow::Fault(fault) = &mut *flow
                && crate::data_file::data::has_symbol(data)
            {
                let message = &mut fault.diagnostic.message;
                *message = message.replace("Type[Runtime]", "Runtime");
            }
            flow
        })
    }

    fn check_defaults(&self) -> Eval<'c, ()> {
        let Some(defaults) = self.defaults() else { return Ok(()) };
        if FUNCTIONS.iter().filter(|key| defaults.get_str(key).is_some()).count() > 1 {
            let message = format!("Only one of {} can be defined in defaults", list(&FUNCTIONS));
            return Err(self.fail("HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS_IN_DEFAULT", message, None));
        }
        if let Some(Value::Hash(options)) = defaults.get_str("options")
            && let Some(key) = ["path", "uri"].iter().find(|key| options.get_str(key).is_some())
        {
            let message = format!("Option key '{key}' used in defaults is reserved by Puppet");
            return Err(self.fail("HIERA_DEFAULT_OPTION_RESERVED_BY_PUPPET", message, None));
        }
        Ok(())
    }
}

impl<'c> Lookups<'_, 'c> {
    /// Reads a `hiera.yaml`; where it is not there, Puppet's default configuration.
    pub(crate) fn read_config(
        &self,
        vm: &mut Vm<'c>,
        path: &Path,
        place: Place,
    ) -> Eval<'c, Option<Config<'c>>> {
        let root = path.parent().unwrap_or(Path::new("/")).to_path_buf();
        let exists = self.tree.exists(path);
        let loaded = if exists {
            let data = self.files.get(self.tree, path, Format::Yaml);
            self.around.file_reached(path);
            let file = data
                .map_err(|message| Flow::raw(message.strip_prefix("Unable to parse ").unwrap_or(&message)))?;
            self.around.keep_data(file).reader(self.arena).whole()?
        } else {
            let mut builder = HashBuilder::new(self.arena);
            builder.insert_str("version", Value::Int(5));
            Value::Hash(builder.finish())
        };
        let data = match loaded {
            Value::Hash(hash) => hash,
            _ => {
                let message = format!(
                    "{}: File exists but does not contain a valid YAML hash. Falling back to Hiera version 3 \
                     default config",
                    path.display()
                );
                self.around.warn(Repeat::Always, message);
                HashBuilder::new(self.arena).finish()
            }
        };
        let version = match data.get_str("version") {
            Some(Value::Int(n)) => n,
            Some(Value::Float(f)) => f as i64,
            Some(Value::Str(text)) => text.parse().unwrap_or(0),
            _ => 3,
        };
        let path = exists.then(|| path.to_path_buf());
        let mut config = Config { path, root, version, merge: None, data, tree: self.tree };
        match (version, place) {
            (5, _) => {}
            (4, _) => {}
            (3, Place::Global) => {
                self.check_version_3(vm, &mut config)?;
                return Ok(Some(config));
            }
            (3, _) => {
                self.check_version_3(vm, &mut config)?;
                let what = if place == Place::Environment { "environment" } else { "module" };
                if self.around.strict() == Strict::Error {
                    let article = if place == Place::Environment { "an" } else { "a" };
                    let message = format!("hiera.yaml version 3 cannot be used in {article} {what}");
                    return Err(config.fail("HIERA_VERSION_3_NOT_GLOBAL", message, None));
                }
                let what = if place == Place::Environment { "the environment" } else { "module" };
                let file = config.path.as_deref().unwrap_or(Path::new("")).display();
                self.around.warn(
                    Repeat::Once,
                    format!("hiera.yaml version 3 found at {what} root was ignored\n   (file: {file})"),
                );
                return Ok(None);
            }
            _ => {
                let message = format!("This runtime does not support hiera.yaml version {version}");
                return Err(config.fail("HIERA_UNSUPPORTED_VERSION", message, None));
            }
        }
        self.check_config(vm, &mut config, place)?;
        if version == 4 && place == Place::Global {
            let message = "hiera.yaml version 4 cannot be used in the global layer".to_owned();
            return Err(config.fail("HIERA_UNSUPPORTED_VERSION_IN_GLOBAL", message, None));
        }
        Ok(Some(config))
    }

    /// Says that a version is deprecated.
    pub(crate) fn warn_deprecated(&self, config: &Config<'c>) {
        let path = config.path.as_deref().unwrap_or(Path::new(""));
        let (file, version) = (path.display(), config.version);
        let message = format!(
            "{file}: Use of 'hiera.yaml' version {version} is deprecated. It should be converted to version 5"
        );
        self.warn_of_deprecated("hiera.yaml", message, Some(path));
    }

    fn check_config(&self, vm: &mut Vm<'c>, config: &mut Config<'c>, place: Place) -> Eval<'c, ()> {
        let arena = self.arena;
        let hash_of = |pairs: &[(&str, &str)]| {
            let mut hash = HashBuilder::new(arena);
            pairs.iter().for_each(|(key, value)| hash.insert_str(key, Value::str(arena, value)));
            Value::Hash(hash.finish())
        };
        let mut data = HashBuilder::with(arena, config.data);
        let mut default = |key: &str, value: Value<'c>| {
            if config.data.get_str(key).is_none_or(|value| !value.truthy()) {
                data.insert_str(key, value);
            }
        };
        if config.version == 4 {
            self.warn_deprecated(config);
            default("datadir", Value::str(arena, "data"));
            let common = hash_of(&[("name", "common"), ("backend", "yaml")]);
            default("hierarchy", Value::array(arena, &[common]));
        } else {
            default("defaults", hash_of(&[("datadir", "data"), ("data_hash", "yaml_data")]));
            let common = hash_of(&[("name", "Common"), ("path", "common.yaml")]);
            default("hierarchy", Value::array(arena, &[common]));
        }
        config.data = data.finish();
        let path = config.path.clone();
        if path.as_ref().is_some_and(|path| self.files.config_passed(path, place)) {
            return Ok(());
        }
        self.check_content(vm, config, place)?;
        if let Some(path) = path {
            self.files.pass_config(self.tree, &path, place);
        }
        Ok(())
    }

    /// Checks that need nothing but the file's content.
    fn check_content(&self, vm: &mut Vm<'c>, config: &Config<'c>, place: Place) -> Eval<'c, ()> {
        if config.version == 4 {
            let ty = types::constant(vm, VERSION_4)?;
            return config.check_type(vm, ty);
        }
        let ty = types::parse(vm, &version_5())?;
        config.check_type(vm, ty)?;
        config.check_defaults()?;
        for key in ["hierarchy", "plan_hierarchy"] {
            config.hierarchy(key).into_iter().try_for_each(|entry| config.check_entry(entry, place))?;
        }
        if config.has_default_hierarchy() {
            if place != Place::Module {
                let message = "'default_hierarchy' is only allowed in the module layer".to_owned();
                let line = config.line(0, |line| line.trim_start().starts_with("default_hierarchy:"));
                return Err(config.fail("HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE", message, line));
            }
            for entry in config.hierarchy("default_hierarchy") {
                config.check_entry(entry, place)?;
            }
        }
        Ok(())
    }

    /// The entries of a hierarchy as the variables stand now.
    pub(crate) fn resolve_entries(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        config: &Config<'c>,
        hierarchy: &str,
    ) -> Eval<'c, Vec<Entry<'c>>> {
        if config.version == version3::VERSION {
            let entries = self.resolve_version_3(vm, inv, config);
            return entries.map_err(|flow| undefined_in_config(config, flow));
        }
        let mut entries: Vec<Entry<'c>> = Vec::new();
        for entry in config.hierarchy(hierarchy) {
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
            let resolved = self.resolve_entry(vm, inv, config, entry);
            let resolved = resolved.map_err(|flow| undefined_in_config(config, flow))?;
            entries.extend(resolved);
        }
        Ok(entries)
    }

    fn resolve_entry(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        config: &Config<'c>,
        entry: Hash<'c>,
    ) -> Eval<'c, Option<Entry<'c>>> {
        let name = text_at(entry, "name").unwrap_or_default();
        let defaults = config.defaults();
        let own = |hash: Hash<'c>| {
            FUNCTIONS_OF_ENTRIES.into_iter().find_map(|kind| Some((kind, text_at(hash, kind)?)))
        };
        let mut extension = None;
        let (kind, function) = if config.version == 4 {
            let backend = text_at(entry, "backend").unwrap_or_default();
            extension = Some(format!(".{backend}"));
            match backend {
                "yaml" => ("data_hash", "yaml_data"),
                "json" => ("data_hash", "json_data"),
                "hocon" => {
                    extension = Some(".conf".to_owned());
                    ("data_hash", "hocon_data")
                }
                _ => {
                    let line = config.line(0, |line| has_word(line, backend));
                    let message = format!("No data provider is registered for backend '{backend}'");
                    return Err(config.fail("HIERA_NO_PROVIDER_FOR_BACKEND", message, line));
                }
            }
        } else {
            own(entry).or_else(|| own(defaults?)).unwrap_or(("data_hash", "yaml_data"))
        };
        let base = if config.version == 4 { Some(config.data) } else { defaults };
        let datadir = text_at(entry, "datadir").or_else(|| text_at(base?, "datadir")).unwrap_or("data");
        let datadir = config.root.join(datadir);
        let datadir = PathBuf::from(self.interpolate_path(vm, inv, &datadir.to_string_lossy())?);
        let strings = |value: Value<'c>| -> Vec<&'c str> {
            match value {
                Value::Array(items) => items.items().iter().filter_map(|item| item.as_str()).collect(),
                other => other.as_str().into_iter().collect(),
            }
        };
        let declared = if config.version == 4 {
            let paths = entry.get_str("paths").or_else(|| entry.get_str("path"));
            Some(("paths", strings(paths.unwrap_or_else(|| vm.string(name)))))
        } else {
            LOCATIONS.into_iter().find_map(|key| Some((key, strings(entry.get_str(key)?))))
        };
        let mut locations = None;
        if let Some((kind, declared)) = declared {
            let mut all = Vec::new();
            match kind {
                "mapped_paths" => self.mapped_paths(vm, inv, &datadir, &declared, &mut all)?,
                _ => {
                    for written in declared {
                        let mut text = self.interpolate_path(vm, inv, written)?;
                        match kind {
                            "glob" | "globs" => {
                                let pattern = datadir.join(text);
                                let pattern = pattern.to_string_lossy();
                                let files = glob(self.tree, &pattern).map_err(lookup_error)?.into_iter();
                                all.extend(files.map(|path| Location::file(path, &pattern, true)));
                            }
                            "uri" | "uris" => all.push(Location {
                                text,
                                original: written.to_owned(),
                                exists: true,
                                is_uri: true,
                            }),
                            _ => {
                                if let Some(extension) = &extension
                                    && !text.ends_with(extension.as_str())
                                {
                                    text.push_str(extension);
                                }
                                let path = clean(&datadir.join(text));
                                let exists = self.tree.exists(&path);
                                if exists || config.path.is_some() {
                                    all.push(Location::file(path, written, exists));
                                }
                            }
                        }
                    }
                }
            }
            if config.path.is_none() && all.is_empty() {
                return Ok(None);
            }
            locations = Some(all);
        }
        let options = entry.get_str("options").or_else(|| defaults?.get_str("options"));
        let options = match options {
            Some(options) => self.interpolate(vm, inv, options, false)?,
            None => Value::Undef,
        };
        let options = match options {
            Value::Hash(hash) => hash,
            _ => HashBuilder::new(self.arena).finish(),
        };
        let kind = match kind {
            "lookup_key" => Kind::LookupKey,
            "data_dig" => Kind::DataDig,
            "hiera3_backend" => Kind::Hiera3,
            "v4_data_hash" => Kind::LegacyHash,
            _ => Kind::DataHash,
        };
        Ok(Some(Entry::new(name, kind, function, options, locations)))
    }

    pub(crate) fn interpolate_path(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        text: &str,
    ) -> Eval<'c, String> {
        if !words::may_interpolate(text) {
            return Ok(text.to_owned());
        }
        let text = vm.string(text);
        let value = self.interpolate(vm, inv, text, false)?;
        Ok(bunraku_vm::format::to_interpolated(value))
    }

    fn mapped_paths(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        datadir: &Path,
        declared: &[&str],
        all: &mut Vec<Location>,
    ) -> Eval<'c, ()> {
        let [variable, name, template] = declared else { return Ok(()) };
        let values = match self.variable_at(vm, inv, variable, "mapped_path[0]")? {
            Value::Array(items) => items.items().to_vec(),
            Value::Hash(hash) => hash.entries().iter().map(|(k, v)| vm.array(&[*k, *v])).collect(),
            Value::Str(text) if text.is_empty() => Vec::new(),
            Value::Undef => Vec::new(),
            other => vec![other],
        };
        for value in values {
            let path = self.state.with_local(name, value, || self.interpolate_path(vm, inv, template))?;
            let path = clean(&datadir.join(path));
            let exists = self.tree.exists(&path);
            all.push(Location::file(path, template, exists));
        }
        Ok(())
    }
}

/// A file or URI that an entry looks at.
#[derive(Clone)]
pub struct Location {
    /// The path or URI.
    pub text: String,
    /// As it is written, `%{…}` and all; of a glob, the pattern.
    pub original: String,
    /// Whether it was there.
    pub exists: bool,
    /// Whether it is a URI.
    pub is_uri: bool,
}

impl Location {
    pub(crate) fn file(path: PathBuf, original: &str, exists: bool) -> Location {
        let text = path.to_string_lossy().into_owned();
        Location { text, original: original.to_owned(), exists, is_uri: false }
    }

    /// The node of an explanation.
    pub(crate) fn explained<'c>(&self) -> What<'c> {
        What::Location(self.text.clone(), self.original.clone(), self.is_uri)
    }
}

/// Whether a word stands in a line, with something before it.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.match_indices(word).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        before.is_some_and(|c| !is_part(c)) && !line[start + word.len()..].starts_with(is_part)
    })
}

/// An undefined variable in a configuration is the configuration's fault.
fn undefined_in_config<'c>(config: &Config<'c>, mut flow: Box<Flow<'c>>) -> Box<Flow<'c>> {
    let Flow::Fault(fault) = &mut *flow else { return flow };
    let is_interpolation = fault.diagnostic.code.is_some_and(|code| code.starts_with("HIERA_INTERPOLATION"));
    if is_interpolation && fault.diagnostic.place.file.is_none() {
        fault.diagnostic.place.file = config.path.as_ref().map(|path| path.to_string_lossy().into());
    }
    let name =
        fault.diagnostic.message.strip_prefix("Undefined variable '").filter(|_| fault.stage == Stage::Raw);
    let Some((name, _)) = name.and_then(|rest| rest.split_once('\'')) else { return flow };
    let forms = [format!("%{{{name}}}"), format!("%{{'{name}'}}"), format!("%{{\"{name}\"}}")];
    let line = config.line(0, |line| forms.iter().any(|form| line.contains(form.as_str())));
    match config.path {
        Some(_) => config.fail("HIERA_UNDEFINED_VARIABLE", format!("Undefined variable '{name}'"), line),
        None => issue("HIERA_UNDEFINED_VARIABLE", &format!("Undefined variable '{name}'")),
    }
}
