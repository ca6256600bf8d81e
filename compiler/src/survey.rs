//! What a manifest or template defines, and which names its code computes: for whoever tells what of a tree is not used. Names that
//! are computed tell what only running code knows.

use crate::ast::{Definition, Expr, ExprKind, HostMatch, Part};
use crate::parse::{ParseLimits, parse};
use crate::source::{LineIndex, SourceFile};
use crate::visit::{Lambdas, deeper, each_child, named_call};
use bumpalo::Bump;
use bunraku_vm::unit::DefKind;
use std::collections::HashSet;

/// What names are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Named {
    /// Classes: `include`.
    Class,
    /// Defined types: `create_resources`, `Resource[$type]`.
    Define,
    /// Functions: `call`.
    Function,
    /// Templates: `template`, `epp`.
    Template,
    /// Files of modules: `file`, `source => "puppet:///modules/…"`.
    File,
    /// Keys of Hiera: `lookup`.
    Key,
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defined {
    /// What it is.
    pub kind: DefKind,
    /// Its names, in lower case without leading `::`: one, or those of a node definition, patterns between slashes.
    pub names: Vec<String>,
    /// The parameters, in order.
    pub parameters: Vec<String>,
    /// The line it stands on, from 1.
    pub line: u32,
}

/// A name that code computes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Computed {
    /// Of what.
    pub of: Named,
    /// What it begins with, where it is put together of parts; none where it comes whole from elsewhere: a variable, a call.
    pub prefix: Option<String>,
    /// The line, from 1.
    pub line: u32,
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Definitions in the order of their places.
    pub defined: Vec<Defined>,
    /// Computed names, likewise.
    pub computed: Vec<Computed>,
    /// Texts that are written out, of a length that names have, but for names that are used where they stand.
    pub texts: HashSet<String>,
}

/// Bytes that a name has at most.
pub const LONGEST_NAME: usize = 200;

/// Functions that are given names: all of them, or the first alone.
const GIVEN_NAMES: [(&str, Named, bool); 19] = [
    ("include", Named::Class, true),
    ("contain", Named::Class, true),
    ("require", Named::Class, true),
    ("create_resources", Named::Define, false),
    ("ensure_resource", Named::Define, false),
    ("ensure_resources", Named::Define, false),
    ("call", Named::Function, false),
    ("template", Named::Template, true),
    ("epp", Named::Template, false),
    ("find_template", Named::Template, true),
    ("file", Named::File, true),
    ("find_file", Named::File, true),
    ("lookup", Named::Key, false),
    ("hiera", Named::Key, false),
    ("hiera_array", Named::Key, false),
    ("hiera_hash", Named::Key, false),
    ("hiera_include", Named::Key, false),
    ("getparam", Named::Define, false),
    ("defined", Named::Class, true),
];

/// What a text is; none where it does not parse.
pub fn survey(source: &SourceFile<'_>) -> Option<Survey> {
    let arena = Bump::new();
    let parsed = parse(&arena, source, &ParseLimits::default()).ok()?;
    let mut reader = Reader {
        text: source.text,
        lines: LineIndex::new(source.text),
        survey: Survey::default(),
        direct: HashSet::new(),
    };
    reader.walk(parsed.program.body);
    Some(reader.survey)
}

struct Reader<'s> {
    text: &'s str,
    lines: LineIndex,
    survey: Survey,
    /// Where names stand that are used where they are written.
    direct: HashSet<u32>,
}

