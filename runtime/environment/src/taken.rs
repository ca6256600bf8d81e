//! Names that are taken: what Puppet says where a manifest defines what is defined already, or a parameter has the name of a
//! metaparameter. A compile says it of all manifests that it reads, [`faults`] of one alone, as `puppet parser validate` does.

use bumpalo::Bump;
use bunraku_compiler::ast::{Expr, ExprKind, HostMatch, Param, Program, Span};
use bunraku_compiler::{LineIndex, SourceFile};
use bunraku_data::names;
use bunraku_resource_types::is_metaparameter;
use bunraku_vm::compat::Compat;
use bunraku_vm::diagnostic::{Diagnostic, Place, Severity};
use bunraku_vm::types;
use bunraku_vm::unit::DefKind;
use hashbrown::HashMap;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::cell::OnceCell;

/// The code of the error that a class, defined type or node has a name already.
pub const ALREADY_DEFINED: &str = "ALREADY_DEFINED";
/// The code of the error that a loader has a defined type, function or type already.
pub const REDEFINED: &str = "REDEFINED";
/// The code of what is said of a parameter with the name of a metaparameter.
pub const METAPARAMETER: &str = "METAPARAMETER";

/// What a type of the language is set by.
pub const OF_THE_LANGUAGE: &str = "Originally set by Puppet-Type-System/Static-Loader.";

/// What a class, defined type or node may not share its name with, in the order in which Puppet asks.
pub fn in_the_way(new: DefKind) -> &'static [DefKind] {
    match new {
        DefKind::Class => &[DefKind::Class, DefKind::Node, DefKind::Define],
        DefKind::Define => &[DefKind::Class, DefKind::Define],
        DefKind::Node => &[DefKind::Node, DefKind::Class],
        _ => &[],
    }
}

/// What Puppet says where something is defined whose name `old` has, defined `at` a place as it shows them; without the place of
/// the new one.
pub fn taken(new: DefKind, old: DefKind, name: &str, at: &str) -> String {
    let space = if at.is_empty() { "" } else { " " };
    let what = match old {
        DefKind::Class if new == DefKind::Define => {
            return format!(
                "'{name}' is already defined{space}{at} as a class; cannot redefine as a definition"
            );
        }
        DefKind::Class => "Class",
        DefKind::Node => "Node",
        _ => "Definition",
    };
    let cannot = match new {
        DefKind::Class | DefKind::Node if new == old => "redefine",
        DefKind::Class => "be redefined as a class",
        DefKind::Node => "be redefined as a node",
        _ => "be redefined",
    };
    format!("{what} '{name}' is already defined{space}{at}; cannot {cannot}")
}

/// What Puppet's loaders say of a `type` or `function` that they have already, with how that came.
pub fn redefined(what: &str, name: &str, origin: &str) -> String {
    format!("Attempt to redefine entity 'http://puppet.com/2016.1/runtime/{what}/{name}'. {origin}")
}

/// What is said of a parameter with the name of a metaparameter, of a class or defined type `of`: an error, or, where it has a
/// default, a warning.
pub fn metaparameter(name: &str, of: &str, has_default: bool) -> String {
    match has_default {
        true => {
            format!(
                "{name} is a metaparam; this value will inherit to all contained resources in the {of} definition"
            )
        }
        false => {
            format!("{name} is a metaparameter; please choose another parameter name in the {of} definition")
        }
    }
}

/// Puppet's `(file: F, line: L)`; empty where neither is known.
pub fn location(file: Option<&str>, line: u32) -> String {
    match (file.filter(|f| !f.is_empty()), line) {
        (Some(file), 0) => format!("(file: {file})"),
        (Some(file), line) => format!("(file: {file}, line: {line})"),
        (None, 0) => String::new(),
        (None, line) => format!("(line: {line})"),
    }
}

/// What is written as its bytes in the URI of a file.
const NOT_IN_URIS: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b';')
    .remove(b'/')
    .remove(b'?')
    .remove(b':')
    .remove(b'@')
    .remove(b'&')
    .remove(b'=')
    .remove(b'+')
    .remove(b'$')
    .remove(b',')
    .remove(b'[')
    .remove(b']');

/// Where a definition stands, as Puppet's loaders name the place.
pub fn site(file: Option<&str>, line: u32, column: u32) -> String {
    match file {
        Some(path) => {
            format!("at file://{}?line={line}&pos={column}", utf8_percent_encode(path, NOT_IN_URIS))
        }
        None => format!("at string:?line={line}&pos={column}"),
    }
}

