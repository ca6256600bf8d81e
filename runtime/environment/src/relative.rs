//! An aid to people who migrate from Puppet 3: references by relative name that its relative look-up would have
//! resolved to another class or defined type than the absolute one that is meant since Puppet 4.

use crate::modules::{self, Modules};
use bumpalo::Bump;
use bunraku_compiler::ast::{ExprKind, Program};
use bunraku_compiler::{LineIndex, ParseLimits, SourceFile, parse, relative_names};
use bunraku_data::names;
use bunraku_files::read;
use bunraku_vm::diagnostic::{Diagnostic, Place, Severity};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Mutex;

/// Which classes and defined types a module path holds, by reading the files the autoloader would read.
pub struct DefinedNames {
    modules: Modules,
    /// Names that a file defines, in lower case.
    files: Mutex<HashMap<PathBuf, HashSet<String>>>,
}

impl DefinedNames {
    /// Of a module path.
    pub fn new(path: &[PathBuf]) -> Self {
        DefinedNames { modules: Modules::read(path), files: Mutex::default() }
    }

    fn defines(&self, name: &str) -> bool {
        let name = names::key(name);
        modules::manifests(&self.modules, &name).iter().any(|file| {
            if let Ok(files) = self.files.lock()
                && let Some(defined) = files.get(file)
            {
                return defined.contains(&*name);
            }
            let text = read::regular_text(file, read::MAX_FILE).unwrap_or_default();
            let arena = Bump::new();
            let source = SourceFile::manifest(&text);
            let defined = parse(&arena, &source, &ParseLimits::default())
                .map_or_else(|_| HashSet::new(), |parsed| defined_names(&parsed.program));
            let found = defined.contains(&*name);
            if let Ok(mut files) = self.files.lock() {
                files.insert(file.clone(), defined);
            }
            found
        })
    }

    /// A warning for each relative name of a program that Puppet 3 would have resolved within the namespaces
    /// around it.
    pub fn warnings(&self, program: &Program<'_>, source: &SourceFile<'_>) -> Vec<Diagnostic> {
        let own = defined_names(program);
        let lines = LineIndex::new(source.text);
        let mut found = Vec::new();
        for reference in relative_names(program) {
            let taken =
                reference.candidates().find(|name| own.contains(&*names::key(name)) || self.defines(name));
            let Some(other) = taken else { continue };
            let what = if reference.class { "class" } else { "defined type" };
            let mut warning = Diagnostic::error(format!(
                "'{}' means the {what} '::{}'; Puppet 3 would have found '{other}' here",
                reference.name, reference.name
            ));
            warning.severity = Severity::Warning;
            warning.length = reference.span.end - reference.span.start;
            let (line, column) = lines.line_column(source.text, reference.span.start);
            let place = Place { file: source.path.map(Into::into), line: Some(line), column: Some(column) };
            found.push(warning.at(place));
        }
        found
    }
}

fn defined_names(program: &Program<'_>) -> HashSet<String> {
    program
        .definitions
        .iter()
        .filter_map(|definition| match &definition.kind {
            ExprKind::Class { def, .. } | ExprKind::Define(def) => Some(names::key(def.name).into_owned()),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_in_the_namespace_around_is_what_puppet_3_found() {
        let text =
            "class bar { }\nclass foo::bar { }\nclass foo { include bar }\nclass baz { include ::bar }";
        let arena = Bump::new();
        let source = SourceFile::manifest(text);
        let parsed = parse(&arena, &source, &ParseLimits::default()).expect("it parses");
        let warnings = DefinedNames::new(&[]).warnings(&parsed.program, &source);
        let lines: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "'bar' means the class '::bar'; Puppet 3 would have found 'foo::bar' here (line: 3, column: 21)"
            ]
        );
    }
}