impl Reader<'_> {
    fn line(&self, expr: &Expr<'_>) -> u32 {
        self.lines.line_column(self.text, expr.span.start).0
    }

    fn walk(&mut self, expr: &Expr<'_>) {
        deeper(|| {
            self.note_definition(expr);
            self.note_names(expr);
            each_child(expr, Lambdas::Enter, &mut |child| self.walk(child));
        });
    }

    /// Notes what an expression defines, if it does.
    fn note_definition(&mut self, expr: &Expr<'_>) {
        match expr.kind {
            ExprKind::Class { def, .. } => self.definition(DefKind::Class, expr, def),
            ExprKind::Define(def) => self.definition(DefKind::Define, expr, def),
            ExprKind::Function { def, .. } => self.definition(DefKind::Function, expr, def),
            ExprKind::TypeAlias { name, .. } => {
                self.define(DefKind::TypeAlias, expr, vec![name.to_lowercase()], Vec::new());
            }
            ExprKind::Node { matches, .. } => {
                let name = |host: &HostMatch<'_>| match host {
                    HostMatch::Name(name, _) => Some(name.to_lowercase()),
                    HostMatch::Regex(source, _) => Some(format!("/{source}/")),
                    HostMatch::Default(_) => Some("default".to_owned()),
                    HostMatch::Other(_) => None,
                };
                let names = matches.iter().filter_map(name).collect();
                self.define(DefKind::Node, expr, names, Vec::new());
            }
            _ => {}
        }
    }

    /// Notes the names that an expression computes, or writes out.
    fn note_names(&mut self, expr: &Expr<'_>) {
        match expr.kind {
            ExprKind::Call { .. } | ExprKind::MethodCall { .. } => {
                if let Some((name, args)) = named_call(expr) {
                    self.call(name, &args);
                }
            }
            ExprKind::Resource { type_expr, bodies, .. } => match type_expr.kind {
                ExprKind::Name("class") => {
                    bodies.iter().for_each(|body| self.computed(Named::Class, &body.title));
                }
                ExprKind::Access { keys, .. } => {
                    keys.iter().for_each(|key| self.computed(Named::Define, key));
                }
                _ => {}
            },
            // A file's place where agents ask for it, in whatever attribute or variable it is put.
            ExprKind::Concat(parts) => {
                if let Some(Part::Text(text, _)) = parts.first()
                    && let Some(path) = text.strip_prefix("puppet:///modules/")
                {
                    let line = self.line(expr);
                    self.survey.computed.push(Computed {
                        of: Named::File,
                        prefix: Some(path.to_owned()),
                        line,
                    });
                }
            }
            ExprKind::Str(text) if text.len() <= LONGEST_NAME && !self.direct.contains(&expr.span.start) => {
                _ = self.survey.texts.insert(text.to_owned())
            }
            _ => {}
        }
    }

    fn definition(&mut self, kind: DefKind, expr: &Expr<'_>, def: &Definition<'_>) {
        let name = def.name.trim_start_matches("::").to_lowercase();
        let parameters = def.params.iter().map(|param| param.name.to_owned()).collect();
        self.define(kind, expr, vec![name], parameters);
    }

    fn define(&mut self, kind: DefKind, expr: &Expr<'_>, names: Vec<String>, parameters: Vec<String>) {
        let line = self.line(expr);
        self.survey.defined.push(Defined { kind, names, parameters, line });
    }

    fn call(&mut self, function: &str, args: &[&Expr<'_>]) {
        let function = function.trim_start_matches("::");
        // Then the titles are names of classes, and they are of a hash.
        if matches!(args.first().map(|arg| arg.kind), Some(ExprKind::Str("class") | ExprKind::Name("class")))
            && function.ends_with("_resources")
        {
            args[1..].iter().take(1).for_each(|arg| self.whole(Named::Class, arg));
        }
        let found = GIVEN_NAMES.iter().filter(|(name, ..)| *name == function);
        for (_, of, all) in found {
            let count = if *all { args.len() } else { args.len().min(1) };
            args[..count].iter().for_each(|arg| self.computed(*of, arg));
        }
    }

    /// Notes that names come whole from elsewhere.
    fn whole(&mut self, of: Named, from: &Expr<'_>) {
        let line = self.line(from);
        self.survey.computed.push(Computed { of, prefix: None, line });
    }

    /// Notes a name unless it is written.
    fn computed(&mut self, of: Named, name: &Expr<'_>) {
        let prefix = match name.kind {
            ExprKind::Str(_) => {
                self.direct.insert(name.span.start);
                return;
            }
            ExprKind::Name(_)
            | ExprKind::TypeName(_)
            | ExprKind::Undef
            | ExprKind::Default
            | ExprKind::Hash(_) => return,
            ExprKind::Paren(inner) => return self.computed(of, inner),
            ExprKind::Heredoc { text, .. } => return self.computed(of, text),
            ExprKind::Array(items) => return items.iter().for_each(|item| self.computed(of, item)),
            // `Class['a']`
            ExprKind::Access { left: Expr { kind: ExprKind::TypeName(_), .. }, keys } => {
                return keys.iter().for_each(|key| self.computed(of, key));
            }
            ExprKind::Concat([Part::Expr(_)]) => None,
            ExprKind::Concat(parts) => match parts.first() {
                Some(Part::Text(text, _)) => Some(text.trim_start_matches("::").to_owned()),
                _ => Some(String::new()),
            },
            _ => None,
        };
        let line = self.line(name);
        self.survey.computed.push(Computed { of, prefix, line });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_and_computed_names_are_told() {
        let text = "class a($x) {\n  include b, \"c::${x}\"\n  template('d/e.erb')\n  $t = 'd/f.erb'\n  $u = template(\"d/${x}.erb\")\n\
                    }\ndefine f::g($h, $i) { file { '/a': source => \"puppet:///modules/m/${title}\" } }\n\
                    node 'N', /x/ { lookup($y).include }\nfunction k::l() { call($x) }\n";
        let survey = survey(&SourceFile::manifest(text)).expect("it parses");
        let defined: Vec<_> = survey
            .defined
            .iter()
            .map(|one| (one.kind, one.names.join(","), one.parameters.join(","), one.line))
            .collect();
        let named = |name: &str, parameters: &str| (name.to_owned(), parameters.to_owned());
        let expected = [
            (DefKind::Class, named("a", "x"), 1),
            (DefKind::Define, named("f::g", "h,i"), 7),
            (DefKind::Node, named("n,/x/", ""), 8),
            (DefKind::Function, named("k::l", ""), 9),
        ];
        assert_eq!(defined, expected.map(|(kind, (name, parameters), line)| (kind, name, parameters, line)));
        let mut computed: Vec<_> =
            survey.computed.iter().map(|one| (one.line, one.of, one.prefix.as_deref())).collect();
        computed.sort();
        assert_eq!(
            computed,
            [
                (2, Named::Class, Some("c::")),
                (5, Named::Template, Some("d/")),
                (7, Named::File, Some("m/")),
                (8, Named::Class, None),
                (8, Named::Key, None),
                (9, Named::Function, None),
            ]
        );
        assert!(survey.texts.contains("d/f.erb") && !survey.texts.contains("d/e.erb"));
    }
}
