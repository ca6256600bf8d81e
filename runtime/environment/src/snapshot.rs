//! An environment at one moment: its folder, its configuration, module path and main manifest, and what is kept of its
//! files. Compiles share it and write nothing into it but through memos.
//! Source: puppet-specifications, "Environments"; the oracle for defaults.

use crate::archive::place::place;
use crate::extensions;
use crate::function_files::{FunctionFile, FunctionFiles};
use crate::modules::Modules;
use crate::units::{SessionUnits, Units};
use bunraku_configuration::configuration::Configuration;
use bunraku_configuration::environment_conf::{EnvironmentConf, matching};
use bunraku_configuration::in_force::InForce;
use bunraku_files::archive::OpenArchive;
use bunraku_files::confined::Confinement;
use bunraku_files::lent::Lent;
use bunraku_files::memo::{Contract, Memo, MemoCell, NEVER};
use bunraku_files::paths::{clean, is_clean, moved, moved_in_text};
use bunraku_files::read;
use bunraku_files::reads::{self, Reads};
use bunraku_files::tree::Tree;
use bunraku_hiera::data_file::cache::{DataFiles, SessionData};
use bunraku_native_ruby::{SessionTemplates, Templates};
use bunraku_resource_types::{Folders, ResourceTypes, SessionSteps};
use bunraku_stdlib::module::Api;
use bunraku_vm::compat::Compat;
use bunraku_vm::host::{ModuleFolder, Strict};
use bunraku_vm::symbol::GrowingBase;
use bunraku_vm::types::LastingType;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How many resources a first catalog is given room for. Of a large piece of memory only what is used is taken from the
/// system, and a list that grows is copied each time.
const RESOURCES: usize = 1_000;

/// An environment at one moment: what a compile reads its code from. It does not change; where its files have changed,
/// [`Snapshots`](crate::snapshots::Snapshots) makes another one.
pub struct Snapshot {
    /// The version of the language by whose rules its files are read and checked.
    pub compat: Compat,
    /// Name: `production` where nothing gives one.
    pub name: String,
    /// Its folder, where it has one.
    pub directory: Option<PathBuf>,
    /// Its main manifest: a file, or a folder whose `.pp` files are all read.
    pub manifest: Option<PathBuf>,
    /// Who gives its data, by the way of old.
    pub data_provider: Option<String>,
    /// The command whose output is the version of its catalogs, if there is one.
    pub config_version: Option<String>,
    configuration: Arc<Configuration>,
    /// What its folder says of its settings, where it has one.
    pub(crate) conf: Option<EnvironmentConf>,
    /// Its modules; and the tree that all its files are read from.
    pub modules: Arc<Modules>,
    /// The global layer's Hiera configuration.
    pub hiera_config: Option<PathBuf>,
    /// Where the configuration has an environment of its name, in each folder of `environmentpath`; nowhere where it lies there
    /// itself. What Hiera's configurations name below is read from its own folder.
    pub deployed: Vec<PathBuf>,
    /// The version that its folder links to, where `$settings::…` speak of that in place of the folder.
    pub version: Option<PathBuf>,
    /// Resource types in Ruby: Puppet's own and those of the modules.
    pub types: ResourceTypes,
    /// Its manifests and EPP templates, compiled.
    pub units: Units,
    /// Its data files.
    pub data_files: DataFiles,
    /// Its ERB templates.
    pub templates: Templates,
    /// What was read to open it.
    reads_at_open: Reads,
    functions: FunctionFiles,
    extensions: MemoCell<Vec<(String, PathBuf)>>,
    /// Where types are, by name in lower case.
    pub type_files: Memo<String, TypeFiles>,
    /// Where files of modules are that code has named, and EPP templates.
    pub named_files: NamedFiles,
    /// How many resources the last catalog had: the next one is given room for as many, the first for [`RESOURCES`].
    pub resources: AtomicUsize,
}

const EXTENSIONS: Contract = Contract {
    holds: "the files of modules that extend the compiler",
    key: "none",
    bound: "one list: the files below lib/puppetx and lib/puppet_x, and bindings",
    stale: NEVER,
    test: "tests/tests/injection.rs: what_registers_is_looked_for_again_when_it_changes",
};

