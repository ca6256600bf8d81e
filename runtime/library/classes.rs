//! The classes that manifests define, for programs that let people choose among them: their parameters, with types and defaults as
//! Puppet's own service of such information tells them.
//! Source: the oracle (`Puppet::InfoService::ClassInformationService` of 7.23, as Puppet Server 7.9.5 calls it).

use crate::class_types::{TypeReader, TypeText};
use crate::data::Data;
use bumpalo::Bump;
use bunraku_compiler::ast::{Definition, Expr, ExprKind, Param};
use bunraku_compiler::check::{CheckOptions, check, namespace_of};
use bunraku_compiler::extent::tree_text;
use bunraku_compiler::source::decode;
use bunraku_compiler::{ParseLimits, SourceFile, SourceKind, parse};
use bunraku_environment::units::location;
use bunraku_files::read;
use bunraku_vm::compat::{Compat, Rule};
use bunraku_vm::diagnostic::{Diagnostic, Place, Severity};
use bunraku_vm::host::Strict;
use std::path::Path;

/// A class.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its full name.
    pub name: String,
    /// Its parameters in order.
    pub parameters: Vec<ClassParameter>,
}

/// A parameter of a class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassParameter {
    /// Its name.
    pub name: String,
    /// Its type, where it says one that needs nothing computed; what does is left out by Puppet 7, and an error of the file since. Types that are not Puppet's own are references:
    /// `TypeReference['Stdlib::Port']`.
    pub type_text: Option<String>,
    /// The value of its default, where that is a literal other than `undef`.
    pub default_literal: Option<Data>,
    /// The text of its default, where it has one, from the first to the last place that Puppet knows of it: closing parentheses
    /// are missing.
    pub default_source: Option<String>,
}

/// How manifests are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClassOptions<'p> {
    /// Puppet's setting `strict`.
    pub strict: Strict,
    /// The version of the language.
    pub compat: Compat,
    /// The file's path from the module path on (`apache/manifests/vhost.pp`), where what it may define is to be held against that.
    pub in_module: Option<&'p str>,
}

/// Reads classes, from any number of threads.
pub struct ClassReader {
    types: TypeReader,
}

impl ClassReader {
    /// One that has read nothing yet.
    ///
    /// # Errors
    /// None but a fault of this program.
    pub fn new() -> Result<ClassReader, String> {
        Ok(ClassReader { types: TypeReader::new()? })
    }

    /// The classes of a manifest, inner ones before those that they are in.
    ///
    /// # Errors
    /// Puppet's message where the file does not parse, or says what it must not; or when it can't be read.
    pub fn read(&self, file: &Path, options: &ClassOptions<'_>) -> Result<Vec<Class>, String> {
        let bytes = match read::regular(file, read::MAX_FILE) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(format!("The file {} does not exist", file.display()));
            }
            Err(error) => return Err(format!("Could not read {}: {error}", file.display())),
        };
        let name = file.to_string_lossy();
        // Of all faults this one is told without its file.
        let text = decode(Some(&name), &bytes).map_err(|fault| fault.message)?;
        self.of_text(&SourceFile { path: Some(&name), text, kind: SourceKind::Manifest }, options)
    }

    fn of_text(&self, source: &SourceFile<'_>, options: &ClassOptions<'_>) -> Result<Vec<Class>, String> {
        let arena = Bump::new();
        let parsed = parse(&arena, source, &ParseLimits::default()).map_err(|found| {
            let first = found.iter().find(|fault| fault.severity >= Severity::Err);
            first.map_or_else(String::new, Diagnostic::to_string)
        })?;
        let ClassOptions { strict, compat, in_module } = *options;
        let namespace = in_module.map(namespace_of);
        let location = location(namespace.as_ref());
        let found = check(&parsed.program, source, &CheckOptions { strict, compat, location });
        refuse(&found, parsed.warnings.len())?;
        let class = |definition: &&Expr<'_>| match definition.kind {
            ExprKind::Class { def, .. } => Some(self.class(def, source.text, options)),
            _ => None,
        };
        parsed.program.definitions.iter().filter_map(class).collect()
    }

    fn class(&self, def: &Definition<'_>, text: &str, options: &ClassOptions<'_>) -> Result<Class, String> {
        let parameters = def.params.iter().map(|param| self.parameter(param, text, options));
        Ok(Class { name: def.name.to_owned(), parameters: parameters.collect::<Result<_, _>>()? })
    }

    fn parameter(
        &self,
        param: &Param<'_>,
        text: &str,
        options: &ClassOptions<'_>,
    ) -> Result<ClassParameter, String> {
        let type_text = match param.type_expr.map(|given| self.types.read(given, text, options.compat)) {
            Some(TypeText::Fault(why)) => return Err(why),
            Some(TypeText::Computed(why)) if options.compat.holds(Rule::ComputedTypesAreFaults) => {
                return Err(format!("The parameter '${}' is invalid: {why}", param.name));
            }
            Some(TypeText::Text(told)) => Some(told),
            Some(TypeText::Computed(_)) | None => None,
        };
        let default_literal = param.default.and_then(literal).filter(|value| *value != Data::Undef);
        let default_source = param.default.map(|default| tree_text(default, text).to_owned());
        Ok(ClassParameter { name: param.name.to_owned(), type_text, default_literal, default_source })
    }
}

