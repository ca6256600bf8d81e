//! The environment: its folders, its Hiera, its manifests, and what of its Ruby a process of Ruby has to run.

use super::finding::Finding;
use bunraku::archive::{self, Options, Summary};
use bunraku::{Compat, Compiler, Configuration, Environment, Node, Settings, modulepath};
use std::path::{Path, PathBuf};

const AREA: &str = "Environment";

/// What is evaluated to have Hiera read: a key that nobody has.
const ASKS_HIERA: &str = "lookup('bunraku::doctor', undef, undef, undef)";

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
        found.push(self.hiera());
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
        let environment = self.environment.clone().with_code(ASKS_HIERA);
        let ran = Compiler::new().evaluate(&environment, &Node::new("localhost"), &self.settings);
        match ran.result {
            Ok(_) => Finding::fine(AREA, "its Hiera is read"),
            Err(diagnostic) => Finding::fails(AREA, diagnostic.to_string(), "every look-up fails"),
        }
    }
}

/// What building an archive has found.
fn of_summary(summary: &Summary, ruby: &Path) -> Vec<Finding> {
    let mut found = Vec::new();
    let errors: usize = summary.errors.iter().map(|(_, all)| all.len()).sum();
    if let Some((file, _)) = summary.errors.first() {
        let files = summary.errors.len();
        let what = format!("{errors} errors in {files} files, {} the first", file.display());
        found.push(Finding::fails(
            AREA,
            what,
            "a catalog that reaches them fails; `bunraku check` tells them all",
        ));
    } else {
        found.push(Finding::fine(
            AREA,
            format!("{} files, {} manifests and templates without an error", summary.files, summary.units),
        ));
    }
    let functions: usize = summary.ruby.iter().map(|one| one.functions.len()).sum();
    let templates: usize = summary.ruby.iter().map(|one| one.templates.len()).sum();
    if functions + templates > 0 {
        let what = format!("{functions} functions and {templates} templates may need a process of Ruby");
        let consequence = format!(
            "they take {} and milliseconds where others take microseconds; `bunraku build` names each with the reason",
            ruby.display()
        );
        found.push(Finding::note(AREA, what, consequence));
    }
    found
}
