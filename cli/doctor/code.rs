//! The environment: its folders, its Hiera, its manifests, and what of its Ruby a process of Ruby has to run.

use super::finding::Finding;
use bunraku::archive::{self, Options, Summary};
use bunraku::files::read;
use bunraku::{
    Compat, Compiler, Configuration, Data, Environment, Node, Settings, check_environment, modulepath,
};
use bunraku_fleet::report::counted;
use bunraku_fleet::tree::unfetched;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const AREA: &str = "Environment";

/// What is evaluated to have Hiera read: a key that nobody has.
const ASKS_HIERA: &str = "lookup('bunraku::doctor', undef, undef, undef)";

/// The node that it is evaluated for.
const NODE: &str = "localhost";

/// Where no archive is, from which something could be taken.
const NO_ARCHIVE: &str = "/nonexistent/none.bnr";

/// An environment, and how an archive of it is built.
pub struct Code {
    environment: Environment,
    shown: String,
    options: Options,
    settings: Settings,
    /// Folders of modules that it names.
    modules: Vec<PathBuf>,
}

impl Code {
    /// The environment of a folder or a name, or the configured one; none where nothing is named or configured.
    ///
    /// # Errors
    /// Puppet's message where there is no such environment.
    pub fn of(
        named: Option<&Path>,
        configuration: Option<&Configuration>,
        compat: Compat,
    ) -> Result<Option<Code>, String> {
        let is_folder = named.is_some_and(|path| path.components().count() > 1 || path.is_dir());
        let options = Options { compat, ..Options::default() };
        if let (Some(folder), true) = (named, is_folder) {
            if !folder.is_dir() {
                return Err(format!("{} is no folder", folder.display()));
            }
            check_environment(folder)?;
            return Ok(Some(Code {
                environment: Environment::at(folder),
                shown: folder.display().to_string(),
                options: Options { directory: Some(folder.to_owned()), ..options },
                settings: Settings::of_compat(compat),
                modules: Vec::new(),
            }));
        }
        let Some(configuration) = configuration else {
            return match named {
                Some(name) => Err(format!("{} is no folder, and no configuration is read", name.display())),
                None => Ok(None),
            };
        };
        let name = named.and_then(Path::to_str);
        let (folder, name) = configuration.environment_folder(name)?;
        let Some(folder) = folder else { return Ok(None) };
        let found = configuration.print(&["modulepath".to_owned()], bunraku::SERVER_SECTION, Some(&name))?;
        Ok(Some(Code {
            environment: configuration.environment(Some(&name))?,
            shown: format!("{name}, {}", folder.display()),
            options: configuration.archive_options(options, Some(&name))?,
            settings: configuration.settings()?,
            modules: found.first().map(|setting| modulepath(&setting.text)).unwrap_or_default(),
        }))
    }

    /// What is wrong with it.
    pub fn look(&self, ruby: &Path) -> Vec<Finding> {
        let mut found = vec![Finding::fine(AREA, &self.shown)];
        for folder in self.modules.iter().filter(|folder| !folder.is_dir()) {
            let what = format!("{} of the module path is no folder", folder.display());
            found.push(Finding::note(AREA, what, "no module is found there"));
        }
        if let Some(missing) = self.options.directory.as_deref().and_then(unfetched) {
            let what = format!("it has a Puppetfile, and {} is not there", missing.display());
            found.push(Finding::note(AREA, what, "a catalog that needs one of its modules fails"));
        }
        found.push(self.hiera());
        found.extend(self.keys_of_eyaml());
        match self.built(Path::new(NO_ARCHIVE), self.options.compat, false) {
            Ok((_, summary)) => found.extend(of_summary(&summary, ruby)),
            Err(message) => found.push(Finding::fails(AREA, message, "no archive is built of it")),
        }
        found
    }

    /// The archive that would be built of it now, for a version and with every content or without, in the place of the one at
    /// `before`: what has not changed is taken from that.
    ///
    /// # Errors
    /// When the tree can't be opened.
    pub fn built(&self, before: &Path, compat: Compat, embed: bool) -> Result<(Vec<u8>, Summary), String> {
        let options = Options { compat, embed, ..self.options.clone() };
        archive::bytes(&options, before, &|_| ())
    }

