//! Building an archive from a tree: every file is read once, on all cores, and made into what a compile would make
//! of it. What an archive of the same name already has of unchanged content is taken from there.

use super::file::{File, What, is_asset};
use super::literals::{self, Literal};
use super::readers::{Readers, group_of};
use super::reads::Reads;
use super::ruby::{self, NeedsRuby, Why};
use super::walk::{Found, Kind, Walk};
use super::{COMPILER, keys};
use crate::snapshot::{EnvironmentSpec, SessionMade, Snapshot};
use bunraku_configuration::configuration::Configuration;
use bunraku_configuration::environment_conf::EnvironmentConf;
use bunraku_configuration::value::Raw;
use bunraku_files::archive::{Info, OpenArchive};
use bunraku_files::paths::{self, NOTE, Root};
use bunraku_files::read;
use bunraku_files::write::{self, Access};
use bunraku_hiera::data_file::DataFormat;
use bunraku_resource_types::{Library, Steps};
use bunraku_vm::archive::cold;
use bunraku_vm::archive::layout::{FILE, FOLDER, LINK, Section};
use bunraku_vm::archive::writer::{self, EntrySpec, PartSpec};
use bunraku_vm::compat::Compat;
use bunraku_vm::diagnostic::Diagnostic;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// What is built, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// An environment's folder.
    pub directory: Option<PathBuf>,
    /// The module path: in place of the environment's, or all there is.
    pub modulepath: Option<Vec<PathBuf>>,
    /// Whether every file's content goes into the archive.
    pub embed: bool,
    /// Whether nothing is written if a file has errors.
    pub deny_errors: bool,
    /// Bits of the archive's mode, in place of those that the least readable file in it has.
    pub mode: Option<u32>,
    /// How many files are compiled side by side: one a core if not said.
    pub threads: Option<NonZeroUsize>,
    /// The version of the language that it is built for: no other compiles with it.
    pub compat: Compat,
    /// The server's configuration, whose modules for all environments go in, too: as `bunraku::Configuration` gives it.
    pub configuration: Option<Arc<Configuration>>,
}

/// How far a build is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Files done.
    pub done: usize,
    /// Files in all.
    pub files: usize,
}

/// Of each root outside of an environment's folder: its path, where `environment.conf` names it by just that.
fn folders(conf: Option<&EnvironmentConf>, roots: &[Root]) -> Vec<Option<String>> {
    let written = match conf.and_then(|conf| conf.written("modulepath")) {
        Some((Raw::Text(text), _)) => text,
        _ => "",
    };
    let absolute = || written.split(':').map(Path::new).filter(|path| path.is_absolute());
    let named = |root: &PathBuf| absolute().any(|path| paths::clean(path) == *root);
    let outer = roots.iter().filter(|(_, name)| name != "e").map(|(root, _)| root);
    outer.map(|root| Some(root).filter(|root| named(root))?.to_str().map(str::to_owned)).collect()
}

/// What a build came to.
#[derive(Debug, Default)]
pub struct Summary {
    /// Files of the tree.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Manifests and templates with a unit.
    pub units: usize,
    /// Bytes of all manifests and templates.
    pub code_bytes: u64,
    /// Manifests and templates compiled now.
    pub compiled: usize,
    /// Manifests and templates taken from the archive that was there.
    pub kept: usize,
    /// Data files.
    pub data: usize,
    /// What is wrong, by file: errors at the default level of `strict`.
    pub errors: Vec<(PathBuf, Vec<Diagnostic>)>,
    /// Broken data files that no hierarchy of the tree names.
    pub unread: Vec<PathBuf>,
    /// What was left out, and why.
    pub left_out: Vec<(PathBuf, String)>,
    /// What needs Ruby when a compile reaches it, by module.
    pub ruby: Vec<NeedsRuby>,
    /// Bytes of the archive.
    pub archive_bytes: u64,
    /// The file that fewest may read, where not all may: so may the archive.
    pub least_readable: Option<PathBuf>,
}

/// The parser nests as deep as the source, within its limit.
const STACK: usize = 16 << 20;