/// The error of a file with faults: the only one, or how many there are.
fn refuse(found: &[Diagnostic], warned: usize) -> Result<(), String> {
    let errors: Vec<&Diagnostic> = found.iter().filter(|fault| fault.severity >= Severity::Err).collect();
    match errors.as_slice() {
        [] => Ok(()),
        [only] => Err(only.to_string()),
        [first, ..] => {
            let warnings = match found.len() - errors.len() + warned {
                0 => String::new(),
                warnings => format!(", and {warnings} warnings"),
            };
            let message = format!("Language validation logged {} errors{warnings}. Giving up", errors.len());
            let file = first.place.file.clone();
            Err(Diagnostic::error(message).at(Place { file, ..Place::default() }).to_string())
        }
    }
}

/// The value of an expression that JSON has a form for, too; none where it is computed, or something else.
fn literal(expr: &Expr<'_>) -> Option<Data> {
    match expr.kind {
        ExprKind::Str(text) | ExprKind::Name(text) => Some(Data::Text(text.to_owned())),
        ExprKind::Int { value, .. } => Some(Data::Integer(value)),
        ExprKind::Float(value) => Some(Data::Float(value)),
        ExprKind::Bool(value) => Some(Data::Boolean(value)),
        ExprKind::Undef => Some(Data::Undef),
        ExprKind::Array(items) => items.iter().map(literal).collect::<Option<_>>().map(Data::List),
        ExprKind::Hash(entries) => {
            let mut all: Vec<(String, Data)> = Vec::new();
            for entry in entries {
                let (Data::Text(key), value) = (literal(&entry.key)?, literal(&entry.value)?) else {
                    return None;
                };
                // The last of one name counts.
                match all.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, before)) => *before = value,
                    None => all.push((key, value)),
                }
            }
            Some(Data::Map(all))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(text: &str) -> Result<Vec<Class>, String> {
        let reader = ClassReader::new().expect("there is one");
        reader.of_text(&SourceFile::manifest(text).at("/a.pp"), &ClassOptions::default())
    }

    #[test]
    fn parameters_are_told_with_types_and_defaults() {
        let told = classes(
            "class a(Optional[Stdlib::Port] $port = undef, Enum['b', 'a'] $kind = 'a', $list = [1, {x => undef}], \
             Integer $n = 1 + 1, $none) { }",
        );
        let parameter = |name: &str, type_text: Option<&str>, literal: Option<Data>, source: Option<&str>| {
            ClassParameter {
                name: name.to_owned(),
                type_text: type_text.map(str::to_owned),
                default_literal: literal,
                default_source: source.map(str::to_owned),
            }
        };
        let list = Data::List(vec![Data::Integer(1), Data::from([("x", Data::Undef)])]);
        let parameters = vec![
            parameter("port", Some("Optional[TypeReference['Stdlib::Port']]"), None, Some("undef")),
            parameter("kind", Some("Enum['a', 'b']"), Some("a".into()), Some("'a'")),
            parameter("list", None, Some(list), Some("[1, {x => undef}]")),
            parameter("n", Some("Integer"), None, Some("1 + 1")),
            parameter("none", None, None, None),
        ];
        assert_eq!(told, Ok(vec![Class { name: "a".to_owned(), parameters }]));
    }

    #[test]
    fn inner_classes_come_first_and_nothing_else_comes() {
        let told =
            classes("class a { class b { } define c { } } function d() { } node x { }").expect("it parses");
        assert_eq!(told.iter().map(|class| class.name.as_str()).collect::<Vec<_>>(), ["a::b", "a"]);
    }

    #[test]
    fn faults_are_told_in_puppets_words() {
        let fault = |text| classes(text).expect_err("it is wrong");
        assert_eq!(fault("class a {"), "Syntax error at end of input (file: /a.pp)");
        assert_eq!(
            fault("class A { }"),
            "Unacceptable name. The name 'A' is unacceptable as the name of a Host Class Definition \
             (file: /a.pp, line: 1, column: 1)"
        );
        assert_eq!(
            fault("class A { } class B { }"),
            "Language validation logged 2 errors. Giving up (file: /a.pp)"
        );
        assert_eq!(fault("class a(Integer[5, 1] $x) { }"), "'from' must be less or equal to 'to'. Got (5, 1");
    }

    #[test]
    fn files_may_not_be_there() {
        let reader = ClassReader::new().expect("there is one");
        let told = reader.read(Path::new("/nonexistent/a.pp"), &ClassOptions::default());
        assert_eq!(told, Err("The file /nonexistent/a.pp does not exist".to_owned()));
    }
}