    fn hiera(&self) -> Finding {
        // What fails without a look-up is not Hiera's fault.
        if let Err(message) = self.evaluated("undef") {
            return Finding::fails(AREA, message, "every compile fails");
        }
        match self.evaluated(ASKS_HIERA) {
            Ok(()) => Finding::fine(AREA, "its Hiera is read"),
            Err(message) => Finding::fails(AREA, message, "every look-up fails"),
        }
    }

    /// Runs code of ours in it.
    ///
    /// # Errors
    /// What it fails with, without the node, which nobody has named.
    fn evaluated(&self, code: &str) -> Result<(), String> {
        let environment = self.environment.clone().with_code(code);
        let ran = Compiler::new().evaluate(&environment, &Node::new(NODE), &self.settings);
        let without_node = |message: &str| message.replace(&format!(" on node {NODE}"), "");
        ran.result.map(|_| ()).map_err(|diagnostic| without_node(&diagnostic.message))
    }

    /// Files of keys that its hiera.yaml names and that are not there: what they encrypt can't be read.
    fn keys_of_eyaml(&self) -> Vec<Finding> {
        let Some(folder) = &self.options.directory else { return Vec::new() };
        let text = read::regular_text(&folder.join("hiera.yaml"), read::MAX_FILE).unwrap_or_default();
        // That it is no YAML has been told.
        let Ok(Data::Map(config)) = Data::from_yaml(&text) else { return Vec::new() };
        let defaults = config.iter().filter(|(key, _)| key == "defaults").map(|(_, defaults)| defaults);
        let levels = config.iter().filter(|(key, _)| key == "hierarchy");
        let levels = levels.filter_map(|(_, levels)| levels.as_list()).flatten();
        let options = defaults.chain(levels).filter_map(|level| member(level, "options"));
        let files = options.filter_map(|options| member(options, "pkcs7_private_key")?.as_str());
        let files: BTreeSet<&str> =
            files.filter(|file| !file.contains("%{") && !Path::new(file).exists()).collect();
        let told = |file: &str| {
            let what = format!("the key {file}, which hiera.yaml names, is not there");
            Finding::fails(AREA, what, "what is encrypted for it can't be looked up")
        };
        files.into_iter().map(told).collect()
    }
}

/// A member of a map.
fn member<'d>(data: &'d Data, name: &str) -> Option<&'d Data> {
    match data {
        Data::Map(all) => all.iter().find(|(key, _)| key == name).map(|(_, value)| value),
        _ => None,
    }
}

/// What building an archive has found.
fn of_summary(summary: &Summary, ruby: &Path) -> Vec<Finding> {
    let mut found = Vec::new();
    let errors: usize = summary.errors.iter().map(|(_, all)| all.len()).sum();
    if let Some((file, _)) = summary.errors.first() {
        let (errors, files) = (counted(errors, "error"), counted(summary.errors.len(), "file"));
        let what = format!("{errors} in {files}, {} the first", file.display());
        let consequence = "a catalog that reaches them fails; `bunraku build` tells them all, of data, too";
        found.push(Finding::fails(AREA, what, consequence));
    } else {
        found.push(Finding::fine(
            AREA,
            format!("{} files, {} manifests and templates without an error", summary.files, summary.units),
        ));
    }
    let functions: usize = summary.ruby.iter().map(|one| one.functions.len()).sum();
    let templates: usize = summary.ruby.iter().map(|one| one.templates.len()).sum();
    if functions + templates > 0 {
        let (functions, templates) = (counted(functions, "function"), counted(templates, "template"));
        let what = format!("{functions} and {templates} may need a process of Ruby");
        let consequence = format!(
            "they take {} and milliseconds where others take microseconds; `bunraku build` names each with the reason",
            ruby.display()
        );
        found.push(Finding::note(AREA, what, consequence));
    }
    found
}