const TYPE_FILES: Contract = Contract {
    holds: "where the files of types are, and what their aliases come to",
    key: "name in lower case",
    bound: "the names of types in the code that is run",
    stale: NEVER,
    test: "runtime/compile/tests/learned.rs: nothing_learned_shows",
};

const NAMED_FILES: Contract = Contract {
    holds: "the file that a name like module/path means",
    key: "the name",
    bound: "the files of the tree: names of no file, or written in a roundabout way, are not kept",
    stale: NEVER,
    test: "runtime/compile/tests/snapshot.rs: what_comes_is_seen_by_the_next_compile",
};

/// The files that names like `module/path` were found to mean. Names may come from facts: what is no file, or is written
/// in a roundabout way, is not kept, so that there are no more than files.
pub struct NamedFiles {
    files: Memo<String, String>,
    templates: Memo<String, String>,
    epp: Memo<String, String>,
}

/// What a file is named for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// Its path in the `files` or `templates` of its module.
    In(ModuleFolder),
    /// An EPP template, which may be named without its extension.
    Epp,
}

impl NamedFiles {
    fn new() -> NamedFiles {
        let memo = || Memo::new(&NAMED_FILES);
        NamedFiles { files: memo(), templates: memo(), epp: memo() }
    }

    fn all(&self, named: Named) -> &Memo<String, String> {
        match named {
            Named::In(ModuleFolder::Files) => &self.files,
            Named::In(ModuleFolder::Templates) => &self.templates,
            Named::Epp => &self.epp,
        }
    }

    /// The file of a name: found in the tree, or known from before.
    pub fn find(
        &self,
        tree: &Tree,
        (named, name): (Named, &str),
        search: impl FnOnce() -> Option<PathBuf>,
    ) -> Option<Cow<'_, str>> {
        if let Some(known) = self.all(named).get(name) {
            return Some(Cow::Borrowed(known));
        }
        let (found, reads) = reads::gather(search);
        reads::pass_on(&reads);
        let found = found?;
        let path = found.to_string_lossy();
        // An absolute path may lie outside of the tree.
        let lasts = !name.starts_with('/') && is_clean(name) && tree.holds(&found);
        if lasts && found.to_str().is_some() {
            return Some(Cow::Borrowed(self.all(named).keep(name.to_owned(), (path.into_owned(), reads))));
        }
        Some(Cow::Owned(path.into_owned()))
    }
}

/// The files that may define a type of a name.
#[derive(Default)]
pub struct TypeFiles {
    /// A type in Ruby, which comes first.
    pub ruby: Option<PathBuf>,
    /// An alias.
    pub alias: Option<PathBuf>,
    /// The type set of its module, where there is neither.
    pub set: Option<PathBuf>,
    /// What compiles have learned of the alias, by how its file is checked.
    pub lasting: [OnceLock<Arc<LastingAlias>>; 3],
}

/// An alias whose file and all that it names stay as they are.
pub struct LastingAlias {
    /// Its name as declared.
    pub name: String,
    /// Where it is defined, as Puppet's loaders name the place.
    pub site: String,
    /// What it stands for.
    pub target: LastingType,
    /// What was read for that: its file, those of the aliases that it names.
    pub reads: Reads,
}

/// What was made of files for all snapshots of a session: for as long as a file is the same, a new snapshot takes it
/// from here.
#[derive(Default)]
pub struct SessionMade {
    units: Arc<SessionUnits>,
    data: Arc<SessionData>,
    templates: Arc<SessionTemplates>,
    steps: Arc<SessionSteps>,
    /// What the names of all files are numbered by; none where each environment has numbers of its own, which go with it.
    symbols: Option<Arc<GrowingBase>>,
}

impl SessionMade {
    /// That of a session whose environments stay as they are first seen: they share what archives have of equal files, and numbers of
    /// names.
    pub fn settled() -> SessionMade {
        SessionMade {
            units: SessionUnits::settled().into(),
            data: SessionData::settled().into(),
            templates: SessionTemplates::settled().into(),
            steps: Arc::default(),
            symbols: Some(Arc::default()),
        }
    }
}