/// What is wrong with the names of a manifest's definitions, if it stands alone: warnings, and at most one error, at which Puppet
/// stops.
pub fn faults(program: &Program<'_>, source: &SourceFile<'_>, compat: Compat) -> Vec<Diagnostic> {
    let mut reader = Reader {
        source,
        lines: OnceCell::new(),
        compat,
        named: HashMap::new(),
        defines: HashMap::new(),
        functions: HashMap::new(),
        types: HashMap::new(),
        found: Vec::new(),
    };
    for definition in program.definitions {
        if let Err(error) = reader.define(definition) {
            reader.found.push(*error);
            break;
        }
    }
    reader.found
}

/// The names that have been read, by what they are of, and where: byte offsets.
struct Reader<'s> {
    source: &'s SourceFile<'s>,
    /// Made when the first place is told.
    lines: OnceCell<LineIndex>,
    compat: Compat,
    /// Classes, defined types and nodes.
    named: HashMap<String, Vec<(DefKind, u32)>>,
    defines: HashMap<String, u32>,
    functions: HashMap<String, u32>,
    types: HashMap<String, u32>,
    found: Vec<Diagnostic>,
}

impl Reader<'_> {
    /// Reads a definition.
    ///
    /// # Errors
    /// Puppet's.
    fn define(&mut self, definition: &Expr<'_>) -> Result<(), Box<Diagnostic>> {
        let at = definition.span;
        match &definition.kind {
            ExprKind::Class { def, .. } => {
                let name = names::lower(def.name);
                self.check_parameters(&name, def.params)?;
                self.take(DefKind::Class, &name, at)
            }
            ExprKind::Define(def) => {
                let name = names::lower(def.name).into_owned();
                if let Some(old) = self.defines.insert(name.clone(), at.start) {
                    return Err(self.redefined("type", &name, &self.originally(old), at));
                }
                self.check_parameters(&name, def.params)?;
                self.take(DefKind::Define, &name, at)
            }
            ExprKind::Function { def, .. } => {
                let name = names::lower(def.name).into_owned();
                match self.functions.insert(name.clone(), at.start) {
                    Some(old) => Err(self.redefined("function", &name, &self.originally(old), at)),
                    None => Ok(()),
                }
            }
            ExprKind::TypeAlias { name, .. } => {
                let key = name.to_lowercase();
                if types::builtin(&Bump::new(), name).is_some() {
                    return Err(self.redefined("type", &key, OF_THE_LANGUAGE, at));
                }
                let old = self.types.insert(key.clone(), at.start);
                match old.or_else(|| self.defines.get(&key).copied()) {
                    Some(old) => Err(self.redefined("type", &key, &self.originally(old), at)),
                    None => Ok(()),
                }
            }
            ExprKind::Node { matches, .. } => matches.iter().try_for_each(|host| {
                let name = match host {
                    HostMatch::Name(name, _) => name.to_lowercase(),
                    HostMatch::Regex(pattern, _) => names::of_node_pattern(pattern, self.compat),
                    HostMatch::Default(_) | HostMatch::Other(_) => "default".to_owned(),
                };
                self.take(DefKind::Node, &name, at)
            }),
            _ => Ok(()),
        }
    }

    /// Gives a name away, unless something that is in the way has it.
    fn take(&mut self, new: DefKind, name: &str, at: Span) -> Result<(), Box<Diagnostic>> {
        let known = self.named.get(name).map_or(&[][..], Vec::as_slice);
        let old = in_the_way(new).iter().find_map(|kind| known.iter().find(|(of, _)| of == kind));
        if let Some((old, offset)) = old {
            let message = taken(new, *old, name, &self.location(*offset));
            let (line, _) = self.line_column(at.start);
            let place = Place { file: self.source.path.map(Into::into), line: Some(line), column: None };
            return Err(Box::new(Diagnostic::error(message).with_code(ALREADY_DEFINED).at(place)));
        }
        self.named.entry_ref(name).or_default().push((new, at.start));
        Ok(())
    }

    fn check_parameters(&mut self, of: &str, params: &[Param<'_>]) -> Result<(), Box<Diagnostic>> {
        for param in params.iter().filter(|param| is_metaparameter(param.name)) {
            let has_default = param.default.is_some();
            let mut said =
                Diagnostic::error(metaparameter(param.name, of, has_default)).with_code(METAPARAMETER);
            said.unnamed = Some(self.unnamed(param.span));
            if !has_default {
                return Err(Box::new(said));
            }
            said.severity = Severity::Warning;
            self.found.push(said);
        }
        Ok(())
    }

    fn redefined(&self, what: &str, name: &str, origin: &str, at: Span) -> Box<Diagnostic> {
        let mut error = Diagnostic::error(redefined(what, name, origin)).with_code(REDEFINED);
        error.unnamed = Some(self.unnamed(at));
        Box::new(error)
    }

    fn line_column(&self, offset: u32) -> (u32, u32) {
        let lines = self.lines.get_or_init(|| LineIndex::new(self.source.text));
        lines.line_column(self.source.text, offset)
    }

    /// Line and column for messages that name none in Puppet.
    fn unnamed(&self, at: Span) -> (u32, Option<u32>) {
        let (line, column) = self.line_column(at.start);
        (line, Some(column))
    }

    fn originally(&self, offset: u32) -> String {
        let (line, column) = self.line_column(offset);
        format!("Originally set {}.", site(self.source.path, line, column))
    }

    /// File and line of an offset, as the messages name them.
    fn location(&self, offset: u32) -> String {
        location(self.source.path, self.line_column(offset).0)
    }
}