/// Builds an archive and puts it in the place of what is at `output`.
///
/// # Errors
/// When the tree can't be opened or the archive not be written; with `deny_errors`, when a file has errors or can't be read. What
/// was at `output` is then untouched.
pub fn build(
    options: &Options,
    output: &Path,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Summary, String> {
    let (bytes, mut summary, readable) = made(options, output, progress)?;
    if options.deny_errors && !summary.errors.is_empty() {
        return Ok(summary);
    }
    let access = options.mode.map_or(Access::AtMost(readable.bits()), Access::Exactly);
    write::replace(output, &bytes, access)
        .map_err(|error| format!("Could not write {}: {error}", output.display()))?;
    summary.archive_bytes = bytes.len() as u64;
    Ok(summary)
}

/// The bytes of the archive that [`build`] would write. `output` is where the one before is looked for.
///
/// # Errors
/// When the tree can't be opened.
pub fn bytes(
    options: &Options,
    output: &Path,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(Vec<u8>, Summary), String> {
    made(options, output, progress).map(|(bytes, summary, _)| (bytes, summary))
}

fn made(
    options: &Options,
    output: &Path,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(Vec<u8>, Summary, Readers), String> {
    let mut plan = Plan::new(options, output)?;
    // An archive that can't be used, or is for another version, is no matter: everything is compiled.
    let before = OpenArchive::open(output, &COMPILER).ok();
    let before = before.filter(|before| before.info.compat == options.compat.number());
    let all = compile_all(&plan, before.as_deref(), options, progress)?;
    let left_out = std::mem::take(&mut plan.walk.left_out);
    let mut summary = Summary { left_out, ..Summary::default() };
    let mut reasons = HashMap::new();
    let mut entries = Vec::with_capacity(all.len());
    // The entry of each that was found, as far as it could be read.
    let mut places = Vec::with_capacity(all.len());
    let mut readable = Readers::default();
    let patterns = bunraku_stdlib::patterns().map(|source| (source.to_owned(), Section::Automata));
    let mut literals: BTreeSet<Literal> = patterns.collect();
    let mut inline = HashMap::new();
    let reads = Reads::of(&plan.walk.found);
    for (made, found) in all.into_iter().zip(&plan.walk.found) {
        places.push(made.is_ok().then_some(entries.len()));
        match made {
            Ok(file) => {
                file.count(&mut summary, found, &reads);
                if file.readers.is_fewer_than(readable) && !file.entry.parts.is_empty() {
                    summary.least_readable = Some(found.path.clone());
                }
                if !file.entry.parts.is_empty() {
                    readable.meet(file.readers);
                }
                let why = match (file.is_key, file.is_large) {
                    (true, _) => Some("the content of a private key is never put into an archive"),
                    (_, true) => Some("its content is too large for an archive"),
                    _ => None,
                };
                if let Some(why) = why.filter(|_| options.embed) {
                    summary.left_out.push((found.path.clone(), why.to_owned()));
                }
                reasons.extend(file.needs_ruby().map(|reason| (found.name.as_str(), reason)));
                literals.extend(file.literals);
                inline.insert(found.name.as_str(), file.inline);
                entries.push(file.entry);
            }
            Err(error) => {
                summary.errors.extend(unread(&found.path, &error));
                summary.left_out.push((found.path.clone(), error.to_string()));
            }
        }
    }
    let literals = literals_of(literals, before.as_deref(), options)?;
    let key = |path: &Path| paths::key(&plan.roots, path);
    let file = |path: &Path| reasons.get(key(path)?.as_str()).cloned();
    let texts = |path: &Path| -> Vec<(u32, String)> {
        let given = key(path).and_then(|name| inline.get(name.as_str())).into_iter().flatten();
        let why = given.map(|(line, text)| Some((*line, literals::needs_ruby(text.clone(), &literals)?)));
        why.flatten().collect()
    };
    summary.ruby = ruby::needs(&plan.environment, &Why { file: &file, texts: &texts });
    let info = cold::encode(&plan.info).ok_or("Could not build: too much to say of it")?;
    let provided =
        plan.provided.iter().filter_map(|(below, number)| Some((below.as_str(), places[*number]?)));
    let bytes = writer::write(entries, &provided.collect(), info, &literals, &COMPILER)
        .map_err(|what| format!("Could not build: {what}"))?;
    Ok((bytes, summary, readable))
}

/// The error of a file that can't be read: an archive without it gives other catalogs than the tree. A key may be nobody's to read,
/// and is never in an archive.
fn unread(path: &Path, error: &std::io::Error) -> Option<(PathBuf, Vec<Diagnostic>)> {
    let is_key = path.extension().is_some_and(|extension| extension == "pem" || extension == "key");
    let message = || format!("Could not read {}: {error}", path.display());
    (!is_key).then(|| (path.to_owned(), vec![Diagnostic::error(message())]))
}

/// Makes all files into their parts, on all cores; in the order they were found.
fn compile_all(
    plan: &Plan,
    before: Option<&OpenArchive>,
    options: &Options,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Vec<std::io::Result<File>>, String> {
    let done = AtomicUsize::new(0);
    side_by_side(options, &plan.walk.found, |found| {
        let file = plan.file(found, before, options.embed);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        progress(Progress { done, files: plan.walk.found.len() });
        file
    })
}

/// What is made of texts, on all cores; `before` is the archive that is replaced. Of a text that nothing can be made of there is
/// nothing.
///
/// # Errors
/// When the machine gives no threads.
fn literals_of(
    texts: BTreeSet<Literal>,
    before: Option<&OpenArchive>,
    options: &Options,
) -> Result<writer::Literals, String> {
    let texts: Vec<Literal> = texts.into_iter().collect();
    let all = side_by_side(options, &texts, |(text, section)| {
        let known = before.and_then(|before| {
            let part = before.archive().made_of(text, *section).ok()??;
            before.archive().part_bytes(&part).ok()
        });
        known.map(<[u8]>::to_vec).or_else(|| literals::make(text, *section, options.compat))
    })?;
    Ok(texts.into_iter().zip(all).filter_map(|(text, made)| Some((text, made?))).collect())
}

/// What `work` makes of each of some items, on all cores; in their order.
fn side_by_side<I: Sync, T: Send>(
    options: &Options,
    items: &[I],
    work: impl Fn(&I) -> T + Sync,
) -> Result<Vec<T>, String> {
    let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = options.threads.map_or_else(cores, NonZeroUsize::get);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut made = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { return made };
            made.push((number, work(item)));
        }
    };
    let mut all = std::thread::scope(|scope| {
        let worker = || std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let workers: Vec<_> = (0..threads).map(|_| worker()).collect::<Result<_, _>>()?;
        let mut all = Vec::new();
        for worker in workers {
            all.extend(
                worker
                    .join()
                    .map_err(|_| std::io::Error::other("the compiler panicked; please report this"))?,
            );
        }
        Ok(all)
    })
    .map_err(|error: std::io::Error| format!("Could not build: {error}"))?;
    all.sort_by_key(|(number, _)| *number);
    Ok(all.into_iter().map(|(_, made)| made).collect())
}

/// What is to be built.
struct Plan {
    walk: Walk,
    info: Info,
    /// Names of modules by the name of their folder in the archive.
    modules: BTreeMap<String, String>,
    /// Where the folders on the module path come in Puppet's order, modules or not, by their paths in the archive.
    folders: HashMap<String, usize>,
    /// The main manifest in the archive: a file or a folder.
    manifest: Option<String>,
    environment: Snapshot,
    roots: Vec<(PathBuf, String)>,
    /// The group of the archive.
    group: u32,
    /// See [`Plan::all_provided`].
    provided: Vec<(String, usize)>,
    /// What loading a file of Ruby does, for the files of types, by the number of what was found.
    steps: Vec<OnceLock<Option<Arc<Steps>>>>,
}

impl Library for Plan {
    fn text_at(&self, path: &str) -> Option<String> {
        self.text(self.ruby_file(path)?)
    }

    /// In the order of the modules, then of their names, as a listing of the modules gives them.
    fn steps_at(&self, path: &str) -> Option<Arc<Steps>> {
        let number = self.ruby_file(path)?;
        let read = || self.text(number).map(|text| Arc::new(Steps::of(&text)));
        self.steps[number].get_or_init(read).clone()
    }

    fn providers(&self, name: &str) -> Vec<String> {
        let folder = format!("lib/puppet/provider/{name}/");
        let from = self.provided_from(&folder).iter().take_while(|(below, _)| below.starts_with(&folder));
        let is_here =
            |(below, _): &&(String, usize)| below.ends_with(".rb") && !below[folder.len()..].contains('/');
        let mut all: Vec<_> = from.filter(is_here).collect();
        all.dedup_by(|later, first| later.0 == first.0);
        all.sort_by_key(|(below, number)| {
            let place = self.folder_of(&self.walk.found[*number].name).map(|(place, _)| place);
            (place.is_none(), place, below.as_str())
        });
        all.into_iter().map(|(below, _)| below.clone()).collect()
    }

    fn is_known(&self, name: &str) -> bool {
        bunraku_native_ruby::is_library_file(name)
    }
}

impl Plan {
    fn new(options: &Options, output: &Path) -> Result<Plan, String> {
        let spec = EnvironmentSpec {
            directory: options.directory.clone(),
            modulepath: options.modulepath.clone(),
            configuration: options.configuration.clone(),
            compat: options.compat,
            ..EnvironmentSpec::default()
        };
        let environment = Snapshot::open(&spec, None, &SessionMade::default())?;
        let roots = paths::roots(environment.directory.as_deref(), environment.modules.path());
        let mut walk = Walk::default();
        for (folder, name) in &roots {
            if folder.is_dir() {
                walk.add(folder, name);
            } else if options.modulepath.is_some() {
                return Err(format!("Folder '{}' does not exist", folder.display()));
            }
        }
        // An archive within its own tree is not a part of it, nor is the note beside it.
        let output = std::path::absolute(output).unwrap_or_else(|_| output.to_path_buf());
        let name = output.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let note = format!("{name}{NOTE}");
        let is_own = |found: &Found| {
            let segment = found.path.file_name().unwrap_or_default().to_string_lossy();
            let is_temporary = |of: &String| write::is_temporary(&segment, of);
            let is_file =
                segment == *name || segment == *note || [&name, &note].into_iter().any(is_temporary);
            found.path.parent() == output.parent() && is_file
        };
        walk.found.retain(|found| !is_own(found));
        let key = |path: &Path| paths::key(&roots, path);
        let modules =
            environment.modules.folders().filter_map(|m| Some((key(&m.path)?, m.name.clone()))).collect();
        let all = environment.modules.all_folders().enumerate();
        let places = all.filter_map(|(n, (_, path))| Some((key(&path)?, n))).collect();
        let info = Info {
            environment: environment.directory.is_some(),
            // A path that was given goes before that of the environment.
            folders: folders(environment.conf.as_ref().filter(|_| options.modulepath.is_none()), &roots),
            modulepath: environment.modules.path().iter().filter_map(|folder| key(folder)).collect(),
            embedded: options.embed,
            compat: options.compat.number(),
            faulty: environment.modules.asked_for().map(|module| module.name.clone()).collect(),
        };
        let manifest = environment.manifest.as_deref().and_then(key);
        let group = group_of(&output);
        let steps = walk.found.iter().map(|_| OnceLock::new()).collect();
        let plan = Plan {
            walk,
            info,
            modules,
            folders: places,
            manifest,
            environment,
            roots,
            group,
            provided: Vec::new(),
            steps,
        };
        Ok(Plan { provided: plan.all_provided(), ..plan })
    }

    /// Whether a file is the main manifest, or lies in its folder.
    fn is_main(&self, name: &str) -> bool {
        let below = |main: &str| name.strip_prefix(main).map(|rest| rest.is_empty() || rest.starts_with('/'));
        self.manifest.as_deref().and_then(below).unwrap_or_default()
    }

    /// Where in the name of a file its module's begins; none of the main manifest, which is no module's even where the module path
    /// leads to it.
    fn module_at(&self, name: &str) -> Option<usize> {
        if self.is_main(name) {
            return None;
        }
        let slashes = name.match_indices('/').map(|(at, _)| at);
        let folders = slashes.map(|at| &name[..at]).chain(std::iter::once(name));
        folders.filter_map(|folder| Some(folder.len() - self.modules.get(folder)?.len())).next_back()
    }

    /// The place of the folder on the module path that a file lies in, and the file's path below that.
    fn folder_of<'n>(&self, name: &'n str) -> Option<(usize, &'n str)> {
        let mut splits = name.rmatch_indices('/').map(|(at, _)| name.split_at(at));
        splits.find_map(|(folder, below)| Some((*self.folders.get(folder)?, &below[1..])))
    }

    /// Where the module that a file below its `lib` lies in comes among all, the environment itself being last; and the file's path
    /// below the module.
    fn provided<'n>(&self, name: &'n str) -> Option<(u32, &'n str)> {
        let (place, below) = match self.folder_of(name) {
            Some((place, below)) => (u32::try_from(place).unwrap_or(u32::MAX), below),
            None => (u32::MAX, name.strip_prefix("e/")?),
        };
        below.starts_with("lib/").then_some((place, below))
    }

    /// The files below `lib`, by their paths from there, as numbers of what was found: of several modules with the same that of the
    /// first in Puppet's order, the environment's own last.
    fn all_provided(&self) -> Vec<(String, usize)> {
        let files = self.walk.found.iter().enumerate().filter(|(_, found)| found.kind == Kind::File);
        let provided = files.filter_map(|(number, found)| {
            let (place, below) = self.provided(&found.name)?;
            Some((below, place, number))
        });
        let mut all: Vec<_> = provided.collect();
        all.sort_unstable();
        all.into_iter().map(|(below, _, number)| (below.to_owned(), number)).collect()
    }

    /// Those from a path on.
    fn provided_from(&self, path: &str) -> &[(String, usize)] {
        &self.provided[self.provided.partition_point(|(below, _)| below.as_str() < path)..]
    }

    /// The first file of Ruby that is found under a path below `lib`, which has no ending.
    fn ruby_file(&self, path: &str) -> Option<usize> {
        let path = format!("{path}.rb");
        let (_, number) = self.provided_from(&path).first().filter(|(below, _)| *below == path)?;
        Some(*number)
    }

    fn text(&self, number: usize) -> Option<String> {
        let bytes = read::regular(&self.walk.found[number].path, read::MAX_FILE).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn file(&self, found: &Found, before: Option<&OpenArchive>, embed: bool) -> std::io::Result<File> {
        let module_at = self.module_at(&found.name);
        let mut entry = EntrySpec {
            path: found.name.clone(),
            bits: match found.kind {
                Kind::File => FILE,
                Kind::Folder => FOLDER,
                Kind::Nothing => 0,
            } | if found.is_link() { LINK } else { 0 },
            module_at,
            mode: found.mode(),
            target: found.target.clone().unwrap_or_default(),
            ..EntrySpec::default()
        };
        if found.kind != Kind::File {
            return Ok(File { entry, ..File::default() });
        }
        let what = self.what(&found.name, module_at);
        let bytes = match read::regular(&found.path, read::MAX_FILE) {
            // What is handed out and nothing else may be as large as it will; its content stays where it is.
            Err(error) if what == What::Other && error.kind() == std::io::ErrorKind::FileTooLarge => {
                (entry.size, entry.hash) = read::sha256(&found.path)?;
                return Ok(File { entry, what, is_large: true, ..File::default() });
            }
            other => other?,
        };
        entry.size = bytes.len() as u64;
        entry.hash = Sha256::digest(&bytes).into();
        let is_key = what == What::Other && keys::is_private(&found.path, &bytes);
        let readers = Readers::of(&found.path, self.group)?;
        let mut file = File { entry, what, is_key, readers, ..File::default() };
        let old = before.and_then(|before| Some((before, before.archive().find(&found.name).ok()??)));
        file.kept = old.is_some_and(|(before, old)| file.take(before, &old, self).is_some());
        if !file.kept {
            file.make(&bytes, self.environment.compat, self);
        }
        file.index();
        let name = Path::new(&found.name).file_name().and_then(|name| name.to_str());
        if (embed && !is_key) || matches!(name, Some("hiera.yaml" | "environment.conf")) {
            file.entry.parts.push(PartSpec { section: Section::Texts, variant: 0, bytes });
        }
        Ok(file)
    }

    /// What a file is, by its place.
    fn what(&self, name: &str, module_at: Option<usize>) -> What {
        let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
        let below = match module_at {
            Some(at) => name[at..].split_once('/').map_or("", |(_, below)| below),
            None => name.split_once('/').map_or("", |(_, below)| below),
        };
        let first = below.split('/').next().unwrap_or_default();
        match extension {
            Some("epp") => What::Template,
            Some("erb") => What::Erb,
            Some("pp") if first == ".resource_types" && module_at.is_none() => What::Type,
            Some("pp") if matches!(first, "manifests" | "functions" | "types") || self.is_main(name) => {
                What::Manifest
            }
            Some("json") if below == "metadata.json" => What::Metadata,
            Some("rb") if below.strip_prefix("lib/puppet/type/").is_some_and(|rest| !rest.contains('/')) => {
                What::Type
            }
            Some("rb") if RUBY.iter().any(|folder| below.starts_with(folder)) => What::Ruby,
            Some("yaml" | "yml" | "eyaml") if !is_asset(first) => What::Data(DataFormat::Yaml),
            Some("json") if !is_asset(first) => What::Data(DataFormat::Json),
            Some("conf" | "hocon") if !is_asset(first) && name != "e/environment.conf" => {
                What::Data(DataFormat::Hocon)
            }
            _ if first == "templates" => What::Erb,
            _ => What::Other,
        }
    }
}

/// Where functions in Ruby are, and what these load.
const RUBY: [&str; 4] =
    ["lib/puppet/functions/", "lib/puppet/parser/functions/", "lib/puppet_x/", "lib/puppetx/"];