/// What an environment is opened with; everything may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct EnvironmentSpec {
    /// Its folder.
    pub directory: Option<PathBuf>,
    /// Its name, if not the folder's.
    pub name: Option<String>,
    /// Module path in place of the environment's own.
    pub modulepath: Option<Vec<PathBuf>>,
    /// Main manifest in place of the environment's own.
    pub manifest: Option<PathBuf>,
    /// The global layer's Hiera configuration.
    pub hiera_config: Option<PathBuf>,
    /// Its archive.
    pub archive: Option<PathBuf>,
    /// Whether the archive alone is asked.
    pub frozen: bool,
    /// Where its environment lies then, if nobody says, as another machine has found it.
    pub usual: Option<PathBuf>,
    /// Bytes that a file may hold, if not as many as usual.
    pub max_file: Option<u64>,
    /// The server's configuration; without one there is no base module path.
    pub configuration: Option<Arc<Configuration>>,
    /// The version of the language by whose rules its files are read and checked.
    pub compat: Compat,
    /// What else may be read than what is named here, where not all of the disk.
    pub confinement: Option<Confinement>,
    /// What another machine has lent of what lies outside of it there.
    pub lent: Option<Arc<Lent>>,
    /// Puppet's setting `strict`: whether modules are there whose metadata is no JSON.
    pub strict: Strict,
    /// Puppet's setting `environment_timeout`: how long after its last use code counts as unchanged, without a look at it. The
    /// longest is for ever.
    pub code_timeout: Duration,
}

impl EnvironmentSpec {
    /// All that is named: its folder, the module path and main manifest that were asked for, the folder of the global layer's
    /// configuration, the server's own module path. What the environment says itself of where its modules lie is not.
    fn named(&self, confinement: &Confinement) -> Confinement {
        let mut named = confinement.clone();
        // Where that lies on another machine, and is lent, nothing is named of this one.
        let global = self.hiera_config.as_deref().filter(|_| self.lent.is_none());
        let global = global.and_then(Path::parent).map(Path::to_owned);
        let own = self.directory.iter().chain(self.modulepath.iter().flatten()).chain(&self.manifest);
        named.folders.extend(own.cloned().chain(global));
        // Of a module path a frozen archive has all.
        if let Some(configuration) =
            self.configuration.as_ref().filter(|configuration| configuration.is_read() && !self.frozen)
        {
            named.folders.extend(configuration.in_force().folders("basemodulepath").unwrap_or_default());
        }
        named
    }
}

impl Snapshot {
    /// A path where it lies for this environment: one below [`Snapshot::deployed`] lies in its own folder.
    pub fn placed(&self, path: PathBuf) -> PathBuf {
        match &self.directory {
            Some(folder) => moved(path, &self.deployed, folder),
            None => path,
        }
    }

    /// Reads an environment; `archive` is the one that `spec` names, opened; `session` is what was made of files for
    /// other snapshots.
    ///
    /// # Errors
    /// When a folder or manifest that was named is not there, or the archive is of something else.
    pub fn open(
        spec: &EnvironmentSpec,
        archive: Option<Arc<OpenArchive>>,
        session: &SessionMade,
    ) -> Result<Snapshot, String> {
        let (snapshot, reads_at_open) = reads::gather(|| Snapshot::opened_now(spec, archive, session));
        Ok(Snapshot { reads_at_open, ..snapshot? })
    }

