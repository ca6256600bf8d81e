//! Finds and reads files of modules, and runs commands.

use crate::compile::Compile;
use bunraku_environment::snapshot::Named;
use bunraku_files::found::Stamp;
use bunraku_files::glob::glob;
use bunraku_files::reads::{self, PathQuestion};
use bunraku_process::Errors;
use bunraku_vm::compat::Rule;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::host::{FilePort, ModuleFolder};
use bunraku_vm::vm::Vm;
use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

impl<'c> Compile<'c> {
    /// Where `module/path` lies under a module's folder.
    pub(crate) fn module_file(&self, folder: ModuleFolder, path: &str) -> Option<PathBuf> {
        if path.starts_with('/') {
            return Some(PathBuf::from(path));
        }
        let (module, rest) = path.split_once('/')?;
        let folder = match folder {
            ModuleFolder::Files => "files",
            ModuleFolder::Templates => "templates",
        };
        Some(self.environment.modules.get(module)?.path.join(folder).join(rest))
    }
}

impl<'c> FilePort<'c> for Compile<'c> {
    fn read_file(&self, _vm: &mut Vm<'c>, folder: ModuleFolder, path: &str) -> Eval<'c, Option<Vec<u8>>> {
        let Some(file) = self.module_file(folder, path) else { return Ok(None) };
        match self.tree().read(&file) {
            Ok(bytes) => Ok(Some(bytes)),
            // A path below what is no folder leads nowhere, as one that is not there.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(Flow::raw(format!("Could not read {}: {error}", file.display()))),
        }
    }

    fn find_file(&self, _vm: &mut Vm<'c>, folder: ModuleFolder, path: &str) -> Eval<'c, Option<String>> {
        if let Some(known) = self.files.found.borrow().get(&(folder, path)) {
            return Ok(known.map(str::to_owned));
        }
        let search = || self.module_file(folder, path).filter(|file| self.tree().exists(file));
        let file = self.environment.named_files.find(self.tree(), (Named::In(folder), path), search);
        let file = file.map(Cow::into_owned);
        // Outside of the tree a file may come while the compile runs.
        if !path.starts_with('/') {
            self.files
                .found
                .borrow_mut()
                .insert((folder, self.text(path)), file.as_deref().map(|file| self.text(file)));
        }
        Ok(file)
    }

    fn module_directory(&self, name: &str) -> Option<String> {
        Some(self.environment.modules.get(name)?.path.to_string_lossy().into_owned())
    }

    fn glob(&self, pattern: &str) -> Result<Vec<String>, String> {
        let found = glob(self.tree(), pattern)?;
        Ok(found.iter().map(|path| path.to_string_lossy().into_owned()).collect())
    }

    fn generate(&self, command: &[String]) -> Result<String, String> {
        let Some((program, args)) = command.split_first() else { return Ok(String::new()) };
        let failed = |detail: String| format!("Failed to execute generator {program}: {detail}");
        let ended_with = |code: &str, text: &str| {
            Err(failed(format!("Execution of '{}' returned {code}: {}", command.join(" "), text.trim())))
        };
        let folder = Path::new(program).parent().unwrap_or(Path::new("/"));
        let is_pure = self.options.programs.is_pure(program);
        if is_pure {
            self.tree().note_asked(PathQuestion::Content, Path::new(program));
        } else {
            reads::note_unknown(|| format!("generate({program})"));
        }
        if self.options.settings.is_confined {
            return Err(failed("a confined compile runs no programs".to_owned()));
        }
        let programs = self.options.programs;
        let pure = is_pure.then(|| Stamp::look(Path::new(program))).flatten();
        if let Some(text) = pure.and_then(|program| programs.printed(command, program)) {
            return Ok(text);
        }
        if !folder.is_dir() {
            let (what, folder) =
                (if folder.exists() { "Not a" } else { "No such file or" }, folder.display());
            return Err(match self.options.settings.compat.holds(Rule::GenerateNamesItsFolder) {
                true => format!("Working directory {folder} does not exist!"),
                false => format!("{what} directory @ dir_chdir - {folder}"),
            });
        }
        let mut started = Command::new(program);
        let started = started.args(args).current_dir(folder);
        let ended = match bunraku_process::run(started, Errors::Joined, self.options.settings.exec) {
            Ok(ended) => ended,
            // Puppet starts it in a process of its own, which ends so where that fails.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {
                return ended_with("1", "");
            }
            Err(error) => return Err(failed(error.to_string())),
        };
        let text = String::from_utf8_lossy(&ended.output).into_owned();
        match ended.status.code() {
            Some(0) => {
                if let Some(program) = pure {
                    programs.keep(command, program, &text);
                }
                Ok(text)
            }
            Some(code) => ended_with(&code.to_string(), &text),
            None => ended_with("", &text),
        }
    }
}
