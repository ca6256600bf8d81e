//! Notes which files of modules a catalog's `File` resources name as their sources: the agent gets them later, so the catalog
//! is the same whatever they hold; but whoever asks what a change does to a node means its files, too.

use crate::compile::Compile;
use bunraku_catalog::Catalog;
use bunraku_files::reads::{self, PathQuestion};
use bunraku_vm::host::ModuleFolder;
use bunraku_vm::value::Value;

/// What stands before the module in a source that a server of Puppet hands out.
const SCHEME: &str = "puppet://";
const MOUNT: &str = "/modules/";

impl<'c> Compile<'c> {
    /// Counts the sources of all files in a catalog as read, with whatever lies below those that are folders.
    pub(crate) fn note_sources(&self, catalog: &Catalog<'c>) {
        if !reads::is_gathered() {
            return;
        }
        for resource in catalog.resources.iter().filter(|resource| resource.type_name == "File") {
            let sources = resource.params.iter().filter(|param| param.name == "source");
            sources.for_each(|param| self.note_source(param.value));
        }
    }

    fn note_source(&self, source: Value<'c>) {
        match source {
            Value::Array(all) => all.iter().for_each(|one| self.note_source(*one)),
            Value::Sensitive(held) => self.note_source(*held),
            one => {
                let file = one.as_str().and_then(path_in_modules);
                if let Some(file) = file.and_then(|path| self.module_file(ModuleFolder::Files, path)) {
                    self.tree().note_asked(PathQuestion::Below, &file);
                }
            }
        }
    }
}

/// `apache/some/file` of `puppet:///modules/apache/some/file`, whichever server it names.
fn path_in_modules(source: &str) -> Option<&str> {
    let rest = source.strip_prefix(SCHEME)?;
    let path = rest[rest.find('/')?..].strip_prefix(MOUNT)?;
    Some(path.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::path_in_modules;

    #[test]
    fn sources_are_files_of_modules_or_nothing() {
        for (source, path) in [
            ("puppet:///modules/a/b/c", Some("a/b/c")),
            ("puppet://server:8140/modules/a/b/", Some("a/b")),
            ("puppet:///plugins/a", None),
            ("puppet://server", None),
            ("/modules/a/b", None),
            ("", None),
        ] {
            assert_eq!(path_in_modules(source), path, "{source}");
        }
    }
}