    fn opened_now(
        spec: &EnvironmentSpec,
        archive: Option<Arc<OpenArchive>>,
        session: &SessionMade,
    ) -> Result<Snapshot, String> {
        let mut directory = spec.directory.as_ref().map(absolute);
        let mut given = spec.modulepath.as_ref().map(|path| path.iter().map(absolute).collect::<Vec<_>>());
        if let Some(opened) = &archive {
            place(opened, spec, &mut directory, &mut given)?;
        }
        let named = spec.directory.as_deref().and_then(|d| d.file_name()).and_then(|n| n.to_str());
        let name = spec.name.clone().or(named.map(str::to_owned)).unwrap_or_else(|| PRODUCTION.to_owned());
        let mut tree = Tree::default().with_limit(spec.max_file.unwrap_or(read::MAX_FILE));
        if let Some(opened) = archive {
            tree = tree.with_archive(opened, spec.frozen);
        }
        if let Some(confinement) = &spec.confinement {
            let named = spec.named(confinement);
            let archived = directory.iter().chain(given.iter().flatten()).cloned();
            let folders = named.folders.into_iter().chain(archived).collect();
            tree = tree.confined_to(&Confinement { folders, ..named });
        }
        if let Some(lent) = &spec.lent {
            tree = tree.with_lent(lent.clone());
        }
        tree.set_roots(directory.as_deref(), &[]);
        if let Some(directory) = directory.as_deref().filter(|directory| !tree.is_dir(directory)) {
            let missing = || format!("Environment directory '{}' does not exist", directory.display());
            return Err(tree.fault().unwrap_or_else(missing));
        }
        let configuration = spec.configuration.clone();
        let configuration = configuration.unwrap_or_else(|| Configuration::none(spec.compat).into());
        let conf = directory.as_deref().map(|d| own_conf(&tree, d, configuration.compat)).transpose();
        let conf = conf.map_err(|error| tree.fault().unwrap_or(error))?;
        let in_force = configuration.in_force().in_environment(&name, conf.as_ref());
        let modulepath = match (given, &directory) {
            (Some(path), _) => path,
            (None, Some(_)) => in_force.folders("modulepath")?,
            (None, None) if configuration.is_read() => in_force.folders("basemodulepath")?,
            (None, None) => Vec::new(),
        };
        tree.set_roots(directory.as_deref(), &modulepath);
        let manifest = main_manifest(spec, directory.as_deref(), &in_force, &tree)?;
        let text = |name: &str| in_force.text(name).map(|text| Some(text).filter(|text| !text.is_empty()));
        let has_provider = configuration.table().find(DATA_PROVIDER).is_some();
        let data_provider = if has_provider { text(DATA_PROVIDER)? } else { None };
        let vendored = vendored_modules(&configuration, spec.lent.as_ref())?;
        let modules =
            Modules::of(Arc::new(tree), modulepath, (spec.compat, spec.strict)).beside(manifest.as_deref());
        let modules = Arc::new(modules.numbered_by(session.symbols.clone().unwrap_or_default()));
        let mut types = ResourceTypes::builtin(spec.compat);
        let folders = types_in_ruby(&modules, directory.clone(), vendored);
        types.find_more(folders.with_session(session.steps.clone()));
        let config_version = text("config_version")?;
        let mut deployed = match configuration.is_read() || config_version.is_some() {
            true => deployed(&in_force, &name, directory.as_deref())?,
            false => Vec::new(),
        };
        // A command that says where the environment lies is asked of this one.
        let config_version = config_version.map(|command| match &directory {
            Some(folder) => moved_in_text(&command, &deployed, folder),
            None => command,
        });
        if !configuration.is_read() {
            deployed.clear();
        }
        let version = match &directory {
            Some(folder) if configuration.is_read() => configuration.linked_version(&name, folder)?,
            _ => None,
        };
        let hiera_config = match &spec.hiera_config {
            Some(file) => Some(absolute(file)),
            None if configuration.is_read() => {
                let configured = in_force.path("hiera_config")?;
                configured.map(|file| match &directory {
                    Some(folder) => moved(file, &deployed, folder),
                    None => file,
                })
            }
            None => None,
        };
        Ok(Snapshot {
            compat: spec.compat,
            data_provider,
            config_version,
            configuration: configuration.clone(),
            conf: conf.clone(),
            name,
            directory,
            manifest,
            modules,
            hiera_config,
            deployed,
            version,
            types,
            units: Units::new(session.units.clone(), spec.compat),
            data_files: DataFiles::new(session.data.clone()),
            templates: Templates::new(session.templates.clone()),
            reads_at_open: Reads::default(),
            functions: FunctionFiles::default(),
            extensions: MemoCell::new(&EXTENSIONS),
            type_files: Memo::new(&TYPE_FILES),
            named_files: NamedFiles::new(),
            resources: AtomicUsize::new(RESOURCES),
        })
    }

