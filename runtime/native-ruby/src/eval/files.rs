//! Files: their bodies are run, `require` loads others.

use super::stop::BlockExit;
use super::{Done, Run};
use crate::for_ruby::ForRuby;
use crate::library::changes_nothing;
use crate::space::Load;
use crate::tree::Program;
use crate::value::V;
use std::path::{Path, PathBuf};

impl<'c> Run<'_, 'c> {
    /// Runs the body of a file.
    pub(crate) fn load_body(&mut self, program: &'c Program, file: &Path) -> Done<'c> {
        self.file = Some(file.to_owned());
        let result = self.eval(&program.body);
        let result = result.or_else(|stop| stop.land(BlockExit::Return(self.frame.returns)));
        result.inspect(|_| self.keep_around())
    }

    /// `__FILE__`: of a template that is a text, what ERB calls it.
    pub(super) fn this_file(&self) -> Done<'c> {
        // A method may stand in another template.
        let is_rendered = self.rendered.is_some_and(|program| std::ptr::eq(program, self.frame.program));
        let file = match is_rendered {
            true => Some(self.file.clone().unwrap_or_else(|| PathBuf::from("(erb)"))),
            false => self.space.file_of(self.frame.program),
        };
        let file = file.ok_or(ForRuby("code of no file"))?;
        Ok(V::made(file.to_str().ok_or(ForRuby("a file whose name is no text"))?.to_owned()))
    }

    /// `file`: the template that is rendered, the same string each time; nil of a text.
    pub(super) fn file_of_template(&mut self) -> Done<'c> {
        if let Some(text) = &self.file_text {
            return Ok(text.clone());
        }
        let Some(file) = &self.file else { return Ok(V::Nil) };
        let text = V::made(file.to_str().ok_or(ForRuby("a file whose name is no text"))?.to_owned());
        self.file_text = Some(text.clone());
        Ok(text)
    }

    /// `$LOAD_PATH.unshift(folder)` or `push`: where `require` looks first, or last. What that gives is the whole list, which nobody looks at here.
    pub(super) fn look_for_files_in(&mut self, folder: &V<'c>, first: bool) -> Done<'c> {
        let folder = folder.text().filter(|folder| folder.starts_with('/'));
        let folder = folder.ok_or(ForRuby("a folder of files to require that is no whole path"))?;
        self.space.look_for_files_in(within(Path::new("/"), &folder), first);
        Ok(V::Void)
    }

    pub(super) fn require(&mut self, file: &V<'c>) -> Done<'c> {
        let name = file.text().ok_or(ForRuby("`require` of other than a string"))?.to_string();
        if changes_nothing(&name) {
            // Later code may use it without requiring it.
            if name == "shellwords" {
                self.space.note_required_once(Path::new("shellwords"));
            }
            return Ok(V::Bool(true));
        }
        let found = match name.starts_with('/') {
            true => Some(ruby_file(Path::new("/"), &name)),
            false => self.file_in_load_path(&name, true),
        };
        let found = found.or_else(|| self.world.ruby_file(&name));
        if let Some(file) = found.or_else(|| self.file_in_load_path(&name, false)) {
            return self.load_required(&file);
        }
        self.left.unknown = Some(format!("`require '{name}'`"));
        Err(ForRuby("a file of a library").into())
    }

    pub(super) fn require_relative(&mut self, file: &V<'c>) -> Done<'c> {
        let name = file.text().ok_or(ForRuby("`require_relative` of other than a string"))?.to_string();
        let folder =
            self.file.as_ref().and_then(|file| file.parent()).ok_or(ForRuby("`require_relative`"))?;
        let path = ruby_file(folder, &name);
        self.load_required(&path)
    }

    fn load_required(&mut self, file: &Path) -> Done<'c> {
        let is_new = self.space.load(file).is_none();
        let loaded = self.load_file(file)?;
        if is_new {
            self.space.note_required(file);
        }
        Ok(loaded)
    }

    /// A file of a name in the folders that code has put in front of the load path, or behind it.
    fn file_in_load_path(&self, name: &str, first: bool) -> Option<PathBuf> {
        let mut files = self.space.folders_of_files(first).into_iter().map(|folder| ruby_file(&folder, name));
        files.find(|file| self.world.tree().is_file(file))
    }

    pub(crate) fn load_file(&mut self, file: &Path) -> Done<'c> {
        let engine = self.engine;
        match engine.load(self.world, self.vm, file) {
            Load::Done | Load::UnderWay => Ok(V::Bool(true)),
            Load::Failed => {
                let why = self.space.failure(file);
                self.left.unknown = Some(format!("the file {}: {why}", file.display()));
                Err(ForRuby("a file that is Ruby's").into())
            }
        }
    }
}

/// The file that `require` means by a name, seen from a folder.
fn ruby_file(folder: &Path, name: &str) -> PathBuf {
    let mut path = within(folder, name);
    if path.extension().is_none_or(|extension| extension != "rb") {
        path.as_mut_os_string().push(".rb");
    }
    path
}

/// A path seen from a folder, by its words alone.
fn within(folder: &Path, path: &str) -> PathBuf {
    let mut whole = folder.to_owned();
    for part in path.split('/') {
        match part {
            ".." => drop(whole.pop()),
            "." | "" => {}
            part => whole.push(part),
        }
    }
    whole
}