#[cfg(test)]
mod tests {
    use super::faults;
    use bumpalo::Bump;
    use bunraku_compiler::{ParseLimits, SourceFile, parse};
    use bunraku_vm::compat::Compat;

    /// What Puppet 7.23's `parser validate` says of the same, but for where its face adds words of its own.
    #[test]
    fn names_are_taken_as_in_puppet() {
        for (text, wanted) in [
            ("class b{}\ndefine c(){}\nnode b2{}\nfunction c(){}\ntype D = Integer\ndefine d(){}\n", ""),
            (
                "class b inherits c{}\nclass b inherits d{}\n",
                "Class 'b' is already defined (file: /f.pp, line: 1); cannot redefine (file: /f.pp, line: 2)",
            ),
            (
                "class b{}\n\ndefine b(){}\n",
                "'b' is already defined (file: /f.pp, line: 1) as a class; cannot redefine as a definition (file: /f.pp, line: 3)",
            ),
            (
                "define b(){}\nclass b{}\n",
                "Definition 'b' is already defined (file: /f.pp, line: 1); cannot be redefined as a class (file: /f.pp, line: 2)",
            ),
            (
                "class a { class b{} class b{} }\n",
                "Class 'a::b' is already defined (file: /f.pp, line: 1); cannot redefine (file: /f.pp, line: 1)",
            ),
            (
                "node x, y{}\nnode /a/, y{}\n",
                "Node 'y' is already defined (file: /f.pp, line: 1); cannot redefine (file: /f.pp, line: 2)",
            ),
            (
                "node /a/{}\nnode /a/{}\n",
                "Node '__node_regexp__a' is already defined (file: /f.pp, line: 1); cannot redefine (file: /f.pp, line: 2)",
            ),
            (
                "class x{}\nnode x{}\n",
                "Class 'x' is already defined (file: /f.pp, line: 1); cannot be redefined as a node (file: /f.pp, line: 2)",
            ),
            (
                "node x{}\nclass x{}\n",
                "Node 'x' is already defined (file: /f.pp, line: 1); cannot be redefined as a class (file: /f.pp, line: 2)",
            ),
            (
                "define b(){}\n  define b(){}\n",
                "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/b'. Originally set at file:///f.pp?line=1&pos=1.",
            ),
            (
                "function b(){}\nfunction b(){}\n",
                "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/function/b'. Originally set at file:///f.pp?line=1&pos=1.",
            ),
            (
                "define b(){}\ntype B = Integer\n",
                "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/b'. Originally set at file:///f.pp?line=1&pos=1.",
            ),
            (
                "type B = String\ntype B = Integer\n",
                "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/b'. Originally set at file:///f.pp?line=1&pos=6.",
            ),
            (
                "type String = Integer\n",
                "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/string'. Originally set by Puppet-Type-System/Static-Loader.",
            ),
            (
                "class b($require){ }\nclass b{}\n",
                "require is a metaparameter; please choose another parameter name in the b definition",
            ),
            (
                "define c($tag=1, $alias=2){}\n",
                "tag is a metaparam; this value will inherit to all contained resources in the c definition\nalias is a metaparam; this value will inherit to all contained resources in the c definition",
            ),
        ] {
            let arena = Bump::new();
            let source = SourceFile::manifest(text).at("/f.pp");
            let parsed = parse(&arena, &source, &ParseLimits::default()).unwrap();
            let found = faults(&parsed.program, &source, Compat::V7);
            let said: Vec<String> = found.iter().map(ToString::to_string).collect();
            assert_eq!(said.join("\n"), wanted, "{text}");
        }
    }
}