    /// The settings in force in it.
    pub fn in_force(&self) -> InForce<'_> {
        self.configuration.in_force().in_environment(&self.name, self.conf.as_ref())
    }

    /// The configuration that it was opened with; Puppet's defaults where there was none.
    pub fn configuration(&self) -> &Arc<Configuration> {
        &self.configuration
    }

    /// What Puppet warns of in its `environment.conf`.
    pub fn warnings(&self) -> &[String] {
        self.conf.as_ref().map_or(&[], |conf| &conf.warnings)
    }

    /// The tree that its files are read from.
    pub fn tree(&self) -> &Tree {
        self.modules.tree()
    }

    /// The files of functions in Ruby of a name without `::`, modules in their order, the environment's own last.
    pub fn functions(&self, name: &str) -> &[FunctionFile] {
        for api in [Api::New, Api::Old] {
            self.tree().note_provided(([api.folder(), "/"], name, ".rb"));
        }
        reads::unnoted(|| self.functions.of(name, (&self.modules, self.directory.as_deref())))
    }

    /// What was read to open it: every compile on it has, in effect, read that.
    pub fn reads_at_open(&self) -> &Reads {
        &self.reads_at_open
    }

    /// The files of modules that extend the compiler, each with its module's name.
    pub fn extensions(&self) -> &[(String, PathBuf)] {
        self.extensions.get_or(|| extensions::find(self))
    }

    /// Whether nothing that compiles have seen of its files has changed since.
    pub fn is_current(&self) -> bool {
        self.tree().is_current()
    }

    /// The same of all but code, which may have changed.
    pub fn is_current_but_for_code(&self) -> bool {
        self.tree().is_current_but_for_code()
    }

    /// The file at `relative`, a path that begins with `lib/`, of the first module in their order that has it, or else of the
    /// environment itself. How Ruby files are found; [`Tree::read`] reads them.
    pub fn provided(&self, relative: &str) -> Option<PathBuf> {
        if let Some(answer) = self.tree().provided(relative) {
            return answer;
        }
        reads::unnoted(|| {
            let folders = self.modules.iter().map(|module| &module.path).chain(&self.directory);
            folders.map(|folder| folder.join(relative)).find(|file| self.tree().is_file(file))
        })
    }

    /// The files of the main manifest in the order Puppet reads them: a folder's by path.
    pub fn manifest_files(&self) -> Vec<PathBuf> {
        let Some(manifest) = &self.manifest else { return Vec::new() };
        if self.tree().is_file(manifest) {
            return vec![manifest.clone()];
        }
        let mut files = Vec::new();
        collect(self.tree(), manifest, &mut files);
        // As texts: `nodes.pp` is before `nodes/web.pp`, and after `nodes-old.pp`.
        files.sort_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
        files
    }
}

/// A path from the root on.
fn absolute(path: &PathBuf) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.clone())
}

/// See [`Snapshot::deployed`].
///
/// # Errors
/// When the setting's value can't be told.
fn deployed(in_force: &InForce<'_>, name: &str, directory: Option<&Path>) -> Result<Vec<PathBuf>, String> {
    let Some(directory) = directory else { return Ok(Vec::new()) };
    let folders = in_force.folders("environmentpath")?.into_iter();
    let all: Vec<PathBuf> = folders.map(|folder| clean(&folder).join(name)).collect();
    // One that is linked there lies there, too.
    let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| clean(folder));
    let own = real(directory);
    let lies_there = all.iter().any(|folder| real(folder) == own);
    Ok(if lies_there { Vec::new() } else { all })
}

/// Who gives an environment's data, by the way of old.
const DATA_PROVIDER: &str = "environment_data_provider";

