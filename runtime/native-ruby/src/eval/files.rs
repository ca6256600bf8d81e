//! Files: their bodies are run, `require` loads others.

use super::stop::BlockExit;
use super::{Done, Run};
use crate::for_ruby::ForRuby;
use crate::space::Load;
use crate::tree::Program;
use crate::value::V;
use std::path::Path;

/// Files of Ruby's library that change nothing that is run here when they are loaded.
const LIBRARY: &[&str] = &[
    "base64",
    "bigdecimal",
    "cgi",
    "date",
    "digest",
    "digest/md5",
    "digest/sha1",
    "digest/sha2",
    "erb",
    "facter",
    "hocon",
    "hocon/config_error",
    "hocon/config_factory",
    "ipaddr",
    "json",
    "openssl",
    "pathname",
    "psych",
    "puppet",
    "puppet/error",
    "puppet/functions",
    "puppet/parser/functions",
    "puppet/util",
    "puppet/util/json",
    "puppet/util/package",
    "rubygems",
    "securerandom",
    "set",
    "shellwords",
    "stringio",
    "tempfile",
    "time",
    "timeout",
    "uri",
    "yaml",
    "zlib",
    "English",
    "open3",
    "fileutils",
    "etc",
    "net/http",
    "pp",
    "socket",
    "resolv",
    "openssl/digest",
    "puppet/pops",
    "puppet/file_system",
    "puppet/parser",
    "puppet_x",
];

impl<'c> Run<'_, 'c> {
    /// Runs the body of a file.
    pub(crate) fn load_body(&mut self, program: &'c Program, file: &Path) -> Done<'c> {
        self.file = Some(file.to_owned());
        let result = self.eval(&program.body);
        result.or_else(|stop| stop.land(BlockExit::Return(self.frame.returns)))
    }

    pub(super) fn require(&mut self, file: &V<'c>) -> Done<'c> {
        let name = file.text().ok_or(ForRuby("`require` of other than a string"))?.to_string();
        if LIBRARY.contains(&&*name) {
            return Ok(V::Bool(true));
        }
        if let Some(file) = self.world.ruby_file(&name) {
            return self.load_file(&file);
        }
        self.left.unknown = Some(format!("`require '{name}'`"));
        Err(ForRuby("a file of a library").into())
    }

    pub(super) fn require_relative(&mut self, file: &V<'c>) -> Done<'c> {
        let name = file.text().ok_or(ForRuby("`require_relative` of other than a string"))?.to_string();
        let folder =
            self.file.as_ref().and_then(|file| file.parent()).ok_or(ForRuby("`require_relative`"))?;
        let mut path = folder.to_owned();
        for part in name.split('/') {
            match part {
                ".." => drop(path.pop()),
                "." | "" => {}
                part => path.push(part),
            }
        }
        if path.extension().is_none_or(|extension| extension != "rb") {
            path.as_mut_os_string().push(".rb");
        }
        self.load_file(&path)
    }

    pub(super) fn load_file(&mut self, file: &Path) -> Done<'c> {
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