/// What an environment's folder says of its settings.
///
/// # Errors
/// When its `environment.conf` can't be read.
pub fn own_conf(tree: &Tree, directory: &Path, compat: Compat) -> Result<EnvironmentConf, String> {
    let path = directory.join("environment.conf");
    let text = tree.exists(&path).then(|| tree.read(&path)).transpose();
    let text = text.map_err(|error| format!("Could not read {}: {error}", path.display()))?;
    let matches = |pattern: &str| matching(tree, pattern);
    EnvironmentConf::new(&directory.to_string_lossy(), text.as_deref(), compat, &matches)
}

/// The folders of the modules that packages bring along: their Ruby is there for all environments, the rest of them is not. Those that
/// are lent are of another machine.
pub(crate) fn vendored_modules(
    configuration: &Configuration,
    lent: Option<&Arc<Lent>>,
) -> Result<Vec<PathBuf>, String> {
    if !configuration.is_read() {
        return Ok(Vec::new());
    }
    let tree = match lent {
        Some(lent) => Tree::default().confined_to(&Confinement::default()).with_lent(lent.clone()),
        None => Tree::default(),
    };
    let folders = configuration.in_force().folders("vendormoduledir")?;
    let modules = folders.iter().flat_map(|folder| {
        let children = tree.list(folder).into_iter();
        children.filter(|child| !child.name.starts_with('.')).map(|child| folder.join(child.name))
    });
    Ok(modules.collect())
}

/// The main manifest: the one that was asked for, the one that the environment's configuration names.
///
/// # Errors
/// When the one that was asked for is not there, or can't be read.
fn main_manifest(
    spec: &EnvironmentSpec,
    directory: Option<&Path>,
    in_force: &InForce<'_>,
    tree: &Tree,
) -> Result<Option<PathBuf>, String> {
    match (&spec.manifest, directory) {
        (Some(path), _) => {
            let path = with_ending(absolute(path), tree);
            if !tree.exists(&path) {
                return Err(format!("Could not find manifest '{}'", path.display()));
            }
            if !tree.is_dir(&path) {
                // A pipe would be silently empty, or wait for ever.
                tree.stamp(&path).map_err(|error| format!("Could not read {}: {error}", path.display()))?;
            }
            Ok(Some(path))
        }
        (None, Some(_)) => {
            in_force.check_manifest()?;
            let path = in_force.path("manifest")?.map(|path| with_ending(path, tree));
            Ok(path.filter(|path| tree.exists(path)))
        }
        (None, None) => Ok(None),
    }
}

/// A main manifest whose name may be written without its ending: `manifests/site`.
fn with_ending(path: PathBuf, tree: &Tree) -> PathBuf {
    if tree.exists(&path) || path.extension().is_some_and(|extension| extension == "pp") {
        return path;
    }
    let mut ended = path.clone().into_os_string();
    ended.push(".pp");
    let ended = PathBuf::from(ended);
    if tree.exists(&ended) { ended } else { path }
}

/// Name of an environment that has none.
pub(crate) const PRODUCTION: &str = "production";
/// Where the types that modules, the environment and the modules of packages declare in Ruby are.
fn types_in_ruby(modules: &Arc<Modules>, directory: Option<PathBuf>, vendored: Vec<PathBuf>) -> Folders {
    let (all, own) = (modules.clone(), directory.clone());
    let list = move || all.all_folders().map(|(_, path)| path).chain(own.clone()).collect();
    let library = bunraku_native_ruby::is_library_file;
    Folders::new(modules.tree().clone(), directory, Box::new(list), library).with_outside(vendored)
}

fn collect(tree: &Tree, folder: &Path, files: &mut Vec<PathBuf>) {
    // Puppet's pattern passes over what is hidden.
    for child in tree.list(folder).into_iter().filter(|child| !child.name.starts_with('.')) {
        let path = folder.join(&child.name);
        // Links to folders are not followed, so there is no loop.
        if child.is_folder {
            if !child.is_link {
                collect(tree, &path, files);
            }
        } else if path.extension().is_some_and(|e| e == "pp") && tree.is_file(&path) {
            files.push(path);
        }
    }
}
